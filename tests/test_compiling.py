"""Where compiled code is kept, and what is said when it cannot be."""

import ast
import os
import subprocess
import sys
from pathlib import Path

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


def doubled(folder: Path, cache: Path, disk: str = "free") -> str:
    """What is said on the way to the right results."""
    script = folder / "kernel.py"
    script.write_text(KERNEL)
    environment = {**os.environ, "IDIOGRAPH_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, str(script), disk], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "42 8\n"
    return done.stderr


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
        own = {str(name) for name in called if str(name).startswith("idiograph.")}
        layers = {name.split(".")[1] for name in own}
        assert layers <= {"arithmetic", "checking", "compiling", "elementary", "errors", "evidence", "grammar", "texts"}


def test_the_first_process_compiles_and_says_so_and_the_next_does_not(tmp_path):
    assert doubled(tmp_path, tmp_path / "cache") == (
        "Compiling the engine for this machine; this happens once and takes some seconds.\n"
    )
    assert doubled(tmp_path, tmp_path / "cache") == ""
    assert not (tmp_path / "__pycache__").exists()
    assert list((tmp_path / "cache").rglob("*.nbc"))


def test_a_cache_that_cannot_be_written_is_said_and_done_without(tmp_path):
    (tmp_path / "file").write_text("in the way")
    said = doubled(tmp_path, tmp_path / "file" / "cache")
    assert "cannot be written (Not a directory), so the engine is compiled anew in every process." in said
    assert "Set IDIOGRAPH_CACHE to a folder that can be written to." in said
    assert not (tmp_path / "__pycache__").exists()


def test_a_full_disk_is_said_and_the_result_is_there(tmp_path):
    said = doubled(tmp_path, tmp_path / "cache", disk="full")
    assert f"The compiled code could not be kept in {tmp_path / 'cache'} (File too large)." in said
    assert doubled(tmp_path, tmp_path / "cache") != ""  # so it is compiled again, and nothing half-written is used
