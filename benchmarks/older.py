"""What a case costs against 0.3.0: CPU seconds of the whole `verify` by the defaults of each, same texts, in turns.

python -m benchmarks.older TREE  TREE has the sources of 0.3.0: git worktree add TREE 49a4fa6^

Texts are masked beforehand by both, since masking alone has become several times faster. Rows go to
docs/validation/cpu.jsonl.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.open_cases import Row, opened
from benchmarks.yields import NEW, OLD
from idiograph.files import write_whole

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "docs" / "validation" / "cpu.jsonl"
CASES = (("drexel1", 500, 2_000, 11), ("c50_reuters", 300, 1_000, 24), ("tripadvisor", 500, 2_000, 24),
         ("ubuntu_irc", 300, 1_000, 40))  # fmt: skip
_TIMES = 4
# It runs in either version: masks and compiles first, then counts.
_CHILD = """
import sys, time
from idiograph import verify
verify(sys.argv[1], workers=1)
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    verify(sys.argv[1], workers=1)
    print(time.process_time() - start)
"""
_CASE = """schema = 1
population = "writers of a corpus"
[questioned]
Q1 = "q.txt"
[known]
candidate = "known"
[inputs]
reference = "reference.jsonl"
"""


def measured(tree: Path, corpus: str, q_tokens: int, k_tokens: int, n_authors: int) -> Row:
    """The least CPU seconds of each version."""
    material = opened(corpus, q_tokens, k_tokens)
    drawn = material.drawn("true", "random", 0)
    (reference,) = material.references(drawn, [n_authors], name="older")
    with tempfile.TemporaryDirectory() as folder:
        material.case(drawn, reference, Path(folder))
        path = Path(folder) / "case.toml"
        path.write_text(_CASE, encoding="utf-8")
        seconds = {way: _cpu(source, path) for way, source in ((OLD, tree / "src"), (NEW, ROOT / "src"))}
    lengths = [q_tokens, k_tokens]
    return {"corpus": corpus, "lengths": lengths, "authors": len(reference), "cpu": seconds}


def _cpu(source: Path, case: Path) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(case), str(_TIMES)],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    return round(min(map(float, done.stdout.split())), 2)


def main() -> None:
    """The command line of this file."""
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "src" / "idiograph").is_dir():
        sys.exit(__doc__)
    rows: list[Row] = []
    for case in CASES:
        rows.append(measured(Path(sys.argv[1]), *case))
        write_whole(ROWS, "".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
