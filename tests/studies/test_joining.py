"""`study --join`: results folders as one study, with one table over all their corpora."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import idiograph
from generated import corpus, write_jsonl
from idiograph import StudyError, read_study
from made_study import folder_with_study, without_pages
from made_texts import command

FILE = """
schema = 1
name = "{name}"
runs = 2
[[corpora]]
name = "{name}"
path = "{name}.jsonl"
masking = "masked"
{conditions}
[design]
{design}
[lambdag]
repetitions = 3
[methods]
use = ["square_root", "hapax", "logistic"]
resamples = 0
{methods}
"""
WHOLE = '[[conditions]]\ndrawing = "whole"\n'
LENGTHS = '[[conditions]]\ndrawing = "random"\nlengths = [[40, 60], [40, 120], [80, 60], [80, 120]]\n'


def study_of(folder: Path, name: str, *, conditions: str = WHOLE, design: str = "", methods: str = "") -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    write_jsonl(folder / f"{name}.jsonl", corpus(seed=len(name), authors=12))
    path = folder / f"{name}.toml"
    text = FILE.format(name=name, conditions=conditions, design=design, methods=methods)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies that were run: whole texts with 40 %, lengths with 50 % of the authors for calibration."""
    folder = tmp_path_factory.mktemp("parts")
    grid = study_of(folder, "other", conditions=LENGTHS, design="calibration = 0.5")
    with without_pages():
        idiograph.study(study_of(folder, "one"), folder / "first", workers=1)
        idiograph.study(grid, folder / "second", workers=1)
    return folder


def test_the_joined_study_is_the_one_that_holds_both(parts: Path, tmp_path: Path) -> None:
    """Its trials, LLRs, wins and tables are those of one study of both corpora, scored together."""
    out = tmp_path / "joined"
    assert command("study", "--join", parts / "first", parts / "second", "--out", out) == 0
    together = (parts / "one.toml").read_text(encoding="utf-8").replace('name = "one"\nruns', 'name = "joined"\nruns')
    second = '[[corpora]]\nname = "other"\npath = "other.jsonl"\nmasking = "masked"\ncalibration = 0.5\n'
    conditions = WHOLE + 'corpora = ["one"]\n' + LENGTHS + 'corpora = ["other"]\n'
    (parts / "both.toml").write_text(together.replace(WHOLE, second + conditions), encoding="utf-8")
    both = idiograph.study(parts / "both.toml", tmp_path / "both", workers=1)
    joined = idiograph.study(out / "study.toml", out)
    for name in ("problem", "half", "lambda_g"):
        assert joined.trials.column(name).tolist() == both.trials.column(name).tolist()
    for method in ("hapax", "logistic"):
        case = both.trials.case
        assert joined.trials.llr(method)[case].tolist() == both.trials.llr(method)[case].tolist()
    assert joined.summary.wins == both.summary.wins
    assert len({corpus for corpus, _ in joined.summary.means}) == 2
    assert (out / "index.html").is_file()
    shares = {entry.name: joined.study.design_of(entry.name).calibration for entry in joined.study.corpora}
    assert shares == {"one": 0.4, "other": 0.5}


def test_the_manifest_says_what_was_joined_and_the_page_too(parts: Path, tmp_path: Path) -> None:
    out = tmp_path / "joined"
    result = idiograph.join_studies([parts / "first", parts / "second"], out)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert [entry["study"] for entry in manifest["joined"]] == ["one", "other"]
    for entry, folder in zip(manifest["joined"], ("first", "second"), strict=True):
        assert entry["trials"] == sha256((parts / folder / "trials.parquet").read_bytes()).hexdigest()
        assert entry["manifest"] == sha256((parts / folder / "manifest.json").read_bytes()).hexdigest()
    assert len(result.results.additions) == 2
    assert command("study", out / "study.toml", "--out", out) == 0
    assert "those of 2 studies, joined: one (study|name:one|" in (out / "index.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("unread_reports")
def test_a_joined_folder_can_be_extended(parts: Path, tmp_path: Path) -> None:
    out = tmp_path / "joined"
    idiograph.join_studies([parts / "first", parts / "second"], out)
    file = out / "study.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("runs = 2", "runs = 3"), encoding="utf-8")
    # The texts are not where the results folders of the command say, so they are named.
    for name in ("one", "other"):
        shutil.copy(parts / f"{name}.jsonl", out.parent / f"{name}.jsonl")
        text = file.read_text(encoding="utf-8").replace(f'path = "{name}.jsonl"', f'path = "../{name}.jsonl"')
        file.write_text(text, encoding="utf-8")
    more = idiograph.study(file, out, workers=1)
    assert set(more.trials.column("run").tolist()) == {0, 1, 2}
    first = more.trials.where(more.trials.column("run") < 2)
    assert (
        np.isin(
            first.column("lambda_g"), idiograph.study(parts / "one.toml", parts / "first").trials.column("lambda_g")
        ).sum()
        == len(first) - (first.column("corpus") == "other").sum()
    )


def test_what_cannot_stand_in_one_table_is_refused(parts: Path, tmp_path: Path) -> None:
    def refused(words: str, *folders: Path, out: Path = tmp_path / "joined") -> None:
        with pytest.raises(StudyError, match=words):
            idiograph.join_studies(folders, out)
        assert not (tmp_path / "joined" / "manifest.json").exists()

    first, second = parts / "first", parts / "second"
    refused("Joining takes two or more results folders", first)
    refused(r"both have a corpus one\. Every corpus weighs the same", first, first)
    refused("holds no results of a study", first, tmp_path / "gone")
    refused("is a file. Name a folder", first, second, out=parts / "one.toml")
    for name, changes, words in (
        ("unit", {"methods": 'unit = "nats"'}, r"unit differ \(unit is bits in the one and nats in the other\)"),
        ("pairs", {"design": 'pairs = "source"'}, r"pairs differ \(pairs is trace in the one and source in"),
    ):
        idiograph.study(study_of(tmp_path, name, **changes), tmp_path / f"{name}-out", workers=1)
        refused(words, first, tmp_path / f"{name}-out")
    with_own = study_of(tmp_path, "own", methods='own = ["mine.py:double"]')
    (tmp_path / "mine.py").write_text("def double(trial):\n    return 2 * trial.lambda_g\n", encoding="utf-8")
    idiograph.study(with_own, tmp_path / "own-out", workers=1)
    refused("methods of its own or scores of other systems", first, tmp_path / "own-out")
    shutil.copytree(first, tmp_path / "begun")
    manifest = json.loads((tmp_path / "begun" / "manifest.json").read_text(encoding="utf-8"))
    cell = manifest["cells"].pop()
    manifest["begun"] = [cell[:4]]
    (tmp_path / "begun" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    refused("is not finished", second, tmp_path / "begun")


def test_nothing_is_joined_into_a_folder_that_holds_a_study(parts: Path) -> None:
    before = (parts / "first" / "manifest.json").read_bytes()
    with pytest.raises(StudyError, match="holds a study already"):
        idiograph.join_studies([parts / "first", parts / "second"], parts / "first")
    assert (parts / "first" / "manifest.json").read_bytes() == before


def test_options_that_do_not_go_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = folder_with_study(tmp_path)
    assert command("study", "--join", study, study, "--out", tmp_path / "out", "--dry-run") == 2
    assert "nothing is scored" in capsys.readouterr().err
    assert command("study", "--join", study, study) == 2
    assert "a results folder is needed" in capsys.readouterr().err
    assert read_study(study).name == "toy"


@pytest.mark.parametrize("name", ["manifest.json", "study.toml", "trials.parquet"])
def test_a_study_to_be_joined_is_read_through_no_link(
    parts: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    received = tmp_path / "received"
    shutil.copytree(parts / "first", received)
    (received / name).rename(tmp_path / name)
    (received / name).symlink_to(f"../{name}")
    assert command("study", "--join", received, parts / "second", "--out", tmp_path / "joined") == 2
    assert f"{received / name} is a link" in capsys.readouterr().err
    assert not (tmp_path / "joined").exists()
