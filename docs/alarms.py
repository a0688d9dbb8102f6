"""How often each finding is made in honest cases, from the rows that benchmarks/false_alarms.py keeps."""

from collections.abc import Sequence

from benchmarks.false_alarms import HONEST, OTHER_BOTH, OTHER_Q, ROWS
from benchmarks.open_cases import Row, kept_rows

from idiograph.casework.findings import REGISTER_LIMIT, REPEATED_RED
from idiograph.evidence.repetition import REPETITION_IMPROBABLE

VERIFIED = "verified"
# The findings that 0.3.0 did not have and that no corpus was drawn for.
SINCE = (
    "known-texts-apart", "concentrated", "methods-disagree", "unusual-average", "reference-of-another-kind",
    "characters-differ", "one-person",
)  # fmt: skip


def furthest(row: Row) -> float:
    """The largest |z| of Q's and K's register."""
    return max((abs(measure[1]) for measure in row["register"] if measure), default=0.0)


def alarms_table() -> str:
    """False alarms by finding: in the cases on which limits were set, and in those on which they are judged."""
    rows = kept_rows(ROWS)
    lines = ["| finding | limits set on | judged on |", "|---|---|---|"]
    by_half = {half: [row for row in rows if row["case"]["half"] == half] for half in ("set", "judged")}

    def line(name: str, hit: dict[str, list[bool]]) -> str:
        return f"| {name} | {_share(hit['set'])} | {_share(hit['judged'])} |"

    for kind, said in ((HONEST, "honest"), (OTHER_Q, "Q of another corpus"), (OTHER_BOTH, "Q and K of another corpus")):
        hits = {
            half: [furthest(row) > REGISTER_LIMIT for row in of_half if row["kind"] == kind]
            for half, of_half in by_half.items()
        }
        lines.append(line(f"`registers-apart`, {said}", hits))
    for severity, limit in (("amber or red", REPETITION_IMPROBABLE), ("red, so refused", REPEATED_RED)):
        hits = {
            half: [row["repeated"] is not None and row["repeated"] < limit for row in of_half if row["kind"] == HONEST]
            for half, of_half in by_half.items()
        }
        lines.append(line(f"`repeated-feature`, {severity}", hits))
    whole = {half: [row for row in of_half if row["kind"] == VERIFIED] for half, of_half in by_half.items()}
    for code in SINCE:
        hits = {
            half: [any(made == code for made, _ in row["findings"]) for row in of_half if row["computed"] is not None]
            for half, of_half in whole.items()
        }
        lines.append(line(f"`{code}`, of cases with a value", hits))
    refused = {half: [row["refused"] is not None for row in of_half] for half, of_half in whole.items()}
    lines.append(line("**refused**, for whatever reason", refused))
    return "\n".join(lines) + "\n"


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits)} of {len(hits)} ({sum(hits) / len(hits):.1%})" if hits else "none"
