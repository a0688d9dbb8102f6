"""The controls of the pages: on which step each setting of a case is asked for, and messages that name them.

Messages are the library's own and speak of options and of the case file; a reader of the pages has neither at hand.
"""

import re
from collections.abc import Iterator
from dataclasses import is_dataclass

from idiograph.casework.case import BEST_VALIDATED, Case
from idiograph.evidence.llr import SCALES
from idiograph.evidence.methods import METHODS
from idiograph.pages import words
from idiograph.pages.drafts import Keys
from idiograph.settings import Setting, settings_of
from idiograph.texts.preparing.recipes import recipe_names

_OPTION = re.compile(r"(?:\b([Pp]ass) )?--([a-z][a-z-]+)(?: (“[^”]*”|'[^']*'|[A-Za-z0-9_.-]*[A-Za-z0-9_]))?")
_IN_USE = re.compile(r"(methods in use \()([^)]*)\)")
_NOT = re.compile(r"(\), not )\"(\w+)\"(?: \(did you mean (\w+)\?\))?")
_UNDER = re.compile(r"\b([a-z_]+) under \[([a-z]+)\]")


def step_of(keys: Keys) -> str:
    """The step on which a setting is asked for; whatever the case file may come to hold is found somewhere."""
    table = keys[0] if len(keys) > 1 else ""
    if keys[-1] in ("title", "population") or table in ("propositions", "register"):
        return "question"
    if table == "reading":
        return "texts"
    if keys == ("texts", "recipe"):
        return "preparation"
    return "method" if table in ("", "method", "texts") else "particulars"


def located(kind: type, above: Keys = ()) -> Iterator[tuple[Keys, Setting]]:
    """Every setting with where it stands; those of a nested dataclass too, but not those of a list of them."""
    for setting in settings_of(kind):
        keys = (*above, *((setting.table,) if setting.table else ()), setting.key)
        if setting.nested is not None and is_dataclass(setting.kind):
            yield from located(setting.nested, keys)
        elif setting.nested is None:
            yield keys, setting


def _controls() -> Iterator[tuple[str, str, Setting]]:
    """Every setting of a case by its name on the command line, with the control that it is on the pages."""
    for keys, setting in located(Case):
        named = f"“{words.label(setting.key)}” on the page “{words.STEPS[step_of(keys)]}”"
        for name in (setting.option.partition("/")[0].removeprefix("--"), setting.key.replace("_", "-")):
            if name:
                yield name, named, setting


_CONTROLS = {name: (control, setting) for name, control, setting in _controls()}


def by_controls(text: str) -> str:
    """A message as a reader of the pages can follow it: options and keys of files become the pages' own controls."""
    for phrase, instead in words.INSTEAD.items():
        text = text.replace(phrase, instead)
    text = _IN_USE.sub(lambda match: f"{match[1]}{', '.join(_method(key) for key in match[2].split(', '))})", text)
    text = _NOT.sub(lambda match: f"{match[1]}“{_method(match[2])}”", text)
    return _UNDER.sub(_key, _OPTION.sub(_option, text))


def _method(key: str) -> str:
    return METHODS[key].name if key in METHODS else key


def _option(match: re.Match[str]) -> str:
    passed, name, value = match.groups()
    if name not in _CONTROLS:
        return match[0]
    control, setting = _CONTROLS[name]
    given = value is not None and _fits(setting, value)
    instead = f"choose {value} for {control}" if given else f"use {control}" if passed else control
    if setting.kind is bool:
        instead = f"answer {words.YES} to {control}"
    rest = "" if value is None or given else f" {value}"
    return (instead[0].upper() + instead[1:] if passed == "Pass" else instead) + rest


def _fits(setting: Setting, value: str) -> bool:
    """Whether the word after an option is its value, and not the rest of the sentence."""
    if setting.known or setting.allows is not None:
        return value in setting.known if setting.allows is None else setting.allows(value)
    return value[0] in "'“" or (setting.key == "recipe" and value in recipe_names())


def _key(match: re.Match[str]) -> str:
    name = match[1].replace("_", "-")
    return _CONTROLS[name][0] if name in _CONTROLS else match[0]


def choices(setting: Setting) -> tuple[tuple[str, str], ...]:
    """What can be chosen, each in words."""
    titles = words.CHOICES.get(setting.key, {})
    return tuple(
        (choice, titles.get(choice) or _named(setting.key, choice))
        for choice in setting.known
        if choice != BEST_VALIDATED
    )


def _named(key: str, choice: str) -> str:
    if choice in METHODS and key in ("primary", "second_opinions", "use", "baseline", "candidates"):
        return METHODS[choice].name_and_source
    if key == "scale" and choice in SCALES:
        return SCALES[choice].name
    return choice.replace("_", " ")
