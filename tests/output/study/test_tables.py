"""The tables of a study: they print what was computed and compute nothing."""

import json
from pathlib import Path

import numpy as np

from idiograph.evidence.performance import decisions, pan_metrics, performance
from idiograph.evidence.trials import Trials
from idiograph.output.study_page import publish
from idiograph.output.study_tables import (
    additions_table,
    cllr_values,
    decisions_table,
    degenerate_table,
    fits_table,
    further_table,
    performance_table,
    performance_values,
    split_table,
    spread_in_words,
    table2,
    table3,
    units_table,
)
from idiograph.studies.drawing import Condition
from idiograph.studies.llrs import Fits
from idiograph.studies.settings import CorpusSettings, Study, published_table2
from idiograph.studies.study import run_study
from idiograph.studies.summary import BaselineSplit, Cllrs, Degenerate, MethodPerformance, UnitRow, Wins
from made_study import folder_with_study

CLLRS = Cllrs({("a", "whole"): {"hapax": np.array([0.2, 0.4]), "mine": np.array([0.5, 0.5])}})


def judged(*, resamples: int) -> MethodPerformance:
    trials = Trials.of(
        same=[3.0, 2.0, -1.0, 1.0], different=[-3.0, 3.0, 0.5, -1.5], same_authors=list("abcd"),
        different_authors=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")],
    )  # fmt: skip
    both = {"same": trials.same, "different": trials.different}
    return MethodPerformance(
        "c", "whole", "hapax", performance(trials, resamples=resamples), decisions(**both), pan_metrics(**both)
    )


def test_wins_stand_beside_the_papers() -> None:
    wins = (Wins("hapax", "square_root", 0.5, None, 1), Wins("square_root", "hapax", 0.75, 0.25, 1))
    table = table2(wins)
    assert table.rows[0] == ("Hapax", "Square Root", 50.0, None, *published_table2()["hapax", "square_root"])
    assert table.rows[1][:4] == ("Square Root", "Hapax", 75.0, 25.0)
    assert "1 tie counts as won by both" in table.caption


def test_means_stand_beside_their_spread_and_every_run_in_a_file() -> None:
    assert table3(CLLRS).rows == (("a", "whole", 2, "0.300 ± 0.141", "0.500 ± 0.000"),)
    assert table3(CLLRS).header[-2:] == ("Hapax", "mine")
    one = Cllrs({("a", "whole"): {"hapax": np.array([0.2])}})
    assert table3(one).rows == (("a", "whole", 1, "0.200"),)
    assert cllr_values(CLLRS).rows[1] == ("a", "whole", 1, "hapax", 0.4)


def test_the_baselines_split_in_per_cent() -> None:
    table = split_table((BaselineSplit("a", "hapax", True, 2, 0.5, 0.0, 1.0, 0.04),), "logistic")
    assert table.rows == (("a", "Hapax", "above 0.1", 2, 50.0, 0.0, 100.0, 0.04),)
    assert "against Logistic regression where" in table.caption


def test_metrics_with_and_without_intervals() -> None:
    bare, whole = judged(resamples=0), judged(resamples=40)
    assert performance_table([bare], resamples=0).rows[0][:7] == (
        "c", "whole", "Hapax", 4, 4, 4, f"{bare.performance.cllr.value:.3f}",
    )  # fmt: skip
    assert "No intervals were asked for" in performance_table([bare], resamples=0).caption
    estimate = whole.performance.cllr
    shown = f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
    assert performance_table([whole], resamples=40).rows[0][6] == shown
    assert "over 40 resamples of authors" in performance_table([whole], resamples=40).caption
    assert performance_values([whole]).rows[0] == (
        "c", "whole", "hapax", "cllr", estimate.value, estimate.low, estimate.high, estimate.undefined,
    )  # fmt: skip


def test_the_caption_says_where_there_is_no_interval_and_the_other_metrics_have_their_own_table() -> None:
    whole = judged(resamples=40)
    caption = performance_table([whole], resamples=40).caption
    assert "those of Cllr_min and Cllr_cal over half samples of authors, and none with fewer than 20 authors" in caption
    assert performance_table([whole], resamples=40).rows[0][7] == f"{whole.performance.cllr_min.value:.3f}"
    assert further_table([whole]).header[6:] == ("devPAV", "same > 0", "different < 0", "shift α", "slope β")


def test_what_the_spread_over_runs_means_depends_on_what_varies() -> None:
    made = {"name": "s", "corpora": (CorpusSettings(name="c", path="x"),)}
    conditions = ((Condition(drawing="whole"), ("c",)),)
    assert spread_in_words(Study(**made, conditions=conditions)) == "There was one run, so there is none."
    usual = spread_in_words(Study(**made, conditions=conditions, runs=5))
    assert usual.startswith(
        "Each run draws the texts of Q and K and the sentences of the reference models anew and keeps"
    )
    assert "the split of the authors and their pairs. The standard deviation says how much the former matter" in usual
    every = spread_in_words(Study(**made, conditions=conditions, runs=5, vary=("split", "texts", "reference")))
    assert every.startswith("Each run draws everything anew: the split of the authors and their pairs, the texts")


def test_texts_that_repeat_themselves_are_named() -> None:
    table = degenerate_table([Degenerate("c", "q1", 525, 1, 3, -549.2)])
    assert table.rows == (("c", "q1", 525, 1, 3, -549.2),)


def test_which_trials_came_when(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    content = path.read_text(encoding="utf-8")
    path.write_text(content.replace("runs = 2", "runs = 1"), encoding="utf-8")
    run_study(path, tmp_path / "out")
    path.write_text(content, encoding="utf-8")
    result = run_study(path, tmp_path / "out")
    rows = additions_table(result).rows
    assert [row[1:5] for row in rows[:2]] == [("toy", "random_q40_k60", "0", 24), ("toy", "random_q40_k120", "0", 24)]
    assert [row[3] for row in rows] == ["0"] * 5 + ["1"] * 5
    assert all(row[5] == "" for row in rows)
    publish(result, tmp_path / "out")
    assert (tmp_path / "out/tables/additions.csv").is_file()
    assert "in several additions" in (tmp_path / "out/index.html").read_text(encoding="utf-8")
    # Tables of an earlier page go, files of the user's stay, and no list makes anything go that lies elsewhere.
    listed, private = tmp_path / "out/page.json", tmp_path / "private.csv"
    names = json.loads(listed.read_text(encoding="utf-8"))["files"]
    assert sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").glob("*s/*.*")) == names
    hostile = ["tables/../../private.csv", "../private.csv", str(private), "figures/..", 5, None]
    listed.write_text(json.dumps({"files": [*names, "tables/gone.csv", *hostile]}), encoding="utf-8")
    for path in (tmp_path / "out/tables/gone.csv", tmp_path / "out/tables/mine.csv", private):
        path.write_text("a table", encoding="utf-8")
    publish(result, tmp_path / "out")
    assert not (tmp_path / "out/tables/gone.csv").exists()
    assert (tmp_path / "out/tables/mine.csv").is_file()
    assert private.is_file()
    assert json.loads(listed.read_text(encoding="utf-8"))["files"] == names
    for damaged in ("[]", "{", '{"files": "all"}'):
        listed.write_text(damaged, encoding="utf-8")
        publish(result, tmp_path / "out")
        assert json.loads(listed.read_text(encoding="utf-8"))["files"] == names


def test_decisions_and_what_misled_beyond_ten() -> None:
    row = dict(
        zip(decisions_table([judged(resamples=0)]).header, decisions_table([judged(resamples=0)]).rows[0], strict=True)
    )
    assert row["recall"] == 0.75
    assert (row["misleading same"], row["misleading different"]) == ("0 of 4", "1 of 4")  # e^3 is beyond 10
    assert row["PAN AUC"] == judged(resamples=0).pan.auc


def test_fits_are_summed_over_runs() -> None:
    fits = [Fits("logistic", "a", "whole", run, 10, run, 1) for run in (0, 1)]
    assert fits_table(fits).rows == (("Logistic regression", "a", "whole", 20, 1, 2),)


def test_units_side_by_side() -> None:
    table = units_table([UnitRow("a", "whole", "hapax", {"bits": 0.3, "nats": 0.4, "bans": 0.9})])
    assert table.header[-3:] == ("bits", "nats", "bans")
    assert table.rows == (("a", "whole", "Hapax", 0.3, 0.4, 0.9),)
