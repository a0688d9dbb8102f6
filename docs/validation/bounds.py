"""Which trials of the published validation bounds may count: taken over from the stored trials into the package.

python docs/validation/bounds.py  writes src/idiograph/evidence/published_trials.json from topic.parquet
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import stored
from docs.validation.topic import HERE, MAIN, Judged

from idiograph.arithmetic import FloatArray
from idiograph.evidence.published_trials import FILE, UNIT, PublishedCell
from idiograph.files import write_whole
from idiograph.provenance import digest
from idiograph.records import record_line

SHIPPED = HERE.parents[1] / "src" / "idiograph" / "evidence" / FILE
METHODS = ("controlled", "normalised", "hapax", "square_root", "logistic")


def cells(judged: Judged, *, also: Sequence[str] = ()) -> Iterator[PublishedCell]:
    """The judged trials of references drawn near, by corpus and length of K; authors are numbered, not named.

    `also` are methods that do not ship.
    """
    trials = judged.trials
    methods = [*(method for method in METHODS if method in trials.methods), *also]
    q_authors, k_authors = trials.column("q_author"), trials.column("k_author")
    near = judged.reference == "near"
    for corpus, length in sorted(set(zip(judged.corpora[near].tolist(), judged.lengths[near].tolist(), strict=True))):
        here = near & (judged.corpora == corpus) & (judged.lengths == length)
        for method in methods:  # logistic regression may have no LLR where it could not be fitted
            here &= np.isfinite(judged.llr(method))
        same, different = np.flatnonzero(here & trials.same), np.flatnonzero(here & ~trials.same)
        names = sorted({*q_authors[here], *k_authors[here]})
        number = {name: position for position, name in enumerate(names)}
        yield PublishedCell(
            corpus=corpus,
            k_tokens=int(length.split("/")[1].replace(",", "")),
            same_authors=tuple(number[name] for name in k_authors[same]),
            draws=tuple(judged.draws[same].tolist()),
            different_authors=tuple(
                (number[q], number[k]) for q, k in zip(q_authors[different], k_authors[different], strict=True)
            ),
            same={method: judged.llr(method)[same] for method in methods},
            different={method: judged.llr(method)[different] for method in methods},
        )


def trials_text(cells: Iterable[PublishedCell], *, source: str) -> str:
    """What ships; `source` says what made it."""
    rows = [
        {
            "corpus": cell.corpus,
            "k_tokens": cell.k_tokens,
            "same": {"authors": list(cell.same_authors), "draws": list(cell.draws), "llr": in_units(cell.same)},
            "different": {
                "authors": [list(pair) for pair in cell.different_authors],
                "llr": in_units(cell.different),
            },
        }
        for cell in cells
    ]
    return record_line({"schema": 1, "source": source, "cells": rows}, compact=True) + "\n"


def in_units(by_method: Mapping[str, FloatArray]) -> dict[str, list[int]]:
    return {method: [round(value * UNIT) for value in nats.tolist()] for method, nats in by_method.items()}


def build() -> None:
    """Writes what ships."""
    sha256 = digest((HERE / f"{MAIN}.parquet").read_bytes())[:16]
    source = (
        f"Taken by docs/validation/bounds.py from {MAIN}.parquet ({sha256}): judged trials of open English corpora by "
        "references drawn near, impostors among the different-author trials, constants without the corpus judged."
    )
    write_whole(SHIPPED, trials_text(cells(Judged(stored.load(MAIN))), source=source))


def main() -> None:
    """The command line of this file."""
    if sys.argv[1:]:
        sys.exit(__doc__)
    build()


if __name__ == "__main__":
    main()
