"""Runs of words that two texts share are found, said, and refused where they are most of a text."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audited import findings
from idiograph import MaskedText, ProblemError, listening
from idiograph.casework.copies import Shared, find_shared
from idiograph.progress import Event
from idiograph.texts.text import Sentence
from made_texts import case_of, case_texts, compare, write_case


def _with_run(before: tuple[Sentence, ...], run: tuple[str, ...]) -> tuple[Sentence, ...]:
    return (*before[:3], run, *before[3:])


_RUN = "it was not for the first time that we would ask you about this and then hear what they say now"


RUN = tuple(_RUN.split())


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
            changed[name] = (replace(first, sentences=_with_run(first.sentences, around)), *rest)
        by_code = findings(replace(plain, **changed))
        assert (code in by_code) == expected
        if expected:
            assert {getattr(plain, name)[0].id for name in sides} == set(by_code[code].where)


def test_long_runs_shared_among_reference_authors() -> None:
    for run, expected in ((RUN[:20], True), (RUN[:19], False)):
        plain = case_texts()
        first, second, two, *rest = plain.reference
        assert first.author == second.author != two.author
        first = replace(first, sentences=_with_run(first.sentences, ("J", *run, "N")))
        two = replace(two, sentences=_with_run(two.sentences, ("B", *run, "V")))
        by_code = findings(replace(plain, reference=(first, second, two, *rest)))
        assert ("shared-reference" in by_code) == expected
    # An author may repeat himself.
    second = replace(second, sentences=_with_run(second.sentences, (*RUN, "N")))
    first = replace(first, sentences=_with_run(first.sentences, (*RUN, "V")))
    assert "shared-reference" not in findings(replace(plain, reference=(first, second, *rest)))


def test_runs_of_few_different_words_are_no_copy() -> None:
    plain = case_texts()
    poor = ("P", ",", "N", ",") * 10
    q = (replace(plain.q[0], sentences=_with_run(plain.q[0].sentences, poor)),)
    k = (replace(plain.k[0], sentences=_with_run(plain.k[0].sentences, poor)), plain.k[1])
    assert "shared-q" not in findings(replace(plain, q=q, k=k))


def test_a_copy_of_most_of_a_text_is_refused() -> None:
    plain = case_texts()
    copied = replace(plain.k[0], sentences=(*plain.q[0].sentences, *plain.k[0].sentences))
    with pytest.raises(ProblemError, match=r"Q1 and K share text: 100 % of the words of q also stand in k1"):
        find_shared(replace(plain, k=(copied, plain.k[1]))).refuse_copies()
    a_third = plain.q[0].sentences[: len(plain.q[0].sentences) // 3]
    quoted = replace(plain.k[0], sentences=(*a_third, *plain.k[0].sentences))
    find_shared(replace(plain, k=(quoted, plain.k[1]))).refuse_copies()


def test_q_inside_k(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.copy(tmp_path / "q.txt", tmp_path / "known" / "copy.txt")
    with pytest.raises(ProblemError, match=r"Q1 and K share text: 100 % of the words of questioned/Q1/q\.txt"):
        compare(case_of(tmp_path))


def test_q_inside_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with (tmp_path / "reference" / "author00" / "0.txt").open("a", encoding="utf-8") as lines:
        lines.write((tmp_path / "q.txt").read_text(encoding="utf-8"))
    with pytest.raises(ProblemError, match="Q1 and the reference share text"):
        compare(case_of(tmp_path))


def test_a_known_text_inside_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.copy(tmp_path / "known" / "1.txt", tmp_path / "reference" / "author00" / "9.txt")
    with pytest.raises(ProblemError, match="K and the reference share text"):
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
