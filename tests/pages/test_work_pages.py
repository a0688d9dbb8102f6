import json
import re
import time
from pathlib import Path

import pytest

from idiograph.pages import result_pages as work_pages
from idiograph.pages.drafts import CASE, Draft
from served import (
    PATIENCE,
    Client,
    Server,
    give_texts,
    new_case,
    reference_files,
    same_on_the_command_line,
    served,
    start_server,
)


def events(client: Client, path: str) -> list[dict[str, object]]:
    """Everything that a browser hears until the work has ended."""
    page_text = client.get(path)
    assert page_text.headers["content-type"].startswith("text/event-stream")
    return [
        json.loads(line.removeprefix("data: ")) for line in page_text.text.splitlines() if line.startswith("data: ")
    ]


def job_of(client: Client, path: str) -> str:
    return str(re.findall(r'data-job="([\w-]+)"', client.get(path).text)[0])


def test_the_digits_are_those_of_the_command_line(server: Server, client: Client, tmp_path: Path) -> None:
    name = new_case(client, "Digits", candidates=("lee", "kim"), n_authors=6)
    assert client.post(f"/case/{name}/start", {"what": "run"}).status == 303
    heard = events(client, f"/job/{job_of(client, f'/case/{name}/run')}/events")
    assert heard[-1]["state"] == "done"
    stages = [stage["stage"] for stage in heard[-1]["stages"]]  # type: ignore[attr-defined]
    assert stages[0] == "Reading"
    assert "Validating Q1 and kim" in stages
    ours = json.loads((server.folder / name / "result.json").read_text())
    theirs = same_on_the_command_line(server.folder / name, tmp_path / "cli")
    assert ours == theirs
    assert ours["case_digest"] == theirs["case_digest"]


def test_no_number_is_on_any_page_before_the_validation_is_done(server: Server, client: Client) -> None:
    name = new_case(client, "Number last", n_authors=12)
    client.script(f"/case/{name}/settings/method", {"method.repetitions": "1000"})
    client.post(f"/case/{name}/start", {"what": "run"})
    page = client.wait_for(f"/case/{name}/run", "Validating")
    assert "No number is shown before the validation is done" in page.words
    for path in (f"/case/{name}/run", f"/case/{name}/result", "/"):
        assert "times more likely" not in client.get(path).words
    assert "There is no result yet" in client.get(f"/case/{name}/result").words
    assert "running" in client.get("/").words
    assert client.get(f"/case/{name}").headers["location"].endswith("/run")
    changed = client.post(f"/case/{name}/settings/question", {"title": "x", "version": "x"})
    assert (changed.status, "is being run" in changed.words) == (400, True)
    assert client.post(f"/job/{job_of(client, f'/case/{name}/run')}/stop", {"back": "case"}).status == 303
    page = client.get(f"/case/{name}/run")
    assert "Stopped. What was filed before is untouched" in page.words
    assert "the last run was stopped" in client.get("/").words
    assert not (server.folder / name / "result.json").exists()


def test_a_plan_changes_as_texts_come(client: Client) -> None:
    name = client.post("/cases", {"title": "Planned"}).headers["location"].split("/")[2]
    assert "Add texts first" in client.get(f"/case/{name}/plan").words
    client.script(f"/case/{name}/settings/method", {"texts.masking": "masked"})
    client.upload(f"/case/{name}/upload", {"part": "reference", "name": ""}, reference_files(5))
    page = client.wait_for(f"/case/{name}/plan", "What helps most")
    assert "A questioned text to come and a candidate to come" in page.words
    assert "depends on texts that are not there yet" in page.words
    give_texts(client, name, n_authors=12)
    page = client.wait_for(f"/case/{name}/plan", r"\d+ of 12 authors of the reference at these lengths")
    assert "Q1 and lee" in page.words
    assert "Audit of" not in page.words  # there is no population yet
    client.script(f"/case/{name}/settings/question", {"population": "people"})
    page = client.wait_for(f"/case/{name}/plan", "Audit of Q1 and lee")
    assert "The reference has 12 authors; 20 or more are wanted." in page.words
    assert "times more likely" not in page.words


def test_a_plan_that_cannot_be_made_says_why_and_can_be_tried_again(client: Client) -> None:
    name = new_case(client, "No plan")
    client.script(f"/case/{name}/settings/method", {"seed": "minus one"})
    page = client.wait_for(f"/case/{name}/plan", "Try again")
    assert "seed must be" in page.words
    assert client.post(f"/case/{name}/start", {"what": "plan"}).headers["location"] == f"/case/{name}/plan"


def test_a_plan_is_made_of_the_settings_that_it_shares_with_the_case(tmp_path: Path) -> None:
    content = {
        "primary": "best-validated", "seed": 3, "title": "x", "population": "y", "reading": {"encoding": "cp1252"},
        "texts": {"masking": "masked", "recipe": "texts/own.toml"},
    }  # fmt: skip
    draft = Draft(tmp_path, CASE, content, "v", None, "")
    assert dict(work_pages._for_a_plan(draft)) == {
        "masking": "masked", "recipe": str(tmp_path / "texts" / "own.toml"), "seed": 3,
        "reading": {"encoding": "cp1252"},
    }  # fmt: skip
    assert dict(work_pages._for_a_plan(Draft(tmp_path, CASE, {"texts": {"recipe": "email"}}, "", None, ""))) == {
        "recipe": "email"
    }


def test_a_filed_case_is_sealed_and_its_seal_checked(filed_here: "object") -> None:
    client, name = filed_here.client, filed_here.name  # type: ignore[attr-defined]
    assert "Seal the case" in client.get(f"/case/{name}/runs").words
    answer = client.post(f"/case/{name}/start", {"what": "seal"})
    page = client.wait_for(answer.headers["location"], "Sealed")
    assert "The seal is not signed" in page.words
    assert "Runs done Seal Back to the runs" in page.words  # the steps stand above it
    answer = client.post(f"/case/{name}/start", {"what": "check seal"})
    page = client.wait_for(answer.headers["location"], "as it was sealed")
    assert "The case is as it was sealed" in page.words
    assert 'class="box finding"' in page.text
    assert "This case is sealed, and is as it was sealed." in client.get(f"/case/{name}/runs").words
    report = filed_here.folder / "report.html"  # type: ignore[attr-defined]
    whole = report.read_bytes()
    report.write_bytes(whole + b"changed")
    answer = client.post(f"/case/{name}/start", {"what": "check seal"})
    page = client.wait_for(answer.headers["location"], "The case is not as it was sealed .* 1 changed, 0 missing")
    assert 'class="box red"' in page.text
    report.write_bytes(whole)


def test_two_cases_wait_for_each_other_and_a_closed_tab_stops_nothing(client: Client) -> None:
    first, second = (new_case(client, title, n_authors=10) for title in ("First in line", "Second in line"))
    for name in (first, second):
        client.script(f"/case/{name}/settings/method", {"method.repetitions": "1000"})
        client.post(f"/case/{name}/start", {"what": "run"})
        client.post(f"/case/{name}/start", {"what": "run"})  # pressed twice
    assert "Waiting for another task" in client.get(f"/case/{second}/run").words
    assert "waiting" in client.get("/").words
    # Nobody looks while it runs.
    client.post(f"/job/{job_of(client, f'/case/{first}/run')}/stop", {"back": "case"})
    client.wait_for(f"/case/{second}/run", "Validating")
    client.post(f"/job/{job_of(client, f'/case/{second}/run')}/stop", {"back": "case"})
    assert "has been run once." in client.get(f"/case/{second}/run").words
    assert re.search(r"UTC stopped ", client.get(f"/case/{second}/runs").words)


def test_a_replay_tells_whether_every_digit_agrees(filed_here: "object") -> None:
    client, name = filed_here.client, filed_here.name  # type: ignore[attr-defined]
    answer = client.post(f"/case/{name}/start", {"what": "replay", "run": "1"})
    page = client.wait_for(answer.headers["location"], "The replay")
    assert "The replay agrees to the last digit" in page.words
    assert 'class="box finding"' in page.text
    for run in ("99", "x", "-1", "9" * 30):
        assert client.post(f"/case/{name}/start", {"what": "replay", "run": run}).status == 404
    assert client.post(f"/case/{name}/start", {"what": "nonsense"}).status == 400


def test_a_mistake_in_the_texts_is_told_where_the_run_is(server: Server, client: Client) -> None:
    name = new_case(client, "Shared author", candidates=("author00",))
    client.post(f"/case/{name}/start", {"what": "run"})
    page = client.wait_for(f"/case/{name}/run", "share an author")
    assert "author00" in page.words
    assert not (server.folder / name / "runs").exists()


@pytest.mark.parametrize("end", ["kill", "interrupt"])
def test_a_server_that_ends_during_a_run_leaves_a_case_that_can_be_run_again(tmp_path: Path, end: str) -> None:
    server = start_server(tmp_path / "cases")
    client = server.browser()
    name = new_case(client, "Cut short", n_authors=10)
    client.script(f"/case/{name}/settings/method", {"method.repetitions": "1000"})
    client.post(f"/case/{name}/start", {"what": "run"})
    client.wait_for(f"/case/{name}/run", "Validating")
    getattr(server, end)()
    _, errors = server.process.communicate()
    assert "Traceback" not in errors
    folder = server.folder / name
    deadline = time.monotonic() + PATIENCE
    while (folder / ".lock").exists() and time.monotonic() < deadline:  # the work notices that the server is gone
        time.sleep(0.1)
    assert not (folder / ".lock").exists()
    assert [json.loads(line)["event"] for line in (folder / "runs.jsonl").read_text().splitlines()] == [
        "begun",
        "started",
        "interrupted",
    ]
    with served(tmp_path / "cases") as again:
        client = again.browser()
        assert "the last run was stopped" in client.get("/").words
        client.post(f"/case/{name}/start", {"what": "quick"})
        client.wait_for(f"/case/{name}/run", "Done: run 2 is filed")


def test_work_of_an_earlier_start_is_said_to_be_gone(client: Client) -> None:
    for path in ("/job/none", "/job/none/events"):
        assert "no longer known" in client.get(path).words
    assert client.post("/job/none/stop").status == 404
