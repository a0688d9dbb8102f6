"""A prepared corpus on disk: it comes back as it was, and no kill loses the one that was there before."""

import json
import shutil
from pathlib import Path

import pytest

from idiograph import Corpus, InputError, Prepared, Text, prepare, read
from idiograph.texts.preparing.folder import CORPUS, RECORD, load, save, save_corpus, summary, summary_lines
from killing import every_kill, hidden


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
        assert len(read(place)) == 2, operation
        found = load(place)
        assert found in (old, new), operation
        ids.append(found.record.recipe.name)
        save(new, place, force=True)
        assert load(place) == new, operation
        assert hidden(tmp_path) == [], operation
    assert set(ids) == {"plain", "email"}


def test_a_new_prepared_folder_is_whole_or_absent_after_any_kill(tmp_path: Path) -> None:
    place = tmp_path / "out"
    for operation in every_kill(lambda: save(prepared(), place), lambda: shutil.rmtree(place, ignore_errors=True)):
        if not place.exists():
            save(prepared(), place)
        assert load(place) == prepared(), operation
        assert hidden(tmp_path) == [], operation
        assert (place / CORPUS).is_file()
