"""Trials whose Q repeats itself are named."""

from pathlib import Path

from idiograph.studies.summary import Degenerate, degenerate
from idiograph.studies.trial_table import TrialTable, read_trials
from made_study import trials_file


def with_counts(table: TrialTable, tokens: int, hapaxes: int) -> TrialTable:
    """The trials, the first Q having these counts."""
    import pyarrow as pa

    first = table.column("q_id") == table.column("q_id")[0]
    made = table.table
    for name, value in (("n_tokens", tokens), ("n_hapaxes", hapaxes)):
        counts = [value if own else 200 for own in first]
        made = made.set_column(made.column_names.index(name), name, pa.array(counts, pa.int32()))
    return TrialTable(made)


def test_one_word_repeated_is_named_with_its_furthest_score(tmp_path: Path) -> None:
    table = read_trials(trials_file(tmp_path))
    (found,) = degenerate(with_counts(table, 525, 1))
    own = table.column("q_id") == table.column("q_id")[0]
    scores = table.column("lambda_g")[own]
    furthest = max(scores.tolist(), key=abs)
    assert found == Degenerate("toy", str(table.column("q_id")[0]), 525, 1, int(own.sum()), furthest)


def test_ordinary_and_short_texts_are_not(tmp_path: Path) -> None:
    table = read_trials(trials_file(tmp_path))
    assert degenerate(with_counts(table, 525, 30)) == ()
    assert degenerate(with_counts(table, 99, 0)) == ()
