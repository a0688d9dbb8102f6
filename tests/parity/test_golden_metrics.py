"""What idiolect prints for fixed vectors: metrics, logistic fits as R's glm stops, leave-one-out LLRs, posteriors."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from idiograph import LLR, Calibrator, auc, cllr, cllr_min, decisions, eer, posterior
from idiograph.evidence.left_out import leave_authors_out
from idiograph.evidence.methods import METHODS, calibrated_as_glm
from idiograph.evidence.scores import ScoredTrials
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


def enron(shared: Path) -> tuple[dict[str, Any], ScoredTrials]:
    """The 96 Enron problems: what is printed, and the numbers that methods read."""
    printed: dict[str, Any] = json.loads((shared / "golden" / "enron96_punct.json").read_text(encoding="utf-8"))
    scores = ScoredTrials(
        lambda_g=np.array(printed["lambda_idiolect"]),
        n_tokens=np.array(printed["NQ"]),
        n_hapaxes=np.array(printed["V1"]),
        sentence_norms=np.ones(96),
        k_authors=np.array(printed["K"], object),
        q_authors=np.array(printed["Qauthor"], object),
        same_author=np.array(printed["target"]),
    )
    return printed, scores


def check_performance(llrs: dict[str, FloatArray], printed: dict[str, float]) -> None:
    """Every figure of idiolect's performance table; its Cllr_min and EER add Laplace's points."""
    made = decisions(**llrs)
    assert cllr(**llrs) == pytest.approx(printed["Cllr"], rel=1e-9)
    assert cllr_min(**llrs, laplace=True) == pytest.approx(printed["Cllr_min"], rel=1e-9)
    assert 100 * eer(**llrs, laplace=True) == pytest.approx(printed["EER"], rel=1e-9)
    assert made.mean_same_log10 == pytest.approx(printed["Mean TRUE LLR10"], rel=1e-9)
    assert made.mean_different_log10 == pytest.approx(printed["Mean FALSE LLR10"], rel=1e-9)
    assert auc(**llrs) == pytest.approx(printed["AUC"], rel=1e-12)
    assert made.balanced_accuracy == pytest.approx(printed["Balanced Accuracy"])
    assert made.precision == pytest.approx(printed["Precision"])
    assert made.recall == pytest.approx(printed["Recall"])
    assert made.f1 == pytest.approx(printed["F1"])
    counts = (made.true_positives, made.false_negatives, made.false_positives, made.true_negatives)
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
    fit = Calibrator.fit(**split(vector["score"], vector["target"]), mode="glm")
    # A separated fit ends on numbers that cancel: fewer digits can agree.
    rel = 1e-9 if fit.separation.kind == "perfect" else 1e-12
    assert fit.intercept == pytest.approx(vector["logreg_full"]["intercept"], rel=rel)
    assert fit.slope == pytest.approx(vector["logreg_full"]["slope"], rel=rel)
    bans = fit.nats(np.array(vector["calibrate_q"])) / LN10
    assert bans == pytest.approx(vector["calibrate_LLR_unrounded"], rel=1e-9)


@pytest.mark.parametrize("name", VECTORS)
def test_leaving_one_out(golden: dict[str, Any], name: str) -> None:
    vector = golden["vectors"][name]
    expected = split(vector["loo_llr_ln"], vector["target"])
    trials = scored(**split(vector["score"], vector["target"]))
    left = leave_authors_out(trials, calibrated_as_glm)
    assert left.nats[trials.same_author] == pytest.approx(expected["same"], rel=1e-8, abs=1e-8)
    assert left.nats[~trials.same_author] == pytest.approx(expected["different"], rel=1e-8, abs=1e-8)
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
    left = leave_authors_out(trials, calibrated_as_glm).nats
    expected = split(printed["llr_ln"], printed["target"])
    # The reference reorders the trials by author, so they are compared in order of size.
    assert np.sort(left[trials.same_author]) == pytest.approx(np.sort(expected["same"]), rel=1e-8, abs=1e-8)
    assert np.sort(left[~trials.same_author]) == pytest.approx(np.sort(expected["different"]), rel=1e-8, abs=1e-8)
    check_performance(expected, vector["performance_loo_author"])


@pytest.mark.parametrize(("train", "test"), PAIRS)
def test_training_on_one_vector_and_testing_on_another(golden: dict[str, Any], train: str, test: str) -> None:
    printed = {(entry["train"], entry["test"]): entry["performance"] for entry in golden["train_test"]}
    assert set(printed) == set(PAIRS)
    learnt, tried = golden["vectors"][train], golden["vectors"][test]
    fit = Calibrator.fit(**split(learnt["score"], learnt["target"]), mode="glm")
    scores = split(tried["score"], tried["target"])
    llrs = {"same": fit.nats(scores["same"]), "different": fit.nats(scores["different"])}
    check_performance(llrs, printed[train, test])


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
    _, scores = enron(shared)
    same = scores.same_author
    expected = {"bits": (0.501, 0.433), "nats": (0.442, 0.441)}
    for unit, figures in expected.items():
        for method, figure in zip(("square_root", "hapax"), figures, strict=True):
            nats = METHODS[method].nats(scores, unit=unit)
            assert cllr(same=nats[same], different=nats[~same]) == pytest.approx(figure, abs=5e-4)
    assert auc(same=scores.lambda_g[same], different=scores.lambda_g[~same]) == pytest.approx(0.942, abs=5e-4)


def test_the_96_enron_problems_calibrated_without_their_authors(shared: Path) -> None:
    _, scores = enron(shared)
    learn = METHODS["logistic"].learn
    assert learn is not None
    # The reference leaves out the author of K; Idiograph those of K and of Q.
    for q_authors, figure in ((scores.k_authors, 0.455), (scores.q_authors, 0.454)):
        left = leave_authors_out(replace(scores, q_authors=q_authors), learn)
        assert left.n_perfect + left.n_near == 0
        llrs = scores.trials(left.nats)
        assert cllr(same=llrs.same, different=llrs.different) == pytest.approx(figure, abs=5e-4)
