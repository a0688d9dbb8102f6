"""A study on dask.distributed: a real scheduler, two real workers, one of them killed half-way."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from generated import corpus, write_jsonl
from idiograph.errors import StudyError
from idiograph.studies import chunks
from idiograph.studies.chunks import Chunk, score_there
from idiograph.studies.settings import read_study
from idiograph.studies.study import run_study

FILE = """
schema = 1
name = "toy"
runs = 5
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
q_tokens = [40, 80]
k_tokens = [60, 120]
[lambdag]
repetitions = 60
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "toy.jsonl", corpus())
    (tmp_path / "study.toml").write_text(FILE, encoding="utf-8")
    return tmp_path / "study.toml"


def dask(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """A process of dask's own, which finds Idiograph installed and has a cache folder of its own.

    It is kept between runs for the compiled code in it, without the corpora that were shipped there.
    """
    cache = Path(os.environ["IDIOGRAPH_CACHE"] + "-worker")
    shutil.rmtree(cache / "studies", ignore_errors=True)
    log = (folder / f"{arguments[0]}-{len(list(folder.glob('*.log')))}.log").open("wb")
    environment = os.environ | {"IDIOGRAPH_CACHE": str(cache)}
    with log:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
            stdout=log, stderr=log, env=environment, start_new_session=True,
        )  # fmt: skip


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    written = folder / "scheduler.json"
    shared = ("--scheduler-file", str(written))
    quiet = ("--no-dashboard",)
    scheduler = dask(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", *shared, *quiet)
    workers = [
        dask(folder, "worker", *shared, *quiet, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
        for _ in range(2)
    ]
    try:
        while not (written.exists() and written.read_text(encoding="utf-8").strip()):
            assert scheduler.poll() is None
            time.sleep(0.05)
        yield json.loads(written.read_text(encoding="utf-8"))["address"], workers
    finally:
        for process in (*workers, scheduler):
            if process.poll() is None:
                process.kill()
            process.wait()


def test_the_same_bytes_come_from_a_cluster_that_loses_a_worker(
    study: Path,
    cluster: tuple[str, list["subprocess.Popen[bytes]"]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, workers = cluster
    here = tmp_path / "here"
    run_study(study, here, workers=1)
    there = tmp_path / "there"
    write, written = chunks.write_whole, []

    def write_and_kill(path: Path, content: bytes) -> None:
        write(path, content)
        written.append(path)
        if len(written) == 3:
            workers[0].kill()

    monkeypatch.setattr(chunks, "write_whole", write_and_kill)
    run_study(study, there, cluster=address)
    assert len(written) == 20
    assert workers[0].wait(timeout=60) == -signal.SIGKILL
    assert workers[1].poll() is None
    assert (there / "trials.parquet").read_bytes() == (here / "trials.parquet").read_bytes()


def test_no_scheduler_and_no_extra_are_said_in_words(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.studies.chunks._PATIENCE", 1)
    with pytest.raises(StudyError, match=r"There is no scheduler at tcp://127.0.0.1:9"):
        run_study(study, study.parent / "out", cluster="tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(StudyError, match=r'pip install "idiograph\[cluster\]"'):
        run_study(study, study.parent / "out", cluster="tcp://127.0.0.1:9")


def test_a_worker_with_other_versions_is_refused(study: Path) -> None:
    with pytest.raises(StudyError, match=r"numba [\d.]+ instead of 0\.1"):
        score_there(read_study(study), "key", {}, Chunk("toy", 0, 0, 0, 1), {"numba": "0.1"})
