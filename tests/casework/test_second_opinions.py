"""Second opinions on a case: scored on the validation problems and calibrated there by other authors."""

from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import Calibrator
from idiograph.casework import validation
from idiograph.casework.case_matrix import score_matrix
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.validation import opinions
from idiograph.casework.verification import Comparison
from idiograph.evidence.comparators import ppm
from indexed import index_of
from made_texts import case_of, write_case


def text(part) -> str:  # type: ignore[no-untyped-def]
    return "\n".join(" ".join(sentence) for sentence in part.sentences)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("case"), n_authors=9, tokens=120)


@pytest.fixture(scope="module")
def with_ppm(folder: Path) -> Comparison:
    return idiograph.verify(case_of(folder, primary="hapax", second_opinions=("ppm",))).comparisons[0]


def test_an_opinion_is_the_score_of_the_case_calibrated_on_the_validation_problems(
    folder: Path, with_ppm: Comparison
) -> None:
    case_index, texts = index_of(folder)
    assert with_ppm.validation is not None
    trials = with_ppm.validation.trials
    assert trials is not None
    scores = trials.scores["ppm"]
    fit = Calibrator.fit(same=scores[trials.same_author], different=scores[~trials.same_author])
    expected = ppm(text(case_index.part(texts.q)), [text(case_index.part(texts.k))])
    assert with_ppm.llrs["ppm"].nats == pytest.approx(fit.intercept + fit.slope * expected, rel=1e-6)
    assert (with_ppm.llrs["ppm"].how, with_ppm.primary) == ("ppm", "hapax")
    assert "ppm" in with_ppm.validation.performance
    involved = {trials.q_authors[0], trials.k_authors[0]}
    kept = np.array([not involved & {q, k} for q, k in zip(trials.q_authors, trials.k_authors, strict=True)])
    alone = Calibrator.fit(same=scores[kept & trials.same_author], different=scores[kept & ~trials.same_author])
    assert trials.nats["ppm"][0] == pytest.approx(alone.intercept + alone.slope * scores[0], rel=1e-6)


def test_no_other_method_changes(folder: Path, with_ppm: Comparison) -> None:
    plain = idiograph.verify(case_of(folder, primary="hapax")).comparisons[0]
    assert "ppm" not in plain.llrs
    assert {key: llr for key, llr in with_ppm.llrs.items() if key != "ppm"} == plain.llrs
    assert with_ppm.reported == plain.reported


def test_a_comparator_that_cannot_read_the_texts_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case_index, texts = index_of(folder, second_opinions=("delta", "ppm"))
    matrix = score_matrix(case_index, plan_validation(case_index, texts), name="x")
    monkeypatch.setattr(validation, "as_text", lambda sentences: "\n".join("12 " * len(words) for words in sentences))
    results = opinions(case_index, matrix, matrix.judged[:3], name="x")
    assert set(results.scores) == {"ppm"}
    assert results.notes["delta"].startswith("Cosine Delta could not be computed. Text 1 of")
