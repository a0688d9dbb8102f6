"""What Idiograph is built from: the list of components (SBOM) that goes into the wheel, and the page of licences.

Both are made from the lock files, and from the metadata of what is installed, by `make docs`. The list names versions
and licences and no address of an index; it is also what `idiograph selftest` compares installed versions with.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from idiograph.provenance import digest_of

ROOT = Path(__file__).resolve().parents[1]
SBOM = ROOT / "src" / "idiograph" / "laboratory" / "sbom.cdx.json"
LOCKS = ("requirements.lock", "requirements-spanish.lock")
_NOT_FOR_USE = ("dev", "docs")  # extras that no user needs
# Installed on Windows alone, so that their metadata are not at hand wherever this is run.
_ELSEWHERE = {"cffi": "MIT", "colorama": "BSD-3-Clause", "pycparser": "BSD-3-Clause"}


@dataclass(frozen=True)
class Component:
    """A package of the lock: where it is needed, what for, and under which licence it comes."""

    name: str
    version: str
    marker: str
    extras: tuple[str, ...]  # that bring it; "" is Idiograph without any
    licence: str

    @property
    def scope(self) -> str:
        """As CycloneDX says it: required, optional, or excluded from what users install."""
        if "" in self.extras:
            return "required"
        return "optional" if set(self.extras) - {*_NOT_FOR_USE} or not self.extras else "excluded"

    @property
    def is_copyleft(self) -> bool:
        return re.search(r"\bL?GPL|General Public", self.licence) is not None


def components() -> list[Component]:
    """Every package of the lock files, in their order."""
    brought = _brought_by_extras()
    packages = []
    for lock in LOCKS:
        for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
            if named := re.match(r"([a-z0-9._-]+)==([^ ;\\]+)(?: *; *(.*?))? *\\?$", line):
                name, version, marker = named[1], named[2], named[3] or ""
                extras = tuple(extra for extra, names in brought.items() if name in names)
                packages.append(Component(name, version, marker, extras, _licence(name)))
    return packages


def _brought_by_extras() -> dict[str, set[str]]:
    """The names of all packages that each extra brings, whatever the system; "" is Idiograph without any."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: _closure(map(Requirement, listed)) for extra, listed in wanted.items()}


def _closure(wanted: Iterable[Requirement]) -> set[str]:
    closure: set[tuple[str, frozenset[str]]] = set()
    waiting = list(wanted)
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) in closure:
            continue
        closure.add((name, extras))
        try:
            listed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for inner in map(Requirement, listed):
            marker = inner.marker
            asked = marker is not None and "extra" in str(marker)
            if marker is None or not asked or any(marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(inner)
    return {name for name, _ in closure}


def _licence(name: str) -> str:
    """A package's own word on its licence: the expression, else a short statement, else the classifiers."""
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    facts = metadata.metadata(name)
    kinds = [
        classifier.split(" :: ")[-1]
        for classifier in facts.get_all("Classifier") or []
        if classifier.startswith("License ::")
    ]
    statement = str(facts["License"] or "").strip()
    short = statement if statement and "\n" not in statement and len(statement) < 60 else ""
    return str(facts["License-Expression"] or (short if len(kinds) < 2 else "") or " / ".join(kinds))


def sbom() -> str:
    """The list of components as CycloneDX has it, the same bytes every time."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    root = f"pkg:pypi/{project['name']}@{project['version']}"
    listed = components()
    direct = {canonicalize_name(Requirement(requirement).name) for requirement in project["dependencies"]}
    record = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": project["name"],
                "version": project["version"],
                "purl": root,
                "licenses": [{"expression": project["license"]}],
            },
            "properties": [{"name": f"sha256:{name}", "value": digest_of(ROOT / name)} for name in LOCKS],
        },
        "components": [_entry(component) for component in listed],
        "dependencies": [
            {"ref": root, "dependsOn": [_purl(component) for component in listed if component.name in direct]}
        ],
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def _purl(component: Component) -> str:
    return f"pkg:pypi/{component.name}@{component.version}"


def _entry(component: Component) -> dict[str, Any]:
    properties = [{"name": "python:marker", "value": component.marker}] if component.marker else []
    properties += [{"name": "python:extra", "value": extra} for extra in component.extras if extra]
    return {
        "type": "library",
        "bom-ref": _purl(component),
        "name": component.name,
        "version": component.version,
        "purl": _purl(component),
        "scope": component.scope,
        "licenses": [{"license": {"name": component.licence}}],
        **({"properties": properties} if properties else {}),
    }


_SCOPES = {
    "required": "Needed by everybody",
    "optional": "Needed for an extra, or for Spanish, alone",
    "excluded": "For the development and the documentation alone",
}


def licences_page() -> str:
    """docs/licences.md: every package of the lock with its licence, those under a GPL or LGPL by name."""
    listed = components()
    copyleft = [component for component in listed if component.is_copyleft]
    lines = [
        "# Licences",
        "",
        "Idiograph itself is under the Apache License 2.0. Made by `make docs` from the lock files and from what each",
        "package's own metadata say; nothing of these packages is part of Idiograph's wheel. The same list, for",
        "machines, is the CycloneDX file `sbom.cdx.json` in the wheel (`dist-info/sboms/`).",
        "",
        "**Under a GPL or LGPL, and never needed by a plain installation:** "
        + "; ".join(
            f"{component.name} {component.version} ({component.licence}; {_why(component)})" for component in copyleft
        )
        + ".",
    ]
    for scope, title in _SCOPES.items():
        rows = [
            f"| {component.name} | {component.version} | {component.licence} | {_why(component)} |"
            for component in listed
            if component.scope == scope
        ]
        lines += ["", f"## {title}", "", "| package | version | licence | for |", "|---|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _why(component: Component) -> str:
    extras = [extra for extra in component.extras if extra]
    if "" in component.extras:
        return f"where {component.marker}" if component.marker else "all"
    return f"extra {', '.join(extras)}" if extras else "Spanish, installed by hand"


if __name__ == "__main__":
    sys.stdout.write(sbom())
