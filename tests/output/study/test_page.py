"""The page, the tables and the command line of a study: what the reader sees, and that nothing is left unsaid."""

import csv
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from generated import corpus, write_jsonl
from idiograph.output.study_page import design_in_words
from idiograph.studies.settings import read_study
from made_matrix import matrix_study

FILE = """
schema = 1
name = "toy & friends"
runs = 2
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
paper = "Enron"
[[conditions]]
drawing = "random"
q_tokens = [40, 80]
k_tokens = [60, 120]
[[conditions]]
drawing = "random"
lengths = [[9000, 9000]]
[lambdag]
repetitions = 5
[methods]
use = ["square_root", "hapax", "sentence", "logistic", "logistic_glm"]
own = ["mine.py:tenth"]
resamples = 20
compared_units = true
"""


def command(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "idiograph", "study", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, "subprocess.CompletedProcess[str]"]:
    folder = tmp_path_factory.mktemp("page")
    write_jsonl(folder / "toy.jsonl", corpus())
    (folder / "study.toml").write_text(FILE, encoding="utf-8")
    (folder / "mine.py").write_text("def tenth(trial):\n    return trial.lambda_g / 10\n", encoding="utf-8")
    return folder, command("study.toml", "--out", "results", "--workers", "2", folder=folder)


class Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "results/tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_study_ends_with_tables_figures_a_page_and_what_was_refused(done) -> None:  # type: ignore[no-untyped-def]
    folder, process = done
    assert process.returncode == 1, process.stderr  # finished with a refusal
    assert "refused: toy has too few authors for random_q9000_k9000" in process.stderr
    assert "| toy | random_q40_k60 | 2 |" in process.stdout
    assert "study|name:toy & friends|" in process.stdout
    results = folder / "results"
    names = {path.name for path in results.iterdir()}
    pages = {"figures", "idiolect.csv", "index.html", "page.json", "tables"}
    assert names == pages | {"manifest.json", "study.toml", "trials.parquet"}
    assert (results / "study.toml").read_text(encoding="utf-8") == FILE
    tables = ["baseline_split", "decisions", "fits", "left_out", "paper", "performance", "performance_further"]
    tables += ["table2", "table3", "units"]
    assert {path.name for path in (results / "tables").iterdir()} == {
        f"{name}.{ending}" for name in tables for ending in ("csv", "md", "tex")
    } | {"cllr.csv", "metrics.csv"}
    figures = {path.stem for path in (results / "figures").glob("*.svg")}
    assert "violins" in figures
    assert "lengths_toy_random" in figures
    assert {"tippett_toy_random_q40_k60", "pav_toy_random_q40_k60", "ece_toy_random_q80_k120"} <= figures


def test_the_page_says_how_it_was_made_and_shows_every_table(done) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    page = (folder / "results/index.html").read_text(encoding="utf-8")
    seen = Visible()
    seen.feed(page)
    words = " ".join(" ".join(seen.words).split())
    manifest = json.loads((folder / "results/manifest.json").read_text(encoding="utf-8"))
    assert manifest["signature"] in words
    assert "Authors are split at random: 40% for calibration" in words
    assert "the other case authors, known texts only, never a text of the two writers at hand" in words
    assert "it is not an interval for other authors" in words
    assert "tenth" in words
    assert "toy & friends" in words
    assert "<script" not in page
    assert not re.search(r'(src|href)="https?:', page)


def test_tables_hold_what_the_trials_say(done) -> None:  # type: ignore[no-untyped-def]
    import pyarrow.parquet as pq

    folder, _ = done
    trials = pq.read_table(folder / "results/trials.parquet").to_pydict()
    chosen = [
        (same, np.float64(llr))
        for half, condition, run, same, llr in zip(
            trials["half"], trials["condition"], trials["run"], trials["same_author"], trials["llr_hapax"], strict=True
        )
        if half == "case" and condition == "random_q40_k60" and run == 1
    ]
    same = np.array([llr for kind, llr in chosen if kind])
    different = np.array([llr for kind, llr in chosen if not kind])
    by_hand = (np.mean(np.log2(1 + np.exp(-same))) + np.mean(np.log2(1 + np.exp(different)))) / 2
    (found,) = [
        float(row["cllr"])
        for row in rows(folder, "cllr")
        if (row["condition"], row["run"], row["method"]) == ("random_q40_k60", "1", "hapax")
    ]
    assert found == pytest.approx(by_hand)
    means = {
        method: np.mean(
            [
                float(row["cllr"])
                for row in rows(folder, "cllr")
                if row["method"] == method and row["condition"] == "random_q40_k60"
            ]
        )
        for method in ("hapax", "square_root")
    }
    (paper,) = [
        row for row in rows(folder, "paper") if row["method"] == "Hapax" and row["condition"] == "random_q40_k60"
    ]
    assert float(paper["distance"]) == pytest.approx(means["hapax"] - 0.479)
    (unit,) = [
        row for row in rows(folder, "units") if row["method"] == "Hapax" and row["condition"] == "random_q40_k60"
    ]
    assert float(unit["bits"]) == pytest.approx(means["hapax"])
    assert float(unit["nats"]) != pytest.approx(means["hapax"])
    split = rows(folder, "baseline_split")
    assert sum(int(row["conditions"]) for row in split if row["method"] == "Hapax") == 4
    (wins,) = [row for row in rows(folder, "table2") if (row["method"], row["against"]) == ("Hapax", "Square Root")]
    assert float(wins["paper: wins %"]) == 78.2
    assert {row["metric"] for row in rows(folder, "metrics")} >= {"cllr", "cllr_min", "cllr_cal", "eer", "shift"}
    assert {row["why"][:8] for row in rows(folder, "left_out")} == {"refused:"}


def test_machines_get_json_and_a_dry_run_writes_nothing(done) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    small = FILE[: FILE.index("[[conditions]]")] + '[[conditions]]\ndrawing = "whole"\n[lambdag]\nrepetitions = 5\n'
    (folder / "small.toml").write_text(small + "[methods]\nresamples = 0\n", encoding="utf-8")
    said = json.loads(command("small.toml", "--out", "small", "--json", folder=folder).stdout)
    assert said["signature"].startswith("study|")
    assert [(row["method"], len(row["cllr"])) for row in said["cllr"]] == [
        ("square_root", 2), ("hapax", 2), ("sentence", 2), ("logistic", 2),
    ]  # fmt: skip
    before = sorted(folder.iterdir())
    dry = command("study.toml", "--dry-run", folder=folder)
    assert dry.returncode == 1, dry.stderr  # as that of the run, in which a condition is refused
    assert "toy: 192 problems" in dry.stdout
    assert re.search(r"It takes about [\d.]+ (second|minute)", dry.stdout)
    assert "Refused: toy has too few authors" in dry.stdout
    told = json.loads(command("study.toml", "--dry-run", "--json", folder=folder).stdout)
    assert (told["problems"], len(told["refused"])) == (192, 1)
    assert sorted(folder.iterdir()) == before


def test_a_dry_run_tells_how_much_must_be_masked_first(tmp_path: Path) -> None:
    rng = np.random.default_rng()  # texts that no cache has seen
    for author in "ab":
        for number in range(2):
            path = tmp_path / "letters" / author / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{rng.integers(1e9):010} is the number. " * 1000, encoding="utf-8")
    settings = 'schema = 1\n[[corpora]]\nname = "letters"\npath = "letters"\n{}\n[[conditions]]\ndrawing = "whole"\n'
    (tmp_path / "study.toml").write_text(settings.format(""), encoding="utf-8")
    dry = command("study.toml", "--dry-run", folder=tmp_path)
    assert dry.returncode == 2, dry.stderr  # as that of the run, which cannot begin
    assert re.search(r"letters: about 0 problems; 1\d\d,\d\d\d characters are to be masked", dry.stdout)
    assert "Refused: letters has too few authors for whole" in dry.stdout
    (tmp_path / "study.toml").write_text(settings.format("tokens_per_author = 100"), encoding="utf-8")
    fewer = command("study.toml", "--dry-run", folder=tmp_path)
    assert re.search(r"5\d,\d\d\d characters are to be masked", fewer.stdout)


def test_a_bundle_is_written_and_checked(done, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    said = command("study.toml", "--out", "out", "--bundle", str(tmp_path / "b.zip"), folder=folder)
    assert "b.zip holds the study (digest " in said.stderr
    good = command("--check", str(tmp_path / "b.zip"), folder=folder)
    assert good.returncode == 0, good.stderr
    assert "every file is as its digest says" in good.stdout
    (tmp_path / "b.zip").write_bytes((tmp_path / "b.zip").read_bytes().replace(b"Cllr of", b"Cllr 0f"))
    bad = command("--check", str(tmp_path / "b.zip"), "--json", folder=folder)
    assert bad.returncode in (1, 2)  # a changed byte is found by the archive's own sum, too


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("study.toml",), "a results folder is needed"),
        (("study.toml", "--out", "x", "--cluster", "tcp://a:1", "--workers", "2"), "the cluster has its own workers"),
        (("absent.toml", "--out", "x"), "absent.toml could not be read"),
        ((), "a study file is needed"),
        (("study.toml", "--out", "x", "--names"), "it belongs to --bundle"),
        (("study.toml", "--check", "x.zip"), "it stands alone"),
    ],
)
def test_a_users_mistake_is_one_message_and_exit_code_2(done, arguments: tuple[str, ...], words: str) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    process = command(*arguments, folder=folder)
    assert process.returncode == 2
    assert words in process.stderr
    assert "Traceback" not in process.stderr


def test_every_choice_of_the_design_is_said(done, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    base = '[[corpora]]\nname = "a"\npath = "a"\n[[conditions]]\ndrawing = "whole"\n'
    said = []
    for design in (
        "", "leave_authors_out = true", 'pairs = "source"', 'pairs = "outside"', 'reference = "all"',
        'reference = "pool"', 'reference_texts = "all"', "n_pairs = 3", "calibration = 0.5",
    ):  # fmt: skip
        (tmp_path / "s.toml").write_text(f"schema = 1\n{base}[design]\n{design}\n", encoding="utf-8")
        said.append(" ".join(design_in_words(read_study(tmp_path / "s.toml"))))
    assert len(set(said)) == len(said)


def test_a_study_without_constants_says_so(tmp_path: Path) -> None:
    plain, without = (
        read_study(matrix_study(tmp_path / name, extra=extra))
        for name, extra in (("plain", ""), ("without", 'constants = "none"'))
    )
    said = "The reference-normalised LR goes without constants learnt on other corpora."
    assert said in design_in_words(without)
    assert said not in design_in_words(plain)
