"""What a machine lacks is said as it is: memory, a library, a disk; never a traceback, never another cause."""

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from idiograph.errors import cannot_read, cannot_write, machine_cause
from made_study import folder_with_study
from made_texts import case_options, write_case

MB = 1_000_000


def run(*arguments: object, memory: int | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, with so many megabytes of memory."""

    def limit() -> None:
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory * MB, memory * MB))

    command = [sys.executable, "-P", "-m", "idiograph", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, preexec_fn=limit, timeout=100
    )


def plan(folder: Path) -> tuple[object, ...]:
    return ("plan", "--known", folder / "known", "--reference", folder / "reference", "--masking", "masked")


@pytest.mark.parametrize("memory", [200, 300])
def test_too_little_memory_is_called_that(tmp_path: Path, memory: int) -> None:
    write_case(tmp_path, n_authors=3)
    done = run(*plan(tmp_path), memory=memory)
    assert done.returncode == 2
    assert "The memory that this process may use ran out" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_library_does_not_ask_for_memory_for_ever(tmp_path: Path) -> None:
    """OpenBLAS, which NumPy and SciPy bring, does so where there is room for them and none for its threads."""
    write_case(tmp_path, n_authors=3)
    for memory in (400, 500):
        done = run(*plan(tmp_path), memory=memory)
        assert done.returncode in (0, 2)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("memory", [700, 800])
def test_memory_that_lacks_for_a_thread_is_not_called_damage(tmp_path: Path, memory: int) -> None:
    """pyarrow starts threads when it reads what was written a moment ago."""
    study = folder_with_study(tmp_path / "study", repetitions=2)
    done = run("study", study, "--out", tmp_path / "results", "--workers", 1, memory=memory)
    assert done.returncode in (0, 2), done.stderr
    assert done.returncode == 0 or "The memory that this process may use ran out" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("call", ["to_bytes(None)", "read_trials(Path('trials.parquet'))"])
def test_arrow_is_not_asked_to_do_what_would_end_the_process(call: str) -> None:
    code = f"""
import resource
from pathlib import Path
from idiograph.studies.trial_table import read_trials, to_bytes
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 30 * {MB},) * 2)
try:
    {call}
except MemoryError:
    print("too little memory")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "too little memory\n", done.stderr


def test_a_reader_of_xml_without_memory_is_not_taken_for_a_mistake_in_the_xml() -> None:
    code = f"""
import resource
from pathlib import Path
from idiograph.output.document import Document
from idiograph.output.docx import docx
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 3 * {MB},) * 2)
try:
    docx(Document("title", "", "", None, "", ()))
except MemoryError:
    print("too little memory")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "too little memory\n", done.stderr


@pytest.mark.parametrize("library", ["numba", "spacy", "typst", "pyarrow"])
def test_a_broken_library_is_named(tmp_path: Path, library: str) -> None:
    write_case(tmp_path, n_authors=5)
    broken = tmp_path / "libraries" / f"{library}.so"
    broken.parent.mkdir()
    broken.write_bytes(b"not a library")
    commands: dict[str, tuple[object, ...]] = {
        "numba": plan(tmp_path),
        "spacy": ("mask", tmp_path / "q.txt", "--out", tmp_path / "out", "--no-cache"),
        "typst": ("verify", *case_options(tmp_path, known=tmp_path / "known", out=tmp_path / "case"), "--quick"),
        "pyarrow": ("study", folder_with_study(tmp_path / "study"), "--out", tmp_path / "results"),
    }
    done = run(*commands[library], PYTHONPATH=str(broken.parent))
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    message = done.stderr.splitlines()[-1]
    assert f"{library}" in message
    assert "could not be loaded" in message
    if library == "typst":  # the run had begun, and the trail says what became of it
        last = json.loads((tmp_path / "case" / "runs.jsonl").read_text(encoding="utf-8").splitlines()[-1])
        assert (last["event"], "could not be loaded" in last["remark"]) == ("failed", True)


def test_a_script_without_a_guard_may_use_several_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import idiograph\n"
        "words = 'This is a sentence about something that happened to them then. ' * 300\n"
        "texts = tuple(idiograph.Text(str(n), f'Text {n}. {words}', 'a') for n in range(6))\n"
        "print('masked', len(idiograph.mask(idiograph.Corpus(texts), workers=2, cache=False).texts))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout == "masked 6\n"
    assert "Traceback" not in done.stderr


def test_errors_of_a_disk_name_the_file_and_what_happened() -> None:
    failed = machine_cause(OSError(errno.EIO, os.strerror(errno.EIO), "case/seal.json.sig"))
    assert failed is not None
    assert failed.startswith("case/seal.json.sig could not be used (Input/output error). The disk, or the connection")
    full = machine_cause(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "case/result.json"))
    assert full == (
        "case/result.json could not be used (No space left on device). The disk is full: free some space, or name a "
        "folder on another disk."
    )
    two = machine_cause(OSError(errno.EXDEV, "Invalid cross-device link", "a", None, "b"))
    assert two is not None
    assert two.startswith("a and b could not be used")
    for error in (cannot_read("x", OSError(errno.EIO, "Input/output error")), cannot_write(Path("x"), OSError(5, "E"))):
        assert "disk, or the connection to it, failed" in str(error)
    deep = machine_cause(RecursionError())
    assert deep is not None
    assert "nested too deeply" in deep
    assert machine_cause(KeyError("a")) is None
    nested = OSError("Could not find/load shared object file 'libllvmlite.so'")
    nested.__cause__ = OSError("libllvmlite.so: failed to map segment from shared object")
    said_memory = machine_cause(nested)
    assert said_memory is not None
    assert "memory" in said_memory
    alone = machine_cause(OSError("Could not find/load shared object file 'libllvmlite.so'"))
    assert alone is not None
    assert alone.startswith("A library could not be loaded (Could not find/load shared object file 'libllvmlite.so')")


def test_a_disk_that_fills_in_the_middle_is_called_that(small_disk: Path, tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    (small_disk / "filled").write_bytes(b"x" * 230_000)
    done = run("prepare", tmp_path / "reference", "--recipe", "plain", "--out", small_disk / "out")
    assert done.returncode == 2, done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in small_disk.iterdir()] == ["filled"]
