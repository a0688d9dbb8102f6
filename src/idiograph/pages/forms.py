"""Forms made from settings: a field for each setting, with its meaning, its limits and what the file holds."""

import re
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any, Literal

from idiograph.pages import words
from idiograph.pages.controls import choices
from idiograph.pages.drafts import Draft, Keys
from idiograph.settings import REQUIRED, Setting, settings_of

Shape = Literal["line", "area", "lines", "number", "choice", "several", "file"]
_LONG = 60  # characters of a usual value from which on a field has several lines


@dataclass(frozen=True)
class FormField:
    """One setting as a field of a form."""

    keys: Keys
    label: str
    help: str
    shape: Shape
    value: str
    values: tuple[str, ...]  # those chosen, where several can be
    choices: tuple[tuple[str, str], ...]  # value and words of each
    limits: str
    usual: str
    required: bool
    error: str
    whole: bool
    minimum: float | None
    maximum: float | None
    source: str = ""  # whose the usual value is: the paper's or Idiograph's own
    rare: bool = False  # hardly ever changed
    changed: bool = False  # whether the file holds another value than the usual one

    @property
    def name(self) -> str:
        """The name of the field in the form."""
        return ".".join(self.keys)

    @property
    def id(self) -> str:
        """The name of the element on the page."""
        return "f-" + self.name.replace(".", "-")


@dataclass(frozen=True)
class FieldGroup:
    """The fields of a table of the file."""

    table: str
    title: str
    fields: tuple[FormField, ...]


def groups(kind: type, draft: Draft, wanted: Callable[[Keys, Setting], bool]) -> tuple[FieldGroup, ...]:
    """The fields that are wanted, by the tables of the file."""
    found: dict[str, list[FormField]] = {}
    for keys, one in located(kind):
        if wanted(keys, one) and _shape(one) not in (None, "file"):
            found.setdefault(keys[0] if len(keys) > 1 else "", []).append(form_field(keys, one, draft))
    titles = {"": f"The {draft.kind.name}", **words.TABLES}
    return tuple(
        FieldGroup(table, titles.get(table, table.replace("_", " ").capitalize()), tuple(fields))
        for table, fields in found.items()
    )


def file_fields(kind: type, draft: Draft, wanted: Callable[[Keys, Setting], bool]) -> tuple[FormField, ...]:
    """The settings that are wanted and name a file, which is given and never typed."""
    return tuple(
        form_field(keys, one, draft) for keys, one in located(kind) if _shape(one) == "file" and wanted(keys, one)
    )


def located(kind: type, above: Keys = ()) -> Iterator[tuple[Keys, Setting]]:
    """Every setting with where it stands; those of a nested dataclass too, but not those of a list of them."""
    for one in settings_of(kind):
        keys = (*above, *((one.table,) if one.table else ()), one.key)
        if one.nested is not None and is_dataclass(one.kind):
            yield from located(one.nested, keys)
        elif one.nested is None:
            yield keys, one


def form_field(keys: Keys, one: Setting, draft: Draft) -> FormField:
    """A setting with what the draft holds of it."""
    held, shape = draft.held(keys), _shape(one)
    assert shape is not None
    chosen = tuple(map(str, held)) if isinstance(held, list) else ()
    return FormField(
        keys=keys,
        label=words.LABELS.get(".".join(keys)) or words.label(one.key),
        help=words.HELPS.get(one.key, one.help) if draft.kind.name == "case" else one.help,
        shape=shape,
        value="\n".join(chosen) if chosen else "" if held is None or isinstance(held, list) else _shown(held),
        values=chosen,
        choices=_choices(one),
        limits="" if one.known else one.limits,
        usual=_usual(one),
        source=words.SOURCES.get(one.key, ""),
        rare=one.key in words.RARE,
        changed=held is not None and held != (list(one.default) if isinstance(one.default, tuple) else one.default),
        required=one.default is REQUIRED,
        error=_error(one, draft.problem),
        whole=int in _kinds(one),
        minimum=one.minimum,
        maximum=one.maximum,
    )


def errors(found: Sequence[FieldGroup]) -> dict[str, str]:
    """What is wrong with which field, by its id."""
    return {field.id: field.error for group in found for field in group.fields if field.error}


def typed(
    asked: Sequence[FieldGroup], posted: Mapping[str, str], several: Mapping[str, Collection[str]]
) -> dict[Keys, Any]:
    """What was typed into the fields that were sent: numbers where they are numbers, None for what was left empty."""
    found: dict[Keys, Any] = {}
    for field in (field for group in asked for field in group.fields):
        if field.shape == "several" and f"{field.name}.sent" in posted:
            found[field.keys] = [choice for choice, _ in field.choices if choice in several.get(field.name, ())] or None
        elif field.name in posted:
            found[field.keys] = _value(field, posted[field.name].replace("\r\n", "\n").strip())
    return found


def _value(field: FormField, text: str) -> Any:
    if not text:
        return None
    if field.shape == "lines":
        return [line.strip() for line in text.split("\n") if line.strip()]
    if field.shape == "choice" and {choice for choice, _ in field.choices} == {"true", "false"}:
        return text == "true"
    if field.shape == "number":
        for number in (int, float):
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _shape(one: Setting) -> Shape | None:
    """How a setting is shown; None where only the case file itself can hold it."""
    kinds = _kinds(one)
    if kinds == {Path}:
        return "file"
    if typing.get_origin(one.kind) in (tuple, Sequence):
        if one.known:
            return "several"
        return "lines" if typing.get_args(one.kind)[0] is str else None
    if one.known or bool in kinds:
        return "choice"
    if kinds <= {int, float}:
        return "number"
    if kinds != {str}:
        return None
    return "area" if len(one.usual) > _LONG or (one.default is REQUIRED and one.allows is not None) else "line"


def _kinds(one: Setting) -> set[Any]:
    """The types that a value may have, nothing left out."""
    kinds = typing.get_args(one.kind) if typing.get_origin(one.kind) in (typing.Union, types.UnionType) else (one.kind,)
    return {kind for kind in kinds if kind is not types.NoneType}


def _choices(one: Setting) -> tuple[tuple[str, str], ...]:
    if bool in _kinds(one):
        return (("true", words.YES), ("false", words.NO))
    return choices(one)


def _usual(one: Setting) -> str:
    if one.kind is bool:
        return words.YES if one.default else words.NO
    return dict(choices(one)).get(one.usual, one.usual)


def _shown(held: Any) -> str:
    return ("true" if held else "false") if isinstance(held, bool) else str(held)


def _error(one: Setting, problem: str) -> str:
    """The draft's problem, if it is this setting's; one that is only missing is not shouted at the user."""
    return problem if re.search(rf"(^|: ){re.escape(one.key)} must be ", problem) else ""
