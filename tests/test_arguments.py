"""Annotations as checks: what they allow passes, all else gets a sentence made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

from idiograph import InputError
from idiograph.checking import check, check_fields, checks_arguments, in_order, one_of, wanted, whole_number

Floats = npt.NDArray[np.float64]

ALLOWED: list[tuple[Any, Any]] = [
    (1, int),
    (True, bool),
    (np.int64(1), int),
    (1, float),
    (np.float32(1), float),
    ("a", str | None),
    (None, str | None),
    (["a"], Sequence[str]),
    (range(3), Sequence[int]),
    ([["a"], ("b",)], Sequence[Sequence[str]]),
    ([("a", 1)], Sequence[tuple[str, int]]),
    (np.ones(2), Sequence[float] | Floats),
    ({"a": 1}, Mapping[str, int]),
    ("b", Literal["a", "b"]),
    (object(), Any),
]
REFUSED: list[tuple[Any, Any, str]] = [
    (True, int, "a whole number"),
    (1.0, int, "a whole number"),
    ("1", float, "a number"),
    (b"a", str, "a string"),
    ("ab", Sequence[str], "a list of strings"),
    ({"a"}, Sequence[str], "a list of strings"),
    (["a", None], Sequence[str], "a list of strings"),
    (["ab"], Sequence[Sequence[str]], "a list of lists of strings"),
    ([("a",)], Sequence[tuple[str, str]], "a list of pairs of strings"),
    (np.array(["a"]), Floats, "an array"),
    ({1: 1}, Mapping[str, int], "a dictionary"),
    ("c", Literal["a", "b"], "a or b"),
    (["a"], Literal["a", "b"], "a or b"),
    (3, Path | str, "a path or a string"),
    (3, InputError, "a InputError"),
    (np.ones(2), str, "a string, not a ndarray"),
    ("x" * 500, int, "a whole number, not 'xxxxxxxxxxxx...xxxxxxxxxxxxx'"),
]


@pytest.mark.parametrize(("value", "kind"), ALLOWED)
def test_what_an_annotation_allows_passes(value: Any, kind: Any) -> None:
    assert check(value, kind, "it") is value


@pytest.mark.parametrize(("value", "kind", "sentence"), REFUSED)
def test_what_it_does_not_allow_is_told_with_what_it_does(value: Any, kind: Any, sentence: str) -> None:
    named, _, value_in_words = sentence.partition(", not ")
    assert wanted(kind) == named
    with pytest.raises(InputError) as caught:
        check(value, kind, "it")
    assert str(caught.value).startswith(f"it must be {named}, not {value_in_words}")


def test_arguments_of_a_call_are_checked_however_they_are_given() -> None:
    @checks_arguments
    def repeated(word: str, *, times: int = 2) -> str:
        """Says it again."""
        return word * times

    assert repeated("a") == repeated(word="a", times=2) == "aa"
    assert repeated.__doc__ == "Says it again."
    with pytest.raises(InputError, match="times must be a whole number, not 'x'"):
        repeated("a", times="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        repeated()  # type: ignore[call-arg]


def test_fields_are_checked_when_a_dataclass_is_made() -> None:
    @dataclass(frozen=True)
    class Made:
        size: int

        def __post_init__(self) -> None:
            check_fields(self)

    Made(1)
    with pytest.raises(InputError, match="size of a Made must be a whole number, not None"):
        Made(None)  # type: ignore[arg-type]


def test_numbers_outside_their_limits_are_refused() -> None:
    assert whole_number(np.int64(3), "n", least=1) == 3
    for value, sentence in ((0, "not 0"), (11, "not 11"), (1.0, "not 1.0"), (False, "not False"), ("1", "not '1'")):
        with pytest.raises(InputError, match=f"n must be a whole number from 1 to 10, {sentence}"):
            whole_number(value, "n", least=1, most=10)
    with pytest.raises(InputError, match="n must be a whole number, 1 or more, not -1"):
        whole_number(-1, "n", least=1)


def test_a_word_that_is_none_of_the_choices_is_refused() -> None:
    assert one_of("b", ("a", "b"), "The letter") == "b"
    for value in ("c", None, ["a"]):
        with pytest.raises(InputError, match="The letter must be a or b, not"):
            one_of(value, ("a", "b"), "The letter")


def test_sets_strings_and_strange_items_are_refused_where_a_list_is_needed() -> None:
    assert in_order((number for number in range(3)), "Numbers", "numbers") == (0, 1, 2)
    with pytest.raises(InputError, match="The words must be strings in a list, not a set: a set has no order"):
        in_order({"a"}, "The words", "strings")
    with pytest.raises(InputError, match="The words must be strings in a list, not 'ab'"):
        in_order("ab", "The words", "strings")
    with pytest.raises(InputError, match="The words must be strings in a list: item 2 must be one of them, not None"):
        in_order(["a", None], "The words", "strings", lambda item: isinstance(item, str))
