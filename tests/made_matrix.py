"""A small study in which every Q meets every K, run once."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

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


@cache
def matrix_result() -> StudyResult:
    """The study with its usual methods."""
    with TemporaryDirectory() as folder:
        return run_study(matrix_study(Path(folder)), workers=1)
