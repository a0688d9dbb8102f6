"""Second opinions on a case: calibrated on the validation problems by other authors, or guarded, against the oracle."""

from pathlib import Path

import numpy as np
import pytest

import guarded_oracle
import normalised_oracle as oracle
from idiograph import CalibrationError, Calibrator
from idiograph.casework import validation
from idiograph.casework.case_matrix import score_matrix
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.validation import opinions
from idiograph.casework.variants import case_matrices, guarded_case
from idiograph.evidence.comparators import ppm
from idiograph.evidence.constants import constants_for
from indexed import ScoredCase, index_of, scored_case, scores_with_the_case, with_the_case
from made_texts import Comparison, compare_fully, sentences, write_case, write_text
from made_topic_case import write_topic_case

PHRASE = ("even", "so", "N", "would", "V")  # that K has twice, and the attacked Q after every third sentence
EARLIER = 1  # the rules of 0.3.0, by which a Q that repeats so much still had a value


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("plain"), by="mallory", n_authors=9, tokens=150)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_case(tmp_path_factory.mktemp("attacked"), by="mallory", n_authors=9, tokens=150)
    q = sentences("mallory", tokens=150, seed=9)
    write_text(
        folder / "q.txt",
        tuple((*sentence, *PHRASE) if number % 3 == 0 else sentence for number, sentence in enumerate(q)),
    )
    for number in (1, 2):
        k = sentences("lee", tokens=150, seed=number)
        write_text(folder / "known" / f"{number}.txt", (*k, PHRASE))
    return folder


@pytest.fixture(scope="module")
def on_topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_topic_case(tmp_path_factory.mktemp("topics"), by=3, q_topics=(2,), n_authors=9)
    lines = (folder / "q.txt").read_text(encoding="utf-8").splitlines()
    # What nobody else has: a phrase of plain words in every sentence.
    (folder / "q.txt").write_text("\n".join(f"even so it was {line}" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def asked(plain: Path) -> Comparison:
    return compare_fully(plain, second_opinions=("ppm", "guarded"))


@pytest.fixture(scope="module")
def scored(attacked: Path) -> ScoredCase:
    return scored_case(attacked, second_opinions=("guarded",), repetitions=3)


def test_no_other_method_changes_and_none_is_computed_unasked(plain: Path, asked: Comparison) -> None:
    unasked = compare_fully(plain)
    assert set(asked.llrs) - set(unasked.llrs) == {"ppm", "guarded"}
    assert set(asked.validation.performance) - set(unasked.validation.performance) == {"ppm", "guarded"}
    assert {method: asked.llrs[method] for method in unasked.llrs} == unasked.llrs
    assert asked.reported == unasked.reported


def text(part) -> str:  # type: ignore[no-untyped-def]
    return "\n".join(" ".join(sentence) for sentence in part.sentences)


def test_an_opinion_is_the_score_of_the_case_calibrated_on_the_validation_problems(
    plain: Path, asked: Comparison
) -> None:
    case_index, texts = index_of(plain)
    assert asked.validation is not None
    trials = asked.validation.trials
    assert trials is not None
    scores = trials.scores["ppm"]
    fit = Calibrator.fit(same=scores[trials.same_author], different=scores[~trials.same_author])
    expected = ppm(text(case_index.part(texts.q)), [text(case_index.part(texts.k))])
    assert asked.llrs["ppm"].nats == pytest.approx(fit.intercept + fit.slope * expected, rel=1e-6)
    assert (asked.llrs["ppm"].how, asked.primary) == ("ppm", "hapax")
    assert "ppm" in asked.validation.performance
    involved = {trials.q_authors[0], trials.k_authors[0]}
    kept = np.array([not involved & {q, k} for q, k in zip(trials.q_authors, trials.k_authors, strict=True)])
    alone = Calibrator.fit(same=scores[kept & trials.same_author], different=scores[kept & ~trials.same_author])
    assert trials.nats["ppm"][0] == pytest.approx(alone.intercept + alone.slope * scores[0], rel=1e-6)


def test_a_comparator_that_cannot_read_the_texts_says_so(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case_index, texts = index_of(plain, second_opinions=("delta", "ppm"))
    matrix = score_matrix(case_index, plan_validation(case_index, texts), name="x")
    monkeypatch.setattr(validation, "as_text", lambda sentences: "\n".join("12 " * len(words) for words in sentences))
    scores, notes = opinions(case_index, matrix, matrix.judged[:3], name="x")
    assert set(scores) == {"ppm"}
    assert notes["delta"].startswith("Cosine Delta could not be computed. Text 1 of")


def test_judged_trials_are_the_oracles(scored: ScoredCase) -> None:
    matrix, take = scored.matrix, scored.case_index.index.take
    normalised = matrix.guarded(name="x", controlled=False)
    assert set(normalised) == set(matrix.judged)
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


@pytest.mark.parametrize("controlled", [False, True])
def test_the_case_is_the_oracles(scored: ScoredCase, on_topics: Path, controlled: bool) -> None:
    settings = {"primary": "controlled", "masking": "list", "second_opinions": ("guarded",), "repetitions": 3}
    case = scored_case(on_topics, **settings) if controlled else scored
    case_index, texts, _, matrix, score, around = case
    llr = guarded_case(case_index, texts, score, around, matrix)
    assert llr.how == "guarded"
    n = 9
    constants = constants_for(n, k_tokens=sum(text.n_tokens for text in texts.k), controlled=controlled)
    with_case = case_matrices(case_index, texts, score, around, matrix)  # for c, which has a test of its own
    features, features_of_case = [], []
    for number, draw in enumerate(matrix.draws):
        qs, ks = with_the_case(case_index, texts, draw)
        matrices = guarded_oracle.matrices(scores_with_the_case(case, matrix, number), qs, ks, range(n))
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
        compare_fully(folder, rules=EARLIER, primary="normalised", second_opinions=("guarded",))
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


def test_too_few_authors_are_said(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=7, tokens=120)
    comparison = compare_fully(folder, second_opinions=("guarded",))
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
