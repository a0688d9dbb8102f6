"""Steps on a corpus: who stays, by hand-computed fences and counts, whoever else is in the corpus."""

import zlib

import numpy as np
import pytest

from idiograph import InputError, Text
from prepared_texts import left_out, prepared_by, report_on


def of_length(id_: str, n_words: int, author: str | None) -> Text:
    return Text(id_, " ".join(f"w{number}" for number in range(n_words)), author)


@pytest.mark.parametrize(("markers", "ids"), [({}, "123"), ({"markers": ["rt :"]}, "1"), ({"markers": []}, "")])
def test_retweets_by_their_beginning(markers: dict[str, list[str]], ids: str) -> None:
    contents = ("rt : so true", " RT @bob no", "rt@bob", "start : rt :")
    texts = [Text(str(n), content, "a") for n, content in enumerate(contents, start=1)]
    assert set(left_out(texts, "retweets", **markers)) == set(ids)


def test_accounts_are_left_out_with_their_reason() -> None:
    texts = [Text("1", "x", "bot"), Text("2", "y", "ann"), Text("3", "z", None)]
    assert left_out(texts, "accounts", names=["bot"], reason="automatic") == {"1": "account left out: automatic"}
    assert left_out(texts, "accounts") == {}
    with pytest.raises(InputError, match="leaves out bot and gives no reason"):
        left_out(texts, "accounts", names=["bot"], reason=" ")
    with pytest.raises(InputError, match=r"no text is by that author \(did you mean ann\?\)"):
        left_out(texts, "accounts", names=["anna"], reason="shared")


def test_text_length_counts_words_and_keeps_the_edges() -> None:
    texts = [of_length(str(n), n, "a") for n in (0, 2, 3, 1000, 1001)]
    assert left_out(texts, "text_length") == {"0": "0 tokens, fewer than 3", "2": "2 tokens, fewer than 3"}
    assert left_out(texts, "text_length", min_tokens=0, max_tokens=1000) == {"1001": "1001 tokens, more than 1000"}


def test_author_tokens_are_added_up_over_texts() -> None:
    texts = [of_length("1", 600, "a"), of_length("2", 400, "a"), of_length("3", 999, "b"), of_length("4", 1, None)]
    assert left_out(texts, "author_tokens") == {"3": "the author has 999 tokens, fewer than 1000"}
    assert report_on(texts, "author_tokens").figures == {"authors_left_out": 1}
    assert left_out(texts, "author_tokens", min_tokens=999) == {}


# Totals 10, 100, 110, 120, 500: quartiles 100 and 120, so that with 0.8 the fences are
# 100 − 0.8·20 = 84 and 120 + 0.8·20 = 136.
OUTLIERS = [
    of_length("a1", 10, "a"),
    of_length("b1", 100, "b"),
    of_length("c1", 110, "c"),
    of_length("d1", 120, "d"),
    *(of_length(f"e{number:02}", 20, "e") for number in range(25)),
    of_length("disputed", 9999, None),
]


def test_fences_by_hand() -> None:
    report, removed = report_on(OUTLIERS, "author_outliers"), left_out(OUTLIERS, "author_outliers")
    assert report.figures == pytest.approx(
        {"lower_fence": 84, "upper_fence": 136, "authors_left_out": 1, "authors_trimmed": 1}
    )
    assert removed["a1"] == "the author has 10 tokens, below the lower fence 84"
    # Six texts of 20 fit under 136.
    assert sorted(id_[0] for id_ in removed) == ["a"] + ["e"] * 19
    assert report.edits == 0


def test_the_multiplier_moves_the_fences() -> None:
    assert report_on(OUTLIERS, "author_outliers", multiplier=4.5).figures["lower_fence"] == 100 - 4.5 * 20
    assert "a1" not in left_out(OUTLIERS, "author_outliers", multiplier=4.5)  # exactly on the fence
    assert left_out(OUTLIERS, "author_outliers", multiplier=20.0) == {}


def test_a_text_is_cut_only_if_asked_for() -> None:
    prepared = prepared_by(OUTLIERS, "author_outliers", cut_texts=True)
    lengths = {text.id: text.content.count("w") for text in prepared.corpus if text.author == "e"}
    # Six whole texts and 16 of the 20 words of a seventh make 136.
    assert sorted(lengths.values()) == [16] + [20] * 6
    (cut,) = (id_ for id_, length in lengths.items() if length == 16)
    assert prepared.corpus.text(cut).content.endswith(" w15")


def test_what_cannot_be_trimmed_by_whole_texts_is_said() -> None:
    texts = [*OUTLIERS[:4], of_length("e", 500, "e")]
    with pytest.raises(InputError, match="texts of e cannot be trimmed to between 84 and 136 tokens"):
        left_out(texts, "author_outliers")
    assert len(prepared_by(texts, "author_outliers", cut_texts=True).corpus.text("e").content.split()) == 136
    with pytest.raises(InputError, match="found 3 authors"):  # which have no quartiles
        left_out(OUTLIERS[:3], "author_outliers")


def messages(author: str, n_texts: int) -> list[Text]:
    return [of_length(f"{author}{number:03}", 10, author) for number in range(n_texts)]


def roles(texts: list[Text], **settings: object) -> dict[str, str]:
    """Which texts are Q and which K, by their ids."""
    corpus = prepared_by(texts, "assign_q_k", **settings).corpus
    return {text.id: text.metadata["role"] for text in corpus if "role" in text.metadata}


def test_q_and_k_are_filled_until_their_thresholds_are_exceeded() -> None:
    texts = [*messages("a", 30), of_length("disputed", 5, None)]
    by_id = roles(texts, q_tokens=50, k_tokens=100)
    # 50 is not more than 50: six texts of ten are needed, and eleven for 100.
    assert sorted(by_id.values()) == ["K"] * 11 + ["Q"] * 6
    assert len(left_out(texts, "assign_q_k", q_tokens=50, k_tokens=100)) == 13
    figures = report_on(texts, "assign_q_k", q_tokens=50, k_tokens=100).figures
    assert figures == {"q_texts": 6, "k_texts": 11, "short_authors": 0}
    # The draw itself, made here once more.
    order = np.random.default_rng([0, zlib.crc32(b"a")]).permutation(30)
    assert {f"a{number:03}" for number in order[:6]} == {id_ for id_, role in by_id.items() if role == "Q"}


def test_without_a_threshold_all_the_rest_is_k() -> None:
    by_id = roles(messages("a", 30), q_tokens=50, k_tokens=0)
    assert sorted(by_id.values()) == ["K"] * 24 + ["Q"] * 6


def test_authors_with_too_little_are_named_and_kept_or_not() -> None:
    texts, thresholds = [*messages("a", 9), *messages("b", 30)], {"q_tokens": 50, "k_tokens": 50}
    kept, rest = roles(texts, **thresholds), roles(texts, **thresholds, short_authors="remove")
    for fate, keeping in (("kept", "keep"), ("left out", "remove")):
        notes = report_on(texts, "assign_q_k", **thresholds, short_authors=keeping).notes
        assert notes == (f"Too few tokens for Q 50 and K 50, {fate}: a (Q 60, K 30).",)
    assert sum(id_.startswith("a") for id_ in kept) == 9
    assert {id_: role for id_, role in kept.items() if id_[0] == "b"} == rest


def test_the_seed_and_nothing_else_decides() -> None:
    texts = [*messages("a", 30), *messages("b", 30)]
    by_id = roles(texts, q_tokens=50, k_tokens=50, seed=1)
    assert roles(texts, q_tokens=50, k_tokens=50, seed=2) != by_id
    alone = roles(messages("b", 30), q_tokens=50, k_tokens=50, seed=1)
    assert alone == {id_: role for id_, role in by_id.items() if id_[0] == "b"}
    trimmed = [left_out(OUTLIERS, "author_outliers", seed=seed) for seed in (1, 2)]
    assert trimmed[0] != trimmed[1]


def test_files_in_another_order_change_nothing() -> None:
    for step, settings in (("author_outliers", {}), ("assign_q_k", {"q_tokens": 50, "k_tokens": 50})):
        assert left_out(OUTLIERS[::-1], step, **settings) == left_out(OUTLIERS, step, **settings) != {}
