import json
from pathlib import Path

from idiograph.casework.case_folder import begin_run, end_run
from idiograph.pages.cases import finding, shown_case, shown_cases, shown_studies
from idiograph.pages.drafts import STUDY, new_draft


def test_a_folder_shows_its_cases_with_state_finding_and_date(copied: Path) -> None:
    new_draft(copied, "A draft", title="A draft")
    (copied / "other").mkdir()
    draft, filed = shown_cases(copied, {})
    assert (draft.title, draft.state, draft.said, draft.findings, draft.has_result) == (
        "A draft",
        "draft",
        "draft",
        (),
        False,
    )
    assert (filed.name, filed.state, filed.said, filed.runs) == ("case", "reported", "filed", 1)
    result = json.loads((copied / "case" / "result.json").read_text())
    assert filed.findings == (f"Q1 and known: {result['conclusion']}",)
    assert filed.date[:10] == json.loads((copied / "case" / "runs.jsonl").read_text().splitlines()[0])["time"][:10]
    assert [file.state for file in shown_cases(copied, {"a-draft": "running"})] == ["running", "reported"]


def test_a_run_that_was_stopped_failed_or_never_ended_is_said(copied: Path) -> None:
    case = copied / "case"
    for outcome in ("interrupted", "failed", "refused"):
        end_run(case, begin_run(case, quick=False), outcome)
        assert shown_case(case, None).state == outcome
    begin_run(case, quick=False)
    assert shown_case(case, None).said == "the last run did not finish"


def test_a_damaged_case_is_still_in_the_list(copied: Path) -> None:
    (copied / "case" / "case.toml").write_text("rubbish")
    (copied / "case" / "runs" / "0001" / "result.json").write_text("rubbish")
    (entry,) = shown_cases(copied, {})
    assert (entry.title, entry.state) == ("case", "damaged")
    assert "result.json is damaged" in entry.findings[0]
    assert "not valid TOML" in entry.problem


def test_a_refusal_is_a_finding_too() -> None:
    assert finding({"label": "Q1", "candidate": "Lee", "conclusion": None, "refusal": "No likelihood ratio."}) == (
        "Q1 and Lee: No likelihood ratio."
    )


def test_studies_are_listed_apart(tmp_path: Path) -> None:
    folder = new_draft(tmp_path, "S", STUDY, name="S")
    new_draft(tmp_path, "C")
    assert [(shown_study.title, shown_study.state) for shown_study in shown_studies(tmp_path, {})] == [("S", "draft")]
    (folder / "results").mkdir()
    (folder / "results" / "index.html").write_text("x")
    assert [file.state for file in shown_studies(tmp_path, {})] == ["reported"]
    assert [file.state for file in shown_studies(tmp_path, {"s": "queued"})] == ["queued"]
