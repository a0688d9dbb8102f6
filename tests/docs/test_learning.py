"""Constants learnt from judged trials: the truth behind made-up ones, and what weighs what."""

import numpy as np
import pyarrow as pa
import pytest
from docs.validation.learning import NormedTrials, lean, learn, learn_controlled

from idiograph import StudyError
from idiograph.studies.trial_table import TrialTable
from made_matrix import matrix_result


def drawn_trials(n: int, *, seed: int = 1) -> NormedTrials:
    """Trials whose ln LR is known: −1 + 0.8·S₁ + 0.5·S₂ + (−0.3 + 0.2·S₁)·x."""
    rng = np.random.default_rng(seed)
    normed = rng.normal(0, 2, (n, 2))
    lengths = rng.choice([-1.0, 0.0, 0.7], n)
    nats = -1 + 0.8 * normed[:, 0] + 0.5 * normed[:, 1] + (-0.3 + 0.2 * normed[:, 0]) * lengths
    same = rng.random(n) < 1 / (1 + np.exp(-nats))
    # The classes weigh the same, so the odds of the two are taken out again.
    shift = np.log(same.mean() / (1 - same.mean()))
    drawn_trials.shift = shift  # type: ignore[attr-defined]
    return NormedTrials(("distinct", "cosine"), normed, same, lengths, np.ones(n))


def test_the_truth_is_found_again() -> None:
    line = learn(drawn_trials(60_000), n_authors=24)
    assert line.level.alpha + drawn_trials.shift == pytest.approx(-1, abs=0.06)  # type: ignore[attr-defined]
    assert line.level.betas == pytest.approx((0.8, 0.5), abs=0.04)
    assert line.slope.alpha == pytest.approx(-0.3, abs=0.06)
    assert line.slope.betas == pytest.approx((0.2, 0.0), abs=0.05)
    assert (line.scores, line.n_authors) == (("distinct", "cosine"), 24)


def test_corpora_conditions_and_classes_weigh_the_same() -> None:
    trials = matrix_result().trials
    normed = NormedTrials.of(trials, ("distinct", "cosine"))
    assert len(normed.same) == trials.case.sum()
    for kind in (True, False):
        assert normed.weights[normed.same == kind].sum() == pytest.approx(1)
    with pytest.raises(StudyError, match="No judged trial is left"):
        NormedTrials.of(trials, ("distinct", "cosine"), without="toy")


def test_how_much_scores_lean_on_topic_is_found_again() -> None:
    # Each corpus has its own level, each author theirs: they are taken out, and corpora weigh the same.
    rng = np.random.default_rng(3)
    rows = []
    for corpus, d, s in (("one", 0.1, 0.3), ("two", 0.3, 0.7)):
        for author in range(20):
            level = rng.normal(0, 2)
            for draw in range(3):
                g = rng.normal(2, 1)
                rows.append((corpus, "case" if draw else "drawn", f"a{author}", True, level + s * g, g))
            for _ in range(10):
                g = rng.normal(0, 1)
                rows.append((corpus, "impostor", f"a{author}", False, 5 * (corpus == "one") + d * g, g))
    columns = list(zip(*rows, strict=True))
    names = ("corpus", "half", "k_author", "same_author", "normed_distinct", "normed_closeness")
    table = pa.table(dict(zip(names, columns, strict=True)))
    for name, values in (("condition", ["random"]), ("run", [0]), ("k_tokens", [500, 2_000])):
        table = table.append_column(name, pa.array((values * len(rows))[: len(rows)]))
    trials = TrialTable(table)
    slopes = lean(trials, ("distinct",))
    assert slopes.different == pytest.approx((0.2,))
    assert slopes.same == pytest.approx((0.5,))
    assert slopes.slopes == pytest.approx((0.2 + 0.75 * 0.3,))
    assert lean(trials, ("distinct",), without="one").slopes == pytest.approx((0.3 + 0.75 * 0.4,))
    line = learn_controlled(trials, ("distinct",), n_authors=10)
    assert (line.slopes, line.n_authors) == (slopes.slopes, 10)
    by_hand = NormedTrials.freed(trials, ("distinct",), slopes.slopes)
    distinct, closeness = (trials.column(f"normed_{name}") for name in ("distinct", "closeness"))
    assert by_hand.normed[:, 0] == pytest.approx(distinct - slopes.slopes[0] * closeness)
