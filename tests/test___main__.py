"""python -m idiograph is the command line."""

import subprocess
import sys

from idiograph.provenance import VERSION


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "idiograph", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"idiograph {VERSION}\n"
