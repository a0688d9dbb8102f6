"""No network at run time: no process of Idiograph looks up a name or opens a connection, whatever it is asked to do."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from made_study import folder_with_study
from made_texts import case_options, write_case

# Python tells its audit hooks of these before they happen; sitecustomize reaches every Python process that is started.
HOOK = """
import os, sys
WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind")
def hook(event, arguments):
    if event in WATCHED and "AF_UNIX" not in repr(arguments[:1]):
        with open(os.environ["WATCHED_SOCKETS"], "a") as log:
            log.write(f"{event} {arguments[1:]!r}\\n")
sys.addaudithook(hook)
with open(os.environ["WATCHED_SOCKETS"], "a") as log:
    log.write("watching\\n")
"""


@pytest.fixture
def watched(tmp_path: Path) -> dict[str, str]:
    """An environment in which every Python process writes down what it asks of the network."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(hooks), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "WATCHED_SOCKETS": str(tmp_path / "sockets.txt")}


def asked(environment: dict[str, str]) -> list[str]:
    """What was asked of the network by the processes that were watched, of which there was at least one."""
    log = Path(environment["WATCHED_SOCKETS"])
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    assert "watching" in lines
    return [line for line in lines if line != "watching"]


def test_the_watch_sees_a_connection(watched: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = f"import socket; socket.create_connection(('127.0.0.1', {port})).close()"
        subprocess.run([sys.executable, "-c", program], env=watched, check=True)
    assert any(line.startswith("socket.connect") for line in asked(watched))


def test_no_command_asks_anything_of_the_network(watched: dict[str, str], tmp_path: Path) -> None:
    """Texts masked by the real tagger, a case with its reports and its replay, and a study, with real workers."""
    write_case(tmp_path / "texts", n_authors=5)
    options = case_options(tmp_path / "texts", masking="posnoise", workers=2, repetitions=1)
    study = folder_with_study(tmp_path / "study", repetitions=2)
    case = tmp_path / "case"
    for words in (
        ("verify", *options, "--quick", "--no-cache", "--out", case),
        ("replay", case / "manifest.json"),
        ("study", study, "--out", tmp_path / "results", "--workers", "2"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "idiograph", *map(str, words)],
            env=watched, cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, (words[0], done.stdout, done.stderr)
    assert asked(watched) == []
