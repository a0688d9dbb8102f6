"""Nothing from a file or a file's name acts: not in a terminal, a spreadsheet, a browser, a word processor, an SVG."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from generated import corpus, write_jsonl
from idiograph import Corpus
from made_study import FILE
from made_texts import case_options, write_case
from seen_report import Page

ACTING = (
    "=cmd()|' /C calc'!A0 \x1b[31m\x1b]0;title\x07\x9b2J<script>alert(1)</script>\u202eevil\u2066 \x7f &amp; "
    "[x](javascript:1)"
)
FORMULAS = ("=", "+", "@", "\t", "\r")
LOADING = {"script", "iframe", "object", "embed", "link", "base", "form"}


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """The real command, its output as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "idiograph", *map(str, arguments)], cwd=folder, capture_output=True, env={**os.environ}
    )


def refuse_acting(where: object, text: str) -> None:
    """Fails if a control character, or a mark that turns the direction of writing, is in the text."""
    controls = {char for char in text if (ord(char) < 32 and char not in "\n\t\r") or 127 <= ord(char) < 160}
    assert not controls, f"{where}: {controls}"
    assert not set(text) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068"), where


def check_outputs(folder: Path) -> set[str]:
    """Every file of a result looked at in the way its reader would; the kinds that were there."""
    kinds = set()
    for path in sorted(folder.rglob("*")):
        kinds.add(path.suffix)
        if path.suffix in (".html", ".svg", ".csv", ".md", ".tex", ".toml"):
            refuse_acting(path, path.read_text(encoding="utf-8"))
        if path.suffix == ".html":
            page = Page(path.read_text(encoding="utf-8"))
            assert not page.tags & LOADING, path
            for _, name, value in page.attributes:
                assert not name.startswith("on"), path
                assert not value.strip().lower().startswith("javascript:"), path
        elif path.suffix == ".svg":
            root = ElementTree.fromstring(path.read_bytes())
            assert not [
                element.tag for element in root.iter() if str(element.tag).endswith(("script", "foreignObject"))
            ], path
        elif path.suffix == ".csv":
            for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")):
                for cell in row:
                    assert not cell.startswith(FORMULAS), (path, cell)
        elif path.suffix == ".docx":
            with zipfile.ZipFile(path) as parts:
                for name in parts.namelist():
                    if name.endswith((".xml", ".rels")):
                        text = parts.read(name).decode()
                        refuse_acting(f"{path} {name}", text)
                        ElementTree.fromstring(text.encode())
                        assert "<script" not in text
                        assert "javascript:" not in text.partition("<Relationships")[2]
    return kinds


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such file names")
def test_nothing_of_a_case_acts(tmp_path: Path) -> None:
    name = ACTING.replace("/", "-")[:100]
    write_case(tmp_path, n_authors=5, n_texts=2, tokens=80)  # enough for a value, which a refused case does not show
    (tmp_path / "q.txt").rename(tmp_path / f"{name}.txt")
    (tmp_path / "reference" / "author00").rename(tmp_path / "reference" / name)
    known = tmp_path / "known" / "1.txt"
    known.rename(known.with_name(f"{name}\n.txt"))
    questioned = tmp_path / f"{name}.txt"
    questioned.write_text(questioned.read_text() + "".join(f"{word} the .\n" for word in ACTING.split()))
    acting = dict.fromkeys(("population", "title", "caveat"), ACTING)
    options = case_options(tmp_path, questioned=questioned, repetitions=2, out=tmp_path / "case", **acting)
    done = run("verify", *options, "--quick", folder=tmp_path)
    for stream in (done.stdout, done.stderr):
        refuse_acting("the terminal", stream.decode())
    assert done.returncode in (0, 1), done.stderr.decode()
    assert {".html", ".docx", ".csv", ".svg", ".pdf"} <= check_outputs(tmp_path / "case")
    again = run("replay", tmp_path / "case" / "manifest.json", folder=tmp_path)
    missing = run("verify", tmp_path / f"{ACTING.replace('/', '-')}.toml", folder=tmp_path)
    assert (again.returncode, missing.returncode) == (0, 2)
    for outcome in (again, missing):
        refuse_acting("the terminal", (outcome.stdout + outcome.stderr).decode())


def test_nothing_of_a_study_acts(tmp_path: Path) -> None:
    texts = [replace(text, id=f"{text.id} {ACTING}", author=f"{ACTING} {text.author}") for text in corpus(works=2)]
    write_jsonl(tmp_path / "toy.jsonl", Corpus(tuple(texts)))
    (tmp_path / "study.toml").write_text(
        FILE.format(repetitions=2).replace('name = "toy"', f"name = {json.dumps(ACTING)}", 1), encoding="utf-8"
    )
    done = run("study", tmp_path / "study.toml", "--out", tmp_path / "out", folder=tmp_path)
    for stream in (done.stdout, done.stderr):
        refuse_acting("the terminal", stream.decode())
    assert done.returncode == 0, done.stderr.decode()
    assert {".html", ".csv", ".svg"} <= check_outputs(tmp_path / "out")
