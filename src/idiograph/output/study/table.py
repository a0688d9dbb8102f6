"""Tables of a study as CSV (every digit), Markdown and LaTeX (the digits one reads)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from idiograph.files import write_whole
from idiograph.output.document import Table
from idiograph.spreadsheet import csv_rows

Value = str | int | float | None


@dataclass(frozen=True)
class StudyTable:
    """Rows of values under a header; `formats` say how a value of each column is read, empty for words."""

    name: str  # of its files
    caption: str
    header: tuple[str, ...]
    formats: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The cells as people read them; a dash where there is no value."""
        return tuple(
            tuple(_shown(value, form) for value, form in zip(row, self.formats, strict=True)) for row in self.rows
        )

    def block(self) -> Table:
        """The table in a document."""
        numeric = tuple(place for place, form in enumerate(self.formats) if form)
        return Table(self.caption, self.header, self.shown(), numeric=numeric)


def csv(table: StudyTable) -> str:
    """Every digit, empty where there is no value."""
    return csv_rows(table.header, table.rows)


def markdown(table: StudyTable) -> str:
    """A pipe table under its caption."""
    rules = ["---:" if form else "---" for form in table.formats]
    lines = [table.header, rules, *table.shown()]
    body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"{table.caption}\n\n{body}\n"


def latex(table: StudyTable) -> str:
    """A booktabs table with its caption."""
    columns = "".join("r" if form else "l" for form in table.formats)
    rows = [" & ".join(_escaped(cell) for cell in row) + r" \\" for row in table.shown()]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_escaped(table.caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(_escaped(name) for name in table.header) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


_WRITERS: Mapping[str, Callable[[StudyTable], str]] = {"csv": csv, "md": markdown, "tex": latex}
ENDINGS = tuple(_WRITERS)


def save_table(table: StudyTable, folder: Path, *, endings: Sequence[str] = ENDINGS) -> tuple[Path, ...]:
    """Writes `name`.csv, .md and .tex, or those asked for, and returns their paths."""
    paths = {ending: folder / f"{table.name}.{ending}" for ending in endings}
    for ending, path in paths.items():
        write_whole(path, _WRITERS[ending](table))
    return tuple(paths.values())


def _shown(value: Value, form: str) -> str:
    if value is None:
        return "–"
    return format(value, form) if form else str(value)


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "λ": r"$\lambda$", "Λ": r"$\Lambda$", "α": r"$\alpha$",
    "β": r"$\beta$", "±": r"$\pm$", "≤": r"$\leq$", "–": "--", "−": "$-$", "×": r"$\times$",
}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in text)
