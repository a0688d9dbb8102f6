"""What the published validation found at which lengths, in which register: shipped as data, read by plan and audit.

The data are a table of `docs/validation` (`tables/lengths.csv`, one row per corpus, drawing, lengths and method) with
its source and digest; `docs/validation/lengths.py` makes both from the stored trials.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from idiograph.arithmetic import mean, total
from idiograph.evidence.methods import short_name
from idiograph.records import shipped_record

AS_A_CASE = "contiguous"  # Q in a row from one text, K in a row from others: how cases are made
_ACROSS, _WITHIN = "contiguous across work", "contiguous within work"
PAIRED = " (in pairs)"  # after the name of a corpus: problems in the paper's design, made within and across works


@dataclass(frozen=True)
class PublishedRow:
    """A method on one corpus at one pair of lengths: Cllr with its 95 % interval over authors, and LRs above 10."""

    register: str
    corpus: str
    drawing: str  # random or contiguous, and the field across or within which Q and K were drawn
    q_tokens: int
    k_tokens: int
    method: str
    cllr: float
    cllr_low: float
    cllr_high: float
    share_above_10: float  # of same-author problems
    n_authors: int


@dataclass(frozen=True)
class Published:
    """The shipped table, the study it comes from and the digest of the table it was made of."""

    source: str
    table_sha256: str
    rows: tuple[PublishedRow, ...]

    @property
    def registers(self) -> tuple[str, ...]:
        return tuple(sorted({row.register for row in self.rows}))

    def as_a_case(self, method: str, register: str | None = None) -> tuple[PublishedRow, ...]:
        """The rows of a method whose problems were made as a case is, of one register or of all."""
        return tuple(
            row
            for row in self.rows
            if row.drawing in (AS_A_CASE, _ACROSS)
            and not row.corpus.endswith(PAIRED)
            and row.method == method
            and register in (None, row.register)
        )


@dataclass(frozen=True)
class Expected:
    """What to expect of a method at published lengths: the mean over corpora, and the range of their intervals."""

    register: str | None  # None: all registers together
    q_tokens: int
    k_tokens: int
    method: str
    cllr: float
    cllr_low: float
    cllr_high: float
    share_above_10: float
    share_low: float  # over corpora
    share_high: float
    corpora: tuple[str, ...]
    n_authors: int


def expected(method: str, register: str | None = None) -> tuple[Expected, ...]:
    """What the published validation found for a method, by lengths, the shortest first; nothing if it has no row."""
    rows = published().as_a_case(method, register)
    lengths = sorted({(row.q_tokens, row.k_tokens) for row in rows})
    by_lengths = ([row for row in rows if (row.q_tokens, row.k_tokens) == pair] for pair in lengths)
    return tuple(_together(of_lengths, register) for of_lengths in by_lengths)


def nearest_lengths(rows: Iterable[Expected], q_tokens: int | None, k_tokens: int | None) -> Expected | None:
    """The row whose lengths are nearest, in ratios: 500 is as far from 250 as from 1,000."""

    def apart(row: Expected) -> float:
        ratios = ((row.q_tokens, q_tokens), (row.k_tokens, k_tokens))
        return total(max(ratio, other) / min(ratio, other) for ratio, other in ratios if other is not None)

    return min(rows, key=apart, default=None)


def longer_text(near: Expected) -> tuple[Expected, Expected] | None:
    """The same corpora at these lengths and at the next longer ones with a lower Cllr; None where there are none."""
    for row in expected(near.method, near.register):
        both = set(row.corpora) & set(near.corpora)
        if row.k_tokens <= near.k_tokens or not both:
            continue
        rows = [row for row in published().as_a_case(near.method, near.register) if row.corpus in both]
        now, then = (
            _together([row for row in rows if (row.q_tokens, row.k_tokens) == at], near.register)
            for at in ((near.q_tokens, near.k_tokens), (row.q_tokens, row.k_tokens))
        )
        if then.cllr < now.cllr:
            return now, then
    return None


def _together(rows: Sequence[PublishedRow], register: str | None) -> Expected:
    """Rows of one method and one pair of lengths, corpora weighing the same."""
    shares = [row.share_above_10 for row in rows]
    return Expected(
        register=register,
        q_tokens=rows[0].q_tokens,
        k_tokens=rows[0].k_tokens,
        method=rows[0].method,
        cllr=mean([row.cllr for row in rows]),
        cllr_low=min(row.cllr_low for row in rows),
        cllr_high=max(row.cllr_high for row in rows),
        share_above_10=mean(shares),
        share_low=min(shares),
        share_high=max(shares),
        corpora=tuple(sorted(row.corpus for row in rows)),
        n_authors=sum(row.n_authors for row in rows),
    )


def works_matter(method: str = "hapax") -> str:
    """What the published validation shows of works not told apart, in a sentence; empty if it shows nothing."""
    pairs = []
    rows = [row for row in published().rows if row.method == method]
    for within in (row for row in rows if row.drawing == _WITHIN):
        where = (within.corpus, within.q_tokens, within.k_tokens)
        across = [row for row in rows if row.drawing == _ACROSS and (row.corpus, row.q_tokens, row.k_tokens) == where]
        pairs += [(within, row) for row in across]
    if not pairs:
        return ""
    within, across_ = max(pairs, key=lambda pair: pair[1].cllr - pair[0].cllr)
    return (
        f"In the published validation ({within.register}, Q {within.q_tokens:,} and K {within.k_tokens:,} tokens, "
        f"{short_name(method)}) Cllr was {within.cllr:.2f} with Q and K from one work of an author, and "
        f"{across_.cllr:.2f} with Q and K from different works."
    )


@cache
def published() -> Published:
    """The table that comes with the project."""
    content = shipped_record("idiograph.casework", "published.json")
    rows = tuple(PublishedRow(**dict(zip(content["columns"], row, strict=True))) for row in content["rows"])
    return Published(content["source"], content["table_sha256"], rows)
