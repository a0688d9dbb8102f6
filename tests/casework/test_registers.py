"""The registers that a case names: printed, compared, and no part of a digest while none is named."""

import json
from pathlib import Path

import idiograph
from idiograph.casework.case import case_digest, read_case, written
from idiograph.casework.verification import Verification, as_result
from idiograph.output.html import html
from idiograph.output.report import report
from made_texts import case_of, command, file_case_of, write_case
from seen_report import Page

NAMED = {"questioned_register": "e-mail", "known_register": " E-Mail ", "reference_register": "forum posts"}


def test_different_registers_are_a_point_of_caution_on_page_one(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=5)
    done = idiograph.verify(case_of(folder, **NAMED), quick=True)
    (one,) = done.comparisons
    (found,) = [row for row in one.audit if row.code == "registers-differ"]
    assert found.severity == "amber"
    assert found.message == "The case names different registers: Q e-mail; K E-Mail; the reference forum posts."
    page = Page(html(report(done))).text
    assert "different registers" in page.partition("Finding:")[0]
    assert "Registers as the case file names them: Q1: e-mail, K: E-Mail, the reference: forum posts." in page
    assert as_result(done)["reference"]["register"] == "forum posts"


def test_the_same_register_in_other_letters_is_the_same(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=5)
    same = {**NAMED, "reference_register": "E-MAIL"}
    for named in (same, {"known_register": "e-mail"}, {}):
        (one,) = idiograph.verify(case_of(folder, **named), quick=True).comparisons
        assert not [row for row in one.audit if row.code == "registers-differ"]


def test_a_report_says_that_none_is_named(verified: Verification) -> None:
    page = Page(html(report(verified))).text
    assert "The case file does not name the registers of Q, K and the reference." in page


def test_a_case_that_names_none_has_the_digest_of_before(tmp_path: Path) -> None:
    plain, named = case_of(tmp_path), case_of(tmp_path, known_register="chat")
    assert case_digest(plain, ()) != case_digest(named, ())
    path = tmp_path / "case.toml"
    path.write_text(written(plain, folder=tmp_path), encoding="utf-8")
    content = path.read_text(encoding="utf-8")
    start, end = content.index("[register]"), content.index("[texts]")
    path.write_text(content[:start] + content[end:], encoding="utf-8")  # as a file from before
    assert case_digest(read_case(path), ()) == case_digest(plain, ())


def test_the_command_and_its_file(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    options = [word for name, value in NAMED.items() for word in (f"--{name.replace('_', '-')}", value)]
    assert file_case_of(tmp_path, "--quick", *options) == 0
    settings = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))["settings"]
    assert settings["reference_register"] == "forum posts"
    assert "[register]\n" in (tmp_path / "case" / "case.toml").read_text(encoding="utf-8")
    assert command("replay", tmp_path / "case" / "manifest.json") == 0
