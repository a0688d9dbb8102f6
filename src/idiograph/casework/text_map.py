"""A map of the texts of a comparison: how alike each is to Q and to K, by what stays after masking. To look at only.

Both axes are the n-gram cosine (`evidence.cosine`), its weights from the reference: to the right is like Q, up is like
K. A known text is compared with the rest of K, all others with K without each of its texts in turn, on average; so one
that lies low among the reference does not fit the others. No value rests on it.
"""

from dataclasses import dataclass
from typing import Literal

from idiograph.arithmetic import mean
from idiograph.casework.inputs import CaseTexts, Texts, by_author, n_tokens, sentences
from idiograph.errors import ProblemError
from idiograph.evidence.cosine import ngram_cosines

MOST = 400  # reference texts up to which each is a point; with more, each author is


@dataclass(frozen=True)
class TextPoint:
    """A text of K or of the reference on the map; `to_k` is None for a known text without others beside it."""

    side: Literal["k", "reference"]
    author: str
    text: str  # its id; the author's name where all of their texts are one point
    to_q: float
    to_k: float | None
    n_tokens: int


@dataclass(frozen=True)
class TextMap:
    """The points of one comparison, and how alike Q and K are themselves."""

    label: str
    candidate: str
    points: tuple[TextPoint, ...]
    q_to_k: float

    @property
    def outlying(self) -> tuple[TextPoint, ...]:
        """Known texts that are less like the rest of K than half of the reference is, the least like first."""
        others = sorted(point.to_k for point in self.points if point.side == "reference" and point.to_k is not None)
        middle = others[len(others) // 2] if others else 0.0
        low = [(point.to_k, point) for point in self.points if point.side == "k" and point.to_k is not None]
        return tuple(point for to_k, point in sorted(low, key=lambda pair: pair[0]) if to_k < middle)


def text_map(texts: CaseTexts) -> TextMap:
    if not texts.reference:
        raise ProblemError("A map needs a reference: it says what is usual. Add texts of other authors.")
    by = {str(written[0].author): written for written in by_author(texts.reference)}
    groups: list[tuple[str, str, Texts]] = (
        [(str(text.author), text.id, (text,)) for text in texts.reference]
        if len(texts.reference) <= MOST
        else [(author, author, texts) for author, texts in by.items()]
    )
    known = texts.k if len(texts.k) > 1 else ()
    rest = [tuple(other for other in texts.k if other is not text) for text in known]
    # Columns: Q, K, K without each of its texts, then the reference's authors, by whom n-grams are weighted.
    columns = [texts.q, texts.k, *rest, *by.values()]
    first = 2 + len(rest)
    group_of = {author: first + number for number, author in enumerate(by)}
    rows = [texts.q, *((text,) for text in texts.k), *(texts for _, _, texts in groups)]
    matrix = ngram_cosines(
        [sentences(row) for row in rows],
        [sentences(column) for column in columns],
        # A reference text is weighted without its own author; so Q and K are without one, too, or they would be less
        # like everything.
        q_authors=[*(first for _ in (texts.q, *texts.k)), *(group_of[author] for author, _, _ in groups)],
        reference=range(first, first + len(by)),
    )
    # A longer K is more like anything: all are compared with K as long as it is for its own texts.
    to = slice(2, first) if known else slice(1, 2)
    points = [
        TextPoint(
            "k",
            texts.candidate,
            text.id,
            float(matrix[1 + number, 0]),
            float(matrix[1 + number, 2 + number]) if known else None,
            text.n_tokens,
        )
        for number, text in enumerate(texts.k)
    ]
    for row, (author, name, of_author) in enumerate(groups, start=1 + len(texts.k)):
        to_q, to_k = float(matrix[row, 0]), mean(matrix[row, to])
        points.append(TextPoint("reference", author, name, to_q, to_k, n_tokens(of_author)))
    return TextMap(texts.label, texts.candidate, tuple(points), mean(matrix[0, to]))
