"""How often each finding is made in honest cases, from the rows that benchmarks/false_alarms.py keeps."""

from collections.abc import Sequence
from math import log

from benchmarks.false_alarms import HONEST, OTHER_BOTH, OTHER_Q, ROWS, SCORED
from benchmarks.open_cases import Row, kept_rows

from idiograph.casework.findings import LEAST_LAMBDA_G, MANY_SENTENCES, MUCH, REGISTER_LIMIT, REPEATED_RED
from idiograph.casework.verification import KNOWN_APART
from idiograph.evidence.repetition import REPETITION_IMPROBABLE

VERIFIED = "verified"
# The findings that 0.3.0 did not have and that no corpus was drawn for.
SINCE = (
    "methods-disagree", "unusual-average", "reference-of-another-kind", "characters-differ", "one-person",
)  # fmt: skip


def furthest(row: Row) -> float:
    """The largest |z| of Q's and K's register."""
    return max((abs(measure[1]) for measure in row["register"] if measure), default=0.0)


def is_apart(nats: float) -> bool:
    """Whether a known text with this LLR does not fit the others."""
    return nats < -log(KNOWN_APART)


def is_concentrated(row: Row) -> bool:
    """Whether one word or one sentence has much of what moves λG the way it lies."""
    word, sentence = row["largest"]
    much = word >= MUCH or (row["sentences"] >= MANY_SENTENCES and sentence >= MUCH)
    return bool(much and abs(row["lambda_g"]) >= LEAST_LAMBDA_G)


def alarms_table() -> str:
    """False alarms by finding: in the cases on which limits were set, and in those on which they are judged."""
    rows = kept_rows(ROWS)
    lines = ["| finding | limits set on | judged on |", "|---|---|---|"]
    by_half = {half: [row for row in rows if row["case"]["half"] == half] for half in ("set", "judged")}

    def line(name: str, hit: dict[str, list[bool]]) -> str:
        return f"| {name} | {_share(hit['set'])} | {_share(hit['judged'])} |"

    for kind, words in (
        (HONEST, "honest"),
        (OTHER_Q, "Q of another corpus"),
        (OTHER_BOTH, "Q and K of another corpus"),
    ):
        hits = {
            half: [furthest(row) > REGISTER_LIMIT for row in of_half if row["kind"] == kind]
            for half, of_half in by_half.items()
        }
        lines.append(line(f"`registers-apart`, {words}", hits))
    for severity, limit in (("amber or red", REPETITION_IMPROBABLE), ("red, so refused", REPEATED_RED)):
        hits = {
            half: [row["repeated"] is not None and row["repeated"] < limit for row in of_half if row["kind"] == HONEST]
            for half, of_half in by_half.items()
        }
        lines.append(line(f"`repeated-feature`, {severity}", hits))
    scored = {half: [row for row in of_half if row["kind"] == SCORED] for half, of_half in by_half.items()}
    several = {half: [row for row in of_half if row["known"]] for half, of_half in scored.items()}
    apart = {half: [is_apart(min(row["known"])) for row in of_half] for half, of_half in several.items()}
    strangers = {half: [is_apart(row["stranger"][0]) for row in of_half] for half, of_half in several.items()}
    lines.append(line("`known-texts-apart`, honest, of several known texts", apart))
    lines.append(line("`known-texts-apart`, the text that somebody else wrote", strangers))
    in_one_place = {half: [is_concentrated(row) for row in of_half] for half, of_half in scored.items()}
    lines.append(line("`concentrated`, in one word or one sentence", in_one_place))
    whole = {half: [row for row in of_half if row["kind"] == VERIFIED] for half, of_half in by_half.items()}
    for code in SINCE:
        hits = {
            half: [
                any(finding == code for finding, _ in row["findings"]) for row in of_half if row["computed"] is not None
            ]
            for half, of_half in whole.items()
        }
        lines.append(line(f"`{code}`, of cases with a value", hits))
    refused = {half: [row["refused"] is not None for row in of_half] for half, of_half in whole.items()}
    lines.append(line("**refused**, for whatever reason", refused))
    return "\n".join(lines) + "\n"


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits)} of {len(hits)} ({sum(hits) / len(hits):.1%})" if hits else "none"
