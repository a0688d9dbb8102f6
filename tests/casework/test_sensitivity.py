"""One thing changed at a time, and what the number would then be."""

import math
from pathlib import Path

import pytest

import idiograph
from idiograph.casework.verification import Verification
from made_texts import case_of


def test_sensitivity_changes_one_thing_at_a_time(verified: Verification, texts: Path) -> None:
    comparison = verified.comparisons[0]
    assert comparison.sensitivity is not None
    assert {row.label: row.nats for row in comparison.sensitivity.of("correction")} == {
        method: llr.nats for method, llr in comparison.llrs.items()
    }
    assert comparison.sensitivity.sentence.startswith("The methods give LRs from ")  # second opinions are among them
    assert [row.label for row in comparison.sensitivity.of("known_text")] == ["known/lee/1.txt", "known/lee/2.txt"]
    assert len({row.lambda_g for row in comparison.sensitivity.of("seed")}) == 10
    changed = idiograph.verify(case_of(texts, order=3), quick=True).comparisons[0]
    by_order = {row.label: row.lambda_g for row in comparison.sensitivity.of("order")}
    assert by_order["3"] == changed.lambda_g
    more = idiograph.verify(case_of(texts, repetitions=10), quick=True).comparisons[0]
    by_r = {row.label: row.lambda_g for row in comparison.sensitivity.of("repetitions")}
    assert by_r["10"] == more.lambda_g
    assert comparison.sensitivity.standard_error == pytest.approx(comparison.sensitivity.spread / math.sqrt(5))
