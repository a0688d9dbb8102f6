"""Copies inside Q, inside K and inside one reference author are found, named, and kept out of the validation."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import idiograph
from audited import findings, text
from idiograph import MaskedText
from idiograph.casework.copies import Copy, Runs, copies_within, find_copies
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.validation import validate
from idiograph.casework.verify import make_ready
from idiograph.texts.text import Sentence
from made_texts import case_of, case_texts, masked, sentences, write_case
from made_topic_case import topic_case, write_topic_case

_RUN = "it was not for the first time that we would ask you about this and then hear what they say now"
RUN = tuple(_RUN.split())


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
    assert len(index.texts_by("author01")) == 4
    # The reference of a problem still holds them.
    numbers = index.reference().sentence_numbers
    held = {index.index.text_ids[text] for text in np.unique(index.index.sentence_text[numbers]).tolist()}
    assert index.kept_out <= held
    (comparison,) = idiograph.verify(case_of(tmp_path)).comparisons
    assert comparison.validation is not None
    assert [(author.author, author.reason) for author in comparison.validation.left_out] == [
        (
            "author02",
            "only one text (besides 2 that repeat another), and Q and K must come from different texts",
        )
    ]
    assert "repeated-reference" in {entry.code for entry in comparison.audit}


def test_a_known_text_given_twice_is_named_in_a_case(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.copy(tmp_path / "known" / "1.txt", tmp_path / "known" / "again.txt")
    (comparison,) = idiograph.verify(case_of(tmp_path), quick=True).comparisons
    entry = next(entry for entry in comparison.audit if entry.code == "repeated-k")
    assert entry.message == (
        "Texts of K repeat each other: known/lee/again.txt repeats known/lee/1.txt (100 % of its words)."
    )


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
    for n_shared, expected in ((3, ["a05 and a03 (3 sentences)"]), (2, [])):
        other.write_text("\n".join(long[:n_shared]), encoding="utf-8")
        (comparison,) = idiograph.verify(topic_case(folder), quick=True).comparisons
        messages = [row.message for row in comparison.audit if row.code == "one-person"]
        assert [sentence in messages[0] for sentence in expected] == [True] * len(messages)
    # Of masked texts nobody knows whether the words are the same.
    (comparison,) = idiograph.verify(case_of(write_case(tmp_path / "masked", n_authors=5)), quick=True).comparisons
    assert not [row for row in comparison.audit if row.code == "one-person"]
