"""`make bench` goes on working: its smaller parts are run, at sizes that take seconds, and nothing is timed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import idiograph

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "results.json"


def python(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_quick_run_prints_its_figures_and_keeps_none() -> None:
    before = KEPT.read_bytes()
    done = python("-m", "benchmarks", "--quick", "preparing", "comparators", "load", "pages")
    assert done.returncode == 0, done.stderr
    assert [row.split(" | ")[0] for row in done.stdout.splitlines()] == [
        "| near-duplicates among 50,000 short texts",
        "| planted near-duplicates found",
        "| all other methods, per problem",
        "| matrix of n-gram cosines",
        "| a small case: processor time",
        "| a small case: peak memory",
        "| a small case: pages of the report",
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
        "holding",
        "load",
        "faults",
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


@pytest.mark.shared
def test_whole_cases_of_open_corpora_are_kept_once_and_lose_nothing_by_being_cheaper(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import yields
    from benchmarks.open_cases import kept_rows, opened, run_missing, without

    def of_drexel(case: dict[str, object]) -> bool:
        return (case["corpus"], case["kind"], case["draw"], case["number"]) == ("drexel1", "true", "random", 0)

    wanted = [entry for entry in yields.wanted() if of_drexel(entry[0])]
    path = tmp_path / "rows.jsonl"
    assert run_missing(path, wanted, 10.0) == 1
    assert run_missing(path, wanted, 10.0) == 0
    new, old = whole = kept_rows(path)
    assert [(entry["primary"], entry["bounds"]) for entry in whole] == [
        ("controlled", "published"),
        ("normalised", "elub"),
    ]
    assert new["q_author"] == new["k_author"]
    assert (new["distance"] > 0, old["distance"]) == (True, None)  # which 0.3.0 did not have
    # The same by the whole of `verify`, without what makes it cheaper.
    corpus = opened("drexel1", *new["case"]["lengths"])
    drawn = corpus.drawn("true", "random", 0)
    (reference,) = corpus.references(drawn, [yields.N_REFERENCE], name="true random 0")
    with without("drexel1"):
        for row, rules in ((new, 2), (old, 1)):
            settings = {"primary": row["primary"], "bounds": row["bounds"]}
            case = corpus.case(drawn, reference, tmp_path / row["way"], **settings)
            reported = idiograph.verify(case, rules=rules).comparisons[0].reported
            assert reported is not None
            assert round(reported.nats, 4) == row["reported"]


@pytest.mark.shared
def test_a_corpus_is_judged_by_what_was_learnt_without_it(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.open_cases import without
    from docs.validation import stored, topic

    from idiograph.casework import validation
    from idiograph.evidence.constants import constants_for
    from idiograph.evidence.kinds import rule_for

    def learnt() -> tuple[object, ...]:
        trials = validation.read_published(validation.shipped_path())
        assert trials is not None
        corpora = {cell.corpus for cell in trials.cells}
        return constants_for(24, controlled=True).slopes, constants_for(24).weights, rule_for(24, 6)[0], corpora

    shipped = learnt()
    with without("c50_reuters"):
        left = learnt()
    assert learnt() == shipped
    assert all(new != old for new, old in zip(left, shipped, strict=True))
    assert left[0] == topic.learnt(stored.load("topic"), "topic", without="c50_reuters").slopes
    assert shipped[3] - left[3] == {"c50_reuters"}  # type: ignore[operator]
