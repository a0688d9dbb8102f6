"""What attacks did: counts and Cllr by hand on made-up trials."""

from math import inf, log, log2, nan

import pyarrow as pa
import pytest

from idiograph.studies.attacks import all_together, under_attack
from idiograph.studies.trial_table import TrialTable

# corpus, half, same author, kind of attack, caught, LR by hapax, by another method
ROWS = [
    ("a", "case", True, None, None, 8.0, 8.0),
    ("a", "case", False, None, None, 0.5, 0.5),
    ("a", "calibration", True, None, None, 1.0, nan),
    ("a", "attacked", False, "one", True, 2.0, nan),
    ("a", "attacked", False, "one", True, 12.0, 1.0),
    ("a", "attacked", False, "one", False, 0.5, 1.0),
    ("a", "attacked", False, "imitation", False, 0.25, 1.0),
    ("a", "attacked", True, "imitation", True, 0.5, 1.0),
    ("b", "case", True, None, None, 1.0, 1.0),
    ("b", "attacked", False, "one", False, 1.0, 3.0),
]


def trials_of(rows: list[tuple[object, ...]]) -> TrialTable:
    corpora, halves, same, kinds, caught, *llrs = zip(*rows, strict=True)
    columns = {
        "corpus": corpora,
        "condition": ["whole"] * len(rows),
        "half": halves,
        "same_author": same,
        "attack": kinds,
        "caught": caught,
    }
    for name, lrs in zip(("llr_hapax", "llr_other"), llrs, strict=True):
        columns[name] = [log(lr) if 0 < lr < inf else None for lr in lrs]
    return TrialTable(pa.table(columns))


def test_by_hand() -> None:
    by_kind = {(row.corpus, row.kind, row.method): row for row in under_attack(trials_of(ROWS))}
    # By the other method one attacked problem has no LLR, so it is not there.
    assert set(by_kind) == {
        ("a", "one", "hapax"),
        ("a", "imitation", "hapax"),
        ("a", "imitation", "other"),
        ("b", "one", "hapax"),
        ("b", "one", "other"),
    }
    row = by_kind["a", "one", "hapax"]
    assert (row.n_different, row.above_1, row.above_10, row.n_same, row.below_1, row.n_caught) == (3, 2, 1, 0, 0, 2)
    # Same-author: the study's own problem, LR 8; that of the calibration half does not count.
    assert row.cllr == pytest.approx((log2(1 + 1 / 8) + (log2(3) + log2(13) + log2(1.5)) / 3) / 2)
    row = by_kind["a", "imitation", "hapax"]
    assert (row.n_different, row.above_1, row.n_same, row.below_1, row.n_caught) == (1, 0, 1, 1, 1)
    assert row.cllr == pytest.approx((log2(1 + 1 / 0.5) + log2(1.25)) / 2)
    # An LR of exactly 1 is not above 1.
    assert by_kind["b", "one", "hapax"].above_1 == 0


def test_all_corpora_together() -> None:
    cells = under_attack(trials_of(ROWS))
    row = next(row for row in all_together(cells) if (row.kind, row.method) == ("one", "hapax"))
    assert (row.corpus, row.condition) == ("", "")
    assert (row.n_different, row.above_1, row.above_10, row.n_caught) == (4, 2, 1, 2)
    assert row.cllr == pytest.approx(
        sum(cell.cllr for cell in cells if (cell.kind, cell.method) == ("one", "hapax")) / 2
    )


def test_without_attacked_trials_there_is_nothing() -> None:
    plain = trials_of([row for row in ROWS if row[1] != "attacked"])
    assert under_attack(plain) == ()
    assert under_attack(TrialTable(plain.table.drop_columns(["attack", "caught"]))) == ()
