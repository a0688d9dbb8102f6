"""The steps by name, each with its settings: a recipe can ask for nothing else."""

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from idiograph.errors import InputError, nearest
from idiograph.texts.edits import Edits
from idiograph.texts.placeholders import PLACEHOLDERS
from idiograph.texts.text import Text


@dataclass(frozen=True)
class Range:
    """The values a numeric setting may take, both ends included."""

    least: float
    most: float | None = None

    def __str__(self) -> str:
        return f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"

    def allows(self, value: Any) -> bool:
        return bool(value >= self.least and (self.most is None or value <= self.most))


class OneToken:
    """What may stand for something else: nothing, a known placeholder or one plain word, so that it stays one token."""

    def __str__(self) -> str:
        return f"empty, one of {' '.join(PLACEHOLDERS)}, or one word of letters, so that it stays one token"

    def allows(self, value: Any) -> bool:
        return not value or value in PLACEHOLDERS or (value.isascii() and value.isalpha())


@dataclass(frozen=True)
class Outcome:
    """What a step does to a corpus: texts left out with a reason, edits and metadata by text id, figures and notes."""

    removed: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[str, Edits] = field(default_factory=dict)
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    figures: Mapping[str, int | float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepKind:
    """A registered step: its name, the sentence that explains it, its settings and the function behind it."""

    name: str
    about: str
    annotations: Mapping[str, Any]
    defaults: Mapping[str, Any]
    on_text: Callable[..., Edits] | None = None
    on_corpus: Callable[..., Outcome] | None = None

    def settings(self, given: Mapping[str, Any], *, where: str) -> dict[str, Any]:
        """All settings, those of `given` checked against what the step takes."""
        for key in given:
            if key not in self.defaults:
                taken = f"it takes {', '.join(self.defaults)}" if self.defaults else "it takes no settings"
                raise InputError(
                    f"{where}: the step {self.name} has no setting {key}{nearest(key, self.defaults)}; {taken}."
                )
        return {
            key: _checked(given[key], self.annotations[key], f"{where}: {self.name}.{key}") if key in given else default
            for key, default in self.defaults.items()
        }


STEPS: dict[str, StepKind] = {}

OnText = typing.TypeVar("OnText", bound=Callable[..., Edits])
OnCorpus = typing.TypeVar("OnCorpus", bound=Callable[..., Outcome])


def text_step(function: OnText) -> OnText:
    """Registers a function from a text's content to the edits it makes."""
    STEPS[function.__name__] = StepKind(**_described(function), on_text=function)
    return function


def corpus_step(function: OnCorpus) -> OnCorpus:
    """Registers a function from texts, in (author, id) order, to an Outcome."""
    STEPS[function.__name__] = StepKind(**_described(function), on_corpus=function)
    return function


def step_kind(name: str, *, where: str) -> StepKind:
    """The registered step of this name."""
    if name not in STEPS:
        raise InputError(f"{where}: there is no step {name}{nearest(name, STEPS)}. The steps are {', '.join(STEPS)}.")
    return STEPS[name]


def in_order(texts: Iterable[Text]) -> tuple[Text, ...]:
    """Texts by (author, id), so that files in another order change nothing."""
    return tuple(sorted(texts, key=lambda text: (text.author or "", text.id)))


def _described(function: Callable[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    hints = typing.get_type_hints(function, include_extras=True)
    own = [parameter for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    return {
        "name": function.__name__,
        "about": (function.__doc__ or "").split("\n\n")[0].replace("\n    ", " "),
        "annotations": {parameter.name: hints[parameter.name] for parameter in own},
        "defaults": {parameter.name: parameter.default for parameter in own},
    }


def _checked(value: Any, annotation: Any, where: str) -> Any:
    limits = None
    if typing.get_origin(annotation) is Annotated:
        annotation, limits = typing.get_args(annotation)
    if typing.get_origin(annotation) is Literal:
        choices: Sequence[str] = typing.get_args(annotation)
        if value not in choices:
            raise InputError(f"{where} is {value!r}. It can be {' or '.join(map(repr, choices))}.")
        return value
    if typing.get_origin(annotation) is tuple:
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise InputError(f"{where} is {value!r}. It must be a list of strings.")
        return tuple(value)
    if annotation is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not annotation:
        kind = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}[annotation]
        raise InputError(f"{where} is {value!r}. It must be {kind}.")
    if limits is not None and not limits.allows(value):
        raise InputError(f"{where} is {value!r}. It must be {limits}.")
    return value
