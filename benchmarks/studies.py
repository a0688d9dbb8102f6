"""Studies: agreement with the reference implementation, and problems a second here, at the paper's scale and on Dask.

The corpora are those of the reference material beside the project; the paper's Twitter corpus is not public, so one of
its shape is generated: authors, tweets and tokens are as many, the words are not anybody's.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import numpy as np
import pyarrow.parquet as pq

from benchmarks.corpora import generated
from benchmarks.figure import Figure, at_least, at_most
from idiograph import (
    Condition,
    Corpus,
    CorpusSettings,
    Design,
    Index,
    MaskedText,
    Problem,
    Study,
    auc,
    cllr,
    read,
    score_many,
)
from idiograph.evidence.methods import METHODS
from idiograph.evidence.trials import Scores
from idiograph.studies.chunks import Chunk, Mapped, map_here, outlook, run_chunks
from idiograph.studies.corpora import StudyCorpus, open_material, save_material
from idiograph.studies.material import Material
from idiograph.studies.settings import PRESETS
from idiograph.studies.trial_table import join
from idiograph.texts.problem import problem_seed

SHARED = Path(__file__).resolve().parents[2] / "shared"
_DICKENS = "dickens_masked.jsonl.gz"


def run(quick: bool) -> list[Figure]:
    """Every figure of studies; `quick` takes small sizes and leaves out what needs minutes."""
    figures = []
    if (SHARED / "corpora" / _DICKENS).is_file():
        figures += _agreement()
        mean, sd, distance = dickens(seeds=3 if quick else 20)
        how = f"λG of dickens_masked: mean {mean:.2f}, sd {sd:.2f} over {3 if quick else 20} seeds"
        figures.append(at_most("printed 16.383 from the mean, in √2 sd", distance, "", 3, how))
        rate = problems_a_second(runs=2 if quick else 20)
        how = "2 workers, Q 1,000 and K 2,000 tokens of dickens_masked at random, r 30, indexed before"
        figures.append(at_least("problems a second", rate, "/s", 150, how))
        ratio = two_dask_workers(runs=4 if quick else 40, rounds=1 if quick else 3)
        figures.append(
            at_least(
                "two Dask workers against one",
                ratio,
                "×",
                1.7,
                "the same problems, one thread each; median of 3 rounds in turns",
            )
        )
        forecast, truth = forecast_and_truth(runs=1 if quick else 5)
        how = f"forecast {forecast:.0f} s, taken {truth:.0f} s: drexel1 and pan15 masked anew, enron; 2 workers"
        figures.append(
            at_most("forecast against truth, the larger by the smaller", _apart(forecast, truth), "×", 1.5, how)
        )
    grid = twitter_grid(share=0.004 if quick else 0.1)
    how = f"{grid.problems:,} problems on a generated corpus, {grid.share:.1%} of them run and multiplied, 2 workers"
    figures.append(at_most("the paper's Twitter grid", grid.minutes, "min", 30, how))
    figures.append(at_most("memory of that grid", grid.gigabytes, "GB", 4, "the process at its largest"))
    return figures


def forecast_and_truth(*, runs: int) -> tuple[float, float]:
    """Seconds that `idiograph study --dry-run` foretells for a study of open corpora, and that the study takes."""
    corpora = SHARED / "corpora"
    content = f"""
schema = 1
name = "forecast"
runs = {runs}
[[corpora]]
name = "enron"
path = "{corpora / "enron_masked.jsonl.gz"}"
masking = "masked"
[[corpora]]
name = "drexel1"
path = "{corpora / "drexel1.jsonl.gz"}"
[[corpora]]
name = "pan15"
kind = "problems"
path = "{corpora / "pan15_drama_crosstopic_train.jsonl.gz"}"
[[conditions]]
drawing = "random"
lengths = [[300, 1000], [500, 2000]]
corpora = ["enron", "drexel1"]
[[conditions]]
drawing = "whole"
corpora = ["pan15"]
"""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "study.toml").write_text(content, encoding="utf-8")
        environment = {**os.environ, "IDIOGRAPH_CACHE": str(Path(folder) / "cache")}
        command = [sys.executable, "-m", "idiograph", "study", "study.toml", "--workers", "2"]

        def run(*more: str) -> str:
            done = subprocess.run(
                [*command, *more], cwd=folder, env=environment, capture_output=True, text=True, check=True
            )
            return done.stdout

        forecast = json.loads(run("--dry-run", "--json"))
        start = perf_counter()
        run("--out", "out")
        return float(forecast["total_seconds"]), perf_counter() - start


def _apart(first: float, other: float) -> float:
    return max(first, other) / min(first, other)


def _agreement() -> list[Figure]:
    enron = enron96()
    how = "96 problems of golden/enron96_punct.json, r 30; s = sd of the reference totals ÷ √r"

    def within(name: str, value: float, low: float, high: float) -> Figure:
        return Figure(name, float(value), "", f"{low:g} to {high:g}", bool(low <= value <= high), how)

    return [
        at_most("Enron: largest |λG − golden| ÷ (√2·s)", enron.largest, "", 4, how),
        within("Enron: root mean square of the same", enron.rms, 0.8, 1.3),
        within("Enron: AUC", enron.auc, 0.92, 0.96),
        within("Enron: Cllr of Square Root, in bits", enron.cllr_square_root, 0.47, 0.53),
        within("Enron: Cllr of Hapax, in bits", enron.cllr_hapax, 0.40, 0.46),
    ]


@dataclass(frozen=True)
class Agreement:
    """How the 96 problems of `golden/enron96_punct.json` come out, against the reference implementation's scores.

    s is the standard error of a problem's mean reference total; two independent draws differ by √2·s.
    """

    largest: float  # |λG − golden| / (√2·s)
    rms: float
    auc: float
    cllr_square_root: float
    cllr_hapax: float


def enron96(*, seed: int = 1, workers: int = 2) -> Agreement:
    """Each author's known texts against his own unknown text and the next author's; reference: others' known texts."""
    golden = json.loads((SHARED / "golden" / "enron96_punct.json").read_text(encoding="utf-8"))
    corpus = read(SHARED / "corpora" / "enron_masked.jsonl.gz", kind="masked", sentences="marks")
    index = Index(Corpus(corpus.texts))
    known: dict[str, list[str]] = {}
    unknown: dict[str, str] = {}
    for text in corpus:
        author = str(text.author)
        if text.metadata["texttype"] == "unknown":
            unknown[author] = text.id
        else:
            known.setdefault(author, []).append(text.id)
    problems = []
    for k, q in zip(golden["K"], golden["Qauthor"], strict=True):
        others = [id_ for author, ids in known.items() if author not in (k, q) for id_ in ids]
        parts = {"q": index.text(unknown[q]), "k": index.texts(*known[k]), "reference": index.texts(*others)}
        problems.append(Problem(**parts, id=f"enron96/golden/{k}/{unknown[q]}"))
    seeds = [problem_seed(seed, problem.id) for problem in problems]
    scores = score_many(index, problems, seeds=seeds, workers=workers)
    ours = np.array([score.lambda_g for score in scores])
    error = np.array([np.std(score.reference_totals, ddof=1) / np.sqrt(30) for score in scores])
    distance = (ours - np.array(golden["lambda_log"])) / (np.sqrt(2) * error)
    same = np.array(golden["target"], bool)
    n_tokens, n_hapaxes = np.array(golden["NQ"]), np.array(golden["V1"])
    assert [score.n_tokens for score in scores] == golden["NQ"]
    values = Scores(lambda_g=ours, n_tokens=n_tokens, n_hapaxes=n_hapaxes, sentence_norms=np.ones(len(ours)))
    corrected = {key: METHODS[key].nats(values) for key in ("square_root", "hapax")}
    return Agreement(
        largest=float(np.abs(distance).max()),
        rms=float(np.sqrt(np.mean(distance**2))),
        auc=auc(same=ours[same], different=ours[~same]),
        cllr_square_root=cllr(same=corrected["square_root"][same], different=corrected["square_root"][~same]),
        cllr_hapax=cllr(same=corrected["hapax"][same], different=corrected["hapax"][~same]),
    )


def dickens(*, seeds: int = 20, workers: int = 2) -> tuple[float, float, float]:
    """Mean and sd of λG over seeds, and the distance of the printed 16.383 from the mean in √2 sd."""
    corpus = read(SHARED / "corpora" / _DICKENS, kind="masked")
    index = Index(Corpus(corpus.texts))
    ids = {role: [text.id for text in corpus if text.metadata["role"] == role] for role in ("Q", "K", "ref")}
    problem = Problem(q=index.texts(*ids["Q"]), k=index.texts(*ids["K"]), reference=index.texts(*ids["ref"]))
    scores = score_many(index, [problem] * seeds, seeds=list(range(seeds)), workers=workers)
    values = np.array([score.lambda_g for score in scores])
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    return mean, sd, abs(16.383 - mean) / (np.sqrt(2) * sd)


def problems_a_second(*, workers: int = 2, runs: int = 10) -> float:
    """Problems with a Q of 1,000 and a K of 2,000 tokens of the masked fiction corpus, masked and indexed before."""
    corpus = read(SHARED / "corpora" / _DICKENS, kind="masked")
    study = _study(Condition(drawing="random", q_tokens=1000, k_tokens=2000), runs=runs + 1, design=Design())
    with _prepared(study, Material.of(Index(Corpus(corpus.texts)), corpus, roles=False)) as corpora:
        chunks = outlook(study, corpora).chunks
        mapped = map_here(study, corpora, workers=workers)
        list(mapped([chunk for chunk in chunks if chunk.run == 0]))  # compiled, and the index's pages in memory
        seconds, n = _timed(mapped, [chunk for chunk in chunks if chunk.run > 0])
    return n / seconds


@dataclass(frozen=True)
class GridRun:
    """The paper's Twitter grid on a corpus of its shape."""

    problems: int
    share: float  # of the grid that was run
    minutes: float  # for the whole grid, multiplied
    gigabytes: float  # the largest that the process became


def twitter_grid(*, share: float = 0.1, workers: int = 2) -> GridRun:
    """Runs a share of 60 authors × 100 length pairs × 5 runs × 2 problems in a process of its own."""
    code = f"from benchmarks.studies import grid_here; grid_here({share}, {workers})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return GridRun(**json.loads(done.stdout))


def grid_here(share: float, workers: int) -> None:
    """The run itself; prints its figures as JSON."""
    import resource  # not on Windows

    lengths = PRESETS["paper-long"]
    conditions = [Condition(drawing="random", q_tokens=q, k_tokens=k) for q in lengths for k in lengths]
    study = _study(*conditions, runs=5, design=Design(calibration=0.5))
    corpus = tweets()
    with _prepared(study, Material.of(Index(corpus), corpus)) as corpora:
        del corpus
        ahead = outlook(study, corpora)
        order = np.random.default_rng(1).permutation(len(ahead.chunks))
        n_chunks = round(share * len(ahead.chunks))
        chosen = [ahead.chunks[number] for number in order[:n_chunks]]
        start = perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            named = [replace(chunk, decided=f"{number:064x}") for number, chunk in enumerate(chosen)]
            trials = join(run_chunks(named, map_here(study, corpora, workers=workers), Path(folder)))
        seconds = perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # kilobytes on Linux
    minutes = seconds / 60 * ahead.n_problems / len(trials)
    figures = {"problems": ahead.n_problems, "share": share, "minutes": minutes, "gigabytes": memory}
    print(json.dumps(figures))


def tweets(*, authors: int = 60, tokens: int = 135_000, q_tokens: int = 35_000) -> Corpus[MaskedText]:
    """A generated corpus of the paper's shape: a sentence a tweet, 35,000 of an author's 135,000 tokens questioned."""
    texts = []
    for author in range(authors):
        taken = 0
        for number, sentence in enumerate(generated(tokens, seed=author)):
            role = "unknown" if taken <= q_tokens else "known"
            taken += len(sentence)
            id_ = f"a{author:02}-{number:05}"
            texts.append(MaskedText(id_, f"a{author:02}", (sentence,), "generated", metadata={"role": role}))
    return Corpus(tuple(texts))


def two_dask_workers(*, runs: int = 8, rounds: int = 1) -> float:
    """How much faster two Dask workers of one thread are than one, over the same chunks, after both have compiled.

    Measured in turns, so that a slow moment of the machine hits both; the median of the rounds.
    """
    corpus = read(SHARED / "corpora" / _DICKENS, kind="masked")
    study = _study(Condition(drawing="random", q_tokens=1000, k_tokens=2000), runs=runs, design=Design())
    with _prepared(study, Material.of(Index(Corpus(corpus.texts)), corpus, roles=False)) as corpora:
        ratios = [_on_dask(study, corpora, 1) / _on_dask(study, corpora, 2) for _ in range(rounds)]
    return median(ratios)


def _on_dask(study: Study, corpora: Mapping[str, StudyCorpus], n_workers: int) -> float:
    from idiograph.studies.chunks import map_on

    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "scheduler.json"
        quiet = ("--scheduler-file", str(written), "--no-dashboard")
        commands = [["scheduler", "--host", "127.0.0.1", "--port", "0", *quiet]]
        commands += [["worker", *quiet, "--nthreads", "1", "--no-nanny", "--local-directory", folder]] * n_workers
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{name}", *rest],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ),
            )
            for name, *rest in commands
        ]  # fmt: skip
        try:
            while not (written.exists() and written.read_text(encoding="utf-8").strip()):
                sleep(0.05)
            address = json.loads(written.read_text(encoding="utf-8"))["address"]
            chunks = outlook(study, corpora).chunks
            with map_on(address, study, corpora, n_workers=n_workers) as there:
                list(there.score(chunks))  # so that every worker has compiled and opened the corpus
                return _timed(there.score, chunks)[0]
        finally:
            for process in reversed(processes):
                process.kill()
                process.wait()


def _timed(mapped: Mapped, chunks: Sequence[Chunk]) -> tuple[float, int]:
    """Seconds for these chunks, and how many problems they were."""
    start = perf_counter()
    contents = [content for _, content in mapped(chunks)]
    return perf_counter() - start, sum(pq.read_metadata(io.BytesIO(content)).num_rows for content in contents)


def _study(*conditions: Condition, runs: int, design: Design) -> Study:
    corpus = CorpusSettings(name="bench", path="bench")
    meant = tuple((condition, ("bench",)) for condition in conditions)
    return Study(name="bench", corpora=(corpus,), conditions=meant, runs=runs, design=design)


@contextmanager
def _prepared(study: Study, material: Material) -> Iterator[dict[str, StudyCorpus]]:
    """The corpus of a study as if it had been masked and indexed before, memory-mapped."""
    with tempfile.TemporaryDirectory() as folder:
        material_folder = Path(folder) / material.index.digest[:32]
        material_folder.mkdir()
        save_material(material, material_folder)
        yield {
            study.corpora[0].name: StudyCorpus(
                study.corpora[0].name, open_material(material_folder), (), material_folder
            )
        }
