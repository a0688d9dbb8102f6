"""Validation under the case's own conditions: what the problems hold, how they are made, when nothing is reported."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from idiograph import Calibrator, PlanRequest, plan_case
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.validation import Validated, outside_lengths, outside_sizes, validate, with_learnt
from indexed import CaseIndex, index_of, text_ids
from made_texts import CaseTexts, authors, compare_fully, sentences, write_case, write_text
from made_up_case import ValidationTrials, validation_trials


def validated(case_index: CaseIndex, texts: CaseTexts) -> Validated:
    return validate(case_index, texts, plan_validation(case_index, texts))


def test_more_workers_change_no_digit(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=5))
    comparison = validated(case_index, texts).validation
    other = validated(replace(case_index, workers=3), texts).validation
    assert comparison.trials is not None
    assert other.trials is not None
    assert comparison.trials.lambda_g.tolist() == other.trials.lambda_g.tolist()
    assert comparison.performance == other.performance


def test_texts_half_as_long_are_used_with_an_amber_flag(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=3, tokens=300)
    for author in authors(6):
        for number in range(3):
            write_text(tmp_path / "reference" / author / f"{number}.txt", sentences(author, tokens=210, seed=number))
    case_index, texts = index_of(tmp_path)
    validation = validated(case_index, texts).validation
    assert [(flag.code, flag.severity) for flag in validation.red_flags] == [("validated-shorter", "amber")]
    assert any("half as long as in the case" in sentence for sentence in validation.missing)
    # Near miss: long enough.
    write_case(tmp_path / "long", n_authors=6)
    assert validated(*index_of(tmp_path / "long")).validation.red_flags == ()


def test_one_text_an_author_is_used_with_a_red_flag(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=1)
    for author in authors(6):
        write_text(tmp_path / "reference" / author / "0.txt", sentences(author, tokens=1300, seed=1))
    case_index, texts = index_of(tmp_path)
    flags = validated(case_index, texts).validation.red_flags
    assert [(flag.code, flag.severity) for flag in flags] == [("validated-within-one-text", "red")]
    for draw in plan_validation(case_index, texts).draws[0]:
        assert text_ids(case_index, draw.q) == text_ids(case_index, draw.k)
        assert not set(draw.q.tolist()) & set(draw.k.tolist())


def test_too_few_authors_say_what_is_missing_and_what_it_takes(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=4))
    validation = validated(case_index, texts).validation
    assert validation.refusal is not None
    assert "only 4 reference authors have enough text" in validation.refusal
    n_q = texts.q[0].n_tokens
    assert any(f"need 20 authors with {n_q} tokens for Q and" in sentence for sentence in validation.missing)
    assert validated(*index_of(write_case(tmp_path / "five", n_authors=5))).validation.refusal is None


def test_what_is_normalised_takes_more_authors_and_a_plan_says_so(tmp_path: Path) -> None:
    """Three folds of seven authors leave four to judge the largest by, and normalising takes five."""
    write_case(tmp_path, n_authors=7)
    comparison = compare_fully(tmp_path, primary="normalised")
    assert comparison.refusal == (
        "No likelihood ratio is reported because only 7 reference authors have enough text to validate the method "
        "under the conditions of the case, and at least 8 are needed."
    )
    assert "The method could not be validated under the conditions of the case." in comparison.wording.limits
    assert not any(sentence.startswith("Validated on") for sentence in comparison.wording.limits)
    sides = {side: str(tmp_path / name) for side, name in (("questioned", "q.txt"), ("known", "known"))}
    sides["reference"] = str(tmp_path / "reference")
    plan = plan_case(PlanRequest(**sides, masking="masked"))
    assert plan.bound is None
    assert "With 7 nothing can be reported: 8 are the least" in plan.steps[0].sentence
    assert plan_case(PlanRequest(**sides, masking="masked", primary="hapax")).bound == pytest.approx(7.0)
    other = compare_fully(tmp_path)
    assert other.reported is not None
    assert other.validation is not None
    assert any(
        sentence.startswith(
            "Reference-normalised was not computed. 7 reference authors have enough text, and at least 8"
        )
        for sentence in other.validation.missing
    )
    write_case(tmp_path / "eight", n_authors=8)
    enough = compare_fully(tmp_path / "eight", primary="normalised")
    assert "at least 8" not in str(enough.refusal)


def test_a_single_reference_author_validates_nothing(tmp_path: Path) -> None:
    validation = validated(*index_of(write_case(tmp_path, n_authors=1, n_texts=9))).validation
    assert validation.trials is None
    assert "only 1 reference author has" in (validation.refusal or "")


def test_problems_without_enough_reference_are_said(tmp_path: Path) -> None:
    """Two authors hold nearly all of the reference: without them it is shorter than a K."""
    write_case(tmp_path, n_authors=2)
    for author in ("x", "y", "z"):
        write_text(tmp_path / "reference" / author / "0.txt", sentences(author, tokens=20, seed=1))
    validation = validated(*index_of(tmp_path)).validation
    assert any(
        sentence.startswith("Some problems could not be made: The reference has") for sentence in validation.missing
    )
    assert "only 2 reference authors have enough text" in (validation.refusal or "")


def test_validation_that_fails_is_refused(tmp_path: Path) -> None:
    """Folders that mix writers: what is called one author is not, so Cllr is above 1."""
    write_case(tmp_path, n_authors=6)
    names = authors(6)
    for at, author in enumerate(names):
        for number in range(3):
            writer = names[(at + number * 2) % 6]
            written = sentences(writer, tokens=340, seed=100 + number)
            write_text(tmp_path / "reference" / author / f"{number}.txt", written)
    validation = validated(*index_of(tmp_path)).validation
    cllr = validation.performance["hapax"].cllr.value
    assert cllr is not None
    assert cllr >= 1
    assert validation.refusal == (
        "on problems with known answers, made like this case, the method did no better than giving no evidence (Cllr "
        f"{cllr:.2f}; 0 would be perfect)"
    )


def trials_of(n: int, *, gap: float, seed: int = 0) -> ValidationTrials:
    """Made-up trials of n authors, each against themselves and all others."""
    names = authors(n)
    pairs = [(q, k) for q in names for k in names]
    same = np.array([q == k for q, k in pairs])
    rng = np.random.default_rng(seed)
    lambda_g = np.where(same, gap, -gap) + rng.normal(0, 2, len(pairs))
    q_authors, k_authors = ([pair[side] for pair in pairs] for side in (0, 1))
    return validation_trials(q_authors, k_authors, same, lambda_g, {"hapax": lambda_g * 0.8})


def test_calibration_never_saw_the_authors_of_the_trial() -> None:
    trials, learnt, notes = with_learnt(scored := trials_of(10, gap=1.0), scored)
    assert notes == {}
    whole = Calibrator.fit(same=trials.lambda_g[trials.same_author], different=trials.lambda_g[~trials.same_author])
    assert learnt["logistic"].nats(trials).tolist() == whole.nats(trials.lambda_g).tolist()
    for row in (0, 1, 37, 99):
        involved = {trials.q_authors[row], trials.k_authors[row]}
        kept = np.array([not involved & {q, k} for q, k in zip(trials.q_authors, trials.k_authors, strict=True)])
        alone = Calibrator.fit(
            same=trials.lambda_g[kept & trials.same_author], different=trials.lambda_g[kept & ~trials.same_author]
        )
        expected = alone.intercept + alone.slope * trials.lambda_g[row]
        assert trials.nats["logistic"][row] == pytest.approx(expected, rel=1e-9)


def test_perfect_separation_is_said_and_nothing_is_fitted() -> None:
    trials, learnt, notes = with_learnt(scored := trials_of(10, gap=50.0), scored)
    assert learnt == {}
    assert "logistic" not in trials.nats
    assert notes["logistic"].startswith("Logistic regression was not fitted. In 56 of 56 fits the scores of the two")


@pytest.mark.parametrize(
    ("n_q", "n_k", "rules", "words"),
    [
        (100, 300, 2, None),
        (89, 300, 2, "Q has 89 tokens; in the validation problems it had 100 to 100."),
        (90, 300, 2, None),
        (100, 269, 2, "K has 269 tokens; in the validation problems it had 300 to 300."),
        (100, 601, 2, "K has 601 tokens"),
        (100, 600, 2, None),
        (89, 300, 1, None),  # as 0.3.0 had it
        (49, 300, 1, "Q has 49 tokens"),
        (50, 300, 1, None),
    ],
)
def test_a_case_shorter_by_more_than_a_tenth_or_twice_as_long_was_not_validated(
    n_q: int, n_k: int, rules: int, words: str | None
) -> None:
    entries = outside_lengths(trials_of(10, gap=1.0), n_q=n_q, n_k=n_k, rules=rules)
    assert entries == () if words is None else entries[0].startswith(words)


@pytest.mark.parametrize(
    ("nats", "lambda_g", "words"),
    [
        (0.1, 0.1, None),
        (100.0, 0.1, "The calculated LR of 2.7 × 10^43 lies beyond"),
        (0.1, -100.0, "The raw score λG of −100.0 lies beyond those of the validation problems"),
    ],
)
def test_a_value_beyond_all_that_were_validated_is_said(nats: float, lambda_g: float, words: str | None) -> None:
    entries = outside_sizes(trials_of(10, gap=1.0), nats=nats, lambda_g=lambda_g, primary="hapax")
    assert entries == () if words is None else entries[0].startswith(words)
