"""From problems to trials: in chunks that are scored anywhere in any order, written whole, and never scored twice.

The same chunks on other machines, by dask.distributed: an existing scheduler, workers with Idiograph installed. There
a chunk may be cut into pieces, so that many machines share one condition; put together they are the chunk, row by row.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import Path
from platform import node
from typing import TYPE_CHECKING, Any

import numpy as np

from idiograph.errors import StudyError, counted, some
from idiograph.files import cache_folder, write_whole
from idiograph.grammar.lambdag import Score, score_sides
from idiograph.grammar.settings import LambdaGSettings
from idiograph.progress import progress
from idiograph.provenance import VERSION, digest, other_versions, versions
from idiograph.studies.attacks import attacked_trials
from idiograph.studies.case_draws import drawn_trials, n_drawn
from idiograph.studies.corpora import StudyCorpus, open_material, receive, to_ship
from idiograph.studies.llrs import more_scores
from idiograph.studies.material import Material
from idiograph.studies.problems import Plan, Planned, plan
from idiograph.studies.results import Cell
from idiograph.studies.settings import Study
from idiograph.studies.trial_table import SCORE_PREFIX, TrialTable, join, read_trials, to_bytes, trials_of
from idiograph.texts.problem import Problem

if TYPE_CHECKING:
    from distributed import Client

_CHUNK = 100  # problems, about a second's work
_MOST_PARTS = 8  # of one plan, which each worker of a cluster makes for itself
_FEWEST = 4  # problems of a piece
_UNDECIDED = "0" * 64  # of a study whose cells are only looked at
_CELL = attrgetter("corpus", "condition", "run")  # chunks of one cell have one plan
_PART_NAME = re.compile(r"([0-9a-f]{16}-\d{2,})(?:-(\d{3})of(\d{3}))?-([0-9a-f]{16})\.parquet")


@dataclass(frozen=True)
class Chunk:
    """Problems of one corpus, condition and run: every `n_parts`-th from `part` on, or those of a group of folds.

    A piece of a chunk has some of them, in the same order.
    """

    corpus: str
    condition: int  # its place in the study
    run: int
    part: int
    n_parts: int
    decided: str = _UNDECIDED  # digest of all that decides its scores
    n_problems: int = 0  # to be scored, in the first run
    n_drawn: int = 0  # besides them: of other draws than their reference's
    piece: int = 0
    n_pieces: int = 1

    @property
    def name(self) -> str:
        """What its file is called, before the digest of its content."""
        piece = f"-{self.piece:03}of{self.n_pieces:03}" if self.n_pieces > 1 else ""
        return f"{self.decided[:16]}-{self.part:02}{piece}"

    def cut(self, n_pieces: int) -> tuple["Chunk", ...]:
        """The chunk in pieces, which come in the order of its problems."""

        def sizes(n: int) -> list[int]:
            return [last - first for first, last in pairwise(n * piece // n_pieces for piece in range(n_pieces + 1))]

        return tuple(
            replace(self, piece=piece, n_pieces=n_pieces, n_problems=n_problems, n_drawn=n_drawn)
            for piece, (n_problems, n_drawn) in enumerate(zip(sizes(self.n_problems), sizes(self.n_drawn), strict=True))
        )

    @property
    def n_scored(self) -> int:
        """How many problems it takes in all."""
        return self.n_problems + self.n_drawn

    def folds(self, plan: Plan) -> list[int]:
        """The folds whose attacked Qs and other draws it has: each is in one piece, and the first is in the first."""
        folds = sorted({planned.fold for planned in plan.part(self.part, self.n_parts)})
        return folds[self.piece :: self.n_pieces]

    def planned(self, plan: Plan) -> tuple[Planned, ...]:
        """Its problems; a problem that several folds share is in one piece for all of them."""
        planned = plan.part(self.part, self.n_parts)
        if self.n_pieces == 1:
            return planned
        # In the order in which each fold has its problems, so that sorting by folds puts the pieces together again.
        cells = sorted({(problem.k, problem.q) for problem in planned}) if plan.folds else range(len(planned))
        wanted = set(cells[len(cells) * self.piece // self.n_pieces : len(cells) * (self.piece + 1) // self.n_pieces])
        return tuple(
            problem for row, problem in enumerate(planned) if ((problem.k, problem.q) if plan.folds else row) in wanted
        )


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
        for number, (condition, meant) in enumerate(study.conditions):
            cells = [Cell(name, condition.name, run) for run in range(study.runs)]
            cells = [cell for cell in cells if wanted is None or cell in wanted]
            if name not in meant or not cells:
                continue
            try:
                first = make_plan(study, name, corpus.material, number, 0)
                _refuse_short_reference(first)
            except StudyError as error:
                refused[name, condition.name] = str(error)
                continue
            plans.append(first)
            n_parts = first.n_groups or min(-(-len(first.problems) // _CHUNK), _MOST_PARTS)
            sizes = [len({problem.id for problem in first.part(part, n_parts)}) for part in range(n_parts)]
            for cell in cells:
                decided = _UNDECIDED if wanted is None else wanted[cell]
                chunks += [
                    Chunk(name, number, cell.run, part, n_parts, decided, size, n_drawn(first, part))
                    for part, size in enumerate(sizes)
                ]
            n_problems += (first.n_scored + n_drawn(first)) * len(cells)
            n_trials += len(first.problems) * len(cells)
    return Outlook(tuple(chunks), n_problems, n_trials, refused, tuple(plans))


def make_plan(study: Study, name: str, material: Material, number: int, run: int) -> Plan:
    """The problems of one corpus, condition and run.

    The first run decides whether enough authors remain; another draw that suits one author less stops nothing.
    """
    condition = study.conditions[number][0]
    design = study.design_of(name)
    design = design if run == 0 else replace(design, fewest_authors=2)
    seeds, matrix = study.run_seeds(run), study.matrix_of_halves
    return plan(material, corpus=name, condition=condition, design=design, seeds=seeds, matrix=matrix)


def _refuse_short_reference(first: Plan) -> None:
    for problem in first.problems:
        n_k, n_reference = len(first.sides[problem.k].k), first.n_reference_of(problem)
        if n_reference < n_k:
            raise StudyError(
                f"{first.corpus}, {first.condition.name}: the reference of {problem.id} has only {n_reference:,} "
                f"sentences and its K has {n_k:,}. Each reference model is as long as K, so take all others as "
                "reference, add authors or shorten K."
            )


def score_planned(study: Study, plan: Plan, planned: Planned) -> tuple[Problem, Score]:
    """A problem of a plan, and its score by λG."""
    problem = plan.problem(planned)
    sides: dict[str, Any] = {"q": problem.q, "k": problem.k, "reference": problem.reference}
    return problem, score_sides(**sides, settings=LambdaGSettings(seed=plan.seed(planned), **study.lambdag))


def score_chunk(study: Study, plan: Plan, chunk: Chunk) -> bytes:
    """The trials of a chunk as a Parquet file: the one function that every worker, here or elsewhere, runs."""
    planned = chunk.planned(plan)
    scored: dict[str, tuple[Problem, Score]] = {}  # a problem may be in several folds of a group

    def scored_once(problem: Planned) -> tuple[Problem, Score]:
        if problem.id not in scored:
            scored[problem.id] = score_planned(study, plan, problem)
        return scored[problem.id]

    problems = [scored_once(problem)[0] for problem in planned]
    scores = [scored_once(problem)[1] for problem in planned]
    more = more_scores(study, plan, planned, scores)
    parts = [trials_of(study.name, chunk.run, plan, planned, problems, scores, evidence=study.evidence, more=more)]
    if study.attack.on:
        parts += [attacked_trials(study, chunk.run, plan, number) for number in chunk.folds(plan)]
    if plan.draws:
        parts += [drawn_trials(study, chunk.run, plan, number, scored_once) for number in chunk.folds(plan)]
    return to_bytes(join(parts))


def _together(pieces: Sequence[TrialTable]) -> TrialTable:
    """The trials of a chunk in the order that they have where it is not cut: fold by fold, then those judged apart."""
    if len(pieces) == 1:
        return pieces[0]
    trials = join(pieces)
    apart = np.isin(trials.column("half"), ("attacked", "drawn", "impostor"))
    return trials.take(np.lexsort((trials.column("fold"), apart)))


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
        for (name, number, run), chunks_of_cell in groupby(chunks, key=_CELL):
            of_cell = first.get((name, study.conditions[number][0])) if run == 0 else None
            of_cell = of_cell or make_plan(study, name, corpora[name].material, number, run)
            yield from ((chunk, of_cell) for chunk in chunks_of_cell)

    def mapped(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, bytes]]:
        waiting = with_plans(chunks)
        with ThreadPoolExecutor(n_workers) as pool:
            running: dict[Future[bytes], Chunk] = {}
            try:
                while True:
                    while len(running) < 2 * n_workers and (upcoming := next(waiting, None)) is not None:
                        chunk, of_cell = upcoming
                        running[pool.submit(score_chunk, study, of_cell, chunk)] = chunk
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(future), future.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    return mapped


def run_chunks(
    chunks: Sequence[Chunk],
    mapped: Mapped,
    folder: Path,
    *,
    n_pieces: int = 1,
    where: Callable[[], str] | None = None,
) -> list[TrialTable]:
    """The trials of each chunk in their order; those whose file is in `folder` are read, the others scored.

    Chunks are cut so that there are about `n_pieces` pieces of work; one that was begun stays cut as it was. `where`
    says who works.
    """
    done = finished(folder, chunks)
    begun = {name.partition("of")[0][:-4]: int(name.partition("of")[2]) for name in done if "of" in name}
    for_each = -(-n_pieces // max(len(chunks), 1))
    pieces = []
    for chunk in chunks:
        usual = max(1, min(for_each, chunk.n_problems // _FEWEST))
        pieces.append(chunk.cut(1 if chunk.name in done else begun.get(chunk.name, usual)))
    missing = [piece for of_chunk in pieces for piece in of_chunk if piece.name not in done]
    # Cells in random order, so that the time left is honest though conditions differ in length.
    cells = [list(pieces_of_cell) for _, pieces_of_cell in groupby(missing, key=_CELL)]
    order = np.random.default_rng(len(chunks)).permutation(len(cells))
    n_problems = sum(piece.n_scored for piece in missing)
    with progress("Scoring", total=n_problems, unit="problems", where=where) as advance:
        for piece, content in mapped([piece for cell in order for piece in cells[cell]]):
            path = folder / f"{piece.name}-{digest(content)[:16]}.parquet"
            write_whole(path, content)
            done[piece.name] = path
            advance(piece.n_scored)
    return [_together([read_trials(done[piece.name]) for piece in of_chunk]) for of_chunk in pieces]


def finished(folder: Path, chunks: Sequence[Chunk]) -> dict[str, Path]:
    """The files of finished chunks and pieces by name, each checked against the digest in its name."""
    names = {chunk.name for chunk in chunks}
    paths: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = _PART_NAME.fullmatch(path.name)
        if match is None or match[1] not in names or (match[2] and not match[2] < match[3]):
            if path.name.startswith(".") and path.name.endswith(".part"):
                path.unlink(missing_ok=True)  # what a killed process was writing
                continue
            raise StudyError(f"{path} is not a part of this study. Remove it, or name another results folder.")
        name = f"{match[1]}-{match[2]}of{match[3]}" if match[2] else match[1]
        if digest(path.read_bytes())[:16] != match[4] or name in paths:
            raise StudyError(
                f"{path} is damaged: its content is not what its name says. Delete this file and run the study again; "
                "its problems are then scored again."
            )
        if not match[2]:
            _refuse_without_originals(path)
        paths[name] = path
    return paths


def _refuse_without_originals(path: Path) -> None:
    """An error about a part that 0.3.0 scored on a cluster, where it compared originals that were not there."""
    import pyarrow.parquet as pq

    columns = pq.read_schema(path).names
    for name in ("typing", "tfidf"):  # the other comparators refuse texts without a word
        if SCORE_PREFIX + name not in columns:
            continue
        scores = read_trials(path).score(name)
        if len(scores := scores[~np.isnan(scores)]) and not scores.any():
            raise StudyError(
                f"{path} was scored without the originals: {name} is 0 in all its trials, as Idiograph 0.3.0 left it "
                "on a cluster. Delete this file and run the study again; its problems are then scored again."
            )


_PATIENCE = 30  # seconds to wait for the scheduler and a first worker
_PIECES = 100  # of a study on a cluster, at least: ten machines have ten each
Shipped = Mapping[str, bytes]


@dataclass(frozen=True)
class Cluster:
    """The workers of a scheduler, and a study and its corpora for them to score."""

    address: str
    client: "Client"
    study: Study
    corpora: Mapping[str, StudyCorpus]
    n_pieces: int = _PIECES
    seen: set[str] = field(default_factory=set)  # workers that are or were there

    def wait(self, n_workers: int = 1) -> None:
        """Waits for workers, and refuses those that may give other digits."""
        try:
            self.client.wait_for_workers(n_workers, timeout=_PATIENCE)
        except TimeoutError as error:
            raise StudyError(
                f"The scheduler at {self.address} has no worker. Start some with `dask worker {self.address}`; what is "
                "scored is kept, and the study goes on there."
            ) from error
        there = self.client.run(versions, on_error="return")
        for worker, versions_there in there.items():
            if isinstance(versions_there, OSError):
                continue  # it died meanwhile
            if isinstance(versions_there, Exception):
                raise StudyError(
                    f"The worker {worker} cannot run Idiograph ({type(versions_there).__name__}: {versions_there}). "
                    f"Install Idiograph {VERSION} there, with the same packages as here."
                ) from versions_there
            _refuse_versions(f"The worker {worker}", expected=versions(), actual=versions_there)

    def score(self, chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, bytes]]:
        """Chunks as they are done; those of a lost worker go to the others."""
        from distributed import as_completed

        waiting = list(chunks)
        while waiting:
            self.wait()
            running = {}
            shipped = {name: self._ship(name) for name in dict.fromkeys(chunk.corpus for chunk in waiting)}
            for chunk in waiting:
                key = self.corpora[chunk.corpus].folder.name
                future = self.client.submit(
                    score_there, self.study, key, shipped[chunk.corpus], chunk, versions(), pure=False, retries=3
                )
                running[future] = chunk
            waiting = []
            for future in as_completed(list(running), loop=self.client.loop):  # type: ignore[no-untyped-call]
                chunk, content = running.pop(future), self._result(future)
                if content is not None:
                    yield chunk, content
                else:
                    self._refuse_lost_scheduler()
                    waiting.append(chunk)
                future.release()

    def where(self) -> str:
        """Who works at the moment, in words."""
        workers = self.client.scheduler_info().get("workers", {})  # a scheduler that was lost tells of none
        self.seen.update(workers)
        names = [
            address if worker["name"] in ("", address) else f"{worker['name']} on {worker['host']}"
            for address, worker in workers.items()
        ]
        machines = Counter(worker["host"] for worker in workers.values())
        on = f" on {counted(len(machines), 'machine')}" if len(machines) > 1 else ""
        lost = len(self.seen) - len(workers)
        return (
            f"{counted(len(names), 'worker')}{on}"
            + (f" ({some(sorted(names), 4)})" if names else "")
            + (f", {lost} lost" if lost else "")
        )

    def _ship(self, corpus: str) -> Any:
        """What workers need of a corpus: on every one that is there, so that the loss of one loses nothing."""
        folder, study = self.corpora[corpus].folder, self.study
        content = to_ship(folder, originals=study.reads_originals, content=study.compares_topics)
        return self.client.scatter(content, broadcast=True, direct=False)  # type: ignore[no-untyped-call]

    def _result(self, future: Any) -> bytes | None:
        """What a worker made; None where it, or the corpus that it needs, went with the workers that had it."""
        from distributed import KilledWorker

        try:
            content: bytes = future.result()
        except CancelledError:
            return None
        except KilledWorker as error:
            raise StudyError(
                f"Workers died over the same problems again and again ({error}). They may need more memory: start "
                "fewer on a machine, or with fewer threads. What is scored is kept."
            ) from error
        except (ImportError, AttributeError) as error:
            raise StudyError(
                f"A worker cannot run Idiograph ({type(error).__name__}: {error}). Install Idiograph {VERSION} on all, "
                "with the same packages as here; what is scored is kept."
            ) from error
        return content

    def _refuse_lost_scheduler(self) -> None:
        if self.client.status != "running":
            raise StudyError(
                f"The scheduler at {self.address} is gone. What is scored is kept: start it again, or leave out the "
                "cluster, and run the study again."
            )


@contextmanager
def map_on(address: str, study: Study, corpora: Mapping[str, StudyCorpus], *, n_workers: int = 1) -> Iterator[Cluster]:
    """The workers of the scheduler at `address`, or of the one that wrote the file of this name.

    Work begins when `n_workers` are there. Encryption is Dask's own: tls:// and its settings of certificates.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise StudyError(
            'A cluster needs dask.distributed, which is not installed. Run: pip install ".[cluster]" in a clone of '
            'Idiograph, or "idiograph[cluster]" where it came from an index.'
        ) from error
    named = {"address": address} if "://" in address else {"scheduler_file": address}
    if "scheduler_file" in named and not Path(address).is_file():
        raise StudyError(
            f"{address} is neither the address of a scheduler, such as tcp://host:8786, nor a file that one wrote. "
            "Start one with `dask scheduler` and give its address, or the file of --scheduler-file."
        )
    try:
        client = Client(**named, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, TimeoutError, RuntimeError) as error:
        raise StudyError(
            f"There is no scheduler at {address} ({error}). Start one with `dask scheduler` and give its address."
        ) from error
    with client:
        cluster = Cluster(address, client, study, corpora)
        cluster.wait(n_workers)
        yield cluster


def score_there(study: Study, key: str, shipped: Shipped, chunk: Chunk, expected: Mapping[str, str]) -> bytes:
    """What a worker runs: `score_chunk` on the corpus that was shipped, if its versions give the same digits."""
    _refuse_versions(f"A worker on {node()}", expected=expected, actual=versions())
    folder = cache_folder() / "studies" / key
    receive(folder, shipped)
    return score_chunk(study, _plan_there(study, folder, *_CELL(chunk)), chunk)


def _refuse_versions(who: str, *, expected: Mapping[str, str], actual: Mapping[str, str]) -> None:
    if other := other_versions(expected, actual):
        raise StudyError(
            f"{who} has other versions than the machine that runs the study, which may give other digits: "
            + ", ".join(f"{name} {there} instead of {wanted}" for name, (wanted, there) in sorted(other.items()))
            + ". Install the same on all."
        )


@lru_cache(maxsize=4)
def _plan_there(study: Study, folder: Path, corpus: str, condition: int, run: int) -> Plan:
    """A plan of which a worker may score several chunks."""
    material = _opened(folder, originals=study.reads_originals, content=study.compares_topics)
    return make_plan(study, corpus, material, condition, run)


_opened = lru_cache(maxsize=4)(open_material)
