"""The score of PyPI lambdag 0.2.0 on the same sentences and seed, computed here and now."""

import numpy as np
import pytest
from lambdag import LambdaGMethod

import idiograph


def generated(n_sentences: int, n_types: int, seed: list[int]) -> list[tuple[str, ...]]:
    """Sentences of a Zipf-like vocabulary, some repeated, some of one token."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, n_types + 1)
    weights /= weights.sum()
    made = [
        tuple(f"w{word}" for word in rng.choice(n_types, size=rng.integers(1, 15), p=weights))
        for _ in range(n_sentences)
    ]
    return made + made[: n_sentences // 5]


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
