"""Damaged and hostile files of every kind that cases, studies and indexes are read from: a result or a sentence."""

import hashlib
import json
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import idiograph
from damage import PRINT_PEAK, damaged_bytes, damaged_json, dumped
from idiograph import IdiographError, Index, StudyError, read_study
from idiograph.casework import case_folder
from idiograph.studies.corpora import open_material, save_material
from idiograph.studies.llrs import load_own as load_read
from idiograph.studies.material import Material
from idiograph.studies.trial_table import read_trials
from made_index import corpus, toy_index
from made_study import folder_with_study, trials_file
from made_texts import case_of

# How many files of each kind are tried; with those of the texts layer they are more than 5,000.
TRIED = {
    "manifest": 400,
    "result": 80,
    "trail": 300,
    "case.toml": 220,
    "study.toml": 220,
    "study manifest": 150,
    "trials": 300,
    "idiolect": 120,
    "index": 350,
    "material": 200,
    "own method": 60,
}

Damaged = Iterator[tuple[str, bytes]]


def test_more_than_two_thousand_files_are_tried() -> None:
    assert sum(TRIED.values()) > 2_300


def try_all(kind: str, files: Damaged, use: Callable[[bytes], Any], *, refused: int) -> None:
    """Uses so many damaged files, each of which ends in a result or a sentence, and many in a sentence."""
    tried, sentences = 0, []
    for what, content in islice(files, TRIED[kind]):
        tried += 1
        try:
            use(content)
        except IdiographError as error:
            sentences.append(str(error))
        except Exception as error:
            raise AssertionError(f"{kind}, {what}: {type(error).__name__}: {error}") from error
    assert tried == TRIED[kind]
    assert len(sentences) >= refused
    assert all(len(sentence) > 20 and sentence.replace("\n", "").isprintable() for sentence in sentences)


def thinned(damaged: Iterable[tuple[str, Any]], every: int) -> Iterator[tuple[str, bytes]]:
    """Every so many of damaged JSON values, as bytes."""
    for what, value in islice(damaged, None, None, every):
        yield what, dumped(value).encode()


def chained(*files: Damaged) -> Damaged:
    for each in files:
        yield from each


@pytest.fixture
def again(filed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A replay that computes nothing anew: its files are what is tried."""
    done = idiograph.verify(case_of(filed, repetitions=3), quick=True)
    run = filed / "case" / "runs" / "0001"

    def copied(verification: object, folder: Path, **_: object) -> None:
        shutil.copytree(run, folder, ignore=lambda *_: ["case.toml", "result.json", "manifest.json"])

    monkeypatch.setattr("idiograph.output.replaying.verify", lambda *_, **__: done)
    monkeypatch.setattr("idiograph.output.replaying.write_reports", copied)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.usefixtures("again")
def test_damaged_manifests_are_replayed_or_refused(copied: Path) -> None:
    path = copied / "case" / "manifest.json"
    whole = path.read_bytes()
    # The copy that is kept under runs/ is damaged alike, or the one at the top would be made again from it.
    kept = copied / "case" / "runs" / "0001" / "manifest.json"

    def use(content: bytes) -> None:
        path.write_bytes(content)
        kept.write_bytes(content)
        idiograph.replay(path)

    small = json.loads(whole)
    small["inputs"], small["texts"] = small["inputs"][:1], small["texts"][:1]
    n_values = sum(1 for _ in damaged_json(small))
    files = chained(damaged_bytes(whole, 150, seed=11), thinned(damaged_json(small), max(1, n_values // 230)))
    try_all("manifest", files, use, refused=200)


@pytest.mark.usefixtures("again")
def test_damaged_results_are_compared_or_refused(copied: Path) -> None:
    case = copied / "case"
    whole = (case / "result.json").read_bytes()
    small = {name: value for name, value in json.loads(whole).items() if name != "comparisons"}

    def use(content: bytes) -> None:
        (case / "result.json").write_bytes(content)
        manifest = json.loads((case / "manifest.json").read_bytes())
        manifest["outputs"]["result.json"] = hashlib.sha256(content).hexdigest()
        (case / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        idiograph.replay(case / "manifest.json")

    n_values = sum(1 for _ in damaged_json(small))
    files = chained(damaged_bytes(whole, 10, seed=12), thinned(damaged_json(small), max(1, n_values // 60)))
    try_all("result", files, use, refused=20)


def test_a_damaged_trail_costs_the_damaged_lines_alone(tmp_path: Path) -> None:
    for number in range(1, 4):
        assert case_folder.begin_run(tmp_path, quick=True) == number
        case_folder.start_run(tmp_path, number, "ab" * 32, (), quick=True)
        case_folder.end_run(tmp_path, number, "reported", "a remark\u2028with an odd line end")
    trail = tmp_path / case_folder.TRAIL
    whole = trail.read_bytes()
    lines = whole.splitlines(keepends=True)

    def use(content: bytes) -> None:
        trail.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            known = case_folder.earlier_runs(tmp_path)
            number = case_folder.begin_run(tmp_path, quick=False)
            assert number > max((run.number for run in known), default=0)
            assert [run.number for run in case_folder.earlier_runs(tmp_path)][-1] == number

    entries = (json.loads(line) for line in lines[:2])
    values = (
        (what, lines[0] + dumped(value).encode() + b"\n" + lines[3])
        for entry in entries
        for what, value in damaged_json(entry, deep=False)
    )
    try_all("trail", chained(damaged_bytes(whole, 120, seed=13), values), use, refused=0)
    trail.write_bytes(whole.replace(b'"event": "reported"', b'"event": "rep\xffrted"', 1))
    with pytest.warns(UserWarning, match="line 3 of runs.jsonl is damaged"):
        runs = case_folder.earlier_runs(tmp_path)
    assert [(run.number, run.outcome) for run in runs[1:]] == [(1, "unfinished"), (2, "reported"), (3, "reported")]


def test_damaged_case_files_are_read_or_refused(copied: Path) -> None:
    path = copied / "case" / "case.toml"

    def use(content: bytes) -> None:
        path.write_bytes(content)
        idiograph.read_case(path)

    try_all("case.toml", damaged_bytes(path.read_bytes(), 193, seed=14), use, refused=60)


def test_damaged_study_files_are_read_or_refused(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)

    def use(content: bytes) -> None:
        path.write_bytes(content)
        read_study(path)

    try_all("study.toml", damaged_bytes(path.read_bytes(), 193, seed=15), use, refused=60)


def test_damaged_manifests_of_studies_are_taken_up_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, out = folder_with_study(tmp_path), tmp_path / "out"

    def stopped(*_: Any, **__: Any) -> None:
        raise StudyError("As far as this test goes.")

    idiograph.study(file, out)
    # The manifest is read and checked before anything is scored.
    monkeypatch.setattr("idiograph.studies.study._scored", stopped)
    path = out / "manifest.json"
    whole = path.read_bytes()

    def use(content: bytes) -> None:
        path.write_bytes(content)
        idiograph.study(file, out)

    value = json.loads(whole)
    n_values = sum(1 for _ in damaged_json(value))
    files = chained(damaged_bytes(whole, 30, seed=16), thinned(damaged_json(value), max(1, n_values // 100)))
    try_all("study manifest", files, use, refused=50)


def test_damaged_trials_are_read_or_refused(tmp_path: Path) -> None:
    path = trials_file(tmp_path, evidence="sentences")
    whole = path.read_bytes()

    def use(content: bytes) -> None:
        path.write_bytes(content)
        trials = read_trials(path)
        trials.rows()
        assert len(trials.scored) == len(trials)
        list(trials.groups())

    try_all("trials", damaged_bytes(whole, 273, seed=17), use, refused=100)
    table = read_trials_of(whole, path)
    for name in table.column_names:
        for wrong in (pa.array([None] * len(table)), pa.array(["a"] * len(table)), pa.array([[1]] * len(table))):
            if wrong.type == table.schema.field(name).type:
                continue
            pq.write_table(table.set_column(table.column_names.index(name), name, wrong), path)
            with pytest.raises(StudyError, match=f"{path.name} is not a file of trials: {name} is"):
                read_trials(path)


def read_trials_of(content: bytes, path: Path) -> Any:
    path.write_bytes(content)
    return read_trials(path).table


BOMBS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "rows": (
        lambda path: _million_rows(path),
        "from pathlib import Path; from idiograph.studies.trial_table import read_trials as f; f(Path(sys.argv[1]))",
        "says that it has 60,000,000 rows",
    ),
    "manifest": (
        lambda path: path.write_bytes(b'{"a":[' + b"{}," * 2_000_000 + b"{}]}"),
        "idiograph.replay(sys.argv[1])",
        "objects",
    ),
    "case file": (
        lambda path: path.write_bytes(b"a = [" + b"[]," * 1_000_000 + b"]"),
        "idiograph.read_case(sys.argv[1])",
        "bytes",
    ),
    "idiolect": (
        lambda path: path.write_bytes(b"K,Q,target,score\n" + b",\n" * 10_000_000),
        "idiograph.read_idiolect(sys.argv[1])",
        "line 2",
    ),
}


def _million_rows(path: Path) -> None:
    n = 60_000_000
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int8)), pa.array(["a"]))
    pq.write_table(pa.table({"study": column}), path, compression="zstd", row_group_size=n)


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_within_a_gigabyte(tmp_path: Path, name: str) -> None:
    write_bomb, call, sentence = BOMBS[name]
    write_bomb(tmp_path / "bomb")
    code = (
        f"import sys, idiograph\ntry:\n    {call}\n"
        f"except idiograph.IdiographError as error:\n    print(str(error)[:500])\n{PRINT_PEAK}"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / "bomb")], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2_000:]
    assert sentence in run.stdout
    assert max(map(int, run.stdout.split()[-2:])) * 1024 < 1_000_000_000


def test_damaged_results_of_idiolect_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "idiolect.csv"

    def use(content: bytes) -> None:
        path.write_bytes(content)
        idiograph.read_idiolect(path)

    whole = b'"","K","Q","target","score"\n"1","ann","q \xc3\xa9",TRUE,1.5\n"2","bob","r",FALSE,-0.25\n'
    try_all("idiolect", damaged_bytes(whole, 93, seed=18), use, refused=30)


def test_damaged_and_forged_indexes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "an.index"
    toy_index(3).save(path)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    length = int.from_bytes(whole[first : first + 8], "little")
    header, arrays = json.loads(whole[first + 8 : first + 8 + length]), whole[first + 8 + length :].lstrip(b"\0")

    def forged(body: bytes) -> bytes:
        return whole[: first - 65] + hashlib.sha256(body).hexdigest().encode() + b"\n" + body

    def with_header(value: bytes) -> bytes:
        start = first + 8 + len(value)
        return forged(len(value).to_bytes(8, "little") + value + bytes(-start % 64) + arrays)

    def use(content: bytes) -> None:
        path.write_bytes(content)
        opened = Index.open(path)
        idiograph.score(q=opened.take([0, 1]), k=opened.take([2, 3]), reference=opened.take([4, 5, 6]), repetitions=2)

    with_header(json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode())
    small = header | {"types": header["types"][:1], "text_ids": header["text_ids"][:1]}
    files = chained(
        damaged_bytes(whole, 20, seed=19),
        ((f"forged, {what}", forged(body)) for what, body in damaged_bytes(whole[first:], 150, seed=20)),
        ((f"header, {what}", with_header(value)) for what, value in thinned(damaged_json(header | small), 5)),
    )
    try_all("index", files, use, refused=200)


def test_damaged_material_is_opened_or_refused(tmp_path: Path) -> None:
    texts = corpus(3)
    save_material(Material.of(Index(texts), texts), tmp_path)
    path = tmp_path / "material.json"
    whole = path.read_bytes()

    def use(content: bytes) -> None:
        path.write_bytes(content)
        open_material(tmp_path)

    n_values = sum(1 for _ in damaged_json(json.loads(whole)))
    files = chained(
        damaged_bytes(whole, 60, seed=21), thinned(damaged_json(json.loads(whole)), max(1, n_values // 130))
    )
    try_all("material", files, use, refused=60)


def load_own(folder: Path, entry: str) -> object:
    return load_read(folder, entry, {"mine.py": (folder / "mine.py").read_bytes()})


def test_damaged_methods_of_ones_own_are_run_or_refused(tmp_path: Path) -> None:
    def use(content: bytes) -> None:
        (tmp_path / "mine.py").write_bytes(content)
        load_own(tmp_path, "mine.py:damped")

    whole = b'"""Half of it."""\n\n\ndef damped(trial):\n    return trial.lambda_g / 2\n'
    try_all("own method", damaged_bytes(whole, 33, seed=22), use, refused=30)
    (tmp_path / "sibling.py").write_text("raise AssertionError('code that the study does not name was run')")
    for program in (
        "import sibling",
        "import sys; sys.exit(3)",
        "raise KeyError",
        "import nowhere_to_be_found",
        "1/0",
        "damped = 3",
    ):
        (tmp_path / "mine.py").write_text(program)
        with pytest.raises(StudyError, match=r"mine.py (could not be run|has no function damped)"):
            load_own(tmp_path, "mine.py:damped")
