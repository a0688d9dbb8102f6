"""What a study will take: problems, masking and time, told before it is run."""

import os
import time
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import mean
from idiograph.grammar.lambdag import score
from idiograph.studies.chunks import outlook
from idiograph.studies.corpora import characters_left, find_source, open_corpus
from idiograph.studies.settings import Study

_TIMED = 8  # problems
_MASKED_A_SECOND = 35_000  # characters a core; the tagger's usual pace


@dataclass(frozen=True)
class Forecast:
    """How much there is to do."""

    study: str
    to_mask: int  # characters
    n_problems: int | None  # None where a corpus must be masked first
    n_chunks: int
    seconds: float
    refused: tuple[str, ...]
    left_out: int

    @property
    def words(self) -> str:
        """For people."""
        lines = [f"{self.study}: a dry run, nothing was written to the results."]
        if self.n_problems is None:
            lines.append(
                f"{self.to_mask:,} characters must be masked first, which takes about {_duration(self.seconds)}. How "
                "many problems they make is known after that; what is masked is kept, so it is done once."
            )
        else:
            lines.append(
                f"About {self.n_problems:,} problems in {self.n_chunks:,} chunks; all texts are masked and indexed."
            )
            lines.append(f"Scoring takes about {_duration(self.seconds)} (by {_TIMED} problems timed here).")
        if self.left_out:
            lines.append(f"{self.left_out:,} times an author is too short for a condition and is left out of it.")
        lines += [f"Refused: {why}" for why in self.refused]
        return "\n".join(lines)


def forecast(study: Study, *, workers: int | None = None) -> Forecast:
    """How many problems a study has and how long it takes, by timing a few of them."""
    n_workers = workers or os.cpu_count() or 1
    sources = [find_source(study, corpus) for corpus in study.corpora]
    to_mask = sum(characters_left(study, source) for source in sources)
    if to_mask:
        return Forecast(study.name, to_mask, None, 0, to_mask / _MASKED_A_SECOND / n_workers, (), 0)
    corpora = {source.settings.name: open_corpus(study, source) for source in sources}
    ahead = outlook(study, corpora)
    everything = [(plan, one) for plan in ahead.plans for one in plan.problems]
    chosen = np.random.default_rng(0).choice(len(everything), size=min(_TIMED, len(everything)), replace=False)
    settings = {"order": study.order, "repetitions": study.repetitions, "discount": study.discount}
    took = []
    for place in [chosen[0], *chosen]:  # the first one twice: it also compiles
        plan, one = everything[place]
        start = time.perf_counter()
        problem = plan.problem(one)
        score(q=problem.q, k=problem.k, reference=problem.reference, seed=plan.seed(one), **settings)  # type: ignore[arg-type]
        took.append(time.perf_counter() - start)
    seconds = mean(took[1:]) * ahead.n_problems / n_workers
    left_out = sum(len(plan.left_out) for plan in ahead.plans)
    return Forecast(
        study.name, 0, ahead.n_problems, len(ahead.chunks), seconds, tuple(ahead.refused.values()), left_out
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
