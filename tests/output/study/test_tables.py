"""The tables of a study, which print what was computed and compute nothing, and its design in words."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from generated import corpus, write_jsonl
from idiograph import Condition, CorpusSettings, Study, decisions, pan_metrics, read_study
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.performance import performance
from idiograph.evidence.trials import Trials
from idiograph.output.study_page import design_in_words, publish
from idiograph.output.study_tables import (
    StudyTable,
    additions_table,
    attack_table,
    attack_values,
    cllr_values,
    csv,
    decisions_table,
    degenerate_table,
    fits_table,
    further_table,
    latex,
    markdown,
    paper_table,
    performance_table,
    performance_values,
    save_table,
    split_table,
    spread_in_words,
    table2,
    table3,
    units_table,
)
from idiograph.studies.attacks import UnderAttack
from idiograph.studies.llrs import Fits
from idiograph.studies.settings import published_table2
from idiograph.studies.study import run_study
from idiograph.studies.summary import (
    BaselineSplit,
    Cllrs,
    Degenerate,
    MethodPerformance,
    ScorePerformance,
    UnitRow,
    Varied,
    Wins,
    varied,
)
from made_matrix import matrix_study
from made_study import folder_with_study

CLLRS = Cllrs({("a", "whole"): {"hapax": np.array([0.2, 0.4]), "mine": np.array([0.5, 0.5])}})


def judged(*, resamples: int) -> MethodPerformance:
    trials = Trials.of(
        same=[3.0, 2.0, -1.0, 1.0], different=[-3.0, 3.0, 0.5, -1.5], same_authors=list("abcd"),
        different_authors=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")],
    )  # fmt: skip
    both = {"same": trials.same, "different": trials.different}
    done = performance(trials, resamples=resamples)
    score = ScorePerformance(Estimate(0.75), Estimate(0.625, 0.5, 1.0))
    return MethodPerformance("c", "whole", "hapax", done, decisions(**both), pan_metrics(**both), score)


def test_wins_stand_beside_the_papers() -> None:
    wins = (Wins("hapax", "square_root", 0.5, None, 1), Wins("square_root", "hapax", 0.75, 0.25, 1))
    table = table2(wins)
    assert table.rows[0] == ("Hapax", "Square Root", 50.0, None, 1, *published_table2()["hapax", "square_root"])
    assert table.rows[1][:5] == ("Square Root", "Hapax", 75.0, 25.0, 1)
    assert "makes a tie, which both have won" in table.caption
    assert "glm" not in table.caption
    fitted = table2((Wins("hapax", "logistic", 0.5, None, 0), Wins("hapax", "logistic_glm", 0.25, None, 0)))
    assert [row[5:] for row in fitted.rows] == [published_table2()["hapax", "logistic_glm"]] * 2
    assert "The paper's logistic regression is idiolect's call of R's glm, which is logistic_glm here" in fitted.caption


def test_the_papers_figures_stand_beside_both_logistic_regressions_and_the_table_says_which_is_its_own() -> None:
    study = Study(
        name="s",
        corpora=(CorpusSettings(name="mails", path="x", paper="Enron"),),
        conditions=((Condition(drawing="whole"), ("mails",)),),
    )
    runs = {"hapax": [0.47, 0.49], "logistic": [0.60, 0.60], "logistic_glm": [0.50, 0.55], "sentence": [0.1, 0.1]}
    table = paper_table(study, Cllrs({("mails", "whole"): {name: np.array(v) for name, v in runs.items()}}))
    rows = {str(row[3]): dict(zip(table.header, row, strict=True)) for row in table.rows}
    assert set(rows) == {"Hapax", "Logistic regression", "Logistic regression (as R's glm stops)"}
    exact, as_glm = rows["Logistic regression"], rows["Logistic regression (as R's glm stops)"]
    assert (exact["is the paper's"], as_glm["is the paper's"]) == ("no", "yes")
    assert exact["paper"] == as_glm["paper"] == 0.518
    # sd of 0.50 and 0.55 is 0.0354, of the paper 0.026: 0.007 is within twice sqrt(0.0354² + 0.026²) = 0.088.
    assert as_glm["agrees"] == "yes"
    assert exact["agrees"] == "no"  # 0.082 and no spread: more than twice 0.026
    assert rows["Hapax"]["agrees"] == "yes"


def test_means_stand_beside_their_spread_and_every_run_in_a_file() -> None:
    assert table3(CLLRS).rows == (("a", "whole", 2, "0.300 ± 0.141", "0.500 ± 0.000"),)
    assert table3(CLLRS).header[-2:] == ("Hapax", "mine")
    cllrs = Cllrs({("a", "whole"): {"hapax": np.array([0.2])}})
    assert table3(cllrs).rows == (("a", "whole", 1, "0.200"),)
    assert csv(table3(cllrs)) == "corpus,condition,method,runs,mean,sd\r\na,whole,hapax,1,0.2,\r\n"
    lines = csv(table3(CLLRS)).split("\r\n")
    assert lines[2] == "a,whole,mine,2,0.5,0.0"
    assert [float(cell) for cell in lines[1].split(",")[3:]] == [2, (0.2 + 0.4) / 2, np.std([0.2, 0.4], ddof=1)]
    assert cllr_values(CLLRS).rows[1] == ("a", "whole", 1, "hapax", 0.4)


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (  # in per cent
            split_table((BaselineSplit("a", "hapax", True, 2, 0.5, 0.0, 1.0, 0.04),), "logistic"),
            ("a", "Hapax", "above 0.1", 2, 50.0, 0.0, 100.0, 0.04),
        ),
        (degenerate_table([Degenerate("c", "q1", 525, 1, 3, -549.2)]), ("c", "q1", 525, 1, 3, -549.2)),
        (  # summed over runs
            fits_table([Fits("logistic", "a", "whole", run, 10, run, 1, 8) for run in (0, 1)]),
            ("Logistic regression", "a", "whole", 20, 1, 2),
        ),
        (
            units_table([UnitRow("a", "whole", "hapax", {"bits": 0.3, "nats": 0.4, "bans": 0.9})]),
            ("a", "whole", "Hapax", 0.3, 0.4, 0.9),
        ),
    ],
)
def test_a_row_is_what_was_computed(table: StudyTable, row: tuple[object, ...]) -> None:
    assert table.rows == (row,)
    assert len(table.header) == len(table.formats) == len(row)
    if table.name == "baseline_split":
        assert "against Logistic regression where" in table.caption
    if table.name == "units":
        assert table.header[-3:] == ("bits", "nats", "bans")


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
    for table in (performance_table([whole], resamples=40), performance_values([whole])):
        header, *lines = (line.split(",") for line in csv(table).split("\r\n")[:-1])
        assert header == [
            "corpus", "condition", "method", "metric", "value", "low", "high", "undefined_resamples", "n_authors",
            "n_same", "n_different",
        ]  # fmt: skip
        assert lines[0] == [
            "c", "whole", "hapax", "cllr", repr(estimate.value), repr(estimate.low), repr(estimate.high),
            str(estimate.undefined), "4", "4", "4",
        ]  # fmt: skip
        for line in lines:
            assert all(cell == "" or np.isfinite(float(cell)) for cell in line[4:]), line
    by_metric = {line[3]: line for line in lines}
    assert by_metric["score_auc"][4:7] == ["0.75", "", ""]
    assert by_metric["score_cllr_min"][4:7] == ["0.625", "0.5", "1.0"]
    assert float(by_metric["shift"][4]) == whole.performance.shift.value
    assert performance_table([whole], resamples=40).rows[0][-2:] == ("0.750", "0.625 (0.500 to 1.000)")


def test_the_caption_says_where_there_is_no_interval_and_the_other_metrics_have_their_own_table() -> None:
    whole = judged(resamples=40)
    caption = performance_table([whole], resamples=40).caption
    assert "those of Cllr_min and Cllr_cal over half samples of authors, and none with fewer than 20 authors" in caption
    assert performance_table([whole], resamples=40).rows[0][7] == f"{whole.performance.cllr_min.value:.3f}"
    assert further_table([whole]).header[6:] == ("devPAV", "same > 0", "different < 0", "shift α", "slope β")


REFERENCE = Varied(authors=False, split=False, texts=False, reference=True)
TEXTS = Varied(authors=False, split=False, texts=True, reference=True)
AUTHORS = Varied(authors=True, split=False, texts=True, reference=True)
ALL = Varied(authors=False, split=True, texts=True, reference=True)


def test_what_the_spread_over_runs_means_depends_on_what_varied() -> None:
    assert spread_in_words({}) == "There was one run, so there is none."
    assert spread_in_words({("c", "whole"): REFERENCE}).startswith(
        "From run to run the sentences of the reference models differ; the same in all runs: the split of the authors "
        "and their pairs and the texts of Q and K. The standard deviation says how much what differs matters"
    )
    assert spread_in_words({("c", "x"): ALL}).startswith(
        "From run to run the split of the authors and their pairs, the texts of Q and K and the sentences of the "
        "reference models differ. The standard"
    )
    both = spread_in_words({("c", "whole"): REFERENCE, ("c", "x"): TEXTS, ("c", "y"): TEXTS, ("d", "x"): AUTHORS})
    assert both.startswith("In c (x, y) from run to run the texts of Q and K and the sentences of the reference models")
    assert "In c (whole) from run to run the sentences of the reference models differ" in both
    assert "In d from run to run the authors with enough text to take part" in both
    assert both.count("the same in all runs: the split of the authors.") == 1
    none = Varied(authors=False, split=False, texts=False, reference=False)
    assert spread_in_words({("c", "x"): none}).startswith("From run to run nothing differs; the same in all runs: the")


ROLES = """
schema = 1
runs = 3
vary = {vary}
[[corpora]]
name = "roles"
path = "roles.jsonl"
masking = "masked"
[[conditions]]
drawing = "whole"
[[conditions]]
drawing = "random"
lengths = [[40, 80]]
[lambdag]
repetitions = 2
[methods]
use = ["hapax"]
baseline = "hapax"
resamples = 0
"""


def test_whole_texts_with_roles_are_the_same_in_all_runs_and_the_table_says_so(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "roles.jsonl", corpus(roles=True))
    path = tmp_path / "study.toml"
    path.write_text(ROLES.format(vary='["texts", "reference"]'), encoding="utf-8")
    result = run_study(path, tmp_path / "out")
    assert result.summary.varied == {("roles", "whole"): REFERENCE, ("roles", "random_q40_k80"): TEXTS}
    publish(result, tmp_path / "out")
    text = (tmp_path / "out/tables/table3.md").read_text(encoding="utf-8")
    assert (
        "In roles (whole) from run to run the sentences of the reference models differ; the same in all runs: " in text
    )
    path.write_text(ROLES.format(vary='["split"]'), encoding="utf-8")
    split = run_study(path, tmp_path / "other").summary.varied["roles", "whole"]
    # Other authors in the case half make another reference, though it is drawn by the same seed.
    assert split == Varied(authors=False, split=True, texts=False, reference=True)
    path.write_text(ROLES.format(vary='["texts"]'), encoding="utf-8")
    differs = run_study(path, tmp_path / "texts").summary.varied
    assert differs["roles", "whole"] == Varied(authors=False, split=False, texts=False, reference=False)
    assert differs["roles", "random_q40_k80"] == Varied(authors=False, split=False, texts=True, reference=False)
    # The single run of a study that was not run again has nothing to differ from.
    assert varied(result.trials.where(result.trials.column("run") == 0)) == {}


def test_a_long_name_of_a_corpus_is_no_hindrance_to_its_figures(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "roles.jsonl", corpus(roles=True))
    long = ROLES.format(vary='["texts"]').replace('"roles"', f'"{"long " * 60}"').replace("runs = 3", "runs = 1")
    (tmp_path / "study.toml").write_text(long, encoding="utf-8")
    publish(run_study(tmp_path / "study.toml", tmp_path / "out"), tmp_path / "out")
    assert all(len(path.name) < 200 for path in (tmp_path / "out/figures").iterdir())
    assert len(list((tmp_path / "out/figures").glob("tippett_long*.svg"))) == 2


def test_which_trials_came_when(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    content = path.read_text(encoding="utf-8").replace("[40, 80]\nk_tokens = [60, 120]", "[40]\nk_tokens = [60]")
    path.write_text(content.replace("runs = 2", "runs = 1"), encoding="utf-8")
    run_study(path, tmp_path / "out")
    path.write_text(content, encoding="utf-8")
    result = run_study(path, tmp_path / "out")
    rows = additions_table(result).rows
    assert rows[0][1:5] == ("toy", "random_q40_k60", "0", 24)
    assert [row[3] for row in rows] == ["0"] * 2 + ["1"] * 2
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
    assert (row["misleading same"], row["misleading different"]) == (0, 1)  # e^3 is beyond 10
    assert (row["authors"], row["same"], row["different"]) == (4, 4, 4)
    assert row["AUC of the score"] == 0.75
    assert row["PAN AUC"] == judged(resamples=0).pan.auc


def test_tables_escape_what_their_formats_need() -> None:
    table = StudyTable("t", "50 % of λG", ("a|b", "x_y"), ("", ".2f"), (("p|q & r", 1 / 3), ("empty", None)))
    assert "| p\\|q & r | 0.33 |" in markdown(table)
    assert "| empty | – |" in markdown(table)
    tex = latex(table)
    assert r"p|q \& r & 0.33 \\" in tex
    assert r"a|b & x\_y \\" in tex
    assert r"\caption{50 \% of $\lambda$G}" in tex
    assert r"\begin{tabular}{lr}" in tex


def test_machines_get_every_digit_and_readers_a_few(tmp_path: Path) -> None:
    table = StudyTable("t", "Thirds.", ("name", "share"), ("", ".2f"), (("a", 1 / 3), ("b", None)))
    assert csv(table).splitlines() == ["name,share", "a,0.3333333333333333", "b,"]
    assert table.shown() == (("a", "0.33"), ("b", "–"))
    assert table.block().rows == table.shown()
    save_table(table, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "t.md", "t.tex"}
    save_table(table, tmp_path / "csv", endings=("csv",))
    assert [path.name for path in (tmp_path / "csv").iterdir()] == ["t.csv"]


ATTACKED = UnderAttack(
    "a", "whole", "one trigram 10 times", "hapax",
    n_different=8, above_1=4, above_10=1, n_same=0, below_1=0, cllr=0.9, n_caught=6,
)  # fmt: skip


def test_all_together_and_each_by_itself() -> None:
    other = replace(ATTACKED, corpus="b", above_10=0, cllr=0.7)
    table = attack_table([ATTACKED, other])
    assert table.shown() == (("one trigram 10 times", "Hapax", "16", "50.0%", "6.2%", "0.800", "75.0%"),)
    values = attack_values([ATTACKED, other])
    assert values.rows[0] == ("a", "whole", "one trigram 10 times", "Hapax", 8, 0.5, 0.125, 0.9, 0.75)
    assert len(values.rows) == 2
    assert "own problems" not in table.header


def test_disguised_authors_have_problems_of_their_own() -> None:
    disguised = replace(ATTACKED, kind="imitation", n_same=2, below_1=1)
    table = attack_table([ATTACKED, disguised])
    assert table.header[-2:] == ("own problems", "LR below 1")
    assert [row[-2:] for row in table.shown()] == [("–", "–"), ("2", "50.0%")]
    assert table.shown()[1][-3] == "60.0%"
    assert "disguised themselves" in table.caption


def test_every_choice_of_the_design_is_said(tmp_path: Path) -> None:
    base = '[[corpora]]\nname = "a"\npath = "a"\n[[conditions]]\ndrawing = "whole"\n'
    sentences = []
    for design in (
        "", "leave_authors_out = true", 'pairs = "source"', 'pairs = "outside"', 'reference = "all"',
        'reference = "pool"', 'reference_texts = "all"', "n_pairs = 3", "calibration = 0.5",
    ):  # fmt: skip
        (tmp_path / "s.toml").write_text(f"schema = 1\n{base}[design]\n{design}\n", encoding="utf-8")
        sentences.append(" ".join(design_in_words(read_study(tmp_path / "s.toml"))))
    assert len(set(sentences)) == len(sentences)


def test_a_study_without_constants_says_so(tmp_path: Path) -> None:
    plain, without = (
        read_study(matrix_study(tmp_path / name, extra=extra))
        for name, extra in (("plain", ""), ("without", 'constants = "none"'))
    )
    sentence = "The reference-normalised LR goes without constants learnt on other corpora."
    assert sentence in design_in_words(without)
    assert sentence not in design_in_words(plain)
