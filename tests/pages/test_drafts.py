import json
import shutil
import tomllib
from pathlib import Path

import pytest

from idiograph import InputError, read_case
from idiograph.files import locked
from idiograph.pages.drafts import (
    STUDY,
    add_files,
    change,
    new_draft,
    put_texts_back,
    read_draft,
    remove_texts,
    removed_texts,
    rename_role,
    tidy,
)
from idiograph.pages.uploads import Arrived
from killing import every_kill, hidden

QUESTIONED, KNOWN, REFERENCE = ("questioned", "Q1"), ("known", "José / Smith"), ("inputs", "reference")


def arrived(folder: Path, *names: str) -> list[Arrived]:
    folder.mkdir(exist_ok=True)
    files = []
    for number, name in enumerate(names):
        path = folder / str(number)
        path.write_text(f"the text {name}")
        files.append(Arrived(tuple(name.split("/")), path))
    return files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_draft(tmp_path / "cases", "A title", title="A title")


@pytest.fixture
def complete(folder: Path, tmp_path: Path) -> Path:
    add_files(folder, QUESTIONED, arrived(tmp_path / "up", "q.txt"))
    add_files(folder, KNOWN, arrived(tmp_path / "up", "1.txt", "2.txt"))
    add_files(folder, REFERENCE, arrived(tmp_path / "up", "kim/1.txt"))
    change(folder, {("population",): "people"})
    return folder


def test_a_new_case_is_a_folder_with_what_is_known_so_far(folder: Path) -> None:
    assert tomllib.loads((folder / "case.toml").read_text()) == {"schema": 1, "title": "A title"}
    draft = read_draft(folder)
    assert draft.settings is None
    assert "population is missing" in draft.problem
    assert new_draft(folder.parent, "A title").name == "a-title-2"
    with pytest.raises(InputError, match="Give it a title"):
        new_draft(folder.parent, "  ")


def test_a_complete_case_is_written_as_the_command_line_writes_it(complete: Path) -> None:
    draft = read_draft(complete)
    assert draft.problem == ""
    case = read_case(complete / "case.toml")
    assert case == draft.settings
    assert case.population == "people"
    assert [str(path.relative_to(complete)) for path in case.known.values()] == ["texts/known/josé-smith"]
    assert list(case.known) == ["José / Smith"]
    assert "# The population that the alternative author" in (complete / "case.toml").read_text()


def test_what_is_typed_is_kept_even_if_it_is_wrong(complete: Path) -> None:
    draft = change(complete, {("method", "order"): "ten"})
    assert draft.settings is None
    assert draft.problem == '[method]: order must be a whole number from 1 to 30, not "ten".'
    assert read_draft(complete).held(("method", "order")) == "ten"
    assert read_draft(complete).held(("population",)) == "people"
    assert change(complete, {("method", "order"): None}).settings.order == 10


def test_a_setting_that_the_pages_do_not_know_stays_in_the_file(folder: Path) -> None:
    path = folder / "case.toml"
    path.write_text('schema = 1\nown = ["a", "b"]\n\n[later]\nx = 1.5\n[[later.list]]\ny = true\n', encoding="utf-8")
    before = tomllib.loads(path.read_text())
    change(folder, {("title",): 'A "title"\n\u2028'})
    assert tomllib.loads(path.read_text(encoding="utf-8")) == {**before, "title": 'A "title"\n\u2028'}


def test_nothing_is_changed_while_the_case_is_run(complete: Path, tmp_path: Path) -> None:
    before = (complete / "case.toml").read_bytes()
    with locked(complete):
        for attempt in (
            lambda: change(complete, {("title",): "x"}),
            lambda: add_files(complete, QUESTIONED, arrived(tmp_path / "up", "new.txt")),
            lambda: remove_texts(complete, QUESTIONED),
            lambda: rename_role(complete, QUESTIONED, "Q2"),
        ):
            with pytest.raises(InputError, match="is in use"):
                attempt()
    assert (complete / "case.toml").read_bytes() == before
    assert not (complete / "texts" / "questioned" / "Q1" / "new.txt").exists()


def test_a_damaged_file_is_not_written_over(folder: Path, tmp_path: Path) -> None:
    (folder / "case.toml").write_text("schema = = 1")
    assert "not valid TOML" in read_draft(folder).problem
    for attempt in (
        lambda: change(folder, {("title",): "x"}),
        lambda: add_files(folder, QUESTIONED, arrived(tmp_path / "up", "q.txt")),
    ):
        with pytest.raises(InputError, match="not valid TOML"):
            attempt()
    assert (folder / "case.toml").read_text() == "schema = = 1"


def test_a_text_is_never_replaced_by_another_of_the_same_name(complete: Path, tmp_path: Path) -> None:
    known = complete / "texts" / "known" / "josé-smith"
    other = arrived(tmp_path / "other", "new.txt", "1.txt")
    other[1].path.write_text("another text")
    with pytest.raises(InputError, match=r"already a different file 1\.txt here, so nothing was copied"):
        add_files(complete, KNOWN, other)
    assert sorted(path.name for path in known.iterdir()) == ["1.txt", "2.txt"]
    assert (known / "1.txt").read_text() == "the text 1.txt"
    add_files(complete, KNOWN, arrived(tmp_path / "up", "1.txt"))  # the same once more is no loss


def test_what_was_removed_lies_in_the_bin_and_goes_back_where_it_was(complete: Path, tmp_path: Path) -> None:
    known, before = complete / "texts" / "known" / "josé-smith", (complete / "case.toml").read_text()
    remove_texts(complete, KNOWN, "1.txt")
    assert [path.name for path in known.iterdir()] == ["2.txt"]
    remove_texts(complete, KNOWN, "2.txt")
    assert (known.exists(), read_draft(complete).held(KNOWN)) == (False, None)
    remove_texts(complete, QUESTIONED)
    in_bin = removed_texts(complete)
    assert {(texts.keys, texts.files) for texts in in_bin} == {
        (KNOWN, ("1.txt",)),
        (KNOWN, ("2.txt",)),
        (QUESTIONED, ("q.txt",)),
    }
    for texts in in_bin:
        put_texts_back(complete, texts.name)
    assert sorted(path.name for path in known.iterdir()) == ["1.txt", "2.txt"]
    assert (complete / "case.toml").read_text() == before
    assert removed_texts(complete) == []
    # A file that has come since is not written over.
    remove_texts(complete, KNOWN, "1.txt")
    (known / "1.txt").write_text("another")
    with pytest.raises(InputError, match=r"already a different file 1\.txt here"):
        put_texts_back(complete, removed_texts(complete)[0].name)
    assert (known / "1.txt").read_text() == "another"
    # A note that leads elsewhere is not followed.
    (removed,) = removed_texts(complete)
    note = complete / "bin" / removed.name / "removed.json"
    note.write_text(note.read_text().replace("texts/known", "../../known"))
    with pytest.raises(InputError, match="outside the case's folder “texts”"):
        put_texts_back(complete, removed.name)
    for damaged in ("{}", "[1]", "x"):
        note.write_text(damaged)
        assert removed_texts(complete) == []
        with pytest.raises(InputError):
            put_texts_back(complete, removed.name)
    (complete / "bin").rename(tmp_path / "bin")
    (complete / "bin").symlink_to(tmp_path / "bin")
    assert removed_texts(complete) == []
    with pytest.raises(InputError):
        remove_texts(complete, KNOWN, "2.txt")


def test_no_link_in_the_bin_of_a_received_case_is_followed(complete: Path, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.txt").write_text("mine")
    removed = complete / "bin" / "x"
    removed.mkdir(parents=True)
    note = {"keys": ["known", "New"], "place": "texts/known/new", "removed": "2024-01-01T00:00:00Z", "alone": False}
    (removed / "removed.json").write_text(json.dumps(note))
    (removed / "texts").symlink_to(tmp_path / "private")
    assert removed_texts(complete) == []
    with pytest.raises(InputError, match="texts is a link"):
        put_texts_back(complete, "x")
    assert (tmp_path / "private" / "diary.txt").read_text() == "mine"


def test_a_part_gets_another_name_and_keeps_its_files_and_place(complete: Path, tmp_path: Path) -> None:
    add_files(complete, ("known", "Kay"), arrived(tmp_path / "up", "1.txt"))
    path = read_draft(complete).role_path(KNOWN)
    rename_role(complete, KNOWN, "Lee")
    assert list(read_draft(complete).held(("known",))) == ["Lee", "Kay"]
    assert read_draft(complete).role_path(("known", "Lee")) == path
    with pytest.raises(InputError, match="This name is already taken"):
        rename_role(complete, ("known", "Lee"), "Kay")
    assert list(rename_role(complete, ("known", "Lee"), " ").held(("known",))) == ["Lee", "Kay"]
    assert list(rename_role(complete, ("known", "Nobody"), "x").held(("known",))) == ["Lee", "Kay"]


def test_texts_that_lie_elsewhere_are_never_touched(complete: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "1.txt").write_text("mine")
    change(complete, {REFERENCE: str(elsewhere)})
    with pytest.raises(InputError, match="outside the case's folder “texts”"):
        add_files(complete, REFERENCE, arrived(tmp_path / "up", "2.txt"))
    remove_texts(complete, REFERENCE)
    assert (elsewhere / "1.txt").read_text() == "mine"
    assert [path.name for path in elsewhere.iterdir()] == ["1.txt"]


def test_a_link_among_the_texts_leads_no_upload_out_of_the_folder(complete: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (complete / "texts" / "reference" / "away").symlink_to(elsewhere)
    with pytest.raises(InputError, match=r"is a link\. Links inside"):
        add_files(complete, REFERENCE, arrived(tmp_path / "up", "away/x.txt"))
    assert list(elsewhere.iterdir()) == []


def test_a_metadata_table_is_one_file_not_a_folder(complete: Path, tmp_path: Path) -> None:
    (tmp_path / "up2").mkdir()
    table = tmp_path / "up2" / "0"
    table.write_text("file,author\n1.txt,kim\n")
    draft = add_files(complete, ("reading", "metadata"), [Arrived(("authors.csv",), table)], alone=True)
    assert draft.settings.reading.metadata == complete / "texts" / "metadata" / "authors.csv"


def test_a_study_is_written_in_the_same_way(tmp_path: Path) -> None:
    conditions = [{"drawing": "contiguous", "q_tokens": [60], "k_tokens": [120]}]
    folder = new_draft(tmp_path, "Lengths", STUDY, name="Lengths", conditions=conditions)
    assert "corpora" in read_draft(folder, STUDY).problem
    draft = change(folder, {("corpora",): [{"name": "c", "path": "texts"}]}, kind=STUDY)
    assert draft.problem == ""
    assert draft.settings.name == "Lengths"
    assert json.dumps(draft.content["conditions"]) == json.dumps(conditions)


def contents(folder: Path, keys: tuple[str, ...]) -> dict[str, str]:
    """The texts of a role by their place, as a reader finds them."""
    at = read_draft(folder).role_path(keys)
    if at is None:
        return {}
    tidy(folder)  # as the next upload or run does
    return {path.relative_to(at).as_posix(): path.read_text() for path in at.rglob("*.txt")}


@pytest.mark.parametrize("keys", [KNOWN, REFERENCE])
def test_an_upload_that_is_killed_is_there_whole_or_not_at_all(
    folder: Path, tmp_path: Path, keys: tuple[str, ...]
) -> None:
    add_files(folder, KNOWN, arrived(tmp_path / "up", "1.txt", "2.txt"))
    before, kept = contents(folder, keys), tmp_path / "kept"
    sent = arrived(tmp_path / "new", "a/3.txt", "a/4.txt", "b/5.txt")
    whole = {**before, **{name: f"the text {name}" for name in ("a/3.txt", "a/4.txt", "b/5.txt")}}
    later = arrived(tmp_path / "later", "a/6.txt")
    shutil.copytree(folder, kept)

    def prepare() -> None:
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)

    ends = set()
    for _ in every_kill(lambda: add_files(folder, keys, sent), prepare):
        there = contents(folder, keys)
        assert there in (before, whole)
        ends.add(len(there))
        add_files(folder, keys, later)
        assert contents(folder, keys) == {**there, "a/6.txt": "the text a/6.txt"}
        assert hidden(folder) == []
    assert ends == {len(before), len(whole)}


def test_an_upload_that_fills_the_disk_leaves_everything_as_it_was(small_disk: Path, tmp_path: Path) -> None:
    folder = new_draft(small_disk / "cases", "A title", title="A title")
    add_files(folder, KNOWN, arrived(tmp_path / "up", "1.txt"))
    before = contents(folder, KNOWN)
    large = arrived(tmp_path / "large", "2.txt", "3.txt", "4.txt")
    for file in large:
        file.path.write_bytes(b"x" * 100_000)
    for keys in (KNOWN, REFERENCE):
        with pytest.raises(InputError, match="No space left on device"):
            add_files(folder, keys, large)
        assert contents(folder, KNOWN) == before
        assert contents(folder, REFERENCE) == {}
        assert hidden(folder) == []
    add_files(folder, KNOWN, arrived(tmp_path / "small", "5.txt"))
    assert contents(folder, KNOWN) == {**before, "5.txt": "the text 5.txt"}


def test_a_part_that_is_taken_out_is_out_before_its_files_go(complete: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(complete, kept)

    def prepare() -> None:
        shutil.rmtree(complete)
        shutil.copytree(kept, complete)

    whole = contents(complete, KNOWN)
    for _ in every_kill(lambda: remove_texts(complete, KNOWN), prepare):
        assert contents(complete, KNOWN) in (whole, {})
    with pytest.raises(InputError, match="no such file"):
        remove_texts(kept, KNOWN, "nowhere.txt")


def test_another_file_in_the_place_of_one_takes_the_old_one_away(folder: Path, tmp_path: Path) -> None:
    keys = ("reading", "metadata")
    for name in ("who.csv", "else.csv", "who.csv"):
        add_files(folder, keys, arrived(tmp_path / "up", name), alone=True)
        path = read_draft(folder).role_path(keys)
        assert path is not None
        assert path.name == name
        assert [path for path in (folder / "texts").rglob("*") if path.is_file()] == [path]


def test_what_goes_by_other_settings_still_does_once_the_case_is_complete(complete: Path) -> None:
    assert read_draft(complete).settings.primary == "controlled"
    assert read_draft(complete).held(("primary",)) == "auto"
    settings = change(complete, {("texts", "masking"): "masked"}).settings
    assert (settings.primary, settings.bounds) == ("normalised", "elub")
    assert change(complete, {("primary",): "hapax"}).held(("primary",)) == "hapax"
