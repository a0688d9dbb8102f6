"""How strongly does the language of a questioned text support that this person, rather than someone else, wrote it?

The public names are listed in `__init__.pyi`, where type checkers and readers find them; each is imported when it is
first used, so that a command starts without what it does not need.
"""

import ast
import importlib
from pathlib import Path
from typing import Any


def _homes() -> dict[str, tuple[str, str]]:
    """Every public name, the module it comes from and its name there."""
    listed = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in listed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


_HOMES = _homes()
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from idiograph.provenance import VERSION

        return VERSION
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, original = _HOMES[name]
    return getattr(importlib.import_module(module), original)


def __dir__() -> list[str]:
    return __all__
