"""PyPI lambdag 0.2.0, run here and now: its score on the same sentences and seed, and what the README says of it."""

from pathlib import Path

import numpy as np
import pytest
from lambdag import LambdaGMethod
from lambdag.corpus import load_corpus
from lambdag.visualize import lambdaG_visualize

import idiograph


def generated(n_sentences: int, n_types: int, seed: list[int]) -> list[tuple[str, ...]]:
    """Sentences of a Zipf-like vocabulary, some repeated, some of one token."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, n_types + 1)
    weights /= weights.sum()
    sentences = [
        tuple(f"w{word}" for word in rng.choice(n_types, size=rng.integers(1, 15), p=weights))
        for _ in range(n_sentences)
    ]
    return sentences + sentences[: n_sentences // 5]


@pytest.mark.parametrize("order", range(1, 11))
@pytest.mark.parametrize(("n_types", "seed"), [(6, 0), (60, 123)])
def test_same_score_as_the_package(order, n_types, seed):
    q = generated(15, n_types + 5, [seed, order, 1])
    k = generated(25, n_types, [seed, order, 2])
    reference = generated(90, n_types, [seed, order, 3])
    package = LambdaGMethod(
        basis="tokens",
        order=order,
        smoothing="kneser_ney",
        lowercasing=False,
        sentenize=False,
        num_references=7,
        calibration="hapax",
        random_seed=seed,
    )
    expected = package._lambdag_score(k, q, reference)
    ours = idiograph.score(q=q, k=k, reference=reference, order=order, repetitions=7, seed=seed)
    assert ours.lambda_g == pytest.approx(expected, rel=1e-9)


def test_the_package_has_what_the_readme_says_of_it(tmp_path):
    lines = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8").splitlines()
    cells = {
        line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in lines if "|" in line
    }
    lambdag = cells[""].index("`lambdag` (PyPI)")
    sides = [
        ["the N has a N .", "a N V the N ."],
        ["the N V a N .", "the N V the J N ."],
        ["N V and N V .", "a J N has N ."],
    ]
    shown = lambdaG_visualize(*sides, N=3, r=2, rng=np.random.default_rng(1))
    assert {"t", "lambdaG"} <= set(shown["table"].columns)
    assert "<span" in shown["colourcoded_text"]
    assert cells["which tokens speak"][lambdag] == "heat map, table"
    for name, text in (("known[ann].txt", "a b"), ("unknown[ann].txt", "c d")):
        (tmp_path / "p1").mkdir(exist_ok=True)
        (tmp_path / "p1" / name).write_text(text)
    (tmp_path / "truth.txt").write_text("p1 Y\n")
    assert [(k, q) for k, _, q, _ in load_corpus(tmp_path)[0]] == [("a b", "c d")]
    assert cells["reads"][lambdag] == "strings, PAN's problem folders"
    for calibration in ("hapax", "square_root", "logistic_regression"):
        LambdaGMethod("tokens", 3, "kneser_ney", False, False, 2, calibration=calibration)
    assert cells["an LR without a calibration corpus"][lambdag] == "Hapax and Square Root"
    assert cells["calibration of scores"][lambdag] == "logistic regression"
