"""A prepared corpus on disk: it comes back as it was, and no kill loses the one that was there before."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from idiograph import Corpus, InputError, Prepared, Text, prepare, read
from idiograph.texts.preparing import record as folder
from idiograph.texts.preparing.recipes import Recipe, find_recipe
from killing import every_kill, hidden
from prepared_texts import by_hand, corpora, recipes


@given(corpus=corpora, recipe=recipes)
def test_the_folder_on_disk_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, corpus: Corpus[Text], recipe: Recipe
) -> None:
    prepared = prepare(corpus, recipe)
    path = tmp_path_factory.mktemp("prepared") / "out"
    folder.save(prepared, path)
    assert folder.load(path) == prepared
    assert folder.load(path).restored() == corpus
    assert find_recipe(path / "recipe.toml") == recipe


def test_the_summary_counts(tmp_path: Path) -> None:
    record = by_hand().record
    assert [(step.step, step.texts_changed, step.edits, step.texts_removed) for step in record.steps] == [
        ("urls", 1, 1, 0),
        ("elongated_words", 1, 1, 0),
        ("text_length", 0, 0, 1),
    ]
    # Words: the mail 14 (its address is five), two and four others; then ten and four.
    assert (record.before.texts, record.before.authors, record.before.tokens) == (3, 2, 20)
    assert (record.steps[-1].texts, record.steps[-1].authors, record.steps[-1].tokens) == (2, 2, 14)
    lines = list(folder.summary_lines(record))
    assert lines[1:] == [
        "  1 urls                 1 text changed (1 edit)",
        "  2 elongated_words      1 text changed (1 edit)",
        "  3 text_length          1 text left out",
        "Texts 3 -> 2, authors 2 -> 2, tokens 20 -> 14.",
    ]
    folder.save(by_hand(), tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary == json.loads(json.dumps(folder.summary(record)))
    assert summary["recipe_sha256"] == record.recipe.digest
    assert summary["steps"][2]["settings"] == {"min_tokens": 3, "max_tokens": 0}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda whole: whole[:-20], r"record\.jsonl is damaged in line 4"),
        (
            lambda whole: whole.replace('"changes"', '"change"'),
            r"The prepared folder .*out is damaged: changes is miss",
        ),
        (lambda whole: whole.replace('"sha256": "', '"sha256": 3, "x": "'), "sha256 of a text's history must be a str"),
        (lambda whole: f"{whole}3\n", r"record\.jsonl is damaged in line 5 \(a line must be a dict, not"),
        (lambda whole: "{}\n", r"record\.jsonl does not begin with the header"),
        (None, r"record.jsonl could not be read .* Name a folder that idiograph prepare has"),
    ],
)
def test_a_damaged_folder_gets_a_sentence(tmp_path: Path, damage: Any, message: str) -> None:
    folder.save(by_hand(), tmp_path / "out")
    record = tmp_path / "out" / "record.jsonl"
    if damage is None:
        record.unlink()
    else:
        record.write_text(damage(record.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        folder.load(tmp_path / "out")


@pytest.mark.parametrize("odd", [object(), float("nan")])
def test_nothing_is_overwritten_or_left_half_written(tmp_path: Path, odd: object) -> None:
    folder.save(by_hand(), tmp_path / "out")
    with pytest.raises(InputError, match="already exists"):
        folder.save(by_hand(), tmp_path / "out")
    folder.save(by_hand(), tmp_path / "out", force=True)
    unwritable = Prepared(Corpus((Text("odd", "x", metadata={"when": odd}),)), by_hand().record)
    with pytest.raises(InputError, match="The metadata of odd cannot be written as JSON"):
        folder.save(unwritable, tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_no_kill_loses_a_prepared_folder_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out"
    texts = [
        Text("1", "Dear Ann,\n\nsee  http://x.org now.\n", "Ann", {"w": 1}),
        Text("2", "Some more words of Bob.\n", "Bob"),
    ]
    old, new = prepare(texts, "plain"), prepare(texts, "email")
    outcomes = []
    for operation in every_kill(lambda: folder.save(new, path, force=True), lambda: folder.save(old, path, force=True)):
        if path.exists():
            assert len(read(path)) == 2, operation
            prepared = folder.load(path)
            assert prepared in (old, new), operation
            outcomes.append(prepared.record.recipe.name)
        else:  # readers name the folder that was put aside and leave it; the next writer puts it back
            with pytest.raises(InputError, match=r"is not there, but .*old is"):
                read(path)
            shutil.copytree(tmp_path / ".out.old", tmp_path / "aside")
            assert folder.load(tmp_path / "aside") == old, operation
            shutil.rmtree(tmp_path / "aside")
            outcomes.append("put aside")
        folder.save(new, path, force=True)
        assert folder.load(path) == new, operation
        assert hidden(tmp_path) == [], operation
    assert set(outcomes) == {"plain", "put aside", "email"}


def test_the_same_bytes_whatever_pythons_hash_seed(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from idiograph import Corpus, Text, prepare
from idiograph.texts.preparing import record
from idiograph.texts.preparing.recipes import Recipe
names = ("user_tags", "urls", "elongated_words", "near_duplicates", "shared_runs")
steps = [{"step": step} for step in names[:3]]
steps += [{"step": step, "scope": "author", "remove": "one", "tokens": 11} for step in names[3:]]
steps += [{"step": step} for step in names[3:]]
words = [f"w{n * n % 97}" for n in range(400)]
texts = [
    Text(f"t{n}", f"@bob {n % 7} sooo http://a.b/{n} {' '.join(words[n : n + 14 + n % 5])}", "abc"[n % 3])
    for n in range(0, 380, 3)
]
record.save(prepare(texts, Recipe.from_json({"schema": 1, "steps": steps}, where="here")), Path(sys.argv[1]))
"""
    for seed in ("1", "2"):
        command = [sys.executable, "-c", program, str(tmp_path / seed)]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    for name in (folder.CORPUS, folder.RECORD, folder.SUMMARY, folder.RECIPE):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    whole = (tmp_path / "1" / folder.RECORD).read_text(encoding="utf-8")
    assert "a near-duplicate of" in whole
    assert "or more tokens in a row with" in whole
