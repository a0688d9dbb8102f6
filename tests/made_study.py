"""Small studies of made-up writers, scored in a moment."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import normalised_oracle as oracle
from generated import corpus, write_jsonl
from idiograph import Condition, Corpus, CorpusSettings, Index, MaskedText, Study
from idiograph.evidence.constants import constants_for
from idiograph.studies.chunks import Chunk, make_plan, score_chunk
from idiograph.studies.material import Material
from idiograph.studies.problems import Plan
from idiograph.studies.trial_table import TrialTable, read_trials

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


def plan_of(study: Study, texts: Corpus[MaskedText], run: int = 0) -> Plan:
    """The plan of a study's first condition on these texts, its corpus toy."""
    return make_plan(study, "toy", material_of(texts), 0, run)


def material_of(texts: Corpus[MaskedText], **options: bool) -> Material:
    """The texts, indexed."""
    return Material.of(Index(texts), texts, **options)


def trials_file(folder: Path, *, evidence: str = "none") -> Path:
    """The trials of 12 authors, their whole texts as Q and K, in a Parquet file."""
    study = Study(
        name="toy",
        corpora=(CorpusSettings(name="toy", path="x"),),
        conditions=((Condition(drawing="whole"), ("toy",)),),
        repetitions=3,
        evidence=evidence,
    )
    path = folder / f"{evidence}.parquet"
    path.write_bytes(score_chunk(study, plan_of(study, corpus(sentences=6)), Chunk("toy", 0, 0, 0, 1)))
    return path


@cache
def whole_trials(evidence: str = "none") -> TrialTable:
    """Those trials, read once."""
    with TemporaryDirectory() as folder:
        return read_trials(trials_file(Path(folder), evidence=evidence))


def expected_nats(
    among: TrialTable,
    trials: TrialTable,
    trial: int,
    *,
    own_half: str,
    scores: tuple[str, ...] = ("distinct", "cosine"),
    controlled: bool = False,
    without: tuple[str, ...] = (),
) -> tuple[float, list[str]]:
    """ln LR of a trial by the oracle, and the names of its reference authors in the order of λG of their own problems.

    `among` has every Q with every K, those problems in the half `own_half`; `controlled` frees the LR from topic.
    """
    q, k = among.column("q_author"), among.column("k_author")
    of_reference = among.same & (among.column("half") == own_half) & ~np.isin(q.astype(str), without)
    names = [name for _, name in sorted(zip(among.column("lambda_g")[of_reference], q[of_reference], strict=True))]
    rows, columns = [*names, trials.column("q_author")[trial]], [*names, trials.column("k_author")[trial]]
    matrices = {}
    for score in (*scores, *(("closeness",) if controlled else ())):
        values = dict(zip(zip(q, k, strict=True), among.score(score), strict=True))
        matrices[score] = [[values[b, a] for a in columns] for b in rows]
    return nats_of_last(matrices, float(np.quantile(among.column("k_tokens"), 0.5))), names


def nats_of_last(matrices: dict[str, list[list[float]]], k_tokens: float) -> float:
    """ln LR of the last Q with the last K by the oracle, all others being the reference; freed from any closeness."""
    scores = {name: matrix for name, matrix in matrices.items() if name != "closeness"}
    controlled = scores.keys() != matrices.keys()
    n = len(matrices["closeness" if controlled else next(iter(scores))]) - 1
    constants = constants_for(
        n, tuple(name.removeprefix("kept_") for name in scores), k_tokens=k_tokens, controlled=controlled
    )
    start = [constants.weights.alpha, *constants.weights.betas]
    topic = {"closeness": matrices["closeness"], "slopes": constants.slopes} if controlled else {}
    tau = (1.25 if controlled else 0.5) / n
    return float(oracle.normalised(list(scores.values()), range(n), n, n, start, tau, **topic))


@contextmanager
def without_pages() -> Iterator[None]:
    """No page, tables and figures of a study, where nobody reads them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("idiograph.output.study_page.publish", lambda result, out: out / "index.html")
        yield


def linked_problems(*pairs: tuple[str, str]) -> Material:
    """Ready-made problems, each with the writers of its known texts and of its questioned one."""
    texts, ready, writers = [], {}, {}
    for number, (k, q) in enumerate(pairs):
        label = f"p{number:02}"
        other = label if k == q else f"{label} (another)"
        ready[label] = other
        writers |= {label: k, other: q}
        pair = corpus(authors=1, texts=2, seed=number)
        for text, role, author in zip(pair, ("known", "unknown"), (label, other), strict=True):
            texts.append(replace(text, id=f"{label}-{role}", author=author, metadata={"role": role}))
    return replace(material_of(Corpus(tuple(texts))), ready=ready, writers=writers)
