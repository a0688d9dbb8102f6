"""What a case comes to, as plain values and in result.json."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from idiograph import Verification
from idiograph.casework.verification import as_result, plain
from made_up_case import comparison, refused, verification


def test_a_case_is_refused_if_any_comparison_is() -> None:
    assert not verification(comparison()).refused
    assert verification(comparison(), refused("Li")).refused


def test_the_computed_value_is_that_of_the_primary_method() -> None:
    done = comparison()
    assert done.computed == done.llrs["hapax"]
    assert replace(done, primary="logistic").computed is None
    assert done.lambda_g == done.score.lambda_g


def test_alternatives_are_found_by_what_was_changed() -> None:
    told = comparison().sensitivity
    assert told is not None
    assert [row.label for row in told.of("seed")] == ["2", "3"]
    assert told.of("nothing") == ()


def test_every_number_survives_json(verified: Verification) -> None:
    result = as_result(verified)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    comparison = verified.comparisons[0]
    assert result["lambda_g"] == comparison.score.lambda_g
    assert result["reference_totals"] == list(comparison.score.reference_totals)
    assert (result["n_tokens"], result["n_hapaxes"]) == (comparison.score.n_tokens, comparison.score.n_hapaxes)
    assert math.isclose(math.fsum(result["sentence_lambda_g"]), result["lambda_g"], rel_tol=1e-12)
    assert result["case_digest"] == verified.case_digest
    assert set(result["llr"]) == set(comparison.llrs)


def test_several_comparisons_stand_in_a_list() -> None:
    result = as_result(verification(comparison(), comparison(candidate="Li")))
    assert [comparison["candidate"] for comparison in result["comparisons"]] == ["Lee", "Li"]
    assert result["n_comparisons"] == 2
    assert "lambda_g" not in result


def test_values_become_what_json_has() -> None:
    assert plain({1: (np.array([1.5]), Path("a") / "b", None)}) == {"1": [[1.5], "a/b", None]}
