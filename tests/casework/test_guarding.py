"""A case by the guarded method: against the oracle, and what it does to a Q that repeats phrases of K."""

from pathlib import Path

import numpy as np
import pytest

import guarded_oracle
import idiograph
import normalised_oracle as oracle
from idiograph import CalibrationError
from idiograph.casework.matrix import score_matrix
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.variants import guarded_case, surroundings
from idiograph.evidence.constants import constants_for
from idiograph.texts.problem import Problem
from indexed import index_of
from made_texts import case_of, write_case, write_text
from made_texts import sentences as made_sentences

PHRASE = ("even", "so", "N", "would", "V")  # that K has twice, and the attacked Q after every third sentence
EARLIER = 1  # the rules of 0.3.0, by which a Q that repeats so much still had a value


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("plain"), by="mallory", n_authors=9, tokens=150)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_case(tmp_path_factory.mktemp("attacked"), by="mallory", n_authors=9, tokens=150)
    q = made_sentences("mallory", tokens=150, seed=9)
    write_text(folder / "q.txt", tuple((*one, *PHRASE) if place % 3 == 0 else one for place, one in enumerate(q)))
    for number in (1, 2):
        k = made_sentences("lee", tokens=150, seed=number)
        write_text(folder / "known" / f"{number}.txt", (*k, PHRASE))
    return folder


def test_judged_trials_are_the_oracles(attacked: Path) -> None:
    case_index, texts = index_of(attacked, second_opinions=("guarded",))
    matrix = score_matrix(case_index, plan_validation(case_index, texts), name="x")
    found = matrix.guarded(name="x")
    assert set(found) == set(matrix.judged)
    take = case_index.index.take
    draw = matrix.draws[0]
    qs, ks = [take(one.q).sentences for one in draw.samples], [take(one.k).sentences for one in draw.samples]
    fold, group = matrix.folds[0], matrix.group_of[0]
    reference = [author for author in range(9) if author not in fold]
    scores = {cell: [by_group[group]] for cell, by_group in draw.scores.items()}
    matrices = guarded_oracle.matrices(scores, qs, ks, reference)
    for b, a in ((fold[0], fold[0]), (fold[0], fold[1])):
        expected = [oracle.s_norm(one, b, a, reference) for one in matrices]
        assert found[0, b, a].normed == pytest.approx(expected, rel=1e-9)


def test_the_case_is_the_oracles(attacked: Path) -> None:
    case_index, texts = index_of(attacked, second_opinions=("guarded",))
    plan = plan_validation(case_index, texts)
    matrix = score_matrix(case_index, plan, name="x")
    around = surroundings(case_index, texts, plan, quick=False)
    assert around is not None
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference())
    (score,) = case_index.score_case(problem)
    llr = guarded_case(case_index, texts, score, around, matrix)
    assert llr.how == "guarded"
    take, n = case_index.index.take, 9
    weights = constants_for(n, k_tokens=sum(text.n_tokens for text in texts.k)).weights
    features, own = [], []
    for draw, trace, source in zip(matrix.draws, around.trace, around.source, strict=True):
        qs = [*(take(one.q).sentences for one in draw.samples), case_index.part(texts.q).sentences]
        ks = [*(take(one.k).sentences for one in draw.samples), case_index.part(texts.k).sentences]
        # The case is the last row and column.
        scores = {**draw.scores, (n, n): [score]}
        for author in range(n):
            scores[n, author], scores[author, n] = [trace[author]], [source[author]]
        matrices = guarded_oracle.matrices(scores, qs, ks, range(n))
        own.append([oracle.s_norm(one, n, n, range(n)) for one in matrices])
        features += [
            (b == a, [oracle.s_norm(one, b, a, range(n)) for one in matrices]) for b in range(n) for a in range(n)
        ]
    same, different = ([one for is_same, one in features if is_same is kind] for kind in (True, False))
    fitted = oracle.fit(same, different, [weights.alpha, *weights.betas], 0.5 / n)
    normed = np.mean(own, axis=0)
    assert llr.nats == pytest.approx(fitted[0] + fitted[1] * normed[0] + fitted[2] * normed[1], abs=1e-4)


def test_a_phrase_that_is_put_in_moves_normalised_but_not_guarded(plain: Path, attacked: Path) -> None:
    before, after = (
        idiograph.verify(
            case_of(folder, primary="normalised", second_opinions=("guarded",)), rules=EARLIER
        ).comparisons[0]
        for folder in (plain, attacked)
    )
    moved = {key: after.llrs[key].nats - before.llrs[key].nats for key in ("normalised", "guarded", "hapax")}
    assert moved["normalised"] > 0.3
    assert abs(moved["guarded"]) < moved["normalised"] / 2
    for one in (before, after):
        assert one.validation is not None
        assert one.validation.trials is not None
        assert len(one.validation.trials.nats["guarded"]) == len(one.validation.trials.nats["normalised"])
        assert one.validation.performance["guarded"].cllr.value is not None
        assert one.reported is None or one.reported.how != "guarded"


def test_nothing_else_changes_and_it_is_not_computed_unasked(plain: Path) -> None:
    asked = idiograph.verify(case_of(plain, second_opinions=("guarded",))).comparisons[0]
    unasked = idiograph.verify(case_of(plain)).comparisons[0]
    assert "guarded" not in unasked.llrs
    assert {key: llr for key, llr in asked.llrs.items() if key != "guarded"} == unasked.llrs
    assert asked.reported == unasked.reported


def test_too_few_authors_are_said(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=7, tokens=120)
    one = idiograph.verify(case_of(folder, second_opinions=("guarded",))).comparisons[0]
    assert "guarded" not in one.llrs
    assert one.validation is not None
    assert any(said.startswith("Guarded was not computed. 7 reference authors have") for said in one.validation.missing)
    with pytest.raises(CalibrationError):
        case_index, texts = index_of(folder, second_opinions=("guarded",))
        matrix = score_matrix(case_index, plan_validation(case_index, texts), name="x")
        matrix.guarded(name="x")
