"""The engine against PyPI lambdag, its index, its memory, its workers, and how its time grows."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lambdag import LambdaGMethod

from benchmarks.corpora import Sentences, generated, masked_fiction
from benchmarks.figure import Figure, at_least, at_most, in_turns, seconds
from idiograph import Index, Problem, score, score_many
from idiograph.grammar.index import Part
from idiograph.grammar.vocabulary import numbered

PLOT = Path(__file__).resolve().parents[1] / "docs" / "growth.svg"


@dataclass(frozen=True)
class Comparison:
    """Q, K and reference: different sentences of one index."""

    q: Part
    k: Part
    reference: Part

    def score(self, seed: int = 0, **settings: int) -> float:
        return score(q=self.q, k=self.k, reference=self.reference, seed=seed, **settings).lambda_g

    def sentences(self) -> dict[str, list[tuple[str, ...]]]:
        return {name: list(getattr(self, name).sentences) for name in ("q", "k", "reference")}


def sides(index: Index, *, q: int, k: int, reference: int) -> Comparison:
    """So many tokens for each side, whole sentences drawn at random."""
    order = np.random.default_rng(0).permutation(index.n_sentences)
    ends = np.cumsum(index.sentence_lengths[order])
    first, second, third = np.searchsorted(ends, [q, q + k, q + k + reference]) + 1
    return Comparison(
        index.take(order[:first]), index.take(order[first:second]), index.take(np.sort(order[second:third]))
    )


def peer(problem: dict[str, list[tuple[str, ...]]], seed: int) -> float:
    """The package's own score, with a fresh instance."""
    method = LambdaGMethod("tokens", 10, "kneser_ney", False, False, 30, "hapax", random_seed=seed)
    return float(method._lambdag_score(problem["k"], problem["q"], problem["reference"]))


def run(quick: bool) -> list[Figure]:
    """Every row of the engine's table; `quick` at a tenth of the sizes."""
    scale = 10 if quick else 1
    corpus = generated(3_400_000 // scale)
    figures = against_the_peer("generated text", corpus, scale)
    fiction = masked_fiction()
    if fiction is not None and not quick:
        figures += against_the_peer("masked fiction", fiction, scale)
    figures.append(building(corpus, 1_000_000 // scale))
    figures += memory(corpus, 1_000_000 // scale)
    figures.append(workers(corpus, 1_000_000 // scale, 500 // scale))
    figures += growth(corpus, scale, quick)
    return figures


def one_score(plain: Mapping[str, Sentences], seed: int) -> float:
    """λG of one problem given as plain sentences."""
    return score(q=plain["q"], k=plain["k"], reference=plain["reference"], seed=seed).lambda_g


def against_the_peer(what: str, corpus: Sentences, scale: int) -> list[Figure]:
    """One problem with the index open, and with the index built for it alone."""
    whole = sides(Index(first(corpus, 1_200_000 // scale)), q=800, k=1300, reference=127_000 // scale)
    plain = whole.sentences()
    expected: dict[int, float] = {}

    def twenty(number: int) -> None:
        for seed in range(20):
            whole.score(seed=20 * number + seed)

    ours, theirs, alone = in_turns(
        [
            twenty,
            lambda seed: expected.update({seed: peer(plain, seed)}),
            lambda seed: one_score(plain, seed),
        ],
        times=5,
        warm_up=1,
    )
    ours /= 20
    for seed, value in expected.items():
        assert abs(whole.score(seed=seed) - value) <= 1e-9 * abs(value)
        assert abs(one_score(plain, seed) - value) <= 1e-9 * abs(value)
    sizes = (
        f"{what}: K {whole.k.n_tokens:,} tokens, Q {whole.q.n_tokens:,}, R {whole.reference.n_tokens:,}, N 10, r 30; "
        f"lambdag {theirs:.2f} s (median of 5, all in turns)"
    )
    return [
        at_least(
            f"one problem, index open: lambdag's time ÷ ours, {what}",
            theirs / ours,
            "×",
            2000,
            f"{sizes}, ours {1000 * ours:.2f} ms (20 seeds in a row), same scores to 1e-9",
        ),
        at_least(
            f"the same with the index built for this problem alone, {what}",
            theirs / alone,
            "×",
            25,
            f"{sizes}, ours {1000 * alone:.1f} ms from plain lists",
        ),
    ]


def building(corpus: Sentences, n_tokens: int) -> Figure:
    """Tokens a second from lists of strings to the finished index."""
    text = first(corpus, n_tokens)
    taken = seconds(lambda _: Index(text), times=5, warm_up=1)
    n = sum(map(len, text))
    how = f"{n:,} generated tokens from Python lists, {taken:.2f} s, median of 5"
    return at_least("building the index, one core", n / taken / 1e6, "million tokens/s", 1, how)


CHILD = "import sys; from benchmarks.engine import print_peak; print_peak(sys.argv[1], int(sys.argv[2]))"


def print_peak(path: str, n_workers: int) -> None:
    """Bytes that this process needs at most for the opened index and so many workers; with none, for building it."""
    # The code is compiled or loaded before anything is measured.
    warm = Index([["a", "b"], ["b", "a"], ["a"]])
    score(q=warm.take([0]), k=warm.take([1]), reference=warm.take([2]))
    if n_workers == 0:
        read = Index.open(path)
        tokens, starts, types = read.tokens.copy(), read.starts.copy(), read.types
        del read
        before = resident(peak=False)
        Index(numbered(tokens, starts, types, 10))
        print(resident(peak=True) - before)
        return
    before = resident(peak=False)
    index = Index.open(path)
    for array in (index.tokens, index.starts, index.stream, index.places, index.sentence_text):
        assert array.sum() >= 0  # every page is read
    parts = sides(index, q=800, k=1300, reference=index.n_tokens // 2)
    problems = [Problem(parts.q, parts.k, parts.reference, id=str(number)) for number in range(40)]
    score_many(index, problems, seeds=range(len(problems)), workers=n_workers)
    print(resident(peak=True) - before)


def resident(*, peak: bool) -> int:
    """Bytes of memory in use now, from which point on the peak is counted anew, or at most since then (Linux)."""
    status = Path("/proc/self/status").read_text()
    if not peak:
        Path("/proc/self/clear_refs").write_text("5")
    field = "VmHWM:" if peak else "VmRSS:"
    return 1024 * int(status.split(field)[1].split()[0])


def memory(corpus: Sentences, n_tokens: int) -> list[Figure]:
    """Peak memory in processes of their own: building, one worker, three workers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.index"
        index = Index(first(corpus, n_tokens))
        index.save(path)
        peaks = {}
        for n_workers in (0, 1, 3):
            done = subprocess.run(
                [sys.executable, "-c", CHILD, str(path), str(n_workers)], check=True, capture_output=True, text=True
            )
            peaks[n_workers] = int(done.stdout) / index.n_tokens
        size = path.stat().st_size / index.n_tokens
    how = f"{index.n_tokens:,} generated tokens, N 10; growth of the peak resident memory of a process of its own"
    return [
        at_most(
            "index and working arrays, one worker",
            peaks[1],
            "bytes a token",
            200,
            f"{how}; {size:.1f} of them are the file; while it is built {peaks[0]:.0f}",
        ),
        at_most("each further worker", max((peaks[3] - peaks[1]) / 2, 0.0), "bytes a token", 100, how),
    ]


def workers(corpus: Sentences, n_tokens: int, n_problems: int) -> Figure:
    """Two workers against one on many problems."""
    index = Index(first(corpus, n_tokens))
    rng = np.random.default_rng(2)
    problems = []
    for number in range(n_problems):
        q, k, reference = np.split(rng.permutation(index.n_sentences)[: min(9000, index.n_sentences)], [53, 140])
        problems.append(Problem(index.take(q), index.take(k), index.take(reference), id=str(number)))
    alone, together = in_turns(
        [
            lambda _: score_many(index, problems, seeds=range(n_problems), workers=1),
            lambda _: score_many(index, problems, seeds=range(n_problems), workers=2),
        ],
        times=9,
        warm_up=1,
    )
    how = (
        f"{n_problems} problems of about K 1,300, Q 800, R 130,000 tokens: {alone:.2f} s and {together:.2f} s, in turns"
    )
    return at_least("two workers against one", alone / together, "×", 1.8, how)


def growth(corpus: Sentences, scale: int, quick: bool) -> list[Figure]:
    """How the time of one problem grows with K, with Q and with R."""
    index = Index(first(corpus, 1_100_000 // scale))
    sizes = [1000 * 2**n // (1 if scale == 1 else 4) for n in range(5)]
    largest = 1_000_000 // scale - 2 * sizes[-1]
    problems = {
        "K": [sides(index, q=800, k=size, reference=largest) for size in sizes],
        "Q": [sides(index, q=size, k=1300, reference=largest) for size in sizes],
    }
    times = {name: list(zip(sizes, scored_in_turns(group), strict=True)) for name, group in problems.items()}
    figures = []
    for name in ("K", "Q"):
        worst = max(later / earlier for (_, earlier), (_, later) in zip(times[name], times[name][1:], strict=False))
        shown = ", ".join(f"{size:,}: {1000 * taken:.1f} ms" for size, taken in times[name])
        figures.append(at_most(f"{name} doubled, the worst step", worst, "×", 2.3, f"R 1 million tokens; {shown}"))
    sizes = [100_000 * 2**n // scale for n in range(6)]
    growing = [sides(Index(first(corpus, size + 10_000)), q=800, k=1300, reference=size) for size in sizes]
    problem = growing[-1]
    # As much work on an index of 3,000 sentences, where nothing is far from the processor.
    near = problem.reference.sentence_numbers[:: max(1, problem.reference.n_sentences // 3000)]
    parts = [list(part.sentences) for part in (problem.q, problem.k, problem.q.index.take(near))]
    index = Index([sentence for part in parts for sentence in part])
    q, k, reference = np.split(np.arange(index.n_sentences), np.cumsum([len(part) for part in parts])[:2])
    close = Comparison(index.take(q), index.take(k), index.take(reference))
    *taken, nearby = scored_in_turns([*growing, close])
    times["R"] = list(zip(sizes, taken, strict=True))
    (_, small), (_, large) = times["R"][0], times["R"][-1]
    shown = ", ".join(f"{size:,}: {1000 * taken:.2f} ms" for size, taken in times["R"])
    how = (
        f"{shown}; the same amount of work on an index of 3,000 sentences takes {1000 * nearby:.2f} ms, so "
        f"{100 * max(0.0, 1 - nearby / large):.0f} % of the time at the largest R is waiting for memory"
    )
    figures.append(at_most("R from 100,000 to 3.2 million tokens", large / small, "×", 3, how))
    if not quick:
        plot(times)
    return figures


def scored_in_turns(problems: Sequence[Comparison]) -> list[float]:
    """The median time of each problem over 20 seeds."""
    works = [lambda n, p=problem: p.score(seed=n) for problem in problems]
    return in_turns(works, times=20, warm_up=3, rewarm=True)


def plot(times: dict[str, list[tuple[int, float]]]) -> None:
    """The growth of all three, into the documentation."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    matplotlib.rcParams["svg.hashsalt"] = "idiograph"
    canvas = Canvas(figsize=(9, 3), layout="constrained")
    for axes, (name, measured) in zip(canvas.subplots(1, 3), times.items(), strict=True):
        axes.loglog([size for size, _ in measured], [1000 * taken for _, taken in measured], "o-", base=2)
        axes.set_xlabel(f"tokens of {name}")
        axes.set_ylabel("ms a problem")
        axes.grid(alpha=0.3)
    PLOT.parent.mkdir(exist_ok=True)
    canvas.savefig(PLOT, metadata={"Date": None})


def first(corpus: Sentences, n_tokens: int) -> Sentences:
    """The first sentences, as many as make up so many tokens."""
    ends = np.cumsum([len(sentence) for sentence in corpus])
    return corpus[: int(np.searchsorted(ends, n_tokens)) + 1]
