"""Imitators: what each takes from K and where it goes, as an obvious way of counting has it; the ceiling on them."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import held_oracle
import idiograph
from generated import corpus
from idiograph import Corpus, Index, MaskedText, StudyError, read_study
from idiograph.evidence.steady import shipped_table
from idiograph.output.study_tables import attack_table, markdown
from idiograph.studies.attack import IMITATIONS, NOTHING, Imitated, imitation
from idiograph.studies.attacks import attacked_qs
from made_matrix import matrix_study
from made_study import plan_of

DRAWN = ("rare", "beyond the list", "quotes")  # by chance, at least in part
ATTACK = '[attack]\nimitate = ["20 once", "rare"]\ntargets = 1\n'


@cache
def planned(**changed):
    with TemporaryDirectory() as folder:
        study = read_study(matrix_study(Path(folder), extra=ATTACK, habit=0.8))
    study = replace(study, attack=replace(study.attack, **{"imitate": tuple(IMITATIONS), **changed}))
    return study, plan_of(study, corpus(authors=13, habit=0.8))


@cache
def first(kind):
    """The first Q that an imitator of this kind left, its own sentences, K's, those of others, and the cohort's Ks."""
    study, plan = planned()
    take, material = plan.material.index.take, plan.material
    attacked = next(attacked for attacked in attacked_qs(study, plan, 0) if attacked.kind == kind)
    a = attacked.ks[0]
    others = [
        sentence
        for author in material.texts_by
        if author != a
        for sentence in material.index.by(author).sentences
    ]  # fmt: skip
    cohort = [take(plan.sides[author].k).sentences for author in plan.folds[0].reference]
    q, k = take(plan.sides[attacked.author].q).sentences, take(plan.sides[a].k).sentences
    return attacked.sentences, q, k, others, cohort


@pytest.mark.parametrize("kind", [kind for kind in IMITATIONS if kind not in DRAWN])
def test_an_imitator_takes_what_the_definition_says(kind) -> None:
    attacked, q, k, others, cohort = first(kind)
    table = shipped_table()
    rows = [
        (" ".join(ngram), b, w)
        for ngram, b, w in zip(table.ngrams, table.between.tolist(), table.within.tolist(), strict=True)
    ]
    assert list(attacked) == held_oracle.imitated(kind, q, k, others, cohort, rows)
    assert attacked != q


def test_rare_phrases_are_ks_alone() -> None:
    attacked, q, k, others, _ = first("rare")
    able = held_oracle.rare(k, others)
    taken = inserted_into(attacked, q, 3)
    assert len(taken) == len(set(taken)) == min(20, len(able))
    assert set(taken) <= able


def test_beyond_the_list_is_filled_up_with_rare_ones() -> None:
    # 110 trigrams twice and, last by the alphabet, ten whose first two tokens are K's most typical bigram.
    twice = [tuple(f"{letter}{number:03}" for letter in "abc") for number in range(110)]
    listed = [("y", "z", f"z{number}") for number in range(10)]
    once = [tuple(f"{letter}{number:03}" for letter in "efg") for number in range(30)]
    k, others = [*twice, *twice, *listed, *listed, *once], [("u", "v", "w")] * 999
    texts = (MaskedText("k", "a", tuple(k), "by hand"), MaskedText("other", "b", tuple(others), "by hand"))
    sentences = np.arange(len(k))
    imitated = Imitated(Index(Corpus(texts)), sentences, sentences)
    q = [("q", "r", "s")] * 20
    attacked = imitation("beyond the list", q, imitated, cohort=[], rng=np.random.default_rng(1))
    later = held_oracle.beyond(k, others)
    assert sorted(later) == twice[100:]
    taken = inserted_into(attacked, q, 3)
    assert taken[:10] == later
    assert len(set(taken)) == len(taken) == 20
    assert set(taken[10:]) <= held_oracle.rare(k, others) == set(once)


def inserted_into(attacked, q, length):
    """The phrases of a length before the last tokens of sentences, in the order in which they were put in."""
    by_sentence = []
    for after, before in zip(attacked, q, strict=True):
        middle = after[len(before) - 1 : len(after) - 1] if before else after
        by_sentence.append([tuple(middle[first : first + length]) for first in range(0, len(middle), length)])
    turns = range(max(map(len, by_sentence)))
    return [phrases[turn] for turn in turns for phrases in by_sentence if turn < len(phrases)]


def test_quotations_are_whole_sentences_that_fit() -> None:
    attacked, q, k, _, _ = first("quotes")
    n_quotes = len(attacked) - len(q)
    assert 0 < n_quotes <= len(q)
    quotes = list(attacked[1 : 2 * n_quotes : 2])  # one after each of the first sentences of Q
    assert (*attacked[: 2 * n_quotes : 2], *attacked[2 * n_quotes :]) == tuple(q)
    assert all(quote in k and 4 <= len(quote) <= 25 for quote in quotes)
    n = sum(map(len, quotes))
    assert n <= 60
    left = list(k)
    for quote in quotes:
        left.remove(quote)
    assert not [sentence for sentence in left if 4 <= len(sentence) <= min(25, 60 - n)]


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    study, plan = planned(imitate=("rare",))
    once, again = (list(attacked_qs(study, plan, 0)) for _ in range(2))
    assert [q.sentences for q in once] == [q.sentences for q in again]
    other = replace(plan, seeds=replace(plan.seeds, texts=plan.seeds.texts + 1))
    assert [q.sentences for q in attacked_qs(study, other, 0)] != [q.sentences for q in once]


def test_targets_say_how_many_are_imitated() -> None:
    for targets in (1, 2):
        study, plan = planned(imitate=("10 once",), targets=targets)
        qs = list(attacked_qs(study, plan, 0))
        assert {len(q.ks) for q in qs if q.kind == NOTHING} == {targets}
        fold = plan.folds[0].left_out
        imitated = [q.ks[0] for q in qs if q.author == fold[0] and q.kind != NOTHING]
        assert imitated == list(fold[1 : 1 + targets])


def test_an_imitator_is_named_once(tmp_path: Path) -> None:
    text = ATTACK.replace('"rare"]', '"20 once"]')
    with pytest.raises(StudyError, match=r"imitate must be a list of any of 10 once.*twice"):
        read_study(matrix_study(tmp_path, extra=text))


@cache
def imitated_result():
    with TemporaryDirectory() as folder:
        use = ("normalised", "bare", "steady", "held", "hapax", "logistic")
        return idiograph.study(matrix_study(Path(folder), use=use, extra=ATTACK), workers=1)


def test_the_ceiling_is_the_least_of_three_and_lowers_nothing_below_one() -> None:
    trials = imitated_result().trials
    nats = {method: trials.llr(method) for method in ("normalised", "bare", "steady", "held")}
    judged = np.flatnonzero(np.isfinite(nats["held"]))
    three = zip(*(nats[method][judged].tolist() for method in ("normalised", "bare", "steady")), strict=True)
    expected = [held_oracle.held(*values) for values in three]
    assert nats["held"][judged] == pytest.approx(expected, abs=1e-12)
    lowered = nats["held"][judged] < nats["normalised"][judged]
    assert lowered.any()
    assert not lowered.all()
    assert (nats["held"][judged] == nats["normalised"][judged])[nats["normalised"][judged] <= 0].all()


def test_the_table_says_what_was_flagged() -> None:
    result = imitated_result()
    rows = {(row.kind, row.method): row for row in result.attacks}
    assert {kind for kind, _ in rows} == {NOTHING, "20 once", "rare"}
    assert rows["rare", "held"].n_flagged > rows[NOTHING, "held"].n_flagged
    assert rows["rare", "held"].above_10 <= rows["rare", "normalised"].above_10
    table = markdown(attack_table(result.attacks))
    assert "flagged" in table
    assert "20 once" in table
    assert all(low < high for low, high in pairwise(sorted({row.n_flagged for row in result.attacks})))
