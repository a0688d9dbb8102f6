"""From a prior to a posterior: for those who must decide. No report holds one; the expert speaks of the evidence."""

import math
from dataclasses import dataclass

from idiograph.arguments import checks_arguments
from idiograph.arithmetic import log, log1p, logistic
from idiograph.errors import InputError
from idiograph.evidence.llr import LLR, from_nats, to_nats


@dataclass(frozen=True)
class Posterior:
    """What a prior probability of Hp becomes with the evidence: odds are log10, so that nothing overflows."""

    prior: float
    prior_log10_odds: float
    posterior_log10_odds: float
    probability: float

    @property
    def complement(self) -> float:
        """The posterior probability of Hd, which keeps its digits where that of Hp rounds to 1."""
        return logistic(to_nats(-self.posterior_log10_odds, "bans"))


@checks_arguments
def posterior(llr: LLR | float, prior: float) -> Posterior:
    """Posterior odds = LR · prior odds, of an LLR (a plain number is in nats) and a prior probability of Hp."""
    if not 0 < prior < 1:
        raise InputError(
            f"The prior probability is {prior}. It must lie between 0 and 1, both excluded: no evidence changes a "
            "certainty."
        )
    nats = llr.nats if isinstance(llr, LLR) else float(llr)
    if not math.isfinite(nats):
        raise InputError(f"The log-likelihood ratio is {nats}. It must be a finite number.")
    prior_odds = log(prior) - log1p(-prior)
    return Posterior(
        prior=prior,
        prior_log10_odds=from_nats(prior_odds, "bans"),
        posterior_log10_odds=from_nats(prior_odds + nats, "bans"),
        probability=logistic(prior_odds + nats),
    )
