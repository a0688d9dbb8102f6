"""How often a disk was let fail or fill, or the power cut, in the middle of each command that writes.

`tests/test_faults.py` does it; here every file operation is taken, and their number kept. Nothing is timed. `python -m
benchmarks.faults amend seal` does it again for some commands, at the operations that the suite samples, and keeps the
rows of the others.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.__main__ import RESULTS, keep
from benchmarks.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
TESTS = "tests/test_faults.py"


def run(quick: bool) -> list[Figure]:
    """A row for each command; a fault after which something was lost ends the run."""
    return counted("-k", "prepare") if quick else counted("--all-faults")


def counted(*options: str) -> list[Figure]:
    """The rows of the tests that are run with these options."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts.jsonl"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS, "--fault-counts", str(counts)]
        command += options
        done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False)
        if done.returncode:
            raise SystemExit("A fault lost something, or its message did not say what it was; see above.")
        return [figure(json.loads(line)) for line in counts.read_text(encoding="utf-8").splitlines()]


def figure(of_command: dict[str, Any]) -> Figure:
    """One command's row; where points were sampled, of how many."""
    n, command = of_command["operations"], of_command["command"]
    if "cut" in command:
        every, how = 2 * (n + 1), "unsynced contents lost, with their names and without"
    else:
        every, how = 4 * n, "EIO and ENOSPC, once and from then on"
        how += f"; the command ended with a message that names cause and file {of_command['refused']} times"
    of = f"of {every:,} with its {n} file operations: {how}"
    return Figure(f"{command}: faults tried", float(of_command["faults"]), "", "nothing lost", True, of)


if __name__ == "__main__":
    again = counted("-n", "0", "-k", " or ".join(f"[{command}]" for command in sys.argv[1:]))
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))["faults"]["figures"]
    names = [figure.name for figure in again]
    keep({"faults": [*(Figure(**row) for row in kept if row["name"] not in names), *again]})
