"""The n-grams that carry most of λG: how often each occurs where, and some of the lines in which it does."""

from collections.abc import Iterator

from idiograph.casework.verification import Comparison, Line, StrongNgram
from idiograph.output.document import Block, Bullets, Run, Table, paragraph, runs, strong
from idiograph.output.report import heatmap
from idiograph.output.report.words import ROLES

# How many n-grams in each direction, lines of each role for one of them, characters on either side of it.
_NGRAMS, _LINES, _CONTEXT = 10, 2, 60


def ngrams(comparison: Comparison) -> Iterator[Block]:
    """The strongest n-grams in a table with their rates, then each with lines of Q, K and the reference."""
    strongest = _strongest(comparison.explanation.ngrams)
    if not strongest:
        yield paragraph("No n-gram of Q carries evidence.")
        return
    sides = {"q": comparison.q, "k": comparison.k, "reference": comparison.reference}
    yield Table(
        "The strongest n-grams in each direction: their part of λG (log10 units, over all occurrences in Q), and how "
        "often they occur per 1,000 tokens, with the number of occurrences in brackets",
        ("n-gram as scored", "part of λG", *(ROLES[role] for role in sides)),
        tuple(
            (
                " ".join(one.tokens),
                heatmap.signed(one.lambda_g),
                *(_rate(n, sides[role].n_tokens) for role, n in _counts(one).items()),
            )
            for one in strongest
        ),
        numeric=(1, 2, 3, 4),
        widths=(6, 3, 3, 3, 4),
    )
    for one in strongest:
        few = [line for role in ROLES for line in [each for each in one.lines if each.role == role][:_LINES]]
        if few:
            yield paragraph(strong(" ".join(one.tokens)), f"  {heatmap.signed(one.lambda_g)}", keep=True)
            yield Bullets(tuple(_line(line) for line in few), small=True)


def _counts(one: StrongNgram) -> dict[str, int]:
    return {"q": one.n_q, "k": one.n_k, "reference": one.n_reference}


def _rate(n: int, tokens: int) -> str:
    return f"{1_000 * n / tokens:.2f} ({n:,})" if tokens else f"({n:,})"


def _strongest(found: tuple[StrongNgram, ...]) -> list[StrongNgram]:
    for_candidate = sorted((one for one in found if one.lambda_g > 0), key=lambda one: -one.lambda_g)
    against = sorted((one for one in found if one.lambda_g <= 0), key=lambda one: one.lambda_g)
    return [*for_candidate[:_NGRAMS], *against[:_NGRAMS]]


def _line(line: Line) -> tuple[Run, ...]:
    before, after = (" ".join(part.split()) for part in (line.before, line.after))
    if len(before) > _CONTEXT:
        before = f"… {before[-_CONTEXT:].partition(' ')[2]}"
    if len(after) > _CONTEXT:
        after = f"{after[:_CONTEXT].rpartition(' ')[0]} …"
    return runs(f"{ROLES[line.role]}, {line.text_id}: {before} ", strong(line.match), f" {after}")
