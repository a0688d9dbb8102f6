"""Text that stands twice, in two sides or authors or within one, is found, named, and refused or kept out."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audited import findings, findings_of, text
from idiograph import MaskedText, ProblemError, listening
from idiograph.casework.copies import Copy, Runs, Shared, copies_within, find_copies, find_shared
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.validation import validate
from idiograph.casework.verify import make_ready
from idiograph.progress import Event
from made_texts import Sentence, case_of, case_texts, compare, compare_fully, masked, sentences, write_case
from made_topic_case import topic_case, write_topic_case

_RUN = "it was not for the first time that we would ask you about this and then hear what they say now"
RUN = tuple(_RUN.split())


def with_run(text: MaskedText, run: tuple[str, ...]) -> MaskedText:
    """The text with one more sentence after its third."""
    return replace(text, sentences=(*text.sentences[:3], run, *text.sentences[3:]))


@pytest.mark.parametrize(
    ("code", "sides"),
    [("shared-q", ("q", "k")), ("shared-q", ("q", "reference")), ("shared-k", ("k", "reference"))],
)
def test_long_runs_shared_between_sides(code: str, sides: tuple[str, str]) -> None:
    assert len(RUN) == 21
    for run, expected in ((RUN[:20], True), (RUN[:19], False)):
        plain = case_texts()
        changed = {}
        for name in sides:
            first, *rest = getattr(plain, name)
            # What stands around the run differs, so that the run alone is shared.
            around = ({"q": "N", "k": "V", "reference": "J"}[name], *run, {"q": "D", "k": "B", "reference": "P"}[name])
            changed[name] = (with_run(first, around), *rest)
        by_code = findings(replace(plain, **changed))
        assert (code in by_code) == expected
        if expected:
            assert {getattr(plain, name)[0].id for name in sides} == set(by_code[code].where)


def test_long_runs_shared_among_reference_authors() -> None:
    for run, expected in ((RUN[:20], True), (RUN[:19], False)):
        plain = case_texts()
        first, second, two, *rest = plain.reference
        assert first.author == second.author != two.author
        first = with_run(first, ("J", *run, "N"))
        two = with_run(two, ("B", *run, "V"))
        by_code = findings(replace(plain, reference=(first, second, two, *rest)))
        assert ("shared-reference" in by_code) == expected
    # An author may repeat himself.
    second = with_run(second, (*RUN, "N"))
    first = with_run(first, (*RUN, "V"))
    assert "shared-reference" not in findings(replace(plain, reference=(first, second, *rest)))


def test_runs_of_few_different_words_are_no_copy() -> None:
    plain = case_texts()
    poor = ("P", ",", "N", ",") * 10
    q = (with_run(plain.q[0], poor),)
    k = (with_run(plain.k[0], poor), plain.k[1])
    assert "shared-q" not in findings(replace(plain, q=q, k=k))


def test_a_copy_of_most_of_a_text_is_refused() -> None:
    plain = case_texts()
    copied = replace(plain.k[0], sentences=(*plain.q[0].sentences, *plain.k[0].sentences))
    with pytest.raises(ProblemError, match=r"Q1 and K share text: 100 % of the words of q also occur in k1"):
        find_shared(replace(plain, k=(copied, plain.k[1]))).refuse_copies()
    a_third = plain.q[0].sentences[: len(plain.q[0].sentences) // 3]
    quoted = replace(plain.k[0], sentences=(*a_third, *plain.k[0].sentences))
    find_shared(replace(plain, k=(quoted, plain.k[1]))).refuse_copies()


@pytest.mark.parametrize(
    ("copied", "to", "words"),
    [
        ("q.txt", "known/copy.txt", r"Q1 and K share text: 100 % of the words of questioned/Q1/q\.txt"),
        ("q.txt", "reference/author00/0.txt", "Q1 and the reference share text"),
        ("known/1.txt", "reference/author00/9.txt", "K and the reference share text"),
    ],
)
def test_a_text_inside_another_side_is_refused(tmp_path: Path, copied: str, to: str, words: str) -> None:
    write_case(tmp_path, n_authors=5)
    with (tmp_path / to).open("a", encoding="utf-8") as lines:
        lines.write((tmp_path / copied).read_text(encoding="utf-8"))
    with pytest.raises(ProblemError, match=words):
        compare(case_of(tmp_path))


@dataclass(frozen=True)
class MadeUp:
    """A case of few words, so that texts share many runs; each text is a list of words."""

    q: list[tuple[str | None, list[str]]]
    k: list[tuple[str | None, list[str]]]
    reference: list[tuple[str | None, list[str]]]


@st.composite
def made_up(draw: st.DrawFn) -> MadeUp:
    pieces = draw(st.lists(st.lists(st.sampled_from("abcdefghijkl"), min_size=3, max_size=30), min_size=3, max_size=5))

    def texts(authors: list[str | None]) -> list[tuple[str | None, list[str]]]:
        chosen = draw(st.lists(st.sampled_from(authors), min_size=1, max_size=6 if len(authors) > 1 else 2))
        parts = [draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=3)) for _ in chosen]
        return [
            (author, [word for piece in pieces_of for word in piece])
            for author, pieces_of in zip(chosen, parts, strict=True)
        ]

    return MadeUp(texts([None]), texts(["lee"]), texts(["one", "two", "three"]))


def slowly_shared(
    mine: list[tuple[str | None, list[str]]], others: list[tuple[str | None, list[str]]], *, two: bool = False
) -> list[tuple[int, int, float, str]]:
    """By every run of every two texts; with `two` by the first text that has a run and the first of another author."""

    def runs(words: list[str]) -> list[tuple[str, ...]]:
        length = min(20, len(words))
        return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]

    shared = []
    for at, (author, words) in enumerate(mine):
        places: dict[int, set[int]] = {}
        for start, run in enumerate(runs(words)):
            holders = [number for number, (_, other) in enumerate(others) if run in runs(other)]
            if two and holders:
                more = [number for number in holders if others[number][0] != others[holders[0]][0]]
                holders = [holders[0], more[0]] if more else []
            for number in holders:
                if others[number][0] != author and len(set(run)) >= 8:
                    places.setdefault(number, set()).update(range(start, min(start + 20, len(words))))
        if places:
            most = min(places, key=lambda number: (-len(places[number]), number))
            first = min(places[most])
            shared.append((at, most, len(places[most]) / len(words), " ".join(words[first : first + 20])))
    return shared


@given(made_up())
def test_shared_runs_are_those_that_a_search_of_every_two_texts_finds(case: MadeUp) -> None:
    masked = {
        name: tuple(
            MaskedText(f"{name}{number}", author, (tuple(words),), masking="made up")
            for number, (author, words) in enumerate(getattr(case, name))
        )
        for name in ("q", "k", "reference")
    }
    shared = find_shared(replace(case_texts(), **masked, originals={}))

    def rows(pairs: tuple[Shared, ...], mine: str, others: str) -> list[tuple[int, int, float, str]]:
        number_of = {text.id: number for name in (mine, others) for number, text in enumerate(masked[name])}
        return [(number_of[pair.text.id], number_of[pair.other.id], pair.share, pair.run) for pair in pairs]

    assert rows(shared.q_with_k, "q", "k") == slowly_shared(case.q, case.k)
    assert rows(shared.q_with_reference, "q", "reference") == slowly_shared(case.q, case.reference)
    assert rows(shared.k_with_reference, "k", "reference") == slowly_shared(case.k, case.reference)
    among = rows(shared.among_reference, "reference", "reference")
    assert among == slowly_shared(case.reference, case.reference, two=True)


def test_looking_for_shared_text_is_a_stage_that_counts_its_texts() -> None:
    events: list[Event] = []
    plain = case_texts()
    with listening(events.append):
        find_shared(plain)
    counted = {event.stage: (event.done, event.total) for event in events if event.state == "finished"}
    n = len(plain.reference)
    assert counted["Text that reference authors share"] == (n, n)
    assert counted["Runs of words"] == (n + len(plain.q) + len(plain.k),) * 2


def changed(before: tuple[Sentence, ...], every: int) -> tuple[Sentence, ...]:
    """The same sentences with every so-manieth word another one."""
    words = [word for sentence in before for word in sentence]
    for number in range(0, len(words), every):
        words[number] = f"other{number}"
    return tuple(tuple(words[start : start + 10]) for start in range(0, len(words), 10))


def within(*texts: MaskedText) -> tuple[Copy, ...]:
    comparison = case_texts(k=texts)
    return copies_within(comparison.k, Runs.of([comparison]))


def test_texts_of_one_writer_are_no_copies() -> None:
    assert within(*(masked(f"k{seed}", "lee", seed=seed) for seed in range(8))) == ()


def test_a_text_given_twice() -> None:
    (copy,) = within(masked("k1", "lee", seed=1), masked("k2", "lee", seed=2), masked("k3", "lee", seed=1))
    assert (copy.text.id, copy.earlier.id, copy.share, copy.near) == ("k3", "k1", 1.0, False)
    assert copy.words == "k3 repeats k1 (100 % of its words)"


@pytest.mark.parametrize(("n", "expected"), [(20, True), (19, False)])
def test_a_run_of_twenty_words_is_found_and_one_less_is_not(n: int, expected: bool) -> None:
    first = text("k1", "lee", (*sentences("lee", tokens=300, seed=1), ("N", *RUN[:n], "V")))
    two = text("k2", "lee", (("D", *RUN[:n], "B"), *sentences("lee", tokens=300, seed=2)))
    copies = within(first, two)
    assert bool(copies) == expected
    if expected:
        assert copies[0].share == 20 / two.n_tokens
        assert not copies[0].is_kept_out  # a quotation is named, and the text stays


def test_what_is_shared_with_several_texts_counts_together() -> None:
    first, two = masked("k1", "lee", seed=1), masked("k2", "lee", seed=2)
    both = text("k3", "lee", (*first.sentences[:5], *sentences("lee", tokens=300, seed=3), *two.sentences[:4]))
    (copy,) = within(first, two, both)
    shared = sum(map(len, (*first.sentences[:5], *two.sentences[:4])))
    assert (copy.earlier.id, copy.n_others) == ("k1", 1)
    assert copy.share == pytest.approx(shared / both.n_tokens)
    assert copy.is_kept_out
    assert copy.words.startswith("k3 repeats k1 and 1 more (")


@pytest.mark.parametrize("n_texts", [3, 60])
def test_a_text_changed_all_over_is_found_by_its_phrases(n_texts: int) -> None:
    """Every twelfth word is another one, so no run of twenty is shared; among many texts MinHash must propose it."""
    original = sentences("lee", tokens=600, seed=1)
    others = [masked(f"k{seed:02}", "lee", tokens=600, seed=seed + 10) for seed in range(n_texts - 2)]
    copies = within(text("a", "lee", original), *others, text("z", "lee", changed(original, 12)))
    assert [(copy.text.id, copy.earlier.id, copy.near) for copy in copies] == [("z", "a", True)]
    assert copies[0].is_kept_out
    # Of twelve phrases of five words that begin one after the other, five hold the changed word.
    assert copies[0].share == pytest.approx(7 / 12, abs=0.01)
    assert copies[0].words == "z repeats a (59 % of its phrases of 5 words)"
    assert within(text("a", "lee", original), *others, text("z", "lee", changed(original, 2))) == ()


def test_short_texts_and_runs_of_few_words_are_no_copies() -> None:
    short = text("k1", "lee", (("see", "you", "at", "the", "usual", "place", "then", "my", "dear", "friend"),))
    assert within(short, replace(short, id="k2")) == ()
    table = (("P", ",", "N", ",") * 10,)
    first = text("k1", "lee", (*sentences("lee", tokens=300, seed=1), *table))
    two = text("k2", "lee", (*sentences("lee", tokens=300, seed=2), *table))
    assert within(first, two) == ()


def test_findings_about_q_and_k() -> None:
    plain = case_texts()
    assert not {"repeated-q", "repeated-k", "repeated-reference"} & set(findings(plain))
    twice = (*plain.k, replace(plain.k[0], id="k9"))
    entry = findings(replace(plain, k=twice))["repeated-k"]
    assert entry.severity == "red"
    assert entry.message == "Texts of K repeat each other: k9 repeats k1 (100 % of its words)."
    assert entry.where == ("k1", "k9")
    entry = findings(replace(plain, q=(*plain.q, replace(plain.q[0], id="q2"))))["repeated-q"]
    assert entry.message == "Texts of Q1 repeat each other: q2 repeats q (100 % of its words)."
    quoted = replace(plain.k[1], sentences=(*plain.k[1].sentences, *plain.k[0].sentences[:3]))
    assert findings(replace(plain, k=(plain.k[0], quoted)))["repeated-k"].severity == "amber"


def test_a_finding_about_reference_authors_says_what_is_kept_out() -> None:
    plain = case_texts()
    first, two, *rest = plain.reference
    assert first.author == two.author
    quoted = replace(two, sentences=(*two.sentences, ("N", *RUN, "V")))
    quoting = replace(first, sentences=(("D", *RUN, "B"), *first.sentences))
    copy = replace(rest[0], id="author01/9")
    texts = replace(plain, reference=(quoting, quoted, *rest, copy))
    entry = findings(texts)["repeated-reference"]
    assert entry.message == (
        "Texts of 2 reference authors repeat earlier texts of the same author: author01/9 repeats author01/1 (100 % of "
        "its words); author00/2 repeats author00/1 (6.5 % of its words). 1 of the 2 repeats so much that it is kept "
        "out of the validation problems."
    )
    assert find_copies(texts, reference=()).findings() == []
    few = findings(replace(plain, reference=(quoting, quoted, *rest)))["repeated-reference"].message
    assert few.endswith("None repeats so much that it is kept out of the validation problems.")
    whole = findings(replace(plain, reference=(*plain.reference, copy)))["repeated-reference"].message
    assert whole.endswith("It repeats so much that it is kept out of the validation problems.")


def test_copies_are_kept_out_of_the_validation_and_the_author_named_if_too_little_is_left(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=7)
    folder = tmp_path / "reference"
    shutil.copy(folder / "author01" / "0.txt", folder / "author01" / "3.txt")
    for number in (1, 2):
        shutil.copy(folder / "author02" / "0.txt", folder / "author02" / f"{number}.txt")
    ready = make_ready(case_of(tmp_path))
    index = ready.case_index
    assert index.kept_out == {"reference/author01/3.txt", "reference/author02/1.txt", "reference/author02/2.txt"}
    assert len(index.own_texts["author01"]) == 3
    assert len(index.material.texts_by["author01"]) == 4
    # The reference of a problem still holds them.
    numbers = index.reference().sentence_numbers
    held = {index.index.text_ids[text] for text in np.unique(index.index.sentence_text[numbers]).tolist()}
    assert index.kept_out <= held
    comparison = compare_fully(tmp_path)
    assert comparison.validation is not None
    assert [(author.author, author.reason) for author in comparison.validation.left_out] == [
        (
            "author02",
            "only one text (besides 2 that repeat another), and Q and K must come from different texts",
        )
    ]
    assert "repeated-reference" in findings_of(comparison)


def test_copies_do_not_flatter_the_validation(tmp_path: Path) -> None:
    """A copy among everybody's texts would make same-author problems of a text against itself."""
    write_case(tmp_path, n_authors=6)
    for author in (tmp_path / "reference").iterdir():
        shutil.copy(author / "0.txt", author / "9.txt")
    ready = make_ready(case_of(tmp_path))
    strongest = []
    for index in (ready.case_index, replace(ready.case_index, kept_out=frozenset())):
        texts = ready.comparisons[0].texts
        trials = validate(index, texts, plan_validation(index, texts)).validation.trials
        assert trials is not None
        strongest.append(float(trials.by("hapax").same.max()))
    assert strongest[1] > 2 * strongest[0] > 0


def test_two_reference_authors_who_are_one_person_are_named(tmp_path: Path) -> None:
    folder = write_topic_case(tmp_path, n_authors=6)
    again = (folder / "reference" / "a03" / "0.txt").read_text(encoding="utf-8").splitlines()
    other = folder / "reference" / "a05" / "9.txt"
    long = [line for line in again if len(line.split()) >= 8]
    for n_shared, expected in ((3, True), (2, False)):
        other.write_text("\n".join(long[:n_shared]), encoding="utf-8")
        comparison = compare(topic_case(folder))
        assert ("one-person" in findings_of(comparison)) == expected
        assert not expected or "a05 and a03 (3 sentences)" in findings_of(comparison)["one-person"].message
    # Of masked texts nobody knows whether the words are the same.
    comparison = compare(case_of(write_case(tmp_path / "masked", n_authors=5)))
    assert "one-person" not in findings_of(comparison)
