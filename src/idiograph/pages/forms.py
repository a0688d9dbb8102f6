"""Forms made from settings: a field for each setting, with its meaning, its limits and what the file holds."""

import re
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from idiograph.pages import words
from idiograph.pages.controls import choices, located
from idiograph.pages.drafts import Draft, Keys
from idiograph.settings import REQUIRED, Setting

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
    by_table: dict[str, list[FormField]] = {}
    for keys, setting in located(kind):
        if wanted(keys, setting) and _shape(setting) not in (None, "file"):
            by_table.setdefault(keys[0] if len(keys) > 1 else "", []).append(form_field(keys, setting, draft))
    titles = {"": f"The {draft.kind.name}", **words.TABLES}
    return tuple(
        FieldGroup(table, titles.get(table, table.replace("_", " ").capitalize()), tuple(fields))
        for table, fields in by_table.items()
    )


def file_fields(kind: type, draft: Draft, wanted: Callable[[Keys, Setting], bool]) -> tuple[FormField, ...]:
    """The settings that are wanted and name a file, which is given and never typed."""
    return tuple(
        form_field(keys, setting, draft)
        for keys, setting in located(kind)
        if _shape(setting) == "file" and wanted(keys, setting)
    )


def form_field(keys: Keys, setting: Setting, draft: Draft) -> FormField:
    """A setting with what the draft holds of it."""
    held, shape, kinds = draft.held(keys), _shape(setting), _kinds(setting)
    assert shape is not None
    chosen = tuple(map(str, held)) if isinstance(held, list) else ()
    shown = "" if held is None or isinstance(held, list) else str(held)
    return FormField(
        keys=keys,
        label=words.LABELS.get(".".join(keys)) or words.label(setting.key),
        # A register and a corpus of reference texts are no settings of a design.
        help=setting.help if keys[0] in ("register", "inputs") else words.HELPS.get(setting.key, setting.help),
        shape=shape,
        value="\n".join(chosen) or (shown.lower() if isinstance(held, bool) else shown),
        values=chosen,
        choices=(("true", words.YES), ("false", words.NO)) if bool in kinds else choices(setting),
        limits="" if setting.known else setting.limits,
        usual=_usual(setting),
        source=words.SOURCES.get(setting.key, ""),
        rare=setting.key in words.RARE,
        changed=held is not None
        and held != (list(setting.default) if isinstance(setting.default, tuple) else setting.default),
        required=setting.default is REQUIRED,
        error=_error(setting, draft.problem),
        whole=int in kinds,
        minimum=setting.minimum,
        maximum=setting.maximum,
    )


def errors(field_groups: Sequence[FieldGroup]) -> dict[str, str]:
    """What is wrong with which field, by its id."""
    return {field.id: field.error for group in field_groups for field in group.fields if field.error}


def typed(
    asked: Sequence[FieldGroup], posted: Mapping[str, str], several: Mapping[str, Collection[str]]
) -> dict[Keys, Any]:
    """What was typed into the fields that were sent: numbers where they are numbers, None for what was left empty."""
    values: dict[Keys, Any] = {}
    for field in (field for group in asked for field in group.fields):
        if field.shape == "several" and f"{field.name}.sent" in posted:
            values[field.keys] = [
                choice for choice, _ in field.choices if choice in several.get(field.name, ())
            ] or None
        elif field.name in posted:
            values[field.keys] = _value(field, posted[field.name].replace("\r\n", "\n").strip())
    return values


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


def _shape(setting: Setting) -> Shape | None:
    """How a setting is shown; None where only the case file itself can hold it."""
    kinds = _kinds(setting)
    if Path in kinds:
        return "file"
    if typing.get_origin(setting.kind) in (tuple, Sequence):
        if setting.known:
            return "several"
        return "lines" if typing.get_args(setting.kind)[0] is str else None
    if setting.known or bool in kinds:
        return "choice"
    if kinds <= {int, float}:
        return "number"
    if kinds != {str}:
        return None
    return (
        "area" if len(setting.usual) > _LONG or (setting.default is REQUIRED and setting.allows is not None) else "line"
    )


def _kinds(setting: Setting) -> set[Any]:
    """The types that a value may have, nothing left out."""
    kinds = (
        typing.get_args(setting.kind)
        if typing.get_origin(setting.kind) in (typing.Union, types.UnionType)
        else (setting.kind,)
    )
    return {kind for kind in kinds if kind is not types.NoneType}


def _usual(setting: Setting) -> str:
    if setting.kind is bool:
        return words.YES if setting.default else words.NO
    named = dict(choices(setting))
    if isinstance(setting.default, tuple):
        return ", ".join(named.get(str(choice), str(choice)) for choice in setting.default)
    return named.get(setting.usual, setting.usual)


def _error(setting: Setting, problem: str) -> str:
    """The draft's problem, if it is this setting's; one that is only missing is not shouted at the user."""
    return problem if re.search(rf"(^|: ){re.escape(setting.key)} must be ", problem) else ""
