"""Annotations as checks: what they allow passes, all else gets a sentence made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

from idiograph import InputError
from idiograph.checking import check, check_fields, checks_arguments, wanted

Floats = npt.NDArray[np.float64]

ALLOWED: list[tuple[Any, Any]] = [
    (1, int),
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
]


@pytest.mark.parametrize(("value", "kind"), ALLOWED)
def test_what_an_annotation_allows_passes(value: Any, kind: Any) -> None:
    check(value, kind, "it")


@pytest.mark.parametrize(("value", "kind", "sentence"), REFUSED)
def test_what_it_does_not_allow_is_told_with_what_it_does(value: Any, kind: Any, sentence: str) -> None:
    assert wanted(kind) == sentence
    with pytest.raises(InputError) as caught:
        check(value, kind, "it")
    assert str(caught.value).startswith(f"it must be {sentence}, not ")


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
