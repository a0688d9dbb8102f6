"""The validation chooses among the methods that the case names, and what the choosing is worth is told by folds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import Case, InputError
from idiograph.casework.validation import choose, settled
from made_texts import case_of, compare, compare_fully, write_case
from made_up_case import ValidationTrials, validation_trials


def trials_of(same: dict[str, list[float]], different: dict[str, list[float]]) -> tuple[ValidationTrials, np.ndarray]:
    """Two trials of each of as many authors as there are values: with himself, and with his fold's other author."""
    n = len(next(iter(same.values())))
    names = [f"a{number}" for number in range(n)]
    partners = [names[number ^ 1] for number in range(n)]
    trials = validation_trials(
        names * 2,
        [*names, *partners],
        np.array([True] * n + [False] * n),
        np.zeros(2 * n),
        {method: np.array([*same[method], *different[method]]) for method in same},
    )
    return trials, np.array([number // 2 for number in range(n)] * 2)


def choice(trials: ValidationTrials, folds: np.ndarray, *candidates: str):  # type: ignore[no-untyped-def]
    return choose(trials, folds, candidates, resamples=50, seed=1)


def test_the_lowest_cllr_is_chosen_and_the_choosing_judged_in_each_fold() -> None:
    """hapax is the better one but for the first fold, where it is far off."""
    trials, folds = trials_of(
        same={"hapax": [-1, -1, 5, 5, 5, 5], "square_root": [1, 1, 1, 1, 1, 1]},
        different={"hapax": [1, 1, -5, -5, -5, -5], "square_root": [-1, -1, -1, -1, -1, -1]},
    )

    def cost(*wrong: float) -> float:  # Cllr of symmetrical LLRs, by hand: the mean of log2(1 + e^-llr)
        return float(np.mean(np.log2(1 + np.exp(-np.array(wrong)))))

    of_hapax, of_square_root = cost(-1, -1, 5, 5, 5, 5), cost(1, 1, 1, 1, 1, 1)
    assert of_square_root < of_hapax  # 0.45 against 0.64
    chosen = choice(trials, folds, "hapax", "square_root")
    assert chosen.method == "square_root"
    assert chosen.cllrs == pytest.approx({"hapax": of_hapax, "square_root": of_square_root})
    # From the other two folds: hapax for the first (5, 5, 5, 5 are better), square_root for the second and the third.
    assert chosen.cllr.value == pytest.approx(cost(-1, -1, 1, 1, 1, 1))
    assert (chosen.n_folds, chosen.n_agreeing) == (3, 2)
    assert chosen.sentence == (
        "The method was chosen by the validation, before the questioned text was scored, among those that the case "
        f"file names: Square Root, Cllr {of_square_root:.2f} (others named: Hapax {of_hapax:.2f}). The choice itself, "
        f"made again in each of 3 folds from the other authors, has a Cllr of {cost(-1, -1, 1, 1, 1, 1):.2f} and came "
        "out the same in 2."
    )


def test_of_equals_the_first_named_is_taken_and_methods_without_llrs_are_not() -> None:
    trials, folds = trials_of(
        same={"hapax": [1, 1, 1, 1], "sentence": [1, 1, 1, 1]},
        different={"hapax": [-1, -1, -1, -1], "sentence": [-1, -1, -1, -1]},
    )
    assert choice(trials, folds, "hapax", "sentence").method == "hapax"
    assert choice(trials, folds, "sentence", "hapax").method == "sentence"
    assert choice(trials, folds, "logistic", "hapax").method == "hapax"
    assert choice(trials, folds, "logistic", "normalised") is None


@pytest.mark.parametrize(
    ("primary", "candidates", "words"),
    [
        ("hapax", ("hapax", "sentence"), r"primary is hapax and 2 candidates are named\. Name the methods to choose"),
        ("best-validated", (), r"primary is best-validated and 0 candidates are named"),
        ("best-validated", ("hapax",), r"candidates has only hapax\. Name two methods or more"),
        ("best-validated", ("hapax", "hapax"), r'candidates must be .*, not a list with "hapax" twice'),
        ("best-validated", ("hapax", "raw"), "candidates must be"),
    ],
)
def test_what_may_be_named(tmp_path: Path, primary: str, candidates: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        case_of(tmp_path, primary=primary, candidates=candidates)


def test_a_case_in_which_the_validation_chooses(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=8)
    case = case_of(tmp_path, primary="best-validated", candidates=("hapax", "square_root"))
    comparison = compare(case, quick=False, rules=1)
    validation = comparison.validation
    assert validation is not None
    assert validation.choice is not None
    cllrs = {method: validation.performance[method].cllr.value for method in case.candidates}
    assert validation.choice.cllrs == pytest.approx(cllrs)
    assert comparison.primary == min(cllrs, key=lambda method: cllrs[method] or 9)
    assert comparison.reported is not None
    assert comparison.reported.how == comparison.primary
    assert validation.choice.sentence in validation.how
    # The same case with that method fixed beforehand has the same value.
    fixed = compare_fully(tmp_path, rules=1, primary=comparison.primary)
    assert fixed.reported == comparison.reported
    assert fixed.validation is not None
    assert fixed.validation.choice is None
    with pytest.raises(InputError, match=r"best-validated is chosen by the validation, and a quick run makes none"):
        idiograph.verify(case, quick=True, rules=1)
    with pytest.raises(InputError, match=r"New cases name their method beforehand: set primary to one of hapax, sq"):
        idiograph.verify(case)


def test_where_nothing_could_be_validated_the_first_candidate_stands_in(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=1, n_texts=9)
    case = case_of(tmp_path, primary="best-validated", candidates=("square_root", "hapax"))
    comparison = compare(case, quick=False, rules=1)
    assert (comparison.primary, comparison.reported) == ("square_root", None)
    assert comparison.refusal is not None
    assert settled(case, None).primary == "square_root"
    assert settled(replace(case, primary="hapax", candidates=()), None).primary == "hapax"
    assert isinstance(settled(case, None), Case)
