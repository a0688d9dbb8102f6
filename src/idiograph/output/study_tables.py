"""The tables of a study: the paper's Tables 2 and 3, the baseline's split, what else the field prints, and attacks.

Each is written as CSV (every digit, one number a cell), Markdown and LaTeX (the digits one reads).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from idiograph.arithmetic import LN10, norm
from idiograph.errors import counted
from idiograph.evidence.half_samples import FEWEST_AUTHORS, FEWEST_ERRORS
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.llr import NATS_PER
from idiograph.evidence.methods import short_name
from idiograph.files import write_whole
from idiograph.output.document import Table
from idiograph.provenance import other_versions
from idiograph.spreadsheet import csv_rows
from idiograph.studies.attacks import UnderAttack, all_together
from idiograph.studies.llrs import Fits
from idiograph.studies.results import Cell
from idiograph.studies.settings import (
    PRESETS,
    Study,
    papers_method,
    published_lengths,
    published_table2,
    published_table3,
)
from idiograph.studies.study import StudyResult
from idiograph.studies.summary import (
    BaselineSplit,
    Cllrs,
    Degenerate,
    Grid,
    Means,
    MethodPerformance,
    Standing,
    UnitRow,
    Varied,
    Where,
    Wins,
    baseline_split,
    compare,
    grids,
    lengths_of,
)
from idiograph.studies.topic_control import TopicBand, TopicControl

Value = str | int | float | None
Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class StudyTable:
    """Rows of values under a header; `formats` say how a value of each column is read, empty for words.

    `tidy` are the header and the rows of the CSV file where readers get several numbers in a cell.
    """

    name: str  # of its files
    caption: str
    header: tuple[str, ...]
    formats: tuple[str, ...]
    rows: Rows
    tidy: tuple[tuple[str, ...], Rows] | None = None

    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The cells as people read them; a dash where there is no value."""
        return tuple(
            tuple("–" if value is None else format(value, form) for value, form in zip(row, self.formats, strict=True))
            for row in self.rows
        )

    def block(self) -> Table:
        numeric = tuple(column for column, form in enumerate(self.formats) if form)
        return Table(self.caption, self.header, self.shown(), numeric=numeric)


def csv(table: StudyTable) -> str:
    """Every digit, one number a cell, empty where there is no value."""
    return csv_rows(*(table.tidy or (table.header, table.rows)))


def markdown(table: StudyTable) -> str:
    """A pipe table under its caption."""
    rules = ["---:" if form else "---" for form in table.formats]
    lines = [table.header, rules, *table.shown()]
    body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return f"{table.caption}\n\n{body}\n"


def latex(table: StudyTable) -> str:
    """A booktabs table with its caption."""
    columns = "".join("r" if form else "l" for form in table.formats)
    header, *rows = (
        " & ".join(cell.translate(_LATEX) for cell in line) + r" \\" for line in (table.header, *table.shown())
    )
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{table.caption.translate(_LATEX)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            header,
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


_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "λ": r"$\lambda$", "Λ": r"$\Lambda$", "α": r"$\alpha$",
    "β": r"$\beta$", "±": r"$\pm$", "≤": r"$\leq$", "–": "--", "−": "$-$", "×": r"$\times$",
})  # fmt: skip


_PAPERS_FIT = (
    "The paper's logistic regression is idiolect's call of R's glm, which is logistic_glm here; its figures also stand "
    "beside logistic, the same regression fitted to its maximum."
)


def table2(wins: Sequence[Wins]) -> StudyTable:
    """Wins and close losses of every method against every other, with the paper's where it has them."""
    paper = published_table2()
    pairs = [(win.method, win.comparator) for win in wins]
    fits = (
        f" {_PAPERS_FIT}" if any(pair in paper and "logistic_glm" in map(papers_method, pair) for pair in pairs) else ""
    )
    return StudyTable(
        name="table2",
        caption=(
            "Each method against each other, as in the paper's Table 2: per cent of conditions whose mean Cllr is "
            "lower or equal, and per cent of losses by at most 5 % of the other's Cllr (own − other ≤ 0.05 · other), "
            "over the corpora that have a loss. Every corpus weighs the same. A difference within 0.000001 is rounding "
            "and makes a tie, which both have won; ties are counted in conditions. The paper's figures are from its "
            f"fifteen corpora.{fits}"
        ),
        header=("method", "against", "wins %", "close losses %", "ties", "paper: wins %", "paper: close losses %"),
        formats=("", "", ".1f", ".1f", "d", ".2f", ".2f"),
        rows=tuple(
            (
                short_name(win.method), short_name(win.comparator), _points(win.wins), _points(win.close_losses),
                win.n_ties, *paper.get((win.method, win.comparator), (None, None)),
            )
            for win in wins
        ),
    )  # fmt: skip


def table3(cllrs: Cllrs, spread: str = "") -> StudyTable:
    """Cllr by corpus, condition and method: mean and standard deviation over the runs, and what that means."""
    means, spreads = cllrs.means(), cllrs.spreads()
    return StudyTable(
        name="table3",
        caption=(
            "Cllr of the case trials by corpus, condition and method, as in the paper's Table 3: mean ± standard "
            f"deviation over the runs. {spread}"
        ).strip(),
        header=("corpus", "condition", "runs", *(short_name(method) for method in cllrs.methods)),
        formats=("", "", "d", *("s" for _ in cllrs.methods)),
        rows=tuple(
            (
                *where, len(next(iter(row.values()))),
                *(_mean_sd(means[where][method], spreads[where][method]) for method in cllrs.methods),
            )
            for where, row in cllrs.runs.items()
        ),
        tidy=(
            ("corpus", "condition", "method", "runs", "mean", "sd"),
            tuple(
                (*where, method, len(values), means[where][method], spreads[where][method])
                for where, row in cllrs.runs.items()
                for method, values in row.items()
            ),
        ),
    )  # fmt: skip


def methods_table(standings: Sequence[Standing], means: Means) -> StudyTable:
    """Every method over all conditions, from the lowest mean Cllr."""
    tidy = tuple(
        (
            standing.method, short_name(standing.method), standing.mean, means[standing.lowest][standing.method],
            means[standing.highest][standing.method], len(means), standing.n_lowest, len(standing.failed),
        )
        for standing in standings
    )  # fmt: skip
    return StudyTable(
        name="methods",
        caption=(
            f"The methods over {counted(len(means), 'condition')}, from the lowest mean Cllr (every corpus weighs the "
            "same): the lowest and the highest Cllr of a condition, in how many conditions no method is lower (ties "
            "are shared), and in how many Cllr is 1 or more, so that giving no evidence would have cost less."
        ),
        header=("method", "mean Cllr", "lowest", "highest", "lowest of all in", "1 or more in"),
        formats=("", ".3f", ".3f", ".3f", "d", "d"),
        rows=tuple((*row[1:5], *row[6:]) for row in tidy),  # without the key and the number of conditions
        tidy=(
            ("method", "name", "mean", "lowest", "highest", "n_conditions", "n_lowest_of_all", "n_1_or_more"), tidy,
        ),
    )  # fmt: skip


_DRAWS = {
    "authors": "the authors with enough text to take part (and with them some pairs)",
    "split": "the split of the authors and their pairs",
    "texts": "the texts of Q and K",
    "reference": "the sentences of the reference models",
}


def spread_in_words(varied: Mapping[Where, Varied]) -> str:
    """What the standard deviation over the runs of a study says, by what the trials show to differ between them."""
    if not varied:
        return "There was one run, so there is none."
    alike: dict[Varied, list[Where]] = {}
    for where, kind in varied.items():
        alike.setdefault(kind, []).append(where)
    sentences = []
    for kind, places in sorted(alike.items(), key=lambda entry: -len(entry[1])):
        differ = [words for name, words in _DRAWS.items() if getattr(kind, name)]
        same = [words for name, words in _DRAWS.items() if not getattr(kind, name) and name != "authors"]
        if kind.authors:
            same = [words.removesuffix(" and their pairs") for words in same]
        words = f"from run to run {_with_and(differ)} differ" if differ else "from run to run nothing differs"
        if same:
            words += f"; the same in all runs: {_with_and(same)}"
        sentences.append(f"In {_places(places, varied)} {words}" if len(alike) > 1 else words[0].upper() + words[1:])
    return (
        f"{'. '.join(sentences)}. The standard deviation says how much what differs matters, and nothing else; it is "
        "not an interval for other authors."
    )


_FEW = 4  # conditions that a sentence names


def _places(places: Sequence[Where], of: Mapping[Where, object]) -> str:
    """Corpora and conditions in words: a corpus alone where all its conditions are meant."""
    by: dict[str, list[str]] = {}
    for corpus, condition in places:
        by.setdefault(corpus, []).append(condition)
    n = {corpus: sum(name == corpus for name, _ in of) for corpus in by}
    return ", ".join(
        corpus
        if len(conditions) == n[corpus]
        else f"{corpus} ({', '.join(conditions) if len(conditions) <= _FEW else f'{len(conditions)} conditions'})"
        for corpus, conditions in by.items()
    )


def _with_and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def cllr_values(cllrs: Cllrs) -> StudyTable:
    """Cllr of every run, for those who compute on."""
    rows: list[tuple[Value, ...]] = [
        (corpus, condition, run, method, float(value))
        for (corpus, condition), row in cllrs.runs.items()
        for method, values in row.items()
        for run, value in enumerate(values)
    ]
    header = ("corpus", "condition", "run", "method", "cllr")
    return StudyTable("cllr", "Cllr of every run.", header, ("", "", "d", "", ".3f"), tuple(rows))


def split_table(splits: Sequence[BaselineSplit], baseline: str) -> StudyTable:
    """Each method against the baseline, apart for conditions where that does badly and well."""

    def row(split: BaselineSplit) -> tuple[Value, ...]:
        where = "above 0.1" if split.above else "0.1 or below"
        shares = (_points(share) for share in (split.better_or_equal, split.within_5_percent, split.within_005))
        return split.corpus, short_name(split.method), where, split.n, *shares, split.largest_difference

    return StudyTable(
        name="baseline_split",
        caption=(
            f"Each method against {short_name(baseline)} where the latter's mean Cllr is above 0.1 and where it is "
            "not: per cent of these conditions in which the method is better or equal, in which it loses by at most "
            "5 %, in which its Cllr is at most 0.05 higher, and the largest difference (own − baseline)."
        ),
        header=(
            "corpus", "method", "baseline's Cllr", "conditions", "better or equal %", "loss within 5 %, %",
            "within 0.05, %", "largest difference",
        ),
        formats=("", "", "", "d", ".1f", ".1f", ".1f", ".3f"),
        rows=tuple(row(split) for split in splits),
    )  # fmt: skip


_READ_FIRST = (("cllr", "Cllr"), ("cllr_min", "Cllr_min"), ("cllr_cal", "Cllr_cal"), ("eer", "EER"), ("auc", "AUC"))
_OF_SCORE = (("auc", "AUC of the score"), ("cllr_min", "Cllr_min of the score"))
_FURTHER = (
    ("dev_pav", "devPAV"), ("same_right", "same > 0"), ("different_right", "different < 0"), ("shift", "shift α"),
    ("slope", "slope β"),
)  # fmt: skip
_SCORE_PREFIX = "score_"  # of metrics that are those of the score
_NONE = Estimate(None)
_POOLED = (
    "LLRs come from several fits where a method learns (one for each fold, run or author left out). Each fit keeps the "
    "order of the scores, all of them together do not; so AUC and Cllr_min of the score itself (λG for logistic "
    "regression) stand beside those of the LLRs. They are the same where nothing is fitted, and there are none where "
    "several scores are fitted together."
)


def performance_table(rows: Sequence[MethodPerformance], *, resamples: int) -> StudyTable:
    """The metrics of evidence that are read first, each with its interval where one was asked for."""
    how = (
        f"In brackets 95 % intervals over {resamples:,} resamples of authors; those of Cllr_min and Cllr_cal over half "
        f"samples of authors, and none with fewer than {FEWEST_AUTHORS} authors or where Cllr_min times the number of "
        f"authors is below about {FEWEST_ERRORS}, because it would cover too rarely."
        if resamples
        else "No intervals were asked for."
    )
    caption = f"The case trials of all runs together. {how} {_POOLED}"
    return _metrics("performance", caption, rows, _READ_FIRST, of_score=_OF_SCORE)


def further_table(rows: Sequence[MethodPerformance]) -> StudyTable:
    """The other metrics of evidence, with their intervals."""
    caption = (
        "The same trials: devPAV; the shares of same-author LLRs above 0 and of different-author LLRs below 0; α and β "
        "of ln LR = α + β · LLR refitted, where α is the shift that no scaling removes (none where the classes are "
        "separated)."
    )
    return _metrics("performance_further", caption, rows, _FURTHER)


def _metrics(
    name: str,
    caption: str,
    rows: Sequence[MethodPerformance],
    metrics: Sequence[tuple[str, str]],
    *,
    of_score: Sequence[tuple[str, str]] = (),
) -> StudyTable:
    """A row for every method, corpus and condition; in the CSV file one for every metric of them."""
    chosen: list[tuple[MethodPerformance, dict[str, Estimate]]] = []
    for row in rows:
        of_llrs = {key: getattr(row.performance, key) for key, _ in metrics}
        besides = {_SCORE_PREFIX + key: getattr(row.score, key) if row.score else _NONE for key, _ in of_score}
        chosen.append((row, of_llrs | besides))
    return StudyTable(
        name=name,
        caption=caption,
        header=(
            "corpus", "condition", "method", "authors", "same", "different",
            *(words for _, words in (*metrics, *of_score)),
        ),
        formats=("", "", "", "d", "d", "d", *("s" for _ in (*metrics, *of_score))),
        rows=tuple(
            (row.corpus, row.condition, short_name(row.method), *_counts(row), *map(_with_interval, estimates.values()))
            for row, estimates in chosen
        ),
        tidy=(
            (
                "corpus", "condition", "method", "metric", "value", "low", "high", "undefined_resamples", "n_authors",
                "n_same", "n_different",
            ),
            tuple(
                (
                    row.corpus, row.condition, row.method, metric, estimate.value, estimate.low, estimate.high,
                    estimate.undefined, *_counts(row),
                )
                for row, estimates in chosen
                for metric, estimate in estimates.items()
            ),
        ),
    )  # fmt: skip


def _counts(row: MethodPerformance) -> tuple[int, int, int]:
    return row.performance.n_authors, row.performance.n_same, row.performance.n_different


def performance_values(rows: Sequence[MethodPerformance]) -> StudyTable:
    """Every metric of both tables in one file."""
    caption = "Every metric with its interval, and how many authors and trials it comes from."
    return _metrics("metrics", caption, rows, (*_READ_FIRST, *_FURTHER), of_score=_OF_SCORE)


def decisions_table(rows: Sequence[MethodPerformance]) -> StudyTable:
    """What idiolect and PAN print: decisions at LR = 1."""
    return StudyTable(
        name="decisions",
        caption=(
            "Decisions at LR = 1 as idiolect prints them, and PAN's measures at equal priors (Brier as PAN's "
            "complement, 1 is best). An LLR is not a decision: these figures forget how strong the evidence was. Mean "
            "LLRs are in log10; misleading LRs count trials beyond 10 in the wrong direction. PAN's AUC is that of the "
            "LLRs, whose fits are pooled; that of the score stands beside it."
        ),
        header=(
            "corpus", "condition", "method", "authors", "same", "different", "balanced accuracy", "precision", "recall",
            "F1", "mean LLR same", "mean LLR different", "misleading same", "misleading different", "PAN AUC",
            "AUC of the score", "PAN c@1", "PAN F1", "PAN F0.5u", "PAN Brier",
        ),
        formats=("", "", "", "d", "d", "d", *(".3f",) * 4, ".2f", ".2f", "d", "d", *(".3f",) * 6),
        rows=tuple(
            (
                row.corpus, row.condition, short_name(row.method), *_counts(row), row.decisions.balanced_accuracy,
                row.decisions.precision, row.decisions.recall, row.decisions.f1, row.decisions.mean_same_log10,
                row.decisions.mean_different_log10, *_misleading(row), row.pan.auc,
                None if row.score is None else row.score.auc.value, row.pan.c_at_1, row.pan.f1, row.pan.f05_u,
                row.pan.brier,
            )
            for row in rows
        ),
    )  # fmt: skip


def fits_table(fits: Sequence[Fits]) -> StudyTable:
    """How many logistic fits met separated classes."""
    cells: dict[tuple[str, str, str], list[Fits]] = {}
    for fit in fits:
        cells.setdefault((fit.method, fit.corpus, fit.condition), []).append(fit)
    return StudyTable(
        name="fits",
        caption=(
            "Logistic fits. Where the training scores of the classes do not overlap (perfect) or overlap by one trial "
            "(near), the likelihood has no usable maximum: the guarded fit then shrinks by one trial per class, and "
            "the fit as R's glm stops is as steep as its iterations let it be."
        ),
        header=("method", "corpus", "condition", "fits", "perfectly separated", "nearly separated"),
        formats=("", "", "", "d", "d", "d"),
        rows=tuple(
            (
                short_name(method), corpus, condition, sum(fits.n_fits for fits in cell_fits),
                sum(fits.n_perfect for fits in cell_fits), sum(fits.n_near for fits in cell_fits),
            )
            for (method, corpus, condition), cell_fits in cells.items()
        ),
    )  # fmt: skip


def units_table(rows: Sequence[UnitRow]) -> StudyTable:
    """The corrections with ΛG read in bits, nats and bans."""
    return StudyTable(
        name="units",
        caption="Mean Cllr with ΛG read in bits (LR = 2^ΛG), nats (e^ΛG) and bans (10^ΛG).",
        header=("corpus", "condition", "method", *NATS_PER),
        formats=("", "", "", *(".3f" for _ in NATS_PER)),
        rows=tuple((r.corpus, r.condition, short_name(r.method), *r.cllr.values()) for r in rows),
    )


def left_out_table(result: StudyResult) -> StudyTable:
    """Who could not take part, and which conditions were refused."""
    rows: list[tuple[Value, ...]] = [
        (corpus, condition, count, why)
        for (corpus, condition), reasons in result.left_out.items()
        for why, count in reasons.items()
    ]
    rows += [(corpus, condition, None, f"refused: {why}") for (corpus, condition), why in result.refused.items()]
    caption = "Authors that could not take part in a condition (first run), and conditions that were refused."
    return StudyTable("left_out", caption, ("corpus", "condition", "authors", "why"), ("", "", "d", ""), tuple(rows))


def additions_table(result: StudyResult) -> StudyTable:
    """Which trials came when, and with other versions of what."""
    results = result.results
    n_trials = {Cell(*cell): len(places) for cell, places in result.trials.groups()}
    rows_of: dict[tuple[int, str, str], list[Cell]] = {}
    for cell, number in sorted(results.added.items(), key=lambda entry: entry[1]):
        rows_of.setdefault((number, cell.corpus, cell.condition), []).append(cell)
    rows: list[tuple[Value, ...]] = []
    for (number, corpus, condition), cells in rows_of.items():
        addition = results.additions[number]
        other = other_versions(addition.versions)
        runs = ", ".join(str(cell.run) for cell in cells)
        then = ", ".join(f"{name} {filed}" for name, (filed, _) in other.items())
        rows.append((addition.when, corpus, condition, runs, sum(n_trials.get(cell, 0) for cell in cells), then))
    return StudyTable(
        name="additions",
        caption="Which trials came when (UTC), and the versions that have changed since.",
        header=("scored", "corpus", "condition", "runs", "trials", "other versions"),
        formats=("", "", "", "", "d", ""),
        rows=tuple(rows),
    )


def degenerate_table(texts: Sequence[Degenerate]) -> StudyTable:
    """Questioned texts that are hardly texts."""
    return StudyTable(
        name="degenerate",
        caption=(
            "Questioned texts that repeat themselves: next to none of their token types occurs once (V1). One such "
            "trial can decide a Cllr; look at these texts, and leave them out with a reason if they are not texts."
        ),
        header=("corpus", "text", "tokens", "V1", "trials", "furthest λG"),
        formats=("", "", "d", "d", "d", ".1f"),
        rows=tuple(
            (text.corpus, text.q_id, text.n_tokens, text.n_hapaxes, text.n_trials, text.furthest) for text in texts
        ),
    )


_ALIKE = 2.0  # standard deviations of the difference


def paper_table(study: Study, cllrs: Cllrs) -> StudyTable:
    """The distance of a corpus's Cllr from the one that the paper prints, and whether the two agree."""
    return StudyTable(
        name="paper",
        caption=(
            "Mean Cllr here and in Table 3 of Barlow, Nini & Manino 2026 for corpora of the same name, each with the "
            "standard deviation over its runs. They agree where the distance is at most twice the standard deviation "
            "that both have together (one run has none). Another sample, another split or another preparation makes a "
            f"distance without anything being wrong. {_PAPERS_FIT}"
        ),
        header=(
            "corpus", "condition", "paper's corpus", "method", "is the paper's", "here", "sd", "paper", "paper: sd",
            "distance", "agrees",
        ),
        formats=("", "", "", "", "", ".3f", ".3f", ".3f", ".3f", "+.3f", ""),
        rows=tuple(_paper_rows(study, cllrs)),
    )  # fmt: skip


def _paper_rows(study: Study, cllrs: Cllrs) -> Iterator[tuple[Value, ...]]:
    named = {corpus.name: corpus.paper for corpus in study.corpora if corpus.paper is not None}
    means, spreads = cllrs.means(), cllrs.spreads()
    for (corpus, condition), row in means.items():
        for method, (paper, paper_sd) in published_table3().get(named.get(corpus, ""), {}).items():
            if method not in row:
                continue
            here, spread = row[method], spreads[corpus, condition][method]
            agrees = abs(here - paper) <= _ALIKE * norm([spread or 0.0, paper_sd])
            yield (
                corpus, condition, named[corpus], short_name(method), _yes(papers_method(method) == method), here,
                spread, paper, paper_sd, here - paper, _yes(agrees),
            )  # fmt: skip


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _mean_sd(mean: float, spread: float | None) -> str:
    return f"{mean:.3f}" if spread is None else f"{mean:.3f} ± {spread:.3f}"


def _with_interval(estimate: Estimate) -> str | None:
    if estimate.value is None:
        return None
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def papers_grids(every: Sequence[Grid]) -> tuple[Grid, ...]:
    """The length grids that have the lengths of one of the paper's."""
    return tuple(grid for grid in every if grid.q_lengths == grid.k_lengths and grid.q_lengths in PRESETS.values())


def lengths_table(means: Means, baseline: str) -> StudyTable:
    """The paper's length grids in figures, as its text gives them, and below them what it prints of its own."""
    rows: list[tuple[Value, ...]] = []
    for grid in papers_grids(grids(means)):
        cells = {
            where: row
            for where, row in means.items()
            if where[0] == grid.corpus and (lengths_of(where[1]) or (0, 0, ""))[2] == grid.how
        }
        splits = {(split.method, split.above): split for split in baseline_split(cells, baseline)}
        both = {"hapax", "square_root"} <= grid.means.keys()
        wins = compare(cells, "hapax", "square_root").wins if both else None
        for method, over in (("square_root", None), ("hapax", wins)):
            if (method, True) not in splits:
                continue
            above, below = splits[method, True], splits[method, False]
            rows.append(
                (
                    f"{grid.corpus}, {grid.how}", short_name(method), above.n, _points(above.better_or_equal),
                    _points(above.within_5_percent), below.n, _points(below.within_005), below.largest_difference,
                    _points(over),
                )
            )  # fmt: skip
    for row in published_lengths():
        values = [row.get(name) for name in ("better", "close", "near", "largest", "over")]
        rows.append((f"paper: {row['corpus']}", short_name(row["method"]), None, *values[:2], None, *values[2:]))
    return StudyTable(
        name="lengths",
        caption=(
            f"The length grids beside what the paper says of its own. Where the mean Cllr of {short_name(baseline)} is "
            "above 0.1: in how many conditions, and in per cent of them better or equal, and worse by at most 5 %. "
            "Where it is not: in how many, in per cent of them at most 0.05 higher, and the largest difference. Last, "
            "in per cent of all lengths, how often Hapax does at least as well as Square Root."
        ),
        header=(
            "corpus", "method", "above 0.1", "better or equal %", "loss within 5 %, %", "0.1 or below",
            "within 0.05, %", "largest difference", "Hapax ≥ Square Root %",
        ),
        formats=("", "", "d", ".1f", ".1f", "d", ".1f", ".3f", ".1f"),
        rows=tuple(rows),
    )  # fmt: skip


def _misleading(row: MethodPerformance) -> tuple[int, ...]:
    entries = {entry.same_author: entry for entry in row.performance.misleading if entry.lr == 10}
    return tuple(entries[kind].count for kind in (True, False))


def _points(share: float | None) -> float | None:
    """A share in percent, for a table that formats its numbers itself."""
    return None if share is None else 100 * share


def attack_table(cells: Sequence[UnderAttack]) -> StudyTable:
    """All corpora and conditions together."""
    return _attacks(
        "attack",
        "Different-author problems whose Q was attacked, all corpora and conditions together: how many there are, the "
        "share with an LR above 1 and above 10 for the wrong author, Cllr (mean over corpora and conditions; the "
        "same-author problems are those of the study) and the share in which the audit of a case finds a feature of K "
        "repeated. Phrases of K were put into Q; with nothing put in, what the audit finds is a false alarm.",
        all_together(cells),
        cells=False,
    )


def attack_values(cells: Sequence[UnderAttack]) -> StudyTable:
    """By corpus and condition, every digit."""
    return _attacks("attack_values", "Attacked problems by corpus and condition.", cells, cells=True)


def _attacks(name: str, caption: str, under_attack: Sequence[UnderAttack], *, cells: bool) -> StudyTable:
    # Of each column its heading, its format, and its value of a row.
    columns: list[tuple[str, str, Callable[[UnderAttack], Value]]] = [
        ("attack", "", lambda cell: cell.kind),
        ("method", "", lambda cell: short_name(cell.method)),
        ("problems", ",", lambda cell: cell.n_different),
        ("LR above 1", ".1%", lambda cell: cell.above_1 / cell.n_different),
        ("LR above 10", ".1%", lambda cell: cell.above_10 / cell.n_different),
        ("Cllr", ".3f", lambda cell: cell.cllr),
        ("audit caught", ".1%", lambda cell: _share_of_attacked(cell, cell.n_caught)),
    ]
    if cells:
        columns[:0] = [("corpus", "", lambda cell: cell.corpus), ("condition", "", lambda cell: cell.condition)]
    if any(cell.n_same for cell in under_attack):
        caption += " Where authors disguised themselves, also with their own K: the share with an LR below 1."
    if any(cell.n_flagged is not None for cell in under_attack):
        caption += " Flagged is what page one of a case would say owes its likeness to K's own phrases."
        columns.append(("flagged", ".1%", lambda cell: _share_of_attacked(cell, cell.n_flagged)))
    if any(cell.n_same for cell in under_attack):
        columns += [
            ("own problems", ",", lambda cell: cell.n_same or None),
            ("LR below 1", ".1%", lambda cell: cell.below_1 / cell.n_same if cell.n_same else None),
        ]
    header, formats, values = zip(*columns, strict=True)
    rows = tuple(tuple(value(cell) for value in values) for cell in under_attack)
    return StudyTable(name, caption, header, formats, rows)


def _share_of_attacked(cell: UnderAttack, n: int | None) -> float | None:
    return None if n is None else n / (cell.n_different + cell.n_same)


def topic_table(rows: Sequence[TopicControl]) -> StudyTable:
    """Plain and topic-controlled Cllr of every method."""
    return StudyTable(
        name="topic",
        caption="Cllr where topic cannot help: each same-author trial, of all draws, is compared with the "
        "different-author trials that are as close in topic, impostors among them. The plain Cllr beside it is that of "
        "trials drawn as their reference.",
        header=("corpus", "condition", "method", "same-author", "matched", "different-author", "impostors", "Cllr",
                "topic-controlled"),
        formats=("", "", "", ",", ",", ",", ",", ".3f", ".3f"),
        rows=tuple(
            (row.corpus, row.condition, short_name(row.method), row.n_same, row.n_matched, row.n_different,
             row.n_impostors, row.cllr, row.controlled)
            for row in rows
        ),
    )  # fmt: skip


def _log10(nats: float | None) -> float | None:
    return None if nats is None else nats / LN10


def topic_bands_table(rows: Sequence[TopicBand]) -> StudyTable:
    """Every method by how close Q and K are in topic."""
    return StudyTable(
        name="topic_bands",
        caption="By how close Q and K are in topic (g: 0 is what a different author of the reference has on average): "
        "the mean log10 LR of both classes, both halves of Cllr, of which each is 1 where LLRs are no better than "
        "giving no evidence, and shares of LRs that mislead. All corpora and conditions together.",
        header=("method", "g from", "to", "same-author", "different-author", "same log10 LR", "different log10 LR",
                "half same", "half different", "same LR < 1/3", "same LR < 1/10", "different LR > 3",
                "different LR > 10"),
        formats=("", ".1f", ".1f", ",", ",", "+.2f", "+.2f", ".3f", ".3f", ".1%", ".1%", ".1%", ".1%"),
        rows=tuple(
            (short_name(row.method), row.band.low, row.band.high, row.band.n_same, row.band.n_different,
             _log10(row.band.same_mean), _log10(row.band.different_mean), row.band.same_half, row.band.different_half,
             row.band.same_below_third, row.band.same_below_tenth,
             row.band.different_above_3, row.band.different_above_10)
            for row in rows
        ),
    )  # fmt: skip
