"""Intervals of Cllr_min and Cllr_cal by half samples of authors, where resampling with replacement fails.

Pool-adjacent-violators is fitted to the trials that it is then judged by, so Cllr_min comes out too low, by about
n^(−2/3); a resample with replacement holds trials twice, which lowers it further. A half sample holds nobody twice:
m authors drawn without replacement and the trials among them, with m such that half the information is left.

    1/n_same + 1/n_different of a half sample is ρ times that of all trials;  m makes ρ about 2
    c = E + (E − h) / (ρ^(2/3) − 1)        E: the estimate,  h: its mean over half samples,  c: freed from the bias
    s = u · √(V / v)                       u: its standard deviation over half samples
    c ± 1.25 · t · s                        t: Student's 97.5 % quantile with as many degrees of freedom as authors − 1

√(V/v) turns the spread over half samples into the spread over new authors. Both are variances of the mean cost at the
LLRs that all trials gave: V sums ψ·ψ′ over every two trials that share an author, v is taken over the half samples.
Cllr_min is put on the logit scale where c is below ½. The factor 1.25 comes from simulation. With fewer than 20
authors, or where PAV errs so rarely that authors · c is below 9, the interval would cover too rarely, and there is none
(docs/evidence.md has the coverage).
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, exp, log, logistic, mean, sd, softplus, total
from idiograph.compiling import compiled, run
from idiograph.elementary import LN2, log2
from idiograph.evidence.trials import BoolArray, Trials

FEWEST_AUTHORS = 20
FEWEST_ERRORS = 9  # authors times c of Cllr_min
_SAMPLES = 200
_WIDENING = 1.25
_NORMAL = 1.959963984540054  # its 97.5 % quantile

Interval = tuple[float, float]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Sorted:
    """Trials in the order of their LLRs, each with the places of its two authors."""

    llrs: FloatArray
    same: BoolArray
    first: Places
    second: Places

    @classmethod
    def of(cls, trials: Trials) -> "_Sorted":
        first, second = trials.author_numbers
        order = np.argsort(trials.all, kind="stable")
        return cls(trials.all[order], order < trials.same.size, first[order], second[order])


def half_sampled(trials: Trials, *, samples: int = _SAMPLES, seed: int = 0) -> dict[str, Interval]:
    """95 % limits of Cllr_min and Cllr_cal of LLRs in nats whose authors are known, where they hold what they say."""
    n, n_same, n_different = len(trials.authors), trials.same.size, trials.different.size
    if n < FEWEST_AUTHORS:
        return {}
    kept = _authors_kept(n, n_same, n_different)
    rng = np.random.default_rng(seed)
    drawn = np.zeros((samples, n), bool)
    for row in drawn:
        row[rng.permutation(n)[:kept]] = True
    by_llr = _Sorted.of(trials)
    costs = softplus(np.where(by_llr.same, -by_llr.llrs, by_llr.llrs)) / LN2
    # Row 0 holds everyone.
    rows = np.concatenate([np.ones((1, n), bool), drawn])
    figures, pav_costs = run(_costs, by_llr.llrs, by_llr.same, by_llr.first, by_llr.second, costs, rows)
    whole, halves = figures[0], figures[1:]
    halves = halves[halves[:, 0] * halves[:, 1] > 0]  # the others have no trial of one class
    if 2 * len(halves) < samples:
        return {}

    ratio = mean(1 / halves[:, 0] + 1 / halves[:, 1]) / (1 / n_same + 1 / n_different)
    gain = exp(2 / 3 * log(ratio)) - 1

    def corrected(estimate: float, over_halves: FloatArray, linear: FloatArray, each: FloatArray) -> Interval:
        """c and half the width of its interval."""
        spread = sd(linear)
        v = spread * spread
        scale = min(max(_variance(each, by_llr) / v, 0.2), kept / (n - kept)) if v > 0 else 1.0
        width = _WIDENING * _student(n - 1) * sd(over_halves) * sqrt(scale)
        return estimate + (estimate - mean(over_halves)) / gain, width

    _, _, cllr, lowest, _ = whole
    c, width = corrected(lowest, halves[:, 3], halves[:, 4], pav_costs)
    if n * c < FEWEST_ERRORS:
        return {}
    low, high = _limits_of_minimum(c, width)
    rest = cllr - lowest
    c, width = corrected(rest, halves[:, 2] - halves[:, 3], halves[:, 2] - halves[:, 4], costs - pav_costs)
    return {
        "cllr_min": (min(low, lowest), max(high, lowest)),
        "cllr_cal": (min(max(c - width, 0.0), rest), max(c + width, rest)),
    }


def _authors_kept(n: int, n_same: int, n_different: int) -> int:
    """m of n authors, half of them or more, with ρ nearest to 2 where trials are spread evenly over authors."""

    def distance(m: int) -> float:
        same, different = n_same * m / n, n_different * m * (m - 1) / (n * (n - 1))
        return abs((1 / same + 1 / different) / (1 / n_same + 1 / n_different) - 2)

    return min(range(n // 2, n), key=distance)


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution, by the first terms of its expansion about the normal one."""
    z, square = _NORMAL, _NORMAL * _NORMAL
    return z + z * (square + 1) / (4 * freedom) + z * ((5 * square + 16) * square + 3) / (96 * freedom * freedom)


def _variance(costs: FloatArray, by_llr: _Sorted) -> float:
    """The variance of the mean cost, trials with a common author together.

        V = Σ ψ·ψ′ over every two trials that share an author = Σ_a (Σ of a's ψ)² − Σ_{a<b} (Σ of a and b's ψ)²

    with ψ the cost less its class's mean, divided by twice the class's size.
    """
    same, first, second = by_llr.same, by_llr.first, by_llr.second
    psi = np.empty(costs.size)
    for kind in (same, ~same):
        psi[kind] = (costs[kind] - mean(costs[kind])) / (2 * np.count_nonzero(kind))
    n = int(max(first.max(), second.max())) + 1
    # bincount adds in the order of the trials.
    by_author = np.bincount(first, psi, n) + np.bincount(second[~same], psi[~same], n)
    low, high = np.minimum(first, second)[~same], np.maximum(first, second)[~same]
    by_pair = np.bincount(np.unique(low * n + high, return_inverse=True)[1], psi[~same])
    return max(total(by_author * by_author) - total(by_pair * by_pair), 0.0)


def _limits_of_minimum(c: float, width: float) -> Interval:
    if c >= 0.5:
        return max(c - width, 0.0), min(c + width, 1.0)
    middle, step = log(c / (1 - c)), width / (c * (1 - c))
    return logistic(middle - step), logistic(middle + step)


@compiled
def _costs(
    llrs: FloatArray, same: BoolArray, first: Places, second: Places, costs: FloatArray, rows: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """For each row of authors, of the trials among them: both classes' sizes, Cllr, Cllr_min, and the mean cost at the
    LLRs that PAV gives in row 0; then each trial's cost at those LLRs."""
    n = len(llrs)
    figures = np.zeros((len(rows), 5))
    pav_costs = np.zeros(n)
    block_same, block_different, block_start = np.empty(n), np.empty(n), np.empty(n, np.int64)
    for row in range(len(rows)):
        counts, sums, pav_sums = np.zeros(2), np.zeros(2), np.zeros(2)
        n_blocks = 0
        trial = 0
        while trial < n:
            start, here_same, here_different = trial, 0.0, 0.0
            while trial < n and llrs[trial] == llrs[start]:
                if rows[row, first[trial]] and rows[row, second[trial]]:
                    kind = 0 if same[trial] else 1
                    counts[kind] += 1.0
                    sums[kind] += costs[trial]
                    pav_sums[kind] += pav_costs[trial]
                    if kind == 0:
                        here_same += 1.0
                    else:
                        here_different += 1.0
                trial += 1
            if here_same + here_different == 0.0:
                continue
            # Pool with what is before while that has no smaller share of same-author trials.
            while (
                n_blocks > 0 and block_same[n_blocks - 1] * here_different >= here_same * block_different[n_blocks - 1]
            ):
                n_blocks -= 1
                here_same += block_same[n_blocks]
                here_different += block_different[n_blocks]
                start = block_start[n_blocks]
            block_same[n_blocks], block_different[n_blocks], block_start[n_blocks] = here_same, here_different, start
            n_blocks += 1
        figures[row, 0], figures[row, 1] = counts[0], counts[1]
        if counts[0] * counts[1] == 0.0:
            continue
        lowest = 0.0
        for block in range(n_blocks):
            s, d = block_same[block] / counts[0], block_different[block] / counts[1]
            cost_same = log2((s + d) / s) if s > 0.0 else 0.0
            cost_different = log2((s + d) / d) if d > 0.0 else 0.0
            lowest += s * cost_same + d * cost_different
            if row == 0:
                end = block_start[block + 1] if block + 1 < n_blocks else n
                for at in range(block_start[block], end):
                    pav_costs[at] = cost_same if same[at] else cost_different
        figures[row, 2] = (sums[0] / counts[0] + sums[1] / counts[1]) / 2.0
        figures[row, 3] = lowest / 2.0
        figures[row, 4] = (pav_sums[0] / counts[0] + pav_sums[1] / counts[1]) / 2.0
    return figures, pav_costs
