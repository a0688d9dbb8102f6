"""The constants that come with the project."""

import pytest

from idiograph import CalibrationError
from idiograph.evidence.constants import constants_for, shipped


def test_every_set_says_where_it_comes_from_and_raises_the_llr_with_the_scores():
    for one in shipped():
        assert len(one.scores) == len(one.weights.betas)
        assert min(one.weights.betas) > 0 > one.weights.alpha
        assert one.source
        assert len(one.digest) == 64


def test_the_nearest_number_of_authors_decides():
    sizes = sorted(one.n_authors for one in shipped() if one.scores == ("distinct", "cosine"))
    for size in sizes:
        assert constants_for(size).n_authors == size
    assert constants_for(1000).n_authors == sizes[-1]
    assert constants_for(5).n_authors == sizes[0]


def test_scores_without_constants_are_refused():
    with pytest.raises(CalibrationError, match="no constants for the scores delta"):
        constants_for(10, ("delta",))
