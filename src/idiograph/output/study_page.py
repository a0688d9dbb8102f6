"""The page of a study: which method, how good, where it fails; then its tables, figures and curves, in one file."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from idiograph.arithmetic import FloatArray, mean, quantile
from idiograph.checking import checks_arguments
from idiograph.errors import counted
from idiograph.evidence.constants import NONE
from idiograph.evidence.methods import short_name
from idiograph.evidence.metrics import ece_curve, pav_curve, tippett_curve
from idiograph.files import as_path, locked, refuse_links, write_whole
from idiograph.output import figures
from idiograph.output.document import (
    Block,
    Box,
    Contents,
    Curves,
    Document,
    Heading,
    Picture,
    Run,
    SmallCurves,
    bullets,
    code,
    numbered,
    paragraph,
    strong,
)
from idiograph.output.html import html
from idiograph.output.plot import Plot, beyond, drawing, log10, save, span
from idiograph.output.study_tables import (
    ENDINGS,
    StudyTable,
    additions_table,
    attack_table,
    attack_values,
    cllr_values,
    decisions_table,
    degenerate_table,
    fits_table,
    further_table,
    left_out_table,
    lengths_table,
    methods_table,
    paper_table,
    papers_grids,
    performance_table,
    performance_values,
    save_table,
    split_table,
    spread_in_words,
    table2,
    table3,
    topic_bands_table,
    topic_table,
    units_table,
)
from idiograph.provenance import VERSION, digest
from idiograph.records import record_or_none, record_text
from idiograph.studies.attack import IMITATIONS, Attack, name_of
from idiograph.studies.joining import join_studies as joined
from idiograph.studies.llrs import warned_fits
from idiograph.studies.problems import MOST_IN_COHORT
from idiograph.studies.settings import Study
from idiograph.studies.study import StudyResult, run_study
from idiograph.studies.summary import MethodPerformance, MethodTrials, Standing, Where, lengths_of, lower_or_equal
from idiograph.studies.trial_table import TrialTable, write_idiolect

_NAMED = 6  # conditions that a sentence names; of more it says how many there are
_FIRST = 5.0  # inches: about the height that the first figure may have
_EVERY = 40  # conditions that a figure of all of them still shows
_LONGEST = 80  # letters in a part of a file's name


@dataclass(frozen=True)
class Figure:
    """A figure: the part of the page it stands in (None: in none), the name of its files, its caption and the plot."""

    part: str | None
    name: str
    caption: str
    plot: Plot


def _tables(result: StudyResult) -> tuple[StudyTable, ...]:
    study, summary, rows = result.study, result.summary, result.performance
    tables = [
        methods_table(summary.standings, summary.means),
        table3(summary.cllrs, spread_in_words(summary.varied)),
        table2(summary.wins),
    ]
    if summary.splits:
        tables.append(split_table(summary.splits, study.baseline))
    if papers_grids(summary.grids):
        tables.append(lengths_table(summary.means, study.baseline))
    tables += [performance_table(rows, resamples=study.resamples), further_table(rows), decisions_table(rows)]
    if result.attacks:
        tables += [attack_table(result.attacks), attack_values(result.attacks)]
    if result.topic:
        tables += [topic_table(result.topic), topic_bands_table(result.topic_bands)]
    if result.degenerate:
        tables.append(degenerate_table(result.degenerate))
    if result.fits:
        tables.append(fits_table(result.fits))
    if summary.units:
        tables.append(units_table(summary.units))
    if any(corpus.paper for corpus in study.corpora):
        tables.append(paper_table(study, summary.cllrs))
    if result.left_out or result.refused:
        tables.append(left_out_table(result))
    if len(result.results.additions) > 1:
        tables.append(additions_table(result))
    return (*tables, cllr_values(summary.cllrs), performance_values(rows))


_FOR_MACHINES = ("cllr", "metrics", "attack_values")  # tables of every digit, in files only
_LISTED = "page.json"  # the files of a page, so that the next one can tell them from the user's


@checks_arguments
def study(
    study: Study | Path | str, out: Path | str | None = None, *, workers: int | None = None, cluster: str | None = None
) -> StudyResult:
    """Runs a study, or what is left of it, into the folder `out`, as the command does: trials, tables, figures, a page.

    `study` are its settings or its file, study.toml. What `out` holds of the study is kept: more corpora, conditions,
    runs and methods are added to it; a folder of anything else is refused. Without `out` nothing is kept but the result
    that comes back: its `trials`, and the `performance` of each method by corpus and condition. `workers` processes
    share the scoring (default: one per processor), or those of the dask scheduler at the address `cluster`.
    """
    result = run_study(study, out, workers=workers, cluster=cluster)
    if out is not None:
        publish(result, as_path(out, "The folder of the results"))
    return result


def join_studies(results: Sequence[Path | str], out: Path | str) -> StudyResult:
    """The studies of several folders of `results` as one, in the new folder `out`, with its page; nothing is scored.

    Every corpus weighs the same.
    """
    result = joined(results, out)
    publish(result, as_path(out, "The folder of the joined results"))
    return result


def publish(result: StudyResult, out: Path) -> Path:
    """Writes tables/, figures/, idiolect.csv and index.html into the results folder; the page's path.

    What an earlier page had and this one has not is removed; whatever else lies there is the user's.
    """
    with locked(out):
        refuse_links(out)
        before = _files_of_page(out)
        written: list[Path] = []
        with drawing(out):
            tables, plots = _tables(result), tuple(_figures(result))
            for table in tables:
                endings = ("csv",) if table.name in _FOR_MACHINES else ENDINGS
                written += save_table(table, out / "tables", endings=endings)
            for figure in plots:
                written += save(figure.plot, out / "figures", figure.name)
            write_idiolect(result.trials.plain, out / "idiolect.csv")
            write_whole(out / "index.html", html(_page(result, tables, plots)))
        names = {path.relative_to(out).as_posix() for path in written}
        # Listed before anything is removed: after a kill the next page still knows what is old.
        _list_files(out, before | names)
        for name in before - names:
            (out / name).unlink(missing_ok=True)
        _list_files(out, names)
    return out / "index.html"


def _files_of_page(out: Path) -> set[str]:
    """The tables and figures that an earlier page wrote; none where there is no list that can be read."""
    try:
        listed = record_or_none((out / _LISTED).read_bytes()) or {}
    except OSError:
        return set()
    names = listed.get("files")
    ours = (name for name in names if isinstance(name, str)) if isinstance(names, list) else ()
    return {name for name in ours if re.fullmatch(r"(tables|figures)/[^/\\\0]+", name) and ".." not in name}


def _list_files(out: Path, names: Iterable[str]) -> None:
    write_whole(out / _LISTED, record_text({"files": sorted(names)}, ascii=True))


def page(result: StudyResult) -> Document:
    """The page of a study, with its tables and figures."""
    return _page(result, _tables(result), tuple(_figures(result)))


def _page(result: StudyResult, tables: Sequence[StudyTable], plots: Sequence[Figure]) -> Document:
    return Document(
        title=result.study.name,
        subtitle=f"{len(result.trials):,} trials of {counted(len(result.study.corpora), 'corpus', 'corpora')}",
        header=result.study.name,
        banner=None,
        footer=f"Idiograph {VERSION} · study {result.study.digest[:12]}",
        blocks=numbered(_blocks(result, {table.name: table for table in tables}, plots)),
        wide=True,
    )


# The parts of the page in order, with their tables; who wins comes last, before how all of it was made.
_IN_SHORT, _CONDITIONS, _CURVES, _RAW = "In short", "Cllr by condition", "Curves", "Raw scores"
_PARTS: dict[str, tuple[str, ...]] = {
    _IN_SHORT: ("methods",),
    _CONDITIONS: ("table3",),
    "Performance": ("performance", "performance_further", "decisions"),
    _CURVES: (),
    _RAW: ("degenerate",),
    "Beside the paper": ("paper",),
    "Under attack": ("attack",),
    "Fits and units": ("fits", "units"),
    "Who and what is not in it": ("left_out", "additions"),
    "Each method against each other": ("baseline_split", "table2"),
}


def _blocks(result: StudyResult, tables: Mapping[str, StudyTable], plots: Sequence[Figure]) -> Iterator[Block]:
    for part, names in _PARTS.items():
        of_part = [figure for figure in plots if figure.part == part]
        if not of_part and not any(name in tables for name in names):
            continue
        yield Heading(1, part)
        if part == _IN_SHORT:
            yield _finding(result)
        for figure in of_part:
            yield Picture(figure.plot, figure.name, figure.caption)
        for name in names:
            if name in tables:
                yield tables[name].block()
        if part == _IN_SHORT:
            yield Contents()
        if part == _CURVES:
            yield from _all_curves(result)
    yield Heading(1, "How it was made")
    yield bullets([*design_in_words(result.study), *_facts(result)])
    yield paragraph(code(result.signature), small=True)
    yield paragraph(
        "Every digit, one number a cell, is in the CSV files of the folder tables; trials.parquet holds every trial.",
        small=True,
    )


def _finding(result: StudyResult) -> Box:
    """Which method, how good, where it fails, in sentences made from the figures."""
    means, (first, *others) = result.summary.means, result.summary.standings
    n_corpora = len({corpus for corpus, _ in means})
    over = f"{counted(len(means), 'condition')} of {counted(n_corpora, 'corpus', 'corpora')}"
    weighed = ", every corpus weighing the same" if n_corpora > 1 else ""
    scale = "0 is perfect, 1 is no better than giving no evidence"
    leads = "has the lowest mean Cllr:" if others else "is the only method; its mean Cllr is"
    which: list[str | Run] = [
        strong(short_name(first.method)),
        f" {leads} {first.mean:.3f} over {over}{weighed} ({scale}).",
    ]
    if others:
        follow = "; ".join(f"{short_name(standing.method)} {standing.mean:.3f}" for standing in others[:_NAMED])
        lower = sum(not lower_or_equal(row[first.method], row[others[0].method]) for row in means.values())
        which.append(
            f" Then {follow}. It has the lowest Cllr of all in {first.n_lowest} of {len(means)} conditions; "
            f"{short_name(others[0].method)} is below it in {lower}. These very trials chose it; on other texts "
            "another may lead."
        )
    paragraphs = [paragraph(*which)]
    if len(means) > 1:
        best, worst = (means[where][first.method] for where in (first.lowest, first.highest))
        good = f"It is {best:.3f} at its best ({', '.join(first.lowest)}) and "
        paragraphs.append(paragraph(f"{good}{worst:.3f} at its worst ({', '.join(first.highest)})."))
    paragraphs.append(paragraph(*_failure(result, first)))
    failing = [f"{short_name(standing.method)} in {len(standing.failed)}" for standing in others if standing.failed]
    below = [short_name(standing.method) for standing in others if first.failed and not standing.failed]
    if failing:
        paragraphs.append(paragraph(f"Other methods fail: {', '.join(failing)} of {len(means)}."))
    if below:
        paragraphs.append(paragraph(f"Below 1 everywhere: {', '.join(below)}."))
    return Box("finding", "Which method, how good, where does it fail?", tuple(paragraphs))


def _failure(result: StudyResult, first: Standing) -> Iterator[str | Run]:
    means = result.summary.means
    highs = {
        (row.corpus, row.condition): row.performance.cllr.high
        for row in result.performance
        if row.method == first.method
    }
    doubtful = [where for where, high in highs.items() if high is not None and high >= 1 and where not in first.failed]
    if first.failed:
        yield strong(f"It fails in {len(first.failed)} of {len(means)}")
        yield f", with a Cllr of 1 or more: {_some(first.failed)}."
    else:
        yield strong("It fails nowhere here")
        yield f": its Cllr is below 1 in {'every' if len(means) > 1 else 'the'} condition."
    if doubtful:
        more = " more" if first.failed else ""
        yield f" The 95 % interval over authors reaches 1 in {len(doubtful)}{more}: {_some(doubtful)}."


def _some(places: Sequence[Where]) -> str:
    named = "; ".join(map(", ".join, places[:_NAMED]))
    return named if len(places) <= _NAMED else f"{named}; and {len(places) - _NAMED} more"


def _all_curves(result: StudyResult) -> Iterator[Block]:
    """The curves of all methods on each condition, so small that the page holds all of them."""
    yield paragraph(
        "All methods on all conditions, small. Left, a Tippett plot: the share of same-author (solid) "
        "and of different-author trials (dashed) with this LR or more, over log10 LR. Middle, a PAV plot: log10 LR as "
        "computed against what pool-adjacent-violators makes of it; on the diagonal nothing needs correcting. Right, "
        "empirical cross-entropy over prior log10 odds from −2 to 2: as computed (solid), after PAV (dashed), giving "
        f"no evidence (dotted); it ends at {_COSTLIEST:g} bits."
    )
    before = None
    pairs = zip(result.judged, result.performance, strict=True)
    for (corpus, condition), group in groupby(pairs, key=lambda pair: (pair[0].corpus, pair[0].condition)):
        if corpus != before:
            yield Heading(2, corpus)
        before = corpus
        methods = list(group)
        # One axis for all methods of a condition, and not that of the one with the wildest LLRs.
        lows, highs = zip(*(span(log10(trials.trials.all)) for trials, _ in methods), strict=True)
        limits = (quantile(lows, 0.5), quantile(highs, 0.5))
        cllrs = {short_name(row.method): row.performance.cllr.value or 0.0 for _, row in methods}
        best = next(name for name, value in cllrs.items() if lower_or_equal(value, min(cllrs.values())))
        yield Curves(
            title=f"{condition}: Cllr from {cllrs[best]:.3f} ({best}) to {max(cllrs.values()):.3f}",
            low=f"{limits[0]:.1f}".replace("-", "−"),
            high=f"{limits[1]:.1f}",
            middle=_units(0.0, limits, _WIDTH),
            neutral=_line(_PRIORS, ece_curve(same=[0.0], different=[0.0], prior_log10_odds=_PRIORS).neutral),
            rows=tuple(_small_curves(trials, row, limits) for trials, row in methods),
        )


# Each curve is a path for an SVG drawing, rounded to units: three plots take some two thousand bytes together.
_WIDTH, _HEIGHT = 200, 100
_PRIORS = np.linspace(-2.0, 2.0, 41)  # log10 odds
_COSTLIEST = 1.5  # bits: where the plot of empirical cross-entropy ends


def _small_curves(of: MethodTrials, row: MethodPerformance, limits: tuple[float, float]) -> SmallCurves:
    both = {"same": of.trials.same, "different": of.trials.different}
    shares, fitted = tippett_curve(**both), pav_curve(**both)
    costs = ece_curve(**both, prior_log10_odds=_PRIORS)
    at = np.searchsorted(shares.log10_lr, np.linspace(*limits, _WIDTH + 1))
    outside = beyond(log10(of.trials.all), limits)
    performance, words = row.performance, []
    for name, metric in (("Cllr", performance.cllr), ("Cllr_min", performance.cllr_min), ("AUC", performance.auc)):
        words.append(f"{name} {metric.value:.3f}" if metric.value is not None else f"no {name}")
    if outside:
        words.append(f"{counted(outside, 'trial')} of {of.trials.all.size:,} beyond the axis")
    return SmallCurves(
        name=short_name(of.method),
        facts="; ".join(words),
        same=_steps(np.append(shares.same, 0.0)[at]),
        different=_steps(np.append(shares.different, 0.0)[at]),
        pav=_path(
            [_units(x, limits, _WIDTH) for x in fitted.log10_lr],
            [_HEIGHT - _units(y, limits, _HEIGHT) for y in fitted.pav_log10_lr],
        ),
        llrs=_line(_PRIORS, costs.llrs),
        calibrated=_line(_PRIORS, costs.calibrated),
    )


def _units(value: float, limits: tuple[float, float], most: int) -> int:
    """How far along an axis of so many units a value stands; what lies beyond the limits stands at the edge."""
    return round(most * (min(max(value, limits[0]), limits[1]) - limits[0]) / (limits[1] - limits[0]))


def _steps(shares: FloatArray) -> str:
    """A path that goes right, and down wherever the share at the next unit is another one."""
    heights = [round(_HEIGHT * (1.0 - float(share))) for share in shares]
    path = [f"M0 {heights[0]}"]
    for at, (before, height) in enumerate(pairwise(heights), 1):
        if height != before:
            path.append(f"H{at}V{height}")
    return "".join([*path, f"H{len(heights) - 1}"])


def _line(x: FloatArray, y: FloatArray) -> str:
    ends = (float(x[0]), float(x[-1]))
    heights = [_HEIGHT - _units(float(cost), (0.0, _COSTLIEST), _HEIGHT) for cost in y]
    return _path([_units(float(odds), ends, _WIDTH) for odds in x], heights)


def _path(across: Sequence[int], down: Sequence[int]) -> str:
    """A line through points, without those that lie between two others at the same height."""
    points = list(dict.fromkeys(zip(across, down, strict=True)))
    corners = [
        point
        for at, point in enumerate(points)
        if not 0 < at < len(points) - 1 or not points[at - 1][1] == point[1] == points[at + 1][1]
    ]
    return "M" + "L".join(f"{x} {y}" for x, y in corners)


def _facts(result: StudyResult) -> Iterator[str]:
    """What is known of the trials, a sentence each."""
    for name, facts in result.results.corpora.items():
        if facts.writers:
            yield f"{name}: {facts.writers}"
    for row in result.degenerate:
        yield (
            f"{row.corpus}: {row.q_id} repeats itself ({row.n_hapaxes} of {row.n_tokens:,} tokens are of a type that "
            f"occurs once) and is in {row.n_trials} trial(s)."
        )
    if result.results.joined:
        names = ", ".join(f"{study['study']} ({study['signature']})" for study in result.results.joined)
        yield f"The trials are those of {len(result.results.joined)} studies, joined: {names}."
    if (warned := warned_fits(result.fits)) is not None:
        yield warned
    dates = dict.fromkeys(result.results.additions[number].when[:10] for number in result.results.added.values())
    yield f"The trials were scored on {', '.join(sorted(dates))}" + (
        ", in several additions (see the table of which trials came when)."
        if len(result.results.additions) > 1
        else "."
    )


_NO_CONSTANTS = "The reference-normalised LR goes without constants learnt on other corpora."


def design_in_words(study: Study) -> list[str]:
    """Every choice that made the problems, a sentence each."""
    design = study.design
    split = (
        "Every trial is calibrated on all others that share no author with it."
        if study.leave_authors_out
        else f"Authors are split at random: {_shares(study)} for calibration, the rest for the case data."
    )
    others = {
        "case": "the other case authors",
        "own half": "the other authors of its own half",
        "all": "all other authors",
        "pool": "a pool of texts of its own",
    }
    texts = {"known": "known texts only", "all": "all their texts"}
    pairs = {
        "trace": "each Q against the K of another author (trace-anchored)",
        "source": "each K against the Q of another author (source-anchored)",
        "outside": "each case author's K against the Q of an author outside the case data",
    }
    if design.pairs == "all":
        split = (
            f"Authors are left out in folds of about {design.fold}; each trial of a fold is normalised and calibrated "
            "by authors outside it."
        )
        pairing = f"Every Q meets every K of its fold, {design.most_authors} authors at most."
    else:
        pairing = (
            f"Each author is in one same-author problem and {design.n_pairs} different-author: {pairs[design.pairs]}."
        )
        if study.matrix_of_halves:
            pairing += (
                f" Reference-normalised LRs are judged by {design.cohort or MOST_IN_COHORT} authors at most, "
                f"{'of all others' if study.leave_authors_out else 'of the calibration half'}."
            )
    varied = ", ".join(study.vary) if study.runs > 1 else "none"
    return [
        split,
        pairing,
        f"The reference of every problem, calibration problems too: {others[design.reference]}, "
        f"{texts[design.reference_texts]}, never a text of the two writers at hand, nor the same text by another name.",
        f"{counted(study.runs, 'run')}; seeds: split {study.seeds.split}, texts {study.seeds.texts}, reference "
        f"{study.seeds.reference}; going up by one per run: {varied}.",
        f"λG of order {study.order} with {study.repetitions} reference models and discount {study.discount:g}; "
        f"corrected values are read in {study.unit}.",
        *([_NO_CONSTANTS] if study.constants == NONE else []),
        *_attack_in_words(study.attack),
        *(
            f"{corpus.name}: calibrated on the authors of {corpus.training}; all its own are case authors."
            for corpus in study.corpora
            if corpus.training is not None
        ),
        *(
            f"{corpus.name}: about {corpus.tokens_per_author:,} words per author, whole texts chosen by their ids."
            for corpus in study.corpora
            if corpus.tokens_per_author is not None
        ),
    ]


def _shares(study: Study) -> str:
    """The share of calibration authors; by corpora, where it differs."""
    shares: dict[float, list[str]] = {}
    for corpus in study.corpora:
        if corpus.training is None:
            shares.setdefault(study.design_of(corpus.name).calibration, []).append(corpus.name)
    if len(shares) < 2:
        return f"{next(iter(shares), study.design.calibration):.0%}"
    return "; ".join(f"{share:.0%} of {', '.join(names)}" for share, names in shares.items())


def _attack_in_words(attack: Attack) -> Iterator[str]:
    if attack.insert:
        yield (
            "Different-author problems were also attacked: the trigrams most typical of K among those that K has three "
            "times or more were put before the last token of successive sentences of Q "
            f"({'; '.join(map(name_of, attack.kinds))}). A K with fewer such trigrams lends those it has; one without "
            "any takes no part."
        )
    if attack.imitate:
        puts = "; ".join(f"{name}: {IMITATIONS[name]}" for name in attack.imitate)
        yield (
            "Imitators with a concordance of K put its phrases before the last token of successive sentences of "
            f"somebody else's Q, which keeps its own content words ({puts}). A K that has nothing to take is not "
            "imitated."
        )
    if attack.disguised:
        yield "Texts marked as imitation or obfuscation were compared with every K of their author's fold."


def _figures(result: StudyResult) -> Iterator[Figure]:
    yield from _overviews(result)
    for grid in result.summary.grids:
        panels = {short_name(method): means for method, means in grid.means.items()}
        plot = figures.length_heatmap(q_lengths=grid.q_lengths, k_lengths=grid.k_lengths, panels=panels)
        caption = f"{grid.corpus}, {grid.how}: mean Cllr over the lengths of Q and K, blank where it exceeds 1."
        yield Figure(_CONDITIONS, f"lengths_{_file_name(grid.corpus)}_{_file_name(grid.how)}", caption, plot)
    yield from _leading_curves(result)
    scores = violin_scores(result.trials.plain)
    caption = f"Raw λG of all trials, calibration and case, by corpus; {figures.beyond_in_words(scores)}"
    yield Figure(_RAW, "violins", caption, figures.violins(scores=scores))


def _overviews(result: StudyResult) -> Iterator[Figure]:
    """Cllr of all methods: first by condition if that is not too much to see at once, else by corpus and drawing."""
    means, standings = result.summary.means, result.summary.standings
    methods = [standing.method for standing in standings]
    judged = {(row.corpus, row.condition, row.method): row.performance.cllr for row in result.performance}

    def point(where: Where, method: str) -> figures.Point:
        estimate = judged[(*where, method)]
        return means[where][method], estimate.low, estimate.high

    n_corpora = len({corpus for corpus, _ in means})
    every = {
        (where[1] if n_corpora == 1 else ", ".join(where)): {short_name(m): point(where, m) for m in methods}
        for where in means
    }
    with_intervals = any(low is not None for row in every.values() for _, low, _ in row.values())
    line = "95 % interval over authors" if with_intervals else ""
    caption = "Cllr by method and condition" + (", with 95 % intervals over authors" if with_intervals else "")
    if figures.dots_height(len(means), len(methods)) <= _FIRST:
        yield Figure(
            _IN_SHORT,
            "cllr",
            f"{caption}. Beyond the dashed line giving no evidence costs less.",
            figures.cllr_dots(rows=every, line=line),
        )
        return
    groups: dict[str, list[Where]] = {}
    for corpus, condition in means:
        lengths = lengths_of(condition)
        how = condition if lengths is None else lengths[2]
        groups.setdefault(how if n_corpora == 1 else f"{corpus}, {how}", []).append((corpus, condition))
    rows = {}
    for name, places in groups.items():
        values = {method: [means[where][method] for where in places] for method in methods}
        rows[f"{name} ({len(places)})" if len(places) > 1 else name] = {
            short_name(method): (mean(of), min(of), max(of)) for method, of in values.items()
        }
    yield Figure(
        _IN_SHORT,
        "cllr",
        "Mean Cllr by method and by corpus and way of drawing (in brackets how many lengths), with a line from the "
        "lowest to the highest length. Beyond the dashed line giving no evidence costs less.",
        figures.cllr_dots(rows=rows, line="lowest to highest condition"),
    )
    if len(means) <= _EVERY:
        yield Figure(_CONDITIONS, "cllr_conditions", f"{caption}.", figures.cllr_dots(rows=every, line=line))


def violin_scores(trials: TrialTable) -> dict[str, tuple[FloatArray, FloatArray]]:
    """λG of all trials by corpus: of one author, and of two."""
    # Problems that only normalise others are nobody's result; in folds they are the same problems.
    trials = trials.where((trials.column("half") != "cohort") | (trials.column("fold") >= 0))
    corpora, scores, same = trials.column("corpus"), trials.column("lambda_g"), trials.same
    return {
        corpus: (scores[(corpora == corpus) & same], scores[(corpora == corpus) & ~same])
        for corpus in dict.fromkeys(corpora)
    }


def _leading_curves(result: StudyResult) -> Iterator[Figure]:
    """Tippett, PAV and ECE plots of the method with the lowest mean Cllr, at its best and its worst in every corpus.

    The page shows those of the best and the worst of all; the others are in files only.
    """
    first, means = result.summary.standings[0], result.summary.means
    of = [trials for trials in result.judged if trials.method == first.method]
    for corpus in dict.fromkeys(trials.corpus for trials in of):
        judged = [trials for trials in of if trials.corpus == corpus]
        judged.sort(key=lambda trials: means[trials.corpus, trials.condition][trials.method])
        for trials in judged[:1] + judged[1:][-1:]:
            where = (trials.corpus, trials.condition)
            at = " at its best" if where == first.lowest else " at its worst" if where == first.highest else ""
            part = _CURVES if where in (first.lowest, first.highest) else None
            named = f"{', '.join(where)}, {short_name(trials.method)}{at if len(means) > 1 else ''}"
            for kind, draw, words in (
                ("tippett", figures.tippett, "Tippett plot"),
                ("pav", figures.pav, "PAV plot"),
                ("ece", figures.ece, "Empirical cross-entropy"),
            ):
                plot = draw(same=trials.trials.same, different=trials.trials.different)
                name = "_".join([kind, *map(_file_name, (*where, trials.method))])
                yield Figure(part, name, f"{words}: {named}.", plot)


def _file_name(name: str) -> str:
    """A name as a part of a file's: letters and digits, and not too long for any file system."""
    plain = "".join(char if char.isalnum() or char in "-_" else "-" for char in name)
    return plain if len(plain.encode()) <= _LONGEST else f"{plain[: _LONGEST // 4]}-{digest(name)[:12]}"
