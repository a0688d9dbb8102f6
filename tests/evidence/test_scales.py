"""Verbal scales: whole ladders, and as the documentation prints them."""

import re
from pathlib import Path

import pytest
from docs.tables import scale_table

from idiograph import InputError
from idiograph.evidence.llr import ENFSI_2015, MARQUIS_2016, SCALES, scale

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
