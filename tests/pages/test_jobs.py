import asyncio
import json
import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from idiograph.files import process_runs
from idiograph.pages.jobs import Job, Jobs
from made_texts import write_case
from served import PATIENCE


def in_a_loop(work: Callable[[Jobs], Coroutine[Any, Any, None]]) -> None:
    async def all_of_it() -> None:
        jobs = Jobs()
        try:
            await work(jobs)
        finally:
            await jobs.close()

    asyncio.run(all_of_it())


def look_at(folder: Path) -> dict[str, Any]:
    roles = [{"path": str(folder), "named": {"author": "lee"}}]
    return {"roles": roles, "options": {}, "masked": True, "folder": str(folder)}


def a_run(folder: Path) -> dict[str, Any]:
    write_case(folder, n_authors=8)
    (folder / "case.toml").write_text(
        'schema = 1\npopulation = "p"\nprimary = "hapax"\n[questioned]\nQ1 = "q.txt"\n[known]\nlee = "known"\n'
        '[inputs]\nreference = "reference"\n'
        '[texts]\nmasking = "masked"\n[method]\nrepetitions = 1000\n'
    )
    return {"case": str(folder / "case.toml"), "folder": str(folder), "quick": False}


async def until(question: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.02)


def test_work_is_done_in_a_process_of_its_own_and_tells_how_far_it_is(tmp_path: Path) -> None:
    write_case(tmp_path)

    async def work(jobs: Jobs) -> None:
        job = jobs.start("look", "x", look_at(tmp_path / "known"))
        heard = [
            json.loads(sentence.removeprefix("data: "))
            async for sentence in jobs.events(job)
            if sentence.startswith("data")
        ]
        assert job.state == heard[-1]["state"] == "done"
        assert job.process is not None
        assert job.process.pid != os.getpid()
        assert [stage["stage"] for stage in heard[-1]["stages"]] == ["Reading"]
        assert [text["id"] for text in job.result[0]["texts"]] == ["1.txt", "2.txt"]
        assert jobs.latest("look", "x") is job
        assert jobs.latest("look", "y") is None

    in_a_loop(work)


def test_a_run_tells_which_of_its_three_steps_it_is_in_and_hides_stages_without_work() -> None:
    job = Job("run", "x", {})
    for phase, stage, state, done in (
        (1, "Reading", "finished", 3),
        (2, "Validating Q1 and Lee", "running", 1),
        (2, "Second opinions on Q1 and Lee", "finished", 0),
        (3, "Q1 and Lee without each known text", "running", 1),
        (2, "Validating Q1 and Kim", "running", 1),
        (3, "Writing the reports", "running", 1),
    ):
        job.stages[stage] = {"stage": stage, "state": state, "done": done}
        assert job.phase == job.seen()["phase"] == phase
    assert "Second opinions on Q1 and Lee" not in [stage["stage"] for stage in job.seen()["stages"]]


def test_a_mistake_is_a_sentence_and_a_crash_is_said_to_be_one(tmp_path: Path) -> None:
    async def work(jobs: Jobs) -> None:
        wrong = jobs.start("replay", "x", {"manifest": str(tmp_path / "absent.json")})
        unknown = jobs.start("no such work", "x", {})
        killed = jobs.start("run", "y", a_run(tmp_path))
        await wrong.over.wait()
        await unknown.over.wait()
        assert wrong.state == "failed"
        assert "absent.json could not be read" in wrong.error
        assert "a fault of Idiograph's, not yours (KeyError)" in unknown.error
        await until(lambda: killed.stages)
        assert killed.process is not None
        killed.process.kill()
        await killed.over.wait()
        assert (killed.state, "ended unexpectedly" in killed.error) == ("failed", True)

    in_a_loop(work)


def test_two_long_pieces_of_work_follow_each_other_and_short_ones_do_not_wait(tmp_path: Path) -> None:
    async def work(jobs: Jobs) -> None:
        first = jobs.start("run", "a", a_run(tmp_path / "a"), queued=True)
        second = jobs.start("run", "b", a_run(tmp_path / "b"), queued=True)
        third = jobs.start("run", "c", a_run(tmp_path / "c"), queued=True)
        short = jobs.start("look", "a", look_at(tmp_path / "a" / "known"))
        assert jobs.start("run", "a", first.options, queued=True) is first
        assert jobs.under_way("b") is second
        await short.over.wait()
        assert [job.state for job in (first, second, short)] == ["running", "queued", "done"]
        await jobs.stop(third)  # before it began
        assert third.state == "stopped"
        await jobs.stop(first)
        assert first.state == "stopped"
        await until(lambda: second.state == "running")
        await jobs.stop(second)
        assert (second.state, jobs.under_way("b")) == ("stopped", None)
        assert third.process is None

    in_a_loop(work)


def test_stop_ends_the_work_as_ctrl_c_does_and_leaves_the_case_as_it_was(tmp_path: Path) -> None:
    async def work(jobs: Jobs) -> None:
        job = jobs.start("run", "a", a_run(tmp_path))
        await until(lambda: any("Validating" in stage for stage in job.stages))
        assert job.process is not None
        pid = job.process.pid
        await jobs.stop(job)
        assert job.state == "stopped"
        assert "Stopped" in job.error
        assert not process_runs(pid)
        await jobs.stop(job)  # once more does nothing

    in_a_loop(work)
    trail = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [entry["event"] for entry in trail] == ["begun", "started", "interrupted"]
    assert not (tmp_path / "runs").exists()
    assert not (tmp_path / ".lock").exists()


def test_closing_stops_everything(tmp_path: Path) -> None:
    seen: list[Job] = []

    async def work(jobs: Jobs) -> None:
        seen.append(jobs.start("run", "a", a_run(tmp_path), queued=True))
        seen.append(jobs.start("run", "b", a_run(tmp_path / "b"), queued=True))
        await until(lambda: seen[0].stages)

    in_a_loop(work)
    assert [job.state for job in seen] == ["stopped", "stopped"]


def test_a_listener_is_told_that_the_connection_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.pages.jobs._QUIET", 0.01)

    async def work(jobs: Jobs) -> None:
        events = jobs.events(Job("run", "a", {}))
        assert [(await anext(events))[:5] for _ in range(3)] == ["data:", ": sti", "data:"]

    in_a_loop(work)


def test_work_that_has_ended_is_forgotten_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("idiograph.pages.jobs._KEPT", 1)

    async def work(jobs: Jobs) -> None:
        for number in range(4):
            job = jobs.start("no such work", str(number), {}, queued=True)
            await jobs.stop(job)
        assert [job.folder for job in jobs.known.values()] == ["2", "3"]

    in_a_loop(work)
