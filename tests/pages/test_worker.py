import json
import signal
import subprocess
import sys
from pathlib import Path

from made_texts import write_case


def worker(kind: str, options: dict[str, object]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "idiograph.pages.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps({"kind": kind, "options": options}) + "\n")
    process.stdin.flush()
    return process


def test_only_json_comes_out_and_the_last_line_is_the_result(tmp_path: Path) -> None:
    write_case(tmp_path)
    options = {
        "roles": [{"path": str(tmp_path / "known"), "named": {}}],
        "options": {},
        "masked": True,
        "folder": str(tmp_path),
    }
    process = worker("look", options)
    assert process.stdout is not None
    lines = [json.loads(line) for line in process.stdout]  # while its standard input stays open
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(lines[-1]["result"]) == 1
    assert {event["progress"]["state"] for event in lines[:-1]} >= {"started", "finished"}


def test_a_mistake_and_a_fault_end_with_a_sentence(tmp_path: Path) -> None:
    process = worker("replay", {"manifest": str(tmp_path / "absent.json")})
    assert process.stdout is not None
    messages = [json.loads(line) for line in process.stdout]
    assert process.wait(60) == 1
    assert "could not be read" in messages[-1]["error"]
    process.communicate()
    process = worker("look", {"nonsense": 1})
    assert process.stdout is not None
    messages = [json.loads(line) for line in process.stdout]
    _, errors = process.communicate(timeout=60)
    assert "not yours (TypeError)" in messages[-1]["error"]
    assert "Traceback" in errors  # for whoever repairs it


def test_it_ends_when_the_server_is_gone_even_if_interrupts_were_ignored(tmp_path: Path) -> None:
    write_case(tmp_path)
    (tmp_path / "case.toml").write_text(
        'schema = 1\npopulation = "p"\nprimary = "hapax"\n[questioned]\nQ1 = "q.txt"\n[known]\nlee = "known"\n'
        '[inputs]\nreference = "reference"\n'
        '[texts]\nmasking = "masked"\n'
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for what runs in the background
    try:
        process = worker("run", {"case": str(tmp_path / "case.toml"), "folder": str(tmp_path), "quick": False})
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stdout is not None
    assert process.stdin is not None
    for line in process.stdout:
        if "Validating" in line:
            break
    process.stdin.close()
    rest = [json.loads(line) for line in process.stdout]
    assert process.wait(60) == 1
    assert rest[-1] == {"stopped": True}
    assert process.stderr is not None
    process.stderr.close()
    process.stdout.close()
    outcomes = [json.loads(line)["event"] for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert outcomes == ["begun", "started", "interrupted"]


def test_what_was_stopped_ends_without_being_interrupted_again() -> None:
    code = (
        "import concurrent.futures, sys, time\n"
        "from idiograph.pages import worker\n"
        "worker._GRACE = 0.5\n"  # seconds between two interrupts
        "pool = concurrent.futures.ThreadPoolExecutor()\n"
        "def busy():\n"
        "    pool.submit(time.sleep, 1.2)\n"  # a kernel that does not hear of it
        "    print('busy', flush=True)\n"
        "    time.sleep(60)\n"
        "worker.WORKS['busy'] = busy\n"
        "sys.exit(worker.main())\n"
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([sys.executable, "-c", code], **pipes, text=True, start_new_session=True)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write('{"kind": "busy", "options": {}}\n')
    process.stdin.flush()
    assert process.stderr.readline() == "busy\n"
    output, errors = process.communicate(timeout=60)  # closes its standard input, as a server does that ends
    assert (process.returncode, output, errors) == (1, '{"stopped": true}\n', "")
