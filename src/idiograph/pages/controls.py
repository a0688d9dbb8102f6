"""The controls of the pages: on which step each setting of a case is asked for, and messages that name them.

Messages are the library's own and speak of options and of the case file; a reader of the pages has neither at hand.
"""

import re
from collections.abc import Iterator

from idiograph.casework.case import BEST_VALIDATED, Case
from idiograph.evidence.llr import SCALES
from idiograph.evidence.methods import METHODS
from idiograph.pages import words
from idiograph.pages.drafts import Keys
from idiograph.settings import Setting, settings_of
from idiograph.texts.preparing.recipes import recipe_names

_OPTION = re.compile(r"(?:\b([Pp]ass) )?--([a-z][a-z-]+)(?: (“[^”]*”|'[^']*'|[A-Za-z0-9_.-]*[A-Za-z0-9_]))?")
_UNDER = re.compile(r"\b([a-z_]+) under \[([a-z]+)\]")


def step_of(keys: Keys, one: Setting) -> str:
    """The step on which a setting is asked for; whatever the case file may come to hold is found somewhere."""
    table = keys[0] if len(keys) > 1 else ""
    if keys[-1] in ("title", "population") or table in ("propositions", "register"):
        return "question"
    if table == "reading":
        return "texts"
    if keys == ("texts", "recipe"):
        return "preparation"
    return "method" if table in ("", "method", "texts") else "particulars"


def _controls(kind: type = Case, above: Keys = ()) -> Iterator[tuple[str, str, Setting]]:
    """Every setting of a case by its name on the command line, with the control that it is on the pages."""
    for one in settings_of(kind):
        keys = (*above, *((one.table,) if one.table else ()), one.key)
        if one.nested is not None:
            yield from _controls(one.nested, keys)
            continue
        step = step_of(keys, one)
        named = f"“{words.label(one.key)}” on the page “{words.STEPS[step]}”"
        for name in (one.option.partition("/")[0].removeprefix("--"), one.key.replace("_", "-")):
            if name:
                yield name, named, one


_CONTROLS = {name: (control, one) for name, control, one in _controls()}


def by_controls(text: str) -> str:
    """A message as a reader of the pages can follow it: options and keys of files become the pages' own controls."""
    for phrase, instead in words.INSTEAD.items():
        text = text.replace(phrase, instead)
    return _UNDER.sub(_key, _OPTION.sub(_option, text))


def _option(found: re.Match[str]) -> str:
    passed, name, value = found.groups()
    if name not in _CONTROLS:
        return found[0]
    control, one = _CONTROLS[name]
    given = value is not None and _fits(one, value)
    said = f"choose {value} for {control}" if given else f"use {control}" if passed else control
    if one.kind is bool:
        said = f"answer {words.YES} to {control}"
    rest = "" if value is None or given else f" {value}"
    return (said[0].upper() + said[1:] if passed == "Pass" else said) + rest


def _fits(one: Setting, value: str) -> bool:
    """Whether the word after an option is its value, and not the rest of the sentence."""
    if one.known or one.allows is not None:
        return value in one.known if one.allows is None else one.allows(value)
    return value[0] in "'“" or (one.key == "recipe" and value in recipe_names())


def _key(found: re.Match[str]) -> str:
    name = found[1].replace("_", "-")
    return _CONTROLS[name][0] if name in _CONTROLS else found[0]


def choices(one: Setting) -> tuple[tuple[str, str], ...]:
    """What can be chosen, each in words."""
    said = words.CHOICES.get(one.key, {})
    return tuple(
        (choice, said.get(choice) or _named(one.key, choice)) for choice in one.known if choice != BEST_VALIDATED
    )


def _named(key: str, choice: str) -> str:
    if choice in METHODS and key in ("primary", "second_opinions", "use", "baseline", "candidates"):
        return METHODS[choice].name_and_source
    if key == "scale" and choice in SCALES:
        return SCALES[choice].name
    return choice.replace("_", " ")
