"""The published validation, made from its stored trials and never by hand.

python docs/validation/build.py                  writes README.md, tables/ and figures/ again
python docs/validation/build.py --store RESULTS  takes over the trials of a finished run of study.toml
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from idiograph import Study, pan_metrics, read_study, violins

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import beside, expected, foreign, held, reached, strength, topic, without, worth
from docs.validation.stored import CONSTANTS, constants_text, kept_decimals, write_table

from idiograph.arithmetic import mean
from idiograph.evidence.llr import NATS_PER
from idiograph.evidence.methods import short_name
from idiograph.evidence.performance import PanMetrics, performance
from idiograph.files import write_whole
from idiograph.output.figures import beyond_in_words
from idiograph.output.plot import save
from idiograph.output.study_page import design_in_words, violin_scores
from idiograph.output.study_tables import (
    StudyTable,
    Value,
    cllr_values,
    fits_table,
    markdown,
    paper_table,
    save_table,
    split_table,
    spread_in_words,
    table2,
    table3,
    units_table,
)
from idiograph.studies.llrs import Fits, add_llrs
from idiograph.studies.settings import papers_method, published_table2
from idiograph.studies.study import run_study
from idiograph.studies.summary import (
    Cllrs,
    Means,
    UnitRow,
    Where,
    all_wins,
    baseline_split,
    cllrs,
    compare,
    compare_units,
    mean_over_corpora,
    method_trials,
    varied,
)
from idiograph.studies.trial_table import LLR_PREFIX, TrialTable

HERE = Path(__file__).resolve().parent
UNITS = tuple(NATS_PER)
GRID = ("random", "contiguous")
READY_MADE = ("enron_as_published", "pan14_essays", "pan15_drama")
# What the tables need of a trial; single precision is far beyond the digits that are printed.
_STORED = {
    "corpus": pa.dictionary(pa.int8(), pa.string()),
    "condition": pa.dictionary(pa.int8(), pa.string()),
    "run": pa.int8(),
    "half": pa.dictionary(pa.int8(), pa.string()),
    "k_author": pa.dictionary(pa.int16(), pa.string()),
    "q_author": pa.dictionary(pa.int16(), pa.string()),
    "same_author": pa.bool_(),
    "n_tokens": pa.int16(),
    "n_hapaxes": pa.int16(),
    "lambda_g": pa.float32(),
    "sentence_norm": pa.float32(),
}


@dataclass(frozen=True)
class Validation:
    """The stored trials with their LLRs, and what was refused when they were made."""

    study: Study
    trials: TrialTable
    fits: tuple[Fits, ...]
    facts: Mapping[str, Any]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the tables show: λG without a correction is no LLR."""
        return tuple(method for method in self.study.methods if method != "raw")

    @cached_property
    def cllrs(self) -> Cllrs:
        return cllrs(self.trials)

    @cached_property
    def means(self) -> dict[Where, dict[str, float]]:
        return self.cllrs.means()

    @cached_property
    def units(self) -> tuple[UnitRow, ...]:
        return compare_units(self.trials)

    def of_grid(self, *drawings: str) -> dict[Where, dict[str, float]]:
        """Mean Cllr of the four lengths and two ways of drawing, the same for every corpus with authors."""
        names = drawings or GRID
        return {
            (corpus, condition): row
            for (corpus, condition), row in self.means.items()
            if corpus not in READY_MADE and condition.split("_")[0] in names and "-work" not in condition
        }


def store(results: Path) -> None:
    """Takes over the trials of a finished run, in a few columns."""
    # Nothing is scored again, and a run of another study is refused.
    result = run_study(replace(read_study(HERE / "study.toml"), resamples=0), results)
    write_table(HERE / "trials.parquet", _to_store(result.trials))
    facts = {
        "signature": result.signature,
        "refused": [[*cell, why] for cell, why in result.refused.items()],
        "left_out": [[*cell, why, n] for cell, reasons in result.left_out.items() for why, n in reasons.items()],
        "writers": {name: facts.writers for name, facts in result.results.corpora.items() if facts.writers},
        "degenerate": [[score.corpus, score.q_id, score.n_hapaxes, score.n_tokens] for score in result.degenerate],
    }
    write_whole(HERE / "facts.json", json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


def _to_store(trials: TrialTable) -> pa.Table:
    """What is kept of trials: what LLRs are made of, and the LLRs themselves, which tables are made of anew."""
    columns = {name: trials.table.column(name).combine_chunks().cast(kind) for name, kind in _STORED.items()}
    llrs = {LLR_PREFIX + method: kept_decimals(trials.llr(method)) for method in trials.methods if method != "raw"}
    return pa.table({**columns, **llrs})


def load() -> Validation:
    """The stored trials with LLRs by every method."""
    study = read_study(HERE / "study.toml")
    table = pq.read_table(HERE / "trials.parquet")
    plain = {
        name: table.column(name).cast(pa.string() if pa.types.is_dictionary(kind) else kind)
        for name, kind in _STORED.items()
    }
    for name in ("lambda_g", "sentence_norm"):
        plain[name] = plain[name].cast(pa.float64())
    plain["fold"] = pa.array(np.full(len(table), -1), pa.int32())
    trials, fits = add_llrs(study, TrialTable(pa.table(plain)))
    facts = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
    return Validation(study, trials, fits, facts)


def page(results: Validation) -> str:
    """README.md."""
    parts = [
        "# Validation on the open corpora",
        "The same as a controlled document, numbered and dated with the version: "
        "[developmental_validation.html](developmental_validation.html); `make docs` writes the PDF beside it.",
        *_first_part(),
        "# The paper's own experiments",
        "What follows is designed as in the paper: one different-author problem per author, calibration on authors set "
        "apart.",
        f"`{results.facts['signature']}`",
        "## In short",
        *_in_short(results),
        "## How it was made",
        "\n".join(f"- {line}" for line in design_in_words(results.study)),
        *_what_was_left_out(results),
        "## Against the paper",
        *_against_the_paper(results),
        "## The two ways of drawing",
        *_ways_of_drawing(results),
        "## The three units",
        *_three_units(results),
        "## What crossing works costs",
        *_crossing_works(results),
        "## Ready-made problem sets",
        *_ready_made(results),
        "## Logistic regression and separated classes",
        *_separated(results),
        "## Every condition",
        _every_condition(results),
        "![Raw scores by corpus](figures/violins.svg)",
        f"Raw λG by corpus, calibration and case trials: {beyond_in_words(violin_scores(results.trials))}",
        "## What this does not show",
        "- The Sentence Correction was found on these very corpora, so its figures here do not prove it.",
        "- The unit of the corrections was chosen with corpora of this kind in view. New corpora of other registers "
        "decide.",
        "- Trials of one author in several conditions and runs are not independent; conditions are counted as the "
        "paper counts them, not tested for significance.",
        "- Corpora of the paper's names (Enron, TripAdvisor) are other samples, prepared differently.",
        "# The stored trials and their units",
        "The trials lie here as Parquet files, which every statistics package reads. The schema of each says under "
        "`units` what every column of numbers is in (in Python "
        '`pyarrow.parquet.read_schema("matrix.parquet").metadata[b"units"]`): `llr_` columns hold the natural '
        "logarithm of an LR (nats), to the thousandth, and nothing where a method was trained on the trial; `normed_` "
        "columns standard deviations of the cohort; `lambda_g` and `sentence_norm` logarithms to base 10.",
        "# How to make it again",
        "`make docs` makes this page, its tables and the constants of the reference-normalised LR from the stored "
        "trials; no sentence and no figure here is written by hand. The trials: `idiograph study "
        "docs/validation/NAME.toml --out results`, then `python docs/validation/stored.py NAME results` for matrix, "
        "ten, forty, typing, others and attack, in this order, and `python docs/validation/build.py --store results` "
        "for study; `python docs/validation/topic.py NAME results` for topic, topic_ten, topic_fifteen and "
        "topic_forty; `python docs/validation/foreign.py --run` for foreign; `python docs/validation/held.py --run "
        "results`, then `--store results`, for held and imitated, and `python docs/validation/steady.py` for the table "
        "of score A; `python -m benchmarks.yields` and `python -m benchmarks.coverage` for the cases "
        "that were verified whole.",
    ]
    return "\n\n".join(parts) + "\n"


def _first_part() -> Iterator[str]:
    """What the methods are worth, each trial judged by authors who had no part in it."""
    yield from reached.first_screen()
    yield from expected.section()
    yield "## Freed from topic"
    yield from reached.section()
    yield "## What may be reported, and what it is worth"
    yield from strength.section()
    yield "## The range of a value"
    yield from expected.ranges_said()
    yield "## A reference of another kind"
    yield from foreign.section()
    yield "# The reference-normalised LR and other methods"
    yield from worth.first_screen()
    yield "## The figures"
    yield from worth.figures()
    yield "## How many reference authors"
    yield from worth.by_authors()
    yield "## What going without the constants costs"
    yield from without.section()
    yield "## What its parts are worth"
    yield from beside.tried()
    yield "## Other methods"
    yield from beside.other_methods()
    yield "## Under attack"
    yield from beside.attacked()
    yield "What imitators with a concordance of K do, and what holds against them: [held.md](held.md)."


def _in_short(results: Validation) -> Iterator[str]:
    grid = results.of_grid()
    n_corpora = len({corpus for corpus, _ in grid})
    yield (
        f"{len(results.trials):,} trials: {n_corpora} corpora with authors in {len(grid)} conditions and "
        f"{len(READY_MADE)} ready-made sets, {results.study.runs} runs each. Every corpus weighs the same."
    )
    for drawing, words in (("random", "Drawn as in the paper's grids"), ("contiguous", "Drawn as a case is made")):
        yield f"{words} ({_DRAWN[drawing]}):"
        yield "\n".join(_agreement(results.of_grid(drawing), method, other) for method, other in _COMPARED)
    ranked = sorted(results.methods, key=lambda method: mean_over_corpora(grid, method))
    yield ("(Agrees: within ten points; leans alike: on the same side of a half.)")
    yield (
        "Mean Cllr, from the lowest: "
        + "; ".join(f"{short_name(m)} {mean_over_corpora(grid, m):.3f}" for m in ranked)
        + "."
    )


_COMPARED = (
    ("hapax", "square_root"), ("hapax", "logistic_glm"), ("hapax", "logistic"), ("square_root", "logistic_glm"),
    ("square_root", "logistic"),
)  # fmt: skip


def _agreement(means: Means, method: str, other: str) -> str:
    """One comparison in words: within ten points of the paper it agrees, on the same side of a half it leans alike."""
    share, paper = 100 * compare(means, method, other).wins, published_table2()[method, other][0]
    if abs(share - paper) <= 10:
        verdict = "**agrees with the paper**"
    elif (share > 50) == (paper > 50):
        verdict = f"**leans as in the paper**, {abs(share - paper):.0f} points {'more' if share > paper else 'less'}"
    else:
        verdict = "**does not agree with the paper**"
    names = f"{short_name(method)} does at least as well as {short_name(other)}"
    which = "" if papers_method(other) == other else f" (of {short_name(papers_method(other))})"
    return f"- {names} in {share:.0f} % of conditions; the paper's figure{which} is {paper:.0f} %: {verdict}."


def _what_was_left_out(results: Validation) -> Iterator[str]:
    refused = results.facts["refused"]
    if refused:
        cells: dict[str, list[str]] = {}
        for corpus, condition, _ in refused:
            cells.setdefault(corpus, []).append(condition)
        words = "; ".join(f"{corpus}: {', '.join(conditions)}" for corpus, conditions in cells.items())
        yield f"Corpora too short for a condition, which was then refused: {words}."
    counts: dict[str, int] = {}
    for _, _, why, n in results.facts["left_out"]:
        counts[why] = counts.get(why, 0) + n
    if counts:
        words = "; ".join(f"{why} {n:,}" for why, n in sorted(counts.items()))
        yield f"Authors left out of a condition (summed over conditions): {words}."


def _against_the_paper(results: Validation) -> Iterator[str]:
    yield markdown(table2(all_wins(results.of_grid(), results.methods))).strip()
    yield markdown(paper_table(results.study, results.cllrs)).strip()
    yield "Where the figures for Enron come from, and why they differ: [enron.md](enron.md)."


_DRAWN = {"random": "sentence by sentence at random", "contiguous": "as contiguous sentences, Q of one text"}


def _drawn_both_ways(results: Validation) -> list[tuple[Where, Where]]:
    """The conditions of the grid that were drawn at random and as contiguous text."""
    pairs = [(cell, (cell[0], cell[1].replace("random", "contiguous"))) for cell in results.of_grid("random")]
    return [(random, contiguous) for random, contiguous in pairs if contiguous in results.means]


def drawing_table(results: Validation) -> StudyTable:
    """Mean Cllr of each method over the conditions that were drawn both ways."""
    pairs = _drawn_both_ways(results)
    rows: list[tuple[Value, ...]] = []
    for method in results.methods[:-1]:
        at_random = mean([results.means[random][method] for random, _ in pairs])
        other = mean([results.means[contiguous][method] for _, contiguous in pairs])
        rows.append((short_name(method), at_random, other, other - at_random))
    header = ("method", "random", "contiguous", "difference")
    return StudyTable("drawing", "Mean Cllr by way of drawing.", header, ("", ".3f", ".3f", "+.3f"), tuple(rows))


def _ways_of_drawing(results: Validation) -> Iterator[str]:
    pairs = _drawn_both_ways(results)
    worse = mean([results.means[c]["hapax"] > results.means[r]["hapax"] for r, c in pairs])
    yield (
        f"The same {len(pairs)} corpora and lengths, drawn both ways. A case has contiguous text, the paper's grids "
        f"draw at random from large pools: with the Hapax Correction contiguous text costs more in {100 * worse:.0f} % "
        "of them."
    )
    yield markdown(drawing_table(results)).strip()


_BY_UNIT = tuple(
    (correction, other) for other in ("logistic_glm", "logistic") for correction in ("square_root", "hapax")
)


def _three_units(results: Validation) -> Iterator[str]:
    grid = results.of_grid()
    rows: list[tuple[Value, ...]] = []
    over: dict[str, float] = {}
    for unit in UNITS:
        read_in = {cell: dict(row) for cell, row in grid.items()}
        for row in results.units:
            if (row.corpus, row.condition) in read_in:
                read_in[row.corpus, row.condition][row.method] = row.cllr[unit]
        over[unit] = compare(read_in, "hapax", "square_root").wins
        beats = [100 * compare(read_in, *pair).wins for pair in _BY_UNIT]
        costs = (mean_over_corpora(read_in, method) for method in ("square_root", "hapax"))
        rows.append((unit, *costs, *beats, 100 * over[unit]))
    paper = published_table2()
    rows.append(("the paper", None, None, *(paper[pair][0] for pair in _BY_UNIT), paper["hapax", "square_root"][0]))
    nearest = min(UNITS, key=lambda unit: abs(100 * over[unit] - paper["hapax", "square_root"][0]))
    best = min(UNITS, key=lambda unit: float(rows[UNITS.index(unit)][2] or 0))
    yield (
        "The paper does not say how ΛG becomes a likelihood ratio. Read in each unit, the lowest mean Cllr of the "
        f"Hapax Correction is in {best}, and the share in which it does at least as well as the Square Root Correction "
        f"is nearest to the paper's in {nearest}."
    )
    header = (
        "ΛG read in", "Square Root", "Hapax", *(f"{short_name(method)} ≥ {other} %" for method, other in _BY_UNIT),
        "Hapax ≥ Square Root %",
    )  # fmt: skip
    formats = ("", ".3f", ".3f", *(".0f",) * (len(_BY_UNIT) + 1))
    yield _plain("Mean Cllr, and per cent of conditions won; logistic_glm is the paper's.", header, formats, rows)


def _crossing_works(results: Validation) -> Iterator[str]:
    rows: list[tuple[Value, ...]] = []
    gaps = []
    for of_method in method_trials(results.trials):
        if of_method.corpus != "novels100" or of_method.method != "hapax" or "-work" not in of_method.condition:
            continue
        did = performance(of_method.trials, resamples=0)
        cell = results.means[of_method.corpus, of_method.condition]
        rows.append(
            (of_method.condition, cell["hapax"], cell["square_root"], cell["sentence"], cell["logistic"],
             did.auc.value, did.cllr_min.value, did.shift.value)
        )  # fmt: skip
        if "within" in of_method.condition:
            across = results.means["novels100", of_method.condition.replace("within", "across")]
            gaps.append(across["hapax"] - cell["hapax"])
    rows.sort(key=lambda row: str(row[0]).replace("within", "1").replace("across", "2"))
    yield (
        "Fiction (novels100) with Q and K of one work and of two works of the author. With the Hapax Correction "
        f"crossing works raises Cllr by {mean(gaps):.2f} on average ({min(gaps):+.2f} to {max(gaps):+.2f}). α is "
        "the shift that a refit of the Hapax Correction's LLRs asks for, which no scaling removes: above 0 they lean "
        "towards different authors, below 0 towards the same."
    )
    header = ("condition", "Hapax", "Square Root", "Sentence", "Logistic regression", "AUC", "Cllr_min", "shift α")
    yield _plain("Mean Cllr; AUC, Cllr_min and α of the Hapax Correction.", header, ("", *(".3f",) * 6, "+.2f"), rows)


def _ready_made(results: Validation) -> Iterator[str]:
    judged: dict[tuple[str, str], list[PanMetrics]] = {}
    case = results.trials.where(results.trials.case)
    for (corpus, _, _), places in case.groups():
        for method in results.methods if corpus in READY_MADE else ():
            nats, same = case.llr(method)[places], case.same[places]
            judged.setdefault((corpus, method), []).append(pan_metrics(same=nats[same], different=nats[~same]))
    rows: list[tuple[Value, ...]] = []
    for (corpus, _), row in results.means.items():
        if corpus in READY_MADE:
            runs = [judged[corpus, method] for method in results.methods]
            rows.append((corpus, "Cllr", *(row[method] for method in results.methods)))
            rows.append((corpus, "AUC", *(mean([run.auc for run in of_runs]) for of_runs in runs)))
            rows.append((corpus, "c@1", *(mean([run.c_at_1 for run in of_runs]) for of_runs in runs)))
    poor = [corpus for (corpus, _), row in results.means.items() if corpus in READY_MADE and row["hapax"] >= 1]
    writers = results.facts.get("writers", {})
    yield (
        "Used as they are published, by writers: splits and references share none. "
        + "".join(f"{name}: {words} " for name, words in writers.items())
        + (
            f"On {', '.join(poor)} the Hapax Correction does worse than giving no evidence (Cllr of 1 or more)."
            if poor
            else ""
        )
    ).strip()
    yield _plain(
        "Means over the runs; AUC and c@1 as PAN counts them, from LLRs at equal priors.",
        ("set", "measure", *map(short_name, results.methods)),
        ("", "", *(".3f",) * len(results.methods)),
        rows,
    )


def _separated(results: Validation) -> Iterator[str]:
    fits = [fit for fit in results.fits if fit.method == "logistic"]
    n, perfect, near = (sum(getattr(fit, name) for fit in fits) for name in ("n_fits", "n_perfect", "n_near"))
    grid = results.of_grid()
    yield (
        f"Of {n:,} fits {perfect:,} met perfectly and {near:,} nearly separated training scores. The guarded fit (mean "
        f"Cllr {mean_over_corpora(grid, 'logistic'):.3f}) then shrinks; stopped where R's glm stops it gives "
        f"{mean_over_corpora(grid, 'logistic_glm'):.3f}. Cllr above 1 in "
        f"{sum(row['logistic'] > 1 for row in grid.values())} conditions guarded, in "
        f"{sum(row['logistic_glm'] > 1 for row in grid.values())} as glm stops, in "
        f"{sum(row['hapax'] > 1 for row in grid.values())} with the Hapax Correction."
    )


def _every_condition(results: Validation) -> str:
    """Table 3 with the number of authors that remained, in both halves."""
    grid = results.of_grid()
    differ = {cell: kind for cell, kind in varied(results.trials).items() if cell in grid}
    table = table3(_only(results, grid), spread_in_words(differ))
    authors: dict[Where, set[str]] = {}
    columns = (results.trials.column(name) for name in ("corpus", "condition", "k_author"))
    for corpus, condition, author in zip(*columns, strict=True):
        authors.setdefault((corpus, condition), set()).add(author)
    counts = [len(authors[str(row[0]), str(row[1])]) for row in table.rows]
    rows = tuple((*row[:2], n, *row[3:]) for row, n in zip(table.rows, counts, strict=True))
    return markdown(replace(table, header=(*table.header[:2], "authors", *table.header[3:]), rows=rows)).strip()


def _only(results: Validation, kept: Mapping[Where, object]) -> Cllrs:
    """Cllr in these conditions by the methods that are shown."""
    runs = results.cllrs.runs
    return Cllrs({cell: {method: runs[cell][method] for method in results.methods} for cell in runs if cell in kept})


def _plain(caption: str, header: tuple[str, ...], formats: tuple[str, ...], rows: Sequence[tuple[Value, ...]]) -> str:
    return markdown(StudyTable("", caption, header, formats, tuple(rows))).strip()


def tables(results: Validation) -> Iterator[StudyTable]:
    """The tables that are also kept as files."""
    grid = results.of_grid()
    yield table2(all_wins(grid, results.methods))
    yield table3(_only(results, results.means), spread_in_words(varied(results.trials)))
    yield split_table(baseline_split(_only(results, grid).means(), "logistic"), "logistic")
    yield fits_table(results.fits)
    yield units_table(results.units)
    yield cllr_values(results.cllrs)
    yield drawing_table(results)
    yield worth.worth_table()


def build() -> None:
    """Writes README.md, tables/ and figures/ again."""
    results = load()
    write_whole(HERE / "README.md", page(results))
    if CONSTANTS.parent.is_dir():  # not where the documentation stands alone
        write_whole(CONSTANTS, constants_text())
    for module in (topic, strength, foreign, reached, expected, held):
        module.build()
    for table in tables(results):
        save_table(table, HERE / "tables", endings=("csv",))
    plot = violins(scores=violin_scores(results.trials))
    save(replace(plot, data={}), HERE / "figures", "violins")
    for ending in ("png", "csv"):
        (HERE / "figures" / f"violins.{ending}").unlink(missing_ok=True)


def main() -> None:
    """The command line of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, metavar="RESULTS", help="a finished run of study.toml")
    results = parser.parse_args().store
    if results is not None:
        store(results)
    build()


if __name__ == "__main__":
    main()
