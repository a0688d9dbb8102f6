"""idiograph study: what it prints, what it refuses, and how it ends."""

import json
from pathlib import Path

import pytest

from attacked_study import ATTACK
from made_matrix import matrix_study
from made_study import folder_with_study
from made_texts import command


def test_the_command_prints_each_methods_cllr_and_where_the_page_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, out = folder_with_study(tmp_path, repetitions=2), tmp_path / "out"
    assert command("study", study, "--out", out, "--workers", 1) == 0
    text = capsys.readouterr().out
    assert "Hapax" in text
    assert f"The page: {out}" in text
    assert command("study", study, "--out", out, "--workers", 1, "--json") == 0
    output = json.loads(capsys.readouterr().out)
    assert output["schema"] == 1
    assert {row["method"] for row in output["cllr"]} >= {"hapax", "square_root"}
    assert all(len(row["cllr"]) == 2 for row in output["cllr"])


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = folder_with_study(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert command("study", study, "--dry-run", "--workers", 1) == 0
    assert "problems" in capsys.readouterr().out
    assert sorted(tmp_path.rglob("*")) == before


def test_a_condition_that_no_author_meets_is_refused_and_ends_with_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = '[[conditions]]\ndrawing = "random"\nq_tokens = [40000]\nk_tokens = [60000]\n'
    study = folder_with_study(tmp_path, repetitions=2)
    study.write_text(study.read_text(encoding="utf-8").replace("[lambdag]", f"{extra}[lambdag]"), encoding="utf-8")
    assert command("study", study, "--out", tmp_path / "out", "--workers", 1) == 1
    assert "idiograph: refused: " in capsys.readouterr().err


def test_a_results_folder_is_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("study", folder_with_study(tmp_path)) == 2
    assert "a results folder is needed" in capsys.readouterr().err


def test_a_cluster_has_its_own_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = folder_with_study(tmp_path)
    assert command("study", study, "--out", tmp_path / "out", "--cluster", "tcp://here:1", "--workers", 2) == 2
    assert "the cluster has its own workers" in capsys.readouterr().err


def test_a_study_that_attacks_itself_is_tabled_printed_shared_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = matrix_study(tmp_path, use=("normalised", "guarded", "hapax", "logistic"), extra=ATTACK)
    out, bundle = tmp_path / "out", tmp_path / "study.zip"
    assert command("study", study, "--out", out, "--workers", 1, "--bundle", bundle, "--names") == 0
    text = capsys.readouterr().out
    for kind in ("nothing", "one trigram 8 times", "3 trigrams, 12 in all"):
        assert f"| {kind} | Guarded |" in text
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Authors are left out in folds of about 6" in page
    assert "(one trigram 8 times; 3 trigrams, 12 in all)" in page
    assert "audit caught" in page
    rows = (out / "tables" / "attack_values.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 3 * 4
    assert command("study", "--check", bundle) == 0
