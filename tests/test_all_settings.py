"""Every key of every settings type is fed every wrong type: a sentence that names the key, or a legal value."""

import ast
import math
from collections.abc import Callable
from dataclasses import fields
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idiograph.casework.case import Case, Expert, Particulars, PlanRequest, Review
from idiograph.errors import IdiographError
from idiograph.grammar.settings import LambdaGSettings
from idiograph.laboratory.acceptance import Criterion, Plan
from idiograph.settings import REQUIRED, Setting, read_settings, settings_from_options, settings_of
from idiograph.studies.attack import Attack
from idiograph.studies.settings import ConditionSettings, CorpusSettings, Design, Seeds, Study
from idiograph.texts.masking.rules import MaskingOptions
from idiograph.texts.preparing.recipes import STEPS, Recipe
from idiograph.texts.reading.options import ReadingOptions

SOURCE = Path(__file__).resolve().parents[1] / "src" / "idiograph"

CORPUS = {"name": "toy", "path": "toy.jsonl"}
# What a file must hold of each type, and the fields that are not settings.
KINDS: dict[type, tuple[dict[str, Any], dict[str, Any]]] = {
    ReadingOptions: ({}, {}),
    MaskingOptions: ({}, {}),
    LambdaGSettings: ({}, {}),
    Attack: ({}, {}),
    Design: ({}, {}),
    Seeds: ({}, {}),
    Expert: ({}, {}),
    Particulars: ({}, {}),
    Review: ({}, {}),
    CorpusSettings: (CORPUS, {}),
    ConditionSettings: ({"drawing": "whole"}, {}),
    Case: (
        {"population": "a", "questioned": {"Q1": "q"}, "known": {"Lee": "k"}, "inputs": {"reference": "r"}},
        {},
    ),
    Study: ({"name": "a", "corpora": [CORPUS]}, {"conditions": ()}),
    Recipe: ({}, {}),
    PlanRequest: ({"known": "500"}, {}),
    Plan: ({"title": "a", "purpose": "b"}, {"criteria": ()}),
    Criterion: ({"measure": "cllr", "method": "hapax", "at_most": 0.5}, {}),
    **{step.settings: ({}, {}) for step in STEPS.values()},
}
WRONG: dict[str, Any] = {
    "text": "half",
    "empty": "",
    "nul": "\0",
    "escape": "\x1b[2J",
    "half a pair": "\ud800",
    "long": "x" * 100_000,
    "zero": 0,
    "one": 1,
    "negative": -5,
    "huge": 99_999_999_999_999_999_999,
    "beyond printing": 10**5000,
    "fraction": 0.5,
    "minus": -0.5,
    "nan": math.nan,
    "infinite": math.inf,
    "true": True,
    "false": False,
    "nothing": None,
    "no list": [],
    "texts": ["half"],
    "twice": ["half", "half"],
    "numbers": [1, 2],
    "mixed": ["a", 1, None],
    "nested": [[1, 2], [3]],
    "tables": [{"a": 1}],
    "no table": {},
    "table": {"a": 1},
    "odd table": {"\0": 1, "b": math.nan},
    "date": date(2026, 1, 1),
    "moment": datetime(2026, 1, 1, 12, 0),
    "time": time(12, 0),
    "path": Path("a"),
    "array": np.array([1.0, 2.0]),
    "set": {"a"},
    "bytes": b"a",
    "generator": (n for n in range(3)),
    "type": int,
}


def content(kind: type, one: Setting, value: Any) -> dict[str, Any]:
    """The file's content with this value at this key."""
    needed = dict(KINDS[kind][0])
    return {**needed, one.table: {one.key: value}} if one.table else {**needed, one.key: value}


def test_every_settings_type_of_the_project_is_tried() -> None:
    declared = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(
                isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "setting"
                for part in ast.walk(node)
            ):
                declared.add(node.name)
    assert declared == {kind.__name__ for kind in KINDS} - set(STEPS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_wrong_value_gets_a_sentence_with_the_key_and_the_place(kind: type) -> None:
    _, given = KINDS[kind]
    tried = 0
    for one in settings_of(kind):
        for value in WRONG.values():
            tried += 1
            try:
                made = read_settings(kind, content(kind, one, value), where="a.toml", given=given)
            except IdiographError as error:
                said = str(error)
                assert said.startswith("a.toml"), said
                assert one.key in said, said
                assert said.isprintable(), said
                assert len(said) < 800
                assert said.endswith("."), said
            else:
                held = getattr(made, one.name)
                again = type(made)(**{field.name: getattr(made, field.name) for field in fields(made)})
                assert getattr(again, one.name) == held
    assert tried == len(settings_of(kind)) * len(WRONG)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_wrong_value_on_the_command_line_or_in_python_gets_a_sentence(kind: type) -> None:
    content, given = KINDS[kind]
    needed = {
        one.name: (content[one.table] if one.table else content)[one.key]
        for one in settings_of(kind)
        if one.default is REQUIRED or (not one.table and one.key in content)
    }
    for one in settings_of(kind):
        for value in WRONG.values():
            values = {**needed, one.name: value}
            said = refusal(lambda values: kind(**values, **given), values)
            assert said is None or one.name in said or f"[{one.key}]" in said, said
            if not given:  # else the command line cannot make it
                said = refusal(lambda values: settings_from_options(kind, values), values)
                names = (one.name, f"[{one.key}]", one.option.partition("/")[0])
                assert said is None or any(name in said for name in names), said


def refusal(make: Callable[[dict[str, Any]], Any], values: dict[str, Any]) -> str | None:
    """The sentence of a refusal, if it is one; any other exception is a failure."""
    try:
        make(values)
    except IdiographError as error:
        return str(error)
    return None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_misspelt_key_is_refused_with_the_nearest(kind: type) -> None:
    for one in settings_of(kind):
        wrong = f"{one.key}x"
        needed = KINDS[kind][0]
        misspelt = {**needed, one.table: {wrong: 1}} if one.table else {**needed, wrong: 1}
        with pytest.raises(IdiographError, match=rf"there is no setting {wrong} \(did you mean {one.key}\?\)"):
            read_settings(kind, misspelt, where="a.toml", given=KINDS[kind][1])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.__name__ not in STEPS], ids=lambda kind: kind.__name__)
def test_every_setting_says_what_it_means(kind: type) -> None:
    assert [one.name for one in settings_of(kind) if not one.help and one.nested is None] == []
    assert [one.name for one in settings_of(kind) if one.help and not one.help.endswith((".", "!", ")"))] == []
