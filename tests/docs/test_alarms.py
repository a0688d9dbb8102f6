"""The false alarms that the documentation prints, counted anew from the stored rows, and the limits that they set."""

import json
from pathlib import Path

from docs.alarms import alarms_table

from idiograph.casework.findings import REGISTER_LIMIT, REPEATED_RED

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "docs" / "validation" / "alarms.jsonl").read_text().splitlines()
]
HONEST = [row for row in ROWS if row["kind"] == "honest"]


def passing(half: str, limit: float) -> tuple[int, int]:
    cases = [row for row in HONEST if row["case"]["half"] == half]
    out = [row for row in cases if any(abs(z) > limit for _, z in filter(None, row["register"]))]
    return len(out), len(cases)


def test_the_limit_of_registers_is_the_least_that_its_cases_allow() -> None:
    n, of = passing("set", REGISTER_LIMIT)
    assert n <= 0.05 * of
    n, of = passing("set", REGISTER_LIMIT - 0.25)
    assert n > 0.05 * of


def test_no_honest_case_is_refused_for_a_repeated_feature() -> None:
    chances = {half: [row["repeated"] for row in HONEST if row["case"]["half"] == half] for half in ("set", "judged")}
    assert REPEATED_RED <= min(chance for chance in chances["set"] if chance) / 100 < 10 * REPEATED_RED
    assert not any(chance and chance < REPEATED_RED for of_half in chances.values() for chance in of_half)


def test_the_table_counts_them() -> None:
    n, of = passing("judged", REGISTER_LIMIT)
    assert f"| `registers-apart`, honest | {passing('set', REGISTER_LIMIT)[0]} of " in alarms_table()
    assert f"| {n} of {of} ({n / of:.1%}) |" in alarms_table()
    halves = {(row["case"]["corpus"], row["case"]["half"]) for row in HONEST}
    assert len({corpus for corpus, _ in halves}) == 5
    assert ("drexel1", "set") not in halves  # too small to be halved
