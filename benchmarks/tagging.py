"""Masking both ways: by spaCy itself and by compiled kernels, token for token, over every open corpus that is there."""

import gzip
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.corpora import SHARED
from benchmarks.figure import Figure, at_least, at_most, machine
from benchmarks.texts import messages
from idiograph.files import write_whole
from idiograph.provenance import digest, digest_json
from idiograph.texts.masking import fast
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.models import find_model
from idiograph.texts.masking.rules import MaskedContent, mask_contents
from idiograph.texts.masking.tagger import TaggedLines, Tagger, same_tokens

# The four kinds of text that have a bar, and the rest, which is only compared: every open corpus with texts as written.
_KINDS = {"tripadvisor": "reviews", "c50_reuters": "newswire", "novels100": "fiction", "ubuntu_irc": "chat"}
_OTHERS = ("drexel1", "pan14_essays_train", "pan15_drama_crosstopic_train")
_PORTION = 100_000  # characters masked one way, then the other
_COMPARED = Path(tempfile.gettempdir()) / "idiograph-tagging.json"  # until all of it is in the results


@dataclass
class _Way:
    """A tagger that keeps what it said, and what was masked with it last, in how much of the processor's time."""

    tagger: Tagger
    tagged: list[TaggedLines]
    masked: list[MaskedContent]
    seconds: float = 0.0

    @classmethod
    def of(cls, *, fast: bool) -> "_Way":
        way = cls(Tagger(find_model(), fast=fast), [], [])
        way.tag(["Compiled and loaded before anything is timed."])
        return way

    def tag(self, lines: Sequence[str], *, ahead: int = 0) -> TaggedLines:
        self.tagged.append(self.tagger.tag(lines))
        return self.tagged[-1]

    def mask(self, contents: Sequence[str]) -> None:
        self.tagged, how = [], masking_settings()
        begin = time.process_time()
        self.masked = mask_contents(contents, how, self)  # type: ignore[arg-type]
        self.seconds = time.process_time() - begin


@dataclass
class _Compared:
    """How far the texts of a corpus were masked both ways."""

    portions: int = 0
    texts: int = 0
    tokens: int = 0
    different: int = 0  # texts
    fast: float = 0.0  # seconds of the processor
    stock: float = 0.0


def run(quick: bool) -> list[Figure]:
    """A ratio for each kind of text, and how many texts came out differently; `quick` with 50,000 characters each.

    What was compared is kept for these very kernels and versions, so that a run that was stopped goes on where it was.
    """
    before = {} if quick else _kept()
    kernels, stock = _Way.of(fast=True), _Way.of(fast=False)
    compared = {name: _Compared(**before.get(name, {})) for name in (*_OTHERS, *_KINDS)}
    for name, corpus in compared.items():
        portions = enumerate(_portions(_contents(name), 50_000 if quick else sys.maxsize))
        for turn, contents in itertools.islice(portions, corpus.portions, None):
            # Who goes first alternates: the second finds warmer caches.
            for way in (kernels, stock) if turn % 2 else (stock, kernels):
                way.mask(contents)
            same = all(map(same_tokens, kernels.tagged, stock.tagged))
            for ours, other in zip(kernels.masked, stock.masked, strict=True):
                agree = same and ours.sentences == other.sentences and ours.spans.tolist() == other.spans.tolist()
                corpus.different += not agree
                corpus.texts += 1
                corpus.tokens += len(ours.spans)
            corpus.portions += 1
            corpus.fast += kernels.seconds
            corpus.stock += stock.seconds
            if not quick:
                _keep(compared)
        print(f"{name}: {corpus.tokens:,} tokens, {corpus.different} texts different", file=sys.stderr)
    figures = []
    for name, kind in _KINDS.items():
        corpus = compared[name]
        if corpus.tokens:
            speeds = f"{corpus.tokens / corpus.fast:,.0f} and {corpus.tokens / corpus.stock:,.0f} a second"
            how = (
                f"{corpus.tokens:,} tokens, {speeds} of processor time, one thread, in turns over the same texts, the "
                "masking rules included"
            )
            ratio = corpus.stock / corpus.fast
            figures.append(at_least(f"masking by kernels ÷ by spaCy, {kind}", ratio, "", 4.0, how))
    there = [corpus for corpus in compared.values() if corpus.tokens]
    how = (
        f"of {sum(corpus.texts for corpus in there):,} with {sum(corpus.tokens for corpus in there):,} tokens, all of "
        f"{len(there)} corpora: words, parts of speech, sentence starts and spans"
    )
    different = sum(corpus.different for corpus in there)
    return [*figures, at_most("texts that the two ways mask differently", different, "", 0, how)]


def _kernels() -> str:
    """What the outcome depends on: the code of the kernels, spaCy's version and the processor."""
    sources = sorted(Path(fast.__file__).parent.glob("*.py"))
    facts = [metadata.version("spacy"), metadata.version("thinc"), machine()["processor"]]
    return digest_json([*(digest(path.read_bytes()) for path in sources), *facts])


def _kept() -> dict[str, dict[str, Any]]:
    kept = json.loads(_COMPARED.read_text(encoding="utf-8")) if _COMPARED.is_file() else {}
    return kept["corpora"] if kept.get("kernels") == _kernels() else {}


def _keep(compared: dict[str, _Compared]) -> None:
    corpora = {name: asdict(corpus) for name, corpus in compared.items()}
    write_whole(_COMPARED, json.dumps({"kernels": _kernels(), "corpora": corpora}, indent=1) + "\n")


def _portions(corpus: Iterator[str], most: int) -> Iterator[list[str]]:
    """Texts of at most so many characters, some at a time."""
    contents: list[str] = []
    for content in corpus:
        contents.append(content[:most])
        most -= len(content)
        if most <= 0 or sum(map(len, contents)) > _PORTION:
            yield contents
            contents = []
        if most <= 0:
            return
    if contents:
        yield contents


def _contents(name: str) -> Iterator[str]:
    """The texts of a corpus; in place of one that is not there, presidential messages as fiction."""
    path = SHARED / f"{name}.jsonl.gz"
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                yield from [entry["text"]] if "text" in entry else [*entry["known"], entry["unknown"]]
    elif _KINDS.get(name) == "fiction":
        yield from (text.content for text in messages(5_000_000))
