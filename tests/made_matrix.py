"""A small study in which every Q meets every K, run once."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from generated import corpus, write_jsonl
from idiograph.studies.study import StudyResult, run_study

FILE = """
schema = 1
name = "toy"
[design]
pairs = "all"
reference = "all"
reference_texts = "all"
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
lengths = [[60, 120]]
[lambdag]
repetitions = 4
[methods]
use = {use}
resamples = 5
{extra}
"""
METHODS = ("normalised", "hapax", "logistic")


def matrix_study(
    folder: Path, *, use: tuple[str, ...] = METHODS, extra: str = "", authors: int = 13, habit: float = 0.35
) -> Path:
    """A study file and its corpus in a folder."""
    folder.mkdir(exist_ok=True, parents=True)
    write_jsonl(folder / "toy.jsonl", corpus(authors=authors, habit=habit))
    path = folder / "study.toml"
    path.write_text(FILE.format(use=list(use), extra=extra).replace("'", '"'), encoding="utf-8")
    return path


def write_typed_texts(path: Path, *, words: int = 120) -> None:
    """Four texts each of nine authors who type differently, as written."""
    rng = np.random.default_rng(4)
    rows = []
    for author in range(9):
        mark = " ,;:!?-()"[author]
        for number in range(4):
            drawn = [str(rng.choice(["the", "cat", "Sat", "on", "MATS", "12"])) for _ in range(words)]
            sentences = [f" {mark}".join(drawn[start : start + 8]).capitalize() + "." for start in range(0, words, 8)]
            rows.append({"id": f"a{author}-{number}", "author": f"a{author}", "text": "\n".join(sentences)})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@cache
def matrix_result() -> StudyResult:
    """The study with its usual methods."""
    with TemporaryDirectory() as folder:
        return run_study(matrix_study(Path(folder)), workers=1)
