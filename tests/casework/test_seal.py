"""A seal holds while nothing changes, tells what did, and says whether it is signed and by whom."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from idiograph import InputError, StudyError, check_seal, seal
from killing import every_fault, every_kill
from made_texts import command

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture
def case(copied: Path) -> Path:
    return copied / "case"


def make_key(path: Path) -> Path:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "an expert", "-f", str(path)]
    subprocess.run(command, check=True)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_key(tmp_path / "key")


def test_an_untouched_case_is_as_it_was_sealed(case: Path) -> None:
    sealed = seal(case)
    files = {path.relative_to(case).as_posix() for path in case.rglob("*") if path.is_file()}
    files -= {"seal.json", "seal.txt"}
    assert {"case.toml", "runs.jsonl", "report.pdf", "manifest.json", "runs/0001/result.json"} <= files
    assert (sealed.n_files, sealed.n_inputs, sealed.edited, sealed.signed) == (len(files), 18, (), False)
    check = check_seal(case)
    assert check.holds
    assert (check.n_files, check.n_inputs) == (len(files), 18)
    assert (check.changed, check.missing, check.added) == ((), (), ())
    assert (check.signature, check.signer) == ("none", None)
    assert "not signed" in check.sentence
    assert not (case / ".lock").exists()


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b" ")


@pytest.fixture(scope="module")
def sealed(filed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed case, which every test leaves as it was."""
    folder = tmp_path_factory.mktemp("sealed") / "copy"
    shutil.copytree(filed, folder)
    seal(folder / "case")
    return folder / "case"


@pytest.mark.parametrize(
    "name",
    ["case.toml", "report.html", "report.docx", "report.pdf", "result.json", "manifest.json", "tokens.csv",
     "runs.jsonl", "runs/0001/report.html", "runs/0001/manifest.json"],
)  # fmt: skip
def test_every_kind_of_file_tells_when_it_is_changed_or_missing(sealed: Path, name: str) -> None:
    path, content = sealed / name, (sealed / name).read_bytes()
    append(path)
    check = check_seal(sealed)
    assert (check.changed, check.missing, check.added, check.holds) == ((name,), (), (), False)
    path.unlink()
    check = check_seal(sealed)
    assert (check.changed, check.missing, check.added, check.holds) == ((), (name,), (), False)
    path.write_bytes(content)
    assert check_seal(sealed).holds


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", ".lock", "runs/0002/result.json", "figures/x.svg"])
def test_whatever_is_added_is_named(sealed: Path, name: str) -> None:
    path, folders = sealed / name, ("runs/0002/",) if name.startswith("runs") else ()
    path.parent.mkdir(exist_ok=True)
    path.write_text("new", encoding="utf-8")
    check = check_seal(sealed)
    assert (check.changed, check.missing, check.added, check.holds) == ((), (), (name, *folders), False)
    path.unlink()
    if folders:
        path.parent.rmdir()
    assert check_seal(sealed).holds


def test_folders_are_sealed_too(case: Path) -> None:
    (case / "texts").mkdir()
    seal(case)
    assert check_seal(case).holds
    (case / "empty").mkdir()
    (case / "texts").rmdir()
    check = check_seal(case)
    assert (check.changed, check.missing, check.added, check.holds) == ((), ("texts/",), ("empty/",), False)
    (case / "texts").write_text("a file now", encoding="utf-8")
    assert check_seal(case).missing == ("texts/",)


def test_a_seal_of_an_earlier_version_is_checked_as_it_is(case: Path) -> None:
    """Version 0.3.0 listed no folders."""
    seal(case)
    content = json.loads((case / "seal.json").read_text(encoding="utf-8"))
    del content["folders"]
    (case / "seal.json").write_text(json.dumps(content), encoding="utf-8")
    (case / "seal.txt").unlink()
    assert check_seal(case).holds


def test_a_second_name_of_a_sealed_file_is_said(case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.link(case / "report.pdf", tmp_path / "elsewhere.pdf")
    for verb in ("seal", "check"):
        assert command(verb, case) == 0
        assert "report.pdf has a second name somewhere on this disk (a hard link)" in capsys.readouterr().out


def test_the_cover_sheet_has_the_digest_of_everything(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("seal", case) == 0
    printed = hashlib.sha256((case / "seal.json").read_bytes()).hexdigest()
    assert printed in capsys.readouterr().out
    sheet = (case / "seal.txt").read_text(encoding="utf-8")
    assert f"\n{printed}\n" in sheet
    assert "not signed" in sheet
    assert command("check", case) == 0
    assert printed in capsys.readouterr().out
    # The other digest on it is the one in the report.
    other = sheet.split("as the report prints it):\n")[1].split()[0]
    assert other in (case / "report.html").read_text(encoding="utf-8")


def test_a_name_that_is_not_text_cannot_be_sealed(case: Path) -> None:
    (case / os.fsdecode(b"caf\xe9")).write_bytes(b"x")
    with pytest.raises(InputError, match=r"holds a name that is not text .*Rename it, then seal the case"):
        seal(case)


def test_a_folder_without_end_is_refused(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seal(case)
    deep = case
    for _ in range(120):
        deep /= "d"
    deep.mkdir(parents=True)
    for asked in (lambda: seal(case, force=True), lambda: check_seal(case)):
        with pytest.raises(InputError, match=r"or more than 100 folders inside each other, and no more are looked"):
            asked()
    shutil.rmtree(case / "d")
    monkeypatch.setattr("idiograph.files._MOST", 20)
    with pytest.raises(InputError, match=r"holds more than 20 files and folders, or"):
        check_seal(case)


def test_a_huge_file_is_not_read_into_memory(case: Path) -> None:
    """Sparse, so that it takes no room; within 700 MB of memory for all."""
    with (case / "huge.bin").open("wb") as file:
        file.truncate(1_000_000_000)
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, (700_000_000, 700_000_000)); "
        "import idiograph; idiograph.seal(sys.argv[1]); sys.exit(not idiograph.check_seal(sys.argv[1]).holds)"
    )
    assert subprocess.run([sys.executable, "-c", code, case], check=False).returncode == 0


@needs_ssh
def test_neither_the_seal_nor_its_signature_is_read_through_a_link(case: Path, key: Path, tmp_path: Path) -> None:
    seal(case, key=key)
    for name in ("seal.json", "seal.json.sig"):
        (case / name).rename(tmp_path / name)
        (case / name).symlink_to(tmp_path / name)
        with pytest.raises(InputError, match=rf"{name} is a link\. Links inside a folder"):
            check_seal(case)
        (case / name).unlink()
        (tmp_path / name).rename(case / name)
    assert check_seal(case).holds


@needs_ssh
def test_a_seal_without_a_signature_does_not_replace_a_signed_one(case: Path, key: Path) -> None:
    seal(case, key=key)
    with pytest.raises(InputError, match=r"has a signed seal, and one without a signature would take its place\. Pass"):
        seal(case, force=True)
    assert check_seal(case).signature == "good"
    assert seal(case, key=key, force=True).signed
    assert "signed with the key ED25519 SHA256:" in (case / "seal.txt").read_text(encoding="utf-8")


@needs_ssh
@pytest.mark.parametrize("once", [True, False], ids=["once", "from then on"])
def test_a_full_disk_leaves_the_old_seal_with_its_signature_or_the_new_one(
    tmp_path: Path, filed_plainly: Path, key: Path, once: bool
) -> None:
    whole, path = tmp_path / "whole", tmp_path / "place"
    shutil.copytree(filed_plainly, whole)
    seal(whole / "case", key=key)
    old = (whole / "case" / "seal.json").read_bytes()

    def prepare() -> None:
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(whole, path)
        (path / "case" / "notes.txt").write_text("new", encoding="utf-8")

    outcomes = set()
    for _, done in every_fault(lambda: seal(path / "case", key=key, force=True), prepare, errno.ENOSPC, once=once):
        check = check_seal(path / "case")
        assert check.signature == "good"
        is_old = (path / "case" / "seal.json").read_bytes() == old
        assert is_old != done
        assert [name for name in check.added if not name.startswith(".")] == (["notes.txt"] if is_old else [])
        outcomes.add(done)
    assert outcomes == {True, False}


@needs_ssh
def test_a_disk_that_is_really_full_leaves_the_old_seal_with_its_signature(
    small_disk: Path, filed: Path, key: Path, tmp_path: Path
) -> None:
    case = small_disk / "case"
    case.mkdir()
    for name in ("case.toml", "manifest.json", "result.json", "runs.jsonl"):
        shutil.copyfile(filed / "case" / name, case / name)
    texts = tmp_path / "texts"
    shutil.copytree(filed, texts, ignore=lambda folder, names: ["case"])
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["inputs"]:
        entry["path"] = str(texts / entry["path"].removeprefix("../"))
    (case / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    seal(case, key=key)
    old = (case / "seal.json").read_bytes()
    (case / "filler").write_bytes(b"x" * 1000)
    with pytest.raises(OSError, match="No space"), (case / "filler").open("ab") as file:
        while True:
            file.write(b"x" * 512)
            file.flush()
    with pytest.raises(InputError, match=r"could not be written \(No space left"):
        seal(case, key=key, force=True)
    check = check_seal(case)
    assert (check.signature, check.added) == ("good", ("filler",))
    assert (case / "seal.json").read_bytes() == old


def test_inputs_are_sealed_too(case: Path, tmp_path: Path) -> None:
    seal(case)
    append(case.parent / "q.txt")
    (case.parent / "reference" / "author01" / "1.txt").unlink()
    check = check_seal(case)
    assert check.changed == ("questioned/Q1 q.txt",)
    assert check.missing == ("reference author01/1.txt",)
    assert not check.holds


def test_inputs_may_lie_elsewhere(case: Path, tmp_path: Path) -> None:
    seal(case)
    for name in ("q.txt", "known", "reference"):
        (tmp_path / "moved").mkdir(exist_ok=True)
        shutil.move(case.parent / name, tmp_path / "moved" / name)
    assert len(check_seal(case).missing) == 18
    assert check_seal(case, inputs=tmp_path / "moved").holds


@pytest.mark.usefixtures("unread_reports")
def test_a_later_run_breaks_the_seal_until_it_is_sealed_anew(case: Path) -> None:
    seal(case)
    assert command("verify", case / "case.toml", "--quick", "--force") == 0
    check = check_seal(case)
    assert "runs.jsonl" in check.changed
    assert "runs/0002/manifest.json" in check.added
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
    check = check_seal(case)
    fingerprint = subprocess.run(["ssh-keygen", "-lf", key], check=True, capture_output=True, text=True).stdout.split()[
        1
    ]
    assert check.holds
    assert (check.signature, check.signer) == ("good", f"ED25519 {fingerprint}")
    assert "compare its fingerprint with the expert's" in check.sentence
    check = check_seal(case, key=Path(f"{key}.pub"))
    assert check.holds
    assert "sealed by the key that was named" in check.sentence
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
    sealed["files"]["report.html"] = hashlib.sha256((case / "report.html").read_bytes()).hexdigest()
    (case / "seal.json").write_text(json.dumps(sealed), encoding="utf-8")
    check = check_seal(case)
    assert (check.changed, check.missing, check.added) == ((), (), ())
    assert (check.signature, check.holds) == ("bad", False)
    assert "does not belong to this seal" in check.sentence


@needs_ssh
def test_another_key_or_none_is_not_the_experts(case: Path, key: Path, tmp_path: Path) -> None:
    expert = Path(f"{make_key(tmp_path / 'expert')}.pub")
    seal(case, key=key)
    for take_away in (False, True):
        if take_away:
            (case / "seal.json.sig").unlink()
            seal(case, force=True)
        check = check_seal(case, key=expert)
        assert (check.signature, check.holds, check.signer) == ("bad", False, None)
        assert check.sentence == "The seal is not signed by that key."


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
    unsigned = check_seal(case).sentence
    (case / "seal.json.sig").write_text("a signature", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"signed by ssh-keygen, which is not installed\. Install OpenSSH, or leave"):
        seal(case, key=tmp_path / "key", force=True)
    check = check_seal(case)
    assert (check.signature, check.holds) == ("not checked", True)
    assert check.sentence.startswith("The seal is signed, and ssh-keygen, which would check the signature, is not")
    assert unsigned in check.sentence


@needs_ssh
def test_a_kill_leaves_a_seal_that_is_true_or_none(copied_plainly: Path, tmp_path: Path, key: Path) -> None:
    """After any file operation: the old seal or the new one, each with its signature."""
    seal(copied_plainly / "case", key=key)
    path = tmp_path / "place"

    def prepare() -> None:
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(copied_plainly, path)

    for _ in every_kill(lambda: seal(path / "case", key=key, force=True), prepare):
        check = check_seal(path / "case")
        assert check.signature == "good"
        left = [name for name in check.added if Path(name).name.startswith(".")]
        assert (check.changed, check.missing, check.added) == ((), (), tuple(left))
        assert seal(path / "case", key=key, force=True).signed  # and the next one puts it right
        assert check_seal(path / "case").holds


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
    os.mkfifo(tmp_path / "pipe.pub")
    with pytest.raises(InputError, match=r"The public key .*pipe\.pub could not be read \(it is a pipe"):
        check_seal(case, key=tmp_path / "pipe.pub")
    with pytest.raises(InputError, match=r"The public key .*none\.pub could not be read \(No such file"):
        check_seal(case, key=tmp_path / "none.pub")


def test_a_check_writes_nothing(case: Path) -> None:
    seal(case)
    before = {path: path.stat().st_mtime_ns for path in (case, *case.rglob("*"))}
    assert check_seal(case).holds
    assert {path: path.stat().st_mtime_ns for path in (case, *case.rglob("*"))} == before


@pytest.mark.parametrize("names", [("Notes.txt", "notes.txt"), ("caf\u00e9.txt", "cafe\u0301.txt"), ("A", "a")])
def test_names_that_only_some_systems_tell_apart_are_named(copied: Path, names: tuple[str, str]) -> None:
    case = copied / "case"
    (case / names[0]).write_text("one", encoding="utf-8")
    seal(case)
    assert check_seal(case).twins == ()
    (case / names[1]).write_text("two", encoding="utf-8")
    if len({path.name for path in case.iterdir()} & set(names)) < 2:
        pytest.skip("this system takes both names for one")
    check = check_seal(case)
    assert check.added == (names[1],)
    assert check.twins == (" and ".join(sorted(names)),)
    with pytest.raises(InputError, match="names that only some systems tell apart"):
        seal(case, force=True)
