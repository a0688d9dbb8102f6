"""The constants that come with the project."""

from math import log

import pytest

from idiograph import CalibrationError
from idiograph.evidence.constants import NONE, ConstantsByLength, Weights, constants_for, shipped


def test_every_set_says_where_it_comes_from_and_raises_the_llr_with_the_scores():
    lines, source, digest = shipped()
    assert source
    assert len(digest) == 64
    for line in lines:
        assert len(line.scores) == len(line.level.betas) == len(line.slope.betas)
        for k_tokens in (500, 1_500, 3_000):
            weights = line.at(k_tokens)
            assert min(weights.betas) > 0 > weights.alpha


def test_a_constant_is_a_line_over_the_logarithm_of_k():
    line = ConstantsByLength(("x",), 10, Weights(-1.0, (0.5,)), Weights(0.2, (0.1,)))
    assert line.at(1_500) == Weights(-1.0, (0.5,))
    assert line.at(3_000).alpha == pytest.approx(-1 + 0.2 * log(2), rel=1e-12)
    assert line.at(3_000).betas[0] == pytest.approx(0.5 + 0.1 * log(2), rel=1e-12)
    # Beyond the lengths they were learnt for they stay as they are there.
    assert line.at(50) == line.at(500)
    assert line.at(1_000_000) == line.at(3_000)
    assert constants_for(24, k_tokens=500).weights != constants_for(24, k_tokens=3_000).weights


def test_the_nearest_number_of_authors_decides():
    sizes = sorted(one.n_authors for one in shipped()[0] if one.scores == ("distinct", "cosine"))
    for size in sizes:
        assert constants_for(size).n_authors == size
    assert constants_for(1000).n_authors == sizes[-1]
    assert constants_for(5).n_authors == sizes[0]


def test_scores_without_constants_are_refused():
    with pytest.raises(CalibrationError, match="no constants for the scores delta"):
        constants_for(10, ("delta",))


def test_a_k_without_tokens_is_refused():
    for tokens in (0, -5.0, float("nan")):
        with pytest.raises(CalibrationError, match="K is said to have"):
            constants_for(10, k_tokens=tokens)


def test_going_without_constants_is_going_towards_saying_nothing():
    none = constants_for(10, ("distinct", "cosine", "typing"), origin=NONE)
    assert (none.weights, none.say_nothing) == (Weights(0.0, (0.0, 0.0, 0.0)), True)
    assert none.source.startswith("None: the fit is held towards saying nothing")
    assert not constants_for(10).say_nothing
