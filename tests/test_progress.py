"""Progress is for terminals: a bar there, not a byte elsewhere."""

import os
import subprocess
import sys

import pytest

WORK = (
    "import time; from idiograph.progress import progress\n"
    "with progress('Masking', total=5, unit='tokens') as advance:\n"
    "    for _ in range(5):\n"
    "        time.sleep(0.6); advance()\n"
    "print('done')\n"
)


def test_silent_when_standard_error_is_not_a_terminal() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("done\n", "")


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
