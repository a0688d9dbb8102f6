"""idiograph mask and idiograph cache, from the command line."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from fake_tagger import FakeTagger
from idiograph import MaskedText
from idiograph.cli import main
from idiograph.texts.masking.corpus_file import CorpusHeader, read_masked, write_masked
from killing import every_kill, hidden

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fake_tagger: FakeTagger) -> Run:
    """Runs a command in this process: its exit code, standard output and standard error."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["idiograph", *map(str, arguments)])
        code = 0
        try:
            # `main` sets how warnings are shown; that must not outlive the command.
            with warnings.catch_warnings():
                main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    for author, content in (("ann", "The Lamp glows. It is on."), ("bob", "My cup\nIt’s full!")):
        (folder / author).mkdir(parents=True)
        (folder / author / "1.txt").write_text(content, encoding="utf-8")
    return folder


def test_a_folder_becomes_a_masked_corpus(run: Run, letters: Path, tmp_path: Path) -> None:
    out = tmp_path / "masked.jsonl"
    code, message, errors = run("mask", letters, "--out", out, "--workers", "1")
    assert code == 0
    assert message == (
        "2 texts, 4 sentences, 15 tokens.\nMasking left 73 % of the tokens as they were (71 % to 75 % by text).\n"
        f"Masking: posnoise-2.1+en_core_web_sm-3.8.0+quotes\nWritten to {out}.\n"
    )
    assert "2 texts read" in errors
    corpus = read_masked(out)
    assert corpus.authors == ("ann", "bob")
    assert corpus.text("ann/1.txt").sentences == (("the", "P", "V", "."), ("it", "is", "on", "."))


def test_the_summary_in_json(run: Run, letters: Path, tmp_path: Path) -> None:
    out = tmp_path / "masked.jsonl"
    code, output, _ = run("mask", letters, "--out", out, "--workers", "1", "--json", "--show", "1")
    summary = json.loads(output)
    assert code == 0
    assert {key: summary[key] for key in ("texts", "sentences", "tokens", "skipped", "shown")} == {
        "texts": 2,
        "sentences": 4,
        "tokens": 15,
        "skipped": [],
        "shown": ["the P V ."],
    }
    assert summary["kept"] == {"ann/1.txt": 6, "bob/1.txt": 5}
    assert (summary["other_language"], len(summary["language_unchecked"])) == ({}, 2)
    assert summary["tagger"]["version"] == "3.8.0"
    assert len(summary["tagger"]["digest"]) == 64


def test_every_option_changes_the_outcome(run: Run, letters: Path, tmp_path: Path) -> None:
    word_list = tmp_path / "own.txt"
    word_list.write_text("lamp\n")
    outcomes = set()
    for number, options in enumerate(
        [
            [],
            ["--method", "frames"],
            ["--method", "none"],
            ["--method", "list"],
            ["--language", "de"],
            ["--list", word_list],
            ["--keep-quotes"],
            ["--masked"],
        ]
    ):
        out = tmp_path / f"{number}.jsonl"
        code, _, _ = run("mask", letters, "--out", out, "--workers", "1", *options)
        assert code == 0
        outcomes.add(tuple((text.masking, text.sentences) for text in read_masked(out)))
    assert len(outcomes) == 8


GERMAN = "Es war einmal ein Mann, der hatte nichts als das, was er auf dem Leib trug, und er ging durch den Wald. "


def test_a_text_in_another_language_than_the_one_said_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(GERMAN * 4, encoding="utf-8")
    (tmp_path / "short.txt").write_text(GERMAN, encoding="utf-8")
    for language, seen in (
        ("en", "looks like German, not like English: "),
        ("fr", "looks like German, not like French"),
    ):
        out = tmp_path / f"{language}.jsonl"
        code, _, errors = run("mask", tmp_path, "--out", out, "--language", language, "--method", "list")
        assert code == 0
        assert f"Check the language: long.txt {seen}" in errors
    assert "short.txt could not be checked to be in French: it has 22 words, and at least 50 are needed." in errors
    for option in ([], ["--json"]):
        out = tmp_path / f"de{len(option)}.jsonl"
        _, message, errors = run("mask", tmp_path, "--out", out, "--language", "de", "--method", "list", *option)
        assert "Check the language" not in errors
    assert json.loads(message)["language_unchecked"] == ["short.txt"]
    _, message, _ = run(
        "mask", tmp_path, "--out", tmp_path / "j.jsonl", "--language", "fr", "--method", "list", "--json"
    )
    assert json.loads(message)["other_language"]["long.txt"].startswith("looks like German")


def test_masking_and_word_list_are_called_what_they_are_called_elsewhere(
    run: Run, letters: Path, tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("the\n")
    by_option = {}
    for name, options in {
        "new": ("--masking", "list", "--word-list", words),
        "old": ("--method", "list", "--list", words),
        "masked": ("--masking", "masked"),
        "as ever": ("--masked",),
    }.items():
        code, _, errors = run("mask", letters, "--out", tmp_path / f"{name}.jsonl", *options)
        assert code == 0, errors
        by_option[name] = (tmp_path / f"{name}.jsonl").read_bytes()
    assert by_option["new"] == by_option["old"] != by_option["masked"]
    assert by_option["masked"] == by_option["as ever"]


def test_sentences_are_shown_when_asked_for(run: Run, letters: Path, tmp_path: Path) -> None:
    _, output, _ = run("mask", letters, "--out", tmp_path / "m.jsonl", "--workers", "1", "--show", "3")
    assert output.split("\n")[:3] == ["the P V .", "it is on .", "my N"]


def test_nothing_is_overwritten_without_force(run: Run, letters: Path, tmp_path: Path) -> None:
    out = tmp_path / "masked.jsonl"
    out.write_text("mine")
    code, _, errors = run("mask", letters, "--out", out, "--workers", "1")
    assert code == 2
    assert "already exists" in errors
    assert out.read_text() == "mine"
    code, _, _ = run("mask", letters, "--out", out, "--workers", "1", "--force")
    assert code == 0
    assert len(read_masked(out)) == 2


def test_a_folder_is_no_place_for_a_masked_corpus(run: Run, letters: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, errors = run("mask", letters, "--out", tmp_path / "empty")
    assert code == 2
    assert "is a folder, and a masked corpus is one file" in errors


def test_texts_without_a_token_are_an_error_or_skipped_by_name(run: Run, tmp_path: Path) -> None:
    some, none, out = tmp_path / "some.jsonl", tmp_path / "none.jsonl", tmp_path / "masked.jsonl"
    full, empty = MaskedText("a", None, (("the", "N"),), "as-found"), MaskedText("b", None, (), "as-found")
    write_masked(some, [full, empty], CorpusHeader("as-found", None))
    write_masked(none, [empty], CorpusHeader("as-found", None))
    code, _, errors = run("mask", some, "--out", out)
    assert code == 2
    assert "No token is left of b" in errors
    assert not out.exists()
    code, message, errors = run("mask", some, "--out", out, "--skip-bad", "--json")
    assert code == 0
    assert json.loads(message)["skipped"] == ["b"]
    assert "Skipped: b has no token." in errors
    assert read_masked(out).text_ids == ("a",)
    code, _, errors = run("mask", none, "--out", out, "--force", "--skip-bad")
    assert code == 2
    assert "No text with a token was found" in errors
    assert read_masked(out).text_ids == ("a",)


def test_a_masked_corpus_passes_as_it_is(run: Run, letters: Path, tmp_path: Path, fake_tagger: FakeTagger) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("mask", letters, "--out", first, "--workers", "1")
    fake_tagger.lines.clear()
    code, message, errors = run("mask", first, "--out", second, "--method", "frames")
    assert code == 0
    assert "is already masked (posnoise-2.1+en_core_web_sm-3.8.0+quotes); its texts are kept" in errors
    assert "Masking: posnoise-2.1" in message
    assert second.read_bytes() == first.read_bytes()
    assert fake_tagger.lines == []


def test_text_that_is_already_masked_is_only_written_down(run: Run, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("the N V .\nshe V the N\n")
    code, output, _ = run("mask", tmp_path / "q.txt", "--masked", "--out", tmp_path / "m.jsonl")
    assert code == 0
    assert "Masking: as-found" in output
    (text,) = read_masked(tmp_path / "m.jsonl").texts
    assert text.sentences == (("the", "N", "V", "."), ("she", "V", "the", "N"))


def test_a_prepared_folder_is_masked_without_its_record(run: Run, letters: Path, tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    code, _, errors = run("prepare", letters, "--recipe", "plain", "--out", prepared)
    assert code == 0, errors
    code, message, errors = run("mask", prepared, "--out", tmp_path / "m.jsonl", "--workers", "1")
    assert code == 0, errors
    assert message.startswith("2 texts, 4 sentences")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--masking", "rot13"], "--masking must be one of posnoise, frames, textdistortion, list, none, not"),
        (["--model", "xx_none"], "xx_none is not installed"),
        (["--list", "missing.txt"], "missing.txt could not be read"),
        (["--workers", "0"], "Invalid value"),
        (["--show", "-1"], "Invalid value"),
    ],
)
def test_mistakes_end_with_a_sentence_and_code_2(
    run: Run, letters: Path, tmp_path: Path, options: list[str], what: str
) -> None:
    code, message, errors = run("mask", letters, "--out", tmp_path / "m.jsonl", *options)
    assert (code, message) == (2, "")
    assert what in errors
    assert not (tmp_path / "m.jsonl").exists()


def test_the_cache_is_used_shown_and_cleared(run: Run, letters: Path, tmp_path: Path, fake_tagger: FakeTagger) -> None:
    path = tmp_path / "cache" / "masked" / "masked.sqlite"
    assert run("cache")[1].splitlines() == [
        str(tmp_path / "cache"),
        "0 masked texts, 0.0 MB of at most 2,000 MB.",
        "indexed corpora of studies, 0.0 MB.",
        "compiled code, 0.0 MB.",
        "list of fonts, 0.0 MB.",
        "copies of texts that work under way needs, or that a killed process left, 0.0 MB.",
    ]
    for number in (1, 2):
        run("mask", letters, "--out", tmp_path / f"{number}.jsonl", "--workers", "1")
    assert len(fake_tagger.lines) == 3
    run("mask", letters, "--out", tmp_path / "3.jsonl", "--workers", "1", "--no-cache")
    assert len(fake_tagger.lines) == 6
    state = json.loads(run("cache", "--json")[1])
    assert (state["path"], state["entries"], state["limit"], state["cleared"]) == (str(path), 2, 2_000_000_000, False)
    assert state["bytes"] > 0
    for folder in ("studies", "numba"):
        (tmp_path / "cache" / folder).mkdir()
        (tmp_path / "cache" / folder / "kept").write_bytes(bytes(300_000))
    assert "indexed corpora of studies, 0.3 MB." in run("cache")[1]
    cleared = run("cache", "--clear")[1]
    assert "Cleared: masked texts" in cleared
    assert "Cleared: compiled code, 0.3 MB." in cleared
    state = json.loads(run("cache", "--json")[1])
    assert (state["entries"], state["studies_bytes"], state["numba_bytes"]) == (0, 0, 0)


def test_a_cache_that_cannot_be_cleared_gets_a_sentence(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "studies"
    folder.mkdir(parents=True)
    # A mount point cannot be removed while it is one.
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], capture_output=True).returncode:
        pytest.skip("no right to mount a disk here")
    try:
        code, _, errors = run("cache", "--clear")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
    assert code == 2
    assert f"{folder} could not be written" in errors


def test_a_warning_is_a_plain_sentence(
    run: Run, letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "file"))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        code, _, errors = run("mask", letters, "--out", tmp_path / "m.jsonl", "--workers", "1")
    assert code == 0
    (line,) = [line for line in errors.splitlines() if "masking goes on without it" in line]
    assert line.startswith("idiograph: The cache of masked texts at")


@pytest.mark.tagger
def test_the_whole_path_with_the_real_tagger_in_two_processes(letters: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way of a cache")
    environment = os.environ | {"IDIOGRAPH_CACHE": str(tmp_path / "file" / "cache")}
    command = [sys.executable, "-m", "idiograph", "mask", str(letters), "--out", str(tmp_path / "m.jsonl")]
    done = subprocess.run([*command, "--workers", "2"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("2 texts, 4 sentences, 14 tokens.")
    assert done.stderr.count("idiograph: The cache of masked texts at") == 1
    assert "Traceback" not in done.stderr
    assert ".py:" not in done.stderr
    assert read_masked(tmp_path / "m.jsonl").text("bob/1.txt").sentences == (("my", "N"), ("it", "'s", "J", "!"))


@pytest.mark.parametrize("already_masked", [False, True])
def test_no_kill_loses_the_masked_corpus_that_is_replaced(
    run: Run, letters: Path, tmp_path: Path, already_masked: bool
) -> None:
    out = tmp_path / "out" / "masked.jsonl"
    options = ["--masked"] if already_masked else ["--workers", "1"]
    command = ["mask", letters, "--out", out, "--force", *options]
    before = MaskedText("before", None, (("the", "N"),), "as-found")
    contents = set()

    def work() -> None:
        code, _, errors = run(*command)
        assert code == 0, errors

    def prepare() -> None:
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        write_masked(out, [before], CorpusHeader("as-found", None))

    for operation in every_kill(work, prepare):
        contents.add(read_masked(out).text_ids)
        work()
        assert read_masked(out).text_ids == ("ann/1.txt", "bob/1.txt"), operation
        assert hidden(tmp_path) == [], operation
    assert contents == {("before",), ("ann/1.txt", "bob/1.txt")}
