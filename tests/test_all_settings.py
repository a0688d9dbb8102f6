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

from idiograph import Case, CorpusSettings, Design, IdiographError, PlanRequest, ReadingOptions, Seeds, Study
from idiograph.casework.case import Expert, Particulars, Review
from idiograph.grammar.settings import LambdaGSettings
from idiograph.laboratory.acceptance import Criterion, Plan
from idiograph.settings import REQUIRED, Setting, read_settings, settings_from_options, settings_of
from idiograph.studies.attack import Attack
from idiograph.studies.settings import ConditionSettings
from idiograph.texts.masking.rules import MaskingOptions
from idiograph.texts.preparing.recipes import STEPS, Recipe

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


def content(kind: type, setting: Setting, value: Any) -> dict[str, Any]:
    """The file's content with this value at this key."""
    needed = dict(KINDS[kind][0])
    return {**needed, setting.table: {setting.key: value}} if setting.table else {**needed, setting.key: value}


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
    for setting in settings_of(kind):
        for value in WRONG.values():
            tried += 1
            try:
                settings = read_settings(kind, content(kind, setting, value), where="a.toml", given=given)
            except IdiographError as error:
                sentence = str(error)
                assert sentence.startswith("a.toml"), sentence
                assert setting.key in sentence, sentence
                assert sentence.isprintable(), sentence
                assert len(sentence) < 800
                assert sentence.endswith("."), sentence
            else:
                held = getattr(settings, setting.name)
                again = type(settings)(**{field.name: getattr(settings, field.name) for field in fields(settings)})
                assert getattr(again, setting.name) == held
    assert tried == len(settings_of(kind)) * len(WRONG)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_wrong_value_on_the_command_line_or_in_python_gets_a_sentence(kind: type) -> None:
    content, given = KINDS[kind]
    needed = {
        setting.name: (content[setting.table] if setting.table else content)[setting.key]
        for setting in settings_of(kind)
        if setting.default is REQUIRED or (not setting.table and setting.key in content)
    }
    for setting in settings_of(kind):
        for value in WRONG.values():
            values = {**needed, setting.name: value}
            sentence = refusal(lambda values: kind(**values, **given), values)
            assert sentence is None or setting.name in sentence or f"[{setting.key}]" in sentence, sentence
            if not given:  # else the command line cannot make it
                sentence = refusal(lambda values: settings_from_options(kind, values), values)
                names = (setting.name, f"[{setting.key}]", setting.option.partition("/")[0])
                assert sentence is None or any(name in sentence for name in names), sentence


def refusal(make: Callable[[dict[str, Any]], Any], values: dict[str, Any]) -> str | None:
    """The sentence of a refusal, if it is one; any other exception is a failure."""
    try:
        make(values)
    except IdiographError as error:
        return str(error)
    return None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_misspelt_key_is_refused_with_the_nearest(kind: type) -> None:
    for setting in settings_of(kind):
        wrong = f"{setting.key}x"
        needed = KINDS[kind][0]
        misspelt = {**needed, setting.table: {wrong: 1}} if setting.table else {**needed, wrong: 1}
        with pytest.raises(IdiographError, match=rf"there is no setting {wrong} \(did you mean {setting.key}\?\)"):
            read_settings(kind, misspelt, where="a.toml", given=KINDS[kind][1])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.__name__ not in STEPS], ids=lambda kind: kind.__name__)
def test_every_setting_says_what_it_means(kind: type) -> None:
    assert [setting.name for setting in settings_of(kind) if not setting.help and setting.nested is None] == []
    assert [
        setting.name for setting in settings_of(kind) if setting.help and not setting.help.endswith((".", "!", ")"))
    ] == []
