"""Fusion: several scores joined by the regression that the reference-normalised LR uses, and pulled towards it.

    ln LR = α + Σ_k β_k·x_k

x are the normalised scores of the reference-normalised LR, which pull α and their β towards its constants, and the
scores of comparators and other systems, measured by the mean and sd of the training trials, which pull towards 0.
"""

from collections.abc import Mapping

import numpy as np

from idiograph.arithmetic import FloatArray, mean, sd
from idiograph.errors import CalibrationError
from idiograph.evidence.pulled import Weights, fit_pulled, tau_for
from idiograph.studies.normalising import NormalisedTrials, Places, divisions
from idiograph.studies.trials import TrialTable


def fused_trials(
    trials: TrialTable, scores: Mapping[str, FloatArray], normalised: NormalisedTrials | None
) -> FloatArray:
    """The LLRs of judged trials, NaN elsewhere; each learnt from trials of other authors."""
    nats = np.full(len(trials), np.nan)
    same = trials.same
    for (corpus, condition, run), _, places, training, judged in divisions(trials, by_judged=True):
        name = f"{corpus}, {condition}, run {run}"
        pull = Weights(0.0, ())
        columns: list[FloatArray] = []
        if normalised is not None:
            pull = normalised.fit_of[int(places[0])].constants.weights
            columns += normalised.normed.values()
        for values in scores.values():
            columns.append(_standardised(values, training, name))
        pull = Weights(pull.alpha, (*pull.betas, *[0.0] * len(scores)))
        features = np.stack(columns, axis=1)
        try:
            weights = fit_pulled(
                same=features[training[same[training]]],
                different=features[training[~same[training]]],
                towards=pull,
                tau=tau_for(len(set(trials.column("k_author")[training]))),
            )
        except CalibrationError as error:
            raise CalibrationError(f"{name}: fusion could not be fitted. {error}") from error
        nats[judged] = weights.nats(features[judged])
    return nats


def _standardised(values: FloatArray, training: Places, name: str) -> FloatArray:
    learnt = values[training]
    if len(learnt) < 2 or not np.isfinite(learnt).all():
        raise CalibrationError(f"{name}: fusion needs the scores of at least two trials by other authors.")
    middle, spread = mean(learnt), sd(learnt)
    if spread == 0.0:
        raise CalibrationError(f"{name}: a score to be joined is the same for all trials. Leave its method out.")
    standardised: FloatArray = (values - middle) / spread
    return standardised
