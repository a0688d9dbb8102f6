"""The table of methods: every entry computes, is explained, and stands in the documentation."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from docs.tables import method_table

from idiograph import COMPARATORS, hapax, sentence, square_root
from idiograph.evidence.calibration import Calibrator
from idiograph.evidence.llr import NATS_PER
from idiograph.evidence.methods import METHODS, calibrated, case_methods, short_name
from idiograph.evidence.trials import Scores
from made_scores import made
from made_trials import scored

ROOT = Path(__file__).resolve().parents[2]
SCORE = made([1.0, 2.0, -1.0, 1.0], [4.0, 1.0], n_tokens=4, n_hapaxes=2)  # λG 8, λ_s 3 and 5
OVERLAPPING = {"same": [3.0, 2.0, -1.0, 1.0, -0.5], "different": [-3.0, -2.0, 1.5, 0.5, -1.5]}


@pytest.mark.parametrize("key", METHODS)
def test_every_method_has_all_that_a_reader_needs(key: str) -> None:
    one = METHODS[key]
    assert one.key == key
    assert all((one.name, one.short, one.source, one.explained))
    assert one.unit in NATS_PER
    # Some methods are no function of one score: the study and the case make them of many.
    of_many = ("normalised", "controlled", "guarded", "bare", "steady", "held", "fusion")
    assert (one.values is None) != (one.learn is None) or key in of_many
    assert ("training set" in one.needs) == (one.learn is not None or key == "fusion")


def test_llrs_by_hand() -> None:
    assert METHODS["raw"].llr(SCORE).log10 == pytest.approx(8)
    assert METHODS["square_root"].llr(SCORE).lr == pytest.approx(2**4)  # 8/√4 bits
    assert METHODS["hapax"].llr(SCORE).lr == pytest.approx(2**4)  # 8·2/4 bits
    assert METHODS["sentence"].llr(SCORE).nats == pytest.approx(8 / math.sqrt(3**2 + 5**2))


def test_the_table_and_the_public_functions_give_the_same() -> None:
    for key, function in (("hapax", hapax), ("square_root", square_root), ("sentence", sentence)):
        assert METHODS[key].llr(SCORE) == function(SCORE)
        assert METHODS[key].nats(Scores.of(SCORE))[0] == function(SCORE).nats


def test_a_unit_that_was_inferred_can_be_changed_and_no_other() -> None:
    changed = {
        key: one.nats(Scores.of(SCORE), unit="nats")[0] != one.nats(Scores.of(SCORE))[0]
        for key, one in METHODS.items()
        if one.values is not None
    }
    assert changed == {"hapax": True, "square_root": True, "sentence": False, "raw": False}
    assert METHODS["hapax"].llr(SCORE, unit="bans").log10 == pytest.approx(4)


def test_logistic_regression_is_that_of_lambda_g() -> None:
    trials = scored(**OVERLAPPING)
    learn = METHODS["logistic"].learn
    assert learn is not None
    learnt, fit = learn(trials), Calibrator.fit(**OVERLAPPING)
    assert learnt.nats(trials).tolist() == fit.nats(trials.lambda_g).tolist()
    llr = METHODS["logistic"].llr(SCORE, learnt=learnt)
    assert (llr.nats, llr.unit, llr.how) == (fit(SCORE).nats, "nats", "logistic")


def test_logistic_regression_is_guarded_and_glm_is_not() -> None:
    separated = scored(same=[1.0, 2.0, 3.0], different=[-1.0, -2.0])
    found = {}
    for key in ("logistic", "logistic_glm"):
        learn = METHODS[key].learn
        assert learn is not None
        learnt = learn(separated)
        assert learnt.separation.kind == "perfect"
        found[key] = learnt.nats(separated)
    shrunk = Calibrator.fit(same=[1, 2, 3], different=[-1, -2], shrinkage=1)
    assert found["logistic"].tolist() == shrunk.nats(separated.lambda_g).tolist()
    assert np.abs(found["logistic_glm"]).max() > 5 * np.abs(found["logistic"]).max()


def test_another_score_is_calibrated_in_the_same_way() -> None:
    trials = scored(**OVERLAPPING)
    halved = calibrated(trials, score=lambda scores: scores.lambda_g / 2)
    assert halved.nats(trials) == pytest.approx(calibrated(trials).nats(trials))
    assert halved.calibrator.slope == pytest.approx(2 * calibrated(trials).calibrator.slope)


def test_a_case_computes_what_may_be_reported() -> None:
    assert tuple(case_methods()) == ("normalised", "controlled", "hapax", "square_root", "sentence", "logistic")


def test_a_function_of_ones_own_keeps_its_name() -> None:
    assert (short_name("hapax"), short_name("my_own")) == ("Hapax", "my_own")


def test_the_documentation_prints_the_table_as_it_is() -> None:
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    printed = re.search(r"<!-- methods:begin -->\n(.*?)<!-- methods:end -->", page, re.S)
    assert printed is not None
    assert printed.group(1).strip() == method_table().strip()


def test_a_comparator_is_calibrated_by_its_own_score_and_is_no_method_of_a_case() -> None:
    trials = scored(**OVERLAPPING)
    trials = replace(trials, scores={"delta": -2 * trials.lambda_g, "ppm": trials.lambda_g})
    learnt = {key: METHODS[key].learn for key in COMPARATORS}
    assert set(learnt) == {"delta", "ngram_tracing", "impostors", "general_impostors", "tfidf", "ppm"}
    assert not set(learnt) & set(case_methods())
    assert learnt["delta"] is not None
    assert learnt["ppm"] is not None
    found = learnt["delta"](trials).nats(trials)
    assert found == pytest.approx(learnt["ppm"](trials).nats(trials))
    assert all("not a likelihood ratio" in METHODS[key].explained for key in COMPARATORS)
