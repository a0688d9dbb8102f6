"""Newcomers' mistakes: every argument of a call, one after the other, given every kind of wrong value."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from idiograph import Corpus, IdiographError, MaskedText, Text

_TEXT = Text("a", "A text.", "Ann")
_MASKED = MaskedText("a", "Ann", (("the", "N", "."),), "by hand")

# Made anew for each call: a generator can be used only once.
WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a str": lambda: "words of a text",
    "an empty str": lambda: "",
    "a str with a zero character": lambda: "a\0b",
    "half a character": lambda: "\ud800",
    "bytes": lambda: b"words",
    "True": lambda: True,
    "zero": lambda: 0,
    "a negative number": lambda: -5,
    "a huge number": lambda: 10**30,
    "a float": lambda: 0.5,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a complex number": lambda: 1j,
    "an empty list": list,
    "a list of strs": lambda: ["a", "b"],
    "a list of numbers": lambda: [1, 2.5],
    "a list of None": lambda: [None],
    "a list of lists": lambda: [["the", "N"], ["V"]],
    "a list in a list in a list": lambda: [[["the"]]],
    "a tuple": lambda: ("a", 1),
    "an empty dict": dict,
    "a dict": lambda: {"a": 1},
    "a set": lambda: {"a", "b"},
    "a frozenset": lambda: frozenset({1.0, 2.0}),
    "a range": lambda: range(3),
    "a generator": lambda: (word for word in ("a", "b")),
    "a generator of numbers": lambda: (number for number in (1.0, 2.0)),
    "an array": lambda: np.array([1.0, 2.0]),
    "an empty array": lambda: np.array([]),
    "an array of strs": lambda: np.array(["a", "b"]),
    "an array of objects": lambda: np.array([None, "a"], dtype=object),
    "a table": lambda: np.ones((2, 3)),
    "a number of NumPy": lambda: np.float64(0.5),
    "a path": lambda: Path("nowhere") / "nothing.txt",
    "a function": lambda: len,
    "a class": lambda: MaskedText,
    "an object": object,
    "a module": lambda: np,
    "an error": lambda: ValueError("oh"),
    "a Text": lambda: _TEXT,
    "a MaskedText": lambda: _MASKED,
    "a list of Texts": lambda: [_TEXT],
    "a Corpus of Texts": lambda: Corpus((_TEXT,)),
    "a Corpus of MaskedTexts": lambda: Corpus((_MASKED,)),
}

Call = Callable[..., Any]


def mistakes(call: Call, right: Mapping[str, Callable[[], Any]]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A description and a call for each argument of `right` replaced by each wrong value.

    The values of `right` are functions too, so that each call gets fresh ones. What the call makes is used as far as
    any property goes, since a mistake that shows up only later is no better.
    """
    for name in right:
        for kind, wrong in WRONG.items():

            def mistaken(name: str = name, wrong: Callable[[], Any] = wrong) -> Any:
                return used(call(**{key: value() for key, value in right.items()} | {name: wrong()}))

            yield f"{name} is {kind}", mistaken


def used(result: Any) -> Any:
    """The same, after a look at each of its properties."""
    for name in dir(type(result)) if type(result).__module__.startswith("idiograph") else ():
        if not name.startswith("_") and not callable(getattr(type(result), name)):
            getattr(result, name)
    return result


def unanswered(call: Call, right: Mapping[str, Callable[[], Any]]) -> list[str]:
    """The mistakes that end neither in a result nor in a sentence; empty if all is well."""
    unanswered_mistakes = []
    for what, mistaken in mistakes(call, right):
        try:
            mistaken()
        except IdiographError as error:
            if len(str(error)) < 15 or str(error)[-1] not in ".)…:":
                unanswered_mistakes.append(f"{what}: no sentence but {str(error)!r}")
        except Exception as error:
            unanswered_mistakes.append(f"{what}: {type(error).__name__}: {error}")
    return unanswered_mistakes
