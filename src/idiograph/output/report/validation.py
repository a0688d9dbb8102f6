"""What a report says about validation: how the problems were made, how the method did on them, what they support."""

from collections.abc import Iterable, Iterator, Sequence

from idiograph.casework.validation import REPORTED
from idiograph.casework.verification import AuthorReason, Comparison, Validation
from idiograph.casework.wording import percent, ratio_of
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.methods import METHODS
from idiograph.evidence.misleading import Misleading
from idiograph.evidence.performance import Performance
from idiograph.output.document import Block, Picture, Table, bullets, paragraph, strong
from idiograph.output.report import figures
from idiograph.output.report.anchors import others_as_high
from idiograph.output.report.words import MEANING, METRIC_NAMES, NOT_VALIDATED, as_calculated, interval, number

_BRIEFLY = ("cllr", "cllr_min", "eer")


def in_brief(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """How the method did on problems like this case whose answer is known: the plot, the main figures, the bounds."""
    result = comparison.validation
    if result is None:
        yield paragraph(strong(NOT_VALIDATED))
        return
    yield paragraph(_made(result) + ("" if not result.missing else f" {' '.join(result.missing)}"))
    said = [_bounds(result.bounds)] if result.bounds is not None else []
    if comparison.reported is not None and (others := others_as_high(comparison)):
        said.append(others)
    if said:
        yield paragraph(" ".join(said))
    performance = _judged(comparison, result)
    if performance is not None:
        yield _tippett(comparison, result, prefix)
        rows = [
            *_measured(performance, _BRIEFLY),
            *(
                (f"{_kind(one)}: LR {_beyond(one)}", _how_many(one), "authors with such a problem")
                for one in performance.misleading
                if one.lr == 10
            ),
        ]
        yield _performance("Performance on the validation problems", comparison, rows)


def in_full(comparison: Comparison, prefix: str) -> Iterator[Block]:
    """Every condition of the validation and every measure, for every method."""
    result = comparison.validation
    if result is None:
        yield paragraph("Validation was left out of this run.")
        return
    yield paragraph(_made(result))
    yield bullets((*result.how, *result.missing))
    for caption, reasons in (
        ("Reference authors who take no part in the validation, and why", result.left_out),
        ("Reference authors whose problems are not made quite as the case is", result.relaxed),
    ):
        if reasons:
            yield _reasons(caption, reasons)
    performance = _judged(comparison, result)
    if performance is None or result.trials is None:
        return
    worst = ("worst problem", percent(performance.worst_share), "share of Cllr that it causes")
    rows = [*_measured(performance, METRIC_NAMES), worst]
    yield _performance("Performance of the primary method", comparison, rows)
    yield paragraph(
        "A low Cllr is not by itself good calibration: Cllr_cal, devPAV, the shift and the slope stand beside it. "
        "Cllr_min and Cllr_cal have no interval where the authors are too few, or Cllr_min too low for their number, "
        "for an interval to hold the true value as often as it should.",
        small=True,
    )
    yield Table(
        "All methods on the same problems",
        ("method", "Cllr (95 % interval)", "Cllr_min", "Cllr_cal", "shift α", "slope β"),
        tuple(
            (
                _method(key),
                _with_interval(one, "cllr"),
                *(number(getattr(one, name).value) for name in ("cllr_min", "cllr_cal", "shift", "slope")),
            )
            for key, one in result.performance.items()
        ),
        numeric=(2, 3, 4, 5),
        widths=(6, 5, 2, 2, 2, 2),
    )
    yield Table(
        "Misleading evidence. Authors are counted who took part in such a problem; they, not problems, are independent",
        ("problems", "LR", "misleading problems", "authors"),
        tuple(
            (_kind(one), _beyond(one), f"{one.count:,} of {one.n_trials:,}", _how_many(one))
            for one in performance.misleading
        ),
        widths=(4, 4, 4, 8),
    )
    trials = result.trials.by(comparison.primary)
    yield Picture(
        figures.pav(same=trials.same, different=trials.different, case=_case(comparison)),
        f"{prefix}pav",
        "Calibration of the validation problems: on the dotted diagonal the LRs are what they should be, above it they "
        "should be larger, below it smaller.",
    )


def _reasons(caption: str, reasons: tuple[AuthorReason, ...]) -> Table:
    by_reason: dict[str, list[str]] = {}
    for one in reasons:
        by_reason.setdefault(one.reason, []).append(one.author)
    rows = tuple((reason, str(len(names)), ", ".join(names)) for reason, names in by_reason.items())
    return Table(caption, ("reason", "number", "authors"), rows, numeric=(1,), widths=(7, 2, 8))


def _method(key: str) -> str:
    if key == REPORTED:
        return "as reported, after bounds"
    return METHODS[key].name_and_source if key in METHODS else key.replace("_", " ")


def _made(result: Validation) -> str:
    return (
        f"Problems with known answers were made from {len(result.authors):,} reference authors the way the case is "
        f"made: {result.n_same:,} same-author and {result.n_different:,} different-author problems."
    )


def _judged(comparison: Comparison, result: Validation) -> Performance | None:
    """How the primary method did, None where there are no problems to tell."""
    if result.trials is None or comparison.primary not in result.trials.nats:
        return None
    return result.performance.get(comparison.primary)


def _case(comparison: Comparison) -> float | None:
    return None if comparison.reported is None else as_calculated(comparison)


def _tippett(comparison: Comparison, result: Validation, prefix: str) -> Picture:
    assert result.trials is not None
    trials, case = result.trials.by(comparison.primary), _case(comparison)
    return Picture(
        figures.tippett(same=trials.same, different=trials.different, case=case),
        f"{prefix}tippett",
        "Tippett plot of the validation problems, each a trial. Same-author problems should lie right of zero, "
        "different-author ones left of it."
        + ("" if case is None else " The vertical line is the case as calculated, before bounds."),
    )


def _performance(title: str, comparison: Comparison, rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(
        f"{title} ({METHODS[comparison.primary].name_and_source}); intervals by resampling authors",
        ("measure", "value (95 % interval)", "meaning"),
        tuple(rows),
        widths=(5, 5, 8),
    )


def _measured(performance: Performance, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The metrics of these names, and the shares of problems whose LR points the right way."""
    for name in names:
        yield METRIC_NAMES[name], _with_interval(performance, name), MEANING[name]
    same, different = performance.same_right.value, performance.different_right.value
    yield "same author: LR above 1", percent(same), "share of these problems"
    yield "different authors: LR below 1", percent(different), "share of these problems"


def _with_interval(performance: Performance, name: str) -> str:
    found = getattr(performance, name)
    return number(found.value) + (f" ({interval(found)})" if found.low is not None else "")


def _kind(one: Misleading) -> str:
    return "same author" if one.same_author else "different authors"


def _beyond(one: Misleading) -> str:
    if one.lr == 1:
        return "below 1" if one.same_author else "above 1"
    return f"below 1/{one.lr:,.0f}" if one.same_author else f"above {one.lr:,.0f}"


def _how_many(one: Misleading) -> str:
    if one.upper is not None or one.n_misled is None:
        return one.sentence
    return f"{one.n_misled} of {one.n_authors} authors"


def _bounds(bounds: Bounds) -> str:
    sides = [
        f"more than about {ratio_of(bounds.upper)} for Hp" if bounds.upper else "anything for Hp",
        f"less than about {ratio_of(bounds.lower)} for Hd" if bounds.lower else "anything for Hd",
    ]
    return (
        f"Bounds: the validation material ({bounds.n_authors} authors) cannot support {sides[0]}, nor {sides[1]} "
        "(empirical lower and upper bounds: ELUB, Vergeer et al. 2016, counted in authors)."
    )
