"""`make bench` goes on working: its smaller parts are run, at sizes that take seconds, and nothing is timed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "results.json"


def python(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_quick_run_prints_its_figures_and_keeps_none() -> None:
    before = KEPT.read_bytes()
    done = python("-m", "benchmarks", "--quick", "preparing", "comparators", "pages")
    assert done.returncode == 0, done.stderr
    assert [row.split(" | ")[0] for row in done.stdout.splitlines()] == [
        "| near-duplicates among 50,000 short texts",
        "| planted near-duplicates found",
        "| all other methods, per problem",
        "| matrix of n-gram cosines",
        "| first page beyond 1.5 times `idiograph --help`",
        "| the heaviest page",
    ]
    assert KEPT.read_bytes() == before


def test_a_section_that_is_not_there_is_named() -> None:
    done = python("-m", "benchmarks", "nonsense")
    assert (done.returncode, "there is no section nonsense; there are engine" in done.stderr) == (2, True)


def test_every_section_is_kept_with_its_machine_and_its_day() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert set(kept) == {
        "engine",
        "texts",
        "tagging",
        "preparing",
        "comparators",
        "cases",
        "studies",
        "pages",
        "agreement",
    }
    assert all(section.keys() == {"date", "machine", "figures"} for section in kept.values())


@pytest.mark.shared
def test_the_problems_of_a_study_are_counted(shared: Path) -> None:
    counted = "from benchmarks.studies import problems_a_second; print(problems_a_second(runs=1, workers=1) > 0)"
    done = python("-c", counted)
    assert done.stdout == "True\n", done.stderr
