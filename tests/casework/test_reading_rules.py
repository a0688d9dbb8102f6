"""A case is read by the rules it was filed with: what was filed before characters were cleaned replays as it was."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fake_tagger import FakeTagger
from idiograph import Case, InputError, Text, file_case, mask, read, replay, verify
from made_texts import authors, case_of, sentences


def marked_case(folder: Path) -> Case:
    """A case whose Q, K and one reference author have marks inside and between words."""

    def write(path: Path, by: str, seed: int, *, marks: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = "\n".join(" ".join(sentence) for sentence in sentences(by, tokens=300, seed=seed))
        content = content.replace(" the ", " t\u200ehe ").replace(" and ", " and\u2028") if marks else content
        path.write_text(content.replace("N", "lamp").replace("V", "glows").replace("P", "Lee"), encoding="utf-8")

    write(folder / "q.txt", "lee", 9, marks=True)
    for number in (1, 2):
        write(folder / "known" / f"{number}.txt", "lee", number, marks=True)
    for author in authors(6):
        for number in range(2):
            write(folder / "reference" / author / f"{number}.txt", author, number, marks=author == "author00")
    return case_of(folder, masking="posnoise", repetitions=3)


def by_rules(case: Case, rules: int) -> Case:
    return replace(case, reading=replace(case.reading, rules=rules))


@pytest.mark.usefixtures("unread_reports")
def test_cases_filed_before_and_after_replay_each_by_its_own_rules(fake_tagger: FakeTagger, tmp_path: Path) -> None:
    case = marked_case(tmp_path)
    results = {}
    for rules in (1, 2):
        file_case(by_rules(case, rules), tmp_path / f"case{rules}", quick=True, workers=1)
        results[rules] = json.loads((tmp_path / f"case{rules}" / "result.json").read_text(encoding="utf-8"))
        assert replay(tmp_path / f"case{rules}" / "manifest.json").agrees
    assert results[1]["lambda_g"] != results[2]["lambda_g"]
    assert "reading_rules" not in results[1]["settings"]  # as 0.3.0 filed it
    assert results[2]["settings"]["reading_rules"] == 2
    codes = [finding["code"] for finding in results[2]["audit"]]
    assert "invisible-characters" in codes
    assert not {"odd-spellings", "unknown-words", "repeated-feature"} & set(codes)


def test_the_manifest_and_the_report_name_the_way_in_which_texts_were_tagged(
    fake_tagger: FakeTagger, tmp_path: Path
) -> None:
    case = replace(marked_case(tmp_path), repetitions=1)
    assert verify(case, quick=True, workers=1).provenance.versions["tagging"] == "made up"
    (tmp_path / "q.txt").write_text("The lamp glows and the lamp of Lee glows. " * 40, encoding="utf-8")
    file_case(case, tmp_path / "case", quick=True, workers=1)
    way = "kept from before, made up"
    manifest = json.loads((tmp_path / "case" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["versions"]["tagging"] == way
    assert f"<td>tagging</td><td>{way}</td>" in (tmp_path / "case" / "annexes.html").read_text(encoding="utf-8")


def test_texts_without_such_characters_are_the_same_by_all_rules(fake_tagger: FakeTagger, tmp_path: Path) -> None:
    case = marked_case(tmp_path)
    for path in tmp_path.rglob("*.txt"):
        content = path.read_text(encoding="utf-8")
        path.write_text(content.replace("\u200e", "").replace("\u2028", " "), encoding="utf-8")
    before, after = (verify(by_rules(case, rules), quick=True, workers=1) for rules in (1, 2))
    assert (before.case_digest, before.texts) == (after.case_digest, after.texts)
    assert repr(before.comparisons) == repr(after.comparisons)


def test_rules_that_this_version_does_not_know(filed_plainly: Path, tmp_path: Path) -> None:
    filed = filed_plainly
    content = json.loads((filed / "case" / "manifest.json").read_text(encoding="utf-8"))
    content["settings"]["reading_rules"] = 3
    for file in (filed / "case").iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"rules of reading must be .* not 3\. Use the version of Idiograph that filed"
    ):
        replay(tmp_path / "manifest.json", inputs=filed)


def test_unreadable_files_of_all_sides_are_named_at_once(tmp_path: Path) -> None:
    case = marked_case(tmp_path)
    for path in (tmp_path / "q.txt", tmp_path / "known" / "2.txt", tmp_path / "reference" / "author01" / "0.txt"):
        path.write_bytes("naïve café".encode("cp1252"))
    with pytest.raises(InputError) as caught:
        verify(case)
    for named in ("questioned/Q1: q.txt is not", "known/lee: 2.txt is not", "reference: author01/0.txt is not"):
        assert named in str(caught.value)


def test_what_was_declared_held_for_every_file_before(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("café".encode())
    assert read(tmp_path, encoding="latin-1").texts[0].content == "café"
    options = replace(case_of(tmp_path).reading, encoding="latin-1", rules=1)
    assert read(tmp_path, options).texts[0].content == "cafÃ©"


def test_masking_of_strings_and_of_texts_read_agree(fake_tagger: FakeTagger, tmp_path: Path) -> None:
    content = "The la\u00admp glows\u202c , and\u2028it is ours ."
    (tmp_path / "a.txt").write_text(content, encoding="utf-8")
    (text,) = read(tmp_path).texts
    assert (
        mask(text).sentences
        == mask(Text("a", content)).sentences
        == mask("The lamp glows , and it is ours .").sentences
    )
