"""Installed files against their RECORD, and installed versions against those of the lock.

It imports nothing else of Idiograph, so that it can name what is damaged where nothing else starts any more:

    python -m idiograph.laboratory.installation

Whoever changes a file can change its line in RECORD as well, and this module too. So the digest of RECORD is printed,
to be compared outside with that of the wheel: it is the SHA-256 of the sorted lines of RECORD that begin with
`idiograph/` and have a digest,

    unzip -p idiograph-*.whl '*/RECORD' | grep '^idiograph/' | LC_ALL=C sort | sha256sum
"""

import base64
import csv
import hashlib
import importlib.util
import json
import marshal
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

PROGRAM = "idiograph"
SBOM = "sbom.cdx.json"
_COMPILED = "__pycache__"


@dataclass(frozen=True)
class Installation:
    """How the files of an installed package compare with its RECORD."""

    name: str
    version: str
    n_files: int  # that have a digest there
    wrong: tuple[str, ...]  # a sentence for each file that is not as it should be
    digest: str  # of the lines of RECORD about the package itself; empty where there are none
    editable: str  # the address of the source tree that an editable installation stands for; else empty


def looked_at(name: str = PROGRAM, *, package: str | None = None) -> Installation:
    """The files of an installed distribution against its RECORD; with `package`, also what was added to that folder."""
    distribution = metadata.distribution(name)
    root = Path(str(distribution.locate_file("")))
    rows = [row for row in csv.reader((distribution.read_text("RECORD") or "").splitlines()) if len(row) == 3]
    recorded = {path: (kind_and_digest, size) for path, kind_and_digest, size in rows}
    wrong = [] if rows else [f"{name} has no RECORD, so nothing says which files it should have"]
    n_files = 0
    for path, (kind_and_digest, _) in recorded.items():
        # Commands outside the folder of packages are written by the installer, and anew when an environment moves.
        if kind_and_digest and (package is not None or not path.startswith("..")):
            n_files += 1
            wrong += _wrong_file(root / path, path, kind_and_digest)
    editable = _editable(distribution)
    if package is not None and not editable:
        wrong += _added(root, package, set(recorded))
        wrong += _compiled_otherwise(root / package)
        running = Path(str(sys.modules[package].__file__)).parent if package in sys.modules else root / package
        if running.resolve() != (root / package).resolve():
            wrong.append(f"the {package} that runs lies in {running}, and the RECORD is that of {root / package}")
    about = sorted(f"{path},{recorded[path][0]},{recorded[path][1]}\n" for path in recorded if recorded[path][0])
    lines = [line for line in about if line.startswith(f"{package or name}/")]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""
    return Installation(name, distribution.version, n_files, tuple(wrong), digest, editable)


def _wrong_file(path: Path, name: str, kind_and_digest: str) -> Iterator[str]:
    kind, _, wanted = kind_and_digest.partition("=")
    if kind not in hashlib.algorithms_guaranteed:
        yield f"{name} has a digest of an unknown kind in RECORD ({kind})"
        return
    try:
        with path.open("rb") as file:
            sha = hashlib.file_digest(file, kind).digest()
    except OSError as error:
        yield f"{name} cannot be read ({error.strerror or error})"
        return
    if base64.urlsafe_b64encode(sha).rstrip(b"=").decode() != wanted:
        yield f"{name} is not as it was installed"


def _editable(distribution: metadata.Distribution) -> str:
    """Where the source tree of an editable installation lies (PEP 610)."""
    try:
        told = json.loads(distribution.read_text("direct_url.json") or "{}")
        return str(told["url"]) if told.get("dir_info", {}).get("editable") else ""
    except (ValueError, KeyError, AttributeError):
        return ""


def _added(root: Path, package: str, recorded: set[str]) -> Iterator[str]:
    """Files in the folder of a package that its RECORD does not name, but for compiled copies of modules."""
    for path in sorted((root / package).rglob("*")):
        name = path.relative_to(root).as_posix()
        copy = path.parent.name == _COMPILED and path.suffix == ".pyc"
        if path.is_file() and name not in recorded and not copy:
            yield f"{name} was added"


def _compiled_otherwise(folder: Path) -> Iterator[str]:
    """Compiled copies that are not what their module gives: Python runs them in its place."""
    for path in sorted(folder.rglob(f"{_COMPILED}/*.{sys.implementation.cache_tag}*.pyc")):
        name = f"{path.relative_to(folder.parent).as_posix()}"
        level = re.search(r"\.opt-([12])\.pyc$", path.name)
        source = Path(importlib.util.source_from_cache(str(path)))
        try:
            compiled = compile(
                source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=int(level[1]) if level else 0
            )
            same = marshal.loads(path.read_bytes()[16:]) == compiled
        except OSError:
            yield f"{name} is a compiled copy of a module that is not there"
        except (SyntaxError, ValueError, EOFError, TypeError):
            yield f"{name}, a compiled copy, or its module is damaged"
        else:
            if not same:
                yield f"{name}, a compiled copy, is not what its module gives"


@dataclass(frozen=True)
class Locked:
    """A package that the lock names: the versions it may have, and whether Idiograph needs it everywhere."""

    name: str
    versions: tuple[str, ...]
    is_needed: bool


def locked_packages() -> tuple[Locked, ...]:
    """What the lock of this version names for users, by the list of components that comes with the program."""
    listed = json.loads((Path(__file__).parent / SBOM).read_bytes())["components"]
    components = [component for component in listed if component["scope"] != "excluded"]
    packages = []
    for name in dict.fromkeys(component["name"] for component in components):
        these = [component for component in components if component["name"] == name]
        needed = any(
            component["scope"] == "required" and "python:marker" not in str(component.get("properties"))
            for component in these
        )
        packages.append(Locked(name, tuple(component["version"] for component in these), needed))
    return tuple(packages)


@dataclass(frozen=True)
class Versions:
    """Which installed packages have a version of the lock, and which do not."""

    same: tuple[str, ...]
    other: tuple[str, ...]  # a sentence each


def compared_versions() -> Versions:
    """Every installed package that the lock names, and every needed one, by its version."""
    same, other = [], []
    for package in locked_packages():
        try:
            version = metadata.version(package.name)
        except metadata.PackageNotFoundError:
            if package.is_needed:
                other.append(f"{package.name} is not installed, and the lock has {' or '.join(package.versions)}")
            continue
        if version in package.versions:
            same.append(package.name)
        else:
            other.append(f"{package.name} is {version}, and the lock has {' or '.join(package.versions)}")
    return Versions(tuple(same), tuple(other))


def main() -> None:
    """Names every file of the program that is not as it was installed; exit code 1 if there is one."""
    looked = looked_at(package=PROGRAM)
    for sentence in looked.wrong:
        print(f"{sentence}.")
    if looked.editable:
        print(f"This is an editable installation of {looked.editable}: its modules have no digests to compare with.")
    counts = f"{looked.n_files} files with a digest, {len(looked.wrong)} not as they should be"
    print(f"{looked.name} {looked.version}: {counts}.")
    print(f"Digest of its RECORD, to compare with that of the wheel: {looked.digest or 'none'}")
    sys.exit(1 if looked.wrong else 0)


if __name__ == "__main__":
    main()
