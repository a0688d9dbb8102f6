"""From problems to trials: in chunks that are scored anywhere in any order, written whole, and never scored twice.

The same chunks on other machines, by dask.distributed: an existing scheduler, workers with Idiograph installed.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.errors import InputError, StudyError
from idiograph.files import cache_folder, whole_folder, write_whole
from idiograph.grammar.lambdag import Score, score
from idiograph.progress import progress
from idiograph.provenance import digest, other_versions, versions
from idiograph.studies.attacks import attacked_trials
from idiograph.studies.corpora import FILES, StudyCorpus, is_saved, open_material
from idiograph.studies.llrs import more_scores
from idiograph.studies.material import Material
from idiograph.studies.problems import Plan, Planned, plan
from idiograph.studies.results import Cell
from idiograph.studies.settings import Study
from idiograph.studies.trial_table import TrialTable, join, read_trials, to_bytes, trials_of
from idiograph.texts.problem import Problem

_CHUNK = 100  # problems, about a second's work
_MOST_PARTS = 8  # of one plan, which each worker of a cluster makes for itself
_CELL = attrgetter("corpus", "condition", "run")  # chunks of one cell have one plan
_PART_NAME = re.compile(r"([0-9a-f]{16}-\d{2})-([0-9a-f]{16})\.parquet")


@dataclass(frozen=True)
class Chunk:
    """Problems of one corpus, condition and run: every `n_parts`-th from `part` on, or those of a group of folds."""

    corpus: str
    condition: int  # its place in the study
    run: int
    part: int
    n_parts: int
    decided: str = "0" * 64  # digest of all that decides its scores

    @property
    def name(self) -> str:
        """What its file is called, before the digest of its content."""
        return f"{self.decided[:16]}-{self.part:02}"


@dataclass(frozen=True)
class Outlook:
    """What a study will come to: its problems in chunks, what it refuses and whom it leaves out, before any scoring."""

    chunks: tuple[Chunk, ...]
    n_problems: int  # to be scored; as many in every run as in the first, which may be off by a few
    n_trials: int  # a problem that several folds share is a trial of each
    refused: Mapping[tuple[str, str], str]  # (corpus, condition) -> why
    plans: tuple[Plan, ...]  # of the first run


def outlook(study: Study, corpora: Mapping[str, StudyCorpus], wanted: Mapping[Cell, str] | None = None) -> Outlook:
    """The chunks of a study, or of its `wanted` cells (each with what decides its scores).

    A condition for which a corpus has too few authors is refused, not the others.
    """
    chunks: list[Chunk] = []
    plans: list[Plan] = []
    refused: dict[tuple[str, str], str] = {}
    n_problems = n_trials = 0
    for name, corpus in corpora.items():
        for place, (condition, meant) in enumerate(study.conditions):
            cells = [Cell(name, condition.name, run) for run in range(study.runs)]
            cells = [cell for cell in cells if wanted is None or cell in wanted]
            if name not in meant or not cells:
                continue
            try:
                first = make_plan(study, name, corpus.material, place, 0)
                _refuse_short_reference(first)
            except StudyError as error:
                refused[name, condition.name] = str(error)
                continue
            plans.append(first)
            n_parts = first.n_groups or min(-(-len(first.problems) // _CHUNK), _MOST_PARTS)
            for cell in cells:
                decided = {} if wanted is None else {"decided": wanted[cell]}
                chunks += [Chunk(name, place, cell.run, part, n_parts, **decided) for part in range(n_parts)]
            n_problems += first.n_scored * len(cells)
            n_trials += len(first.problems) * len(cells)
    return Outlook(tuple(chunks), n_problems, n_trials, refused, tuple(plans))


def make_plan(study: Study, name: str, material: Material, place: int, run: int) -> Plan:
    """The problems of one corpus, condition and run.

    The first run decides whether enough authors remain; another draw that suits one author less stops nothing.
    """
    condition = study.conditions[place][0]
    design = study.design if run == 0 else replace(study.design, fewest_authors=2)
    return plan(material, corpus=name, condition=condition, design=design, seeds=study.run_seeds(run))


def _refuse_short_reference(first: Plan) -> None:
    for one in first.problems:
        n_k, n_reference = len(first.sides[one.k].k), first.n_reference(*first.not_in_reference(one))
        if n_reference < n_k:
            raise StudyError(
                f"{first.corpus}, {first.condition.name}: the reference of {one.id} has only {n_reference:,} sentences "
                f"and its K has {n_k:,}. Each reference model is as long as K, so take all others as reference, add "
                "authors or shorten K."
            )


def score_planned(study: Study, plan: Plan, one: Planned) -> tuple[Problem, Score]:
    """A problem of a plan, and its score by λG."""
    problem = plan.problem(one)
    sides: dict[str, Any] = {"q": problem.q, "k": problem.k, "reference": problem.reference}
    return problem, score(**sides, seed=plan.seed(one), **study.lambdag)


def score_chunk(study: Study, made: Plan, chunk: Chunk) -> bytes:
    """The trials of a chunk as a Parquet file: the one function that every worker, here or elsewhere, runs."""
    planned = made.part(chunk.part, chunk.n_parts)
    scored: dict[str, tuple[Problem, Score]] = {}  # a problem may be in several folds of a group
    for one in planned:
        if one.id not in scored:
            scored[one.id] = score_planned(study, made, one)
    problems, scores = zip(*(scored[one.id] for one in planned), strict=True)
    more = more_scores(study, made, planned, scores)
    parts = [trials_of(study.name, chunk.run, made, planned, problems, scores, evidence=study.evidence, more=more)]
    if study.attack.on:
        folds = sorted({one.fold for one in planned})
        parts += [attacked_trials(study, chunk.run, made, number) for number in folds]
    return to_bytes(join(parts))


Mapped = Callable[[Sequence[Chunk]], Iterator[tuple[Chunk, bytes]]]  # chunks as they are done, in any order


def map_here(
    study: Study, corpora: Mapping[str, StudyCorpus], plans: Sequence[Plan] = (), *, workers: int | None = None
) -> Mapped:
    """Scores chunks on this machine's cores; the engine lets threads run side by side.

    `plans` are those of the first run, as far as they are made already; others are made when their first chunk comes.
    """
    first = {(plan.corpus, plan.condition): plan for plan in plans}
    n_workers = workers or os.cpu_count() or 1

    def with_plans(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Plan]]:
        for (name, place, run), chunks_of_cell in groupby(chunks, key=_CELL):
            made = first.get((name, study.conditions[place][0])) if run == 0 else None
            made = made or make_plan(study, name, corpora[name].material, place, run)
            yield from ((chunk, made) for chunk in chunks_of_cell)

    def mapped(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, bytes]]:
        waiting = with_plans(chunks)
        with ThreadPoolExecutor(n_workers) as pool:
            running: dict[Future[bytes], Chunk] = {}
            try:
                while True:
                    while len(running) < 2 * n_workers and (upcoming := next(waiting, None)) is not None:
                        chunk, made = upcoming
                        running[pool.submit(score_chunk, study, made, chunk)] = chunk
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(future), future.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    return mapped


def run_chunks(chunks: Sequence[Chunk], mapped: Mapped, folder: Path, n_problems: int) -> list[TrialTable]:
    """The trials of each chunk in their order; those whose file is in `folder` are read, the others scored."""
    done = finished(folder, chunks)
    missing = [chunk for chunk in chunks if chunk.name not in done]
    # Cells in random order, so that the time left is honest though conditions differ in length.
    cells = [list(chunks_of_cell) for _, chunks_of_cell in groupby(missing, key=_CELL)]
    order = np.random.default_rng(len(chunks)).permutation(len(cells))
    each = n_problems / max(len(chunks), 1)
    with progress("Scoring", total=round(each * len(missing)), unit="problems") as advance:
        for chunk, content in mapped([chunk for place in order for chunk in cells[place]]):
            path = folder / f"{chunk.name}-{digest(content)[:16]}.parquet"
            write_whole(path, content)
            done[chunk.name] = path
            advance(round(each))
    return [read_trials(done[chunk.name]) for chunk in chunks]


def finished(folder: Path, chunks: Sequence[Chunk]) -> dict[str, Path]:
    """The files of finished chunks by name, each checked against the digest in its name."""
    names = {chunk.name for chunk in chunks}
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = _PART_NAME.fullmatch(path.name)
        if match is None or match[1] not in names:
            if path.name.startswith(".") and path.name.endswith(".part"):
                path.unlink(missing_ok=True)  # what a killed process was writing
                continue
            raise StudyError(f"{path} is not a part of this study. Remove it, or name another results folder.")
        if digest(path.read_bytes())[:16] != match[2] or match[1] in found:
            raise StudyError(
                f"{path} is damaged: its content is not what its name says. Delete this file and run the study again; "
                "its problems are then scored anew."
            )
        found[match[1]] = path
    return found


_PATIENCE = 30  # seconds to wait for the scheduler and a first worker
Shipped = Mapping[str, bytes]


@contextmanager
def map_on(address: str, study: Study, corpora: Mapping[str, StudyCorpus], *, n_workers: int = 1) -> Iterator[Mapped]:
    """Scores chunks on the workers of the scheduler at `address`; a lost worker's chunks go to the others.

    Work begins when `n_workers` are there.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise StudyError(
            'A cluster needs dask.distributed, which is not installed. Run: pip install "idiograph[cluster]"'
        ) from error
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        raise StudyError(
            f"There is no scheduler at {address} ({error}). Start one with `dask scheduler` and give its address."
        ) from error
    with client:
        try:
            client.wait_for_workers(n_workers, timeout=_PATIENCE)
        except TimeoutError as error:
            raise StudyError(
                f"The scheduler at {address} has no worker. Start some with `dask worker {address}`."
            ) from error

        def mapped(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, bytes]]:
            shipped = {}
            for name in dict.fromkeys(chunk.corpus for chunk in chunks):
                content = {file: (corpora[name].folder / file).read_bytes() for file in FILES}
                # On every worker, so that the loss of one loses no corpus.
                shipped[name] = client.scatter(content, broadcast=True, direct=False)  # type: ignore[no-untyped-call]
            running = {}
            for chunk in chunks:
                key = corpora[chunk.corpus].folder.name
                future = client.submit(
                    score_there, study, key, shipped[chunk.corpus], chunk, versions(), pure=False, retries=3
                )
                running[future] = chunk
            for future in as_completed(list(running), loop=client.loop):  # type: ignore[no-untyped-call]
                yield running.pop(future), future.result()
                future.release()

        yield mapped


def score_there(study: Study, key: str, shipped: Shipped, chunk: Chunk, expected: Mapping[str, str]) -> bytes:
    """What a worker runs: `score_chunk` on the corpus that was shipped, if its versions give the same digits."""
    if other := other_versions(expected):
        raise StudyError(
            "A worker has other versions than the machine that runs the study, which may give other digits: "
            + ", ".join(f"{name} {own} instead of {wanted}" for name, (wanted, own) in sorted(other.items()))
            + ". Install the same on all."
        )
    folder = cache_folder() / "studies" / key
    if not is_saved(folder):
        try:
            with whole_folder(folder, wait=True) as part:
                for file in FILES:
                    write_whole(part / file, shipped[file])
        except InputError:
            if not is_saved(folder):  # else another process was faster
                raise
    return score_chunk(study, _plan_there(study, folder, *_CELL(chunk)), chunk)


@lru_cache(maxsize=4)
def _plan_there(study: Study, folder: Path, corpus: str, condition: int, run: int) -> Plan:
    """A plan of which a worker may score several chunks."""
    return make_plan(study, corpus, _opened(folder), condition, run)


_opened = lru_cache(maxsize=4)(open_material)
