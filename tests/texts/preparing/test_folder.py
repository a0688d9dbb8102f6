"""A prepared corpus on disk: it comes back as it was, and no kill loses the one that was there before."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given

from idiograph import Corpus, InputError, Prepared, Text, prepare, read
from idiograph.texts.preparing import record as folder
from idiograph.texts.preparing.recipes import Recipe, find_recipe
from idiograph.texts.preparing.record import CORPUS, RECORD, load, save, save_corpus, summary, summary_lines
from killing import every_kill, hidden
from prepared_texts import by_hand, corpora, recipes


def prepared(recipe: str = "plain") -> Prepared:
    texts = [
        Text("1", "Dear Ann,\n\nsee  http://x.org now.\n", "Ann", {"w": 1}),
        Text("2", "Some more words of Bob.\n", "Bob"),
    ]
    return prepare(texts, recipe)


def test_what_was_saved_is_loaded_again(tmp_path: Path) -> None:
    done = prepared("email")
    save(done, tmp_path / "out")
    again = load(tmp_path / "out")
    assert again == done
    assert [text.content for text in again.restored()] == [
        "Dear Ann,\n\nsee  http://x.org now.\n",
        "Some more words of Bob.\n",
    ]
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == json.loads(json.dumps(summary(done.record)))
    assert "Texts 2 -> 2, authors 2 -> 2" in list(summary_lines(done.record))[-1]


def test_a_folder_without_a_record_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"record.jsonl could not be read .* Name a folder that idiograph prepare has"):
        load(tmp_path)
    save_corpus(Corpus((Text("1", "Words."),)), tmp_path / "out")
    (tmp_path / "out" / RECORD).write_text("{}\n")
    with pytest.raises(InputError, match="does not begin with the header of a record"):
        load(tmp_path / "out")


def test_the_missing_key_of_a_damaged_record_is_named(tmp_path: Path) -> None:
    save(prepared(), tmp_path / "out")
    header, *lines = (tmp_path / "out" / RECORD).read_text().splitlines()
    entry = json.loads(lines[0])
    del entry["sha256"]
    (tmp_path / "out" / RECORD).write_text("\n".join([header, json.dumps(entry)]))
    with pytest.raises(InputError, match=r"is damaged: sha256 is missing. Prepare the texts again."):
        load(tmp_path / "out")
    (tmp_path / "out" / RECORD).write_text("\n".join([header, json.dumps(entry | {"sha256": 3})]))
    with pytest.raises(InputError, match=r"sha256 of a text's history must be a string, not 3"):
        load(tmp_path / "out")


def test_metadata_that_json_cannot_hold_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    done = prepare([Text("1", "Words.", metadata={"odd": float("nan")})], "plain")
    with pytest.raises(InputError, match="The metadata of 1 cannot be written as JSON"):
        save(done, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_no_kill_loses_a_prepared_folder_that_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "out"
    old, new = prepared("plain"), prepared("email")
    ids = []
    for operation in every_kill(lambda: save(new, place, force=True), lambda: save(old, place, force=True)):
        if place.exists():
            assert len(read(place)) == 2, operation
            found = load(place)
            assert found in (old, new), operation
            ids.append(found.record.recipe.name)
        else:  # readers name the folder that was put aside and leave it; the next writer puts it back
            with pytest.raises(InputError, match=r"is not there, but .*old is"):
                read(place)
            shutil.copytree(tmp_path / ".out.old", tmp_path / "aside")
            assert load(tmp_path / "aside") == old, operation
            shutil.rmtree(tmp_path / "aside")
            ids.append("put aside")
        save(new, place, force=True)
        assert load(place) == new, operation
        assert hidden(tmp_path) == [], operation
    assert set(ids) == {"plain", "put aside", "email"}


def test_a_new_prepared_folder_is_whole_or_absent_after_any_kill(tmp_path: Path) -> None:
    place = tmp_path / "out"
    for operation in every_kill(lambda: save(prepared(), place), lambda: shutil.rmtree(place, ignore_errors=True)):
        if not place.exists():
            save(prepared(), place)
        assert load(place) == prepared(), operation
        assert (place / CORPUS).is_file()
        save(prepared(), place, force=True)
        assert hidden(tmp_path) == [], operation


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


def test_the_summary_counts() -> None:
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
    summary = folder.summary(record)
    assert summary["recipe_sha256"] == record.recipe.digest
    assert summary["steps"][2]["settings"] == {"min_tokens": 3, "max_tokens": 0}


def test_a_damaged_folder_gets_a_sentence(tmp_path: Path) -> None:
    folder.save(by_hand(), tmp_path / "out")
    record = tmp_path / "out" / "record.jsonl"
    whole = record.read_text(encoding="utf-8")
    record.write_text(whole[:-20], encoding="utf-8")
    with pytest.raises(InputError, match=r"record\.jsonl is damaged in line 4"):
        folder.load(tmp_path / "out")
    record.write_text(whole.replace('"changes"', '"change"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"The prepared folder .*out is damaged: changes is missing"):
        folder.load(tmp_path / "out")
    record.write_text(f"{whole}3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"record\.jsonl is damaged in line 5 \(a line must be a dict, not"):
        folder.load(tmp_path / "out")
    record.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"record\.jsonl does not begin with the header"):
        folder.load(tmp_path / "out")
    with pytest.raises(InputError, match=r"record\.jsonl could not be read"):
        folder.load(tmp_path / "none")


def test_nothing_is_overwritten_or_left_half_written(tmp_path: Path) -> None:
    prepared = by_hand()
    folder.save(prepared, tmp_path / "out")
    with pytest.raises(InputError, match="already exists"):
        folder.save(prepared, tmp_path / "out")
    folder.save(prepared, tmp_path / "out", force=True)
    odd = Prepared(Corpus((Text("odd", "x", metadata={"when": object()}),)), prepared.record)
    with pytest.raises(InputError, match="The metadata of odd cannot be written as JSON"):
        folder.save(odd, tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_same_bytes_whatever_pythons_hash_seed(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from idiograph.texts.text import Corpus, Text\n"
        "from idiograph.texts.preparing import record\nfrom idiograph.texts.preparing.prepare import prepare\n"
        "texts = [Text(f't{n}', f'@bob {n % 7} sooo http://a.b/{n} ' + 'word other ' * (n % 5), 'abc'[n % 3])"
        " for n in range(60)]\n"
        "record.save(prepare(Corpus(tuple(texts)), 'tweet'), Path(sys.argv[1]))\n"
    )
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
    for name in ("corpus.jsonl", "record.jsonl", "summary.json", "recipe.toml"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    first = json.loads((tmp_path / "1" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert list(first) == ["id", "author", "text", "metadata"]
