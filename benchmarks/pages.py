"""The pages: how soon the first one is there, and how much a browser has to load.

The case is made up: eight authors whose words are drawn at random, so that no text lies here.
"""

import http.client
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.figure import Figure, at_most, in_turns
from idiograph import file_case

_WORDS = tuple(f"w{number}" for number in range(400))
_STEPS = ("texts", "question", "preparation", "method", "particulars", "plan", "run", "result", "runs")
_ALONG = ("/static/app.css", "/static/app.js", "/static/icon.svg")
_LARGEST = 200  # kB


def run(quick: bool) -> list[Figure]:
    """Every row of the pages' table; `quick` with one start instead of five and a shorter text."""
    times = 1 if quick else 5
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        help_, first = in_turns([lambda _: _help(), lambda _: _first_page(folder / "empty")], times=times, warm_up=1)
        how = f"from the command to its first page {first:.2f} s, `idiograph --help` {help_:.2f} s; "
        how += f"medians of {times}, in turns"
        figures = [at_most("first page beyond 1.5 times `idiograph --help`", first - 1.5 * help_, "s", 1.0, how)]
        name, heaviest, n_tokens = _heaviest(folder / "cases", tokens=300 if quick else 2_000)
        how = f"{name} with style, script and icon, without figures; Q has {n_tokens:,} tokens, the reference 8 authors"
        figures.append(at_most("the heaviest page", heaviest / 1000, "kB", _LARGEST, how))
    return figures


def _help() -> None:
    subprocess.run([sys.executable, "-m", "idiograph", "--help"], check=True, capture_output=True)


def _first_page(folder: Path) -> None:
    with _server(folder) as (port, cookie):
        assert b"Cases" in _get(port, "/", cookie)


@contextmanager
def _server(folder: Path) -> Iterator[tuple[int, str]]:
    """The command with its port and a cookie for it."""
    command = [sys.executable, "-m", "idiograph", "app", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            port, path = re.findall(r":(\d+)(/.*)", process.stdout.readline())[0]
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
            connection.request("GET", path)
            cookie = (connection.getresponse().getheader("set-cookie") or "").partition(";")[0]
            connection.close()
            yield int(port), cookie
        finally:
            process.kill()


def _get(port: int, path: str, cookie: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Cookie": cookie})
        return connection.getresponse().read()
    finally:
        connection.close()


def _heaviest(folder: Path, *, tokens: int) -> tuple[str, int, int]:
    """The heaviest page of a filed case, its bytes with what comes along, and the tokens of its Q."""
    case = folder / "case"
    rng = np.random.default_rng(1)
    for name in ("q/1", "k/1", "k/2", *(f"reference/author{author}/{n}" for author in range(8) for n in range(2))):
        path = case / "texts" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn = rng.choice(_WORDS, size=(tokens // 20, 20)).tolist()
        path.write_text("".join(" ".join(line) + "\n" for line in drawn), encoding="utf-8")
    (case / "case.toml").write_text(
        'schema = 1\npopulation = "nobody"\nprimary = "hapax"\n[questioned]\nQ1 = "texts/q"\n[known]\nLee = "texts/k"\n'
        '[inputs]\nreference = "texts/reference"\n[texts]\nmasking = "masked"\n[method]\nrepetitions = 3\n',
        encoding="utf-8",
    )
    file_case(case / "case.toml", case, quick=True)
    with _server(folder) as (port, cookie):
        along = sum(len(_get(port, path, cookie)) for path in _ALONG)
        _get(port, "/case/case/texts", cookie)
        time.sleep(5)  # the texts are read meanwhile
        sizes = {step: len(_get(port, f"/case/case/{step}", cookie)) for step in _STEPS}
    name = max(sizes, key=lambda step: sizes[step])
    return name, sizes[name] + along, tokens // 20 * 20
