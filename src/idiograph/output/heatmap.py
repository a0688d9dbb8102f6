"""The token heat map: the words of Q coloured by their part of λG, and the tables behind it.

Blue with a solid line below: the candidate's grammar expects the token more than the reference does. Orange with a
dotted line: less. The steps are the same in every case, so two heat maps can be compared.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, TypeVar

from idiograph.arithmetic import log10, total
from idiograph.casework.sentences import finite, signed
from idiograph.casework.verification import Comparison, Explanation, SentenceRow, TokenRow
from idiograph.errors import counted
from idiograph.output.document import HeatMap, Piece, Table
from idiograph.spreadsheet import csv_rows

STEPS = (log10(1.5), log10(3), 1.0)  # in log10 units: from 1.5, 3 and 10 times on
SCREEN, PRINT = 20_000, 4_000  # tokens that a page can bear
_LONGEST = 160  # letters of a sentence in a table
_END = "¶"
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_GAP = Piece(" […] ")

Row = TypeVar("Row", TokenRow, SentenceRow)


@dataclass(frozen=True)
class Look:
    """How the words of one step look: their ground, the line below them, and both on a dark screen."""

    fill: str
    line: str
    dark_fill: str
    dark_line: str
    thickness: float  # of the line on paper, in points; on a screen it has as many pixels as the step is far from 0
    dotted: bool = False
    letters: Literal["", "bold", "italic"] = ""


# Told apart without colours too: by the line and, at the ends, by the letters.
LOOKS = {
    1: Look("#e3eef8", "#0072b2", "#16324a", "#8ec1f0", 0.6),
    2: Look("#b5d3ec", "#0072b2", "#1b4b74", "#8ec1f0", 1.1),
    3: Look("#7db4dd", "#00446b", "#2368a3", "#8ec1f0", 1.7, letters="bold"),
    -1: Look("#fdebdb", "#a84a00", "#44290f", "#ffc27d", 0.8, dotted=True),
    -2: Look("#fbcfa4", "#a84a00", "#6b3c0c", "#ffc27d", 1.2, dotted=True),
    -3: Look("#f4a259", "#6e3000", "#965108", "#ffc27d", 1.7, dotted=True, letters="italic"),
}


def level(lambda_g: float) -> int:
    """The step of the scale, −3 to 3, that a token's part of λG falls on.

    >>> level(0.05), level(0.2), level(-0.5), level(1.5)
    (0, 1, -2, 3)
    """
    step = sum(abs(finite(lambda_g)) >= edge for edge in STEPS)
    return step if lambda_g > 0 else -step


def legend() -> tuple[Piece, ...]:
    """The scale in its own colours."""
    steps = (
        (3, "candidate 10 times or more"),
        (2, "3 times"),
        (1, "1.5 times"),
        (0, "about equal"),
        (-1, "1.5 times"),
        (-2, "3 times"),
        (-3, "reference 10 times or more"),
    )
    between = Piece("  ")
    return tuple(piece for step, words in steps for piece in (Piece(words, step), between))


def on_original(explanation: Explanation) -> HeatMap | None:
    """The heat map on the words as they were written; None where Q came already masked."""
    if not has_original(explanation):
        return None
    return _for_screen_and_paper(explanation, _on_original)


def has_original(explanation: Explanation) -> bool:
    """Whether the words of Q are known as they were written."""
    return any(explanation.originals.values())


def on_masked(explanation: Explanation) -> HeatMap:
    """The heat map on the masked tokens, which is what was scored, a sentence a line."""
    return _for_screen_and_paper(explanation, _on_masked)


def extract(explanation: Explanation, most: int) -> HeatMap:
    """The sentences with the strongest evidence, of so many tokens together, as they were written if that is known."""
    draw = _on_original if has_original(explanation) else _on_masked
    return draw(explanation, _strongest(explanation, most))


def _for_screen_and_paper(explanation: Explanation, draw: Callable[[Explanation, set[int]], HeatMap]) -> HeatMap:
    screen, paper = _strongest(explanation, SCREEN), _strongest(explanation, PRINT)
    drawn = draw(explanation, screen)
    return drawn if paper == screen else replace(drawn, printed=draw(explanation, paper))


def _on_original(explanation: Explanation, chosen: set[int]) -> HeatMap:
    lines: list[tuple[Piece, ...]] = []
    for text_id, rows in groupby(explanation.tokens, key=lambda row: row.text_id):
        lines += _broken(_pieces_of(explanation.originals.get(text_id, ""), list(rows), chosen))
    return HeatMap("The questioned text as it was written" + _left_out(explanation, chosen), tuple(lines))


def _on_masked(explanation: Explanation, chosen: set[int]) -> HeatMap:
    lines = []
    for number, rows in groupby(explanation.tokens, key=lambda row: row.sentence):
        if number in chosen:
            pieces: list[Piece] = []
            for row in rows:
                pieces += [Piece(" "), _piece(row, _END if row.is_end else row.masked)]
            lines.append(tuple(pieces[1:]))
    return HeatMap("The questioned text as it was scored" + _left_out(explanation, chosen), tuple(lines), masked=True)


def token_table(explanation: Explanation, *, most: int = 20) -> Table:
    """The tokens that carry most of λG in either direction; the last lines make the sum up to λG."""
    rows = by_part(explanation.tokens)
    shown, rest = both_ends(rows, most)
    lines = [
        (
            "sentence end" if row.is_end else _quoted(row.original or row.masked),
            _END if row.is_end else row.masked,
            str(row.sentence),
            str(row.position),
            signed(row.lambda_g),
        )
        for row in shown
    ]
    if rest:
        lines.append((f"the other {len(rest):,} tokens and sentence ends", "", "", "", _sum(rest)))
    lines.append(("all: λG", "", "", "", _sum(rows)))
    return Table(
        "Tokens by their part of λG (log10 units), the strongest in each direction; all of them are in tokens.csv",
        ("word", "as scored", "sentence", "place", "part of λG"),
        tuple(lines),
        numeric=(2, 3, 4),
        widths=(8, 4, 3, 2, 3),
        last_is_total=True,
    )


def sentence_table(explanation: Explanation, *, most: int = 8) -> Table:
    """The sentences that carry most of λG in either direction; the last lines make the sum up to λG."""
    rows = sorted(explanation.sentences, key=lambda row: (-row.lambda_g, row.sentence))
    shown, rest = both_ends(rows, most)
    lines = [
        (str(row.sentence), _shortened(row.original or row.masked), f"{row.n_tokens:,}", signed(row.lambda_g))
        for row in shown
    ]
    if rest:
        n_tokens = sum(row.n_tokens for row in rest)
        lines.append(("", f"the other {counted(len(rest), 'sentence')}", f"{n_tokens:,}", _sum(rest)))
    lines.append(("", "all: λG", f"{sum(row.n_tokens for row in rows):,}", _sum(rows)))
    return Table(
        "Sentences by their part of λG (log10 units), the strongest in each direction; all are in sentences.csv",
        ("sentence", "words", "tokens", "part of λG"),
        tuple(lines),
        numeric=(0, 2, 3),
        widths=(3, 11, 2, 3),
        last_is_total=True,
    )


def tokens_csv(comparisons: Iterable[Comparison]) -> str:
    """Every token and sentence end of every comparison, strongest support for the candidate first."""
    return csv_rows(
        (
            "questioned", "candidate", "text", "sentence", "position", "original", "masked", "is_end",
            "lambda_g", "context", "start", "end",
        ),
        (
            (
                comparison.label, comparison.candidate, row.text_id, row.sentence, row.position, row.original,
                row.masked, int(row.is_end), float(row.lambda_g), row.context, row.start, row.end,
            )
            for comparison in comparisons
            for row in by_part(comparison.explanation.tokens)
        ),
    )  # fmt: skip


def sentences_csv(comparisons: Iterable[Comparison]) -> str:
    """Every sentence of every comparison, in the order of the text."""
    return csv_rows(
        ("questioned", "candidate", "text", "sentence", "original", "masked", "n_tokens", "lambda_g"),
        (
            (
                comparison.label, comparison.candidate, row.text_id, row.sentence, row.original, row.masked,
                row.n_tokens, float(row.lambda_g),
            )
            for comparison in comparisons
            for row in comparison.explanation.sentences
        ),
    )  # fmt: skip


def _strongest(explanation: Explanation, limit: int) -> set[int]:
    """The numbers of the sentences to show: all, or those with the strongest evidence up to `limit` tokens."""
    if sum(row.n_tokens for row in explanation.sentences) <= limit:
        return {row.sentence for row in explanation.sentences}
    chosen: set[int] = set()
    for row in sorted(explanation.sentences, key=lambda row: (-abs(row.lambda_g), row.sentence)):
        limit -= row.n_tokens
        if limit < 0 and chosen:
            break
        chosen.add(row.sentence)
    return chosen


def _left_out(explanation: Explanation, chosen: set[int]) -> str:
    every = len(explanation.sentences)
    if len(chosen) == every:
        return ""
    which = "one" if len(chosen) == 1 else f"{len(chosen):,}"
    return (
        f" (of its {every:,} sentences the {which} with the strongest evidence in either direction; all of them: "
        "annexes and tokens.csv)"
    )


def _pieces_of(content: str, rows: Sequence[TokenRow], chosen: set[int]) -> list[Piece]:
    pieces: list[Piece] = []
    cursor = 0
    skipped = False
    for row in rows:
        if row.sentence not in chosen:
            skipped = True
            continue
        if row.is_end:
            pieces.append(_piece(row, _END))
            continue
        start, end = row.start, row.end
        if start is None or end is None:
            pieces += [Piece(" "), _piece(row, row.original)]
            continue
        if skipped:
            pieces.append(_GAP)
            skipped = False
        elif start > cursor:
            pieces.append(Piece(content[cursor:start]))
        # Tokens that a recipe put in place of some words share these words; they are shown once.
        if word := content[max(start, cursor) : end]:
            pieces.append(_piece(row, word))
        cursor = max(cursor, end)
    pieces.append(_GAP if skipped else Piece(content[cursor:]))
    return pieces


def _broken(pieces: Iterable[Piece]) -> list[tuple[Piece, ...]]:
    """The pieces as lines, broken where what stands between tokens has a line break; empty lines vanish."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        first, *others = _LINE_BREAK.split(piece.text) if piece.level is None else [piece.text]
        lines[-1].append(Piece(first, piece.level, piece.title))
        lines += [[Piece(other)] for other in others]
    return [tuple(line) for line in lines if any(piece.text.strip() for piece in line)]


def _piece(row: TokenRow, text: str) -> Piece:
    what = "sentence end" if row.is_end else f"scored as {row.masked}"
    return Piece(text, level(row.lambda_g), f"{signed(row.lambda_g, digits=3)} · {what} · sentence {row.sentence}")


def by_part(rows: Iterable[TokenRow]) -> list[TokenRow]:
    """Tokens by their part of λG, strongest support for the candidate first."""
    return sorted(rows, key=lambda row: (-row.lambda_g, row.sentence, row.position))


def both_ends(rows: Sequence[Row], most: int) -> tuple[list[Row], list[Row]]:
    """At most so many rows from either end of a list, and those between."""
    if len(rows) <= 2 * most:
        return list(rows), []
    return list(rows[:most]) + list(rows[-most:]), list(rows[most:-most])


def _sum(rows: Iterable[TokenRow] | Iterable[SentenceRow]) -> str:
    return signed(total(row.lambda_g for row in rows))


def _quoted(token: str) -> str:
    """A mark of punctuation in quotation marks, without which it is hardly seen; a word as it is."""
    return token if any(char.isalnum() for char in token) else f"“{token}”"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
