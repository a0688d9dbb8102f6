"""A study on dask.distributed: a real scheduler and real workers, of which some are killed or of another version.

The same bytes come from there as from one machine, whoever is lost.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

import idiograph
from generated import corpus, write_jsonl
from idiograph import StudyError, listening
from idiograph.progress import Event
from idiograph.studies import chunks, corpora
from idiograph.studies.trial_table import TrialTable, read_trials, to_bytes
from made_matrix import matrix_study, write_typed_texts

pytestmark = pytest.mark.usefixtures("unread_pages")

FILE = """
schema = 1
name = "toy"
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
q_tokens = [40, 80]
k_tokens = [60]
[lambdag]
repetitions = 60
[methods]
resamples = 0
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "toy.jsonl", corpus())
    (tmp_path / "study.toml").write_text(FILE, encoding="utf-8")
    return tmp_path / "study.toml"


def typed_study(folder: Path) -> Path:
    """A study of one condition that compares how nine authors type, and their texts as written."""
    path = matrix_study(
        folder, use=("normalised", "hapax", "logistic", "tfidf"), extra="typing = true\noriginal = true", authors=9
    )
    write_typed_texts(folder / "toy.jsonl", words=160)
    settings = path.read_text(encoding="utf-8").replace('"masked"', '"list"\noptions = { unwrap = "never" }')
    path.write_text(settings.replace('reference = "all"', 'reference = "all"\ngroups = 2\nfold = 2'), encoding="utf-8")
    return path


@cache
def typed_here() -> tuple[Path, bytes]:
    """That study, and its trials as one machine makes them."""
    folder = Path(mkdtemp())
    path = typed_study(folder)
    idiograph.study(path, folder / "here", workers=1)
    return path, (folder / "here" / "trials.parquet").read_bytes()


@dataclass
class Machines:
    """A scheduler and its workers, each with a process of its own on this machine."""

    folder: Path
    address: str = ""
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def dask(self, command: str, *options: str) -> "subprocess.Popen[bytes]":
        """A process of dask's own, which finds Idiograph installed; workers have a cache folder of their own.

        It is kept between runs for the compiled code in it, without the corpora that were shipped there.
        """
        environment = os.environ | {"IDIOGRAPH_CACHE": os.environ["IDIOGRAPH_CACHE"] + "-worker"}
        shared = ("--scheduler-file", str(self.folder / "scheduler.json"), "--no-dashboard")
        with (self.folder / f"{command}-{len(self.workers)}.log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{command}", *shared, *options],
                stdout=log, stderr=log, env=environment, start_new_session=True,
            )  # fmt: skip

    def start(self, name: str, *options: str) -> None:
        """Another worker."""
        usual = ("--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder))
        self.workers.append(self.dask("worker", "--name", name, *usual, *options))


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """A scheduler that has no worker yet."""
    shutil.rmtree(Path(os.environ["IDIOGRAPH_CACHE"] + "-worker") / "studies", ignore_errors=True)
    cluster = Machines(tmp_path / "cluster")
    cluster.folder.mkdir()
    scheduler = cluster.dask("scheduler", "--host", "127.0.0.1", "--port", "0")
    written = cluster.folder / "scheduler.json"
    try:
        while not (written.exists() and written.read_text(encoding="utf-8").strip()):
            assert scheduler.poll() is None
            time.sleep(0.05)
        cluster.address = json.loads(written.read_text(encoding="utf-8"))["address"]
        cluster.folder.joinpath("scheduler.pid").write_text(str(scheduler.pid), encoding="utf-8")
        yield cluster
    finally:
        for process in (*cluster.workers, scheduler):
            if process.poll() is None:
                process.kill()
            process.wait()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[int, Callable[[], object]]], list[Path]]:
    """Does something when so many parts have been written, and tells which they were."""
    write = chunks.write_whole

    def watch(then: dict[int, Callable[[], object]]) -> list[Path]:
        paths: list[Path] = []

        def write_and_do(path: Path, content: bytes) -> None:
            write(path, content)
            paths.append(path)
            then.get(len(paths), lambda: None)()

        monkeypatch.setattr(chunks, "write_whole", write_and_do)
        return paths

    return watch


def test_the_same_bytes_come_from_a_cluster_that_loses_its_workers(
    machines: Machines, written: Callable[..., list[Path]], tmp_path: Path
) -> None:
    """Typing and original among the methods: the originals go where the masked texts go."""
    path, here = typed_here()
    machines.start("ada")
    machines.start("bob")

    def lose_ada() -> None:
        machines.workers[0].kill()

    def lose_bob_too() -> None:
        machines.start("cleo")
        machines.workers[1].kill()

    parts = written({2: lose_ada, 6: lose_bob_too})
    events: list[Event] = []
    with listening(events.append):
        idiograph.study(path, tmp_path / "there", cluster=machines.address)
    assert (tmp_path / "there" / "trials.parquet").read_bytes() == here
    assert machines.workers[0].wait(timeout=60) == machines.workers[1].wait(timeout=60) == -signal.SIGKILL
    assert machines.workers[2].poll() is None
    # One condition of two groups of folds: enough pieces for ten machines, each scored once.
    names = [part.name.rpartition("-")[0] for part in parts]
    assert len(names) == len(set(names)) >= 20
    whereabouts = [event.where for event in events if event.stage == "Scoring"]
    assert any("ada on 127.0.0.1" in where and "bob on 127.0.0.1" in where for where in whereabouts)
    assert any("cleo on 127.0.0.1" in where and "2 lost" in where for where in whereabouts)
    assert sum(event.stage == "Scoring" and event.state == "running" for event in events) >= 20


def test_what_a_lost_cluster_scored_is_kept_and_used_on_one_machine(
    machines: Machines, written: Callable[..., list[Path]], tmp_path: Path
) -> None:
    path, here = typed_here()
    machines.start("ada")
    scheduler = int((machines.folder / "scheduler.pid").read_text(encoding="utf-8"))
    out = tmp_path / "there"
    written({3: lambda: os.kill(scheduler, signal.SIGKILL)})
    with pytest.raises(StudyError, match=r"The scheduler at .*scheduler.json is gone\. What is scored is kept"):
        idiograph.study(path, out, cluster=str(machines.folder / "scheduler.json"))
    before = {part.name: part.stat().st_mtime_ns for part in (out / "parts").glob("[!.]*.parquet")}
    assert len(before) >= 3
    again = written({})
    idiograph.study(path, out, workers=1)
    assert again
    assert {part.name for part in again}.isdisjoint(before)
    assert (out / "trials.parquet").read_bytes() == here


def test_parts_of_one_machine_are_used_on_a_cluster(
    study: Path, machines: Machines, written: Callable[..., list[Path]], tmp_path: Path
) -> None:
    """Whole parts are named as 0.3.0 named them, and scoring goes on beside them in pieces."""
    idiograph.study(study, tmp_path / "here", workers=1)

    def stop() -> None:
        raise KeyboardInterrupt

    out = tmp_path / "there"
    first = written({1: stop})
    with pytest.raises(KeyboardInterrupt):
        idiograph.study(study, out, workers=1)
    assert len(first[0].name.split("-")) == 3  # what decides it, the part, its content
    machines.start("ada")
    others = written({})
    idiograph.study(study, out, cluster=machines.address)
    assert all(part.name[:16] != first[0].name[:16] and "of" in part.name for part in others)
    assert (out / "trials.parquet").read_bytes() == (tmp_path / "here" / "trials.parquet").read_bytes()


OTHER_VERSION = "import idiograph.provenance\nidiograph.provenance.VERSION = '0.2.0'\n"
NO_IDIOGRAPH = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "idiograph":
            raise ModuleNotFoundError("No module named 'idiograph'")

sys.meta_path.insert(0, Absent())
"""


@pytest.mark.parametrize(
    ("preload", "sentence"),
    [
        (OTHER_VERSION, r"The worker tcp://127.0.0.1:\d+ has other versions .*: idiograph 0\.2\.0 instead of "),
        (NO_IDIOGRAPH, r"The worker tcp://127.0.0.1:\d+ cannot run Idiograph .*Install Idiograph "),
    ],
)
def test_a_worker_that_may_give_other_digits_is_refused_before_it_scores(
    study: Path, machines: Machines, preload: str, sentence: str
) -> None:
    (machines.folder / "other.py").write_text(preload, encoding="utf-8")
    machines.start("old", "--preload", str(machines.folder / "other.py"))
    with pytest.raises(StudyError, match=sentence):
        idiograph.study(study, study.parent / "out", cluster=machines.address)
    assert not (study.parent / "out" / "parts").exists()


def test_a_worker_of_another_version_that_comes_late_is_refused(study: Path) -> None:
    with pytest.raises(StudyError, match=r"A worker on .* has other versions .*numba [\d.]+ instead of 0\.1"):
        chunks.score_there(idiograph.read_study(study), "key", {}, chunks.Chunk("toy", 0, 0, 0, 1), {"numba": "0.1"})


def test_no_scheduler_no_worker_and_no_extra_are_said_in_words(
    study: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("idiograph.studies.chunks._PATIENCE", 1)
    with pytest.raises(StudyError, match=r"There is no scheduler at tcp://127.0.0.1:9"):
        idiograph.study(study, study.parent / "out", cluster="tcp://127.0.0.1:9")
    with pytest.raises(StudyError, match=r"absent.json is neither the address of a scheduler.* nor a file"):
        idiograph.study(study, study.parent / "out", cluster="absent.json")
    with pytest.raises(StudyError, match=r"has no worker\. Start some with `dask worker"):
        idiograph.study(study, study.parent / "out", cluster=machines.address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(StudyError, match=r'pip install "\.\[cluster\]" in a clone'):
        idiograph.study(study, study.parent / "out", cluster="tcp://127.0.0.1:9")


def test_a_part_that_was_scored_without_originals_is_refused(
    written: Callable[..., list[Path]], tmp_path: Path
) -> None:
    """0.3.0 left such parts behind on a cluster, under the name of right ones."""
    import pyarrow as pa

    path, here = typed_here()
    out = tmp_path / "out"

    def stop() -> None:
        raise KeyboardInterrupt

    parts = written({1: stop})
    with pytest.raises(KeyboardInterrupt):
        idiograph.study(path, out, workers=1)
    part = parts[0]
    trials = read_trials(part)
    assert trials.score("typing").any()
    at = trials.table.column_names.index("score_typing")
    zeros = to_bytes(TrialTable(trials.table.set_column(at, "score_typing", pa.array(np.zeros(len(trials))))))
    poisoned = part.with_name(f"{part.name[:19]}-{sha256(zeros).hexdigest()[:16]}.parquet")
    poisoned.write_bytes(zeros)
    part.unlink()
    written({})
    with pytest.raises(StudyError, match=r"was scored without the originals: typing is 0 .* Delete this file"):
        idiograph.study(path, out, workers=1)
    poisoned.unlink()
    idiograph.study(path, out, workers=1)
    assert (out / "trials.parquet").read_bytes() == here


def test_masking_takes_all_cores_of_the_machine_that_runs_the_study(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[int] = []
    real = corpora.mask

    def watched(*arguments: object, workers: int, **settings: object) -> object:
        asked.append(workers)
        return real(*arguments, workers=1, **settings)  # type: ignore[call-overload]

    monkeypatch.setattr(corpora, "mask", watched)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    monkeypatch.setattr("idiograph.studies.chunks._PATIENCE", 1)
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))
    path = typed_study(tmp_path)
    with pytest.raises(StudyError, match="There is no scheduler"):
        idiograph.study(path, tmp_path / "out", cluster="tcp://127.0.0.1:9")
    assert asked == [3]
