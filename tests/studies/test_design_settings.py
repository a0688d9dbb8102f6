"""Designs that contradict themselves."""

import pytest

from idiograph.errors import StudyError
from idiograph.studies.settings import Design


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"pairs": "all", "calibration": 0.4},
            'With pairs = "all" each trial is judged by the authors outside its fold',
        ),
        ({"groups": 2}, 'groups belongs to pairs = "all"'),
        ({"pairs": "all", "calibration": 0.0, "reference": "own half"}, "there are no halves, so none is its own"),
        ({"pairs": "all", "calibration": 0.0, "cohort": 10, "groups": 2}, "A cohort is that of a single fold"),
        ({"calibration": 1.0}, "The share of calibration authors is 1"),
        ({"pairs": "outside", "calibration": 0.0}, "need authors outside it"),
    ],
)
def test_what_cannot_stand_together_is_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        Design(**settings)  # type: ignore[arg-type]
    assert Design(pairs="all", calibration=0.0, cohort=10).fold == 6
