"""A filed case runs again, here and elsewhere: inputs are found by their digests, and every difference is seen."""

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from filed_case import refile
from idiograph import InputError, StudyError, replay
from idiograph.casework.replay import agreeing_digits, found_inputs, located
from made_texts import command


def test_elsewhere_too(copied: Path) -> None:
    assert replay(copied / "case" / "manifest.json").agrees


def test_with_the_texts_scattered_and_renamed(copied_plainly: Path, tmp_path: Path) -> None:
    """Inputs are found by their digests, whatever they are called now."""
    heap = tmp_path / "heap"
    heap.mkdir()
    for number, path in enumerate(sorted(copied_plainly.glob("**/*.txt"))):
        path.rename(heap / f"{number}.bin")
    with pytest.raises(StudyError, match=r"18 of 18 inputs are not what the case was run with: known/known 1\.txt"):
        replay(copied_plainly / "case" / "manifest.json")
    assert replay(copied_plainly / "case" / "manifest.json", inputs=heap).agrees


def test_an_earlier_run_replays_from_where_it_is_kept(copied_plainly: Path) -> None:
    assert command("verify", copied_plainly / "case" / "case.toml", "--quick", "--force") == 0
    again = replay(copied_plainly / "case" / "runs" / "0001" / "manifest.json")
    assert again.agrees
    assert again.n_numbers > 100


def test_what_0_3_0_filed_is_replayed_by_its_own_rules(copied_plainly: Path) -> None:
    """It names none; by those of today the settings alone would differ."""
    result = json.loads((copied_plainly / "case" / "result.json").read_text(encoding="utf-8"))
    assert result["settings"].pop("rules") == 2
    refile(copied_plainly / "case", result)
    path = copied_plainly / "case" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest["settings"]["rules"]
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert replay(path).differences == ()


@pytest.mark.parametrize(
    ("rules", "error", "words"),
    [
        (3, InputError, "The case asks for rules 3, and this version of Idiograph knows 1 to 2"),
        ("two", StudyError, r"result\.json names the rules 'two', which is no number"),
    ],
)
def test_rules_that_nobody_knows_are_refused(
    copied_plainly: Path, rules: object, error: type[Exception], words: str
) -> None:
    result = json.loads((copied_plainly / "case" / "result.json").read_text(encoding="utf-8"))
    result["settings"]["rules"] = rules
    refile(copied_plainly / "case", result)
    with pytest.raises(error, match=words):
        replay(copied_plainly / "case" / "manifest.json")


def test_a_changed_input_is_named(copied: Path) -> None:
    with (copied / "q.txt").open("a", encoding="utf-8") as lines:
        lines.write("and N .\n")
    with pytest.raises(StudyError, match=r"1 of 18 inputs .* questioned/Q1 q\.txt \(changed\)"):
        replay(copied / "case" / "manifest.json")


def test_a_changed_input_is_told_from_a_missing_one_elsewhere_too(copied: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    for name in ("known", "reference"):
        shutil.move(copied / name, elsewhere / name)
    shutil.move(copied / "q.txt", elsewhere / "q.txt")
    with (elsewhere / "q.txt").open("a", encoding="utf-8") as lines:
        lines.write("x")
    (elsewhere / "known" / "1.txt").unlink()
    for author in range(5):
        (elsewhere / "reference" / f"author{author:02}" / "1.txt").unlink()
    with pytest.raises(StudyError, match=r"7 of 18 inputs .* known/known 1\.txt \(not found\)") as told:
        replay(copied / "case" / "manifest.json", inputs=elsewhere)
    assert "and 2 more" in str(told.value)
    (elsewhere / "known" / "1.txt").write_text("x")
    with pytest.raises(StudyError, match=r"questioned/Q1 q\.txt|known/known 1\.txt \(changed\)"):
        replay(copied / "case" / "manifest.json", inputs=elsewhere)


def test_a_difference_of_tagging_is_told_from_one_of_arithmetic(copied_plainly: Path) -> None:
    path = copied_plainly / "case" / "manifest.json"
    result = json.loads((copied_plainly / "case" / "result.json").read_text(encoding="utf-8"))
    result["lambda_g"] += 1e-9
    refile(copied_plainly / "case", result)
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["texts"][0]["masked_sha256"] = "0" * 64
    path.write_text(json.dumps(manifest), encoding="utf-8")
    first = manifest["texts"][0]["id"]
    assert (replay(path).cause or "").startswith("The difference comes from tagging: 1 of 18 texts were masked")
    assert first in (replay(path).cause or "")
    manifest["texts"][0]["content_sha256"] = "1" * 64
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert (replay(path).cause or "").startswith("The difference comes from reading or preparing: 1 of 18")


@pytest.mark.parametrize(
    "dotted",
    [
        "quick", "inputs", "texts", "outputs", "versions", "inputs.0", "inputs.0.role", "inputs.0.name",
        "inputs.0.path", "inputs.0.sha256", "inputs.0.alone", "texts.0", "texts.0.id", "texts.0.masked_sha256",
        "outputs.result\u0000json", "versions.numpy",
    ],
)  # fmt: skip
def test_a_manifest_with_a_missing_or_wrong_key_gets_a_sentence(filed: Path, tmp_path: Path, dotted: str) -> None:
    whole = (filed / "case" / "manifest.json").read_text(encoding="utf-8")
    *way, key = [int(part) if part.isdecimal() else part.replace("\0", ".") for part in dotted.split(".")]
    for wrong in (None, 3, [], {}, "gone"):
        manifest = json.loads(whole)
        holder = manifest
        for part in way:
            holder = holder[part]
        if isinstance(holder[key], type(wrong)):
            continue
        holder[key] = wrong
        (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        with pytest.raises(InputError, match=r"is damaged: .* is (missing|not )"):
            replay(tmp_path / "manifest.json")


def test_an_input_that_the_manifest_forgot_is_named(copied: Path) -> None:
    path = copied / "case" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["inputs"] = [entry for entry in manifest["inputs"] if entry["role"] != "reference"]
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(StudyError, match="names no input for reference"):
        replay(path)


def test_a_top_that_a_kill_left_incomplete_is_completed_before_it_is_read(copied_plainly: Path) -> None:
    case = copied_plainly / "case"
    for name in ("manifest.json", "result.json"):
        (case / name).unlink()
    assert replay(case / "manifest.json").agrees
    assert sorted(path.name for path in case.iterdir() if path.name.startswith(".")) == []


def test_a_changed_result_is_not_compared_with(copied: Path) -> None:
    with (copied / "case" / "result.json").open("a", encoding="utf-8") as lines:
        lines.write(" ")
    with pytest.raises(StudyError, match="nothing to compare with"):
        replay(copied / "case" / "manifest.json")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("{}", "is not the manifest of a case"),
        ('{"kind": "idiograph case", "schema": 99}', "has the schema 99"),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        replay(tmp_path / "manifest.json")
    with pytest.raises(InputError, match="could not be read"):
        replay(tmp_path / "none.json")


def test_inputs_must_be_a_folder(filed: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        replay(filed / "case" / "manifest.json", inputs=filed / "q.txt")


def test_a_manifest_cannot_write_outside_the_replay(copied: Path) -> None:
    path = copied / "case" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["inputs"][0]["name"] = "../../escaped.txt"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(StudyError, match="lies outside the case"):
        replay(path)


def test_other_versions_are_named(copied: Path) -> None:
    path = copied / "case" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    processor = manifest["versions"]["processor"]
    manifest["versions"] |= {"numpy": "0.0", "processor": "a slide rule"}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    again = replay(path)
    assert list(again.other_versions) == ["numpy", "processor"]
    assert again.other_versions["processor"] == ("a slide rule", processor)
    assert again.differences == ()
    # But nobody filed such a manifest, and the annexes print the versions.
    files = ("annexes.docx", "annexes.html", "annexes.pdf", "documents.json")
    named = [f"{file} is not what the run gives when it is made again" for file in files]
    assert again.problems == (*named, "manifest.json at the top is not that of runs/0001")


@pytest.mark.parametrize(
    ("first", "second", "digits"),
    [(1.0, 1.0, 17), (1.2345, 1.2346, 3), (1.0, 2.0, 0), (1.0, -1.0, 0), (12345678.0, 12345679.0, 7)],
)
def test_agreeing_digits(first: float, second: float, digits: int) -> None:
    assert agreeing_digits(first, second) == digits


def entry(name: str, content: str, *, role: str = "reference") -> dict[str, str]:
    return {"role": role, "name": name, "path": f"../{role}/{name}", "sha256": sha256(content.encode()).hexdigest()}


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
