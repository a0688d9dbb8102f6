"""What idiolect prints for fixed vectors: metrics, logistic fits as R's glm stops, leave-one-out LLRs, posteriors."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from idiograph import LLR, Calibrator, auc, cllr, cllr_min, decisions, eer, posterior
from idiograph.evidence.calibration import leave_authors_out, r_glm
from idiograph.evidence.methods import METHODS, calibrated
from idiograph.evidence.trials import ScoredTrials
from made_trials import scored

FloatArray = npt.NDArray[np.float64]
LN10 = math.log(10)
VECTORS = ["balanced20", "unbalanced", "ties", "perfect", "anti", "doc4", "res96"]
PAIRS = [
    ("balanced20", "unbalanced"),
    ("unbalanced", "balanced20"),
    ("balanced20", "ties"),
    ("ties", "perfect"),
    ("perfect", "balanced20"),
]


@pytest.fixture(scope="module")
def golden(shared: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared / "golden" / "metrics.json").read_text(encoding="utf-8"))
    assert list(loaded["vectors"]) == VECTORS
    return loaded


def split(values: list[float], target: list[bool]) -> dict[str, FloatArray]:
    scores, same = np.array(values, float), np.array(target)
    return {"same": scores[same], "different": scores[~same]}


def enron(shared: Path) -> ScoredTrials:
    """The 96 Enron problems: the numbers that methods read."""
    printed: dict[str, Any] = json.loads((shared / "golden" / "enron96_punct.json").read_text(encoding="utf-8"))
    return ScoredTrials(
        lambda_g=np.array(printed["lambda_idiolect"]),
        n_tokens=np.array(printed["NQ"]),
        n_hapaxes=np.array(printed["V1"]),
        sentence_norms=np.ones(96),
        k_authors=np.array(printed["K"], object),
        q_authors=np.array(printed["Qauthor"], object),
        same_author=np.array(printed["target"]),
    )


def as_r(scores: FloatArray, answers: FloatArray, weights: FloatArray) -> tuple[float, float, int]:
    """R's glm with R's arithmetic: 1 − μ is subtracted, which leaves few digits where the classes are separated."""
    epsilon = np.finfo(float).eps
    x = np.stack([np.ones_like(scores), scores], axis=1)
    mu = (weights * answers + 0.5) / (weights + 1.0)
    eta = np.log(mu / (1.0 - mu))
    deviance, iterations = np.inf, 0
    b = np.zeros(2)
    for _ in range(25):
        iterations += 1
        odds = np.exp(np.clip(eta, -30, 30))
        slope = np.where(np.abs(eta) > 30, epsilon, odds / (1.0 + odds) ** 2)
        root = np.sqrt(weights * slope**2 / (mu * (1.0 - mu)))
        b = np.linalg.lstsq(x * root[:, None], (eta + (answers - mu) / slope) * root, rcond=None)[0]
        eta = x @ b
        odds = np.where(eta > 30, 1 / epsilon, np.where(eta < -30, epsilon, np.exp(np.clip(eta, -30, 30))))
        mu = odds / (1.0 + odds)
        before, deviance = deviance, -2.0 * float(weights @ np.log(np.where(answers == 1, mu, 1.0 - mu)))
        if abs(deviance - before) / (abs(deviance) + 0.1) < 1e-8:
            break
    return float(b[0]), float(b[1]), iterations


def noise(compute: Callable[[], Any]) -> FloatArray:
    """How far R's arithmetic is from ours when both fit the same scores, changed at random by a millionth.

    A golden number of a separated fit carries no more digits than that.
    """
    computed = []
    for fit in (r_glm, as_r):
        rng = np.random.default_rng(0)

        def shaken(
            scores: FloatArray, answers: FloatArray, weights: FloatArray, fit: Any = fit, rng: Any = rng
        ) -> tuple[float, float, int]:
            fitted: tuple[float, float, int] = fit(
                scores * (1 + 1e-6 * rng.uniform(-1, 1, scores.size)), answers, weights
            )
            return fitted

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("idiograph.evidence.calibration.r_glm", shaken)
            computed.append([compute() for _ in range(12)])
    return np.abs(np.subtract(*computed)).max(axis=0)


def agrees(ours: Any, golden: Any, spread: FloatArray, *, rel: float) -> bool:
    """Whether the golden number is ours, but for `rel` and three times its own noise."""
    return bool(np.all(np.abs(np.subtract(ours, golden)) <= rel * np.abs(golden) + 3 * spread))


def check_performance(llrs: dict[str, FloatArray], printed: dict[str, float], *, noisy: bool = False) -> None:
    """Every figure of idiolect's performance table; its Cllr_min and EER add Laplace's points."""
    decided = decisions(**llrs)
    assert cllr(**llrs) == pytest.approx(printed["Cllr"], rel=1e-8 if noisy else 1e-9)
    assert cllr_min(**llrs, laplace=True) == pytest.approx(printed["Cllr_min"], rel=1e-9)
    assert 100 * eer(**llrs, laplace=True) == pytest.approx(printed["EER"], rel=1e-9)
    assert decided.mean_same_log10 == pytest.approx(printed["Mean TRUE LLR10"], rel=1e-8 if noisy else 1e-9)
    assert decided.mean_different_log10 == pytest.approx(printed["Mean FALSE LLR10"], rel=1e-8 if noisy else 1e-9)
    assert auc(**llrs) == pytest.approx(printed["AUC"], rel=1e-12)
    assert decided.balanced_accuracy == pytest.approx(printed["Balanced Accuracy"])
    assert decided.precision == pytest.approx(printed["Precision"])
    assert decided.recall == pytest.approx(printed["Recall"])
    assert decided.f1 == pytest.approx(printed["F1"])
    counts = (decided.true_positives, decided.false_negatives, decided.false_positives, decided.true_negatives)
    assert counts == (printed["TP"], printed["FN"], printed["FP"], printed["TN"])


@pytest.mark.parametrize("name", VECTORS)
def test_metrics_of_raw_scores(golden: dict[str, Any], name: str) -> None:
    vector = golden["vectors"][name]
    scores, printed = split(vector["score"], vector["target"]), vector["raw_scores_as_natural_log_llr"]
    assert cllr(**scores) == pytest.approx(printed["Cllr"], rel=1e-12)
    assert cllr_min(**scores, laplace=True) == pytest.approx(printed["Cllr.min"], rel=1e-12)
    assert 100 * eer(**scores, laplace=True) == pytest.approx(printed["eer"], rel=1e-12)


@pytest.mark.parametrize("name", VECTORS)
def test_logistic_fits_stop_where_glm_stops(golden: dict[str, Any], name: str) -> None:
    vector = golden["vectors"][name]

    def fitted() -> list[float]:
        fit = Calibrator.fit(**split(vector["score"], vector["target"]), mode="glm")
        return [fit.intercept, fit.slope, *(fit.nats(vector["calibrate_q"]) / LN10)]

    golden_fit = vector["logreg_full"]
    printed = [golden_fit["intercept"], golden_fit["slope"], *vector["calibrate_LLR_unrounded"]]
    spread = noise(fitted)
    assert agrees(fitted(), printed, spread, rel=1e-12)
    separated = name in ("perfect", "doc4")
    assert (float(spread.max()) > 1e-10) == separated  # only separated fits need the allowance


def test_a_separated_fit_has_the_digits_of_arithmetic_with_sixty_of_them(golden: dict[str, Any]) -> None:
    # The intercept of the same iterations in decimal arithmetic; R's own is −4.2153075545…
    vector = golden["vectors"]["perfect"]
    fit = Calibrator.fit(**split(vector["score"], vector["target"]), mode="glm")
    assert fit.intercept == pytest.approx(-4.215307537802441, rel=1e-14)


@pytest.mark.parametrize("name", VECTORS)
def test_leaving_one_out(golden: dict[str, Any], name: str) -> None:
    vector = golden["vectors"][name]
    expected = split(vector["loo_llr_ln"], vector["target"])
    trials = scored(**split(vector["score"], vector["target"]))

    def left() -> FloatArray:
        nats = leave_authors_out(trials, partial(calibrated, mode="glm")).nats
        return np.concatenate([nats[trials.same_author], nats[~trials.same_author]])

    assert agrees(left(), [*expected["same"], *expected["different"]], noise(left), rel=1e-11)
    check_performance(expected, vector["performance_loo_case"])


@pytest.mark.parametrize("name", VECTORS)
def test_leaving_the_author_of_k_out(golden: dict[str, Any], name: str) -> None:
    vector, printed = golden["vectors"][name], golden["vectors"][name]["loo_author"]
    same = np.array(vector["target"])
    authors = np.array(vector["K"])
    trials = scored(
        **split(vector["score"], vector["target"]),
        same_authors=authors[same].tolist(),
        different_authors=[(author, author) for author in authors[~same].tolist()],
    )
    expected = split(printed["llr_ln"], printed["target"])

    def left() -> FloatArray:
        # The reference reorders the trials by author, so they are compared in order of size.
        nats = leave_authors_out(trials, partial(calibrated, mode="glm")).nats
        return np.concatenate([np.sort(nats[trials.same_author]), np.sort(nats[~trials.same_author])])

    assert agrees(left(), [*np.sort(expected["same"]), *np.sort(expected["different"])], noise(left), rel=1e-11)
    check_performance(expected, vector["performance_loo_author"])


@pytest.mark.parametrize(("train", "test"), PAIRS)
def test_training_on_one_vector_and_testing_on_another(golden: dict[str, Any], train: str, test: str) -> None:
    printed = {(entry["train"], entry["test"]): entry["performance"] for entry in golden["train_test"]}
    assert set(printed) == set(PAIRS)
    learnt, tried = golden["vectors"][train], golden["vectors"][test]
    fit = Calibrator.fit(**split(learnt["score"], learnt["target"]), mode="glm")
    scores = split(tried["score"], tried["target"])
    llrs = {"same": fit.nats(scores["same"]), "different": fit.nats(scores["different"])}
    check_performance(llrs, printed[train, test], noisy=train == "perfect")


@pytest.mark.parametrize("name", VECTORS)
def test_verbal_labels(golden: dict[str, Any], name: str) -> None:
    table = golden["vectors"][name]["calibrate_LLR"]
    labels = [LLR.of(bans, "bans", how="logistic").verbal("marquis") for bans in table["LLR"]]
    assert labels == [label[0].lower() + label[1:] for label in table["Verbal label"]]


def test_posteriors(golden: dict[str, Any]) -> None:
    for table in golden["posterior"]:
        llr = LLR.of(table["LLR_in"], "bans", how="logistic")
        for prior, odds, probability in zip(
            table["prosecution_prior_probs"], table["post_odds"], table["prosecution_post_probs"], strict=True
        ):
            result = posterior(llr, prior)
            assert 10**result.posterior_log10_odds == pytest.approx(odds, rel=1e-9)
            assert result.probability == pytest.approx(probability, rel=1e-9)


def test_the_96_enron_problems(shared: Path) -> None:
    scores = enron(shared)
    same = scores.same_author
    expected = {"bits": (0.501, 0.433), "nats": (0.442, 0.441)}
    for unit, figures in expected.items():
        for method, figure in zip(("square_root", "hapax"), figures, strict=True):
            nats = METHODS[method].nats(scores, unit=unit)
            assert cllr(same=nats[same], different=nats[~same]) == pytest.approx(figure, abs=5e-4)
    assert auc(same=scores.lambda_g[same], different=scores.lambda_g[~same]) == pytest.approx(0.942, abs=5e-4)


def test_the_96_enron_problems_calibrated_without_their_authors(shared: Path) -> None:
    scores = enron(shared)
    learn = METHODS["logistic"].learn
    assert learn is not None
    # The reference leaves out the author of K; Idiograph those of K and of Q.
    for q_authors, figure in ((scores.k_authors, 0.455), (scores.q_authors, 0.454)):
        left = leave_authors_out(replace(scores, q_authors=q_authors), learn)
        assert left.n_perfect + left.n_near == 0
        llrs = scores.trials(left.nats)
        assert cllr(same=llrs.same, different=llrs.different) == pytest.approx(figure, abs=5e-4)
