"""The sentences of a report, and numbers as people read them.

Sentences are worded alike in both directions and never say a probability of authorship. Every likelihood ratio is
rounded by one rule (`evidence.llr.two_figures`), which its logarithm and its words follow. How many of something there
are is said by `errors.counted`, which every layer may use.
"""

import math
from collections.abc import Mapping, Sequence

from idiograph.arithmetic import exp, log
from idiograph.casework.case import CONTROLLED, HD, HD_CONTROLLED, MASKED, Case
from idiograph.casework.verification import Claim, TopicControl, Validation, ValueRange, Wording
from idiograph.errors import InputError, counted
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.closeness import LEAST
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.kinds import LIMITED, REFUSED, Apart
from idiograph.evidence.llr import LLR, helps, printed_log10, scale, two_figures
from idiograph.evidence.matching import THREE
from idiograph.evidence.methods import METHODS, OWN
from idiograph.evidence.normalised import Normalisation, Normalised
from idiograph.evidence.strength import Strength, strength_table
from idiograph.texts.language import ENGLISH, language_name

_NO_NUMBER = "not available"

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
_OWN_METHOD = "The method used here, the {}, is Idiograph's own and has not been published or reviewed by others."
_INFERRED_UNIT = (
    "The unit of a corrected score (the bit) is not stated in the publication; it was inferred from the authors' "
    "released program and from measurements."
)
PUBLISHED = "hapax"  # the method that stands beside an unpublished one
UNCONTROLLED = "By the reference-normalised LR, in which it counts, the value would be"
MAY_BE_OF_ANOTHER_KIND = "The reference may be of another kind than the case"
AS_CLOSE = "where different authors are as close in topic"
BY_HAPAX = "A known text and the rest of K have other lengths than the case, so they are compared by Hapax."
QUICK = "Validation under the conditions of the case was left out (quick run): the value must not be relied on."


def finite(value: float) -> float:
    """The number, if it is one: what is not is never put into words."""
    if not math.isfinite(value):
        raise InputError(f"{value} is not a finite number, so nothing can be said about it in words.")
    return value


def ratio(nats: float) -> str:
    """The LR of an LLR in nats, with two figures: 1.4, 55, 4,300, 2.1 × 10^12; 1/55 where it is below 1."""
    digits, exponent = two_figures(nats)
    if exponent >= 9:
        times = f"{digits:g} × 10^{exponent}"
        return times if nats >= 0 else f"1/({times})"
    times = f"{digits:g}" if exponent == 0 else f"{round(digits * 10) * 10 ** (exponent - 1):,}"
    return times if nats >= 0 or times == "1" else f"1/{times}"  # rounded to 1: nobody writes 1/1


def _beside_one(nats: float) -> str:
    """An LR as `ratio` prints it, or with as many digits as tell it from 1: 1.04, 1/1.003."""
    if ratio(nats) != "1" or nats == 0:
        return ratio(nats)
    above, digits = exp(abs(nats)), 2
    while float(told := f"{above:.{digits}f}") == 1 and digits < _MOST_DIGITS:
        digits += 1
    return told if nats > 0 else f"1/{told}"


_MOST_DIGITS = 9


def log10_ratio(nats: float) -> str:
    """log10 of the LR that `ratio` prints, to two places and with its sign."""
    return signed(printed_log10(nats))


def percent(share: float | None) -> str:
    """A share in percent, two digits at most."""
    if share is None:
        return _NO_NUMBER
    points = 100 * finite(share)
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
    text = f"{finite(value):+,.{digits}f}"
    return text[1:] if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def interval(estimate: Estimate) -> str:
    """A 95 % interval, or a word where there is none."""
    if estimate.low is None or estimate.high is None:
        return _NO_NUMBER
    return f"{number(estimate.low)} to {number(estimate.high)}"


def conclusion(llr: LLR, *, label: str, candidate: str, helpful: bool, controlled: bool = False) -> str:
    """What the findings say: how many times more likely under which proposition, or that they do not help."""
    findings = "Given how close the two are in topic, the findings" if controlled else "The findings"
    if not helpful:
        return f"{findings} do not help to choose between the propositions."
    claim = f"{candidate} wrote {label}"
    other = "another person from the stated population wrote it"
    times = ratio(abs(llr.nats))
    if llr.nats > 0:
        return f"{findings} are about {times} times more likely if {claim} than if {other}."
    other = f"another person from the stated population wrote {label}"
    return f"{findings} are about {times} times more likely if {other} than if {candidate} wrote it."


def topic_sentences(
    made_of: Normalised | None,
    topic: TopicControl | None,
    *,
    label: str,
    language: str,
    uncontrolled: LLR | None,
    slopes: Sequence[float] = (),
    weights: Sequence[float] = (),
) -> tuple[str, ...]:
    """How close Q and K are in topic, that this was not counted, and what is not known where they are as close or far.

    `made_of` is the topic-controlled LR of the case, with b (`slopes`) and β (`weights`) of its scores; `uncontrolled`
    what the reference-normalised LR gives.
    """
    if made_of is None or made_of.topic is None:
        return ()
    given = made_of.topic * sum(beta * b for beta, b in zip(weights, slopes, strict=True))
    moves = "lower" if given < 0 else "raise"
    factor = _beside_one(abs(given))
    taken_out = f"not counted as evidence: the factor of {factor} by which it would {moves} the LR was taken out."
    told = [f"How close {label} and the known texts are in topic was {taken_out}"]
    if topic is not None:
        below = [sum(c < topic.closeness for c in among) for among in (topic.different, topic.same)]
        closer = "closer in topic than" if below[0] else "no closer in topic than"
        and_than = {
            (True, True): "and than",
            (False, False): "nor than",
            (True, False): "and no closer than",
            (False, True): "but closer than",
        }[below[0] > 0, below[1] > 0]
        told = [
            f"{label} and the known texts are {closer} {_how_many_of(below[0], len(topic.different))} the "
            f"{len(topic.different):,} pairs of different authors in the validation, {topic.n_impostors:,} of them "
            f"made to be close, {and_than} {_how_many_of(below[1], len(topic.same))} its {len(topic.same):,} "
            f"same-author pairs, which were drawn to be as close as these (half of them within a factor of "
            f"{_beside_one(topic.away)}).",
            f"This closeness itself was {taken_out}",
        ]
    if uncontrolled is not None:
        told.append(f"{UNCONTROLLED} {ratio(uncontrolled.nats)}.")
    if made_of.topic <= LEAST:
        told.append(
            f"They are further apart in topic than any texts that the method was tried on, and were treated as if they "
            f"were no further apart than those (g = {number(LEAST, 0)}): at such a distance almost nothing can be said "
            "for or against."
        )
    if topic is not None and topic.closeness > max(topic.different):
        told.append(
            "No different author of the reference comes as close in topic, so it is not known what one that did would "
            "score."
        )
    if language != ENGLISH:
        rise = (
            f" Among the reference's own different authors the scores rise by {_listed(topic.rise)} per unit of g, and "
            f"{_listed(slopes)} was taken out."
            if topic is not None and topic.rise
            else ""
        )
        told.append(
            "How much the scores depend on topic was learnt on English texts alone; that it holds in "
            f"{language_name(language)} was never measured.{rise}"
        )
    return tuple(told)


def _how_many_of(n: int, n_all: int) -> str:
    return "any of" if n == 0 else "all" if n == n_all else f"{percent(n / n_all)} of"


def topic_counts(*, masked: bool) -> str:
    """What is said beside a value that is not freed from topic."""
    why = " The texts came masked, so how close they are in topic is not known." if masked else ""
    return f"Topic was not taken out: a shared topic raises this value, and a foreign one lowers it.{why}"


def _listed(values: Sequence[float]) -> str:
    return " and ".join(number(value) for value in values)


def published_sentence(primary: str, llrs: Mapping[str, LLR]) -> str | None:
    """What a published method gives beside an unpublished one; None where the primary method is not Idiograph's own."""
    if METHODS[primary].source != OWN or PUBLISHED not in llrs:
        return None
    value = ratio(llrs[PUBLISHED].nats)
    return f"By a published method, the {METHODS[PUBLISHED].name_and_source}, the LR would be {value}."


def band_in_words(band: Strength) -> str:
    """The LRs of a band: "from 3 to 10", "above 100"."""
    low, high = (None if not edge else ratio(log(edge)) for edge in (band.low, band.high))
    return f"above {low}" if high is None else f"below {high}" if low is None else f"from {low} to {high}"


def worth_in_words(band: Strength) -> str:
    """What values in a band were worth, with the interval, or why that is not known."""
    if not band.n_true and not band.n_wrong:
        return "not known: none was reported"
    if not band.worth:  # none of either kind
        who = "different author as close in topic" if band.n_true else "true author"
        return f"not known: no {who} had one ({counted(band.n_true or band.n_wrong, 'trial')} of the other kind did)"
    least, most = (None if not edge else ratio(log(edge)) for edge in (band.least, band.most))
    interval_ = (
        f"{least} to {most}" if least and most else f"{least} or more" if least else f"up to {most or 'any size'}"
    )
    return f"about {ratio(log(band.worth))} (95 % interval {interval_})"


def strength_sentence(method: str, reported: LLR) -> str | None:
    """What values as strong as the reported one were worth; None where the published table has no band for it."""
    band = strength_table().of(method, exp(reported.printed.nats))
    if band is None:
        return None
    return (
        f"What reported values of this method {band_in_words(band)} are worth against different authors as close in "
        f"topic, by the published validation: {worth_in_words(band)}."
    )


def refusal(because: str) -> str:
    """The sentence in place of a number."""
    return f"No likelihood ratio is reported because {because}."


def bound_sentence(computed: LLR, reported: LLR, bounds: Bounds) -> str | None:
    """What was calculated, what the material supports and what is reported; None where the bound changed nothing."""
    if computed.nats == reported.nats:
        return None
    if bounds.n_published is not None and bounds.alone is not None:
        towards, value = "up" if reported.nats >= 0 else "down", ratio(reported.nats)
        alone = min(max(computed.nats, bounds.alone[0]), bounds.alone[1])
        return (
            f"The calculation gives {ratio(computed.nats)}. In the published validation ({bounds.n_published:,} "
            f"authors of other corpora) and in the reference of this case ({bounds.n_authors} authors) values of this "
            f"method are borne out {towards} to about {value}. {value} is reported. By the reference of this case "
            f"alone it would be {ratio(alone)}."
        )
    return (
        f"The calculation gives {ratio(computed.nats)}. With {bounds.n_authors} authors in the validation no more than "
        f"about {ratio(abs(reported.nats))} to 1 can be supported in this direction; that is what is reported."
    )


def another_kind(kind: Apart) -> str:
    """Why nothing is reported by a reference of another kind: the rest of the refusal."""
    return (
        "the reference is of another kind than the case: Q and K lie further from its authors than these from each "
        f"other, beyond a limit that only {percent(REFUSED)} of cases with a reference of their own kind pass (D² is "
        f"{number(kind.distance, 1)}, the limit {number(kind.rule.refused, 1)})"
    )


def may_be_of_another_kind(kind: Apart) -> str:
    """What is limited where the reference may be of another kind."""
    return (
        f"{MAY_BE_OF_ANOTHER_KIND} (D² {number(kind.distance, 1)}; {percent(LIMITED)} of "
        f"cases with a reference of their own kind lie beyond {number(kind.rule.limited, 1)}), so whatever is "
        "calculated, nothing above 3 or below 1/3 is reported."
    )


def kind_sentence(computed: LLR, reported: LLR) -> str:
    """What was calculated, where the kind of the reference limits what is reported."""
    return (
        f"The calculation gives {ratio(computed.nats)}; {ratio(reported.nats)} is reported, because the reference may "
        "be of another kind than the case."
    )


def range_sentence(moves: ValueRange, computed: LLR, reported: LLR) -> str:
    """How far the calculated value moves, and that all of it lies beyond the bound, where it does."""
    beyond = moves.low > reported.nats if computed.nats > reported.nats else moves.high < reported.nats
    range_alone = f"{moves.sentence.partition(' (')[0].rstrip('.')}."  # how it was made stands in the annexes
    return f"{range_alone} All of that lies beyond what can be supported." if beyond else range_alone


def same_picture(
    reported: LLR | None, *, label: str, candidate: str, helpful: bool, controlled: bool = False
) -> str | None:
    """What else would look like the findings; None where they support neither proposition.

    Where topic is controlled, the subject is no longer among it.
    """
    if reported is None or not helpful:
        return None
    if reported.nats > 0:
        subject = "" if controlled else "on the subject of the known texts, "
        return (
            f"The same would be found if somebody else wrote {label} {subject}from a template or source that they "
            f"share, or imitated {candidate}'s way of writing."
        )
    subject = "" if controlled else "on another subject, "
    return (
        f"The same would be found if {candidate} wrote {label} {subject}in another kind of text, at another time, with "
        "a co-author or editor, or in disguise."
    )


def lean(shift: Estimate) -> str | None:
    """Which way the values of a validation lean, and how far; None where the interval of the shift holds 0.

    The shift is what the known answers make of an LLR of 0, in nats.
    """
    if shift.value is None or shift.low is None or shift.high is None or shift.low <= 0 <= shift.high:
        return None
    towards = "Hp" if shift.value < 0 else "Hd"
    value, low, high = (_beside_one(nats) for nats in (shift.value, shift.low, shift.high))
    return (
        f"In the validation the values of this method tend towards {towards}: an LR of 1 should on average have been "
        f"about {value} (95 % interval {low} to {high})."
    )


def cllr_figure(value: float | None) -> str:
    """A Cllr to two places; to more where it lies below 1, at which nothing is reported, and would be printed as 1."""
    digits = 2
    while value is not None and value < 1 and digits < _MOST_DIGITS and float(f"{value:.{digits}f}") == 1:
        digits += 1
    return number(value, digits)


def cllr_in_words(claim: Claim, *, meaning: str = "") -> str:
    """The Cllr that is claimed with its interval; of a topic-controlled method also the plain one, or why it is that.

    `meaning` stands in the brackets of the interval.
    """
    low, high = claim.cllr.low, claim.cllr.high
    inside = [
        *([meaning] if meaning else []),
        *([f"95 % interval {cllr_figure(low)} to {cllr_figure(high)}"] if low is not None else []),
    ]
    value, brackets = cllr_figure(claim.cllr.value), f" ({', '.join(inside)})" if inside else ""
    if claim.controlled:
        return f"{value} {AS_CLOSE}{brackets} and {cllr_figure(claim.plain.value)} over all problems"
    if claim.because:
        return f"{value} over all problems{brackets}; none is claimed {AS_CLOSE}, because {claim.because}"
    return f"{value}{brackets}"


def reaches_one(claim: Claim) -> str | None:
    """That the method may be worth nothing, where the interval of a Cllr below 1 does not rule it out."""
    value, high = claim.cllr.value, claim.cllr.high
    if value is None or high is None or not value < 1 <= high:
        return None
    return (
        "The validation does not rule out that under these conditions the method is no better than giving no evidence: "
        f"the 95 % interval of its Cllr ({interval(claim.cllr)}) reaches 1."
    )


def better_method(
    primary: str,
    cllrs: Mapping[str, Estimate],
    *,
    chosen: bool = False,
    among: str = "",
) -> str | None:
    """Which method had the lowest Cllr in the validation, beside the primary one; None with nothing to compare.

    `chosen`: the primary one is the best of those that the case file names; `among` says of which problems the Cllrs
    are, if not of all.
    """
    comparable = {key: cllr.value for key, cllr in cllrs.items() if key in METHODS and cllr.value is not None}
    if primary not in comparable or len(comparable) < 2:
        return None
    best = min(comparable, key=lambda key: (comparable[key], key != primary))
    reported, lowest = f"{comparable[primary]:.2f}", f"{comparable[best]:.2f}"
    where = f" {among}" if among else ""
    if reported == lowest:
        return f"No other method had a lower Cllr in the validation{where} than the one that is reported ({reported})."
    how = "is the best of those named in the case file" if chosen else "was fixed beforehand"
    return (
        f"In the validation another method, {METHODS[best].name_and_source}, had a lower Cllr{where} ({lowest}) than "
        f"the {METHODS[primary].name}, which {how} and is reported ({reported})."
    )


def between_candidates(value: float, others: float, *, label: str, candidate: str, other: str, scale_key: str) -> str:
    """How many times more likely the findings are if one candidate rather than another wrote Q; LLRs in nats."""
    values = f"(LRs as calculated: {ratio(value)} and {ratio(others)})"
    if not helps(value - others, scale_key):
        return f"The findings do not help to choose between {candidate} and {other} as the writer of {label} {values}."
    first, second = (candidate, other) if value > others else (other, candidate)
    times = ratio(abs(value - others))
    return (
        f"The findings are about {times} times more likely if {first} wrote {label} than if {second} wrote it {values}."
    )


def box(reported: LLR | None, *, candidate: str, helpful: bool) -> str:
    """The warning against reading the number as a probability of authorship; without one, against reading any in."""
    end = "That depends on the other evidence, which is for the court."
    if reported is None:
        return f"That no number is reported speaks neither for nor against {candidate} as the writer. {end}"
    start = f"This is not the probability that {candidate} wrote the text."
    if not helpful:
        return f"{start} {end}"
    times = ratio(abs(reported.nats))
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


def alternative(case: Case) -> str:
    """Hd in the words of the case; by default, where topic is controlled, with the matter in it."""
    return HD_CONTROLLED if case.primary == CONTROLLED and case.hd == HD else case.hd


def limits(case: Case, *, removed: str, validated: str) -> tuple[str, ...]:
    """What the report must say it did not consider, validate, mask or prepare; the first five stand in the summary."""
    primary = METHODS[case.primary]
    unproven = _OWN_METHOD.format(primary.name) if primary.source == OWN else _UNPROVEN
    unit = (_INFERRED_UNIT,) if primary.unit_inferred else ()
    return (_NOT_CONSIDERED, _REFERENCE, validated, _ANEW, unproven, *case.caveats, removed, *unit)


def wording(
    case: Case,
    *,
    label: str,
    candidate: str,
    computed: LLR | None = None,
    reported: LLR | None = None,
    because: str | None,
    validation: Validation | None,
    limits: tuple[str, ...],
    moves: ValueRange | None = None,
    llrs: Mapping[str, LLR] | None = None,
    made_of: tuple[Normalised, Normalisation] | None = None,
    kind: Apart | None = None,
    held: str | None = None,
    masked: str = "",
    changes: tuple[str, ...] = (),
) -> Wording:
    """Every sentence about one comparison; `because` is the rest of the refusal, if it was refused.

    `llrs` are those by all methods, `made_of` what the topic-controlled one is made of, and `kind` how far the case
    lies from its reference, where that decides what is reported. `held` says what is safe against an imitator,
    `masked` what masking removed, which is one of the `limits`, and `changes` what reading changed.
    """
    llrs, controlled = llrs or {}, case.primary == CONTROLLED
    topic: tuple[str, ...] = ()
    if case.primary == "normalised" and reported:
        topic = (topic_counts(masked=case.masking == MASKED),)
    if controlled and reported and made_of is not None:
        topic = topic_sentences(
            made_of[0],
            validation.topic if validation else None,
            label=label,
            language=case.language,
            uncontrolled=llrs.get("normalised"),
            slopes=made_of[1].constants.slopes,
            weights=made_of[1].weights.betas,
        )
    helpful = reported is not None and helps(reported.nats, case.scale)
    if reported is None:
        assert because is not None
        finding = refusal(because)
    else:
        finding = conclusion(reported, label=label, candidate=candidate, helpful=helpful, controlled=controlled)
    before: tuple[str | None, ...] = ()
    bound = None
    if validation is not None and reported is not None:
        choice, claim = validation.choice, validation.claim(case.primary)
        before = (
            choice.sentence if choice else None,
            may_be_of_another_kind(kind) if kind and kind.is_limited else None,
            reaches_one(claim) if claim else None,
            validation.lean,
        )
        if computed and kind and kind.is_limited and abs(reported.nats) == THREE != abs(computed.nats):
            bound = kind_sentence(computed, reported)
        elif computed and validation.bounds:
            bound = bound_sentence(computed, reported, validation.bounds)
    chosen = scale(case.scale)
    return Wording(
        hp=proposition(case.hp, case=case, label=label, candidate=candidate),
        hd=proposition(alternative(case), case=case, label=label, candidate=candidate),
        before=tuple(sentence for sentence in before if sentence is not None),
        conclusion=finding,
        value=None if reported is None else ratio(reported.nats),
        range=range_sentence(moves, computed, reported) if moves and computed and reported else None,
        also=same_picture(reported, label=label, candidate=candidate, helpful=helpful, controlled=controlled),
        bound=bound,
        # A value without validation gets no words.
        verbal=reported.printed.verbal(case.scale) if reported and validation else None,
        scale=chosen.name if chosen else "numbers only",
        box=box(reported, candidate=candidate, helpful=helpful),
        limits=limits,
        topic=topic,
        published=published_sentence(case.primary, llrs) if reported else None,
        strength=strength_sentence(case.primary, reported)
        if reported and validation and not case.goes_by_typing
        else None,
        held=held,
        masked=masked,
        changes=changes,
    )
