"""Corrections by hand and by property."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import InputError, hapax, sentence, square_root
from idiograph.evidence.llr import to_nats
from idiograph.evidence.methods import hapax_values, raw_values, sentence_values, square_root_values
from idiograph.evidence.trials import Scores
from made_scores import made

# Two sentences of 3 and 1 tokens and their ends: λ_s = 3 and 5, λG = 8, N = 4, V1 = 2.
SCORE = made([1.0, 2.0, -1.0, 1.0], [4.0, 1.0], n_tokens=4, n_hapaxes=2)


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
    llr = hapax(made([lambda_g], n_tokens=4, n_hapaxes=0))
    assert llr.nats == 0
    assert math.copysign(1, llr.nats) == 1


def test_without_evidence_sentence_is_zero() -> None:
    assert sentence(made([0.0, 0.0], [0.0], n_tokens=2, n_hapaxes=2)).nats == 0


def test_sentence_survives_the_smallest_and_largest_numbers() -> None:
    assert sentence(made([1e-200], n_tokens=1, n_hapaxes=1)).nats == pytest.approx(1)
    assert sentence(made([1e200], [1e200], n_tokens=2, n_hapaxes=2)).nats == pytest.approx(math.sqrt(2))


def test_q_without_a_token_is_refused() -> None:
    nothing = made([1.0], n_tokens=0, n_hapaxes=0)
    for correct in (hapax, square_root):
        with pytest.raises(InputError, match="Q has no token"):
            correct(nothing)


sums = st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=4), min_size=1, max_size=6)


@given(sums)
def test_sentence_is_at_most_the_root_of_the_number_of_sentences(evidence: list[list[float]]) -> None:
    score = made(*evidence, n_tokens=9, n_hapaxes=1)
    assert abs(sentence(score).nats) <= math.sqrt(len(evidence)) + 1e-9


@given(sums, st.integers(1, 400), st.integers(0, 400))
def test_many_scores_give_the_digits_of_single_ones(evidence: list[list[float]], n: int, v1: int) -> None:
    score = made(*evidence, n_tokens=n, n_hapaxes=min(v1, n))
    scores = Scores.of(score).take(np.zeros(3, int))
    for one, many, unit in (
        (square_root, square_root_values, "bits"),
        (hapax, hapax_values, "bits"),
        (sentence, sentence_values, "nats"),
    ):
        assert to_nats(many(scores), unit).tolist() == [one(score).nats] * 3
    assert raw_values(scores).tolist() == [score.lambda_g] * 3


@pytest.mark.parametrize("wrong", ["a text", None, 3.0, [1.0]])
def test_what_is_not_a_score_is_refused(wrong: object) -> None:
    for correct in (hapax, square_root, sentence):
        with pytest.raises(InputError, match=r"A score is needed, and this is a .*Give what idiograph.score returns"):
            correct(wrong)  # type: ignore[arg-type]
