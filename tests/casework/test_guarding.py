"""A case by the guarded method: against the oracle, and what it does to a Q that repeats phrases of K."""

from pathlib import Path

import numpy as np
import pytest

import guarded_oracle
import idiograph
import normalised_oracle as oracle
from idiograph import CalibrationError, Problem
from idiograph.casework.case_matrix import score_matrix
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.variants import case_matrices, guarded_case, surroundings
from idiograph.evidence.constants import constants_for
from indexed import index_of, with_the_case
from made_texts import case_of, write_case, write_text
from made_texts import sentences as made_sentences
from made_topic_case import write_topic_case

PHRASE = ("even", "so", "N", "would", "V")  # that K has twice, and the attacked Q after every third sentence
EARLIER = 1  # the rules of 0.3.0, by which a Q that repeats so much still had a value


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("plain"), by="mallory", n_authors=9, tokens=150)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_case(tmp_path_factory.mktemp("attacked"), by="mallory", n_authors=9, tokens=150)
    q = made_sentences("mallory", tokens=150, seed=9)
    write_text(
        folder / "q.txt",
        tuple((*sentence, *PHRASE) if number % 3 == 0 else sentence for number, sentence in enumerate(q)),
    )
    for number in (1, 2):
        k = made_sentences("lee", tokens=150, seed=number)
        write_text(folder / "known" / f"{number}.txt", (*k, PHRASE))
    return folder


def test_judged_trials_are_the_oracles(attacked: Path) -> None:
    case_index, texts = index_of(attacked, second_opinions=("guarded",))
    matrix = score_matrix(case_index, plan_validation(case_index, texts), name="x")
    normalised = matrix.guarded(name="x", controlled=False)
    assert set(normalised) == set(matrix.judged)
    take = case_index.index.take
    draw = matrix.draws[0]
    qs, ks = (
        [take(sample.q).sentences for sample in draw.samples],
        [take(sample.k).sentences for sample in draw.samples],
    )
    fold, group = matrix.folds[0], matrix.group_of[0]
    reference = [author for author in range(9) if author not in fold]
    scores = {cell: [by_group[group]] for cell, by_group in draw.scores.items()}
    matrices = guarded_oracle.matrices(scores, qs, ks, reference)
    for b, a in ((fold[0], fold[0]), (fold[0], fold[1])):
        expected = [oracle.s_norm(matrix, b, a, reference) for matrix in matrices]
        assert normalised[0, b, a].normed == pytest.approx(expected, rel=1e-9)


@pytest.fixture(scope="module")
def on_topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_topic_case(tmp_path_factory.mktemp("topics"), by=3, q_topics=(2,), n_authors=9)
    lines = (folder / "q.txt").read_text(encoding="utf-8").splitlines()
    # What nobody else has: a phrase of plain words in every sentence.
    (folder / "q.txt").write_text("\n".join(f"even so it was {line}" for line in lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize("controlled", [False, True])
def test_the_case_is_the_oracles(attacked: Path, on_topics: Path, controlled: bool) -> None:
    folder, settings = (on_topics, {"primary": "controlled", "masking": "list"}) if controlled else (attacked, {})
    case_index, texts = index_of(folder, second_opinions=("guarded",), repetitions=3, **settings)
    plan = plan_validation(case_index, texts)
    matrix = score_matrix(case_index, plan, name="x")
    around = surroundings(case_index, texts, plan, quick=False)
    assert around is not None
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference())
    (score,) = case_index.score_case(problem)
    llr = guarded_case(case_index, texts, score, around, matrix)
    assert llr.how == "guarded"
    n = 9
    constants = constants_for(n, k_tokens=sum(text.n_tokens for text in texts.k), controlled=controlled)
    with_case = case_matrices(case_index, texts, score, around, matrix)  # for c, which has a test of its own
    features, features_of_case = [], []
    for number, (draw, trace, source) in enumerate(zip(matrix.draws, around.trace, around.source, strict=True)):
        qs, ks = with_the_case(case_index, texts, draw)
        # The case is the last row and column.
        scores = {**draw.scores, (n, n): [score]}
        for author in range(n):
            scores[n, author], scores[author, n] = [trace[author]], [source[author]]
        matrices = guarded_oracle.matrices(scores, qs, ks, range(n))
        close = with_case[number].closeness

        def freed(b: int, a: int, matrices: object = matrices, close: object = close) -> list[float]:
            normed = [oracle.s_norm(matrix, b, a, range(n)) for matrix in matrices]
            if not controlled:
                return normed
            g = oracle.topic(close, b, a, range(n))
            return [s - slope * g for s, slope in zip(normed, constants.slopes, strict=True)]

        features_of_case.append(freed(n, n))
        features += [(b == a, freed(b, a)) for b in range(n) for a in range(n)]
    same, different = (
        [trial_features for is_same, trial_features in features if is_same is kind] for kind in (True, False)
    )
    towards = [constants.weights.alpha, *constants.weights.betas]
    fitted = oracle.fit(same, different, towards, (1.25 if controlled else 0.5) / n)
    normed = np.mean(features_of_case, axis=0)
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
    for comparison in (before, after):
        assert comparison.validation is not None
        assert comparison.validation.trials is not None
        assert len(comparison.validation.trials.nats["guarded"]) == len(comparison.validation.trials.nats["normalised"])
        assert comparison.validation.performance["guarded"].cllr.value is not None
        assert comparison.reported is None or comparison.reported.how != "guarded"


def test_nothing_else_changes_and_it_is_not_computed_unasked(plain: Path) -> None:
    asked = idiograph.verify(case_of(plain, second_opinions=("guarded",))).comparisons[0]
    unasked = idiograph.verify(case_of(plain)).comparisons[0]
    assert "guarded" not in unasked.llrs
    assert {key: llr for key, llr in asked.llrs.items() if key != "guarded"} == unasked.llrs
    assert asked.reported == unasked.reported


def test_too_few_authors_are_said(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=7, tokens=120)
    comparison = idiograph.verify(case_of(folder, second_opinions=("guarded",))).comparisons[0]
    assert "guarded" not in comparison.llrs
    assert comparison.validation is not None
    assert any(
        sentence.startswith("Guarded was not computed. 7 reference authors have")
        for sentence in comparison.validation.missing
    )
    with pytest.raises(CalibrationError):
        case_index, texts = index_of(folder, second_opinions=("guarded",))
        matrix = score_matrix(case_index, plan_validation(case_index, texts), name="x")
        matrix.guarded(name="x", controlled=False)
