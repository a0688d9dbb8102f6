"""What the published validation found, as it ships, and a case that is limited by it together with its own."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from docs.validation.bounds import trials_text
from docs.validation.lengths import shipped_text, table_text

import idiograph
from idiograph import InputError
from idiograph.casework import validation as validation_module
from idiograph.casework import verify as verify_module
from idiograph.casework.published import (
    Published,
    PublishedRow,
    expected,
    longer_text,
    nearest_lengths,
    published,
    works_matter,
)
from idiograph.evidence.published_trials import PublishedCell
from made_texts import case_of, compare_fully, write_case
from seen_report import report_page

TABLE = Path(__file__).resolve().parents[2] / "docs" / "validation" / "tables" / "lengths.csv"


def row(
    corpus: str, q: int, k: int, cllr: float, share: float, *, drawing: str = "contiguous", register: str = "a"
) -> PublishedRow:
    return PublishedRow(register, corpus, drawing, q, k, "hapax", cllr, cllr - 0.1, cllr + 0.1, share, 10)


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two corpora of one register and one of another, at three lengths, not all of them at each."""
    rows = (
        row("one", 200, 500, 0.9, 0.1),
        row("two", 200, 500, 0.7, 0.3),
        row("one", 300, 1000, 0.95, 0.1),
        row("one", 1000, 3000, 0.6, 0.5),
        row("three", 1000, 3000, 0.2, 0.9, register="b"),
        row("one", 1000, 3000, 0.5, 0.5, drawing="random"),
        row("one (in pairs)", 1000, 3000, 0.4, 0.5, drawing="contiguous within work"),
        row("one (in pairs)", 1000, 3000, 1.4, 0.1, drawing="contiguous across work"),
    )
    monkeypatch.setattr("idiograph.casework.published.published", lambda: Published("a study", "0", rows))


def test_what_ships_is_the_published_table() -> None:
    table = TABLE.read_bytes().decode()
    shipped = (files("idiograph.casework") / "published.json").read_text(encoding="utf-8")
    assert shipped_text(published().rows, source=published().source) == shipped
    assert table_text(published().rows) == table
    assert json.loads(shipped)["schema"] == 1


def test_every_register_has_figures_for_the_methods_of_the_paper() -> None:
    assert len(published().registers) >= 5
    for register in published().registers:
        for method in ("hapax", "square_root"):
            for figures in expected(method, register):
                assert figures.cllr_low <= figures.cllr <= figures.cllr_high
                assert 0 <= figures.share_low <= figures.share_above_10 <= figures.share_high <= 1
                assert figures.n_authors >= 5


@pytest.mark.usefixtures("three")
def test_corpora_weigh_the_same_and_the_range_is_that_of_all() -> None:
    first, second, third = expected("hapax", "a")
    assert (first.q_tokens, first.k_tokens, first.corpora) == (200, 500, ("one", "two"))
    assert (first.cllr, first.cllr_low, first.cllr_high) == pytest.approx((0.8, 0.6, 1.0))
    assert (first.share_above_10, first.share_low, first.share_high, first.n_authors) == pytest.approx(
        (0.2, 0.1, 0.3, 20)
    )
    assert (second.cllr, third.cllr) == (0.95, 0.6)
    assert expected("hapax")[-1].cllr == pytest.approx(0.4)  # both registers
    assert expected("sentence") == ()


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("q", "k", "nearest"),
    [(250, 600, 200), (1, 1, 200), (9_999, 9_999, 1000), (None, 1_400, 300), (600, None, 1000), (400, 1_000, 300)],
)
def test_the_nearest_lengths_are_nearest_in_ratios(q: int | None, k: int | None, nearest: int) -> None:
    figures = nearest_lengths(expected("hapax", "a"), q, k)
    assert figures is not None
    assert figures.q_tokens == nearest
    assert nearest_lengths((), q, k) is None


@pytest.mark.usefixtures("three")
def test_longer_texts_are_compared_on_the_same_corpora() -> None:
    first, _, third = expected("hapax", "a")
    longer = longer_text(first)
    assert longer is not None
    now, then = longer
    # At 300/1,000 corpus one is worse; at 1,000/3,000 only corpus one has figures, and 0.9 becomes 0.6.
    assert (now.cllr, then.cllr, then.q_tokens, now.corpora) == (0.9, 0.6, 1000, ("one",))
    assert longer_text(third) is None


@pytest.mark.usefixtures("three")
def test_what_works_matter_is_said_with_both_figures() -> None:
    assert works_matter() == (
        "In the published validation (a, Q 1,000 and K 3,000 tokens, Hapax) Cllr was 0.40 with Q and K from one work "
        "of an author, and 1.40 with Q and K from different works."
    )
    assert works_matter("sentence") == ""


def test_the_shipped_table_says_what_works_matter() -> None:
    assert "with Q and K from one work of an author" in works_matter()


def write_trials(path: Path, *, k_tokens: int) -> None:
    """A hundred authors whom hapax tells apart without fail."""
    n = 100
    cell = PublishedCell(
        corpus="made up",
        k_tokens=k_tokens,
        same_authors=tuple(range(n)),
        draws=("far",) * n,
        different_authors=tuple((i, (i + 1) % n) for i in range(n)),
        same={"hapax": np.full(n, 9.0)},
        different={"hapax": np.full(n, -9.0)},
    )
    path.write_text(trials_text([cell], source="made up"), encoding="utf-8")


@pytest.fixture(name="shipped")
def _shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "published.json"
    for module in (validation_module, verify_module):
        monkeypatch.setattr(module, "shipped_path", lambda: path)
    return path


def test_more_is_borne_out_with_the_published_trials(tmp_path: Path, shipped: Path) -> None:
    write_case(tmp_path, n_authors=6, tokens=150)
    write_trials(shipped, k_tokens=300)
    case = case_of(tmp_path, bounds="published")
    verification = idiograph.verify(case)
    both = verification.comparisons[0].validation
    alone = compare_fully(tmp_path).validation
    assert alone is not None
    assert both is not None
    assert alone.bounds is not None
    assert both.bounds is not None
    assert both.bounds.alone == (alone.bounds.lower, alone.bounds.upper)
    assert (both.bounds.n_authors, both.bounds.n_published) == (6, 100)
    assert both.bounds.upper > alone.bounds.upper
    assert both.performance["reported"].cllr != alone.performance["reported"].cllr
    page = report_page(verification).text
    assert "(100 authors of other corpora) and in this one (6 authors) together" in page


def test_without_trials_at_its_length_the_reference_decides_and_that_is_said(tmp_path: Path, shipped: Path) -> None:
    write_case(tmp_path, n_authors=5, tokens=150)
    write_trials(shipped, k_tokens=3_000)
    comparison = compare_fully(tmp_path, bounds="published")
    assert comparison.validation is not None
    assert comparison.validation.bounds is not None
    assert comparison.validation.bounds.n_published is None
    sentence = "The published validation has no trials of the Hapax Correction with a K of about"
    assert any(sentence in missing for missing in comparison.validation.missing)


@pytest.mark.usefixtures("shipped")
def test_an_installation_without_published_trials_says_so(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with pytest.raises(InputError, match='Choose bounds = "elub", or install Idiograph again'):
        idiograph.verify(case_of(tmp_path, bounds="published"))
