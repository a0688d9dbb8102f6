"""Whatever a folder holds, the pages stay up: each says what is damaged, offers the rest, and spoils no other's."""

import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from served import Client, served

RUN = (
    "result", "runs", "word?run=1&word=1.1", "result?run=1&word=1.1", "all.zip", "file/runs/0001/result.json",
)  # fmt: skip
CASE = ("texts", "question", "preparation", "method", "plan", "run", "file/case.toml")

Damage = Callable[[Path], object]


def in_result(**wrong: Any) -> Damage:
    """Other values in the result of the run."""

    def damage(case: Path) -> None:
        path = case / "runs" / "0001" / "result.json"
        path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **wrong}), encoding="utf-8")

    return damage


def twice(case: Path, wrong: dict[str, Any]) -> None:
    """Two comparisons instead of one."""
    path = case / "runs" / "0001" / "result.json"
    whole = json.loads(path.read_text("utf-8"))
    both = [whole, {**whole, "candidate": "kim"}]
    path.write_text(json.dumps({**whole, **wrong, "comparisons": both}), encoding="utf-8")


def in_case(line: str, instead: str) -> Damage:
    """Another line in the case file."""

    def damage(case: Path) -> None:
        path = case / "case.toml"
        lines = path.read_text("utf-8").splitlines()
        assert any(old.startswith(line) for old in lines), line
        changed = [instead if old.startswith(line) else old for old in lines]
        path.write_text("\n".join(changed) + "\n", encoding="utf-8")

    return damage


def as_file(name: str, content: bytes) -> Damage:
    return lambda case: (case / name).write_bytes(content)


def as_link(name: str, target: str) -> Damage:
    def damage(case: Path) -> None:
        path = case / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.symlink_to(target)

    return damage


def as_pipe(name: str) -> Damage:
    def damage(case: Path) -> None:
        (case / name).unlink(missing_ok=True)
        os.mkfifo(case / name)

    return damage


def as_folder(name: str) -> Damage:
    def damage(case: Path) -> None:
        (case / name).unlink()
        (case / name).mkdir()

    return damage


def endless(name: str) -> Damage:
    """A file of many gigabytes that takes no room."""

    def damage(case: Path) -> None:
        with (case / name).open("wb") as file:
            file.truncate(1 << 40)

    return damage


def named_in_bytes(folder: str, name: bytes) -> Damage:
    def damage(case: Path) -> None:
        (case / folder / os.fsdecode(name)).write_bytes(b"a text")

    return damage


def dated(name: str, year: int) -> Damage:
    seconds = (year - 1970) * 31_557_600
    return lambda case: os.utime(case / name, (seconds, seconds))


def deep(case: Path) -> None:
    """A text 900 folders deep, made step by step, for no system takes such a path at once."""
    before = Path.cwd()
    os.chdir(case / "texts" / "known")
    try:
        for _ in range(900):
            Path("deeper").mkdir()
            os.chdir("deeper")
        Path("a.txt").write_text("a text")
    finally:
        os.chdir(before)


def tokens(change: Callable[[list[str]], list[str]]) -> Damage:
    def damage(case: Path) -> None:
        path = case / "runs" / "0001" / "tokens.csv"
        path.write_text("".join(change(path.read_text("utf-8").splitlines(keepends=True))), encoding="utf-8")

    return damage


def with_cell(column: str, value: str) -> Damage:
    """Another value in the first row of the tokens."""

    def change(lines: list[str]) -> list[str]:
        cells = lines[1].rstrip("\n").split(",")
        cells[lines[0].rstrip("\r\n").split(",").index(column)] = value
        return [lines[0], ",".join(cells) + "\n", *lines[2:]]

    return tokens(change)


COMPARISON = (
    "label", "candidate", "before", "conclusion", "bound", "verbal", "scale", "topic", "published", "also", "refusal",
    "lambda_g", "llr", "primary", "reported", "audit", "validation", "claimed", "q", "k", "settings", "inputs",
    "population", "quick", "title", "idiograph", "comparisons", "held",
)  # fmt: skip
NESTED: dict[str, Any] = {
    "llr of a number": {"llr": {"normalised": 5, "hapax": 5}},
    "nats of text": {"reported": {"nats": "5"}},
    "nats without end": {"reported": {"nats": 1e400}},
    "nats too large": {"reported": {"nats": 10**400}},
    "validation without figures": {"validation": {"performance": 5}},
    "figures of text": {"validation": {"performance": {"hapax": "good"}}},
    "claimed of text": {"claimed": {"cllr": {"value": "small"}}},
    "audit of numbers": {"audit": [1, 2]},
    "q of text": {"q": {"n_tokens": "many"}},
    "inputs of numbers": {"inputs": [5]},
    "nats beyond any": {"reported": {"nats": 1e308}, "llr": {"hapax": {"nats": -1e308}}},
    "range of text": {"range": {"low": "a", "high": "b", "sentence": "c"}},
    "range without words": {"range": {"low": 1, "high": 2}},
    "validation of other types": {
        "validation": {"performance": {}, "authors": 5, "n_same": 1, "n_different": 1, "q_tokens": 1, "k_tokens": 1}
    },
    "claimed with more": {
        "claimed": {"cllr": {"value": 0.5, "more": 1}, "plain": {"value": 0.5}, "controlled": False, "more": 1}
    },
    "phrases of numbers": {"held": {"phrases": [{"tokens": ["a"], "written": "a", "places": [5]}]}},
    "phrases without a place": {"held": {"phrases": [{"tokens": ["a"], "written": "a", "places": []}]}},
    "no comparison": {"comparisons": []},
    "a comparison that is empty": {"comparisons": [{}]},
    "comparisons of text": {"comparisons": ["a"]},
}
RUNS: dict[str, Damage] = {
    **{
        f"{name} = {json.dumps(value)[:20]}": in_result(**{name: value})
        for name in COMPARISON
        for value in (5, "a", [1], {"a": 1}, None)
    },
    **{name: in_result(**wrong) for name, wrong in NESTED.items()},
    "a scale that is none": lambda case: twice(case, {"settings": {"scale": "none such"}}),
    "settings nested deeply": in_result(settings={"a": json.loads("[" * 400 + "]" * 400)}),
    "result is a list": as_file("runs/0001/result.json", b"[]"),
    "result is empty": as_file("runs/0001/result.json", b""),
    "result is not UTF-8": as_file("runs/0001/result.json", b'{"a": "\xff"}'),
    "result is a folder": as_folder("runs/0001/result.json"),
    "result is a pipe": as_pipe("runs/0001/result.json"),
    "result has no end": endless("runs/0001/result.json"),
    "result is a device": as_link("runs/0001/result.json", "/dev/zero"),
    "tokens are not UTF-8": as_file("runs/0001/tokens.csv", b"\xff\xfe\x00"),
    "tokens are empty": as_file("runs/0001/tokens.csv", b""),
    "tokens have no end": endless("runs/0001/tokens.csv"),
    "tokens are a pipe": as_pipe("runs/0001/tokens.csv"),
    "tokens without a column": tokens(lambda lines: [line.partition(",")[2] for line in lines]),
    "tokens with short rows": tokens(lambda lines: [*lines, "a,b\n"]),
    "tokens with long rows": tokens(lambda lines: [*lines, lines[-1].rstrip("\n") + ",a,b\n"]),
    "tokens with long fields": tokens(lambda lines: [*lines, "x" * 200_000 + lines[-1]]),
    "tokens with NUL": tokens(lambda lines: [*lines, "\0,\0\n"]),
    "tokens with an open quote": tokens(lambda lines: [*lines, '"' + lines[-1]]),
    "tokens with text for a number": with_cell("lambda_g", "much"),
    "tokens with nan": with_cell("lambda_g", "nan"),
    "tokens with a place of 5,000 digits": with_cell("sentence", "9" * 5_000),
    "tokens with a place in other digits": with_cell("position", "\u0663"),
    "figure is a pipe": as_pipe("runs/0001/figures/tippett.svg"),
    "trail is junk": as_file("runs.jsonl", b"\xff\0junk\n[]\n5\n"),
    "trail of other types": as_file("runs.jsonl", b'{"run": "1", "event": "started", "time": 5}\n'),
    "trail is a pipe": as_pipe("runs.jsonl"),
    "trail is a folder": as_folder("runs.jsonl"),
    "trail has no end": endless("runs.jsonl"),
    "trail of a huge number": as_file(
        "runs.jsonl", b'{"run": 9999999999999, "event": "started", "time": "", "case_digest": "a"}\n'
    ),
    "trail of a number below zero": as_file(
        "runs.jsonl", b'{"run": -5, "event": "reported", "time": "", "remark": "a"}\n'
    ),
    "manifest is junk": as_file("runs/0001/manifest.json", b"junk"),
    "manifest has no end": endless("runs/0001/manifest.json"),
    "manifest is a pipe": as_pipe("runs/0001/manifest.json"),
    "manifest of other types": as_file(
        "runs/0001/manifest.json", b'{"outputs": {"a": 5, "../../b": "c", "\\u0000": 1}}'
    ),
    "a run of other digits": lambda case: (case / "runs" / "\u0662\u0663").mkdir(),
    "a run of a digit that is none": lambda case: (case / "runs" / "\u00b2").mkdir(),
    "a run of 200 digits": lambda case: (case / "runs" / ("9" * 200)).mkdir(),
    "a run that is a file": as_file("runs/0002", b""),
    "runs are a file": lambda case: (shutil.rmtree(case / "runs"), (case / "runs").write_bytes(b"")),
    "a run that is empty": lambda case: (case / "runs" / "0002").mkdir(),
    "an output whose name is not UTF-8": named_in_bytes("runs/0001", b"\xff.html"),
    "a figure whose name is not UTF-8": named_in_bytes("runs/0001/figures", b"\xff.svg"),
    "a file from before 1980": dated("case.toml", 1971),
    "a file from after 2107": dated("runs/0001/result.json", 2200),
}
CASES: dict[str, Damage] = {
    "case file is a link": as_link("case.toml", "../whole/case.toml"),
    "case file is a link to itself": as_link("case.toml", "case.toml"),
    "case file is a pipe": as_pipe("case.toml"),
    "case file is a folder": as_folder("case.toml"),
    "case file has no end": endless("case.toml"),
    "case file is a device": as_link("case.toml", "/dev/zero"),
    "case file is not UTF-8": as_file("case.toml", b"\xff"),
    "case file is empty": as_file("case.toml", b""),
    "case file of other types": as_file(
        "case.toml", b"schema = 1\ntitle = 5\nquestioned = 5\nknown = [1]\ninputs = 5\ntexts = 5\nreading = 5\n"
    ),
    "case file of other types below": as_file(
        "case.toml", b"[questioned]\nQ1 = 5\n[known]\nlee = [1]\n[inputs]\nreference = {}\n[texts]\nrecipe = 5\n"
        b"exclude_authors = 5\nmasking = []\n"
    ),
    "reference of 5,000 letters": in_case("reference", f'reference = "{"x" * 5000}"'),
    "reference with NUL": in_case("reference", 'reference = "a\\u0000b"'),
    "reference is the root": in_case("reference", 'reference = "/"'),
    "reference is a device": in_case("reference", 'reference = "/dev/zero"'),
    "reference is a pipe": lambda case: (in_case("reference", 'reference = "pipe"')(case), os.mkfifo(case / "pipe")),
    "recipe of 5,000 letters": in_case("schema", f'schema = 1\ntexts.recipe = "{"x" * 5000}.toml"'),
    "recipe with NUL": in_case("schema", 'schema = 1\ntexts.recipe = "a\\u0000.toml"'),
    "texts are a link to itself": as_link("texts", "texts"),
    "known is a link to itself": as_link("texts/known", "known"),
    "seed of 5,000 hex digits": as_file("case.toml", b"schema = 1\nseed = 0x" + b"f" * 5_000 + b"\n"),
    "label of 5,000 letters": as_file("case.toml", f'[questioned]\n{"Q" * 5000} = "q.txt"\n'.encode()),
    "a text whose name is not UTF-8": named_in_bytes("texts/known", b"\xff\xfe.txt"),
    "texts in deep folders": deep,
}  # fmt: skip


ALL = {**RUNS, **CASES}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, filed: Path) -> Path:
    """A folder of cases: one that is whole, and beside it one for every damage."""
    root = tmp_path_factory.mktemp("damaged") / "cases"
    whole = root / "whole"
    shutil.copytree(filed / "case", whole)
    shutil.copytree(filed / "known", whole / "texts" / "known")
    shutil.copytree(filed / "reference", whole / "texts" / "reference")
    shutil.copy(filed / "q.txt", whole / "texts" / "q.txt")
    text = (whole / "case.toml").read_text("utf-8").replace("../", "texts/")
    (whole / "case.toml").write_text(text, encoding="utf-8")
    for number, damage in enumerate(ALL.values()):
        case = root / f"case-{number:03}"
        shutil.copytree(whole, case)
        damage(case)
    shutil.copytree(whole, root / os.fsdecode(b"not-\xff-utf-8"))
    (root / "link").symlink_to("whole")
    (root / "study").mkdir()
    (root / "study" / "study.toml").write_text('schema = 1\nname = "A study"\n', encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def here(root: Path) -> Iterator[Client]:
    with served(root) as server:
        yield server.browser()


@pytest.mark.parametrize("path", ["/", "/studies", "/study/study/run", "/case/whole/result", "/case/whole/texts"])
def test_no_folder_spoils_the_pages_of_another(here: Client, path: str) -> None:
    answer = here.get(path)
    assert answer.status == 200, answer.words
    if path == "/":
        assert answer.text.count('href="/case/whole"') == 1


@pytest.mark.parametrize("name", ALL)
def test_no_page_of_a_damaged_case_is_a_fault(here: Client, name: str) -> None:
    case = f"/case/case-{list(ALL).index(name):03}"
    for page in RUN if name in RUNS else CASE:
        answer = here.request("HEAD" if page.startswith("file/") else "GET", f"{case}/{page}")
        assert answer.status in (200, 303, 400, 404), (page, answer.words[:500])
        if page == "all.zip" and answer.status == 200:
            assert zipfile.ZipFile(io.BytesIO(answer.body)).testzip() is None


SAID = {
    "reported = 5": ("result", "result.json is damaged (comparisons[0].reported is not a table)"),
    "audit of numbers": ("runs", "result.json is damaged (comparisons[0].audit[0] is not a table)"),
    "comparisons = 5": ("result", "result.json is damaged (comparisons is not a list)"),
    "no comparison": ("result", "result.json is damaged (it has no comparison)"),
    "result has no end": ("result", "result.json could not be read (it has more than 100,000,000 bytes"),
    "result is a pipe": ("result", "result.json could not be read (it is a pipe, a socket or a device, not a file)"),
    "result is a device": ("result", "result.json is a link. Links inside a folder"),
    "tokens with short rows": ("result", "tokens.csv is damaged (row"),
    "tokens with nan": ("result", "tokens.csv is damaged (row 2 is not one of tokens)"),
    "an output whose name is not UTF-8": ("result", "Some names in this folder are not text"),
    "manifest has no end": ("runs", "runs/0001/manifest.json is missing or damaged"),
    "trail is a folder": ("runs", "runs.jsonl could not be read"),
    "texts in deep folders": ("texts", "more than 100 folders inside each other, and no more are looked through"),
    "reference is the root": ("texts", "The case names files outside its folder, and none of them has been read"),
    "seed of 5,000 hex digits": ("texts", "a number has about 1,000 digits or more"),
    "case file is a pipe": ("texts", "case.toml could not be read (it is a pipe, a socket or a device, not a file)"),
    "case file is a link": ("texts", "case.toml is a link. Links inside a folder"),
    "case file has no end": ("texts", "case.toml could not be read (it has more than 1,000,000 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_is_damaged_is_said_and_the_rest_is_offered(here: Client, name: str) -> None:
    page, expected = SAID[name]
    answer = here.get(f"/case/case-{list(ALL).index(name):03}/{page}")
    assert answer.status == 200
    assert expected in answer.words
    if page == "result":
        assert "/file/runs/0001/report.html" in answer.text
    if page != "texts":
        return
    listed = here.get("/").words
    assert "damaged" in listed


def test_an_archive_says_what_it_leaves_out(here: Client) -> None:
    answer = here.get(f"/case/case-{list(ALL).index('result has no end'):03}/all.zip")
    archive = zipfile.ZipFile(io.BytesIO(answer.body))
    (note,) = [name for name in archive.namelist() if name.endswith("left-out.txt")]
    assert "runs/0001/result.json" in archive.read(note).decode()
    assert any(name.endswith("runs/0001/report.html") for name in archive.namelist())


def test_what_lies_outside_is_named_and_read_only_once_the_user_says_so(here: Client, root: Path) -> None:
    private = root.parent / "passwords"
    private.mkdir()
    (private / "1.txt").write_text("the secret words of somebody .\n" * 30, encoding="utf-8")
    case = root / "outside"
    shutil.copytree(root / "whole", case)
    in_case("known = ", 'known = "../../passwords"')(case)
    for page in ("texts", "preparation", "plan", "run"):
        answer = here.get(f"/case/outside/{page}")
        assert answer.status == 200
        assert ("none of them has been read" in answer.words) == (page != "preparation")
        assert "secret words" not in answer.text
    assert str(private) in here.get("/case/outside/texts").words.replace("/cases/outside/../..", "")
    for what in ("plan", "run", "quick"):
        answer = here.post("/case/outside/start", {"what": what})
        assert answer.status == 400
        assert "none of them has been read" in answer.words
    version = re.findall(r'name="version" value="([^"]+)"', here.get("/case/outside/texts").text)[0]
    assert here.post("/case/outside/outside", {"version": "another"}).status == 400
    assert here.post("/case/outside/outside", {"version": version}).status == 303
    here.wait_for("/case/outside/texts", "secret words")
    in_case("known = ", 'known = "../../other"')(case)
    assert "none of them has been read" in here.get("/case/outside/texts").words
