"""From masked texts to a reference-normalised LLR."""

from zlib import crc32

import numpy as np
import pytest

import normalised_oracle as oracle
from idiograph import Corpus, Index, MaskedText, ProblemError, score
from idiograph.evidence.constants import constants_for
from idiograph.evidence.normalised import reference_normalised

N_AUTHORS = 9


def writer(rng, habits, n):
    words = np.array(["the", "N", "V", "of", "and", ",", "J", "to", "it", "was"])
    return tuple(tuple(rng.choice(words, size=rng.integers(3, 9), p=habits).tolist()) for _ in range(n))


@pytest.fixture(scope="module")
def index() -> Index:
    """Nine reference authors and a candidate, with two texts each, and a Q that the candidate wrote."""
    rng = np.random.default_rng(0)
    texts = []
    for number in range(N_AUTHORS + 1):
        habits = rng.dirichlet(np.full(10, 3.0))
        name = f"author{number}" if number < N_AUTHORS else "candidate"
        texts += [MaskedText(f"{name}/{side}", name, writer(rng, habits, n), "m") for side, n in (("q", 12), ("k", 30))]
    texts[-2] = MaskedText("disputed", None, texts[-2].sentences, "m")
    return Index(Corpus(tuple(texts)))


def pairs(index):
    return {
        f"author{number}": (index.text(f"author{number}/q"), index.text(f"author{number}/k"))
        for number in range(N_AUTHORS)
    }


def test_five_lines(index):
    found = reference_normalised(q=index.text("disputed"), k=index.by("candidate"), pairs=pairs(index))
    assert found.trial.llr.how == "normalised"
    assert found.trial.llr.nats > 0
    assert found.normalisation.n_authors == N_AUTHORS
    assert found.score.distinct == found.trial.scores[0]


def test_scores_are_those_of_single_problems_and_the_llr_is_the_oracles(index):
    sides = {**pairs(index), "(case)": (index.text("disputed"), index.by("candidate"))}
    names, reference = list(sides), range(N_AUTHORS)
    scores = [
        [
            score(
                q=q,
                k=k,
                reference=index.by(*(other for other in names[:N_AUTHORS] if other not in (by_q, by_k))),
                seed=(3, crc32(f"{by_k}/{by_q}".encode())),
            )
            for by_k, (_, k) in sides.items()
        ]
        for by_q, (q, _) in sides.items()
    ]
    counts = [[oracle.n_grams(side.sentences) for side in both] for both in zip(*sides.values(), strict=True)]
    cosines = oracle.cosine_matrix(*counts, reference)
    weights = constants_for(N_AUTHORS, k_tokens=index.by("candidate").n_tokens).weights
    distinct = [[scored.distinct for scored in row] for row in scores]
    nats = oracle.normalised([distinct, cosines], reference, 9, 9, [weights.alpha, *weights.betas], 0.5 / 9)
    found = reference_normalised(q=index.text("disputed"), k=index.by("candidate"), pairs=pairs(index), seed=3)
    assert found.trial.llr.nats == pytest.approx(nats, abs=1e-5)
    assert found.trial.scores == (distinct[9][9], pytest.approx(cosines[9][9], rel=1e-12))
    normed = [oracle.s_norm(matrix, 9, 9, reference) for matrix in (distinct, cosines)]
    assert found.trial.normed == pytest.approx(normed, rel=1e-12)
    assert found.score.lambda_g == scores[9][9].lambda_g


def test_the_order_of_the_authors_changes_no_digit(index):
    sides = {"q": index.text("disputed"), "k": index.by("candidate"), "workers": 1}
    one = reference_normalised(**sides, pairs=pairs(index))
    other = reference_normalised(**sides, pairs=dict(reversed(pairs(index).items())))
    assert one.trial == other.trial


def test_parts_of_two_indexes_are_refused(index):
    other = Index([["a", "b"]])
    with pytest.raises(ProblemError, match="parts of different indexes"):
        reference_normalised(q=other.all(), k=index.by("candidate"), pairs=pairs(index))
