"""How well LLRs did on trials with known answers, and what calibration and bounds learn from them.

Calibration and bounds are cross-fitted: what a trial's LLR is calibrated or limited by comes from trials of other
authors alone, so that the Cllr printed is never that of the problems it was fitted on. The case's own authors take
part in none of them, so the case is calibrated and limited by all trials together.
"""

import math
from dataclasses import replace

import numpy as np

from idiograph.casework.verification import Bounds, Estimate, FloatArray, Misleading, Performance, Trials
from idiograph.errors import CalibrationError
from idiograph.evidence import metrics
from idiograph.evidence.bounds import elub
from idiograph.evidence.calibration import Calibrator, leave_authors_out
from idiograph.evidence.intervals import intervals

_FOLDS = 5


def misleading_beyond(trials: Trials, method: str, nats: float) -> Misleading:
    """How often a trial of the class that would be misled by it is as strong as `nats`."""
    found = _misleading(trials, trials.nats[method], above=(max(1.0, math.exp(min(abs(nats), 700.0))),))
    return next(one for one in found if one.same_author == (nats < 0))


def with_calibration(trials: Trials) -> tuple[Trials, Calibrator | None, str | None]:
    """The trials with cross-fitted logistic LLRs and the calibrator for the case; or why there is none."""
    same, different = trials.lambda_g[trials.same_author], trials.lambda_g[~trials.same_author]
    try:
        same_authors, different_authors = _authors(trials)
        left_out = leave_authors_out(
            same=same, different=different, same_authors=same_authors, different_authors=different_authors
        )
        calibrator = Calibrator.fit(same=same, different=different)
    except CalibrationError as error:
        return trials, None, f"Logistic regression was not fitted. {error}"
    nats = np.empty(len(trials.lambda_g))
    nats[trials.same_author], nats[~trials.same_author] = left_out.same, left_out.different
    return replace(trials, nats={**trials.nats, "logistic": nats}), calibrator, None


def _authors(trials: Trials) -> tuple[list[str], list[tuple[str, str]]]:
    """The authors of the same-author trials, and the pairs of the others."""
    pairs = list(zip(trials.q_authors, trials.k_authors, strict=True))
    return [q for q, k in pairs if q == k], [(q, k) for q, k in pairs if q != k]


def bounds_of(trials: Trials, primary: str) -> Bounds | None:
    """What all trials together let the case's LLR be; None where the primary method could not be fitted."""
    if primary not in trials.nats:
        return None
    same_authors, different_authors = _authors(trials)
    found = elub(
        same=trials.same(primary),
        different=trials.different(primary),
        same_authors=same_authors,
        different_authors=different_authors,
    )
    return Bounds(
        method=primary,
        lower=found.lower,
        upper=found.upper,
        n_authors=len({*same_authors}),
        how="empirical lower and upper bounds (ELUB, Vergeer et al. 2016), counted in authors",
    )


def cross_limited(trials: Trials, primary: str) -> FloatArray | None:
    """The primary LLRs, each limited by bounds from trials of authors in other folds; None where a fold leaves none."""
    if primary not in trials.nats:
        return None
    authors = sorted({*trials.q_authors, *trials.k_authors})
    fold = {author: place % _FOLDS for place, author in enumerate(authors)}
    q_fold = np.array([fold[author] for author in trials.q_authors])
    k_fold = np.array([fold[author] for author in trials.k_authors])
    nats, limited = trials.nats[primary], np.empty(len(trials.lambda_g))
    for one in range(_FOLDS):
        for other in range(one, _FOLDS):
            mine = ((q_fold == one) & (k_fold == other)) | ((q_fold == other) & (k_fold == one))
            if not mine.any():
                continue
            rest = ~np.isin(q_fold, (one, other)) & ~np.isin(k_fold, (one, other))
            same, different = rest & trials.same_author, rest & ~trials.same_author
            if not (same.any() and different.any()):
                return None
            found = elub(
                same=nats[same],
                different=nats[different],
                same_authors=[trials.q_authors[place] for place in np.flatnonzero(same)],
                different_authors=[
                    (trials.q_authors[place], trials.k_authors[place]) for place in np.flatnonzero(different)
                ],
            )
            limited[mine] = np.clip(nats[mine], found.lower, found.upper)
    return limited


def performance_of(name: str, trials: Trials, nats: FloatArray, seed: int) -> Performance:
    """The metrics of one method's LLRs, intervals by resampling authors."""
    same, different = nats[trials.same_author], nats[~trials.same_author]
    same_authors, different_authors = _authors(trials)
    found = intervals(
        same=same,
        different=different,
        same_authors=same_authors,
        different_authors=different_authors,
        resamples=1_000,
        seed=seed,
    )

    def estimate(metric: str) -> Estimate:
        one = found[metric]
        return Estimate(one.estimate, one.lower, one.upper)

    return Performance(
        method=name,
        cllr=estimate("cllr"),
        cllr_min=estimate("cllr_min"),
        cllr_cal=estimate("cllr_cal"),
        eer=estimate("eer"),
        auc=estimate("auc"),
        dev_pav=estimate("dev_pav"),
        worst_share=metrics.worst_share(same=same, different=different),
        same_on_right_side=found["same_right"].estimate,
        different_on_right_side=found["different_right"].estimate,
        shift=estimate("shift"),
        slope=estimate("slope"),
        misleading=_misleading(trials, nats, above=(1, 10, 100)),
    )


def _misleading(trials: Trials, nats: FloatArray, *, above: tuple[float, ...]) -> tuple[Misleading, ...]:
    same_authors, different_authors = _authors(trials)
    found = metrics.misleading(
        same=nats[trials.same_author],
        different=nats[~trials.same_author],
        same_authors=same_authors,
        different_authors=different_authors,
        above=above,
    )
    return tuple(
        Misleading(
            same_author=one.kind == "same",
            lr=one.above,
            count=one.count,
            n_trials=one.n,
            n_authors=one.n_authors or 0,
            rate=one.rate,
            upper=one.upper_limit,
            sentence=one.words,
        )
        for one in found
    )
