"""LLR: units, what a double cannot hold, and the words of the scales."""

import math
import re
from pathlib import Path

import pytest
from docs.tables import scale_table
from hypothesis import given
from hypothesis import strategies as st

from idiograph import LLR, InputError, posterior
from idiograph.evidence.llr import ENFSI_2015, MARQUIS_2016, SCALES, from_nats, scale, to_nats


def test_four_bits_are_a_likelihood_ratio_of_sixteen() -> None:
    llr = LLR.of(4, "bits", how="hapax")
    assert llr.lr == pytest.approx(16)
    assert llr.nats == pytest.approx(2.772588722239781)  # 4 · 0.6931…
    assert llr.log10 == pytest.approx(1.2041199826559248)
    assert (llr.value, llr.unit, llr.how) == (4, "bits", "hapax")


@pytest.mark.parametrize(("unit", "lr"), [("bits", 8), ("nats", math.e**3), ("bans", 1000)])
def test_three_of_each_unit(unit: str, lr: float) -> None:
    assert LLR.of(3, unit, how="hapax").lr == pytest.approx(lr)


@given(st.floats(-1e4, 1e4), st.sampled_from(["bits", "nats", "bans"]))
def test_units_convert_back(value: float, unit: str) -> None:
    assert from_nats(to_nats(value, unit), unit) == pytest.approx(value, rel=1e-14)


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(InputError, match=r"no unit 'dits'.*bits, nats, bans"):
        LLR.of(1, "dits", how="hapax")


@pytest.mark.parametrize("nats", [709.8, 10_000.0, -709.8, -10_000.0])
def test_beyond_a_double_lr_is_none_and_log10_speaks(nats: float) -> None:
    llr = LLR(nats, "logistic", nats, "nats")
    assert llr.lr is None
    assert llr.log10 == pytest.approx(nats / 2.302585092994046)
    assert llr.verbal("enfsi") == f"extremely strong support for {'Hp' if nats > 0 else 'Hd'}"


@pytest.mark.parametrize("nats", [709.7, -709.7])
def test_within_a_double_lr_is_a_number(nats: float) -> None:
    lr = LLR(nats, "logistic", nats, "nats").lr
    assert lr is not None
    assert math.isfinite(lr)
    assert lr > 0


@pytest.mark.parametrize(
    ("lr", "enfsi", "marquis"),
    [
        (1, "no support for either proposition", "no support for either proposition"),
        (1.5, "no support for either proposition", "weak support for Hp"),
        (2, "no support for either proposition", "weak support for Hp"),
        (2.1, "weak support for Hp", "weak support for Hp"),
        (10, "weak support for Hp", "weak support for Hp"),
        (11, "moderate support for Hp", "moderate support for Hp"),
        (100, "moderate support for Hp", "moderate support for Hp"),
        (500, "moderately strong support for Hp", "strong support for Hp"),
        (1_000, "moderately strong support for Hp", "strong support for Hp"),
        (1_100, "strong support for Hp", "very strong support for Hp"),
        (10_000, "strong support for Hp", "very strong support for Hp"),
        (11_000, "very strong support for Hp", "extremely strong support for Hp"),
        (1_000_000, "very strong support for Hp", "extremely strong support for Hp"),
        (1_100_000, "extremely strong support for Hp", "extremely strong support for Hp"),
    ],
)
def test_words_of_both_scales_in_both_directions(lr: float, enfsi: str, marquis: str) -> None:
    # Through bits, so that an edge is met with its rounding error.
    for_hp, for_hd = (LLR.of(sign * math.log2(lr), "bits", how="hapax") for sign in (1, -1))
    assert (for_hp.verbal("enfsi"), for_hp.verbal("marquis")) == (enfsi, marquis)
    assert (for_hd.verbal("enfsi"), for_hd.verbal("marquis")) == (
        enfsi.replace("Hp", "Hd"),
        marquis.replace("Hp", "Hd"),
    )


def test_an_edge_with_its_rounding_error_stays_in_the_weaker_band() -> None:
    nats = 2 * math.log(10) * (1 + 4e-16)
    llr = LLR(nats, "hapax", nats, "nats")
    assert llr.log10 > 2
    assert llr.verbal("enfsi") == "moderate support for Hp"


def test_numbers_only_says_nothing() -> None:
    assert LLR.of(4, "bits", how="hapax").verbal("numbers") is None


def test_direction_is_none_for_one() -> None:
    assert LLR(0.0, "hapax", 0.0, "bits").direction is None


ROOT = Path(__file__).resolve().parents[2]


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(InputError, match=r"no verbal scale 'jury'.*enfsi, marquis, or numbers"):
        scale("jury")


def test_scales_say_that_they_were_not_checked() -> None:
    assert {chosen.status for chosen in SCALES.values()} == {"not checked against the source here"}
    assert "2015" in ENFSI_2015.citation
    assert "56(5), 364–370" in MARQUIS_2016.citation


def test_bands_join_without_gap() -> None:
    for chosen in SCALES.values():
        assert chosen.bands[0].above == 1
        assert [band.up_to for band in chosen.bands[:-1]] == [band.above for band in chosen.bands[1:]]
        assert chosen.bands[-1].up_to is None


def test_the_documentation_prints_the_scales_as_they_are() -> None:
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    for chosen in SCALES.values():
        printed = re.search(rf"<!-- scale {chosen.key}:begin -->\n(.*?)<!-- scale {chosen.key}:end -->", page, re.S)
        assert printed is not None, f"docs/evidence.md lacks the scale {chosen.key}"
        assert printed.group(1).strip() == scale_table(chosen).strip()


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
