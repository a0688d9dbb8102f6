"""Folds, halves and who is in them: who is left out together, and by whom they are judged."""

import pytest

from idiograph import Condition, Design, StudyError
from idiograph.studies.problems import in_parts, make_folds, plan, roles, split_authors, split_writers
from made_study import linked_problems

AUTHORS = [f"a{number:02}" for number in range(40)]


def design(**changed: object) -> Design:
    return Design(pairs="all", calibration=0.0, **changed)  # type: ignore[arg-type]


def test_everyone_is_left_out_once_and_judged_by_all_others() -> None:
    folds = make_folds(AUTHORS, design(most_authors=30), where="toy")
    assert sorted(author for fold in folds for author in fold.left_out) == AUTHORS[:30]
    assert [len(fold.left_out) for fold in folds] == [6] * 5
    for fold in folds:
        assert sorted((*fold.left_out, *fold.reference)) == AUTHORS[:30]


def test_the_size_of_a_fold_and_the_cohort_are_settings() -> None:
    assert [len(fold.left_out) for fold in make_folds(AUTHORS[:12], design(fold=3), where="toy")] == [3] * 4
    folds = make_folds(AUTHORS, design(cohort=10), where="toy")
    assert {len(fold.reference) for fold in folds} == {10}
    assert not any(set(fold.left_out) & set(fold.reference) for fold in folds)
    assert len({fold.reference for fold in folds}) == len(folds)


def test_folds_can_share_what_the_models_leave_out() -> None:
    alone = make_folds(AUTHORS, design(most_authors=24), where="toy")
    assert [fold.group for fold in alone] == [0, 1, 2, 3]
    assert all(fold.out_of_models == fold.left_out for fold in alone)
    paired = make_folds(AUTHORS, design(most_authors=24, groups=2), where="toy")
    assert [fold.group for fold in paired] == [0, 1, 0, 1]
    for fold in paired:
        together = {author for other in paired if other.group == fold.group for author in other.left_out}
        assert set(fold.out_of_models) == together
        assert fold.reference == alone[paired.index(fold)].reference  # who judges does not change
    # Two of three folds would leave too little, so that three stay as they are.
    assert [fold.group for fold in make_folds(AUTHORS[:12], design(groups=2), where="toy")] == [0, 1, 2]


def test_few_authors_still_make_three_folds() -> None:
    assert [len(part) for part in in_parts(AUTHORS[:8], 6)] == [3, 3, 2]
    assert [len(fold.reference) for fold in make_folds(AUTHORS[:8], design(), where="toy")] == [5, 5, 6]
    with pytest.raises(StudyError, match="toy: 7 authors take part, and folds that can judge each other need"):
        make_folds(AUTHORS[:7], design(), where="toy")


def test_every_k_meets_every_q_and_only_trials_within_the_fold_are_judged() -> None:
    fold = make_folds(AUTHORS[:9], design(), where="toy")[0]
    halves = {(k, q): half for k, q, half in roles(fold)}
    assert len(halves) == 81
    for (k, q), half in halves.items():
        n = (k in fold.left_out) + (q in fold.left_out)
        assert half == ("calibration", "cohort", "case")[n]


def test_authors_are_split_by_the_seed_and_their_names_alone() -> None:
    authors = [f"a{number:02}" for number in range(10)]
    halves = split_authors(authors, share=0.4, seed=1)
    assert (len(halves["calibration"]), len(halves["case"])) == (4, 6)
    assert sorted((*halves["calibration"], *halves["case"])) == authors
    assert split_authors(authors[::-1], share=0.4, seed=1) == halves
    assert split_authors(authors, share=0.4, seed=2) != halves
    assert split_authors(authors, share=0.0, seed=1)["calibration"] == ()


def test_halves_share_no_writer_and_linked_writers_stay_together() -> None:
    pairs = [(f"w{2 * n:02}", f"w{2 * n + 1:02}") for n in range(10)] + [(f"w{n:02}", f"w{n:02}") for n in range(20)]
    linked = linked_problems(*pairs)
    halves = split_writers(linked, share=0.4, seed=1)
    assert (len(halves["calibration"]), len(halves["case"])) == (8, 12)
    assert not set(halves["calibration"]) & set(halves["case"])
    planned = plan(linked, corpus="pan", condition=Condition(drawing="whole"), design=Design(fewest_authors=2))
    assert planned.left_out == {}
    for problem in planned.problems:
        assert {problem.k_author, problem.q_author} <= set(planned.halves[problem.half])


def test_writers_whom_everything_links_are_split_one_by_one() -> None:
    names = [f"w{n}" for n in range(10)]
    linked = linked_problems(*((k, q) for k in names for q in names if k < q))
    halves = split_writers(linked, share=0.4, seed=1)
    assert (len(halves["calibration"]), len(halves["case"])) == (4, 6)
    assert split_writers(linked, share=0.4, seed=2) != halves
