"""What topic does to each method of a study: topic-controlled Cllr beside the plain one, and LLRs by band of g."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from idiograph.arithmetic import FloatArray, mean
from idiograph.evidence.matching import Band, Matched, bands, controlled_cllr, matched
from idiograph.evidence.matrix import CLOSENESS
from idiograph.evidence.metrics import cllr
from idiograph.studies.llrs import JUDGED
from idiograph.studies.trial_table import NORMED_PREFIX, TrialTable

Places = np.ndarray


@dataclass(frozen=True)
class TopicControl:
    """A method on one corpus and condition: mean over the runs, all judged draws and impostors together."""

    corpus: str
    condition: str
    method: str
    n_same: int
    n_matched: int  # same-author trials with enough different-author ones as close in topic
    n_different: int
    n_impostors: int  # among them
    cllr: float  # plain, of the trials drawn as their reference
    controlled: float | None


@dataclass(frozen=True)
class TopicBand:
    """A method in one band of g, all corpora and conditions together."""

    method: str
    band: Band


def with_closeness(trials: TrialTable) -> TrialTable | None:
    """The judged trials whose closeness in topic is known; None where there are none."""
    if CLOSENESS not in trials.scores:
        return None
    judged = trials.where(np.isin(trials.column("half"), JUDGED) & np.isfinite(trials.score(CLOSENESS)))
    return judged if len(judged) else None


def matches(trials: TrialTable) -> Iterator[tuple[tuple[str, str, int], Places, Places, Matched]]:
    """The places of both classes and their matches, for each corpus, condition and run."""
    close = trials.score(CLOSENESS)
    for cell, places in trials.groups():
        same, different = places[trials.same[places]], places[~trials.same[places]]
        yield cell, same, different, matched(same=close[same], different=close[different])


def judged_by(trials: TrialTable) -> tuple[str, ...]:
    """The methods that give every one of these trials an LLR."""
    return tuple(method for method in trials.methods if np.isfinite(trials.llr(method)).all())


def topic_controlled(trials: TrialTable) -> tuple[TopicControl, ...]:
    """Every method on every corpus and condition; nothing where closeness was not measured."""
    judged = with_closeness(trials)
    if judged is None:
        return ()
    halves = judged.column("half")
    by_run: dict[tuple[str, str, str], list[TopicControl]] = {}
    for (corpus, condition, _), same, different, pairs in matches(judged):
        plain = [places[halves[places] == "case"] for places in (same, different)]
        for method in judged_by(judged):
            nats = judged.llr(method)
            row = TopicControl(
                corpus=corpus,
                condition=condition,
                method=method,
                n_same=len(same),
                n_matched=len(pairs.same),
                n_different=len(different),
                n_impostors=int(np.count_nonzero(halves[different] == "impostor")),
                cllr=cllr(same=nats[plain[0]], different=nats[plain[1]]),
                controlled=controlled_cllr(pairs, same=nats[same], different=nats[different]),
            )
            by_run.setdefault((corpus, condition, method), []).append(row)
    return tuple(_over_runs(rows) for rows in by_run.values())


def _over_runs(rows: list[TopicControl]) -> TopicControl:
    controlled = [row.controlled for row in rows if row.controlled is not None]
    names = ("n_same", "n_matched", "n_different", "n_impostors")
    counts = {name: sum(getattr(row, name) for row in rows) for name in names}
    return replace(
        rows[0],
        cllr=mean([row.cllr for row in rows]),
        controlled=mean(controlled) if controlled else None,
        **counts,
    )


def topic_bands(trials: TrialTable) -> tuple[TopicBand, ...]:
    """Every method in every band of g; nothing where g is not known."""
    judged = with_closeness(trials)
    if judged is None or NORMED_PREFIX + CLOSENESS not in judged.table.column_names:
        return ()
    g: FloatArray = judged.column(NORMED_PREFIX + CLOSENESS).astype(np.float64)
    same = judged.same
    rows = []
    for method in judged_by(judged):
        nats = judged.llr(method)
        by_band = bands(same=nats[same], different=nats[~same], same_g=g[same], different_g=g[~same])
        rows += [TopicBand(method, band) for band in by_band]
    return tuple(rows)
