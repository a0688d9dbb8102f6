"""Masking both ways: by spaCy itself and by compiled kernels, token for token, over every open corpus that is there."""

import gzip
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.corpora import SHARED
from benchmarks.figure import Figure, at_least, at_most
from benchmarks.texts import messages
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.models import find_model
from idiograph.texts.masking.rules import MaskedContent, mask_contents
from idiograph.texts.masking.tagger import TaggedLines, Tagger, same_tokens

# The four kinds of text that have a bar, and the rest, which is only compared.
_KINDS = {"tripadvisor": "reviews", "c50_reuters": "newswire", "novels100": "fiction", "ubuntu_irc": "chat"}
_OTHERS = ("drexel1", "pan14_essays_train", "pan15_drama_crosstopic_train")
_MOST = 5_000_000  # characters of a corpus
_PORTION = 100_000  # characters masked one way, then the other


@dataclass
class _Way:
    """A tagger that keeps what it said, and the processor time of masking with it."""

    tagger: Tagger
    said: list[TaggedLines]
    seconds: float = 0.0

    @classmethod
    def of(cls, *, fast: bool) -> "_Way":
        way = cls(Tagger(find_model(), fast=fast), [])
        way.tag(["Compiled and loaded before anything is timed."])
        return way

    def tag(self, lines: Sequence[str]) -> TaggedLines:
        self.said.append(self.tagger.tag(lines))
        return self.said[-1]

    def masked(self, contents: Sequence[str]) -> list[MaskedContent]:
        self.said = []
        begin = time.process_time()
        masked = mask_contents(contents, masking_settings(), self)  # type: ignore[arg-type]
        self.seconds += time.process_time() - begin
        return masked


def run(quick: bool) -> list[Figure]:
    """A ratio for each kind of text, and how many texts came out differently; `quick` with 50,000 characters each."""
    fast, stock = _Way.of(fast=True), _Way.of(fast=False)
    figures, n_texts, n_tokens, different, corpora = [], 0, 0, 0, 0
    for name in (*_KINDS, *_OTHERS):
        fast.seconds = stock.seconds = 0.0
        tokens = 0
        for turn, contents in enumerate(_portions(name, 50_000 if quick else _MOST)):
            # Who goes first alternates: the second finds warmer caches.
            for way in (fast, stock) if turn % 2 else (stock, fast):
                masked = way.masked(contents)
                if way is fast:
                    by_kernels = masked
                else:
                    by_spacy = masked
            same = all(map(same_tokens, fast.said, stock.said))
            for one, other in zip(by_kernels, by_spacy, strict=True):
                agree = same and one.sentences == other.sentences and one.spans.tolist() == other.spans.tolist()
                different += not agree
                n_texts += 1
                tokens += len(one.spans)
        corpora += tokens > 0
        n_tokens += tokens
        if name in _KINDS and tokens:
            how = (
                f"{tokens:,} tokens, {tokens / fast.seconds:,.0f} and {tokens / stock.seconds:,.0f} a second of "
                "processor time, one thread, in turns over the same texts, the masking rules included"
            )
            ratio = stock.seconds / fast.seconds
            figures.append(at_least(f"masking by kernels ÷ by spaCy, {_KINDS[name]}", ratio, "", 4.0, how))
    how = (
        f"of {n_texts:,} with {n_tokens:,} tokens, {corpora} corpora: words, parts of speech, sentence starts and spans"
    )
    return [*figures, at_most("texts that the two ways mask differently", different, "", 0, how)]


def _portions(name: str, most: int) -> Iterator[list[str]]:
    """The texts of a corpus, some at a time; in place of one that is not there, presidential messages as fiction."""
    contents: list[str] = []
    for content in _contents(name):
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
    path = SHARED / f"{name}.jsonl.gz"
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                yield from [entry["text"]] if "text" in entry else [*entry["known"], entry["unknown"]]
    elif _KINDS.get(name) == "fiction":
        yield from (text.content for text in messages(_MOST))
