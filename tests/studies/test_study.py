"""A study from its file to its trials: killed, taken up again, on any number of workers, always the same bytes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from generated import corpus, write_jsonl
from idiograph.errors import StudyError
from idiograph.grammar.index import Index
from idiograph.studies.chunks import make_plan
from idiograph.studies.material import Material
from idiograph.studies.settings import read_study
from idiograph.studies.study import run_study

FILE = """
schema = 1
name = "toy"
runs = 2
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
q_tokens = [40, 80]
k_tokens = [60, 120]
[[conditions]]
drawing = "contiguous"
lengths = [[40, 80]]
[lambdag]
repetitions = {repetitions}
[methods]
resamples = 20
"""


def folder_with_study(folder: Path, *, repetitions: int = 10, extra: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    write_jsonl(folder / "toy.jsonl", corpus(works=2))
    path = folder / "study.toml"
    path.write_text(FILE.format(repetitions=repetitions) + extra, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study and its results."""
    folder = tmp_path_factory.mktemp("finished")
    run_study(folder_with_study(folder), folder / "out", workers=1)
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copied"))


def test_the_number_of_workers_changes_no_byte(finished: Path, tmp_path: Path) -> None:
    run_study(finished / "study.toml", tmp_path / "out", workers=3)
    assert (tmp_path / "out/trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


def test_without_a_folder_only_the_result_comes_back(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))
    kept = pq.read_table(finished / "out" / "trials.parquet")["lambda_g"].to_pylist()
    assert run_study(finished / "study.toml").trials.table["lambda_g"].to_pylist() == kept
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["studies"]


def test_the_order_of_the_texts_changes_no_score(finished: Path, tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    lines = (tmp_path / "toy.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "toy.jsonl").write_text("".join(reversed(lines)), encoding="utf-8")
    run_study(path, tmp_path / "out")
    assert (tmp_path / "out/trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


def test_a_finished_study_keeps_its_trials_and_no_parts(finished: Path) -> None:
    manifest = json.loads((finished / "out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["signature"].startswith("study|name:toy|")
    assert {"scored", "digest", "inputs", "versions", "indexes", "trials"} <= manifest.keys()
    assert not (finished / "out/parts").exists()


def test_a_killed_study_goes_on_and_ends_with_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_with_study(tmp_path, repetitions=80)
    whole = run_study(path, tmp_path / "whole", workers=1)
    assert len(whole.trials) == 240
    command = [sys.executable, "-m", "idiograph", "study", str(path), "--out", str(tmp_path / "out"), "--workers", "2"]
    parts = tmp_path / "out" / "parts"
    counts = []
    for wanted in (1, 5):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and len(list(parts.glob("0*.parquet"))) < wanted:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        counts.append(len(list(parts.glob("0*.parquet"))))
    assert 1 <= counts[0] <= counts[1] < 10
    (parts / ".000009-0.parquet.x.part").write_bytes(b"half")  # what a kill in the middle of writing leaves
    before = {file.name: file.stat().st_mtime_ns for file in parts.glob("0*.parquet")}
    seen: dict[str, int] = {}
    original = shutil.rmtree

    def watched(folder: Path, **options: bool) -> None:
        if Path(folder) == parts:
            seen.update({file.name: file.stat().st_mtime_ns for file in parts.iterdir()})
        original(folder, **options)

    monkeypatch.setattr("idiograph.studies.study.shutil.rmtree", watched)
    run_study(path, tmp_path / "out")
    assert len(seen) == 10
    assert {name: seen[name] for name in before} == before  # finished chunks were not scored again
    assert (tmp_path / "out/trials.parquet").read_bytes() == (tmp_path / "whole/trials.parquet").read_bytes()


def test_other_methods_are_tried_without_scoring_again(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_with_study(copied, extra='use = ["raw", "hapax"]\nbaseline = "hapax"\nunit = "nats"\n')

    def never(*_: object) -> bytes:
        raise AssertionError("scored again")

    monkeypatch.setattr("idiograph.studies.chunks.score_chunk", never)
    again = run_study(path, copied / "out")
    assert again.trials.methods == ("raw", "hapax")


def test_a_changed_study_corpus_or_version_is_not_mixed_in(copied: Path) -> None:
    changed = folder_with_study(copied, repetitions=11)
    with pytest.raises(StudyError, match="holds another study: repetitions differ"):
        run_study(changed, copied / "out")
    path = folder_with_study(copied)
    write_jsonl(copied / "toy.jsonl", corpus(works=2, seed=6))
    with pytest.raises(StudyError, match="files of the corpus toy have changed"):
        run_study(path, copied / "out")
    path = folder_with_study(copied)
    manifest = json.loads((copied / "out/manifest.json").read_text(encoding="utf-8"))
    manifest["versions"]["numba"] = "0.1"
    (copied / "out/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(StudyError, match=r"other versions \(numba 0.1\)"):
        run_study(path, copied / "out")


def test_damaged_results_are_refused_in_words(copied: Path) -> None:
    path, out = copied / "study.toml", copied / "out"
    trials = (out / "trials.parquet").read_bytes()
    (out / "trials.parquet").write_bytes(trials[:-1])
    with pytest.raises(StudyError, match=r"trials.parquet is damaged or gone"):
        run_study(path, out)
    (out / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(StudyError, match=r"manifest.json is damaged"):
        run_study(path, out)
    (out / "manifest.json").write_text('{"kind": "case"}', encoding="utf-8")
    with pytest.raises(StudyError, match="not the manifest of a study"):
        run_study(path, out)


def test_a_damaged_part_is_refused_and_named(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_study(finished / "study.toml", out)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    del manifest["trials"]  # as if it had been killed
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (out / "parts").mkdir()
    part = out / "parts" / f"000003-{'0' * 16}.parquet"
    part.write_bytes(b"damaged")
    with pytest.raises(StudyError, match=r"000003-0+.parquet is damaged.*Delete this file"):
        run_study(finished / "study.toml", out)
    part.rename(part.with_name("notes.txt"))
    with pytest.raises(StudyError, match=r"notes.txt is not a part of this study"):
        run_study(finished / "study.toml", out)
    (out / "parts" / "notes.txt").unlink()
    run_study(finished / "study.toml", out)
    assert (out / "trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


def test_a_foreign_folder_is_refused(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious", encoding="utf-8")
    with pytest.raises(StudyError, match="is not empty and holds no study"):
        run_study(finished / "study.toml", tmp_path)
    with pytest.raises(StudyError, match="is a file"):
        run_study(finished / "study.toml", tmp_path / "thesis.tex")
    assert (tmp_path / "thesis.tex").read_text(encoding="utf-8") == "precious"


def test_what_is_missing_is_said_before_any_work(finished: Path, tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    (tmp_path / "toy.jsonl").unlink()
    with pytest.raises(StudyError, match="The corpus of toy is not there"):
        run_study(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_conditions_with_too_few_authors_are_refused_and_the_others_run(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path, extra='[[conditions]]\ndrawing = "random"\nlengths = [[9000, 9000]]\n')
    result = run_study(path, tmp_path / "out")
    assert list(result.refused) == [("toy", "random_q9000_k9000")]
    assert "0 of 5 in the calibration half remain" in result.refused["toy", "random_q9000_k9000"]
    assert len(result.trials) == 240
    path.write_text(
        path.read_text(encoding="utf-8").replace("q_tokens = [40, 80]", "q_tokens = [9000]"), encoding="utf-8"
    )
    path.write_text(path.read_text(encoding="utf-8").replace("[[40, 80]]", "[[8000, 8000]]"), encoding="utf-8")
    with pytest.raises(StudyError, match="Nothing of the study can be run"):
        run_study(path, tmp_path / "other")


def test_a_reference_shorter_than_k_is_refused(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    write_jsonl(tmp_path / "toy.jsonl", corpus(authors=8, texts=2, sentences=12))
    settings = path.read_text(encoding="utf-8")
    settings = settings.replace("[lambdag]", "[design]\nfewest_authors = 2\ncalibration = 0.75\n[lambdag]")
    path.write_text(settings.replace("k_tokens = [60, 120]", "k_tokens = [60]"), encoding="utf-8")
    with pytest.raises(StudyError, match=r"has only 0 sentences and its K has \d+"):
        run_study(path, tmp_path / "out")


def test_no_space_is_said_before_the_long_work(tmp_path: Path, small_disk: Path) -> None:
    path = folder_with_study(tmp_path, repetitions=90)
    with pytest.raises(StudyError, match=r"has 0 MB free, and the study needs about 1 MB"):
        run_study(path, small_disk / "out")
    assert not (small_disk / "out").exists()


def test_a_write_that_fails_is_said_and_the_study_can_go_on(finished: Path, tmp_path: Path) -> None:
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
    code = f"{limited}from idiograph.cli import main; main()"
    command = [sys.executable, "-c", code, "study", str(finished / "study.toml"), "--out", str(tmp_path / "out")]
    failed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert "trials.parquet could not be written (File too large)" in failed.stderr
    assert not (tmp_path / "out/trials.parquet").exists()
    run_study(finished / "study.toml", tmp_path / "out")
    assert (tmp_path / "out/trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('exclude_authors = ["a99"]', "toy has no author a99 to exclude"),
        ('recipe = "paper"', "already masked, so the recipe"),
        ("options = { encodng = 'x' }", "unknown reading option encodng"),
    ],
)
def test_a_corpus_that_cannot_be_made_is_refused(tmp_path: Path, line: str, words: str) -> None:
    path = folder_with_study(tmp_path)
    text = path.read_text(encoding="utf-8").replace('masking = "masked"', f'masking = "masked"\n{line}')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Exception, match=words):
        run_study(path, tmp_path / "out")


def test_settings_of_a_corpus_change_what_is_scored(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    plain = path.read_text(encoding="utf-8")

    def result(line: str, name: str) -> tuple[set[str], int]:
        path.write_text(plain.replace('masking = "masked"', f'masking = "masked"\n{line}'), encoding="utf-8")
        trials = run_study(path, tmp_path / name).trials
        return set(trials.column("k_author")), int(trials.column("reference_sentences").max())

    everyone, n_reference = result("", "all")
    fewer, _ = result('exclude_authors = ["a00"]', "excluded")
    assert everyone - fewer == {"a00"}
    _, n_capped = result("tokens_per_author = 250", "capped")
    assert n_capped < n_reference
    write_jsonl(tmp_path / "pool.jsonl", corpus(authors=3, texts=3, sentences=30, seed=8))
    plain = plain.replace("[lambdag]", '[design]\nreference = "pool"\n[lambdag]')
    _, n_pool = result('pool = "pool.jsonl"', "pool")
    assert n_pool == 3 * 3 * 30  # the pool's a00 to a02 leave it when they are at hand


def test_the_first_run_alone_decides_whether_enough_authors_remain(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path, extra="[design]\nfewest_authors = 6\n")
    made = corpus()
    material = Material.of(Index(made), made)
    with pytest.raises(StudyError, match="5 of 5 in the calibration half remain, and at least 6"):
        make_plan(read_study(path), "toy", material, 0, 0)
    assert len(make_plan(read_study(path), "toy", material, 0, 1).problems) == 24
