"""A case's folder: what is in it, what is refused, and that nothing half-written stays."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from filed_case import file_quick, without_reports
from idiograph.casework.case_folder import begin_run, earlier_runs, end_run
from idiograph.output import filing
from made_texts import case_options, file_case_of, write_case


def test_a_folder_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "case").write_text("mine", encoding="utf-8")
    assert file_case_of(tmp_path, "--quick", "--force") == 2
    assert "is a file, and a case is a folder" in capsys.readouterr().err
    assert (tmp_path / "case").read_text(encoding="utf-8") == "mine"


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("unread_reports")
def test_a_case_file_of_somebody_else_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "case.toml").write_text("mine", encoding="utf-8")
    (tmp_path / "case" / "notes.txt").write_text("mine too", encoding="utf-8")
    assert file_case_of(tmp_path, "--quick") == 2
    assert "already holds a run of a case (case.toml)" in capsys.readouterr().err
    assert (tmp_path / "case" / "case.toml").read_text(encoding="utf-8") == "mine"
    assert file_case_of(tmp_path, "--quick", "--force") == 0
    assert "had been changed since it was written, so it was kept as case.changed1.toml" in capsys.readouterr().err
    assert (tmp_path / "case" / "case.changed1.toml").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "case" / "notes.txt").read_text(encoding="utf-8") == "mine too"


def outputs(case: Path) -> list[str]:
    """What lies in a case's folder besides the trail, and the lock of a killed process."""
    return sorted(path.name for path in case.iterdir() if path.name not in ("runs.jsonl", ".lock"))


def test_a_read_only_folder(tmp_path: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=5)
    (small_disk / "case").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    (tmp_path / "case").symlink_to(small_disk / "case")
    assert file_case_of(tmp_path, "--quick") == 2
    assert "could not be written (Read-only file system)" in capsys.readouterr().err


def test_a_full_disk(
    tmp_path: Path, small_disk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reports do not fit on 256 kB: nothing of them is left, the trail says that the run failed."""
    monkeypatch.setattr(filing, "_ROOM", 0)  # as if others had filled the disk meanwhile
    write_case(tmp_path, n_authors=5)
    (small_disk / "case").mkdir()
    (tmp_path / "case").symlink_to(small_disk / "case")
    assert file_case_of(tmp_path, "--quick") == 2
    assert "could not be written (No space left on device)" in capsys.readouterr().err
    assert outputs(small_disk / "case") == []
    events = [json.loads(line)["event"] for line in (small_disk / "case" / "runs.jsonl").read_text().splitlines()]
    assert events == ["begun", "started", "failed"]
    # The failed run is counted by the next one, elsewhere or here.
    (tmp_path / "case").unlink()
    shutil.copytree(small_disk / "case", tmp_path / "case")
    without_reports(monkeypatch)
    assert file_case_of(tmp_path, "--quick") == 0
    result = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))
    assert [(run["number"], run["outcome"]) for run in result["run"]["earlier"]] == [(1, "failed")]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped(tmp_path: Path, sent: signal.Signals) -> None:
    """A real process is stopped while it validates; the case holds no output and the trail keeps the run."""
    write_case(tmp_path, n_authors=8, n_texts=4, tokens=2_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "idiograph", "verify", *case_options(Path(), repetitions=300, out="case")],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    trail = tmp_path / "case" / "runs.jsonl"
    while not (trail.is_file() and b"started" in trail.read_bytes()) and process.poll() is None:
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()
    process.send_signal(sent)
    _, errors = process.communicate()
    assert outputs(tmp_path / "case") == []
    entries = [json.loads(line) for line in trail.read_text(encoding="utf-8").splitlines()]
    events = [entry["event"] for entry in entries]
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert "interrupted; nothing was left half-written" in errors
        assert "Traceback" not in errors
        assert events == ["begun", "started", "interrupted"]
        assert entries[-1]["remark"] == ""  # a reader of the runs page need not know what a KeyboardInterrupt is
    else:
        assert events == ["begun", "started"]
        assert [earlier_run.outcome for earlier_run in earlier_runs(tmp_path / "case")] == ["unfinished"]


@pytest.mark.usefixtures("unread_reports")
def test_what_a_killed_run_left_aside_is_cleared(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    remains = tmp_path / "case" / ".run-abc.part"
    remains.mkdir(parents=True)
    (remains / "report.html").write_text("half", encoding="utf-8")
    assert file_case_of(tmp_path, "--quick") == 0
    assert not remains.exists()


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("texts"), n_authors=5, n_texts=1, tokens=120)


@pytest.mark.usefixtures("unread_reports")
@pytest.mark.parametrize(
    "damage", [b"\xff\xfe\n", b'{"run": 9, "event"', b"[" * 100_000 + b"\n", b'"text"\n', b'{"run": "1"}\n']
)
def test_one_damaged_line_costs_that_line(texts: Path, tmp_path: Path, damage: bytes) -> None:
    case = tmp_path / "case"
    file_quick(texts, case)
    trail = case / "runs.jsonl"
    trail.write_bytes(trail.read_bytes() + damage)
    with pytest.warns(UserWarning, match=r"runs\.jsonl: line 4 of runs\.jsonl is damaged"):
        done = file_quick(texts, case, force=True).verification
    assert done.run == 2
    assert [(run.number, run.outcome) for run in done.earlier] == [(0, "unknown"), (1, "reported")]
    assert "line 4 of runs.jsonl is damaged" in done.earlier[0].remark
    assert len(trail.read_bytes().splitlines()) == 7


def test_line_separators_in_a_remark_do_no_harm(tmp_path: Path) -> None:
    number = begin_run(tmp_path, quick=False)
    end_run(tmp_path, number, "failed", "one\u2028two\x85three\ud800")
    assert [run.remark for run in earlier_runs(tmp_path)] == ["one\u2028two\x85three\ud800"]
