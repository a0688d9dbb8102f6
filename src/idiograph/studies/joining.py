"""Studies joined into one: the stored trials of several results folders as those of a single study, nothing scored.

A cell (one run of one condition on one corpus) keeps the digest of what decided its scores, so the joined folder is a
results folder like any other: it can be shown anew, and extended.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from idiograph.checking import checks_arguments
from idiograph.errors import StudyError
from idiograph.files import as_path, locked, refuse_links
from idiograph.provenance import digest
from idiograph.records import bytes_of_file
from idiograph.studies.results import MANIFEST, TRIALS, Results, commit, kept_trials, open_results, read_results
from idiograph.studies.settings import FILE, CorpusSettings, Study, read_study
from idiograph.studies.study import StudyResult, run_settings
from idiograph.studies.trial_table import TrialTable, join
from idiograph.texts.language import ENGLISH
from idiograph.toml import relative

# What the trials of one table have in common. Corpora, conditions and shares of calibration authors are each study's.
_ALIKE = (
    "methods", "unit", "baseline", "runs", "vary", "seeds", "order", "repetitions", "discount", "evidence", "attack",
    "leave_authors_out", "fuse", "original", "typing", "constants",
)  # fmt: skip
_DESIGN_MAY_DIFFER = ("calibration", "fewest_authors")
_FILES = ("path", "pool", "writers", "word_list")


@dataclass(frozen=True)
class _Part:
    """One of the studies to be joined."""

    folder: Path
    study: Study
    results: Results
    trials: TrialTable


@checks_arguments
def join_studies(results: Sequence[Path | str], out: Path | str) -> StudyResult:
    """The studies of several results folders as one, in the new folder `out`: every corpus weighs the same."""
    folders = [as_path(folder, "A folder of results") for folder in results]
    out = as_path(out, "The folder of the joined results")
    if len(folders) < 2:
        raise StudyError("Joining takes two or more results folders. Name each of them.")
    parts = [_opened(folder) for folder in folders]
    for part in parts[1:]:
        _refuse_different(parts[0], part)
    _refuse_twice(parts)
    if out.is_file():
        raise StudyError(f"{out} is a file. Name a folder for the joined results.")
    study = _joined_study(parts, out)
    with locked(out):
        if open_results(out) is not None:
            raise StudyError(f"{out} holds a study already. Name a new folder for the joined results.")
        commit(out, _joined_results(parts, study), join(part.trials for part in parts))
    return run_settings(study, out)


def _opened(folder: Path) -> _Part:
    """What a results folder holds; anything but a finished study is refused, and so is one that leads out of itself."""
    refuse_links(folder, (MANIFEST, FILE, TRIALS))
    if not (folder / MANIFEST).is_file() or not (folder / FILE).is_file():
        raise StudyError(
            f"{folder} holds no results of a study: {MANIFEST} and {FILE} must be there. Name the folder that a study "
            "was run into."
        )
    results, study = read_results(folder / MANIFEST), read_study(folder / FILE)
    trials = kept_trials(folder, results)
    if trials is None or results.begun:
        raise StudyError(f"The study in {folder} is not finished. Run it to its end, then join it.")
    if study.own or study.outside is not None:
        raise StudyError(
            f"The study in {folder} has methods of its own or scores of other systems, whose files are not in the "
            "folder. Leave them out of its file, run it again, and join it then."
        )
    return _Part(folder, replace(study, name=str(results.scored["name"])), results, trials)


def _refuse_different(first: _Part, other: _Part) -> None:
    """An error about two studies whose figures cannot go into one table."""
    ours, theirs = (
        {name: getattr(part.study, name) for name in _ALIKE} | asdict(part.study.design) for part in (first, other)
    )
    differ = [name for name in ours if ours[name] != theirs[name] and name not in _DESIGN_MAY_DIFFER]
    if differ:
        name = differ[0]
        its, another = (
            ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            for value in (ours[name], theirs[name])
        )
        raise StudyError(
            f"{first.folder} and {other.folder} cannot go into one table: {', '.join(differ)} differ ({name} is {its} "
            f"in the one and {another} in the other). Run both alike."
        )


def _refuse_twice(parts: Sequence[_Part]) -> None:
    seen: dict[str, Path] = {}
    for part in parts:
        for corpus in part.study.corpora:
            if corpus.name in seen:
                raise StudyError(
                    f"{seen[corpus.name]} and {part.folder} both have a corpus {corpus.name}. Every corpus weighs the "
                    "same, so it may be there only once: leave one folder out, or give one of the two another name and "
                    "run its study again."
                )
            seen[corpus.name] = part.folder


def _joined_study(parts: Sequence[_Part], out: Path) -> Study:
    first = parts[0].study
    return replace(
        first,
        name=out.resolve().name,
        corpora=tuple(_moved(part, corpus, first, out) for part in parts for corpus in part.study.corpora),
        conditions=tuple(entry for part in parts for entry in part.study.conditions),
        compared_units=any(part.study.compared_units for part in parts),
        resamples=max(part.study.resamples for part in parts),
        folder=out,
    )


def _moved(part: _Part, corpus: CorpusSettings, first: Study, out: Path) -> CorpusSettings:
    """A corpus with what its own study said for all, and with its files as seen from `out` where they are there."""
    study = part.study
    files: dict[str, Any] = {
        name: relative(part.folder / value, out)
        for name in _FILES
        if (value := getattr(corpus, name)) is not None and (part.folder / value).exists()
    }
    metadata = corpus.options.metadata
    options = (
        corpus.options
        if metadata is None
        else replace(corpus.options, metadata=out / relative(metadata, study.folder))  # its relative path is in digests
    )
    share = study.design_of(corpus.name).calibration
    has_its_own = corpus.calibration is not None or (corpus.training is None and share != first.design.calibration)
    return replace(
        corpus,
        **files,
        options=options,
        masking=corpus.masking or study.masking,
        language=corpus.language or (None if study.language == ENGLISH else study.language),
        calibration=share if has_its_own else None,
    )


def _joined_results(parts: Sequence[_Part], study: Study) -> Results:
    joined = Results(scored=study.scored())
    for part in parts:
        before, n = part.results, len(joined.additions)
        joined = replace(
            joined,
            cells={**joined.cells, **before.cells},
            added={**joined.added, **{cell: n + number for cell, number in before.added.items()}},
            additions=(*joined.additions, *before.additions),
            corpora={**joined.corpora, **before.corpora},
            refused={**joined.refused, **before.refused},
            left_out={**joined.left_out, **before.left_out},
            joined=(
                *joined.joined,
                {
                    "study": part.study.name,
                    "signature": before.signature,
                    "manifest": digest(bytes_of_file(part.folder / MANIFEST)),
                    "trials": str(before.trials),
                },
            ),
        )
    return joined
