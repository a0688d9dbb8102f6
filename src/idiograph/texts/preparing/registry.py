"""The steps by name, each with its settings: a recipe can ask for nothing else."""

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any

from idiograph.settings.reading import read_settings
from idiograph.settings.setting import Setting, settings_of
from idiograph.texts.edits import Edits
from idiograph.texts.text import Text
from idiograph.texts.words import PLACEHOLDERS


def limits(minimum: float, maximum: float | None = None) -> Setting:
    """The values that a numeric setting of a step may take, both ends included."""
    return Setting(minimum=minimum, maximum=maximum)


# What may stand for something else must stay one token in masking.
ONE_TOKEN = Setting(
    must=f"empty, one of {' '.join(PLACEHOLDERS)}, or one word of letters, so that it stays one token",
    allows=lambda text: not text or text in PLACEHOLDERS or (text.isascii() and text.isalpha()),
)


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
    """A registered step: the sentence that explains it, its settings and the function behind it."""

    name: str
    about: str
    settings: type  # a dataclass of the function's keyword arguments
    function: Callable[..., Any]
    on_corpus: bool  # the function takes texts, in (author, id) order, to an Outcome; else a content to its edits

    @property
    def defaults(self) -> dict[str, Any]:
        """Every setting with its default."""
        return {one.name: one.default for one in settings_of(self.settings)}

    def read(self, given: Mapping[str, Any], *, where: str) -> dict[str, Any]:
        """All settings, those of `given` checked against what the step takes."""
        found: Any = read_settings(self.settings, given, where=f"{where}, {self.name}")
        return {name: getattr(found, name) for name in self.defaults}


STEPS: dict[str, StepKind] = {}

Function = typing.TypeVar("Function", bound=Callable[..., Any])


def step(function: Function) -> Function:
    """Registers a function of a text's content or, if it gives an Outcome, of texts."""
    hints = typing.get_type_hints(function, include_extras=True)
    own = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            hint = hints[parameter.name]
            kind, *described = typing.get_args(hint) if typing.get_origin(hint) is Annotated else [hint]
            declared = field(default=parameter.default, metadata={"setting": described[0] if described else Setting()})
            own.append((parameter.name, kind, declared))
    name, about = function.__name__, (function.__doc__ or "").split("\n\n")[0].replace("\n    ", " ")
    settings = make_dataclass(name, own, frozen=True)
    STEPS[name] = StepKind(name, about, settings, function, on_corpus=hints["return"] is Outcome)
    return function


def in_order(texts: Iterable[Text]) -> tuple[Text, ...]:
    """Texts by (author, id), so that files in another order change nothing."""
    return tuple(sorted(texts, key=lambda text: (text.author or "", text.id)))
