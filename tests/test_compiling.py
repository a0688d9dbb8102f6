"""Where compiled code is kept, and what is said when it cannot be."""

import ast
import hmac
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from idiograph import compiling

KERNEL = """
import resource, signal, sys
from idiograph.compiling import compiled, run

@compiled
def double(number):
    return 2 * number

if sys.argv[1] == "full":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
print(run(double, 21), run(double, 4))
"""


def start_doubling(folder: Path, cache: Path, disk: str = "free") -> subprocess.Popen[str]:
    script = folder / "kernel.py"
    script.write_text(KERNEL)
    environment = {**os.environ, "IDIOGRAPH_CACHE": str(cache)}
    command = [sys.executable, str(script), disk]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said_by(process: subprocess.Popen[str]) -> str:
    """What is said on the way to the right results."""
    output, messages = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args, output, messages)
    assert output == "42 8\n"
    return messages


def doubled(folder: Path, cache: Path, disk: str = "free") -> str:
    return said_by(start_doubling(folder, cache, disk))


def test_a_change_in_any_module_with_a_kernel_makes_new_code():
    source = Path(compiling.__file__).parent
    digested = {path for pattern in compiling._SOURCES for path in source.glob(pattern)}
    with_kernels = [path for path in source.rglob("*.py") if "@compiled" in path.read_text(encoding="utf-8")]
    assert len(with_kernels) > 5
    for path in with_kernels:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert path in digested
        # Whatever a kernel can call stands in a layer that is digested whole, or in one of two modules of the ground.
        kernels = {str(name) for name in called if str(name).startswith("idiograph.")}
        layers = {name.split(".")[1] for name in kernels}
        assert layers <= {
            "arithmetic",
            "checking",
            "compiling",
            "elementary",
            "errors",
            "evidence",
            "grammar",
            "showing",
            "texts",
        }


def test_the_first_process_compiles_and_says_so_and_the_next_does_not(tmp_path):
    assert doubled(tmp_path, tmp_path / "cache") == (
        "Compiling the engine for this machine; this happens once and takes some seconds.\n"
    )
    assert doubled(tmp_path, tmp_path / "cache") == ""
    assert not (tmp_path / "__pycache__").exists()
    assert list((tmp_path / "cache").rglob("*.nbc"))


def test_two_processes_that_compile_at_once_keep_what_both_can_use(tmp_path):
    both = [start_doubling(tmp_path, tmp_path / "cache") for _ in range(2)]
    assert "Compiling the engine for this machine" in "".join(map(said_by, both))
    assert doubled(tmp_path, tmp_path / "cache") == ""


SQUARES = """
import sys
import numpy as np
from idiograph import compiling

if sys.argv[1] == "another Numba":
    compiling._LOADED_ALONE = ()

@compiling.compiled
def squares(n):
    made = np.empty(n, np.int64)
    for i in range(n):
        made[i] = i * i
    return made

print(compiling.run(squares, 4).tolist(), "numba.np.arraymath" in sys.modules)
if sys.argv[1] == "another type":
    print(squares(np.int32(3)).tolist(), "numba.np.arraymath" in sys.modules)
"""


def test_kept_code_is_loaded_without_the_compiler_if_this_numba_was_tried_and_new_code_is_compiled(tmp_path):
    script, environment = tmp_path / "squares.py", {**os.environ, "IDIOGRAPH_CACHE": str(tmp_path / "cache")}
    script.write_text(SQUARES)
    for turn, printed in (
        ("compiled", "[0, 1, 4, 9] True\n"),
        ("kept", "[0, 1, 4, 9] False\n"),
        ("another Numba", "[0, 1, 4, 9] True\n"),
        ("another type", "[0, 1, 4, 9] False\n[0, 1, 4] True\n"),
    ):
        done = subprocess.run(
            [sys.executable, str(script), turn], env=environment, capture_output=True, text=True, check=True
        )
        assert (turn, done.stdout) == (turn, printed)


def test_a_cache_that_cannot_be_written_is_said_and_done_without(tmp_path):
    (tmp_path / "file").write_text("in the way")
    message = doubled(tmp_path, tmp_path / "file" / "cache")
    assert "cannot be written (Not a directory), so the engine is compiled again in every process." in message
    assert "Set IDIOGRAPH_CACHE to a folder that can be written to." in message
    assert not (tmp_path / "__pycache__").exists()


def test_a_full_disk_is_said_and_the_result_is_there(tmp_path):
    message = doubled(tmp_path, tmp_path / "cache", disk="full")
    assert f"The compiled code could not be kept in {tmp_path / 'cache'} (File too large)." in message
    assert doubled(tmp_path, tmp_path / "cache") != ""  # so it is compiled again, and nothing half-written is used


THROWN_AWAY = "is damaged, or was made elsewhere. It is thrown away and compiled again."


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-30], lambda data: b"", lambda data: b"junk", lambda data: data[:40] + b"x" + data[41:]],
)
def test_damaged_code_is_thrown_away_with_a_sentence(tmp_path, ending, damage):
    cache = tmp_path / "cache"
    doubled(tmp_path, cache)
    (file,) = cache.rglob(f"*.{ending}")
    file.write_bytes(damage(file.read_bytes()))
    message = doubled(tmp_path, cache)
    assert THROWN_AWAY in message
    assert "Traceback" not in message
    assert doubled(tmp_path, cache) == ""


class Planted:
    """Leaves a trace when it is loaded."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return open, (str(self.trace), "w")


def test_a_received_cache_runs_no_code(tmp_path):
    """Not even one that was good where it was made, its key included: a copy is another folder."""
    there, here, trace = tmp_path / "there", tmp_path / "here", tmp_path / "ran"
    doubled(tmp_path, there)
    for file in there.rglob("*.nb?"):
        file.write_bytes(pickle.dumps(Planted(trace)))
    shutil.copytree(there, here)
    assert THROWN_AWAY in doubled(tmp_path, here)
    assert not trace.exists()


def test_a_whole_cache_that_was_copied_is_not_used(tmp_path):
    there, here, trace = tmp_path / "there", tmp_path / "here", tmp_path / "ran"
    doubled(tmp_path, there)
    status = (there / "key").stat()
    # Signed by whoever made the folder, who knows its secret.
    secret = hmac.digest((there / "key").read_bytes(), f"{status.st_ino} {status.st_ctime_ns}".encode(), "sha256")
    for file in there.rglob("*.nb?"):
        planted = pickle.dumps(Planted(trace))
        file.write_bytes(hmac.digest(secret, file.name.encode() + b"\0" + planted, "sha256") + planted)
    shutil.copytree(there, here)
    os.utime(here / "key", ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(subprocess.CalledProcessError):  # where it was made it does run
        doubled(tmp_path, there)
    trace.unlink()
    assert THROWN_AWAY in doubled(tmp_path, here)
    assert not trace.exists()


def test_a_cache_of_another_user_is_not_used_and_ones_own_is_closed_to_others(tmp_path):
    cache = tmp_path / "cache"
    doubled(tmp_path, cache)
    assert cache.stat().st_mode & 0o077 == 0
    assert (cache / "key").stat().st_mode & 0o077 == 0
    cache.chmod(0o777)
    assert doubled(tmp_path, cache) == ""
    assert cache.stat().st_mode & 0o022 == 0
    if os.geteuid() != 0:
        pytest.skip("no right to give a folder to another user here")
    os.chown(cache / "numba", 12345, -1)
    message = doubled(tmp_path, cache)
    assert "is not used for compiled code (it is a link, or belongs to another user)" in message
    assert "Set IDIOGRAPH_CACHE to a folder of your own." in message


@pytest.mark.parametrize("name", ["key", "*.nbi", "*.nbc"])
def test_a_pipe_in_the_cache_is_not_waited_for(tmp_path, name):
    cache = tmp_path / "cache"
    doubled(tmp_path, cache)
    (path,) = cache.rglob(name)
    path.unlink()
    os.mkfifo(path, 0o600)
    assert THROWN_AWAY in doubled(tmp_path, cache)
    assert doubled(tmp_path, cache) == ""


def test_a_key_that_a_kill_left_empty_is_made_anew(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "key").write_bytes(b"")
    (cache / "key").chmod(0o600)
    doubled(tmp_path, cache)
    assert "Compiling" in doubled(tmp_path, cache)
    assert doubled(tmp_path, cache) == ""
