"""LLRs judged where topic cannot help: same-author trials beside different-author ones that are as close in topic.

**Topic-controlled Cllr.** Each same-author trial is matched with its at most 10 nearest different-author trials within
±0.3 in ln(c + 0.02); with fewer than 5 it is left out.

    Cllr = ½·(mean of log2(1 + 1/LR) + mean over the same trials of the mean over their matches of log2(1 + LR))

**Bands of g.** How high LLRs are, both halves of Cllr, and how often an LR misleads, where Q and K are far from each
other or close.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray, log, mean
from idiograph.evidence.closeness import log_closeness
from idiograph.evidence.intervals import Estimate, over_resamples, resampled
from idiograph.evidence.llr import to_nats
from idiograph.evidence.metrics import Counted, trial_costs
from idiograph.evidence.trials import Trials
from idiograph.grammar.vocabulary import Numbers

WITHIN, MOST, FEWEST = 0.3, 10, 5
BANDS = (-1.5, -0.5, 0.5, 1.5, 3.0)  # of g, open at both ends
THREE, TEN = log(3.0), to_nats(1.0, "bans")  # in nats


@dataclass(frozen=True, eq=False)
class Matched:
    """Same-author trials, by their places, each with the places of its different-author matches."""

    same: Numbers
    different: tuple[Numbers, ...]
    n_left_out: int  # same-author trials that too few different-author ones come near


def matched(*, same: FloatArray, different: FloatArray) -> Matched:
    """The matches by c of both classes; of different-author trials that are as near, the earlier one first."""
    same_logs, different_logs = log_closeness(same), log_closeness(different)
    kept, matches = [], []
    for number, value in enumerate(same_logs.tolist()):
        away = np.abs(different_logs - value)
        nearest = np.argsort(away, kind="stable")[:MOST]
        nearest = nearest[away[nearest] <= WITHIN]
        if len(nearest) >= FEWEST:
            kept.append(number)
            matches.append(nearest)
    return Matched(np.array(kept, np.int64), tuple(matches), len(same_logs) - len(kept))


def controlled_cllr(pairs: Matched, *, same: FloatArray, different: FloatArray) -> float | None:
    """The topic-controlled Cllr of LLRs in nats; None where no same-author trial has matches."""
    if not len(pairs.same):
        return None
    others = trial_costs(-different)
    of_matches = [mean(others[places]) for places in pairs.different]
    return 0.5 * (mean(trial_costs(same[pairs.same])) + mean(of_matches))


def controlled_estimate(pairs: Matched, trials: Trials, *, resamples: int, seed: int) -> Estimate:
    """The topic-controlled Cllr of trials with its interval over resampled authors."""
    value = controlled_cllr(pairs, same=trials.same, different=trials.different)
    if value is None:
        return Estimate(None)
    same_costs, different_costs = trial_costs(trials.same)[pairs.same], trial_costs(-trials.different)
    drawn = [_weighted(pairs, same_costs, different_costs, of) for of in resampled(trials, resamples, seed)]
    return over_resamples(value, np.concatenate(drawn)) if drawn else Estimate(value)


def _weighted(pairs: Matched, same_costs: FloatArray, different_costs: FloatArray, of: Counted) -> FloatArray:
    """The topic-controlled Cllr of every resample, trial by trial in a fixed order; a match counts as it was drawn."""
    n_rows = len(of.same)
    weight, cost_same, cost_different = (np.zeros(n_rows) for _ in range(3))
    for number, (trial, places) in enumerate(zip(pairs.same.tolist(), pairs.different, strict=True)):
        drawn, cost = np.zeros(n_rows), np.zeros(n_rows)
        for match in places.tolist():
            drawn += of.different[:, match]
            cost += of.different[:, match] * different_costs[match]
        counts = np.where(drawn > 0, of.same[:, trial], 0.0)
        weight += counts
        cost_same += counts * same_costs[number]
        cost_different += counts * np.divide(cost, drawn, out=np.zeros(n_rows), where=drawn > 0)
    summed = 0.5 * (cost_same + cost_different)
    cllrs: FloatArray = np.divide(summed, weight, out=np.full(n_rows, np.nan), where=weight > 0)
    return cllrs


@dataclass(frozen=True)
class Band:
    """LLRs of trials whose g lies in a band: how many, their means (in nats), both halves of Cllr, shares that mislead.

    A half is 1 where LLRs are no better than silence. None where there is no trial of the class.
    """

    low: float | None
    high: float | None
    n_same: int
    n_different: int
    same_mean: float | None
    different_mean: float | None
    same_half: float | None
    different_half: float | None
    same_below_third: float | None
    same_below_tenth: float | None
    different_above_3: float | None
    different_above_10: float | None


def bands(*, same: FloatArray, different: FloatArray, same_g: FloatArray, different_g: FloatArray) -> tuple[Band, ...]:
    """LLRs in nats by band of g, the lowest first."""
    edges = [-np.inf, *BANDS, np.inf]
    rows = []
    for low, high in itertools.pairwise(edges):
        in_band = same[(same_g >= low) & (same_g < high)]
        other = different[(different_g >= low) & (different_g < high)]
        rows.append(
            Band(
                low=float(low) if np.isfinite(low) else None,
                high=float(high) if np.isfinite(high) else None,
                n_same=len(in_band),
                n_different=len(other),
                same_mean=_mean(in_band),
                different_mean=_mean(other),
                same_half=_mean(trial_costs(in_band)),
                different_half=_mean(trial_costs(-other)),
                same_below_third=_mean(in_band < -THREE),
                same_below_tenth=_mean(in_band < -TEN),
                different_above_3=_mean(other > THREE),
                different_above_10=_mean(other > TEN),
            )
        )
    return tuple(rows)


def _mean(values: Sequence[float] | FloatArray | np.ndarray) -> float | None:
    return mean(np.asarray(values, np.float64)) if len(values) else None
