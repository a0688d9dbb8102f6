"""A study from its file to its trials and how well each method did, in a folder that can be left, resumed, extended."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.checking import checks_arguments, n_workers
from idiograph.errors import StudyError, counted
from idiograph.evidence.constants import NONE
from idiograph.evidence.intervals import Estimate
from idiograph.files import as_path, locked, refuse_inside, remove_hidden, scratch_folder, write_whole
from idiograph.provenance import digest, digest_json, now, other_versions, signature, versions
from idiograph.records import bytes_of_file
from idiograph.showing import Rows, one_line
from idiograph.studies.attacks import UnderAttack, under_attack
from idiograph.studies.chunks import Outlook, map_here, map_on, outlook, run_chunks
from idiograph.studies.corpora import Source, StudyCorpus, find_source, open_as_before, other_than_english
from idiograph.studies.drawing import Condition
from idiograph.studies.llrs import Fits, Programs, add_llrs, load_own, outside_scores, read_programs
from idiograph.studies.results import (
    PARTS,
    Addition,
    Cell,
    CorpusFacts,
    Results,
    commit,
    kept_trials,
    open_results,
    write_manifest,
)
from idiograph.studies.settings import FILE, CorpusSettings, Study, read_study, study_toml
from idiograph.studies.summary import (
    Degenerate,
    MethodPerformance,
    MethodTrials,
    Summary,
    degenerate,
    method_trials,
    performances,
    summarise,
)
from idiograph.studies.topic_control import TopicBand, TopicControl, topic_bands, topic_controlled
from idiograph.studies.trial_table import TrialTable, join

# Of a corpus: the content of the files counts, not where they lie.
_PATHS = ("name", "path", "pool", "writers", "word_list")
# Versions of Idiograph whose scores are those of this one to the last digit, so that what they began can be finished.
_SAME_SCORES = ("0.3.0",)


@one_line
@dataclass(frozen=True)
class StudyResult:
    """The trials of a study with their LLRs, how well each method did, what was refused and who was left out."""

    study: Study
    trials: TrialTable
    judged: tuple[MethodTrials, ...]  # the case trials by corpus, condition and method
    performance: tuple[MethodPerformance, ...]  # of each of them
    summary: Summary
    fits: tuple[Fits, ...]
    degenerate: tuple[Degenerate, ...]
    attacks: tuple[UnderAttack, ...]
    topic: tuple[TopicControl, ...]
    topic_bands: tuple[TopicBand, ...]
    results: Results  # corpora, what was refused and left out, which trials came when

    @property
    def signature(self) -> str:
        return self.results.signature

    @property
    def in_a_line(self) -> str:
        """What was studied, in a line."""
        size = f"{counted(len(self.trials), 'trial')}, {counted(len(self.results.corpora), 'corpus', 'corpora')}"
        return f"{self.study.name!r}, {size}, {', '.join(self.trials.methods)}"

    @property
    def performance_rows(self) -> Rows:
        """A row for every corpus, condition, method and metric, with its interval."""
        rows = [
            (cell.corpus, cell.condition, cell.method, metric.name, estimate.value, estimate.low, estimate.high)
            for cell in self.performance
            for metric in fields(cell.performance)
            if isinstance(estimate := getattr(cell.performance, metric.name), Estimate)
        ]
        names = ("corpus", "condition", "method", "metric", "value", "low", "high")
        return Rows({name: [row[column] for row in rows] for column, name in enumerate(names)})

    @property
    def refused(self) -> Mapping[tuple[str, str], str]:
        """(corpus, condition) -> why."""
        return self.results.refused

    @property
    def left_out(self) -> Mapping[tuple[str, str], Mapping[str, int]]:
        """(corpus, condition) -> why -> authors."""
        return self.results.left_out


@checks_arguments
def run_study(
    study: Study | Path | str, out: Path | str | None = None, *, workers: int | None = None, cluster: str | None = None
) -> StudyResult:
    """Runs a study (its settings or its file), or what is left of it, into `out`; a folder of anything else is refused.

    What `out` holds of the study is kept: more corpora, conditions, runs and methods are added to it. The study's file
    is put there before anything is scored. Without `out` nothing is kept but the result that comes back.
    """
    if out is None:
        with scratch_folder() as folder:
            return run_study(study, folder, workers=workers, cluster=cluster)
    out, workers = as_path(out, "The folder of the results"), None if workers is None else n_workers(workers)
    if isinstance(study, Study):
        return run_settings(study, out, workers=workers, cluster=cluster)
    file = as_path(study, "The study file")
    return run_settings(read_study(file), out, file=file, workers=workers, cluster=cluster)


def run_settings(
    study: Study,
    out: Path,
    *,
    file: Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    programs: Programs | None = None,
) -> StudyResult:
    """`run_study` with settings that may have been read from `file`, which is then what is put into `out`.

    `programs` are those of the study's own methods where they were read, and perhaps shown, before.
    """
    programs = read_programs(study) if programs is None else programs
    for entry in study.own:
        load_own(study.folder, entry, programs)
    if out.is_file():
        raise StudyError(f"{out} is a file. Name a folder for the results.")
    refuse_inside(out, (study.folder / path for corpus in study.corpora for path in (corpus.path, corpus.pool) if path))
    with locked(out):
        results = open_results(out)
        remove_hidden(out)
        trials, results = _scored(study, out, results, file, programs, workers=workers, cluster=cluster)
        trials, fits = add_llrs(study, trials, programs=programs)
        results = commit(out, results, trials)
        _forget_parts(out / PARTS, results)
    return result_of(study, trials, fits, results)


def result_of(
    study: Study,
    trials: TrialTable,
    fits: tuple[Fits, ...],
    results: Results,
    *,
    outside: Mapping[str, FloatArray] | None = None,
) -> StudyResult:
    """How well each method did on trials that have their LLRs; `outside` are the scores of other systems."""
    judged = tuple(method_trials(trials, outside=outside_scores(study, trials) if outside is None else outside))
    return StudyResult(
        study=study,
        trials=trials,
        judged=judged,
        performance=performances(judged, resamples=study.resamples),
        summary=summarise(trials, baseline=study.baseline, units=study.compared_units),
        fits=fits,
        degenerate=degenerate(trials.plain),
        attacks=under_attack(trials),
        topic=topic_controlled(trials),
        topic_bands=topic_bands(trials),
        results=results,
    )


def _scored(
    study: Study,
    out: Path,
    results: Results | None,
    file: Path | None,
    programs: Programs,
    *,
    workers: int | None,
    cluster: str | None,
) -> tuple[TrialTable, Results]:
    """The trials of all cells of the study in its order: those that are there, and those that were missing."""
    sources = dict(_sources(study, results))
    wanted = dict(_cells(study, sources, results))
    before = results or Results(scored=study.scored())
    _refuse_other(out, before, study, wanted, sources)
    missing = {cell: decided for cell, decided in wanted.items() if cell not in before.cells}
    corpora = {
        name: open_as_before(study, source, before.corpora.get(name), workers=n_workers(workers))
        for name, source in sources.items()
        if source is not None and any(cell.corpus == name for cell in missing)
    }
    ahead = outlook(study, corpora, missing)
    results = _outlined(study, before, ahead, corpora, programs)
    n_refused = sum((cell.corpus, cell.condition) in results.refused for cell in wanted)
    if n_refused == len(wanted):
        raise StudyError("No part of the study can be run. " + " ".join(results.refused.values()))
    old = kept_trials(out, before)
    new: list[TrialTable] = []
    if ahead.chunks:
        refuse_small_disk(out, study, ahead)
        scored = {Cell(chunk.corpus, study.conditions[chunk.condition][0].name, chunk.run) for chunk in ahead.chunks}
        begun = {cell: decided for cell, decided in missing.items() if cell in scored}
        # What was begun and never finished belongs to the same addition.
        additions = before.additions[:-1] if before.begun else before.additions
        results = replace(results, begun=begun, additions=(*additions, Addition(now(), versions())))
        write_manifest(out, results)
    write_whole(out / FILE, study_toml(study) if file is None else file.read_bytes())
    if ahead.chunks:
        if cluster is None:
            new = run_chunks(ahead.chunks, map_here(study, corpora, ahead.plans, workers=workers), out / PARTS)
        else:
            with map_on(cluster, study, corpora) as there:
                new = run_chunks(ahead.chunks, there.score, out / PARTS, n_pieces=there.n_pieces, where=there.where)
    number = len(results.additions) - 1
    trials = join(([] if old is None else [old]) + new)
    places = {Cell(*key): of_cell for key, of_cell in trials.groups()}
    in_order = np.concatenate([places[cell] for cell in wanted if cell in places])  # whenever they came
    return trials.take(in_order), replace(
        results,
        cells={**results.cells, **results.begun},
        begun={},
        added={**results.added, **dict.fromkeys(results.begun, number)},
    )


def _sources(study: Study, results: Results | None) -> Iterator[tuple[str, Source | None]]:
    """The files of each corpus; None where they are gone and all that is wanted of them is there."""
    for corpus in study.corpora:
        try:
            yield corpus.name, find_source(study, corpus)
        except StudyError:
            facts = None if results is None else results.corpora.get(corpus.name)
            if results is None or facts is None or facts.settings != corpus_settings(study, corpus):
                raise
            wanted = (cell for cell, _ in _cells_of(study, corpus))
            if any(cell not in results.cells and cell[:2] not in results.refused for cell in wanted):
                raise
            yield corpus.name, None


def corpus_settings(study: Study, corpus: CorpusSettings) -> dict[str, object]:
    """What decides the texts of a corpus, besides its files."""
    record = {name: value for name, value in corpus.as_json(study.folder).items() if name not in _PATHS}
    record |= other_than_english(study, corpus)
    if corpus.training is not None:
        record["training"] = corpus_settings(study, study.corpus(corpus.training))
    return {**record, "masking": corpus.masking or study.masking, "exclude_authors": list(corpus.exclude_authors)}


def _cells(study: Study, sources: Mapping[str, Source | None], results: Results | None) -> Iterator[tuple[Cell, str]]:
    """Every cell of the study, in its order, with a digest of all that decides its scores."""
    for corpus in study.corpora:
        source = sources[corpus.name]
        design = study.design_of(corpus.name).as_json()
        del design["fewest_authors"]
        for cell, condition in _cells_of(study, corpus):
            if source is None:
                yield cell, "" if results is None else results.cells.get(cell, "")
                continue
            deciding = {
                "corpus": corpus_settings(study, corpus),
                "inputs": [[file.role, file.sha256] for file in source.inputs],
                "condition": condition.as_json(),
                "design": design,
                "seeds": asdict(study.run_seeds(cell.run)),
                "lambdag": list(study.lambdag.values()),
                "evidence": study.evidence,
                "scores": [list(study.comparators), study.original, study.typing],
                **({"attack": study.attack.as_json()} if study.attack.on else {}),
                **({"matrix": True} if study.matrix_of_halves else {}),
                **({"topics": True} if study.compares_topics else {}),
                **({"hold": True} if study.holds else {}),
            }
            yield cell, digest_json(deciding)


def _cells_of(study: Study, corpus: CorpusSettings) -> Iterator[tuple[Cell, Condition]]:
    for condition, meant in study.conditions:
        for run in range(study.runs) if corpus.name in meant else ():
            yield Cell(corpus.name, condition.name, run), condition


def _refuse_other(
    out: Path,
    before: Results,
    study: Study,
    wanted: Mapping[Cell, str],
    sources: Mapping[str, Source | None],
) -> None:
    """An error where the folder holds trials that are not, or are no longer, those of this study."""
    there = {**before.cells, **before.begun}
    for cell, decided in wanted.items():
        if there.get(cell, decided) == decided:
            continue
        source = sources[cell.corpus]
        facts = before.corpora.get(cell.corpus)
        files = [] if source is None else [asdict(file) for file in source.inputs]
        if facts is not None and [dict(file) for file in facts.inputs] != files:
            raise StudyError(
                f"The files of the corpus {cell.corpus} have changed since {out} was begun, and trials of two corpora "
                "cannot be mixed. Restore them or name another folder."
            )
        ours = study.scored()
        names = sorted(key for key in ours if before.scored.get(key) != ours[key] and key not in ("runs", "conditions"))
        raise StudyError(
            f"{out} holds another study: {', '.join(names) or 'its settings'} differ. Name another folder, or run the "
            "study file that is in it."
        )
    if before.scored.get("name") != study.name:
        raise StudyError(f"{out} holds the study {before.scored.get('name')}, not {study.name}. Name another folder.")
    lost = [cell for cell in before.cells if cell not in wanted]
    if lost:
        raise StudyError(
            f"{out} also holds {lost[0].corpus}, {lost[0].condition}, run {lost[0].run}, which this study file "
            "does not name. More can be added to a study, but nothing is taken away: add it again, or name another "
            "folder."
        )
    other = other_versions(before.additions[-1].versions) if before.begun else {}
    if other.get("idiograph", ("",))[0] in _SAME_SCORES:
        del other["idiograph"]
    if other:
        was = ", ".join(f"{name} {filed}" for name, (filed, _) in other.items())
        raise StudyError(
            f"{out} was begun with other versions ({was}), which may give other digits. Name another folder, or "
            "install those versions."
        )


def _outlined(
    study: Study, before: Results, ahead: Outlook, corpora: Mapping[str, StudyCorpus], programs: Programs
) -> Results:
    """What is known of the study before anything is scored."""
    facts = dict(before.corpora)
    for corpus in study.corpora:
        if corpus.name in corpora:
            opened = corpora[corpus.name]
            facts[corpus.name] = CorpusFacts(
                settings=corpus_settings(study, corpus),
                inputs=tuple(asdict(file) for file in opened.inputs),
                index=opened.material.index.digest,
                masking=opened.material.index.masking or "",
                writers=opened.material.known_by,
            )
    planned = {(plan.corpus, plan.condition.name) for plan in ahead.plans}
    refused = {key: why for key, why in before.refused.items() if key not in planned} | dict(ahead.refused)
    left_out = {key: reasons for key, reasons in before.left_out.items() if key not in planned}
    for plan in ahead.plans:
        reasons = Counter([*plan.left_out.values(), *["no other author differs in the field"] * len(plan.unpaired)])
        if reasons:
            left_out[plan.corpus, plan.condition.name] = dict(sorted(reasons.items()))
    return replace(
        before,
        scored=study.scored(),
        signature=study_signature(study, facts, programs),
        # One that only others are calibrated on has no trials of its own.
        corpora={corpus.name: facts[corpus.name] for corpus in study.corpora if corpus.name in facts},
        refused=refused,
        left_out=left_out,
    )


def study_signature(study: Study, corpora: Mapping[str, CorpusFacts], programs: Programs) -> str:
    """The line that tells two studies apart."""
    maskings = sorted({facts.masking or "none" for facts in corpora.values()})
    seeds = study.seeds
    # Where they are there, the scores of other systems; and the programs of one's own methods.
    held: dict[str, list[bytes]] = {"outside": [], "own": [programs[file] for file in sorted(programs)]}
    if study.outside is not None and (path := study.folder / study.outside).is_file():
        held["outside"] = [bytes_of_file(path)]
    return signature(
        "study", name=study.name, study=study.digest[:12], order=study.order, r=study.repetitions, D=study.discount,
        mask="+".join(maskings), unit=study.unit, seeds=f"{seeds.split},{seeds.texts},{seeds.reference}",
        runs=study.runs, **({"constants": NONE} if study.constants == NONE else {}),
        **{name: digest(b"".join(contents))[:12] for name, contents in held.items() if contents},
    )  # fmt: skip


def _forget_parts(folder: Path, results: Results) -> None:
    """Removes the parts of cells that are finished."""
    done = {decided[:16] for decided in results.cells.values()}
    for part in folder.iterdir() if folder.is_dir() else ():
        if part.name[:16] in done or re.fullmatch(r"\..*\.part", part.name):
            part.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def refuse_small_disk(out: Path, study: Study, ahead: Outlook) -> None:
    """An error where the trials, twice over while they are joined, would not fit on the disk."""
    each = 400 + 8 * study.repetitions
    for plan in ahead.plans if study.evidence != "none" else ():
        tokens = sum(int(plan.material.index.sentence_lengths[side.q].sum()) for side in plan.sides.values())
        each = max(each, 400 + 8 * study.repetitions + 10 * tokens // max(len(plan.sides), 1))
    needed = 2 * each * ahead.n_trials
    there = next(folder for folder in (out, *out.resolve().parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise StudyError(
            f"The disk of {out} has {free / 1e6:,.0f} MB free, and the study needs about "
            f"{max(1, round(needed / 1e6)):,} MB. Free some space or name a folder on another disk."
        )
