"""A study from its file to its trials: killed, taken up again, on any number of workers, always the same bytes."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import idiograph
from idiograph import InputError, StudyError
from idiograph.evidence.performance import performance
from idiograph.studies import study
from made_study import folder_with_study

pytestmark = pytest.mark.usefixtures("unread_pages")


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copied"))


def test_the_number_of_workers_changes_no_byte(finished: Path, tmp_path: Path) -> None:
    idiograph.study(finished / "study.toml", tmp_path / "out", workers=3)
    assert (tmp_path / "out/trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


def test_without_a_folder_only_the_result_comes_back(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))
    kept = pq.read_table(finished / "out" / "trials.parquet")["lambda_g"].to_pylist()
    assert idiograph.study(finished / "study.toml").trials.table["lambda_g"].to_pylist() == kept
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["studies"]


def test_the_order_of_the_texts_changes_no_score(finished: Path, tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    lines = (tmp_path / "toy.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "toy.jsonl").write_text("".join(reversed(lines)), encoding="utf-8")
    idiograph.study(path, tmp_path / "out")
    assert (tmp_path / "out/trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


def test_a_study_carries_how_well_each_method_did(finished: Path) -> None:
    result = idiograph.study(finished / "study.toml", finished / "out")
    assert [(cell.condition, cell.method) for cell in result.performance] == [
        (cell.condition, cell.method) for cell in result.judged
    ]
    assert len(result.performance) == 5 * 4
    for cell, did in zip(result.judged[:3], result.performance[:3], strict=True):
        assert did.performance == performance(cell.trials, resamples=20)
        assert did.decisions == idiograph.decisions(same=cell.trials.same, different=cell.trials.different)
        assert did.pan == idiograph.pan_metrics(same=cell.trials.same, different=cell.trials.different)
    assert set(result.summary.means) == {(cell.corpus, cell.condition) for cell in result.judged}
    hapax = next(cell for cell in result.performance if cell.method == "hapax")
    # The mean over runs of one size is the Cllr of all their trials.
    assert result.summary.means["toy", hapax.condition]["hapax"] == pytest.approx(hapax.performance.cllr.value)


def test_the_study_file_is_kept_before_anything_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_with_study(tmp_path)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("idiograph.studies.study.run_chunks", killed)
        with pytest.raises(KeyboardInterrupt):
            idiograph.study(path, tmp_path / "out")
    assert (tmp_path / "out/study.toml").read_bytes() == path.read_bytes()
    idiograph.study(tmp_path / "out/../study.toml", tmp_path / "out")
    assert (tmp_path / "out/trials.parquet").is_file()


# The command, killed as soon as it has written so many parts.
DYING = """
import os, signal, sys
import idiograph.cli
from idiograph.studies import chunks

write, left = chunks.write_whole, [int(sys.argv.pop(1))]

def write_and_die(path, content):
    write(path, content)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)

chunks.write_whole = write_and_die
idiograph.cli.main()
"""


def test_a_killed_study_goes_on_and_ends_with_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_with_study(tmp_path)
    whole = idiograph.study(path, tmp_path / "whole", workers=1)
    assert len(whole.trials) == 240
    options = ["study", str(path), "--out", str(tmp_path / "out"), "--workers", "2"]
    parts = tmp_path / "out" / "parts"
    for more, there in ((1, 1), (4, 5)):
        done = subprocess.run([sys.executable, "-c", DYING, str(more), *options], capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert len(list(parts.glob("[!.]*.parquet"))) == there
    (parts / ".000009-0.parquet.x.part").write_bytes(b"half")  # what a kill in the middle of writing leaves
    before = {file.name: file.stat().st_mtime_ns for file in parts.glob("[!.]*.parquet")}
    seen: dict[str, int] = {}
    original = study._forget_parts

    def watched(folder: Path, results: object) -> None:
        seen.update({file.name: file.stat().st_mtime_ns for file in parts.iterdir()})
        original(folder, results)

    monkeypatch.setattr(study, "_forget_parts", watched)
    idiograph.study(path, tmp_path / "out")
    assert len(seen) == 10
    assert {name: seen[name] for name in before} == before  # finished chunks were not scored again
    assert (tmp_path / "out/trials.parquet").read_bytes() == (tmp_path / "whole/trials.parquet").read_bytes()
    assert not parts.exists()


def test_damaged_results_are_refused_in_words(copied: Path) -> None:
    path, out = copied / "study.toml", copied / "out"
    trials = (out / "trials.parquet").read_bytes()
    (out / "trials.parquet").write_bytes(trials[:-1])
    with pytest.raises(StudyError, match=r"trials.parquet is damaged or gone"):
        idiograph.study(path, out)
    (out / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(StudyError, match=r"manifest.json is damaged"):
        idiograph.study(path, out)
    (out / "manifest.json").write_text('{"kind": "case"}', encoding="utf-8")
    with pytest.raises(StudyError, match="not the manifest of a study"):
        idiograph.study(path, out)


def test_a_foreign_folder_is_refused(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious", encoding="utf-8")
    with pytest.raises(StudyError, match="is not empty and holds no study"):
        idiograph.study(finished / "study.toml", tmp_path)
    with pytest.raises(StudyError, match="is a file"):
        idiograph.study(finished / "study.toml", tmp_path / "thesis.tex")
    assert (tmp_path / "thesis.tex").read_text(encoding="utf-8") == "precious"


def test_conditions_with_too_few_authors_are_refused_and_the_others_run(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path, extra='[[conditions]]\ndrawing = "random"\nlengths = [[9000, 9000]]\n')
    result = idiograph.study(path, tmp_path / "out")
    assert list(result.refused) == [("toy", "random_q9000_k9000")]
    assert "0 of 5 in the calibration half remain" in result.refused["toy", "random_q9000_k9000"]
    assert len(result.trials) == 240
    path.write_text(
        path.read_text(encoding="utf-8").replace("q_tokens = [40, 80]", "q_tokens = [9000]"), encoding="utf-8"
    )
    path.write_text(path.read_text(encoding="utf-8").replace("[[40, 80]]", "[[8000, 8000]]"), encoding="utf-8")
    with pytest.raises(StudyError, match="No part of the study can be run"):
        idiograph.study(path, tmp_path / "other")


def test_no_space_is_said_before_the_long_work(tmp_path: Path, small_disk: Path) -> None:
    path = folder_with_study(tmp_path, repetitions=90)
    with pytest.raises(StudyError, match=r"has 0 MB free, and the study needs about 1 MB"):
        idiograph.study(path, small_disk / "out")
    assert not (small_disk / "out").exists()


def test_a_write_that_fails_is_said_and_the_study_can_go_on(finished: Path, tmp_path: Path) -> None:
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
    code = f"{limited}from idiograph.cli import main; main()"
    command = [sys.executable, "-c", code, "study", str(finished / "study.toml"), "--out", str(tmp_path / "out")]
    failed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert "trials.parquet could not be written (File too large)" in failed.stderr
    assert not (tmp_path / "out/trials.parquet").exists()
    idiograph.study(finished / "study.toml", tmp_path / "out")
    assert (tmp_path / "out/trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


def test_results_do_not_go_into_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    path = folder_with_study(tmp_path / "study")
    content = path.read_text(encoding="utf-8").replace('path = "toy.jsonl"', 'path = "."')
    assert 'path = "."' in content
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"out lies inside .*study, whose files are read as texts"):
        idiograph.study(path, tmp_path / "study" / "out")
