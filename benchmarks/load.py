"""Large cases run to the end: a large reference, many known texts, many comparisons; their time, memory and reports.

The texts are generated and masked already, so tagging comes on top; what it adds is said beside. One sentence in twenty
of a reference text is one that others have, too, as footers and templates are. Each author has habits, a token in four
being another one with that author than with others; how many comparisons are refused all the same is said. `python -m
benchmarks.load "a hundred comparisons"` measures one of them anew and keeps its figures beside those of the others.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.__main__ import RESULTS, keep
from benchmarks.corpora import generated
from benchmarks.figure import Figure, at_most
from benchmarks.texts import messages
from idiograph import Case, file_case
from idiograph.texts.language import ENGLISH, stop_words
from idiograph.texts.masking.batches import mask_stream
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.reading.documents import PageReader

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
    "a hundred known texts": Load(40, 40_000, 10, k_tokens=30_000, k_texts=100),
    "a hundred comparisons": Load(10, 4_000, 4, n_questioned=5, n_candidates=20, q_tokens=500, k_tokens=1_500),
}
SMALL = Load(9, 900, 3, n_candidates=2, q_tokens=200, k_tokens=300, k_texts=2)
SECONDS, GIGABYTES = 600, 3  # with ten minutes of one processor two need no more by the clock
_REPORTS = ("report.html", "report.docx", "report.pdf", "annexes.html", "annexes.docx", "annexes.pdf", "result.json")
_HABITS = 0.25
_SHARED, _POOL = 20, 400  # every so many sentences is one of so many that all texts draw from
_PART = 15  # tokens of these that Q and K have, since longer runs that they share with the reference are refused


def run(quick: bool) -> list[Figure]:
    """The figures of each case, in a process of its own."""
    speed = tagging_speed(20_000 if quick else 600_000)
    loads = {"a small case": SMALL} if quick else LOADS
    return [figure for name, load in loads.items() for figure in figures_of(name, load, speed)]


def figures_of(name: str, load: Load, speed: float) -> list[Figure]:
    """Processor seconds, peak memory and the reports of a case, with what tagging adds at so many tokens a second."""
    done = measured(load)
    how = (
        f"{load.words}; {done['refused']:.0f} refused; generated, already masked; {done['wall']:.0f} s by the clock "
        f"with 2 workers on {os.cpu_count()} processors; tagging such a reference adds about "
        f"{load.n_authors * load.author_tokens / speed:.0f} s; measured {datetime.now(UTC).date().isoformat()}"
    )
    sizes = ", ".join(f"{file} {done[file] / 1e6:.1f} MB" for file in _REPORTS)
    return [
        at_most(f"{name}: processor time", done["cpu"], "s", SECONDS, how),
        at_most(f"{name}: peak memory", done["memory"] / 1e9, "GB", GIGABYTES, "the same run"),
        Figure(
            f"{name}: pages of the report", done["pages"], "", "", None, f"and {done['more']:.0f} of annexes; {sizes}"
        ),
    ]


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
        write_case(load, Path(folder))
        command = [sys.executable, "-m", "benchmarks.load", "--folder", folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def write_case(load: Load, folder: Path) -> Case:
    """Writes the texts of a case."""
    rng = np.random.default_rng(1)
    n_known = load.n_candidates * load.k_tokens + load.n_questioned * load.q_tokens
    sentences = generated(round(1.3 * (load.n_authors * load.author_tokens + n_known)))
    pool = [sentence for sentence in generated(200_000, seed=2) if len(sentence) >= 25][:_POOL]
    parts = [sentence[:_PART] for sentence in pool]
    unused = iter(sentences)
    english = sorted(filter(str.isalpha, stop_words(ENGLISH)))

    def text(author: str, n_tokens: float, shared: Sequence[tuple[str, ...]] = ()) -> str:
        order = np.random.default_rng([3, *author.encode()]).permutation(len(english))
        wanted, lines = n_tokens * rng.uniform(1, 1.1), list[str]()
        while wanted > 0:
            is_shared = bool(shared) and rng.random() < 1 / _SHARED
            line = shared[int(rng.integers(len(shared)))] if is_shared else next(unused)
            numbers = [int(token[1:]) % len(english) for token in line]
            habit = rng.random(len(line)) < (0 if is_shared else _HABITS)
            chosen = np.where(habit, order[numbers], numbers)
            lines.append(" ".join(english[number] for number in chosen))
            wanted -= len(line)
        return "".join(f"{line}\n" for line in lines)

    def put(path: Path, content: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    for number in range(load.n_questioned):
        put(folder / "questioned" / f"{number + 1}.txt", text(f"c{number:02}", load.q_tokens, parts))
    for candidate in range(load.n_candidates):
        for number in range(load.k_texts):
            known = text(f"c{candidate:02}", load.k_tokens / load.k_texts, parts)
            put(folder / "known" / f"c{candidate:02}" / f"{number:03}.txt", known)
    with (folder / "reference.jsonl").open("w", encoding="utf-8") as file:
        for author in range(load.n_authors):
            for number in range(load.author_texts):
                content = text(f"a{author:03}", load.author_tokens / load.author_texts, pool)
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


def file_measured(folder: Path) -> None:
    """Files the case in a folder and prints what it took."""
    begin = time.perf_counter()
    filed = file_case(case_in(folder), folder / "case", workers=2)
    wall = time.perf_counter() - begin
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in used)
    taken = {"cpu": cpu, "wall": wall, "memory": 1024 * max(usage.ru_maxrss for usage in used)}
    with closing(PageReader()) as reader:
        pages, more = (
            len(reader.pages((folder / "case" / f"{name}.pdf").read_bytes())) for name in ("report", "annexes")
        )
    sizes = {name: (folder / "case" / name).stat().st_size for name in _REPORTS}
    refused = sum(comparison.reported is None for comparison in filed.verification.comparisons)
    print(json.dumps({**taken, "refused": refused, "pages": pages, "more": more, **sizes}))


def main() -> None:
    """Measures the cases that are named, and puts their figures in the place of those that are kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("case", nargs="*", help=f"of {', '.join(LOADS)}")
    parser.add_argument("--folder", type=Path, help="file the case in this folder and print what it took")
    options = parser.parse_args()
    if options.folder is not None:
        file_measured(options.folder)
        return
    if unknown := set(options.case) - set(LOADS):
        parser.error(f"there is no {unknown.pop()}; there are {', '.join(LOADS)}")
    speed = tagging_speed(600_000)
    for name in options.case:
        kept = json.loads(RESULTS.read_text(encoding="utf-8"))["load"]["figures"]
        others = [Figure(**figure) for figure in kept if not figure["name"].startswith(f"{name}:")]
        keep({"load": [*others, *figures_of(name, LOADS[name], speed)]})


if __name__ == "__main__":
    main()
