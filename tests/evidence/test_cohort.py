"""The cohort of a trial."""

from idiograph.evidence.cohort import cohort, following


def test_all_reference_authors_but_the_two_of_the_trial():
    assert cohort(range(5), 1, 3) == [0, 2, 4]


def test_same_and_different_author_trials_have_cohorts_of_one_size():
    reference = [7, 2, 5, 9]
    assert {len(cohort(reference, b, a)) for b in reference for a in reference} == {2}


def test_the_author_who_follows_is_left_out_of_a_same_author_trial():
    assert cohort([7, 2, 5, 9], 2, 2) == [7, 9]
    assert cohort([7, 2, 5, 9], 9, 9) == [2, 5]
    assert following([7, 2, 5, 9], 9) == 7


def test_a_case_has_the_whole_reference():
    assert cohort(range(4), 4, 4) == [0, 1, 2, 3]
