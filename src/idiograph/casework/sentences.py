"""The sentences of a report, and numbers as people read them.

Sentences are worded alike in both directions, with two digits at most, and never say a probability of authorship. How
many of something there are is said by `errors.counted`, which every layer may use.
"""

import math
from collections.abc import Mapping

from idiograph.arithmetic import exp10
from idiograph.casework.case import Case
from idiograph.casework.verification import Validation, ValueRange, Wording
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.llr import LLR, from_nats, scale, to_nats
from idiograph.evidence.methods import METHODS, OWN
from idiograph.evidence.performance import Performance

_NO_NUMBER = "not available"
# Closer to 1 than this, the number does not help.
_UNHELPFUL = to_nats(1.0, "bits")

_NOT_CONSIDERED = (
    "Not considered: joint, dictated, edited or ghost-written text; text written or revised by a language model; "
    "disguise or imitation; doubt about who wrote the known texts."
)
_REFERENCE = (
    "The value is only as good as the reference: its texts must come from the stated population and be of the same "
    "kind as the questioned text."
)
_ANEW = "If the propositions or the population change, the value must be computed again."
_UNPROVEN = "The corrections have no formal proof and have been published for English only."
_INFERRED_UNIT = (
    "The unit of a corrected score (the bit) is not stated in the publication; it was inferred from the authors' "
    "released program and from measurements."
)
_OWN_METHOD = "The {} is Idiograph's own and has not been published."
QUICK = "Validation under the conditions of the case was left out (quick run): the value must not be relied on."


def ratio(nats: float, figures: int = 2) -> str:
    """The LR of an LLR in nats, with two figures (or one): 1.4, 55, 4,300, 2.1 × 10^12; 1/55 where it is below 1."""
    log10_lr = from_nats(abs(nats), "bans")
    exponent = math.floor(log10_lr)
    digits = round(exp10(log10_lr - exponent), figures - 1)
    if digits >= 10:
        digits, exponent = 1.0, exponent + 1
    if exponent >= 9:
        times = f"{digits:g} × 10^{exponent}"
        return times if nats >= 0 else f"1/({times})"
    times = f"{digits:g}" if exponent == 0 else f"{round(digits * 10) * 10 ** (exponent - 1):,}"
    return times if nats >= 0 or times == "1" else f"1/{times}"  # rounded to 1: nobody writes 1/1


def percent(share: float | None) -> str:
    """A share in percent, two digits at most."""
    if share is None:
        return _NO_NUMBER
    points = 100 * share
    # What is almost all is not printed as all.
    return f"{points:.1f} %" if 0 < points < 9.95 or 99.5 <= points < 100 else f"{points:.0f} %"


def number(value: float | None, digits: int = 2) -> str:
    """A number to two places, with a typographic minus, or a word where there is none."""
    return _NO_NUMBER if value is None else signed(value, digits=digits).removeprefix("+")


def signed(value: float, *, digits: int = 2) -> str:
    """A number with its sign, typographic minus included.

    >>> signed(0.5), signed(-0.25), signed(-0.001)
    ('+0.50', '−0.25', '0.00')
    """
    text = f"{value:+,.{digits}f}"
    return text[1:] if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def interval(estimate: Estimate) -> str:
    """A 95 % interval, or a word where there is none."""
    if estimate.low is None or estimate.high is None:
        return _NO_NUMBER
    return f"{number(estimate.low)} to {number(estimate.high)}"


def conclusion(llr: LLR, *, label: str, candidate: str, figures: int = 2) -> str:
    """What the findings say: how many times more likely under which proposition, or that they do not help."""
    if abs(llr.nats) <= _UNHELPFUL:
        return "The findings do not help to choose between the propositions."
    own = f"{candidate} wrote {label}"
    other = "another person from the stated population wrote it"
    times = ratio(abs(llr.nats), figures)
    if llr.nats > 0:
        return f"The findings are about {times} times more likely if {own} than if {other}."
    other = f"another person from the stated population wrote {label}"
    return f"The findings are about {times} times more likely if {other} than if {candidate} wrote it."


def refusal(because: str) -> str:
    """The sentence in place of a number."""
    return f"No likelihood ratio is reported because {because}."


def bound_sentence(computed: LLR, reported: LLR, bounds: Bounds, figures: int = 2) -> str | None:
    """What was calculated, what the material supports and what is reported; None where the bound changed nothing."""
    if computed.nats == reported.nats:
        return None
    most = "more than" if computed.nats > 0 else "less than"
    given = ratio(reported.nats, figures)
    return (
        f"The calculation gives {ratio(computed.nats, figures)}. The validation material ({bounds.n_authors} authors) "
        f"cannot support {most} about {given}. {given} is reported."
    )


def same_picture(reported: LLR | None, *, label: str, candidate: str) -> str | None:
    """What else would look like the findings; None where they support neither proposition."""
    if reported is None or abs(reported.nats) <= _UNHELPFUL:
        return None
    if reported.nats > 0:
        return (
            f"Somebody who imitates {candidate}'s way of writing, or a template or source that {label} and the known "
            "texts share, would give the same picture."
        )
    return f"A text by {candidate} in which the way of writing is disguised would give the same picture."


def lean(shift: Estimate) -> str | None:
    """Which way the values of a validation lean, and how far; None where the interval of the shift holds 0.

    The shift is what the known answers make of an LLR of 0, in nats.
    """
    if shift.value is None or shift.low is None or shift.high is None or shift.low <= 0 <= shift.high:
        return None
    towards = "Hp" if shift.value < 0 else "Hd"
    value, low, high = (ratio(nats) for nats in (shift.value, shift.low, shift.high))
    return (
        f"In the validation the values of this method lean towards {towards}: where it gives 1, the known answers are "
        f"best met by about {value} (95 % interval {low} to {high})."
    )


def better_method(
    primary: str, performance: Mapping[str, Performance], *, chosen: bool = False, reported: bool = True
) -> str | None:
    """Which method had the lowest Cllr in the validation, beside the primary one; None with nothing to compare.

    `chosen`: the primary one is the best of those that the case file names; `reported`: its value is not refused.
    """
    found = {key: one.cllr.value for key, one in performance.items() if key in METHODS and one.cllr.value is not None}
    if primary not in found or len(found) < 2:
        return None
    best = min(found, key=lambda key: (found[key], key != primary))
    own, lowest = f"{found[primary]:.2f}", f"{found[best]:.2f}"
    if own == lowest:
        which = "the one that is reported" if reported else "the primary one"
        return f"No other method had a lower Cllr in the validation than {which} ({own})."
    how = "is the best of those named in the case file" if chosen else "was fixed beforehand"
    return (
        f"In the validation another method, {METHODS[best].name_and_source}, had a lower Cllr ({lowest}) than the "
        f"{METHODS[primary].name}, which {how}{' and is reported' if reported else ''} ({own})."
    )


def between_candidates(own: float, others: float, *, label: str, candidate: str, other: str, figures: int = 2) -> str:
    """How many times more likely the findings are if one candidate rather than another wrote Q; LLRs in nats."""
    values = f"(LRs as calculated: {ratio(own, figures)} and {ratio(others, figures)})"
    if abs(own - others) <= _UNHELPFUL:
        return f"The findings do not help to choose between {candidate} and {other} as the writer of {label} {values}."
    first, second = (candidate, other) if own > others else (other, candidate)
    times = ratio(abs(own - others), figures)
    return (
        f"The findings are about {times} times more likely if {first} wrote {label} than if {second} wrote it {values}."
    )


def box(reported: LLR | None, *, candidate: str, figures: int = 2) -> str:
    """The warning against reading the number as a probability of authorship."""
    start = f"This is not the probability that {candidate} wrote the text."
    end = "That depends on the other evidence, which is for the court."
    if reported is None or abs(reported.nats) <= _UNHELPFUL:
        return f"{start} {end}"
    times = ratio(abs(reported.nats), figures)
    if reported.nats > 0:
        return (
            f"{start} It would be wrong to say “it is {times} times more likely that {candidate} wrote it” or “the "
            f"chance that someone else wrote it is 1 in {times}”. {end}"
        )
    return (
        f"{start} It would be wrong to say “it is {times} times more likely that someone else wrote it” or “the "
        f"chance that {candidate} wrote it is 1 in {times}”. {end}"
    )


def proposition(template: str, *, case: Case, label: str, candidate: str) -> str:
    """A proposition of the case for one comparison."""
    for mark, value in (("[Q]", label), ("[candidate]", candidate), ("[population]", case.population)):
        template = template.replace(mark, value)
    return template


def limits(case: Case, *, removed: str, validated: str) -> tuple[str, ...]:
    """What the report must say it did not consider, validate, mask or prepare; the first five stand in the summary."""
    primary = METHODS[case.primary]
    own = (_OWN_METHOD.format(primary.name),) if primary.source == OWN else ()
    unit = (_INFERRED_UNIT,) if primary.unit_inferred else ()
    return (_NOT_CONSIDERED, _REFERENCE, validated, _ANEW, _UNPROVEN, *case.caveats, removed, *unit, *own)


def wording(
    case: Case,
    *,
    label: str,
    candidate: str,
    computed: LLR | None,
    reported: LLR | None,
    because: str | None,
    validation: Validation | None,
    limits: tuple[str, ...],
    moves: ValueRange | None = None,
) -> Wording:
    """Every sentence about one comparison; `because` is the rest of the refusal, if it was refused."""
    # A bound is what the number of authors gives: rounding it up would overstep it.
    figures = moves.figures if moves and computed and reported and computed.nats == reported.nats else 2
    if reported is None:
        assert because is not None
        said = refusal(because)
    else:
        said = conclusion(reported, label=label, candidate=candidate, figures=figures)
    before: tuple[str | None, ...] = ()
    bound = None
    if validation is not None:
        choice = validation.choice
        before = (
            choice.sentence if choice else None,
            validation.lean,
            better_method(
                case.primary, validation.performance, chosen=choice is not None, reported=reported is not None
            ),
        )
        if computed and reported and validation.bounds:
            bound = bound_sentence(computed, reported, validation.bounds)
    chosen = scale(case.scale)
    return Wording(
        hp=proposition(case.hp, case=case, label=label, candidate=candidate),
        hd=proposition(case.hd, case=case, label=label, candidate=candidate),
        before=tuple(one for one in before if one is not None),
        conclusion=said,
        value=None if reported is None else ratio(reported.nats, figures),
        range=moves.sentence if moves and reported is not None else None,
        also=same_picture(reported, label=label, candidate=candidate),
        bound=bound,
        # A value without validation gets no words.
        verbal=reported.verbal(case.scale) if reported and validation else None,
        scale=chosen.name if chosen else "numbers only",
        box=box(reported, candidate=candidate, figures=figures),
        limits=limits,
    )
