"""Cases made of the open corpora, as files: true, of different authors, with impostors; near, random and far in topic.

Of each author's twelve draws of a Q and a K the first is *random*, the one whose Q and K share most content words
*near*, the one whose share least *far*. A *different* author's K is drawn in the same way beside Q. An *impostor* is
the other author with the K that is closest to Q of all Ks that can be drawn.
"""

import json
import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from docs.validation import foreign, stored, topic

from idiograph import (
    Case,
    Condition,
    Corpus,
    CorpusSettings,
    IdiographError,
    Index,
    MaskedText,
    Text,
    mask,
    read,
    read_study,
)
from idiograph.casework import validation
from idiograph.casework import verify as verifying
from idiograph.casework.verify import ReadyCase, decide, make_ready
from idiograph.evidence import constants, kinds, published_trials
from idiograph.grammar.vocabulary import Numbers
from idiograph.provenance import digest
from idiograph.studies.drawing import CANDIDATES, Sample, draw_q_and_k
from idiograph.studies.material import Material, author_rng
from idiograph.texts.masking.rules import content_words, original_sentences, pieces

STUDY = Path(__file__).resolve().parents[1] / "docs" / "validation" / "topic.toml"
KINDS = ("true", "different", "impostor")
DRAWS = ("near", "random", "far")
SEED = 1
_MOST_WORDS = 8_000  # of an author
Words = Counter[str]


def open_corpora() -> dict[str, CorpusSettings]:
    """The open corpora that come with their originals, by name."""
    return {corpus.name: corpus for corpus in read_study(STUDY).corpora}


@dataclass(frozen=True, eq=False)
class Drawn:
    """A Q and a K by their authors, and how close they are in topic."""

    q: Sample
    k: Sample
    closeness: float


@dataclass(frozen=True, eq=False)
class OpenCorpus:
    """The texts of a corpus, masked once to draw from; what is written to files are the originals."""

    name: str
    texts: Mapping[str, Text]  # by id
    masked: Mapping[str, MaskedText]
    material: Material
    words: Mapping[str, Sequence[Sequence[str]]]  # text id -> its content words by sentence
    condition: Condition

    @cached_property
    def draws(self) -> dict[str, tuple[Sample, ...]]:
        """Twelve draws of every author who has text enough, authors in an order of their own."""
        by = self.material.texts_by
        drawn = {
            author: [
                draw_q_and_k(self.material, author, by[author], self.condition, seed=SEED, candidate=number)
                for number in range(CANDIDATES)
            ]
            for author in sorted(by, key=lambda author: (author_rng(SEED, "order", author).random(), author))
        }
        return {a: tuple(sample for sample in samples if sample) for a, samples in drawn.items() if all(samples)}

    @cached_property
    def _sentences(self) -> list[Sequence[str]]:
        """The content words of every sentence of the index."""
        return list(chain.from_iterable(self.words[id_] for id_ in self.material.index.text_ids))

    def _counted(self, side: Numbers) -> Words:
        return Counter(chain.from_iterable(self._sentences[number] for number in side.tolist()))

    @cached_property
    def counts(self) -> dict[str, tuple[tuple[Words, Words], ...]]:
        """The content words of every draw."""
        return {
            a: tuple((self._counted(sample.q), self._counted(sample.k)) for sample in s) for a, s in self.draws.items()
        }

    @cached_property
    def _in_how_many(self) -> Words:
        return Counter(chain.from_iterable(of_author[0][1].keys() for of_author in self.counts.values()))

    def closeness(self, q: Words, k: Words) -> float:
        """The cosine of content words, rarer ones weighing more."""
        n = len(self.counts)
        weighed = [
            {
                word: (1 + math.log(tf)) * (math.log((1 + n) / (1 + self._in_how_many[word])) + 1)
                for word, tf in side.items()
            }
            for side in (q, k)
        ]
        norms = [math.sqrt(sum(weight * weight for weight in side.values())) for side in weighed]
        shared = sum(weight * weighed[1][word] for word, weight in weighed[0].items() if word in weighed[1])
        return shared / (norms[0] * norms[1])

    def _chosen(self, pairs: Sequence[Drawn], draw: str) -> Drawn:
        if draw == "random":
            return pairs[0]
        return (max if draw == "near" else min)(pairs, key=lambda pair: pair.closeness)

    def drawn(self, kind: str, draw: str, number: int) -> Drawn:
        """The case of this number: its Q is of the author of this number."""
        authors = list(self.draws)
        author = authors[number % len(authors)]
        other = author if kind == "true" else authors[(number + 1 + len(authors) // 2) % len(authors)]
        if kind != "impostor":
            return self._chosen(list(self._pairs(author, other)), draw)
        true_sides = self._chosen(list(self._pairs(author, author)), draw).q
        q = self._counted(true_sides.q)
        ks = [(a, number_of_draw) for a in authors if a != author for number_of_draw in range(CANDIDATES)]
        close = [self.closeness(q, self.counts[a][number_of_draw][1]) for a, number_of_draw in ks]
        a, number_of_draw = ks[int(np.argmax(close))]
        return Drawn(true_sides, self.draws[a][number_of_draw], max(close))

    def _pairs(self, q_author: str, k_author: str) -> Iterator[Drawn]:
        for number in range(CANDIDATES):
            close = self.closeness(self.counts[q_author][number][0], self.counts[k_author][number][1])
            yield Drawn(self.draws[q_author][number], self.draws[k_author][number], close)

    def references(self, drawn: Drawn, sizes: Iterable[int], *, name: str) -> list[list[str]]:
        """Disjoint groups of so many other authors, or of as many as there are."""
        others = [author for author in self.draws if author not in (drawn.q.author, drawn.k.author)]
        others.sort(key=lambda author: (author_rng(SEED, name, author).random(), author))
        groups = []
        for size in sizes:
            groups.append(others[:size])
            others = others[size:]
        return groups

    def case(self, drawn: Drawn, reference: Sequence[str], folder: Path, **settings: Any) -> Case:
        """The case as files in a folder: Q, the texts of K, and all texts of the reference authors."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "q.txt").write_text("\n\n".join(self._written(drawn.q.q).values()), encoding="utf-8")
        known = folder / "known"
        known.mkdir(exist_ok=True)
        for number, text in enumerate(self._written(drawn.k.k).values()):
            (known / f"{number:02}.txt").write_text(text, encoding="utf-8")
        chosen = set(reference)
        rows = [
            {"id": text.id, "author": text.author, "text": text.content, **text.metadata}
            for text in self.texts.values()
            if text.author in chosen
        ]
        lines = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
        (folder / "reference.jsonl").write_text(lines, encoding="utf-8")
        return Case(
            questioned={"Q1": folder / "q.txt"},
            known={"candidate": known},
            reference=folder / "reference.jsonl",
            population=f"writers of {self.name}",
            reading=open_corpora()[self.name].options,
            **settings,
        )

    def _written(self, side: Numbers) -> dict[str, str]:
        """The originals of these sentences, by the text they are from."""
        starts, ids = self.material.starts, self.material.index.text_ids
        by_text: dict[str, list[tuple[int, str]]] = {}
        for number in side.tolist():
            text = int(np.searchsorted(starts, number, side="right")) - 1
            sentence = number - int(starts[text])
            by_text.setdefault(ids[text], []).append((sentence, self.material.originals[ids[text]][sentence]))
        return {id_: "\n\n".join(pieces(sentences)) for id_, sentences in by_text.items()}


@cache
def _learnt_without(corpus: str) -> tuple[dict[str, list[Any]], list[Any]]:
    """Constants and slopes by file, and the rules for a reference of another kind."""
    lines: dict[str, list[Any]] = {
        constants.FILE: [stored.learnt(stored.load(name), name, without=corpus) for name in stored.LEARNT],
        constants.CONTROLLED_FILE: [topic.learnt(stored.load(name), name, without=corpus) for name in topic.LEARNT],
    }
    return lines, [rule for name, (n, _) in topic.LEARNT.items() for rule in foreign.learnt(name, n, without=corpus)]


@contextmanager
def without(corpus: str) -> Iterator[None]:
    """As if what ships had been learnt without a corpus: constants, published trials, what is usual of a reference."""
    lines, rules = _learnt_without(corpus)
    trials = published_trials.read_published(published_trials.shipped_path())
    assert trials is not None
    left = replace(trials, cells=tuple(cell for cell in trials.cells if cell.corpus != corpus))
    name = f"without {corpus}"

    as_shipped = constants.shipped

    def constants_without(file: str = constants.FILE) -> tuple[Any, str, str]:
        # What limits a value and never makes one (the ceiling's) stays as it ships.
        return (tuple(lines[file]), name, digest(name)) if file in lines else as_shipped(file)

    with (
        patch.object(constants, "shipped", constants_without),
        patch.object(kinds, "shipped", lambda: (tuple(rules), name, digest(name))),
        patch.object(verifying, "read_published", lambda _: left),
        patch.object(validation, "read_published", lambda _: left),
    ):
        yield


@contextmanager
def decisive() -> Iterator[None]:
    """Without what no outcome hangs on: ranges, K without each text, most resamples of a validation's figures."""
    with (
        patch.object(validation, "_RESAMPLES", 20),
        patch.object(verifying, "value_range", lambda *_, **__: None),
        patch.object(verifying, "without_texts", lambda *_: []),
    ):
        yield


@cache
def opened(name: str, q_tokens: int, k_tokens: int) -> OpenCorpus:
    """The corpus of a name, to draw cases of these lengths from; in fiction a case compares two books."""
    across = "work" if name == "novels100" else None
    return OpenCorpus(name, *_masked_once(name), Condition.like(q_tokens, k_tokens, across=across))


@cache
def _masked_once(
    name: str,
) -> tuple[dict[str, Text], dict[str, MaskedText], Material, dict[str, Sequence[Sequence[str]]]]:
    """Each author's texts in an order of their own, up to some thousand words; masked; and their content words."""
    settings = open_corpora()[name]
    of_authors = [text for text in read(STUDY.parent / settings.path, settings.options) if text.author]
    kept: list[Text] = []
    so_far: Counter[str] = Counter()
    for text in sorted(of_authors, key=lambda text: (author_rng(SEED, "cases", text.id).random(), text.id)):
        author = str(text.author)
        if author not in settings.exclude_authors and so_far[author] < _MOST_WORDS:
            so_far[author] += len(text.content.split())
            kept.append(text)
    masked = mask(Corpus(tuple(kept)), clean=settings.options.cleans, workers=1)
    texts = {text.id: text for text in kept}
    originals = {text.id: original_sentences(text, texts[text.id].content) for text in masked}
    material = replace(Material.of(Index(masked), masked, roles=False), originals=originals)
    words: dict[str, Sequence[Sequence[str]]] = {
        text.id: content_words(text, texts[text.id].content) for text in masked
    }
    return texts, {text.id: text for text in masked}, material, words


Row = dict[str, Any]


def kept_rows(path: Path) -> list[Row]:
    """The rows of a file of outcomes, one a line; none where it is not there."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def outcome(ready: ReadyCase) -> Row:
    """What `verify` says of a case, in numbers (natural logarithms of LRs) and in a word why it refuses."""
    comparison = decide(ready).comparisons[0]
    computed = (comparison.llrs or {}).get(comparison.primary)
    why = None
    if comparison.refusal:
        red = [finding.code for finding in comparison.audit if finding.severity == "red"]
        kind = comparison.apart is not None and comparison.apart.is_refused
        failed = comparison.validation is not None and comparison.validation.refusal
        why = "another kind" if kind else "validation" if failed else red[0] if red else "other"
    return {
        "refused": why,
        "computed": None if computed is None else round(computed.nats, 4),
        "reported": None if comparison.reported is None else round(comparison.reported.nats, 4),
        "known": [round(text.nats, 4) for text in comparison.anchors.known] if comparison.anchors else None,
        "findings": [[finding.code, finding.severity] for finding in comparison.audit],
        "distance": None if comparison.apart is None else round(comparison.apart.distance, 2),
    }


def outcome_of(case: Case) -> Row:
    """The same of a case that is not read yet; what may not be compared is refused."""
    try:
        return outcome(make_ready(case, workers=1))
    except IdiographError as error:
        return {"refused": type(error).__name__, "computed": None, "reported": None}


def run_missing(path: Path, wanted: Iterable[tuple[Row, Callable[[Path], Iterator[Row]]]], minutes: float) -> int:
    """Makes what is not in the file yet, and adds it as soon as it is there, until so much CPU time has passed."""
    done = {json.dumps(row["case"]) for row in kept_rows(path)}
    start, n = time.process_time(), 0
    for case, make in wanted:
        if json.dumps(case) in done:
            continue
        if time.process_time() - start > 60 * minutes:
            break
        with tempfile.TemporaryDirectory() as folder:
            rows = [{"case": case, **row} for row in make(Path(folder))]
        with path.open("a", encoding="utf-8") as file:  # all rows of a case or none
            file.write("".join(json.dumps(row) + "\n" for row in rows))
        n += 1
    return n
