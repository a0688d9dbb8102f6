"""The stored trials of the ceiling, the table of score A and what ships, by other means than those that made them."""

import csv
import gzip
import io
import json
import sys
from math import exp, log
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import held_oracle

HERE = Path(__file__).resolve().parents[2]
STORED = HERE / "docs" / "validation"
EVIDENCE = HERE / "src" / "idiograph" / "evidence"
FLAGGING = ("cosine", "unlisted_distinct", "unlisted_cosine", "bare_distinct", "bare_cosine")


def columns(name):
    table = pq.read_table(STORED / f"{name}.parquet")
    return {one: table.column(one).to_numpy(zero_copy_only=False) for one in table.column_names}


@pytest.mark.parametrize("name", [one for one in ("held", "imitated") if (STORED / f"{one}.parquet").exists()])
def test_stored_ceilings_are_the_least_of_three_to_the_digits_kept(name) -> None:
    found = columns(name)
    nats = {one: found[f"llr_{one}"].astype(float) for one in ("controlled", "bare", "steady", "held")}
    for value, bare, steady, held in zip(*(values.tolist() for values in nats.values()), strict=True):
        assert held == pytest.approx(held_oracle.held(value, bare, steady), abs=1.6e-3)
    units = json.loads(pq.read_schema(STORED / f"{name}.parquet").metadata[b"units"])
    assert units["llr_held"].startswith("nats")
    assert {f"normed_{one}" for one in FLAGGING} <= set(units)


def test_the_limits_keep_false_alarms_among_honest_trials_low() -> None:
    found = columns("held")
    limits = json.loads((EVIDENCE / "held.json").read_text(encoding="utf-8"))["limits"]
    cosine, no_list, no_list_cosine, bare, bare_cosine = (found[f"normed_{one}"].astype(float) for one in FLAGGING)
    typical, alone = cosine - no_list_cosine, (no_list - bare + no_list_cosine - bare_cosine) / 2
    flagged = (typical > limits["typical"]) | (alone > limits["alone"])
    same = found["same_author"].astype(bool)
    shares = [flagged[same & (found["corpus"] == corpus)].mean() for corpus in sorted(set(found["corpus"]))]
    assert len(shares) == 5
    assert np.mean(shares) <= 0.05
    assert max(shares) <= 0.10


def test_page_and_constants_are_made_from_the_stored_trials() -> None:
    sys.path.insert(0, str(HERE))
    from docs.validation import held

    assert (STORED / "held.md").read_text(encoding="utf-8") == held.page()
    assert (EVIDENCE / "held.json").read_text(encoding="utf-8") == held.constants_text()


def test_the_table_of_score_a_is_near_the_one_that_was_learnt_elsewhere(shared: Path) -> None:
    ours = json.loads((EVIDENCE / "steady.json").read_text(encoding="utf-8"))["ngrams"]
    with gzip.open(shared / "golden" / "score_a" / "score_a.csv.gz") as file:
        theirs = {row["ngram"]: row for row in csv.DictReader(io.TextIOWrapper(file, "utf-8"))}
    first = [ngram for ngram, row in theirs.items() if int(row["rank"]) <= 300]
    assert len(ours) == 300
    assert len({ngram for ngram, _, _ in ours} & set(first)) >= 290
    # Variances: half of them within a tenth or so, nine in ten within a third.
    for column, name in ((1, "B"), (2, "w0")):
        pairs = [(row[column], float(theirs[row[0]][name])) for row in ours if row[0] in theirs]
        away = sorted(abs(log(one / other)) for one, other in pairs if min(one, other) > 1e-6)
        assert len(away) > 250
        assert exp(away[len(away) // 2]) < 1.15
        assert exp(away[int(0.9 * len(away))]) < 1.4
    ranks = [int(theirs[ngram]["rank"]) for ngram, _, _ in ours if ngram in theirs]
    assert np.corrcoef(ranks, range(len(ranks)))[0, 1] > 0.95
