"""Small studies of made-up writers, scored in a moment."""

from dataclasses import replace
from pathlib import Path

from generated import corpus, write_jsonl
from idiograph.grammar.index import Index
from idiograph.studies.chunks import Chunk, make_plan, score_chunk
from idiograph.studies.drawing import Condition
from idiograph.studies.material import Material
from idiograph.studies.settings import CorpusSettings, Study
from idiograph.texts.text import Corpus

FILE = """
schema = 1
name = "toy"
runs = 2
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "random"
q_tokens = [40, 80]
k_tokens = [60, 120]
[[conditions]]
drawing = "contiguous"
lengths = [[40, 80]]
[lambdag]
repetitions = {repetitions}
[methods]
resamples = 20
"""


def folder_with_study(folder: Path, *, repetitions: int = 10, extra: str = "") -> Path:
    """A folder with a study file and its corpus: two runs of five conditions."""
    folder.mkdir(exist_ok=True)
    write_jsonl(folder / "toy.jsonl", corpus(works=2))
    path = folder / "study.toml"
    path.write_text(FILE.format(repetitions=repetitions) + extra, encoding="utf-8")
    return path


def trials_file(folder: Path, *, evidence: str = "none") -> Path:
    """The trials of 12 authors, their whole texts as Q and K, in a Parquet file."""
    study = Study(
        name="toy",
        corpora=(CorpusSettings(name="toy", path="x"),),
        conditions=((Condition(drawing="whole"), ("toy",)),),
        repetitions=3,
        evidence=evidence,
    )
    made = corpus(sentences=6)
    path = folder / f"{evidence}.parquet"
    plan = make_plan(study, "toy", Material.of(Index(made), made), 0, 0)
    path.write_bytes(score_chunk(study, plan, Chunk("toy", 0, 0, 0, 1)))
    return path


def linked_problems(*pairs: tuple[str, str]) -> Material:
    """Ready-made problems, each with the writers of its known texts and of its questioned one."""
    texts, ready, writers = [], {}, {}
    for number, (k, q) in enumerate(pairs):
        label = f"p{number:02}"
        other = label if k == q else f"{label} (another)"
        ready[label] = other
        writers |= {label: k, other: q}
        made = corpus(authors=1, texts=2, seed=number)
        for text, role, author in zip(made, ("known", "unknown"), (label, other), strict=True):
            texts.append(replace(text, id=f"{label}-{role}", author=author, metadata={"role": role}))
    whole = Corpus(tuple(texts))
    return replace(Material.of(Index(whole), whole), ready=ready, writers=writers)
