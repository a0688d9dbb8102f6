"""Recipes: an ordered list of steps with their settings, by name or from the user's own TOML file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from idiograph.checking import shown
from idiograph.errors import InputError, nearest
from idiograph.provenance import digest_json
from idiograph.settings import check_settings, read_settings, setting, to_toml
from idiograph.showing import one_line

# Imported for what they register.
from idiograph.texts.preparing.steps import STEPS
from idiograph.toml import parse_toml, read_toml, toml_text

SCHEMA = 1
_RECIPES = resources.files("idiograph.texts.preparing") / "recipes"
# What some steps know of English alone, or of few other languages; the rest goes by characters.
ENGLISH_RULES = {
    "forwarded_text": "headings of forwarded messages",
    "quoted_text": "lines that introduce quotations",
    "salutations": "greetings",
    "signatures": "closing formulas",
    "non_ascii": "letters of the English alphabet",
    "elongated_words": "no word has three equal letters in a row",
}
_EXAMPLE = "what `idiograph prepare --show-recipe plain` prints"


@dataclass(frozen=True)
class Step:
    """A step of a recipe with all its settings, the defaults spelt out."""

    name: str
    settings: Mapping[str, Any]


@one_line
@dataclass(frozen=True)
class Recipe:
    """Steps in the order in which they are taken."""

    name: str = setting("", help="What the recipe is called.")
    about: str = setting("", help="What it is for.")
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        check_settings(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the steps and settings; the name and the description do not enter."""
        return digest_json(self.as_json()["steps"])

    @property
    def english_rules(self) -> tuple[str, ...]:
        """The steps that go by English rules, each with what these are."""
        return tuple(f"{step.name} ({ENGLISH_RULES[step.name]})" for step in self.steps if step.name in ENGLISH_RULES)

    def as_json(self) -> dict[str, Any]:
        """The recipe as plain data, in the shape of its TOML file."""
        listed = [{"step": step.name, **step.settings} for step in self.steps]
        return {"schema": SCHEMA, "name": self.name, "about": self.about, "steps": listed}

    @classmethod
    def from_json(cls, table: Mapping[str, Any], *, where: str) -> "Recipe":
        """The recipe of such data; whatever is unknown in it is refused."""
        listed = table.get("steps") if isinstance(table, Mapping) else None
        recipe = read_settings(cls, table, where=where, schema=SCHEMA, also=["steps"])
        if not isinstance(listed, list) or not listed or not all(isinstance(step, dict) for step in listed):
            raise InputError(f'{where}: there are no steps. Give each a [[steps]] table with step = "…" and settings.')
        return replace(recipe, steps=tuple(_step(number, step, where) for number, step in enumerate(listed, 1)))

    def toml(self) -> str:
        """The recipe as TOML that can be edited and used, every step explained."""
        lines = [to_toml(self, schema=SCHEMA, explain=False)]
        for step in self.steps:
            lines += [f"# {STEPS[step.name].about}", "[[steps]]", toml_text({"step": step.name, **step.settings})]
        return "\n".join(lines)


def recipe_names() -> tuple[str, ...]:
    """The recipes that come with Idiograph."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _RECIPES.iterdir() if file.name.endswith(".toml")))


def find_recipe(named: str | Path | Recipe) -> Recipe:
    """The recipe of this name or in this TOML file."""
    if isinstance(named, Recipe):
        return named
    names = recipe_names()
    if named in names:
        content, where = (_RECIPES / f"{named}.toml").read_bytes(), f"recipe {named}"
        return Recipe.from_json(parse_toml(content, where=where, example=_EXAMPLE), where=where)
    path = Path(named)
    if path.suffix != ".toml" and not path.exists():
        raise InputError(
            f"There is no recipe {named}{nearest(str(named), names)}. The recipes are {', '.join(names)}; "
            "your own is a file that ends in .toml."
        )
    return Recipe.from_json(read_toml(path, example=_EXAMPLE), where=str(path))


def _step(number: int, table: Mapping[str, Any], where: str) -> Step:
    where = f"{where}, step {number}"
    name = table.get("step")
    if not isinstance(name, str) or name not in STEPS:
        hint = nearest(name, STEPS) if isinstance(name, str) else ""
        raise InputError(f"{where}: step must be one of {', '.join(STEPS)}, not {shown(name)}{hint}.")
    given = {key: value for key, value in table.items() if key != "step"}
    return Step(name, STEPS[name].read(given, where=where))
