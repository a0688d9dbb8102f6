"""What a notebook shows of a value: a heat map, a table, a finding; and the heat map and token table of any score.

Fragments of HTML with their looks inside, since a notebook has no style sheet of ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from idiograph.arithmetic import total
from idiograph.casework.verification import Comparison, Explanation, SentenceRow, TokenRow, Verification
from idiograph.checking import check
from idiograph.errors import InputError, counted, visible
from idiograph.evidence.llr import ENFSI_2015, LLR
from idiograph.files import as_path, write_whole
from idiograph.grammar.lambdag import Score
from idiograph.output import heatmap
from idiograph.output.document import Document, HeatMap
from idiograph.output.html import html
from idiograph.provenance import VERSION
from idiograph.showing import Rows, Tabular
from idiograph.studies.study import StudyResult
from idiograph.studies.trial_table import TrialTable
from idiograph.texts.problem import Problem
from idiograph.texts.text import Corpus, MaskedText, Text

_ROWS = 10  # of a table
_CHARACTERS = 400  # of a text
_DARK_LETTERS = "#111"


@dataclass(frozen=True)
class TokenMap:
    """The token heat map of a Q: shown in a notebook, or saved as a page."""

    heat_map: HeatMap

    def __repr__(self) -> str:
        return f"TokenMap({counted(len(self.heat_map.lines), 'line')}: {self.heat_map.caption})"

    def _repr_html_(self) -> str:
        legend = "".join(map(_piece, heatmap.legend()))
        lines = "".join(f"<div>{''.join(map(_piece, line))}</div>" for line in self.heat_map.lines)
        caption = f"{escape(self.heat_map.caption)}. Blue: the candidate's grammar expects the token more."
        return f"<div style='line-height:1.9'><p>{caption}</p><p>{legend}</p>{lines}</div>"

    def save(self, path: Path | str) -> Path:
        """Writes the heat map as a page that loads nothing; `path` ends in .html."""
        path = as_path(path, "The file of the heat map")
        if path.suffix != ".html":
            raise InputError(f"The heat map is written as a page, so {path.name} must end in .html.")
        write_whole(path, html(Document("Heat map", "", "", None, f"Idiograph {VERSION}", (self.heat_map,))))
        return path


def heat_map(score: Score | Comparison, *, text: MaskedText | None = None, original: Text | None = None) -> TokenMap:
    """The words of Q coloured by their part of λG, on the same steps in every case.

    `score` is a Score, or a comparison of a Verification, which has the words as they were written. For a Score, `text`
    is Q as it was masked and `original` the text that it was masked from: with both, the original words are coloured,
    else the tokens.
    """
    check(score, Score | Comparison, "score")
    rows = score.explanation if isinstance(score, Comparison) else _rows(score, text, original)
    return TokenMap(heatmap.on_original(rows) or heatmap.on_masked(rows))


def token_table(score: Score | Comparison, *, most: int = 20) -> Rows:
    """The tokens that carry most of λG, strongest support for the candidate first: at most `most` in each direction.

    `score` is a Score or a comparison of a Verification. All tokens: `score.to_pandas()`.
    """
    check(score, Score | Comparison, "score")
    check(most, int, "most")
    rows = score.explanation if isinstance(score, Comparison) else _rows(score, None, None)
    tokens = sorted(rows.tokens, key=lambda row: (-row.lambda_g, row.sentence, row.position))
    shown = tokens if len(tokens) <= 2 * most else [*tokens[:most], *tokens[len(tokens) - most :]]
    return Rows(
        {
            "token": [row.masked or "(sentence end)" for row in shown],
            "written": [row.original for row in shown],
            "sentence": [row.sentence for row in shown],
            "position": [row.position for row in shown],
            "log10_ratio": [row.lambda_g for row in shown],
        }
    )


def _rows(score: Score, text: MaskedText | None, original: Text | None) -> Explanation:
    """The rows of a score as those of a comparison, with the words as written where they are given."""
    check(text, MaskedText | None, "text")
    check(original, Text | None, "original")
    sentences = score.sentences if text is None else text.sentences
    if sentences is None:
        raise InputError("This score does not have its tokens. Give the text that was scored: text=q.")
    if [len(own) + 1 for own in sentences] != [len(own) for own in score.evidence]:
        raise InputError(f"{text.id if text else 'The text'} is not the text of this score: its sentences differ.")
    spans = text.spans.tolist() if text is not None and original is not None and len(text.spans) else None
    content = original.content if original is not None and spans is not None else ""
    tokens, rows, at = [], [], 0
    for number, (own, evidence) in enumerate(zip(sentences, score.evidence, strict=True), start=1):
        parts = evidence.tolist()
        for position, token in enumerate((*own, ""), start=1):
            is_end = position > len(own)
            start, end = spans[at + position - 1] if spans is not None and not is_end else (None, None)
            written = token if start is None else content[start:end]
            value = parts[position - 1]
            tokens.append(TokenRow("Q", number, position, written, token, value, -1, start, end, is_end))
        at += len(own)
        scored = " ".join(own)
        rows.append(SentenceRow("Q", number, scored, scored, len(own), total(parts)))
    return Explanation(tuple(tokens), tuple(rows), (), {"Q": content} if content else {})


def _piece(piece: Any) -> str:
    words = escape(visible(piece.text))
    if not piece.level:
        return words
    look = heatmap.LOOKS[piece.level]
    line = f"{abs(piece.level)}px {'dotted' if look.dotted else 'solid'} {look.line}"
    letters = {"bold": "font-weight:600", "italic": "font-style:italic", "": ""}[look.letters]
    style = f"background:{look.fill};color:{_DARK_LETTERS};border-bottom:{line};{letters}"
    title = f' title="{escape(piece.title)}"' if piece.title else ""
    return f'<span style="{style}"{title}>{words}</span>'


@singledispatch
def html_of(value: Any) -> str:
    """What a notebook shows of a value."""
    return _line(repr(value))


def _line(words: str) -> str:
    return f"<p>{escape(visible(words))}</p>"


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table of plain cells."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return escape(visible(str(value)))


@html_of.register
def _(value: Tabular) -> str:
    columns = value.columns
    return _rows_of(repr(value), columns, list(islice(zip(*columns.values(), strict=True), _ROWS)))


def _rows_of(words: str, names: Any, rows: Sequence[Sequence[Any]]) -> str:
    return _line(words) + table(list(names), rows)


@html_of.register
def _(value: TrialTable) -> str:
    shown = value.table.slice(0, _ROWS)
    plain = [name for name in shown.column_names if not str(shown.schema.field(name).type).startswith("list")]
    return _rows_of(repr(value), plain, list(zip(*(shown.column(name).to_pylist() for name in plain), strict=True)))


@html_of.register
def _(value: Text) -> str:
    more = "…" if len(value.content) > _CHARACTERS else ""
    return _line(repr(value)) + f"<blockquote>{escape(visible(value.content[:_CHARACTERS]))}{more}</blockquote>"


@html_of.register
def _(value: MaskedText) -> str:
    sentences = "".join(f"<div>{escape(visible(' '.join(own)))}</div>" for own in value.sentences[:_ROWS])
    return _line(repr(value)) + f"<blockquote>{sentences}</blockquote>"


@html_of.register
def _(value: Corpus) -> str:  # type: ignore[type-arg]
    by: dict[str, list[Any]] = {}
    for text in value.texts:
        by.setdefault(text.author or "(no author)", []).append(text)
    rows = [(author, len(texts), sum(map(_size, texts))) for author, texts in sorted(by.items())]
    unit = "tokens" if all(isinstance(text, MaskedText) for text in value.texts) else "characters"
    return _rows_of(repr(value), ("author", "texts", unit), rows[:_ROWS]) + _more(len(rows), "authors")


def _size(text: Text | MaskedText) -> int:
    return text.n_tokens if isinstance(text, MaskedText) else len(text.content)


def _more(n: int, what: str) -> str:
    return _line(f"… and {n - _ROWS:,} more {what}.") if n > _ROWS else ""


@html_of.register
def _(value: Problem) -> str:
    sides: list[tuple[str, Any]] = [("Q", value.q), ("K", value.k), ("reference", value.reference)]
    rows = [(name, len(s.text_ids), len(s.authors), s.n_sentences, s.n_tokens) for name, s in sides]
    return _rows_of(repr(value), ("side", "texts", "authors", "sentences", "tokens"), rows)


@html_of.register
def _(value: Score) -> str:
    words = _line(repr(value))
    if value.sentences is None:
        return words
    rows = _rows(value, None, None)
    return words + TokenMap(heatmap.extract(rows, 400))._repr_html_()


@html_of.register
def _(value: LLR) -> str:
    words = value.verbal("enfsi") or ""
    return _line(repr(value)) + _line(f"{words[:1].upper()}{words[1:]} ({ENFSI_2015.name})")


@html_of.register
def _(value: Comparison) -> str:
    return "".join(_said(value))


def _said(one: Comparison) -> Iterator[str]:
    yield f"<h4>{escape(visible(f'{one.label} and {one.candidate}'))}</h4>"
    for words in (one.wording.hp, one.wording.hd, *one.wording.before):
        yield _line(words)
    yield f"<p><b>{escape(visible(one.wording.conclusion))}</b></p>"
    for also in (one.wording.bound, one.wording.range, *one.wording.topic):
        if also:
            yield _line(also)
    if one.audit:
        yield table(("severity", "finding"), [(found.severity, found.message) for found in one.audit])


@html_of.register
def _(value: Verification) -> str:
    return _line(repr(value)) + "".join(map(html_of, value.comparisons))


@html_of.register
def _(value: StudyResult) -> str:
    rows = [
        (one.corpus, one.condition, one.method, *(getattr(one.performance, name).value for name in _METRICS))
        for one in value.performance
    ]
    names = ("corpus", "condition", "method", *_METRICS)
    return _rows_of(repr(value), names, rows[: 3 * _ROWS])


_METRICS = ("cllr", "cllr_min", "eer", "auc")
