"""How far Idiograph's numbers are from those of other implementations: the largest relative difference of each kind."""

import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
from lambdag import LambdaGMethod

import idiograph
from benchmarks.figure import Figure, at_most
from idiograph import GrammarModel, elementary
from idiograph.grammar.lambdag import score_drawn
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.sides import bring_together

GOLDEN = Path(__file__).resolve().parents[2] / "shared" / "golden"
R = "R kgrams 0.2.1 and idiolect 1.2.0.9000"


def run(quick: bool) -> list[Figure]:
    """A row for each kind of number; those of R need the reference material beside the project."""
    rows = [_package(orders=(2, 10) if quick else range(1, 11)), _elementary(n=100 if quick else 10_000)]
    if GOLDEN.is_dir():
        rows += [_models(), *_scores(), _metrics()]
    return rows


def _row(what: str, whose: str, pairs: Iterable[tuple[float, float]]) -> Figure:
    ours, theirs = np.array(list(pairs)).T
    largest = float(np.max(np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1e-300)))
    return at_most(what, largest, "", 1e-9, f"{len(ours):,} values of {whose}")


def _golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def _sentences(lines: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(token for token in line.split(" ") if token) for line in lines]


def _package(orders: Iterable[int]) -> Figure:
    """λG of PyPI lambdag on generated problems, computed in the same run."""
    pairs = []
    for order in orders:
        for seed in range(5):
            q, k, reference = (_generated([order, seed, part], n) for part, n in enumerate((30, 60, 400)))
            package = LambdaGMethod(
                basis="tokens", order=order, smoothing="kneser_ney", lowercasing=False, sentenize=False,
                num_references=30, calibration="hapax", random_seed=seed,
            )  # fmt: skip
            ours = idiograph.score(q=q, k=k, reference=reference, order=order, seed=seed)
            pairs.append((ours.lambda_g, package._lambdag_score(k, q, reference)))
    return _row("λG, orders 1 to 10", "PyPI lambdag 0.2.0, same sentences and seeds", pairs)


def _generated(seed: list[int], n_sentences: int) -> list[tuple[str, ...]]:
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 201)
    words = [f"w{number}" for number in range(200)]
    return [tuple(rng.choice(words, size=rng.integers(1, 20), p=weights / weights.sum())) for _ in range(n_sentences)]


def _elementary(n: int) -> Figure:
    """exp and the logarithms against decimal arithmetic with 60 digits."""
    exact: dict[str, tuple[float, float, Callable[[Decimal], Decimal]]] = {
        "exp": (-700.0, 700.0, lambda x: x.exp()),
        "exp10": (-300.0, 300.0, lambda x: (x * Decimal(10).ln()).exp()),
        "log": (0.001, 1000.0, lambda x: x.ln()),
        "log1p": (-0.999, 1000.0, lambda x: (1 + x).ln()),
        "log2": (0.001, 1000.0, lambda x: x.ln() / Decimal(2).ln()),
        "log10": (0.001, 1000.0, lambda x: x.log10()),
        "softplus": (-40.0, 40.0, lambda x: (1 + x.exp()).ln()),
        "logistic": (-40.0, 40.0, lambda x: 1 / (1 + (-x).exp())),
    }
    largest = {}
    with localcontext(Context(prec=60)):
        for name, (low, high, oracle) in exact.items():
            rng, function = random.Random(name), getattr(elementary, name)
            points = [rng.uniform(low, high) if k % 2 else rng.uniform(0.5, 2.0) for k in range(n)]
            results = [(function(x), oracle(Decimal(x))) for x in points]
            largest[name] = max(float(abs(Decimal(result) - true)) / math.ulp(result) for result, true in results)
    how = ", ".join(f"{name} {error:.2f}" for name, error in largest.items())
    unit = "units of the last place"
    return at_most("exp and logarithms", max(largest.values()), unit, 2, f"{how}; {n:,} points each, 60 digits")


def _models() -> Figure:
    enron = _golden("enron_lm")["punct"]
    model = GrammarModel.fit(_sentences(enron["train"]), order=enron["N"], discount=enron["D"])
    ours = [float(model.log10_probs(sentence).sum()) for sentence in _sentences(enron["query"])]
    return _row("log10 probability of a sentence", R, zip(ours, enron["log10p"], strict=True))


def _scores() -> list[Figure]:
    scores, tokens = [], []
    for problem in _golden("lambdag_fixed_punct"):
        drawn = _drawn(problem, [iteration["idx0"] for iteration in problem["iterations"]])
        scores.append((drawn.lambda_g, problem["lambda_G_logdomain"]))
    heat_map = _golden("visualize")
    evidence = np.concatenate(_drawn(heat_map, heat_map["idx0"]).evidence)
    tokens = list(zip(evidence.tolist(), heat_map["table_text_order"]["lambdaG"], strict=True))
    return [_row("λG with given draws", R, scores), _row("λG of a token (heat map)", R, tokens)]


def _drawn(problem: Any, draws: list[list[int]]) -> idiograph.Score:
    q, k, reference = (_sentences(problem[name]) for name in ("q_sents", "k_sents", "ref_sents"))
    settings = LambdaGSettings(order=problem["N"], discount=problem["D"], repetitions=len(draws))
    sides = bring_together(q=q, k=k, reference=reference, order=settings.order)
    return score_drawn([(sides, np.array(draws), settings)])[0]


def _metrics() -> Figure:
    pairs = []
    for vector in _golden("metrics")["vectors"].values():
        score, same = np.array(vector["score"]), np.array(vector["target"])
        classes = {"same": score[same], "different": score[~same]}
        printed = vector["raw_scores_as_natural_log_llr"]
        pairs += [
            (idiograph.cllr(**classes), printed["Cllr"]),
            (idiograph.cllr_min(**classes, laplace=True), printed["Cllr.min"]),
            (100 * idiograph.eer(**classes, laplace=True), printed["eer"]),
        ]
    return _row("Cllr, Cllr_min and EER", R.split(" and ")[1], pairs)
