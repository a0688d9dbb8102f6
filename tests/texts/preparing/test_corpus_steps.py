"""Steps on a corpus: who stays, by hand-computed fences and counts, whatever the order of files."""

import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idiograph import Corpus, InputError, Text, prepare
from idiograph.texts.preparing import steps
from idiograph.texts.preparing.recipes import Recipe


def text(id_: str, content: str, author: str | None = "a") -> Text:
    return Text(id_, content, author)


def of_length(id_: str, n_words: int, author: str | None) -> Text:
    return text(id_, " ".join(f"w{number}" for number in range(n_words)), author)


def test_retweets_by_their_beginning() -> None:
    texts = [text("1", "rt : so true"), text("2", " RT @bob no"), text("3", "rt@bob"), text("4", "start : rt :")]
    assert set(steps.retweets(texts).removed) == {"1", "2", "3"}
    assert set(steps.retweets(texts, markers=("rt :",)).removed) == {"1"}
    assert steps.retweets(texts, markers=()).removed == {}


def test_accounts_are_left_out_with_their_reason() -> None:
    texts = [text("1", "x", "bot"), text("2", "y", "ann"), text("3", "z", None)]
    assert steps.accounts(texts, names=("bot",), reason="automatic").removed == {"1": "account left out: automatic"}
    assert steps.accounts(texts).removed == {}
    with pytest.raises(InputError, match="leaves out bot and gives no reason"):
        steps.accounts(texts, names=("bot",), reason=" ")
    with pytest.raises(InputError, match=r"no text is by that author \(did you mean ann\?\)"):
        steps.accounts(texts, names=("anna",), reason="shared")


def test_text_length_counts_words_and_keeps_the_edges() -> None:
    texts = [of_length(str(n), n, "a") for n in (0, 2, 3, 1000, 1001)]
    assert steps.text_length(texts).removed == {"0": "0 tokens, fewer than 3", "2": "2 tokens, fewer than 3"}
    assert steps.text_length(texts, min_tokens=0, max_tokens=1000).removed == {"1001": "1001 tokens, more than 1000"}


def test_author_tokens_are_added_up_over_texts() -> None:
    texts = [of_length("1", 600, "a"), of_length("2", 400, "a"), of_length("3", 999, "b"), of_length("4", 1, None)]
    outcome = steps.author_tokens(texts, min_tokens=1000)
    assert outcome.removed == {"3": "the author has 999 tokens, fewer than 1000"}
    assert outcome.figures == {"authors_left_out": 1}
    assert steps.author_tokens(texts, min_tokens=999).removed == {}


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
    outcome = steps.author_outliers(OUTLIERS)
    assert outcome.figures == pytest.approx(
        {"lower_fence": 84, "upper_fence": 136, "authors_left_out": 1, "authors_trimmed": 1}
    )
    assert outcome.removed["a1"] == "the author has 10 tokens, below the lower fence 84"
    # Six texts of 20 fit under 136.
    assert sorted(id_[0] for id_ in outcome.removed) == ["a"] + ["e"] * 19
    assert outcome.edits == {}


def test_the_multiplier_moves_the_fences() -> None:
    wide = steps.author_outliers(OUTLIERS, multiplier=4.5)
    assert wide.figures["lower_fence"] == pytest.approx(100 - 4.5 * 20)
    assert "a1" not in wide.removed  # exactly on the fence
    assert steps.author_outliers(OUTLIERS, multiplier=20.0).removed == {}


def test_a_text_is_cut_only_if_asked_for() -> None:
    outcome = steps.author_outliers(OUTLIERS, cut_texts=True)
    ((id_, ((start, removed, inserted),)),) = outcome.edits.items()
    # Six whole texts and 16 of the 20 words of a seventh make 136.
    assert sum(id_.startswith("e") for id_ in outcome.removed) == 18
    assert id_ not in outcome.removed
    cut = next(text for text in OUTLIERS if text.id == id_)
    assert (cut.content[:start].split()[-1], removed.split(), inserted) == ("w15", ["w16", "w17", "w18", "w19"], "")


def test_what_cannot_be_trimmed_by_whole_texts_is_said() -> None:
    texts = [*OUTLIERS[:4], of_length("e", 500, "e")]
    with pytest.raises(InputError, match="texts of e cannot be trimmed to between 84 and 136 tokens"):
        steps.author_outliers(texts)
    ((start, _, _),) = steps.author_outliers(texts, cut_texts=True).edits["e"]
    assert len(texts[-1].content[:start].split()) == 136


def test_three_authors_have_no_quartiles() -> None:
    with pytest.raises(InputError, match="found 3 authors"):
        steps.author_outliers(OUTLIERS[:3])


def messages(author: str, n_texts: int, n_words: int = 10) -> list[Text]:
    return [of_length(f"{author}{number:03}", n_words, author) for number in range(n_texts)]


def test_q_and_k_are_filled_until_their_thresholds_are_exceeded() -> None:
    texts = [*messages("a", 30), of_length("disputed", 5, None)]
    outcome = steps.assign_q_k(texts, q_tokens=50, k_tokens=100)
    roles = [entry["role"] for entry in outcome.metadata.values()]
    # 50 is not more than 50: six texts of ten are needed, and eleven for 100.
    assert (roles.count("Q"), roles.count("K"), len(outcome.removed)) == (6, 11, 13)
    assert not outcome.metadata.keys() & outcome.removed.keys()
    assert outcome.figures == {"q_texts": 6, "k_texts": 11, "short_authors": 0}
    # The draw itself, made here once more.
    order = np.random.default_rng([0, zlib.crc32(b"a")]).permutation(30)
    assert [f"a{number:03}" for number in order[:6]] == [
        id_ for id_, entry in outcome.metadata.items() if entry["role"] == "Q"
    ]


def test_without_a_threshold_all_the_rest_is_k() -> None:
    outcome = steps.assign_q_k(messages("a", 30), q_tokens=50, k_tokens=0)
    assert outcome.figures == {"q_texts": 6, "k_texts": 24, "short_authors": 0}
    assert outcome.removed == {}


def test_authors_with_too_little_are_named_and_kept_or_not() -> None:
    texts = [*messages("a", 9), *messages("b", 30)]
    kept = steps.assign_q_k(texts, q_tokens=50, k_tokens=50)
    assert kept.notes == ("Too few tokens for Q 50 and K 50, kept: a (Q 60, K 30).",)
    assert sum(id_.startswith("a") for id_ in kept.metadata) == 9
    out = steps.assign_q_k(texts, q_tokens=50, k_tokens=50, short_authors="remove")
    assert out.notes == ("Too few tokens for Q 50 and K 50, left out: a (Q 60, K 30).",)
    assert sum(id_.startswith("a") for id_ in out.removed) == 9
    assert {id_: role for id_, role in kept.metadata.items() if id_[0] == "b"} == out.metadata


def test_the_seed_and_nothing_else_decides() -> None:
    texts = [*messages("a", 30), *messages("b", 30)]
    one = steps.assign_q_k(texts, q_tokens=50, k_tokens=50, seed=1)
    assert steps.assign_q_k(texts, q_tokens=50, k_tokens=50, seed=2).metadata != one.metadata
    alone = steps.assign_q_k(messages("b", 30), q_tokens=50, k_tokens=50, seed=1)
    assert alone.metadata == {id_: role for id_, role in one.metadata.items() if id_[0] == "b"}
    trimmed = [steps.author_outliers(OUTLIERS, seed=seed).removed for seed in (1, 2)]
    assert trimmed[0] != trimmed[1]


@settings(max_examples=20)
@given(order=st.permutations(range(len(OUTLIERS))))
def test_files_in_another_order_change_nothing(order: Sequence[int]) -> None:
    for step in ("author_outliers", "assign_q_k", "text_length"):
        recipe = Recipe.from_json({"schema": 1, "steps": [{"step": step}]}, where="here")
        before, after = (
            prepare(Corpus(tuple(texts)), recipe).record for texts in (OUTLIERS, [OUTLIERS[number] for number in order])
        )
        assert sorted(before.texts, key=lambda history: history.id) == sorted(
            after.texts, key=lambda history: history.id
        )
