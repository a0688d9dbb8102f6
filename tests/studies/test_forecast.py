"""A forecast: what a study will take, in numbers and in a sentence."""

import re
from pathlib import Path

import pytest

from idiograph.studies.forecast import Forecast, forecast
from idiograph.studies.settings import read_study
from made_study import folder_with_study


def test_problems_are_counted_and_a_few_are_timed(tmp_path: Path) -> None:
    study = read_study(folder_with_study(tmp_path))
    found = forecast(study, workers=1)
    assert (found.study, found.to_mask, found.n_problems, found.n_chunks) == ("toy", 0, 240, 10)
    assert found.seconds > 0
    assert (found.refused, found.left_out) == ((), 0)
    assert "About 240 problems in 10 chunks" in found.words
    assert re.search(r"Scoring takes about \d+ seconds \(by 8 problems timed here\)", found.words)


def test_what_is_refused_and_left_out_is_told(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path, extra='[[conditions]]\ndrawing = "random"\nlengths = [[9000, 9000]]\n')
    found = forecast(read_study(path))
    assert len(found.refused) == 1
    assert "Refused: toy has too few authors for random_q9000_k9000" in found.words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 seconds"), (89, "89 seconds"), (600, "10 minutes"), (9_000, "2.5 hours")]
)
def test_times_are_told_as_people_tell_them(seconds: float, words: str) -> None:
    to_mask = Forecast("s", 1_000_000, None, 0, seconds, (), 3)
    assert f"1,000,000 characters must be masked first, which takes about {words}." in to_mask.words
    assert "3 times an author is too short" in to_mask.words
