"""Recipes: an ordered list of steps with their settings, by name or from the user's own TOML file."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from idiograph.errors import InputError, nearest
from idiograph.provenance import digest_json

# Imported for what they register.
from idiograph.texts.preparing import corpus_steps, duplicates, steps  # noqa: F401
from idiograph.texts.preparing.registry import STEPS, step_kind

SCHEMA = 1


@dataclass(frozen=True)
class Step:
    """A step of a recipe with all its settings, the defaults spelt out."""

    name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Recipe:
    """Steps in the order in which they are taken."""

    name: str
    about: str
    steps: tuple[Step, ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the steps and settings; the name and the description do not enter."""
        return digest_json(self.as_json()["steps"])

    def as_json(self) -> dict[str, Any]:
        """The recipe as plain data, in the shape of its TOML file."""
        steps_ = [{"step": step.name, **_plain(step.settings)} for step in self.steps]
        return {"schema": SCHEMA, "name": self.name, "about": self.about, "steps": steps_}

    @classmethod
    def from_json(cls, table: Mapping[str, Any], *, where: str) -> "Recipe":
        """The recipe of such data; whatever is unknown in it is refused in words."""
        known = ("schema", "name", "about", "steps")
        for key in table:
            if key not in known:
                raise InputError(f"{where}: a recipe has no {key}{nearest(key, known)}; it has {', '.join(known)}.")
        if table.get("schema") != SCHEMA:
            raise InputError(f"{where}: the schema is {table.get('schema')!r}. This version reads schema = {SCHEMA}.")
        listed = table.get("steps")
        if not isinstance(listed, list) or not listed or not all(isinstance(step, dict) for step in listed):
            raise InputError(f'{where}: there are no steps. Give each a [[steps]] table with step = "…" and settings.')
        name, about = table.get("name", ""), table.get("about", "")
        if not isinstance(name, str) or not isinstance(about, str):
            raise InputError(f"{where}: name and about must be strings.")
        return cls(name, about, tuple(_step(number, step, where) for number, step in enumerate(listed, 1)))

    def toml(self) -> str:
        """The recipe as TOML that can be edited and used, every step explained."""
        lines = [f"schema = {SCHEMA}", f"name = {_toml(self.name)}", f"about = {_toml(self.about)}"]
        for step in self.steps:
            lines += ["", f"# {STEPS[step.name].about}", "[[steps]]", f"step = {_toml(step.name)}"]
            lines += [f"{key} = {_toml(value)}" for key, value in step.settings.items()]
        return "\n".join(lines) + "\n"


def recipe_names() -> tuple[str, ...]:
    """The recipes that come with Idiograph."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _files() if file.name.endswith(".toml")))


def find_recipe(named: str | Path | Recipe) -> Recipe:
    """The recipe of this name or in this TOML file."""
    if isinstance(named, Recipe):
        return named
    names = recipe_names()
    if named in names:
        content = next(file for file in _files() if file.name == f"{named}.toml").read_text(encoding="utf-8")
        return _parsed(content, where=f"recipe {named}")
    path = Path(named)
    if path.suffix != ".toml" and not path.exists():
        raise InputError(
            f"There is no recipe {named}{nearest(str(named), names)}. The recipes are {', '.join(names)}; "
            "your own is a file that ends in .toml."
        )
    try:
        return _parsed(path.read_text(encoding="utf-8"), where=str(path))
    except OSError as error:
        raise InputError(f"{path} could not be read ({error.strerror or error}). Check its name and rights.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (at byte {error.start}). A recipe must be: save it as UTF-8.") from error


def _files() -> list[Any]:
    return list((resources.files("idiograph.texts.preparing") / "recipes").iterdir())


def _parsed(content: str, *, where: str) -> Recipe:
    try:
        table = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"{where} is not valid TOML: {error}. Strings need quotation marks, lists brackets."
        ) from error
    return Recipe.from_json(table, where=where)


def _step(number: int, table: Mapping[str, Any], where: str) -> Step:
    where = f"{where}, step {number}"
    name = table.get("step")
    if not isinstance(name, str):
        raise InputError(f'{where}: it has no name. Add step = "…", one of {", ".join(STEPS)}.')
    given = {key: value for key, value in table.items() if key != "step"}
    return Step(name, step_kind(name, where=where).settings(given, where=where))


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in settings.items()}


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    # JSON's strings, numbers and booleans are TOML's, but for the one control character that only TOML forbids.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
