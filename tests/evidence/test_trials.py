"""Trials: both classes with their authors, and every honest mistake answered in a sentence."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from idiograph import (
    Calibrator,
    InputError,
    auc,
    cllr,
    cllr_cal,
    cllr_min,
    decisions,
    dev_pav,
    eer,
    elub,
    intervals,
    misleading,
    pan_metrics,
    worst_share,
)
from idiograph.evidence.metrics import ece_curve, pav_curve, tippett_curve
from idiograph.evidence.trials import Scores, Trials, following, sentence_norm
from made_scores import score_of
from made_trials import scored


def test_both_classes_keep_their_order_and_their_authors() -> None:
    trials = Trials.of(
        same=[3, 1],
        different=np.array([-2.0]),
        same_authors=["b", "a"],
        different_authors=[["a", "c"]],  # type: ignore[list-item]
    )
    assert trials.same.tolist() == [3, 1]
    assert trials.all.tolist() == [3, 1, -2]
    assert trials.known_authors == (("b", "a"), (("a", "c"),))
    assert trials.authors == ("a", "b", "c")


@pytest.mark.parametrize("known", [{}, {"same_authors": ["a"]}, {"different_authors": [("a", "b")]}])
def test_authors_of_one_class_alone_are_not_enough(known: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"The authors of the trials are needed here\. Give same_authors"):
        _ = Trials.of(same=[1.0], different=[-1.0], **known).authors


@pytest.mark.parametrize("values", [[1, 2], (1, 2), np.array([1, 2]), np.array([1, 2], np.float32), [True, 2.0]])
def test_any_list_of_numbers_will_do(values: Any) -> None:
    assert Trials.of(same=values, different=values).same.tolist() == [1, 2]
    assert Trials.of(same=values, different=values).same.dtype == np.float64


@pytest.mark.parametrize(
    "metric",
    [
        *(cllr, cllr_min, cllr_cal, eer, auc, dev_pav, worst_share, decisions, pan_metrics, elub, misleading),
        *(tippett_curve, pav_curve, ece_curve, Calibrator.fit),
    ],
)
def test_what_cannot_be_measured_is_said(metric: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="Both kinds of trial are needed, and there are 2 same-author and 0 different"):
        metric(same=[1, 2], different=[])
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(InputError, match="1 of 2 different-author values are infinite or not a number"):
            metric(same=[1], different=[0, bad])
    with pytest.raises(InputError, match="same-author values are an array of 2 dimensions"):
        metric(same=[[1.0], [2.0]], different=[1])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("12", "a str"),
        (None, "a NoneType"),
        (3.0, "an array of 0 dimensions"),
        (["a", "b"], "a list with entries that are not numbers"),
        (["1", "2"], "a list with entries that are not numbers"),
        ([1, None], "a list with entries that are not numbers"),
        ([[1], [2, 3]], "a list"),
        ([[1.0], [2.0]], r"an array of 2 dimensions\."),
        ((x for x in [1.0]), "a generator"),
        ([1j], "entries that are not numbers"),
    ],
)
def test_values_that_are_not_numbers_are_refused(wrong: Any, words: str) -> None:
    with pytest.raises(
        InputError, match=f"The different-author values are .*{words}.* Give numbers, one after the other"
    ):
        cllr(same=[1], different=wrong)


@pytest.mark.parametrize("judge", [elub, intervals, misleading])
def test_what_has_no_order_is_refused(judge: Callable[..., Any]) -> None:
    given = {"same": [1, 2], "different": [0], "same_authors": ["a", "b"], "different_authors": [("a", "b")]}
    judge(**given)
    for name, wrong in (
        ("same", {1.0, 2.0}),
        ("different", frozenset({1.0})),
        ("same_authors", {"a", "b"}),
        ("different_authors", {("a", "b")}),
        ("different_authors", {("a", "b"): 1}),
    ):
        with pytest.raises(InputError, match=r"are a (set|frozenset|dict), whose order says nothing.*Give a list"):
            judge(**{**given, name: wrong})


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("same_authors", "ab", "are a str. Give those of each trial, in a list"),
        ("same_authors", ["a"], "2 same-author trials and the authors of 1"),
        ("same_authors", ["a", None], "The author of a same-author trial is None"),
        ("same_authors", (name for name in "ab"), "are a generator"),
        ("different_authors", ["ab"], "The authors of a different-author trial are 'ab'. Give two names"),
        ("different_authors", [("a",)], r"are \('a',\)"),
        ("different_authors", [("a", 1)], r"are \('a', 1\)"),
        ("different_authors", [{"a", "b"}], "The authors of a different-author trial are {"),
        ("different_authors", [], "1 different-author trials and the authors of 0"),
    ],
)
def test_authors_are_names_one_entry_per_trial(name: str, wrong: Any, words: str) -> None:
    given = {"same": [1, 2], "different": [0], "same_authors": ["a", "b"], "different_authors": [("a", "b")]}
    with pytest.raises(InputError, match=words):
        misleading(**{**given, name: wrong})


def test_the_first_author_follows_the_last() -> None:
    assert [following([4, 7, 9], author) for author in (4, 7, 9)] == [7, 9, 4]


def test_the_columns_of_one_score() -> None:
    scores = Scores.of(score_of([1.0, 2.0], [4.0], n_tokens=3, n_hapaxes=2))
    assert len(scores) == 1
    assert (scores.lambda_g[0], scores.n_tokens[0], scores.n_hapaxes[0]) == (7, 3, 2)
    assert scores.sentence_norms[0] == 5  # of 3 and 4


def test_the_norm_survives_the_smallest_and_largest_numbers() -> None:
    assert sentence_norm([np.array([1e200]), np.array([1e200])]) == pytest.approx(math.sqrt(2) * 1e200)
    assert sentence_norm([np.array([3e-200, 0.0]), np.array([4e-200])]) == pytest.approx(5e-200)
    assert sentence_norm([]) == 0


def test_entries_are_taken_by_place_or_by_condition() -> None:
    trials = scored(same=[1, 2], different=[-1], same_authors=["a", "b"], different_authors=[("a", "b")])
    assert trials.take(np.array([2, 0])).lambda_g.tolist() == [-1, 1]
    kept = trials.take(trials.k_authors == "a")
    assert kept.lambda_g.tolist() == [1, -1]
    assert kept.q_authors.tolist() == ["a", "b"]
    assert type(kept) is type(trials)


def test_trials_have_one_value_and_both_authors_each() -> None:
    trials = scored(same=[1, 2], different=[-1, 3], same_authors=["a", "b"], different_authors=[("a", "b"), ("c", "a")])
    with_values = trials.trials(trials.lambda_g * 10)
    assert (with_values.same.tolist(), with_values.different.tolist()) == ([10, 20], [-10, 30])
    assert with_values.known_authors == (("a", "b"), (("a", "b"), ("c", "a")))
