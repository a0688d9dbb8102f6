"""docs/requirements.md: what the program promises, each with the tests that show it.

A promise without a test, or with one that does not exist, is an error: `make docs` ends with it, and so does the suite.
"""

import ast
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).resolve().parents[1]
PROMISES = Path(__file__).with_suffix(".toml")
_ABOUT = ("numbers", "refusals", "durability", "privacy")


@dataclass(frozen=True)
class Promise:
    """What the program promises, and the tests that fail if it does not keep it."""

    id: str
    about: str
    text: str
    tests: tuple[str, ...]  # as pytest names them: file::function


def promises(content: str, tests: Path = ROOT) -> tuple[Promise, ...]:
    """The promises of a file, each checked: its number, its kind, and that every test it names is there."""
    checked = []
    for number, entry in enumerate(tomllib.loads(content)["promise"], 1):
        promise = Promise(**{**entry, "tests": tuple(entry["tests"])})
        if promise.id != f"R-{number:03}":
            raise ValueError(f"{promise.id} should be R-{number:03}: numbers are never used again and have no gaps.")
        if promise.about not in _ABOUT:
            raise ValueError(f"{promise.id} is about {promise.about}, which is none of {', '.join(_ABOUT)}.")
        if not promise.tests:
            raise ValueError(f"{promise.id} has no test. A promise that nothing shows is none.")
        for test in promise.tests:
            file, _, name = test.partition("::")
            if name not in _functions(tests / file):
                raise ValueError(f"{promise.id} names {test}, which does not exist.")
        checked.append(promise)
    return tuple(checked)


@cache
def _functions(file: Path) -> frozenset[str]:
    """The names of the test functions of a file; none where there is no such file."""
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def requirements_page(tests: Path = ROOT) -> str:
    """Every promise by what it is about, with its tests."""
    listed = promises(PROMISES.read_text(encoding="utf-8"), tests)
    lines = [
        "# Requirements and their tests",
        "",
        fill(
            f"What the program promises, {len(listed)} sentences with numbers that stay, and the tests that fail where "
            "it does not keep one. Made by `make docs` from `requirements.toml`, which is refused if a promise has no "
            "test or names one that does not exist. `make test` runs all of them, `pytest TEST` one. Tests that need "
            "reference material, a right to mount a disk or a browser are skipped without it, and the suite says so at "
            "its end.",
            120,
        ),
    ]
    for about in _ABOUT:
        rows = [
            f"| {promise.id} | {promise.text} | {'<br>'.join(f'`{test}`' for test in promise.tests)} |"
            for promise in listed
            if promise.about == about
        ]
        lines += ["", f"## {about.capitalize()}", "", "| | promise | tests |", "|---|---|---|", *rows]
    return "\n".join(lines) + "\n"
