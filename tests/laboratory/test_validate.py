"""A laboratory's own validation: criteria fixed beforehand, judged on trials, and changes that are noticed."""

import csv
import hashlib
import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from idiograph.laboratory.acceptance import Criterion, _judge, validate
from made_study import folder_with_study
from made_texts import command

ROOT = Path(__file__).resolve().parents[2]
PLAN = """
schema = 1
title = "Toy"
purpose = "Made-up people"
[[criteria]]
measure = "cllr"
method = "hapax"
at_most = {cllr}
{more}
[[criteria]]
measure = "n_authors"
method = "hapax"
at_least = 4
condition = "contiguous_q40_k80"
[[criteria]]
measure = "misleading_different"
method = "sentence"
lr = 3
at_most = 0.9
whole_interval = true
condition = "contiguous_q40_k80"
"""


def write_plan(folder: Path, *, cllr: float = 50.0, more: str = "") -> Path:
    path = folder / "plan.toml"
    path.write_text(PLAN.format(cllr=cllr, more=more), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study, a plan and its validation, which passes."""
    folder = folder_with_study(tmp_path_factory.mktemp("laboratory") / "own", repetitions=3).parent
    assert command("validate", write_plan(folder), "--out", folder / "out", "--workers", 1) == 0
    return folder


def outcome(folder: Path) -> dict[str, object]:
    return json.loads((folder / "out" / "validation.json").read_bytes())


def test_the_report_has_every_criterion_the_digest_and_lines_to_sign(laboratory: Path) -> None:
    record = outcome(laboratory)
    assert record["passed"] is True
    lines = [
        f"{hashlib.sha256((laboratory / name).read_bytes()).hexdigest()}  {name}\n"
        for name in ("plan.toml", "study.toml")
    ]
    assert record["plan_digest"] == hashlib.sha256("".join(lines).encode()).hexdigest()
    page = (laboratory / "out" / "validation.html").read_text(encoding="utf-8")
    for words in (
        record["plan_digest"],
        "Passed: all",
        "Date and signature",
        "Accepted for use in casework",
        "Made-up people",
    ):
        assert str(words) in page
    for form, start in (("pdf", b"%PDF"), ("docx", b"PK")):
        assert (laboratory / "out" / f"validation.{form}").read_bytes().startswith(start)


def test_what_came_out_is_what_the_trials_say(laboratory: Path) -> None:
    """Cllr from the study's own table, and misleading evidence counted anew from the trials."""
    criteria = outcome(laboratory)["criteria"]
    assert isinstance(criteria, list)
    with (laboratory / "out" / "study" / "tables" / "metrics.csv").open(encoding="utf-8", newline="") as file:
        table = {
            row["condition"]: float(row["value"])
            for row in csv.DictReader(file)
            if (row["method"], row["metric"]) in (("hapax", "cllr"), ("Hapax", "cllr"))
        }
    judged = {
        criterion["condition"]: criterion["found"]["value"]
        for criterion in criteria
        if criterion["criterion"]["measure"] == "cllr"
    }
    assert len(judged) == 5
    assert judged == pytest.approx({name: table[name] for name in judged}, abs=1e-9)
    trials = pq.read_table(laboratory / "out" / "study" / "trials.parquet").to_pylist()
    different = [
        row["llr_sentence"]
        for row in trials
        if row["condition"] == "contiguous_q40_k80" and row["half"] == "case" and not row["same_author"]
    ]
    share = sum(value > math.log(3) for value in different) / len(different)
    estimate = criteria[-1]["found"]
    assert estimate["value"] == pytest.approx(share)
    assert estimate["low"] <= share <= estimate["high"]


def test_a_failed_criterion_ends_with_one_and_a_changed_plan_is_noticed(
    tmp_path: Path, laboratory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    shutil.copytree(laboratory, folder)
    # The same plan again: nothing is changed, and nothing is entered anew.
    assert command("validate", folder / "plan.toml", "--out", folder / "out", "--workers", 1) == 0
    assert len(json.loads((folder / "out" / "fixed.json").read_bytes())["plans"]) == 1
    # Laxer criteria once the trials are known, though all of them are met.
    write_plan(folder, cllr=60.0)
    capsys.readouterr()
    assert command("validate", folder / "plan.toml", "--out", folder / "out", "--workers", 1) == 1
    assert "Not passed: the plan or the study file was changed after trials had been made." in capsys.readouterr().out
    # Going back does not undo it.
    write_plan(folder)
    assert command("validate", folder / "plan.toml", "--out", folder / "out", "--workers", 1) == 1
    plans = json.loads((folder / "out" / "fixed.json").read_bytes())["plans"]
    assert [plan["after_trials"] for plan in plans] == [False, True, True]
    # Without the list, or with a damaged one, nothing is judged.
    (folder / "new").mkdir()
    shutil.copytree(folder / "out" / "study", folder / "new" / "study")
    assert command("validate", folder / "plan.toml", "--out", folder / "new") == 2
    assert "which says what was fixed before them, is missing" in capsys.readouterr().err
    (folder / "out" / "fixed.json").write_text('{"plans": [{"digest": 1}]}', encoding="utf-8")
    assert command("validate", folder / "plan.toml", "--out", folder / "out") == 2
    assert "is damaged (plans[0]" in capsys.readouterr().err


def test_strict_criteria_fail_by_value_or_by_interval(laboratory: Path) -> None:
    done = validate(laboratory / "plan.toml", laboratory / "out", workers=1)
    condition = "contiguous_q40_k80"
    strict = Criterion(measure="auc", method="hapax", at_least=0.0, condition=condition)
    (judged,) = _judge(strict, done.result)
    assert judged.passes
    assert judged.found.value is not None
    assert judged.found.low is not None
    between = (judged.found.low + judged.found.value) / 2
    if judged.found.low < between:
        assert next(_judge(replace(strict, at_least=between), done.result)).passes
        assert not next(_judge(replace(strict, at_least=between, whole_interval=True), done.result)).passes
    assert not next(_judge(replace(strict, at_least=1.01), done.result)).passes
    # No topics were drawn, so there is nothing to judge: it does not pass.
    topic = Criterion(measure="topic_controlled_cllr", method="hapax", at_most=9.0, condition=condition)
    (judged,) = _judge(topic, done.result)
    assert not judged.passes
    assert judged.remark == "it is not defined on these trials"
    never = Criterion(measure="misleading_same", method="hapax", lr=1e9, at_most=0.5, condition=condition)
    (judged,) = _judge(never, done.result)
    assert judged.found.value == 0
    assert judged.found.high == min(1.0, 3 / done.result.performance[0].performance.n_authors)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ('method = "hapax"', 'method = "tfidf"'),
            "criterion 1 is on the method tfidf, which study.toml does not have",
        ),
        (('"contiguous_q40_k80"', '"other"'), "is on the condition other"),
        (("at_most = 50.0", ""), "needs at_most or at_least, and not both"),
        (('measure = "cllr"', 'measure = "cost"'), "measure must be one of"),
        (("at_least = 4", "at_least = 4\nwhole_interval = true"), "n_authors has no interval"),
        (("schema = 1", "schema = 7"), "schema must be 1"),
        (("purpose", "porpoise"), "there is no setting porpoise"),
    ],
)
def test_a_plan_that_cannot_be_judged_is_refused_before_anything_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], sentence: str
) -> None:
    plan = write_plan(folder_with_study(tmp_path / "own").parent)
    plan.write_text(plan.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    assert command("validate", plan, "--out", tmp_path / "out") == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()


def test_a_plan_without_criteria_study_or_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = write_plan(tmp_path)
    assert command("validate", plan, "--out", tmp_path / "out") == 2
    assert "study.toml could not be read" in capsys.readouterr().err
    plan.write_text('schema = 1\ntitle = "x"\npurpose = "y"\n', encoding="utf-8")
    assert command("validate", plan, "--out", tmp_path / "out") == 2
    assert "has no criteria" in capsys.readouterr().err
    assert command("validate", plan) == 2


def test_the_template_is_a_plan_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("validate", ROOT / "docs" / "plan" / "plan.toml", "--fix") == 0
    assert "5 criteria; digest of plan and study file: " in capsys.readouterr().out
