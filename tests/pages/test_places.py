import os
from pathlib import Path

import pytest

from idiograph import InputError
from idiograph.pages.uploads import (
    DEEPEST,
    LONGEST,
    NotThere,
    checked_name,
    checked_parts,
    child,
    existing,
    files_below,
    folder_name,
    folders,
    is_inside,
)


@pytest.mark.parametrize("name", ["q.txt", "Ärger über Öl.docx", "a b (1).txt", "x" * LONGEST, "connor.txt", "com.txt"])
def test_a_name_that_every_system_can_have_stays_as_it_is(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "without a name"),
        (".", "without a name"),
        ("..", "without a name"),
        (". .", "without a name"),
        (".ssh", "begins or ends with a dot"),
        ("a.", "begins or ends with a dot"),
        (" a", "begins or ends with a dot or a blank"),
        ("a/b", "cannot have"),
        ("a\\b", "cannot have"),
        ("C:", "cannot have"),
        ("a\0b", "cannot have"),
        ("a\nb", "cannot have"),
        ("a\ud800", "cannot have"),
        ("x" * (LONGEST + 1), "longer than"),
        ("ß" * LONGEST + "ß", "longer than"),
        ("\N{GRINNING FACE}" * LONGEST, "longer than"),
        ("con", "keeps for devices"),
        ("NUL.txt", "keeps for devices"),
        ("Lpt1.tar.gz", "keeps for devices"),
    ],
)
def test_a_name_that_some_system_cannot_have_is_refused(name: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        checked_name(name)


def test_the_folders_of_an_uploaded_file_are_checked_one_by_one() -> None:
    assert checked_parts("reference/Lee/1.txt") == ("reference", "Lee", "1.txt")
    assert checked_parts("reference\\Lee\\1.txt") == ("reference", "Lee", "1.txt")


@pytest.mark.parametrize(
    "name",
    [
        "../q.txt", "a/../../q.txt", "a//q.txt", "a/./q.txt", "a\\..\\q.txt", "/etc/passwd", "\\\\host\\q",
        "C:\\q.txt", "C:q.txt", "a/nul/q.txt", "/".join("a" * (DEEPEST + 1)),
    ],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        checked_parts(name)


def test_what_is_read_is_looked_up_and_never_followed_out_of_the_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "case").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (inside / "case" / "q.txt").write_text("q")
    (inside / "link").symlink_to(outside)
    (inside / "case" / "link.txt").symlink_to(outside / "secret.txt")
    assert existing(inside, ["case", "q.txt"]).read_text() == "q"
    for parts in (
        ["link", "secret.txt"],
        ["case", "link.txt"],
        ["..", "outside", "secret.txt"],
        [""],
        ["."],
        ["case", ".."],
    ):
        with pytest.raises(NotThere, match="There is no"):
            existing(inside, parts)
    assert [path.name for path in folders(inside)] == ["case"]
    assert [file.place for file in files_below(inside)] == ["case/q.txt"]
    assert is_inside(inside / "case" / "new", inside)
    assert not is_inside(inside / "link" / "new", inside)


def test_a_folder_that_is_not_there_is_empty_and_one_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(folders(tmp_path / "absent")) == []
    with pytest.raises(NotThere):
        child(tmp_path / "absent", "x")

    def denied(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", denied)
    with pytest.raises(InputError, match="could not be read"):
        list(folders(tmp_path))
    with pytest.raises(InputError, match="could not be read"):
        child(tmp_path, "x")


def test_a_title_becomes_a_name_that_no_other_folder_has() -> None:
    assert folder_name("The Smith / Jones case!", []) == "the-smith-jones-case"
    assert folder_name("Ärger", ["Ärger"]) == "ärger-2"
    assert folder_name("../..", []) == "case"
    assert folder_name("CON", []) == "con-1"
    assert len(folder_name("x" * 500, [])) == 60
    for title in ("CON", "../..", "…", "a\0b", "日本語"):
        assert checked_name(folder_name(title, []))
