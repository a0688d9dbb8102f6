"""What a notebook shows of a value: a heat map, a table, a finding; and the heat map and token table of any score.

Fragments of HTML with their looks inside, since a notebook has no style sheet of ours.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, singledispatch
from html import escape
from itertools import chain, islice
from pathlib import Path
from typing import Any

from idiograph.arithmetic import total
from idiograph.casework.sentences import cllr_in_words, ratio
from idiograph.casework.verification import (
    Comparison,
    Explanation,
    Finding,
    NormalisedResult,
    SentenceRow,
    TokenRow,
    Verification,
)
from idiograph.checking import check
from idiograph.errors import InputError, counted, visible
from idiograph.evidence.llr import ENFSI_2015, LLR
from idiograph.evidence.methods import METHODS
from idiograph.files import as_path, write_whole
from idiograph.grammar.lambdag import Score
from idiograph.output import heatmap
from idiograph.output.document import Document, HeatMap, Piece
from idiograph.output.html import html
from idiograph.output.plot import DIFFERENT, SAME, WIDTH, Figure, Plot, canvas, label, zero_line
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
    """The token heat map of a Q: shown in a notebook, saved as a page, or drawn as a figure."""

    heat_map: HeatMap
    drawn: Plot | None = field(default=None, repr=False, compare=False)

    @cached_property
    def figure(self) -> Figure:
        """The figure of matplotlib: that of the axis it was drawn on, or one of its own."""
        return (self.drawn or self.draw()).figure

    def __repr__(self) -> str:
        return f"TokenMap({counted(len(self.heat_map.lines), 'line')}: {self.heat_map.caption})"

    def _repr_html_(self) -> str:
        legend = "".join(map(_piece, heatmap.legend()))
        lines = "".join(f"<div>{''.join(map(_piece, line))}</div>" for line in self.heat_map.lines)
        caption = f"{escape(self.heat_map.caption)}. Blue: the candidate's grammar expects the token more."
        return f"<div style='line-height:1.9'><p>{caption}</p><p>{legend}</p>{lines}</div>"

    def draw(self, ax: Any = None) -> Plot:
        """The heat map as a figure, on the axis `ax` of matplotlib or on one of its own."""
        lines = list(_wrapped(self.heat_map.on_paper.lines, _LINE_WIDTH))
        height = (len(lines) + 1) * _LINE_HEIGHT
        with canvas(height=height / 72, ax=ax) as (figure, axes):
            ends = [_draw_line(axes, line, (number + 1) * _LINE_HEIGHT) for number, line in enumerate(lines)]
            width = _LINE_WIDTH if ax is None else max(ends, default=_LINE_WIDTH)
            axes.set(xlim=(0.0, width), ylim=(height, 0.0), aspect="equal")
            axes.set_axis_off()
        pieces = [piece for line in self.heat_map.on_paper.lines for piece in line if piece.level is not None]
        return Plot(
            figure,
            {"token": [piece.text for piece in pieces], "level": [piece.level for piece in pieces]},
            f"Heat map of {counted(len(pieces), 'token')}: {self.heat_map.caption}.",
        )

    def save(self, path: Path | str) -> Path:
        """Writes the heat map to `path`: .html is a page that loads nothing, .svg and .png are figures."""
        path = as_path(path, "The file of the heat map")
        if path.suffix in (".svg", ".png"):
            return self.draw().save(path)
        if path.suffix != ".html":
            raise InputError(f"The file of the heat map, {path.name}, must end in .html, .svg or .png.")
        write_whole(path, html(Document("Heat map", "", "", None, f"Idiograph {VERSION}", (self.heat_map,))))
        return path


def heat_map(
    score: Score | Comparison,
    *,
    text: MaskedText | Corpus[MaskedText] | None = None,
    original: Text | Corpus[Text] | None = None,
    ax: Any = None,
) -> TokenMap:
    """The words of Q coloured by their part of λG, on the same steps in every case.

    `score` is a Score, or a comparison of a Verification, which has the words as they were written. For a Score, `text`
    is Q as it was masked, a text or a corpus, and `original` what it was masked from: with both, the original words are
    coloured, else the tokens. A notebook shows the words; `figure` is a figure of them, on the axis `ax` of matplotlib
    if given.
    """
    check(score, Score | Comparison, "score")
    rows = score.explanation if isinstance(score, Comparison) else _rows(score, text, original)
    shown = TokenMap(heatmap.on_original(rows) or heatmap.on_masked(rows))
    return shown if ax is None else replace(shown, drawn=shown.draw(ax))


@dataclass(frozen=True, repr=False)
class TokenTable(Rows):
    """The tokens that carry most of λG, a row each; drawn, a bar each."""

    drawn: Plot | None = field(default=None, repr=False, compare=False)

    @cached_property
    def figure(self) -> Figure:
        """The figure of matplotlib: that of the axis it was drawn on, or one of its own."""
        return (self.drawn or self.draw()).figure

    def draw(self, ax: Any = None) -> Plot:
        """The tokens as bars, on the axis `ax` of matplotlib or on one of its own."""
        names, values = self.values["token"], self.values["log10_ratio"]
        with canvas(height=0.6 + 0.16 * len(names), ax=ax) as (figure, axes):
            colours = [SAME if value > 0 else DIFFERENT for value in values]
            bars = axes.barh(range(len(names)), values, color=colours, height=0.7)
            for bar, value in zip(bars, values, strict=True):
                bar.set_hatch("" if value > 0 else "////")
            axes.set_yticks(range(len(names)), [label(name) for name in names])
            axes.set(ylim=(len(names) - 0.5, -0.5), xlabel="log10 P(token | K) − mean log10 P(token | reference)")
            zero_line(axes)
        return Plot(figure, self.values, f"The {len(names)} tokens of Q that carry most of λG, a bar each.")


def token_table(score: Score | Comparison, *, most: int = 20, ax: Any = None) -> TokenTable:
    """The tokens that carry most of λG, strongest support for the candidate first: at most `most` in each direction.

    `score` is a Score or a comparison of a Verification. What comes back is a table; `figure` draws it, on the axis
    `ax` of matplotlib if given. All tokens: `score.to_pandas()`.
    """
    check(score, Score | Comparison, "score")
    check(most, int, "most")
    if most < 1:
        raise InputError(f"most is {most}, and a table takes a row or more in each direction. Leave it out for 20.")
    rows = score.explanation if isinstance(score, Comparison) else _rows(score, None, None)
    shown, _ = heatmap.both_ends(heatmap.by_part(rows.tokens), most)
    token_rows = TokenTable(
        {
            "token": [row.masked or "(sentence end)" for row in shown],
            "written": [row.original for row in shown],
            "sentence": [row.sentence for row in shown],
            "position": [row.position for row in shown],
            "log10_ratio": [row.lambda_g for row in shown],
        }
    )
    return token_rows if ax is None else replace(token_rows, drawn=token_rows.draw(ax))


def _rows(score: Score, text: MaskedText | Corpus[Any] | None, original: Text | Corpus[Any] | None) -> Explanation:
    """The rows of a score as those of a comparison, with the words as written where they are given."""
    check(text, MaskedText | Corpus | None, "text")
    check(original, Text | Corpus | None, "original")
    masked, written = _in_order(text), _in_order(original)
    for scored in masked:
        check(scored, MaskedText, "text")
    for source in written:
        check(source, Text, "original")
    sentences = score.sentences if text is None else tuple(chain.from_iterable(scored.sentences for scored in masked))
    if sentences is None:
        raise InputError("This score does not have its tokens. Give the text that was scored: text=q.")
    if [len(sentence) + 1 for sentence in sentences] != [len(row) for row in score.evidence]:
        named = ", ".join(scored.id for scored in masked) or "The text"
        raise InputError(f"{named} is not the text of this score: its sentences differ.")
    if masked and written and len(masked) != len(written):
        raise InputError(
            f"text has {counted(len(masked), 'text')} and original {len(written)}. Give those of one side."
        )
    # A text that came masked has no spans, and so no words as they were written.
    contents = {scored.id: source.content for scored, source in zip(masked, written, strict=False) if len(scored.spans)}
    ids = [scored.id for scored in masked for _ in scored.sentences] or ["Q"] * len(sentences)
    spans = chain.from_iterable(scored.spans.tolist() for scored in masked if scored.id in contents)
    tokens, rows = [], []
    for number, (text_id, sentence, evidence) in enumerate(zip(ids, sentences, score.evidence, strict=True), start=1):
        parts = evidence.tolist()
        for position, token in enumerate((*sentence, ""), start=1):
            is_end = position > len(sentence)
            start, end = next(spans) if text_id in contents and not is_end else (None, None)
            as_written = token if start is None else contents[text_id][start:end]
            value = parts[position - 1]
            tokens.append(TokenRow(text_id, number, position, as_written, token, value, -1, start, end, is_end))
        words = " ".join(sentence)
        rows.append(SentenceRow(text_id, number, words, words, len(sentence), total(parts)))
    return Explanation(tuple(tokens), tuple(rows), (), contents)


def _in_order(side: Any) -> tuple[Any, ...]:
    """The texts of a side in the order in which a score has them; a single text as such."""
    if side is None:
        return ()
    return tuple(side.sorted()) if isinstance(side, Corpus) else (side,)


_LETTERS, _LINE_HEIGHT, _LINE_WIDTH = 8.0, 15.0, 72 * WIDTH  # points


def _wrapped(lines: Sequence[Sequence[Piece]], width: float) -> Iterator[list[Piece]]:
    """Lines that are no wider than so many points, broken between pieces."""
    for line in lines:
        row: list[Piece] = []
        used = 0.0
        for piece in line:
            needed = _path(piece.text, _letters(piece))[1]
            if row and used + needed > width:
                yield row
                row, used = [], 0.0
            row.append(piece)
            used += needed
        yield row


@cache
def _path(words: str, letters: str) -> tuple[Any, float]:
    """The outlines of some words at the origin, None of mere blanks; and where the next ones begin, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    drawn = label(words.strip(), longest=80) if words.strip() else ""
    blanks = 0.32 * _LETTERS * (len(words) - len(words.strip()))
    if not drawn:
        return None, blanks
    form = FontProperties(family="DejaVu Sans", weight="bold" if letters == "bold" else "normal")
    form.set_style("italic" if letters == "italic" else "normal")
    path = TextPath((0.0, 0.0), drawn, size=_LETTERS, prop=form)
    return path, float(path.get_extents().x1) + 0.1 * _LETTERS + blanks


def _letters(piece: Piece) -> str:
    return heatmap.LOOKS[piece.level].letters if piece.level else ""


def _draw_line(axes: Any, pieces: Sequence[Piece], y: float) -> float:
    """Draws pieces one after the other, as outlines that keep words and colours together at any size; where it ends."""
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.transforms import Affine2D

    x = 0.0
    for piece in pieces:
        path, width = _path(piece.text, _letters(piece))
        if path is not None:
            if piece.level:
                look = heatmap.LOOKS[piece.level]
                axes.add_patch(Rectangle((x, y + 3.0), width, -_LINE_HEIGHT + 3.5, facecolor=look.fill, linewidth=0))
                style = ":" if look.dotted else "-"
                axes.plot([x, x + width], [y + 3.0] * 2, color=look.line, linestyle=style, linewidth=look.thickness)
            lead = 0.32 * _LETTERS * (len(piece.text) - len(piece.text.lstrip()))
            upright = Affine2D().scale(1.0, -1.0).translate(x + lead, y)  # the axis runs downwards
            axes.add_patch(PathPatch(upright.transform_path(path), facecolor=_DARK_LETTERS, linewidth=0))
        x += width
    return x


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


def table(names: Iterable[str], rows: Sequence[Sequence[Any]]) -> str:
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


def _rows_of(words: str, names: Iterable[str], rows: Sequence[Sequence[Any]]) -> str:
    return _line(words) + table(names, rows)


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
    sentences = "".join(f"<div>{escape(visible(' '.join(sentence)))}</div>" for sentence in value.sentences[:_ROWS])
    return _line(repr(value)) + f"<blockquote>{sentences}</blockquote>"


@html_of.register
def _(value: Corpus) -> str:  # type: ignore[type-arg]
    sizes: dict[str, list[int]] = {}
    for text in value.texts:
        size = text.n_tokens if isinstance(text, MaskedText) else len(text.content)
        sizes.setdefault(text.author or "(no author)", []).append(size)
    rows = [(author, len(of_author), sum(of_author)) for author, of_author in sorted(sizes.items())]
    unit = "tokens" if all(isinstance(text, MaskedText) for text in value.texts) else "characters"
    more = _line(f"… and {len(rows) - _ROWS:,} more authors.") if len(rows) > _ROWS else ""
    return _rows_of(repr(value), ("author", "texts", unit), rows[:_ROWS]) + more


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
    wording = value.wording
    parts = [
        f"<h4>{escape(visible(f'{value.label} and {value.candidate}'))}</h4>",
        *map(_line, (wording.hp, wording.hd, *wording.before)),
        f"<p><b>{escape(visible(wording.conclusion))}</b></p>",
        *map(_line, filter(None, (wording.bound, wording.held, wording.range, *wording.topic))),
        _findings(value.audit),
    ]
    return "".join(parts)


def _findings(findings: Sequence[Finding]) -> str:
    rows = [(finding.severity, finding.message) for finding in findings]
    return table(("severity", "finding"), rows) if rows else ""


@html_of.register
def _(value: NormalisedResult) -> str:
    sentences = [f"The calculation gives an LR of {ratio(value.llr.nats)} by the {METHODS[value.llr.how].name}."]
    if value.claim:
        sentences.append(f"Cllr of its validation: {cllr_in_words(value.claim)}.")
    if value.refusal:
        sentences.append(f"A case would report no LR, because {value.refusal}.")
    elif value.reported:
        sentences.append(f"A case reports {ratio(value.reported.nats)}.")
    if value.range:
        sentences.append(value.range.sentence)
    return _line(repr(value)) + "".join(map(_line, sentences)) + _findings(value.findings)


@html_of.register
def _(value: Verification) -> str:
    return _line(repr(value)) + "".join(map(html_of, value.comparisons))


@html_of.register
def _(value: StudyResult) -> str:
    rows = [
        (cell.corpus, cell.condition, cell.method, *(getattr(cell.performance, name).value for name in _METRICS))
        for cell in value.performance
    ]
    names = ("corpus", "condition", "method", *_METRICS)
    return _rows_of(repr(value), names, rows[: 3 * _ROWS])


_METRICS = ("cllr", "cllr_min", "eer", "auc")
