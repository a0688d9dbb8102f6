"""The results folder of a study: extended, killed at every file operation, used by two at once; nothing is lost."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import idiograph
from fake_tagger import FakeTagger
from generated import corpus, write_jsonl
from idiograph import InputError, ReadingOptions, StudyError, read_study
from idiograph.files import locked
from killing import every_kill, hidden

pytestmark = pytest.mark.usefixtures("unread_pages")

FILE = """
schema = 1
name = "small"
runs = {runs}
[design]
leave_authors_out = true
fewest_authors = 2
[lambdag]
repetitions = 2
[methods]
use = {methods}
baseline = "hapax"
resamples = 0
[[corpora]]
name = "one"
path = "one.jsonl"
masking = "masked"
{more}
[[conditions]]
drawing = "contiguous"
lengths = {lengths}
"""
SECOND = '[[corpora]]\nname = "two"\npath = "two.jsonl"\nmasking = "masked"'


def small(
    folder: Path, *, runs: int = 1, methods: str = '["raw", "hapax"]', more: str = "", lengths: str = "[[20, 30]]"
) -> Path:
    folder.mkdir(exist_ok=True)
    for name, seed in (("one", 1), ("two", 2)):
        if not (folder / f"{name}.jsonl").exists():
            write_jsonl(folder / f"{name}.jsonl", corpus(authors=6, texts=2, sentences=8, seed=seed))
    path = folder / "study.toml"
    path.write_text(FILE.format(runs=runs, methods=methods, more=more, lengths=lengths), encoding="utf-8")
    return path


MORE = {"runs": 2, "methods": '["square_root", "hapax"]', "more": SECOND, "lengths": "[[20, 30], [30, 40]]"}


def never(*_: object) -> bytes:
    raise AssertionError("scored again")


MARKED = """
schema = 1
name = "toy"
runs = {runs}
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "none"
[[conditions]]
drawing = "random"
q_tokens = 40
k_tokens = 60
[lambdag]
repetitions = 3
[methods]
resamples = 20
"""


def test_an_extended_study_keeps_what_it_has_and_is_what_it_would_have_been(tmp_path: Path) -> None:
    first = idiograph.study(small(tmp_path), tmp_path / "out")
    extended = idiograph.study(small(tmp_path, **MORE), tmp_path / "out")  # type: ignore[arg-type]
    at_once = idiograph.study(tmp_path / "study.toml", tmp_path / "other")
    assert (len(first.trials), len(extended.trials)) == (12, 96)
    assert (tmp_path / "out/trials.parquet").read_bytes() == (tmp_path / "other/trials.parquet").read_bytes()
    assert len(extended.results.additions) == 2
    assert len(at_once.results.additions) == 1
    old = ("one", "contiguous_q20_k30", 0)
    assert {cell: number for cell, number in extended.results.added.items() if number == 0} == {old: 0}
    assert len(extended.results.added) == 8


def test_what_is_there_is_not_scored_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    idiograph.study(small(tmp_path, **MORE), tmp_path / "out")  # type: ignore[arg-type]
    monkeypatch.setattr("idiograph.studies.chunks.score_chunk", never)
    again = idiograph.study(small(tmp_path, **{**MORE, "methods": '["raw", "hapax"]'}), tmp_path / "out")  # type: ignore[arg-type]
    assert again.trials.methods == ("raw", "hapax")


def test_nothing_is_taken_away_and_nothing_is_mixed(tmp_path: Path) -> None:
    idiograph.study(small(tmp_path, **MORE), tmp_path / "out")  # type: ignore[arg-type]
    with pytest.raises(StudyError, match=r"also holds one, contiguous_q20_k30, run 1, which this study file does not"):
        idiograph.study(small(tmp_path, **{**MORE, "runs": 1}), tmp_path / "out")  # type: ignore[arg-type]
    path = small(tmp_path, **MORE)  # type: ignore[arg-type]
    path.write_text(path.read_text(encoding="utf-8").replace('"small"', '"other"'), encoding="utf-8")
    with pytest.raises(StudyError, match="holds the study small, not other"):
        idiograph.study(path, tmp_path / "out")
    path.write_text(
        path.read_text(encoding="utf-8").replace('"other"', '"small"').replace("repetitions = 2", "repetitions = 3"),
        encoding="utf-8",
    )
    with pytest.raises(StudyError, match="holds another study: repetitions differ"):
        idiograph.study(path, tmp_path / "out")
    path = small(tmp_path, **MORE)  # type: ignore[arg-type]
    write_jsonl(tmp_path / "two.jsonl", corpus(authors=6, texts=2, sentences=8, seed=3))
    with pytest.raises(StudyError, match="files of the corpus two have changed"):
        idiograph.study(path, tmp_path / "out")


def test_without_its_texts_a_corpus_keeps_its_trials(tmp_path: Path) -> None:
    idiograph.study(small(tmp_path), tmp_path / "out")
    (tmp_path / "one.jsonl").unlink()
    path = tmp_path / "study.toml"
    path.write_text(FILE.format(runs=1, methods='["raw", "hapax"]', more=SECOND, lengths="[[20, 30]]"), "utf-8")
    extended = idiograph.study(path, tmp_path / "out")
    assert {cell.corpus for cell in extended.results.cells} == {"one", "two"}
    path.write_text(FILE.format(runs=2, methods='["raw", "hapax"]', more=SECOND, lengths="[[20, 30]]"), "utf-8")
    with pytest.raises(StudyError, match="The corpus of one is not there"):
        idiograph.study(path, tmp_path / "out")


def test_a_study_survives_a_kill_after_every_file_operation(tmp_path: Path) -> None:
    path = small(tmp_path)
    whole = idiograph.study(path, tmp_path / "whole").trials.table
    out = tmp_path / "out"
    for _ in every_kill(lambda: idiograph.study(path, out, workers=1), lambda: shutil.rmtree(out, ignore_errors=True)):
        assert idiograph.study(path, out, workers=1).trials.table == whole
        assert hidden(out) == []
        assert not (out / "parts").exists()


def test_other_methods_and_more_conditions_survive_a_kill_after_every_file_operation(tmp_path: Path) -> None:
    idiograph.study(small(tmp_path), tmp_path / "first")
    changed = small(tmp_path, methods='["square_root", "hapax"]', lengths="[[20, 30], [30, 40]]")
    whole = idiograph.study(changed, tmp_path / "whole").trials.table
    out = tmp_path / "out"

    def prepare() -> None:
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(tmp_path / "first", out)

    for _ in every_kill(lambda: idiograph.study(changed, out, workers=1), prepare):
        assert idiograph.study(changed, out, workers=1).trials.table == whole
        assert hidden(out) == []


def test_what_is_added_to_results_from_before_characters_were_cleaned_is_read_as_then(
    fake_tagger: FakeTagger, tmp_path: Path
) -> None:
    rows = [
        {"id": text.id, "author": text.author, "text": "\n".join(" ".join(s) for s in text.sentences)}
        for text in corpus(texts=2)
    ]
    marked = "".join(json.dumps(row).replace(" w4 ", " w4\\u200e ") + "\n" for row in rows)
    (tmp_path / "toy.jsonl").write_text(marked, encoding="utf-8")
    settings = MARKED.format(runs=1)
    (tmp_path / "study.toml").write_text(settings, encoding="utf-8")
    study = read_study(tmp_path / "study.toml")
    as_then = replace(study, corpora=tuple(replace(entry, options=ReadingOptions(rules=1)) for entry in study.corpora))

    def index_of(name: str) -> str:
        manifest = json.loads((tmp_path / name / "manifest.json").read_text(encoding="utf-8"))
        return str(manifest["corpora"]["toy"]["index"])

    indexes = {}
    for name, first in (("before", as_then), ("now", study)):
        idiograph.study(first, tmp_path / name)
        indexes[name] = index_of(name)
        (tmp_path / "more.toml").write_text(MARKED.format(runs=2), encoding="utf-8")
        idiograph.study(tmp_path / "more.toml", tmp_path / name)
        assert index_of(name) == indexes[name]
    assert indexes["before"] != indexes["now"]


def test_two_studies_at_once_are_told_so(tmp_path: Path) -> None:
    path = small(tmp_path)
    with (
        locked(tmp_path / "out"),
        pytest.raises(InputError, match=r"out is in use: process \d+ on .* has been writing"),
    ):
        idiograph.study(path, tmp_path / "out")
    idiograph.study(path, tmp_path / "out")


def test_a_manifest_is_written_as_it_was_read_and_a_damaged_one_refused(tmp_path: Path) -> None:
    study, path = small(tmp_path), tmp_path / "out/manifest.json"
    idiograph.study(study, tmp_path / "out")
    content = json.loads(path.read_text(encoding="utf-8"))
    content["left_out"] = [["one", "contiguous_q20_k30", {"too short": 1}]]
    path.write_text(json.dumps(content), encoding="utf-8")
    idiograph.study(study, tmp_path / "out")
    assert json.loads(path.read_text(encoding="utf-8")) == content
    for key in ("scored", "cells", "begun", "additions", "corpora", "refused", "left_out", "trials"):
        without = {name: value for name, value in content.items() if name != key}
        path.write_text(json.dumps(without), encoding="utf-8")
        with pytest.raises(StudyError, match=f"manifest.json is damaged .*{key}"):
            idiograph.study(study, tmp_path / "out")
        if key != "trials":
            path.write_text(json.dumps({**content, key: 3}), encoding="utf-8")
            with pytest.raises(StudyError, match=r"manifest.json is damaged"):
                idiograph.study(study, tmp_path / "out")


def test_what_an_earlier_version_with_the_same_scores_began_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = small(tmp_path)
    whole = idiograph.study(path, tmp_path / "whole")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("idiograph.studies.study.add_llrs", stop)
        idiograph.study(path, tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    assert content["begun"]
    monkeypatch.setattr("idiograph.studies.chunks.score_chunk", never)
    monkeypatch.setattr("idiograph.provenance.VERSION", "0.4.0")
    for package, version, sentence in (
        ("idiograph", "0.2.0", r"was begun with other versions \(idiograph 0\.2\.0\)"),
        ("numpy", "1.0", r"was begun with other versions \(numpy 1\.0\)"),
    ):
        content["additions"][-1]["versions"] |= {"idiograph": "0.3.0", package: version}
        manifest.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(StudyError, match=sentence):
            idiograph.study(path, tmp_path / "out")
    content["additions"][-1]["versions"] = {**whole.results.additions[0].versions, "idiograph": "0.3.0"}
    manifest.write_text(json.dumps(content), encoding="utf-8")
    assert idiograph.study(path, tmp_path / "out").trials.table == whole.trials.table
