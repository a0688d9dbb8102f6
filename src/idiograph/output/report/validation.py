"""What a report says about validation: how the problems were made, how the method did on them, what they support."""

from collections.abc import Iterator

from idiograph.arithmetic import log
from idiograph.casework.verification import Comparison, Validation
from idiograph.casework.wording import percent
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.methods import METHODS
from idiograph.evidence.misleading import Misleading
from idiograph.output.document import Block, Box, Picture, Table, paragraph, strong
from idiograph.output.report import figures
from idiograph.output.report.comparison import audit
from idiograph.output.report.words import (
    MEANING,
    METRIC_NAMES,
    as_calculated,
    interval,
    number,
    ratio_of,
)


def validation(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """How the method did on problems like this case whose answer is known."""
    result = comparison.validation
    if result is None:
        yield paragraph(strong("Validation was left out of this run. Nothing is known about how the method does here."))
        return
    yield paragraph(
        f"Problems with known answers were made from {len(result.authors):,} reference authors: {result.n_same:,} "
        f"same-author, {result.n_different:,} different-author. " + " ".join(result.how)
    )
    unsaid = tuple(flag for flag in result.red_flags if flag not in comparison.audit)
    if unsaid:
        yield from audit(unsaid)
    if result.missing:
        yield Box("amber", "What a full validation would need", tuple(paragraph(one) for one in result.missing))
    yield from _performance(comparison, result, prefix)
    if result.bounds is not None:
        yield paragraph(_bounds(result.bounds))


def _performance(comparison: Comparison, result: Validation, prefix: str) -> Iterator[Block]:
    primary = comparison.primary
    if result.trials is None or primary not in result.trials.nats or primary not in result.performance:
        return
    case = None if comparison.reported is None else as_calculated(comparison)
    trials = result.trials.by(primary)
    same, different = trials.same, trials.different
    yield Picture(
        figures.tippett(same=same, different=different, case=case),
        f"{prefix}tippett",
        "Tippett plot of the validation trials. Same-author trials should lie right of zero, different-author trials "
        "left of it." + ("" if case is None else " The vertical line is the case as calculated, before bounds."),
    )
    performance = result.performance[primary]
    if comparison.as_strong is not None and comparison.reported is not None:
        yield paragraph(strong("How often evidence this strong misleads: "), _as_strong(comparison.as_strong))
    yield Table(
        f"Performance on the validation trials ({METHODS[primary].name_and_source})",
        ("measure", "value", "95 % interval (authors resampled)", "meaning"),
        (
            *(
                (METRIC_NAMES[name], number(estimate.value), interval(estimate), MEANING[name])
                for name in METRIC_NAMES
                for estimate in (getattr(performance, name),)
            ),
            ("same-author trials with LR above 1", percent(performance.same_right.value), "", ""),
            ("different-author trials with LR below 1", percent(performance.different_right.value), "", ""),
            ("share of Cllr due to the worst trial", percent(performance.worst_share), "", ""),
        ),
        numeric=(1, 2),
        widths=(5, 3, 4, 7),
    )
    yield paragraph(
        "A low Cllr is not by itself good calibration: Cllr_cal, devPAV, the shift and the slope stand beside it. "
        "Cllr_min and Cllr_cal have no interval where the authors are too few, or Cllr_min too low for their number, "
        "for an interval to hold the true value as often as it should.",
        small=True,
    )
    yield Table(
        "Misleading evidence in the validation trials",
        ("trials", "LR on the wrong side beyond", "how many"),
        tuple(
            (
                "same author" if one.same_author else "different authors",
                f"{'1/' if one.same_author and one.lr > 1 else ''}{one.lr:,.0f}",
                one.sentence,
            )
            for one in performance.misleading
        ),
        widths=(4, 4, 8),
    )
    yield Picture(
        figures.pav(same=same, different=different, case=case),
        f"{prefix}pav",
        "Calibration of the validation trials: on the dotted diagonal the LRs are what they should be, above it they "
        "should be larger, below it smaller.",
    )


def _as_strong(found: Misleading) -> str:
    lr = ratio_of(log(found.lr))
    if found.same_author:
        return f"same-author trials with an LR of 1/{lr} or less: {found.sentence}."
    return f"different-author trials with an LR of {lr} or more: {found.sentence}."


def _bounds(bounds: Bounds) -> str:
    sides = [
        f"more than about {ratio_of(bounds.upper)} for Hp" if bounds.upper else "anything for Hp",
        f"less than about {ratio_of(bounds.lower)} for Hd" if bounds.lower else "anything for Hd",
    ]
    return (
        f"Bounds: the validation material ({bounds.n_authors} authors) cannot support {sides[0]}, nor {sides[1]} "
        "(empirical lower and upper bounds: ELUB, Vergeer et al. 2016, counted in authors)."
    )
