"""A case whose value is limited by the published validation together with its own."""

from pathlib import Path

import numpy as np
import pytest
from docs.validation.bounds import trials_text

import idiograph
from idiograph import InputError
from idiograph.casework import validation as validation_module
from idiograph.casework import verify as verify_module
from idiograph.evidence.published_trials import PublishedCell
from idiograph.output.html import html
from idiograph.output.report import report
from made_texts import case_of, write_case
from seen_report import Page


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
    alone = idiograph.verify(case_of(tmp_path)).comparisons[0].validation
    assert alone is not None
    assert both is not None
    assert alone.bounds is not None
    assert both.bounds is not None
    assert both.bounds.alone == (alone.bounds.lower, alone.bounds.upper)
    assert (both.bounds.n_authors, both.bounds.n_published) == (6, 100)
    assert both.bounds.upper > alone.bounds.upper
    assert both.performance["reported"].cllr != alone.performance["reported"].cllr
    page = Page(html(report(verification))).text
    assert "(100 authors of other corpora) and in this one (6 authors) together" in page


def test_without_trials_at_its_length_the_reference_decides_and_that_is_said(tmp_path: Path, shipped: Path) -> None:
    write_case(tmp_path, n_authors=5, tokens=150)
    write_trials(shipped, k_tokens=3_000)
    (comparison,) = idiograph.verify(case_of(tmp_path, bounds="published")).comparisons
    assert comparison.validation is not None
    assert comparison.validation.bounds is not None
    assert comparison.validation.bounds.n_published is None
    sentence = "The published validation has no trials of the Hapax Correction with a K of about"
    assert any(sentence in missing for missing in comparison.validation.missing)


@pytest.mark.usefixtures("shipped")
def test_an_installation_without_published_trials_says_so(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with pytest.raises(InputError, match='Choose bounds = "elub", or install Idiograph anew'):
        idiograph.verify(case_of(tmp_path, bounds="published"))
