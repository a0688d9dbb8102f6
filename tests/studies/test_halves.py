"""Two halves that share nobody: of authors, and of the writers of ready-made problems."""

from idiograph.studies.drawing import Condition
from idiograph.studies.problems import plan, split_authors, split_writers
from idiograph.studies.settings import Design
from made_study import linked_problems


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
    made = linked_problems(*pairs)
    halves = split_writers(made, share=0.4, seed=1)
    assert (len(halves["calibration"]), len(halves["case"])) == (8, 12)
    assert not set(halves["calibration"]) & set(halves["case"])
    planned = plan(made, corpus="pan", condition=Condition(drawing="whole"), design=Design(fewest_authors=2))
    assert planned.left_out == {}
    for problem in planned.problems:
        assert {problem.k_author, problem.q_author} <= set(planned.halves[problem.half])


def test_writers_whom_everything_links_are_split_one_by_one() -> None:
    names = [f"w{n}" for n in range(10)]
    made = linked_problems(*((k, q) for k in names for q in names if k < q))
    halves = split_writers(made, share=0.4, seed=1)
    assert (len(halves["calibration"]), len(halves["case"])) == (4, 6)
    assert split_writers(made, share=0.4, seed=2) != halves
