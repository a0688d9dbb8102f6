"""What the command line prints does nothing in a terminal."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from idiograph.errors import print as print_inert

CLI = Path(__file__).resolve().parents[2] / "src" / "idiograph" / "cli"


def test_names_and_content_are_printed_inert(capsys: pytest.CaptureFixture[str]) -> None:
    print_inert("a\x1b[31m.txt")
    assert capsys.readouterr().out == "a⟨U+001B⟩[31m.txt\n"


def test_every_command_prints_through_the_one_place() -> None:
    for path in CLI.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prints = any(isinstance(node, ast.Name) and node.id == "print" for node in ast.walk(tree))
        imports = any(isinstance(node, ast.ImportFrom) and node.module == "idiograph.errors" for node in ast.walk(tree))
        assert imports or not prints or path.name == "printing.py", path.name


@pytest.mark.skipif(os.name != "posix", reason="such file names exist on POSIX systems")
def test_a_hostile_file_name_does_nothing_in_the_terminal(tmp_path: Path) -> None:
    hostile = tmp_path / "in\x1b]0;owned\x07"
    hostile.mkdir()
    (hostile / "bad\x1b[2J.txt").write_bytes(b"\xff\xfe\xfa")
    (hostile / "odd\x1b[1m.xyz").write_text("x")
    for arguments in ((hostile,), (hostile / "bad\x1b[2J.txt",), (hostile / "absent\x1b[3m",)):
        run = subprocess.run(
            [sys.executable, "-m", "idiograph", "mask", *map(str, arguments), "--out", str(tmp_path / "out.jsonl")],
            capture_output=True,
            env=os.environ | {"IDIOGRAPH_CACHE": str(tmp_path / "cache")},
        )
        assert run.returncode == 2
        assert b"\x1b" not in run.stderr + run.stdout
        assert "⟨U+001B⟩".encode() in run.stderr
