"""A command has an option for each setting, and its help says what the setting says."""

from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from idiograph import Case, InputError, ReadingOptions, read
from idiograph.cli import app as idiograph
from idiograph.cli.options import help_of, options, reads, say
from idiograph.settings import settings_of
from idiograph.texts.masking.rules import MaskingOptions
from made_settings import Whole

app = typer.Typer()


@app.command()
@options(Whole, argument="whole", panel="The whole", without=("known",), raw=True)
def show(again: bool = False, *, whole: dict[str, object]) -> None:
    """Shows what was given."""
    print(again, whole)


def test_only_what_was_given_is_handed_on() -> None:
    assert CliRunner().invoke(app, []).output == "False {}\n"
    given = ["--caveat", "a", "--caveat", "b", "--share", "0.5", "--quiet", "--again"]
    expected = "True {'caveats': ['a', 'b'], 'share': '0.5', 'loud': False}\n"
    assert CliRunner().invoke(app, given).output == expected
    assert "'loud': True" in CliRunner().invoke(app, ["--loud"]).output


@pytest.fixture
def help_text(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    return " ".join(CliRunner().invoke(app, ["--help"]).output.split())


def test_help_says_meaning_limits_and_default_and_keeps_square_brackets(help_text: str) -> None:
    assert "The whole" in help_text
    assert "Sentences with [Q] | of your own." in help_text
    assert "The share of authors. (0 to 1; default: 0.4)" in help_text
    assert "What the files are. (text, mail; default: text)" in help_text
    assert "Decides every draw. (0 or more; default: 1)" in help_text
    assert "--loud" in help_text
    assert "--quiet" in help_text
    assert "--known" not in help_text
    assert "--part" not in help_text


def test_the_settings_themselves_are_handed_on_unless_raw() -> None:
    app = typer.Typer()

    @app.command()
    @options(Whole, argument="whole", panel="The whole")
    def whole_command(*, whole: Whole) -> None:
        print(whole.share)

    result = CliRunner().invoke(app, ["--share", "half"])
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == '--share must be a number from 0 to 1, not "half".'


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("verify", (Case, ReadingOptions)),
        ("mask", (MaskingOptions, ReadingOptions)),
        ("prepare", (ReadingOptions,)),
    ],
)
def test_the_commands_say_what_the_settings_say(
    command: str, kinds: tuple[type, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = " ".join(CliRunner().invoke(idiograph, [command, "--help"]).output.replace("│", " ").split())
    for setting in (setting for kind in kinds for setting in settings_of(kind)):
        if setting.nested is None and setting.name not in ("questioned", "known"):  # which verify reads in its own way
            assert setting.option.partition("/")[0] in text
            assert help_of(setting) in text, setting.name


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @reads
    def show(
        source: Annotated[Path, typer.Argument(help="What to read.")],
        loud: Annotated[bool, typer.Option(help="Say more.")] = False,
        *,
        reading: ReadingOptions,
    ) -> None:
        """Shows what was read."""
        corpus = read(source, reading)
        say(corpus.report)
        print(reading if loud else [(text.author, text.content) for text in corpus])

    return app


def test_every_option_of_the_library_is_offered_and_handed_on(command: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    given = {
        "format": "text",
        "author": "lee",
        "id_column": "i",
        "text_column": "t",
        "author_column": "a",
        "delimiter": ";",
        "encoding": "cp1252",
        "unwrap": "never",
        "quotes": "keep",
        "sentences": "marks",
    }
    named = [part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", value)]
    result = CliRunner().invoke(command, [str(tmp_path), "--loud", *named, "--skip-bad"])
    assert result.exit_code == 0, result.output
    assert repr(ReadingOptions(**given, skip_bad=True)) in result.output
    others = {setting.name for setting in settings_of(ReadingOptions)} - set(given) - {"skip_bad"}
    assert others == {"author_from", "pattern", "metadata"}


def test_ways_of_naming_authors_on_the_command_line(command: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "lee_1.txt").write_text("One.")
    (tmp_path / "meta.csv").write_text("file,author\nlee_1.txt,kim\n")
    run = CliRunner().invoke
    folder = str(tmp_path / "texts")
    assert "[('lee', 'One.')]" in run(command, [folder, "--pattern", "author_text.txt"]).output
    assert "[('kim', 'One.')]" in run(command, [folder, "--metadata", str(tmp_path / "meta.csv")]).output
    assert "[(None, 'One.')]" in run(command, [folder, "--author-from", "none"]).output


def test_what_was_read_is_said_on_standard_error(command: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "b.jpg").write_text("x")
    result = CliRunner().invoke(command, [str(tmp_path)])
    assert result.stdout == "[(None, 'One.')]\n"
    assert result.stderr.splitlines() == [
        f"{tmp_path}: 1 text read (ascii certain 1).",
        "Not read: b.jpg: not a kind of file that holds texts (.jpg).",
    ]


def test_a_faulty_option_is_the_users_mistake(command: typer.Typer, tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path), "--unwrap", "maybe"])
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == '--unwrap must be one of auto, always, never, not "maybe".'
