"""A corpus in plain words, of authors with habits and texts on topics; and a study that draws by topic."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from idiograph import read_study
from idiograph.studies.chunks import make_plan
from idiograph.studies.corpora import find_source, open_corpus
from idiograph.studies.problems import Plan
from idiograph.studies.study import StudyResult, run_study

KEPT = ("a", "about", "after", "again", "all", "also", "always", "and", "any", "are", "as", "at", "be", "because",
        "but", "by", "can", "could", "did", "for", "from", "had")  # fmt: skip
AUTHORS, TOPICS = 13, 6

FILE = """
schema = 1
name = "toy"
masking = "list"
[design]
pairs = "all"
reference = "all"
reference_texts = "all"
{design}
[[corpora]]
name = "toy"
path = "toy.jsonl"
[[conditions]]
drawing = "contiguous"
lengths = [[60, 120]]
{condition}
[lambdag]
repetitions = 3
[methods]
use = {use}
resamples = 5
"""
DRAWS = 'cases = ["near", "random", "far"]\nimpostors = 3'
METHODS = ("controlled", "normalised", "hapax", "logistic")


def sentence(author: int, topic: int, rng: np.random.Generator) -> str:
    """Function words in the author's own order, and words of the topic between them."""
    order = np.random.default_rng([3, author]).permutation(len(KEPT))
    words, last = [], int(rng.integers(len(KEPT)))
    for _ in range(int(rng.integers(5, 9))):
        last = int(order[last]) if rng.random() < 0.4 else int(rng.integers(len(KEPT)))
        words += [KEPT[last]]
        if rng.random() < 0.6:
            common = rng.random() < 0.3
            words.append(f"word{rng.integers(20)}" if common else f"topic{topic}word{rng.integers(12)}")
    return " ".join(words).capitalize() + "."


def texts(seed: int = 11, *, sentences: int = 10) -> list[dict[str, str]]:
    """Eight texts of each author, on three topics."""
    rows = []
    for author in range(AUTHORS):
        for number in range(8):
            rng = np.random.default_rng([seed, author, number])
            topic = (author + number % 3) % TOPICS
            content = "\n".join(sentence(author, topic, rng) for _ in range(sentences))
            rows.append({"id": f"a{author:02}-t{number}", "author": f"a{author:02}", "text": content})
    return rows


def topic_study(
    folder: Path,
    *,
    use: tuple[str, ...] = METHODS,
    design: str = DRAWS,
    condition: str = "",
    rows: list[dict[str, str]] | None = None,
) -> Path:
    """A study file and its corpus in a folder."""
    folder.mkdir(exist_ok=True, parents=True)
    lines = [json.dumps(row) for row in (texts() if rows is None else rows)]
    (folder / "toy.jsonl").write_text("\n".join(lines), encoding="utf-8")
    path = folder / "study.toml"
    path.write_text(FILE.format(use=list(use), design=design, condition=condition).replace("'", '"'), encoding="utf-8")
    return path


@cache
def topic_result() -> StudyResult:
    """A study with every draw, run once."""
    with TemporaryDirectory() as folder:
        return run_study(topic_study(Path(folder)), workers=1)


def plan_of(path: Path) -> Plan:
    """The plan of a study's only corpus and condition."""
    study = read_study(path)
    corpus = open_corpus(study, find_source(study, study.corpora[0]))
    return make_plan(study, "toy", corpus.material, 0, 0)
