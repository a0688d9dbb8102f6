"""A command has an option for each setting, and its help says what the setting says."""

import pytest
import typer
from typer.testing import CliRunner

from idiograph import Case, InputError, ReadingOptions
from idiograph.cli import app as idiograph
from idiograph.cli.options import help_of, options
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
