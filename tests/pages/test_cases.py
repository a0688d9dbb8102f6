import json
import math
from pathlib import Path

import pytest

from idiograph import StudyError, read_case
from idiograph.casework.case_folder import begin_run, end_run, filed_runs, run_folder
from idiograph.pages.cases import (
    case_of_run,
    differences,
    find_words,
    finding,
    read_result,
    read_tokens,
    shown_case,
    shown_cases,
    shown_studies,
    trail,
)
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


def test_the_tokens_of_a_run_are_in_the_order_of_the_text_and_add_up_to_its_score(filed: Path) -> None:
    run = run_folder(filed / "case", 1)
    (scored,) = read_tokens(run)
    assert (scored.label, scored.candidate, scored.name) == ("Q1", "known", "Q1 and known")
    assert math.fsum(token.lambda_g for token in scored.tokens) == pytest.approx(read_result(run)["lambda_g"], abs=1e-9)
    lines = (filed / "q.txt").read_text().splitlines()
    assert [[token.masked for token in sentence if not token.is_end] for sentence in scored.sentences()] == [
        line.split() for line in lines
    ]
    assert [sentence[-1].is_end for sentence in scored.sentences()] == [True] * len(lines)
    assert scored.tokens[0].place == "1.1"


def test_cells_that_a_spreadsheet_would_run_are_read_back_as_they_were(copied: Path) -> None:
    run = run_folder(copied / "case", 1)
    (run / "tokens.csv").write_text(
        "questioned,candidate,text,sentence,position,original,masked,is_end,lambda_g,context,start,end\r\n"
        "Q1,'=lee,q,1,1,'-,'-,0,0.5,-1,0,1\r\nQ1,'=lee,q,1,2,'tis,N,0,-0.25,0,,\r\n"
    )
    (entry,) = read_tokens(run)
    assert entry.candidate == "=lee"
    assert [(token.original, token.start) for token in entry.tokens] == [("-", 0), ("'tis", None)]


def test_one_comparison_stands_at_the_top_and_several_in_a_list(copied: Path) -> None:
    run = run_folder(copied / "case", 1)
    whole = json.loads((run / "result.json").read_text("utf-8"))
    (only,) = read_result(run)["comparisons"]
    assert (only["label"], only["lambda_g"]) == ("Q1", whole["lambda_g"])
    (run / "result.json").write_text(json.dumps({"comparisons": [whole, {**whole, "label": "Q2"}]}), encoding="utf-8")
    assert [comparison["label"] for comparison in read_result(run)["comparisons"]] == ["Q1", "Q2"]


def test_runs_and_their_trail(copied: Path) -> None:
    case = copied / "case"
    assert filed_runs(case) == [1]
    (case / "runs" / "notes").mkdir()
    assert filed_runs(case) == [1]
    with (case / "runs.jsonl").open("a") as file:
        file.write("rubbish\n")
    assert [run.outcome for run in trail(case)] == ["unknown", "reported"]  # without a warning on the terminal


def test_the_case_of_a_run_has_its_paths_where_they_were(copied: Path) -> None:
    case = copied / "case"
    before = read_case(case / "case.toml")
    (case / "case.toml").write_text("rubbish")
    case_again = case_of_run(case, 1)
    assert case_again == before
    assert case_again.reference.resolve() == (copied / "reference").resolve()


def test_what_differs_between_two_runs_is_named() -> None:
    first = {"population": "a", "quick": True, "settings": {"seed": 1, "order": 10, "digest": "x"}, "inputs": []}
    two = json.loads(json.dumps(first))
    assert differences(first, two) == []
    two["settings"] |= {"seed": 2, "digest": "y", "new": ["a", "b"]}
    two["inputs"] = [{"role": "reference", "name": "x.txt", "sha256": "0123456789abcdef"}]
    assert differences(first, two) == [
        ("seed", "1", "2"),
        ("new", "—", "a, b"),
        ("reference: x.txt", "—", "0123456789ab…"),
    ]


def test_words_are_found_in_k_and_the_reference_as_often_as_they_stand_there(filed: Path) -> None:
    answer = find_words(str(filed / "case"), 1)["Q1 and known"]
    lines = {
        side: [line for path in sorted((filed / side).rglob("*.txt")) for line in path.read_text().splitlines()]
        for side in ("known", "reference")
    }

    def count(side: str, tokens: str) -> int:
        return sum((" " + " ".join(line.split()) + " ").count(f" {tokens} ") for line in lines[side])

    (scored,) = read_tokens(run_folder(filed / "case", 1))
    checked = 0
    for token in scored.tokens:
        if token.is_end:
            assert token.place not in answer["at"]
            continue
        known = answer["ngrams"][answer["at"][token.place]]
        tokens = known["tokens"].split()
        assert tokens[-1] == token.masked
        assert len(tokens) == max(token.context, 0) + 1
        if len(tokens) > 2:  # those of two may overlap themselves, which str.count does not see
            assert (known["n_k"], known["n_reference"]) == (
                count("known", known["tokens"]),
                count("reference", known["tokens"]),
            )
            checked += 1
        assert (known["n_k"] > 0) == (token.context >= 0)
        assert len(known["k"]) <= 3
        assert all(line["match"] == known["tokens"] for line in known["k"])
    assert checked > 10


def test_words_are_not_looked_up_in_texts_that_were_changed(copied: Path) -> None:
    with (copied / "known" / "1.txt").open("a") as file:
        file.write("and one more .\n")
    with pytest.raises(StudyError, match="no longer those of this run"):
        find_words(str(copied / "case"), 1)
