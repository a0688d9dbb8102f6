"""The application: its version, its commands, and how mistakes end."""

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import idiograph
from idiograph import cli
from idiograph.cli import app
from idiograph.errors import print as printed
from made_texts import command


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"idiograph {idiograph.__version__}\n"


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    for name in ("cache", "demo", "mask", "posterior", "prepare", "replay", "study", "verify"):
        assert f" {name} " in shown


def test_commands_stand_in_the_order_of_work_and_all_of_them_know_a_short_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    shown = CliRunner().invoke(app, ["-h"]).output
    listed = re.findall(r"^│ (\w+) ", shown, re.MULTILINE)
    assert listed[:3] == ["plan", "verify", "app"]
    assert listed[-1] == "cache"
    for name in listed:
        output = CliRunner().invoke(app, [name, "-h"]).output
        assert output == CliRunner().invoke(app, [name, "--help"]).output
        assert f" {name} [OPTIONS]" in output


def test_types_are_said_as_people_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    output = CliRunner().invoke(app, ["verify", "--help"]).output
    assert re.search(r"--questioned +PATH +A questioned text", output)
    assert re.search(r"--known +\[NAME=\]PATH +A candidate's own writings", output)
    assert re.search(r"--seed +NUMBER +Decides", output)
    assert re.search(r"--scale +CHOICE +The verbal scale", output)
    assert re.search(r"--quick +Leave out", output)
    assert "INTEGER" not in output
    for name in cli.COMMANDS:
        output = CliRunner().invoke(app, [name, "-h"]).output
        assert not re.search(r"<\w+(\[\w+\])?>|list\[", output), name


def test_the_help_of_a_command_breaks_its_lines_where_they_are_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    output = CliRunner().invoke(app, ["verify", "--help"]).output
    assert "a case file is then written. The texts are audited" in " ".join(output.split())
    about = output.split("Give a case file", 1)[1].split("╭", 1)[0].rstrip().splitlines()
    assert all(len(line.rstrip()) > 80 for line in about[1:-1])


def test_all_that_is_missing_is_said_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify") == 2
    message = capsys.readouterr().err
    assert "--population, --questioned, --known and --reference are missing:" in message
    assert command("verify", "--questioned", "q", "--known", "k", "--reference", "r") == 2
    assert "--population is missing. The population" in capsys.readouterr().err
    assert command("map") == 2
    message = capsys.readouterr().err
    assert message.startswith(
        "idiograph: CASE.TOML and --out are missing:\n  CASE.TOML: The case file.\n  --out: The figure"
    )
    assert command("concordance", "case.toml") == 2
    assert capsys.readouterr().err.startswith("idiograph: WORDS is missing. A word or phrase")
    assert command("seal") == 2
    assert capsys.readouterr().err == "idiograph: CASE is missing. The folder of a filed case.\n"
    assert command("map", "--help") == 0


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, idiograph.cli as cli; cli.app(['--help'], standalone_mode=False); print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = {"datasketch", "docx", "jinja2", "matplotlib", "multiprocessing", "numba", "posnoise", "pyarrow"}
    heavy |= {"pypdfium2", "scipy", "spacy", "sqlite3", "typst", "idiograph.studies", "idiograph.output"}
    assert "numpy" in shown.split()
    assert not heavy & set(shown.split())


def test_a_mistake_is_one_sentence_and_ends_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("replay", "none.json") == 2
    assert capsys.readouterr().err == (
        "idiograph: none.json could not be read (No such file or directory). Check the name and permissions.\n"
    )


@pytest.mark.parametrize(
    "given", [("plan", "--questioned"), ("mask",), ("seal",), ("study",), ("verify",), ("replay",)]
)
def test_a_name_that_no_file_can_have_is_a_mistake_too(capsys: pytest.CaptureFixture[str], given: tuple[str]) -> None:
    assert command(*given, "a" * 3000, *(("--out", "x") if given[0] in ("mask", "study", "verify") else ())) == 2
    message = capsys.readouterr().err
    assert message.startswith("idiograph: ")
    assert "aaaaaaaaaa" in message
    assert "File name too long" in message


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "app", interrupted)
    monkeypatch.setattr(sys, "argv", ["idiograph"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 130
    assert "interrupted; nothing was left half-written" in capsys.readouterr().err


def test_nothing_in_a_name_acts_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("replay", "none\x1b[2J\u2028.json") == 2
    message = capsys.readouterr().err
    assert "\x1b" not in message
    assert "none⟨U+001B⟩[2J" in message
    printed("one\ntwo\x9b")
    assert capsys.readouterr().out == "one\ntwo⟨U+009B⟩\n"


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "idiograph", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"idiograph {idiograph.__version__}\n"
