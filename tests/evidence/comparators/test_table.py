"""The table of comparators: every method scores, and higher where Q and K are alike."""

import pytest

from idiograph.evidence.comparators import COMPARATORS

REFERENCE = ["it was the cat , not me .", "some dogs ran over there .", "nobody knows what this was , or why ."]
Q, ALIKE, UNLIKE = "we saw it ; we left .", "we saw them ; we went .", "WHY WOULD JACK VEX QUIZ BUFFS"


@pytest.mark.parametrize("key", COMPARATORS)
def test_a_score_is_higher_where_q_and_k_are_alike(key: str) -> None:
    comparator = COMPARATORS[key]
    assert comparator.key == key
    alike, unlike = (comparator.score(Q, [k], REFERENCE, (1, 2)) for k in (Q, UNLIKE))
    assert alike > unlike
    assert comparator.score(Q, [ALIKE], REFERENCE, 1) == comparator.score(Q, [ALIKE], REFERENCE, 1)


def test_nothing_is_called_a_likelihood_ratio() -> None:
    for comparator in COMPARATORS.values():
        assert "LR" not in comparator.name
        assert "likelihood" not in comparator.name.lower()
