"""Every method that turns scores into LLRs, in one table.

A new method is one more entry: studies, tables, figures, cases, their reports and the documentation read it from here.

Corrections: from λG to an LLR without training data.

    Square Root Correction   ΛG = λG / sqrt(N(Q))         Barlow, Nini & Manino 2026
    Hapax Correction         ΛG = λG · V1(Q) / N(Q)       Barlow, Nini & Manino 2026
    Sentence Correction      ln LR = Σ_s λ_s / sqrt(Σ_s λ_s²)      Idiograph's own, not published

The unit of the first two was inferred, not stated by their authors: bits (docs/evidence.md says how).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.errors import InputError
from idiograph.evidence.calibration import Calibrator, Learn, Learnt, Mode, Separation, calibrate, separation
from idiograph.evidence.comparators import COMPARATORS
from idiograph.evidence.constants import ENGLISH_CORPORA, HELD
from idiograph.evidence.llr import LLR, computed_llr, to_nats
from idiograph.evidence.trials import ScoredTrials, ScoreLike, Scores


def square_root(score: ScoreLike, *, unit: str = "bits") -> LLR:
    """ΛG = λG / sqrt(N(Q)).

    `score` is a Score; its corrected value is read in `unit`: bits (the paper's), nats or bans.
    """
    return LLR.of(float(square_root_values(Scores.of(score))[0]), unit, how="square_root")


def hapax(score: ScoreLike, *, unit: str = "bits") -> LLR:
    """ΛG = λG · V1(Q) / N(Q); exactly 0 where no type of Q occurs once.

    `score` is a Score; its corrected value is read in `unit`: bits (the paper's), nats or bans.
    """
    return LLR.of(float(hapax_values(Scores.of(score))[0]), unit, how="hapax")


def sentence(score: ScoreLike) -> LLR:
    """ln LR = Σ_s λ_s / sqrt(Σ_s λ_s²), in nats by definition; 0 where every sentence's λ is 0.

    `score` is a Score. Idiograph's own and not published: found on open corpora, which therefore do not prove it.
    """
    return LLR.of(float(sentence_values(Scores.of(score))[0]), "nats", how="sentence")


def raw_values(scores: Scores) -> FloatArray:
    """λG itself."""
    return scores.lambda_g


def square_root_values(scores: Scores) -> FloatArray:
    """ΛG of each score by the Square Root Correction."""
    return scores.lambda_g / np.sqrt(_token_counts(scores))


def hapax_values(scores: Scores) -> FloatArray:
    """ΛG of each score by the Hapax Correction."""
    # + 0.0 turns the −0.0 of a negative λG without hapaxes into 0.
    return scores.lambda_g * (scores.n_hapaxes.astype(np.float64) / _token_counts(scores)) + 0.0


def sentence_values(scores: Scores) -> FloatArray:
    """ln LR of each score by the Sentence Correction."""
    total, norms = scores.lambda_g, scores.sentence_norms
    return np.divide(total, norms, out=np.zeros_like(total), where=norms > 0)


def _token_counts(scores: Scores) -> FloatArray:
    counts = scores.n_tokens.astype(np.float64)
    if (counts <= 0).any():
        raise InputError("Q has no token, so no correction can be made. Check the questioned text and its masking.")
    return counts


Formula = Callable[[Scores], FloatArray]
Need = Literal["token evidence", "training set", "score matrix", "comparator"]

PAPER = "Barlow, Nini & Manino 2026"
OWN = "Idiograph's own, unpublished"


@dataclass(frozen=True, kw_only=True)
class Method:
    """One way from scores to LLRs: a formula (`values`, read in `unit`), what is learnt from trials (`learn`), or, of
    a matrix of scores, what the reference says (neither)."""

    key: str
    name: str  # as a report calls it
    short: str  # as a table or a figure calls it
    formula: str
    source: str
    explained: str  # for somebody who does not program: the rest of "Therefore …"
    values: Formula | None = None
    learn: Learn | None = None
    unit: str = "nats"
    unit_inferred: bool = False  # its authors do not state the unit, so a study may read it in another
    needs: frozenset[Need] = frozenset()
    in_case: bool = True  # False: for comparison in studies
    second_opinion: bool = False  # a case may ask for it in its annex
    beside: bool = False  # every case measured by its reference has it beside its value

    @property
    def name_and_source(self) -> str:
        """The name, with a remark where nobody has published the method."""
        return f"{self.name} ({self.source})" if self.source == OWN else self.name

    def nats(self, scores: Scores, *, learnt: Learnt | None = None, unit: str | None = None) -> FloatArray:
        """LLRs in nats, one per score; by what was learnt where the method learns."""
        unit = unit if unit is not None and self.unit_inferred else self.unit
        return to_nats(self._read(scores, learnt), unit)

    def llr(self, score: ScoreLike, *, learnt: Learnt | None = None) -> LLR:
        """The LLR of one score, with the value and the unit it was read from."""
        value = float(self._read(Scores.of(score), learnt)[0])
        return computed_llr(to_nats(value, self.unit), how=self.key, value=value, unit=self.unit)

    def _read(self, scores: Scores, learnt: Learnt | None) -> FloatArray:
        if self.values is not None:
            return self.values(scores)
        assert learnt is not None, f"{self.key} learns first"
        return learnt.nats(scores)


@dataclass(frozen=True)
class CalibratedScore:
    """A plain score made an LLR by logistic regression."""

    score: Formula
    calibrator: Calibrator

    @property
    def separation(self) -> Separation:
        return self.calibrator.separation

    def nats(self, scores: Scores) -> FloatArray:
        """LLRs in nats, one per score."""
        return self.calibrator.nats(self.score(scores))


def calibrated(training: ScoredTrials, *, score: Formula = raw_values, mode: Mode = "exact") -> CalibratedScore:
    """Logistic regression of a score, to its maximum or as far as R's glm goes.

    The maximum is shrunk by one trial per class where the classes are separated, for such a fit has none.
    """
    trials = training.trials(score(training))
    shrinkage = 1.0 if mode == "exact" and separation(trials).kind != "none" else 0.0
    return CalibratedScore(score, calibrate(trials, mode=mode, shrinkage=shrinkage))


def calibrated_score(key: str, name: str, source: str) -> Method:
    """The method that calibrates another score than λG by logistic regression."""
    return Method(
        key=key,
        name=f"{name}, calibrated",
        short=name,
        formula="ln LR = α + β·score",
        source=source,
        explained="a straight line is fitted to this method's scores of problems whose answer is known; it turns the "
        "score, which is not a likelihood ratio, into ln LR",
        learn=partial(calibrated, score=lambda scores: scores.scores[key]),
        needs=frozenset({"training set", "comparator"}),
        in_case=False,
        second_opinion=True,
    )


_TWO_SCORES = (
    "two scores of Q and K (λG in which each phrase of Q counts once, and how alike the two are in their short "
    "phrases) are measured by what the same Q gets with the reference authors' writings and the reference authors' "
    "texts get with the same K; "
)
_LINE = (
    "a straight line fitted on the reference authors' own comparisons, and "
    f"{HELD[ENGLISH_CORPORA]}, turns them into ln LR. "
)
_IN_BITS = "The result, ΛG, is read in bits: LR = 2^ΛG"

METHODS: dict[str, Method] = {
    method.key: method
    for method in (
        Method(
            key="normalised",
            name="reference-normalised LR",
            short="Reference-normalised",
            formula="ln LR = α + β₁·S(distinct λG) + β₂·S(n-gram cosine), S the S-norm",
            source=OWN,
            explained=f"{_TWO_SCORES}{_LINE}This method is Idiograph's own and unpublished",
            needs=frozenset({"score matrix"}),
        ),
        Method(
            key="controlled",
            name="topic-controlled LR",
            short="Topic-controlled",
            formula="ln LR = α + β₁·S′(distinct λG) + β₂·S′(n-gram cosine), S′ = S − b·g, g how close Q and K are in "
            "topic",
            source=OWN,
            explained=f"{_TWO_SCORES}what the closeness of Q and K in topic gives to each score is subtracted; {_LINE}"
            "So it says what the writing is worth given how close the two are in topic. Where authors keep to their "
            "topics, topic itself would be worth something, and it is given up on purpose. This method is Idiograph's "
            "own and unpublished",
            needs=frozenset({"score matrix"}),
        ),
        Method(
            key="guarded",
            name="guarded reference-normalised LR",
            short="Guarded",
            formula="ln LR = α + β₁·S(distinct λG) + β₂·S(n-gram cosine), without what Q overuses",
            source=OWN,
            explained="it is made like the reference-normalised LR (like the topic-controlled one where that is used "
            "beside it), but phrases that Q repeats more often than K or any reference author would are left out of "
            "both scores. This method is Idiograph's own and unpublished",
            needs=frozenset({"score matrix"}),
            in_case=False,
            second_opinion=True,
        ),
        Method(
            key="bare",
            name="LR without K's own phrases",
            short="Bare",
            formula="ln LR = α + β₁·S′(distinct λG) + β₂·S′(n-gram cosine), without K's own phrases",
            source=OWN,
            explained="it is made like the topic-controlled LR, but whatever Q shares of the phrases most typical of "
            "K, and of those that K alone has, is left out of both scores. This method is Idiograph's own and "
            "unpublished",
            needs=frozenset({"score matrix"}),
            in_case=False,
        ),
        Method(
            key="steady",
            name="LR by the commonest n-grams",
            short="Steady",
            formula="ln LR = α + β·S′(score A of 300 n-grams)",
            source=OWN,
            explained="how often Q and K use the 300 commonest n-grams of masked tokens is compared, measured by the "
            "reference and freed from topic like the topic-controlled LR. This method is Idiograph's own and "
            "unpublished",
            needs=frozenset({"score matrix"}),
            in_case=False,
        ),
        Method(
            key="held",
            name="LR held against imitators",
            short="Held",
            formula="ln LR = min(ln LR_controlled, max(0, ln LR_bare + ln 4), max(0, ln LR_steady + ln 4)) above 0",
            source=OWN,
            explained="a topic-controlled LR above 1 is lowered to four times the LR without K's own phrases, or to "
            "four times the LR by the commonest n-grams, whichever is lowest, and never below 1. It is a ceiling "
            "against imitators, not a likelihood ratio of its own",
            needs=frozenset({"score matrix"}),
            in_case=False,
            beside=True,
        ),
        Method(
            key="hapax",
            name="Hapax Correction",
            short="Hapax",
            formula="ΛG = λG · V1(Q) / N(Q)",
            source=PAPER,
            explained="it is multiplied by the share of hapaxes in Q (types of token that occur in it only once, "
            f"divided by all its tokens), because a repeated pattern brings less new evidence each time. {_IN_BITS}",
            values=hapax_values,
            unit="bits",
            unit_inferred=True,
        ),
        Method(
            key="square_root",
            name="Square Root Correction",
            short="Square Root",
            formula="ΛG = λG / √N(Q)",
            source=PAPER,
            explained="it is divided by the square root of the number of tokens of Q, because a longer text repeats "
            f"itself. {_IN_BITS}",
            values=square_root_values,
            unit="bits",
            unit_inferred=True,
        ),
        Method(
            key="sentence",
            name="Sentence Correction",
            short="Sentence",
            formula="ln LR = Σ λ_s / √(Σ λ_s²), λ_s the sum over one sentence with its end",
            source=OWN,
            explained="the sum over the sentences is divided by the square root of the sum of their squares, because "
            "sentences are what the score treats as independent. This correction is Idiograph's own and unpublished",
            values=sentence_values,
            needs=frozenset({"token evidence"}),
        ),
        Method(
            key="logistic",
            name="logistic regression calibration",
            short="Logistic regression",
            formula="ln LR = α + β·λG",
            source="maximum likelihood, both classes weighing the same",
            explained="a straight line is fitted to the scores of problems whose answer is known (logistic "
            "regression, both kinds of problem weighing the same); it turns the score into ln LR",
            learn=calibrated,
            needs=frozenset({"training set"}),
        ),
        Method(
            key="raw",
            name="no correction",
            short="λG as it is",
            formula="log10 LR = λG",
            source="not calibrated, for comparison",
            explained="nothing is done about it here, and it is read as if it were calibrated",
            values=raw_values,
            unit="bans",
            in_case=False,
        ),
        Method(
            key="logistic_glm",
            name="logistic regression as R's glm stops",
            short="Logistic regression (as R's glm stops)",
            formula="ln LR = α + β·λG",
            source="for comparison with published figures",
            explained="a straight line is fitted as far as R's glm goes",
            learn=partial(calibrated, mode="glm"),
            needs=frozenset({"training set"}),
            in_case=False,
        ),
        *(calibrated_score(comparator.key, comparator.name, comparator.source) for comparator in COMPARATORS.values()),
        Method(
            key="fusion",
            name="fusion of several scores",
            short="Fusion",
            formula="ln LR = α + Σ β_k·score_k, pulled towards the reference-normalised LR",
            source=OWN,
            explained="several scores are joined by logistic regression on problems whose answer is known, pulled "
            "towards the constants of the reference-normalised LR",
            needs=frozenset({"training set"}),
            in_case=False,
        ),
    )
}
"""The methods by key, those that a case may use first."""


def short_name(key: str) -> str:
    """A method as tables and figures call it; a function of one's own by its name."""
    return METHODS[key].short if key in METHODS else key


def second_opinions() -> tuple[str, ...]:
    """The keys of the methods that a case may ask for in its annex."""
    return tuple(key for key, method in METHODS.items() if method.second_opinion)


def case_methods() -> dict[str, Method]:
    """The methods that a case computes, by key."""
    return {key: method for key, method in METHODS.items() if method.in_case}


def by_matrix(key: str) -> bool:
    """Whether a method measures Q and K by the matrix of the reference authors' Qs and Ks."""
    return "score matrix" in METHODS[key].needs
