"""The stored trials of the ceiling, the table of score A and what ships, by other means than those that made them."""

import csv
import gzip
import io
import json
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
    return {column: table.column(column).to_numpy(zero_copy_only=False) for column in table.column_names}


@pytest.mark.parametrize("name", ["held", "imitated"])
def test_stored_ceilings_are_the_least_of_three_to_the_digits_kept(name) -> None:
    stored = columns(name)
    nats = [stored[f"llr_{method}"].astype(float).tolist() for method in ("controlled", "bare", "steady", "held")]
    for value, bare, steady, held in zip(*nats, strict=True):
        assert held == pytest.approx(held_oracle.held(value, bare, steady), abs=1.6e-3)
    units = json.loads(pq.read_schema(STORED / f"{name}.parquet").metadata[b"units"])
    assert units["llr_held"].startswith("nats")
    assert {f"normed_{score}" for score in FLAGGING} <= set(units)


@pytest.mark.parametrize("number", [0, 1])
def test_the_limits_keep_false_alarms_among_honest_trials_low(number) -> None:
    stored = columns("held")
    limits = json.loads((EVIDENCE / "held.json").read_text(encoding="utf-8"))["limits"][number]
    assert ("topic" in limits) == (number == 0)
    g, slopes = stored["normed_closeness"].astype(float), limits.get("topic", {})
    cosine, no_list, no_list_cosine, bare, bare_cosine = (
        stored[f"normed_{score}"].astype(float) - slopes.get(score, 0.0) * g for score in FLAGGING
    )
    typical, alone = cosine - no_list_cosine, (no_list - bare + no_list_cosine - bare_cosine) / 2
    flagged = (typical > limits["typical"]) | (alone > limits["alone"])
    same = stored["same_author"].astype(bool)
    shares = [flagged[same & (stored["corpus"] == corpus)].mean() for corpus in sorted(set(stored["corpus"]))]
    assert len(shares) == 5
    assert np.mean(shares) <= 0.05
    assert max(shares) <= 0.10


def test_freed_from_topic_the_flag_sees_twenty_phrases_at_both_lengths() -> None:
    with (STORED / "tables" / "held_flag_and_topic.csv").open(encoding="utf-8") as file:
        freed, *_ = csv.DictReader(file)
    assert min(float(share) for name, share in freed.items() if "20 once" in name) >= 85
    assert float(freed["honest %"]) <= 5
    assert float(freed["worst corpus %"]) <= 10


@pytest.mark.parametrize(("factor", "reached"), [(4, True), (5, False)])
def test_the_factor_is_the_largest_that_holds_the_imitators_on_all_corpora_together(factor, reached) -> None:
    stored = columns("imitated")
    nats = zip(
        *(stored[f"llr_{method}"].astype(float).tolist() for method in ("controlled", "bare", "steady")), strict=True
    )
    shift = log(factor / 4)
    above = np.array([held_oracle.held(value, bare + shift, steady + shift) > log(10) for value, bare, steady in nats])
    within = True
    for length in ("q300_k1000", "q500_k2000"):
        at_length = np.array([length in condition for condition in stored["condition"]])
        for kind in set(stored["attack"]) - {None, "nothing"}:
            attacked = at_length & (stored["attack"] == kind)
            corpora = sorted(set(stored["corpus"][attacked]))
            share = np.mean([above[attacked & (stored["corpus"] == corpus)].mean() for corpus in corpora])
            within = within and share <= (0.05 if kind == "20 once" else 0.10)
    assert within == reached


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
        away = sorted(abs(log(learnt / given)) for learnt, given in pairs if min(learnt, given) > 1e-6)
        assert len(away) > 250
        assert exp(away[len(away) // 2]) < 1.15
        assert exp(away[int(0.9 * len(away))]) < 1.4
    ranks = [int(theirs[ngram]["rank"]) for ngram, _, _ in ours if ngram in theirs]
    assert np.corrcoef(ranks, range(len(ranks)))[0, 1] > 0.95
