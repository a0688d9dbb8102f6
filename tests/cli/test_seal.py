"""idiograph seal and idiograph check: what they print, and their exit codes."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from made_texts import command


def test_seal_and_check(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = copied / "case"
    with (case / "report.docx").open("ab") as file:
        file.write(b"x")
    assert command("seal", case) == 0
    text = capsys.readouterr().out
    assert "report.docx is not as its run wrote it, and is sealed as it is now." in text
    assert "files and 18 inputs" in text
    assert "The seal is not signed: it shows that nothing was changed by accident" in text
    assert command("check", case) == 0
    text = capsys.readouterr().out
    assert "The case is as it was sealed on " in text
    assert "proves nothing against somebody who can write to the folder" in text
    (case / "notes.txt").write_text("mine", encoding="utf-8")
    (case / "report.pdf").unlink()
    with (case / "result.json").open("ab") as file:
        file.write(b" ")
    assert command("check", case) == 1
    text = capsys.readouterr().out
    assert text.startswith(
        "changed: result.json\nmissing: report.pdf\nadded: notes.txt\nThe case was changed since it was sealed on "
    )
    assert "1 changed, 1 missing, 1 added." in text
    assert command("check", case, "--json") == 1
    output = json.loads(capsys.readouterr().out)
    assert (output["holds"], output["added"], output["signature"]) == (False, ["notes.txt"], "none")
    assert command("seal", case) == 2
    assert "is sealed already" in capsys.readouterr().err
    assert command("seal", case, "--force", "--json") == 0
    assert json.loads(capsys.readouterr().out)["signed"] is False


def test_inputs_elsewhere(copied: Path, tmp_path: Path) -> None:
    assert command("seal", copied / "case") == 0
    shutil.move(copied / "q.txt", tmp_path / "q.txt")
    assert command("check", copied / "case") == 1
    assert command("check", copied / "case", "--inputs", tmp_path) == 0


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_signed(copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "key")], check=True)
    assert command("seal", copied / "case", "--key", tmp_path / "key") == 0
    assert "Signed: " in capsys.readouterr().out
    assert command("check", copied / "case", "--key", tmp_path / "key.pub") == 0
    assert "The seal is signed (ED25519 SHA256:" in capsys.readouterr().out
    (copied / "case" / "seal.json.sig").unlink()
    assert command("check", copied / "case", "--key", tmp_path / "key.pub") == 1
    assert "The seal is not signed by that key." in capsys.readouterr().out
