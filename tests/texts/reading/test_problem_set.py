"""Problems and sets of them, as plain values."""

from pathlib import Path

import pytest

from idiograph import InputError, Text, read
from idiograph.texts.reading.problem_sets import ProblemSet, TextProblem

K, Q = Text("k", "Known.", "lee"), Text("q", "Questioned.")


def test_known_texts_in_a_list_become_a_tuple_in_their_order() -> None:
    problem = TextProblem("p", [K, Q], Text("r", "Other."), True)  # type: ignore[arg-type]
    assert problem.k == (K, Q)
    assert TextProblem("p", (K,), Q).same_author is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((1, (K,), Q), "The id of a problem must be a string, not 1."),
        (("p", {K.id}, Q), "The known texts of a problem must be texts in a list, not a set"),
        (("p", ("Known.",), Q), "The known texts of a problem must be texts in a list: item 1 must be one of them"),
        (("p", (K,), "Questioned."), "The questioned text of a problem must be a Text, not 'Questioned.'."),
        (("p", (K,), Q, 1), "same_author must be True or False or None, not 1."),
    ],
)
def test_anything_else_is_not_a_problem(given: tuple[object, ...], said: str) -> None:
    with pytest.raises(InputError) as caught:
        TextProblem(*given)  # type: ignore[arg-type]
    assert str(caught.value).startswith(said)


def test_the_texts_of_a_set_come_problem_by_problem_known_ones_first(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    report = read(tmp_path).report
    problems = ProblemSet((TextProblem("1", (K,), Q), TextProblem("2", (Text("k2", "x"),), Text("q2", "y"))), report)
    assert problems.texts.text_ids == ("k", "q", "k2", "q2")
    assert len(problems) == 2
    with pytest.raises(InputError, match="The report of a problem set must be a ReadingReport, not None"):
        ProblemSet((), None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="The problems must be problems in a list: item 1"):
        ProblemSet((K,), report)  # type: ignore[arg-type]
