"""The sentences that every part shares."""

from pathlib import Path

import pytest

from idiograph.errors import InputError, StudyError, cannot_read, cannot_write, nearest, some


def test_what_cannot_be_read_or_written_gets_one_kind_of_sentence() -> None:
    error = FileNotFoundError(2, "No such file or directory")
    said = "q.txt could not be read (No such file or directory). Check the name and permissions."
    assert str(cannot_read("q.txt", error)) == said
    assert type(cannot_read("q.txt", error)) is InputError
    assert type(cannot_read(Path("q.txt"), error, StudyError)) is StudyError
    assert str(cannot_write(Path("out"), error)).startswith("out could not be written (No such file or directory).")


@pytest.mark.parametrize(
    ("names", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more"), (["a"] * 1_500, None)],
)
def test_long_lists_are_cut_and_the_rest_is_counted(names: list[str], said: str | None) -> None:
    assert some(names, 2) == (said if said is not None else "a, a and 1,498 more")
    assert some(["a", "b"], between="; ") == "a; b"


def test_the_nearest_name_is_suggested_and_a_distant_one_is_not() -> None:
    assert nearest("primry", ["primary", "scale"]) == " (did you mean primary?)"
    assert nearest("xyz", ["primary", "scale"]) == ""
