"""A case that version 0.3.0 filed replays to the last digit: by its own number paths, and the replay says just that."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import idiograph
from filed_case import sha256
from made_texts import command

FILED = Path(__file__).parent / "data" / "case_0_3_0"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The case as 0.3.0 left it, its one run also under runs/."""
    shutil.copytree(FILED, tmp_path / "old")
    keep_copy(tmp_path / "old" / "case")
    return tmp_path / "old" / "case"


def keep_copy(case: Path) -> None:
    (case / "runs" / "0001").mkdir(parents=True, exist_ok=True)
    for name in ("case.toml", "result.json", "manifest.json"):
        shutil.copyfile(case / name, case / "runs" / "0001" / name)


def changed(case: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Another result, with the digest of it in the manifest."""
    result = json.loads((case / "result.json").read_text(encoding="utf-8"))
    change(result)
    (case / "result.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    manifest["outputs"]["result.json"] = sha256(case / "result.json")
    (case / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    keep_copy(case)


def test_every_number_of_an_older_case_comes_out_again(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("replay", old / "manifest.json", "--workers", 1) == 0
    output = capsys.readouterr().out
    again = idiograph.replay(old / "runs" / "0001" / "manifest.json")
    assert again.n_numbers > 1_500
    assert f"all {again.n_numbers:,} numbers of result.json, each by its own path, follow from them" in output
    assert "in order (not chained, as an earlier version wrote it)" in output
    assert (
        "It does not show: sentences, reports and fields added since: the case was filed by Idiograph 0.3.0" in output
    )


def test_sentences_and_missing_fields_are_not_compared_and_every_number_is(old: Path) -> None:
    def reword(result: dict[str, Any]) -> None:
        result["conclusion"] = "worded otherwise"
        del result["before"], result["sensitivity"]

    changed(old, reword)
    assert idiograph.replay(old / "manifest.json").agrees

    def recount(result: dict[str, Any]) -> None:
        result["llr"]["hapax"]["nats"] *= 1 + 1e-15
        result["validation"]["n_same"] += 1
        result["case_digest"] = "0" * 64
        result["new"] = {"number": 3}

    changed(old, recount)
    again = idiograph.replay(old / "manifest.json")
    assert [difference.where for difference in again.differences] == [
        "case_digest",
        "llr.hapax.nats",
        "validation.n_same",
        "new.number",
    ]


def test_an_older_case_is_run_again_and_sealed(old: Path) -> None:
    assert command("verify", old / "case.toml", "--out", old, "--force", "--quick", "--workers", 1) == 0
    again = idiograph.replay(old / "manifest.json")
    assert again.agrees
    assert "not chained before run 2, as an earlier version wrote it" in again.sentence
    assert command("seal", old) == 0
    assert command("check", old) == 0
