"""idiograph posterior: a command of its own, never part of a report."""

import json

import pytest

from made_texts import command


def test_posterior_is_a_command_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("posterior", "--prior", 0.5, "--lr", 3, "--json") == 0
    assert json.loads(capsys.readouterr().out)["probability"] == pytest.approx(0.75)
    assert command("posterior", "--prior", 0.5, "--log10-lr", 400) == 0
    assert "for the court" in capsys.readouterr().out
    for wrong, words in (
        (["--prior", 0.5], "Give either --lr or --log10-lr"),
        (["--prior", 0.5, "--lr", 3, "--log10-lr", 1], "Give either --lr or --log10-lr"),
        (["--prior", 0.5, "--lr", 0], "must be a finite number above 0"),
        (["--prior", 1, "--lr", 3], "It must lie between 0 and 1"),
    ):
        assert command("posterior", *wrong) == 2
        assert words in capsys.readouterr().err
