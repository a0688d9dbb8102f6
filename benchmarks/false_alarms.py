"""How often each finding is made in honest cases, and how often the measured register is found to be another one.

python -m benchmarks.false_alarms [MINUTES]  adds what docs/validation/alarms.jsonl does not have yet, so long of CPU

Honest cases have Q, K and a reference of one open corpus. The authors of each are halved: limits were set on the cases
of one half and are judged on those of the other, whose references have nobody of the first; a corpus that is too small
for that is judged whole. *measured* are all authors, by what is counted on masked texts alone: how far Q and K lie from
the reference in register, and how improbable the most repeated feature of K is in Q; besides with Q, with Q and K, of
another corpus. *verified* are some cases by the whole of `verify`, for what shows only once a value is computed.
"""

import sys
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
from idiograph.casework.audit import repeated_in
from idiograph.casework.inputs import CaseTexts, Texts
from idiograph.casework.registers import apart
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies.material import author_rng
from idiograph.texts.text import MaskedText

ROWS = Path(__file__).resolve().parents[1] / "docs" / "validation" / "alarms.jsonl"
LENGTHS = ((300, 1_000), (500, 2_000))
N_REFERENCE, FEWEST = 24, 10  # authors
MEASURED, VERIFIED = 16, 2  # cases of a corpus and half, of each length or of the lengths in turn
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
    for text, rows in groupby(places, key=lambda place: place[0]):
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
    reference = [one for one in authors if one != author][:N_REFERENCE]
    texts = tuple(text for text in corpus.masked.values() if text.author in set(reference))
    kinds = {
        HONEST: (side(corpus, drawn.q), side(corpus, drawn.k)),
        OTHER_Q: (side(other, foreign.q), side(corpus, drawn.k)),
        OTHER_BOTH: (side(other, foreign.q), side(other, foreign.k)),
    }
    for kind, (q, k) in kinds.items():
        compared = CaseTexts("Q1", "candidate", q, k, texts, {})
        far = [next(iter(apart(compared, one)), None) for one in (q, k)]
        hits = repeated_in(compared) if kind == HONEST else []
        yield {
            "kind": kind,
            "authors": len(reference),
            "register": [None if one is None else [one.name, round(one.z, 2)] for one in far],
            "repeated": hits[0].chance if hits else None,
        }


def verified(case: Row, folder: Path) -> Iterator[Row]:
    """One honest case by the whole of `verify`, with what ships learnt without its corpus."""
    corpus = opened(case["corpus"], *case["lengths"])
    authors = halves(corpus)[case["half"]]
    drawn = corpus.drawn("true", "random", list(corpus.draws).index(authors[case["number"]]))
    reference = [one for one in authors if one != drawn.q.author][:N_REFERENCE]
    with without(case["corpus"]), decisive():
        yield {"kind": "verified", "authors": len(reference), **outcome_of(corpus.case(drawn, reference, folder))}


def wanted() -> Iterator[tuple[Row, Callable[[Path], Iterator[Row]]]]:
    """Every case: those that are measured, corpus by corpus, then those that are verified, all corpora in turn."""
    names = list(open_corpora())
    for lengths in LENGTHS:
        for place, corpus in enumerate(names):
            for half, authors in halves(opened(corpus, *lengths)).items():
                for number in range(min(len(authors), MEASURED)):
                    other = names[(place + 1 + number % (len(names) - 1)) % len(names)]
                    case = {"corpus": corpus, "lengths": list(lengths), "half": half, "number": number, "other": other}
                    yield case, partial(measured, case)
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
