"""Progress reaches whoever listens: bars on a terminal, lines in a log, events for a page."""

import os
import re
import subprocess
import sys
import time

import pytest

from idiograph import listening
from idiograph import progress as module
from idiograph.progress import Event, progress

WORK = (
    "import time; from idiograph.progress import progress\n"
    "with progress('Masking', total=5, unit='tokens') as advance:\n"
    "    for _ in range(5):\n"
    "        time.sleep(0.6); advance()\n"
    "print('done')\n"
)


def test_a_log_has_a_line_once_a_stage_is_long_and_one_at_its_end() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
    assert done.stdout == "done\n"
    first, last = done.stderr.splitlines()
    assert re.fullmatch(r"idiograph: Masking: \d of 5 tokens after ([2-9]|\d\d+) s.*", first)
    assert re.fullmatch(r"idiograph: Masking: finished, 5 tokens in ([3-9]|\d\d+) s", last)


def test_a_short_stage_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("Masking", total=2, unit="tokens") as advance:
        advance(2)
    assert capsys.readouterr().err == ""


def test_a_log_has_a_line_every_so_often_though_nothing_advances(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    monkeypatch.setattr(module, "EVERY", 0.02)
    lines: list[str] = []
    with progress("Scoring", total=None, unit="problems"):
        while len(lines) < 4:
            lines += capsys.readouterr().err.splitlines()
    assert all(line.startswith("idiograph: Scoring: 0 problems after ") for line in lines)


def test_a_listener_gets_every_step_and_the_end() -> None:
    events: list[Event] = []
    with listening(events.append), progress("Validating", total=3, unit="problems") as advance:
        advance()
        advance(2)
    assert [(event.stage, event.done, event.state) for event in events] == [
        ("Validating", 0, "started"),
        ("Validating", 1, "running"),
        ("Validating", 3, "running"),
        ("Validating", 3, "finished"),
    ]
    assert {(event.total, event.unit) for event in events} == {(3, "problems")}


def test_the_time_to_go_is_told_by_the_speed_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, passed = time.monotonic, [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock() + passed[0])
    events: list[Event] = []
    with listening(events.append), progress("Validating", total=200, unit="problems") as advance:
        passed[0] = 35.0
        advance(1)  # after half a minute of compiling
        for _ in range(11):
            passed[0] += 1.0
            advance(10)
    assert events[2].said.startswith("11 of 200 problems, about ")
    assert events[-2].said == "111 of 200 problems, about 9 s to go"


def test_a_stage_that_an_error_ends_is_stopped() -> None:
    events: list[Event] = []
    with pytest.raises(ZeroDivisionError), listening(events.append), progress("Reading", total=None, unit="texts"):
        raise ZeroDivisionError
    assert [event.state for event in events] == ["started", "stopped"]


def test_a_stage_within_one_of_the_same_unit_counts_there() -> None:
    events: list[Event] = []
    with listening(events.append), progress("Validating", total=4, unit="problems"):
        for _ in range(2):
            with progress("Scoring", total=2, unit="problems") as advance:
                advance()
                advance()
        with progress("Reading", total=None, unit="texts") as advance:
            advance()
    assert {event.stage for event in events} == {"Validating", "Reading"}
    assert max(event.done for event in events if event.stage == "Validating") == 4


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Event("Scoring", 0, 1089, "problems", 0, "started"), "Scoring: started, 1,089 problems"),
        (Event("Reading", 0, None, "texts", 0, "started"), "Reading: started"),
        (
            Event("Scoring", 64, 1089, "problems", 30.2, "running"),
            "Scoring: 64 of 1,089 problems after 30 s, about 8 min to go",
        ),
        (
            Event("Scoring", 1000, 1089, "problems", 30.2, "running"),
            "Scoring: 1,000 of 1,089 problems after 30 s, about 3 s to go",
        ),
        (Event("Reading", 64, None, "texts", 30.2, "running"), "Reading: 64 texts after 30 s"),
        (Event("Scoring", 64, 1089, "problems", 3, "stopped"), "Scoring: stopped at 64 of 1,089 problems after 3 s"),
        (Event("Scoring", 1089, 1089, "problems", 3, "finished"), "Scoring: finished, 1,089 problems in 3 s"),
    ],
)
def test_an_event_as_a_line(event: Event, line: str) -> None:
    assert event.line == line


def test_a_terminal_sees_label_and_rate() -> None:
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux ends a pseudo-terminal with an error
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait() == 0
    assert b"Masking" in seen
    assert b"tokens/s" in seen
