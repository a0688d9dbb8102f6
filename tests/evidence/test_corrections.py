"""Corrections by hand and by property."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import InputError, hapax, sentence, square_root
from idiograph.evidence.corrections import CORRECTIONS, StoredScores, raw, sentence_norm

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Made:
    """A score made by hand."""

    evidence: tuple[FloatArray, ...]
    n_tokens: int
    n_hapaxes: int
    lambda_g: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lambda_g", float(sum(tokens.sum() for tokens in self.evidence)))


def made(*sentences: list[float], n_tokens: int, n_hapaxes: int) -> Made:
    return Made(tuple(np.array(tokens) for tokens in sentences), n_tokens, n_hapaxes)


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


def test_raw_is_lambda_g_in_log10() -> None:
    assert raw(SCORE).log10 == pytest.approx(8)
    assert raw(SCORE).unit == "bans"


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


def test_an_unknown_correction_is_refused() -> None:
    stored = StoredScores(np.array([1.0]), np.array([1]), np.array([1]), np.array([1.0]))
    with pytest.raises(InputError, match=r"no correction 'cube'.*raw, square_root, hapax, sentence"):
        stored.nats("cube")


sums = st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=4), min_size=1, max_size=6)


@given(sums, st.integers(1, 400), st.integers(0, 400))
def test_stored_scores_give_the_digits_of_single_ones(evidence: list[list[float]], n: int, v1: int) -> None:
    score = made(*evidence, n_tokens=n, n_hapaxes=min(v1, n))
    stored = StoredScores(
        np.array([score.lambda_g]),
        np.array([score.n_tokens]),
        np.array([score.n_hapaxes]),
        np.array([sentence_norm(score.evidence)]),
    )
    single = {
        "raw": raw(score).nats,
        "square_root": square_root(score).nats,
        "hapax": hapax(score).nats,
        "sentence": sentence(score).nats,
    }
    assert list(single) == list(CORRECTIONS)
    for method, nats in single.items():
        assert stored.nats(method)[0] == nats


@given(sums)
def test_sentence_is_at_most_the_root_of_the_number_of_sentences(evidence: list[list[float]]) -> None:
    score = made(*evidence, n_tokens=9, n_hapaxes=1)
    assert abs(sentence(score).nats) <= math.sqrt(len(evidence)) + 1e-9


def test_stored_units_change_only_the_corrections_without_a_unit_of_their_own() -> None:
    stored = StoredScores(np.array([8.0]), np.array([4]), np.array([2]), np.array([math.sqrt(34)]))
    changed = {m: stored.nats(m, unit="nats")[0] != stored.nats(m, unit="bits")[0] for m in CORRECTIONS}
    assert changed == {"raw": False, "square_root": True, "hapax": True, "sentence": False}
