"""A seal holds while nothing changes, tells what did, and says whether it is signed and by whom."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from filed_case import file_a_case
from idiograph.casework.seal import INTEGRITY, check_seal, seal
from idiograph.errors import InputError, StudyError
from killing import every_kill
from made_texts import command

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture
def case(copied: Path) -> Path:
    return copied / "case"


def make_key(path: Path) -> Path:
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "an expert", "-f", str(path)]
    subprocess.run(made, check=True)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "key")


def test_an_untouched_case_is_as_it_was_sealed(case: Path) -> None:
    made = seal(case)
    files = {path.relative_to(case).as_posix() for path in case.rglob("*") if path.is_file()} - {"seal.json"}
    assert {"case.toml", "runs.jsonl", "report.pdf", "manifest.json", "runs/0001/result.json"} <= files
    assert (made.n_files, made.n_inputs, made.edited, made.signed) == (len(files), 18, (), False)
    found = check_seal(case)
    assert found.holds
    assert (found.n_files, found.n_inputs) == (len(files), 18)
    assert (found.changed, found.missing, found.added) == ((), (), ())
    assert (found.signature, found.signer, found.sentence) == ("none", None, INTEGRITY)
    assert "not signed" in INTEGRITY
    assert not (case / ".lock").exists()


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b" ")


@pytest.mark.parametrize(
    "name",
    ["case.toml", "report.html", "report.docx", "report.pdf", "result.json", "manifest.json", "tokens.csv",
     "runs.jsonl", "runs/0001/report.html", "runs/0001/manifest.json"],
)  # fmt: skip
def test_every_kind_of_file_tells_when_it_is_changed_or_missing(case: Path, name: str) -> None:
    seal(case)
    append(case / name)
    found = check_seal(case)
    assert (found.changed, found.missing, found.added, found.holds) == ((name,), (), (), False)
    (case / name).unlink()
    found = check_seal(case)
    assert (found.changed, found.missing, found.added, found.holds) == ((), (name,), (), False)


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "runs/0002/result.json", "figures/x.svg"])
def test_whatever_is_added_is_named(case: Path, name: str) -> None:
    seal(case)
    (case / name).parent.mkdir(exist_ok=True)
    (case / name).write_text("new", encoding="utf-8")
    found = check_seal(case)
    assert (found.changed, found.missing, found.added, found.holds) == ((), (), (name,), False)


def test_inputs_are_sealed_too(case: Path, tmp_path: Path) -> None:
    seal(case)
    append(case.parent / "q.txt")
    (case.parent / "reference" / "author01" / "1.txt").unlink()
    found = check_seal(case)
    assert found.changed == ("questioned/Q1 q.txt",)
    assert found.missing == ("reference author01/1.txt",)
    assert not found.holds


def test_inputs_may_lie_elsewhere(case: Path, tmp_path: Path) -> None:
    seal(case)
    for name in ("q.txt", "known", "reference"):
        (tmp_path / "moved").mkdir(exist_ok=True)
        shutil.move(case.parent / name, tmp_path / "moved" / name)
    assert len(check_seal(case).missing) == 18
    assert check_seal(case, inputs=tmp_path / "moved").holds


def test_a_later_run_breaks_the_seal_until_it_is_sealed_anew(case: Path) -> None:
    seal(case)
    assert command("verify", case / "case.toml", "--quick", "--force") == 0
    found = check_seal(case)
    assert "runs.jsonl" in found.changed
    assert "runs/0002/manifest.json" in found.added
    with pytest.raises(InputError, match=r"is sealed already\. Check the seal, or pass --force"):
        seal(case)
    seal(case, force=True)
    assert check_seal(case).holds


def test_an_edited_report_is_sealed_as_it_is_and_named(case: Path) -> None:
    append(case / "report.docx")
    assert seal(case).edited == ("report.docx",)
    assert check_seal(case).holds


def test_changed_inputs_cannot_be_sealed(case: Path) -> None:
    append(case.parent / "q.txt")
    with pytest.raises(StudyError, match=r"1 of 18 inputs .* questioned/Q1 q\.txt \(changed\)"):
        seal(case)
    assert not (case / "seal.json").exists()


@needs_ssh
def test_a_signed_seal_names_the_key(case: Path, key: Path, tmp_path: Path) -> None:
    assert seal(case, key=key).signed
    found = check_seal(case)
    fingerprint = subprocess.run(["ssh-keygen", "-lf", key], check=True, capture_output=True, text=True).stdout.split()[
        1
    ]
    assert found.holds
    assert (found.signature, found.signer) == ("good", f"ED25519 {fingerprint}")
    assert "compare its fingerprint with the expert's" in found.sentence
    found = check_seal(case, key=Path(f"{key}.pub"))
    assert found.holds
    assert "sealed by the key that was named" in found.sentence
    # Anybody can check it without Idiograph.
    signers = tmp_path / "signers"
    signers.write_text(f"expert {Path(f'{key}.pub').read_text(encoding='utf-8')}", encoding="utf-8")
    asked = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "expert", "-n", "idiograph-seal"]
    asked += ["-s", case / "seal.json.sig"]
    subprocess.run(asked, check=True, input=(case / "seal.json").read_bytes(), capture_output=True)


@needs_ssh
def test_a_seal_changed_after_signing_is_not_accepted(case: Path, key: Path) -> None:
    """Somebody changes a report and writes its new digest into the seal."""
    seal(case, key=key)
    append(case / "report.html")
    sealed = json.loads((case / "seal.json").read_text(encoding="utf-8"))
    forged = seal(shutil.copytree(case.parent, case.parent.parent / "other") / "case", force=True)
    sealed["files"]["report.html"] = json.loads(forged.path.read_text(encoding="utf-8"))["files"]["report.html"]
    (case / "seal.json").write_text(json.dumps(sealed), encoding="utf-8")
    found = check_seal(case)
    assert (found.changed, found.missing, found.added) == ((), (), ())
    assert (found.signature, found.holds) == ("bad", False)
    assert "does not belong to this seal" in found.sentence


@needs_ssh
def test_another_key_or_none_is_not_the_experts(case: Path, key: Path, tmp_path: Path) -> None:
    expert = Path(f"{make_key(tmp_path / 'expert')}.pub")
    seal(case, key=key)
    for forged in (lambda: None, lambda: seal(case, force=True)):
        forged()
        found = check_seal(case, key=expert)
        assert (found.signature, found.holds, found.signer) == ("bad", False, None)
        assert found.sentence == "The seal is not signed by that key."
    assert not (case / "seal.json.sig").exists()  # an old signature does not stay beside a new seal


@needs_ssh
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda key: key.unlink(), r"The key .*key does not exist\. Name a private SSH key"),
        (lambda key: key.write_text("not a key", encoding="utf-8"), r"could not be signed with .*key \(.*\)\. Name"),
    ],
)
def test_a_key_that_cannot_sign(case: Path, key: Path, spoil: Callable[[Path], object], words: str) -> None:
    spoil(key)
    with pytest.raises(InputError, match=words):
        seal(case, key=key)
    assert not (case / "seal.json").exists()


def test_without_the_tool(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text("a key", encoding="utf-8")
    seal(case)
    (case / "seal.json.sig").write_text("a signature", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"signed by ssh-keygen, which is not installed\. Install OpenSSH, or leave"):
        seal(case, key=tmp_path / "key", force=True)
    found = check_seal(case)
    assert (found.signature, found.holds) == ("not checked", True)
    assert found.sentence.startswith("The seal is signed, and ssh-keygen, which would check the signature, is not")
    assert INTEGRITY in found.sentence


@needs_ssh
def test_a_kill_leaves_a_seal_that_is_true_or_none(tmp_path: Path, key: Path) -> None:
    """After any file operation: the old seal or the new one, signed or not yet, and never a wrong signature."""
    whole = file_a_case(tmp_path / "whole")
    seal(whole / "case", key=key)
    place = tmp_path / "place"

    def prepare() -> None:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(whole, place)

    states = set()
    for _ in every_kill(lambda: seal(place / "case", key=key, force=True), prepare):
        found = check_seal(place / "case")
        assert found.signature in ("good", "none")
        left = [name for name in found.added if Path(name).name.startswith(".")]
        assert (found.changed, found.missing, found.added) == ((), (), tuple(left))
        states.add(found.signature)
        assert seal(place / "case", key=key, force=True).signed  # and the next one puts it right
        assert check_seal(place / "case").holds
    assert states == {"good", "none"}


def test_what_is_no_case_or_no_seal_gets_a_sentence(case: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a folder\. Name the folder of a filed case"):
        seal(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"manifest\.json could not be read"):
        seal(tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) == []
    with pytest.raises(InputError, match=r"has no seal that can be read \(No such file.*\)\. Seal the case"):
        check_seal(case)
    for content, words in (
        ("{", "is not valid JSON"),
        ("[]", "is not a seal that this version"),
        ('{"kind": "idiograph seal", "schema": 2}', "is not a seal that this version"),
        ('{"kind": "idiograph seal", "schema": 1}', "is damaged"),
        ('{"kind": "idiograph seal", "schema": 1, "sealed": "", "files": {"a": 1}, "inputs": []}', "is damaged"),
        ('{"kind": "idiograph seal", "schema": 1, "sealed": "", "files": {}, "inputs": [{}]}', "is damaged"),
    ):
        (case / "seal.json").write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=words):
            check_seal(case)


def test_a_public_key_that_cannot_be_read(case: Path, tmp_path: Path) -> None:
    seal(case)
    (case / "seal.json.sig").write_text("a signature", encoding="utf-8")
    with pytest.raises(InputError, match=r"The public key .*none\.pub could not be read \(No such file"):
        check_seal(case, key=tmp_path / "none.pub")


def test_a_check_writes_nothing(case: Path) -> None:
    seal(case)
    before = {path: path.stat().st_mtime_ns for path in (case, *case.rglob("*"))}
    assert check_seal(case).holds
    assert {path: path.stat().st_mtime_ns for path in (case, *case.rglob("*"))} == before
