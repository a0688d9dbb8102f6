"""Large cases run to the end: a large reference, many known texts, many comparisons; with their time and memory.

The texts are generated and masked already, so tagging comes on top; what it adds is said beside. One sentence in twenty
of a reference text is one that others have, too, as footers and templates are.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.corpora import generated
from benchmarks.figure import Figure, at_most
from benchmarks.texts import messages
from idiograph.casework.case import Case
from idiograph.output.filing import file_case
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.stream import mask_stream

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Load:
    """How large a case is; texts of a side differ in length by up to a tenth."""

    n_authors: int
    author_tokens: int
    author_texts: int
    n_questioned: int = 1
    n_candidates: int = 1
    q_tokens: int = 1_000
    k_tokens: int = 3_000
    k_texts: int = 3

    @property
    def words(self) -> str:
        """The size of the case in words."""
        return (
            f"{self.n_authors} reference authors of {self.author_tokens:,} tokens in {self.author_texts} texts; "
            f"{self.n_questioned} Q of {self.q_tokens:,} × {self.n_candidates} K of {self.k_tokens:,} in {self.k_texts}"
        )


LOADS = {
    "a large reference": Load(300, 20_000, 40),
    "a hundred known texts": Load(40, 20_000, 10, k_tokens=30_000, k_texts=100),
    "a hundred comparisons": Load(10, 3_000, 4, n_questioned=5, n_candidates=20, q_tokens=300, k_tokens=600, k_texts=2),
}
SMALL = Load(9, 900, 3, n_candidates=2, q_tokens=200, k_tokens=300, k_texts=2)
SECONDS, GIGABYTES = 600, 3  # with ten minutes of one processor two need no more by the clock
_SHARED, _POOL = 20, 400  # every so many sentences is one of so many that all texts draw from


def run(quick: bool) -> list[Figure]:
    """Processor seconds and peak memory of each case, in a process of its own."""
    figures = []
    speed = tagging_speed(20_000 if quick else 600_000)
    for name, load in {"a small case": SMALL}.items() if quick else LOADS.items():
        done = measured(load)
        how = (
            f"{load.words}; generated, already masked; {done['wall']:.0f} s by the clock with 2 workers beside other "
            f"work; tagging such a reference adds about {load.n_authors * load.author_tokens / speed:.0f} s"
        )
        figures += [
            at_most(f"{name}: processor time", done["cpu"], "s", SECONDS, how),
            at_most(f"{name}: peak memory", done["memory"] / 1e9, "GB", GIGABYTES, "the same run"),
        ]
    return figures


def tagging_speed(characters: int) -> float:
    """Tokens that are masked in a second of processor time, one thread, the tagger loaded."""
    texts, how = messages(characters), masking_settings()
    list(mask_stream(texts[:1], how, cache=False))
    begin = time.process_time()
    tokens = sum(text.n_tokens for text in mask_stream(texts, how, cache=False))
    return tokens / (time.process_time() - begin)


def measured(load: Load) -> dict[str, float]:
    """Seconds of processor and clock, and bytes of the largest process, of filing the case."""
    with tempfile.TemporaryDirectory() as folder:
        made(load, Path(folder))
        command = [sys.executable, "-m", "benchmarks.load", folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def made(load: Load, folder: Path) -> Case:
    """Writes the texts of a case."""
    rng = np.random.default_rng(1)
    n_known = load.n_candidates * load.k_tokens + load.n_questioned * load.q_tokens
    sentences = generated(round(1.3 * (load.n_authors * load.author_tokens + n_known)))
    pool = [sentence for sentence in generated(200_000, seed=2) if len(sentence) >= 25][:_POOL]
    own = iter(sentences)

    def text(n_tokens: float, shared: Sequence[tuple[str, ...]] = ()) -> str:
        wanted, lines = n_tokens * rng.uniform(1, 1.1), list[tuple[str, ...]]()
        while wanted > 0:
            line = shared[int(rng.integers(len(shared)))] if shared and rng.random() < 1 / _SHARED else next(own)
            lines.append(line)
            wanted -= len(line)
        return "".join(f"{' '.join(line)}\n" for line in lines)

    def put(path: Path, content: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    for number in range(load.n_questioned):
        put(folder / "questioned" / f"{number + 1}.txt", text(load.q_tokens))
    for candidate in range(load.n_candidates):
        for number in range(load.k_texts):
            put(folder / "known" / f"c{candidate:02}" / f"{number:03}.txt", text(load.k_tokens / load.k_texts))
    with (folder / "reference.jsonl").open("w", encoding="utf-8") as file:
        for author in range(load.n_authors):
            for number in range(load.author_texts):
                content = text(load.author_tokens / load.author_texts, pool)
                file.write(json.dumps({"id": f"{author:03}-{number:02}", "author": f"a{author:03}", "text": content}))
                file.write("\n")
    return case_in(folder)


def case_in(folder: Path) -> Case:
    """The case of which the texts lie in a folder."""
    return Case(
        questioned={f"Q{path.stem}": path for path in sorted((folder / "questioned").iterdir())},
        known={path.name: path for path in sorted((folder / "known").iterdir())},
        reference=folder / "reference.jsonl",
        population="generated writers",
        masking="masked",
    )


def main(folder: Path) -> None:
    """Files the case in a folder and prints what it took."""
    begin = time.perf_counter()
    file_case(case_in(folder), folder / "case", workers=2)
    wall = time.perf_counter() - begin
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in used)
    print(json.dumps({"cpu": cpu, "wall": wall, "memory": 1024 * max(one.ru_maxrss for one in used)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
