"""What it costs to hold a case's value against imitators: whole cases with and without it, in turns."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.cases import cpu_seconds
from benchmarks.figure import Figure, at_most
from benchmarks.open_cases import opened
from idiograph import verify
from idiograph.casework import verify as verifying
from idiograph.casework.validation import validate

CORPUS, LENGTHS, N_AUTHORS = "c50_reuters", ((300, 1_000), (500, 2_000)), 24
TIMES = 2


def run(quick: bool) -> list[Figure]:
    """CPU ratios of cases of newswire, masked and compiled before."""
    return [
        _figure(q_tokens, k_tokens, 9 if quick else N_AUTHORS) for q_tokens, k_tokens in LENGTHS[: 1 if quick else 2]
    ]


def _figure(q_tokens: int, k_tokens: int, n_authors: int) -> Figure:
    corpus = opened(CORPUS, q_tokens, k_tokens)
    drawn = corpus.drawn("true", "random", 0)
    (reference,) = corpus.references(drawn, [n_authors], name="holding")
    with tempfile.TemporaryDirectory() as folder:
        work: Callable[[], object] = partial(verify, corpus.case(drawn, reference, Path(folder)), workers=1)
        work()  # masks and compiles
        held, plain = [], []
        for _ in range(TIMES):
            held.append(cpu_seconds(work))
            with without_holding():
                plain.append(cpu_seconds(work))
    how = (
        f"Q {q_tokens:,}, K {k_tokens:,} tokens, {len(reference)} reference authors of {CORPUS}; CPU, one thread, the "
        f"less of {TIMES}: {min(held):.1f} and {min(plain):.1f} s, reports not among them"
    )
    name = f"a case with ceiling and flag ÷ without, Q/K {q_tokens:,}/{k_tokens:,}"
    return at_most(name, min(held) / min(plain), "×", 1.25, how)


@contextmanager
def without_holding() -> Iterator[None]:
    """As if nothing were held: no scores for the ceiling and the flag are made."""

    def plain(*arguments: Any, hold: bool, **named: Any) -> Any:
        return validate(*arguments, hold=False, **named)

    with patch.object(verifying, "validate", plain):
        yield
