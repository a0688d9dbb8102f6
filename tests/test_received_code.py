"""No code of a folder that somebody else made runs unasked: modules that lie in it, compiled files, own methods."""

import hashlib
import os
import py_compile
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from made_study import folder_with_study
from made_texts import case_options, command, write_case, write_text
from served import Client, served

PLANTED = "from pathlib import Path\nPath(__file__).with_name('ran').write_text('x')\nraise ImportError('planted')\n"
NAMES = ("pickle", "platformdirs", "numpy", "struct", "signal", "spacy", "multiprocessing", "json", "socket")


def plant(folder: Path) -> None:
    for name in NAMES:
        (folder / f"{name}.py").write_text(PLANTED, encoding="utf-8")


def test_planted_modules_would_run_where_nothing_keeps_them_from_it(tmp_path: Path) -> None:
    plant(tmp_path)
    subprocess.run([sys.executable, "-c", "import platformdirs"], cwd=tmp_path, capture_output=True, check=False)
    assert (tmp_path / "ran").exists()


def test_masking_by_several_processes_imports_nothing_from_the_current_folder(tmp_path: Path) -> None:
    """In a received folder, with the command as it is installed, texts that no cache knows and real workers."""
    received = tmp_path / "received"
    write_case(received, n_authors=5)
    for number in range(3):  # more than one portion
        write_text(received / "reference" / f"more{number}" / "1.txt", (("the", "man", "saw", "it", "."),) * 2500)
    plant(received)
    options = case_options(Path(), masking="posnoise", workers=2, repetitions=1, out="case")
    environment = {**os.environ, "IDIOGRAPH_CACHE": str(tmp_path / "cache")}
    environment.pop("PYTHONSAFEPATH", None)
    installed = Path(sys.executable).with_name("idiograph")
    done = subprocess.run(
        [installed, "verify", *options, "--quick"], cwd=received, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not (received / "ran").exists()


@pytest.fixture(scope="module")
def in_a_received_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Client]]:
    """The pages of a folder that holds modules, started inside it."""
    folder, before = tmp_path_factory.mktemp("received"), Path.cwd()
    plant(folder)
    os.chdir(folder)
    try:
        with served(folder) as server:
            yield server.folder, server.browser()
    finally:
        os.chdir(before)


def waited(client: Client, address: str, *words: str) -> str:
    """A page, once it says one of these."""
    for _ in range(600):
        text = client.get(address).text
        if any(word in text for word in words):
            return text
        time.sleep(0.1)
    raise AssertionError(f"{address} never said {words}: {text}")


def test_a_piece_of_work_of_the_pages_imports_nothing_from_the_current_folder(
    in_a_received_folder: tuple[Path, Client],
) -> None:
    folder, client = in_a_received_folder
    study = folder_with_study(folder / "toy", repetitions=2)
    assert client.post(f"/study/{study.parent.name}/start", {"what": "forecast"}).status == 303
    waited(client, "/study/toy/run", "trials", "problems")
    assert not (folder / "ran").exists()


def own_study(folder: Path, program: str) -> Path:
    study = folder_with_study(folder, repetitions=2)
    (folder / "mine.py").write_text(program, encoding="utf-8")
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("[methods]", '[methods]\nown = ["mine.py:damped"]', 1), encoding="utf-8")
    assert "own =" in study.read_text(encoding="utf-8")
    return study


HARMLESS = "def damped(trial):\n    return trial.lambda_g / 2\n"
TRACE = "from pathlib import Path\nPath(__file__).with_name('ran').write_text('x')\n"


@pytest.mark.usefixtures("unread_reports")
def test_compiled_code_beside_a_program_does_not_run_in_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = own_study(tmp_path / "study", HARMLESS)
    mine = tmp_path / "study" / "mine.py"
    (tmp_path / "other.py").write_text(TRACE + HARMLESS, encoding="utf-8")
    compiled = mine.parent / "__pycache__" / f"mine.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(
        str(tmp_path / "other.py"), str(compiled), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert command("study", study, "--out", tmp_path / "results", "--workers", 1) == 0
    assert not list(tmp_path.rglob("ran"))
    message = capsys.readouterr().err
    digest = hashlib.sha256(mine.read_bytes()).hexdigest()
    assert f"{mine}, a program that comes with the study, is run (SHA-256 {digest})." in message


def test_a_forecast_runs_no_program(tmp_path: Path) -> None:
    study = own_study(tmp_path / "study", TRACE + HARMLESS)
    assert command("study", study, "--dry-run", "--workers", 1) == 0
    assert not (tmp_path / "study" / "ran").exists()


def test_the_pages_show_a_program_and_ask_before_it_runs(in_a_received_folder: tuple[Path, Client]) -> None:
    folder, client = in_a_received_folder
    mine = own_study(folder / "own", TRACE + HARMLESS + "# \u202e hidden\n").with_name("mine.py")
    page = client.get("/study/own/run").text
    assert "This study brings a program of its own" in page
    assert "return trial.lambda_g / 2" in page
    assert "# \\u202e hidden" in page
    agreed = page.split('name="agreed" value="')[1].split('"')[0]
    for given in ({}, {"agreed": "0" * 64}):
        answer = client.post("/study/own/start", {"what": "study", **given})
        assert answer.status == 400
        assert "they run only after you have read them" in answer.text
    # Another program than the one that was read.
    before = mine.read_bytes()
    mine.write_bytes(before + b"# more")
    assert client.post("/study/own/start", {"what": "study", "agreed": agreed}).status == 400
    assert not mine.with_name("ran").exists()
    mine.write_bytes(before)
    assert client.post("/study/own/start", {"what": "study", "agreed": agreed}).status == 303
    assert "Done: " in waited(client, "/study/own/run", "Done: ", "not yours", "warning")
    assert mine.with_name("ran").exists()


@pytest.mark.parametrize("entry", ["../study/mine.py:damped", "sub/../mine.py:damped", "{folder}/mine.py:damped"])
def test_a_program_is_named_from_inside_the_study(
    tmp_path: Path, entry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    study = own_study(tmp_path / "study", HARMLESS)
    (tmp_path / "study" / "sub").mkdir()
    text = study.read_text(encoding="utf-8")
    entry = entry.format(folder=tmp_path / "study")
    study.write_text(text.replace("mine.py:damped", entry), encoding="utf-8")
    assert command("study", study, "--dry-run", "--workers", 1) == 2
    assert "lies outside the study's folder" in capsys.readouterr().err


def test_a_program_without_end_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = own_study(tmp_path / "study", HARMLESS)
    os.truncate(tmp_path / "study" / "mine.py", 4_000_000_000)
    assert command("study", study, "--out", tmp_path / "results", "--workers", 1) == 2
    assert "it has more than 10,000,000 bytes" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_names_do_not_stand_in_the_command_line_of_a_piece_of_work(
    in_a_received_folder: tuple[Path, Client],
) -> None:
    folder, client = in_a_received_folder
    folder_with_study(folder / "secretname", repetitions=2)
    assert client.post("/study/secretname/start", {"what": "forecast"}).status == 303
    seen = set()
    for _ in range(50):
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = process.read_bytes()
            except OSError:
                continue
            if b"idiograph.pages.worker" in words:
                seen.add(words)
        if seen:
            break
        time.sleep(0.05)
    assert seen
    assert not any(b"secretname" in words for words in seen)
    waited(client, "/study/secretname/run", "trials", "problems")
