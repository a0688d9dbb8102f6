"""Imitators: what each takes from K and where it goes, as an obvious way of counting has it; the ceiling on them."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import held_oracle
from generated import corpus
from idiograph.errors import StudyError
from idiograph.evidence.steady import shipped_table
from idiograph.grammar.index import Index
from idiograph.output.study_tables import attack_table, markdown
from idiograph.studies.attack import IMITATIONS, NOTHING
from idiograph.studies.attacks import attacked_qs
from idiograph.studies.chunks import make_plan
from idiograph.studies.material import Material
from idiograph.studies.settings import read_study
from idiograph.studies.study import StudyResult, run_study
from made_matrix import matrix_study

DRAWN = ("rare", "beyond the list", "quotes")  # by chance, at least in part
ATTACK = '[attack]\nimitate = ["20 once", "rare"]\ntargets = 1\n'


@cache
def planned(**changed):
    with TemporaryDirectory() as folder:
        study = read_study(matrix_study(Path(folder), extra=ATTACK, habit=0.8))
    study = replace(study, attack=replace(study.attack, **{"imitate": tuple(IMITATIONS), **changed}))
    made = corpus(authors=13, habit=0.8)
    return study, make_plan(study, "toy", Material.of(Index(made), made), 0, 0)


@cache
def first(kind):
    """The first Q that an imitator of this kind left, its own sentences, K's, those of others, and the cohort's Ks."""
    study, plan = planned()
    take, material = plan.material.index.take, plan.material
    found = next(one for one in attacked_qs(study, plan, 0) if one.kind == kind)
    a = found.ks[0]
    others = [
        sentence
        for author in material.texts_by
        if author != a
        for sentence in material.index.by(author).sentences
    ]  # fmt: skip
    cohort = [take(plan.sides[author].k).sentences for author in plan.folds[0].reference]
    return found.sentences, take(plan.sides[found.author].q).sentences, take(plan.sides[a].k).sentences, others, cohort


@pytest.mark.parametrize("kind", [kind for kind in IMITATIONS if kind not in DRAWN])
def test_an_imitator_takes_what_the_definition_says(kind) -> None:
    made, q, k, others, cohort = first(kind)
    table = shipped_table()
    rows = [
        (" ".join(ngram), b, w)
        for ngram, b, w in zip(table.ngrams, table.between.tolist(), table.within.tolist(), strict=True)
    ]
    assert list(made) == held_oracle.imitated(kind, q, k, others, cohort, rows)
    assert made != q


def test_rare_phrases_are_ks_alone() -> None:
    made, q, k, others, _ = first("rare")
    able = held_oracle.rare(k, others)
    taken = inserted_into(made, q, 3)
    assert len(taken) == len(set(taken)) == min(20, len(able))
    assert set(taken) <= able


def test_beyond_the_list_is_filled_up_with_rare_ones() -> None:
    made, q, k, others, _ = first("beyond the list")
    later = held_oracle.beyond(k, others)[:20]
    taken = inserted_into(made, q, 3)
    assert taken[: len(later)] == later
    assert set(taken[len(later) :]) <= held_oracle.rare(k, others)
    assert len(taken) == 20


def inserted_into(made, q, length):
    """The phrases of a length before the last tokens of sentences, in the order in which they were put in."""
    rounds = []
    for own, before in zip(made, q, strict=True):
        middle = own[len(before) - 1 : len(own) - 1] if before else own
        rounds.append([tuple(middle[at : at + length]) for at in range(0, len(middle), length)])
    return [own[turn] for turn in range(max(map(len, rounds))) for own in rounds if turn < len(own)]


def test_quotations_are_whole_sentences_that_fit() -> None:
    made, q, k, _, _ = first("quotes")
    quotes = [sentence for at, sentence in enumerate(made) if at % 2 and at < 2 * len(q)] or []
    quotes = list(made[1 : 2 * (len(made) - len(q)) : 2]) if len(made) - len(q) <= len(q) else quotes
    assert [sentence for sentence in made if sentence not in quotes] == [s for s in q if s not in quotes]
    assert quotes
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
    assert [one.sentences for one in once] == [one.sentences for one in again]
    other = replace(plan, seeds=replace(plan.seeds, texts=plan.seeds.texts + 1))
    assert [one.sentences for one in attacked_qs(study, other, 0)] != [one.sentences for one in once]


def test_targets_say_how_many_are_imitated() -> None:
    for targets in (1, 2):
        study, plan = planned(imitate=("10 once",), targets=targets)
        found = list(attacked_qs(study, plan, 0))
        assert {len(one.ks) for one in found if one.kind == NOTHING} == {targets}
        fold = plan.folds[0].left_out
        first = [one.ks[0] for one in found if one.author == fold[0] and one.kind != NOTHING]
        assert first == list(fold[1 : 1 + targets])


def test_an_imitator_is_named_once(tmp_path: Path) -> None:
    text = ATTACK.replace('"rare"]', '"20 once"]')
    with pytest.raises(StudyError, match=r"imitate must be a list of any of 10 once.*twice"):
        read_study(matrix_study(tmp_path, extra=text))


@cache
def imitated_result() -> StudyResult:
    with TemporaryDirectory() as folder:
        use = ("normalised", "bare", "steady", "held", "hapax", "logistic")
        return run_study(matrix_study(Path(folder), use=use, extra=ATTACK), workers=1)


def test_the_ceiling_is_the_least_of_three_and_lowers_nothing_below_one() -> None:
    trials = imitated_result().trials
    nats = {method: trials.llr(method) for method in ("normalised", "bare", "steady", "held")}
    judged = np.flatnonzero(np.isfinite(nats["held"]))
    expected = [held_oracle.held(*(float(nats[m][at]) for m in ("normalised", "bare", "steady"))) for at in judged]
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
    said = markdown(attack_table(result.attacks))
    assert "flagged" in said
    assert "20 once" in said
    assert all(low < high for low, high in pairwise(sorted({row.n_flagged for row in result.attacks})))
