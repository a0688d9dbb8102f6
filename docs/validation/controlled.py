"""The developmental validation as a controlled document: numbered, dated, with the version, as PDF and HTML.

python docs/validation/controlled.py  writes developmental_validation.pdf and .html from tables/ and the stored trials

Every number comes from the tables that `make docs` makes of stored trials, or from the trials; `controlled.toml` has
number, edition and date of the document. The HTML file is kept, the PDF beside it is made when it is needed.
"""

import csv
import io
import json
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.requirements import PROMISES, promises
from docs.validation import beside

from idiograph.arithmetic import mean, sd
from idiograph.evidence.methods import METHODS, short_name
from idiograph.files import write_whole
from idiograph.laboratory.faults import register
from idiograph.output.document import Block, Document, Form, Heading, Table, bullets, code, numbered, paragraph
from idiograph.output.html import html
from idiograph.output.pdf import pdf
from idiograph.output.study_tables import StudyTable
from idiograph.provenance import VERSION, digest_of

HERE = Path(__file__).resolve().parent
NAME = "developmental_validation"
METHOD = "controlled"  # what a case reports unless it says otherwise
Row = Mapping[str, str]


def rows_of(name: str) -> list[Row]:
    """The rows of a table."""
    return list(csv.DictReader(io.StringIO((HERE / "tables" / f"{name}.csv").read_text(encoding="utf-8"))))


def shown(value: str | float | None) -> str:
    """A value as the document prints it: numbers to three figures, a dash where there is none."""
    if value in ("", None):
        return "–"
    try:
        number = float(str(value))
    except ValueError:
        return str(value)
    return f"{int(number):,}" if number == int(number) and abs(number) >= 2 else f"{number:.3g}"


def from_rows(
    caption: str, rows: Sequence[Row], columns: Sequence[str], names: Sequence[str] = (), *, widths: Sequence[int] = ()
) -> Table:
    """Some columns of some rows."""
    cells = tuple(tuple(shown(row[column]) for column in columns) for row in rows)
    numeric = tuple(
        number
        for number in range(len(columns))
        if all(_is_number(row[columns[number]]) for row in rows if row[columns[number]])
    )
    return Table(caption, tuple(names or columns), cells, numeric=numeric, widths=tuple(widths))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def from_study_table(table: StudyTable) -> Table:
    rows = tuple(tuple(shown(str(cell)) if cell is not None else "–" for cell in row) for row in table.rows)
    return Table(table.caption, tuple(table.header), rows, numeric=tuple(range(1, len(table.header))))


def document() -> Document:
    """The whole document."""
    about = tomllib.loads((HERE / "controlled.toml").read_text(encoding="utf-8"))
    label = f"{about['number']}, edition {about['edition']}"
    parts: tuple[Callable[[], Iterator[Block]], ...] = (
        _purpose, _method, _requirements, _data, _conditions, _by_register, _by_length, _by_topic, _strength, _rates,
        _precision, _attacks, _limits,
    )  # fmt: skip
    blocks = [block for part in parts for block in part()]
    return Document(
        title="Developmental validation",
        subtitle=f"Idiograph {VERSION}. Document {label}, {about['date'].isoformat()}",
        header=f"Idiograph: developmental validation ({label})",
        banner=None,
        footer=f"{label}, {about['date'].isoformat()}, Idiograph {VERSION}",
        blocks=(
            Form((("Document", label), ("Date", about["date"].isoformat()), ("Program", f"Idiograph {VERSION}"),
                  ("Approved by", ""))),
            *numbered(blocks),
        ),
    )  # fmt: skip


def _purpose() -> Iterator[Block]:
    yield Heading(1, "Purpose")
    yield paragraph(
        "This document says how well likelihood ratios of authorship made by Idiograph did on texts of known "
        "authors, for laboratories that consider using it and for those who question a value. It does not replace a "
        "laboratory's own validation on its own kind of texts (idiograph validate)."
    )


def _method() -> Iterator[Block]:
    yield Heading(1, "Method")
    method = METHODS[METHOD]
    yield paragraph(f"{method.name}: {method.formula}. {method.name_and_source}.")
    yield paragraph(
        "Content words are masked by their part of speech; grammars of K and of the reference, n-gram models with "
        "Kneser-Ney smoothing, say how much better K's predicts Q; that score and the n-gram cosine are measured by "
        "the reference authors, freed from what closeness in topic gives them, and calibrated. The formulas are in "
        "docs/method.md and docs/evidence.md. The published corrections stand beside it."
    )


def _requirements() -> Iterator[Block]:
    yield Heading(1, "Requirements, and whether they were met")
    rows = rows_of("reached")
    columns = ("figure", "controlled", "2.5 %", "97.5 %", "bar", "reached")
    yield paragraph(
        "Set before the method was made the default: Q/K 300/1,000 and 500/2,000 tokens unless said otherwise, corpora "
        "weighing the same, all that is learnt without the corpus judged, intervals over resampled authors."
    )
    yield from_rows(
        "Figures, their 95 % intervals, and what was to be reached", rows, columns, widths=(40, 12, 11, 11, 14, 12)
    )
    listed = promises(PROMISES.read_text(encoding="utf-8"), HERE.parents[1])
    yield paragraph(
        f"What the program promises besides (numbers, refusals, durability, privacy) are {len(listed)} sentences, "
        "each with the tests that show it, in docs/requirements.md."
    )


def _data() -> Iterator[Block]:
    yield Heading(1, "Data")
    lengths = rows_of("lengths")
    sizes: dict[tuple[str, str], int] = {}
    for row in lengths:
        where = (row["register"], row["corpus"])
        sizes[where] = max(sizes.get(where, 0), int(row["n_authors"]))
    rows = tuple((register_, corpus, str(n)) for (register_, corpus), n in sizes.items())
    yield Table(
        "Open corpora, and the most authors judged in one condition",
        ("register", "corpus", "authors"),
        rows,
        numeric=(2,),
    )
    yield paragraph("The stored trials that every figure below is made of, by their SHA-256:")
    stored = sorted([*HERE.glob("*.parquet"), *HERE.glob("*.jsonl")])
    yield Table(
        "Stored trials",
        ("file", "SHA-256"),
        tuple((path.name, digest_of(path)) for path in stored),
        code=(1,),
        widths=(28, 72),
    )


def _conditions() -> Iterator[Block]:
    yield Heading(1, "Conditions")
    lengths = rows_of("lengths")
    pairs = dict.fromkeys(f"{int(row['q_tokens']):,}/{int(row['k_tokens']):,}" for row in lengths)
    drawings = dict.fromkeys(row["drawing"] for row in lengths)
    facts = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
    yield bullets([
        f"Lengths of Q and K in tokens: {'; '.join(pairs)}.",
        f"Drawn {' and '.join(drawings)}; near, at random and far in topic; by references drawn near and at random.",
        "Different authors at random, and impostors: those nearest to the topic of a Q.",
        "Authors of a trial had no part in its reference, its calibration or the constants used on its corpus.",
    ])  # fmt: skip
    if facts["refused"]:
        yield paragraph(
            "Refused for want of authors: "
            + "; ".join(f"{refusal[0]} {refusal[1]}" for refusal in facts["refused"])
            + "."
        )


def _by_register() -> Iterator[Block]:
    yield Heading(1, "Results by register")
    rows = rows_of("topic_by_corpus")
    registers = {row["corpus"]: row["register"] for row in rows_of("lengths")}
    with_register = [{**row, "register": registers.get(row["corpus"], "")} for row in rows]
    columns = ["register", *(column for column in rows[0])]
    yield from_rows("Topic-controlled Cllr by corpus, length and method", with_register, columns)
    yield from_rows(
        "What reported values were worth, by corpus",
        rows_of("strength_by_corpus"),
        ["corpus", "reported", "true trials", "wrong trials", "worth", "2.5 %", "97.5 %"],
    )


def _by_length() -> Iterator[Block]:
    yield Heading(1, "Results by length")
    rows = rows_of("reached_lengths")
    yield from_rows("By length of Q and K, corpora weighing the same", rows, list(rows[0]))


def _by_topic() -> Iterator[Block]:
    yield Heading(1, "Results by distance in topic")
    rows = [row for row in rows_of("topic_by_g") if row["method"] == METHOD]
    yield paragraph(
        "g is how close Q and K are in topic, in standard deviations of what the reference authors' own have. Both "
        "halves of Cllr are below 1 where a value says something to either side."
    )
    yield from_rows(f"{short_name(METHOD)}, by band of g", rows, list(rows[0])[1:])


def _strength() -> Iterator[Block]:
    yield Heading(1, "What a stated LR turned out to be worth")
    rows = [row for row in rows_of("strength") if row["method"] == short_name(METHOD)]
    yield paragraph(
        "Worth is how many times more often true than wrong authors got such a value, wrong ones matched in topic, "
        "both kinds weighing the same."
    )
    yield from_rows(f"{short_name(METHOD)}, calculated and as reported", rows, list(rows[0])[1:])


_SENSITIVITY = (
    "true authors with LR > 10, near reference, near case",
    "true authors with LR > 10, near reference, random case",
    "true authors with LR > 10, near reference, far case",
    "near reference, far case: true LR < 1/3",
    "near reference, far case: true LR < 1/10",
)
_SPECIFICITY = (
    "impostors LR > 3, reference near",
    "impostors LR > 10, reference near",
    "impostors LR > 3, reference random",
    "impostors LR > 10, reference random",
    "other different authors LR > 3",
    "other different authors LR > 10",
)


def _rates() -> Iterator[Block]:
    yield Heading(1, "Sensitivity and specificity")
    figures = {row["figure"]: row for row in rows_of("topic")}
    columns = ["figure", short_name(METHOD), "Reference-normalised", "Hapax", "Square Root", "Logistic regression"]
    for caption, wanted in (
        ("Sensitivity: same authors", _SENSITIVITY),
        ("Specificity: different authors", _SPECIFICITY),
    ):
        yield from_rows(
            f"{caption}, as shares", [figures[figure] for figure in wanted], columns, widths=(40, 12, 12, 12, 12, 12)
        )
    rows = rows_of("yields_together")
    yield paragraph(
        f"Whole cases, with every refusal: {sum(int(row['cases']) for row in rows) // 2} of the open corpora."
    )
    yield from_rows("What became of whole cases, per cent, with 95 % intervals over authors", rows, list(rows[0]))


def _precision() -> Iterator[Block]:
    yield Heading(1, "Precision over seeds and references")
    runs: dict[str, dict[tuple[str, str], list[float]]] = {}
    for row in rows_of("cllr"):
        runs.setdefault(row["method"], {}).setdefault((row["corpus"], row["condition"]), []).append(float(row["cllr"]))
    table = []
    for method, conditions in runs.items():
        several = [values for values in conditions.values() if len(values) > 1]
        if method != "raw" and several:
            spreads = sorted(sd(values) for values in several)
            table.append((short_name(method), str(len(several)), shown(mean(spreads)), shown(spreads[-1])))
    yield Table(
        "Standard deviation of Cllr over runs with other seeds, by condition",
        ("method", "conditions", "mean", "largest"), tuple(table), numeric=(1, 2, 3),
    )  # fmt: skip
    yield paragraph(
        "The topic-controlled LR is not in this table: its trials were drawn with one seed. How far its values "
        "move with seed and reference was measured on cases with two halves of their reference that share no author:"
    )
    rows = rows_of("ranges")
    yield from_rows("Values of one case by two references", rows, list(rows[0])[:7])


def _attacks() -> Iterator[Block]:
    yield Heading(1, "Attacks")
    shares, costs, n, _ = beside.attack_tables()
    yield paragraph(
        f"Into the Qs of {n} different-author problems the trigrams most typical of K were put, once or again and "
        "again. The topic-controlled LR is not among these methods; guarded leaves out what Q overuses. What fourteen "
        "imitators do to it, on fewer problems, is in docs/validation/held.md."
    )
    yield from_study_table(shares)
    yield from_study_table(costs)


def _limits() -> Iterator[Block]:
    yield Heading(1, "Known limits")
    failing = [
        f"{row['corpus']} at {column} ({float(row[column]):.2f})"
        for row in rows_of("topic_by_corpus")
        if row["method"] == METHOD
        for column in row
        if column.startswith("Q/K") and row[column] and float(row[column]) >= 1
    ]
    missed = [row["figure"] for row in rows_of("reached") if row["reached"] == "no"]
    entries = register()
    yield bullets([
        f"Topic-controlled Cllr is 1 or more, so that an LR says nothing there: {'; '.join(failing) or 'nowhere'}.",
        f"Requirements that were missed: {'; '.join(missed) or 'none'}.",
        "English alone has these figures; in other languages a case must pass its own validation (docs/languages.md).",
        "The forms of closeness in topic were chosen on these corpora with others in view; what is chosen so is not "
        "confirmed.",
        "Corpora of 12 authors decide nothing alone; trials that share an author are not independent, and intervals "
        "are over resampled authors.",
        "Disguise and imitation by people were not studied; insertion of phrases was.",
        f"{len(entries)} faults of released versions are on record, "
        f"{sum(fault.moves == 'number' for fault in entries)} of which could move a number (docs/faults.md).",
    ])  # fmt: skip
    yield paragraph(
        "Made from stored data by ",
        code("python docs/validation/controlled.py"),
        "; the living page is docs/validation/README.md.",
    )


def build() -> None:
    """Writes the document."""
    pages = document()
    write_whole(HERE / f"{NAME}.html", html(pages))
    write_whole(HERE / f"{NAME}.pdf", pdf(pages))


if __name__ == "__main__":
    build()
