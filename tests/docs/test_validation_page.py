"""The published validation's trials are small and hold no text."""

from pathlib import Path

import pyarrow.parquet as pq

TRIALS = Path(__file__).resolve().parents[2] / "docs" / "validation" / "trials.parquet"


def test_the_stored_trials_are_small_and_numbers_and_names_only() -> None:
    assert TRIALS.stat().st_size < 500_000
    table = pq.read_table(TRIALS)
    texts = [name for name in table.column_names if "string" in str(table.schema.field(name).type)]
    assert texts == ["corpus", "condition", "half", "k_author", "q_author"]
