"""What the topic-controlled LR was to reach, and what it reached: one table, with intervals over resampled authors.

python docs/validation/reached.py  writes reached.csv, reached_lengths.csv and topic_by_corpus.csv in tables/
"""

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import expected, foreign, strength, topic
from docs.validation.topic import HERE, LENGTHS, MAIN, ONES, TIMES, Flags, Floats, Judged
from docs.validation.topic import Times as Drawn

from idiograph.arithmetic import mean, quantile, row_totals
from idiograph.evidence.matching import BANDS, TEN, THREE
from idiograph.evidence.metrics import trial_costs
from idiograph.output.study_tables import StudyTable, Value, markdown, save_table

OWN, METHODS = "controlled", ("normalised", TIMES, "controlled")
REFERENCES = ("near", "random")
FEWEST = 30  # trials of both classes in a band of g
Row = tuple[Value, ...]


@cache
def _drawn() -> tuple[Judged, Drawn]:
    judged = strength.judged()
    return judged, judged.resampled()


def _weights(chosen: Flags, corpus: str) -> Floats:
    """How often each chosen trial of a corpus counts, one row per resample: by its K's author, and by its Q's."""
    judged, times = _drawn()
    k, q = (numbers[chosen] for numbers in judged.numbers)
    weights: Floats = times[corpus][:, k] * np.where(judged.trials.same[chosen], 1.0, times[corpus][:, q])
    return weights


def _means(values: Floats, chosen: Flags) -> Floats:
    """The mean of a value over the chosen trials, the mean over corpora: of all authors, then of every resample."""
    judged, _ = _drawn()
    by_corpus = []
    for corpus in sorted(set(judged.corpora[chosen])):
        here = chosen & (judged.corpora == corpus)
        weights = _weights(here, corpus)
        by_corpus.append(topic.divided(row_totals(weights * values[here]), weights.sum(axis=1)))
    together: Floats = np.mean(by_corpus, axis=0)
    return together


def _shares(method: str, limit: float, chosen: Flags) -> Floats:
    """The shares of chosen trials with an LR beyond a limit, above it or, where it is below 1, below it."""
    judged, _ = _drawn()
    nats = judged.llr(method)
    return _means((nats > limit if limit > 0 else nats < limit).astype(np.float64), chosen)


def _cllrs(method: str, chosen: Flags) -> Floats:
    """Plain Cllr."""
    judged, _ = _drawn()
    nats, same = judged.llr(method), judged.trials.same
    halves = _means(trial_costs(nats), chosen & same) + _means(trial_costs(-nats), chosen & ~same)
    return 0.5 * halves


def _worst_halves(method: str, *, same: bool) -> Floats:
    """A half of Cllr in the band of g where it is highest; bands pool the corpora."""
    judged, _ = _drawn()
    nats = judged.llr(method)
    costs = trial_costs(nats if same else -nats)
    of_length = np.isin(judged.lengths, ONES)
    costs_of_bands = []
    for low, high in zip((-np.inf, *BANDS), (*BANDS, np.inf), strict=True):
        band = of_length & (judged.g >= low) & (judged.g < high)
        if min((band & judged.trials.same).sum(), (band & ~judged.trials.same).sum()) < FEWEST:
            continue
        sums, weights = np.zeros(1), np.zeros(1)
        for corpus in judged.authors:
            here = band & (judged.trials.same == same) & (judged.corpora == corpus)
            counted = _weights(here, corpus)
            sums, weights = sums + row_totals(counted * costs[here]), weights + counted.sum(axis=1)
        costs_of_bands.append(sums / weights)
    highest: Floats = np.max(costs_of_bands, axis=0)
    return highest


def _where(lengths: Sequence[str], **wanted: object) -> Flags:
    judged, _ = _drawn()
    columns = {"draw": judged.draws, "reference": judged.reference, "same": judged.trials.same}
    chosen: Flags = np.isin(judged.lengths, lengths)
    for name, value in wanted.items():
        chosen = chosen & (columns[name] == value)
    return chosen


def _controlled(method: str, reference: str, lengths: Sequence[str] = ONES) -> Floats:
    judged, times = _drawn()
    return judged.controlled(judged.llr(method), judged.chosen(lengths, reference), times)


def _passing(method: str, part: float, lengths: Sequence[str] = ONES) -> Floats:
    """The mean of both references."""
    judged, times = _drawn()
    both = [
        judged.passing(judged.llr(method), judged.chosen(lengths, reference), part, times) for reference in REFERENCES
    ]
    together: Floats = np.mean(both, axis=0)
    return together


def _row(figure: str, by_method: dict[str, Floats], bar: str, reached: bool | None) -> Row:
    """The methods' values, the interval of the topic-controlled LR's, the bar, and whether it is reached."""
    values = [float(by_method[method][0]) if method in by_method else None for method in METHODS]
    _, low, high = topic.interval(by_method[OWN])
    return figure, *values, low, high, bar, "–" if reached is None else "yes" if reached else "no"


def rows() -> Iterator[Row]:
    """Every figure that was asked for."""
    far = _where(ONES, draw="far", reference="near", same=True)
    for limit, words, most in ((-THREE, "1/3", 0.09), (-TEN, "1/10", 0.03)):
        figures = {method: _shares(method, limit, far) for method in METHODS}
        yield _row(f"near reference, far case: true LR < {words}", figures, f"≤ {most:g}", figures[OWN][0] <= most)
    for limit, words, most in ((THREE, "3", 0.045), (TEN, "10", 0.013)):
        shares = {
            method: [
                _shares(method, limit, _where(ONES, draw="impostor", reference=reference)) for reference in REFERENCES
            ]
            for method in METHODS
        }
        figures = {method: np.max(both, axis=0) for method, both in shares.items()}
        yield _row(
            f"impostors LR > {words}, the worse of both references", figures, f"≤ {most:g}", figures[OWN][0] <= most
        )
    for reference in REFERENCES:
        figures = {method: _controlled(method, reference) for method in METHODS}
        lower = all(figures[OWN][0] < figures[method][0] for method in METHODS[:2])
        yield _row(f"topic-controlled Cllr, reference {reference}", figures, "lower than both", lower)
        for other in METHODS[:2]:
            gap = figures[OWN] - figures[other]
            below = topic.interval(gap)[2] < 0
            yield _row(f"… less that of {other}", {OWN: gap}, "interval below 0", below)
    for part in topic.PARTS:
        figures = {method: _passing(method, part) for method in METHODS}
        yield _row(
            f"true authors above what {part:.0%} of impostors pass, mean of draws and references",
            figures,
            "higher",
            figures[OWN][0] > figures["normalised"][0],
        )
        gap = figures[OWN] - figures["normalised"]
        yield _row("… less that of normalised", {OWN: gap}, "interval above 0", topic.interval(gap)[1] > 0)
    for same, words in ((True, "true"), (False, "wrong")):
        figures = {method: _worst_halves(method, same=same) for method in METHODS}
        yield _row(f"half of Cllr in the worst band of g: {words}", figures, "< 1", figures[OWN][0] < 1)
    bands = {method: strength.strengths(method, strength.PUBLISHED) for method in METHODS}
    for number, (low, high, *_) in enumerate(bands[OWN][:3]):
        values = [bands[method][number][4] for method in METHODS]
        value = values[-1]
        yield (
            f"reported {low:g} to {high:g} is worth, matched in c, all lengths",
            *values, *bands[OWN][number][5:], f"≥ {low:g}",
            "no different author" if value is None else "yes" if value >= low else "no",
        )  # fmt: skip
    near = _where(ONES, reference="near")
    judged, _ = _drawn()
    claims = {method: _cllrs(method, near & (judged.draws == "near")) for method in METHODS}
    gets = {method: _cllrs(method, near & (judged.draws == "far")) for method in METHODS}
    yield _row("a validation claims (near reference, Cllr)", claims, "–", None)
    yield _row("a far case then gets", gets, "–", None)
    apart = {method: gets[method] - claims[method] for method in METHODS}
    yield _row("… more than was claimed", apart, "within 0.06", abs(apart[OWN][0]) <= 0.06)
    passed = {method: strength.beyond(method, strength.PUBLISHED) for method in METHODS}
    yield _row("U × different authors matched in c above the upper bound U", passed, "≤ 1", passed[OWN][0] <= 1)
    costs = {method: strength.cost(method, strength.PUBLISHED) for method in METHODS}
    yield _plain("Cllr of what is reported less that of what is calculated", costs, "≤ 0.01", costs[OWN] <= 0.01)
    of_fifteen = strength.cost(OWN, strength.PUBLISHED, "topic_fifteen", 15)
    yield _plain("… with 15 authors of the case's own", {OWN: of_fifteen}, "≤ 0.015", of_fifteen <= 0.015)
    for by, words in (
        (strength.PUBLISHED, "true LR ≥ 10 that are reported at 10 or more"),
        (strength.ELUB, "… with elub"),
    ):
        strong = {method: strength.reported_strong(method, by) for method in METHODS}
        yield _plain(words, strong, "published", None)
    refused = foreign.refused_share()
    yield _plain("cases with a reference of another kind that are refused", {OWN: refused}, "≥ 0.85", refused >= 0.85)
    hits = foreign.honest_hits(MAIN).values()
    limited, honest = (mean([hit[number] for hit in hits]) for number in (1, 2))
    yield _plain("honest cases that are refused", {OWN: honest}, "published", None)
    yield _plain("honest cases that are refused or limited", {OWN: limited}, "published", None)
    random = _where(ONES, draw="random", reference="random")
    yield _row("plain Cllr, random reference and case", {m: _cllrs(m, random) for m in METHODS}, "published", None)
    true = random & judged.trials.same
    strong_true = {method: _shares(method, TEN, true) for method in METHODS}
    yield _row("true authors with LR > 10, random reference and case", strong_true, "published", None)
    by_authors = expected.cpu_ratios()
    ratios = [ratio for of_size in by_authors.values() for ratio in of_size]
    for words, ratio in (
        ("CPU of a case over that of 0.3.0's own code, median", quantile(ratios, 0.5)),
        (f"… the dearest of {len(ratios)}, {min(by_authors)} to {max(by_authors)} reference authors", max(ratios)),
    ):
        yield _plain(words, {OWN: ratio}, "≤ 1.3", ratio <= 1.3)


def _plain(figure: str, by_method: dict[str, float], bar: str, reached: bool | None) -> Row:
    """A row without an interval."""
    return (
        figure, *(by_method.get(method) for method in METHODS), None, None, bar,
        "–" if reached is None else "yes" if reached else "no",
    )  # fmt: skip


def percent(share: Value) -> str:
    """In running text."""
    assert isinstance(share, float)
    return f"{100 * share:.{0 if share >= 0.1 else 1}f} %"


@cache
def reached_table() -> StudyTable:
    """All of them."""
    header = ("figure", "normalised (0.3.0)", "times a factor", "controlled", "2.5 %", "97.5 %", "bar", "reached")
    caption = (
        f"What was to be reached: Q/K {' and '.join(ONES)} where nothing else is said, corpora weighing the same, all "
        "that is learnt without the corpus judged. Intervals of the topic-controlled LR's figure, 95 % over resampled "
        "authors."
    )
    formats = ("", ".3g", ".3g", ".3g", ".3g", ".3g", "", "")
    return StudyTable("reached", caption, header, formats, tuple(rows()))


@cache
def lengths_table() -> StudyTable:
    """The main figures at each length."""
    rows: list[Row] = []
    for length in LENGTHS:
        far = _where((length,), draw="far", reference="near", same=True)
        impostors = [_where((length,), draw="impostor", reference=reference) for reference in REFERENCES]
        for method in METHODS:
            values = [_controlled(method, reference, (length,)) for reference in REFERENCES]
            values += [
                _shares(method, -THREE, far),
                np.max([_shares(method, THREE, trials) for trials in impostors], axis=0),
            ]
            values += [_cllrs(method, _where((length,), reference="near", draw=draw)) for draw in ("near", "far")]
            rows.append((length, method, *(float(value[0]) for value in values),
                          *(float(_passing(method, part, (length,))[0]) for part in topic.PARTS)))  # fmt: skip
    header = (
        "Q/K", "method", "topic-controlled Cllr, reference near", "random", "far case: true LR < 1/3",
        "impostors LR > 3", "validation claims", "far case gets",
        *(f"true above {part:.0%} of impostors" for part in topic.PARTS),
    )  # fmt: skip
    caption = "The same at every length. All figures of each: tables/topic_200_500.csv and so on."
    return StudyTable("reached_lengths", caption, header, ("", "", *[".3f"] * 9), tuple(rows))


@cache
def corpora_table() -> StudyTable:
    """Topic-controlled Cllr on each corpus."""
    judged, _ = _drawn()
    rows: list[Row] = []
    for corpus in judged.authors:
        for method in METHODS:
            values = []
            for length in LENGTHS:
                cells = [
                    c for reference in REFERENCES for c in judged.chosen((length,), reference) if c.corpus == corpus
                ]
                values.append(float(judged.controlled(judged.llr(method), cells, judged.once)[0]))
            rows.append((corpus, method, len(judged.authors[corpus]), *values))
    caption = (
        "Topic-controlled Cllr on each corpus, the mean of both references: 1 is no better than giving no evidence."
    )
    header = ("corpus", "method", "authors", *(f"Q/K {length}" for length in LENGTHS))
    return StudyTable("topic_by_corpus", caption, header, ("", "", "d", *[".2f"] * len(LENGTHS)), tuple(rows))


def default_holds() -> tuple[bool, str]:
    """Whether the topic-controlled LR may be a case's default, by the rule that was set beforehand; and why."""
    by_figure = {str(row[0]): row for row in reached_table().rows}
    gaps = [row for row in reached_table().rows if "less that of" in str(row[0])]
    near, random = (by_figure[f"topic-controlled Cllr, reference {reference}"] for reference in REFERENCES)
    passing = by_figure["true authors above what 5% of impostors pass, mean of draws and references"]
    halves = [by_figure[f"half of Cllr in the worst band of g: {half}"] for half in ("true", "wrong")]
    _, low, high = topic.interval(_passing(OWN, 0.05) - _passing("normalised", 0.05))
    holds = all(row[-1] == "yes" for row in (near, random, passing, *halves)) and low > 0 and bool(gaps)
    return holds, (
        f"Topic-controlled Cllr is {near[3]:.3f} by references drawn near in topic and {random[3]:.3f} by references "
        f"drawn at random ({near[1]:.3f} and {random[1]:.3f} for `normalised`, {near[2]:.3f} and {random[2]:.3f} for "
        f"it times a factor learnt on other corpora); {percent(passing[3])} of true authors lie above what 5 % of "
        f"impostors pass, and {percent(passing[1])} by `normalised` (the difference is {low:+.3f} to {high:+.3f}, 95 % "
        "over resampled "
        f"authors); in the worst band of closeness the halves of Cllr are {halves[0][3]:.2f} for true authors and "
        f"{halves[1][3]:.2f} for wrong ones ({halves[0][1]:.2f} and {halves[1][1]:.2f})."
    )


_SIGNS = ("≤", "<", "≥", "within")  # of bars that are numbers


def missed(*, by_interval: bool = False) -> list[str]:
    """The figures whose bar is not reached, or those that reach it while their interval does not."""
    names, last = [], ""
    for figure, *_, value, low, high, bar, reached in reached_table().rows:
        is_more = str(figure).startswith("…")
        last = last if is_more else str(figure).removesuffix(" median")
        name = f"{last}{str(figure)[1:]}" if is_more else last
        if not by_interval and reached == "no":
            names.append(f"{name} ({value:.3g}; {bar})")
        sign, _, limit = str(bar).partition(" ")
        if by_interval and reached == "yes" and sign in _SIGNS and isinstance(low, float) and isinstance(high, float):
            furthest = max(-low, high) if sign == "within" else high
            beyond = low < float(limit) if sign == "≥" else furthest > float(limit)
            names += [f"{name} ({value:.3g}, {low:.3g} to {high:.3g}; {bar})"] if beyond else []
    return names


def first_screen() -> Iterator[str]:
    """What an expert needs to know."""
    holds, why = default_holds()
    if holds:
        yield (
            f"**Take `controlled`, the topic-controlled LR.** {why} By the rule set beforehand it is therefore what "
            "`idiograph verify` reports by default; `normalised`, which 0.3.0 reported, and the published corrections "
            "stand beside it in every report and are one word away."
        )
    else:
        yield f"**`normalised` stays the default.** {why} The rule set beforehand asks for more."


def section() -> Iterator[str]:
    """The section on topic: in short first, then what it was to reach."""
    row = {str(row[0]): row for row in reached_table().rows}
    far, impostors = row["near reference, far case: true LR < 1/3"], _starting(row, "impostors LR > 3")
    claims = row["a validation claims (near reference, Cllr)"]
    gets = row["a far case then gets"]
    plain, strong = _starting(row, "plain Cllr"), _starting(row, "true authors with LR > 10")
    by_corpus: dict[str, dict[str, list[float]]] = {}
    for corpus, method, _, *values in corpora_table().rows:
        by_corpus.setdefault(str(corpus), {})[str(method)] = [float(str(value)) for value in values]
    nothing = {
        corpus: [length for length, value in zip(LENGTHS, of_method[OWN], strict=True) if value >= 0.995]
        for corpus, of_method in by_corpus.items()
    }
    worse = [c for c, of_method in by_corpus.items() if mean(of_method[OWN]) > mean(of_method["normalised"])]
    yield "\n".join(
        [
            f"- **Better:** a true author whose texts are far apart in topic gets an LR below 1/3 in {percent(far[3])} "
            f"of cases, not in {percent(far[1])}; an impostor on Q's topic gets one above 3 in "
            f"{percent(impostors[3])}, not in {percent(impostors[1])}; a validation that claims a Cllr of "
            f"{claims[3]:.2f} is followed by {gets[3]:.2f} in a far case, where `normalised` claims {claims[1]:.2f} "
            f"and gets {gets[1]:.2f}.",
            "- **The price:** where authors keep their topics, topic is worth something, and it is given up on "
            f"purpose: plain Cllr of cases drawn at random rises from {plain[1]:.2f} to {plain[3]:.2f}, and true "
            f"authors with an LR above 10 fall from {percent(strong[1])} to {percent(strong[3])}.",
            "- **Where it fails:** "
            + "; ".join(f"{corpus} at Q/K {' and '.join(at)}" for corpus, at in nothing.items() if at)
            + ": there topic-controlled Cllr is about 1 or above, and an LR says nothing about who wrote Q. It is a "
            f"little worse than `normalised` where one topic rules ({', '.join(worse) or 'nowhere'}).",
            f"- **Bars missed:** {'; '.join(missed()) or 'none'}. Bars that are reached, but not by the whole "
            f"interval: {'; '.join(missed(by_interval=True)) or 'none'}.",
            "- **Chosen on, judged on:** the forms of c and g, the 0.75 in b and τ were chosen on these corpora, with "
            "others in view. Judged are these corpora, everything that is learnt (b, α, β, the factor, bounds, D²) "
            "without the one judged. What is chosen so is not confirmed: other corpora decide.",
        ]
    )
    for table in (reached_table(), corpora_table(), lengths_table()):
        yield markdown(table).strip()
    yield "Every figure of every method at every length, by band of closeness, and the constants: [topic.md](topic.md)."


def _starting(rows: dict[str, Row], name: str) -> Row:
    return next(row for figure, row in rows.items() if figure.startswith(name))


def build() -> None:
    """Writes the tables."""
    for table in (reached_table(), lengths_table(), corpora_table()):
        save_table(table, HERE / "tables", endings=("csv",))


def main() -> None:
    """The command line of this file."""
    if sys.argv[1:]:
        sys.exit(__doc__)
    build()
    for table in (reached_table(), lengths_table(), corpora_table()):
        print(markdown(table))
    print(missed())


if __name__ == "__main__":
    main()
