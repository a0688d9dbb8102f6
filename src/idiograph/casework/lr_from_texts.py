"""One call from texts to the LR of a case: the way of `verify`, without what only a report needs."""

from dataclasses import dataclass, replace
from typing import Any

from idiograph.casework.case import Case
from idiograph.casework.validation import Judging
from idiograph.casework.validation import validate as validated_by
from idiograph.casework.variants import value_range, without_texts
from idiograph.casework.verification import Claim, Finding, Validation, ValueRange
from idiograph.casework.verify import (
    MEASURED,
    found_before,
    make_ready,
    open_number,
    plan_comparison,
    refused_before,
    reported_of,
)
from idiograph.checking import check
from idiograph.errors import CalibrationError, InputError
from idiograph.evidence.llr import LLR
from idiograph.evidence.normalised import LEAST_TO_NORMALISE, Normalisation, Normalised
from idiograph.grammar.lambdag import Score
from idiograph.settings import refuse_unknown, settings_of
from idiograph.showing import one_line
from idiograph.texts.reading.memory import TextsInMemory


@one_line
@dataclass(frozen=True)
class NormalisedResult:
    """A comparison by an LR that is measured by the reference, and how far it moves.

    `trial` and `normalisation` are what the LR is made of, `score` is λG of Q and K, and `range` how far the LR would
    move with another reference of the same kind. `findings` are those of the audit. `refusal` says why `verify` would
    report nothing, as far as that was looked into. With validation, `validation` has it and `reported` is the LR after
    bounds: what `verify` reports; None where it refuses.
    """

    trial: Normalised
    normalisation: Normalisation
    score: Score
    range: ValueRange | None
    findings: tuple[Finding, ...]
    refusal: str | None
    validation: Validation | None = None
    reported: LLR | None = None

    @property
    def llr(self) -> LLR:
        """The calculated LLR, before bounds."""
        return self.trial.llr

    @property
    def claim(self) -> Claim | None:
        """The Cllr that the validation claims for the method; None without one."""
        return self.validation.claim(self.llr.how) if self.validation else None

    @property
    def in_a_line(self) -> str:
        """The calculated value and its method, and what is reported of it."""
        refused = ", which verify would not report" if self.refusal else ""
        reported = f"; {self.reported.log10:+.2f} reported" if self.reported else ""
        return f"log10 LR {self.llr.log10:+.2f} by {self.llr.how}{refused}{reported}"


def normalised(
    *,
    q: Any,
    k: Any,
    reference: Any,
    seed: int = 0,
    candidate: str | None = None,
    validate: bool = False,
    workers: int | None = None,
    **settings: Any,
) -> NormalisedResult:
    """The LR that `verify` gives for these texts, settings and this seed, to the last digit, and its range.

    `q`, `k` and `reference` are texts, corpora, lists of strings, data frames or paths, masked or not; every reference
    text has an author. Of texts as written the LR is the topic-controlled one, of masked texts, whose topics are not
    known, the reference-normalised one; `primary` says otherwise. `seed` decides every draw. `candidate` is the name
    of K's author, which seeds draws too; without it, the author that the texts of `k` name, else K. The other
    `settings` are those of a Case, by name: `repetitions=10`, `language="de"`. With `validate` the method is validated
    on the reference first, and the LR bounded by that, which takes a little longer. `workers` threads share the
    scoring, by default one per core.

    What comes back has `llr` (calculated), `range`, `score` (λG), `findings` and `refusal` (why `verify` would report
    nothing, or None); with a validation also `validation`, `claim` (its Cllr) and `reported` (the LR after bounds).
    """
    refuse_unknown(settings, [setting.name for setting in settings_of(Case)], where="normalised", error=InputError)
    check(validate, bool, "validate")
    check(candidate, str | None, "candidate")
    if candidate is None:
        authors = {text.author for text in TextsInMemory(k).corpus} if TextsInMemory.accepts(k) else set()
        candidate = str(authors.pop()) if len(authors) == 1 and None not in authors else "K"
    sides: dict[str, Any] = {"questioned": {"Q1": q}, "known": {candidate: k}, "reference": reference}
    case = Case(**{"population": "the authors of the reference", "seed": seed, **sides, **settings})
    if case.primary not in MEASURED:
        raise InputError(
            f"normalised measures an LR by the reference, and primary is {case.primary}. Choose "
            f"{' or '.join(MEASURED)}, or use verify, which knows every method."
        )
    ready = make_ready(case, workers=workers)
    (ready_comparison,) = ready.comparisons
    comparison, plan = plan_comparison(ready, ready_comparison)
    texts, problem, _ = comparison
    if len(plan.authors) < LEAST_TO_NORMALISE:
        raise CalibrationError(
            f"{len(plan.authors)} reference authors have texts for a Q and a K like these, and a score is normalised "
            f"with at least {LEAST_TO_NORMALISE}. Add reference authors, or use a correction."
        )
    judging = Judging(ready.case_index, plan, texts.name)
    validated = validated_by(ready.case_index, texts, plan, judging) if validate else None
    validation = validated.validation if validated else None
    matrix = validated.matrix if validated else judging.matrix.for_the_case(guard=False)
    number = open_number(ready, comparison, plan, matrix)
    measured = number.measured.get(case.primary)
    if measured is None:
        raise CalibrationError(f"No LR can be measured by this reference: {number.why_not[case.primary]}.")
    findings = found_before(case, comparison, validation)
    because = refused_before(ready, texts, findings, validation)
    llr = measured.trial.llr
    reported, because = reported_of(case, number, llr, validation, because)
    left_out = without_texts(ready.case_index, texts, problem, measured)
    return NormalisedResult(
        trial=measured.trial,
        normalisation=measured.normalisation,
        score=replace(number.score, sentences=ready.case_index.part(texts.q).sentences),
        range=value_range(ready.case_index, texts, problem, llr, measured, left_out),
        findings=findings,
        refusal=because,
        validation=validation,
        reported=reported if validated else None,
    )
