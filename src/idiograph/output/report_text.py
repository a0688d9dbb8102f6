"""The report's standing text: the method in lay words, what measures mean, lines that the annexes share."""

import math
from collections.abc import Mapping
from typing import Any

from idiograph.arithmetic import log, log10
from idiograph.casework.case import Case
from idiograph.casework.sentences import QUICK, log10_ratio, number, percent, ratio, signed
from idiograph.casework.verification import Comparison, Verification
from idiograph.errors import some
from idiograph.evidence.constants import ENGLISH_CORPORA, HELD
from idiograph.evidence.methods import METHODS, PAPER
from idiograph.evidence.performance import Misleading
from idiograph.output.document import Block, Document
from idiograph.provenance import VERSION

TITLE = "Comparison of authorship"
_RAW = "raw score λG (log10 units, not a likelihood ratio)"
_LONGEST = 260  # characters of a finding or a limit in the body of a report
NOT_VALIDATED = "Validation was left out of this run. Nothing is known about how the method does here."
ROLES = {"q": "Q", "k": "K", "reference": "Reference"}
SEVERITY = {"red": "Serious", "amber": "Caution", "note": "Note"}
_PAPER = (
    "Barlow, Nini & Manino (2026), Normalisation-Based Likelihood Ratio Estimation for Forensic Authorship Verification"
)

_MASKING = {
    "posnoise": "Words that tell what a text is about (nouns, names, verbs, adjectives, adverbs, numbers) are replaced "
    "by a letter for their word class, unless they are on a published list of words that say little about a topic. "
    "What remains is mostly grammar.",
    "frames": "Nouns, names, verbs and numbers are replaced by a sign for their word class. What remains is the frame "
    "of the sentence.",
    "textdistortion": "Every word outside a published list of function words is replaced by an asterisk. Punctuation "
    "and function words remain.",
    "list": "Every word outside a list of function words of the language is replaced by an asterisk, and so are "
    "numbers and symbols. Punctuation and function words remain.",
    "masked": "The texts came already masked, that is, with the words that tell what a text is about replaced by "
    "signs, and were taken as they are.",
}


def method_in_lay_words(verification: Verification) -> tuple[str, ...]:
    """How the number is made, for somebody who does not program."""
    case = verification.case
    explained = [
        METHODS[key].explained.replace(HELD[ENGLISH_CORPORA], HELD[case.constants])
        for key in primaries_of(verification)
    ]
    told = [
        _MASKING.get(case.masking, f"The texts were masked by the scheme “{case.masking}”."),
        f"From the known texts of the candidate a model is made of which token follows which others, looking back over "
        f"up to {case.order - 1} tokens. {case.repetitions} models of the same size are made from sentences drawn at "
        "random from the reference texts, which stand for the other writers of the population.",
        "For each token of the questioned text, and for each end of a sentence, the question is then: how much more "
        "expected is it under the candidate's model than, on average, under the reference models? The answers, as "
        "powers of ten, are added up. The sum is called λG. Above zero the text is more like the candidate's writing, "
        "below zero more like that of others.",
        "λG itself overstates the evidence, since the tokens of a text are not independent of each other. Therefore "
        f"{'. In other comparisons '.join(explained)}. This choice was made before anything was scored.",
    ]
    if not verification.quick:
        opened = any(comparison.reported is not None for comparison in verification.comparisons)
        told.append(
            "How good such numbers are is measured on problems whose answer is known, made from the reference authors "
            "in the way this case is made."
            + (" That measurement came before the case's own number was opened." if opened else "")
        )
    if any(METHODS[key].source == PAPER for key in primaries_of(verification)):
        told.append(f"The correction is one of those of {_PAPER}.")
    return tuple(told)


def primaries_of(verification: Verification) -> tuple[str, ...]:
    """The method of each comparison, each once: one for all unless the validation chooses."""
    return tuple(dict.fromkeys(comparison.primary for comparison in verification.comparisons))


# A measure's name and what it means.
MEASURES = {
    "cllr": ("Cllr", "average cost of the LRs: 0 is perfect, 1 is no better than giving no evidence"),
    "cllr_min": ("Cllr_min", "the part of Cllr that no recalibration would remove"),
    "cllr_cal": ("Cllr_cal", "the part of Cllr that better calibration would save"),
    "eer": ("equal error rate", "share of errors at the threshold where both kinds are equally frequent"),
    "auc": ("AUC", "how often a same-author trial scores higher than a different-author one"),
    "dev_pav": ("devPAV", "mean distance from perfect calibration, in log10 LR"),
    "shift": ("fitted shift α", "0 where scaling the score is enough; no correction removes a shift"),
    "slope": ("fitted slope β", "1 where the LRs are neither too strong nor too weak"),
}


def cut(text: str) -> str:
    """A text for the body of a report: whole, or its first sentences where the rest is for the annexes."""
    if len(text) <= _LONGEST:
        return text
    sentences, end, _ = text[:_LONGEST].rpartition(". ")
    start = f"{sentences}." if end else text[:_LONGEST].rpartition(" ")[0]
    return f"{start} … (whole in the annexes)."


def as_strong(misleading: Misleading) -> str:
    """How often evidence as strong as the case's points the wrong way."""
    of = "of the same author" if misleading.same_author else "of different authors"
    edge = (
        f"1/{ratio(log(misleading.lr))} or less" if misleading.same_author else f"{ratio(log(misleading.lr))} or more"
    )
    upper = "" if misleading.upper is None else f" (95 % upper limit, counted in authors: {percent(misleading.upper)})"
    n, n_trials = misleading.count, misleading.n_trials
    how_many = f"{n:,} ({percent(n / n_trials)})" if n else "none"
    return f"Of {n_trials:,} comparisons {of}, {how_many} gave an LR of {edge}{upper}."


def range_of(comparison: Comparison) -> str:
    """How far the calculated LR moves, from least to most; empty where that is not known."""
    interval = comparison.range
    return f"{ratio(interval.low)} to {ratio(interval.high)}" if interval else ""


def as_high(count: int, n: int) -> str:
    """How many of n other authors reach the case; none found is not none possible."""
    return f"{count} of {n} authors" if count or not n else f"none of {n} authors (95 % upper limit: about 3 in {n})"


def numbers_of(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """The steps from the score to the reported LR, a line each; digits follow the error where it is known."""
    computed, reported, sensitivity = comparison.computed, comparison.reported, comparison.sensitivity
    score, lines = comparison.score, [("tokens of Q after masking, N(Q)", f"{comparison.q.n_tokens:,}")]
    if score is not None:
        lines.append(("types that occur once in Q, V1(Q)", f"{score.n_hapaxes:,}"))
    lines.append(("sentences of Q", f"{comparison.q.n_sentences:,}"))
    if reported is None or computed is None or score is None:
        return tuple(lines)
    if sensitivity is None:
        lines.append((_RAW, signed(score.lambda_g)))
    else:
        digits = _digits(sensitivity.standard_error)
        lines.append((_RAW, signed(score.lambda_g, digits=digits)))
        lines.append(("error of λG (sd over the reference models ÷ √r)", number(sensitivity.standard_error, digits)))
    lines += [
        (
            f"corrected value ({METHODS[comparison.primary].name_and_source})",
            f"{signed(computed.value)} {computed.unit}",
        ),
        ("LR as calculated", ratio(computed.nats)),
        ("log10 LR as calculated", log10_ratio(computed.nats)),
    ]
    seeds = [variant.nats for variant in sensitivity.of("seed")] if sensitivity else []
    if seeds:
        lines.append(("log10 LR over other seeds", f"{log10_ratio(min(seeds))} to {log10_ratio(max(seeds))}"))
    if range_ := range_of(comparison):
        lines.append(("range of the LR as calculated (nine of ten)", range_))
    return (*lines, ("LR as reported", ratio(reported.nats)), ("log10 LR as reported", log10_ratio(reported.nats)))


def _digits(error: float) -> int:
    """How many decimals a value with this error deserves: so many that the error shows two digits, at most two.

    >>> _digits(3.2), _digits(0.19), _digits(17.0)
    (1, 2, 0)
    """
    return min(2, max(0, 1 - math.floor(log10(error)))) if error > 0 else 2


def plain_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {plain_value(part)}" for key, part in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        # Sentences follow each other, names stand in a list.
        parts = [plain_value(part) for part in value]
        return (" " if any(part.endswith(".") for part in parts) else ", ").join(parts) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == "" else str(value)


def as_calculated(comparison: Comparison) -> float:
    """The primary LLR in nats before bounds, of a comparison that reports one."""
    computed = comparison.computed
    assert computed is not None, "an LR is reported only where one was computed"
    return computed.nats


def as_document(verification: Verification, blocks: tuple[Block, ...], *, before: str = "") -> Document:
    """The blocks under the title of the case, with `before` it, and a line below that names the comparisons.

    The footer says which version, which case file, which run, and which report if it has a number.
    """
    case, title = verification.case, f"{before}{verification.case.title or TITLE}"
    pairs = some(
        [f"{comparison.label} and {comparison.candidate}" for comparison in verification.comparisons], 6, between="; "
    )
    run = f"Idiograph {VERSION} · case file {verification.case_digest[:12]} · run {verification.run}"
    return Document(
        title=title,
        subtitle=f"{TITLE}: {pairs}" if case.title else pairs,
        header=title,
        banner=QUICK if verification.quick else None,
        footer=f"{report_named(case)}{run}",
        blocks=blocks,
    )


def prefix_of(verification: Verification, number: int) -> str:
    """What the names of a comparison's figures begin with, where there are several."""
    return f"comparison{number + 1}_" if len(verification.comparisons) > 1 else ""


def report_named(case: Case) -> str:
    """How a footer begins where the report has a number."""
    number_ = case.particulars.report_number
    return f"Report {number_} · " if number_ else ""
