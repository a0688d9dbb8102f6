"""A case is filed by one call, and no kill, full disk or second process loses any of it."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import idiograph
from filed_case import assert_on_top, assert_whole, contents, file_quick, plain_reports
from idiograph import InputError, file_case
from idiograph.casework.verify import decide, make_ready
from idiograph.files import locked
from idiograph.output import filing
from killing import every_kill, hidden
from made_texts import case_of, case_options, write_case


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("texts"), n_authors=5, n_texts=1, tokens=120)


def test_the_library_files_a_case(texts: Path, tmp_path: Path) -> None:
    filed = idiograph.file_case(case_of(texts), tmp_path / "case", quick=True)
    assert filed.folder == tmp_path / "case"
    done = filed.verification
    assert (done.run, done.earlier, done.quick) == (1, (), True)
    assert_whole(filed.folder, 1)
    assert_on_top(filed.folder, 1)
    names = {"report.html", "report.docx", "report.pdf", "tokens.csv", "sentences.csv", "result.json", "case.toml"}
    assert names <= set(contents(filed.folder))
    again = idiograph.file_case(str(filed.folder / "case.toml"), quick=True, force=True)
    assert (again.folder, again.verification.run) == (filed.folder, 2)
    assert [run.outcome for run in again.verification.earlier] == ["reported"]
    assert again.verification.case_digest == done.case_digest
    assert_whole(filed.folder, 1)
    assert_on_top(filed.folder, 2)
    assert hidden(tmp_path) == []


def test_verify_alone_writes_nothing_and_is_complete(texts: Path) -> None:
    before = contents(texts)
    done = idiograph.verify(case_of(texts), quick=True)
    assert contents(texts) == before
    assert (done.run, done.earlier) == (1, ())
    assert len(done.case_digest) == 64


@pytest.mark.parametrize("case", [None, 3, ["case.toml"], {"case": 1}])
def test_what_is_not_a_case_is_refused(case: object, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"case must be a Case or a path"):
        file_case(case, tmp_path / "case")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"case must be a Case or a path"):
        idiograph.verify(case)  # type: ignore[arg-type]


def test_a_case_is_not_filed_among_its_texts(texts: Path) -> None:
    with pytest.raises(InputError, match=r"out lies inside .*reference, whose files are read as texts"):
        file_quick(texts, texts / "reference" / "out")
    assert not (texts / "reference" / "out").exists()


def test_a_case_made_in_python_needs_a_folder(texts: Path) -> None:
    with pytest.raises(InputError, match="No folder for the case was named"):
        file_case(case_of(texts))


def test_what_the_user_changed_is_kept(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filing, "write_reports", plain_reports)
    case = tmp_path / "case"
    file_quick(texts, case)
    (case / "report.html").write_text("with my remarks", encoding="utf-8")
    (case / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"report\.html had been changed .* kept as report\.changed1\.html"):
        file_quick(texts, case, force=True)
    assert (case / "report.changed1.html").read_text(encoding="utf-8") == "with my remarks"
    assert (case / "report.html").read_text(encoding="utf-8") == "run 2"
    assert (case / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert not (case / "figures" / "pav.svg").exists()
    assert_whole(case, 1)


def test_a_run_that_an_earlier_version_left_at_the_top_is_kept(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "write_reports", plain_reports)
    case = tmp_path / "case"
    file_quick(texts, case)
    shutil.rmtree(case / "runs")
    before = {name: content for name, content in contents(case).items() if name != "runs.jsonl"}
    file_quick(texts, case, force=True)
    assert contents(case / "runs" / "0001") == before
    assert_on_top(case, 2)


def killed_at_every_step(
    texts: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[Path], object], filed: int
) -> None:
    """Runs the work on a case with `filed` runs, kills it after each of its file operations, and goes on.

    Reading and scoring change no file, and are done once for all kills.
    """
    ready = make_ready(case_of(texts, repetitions=1, order=2), quick=True)
    decided = decide(ready)
    monkeypatch.setattr(filing, "make_ready", lambda case, **_: ready)
    monkeypatch.setattr(filing, "decide", lambda ready, **run: replace(decided, **run))
    monkeypatch.setattr(filing, "write_reports", plain_reports)
    start, case = folder / "start", folder / "case"
    for number in range(filed):
        file_quick(texts, start, force=number > 0)

    def afresh() -> None:
        shutil.rmtree(case, ignore_errors=True)
        if filed:
            shutil.copytree(start, case)

    for operation in every_kill(lambda: work(case), prepare=afresh):
        for number in range(1, filed + 1):
            assert contents(case / "runs" / f"{number:04}") == contents(start / "runs" / f"{number:04}"), operation
        for line in (case / "runs.jsonl").read_bytes().split(b"\n") if (case / "runs.jsonl").exists() else ():
            assert not line or json.loads(line), operation
        done = file_quick(texts, case, force=True).verification
        for number in range(1, done.run):
            if (case / "runs" / f"{number:04}").exists():
                assert_whole(case, number)
        assert_whole(case, done.run)
        assert_on_top(case, done.run)
        assert len(done.earlier) == done.run - 1, operation
        assert hidden(folder) == [], operation


def test_no_kill_loses_a_first_run(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed_at_every_step(texts, tmp_path, monkeypatch, lambda case: file_quick(texts, case), filed=0)


def test_no_kill_loses_an_earlier_run(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed_at_every_step(texts, tmp_path, monkeypatch, lambda case: file_quick(texts, case, force=True), filed=1)


def test_a_second_run_is_told_who_is_at_work(texts: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "case"), pytest.raises(InputError, match=rf"in use: process {os.getpid()} on"):
        file_quick(texts, tmp_path / "case")


def test_two_runs_at_once_leave_whole_runs(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filing, "write_reports", plain_reports)
    ended: list[object] = []

    def run() -> None:
        try:
            ended.append(file_quick(texts, tmp_path / "case", force=True).verification.run)
        except InputError as error:
            ended.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = sorted(end for end in ended if isinstance(end, int))
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers
    assert all("is in use" in end for end in ended if isinstance(end, str))
    for number in numbers:
        assert_whole(tmp_path / "case", number)
    assert hidden(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_noticed_before_anything_is_read(small_disk: Path, tmp_path: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    nowhere = case_of(tmp_path / "there is nothing to read")
    with pytest.raises(InputError, match=r"could not be written \(Read-only"):
        file_case(nowhere, small_disk / "case")


def test_a_disk_with_too_little_room_is_noticed_before_anything_is_read(small_disk: Path, tmp_path: Path) -> None:
    nowhere = case_of(tmp_path / "there is nothing to read")
    with pytest.raises(
        InputError, match=r"could not take a filed case: its disk has 0\.[23] MB left, and a case takes up to 8\. Free"
    ):
        file_case(nowhere, small_disk / "case")
    several = replace(nowhere, questioned={"Q1": tmp_path / "1", "Q2": tmp_path / "2", "Q3": tmp_path / "3"})
    with pytest.raises(InputError, match=r"and a case of 3 comparisons takes up to 18\. Free"):
        file_case(several, small_disk / "case")
    with (small_disk / "fill").open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(b"x" * 4096)
    with pytest.raises(InputError, match=r"could not be written \(No space left on device\)"):
        file_case(nowhere, small_disk / "case")
    assert not list((small_disk).glob("case/*"))


def test_a_full_disk_leaves_every_earlier_run(texts: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filing, "write_reports", plain_reports)
    monkeypatch.setattr(filing, "_ROOM", 0)
    case = small_disk / "case"
    file_quick(texts, case)
    before = contents(case / "runs" / "0001")
    fill = small_disk / "fill"
    with fill.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(b"x" * 4096)
    with pytest.raises(InputError, match="No space left on device"):
        file_quick(texts, case, force=True)
    assert contents(case / "runs" / "0001") == before
    assert_on_top(case, 1)
    fill.unlink()
    done = file_quick(texts, case, force=True).verification
    assert_on_top(case, done.run)
    assert hidden(small_disk) == []


def test_a_disk_that_fills_at_the_copy_is_told_with_where_the_run_is(
    texts: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "write_reports", plain_reports)
    monkeypatch.setattr(filing, "_ROOM", 0)
    case = small_disk / "case"
    file_quick(texts, case)
    # Room for another run and for so little besides that no copy of it fits, in whole blocks.
    run = sum(-(-path.stat().st_size // 4096) * 4096 for path in (case / "runs").rglob("*") if path.is_file())
    sentence = ""
    for blocks in range(1, 9):
        (small_disk / "fill").write_bytes(b"x" * (shutil.disk_usage(small_disk).free - run - blocks * 4096))
        with pytest.raises(InputError, match="No space left on device") as refused:
            file_quick(texts, case, force=True)
        sentence = str(refused.value)
        (small_disk / "fill").unlink()
        if "is filed" in sentence:
            break
    number = max(int(path.name) for path in (case / "runs").iterdir())
    assert sentence.startswith(
        f"Run {number} is filed, whole, in {case / 'runs' / f'{number:04}'}. Its copy at the top of"
    )
    filed = contents(case / "runs" / f"{number:04}")
    assert {"result.json", "manifest.json"} <= {Path(name).name for name in filed}
    assert_on_top(case, file_quick(texts, case, force=True).verification.run)
    assert contents(case / "runs" / f"{number:04}") == filed


@pytest.mark.parametrize("cache", ["full", "read-only", "in no home"])
def test_a_cache_that_cannot_be_written_costs_a_sentence_at_most(
    texts: Path, tmp_path: Path, small_disk: Path, cache: str
) -> None:
    """No traceback, and nothing in the temporary folder, also where HOME is not set and nothing can be kept."""
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "MPLCONFIGDIR")}
    environment["TMPDIR"] = str(tmp_path / "tmp")
    (tmp_path / "tmp").mkdir()
    environment["IDIOGRAPH_CACHE"] = str(small_disk / "cache")
    if cache == "full":  # compiling too
        (small_disk / "fill").write_bytes(b"x" * 250_000)
    else:
        environment["NUMBA_DISABLE_JIT"] = "1"
    if cache == "in no home":
        del environment["IDIOGRAPH_CACHE"]
        environment["XDG_CACHE_HOME"] = str(tmp_path / "caches")
    if cache == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    options = case_options(Path(), repetitions=1, out=tmp_path / "case")
    command = [sys.executable, "-m", "idiograph", "verify", *options, "--quick"]
    done = subprocess.run(command, cwd=texts, env=environment, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) <= 8, done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
    if cache == "in no home":
        assert list((tmp_path / "caches").iterdir()) == [tmp_path / "caches" / "idiograph"]
