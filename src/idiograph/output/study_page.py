"""The page of a study: its tables, its figures and the line that says how it was made, in one HTML file."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from idiograph.errors import counted
from idiograph.evidence.constants import NONE
from idiograph.evidence.methods import METHODS, short_name
from idiograph.files import locked, refuse_links, write_whole
from idiograph.output import figures
from idiograph.output import figures as figures_study
from idiograph.output.document import Block, Document, Heading, Picture, bullets, code, paragraph
from idiograph.output.html import html
from idiograph.output.plot import Plot, drawing, save
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
    paper_table,
    performance_table,
    performance_values,
    save_table,
    split_table,
    spread_in_words,
    table2,
    table3,
    units_table,
)
from idiograph.provenance import VERSION
from idiograph.records import record_or_none, record_text
from idiograph.studies.attack import Attack, name_of
from idiograph.studies.settings import Study
from idiograph.studies.study import StudyResult
from idiograph.studies.summary import Grid, MethodTrials
from idiograph.studies.trial_table import TrialTable, write_idiolect

_CAP = 150.0  # λG beyond it is counted, not drawn


@dataclass(frozen=True)
class Shown:
    """The tables and figures of a study, made once."""

    result: StudyResult
    tables: tuple[StudyTable, ...]
    plots: tuple[tuple[str, str, Plot], ...]  # name of its files, caption, plot


def shown(result: StudyResult) -> Shown:
    """The tables and figures of a study."""
    plots = (*_heatmaps(result.summary.grids), _violins(result.trials.plain), *_curves(result.judged))
    return Shown(result, study_tables(result), plots)


def study_tables(result: StudyResult) -> tuple[StudyTable, ...]:
    """The tables of a study."""
    study, summary, rows = result.study, result.summary, result.performance
    tables = [table2(summary.wins), table3(summary.cllrs, spread_in_words(study))]
    if summary.splits:
        tables.append(split_table(summary.splits, study.baseline))
    tables += [performance_table(rows, resamples=study.resamples), further_table(rows), decisions_table(rows)]
    if result.attacks:
        tables += [attack_table(result.attacks), attack_values(result.attacks)]
    if result.degenerate:
        tables.append(degenerate_table(result.degenerate))
    if result.fits:
        tables.append(fits_table(result.fits))
    if summary.units:
        tables.append(units_table(summary.units))
    if any(corpus.paper for corpus in study.corpora):
        tables.append(paper_table(study, summary.means))
    if result.left_out or result.refused:
        tables.append(left_out_table(result))
    if len(result.results.additions) > 1:
        tables.append(additions_table(result))
    return (*tables, cllr_values(summary.cllrs), performance_values(rows))


_FOR_MACHINES = ("cllr", "metrics", "attack_values")  # tables of every digit, in files only
_LISTED = "page.json"  # the files of a page, so that the next one can tell them from the user's


def publish(result: StudyResult, out: Path) -> Path:
    """Writes tables/, figures/, idiolect.csv and index.html into the results folder; the page's path.

    What an earlier page had and this one has not is removed; whatever else lies there is the user's.
    """
    with locked(out):
        refuse_links(out)
        with drawing(out):
            _write(result, out)
    return out / "index.html"


def _write(result: StudyResult, out: Path) -> None:
    before = _files_of_page(out)
    made = shown(result)
    written: list[Path] = []
    for table in made.tables:
        endings = ("csv",) if table.name in _FOR_MACHINES else ENDINGS
        written += save_table(table, out / "tables", endings=endings)
    for name, _, plot in made.plots:
        written += save(plot, out / "figures", name)
    write_idiolect(result.trials.plain, out / "idiolect.csv")
    write_whole(out / "index.html", html(page(made)))
    names = {path.relative_to(out).as_posix() for path in written}
    # Listed before anything is removed: after a kill the next page still knows what is old.
    _list_files(out, before | names)
    for name in before - names:
        (out / name).unlink(missing_ok=True)
    _list_files(out, names)


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


def page(made: Shown) -> Document:
    """The page as a document."""
    result = made.result
    return Document(
        title=result.study.name,
        subtitle=f"{len(result.trials):,} trials of {counted(len(result.study.corpora), 'corpus', 'corpora')}",
        header=result.study.name,
        banner=None,
        footer=f"Idiograph {VERSION} · study {result.study.digest[:12]}",
        blocks=tuple(_blocks(made)),
        wide=True,
    )


def _blocks(made: Shown) -> Iterator[Block]:
    result = made.result
    yield Heading(1, "How it was made")
    yield bullets([*design_in_words(result.study), *_facts(result)])
    yield paragraph(code(result.signature), small=True)
    yield Heading(1, "Tables")
    for table in made.tables:
        if table.name not in _FOR_MACHINES:
            yield table.block()
    yield paragraph(
        "Every digit is in the CSV files of the folder tables; trials.parquet holds every trial.", small=True
    )
    yield Heading(1, "Figures")
    for number, (name, caption, plot) in enumerate(made.plots, start=1):
        yield Picture(plot, name, f"Figure {number}. {caption}")


def _facts(result: StudyResult) -> Iterator[str]:
    """What is known of the trials, a sentence each."""
    for name, facts in result.results.corpora.items():
        if facts.writers:
            yield f"{name}: {facts.writers}"
    for one in result.degenerate:
        yield (
            f"{one.corpus}: {one.q_id} repeats itself ({one.n_hapaxes} of {one.n_tokens:,} tokens are of a type that "
            f"occurs once) and is in {one.n_trials} trial(s)."
        )
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
        else f"Authors are split at random: {design.calibration:.0%} for calibration, the rest for the case data."
    )
    others = {"case": "the other case authors", "all": "all other authors", "pool": "a pool of texts of its own"}
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
        made = f"Every Q meets every K of its fold, {design.most_authors} authors at most."
    else:
        made = (
            f"Each author is in one same-author problem and {design.n_pairs} different-author: {pairs[design.pairs]}."
        )
    varied = ", ".join(study.vary) if study.runs > 1 else "none"
    return [
        split,
        made,
        f"The reference of every problem, calibration problems too: {others[design.reference]}, "
        f"{texts[design.reference_texts]}, never a text of the two writers at hand, nor the same text by another name.",
        f"{counted(study.runs, 'run')}; seeds: split {study.seeds.split}, texts {study.seeds.texts}, reference "
        f"{study.seeds.reference}; going up by one per run: {varied}.",
        f"λG of order {study.order} with {study.repetitions} reference models and discount {study.discount:g}; "
        f"corrected values are read in {study.unit}.",
        *([_NO_CONSTANTS] if study.constants == NONE else []),
        *_attack_in_words(study.attack),
        *(
            f"{corpus.name}: about {corpus.tokens_per_author:,} words per author, whole texts chosen by their ids."
            for corpus in study.corpora
            if corpus.tokens_per_author is not None
        ),
    ]


def _attack_in_words(attack: Attack) -> Iterator[str]:
    if attack.insert:
        yield (
            "Different-author problems were also attacked: the trigrams most typical of K among those that K has three "
            "times or more were put before the last token of successive sentences of Q "
            f"({'; '.join(map(name_of, attack.kinds))}). A K with fewer such trigrams lends those it has; one without "
            "any takes no part."
        )
    if attack.disguised:
        yield "Texts marked as imitation or obfuscation were compared with every K of their author's fold."


def _heatmaps(found: Sequence[Grid]) -> Iterator[tuple[str, str, Plot]]:
    for grid in found:
        panels = {short_name(method): means for method, means in grid.means.items()}
        plot = figures_study.length_heatmap(q_lengths=grid.q_lengths, k_lengths=grid.k_lengths, panels=panels)
        caption = f"{grid.corpus}, {grid.how}: mean Cllr over the lengths of Q and K, blank where it exceeds 1."
        yield f"lengths_{_file_name(grid.corpus)}_{_file_name(grid.how)}", caption, plot


def _violins(trials: TrialTable) -> tuple[str, str, Plot]:
    corpora, scores, same = trials.column("corpus"), trials.column("lambda_g"), trials.same
    both = {
        corpus: (scores[(corpora == corpus) & same], scores[(corpora == corpus) & ~same])
        for corpus in dict.fromkeys(corpora)
    }
    plot = figures_study.violins(scores=both, cap=_CAP)
    return "violins", "Raw λG of all trials, calibration and case, by corpus.", plot


def _curves(of: Sequence[MethodTrials]) -> Iterator[tuple[str, str, Plot]]:
    """Tippett, PAV and ECE plots of the first and last condition of every corpus."""
    methods = list(dict.fromkeys(one.method for one in of))
    method = next((key for key in METHODS if key in methods), methods[0])
    for corpus in dict.fromkeys(one.corpus for one in of):
        own = [one for one in of if one.corpus == corpus and one.method == method]
        for one in own if len(own) < 3 else (own[0], own[-1]):
            where = f"{corpus}, {one.condition}, {short_name(method)}"
            for kind, draw, words in (
                ("tippett", figures.tippett, "Tippett plot"),
                ("pav", figures.pav, "PAV plot"),
                ("ece", figures.ece, "Empirical cross-entropy"),
            ):
                name = f"{kind}_{_file_name(corpus)}_{_file_name(one.condition)}"
                yield name, f"{words}: {where}.", draw(same=one.trials.same, different=one.trials.different)


def _file_name(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_" else "-" for char in name)
