"""How often each finding is made in honest cases, and how often the measured register is found to be another one.

python -m benchmarks.false_alarms [MINUTES]  adds what docs/validation/alarms.jsonl does not have yet, so long of CPU

Honest cases have Q, K and a reference of one open corpus. The authors of each are halved: limits were set on the cases
of one half and are judged on those of the other, whose references have nobody of the first; a corpus that is too small
for that is judged whole. *measured* are all authors, by what is counted on masked texts alone: how far Q and K lie from
the reference in register, and how improbable the most repeated feature of K is in Q; besides with Q, with Q and K, of
another corpus. *scored* are the same cases by λG alone: the Hapax LR of each known text against the others, also where
the first is somebody else's, and the largest shares of one word and of one sentence. *verified* are some cases by the
whole of `verify`, for what shows only once a value is computed.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.open_cases import (
    SEED,
    OpenCorpus,
    Row,
    decisive,
    open_corpora,
    opened,
    outcome_of,
    run_missing,
    without,
)
from idiograph import MaskedText, Problem, Score, hapax
from idiograph.casework.audit import repeated_in
from idiograph.casework.explanation import shares_of
from idiograph.casework.inputs import CaseTexts, Texts
from idiograph.casework.registers import unlike_reference
from idiograph.grammar.lambdag import score_problems
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies.material import author_rng
from idiograph.texts.problem import problem_seed

ROWS = Path(__file__).resolve().parents[1] / "docs" / "validation" / "alarms.jsonl"
LENGTHS = ((300, 1_000), (500, 2_000))
N_REFERENCE, FEWEST = 24, 10  # authors
MEASURED, VERIFIED = 16, 2  # cases of a corpus and half, of each length or of the lengths in turn
SCORED = "scored"
HONEST, OTHER_Q, OTHER_BOTH = "honest", "Q of another corpus", "Q and K of another corpus"


def halves(corpus: OpenCorpus) -> dict[str, list[str]]:
    """The authors on whom limits are set, and those on whom they are judged."""
    authors = sorted(corpus.draws, key=lambda author: (author_rng(SEED, "half", author).random(), author))
    middle = len(authors) // 2
    return {"set": authors[:middle], "judged": authors[middle:]} if middle > FEWEST else {"judged": authors}


def side(corpus: OpenCorpus, numbers: Numbers) -> Texts:
    """These sentences as masked texts."""
    starts, ids = corpus.material.starts, corpus.material.index.text_ids
    places = [(int(np.searchsorted(starts, number, side="right")) - 1, number) for number in sorted(numbers.tolist())]
    texts = []
    for text, rows in groupby(places, key=lambda position: position[0]):
        whole = corpus.masked[ids[text]]
        chosen = tuple(whole.sentences[number - int(starts[text])] for _, number in rows)
        texts.append(MaskedText(whole.id, whole.author, chosen, whole.masking))
    return tuple(texts)


def measured(case: Row, _: Path) -> Iterator[Row]:
    """One author's Q and K beside the reference: the register of both, and the most repeated feature."""
    corpus, other = opened(case["corpus"], *case["lengths"]), opened(case["other"], *case["lengths"])
    authors = halves(corpus)[case["half"]]
    others = halves(other)[case["half"]] if case["half"] in halves(other) else list(other.draws)
    author = authors[case["number"]]
    drawn, foreign = corpus.draws[author][0], other.draws[others[case["number"] % len(others)]][0]
    reference = [name for name in authors if name != author][:N_REFERENCE]
    texts = tuple(text for text in corpus.masked.values() if text.author in set(reference))
    kinds = {
        HONEST: (side(corpus, drawn.q), side(corpus, drawn.k)),
        OTHER_Q: (side(other, foreign.q), side(corpus, drawn.k)),
        OTHER_BOTH: (side(other, foreign.q), side(other, foreign.k)),
    }
    for kind, (q, k) in kinds.items():
        compared = CaseTexts("Q1", "candidate", q, k, texts, {})
        far = [next(iter(unlike_reference(compared, side_texts)), None) for side_texts in (q, k)]
        hits = repeated_in(compared) if kind == HONEST else []
        yield {
            "kind": kind,
            "authors": len(reference),
            "register": [None if unlike is None else [unlike.name, round(unlike.z, 2)] for unlike in far],
            "repeated": hits[0].chance if hits else None,
        }


def scored(case: Row, _: Path) -> Iterator[Row]:
    """One author's known texts against each other, with and without a stranger's, and where the evidence of Q lies."""
    corpus = opened(case["corpus"], *case["lengths"])
    authors = halves(corpus)[case["half"]]
    others = [author for author in authors if author != authors[case["number"]]]
    stranger = others[case["number"] % len(others)]
    drawn, foreign = (corpus.draws[author][0] for author in (authors[case["number"]], stranger))
    material, take = corpus.material, corpus.material.index.take
    numbers = np.concatenate([material.texts_by[author] for author in others if author != stranger][:N_REFERENCE])
    reference = take(material.sentences(numbers))

    def score_of(q: Numbers, k: Numbers, name: str) -> Score:
        problem = Problem(take(q), take(k), reference, name)
        return score_problems([problem], LambdaGSettings().at([problem_seed(SEED, name)]), workers=1)[0]

    k = np.sort(drawn.k)
    text_of = np.searchsorted(material.starts, k, side="right")
    texts = [k[text_of == text] for text in np.unique(text_of)]
    lengths = np.cumsum([take(np.array([sentence])).n_tokens for sentence in np.sort(foreign.k)])
    strange = np.sort(foreign.k)[: int(np.searchsorted(lengths, take(texts[0]).n_tokens)) + 1]

    def against_others(known: list[Numbers]) -> list[float]:
        nats = []
        for at, text in enumerate(known):
            rest = np.concatenate([*known[:at], *known[at + 1 :]])
            nats.append(round(hapax(score_of(text, rest, f"known {at}")).nats, 3))
        return nats

    score = score_of(np.sort(drawn.q), k, "case")
    words, sentences = defaultdict[str, float](float), dict[str, float]()
    rows = zip((sentence for text in side(corpus, drawn.q) for sentence in text.sentences), score.evidence, strict=True)
    for at, (sentence, evidence) in enumerate(rows):
        sentences[str(at)] = float(evidence.sum())
        for word, part in zip((*sentence, ""), evidence.tolist(), strict=True):
            if word:  # the end of a sentence is none
                words[word] += part
    yield {
        "kind": SCORED,
        "known": against_others(texts) if len(texts) > 1 else [],
        "stranger": against_others([strange, *texts[1:]]) if len(texts) > 1 else [],
        "lambda_g": round(score.lambda_g, 3),
        "sentences": len(sentences),
        "largest": [round(max(shares_of(of, score.lambda_g).values()), 4) for of in (words, sentences)],
    }


def verified(case: Row, folder: Path) -> Iterator[Row]:
    """One honest case by the whole of `verify`, with what ships learnt without its corpus."""
    corpus = opened(case["corpus"], *case["lengths"])
    authors = halves(corpus)[case["half"]]
    drawn = corpus.drawn("true", "random", list(corpus.draws).index(authors[case["number"]]))
    reference = [name for name in authors if name != drawn.q.author][:N_REFERENCE]
    with without(case["corpus"]), decisive():
        yield {"kind": "verified", "authors": len(reference), **outcome_of(corpus.case(drawn, reference, folder))}


def wanted() -> Iterator[tuple[Row, Callable[[Path], Iterator[Row]]]]:
    """Every case: those that are measured, corpus by corpus, then those that are verified, all corpora in turn."""
    names = list(open_corpora())
    for lengths in LENGTHS:
        for number_of_corpus, corpus in enumerate(names):
            for half, authors in halves(opened(corpus, *lengths)).items():
                for number in range(min(len(authors), MEASURED)):
                    other = names[(number_of_corpus + 1 + number % (len(names) - 1)) % len(names)]
                    case = {"corpus": corpus, "lengths": list(lengths), "half": half, "number": number, "other": other}
                    yield case, partial(measured, case)
                    yield {**case, "scored": True}, partial(scored, case)
    for number in range(VERIFIED):
        lengths = LENGTHS[number % len(LENGTHS)]
        for corpus in names:
            for half in halves(opened(corpus, *lengths)):
                case = {"corpus": corpus, "lengths": list(lengths), "half": half, "number": number}
                yield case, partial(verified, case)


def main() -> None:
    """The command line of this file."""
    print(run_missing(ROWS, wanted(), float(sys.argv[1]) if sys.argv[1:] else 30.0), "cases")


if __name__ == "__main__":
    main()
