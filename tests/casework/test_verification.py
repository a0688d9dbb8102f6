"""What a case comes to, as plain values."""

from dataclasses import replace

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
