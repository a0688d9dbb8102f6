"""What the constants of the reference-normalised LR are worth: the same judged trials with and without them.

python docs/validation/without.py    writes tables/without_constants.csv and what a report quotes of it again

The stored studies keep judged trials, not the reference's own, so each fold is calibrated anew on the judged trials of
about as many authors of other folds, once with each pull. How near that is to the study itself is in the table.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation.stored import LEARNT, learnt, load
from docs.validation.worth import Costs, over_corpora

from idiograph.arithmetic import quantile
from idiograph.evidence.constants import Weights, WithoutConstants, fit_pulled, tau_for
from idiograph.evidence.normalised import LEAST_TO_FIT
from idiograph.files import write_whole
from idiograph.output.study_tables import StudyTable, markdown, save_table
from idiograph.records import record_text
from idiograph.studies.trial_table import NORMED_PREFIX, TrialTable

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parents[1] / "src" / "idiograph" / "evidence" / "without_constants.json"
STUDIES = ("ten", "matrix", "forty")
_SCORES = ("distinct", "cosine")
_SILENCE = Weights(0.0, (0.0, 0.0))
_NEXT_TO_NOTHING = 1e-6  # τ of a fit that nothing holds: where the classes are separated, it still has an end
_KINDS = ("with", "without", "unheld")


@cache
def rows() -> tuple[WithoutConstants, ...]:
    """For about 10, 24 and 40 reference authors: mean Cllr with constants, without, and of a fit that nothing holds."""
    return tuple(_row(name) for name in STUDIES)


def _row(name: str) -> WithoutConstants:
    trials = load(name)
    normed = np.stack([trials.column(NORMED_PREFIX + score).astype(np.float64) for score in _SCORES], axis=1)
    lines = {corpus: learnt(trials, name, without=corpus) for corpus in sorted(set(trials.column("corpus")))}
    nats = {kind: np.full(len(trials), np.nan) for kind in _KINDS}
    n_fits = n_separated = 0
    for (corpus, _, _), places in trials.groups():
        towards = lines[corpus].at(quantile(trials.column("k_tokens")[places].tolist(), 0.5))
        for judged, training in _folds(trials, places, LEARNT[name][0]):
            tau = tau_for(len(set(trials.column("k_author")[training])))
            same, different = (normed[training[trials.same[training] == kind]] for kind in (True, False))
            fits = {
                "with": fit_pulled(same=same, different=different, towards=towards, tau=tau),
                "without": fit_pulled(same=same, different=different, towards=_SILENCE, tau=tau),
                "unheld": fit_pulled(same=same, different=different, towards=_SILENCE, tau=_NEXT_TO_NOTHING),
            }
            for kind, weights in fits.items():
                nats[kind][judged] = weights.nats(normed[judged])
            n_fits += 1
            n_separated += bool(fits["unheld"].nats(same).min() > fits["unheld"].nats(different).max())
    judged = np.isfinite(nats["with"])
    nats["normalised"] = trials.llr("normalised")
    costs = Costs(trials.with_llrs(nats).where(judged))
    cllrs = {kind: costs.cllrs(kind) for kind in nats}
    return WithoutConstants(
        n_authors=LEARNT[name][0],
        n_conditions=len(cllrs["with"]),
        in_the_study=round(over_corpora(cllrs["normalised"]), 4),
        cllr_with=round(over_corpora(cllrs["with"]), 4),
        cllr_without=round(over_corpora(cllrs["without"]), 4),
        cllr_unheld=round(over_corpora(cllrs["unheld"]), 4),
        worst_with=round(max(cllrs["with"].values()), 4),
        worst_without=round(max(cllrs["without"].values()), 4),
        worst_unheld=round(max(cllrs["unheld"].values()), 4),
        n_fits=n_fits,
        n_separated=n_separated,
    )


def _folds(
    trials: TrialTable, places: npt.NDArray[np.int64], n_authors: int
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Each fold's judged trials, and those of the folds after it that have about so many authors together."""
    by_fold = {fold: places[trials.column("fold")[places] == fold] for fold in np.unique(trials.column("fold")[places])}
    everyone = list(by_fold)
    for at, fold in enumerate(everyone):
        training: list[npt.NDArray[np.int64]] = []
        n = 0
        for other in (*everyone[at + 1 :], *everyone[:at]):
            n_of_fold = len(set(trials.column("k_author")[by_fold[other]]))
            if training and n + n_of_fold > 1.25 * n_authors:
                break
            training.append(by_fold[other])
            n += n_of_fold
        if n >= LEAST_TO_FIT:
            yield by_fold[fold], np.concatenate(training)


def table() -> StudyTable:
    """The rows for readers."""
    header = (
        "about how many reference authors", "conditions", "as judged in the study", "with constants", "worst",
        "without", "worst, without", "fit that nothing holds", "its worst", "its separated fits",
    )  # fmt: skip
    formats = ("d", "d", ".3f", ".3f", ".2f", ".3f", ".2f", ".3f", ".2f", "")
    listed = tuple(
        (
            row.n_authors, row.n_conditions, row.in_the_study, row.cllr_with, row.worst_with, row.cllr_without,
            row.worst_without, row.cllr_unheld, row.worst_unheld, f"{row.n_separated} of {row.n_fits}",
        )
        for row in rows()
    )  # fmt: skip
    caption = "Mean Cllr of the reference-normalised LR (English corpora weighing the same) by what holds its fit."
    return StudyTable("without_constants", caption, header, formats, listed)


def section() -> Iterator[str]:
    """The section of the published validation."""
    yield (
        'The constants come from English corpora, never from the one judged. Without them (`constants = "none"`) the '
        "fit is pulled as strongly, but towards an LR of 1. Each fold is calibrated again on the judged trials of "
        "other folds, since the reference's own were not kept; the third column shows how near that is to the study."
    )
    yield markdown(table()).strip()


def shipped_text(measured: Iterable[WithoutConstants], *, source: str) -> str:
    """What a report quotes; `source` says what made it."""
    return record_text({"schema": 1, "source": source, "rows": [asdict(row) for row in measured]})


def build() -> None:
    """Writes the table, and what ships, from the stored trials."""
    save_table(table(), HERE / "tables", endings=("csv",))
    if SHIPPED.parent.is_dir():  # not where the documentation stands alone
        write_whole(SHIPPED, shipped_text(rows(), source="docs/validation/without.py"))


if __name__ == "__main__":
    build()
