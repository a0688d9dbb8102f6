"""Inputs are found by their digests; what is changed is told from what is missing."""

import os
from pathlib import Path

import pytest

from idiograph import InputError, StudyError
from idiograph.casework.replay import found_inputs, located
from idiograph.provenance import digest


def entry(name: str, content: str, *, role: str = "reference") -> dict[str, str]:
    return {"role": role, "name": name, "path": f"../{role}/{name}", "sha256": digest(content)}


ENTRIES = [entry("ann/1.txt", "a1"), entry("ann/2.txt", "a2"), entry("bob/1.txt", "b1"), entry("bob/2.txt", "b2")]


def write(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def states(tmp_path: Path, inputs: Path | None) -> list[str]:
    return [file.state for file in located(ENTRIES, tmp_path / "case", inputs)]


def test_an_input_inside_the_case_that_lies_elsewhere_by_a_link_is_not_read(tmp_path: Path) -> None:
    case = write(tmp_path / "case", **{"texts__1_txt": "a1"})
    write(tmp_path / "private", **{"2_txt": "a2", "folder__3_txt": "a3"})
    (case / "texts" / "2.txt").symlink_to("../../private/2.txt")
    (case / "texts" / "folder").symlink_to("../../private/folder")
    entries = [{**entry(name, f"a{name[-5]}"), "path": f"texts/{name}"} for name in ("1.txt", "2.txt", "folder/3.txt")]
    assert [file.state for file in located(entries, case)] == ["found", "changed", "changed"]


def test_names_in_another_form_of_unicode_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    """As a disk or an archive made on macOS has them: decomposed."""
    (tmp_path / "case").mkdir()
    decomposed, bytes_ = "Jose\u0301", b"caf\xe9.txt"
    (tmp_path / "reference" / decomposed).mkdir(parents=True)
    (tmp_path / "reference" / decomposed / "1.txt").write_text("a1", encoding="utf-8")
    (tmp_path / "reference" / os.fsdecode(bytes_)).write_text("b1", encoding="utf-8")
    entries = [entry("Jos\u00e9/1.txt", "a1"), entry("caf\ufffd.txt", "b1"), entry("Jos\u00e9/2.txt", "c")]
    assert [file.state for file in located(entries, tmp_path / "case")] == ["found", "found", "missing"]
    (tmp_path / "reference" / "Jos\u00e9").mkdir()  # both forms side by side
    assert [file.state for file in located(entries, tmp_path / "case")] == ["found", "found", "missing"]


def test_where_they_lay(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    write(tmp_path / "reference", ann__1_txt="a1", ann__2_txt="changed", bob__1_txt="b1")
    assert states(tmp_path, None) == ["found", "changed", "found", "missing"]
    with pytest.raises(
        StudyError,
        match=r"2 of 4 inputs are not what the case was run with: reference ann/2\.txt \(changed\); reference "
        r"bob/2\.txt \(not found\)\. Put them back",
    ):
        found_inputs(ENTRIES, tmp_path / "case")


def test_one_changed_character_elsewhere_is_a_change(tmp_path: Path) -> None:
    folder = write(tmp_path / "moved", ann__1_txt="a1", ann__2_txt="a2 ", bob__1_txt="b1", bob__2_txt="b2")
    assert states(tmp_path, folder) == ["found", "changed", "found", "found"]


def test_another_authors_file_of_the_same_name_is_no_change(tmp_path: Path) -> None:
    """Every author has a 1.txt: that ann's is there does not make bob's a changed one."""
    folder = write(tmp_path / "moved", ann__1_txt="a1", ann__2_txt="other", bob__2_txt="b2")
    assert states(tmp_path, folder) == ["found", "changed", "missing", "found"]


def test_names_are_enough_where_folders_are_gone(tmp_path: Path) -> None:
    folder = write(tmp_path / "heap", x_bin="a1", y_bin="b2", z__1_txt="changed")
    assert states(tmp_path, folder) == ["found", "missing", "changed", "found"]


def test_a_changed_file_stands_for_one_input_only(tmp_path: Path) -> None:
    folder = write(tmp_path / "moved", bob__1_txt="changed")
    assert states(tmp_path, folder) == ["missing", "missing", "changed", "missing"]


def test_inputs_must_be_a_folder_that_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        located(ENTRIES, tmp_path, tmp_path / "none")


@pytest.mark.parametrize("path", ["x" * 5_000, "a\0b"])
def test_a_name_that_no_file_can_have_is_missing(tmp_path: Path, path: str) -> None:
    assert [file.state for file in located([ENTRIES[0] | {"path": path}], tmp_path)] == ["missing"]
