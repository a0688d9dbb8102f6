"""The reading options on the command line are those of the library, in every command alike."""

from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from idiograph import InputError, ReadingOptions, read
from idiograph.cli.options import reads, say
from idiograph.settings import settings_of


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
