"""Posteriors: by hand, and never beyond what a double holds."""

import math

import pytest

from idiograph import LLR, InputError, posterior

LN10 = math.log(10)


def test_posterior_by_hand() -> None:
    # Prior odds 1 : 9 and LR 27 make 3 : 1.
    result = posterior(LLR(math.log(27), "hapax", math.log(27), "nats"), 0.1)
    assert result.probability == pytest.approx(0.75)
    assert result.complement == pytest.approx(0.25)
    assert 10**result.prior_log10_odds == pytest.approx(1 / 9)
    assert 10**result.posterior_log10_odds == pytest.approx(3)
    assert posterior(math.log(27), 0.1) == result


def test_posteriors_do_not_overflow() -> None:
    high, low = posterior(1e4, 1e-6), posterior(-1e4, 0.5)
    assert (high.probability, low.probability) == (1, 0)
    assert high.posterior_log10_odds == pytest.approx(1e4 / LN10 - 6, abs=1e-5)
    assert posterior(100.0, 0.5).complement == pytest.approx(math.exp(-100))


@pytest.mark.parametrize("prior", [0.0, 1.0, -0.1, 1.5, math.nan])
def test_certainty_is_no_prior(prior: float) -> None:
    with pytest.raises(InputError, match="no evidence changes a certainty"):
        posterior(1.0, prior)


def test_an_llr_that_is_no_number_has_no_posterior() -> None:
    with pytest.raises(InputError, match="must be a finite number"):
        posterior(math.inf, 0.5)
