"""docs/api.md: every public name with its parameters and what its docstring says of them."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import idiograph
from idiograph.settings import settings_of

LAYERS = {
    "texts": "Texts: read, prepared, masked",
    "grammar": "Grammar models and λG",
    "evidence": "What a score is worth",
    "studies": "Studies",
    "casework": "A case",
    "output": "Reports, figures and files",
    "progress": "Progress",
    "errors": "Errors",
}
_WIDE = 100  # characters: a longer call has a parameter a line


def api_reference() -> str:
    """The page: the public names by the layer they come from, in alphabetical order."""
    by_layer: dict[str, list[str]] = {layer: [] for layer in LAYERS}
    for name in sorted(idiograph.__all__, key=str.lower):
        value = getattr(idiograph, name)
        home = getattr(value, "__module__", "idiograph.evidence")  # the one table among them is of the comparators
        by_layer[home.split(".")[1]].append(name)
    parts = [
        "# Python",
        "",
        "Every public name, made from the docstrings by `make docs`. All of them come from `import idiograph`;",
        "whatever else can be imported may change without notice.",
    ]
    for layer, names in by_layer.items():
        parts += ["", f"## {LAYERS[layer]}"]
        for name in names:
            parts += ["", f"### `{name}`", "", *_entry(name, getattr(idiograph, name))]
    return "\n".join(parts) + "\n"


def _entry(name: str, value: Any) -> Iterator[str]:
    """How one name is called, what it is, and of a type what it has."""
    if not callable(value):
        yield f"A table with the entries {', '.join(f'`{key}`' for key in value)}."
        return
    is_error = inspect.isclass(value) and issubclass(value, Exception)
    if not is_error:
        yield f"```text\n{_call(name, value)}\n```\n"
    yield inspect.getdoc(value) or ""
    if inspect.isclass(value) and not is_error:
        yield "\n" + "\n".join([*_held(value), *_members(value)])


def _call(name: str, value: Any) -> str:
    """The signature without types, which the docstring words, and with defaults that can be read."""
    shown, keyword_only = [], False
    factories = (
        {field.name for field in fields(value) if callable(field.default_factory)} if is_dataclass(value) else ()
    )
    for parameter in inspect.signature(value).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        default = parameter.default
        plain = repr(default) if isinstance(default, str | int | float | tuple | None) else "..."
        star = "*" * (parameter.kind is parameter.VAR_POSITIONAL) + "**" * (parameter.kind is parameter.VAR_KEYWORD)
        has_default = default is not parameter.empty
        shown.append(
            f"{star}{parameter.name}" + (f"={'...' if parameter.name in factories else plain}" if has_default else "")
        )
    line = f"{name}({', '.join(shown)})"
    return line if len(line) <= _WIDE else f"{name}(\n" + "".join(f"    {parameter},\n" for parameter in shown) + ")"


def _held(kind: type) -> Iterator[str]:
    """A line for each field that says what it is: a setting by its help, any other by the comment beside it."""
    if not is_dataclass(kind):
        return
    settings = {setting.name: setting for setting in settings_of(kind)}
    source = inspect.getsource(kind)
    for field in fields(kind):
        setting = settings.get(field.name)
        comment = re.search(rf"(?m)^    {field.name}: .*  # (.+)$", source)
        if setting and setting.help:
            yield f"- `{field.name}`: {setting.help}{f' ({setting.limits})' if setting.limits else ''}"
        elif comment and not settings:
            yield f"- `{field.name}`: {comment[1]}"


def _members(kind: type) -> Iterator[str]:
    """A line for each documented method and property of a type."""
    for name, value in sorted(vars(kind).items()):
        function = (
            value.fget if isinstance(value, property) else getattr(value, "func", getattr(value, "__func__", value))
        )
        text = inspect.getdoc(function) if inspect.isfunction(function) else None
        if text and not name.startswith("_"):
            is_called = function is value or hasattr(value, "__func__")
            yield f"- `{name}{'()' if is_called else ''}`: {' '.join(text.split(chr(10) * 2)[0].split())}"
