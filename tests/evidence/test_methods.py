"""The table of methods: every entry computes, is explained, and stands in the documentation; the corrections."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from docs.tables import method_table
from hypothesis import given
from hypothesis import strategies as st

from idiograph import COMPARATORS, Calibrator, InputError, hapax, sentence, square_root
from idiograph.evidence.methods import METHODS, calibrated, case_methods, short_name
from idiograph.evidence.trials import Scores
from made_scores import score_of
from made_trials import scored

ROOT = Path(__file__).resolve().parents[2]
# Two sentences of 3 and 1 tokens and their ends: λ_s = 3 and 5, λG = 8, N = 4, V1 = 2.
SCORE = score_of([1.0, 2.0, -1.0, 1.0], [4.0, 1.0], n_tokens=4, n_hapaxes=2)
OVERLAPPING = {"same": [3.0, 2.0, -1.0, 1.0, -0.5], "different": [-3.0, -2.0, 1.5, 0.5, -1.5]}


@pytest.mark.parametrize("key", METHODS)
def test_every_method_has_all_that_a_reader_needs(key: str) -> None:
    method = METHODS[key]
    assert method.key == key
    assert all((method.name, method.short, method.source, method.explained))
    assert method.unit in ("bits", "nats", "bans")
    # Some methods are no function of one score: the study and the case make them of many.
    of_many = ("normalised", "controlled", "guarded", "bare", "steady", "held", "fusion")
    assert (method.values is None) != (method.learn is None) or key in of_many
    assert ("training set" in method.needs) == (method.learn is not None or key == "fusion")


def test_uncorrected_lambda_g_is_read_in_bans() -> None:
    assert METHODS["raw"].llr(SCORE).log10 == pytest.approx(8)


def test_a_unit_that_was_inferred_can_be_changed_and_no_other() -> None:
    changed = {
        key: method.nats(Scores.of(SCORE), unit="nats")[0] != method.nats(Scores.of(SCORE))[0]
        for key, method in METHODS.items()
        if method.values is not None
    }
    assert changed == {"hapax": True, "square_root": True, "sentence": False, "raw": False}
    assert METHODS["hapax"].nats(Scores.of(SCORE), unit="bans")[0] == pytest.approx(4 * math.log(10))


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
    nats = {}
    for key in ("logistic", "logistic_glm"):
        learn = METHODS[key].learn
        assert learn is not None
        learnt = learn(separated)
        assert learnt.separation.kind == "perfect"
        nats[key] = learnt.nats(separated)
    shrunk = Calibrator.fit(same=[1, 2, 3], different=[-1, -2], shrinkage=1)
    assert nats["logistic"].tolist() == shrunk.nats(separated.lambda_g).tolist()
    assert np.abs(nats["logistic_glm"]).max() > 5 * np.abs(nats["logistic"]).max()


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
    nats = learnt["delta"](trials).nats(trials)
    assert nats == pytest.approx(learnt["ppm"](trials).nats(trials))
    assert all("not a likelihood ratio" in METHODS[key].explained for key in COMPARATORS)


def test_square_root_by_hand() -> None:
    llr = square_root(SCORE)
    assert llr.value == 8 / 2  # sqrt(4)
    assert llr.unit == "bits"
    assert llr.how == "square_root"
    assert llr.lr == pytest.approx(2**4)


def test_hapax_by_hand() -> None:
    llr = hapax(SCORE)
    assert llr.value == 8 * 2 / 4
    assert llr.how == "hapax"
    assert llr.lr == pytest.approx(2**4)


def test_sentence_by_hand() -> None:
    llr = sentence(SCORE)
    assert llr.value == pytest.approx(8 / math.sqrt(3**2 + 5**2))
    assert llr.nats == llr.value
    assert (llr.unit, llr.how) == ("nats", "sentence")


def test_the_unit_changes_the_likelihood_ratio_and_not_the_value() -> None:
    for correct in (hapax, square_root):
        assert [correct(SCORE, unit=unit).value for unit in ("bits", "nats", "bans")] == [4, 4, 4]
        assert correct(SCORE, unit="nats").nats == 4
        assert correct(SCORE, unit="bans").log10 == pytest.approx(4)


@pytest.mark.parametrize("lambda_g", [-3.0, 3.0])
def test_without_hapaxes_hapax_is_exactly_zero(lambda_g: float) -> None:
    llr = hapax(score_of([lambda_g], n_tokens=4, n_hapaxes=0))
    assert llr.nats == 0
    assert math.copysign(1, llr.nats) == 1


def test_without_evidence_sentence_is_zero() -> None:
    assert sentence(score_of([0.0, 0.0], [0.0], n_tokens=2, n_hapaxes=2)).nats == 0


def test_sentence_survives_the_smallest_and_largest_numbers() -> None:
    assert sentence(score_of([1e-200], n_tokens=1, n_hapaxes=1)).nats == pytest.approx(1)
    assert sentence(score_of([1e200], [1e200], n_tokens=2, n_hapaxes=2)).nats == pytest.approx(math.sqrt(2))


def test_q_without_a_token_is_refused() -> None:
    nothing = score_of([1.0], n_tokens=0, n_hapaxes=0)
    for correct in (hapax, square_root):
        with pytest.raises(InputError, match="Q has no token"):
            correct(nothing)


sums = st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=4), min_size=1, max_size=6)


@given(sums)
def test_sentence_is_at_most_the_root_of_the_number_of_sentences(evidence: list[list[float]]) -> None:
    score = score_of(*evidence, n_tokens=9, n_hapaxes=1)
    assert abs(sentence(score).nats) <= math.sqrt(len(evidence)) + 1e-9


@given(sums, st.integers(1, 400), st.integers(0, 400))
def test_many_scores_have_the_digits_of_single_ones_and_the_table_those_of_the_calls(
    evidence: list[list[float]], n: int, v1: int
) -> None:
    score = score_of(*evidence, n_tokens=n, n_hapaxes=min(v1, n))
    scores = Scores.of(score).take(np.zeros(3, int))
    for key, correct in (("square_root", square_root), ("hapax", hapax), ("sentence", sentence)):
        assert METHODS[key].llr(score) == correct(score)
        assert METHODS[key].nats(scores).tolist() == [correct(score).nats] * 3
    assert METHODS["raw"].nats(scores).tolist() == [METHODS["raw"].llr(score).nats] * 3


@pytest.mark.parametrize("wrong", ["a text", None, 3.0, [1.0]])
def test_what_is_not_a_score_is_refused(wrong: object) -> None:
    for correct in (hapax, square_root, sentence):
        with pytest.raises(InputError, match=r"A score is needed, and this is a .*Give what idiograph.score returns"):
            correct(wrong)  # type: ignore[arg-type]
