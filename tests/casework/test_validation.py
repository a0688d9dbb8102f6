"""Validation under the case's own conditions: what the problems hold, how they are made, when nothing is reported."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from idiograph.casework.case import Case
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.inputs import read_inputs
from idiograph.casework.validation import outside, validate, with_learnt
from idiograph.casework.validation_design import ValidationPlan, ValidationProblem, plan_validation, problems_of
from idiograph.casework.verification import ValidationTrials
from idiograph.evidence.calibration import Calibrator
from made_texts import authors, sentences, write_case, write_text


def index_of(folder: Path, **changed: object) -> tuple[CaseIndex, CaseTexts]:
    case = Case(
        questioned={"Q1": folder / "q.txt"},
        known={"lee": folder / "known"},
        reference=folder / "reference",
        population="made-up people",
        masking="masked",
        repetitions=5,
        **changed,
    )
    inputs = read_inputs(case)
    return CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[CaseIndex, CaseTexts, ValidationPlan, tuple[ValidationProblem, ...]]:
    case_index, texts = index_of(write_case(tmp_path_factory.mktemp("case"), n_authors=6))
    plan = plan_validation(case_index, texts)
    return case_index, texts, plan, problems_of(case_index, plan)


def text_ids(case_index: CaseIndex, numbers: np.ndarray) -> set[str]:
    """Whose sentences these are, told by the index's own arrays."""
    return {case_index.index.text_ids[int(case_index.index.sentence_text[number])] for number in numbers}


def test_no_problem_holds_case_text_or_its_own_authors_in_its_reference(
    made: tuple[CaseIndex, CaseTexts, ValidationPlan, tuple[ValidationProblem, ...]],
) -> None:
    case_index, texts, _, problems = made
    of_case = {text.id for text in (*texts.q, *texts.k)}
    author_of = {text.id: text.author for text in texts.reference}
    assert len(problems) >= 6 * 6
    for one in problems:
        problem = one.problem(case_index)
        q, k, reference = (
            text_ids(case_index, side.sentence_numbers)  # type: ignore[attr-defined]
            for side in (problem.q, problem.k, problem.reference)
        )
        assert not of_case & (q | k | reference)
        assert {author_of[id_] for id_ in q} == {one.q.author}
        assert {author_of[id_] for id_ in k} == {one.k.author}
        # Everybody else, whole, and neither of the two.
        assert reference == {id_ for id_, author in author_of.items() if author not in (one.q.author, one.k.author)}
        assert not q & k


def test_problems_are_made_as_the_case_is(
    made: tuple[CaseIndex, CaseTexts, ValidationPlan, tuple[ValidationProblem, ...]],
) -> None:
    case_index, texts, plan, problems = made
    n_q, n_k = texts.q[0].n_tokens, sum(text.n_tokens for text in texts.k)
    assert plan.given_up == ()
    longest = int(case_index.index.sentence_lengths.max())
    for one in problems:
        q, k = case_index.index.take(one.q.q), case_index.index.take(one.k.k)
        assert n_q <= q.n_tokens < n_q + longest
        assert n_k <= k.n_tokens < n_k + 2 * longest  # a last sentence in each of two texts
        assert (len(q.text_ids), len(k.text_ids)) == (1, 2)
        for side in (q, k):
            for id_ in side.text_ids:
                own = [n for n in side.sentence_numbers if text_ids(case_index, np.array([n])) == {id_}]
                assert np.all(np.diff(own) == 1)  # in a row


def test_every_author_meets_himself_and_others(
    made: tuple[CaseIndex, CaseTexts, ValidationPlan, tuple[ValidationProblem, ...]],
) -> None:
    _, _, plan, problems = made
    pairs = {(one.q.author, one.k.author) for one in problems}
    assert pairs == {(a, b) for a in authors(6) for b in authors(6)}
    assert len({one.id for one in problems}) == len(problems)
    assert len(plan.draws) > 1  # few authors give more than one Q each


def test_more_workers_change_no_digit(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=5))
    one = validate(case_index, texts).validation
    other = validate(replace(case_index, workers=3), texts).validation
    assert one.trials is not None
    assert other.trials is not None
    assert one.trials.lambda_g.tolist() == other.trials.lambda_g.tolist()
    assert one.performance == other.performance


def jsonl_case(folder: Path, *, works: int) -> Path:
    """A case whose reference names the work of every text, three texts a work."""
    write_case(folder, n_authors=1)
    lines = [
        json.dumps(
            {
                "id": f"{author}/{work}/{part}",
                "author": author,
                "work": f"{author} {work}",
                "text": "\n".join(" ".join(s) for s in sentences(author, tokens=340, seed=10 * work + part)),
            }
        )
        for author in authors(6)
        for work in range(works)
        for part in range(3)
    ]
    (folder / "reference.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_q_and_k_come_from_different_works_where_the_texts_say_so(tmp_path: Path) -> None:
    folder = jsonl_case(tmp_path, works=2)
    case_index, texts = index_of(folder)
    case = replace(case_index.case, reference=folder / "reference.jsonl")
    inputs = read_inputs(case)
    case_index, texts = CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee")
    plan = plan_validation(case_index, texts)
    assert plan.condition.across == "work"
    work_of = {text.id: text.metadata["work"] for text in texts.reference}
    for one in problems_of(case_index, plan):
        q, k = ({work_of[id_] for id_ in text_ids(case_index, side)} for side in (one.q.q, one.k.k))
        assert not q & k


def test_one_work_an_author_is_given_up_in_words(tmp_path: Path) -> None:
    folder = jsonl_case(tmp_path, works=1)
    case_index, _ = index_of(folder)
    case = replace(case_index.case, reference=folder / "reference.jsonl")
    inputs = read_inputs(case)
    plan = plan_validation(CaseIndex.of(case, inputs, workers=1), inputs.texts("Q1", "lee"))
    assert "Q and K of an author may agree in work." in plan.given_up
    assert len(plan.authors) == 6


def test_fewer_texts_than_the_case_has_are_said(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=6, n_texts=2, tokens=300))
    for author in authors(6):
        write_text(tmp_path / "reference" / author / "1.txt", sentences(author, tokens=700, seed=5))
    case_index, texts = index_of(tmp_path)
    plan = plan_validation(case_index, texts)
    assert plan.given_up == ("Q and K were made of as many texts as it took, not of 1 and 2 as in the case.",)


def test_texts_half_as_long_are_used_with_an_amber_flag(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=3, tokens=300)
    for author in authors(6):
        for number in range(3):
            write_text(tmp_path / "reference" / author / f"{number}.txt", sentences(author, tokens=210, seed=number))
    case_index, texts = index_of(tmp_path)
    validation = validate(case_index, texts).validation
    assert [(flag.code, flag.severity) for flag in validation.red_flags] == [("validated-shorter", "amber")]
    assert any("cut to half" in sentence for sentence in validation.missing)
    # Near miss: long enough.
    write_case(tmp_path / "long", n_authors=6)
    assert validate(*index_of(tmp_path / "long")).validation.red_flags == ()


def test_one_text_an_author_is_used_with_a_red_flag(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=1)
    for author in authors(6):
        write_text(tmp_path / "reference" / author / "0.txt", sentences(author, tokens=1300, seed=1))
    case_index, texts = index_of(tmp_path)
    validated = validate(case_index, texts)
    assert [(flag.code, flag.severity) for flag in validated.validation.red_flags] == [
        ("validated-within-one-text", "red")
    ]
    plan = plan_validation(case_index, texts)
    for one in problems_of(case_index, plan):
        if one.same_author:
            assert text_ids(case_index, one.q.q) == text_ids(case_index, one.k.k)
            assert not set(one.q.q.tolist()) & set(one.k.k.tolist())


def test_too_few_authors_say_what_is_missing_and_what_it_takes(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=4))
    validation = validate(case_index, texts).validation
    assert validation.refusal is not None
    assert "only 4 reference authors have enough text" in validation.refusal
    n_q = texts.q[0].n_tokens
    assert any(f"it takes 20 with two texts or more, {n_q} tokens for a Q" in said for said in validation.missing)
    assert validate(*index_of(write_case(tmp_path / "five", n_authors=5))).validation.refusal is None


def test_a_single_reference_author_validates_nothing(tmp_path: Path) -> None:
    validation = validate(*index_of(write_case(tmp_path, n_authors=1, n_texts=9))).validation
    assert validation.trials is None
    assert "only 1 reference author has" in (validation.refusal or "")


def test_problems_without_enough_reference_are_said(tmp_path: Path) -> None:
    """Two authors hold nearly all of the reference: without them it is shorter than a K."""
    write_case(tmp_path, n_authors=2)
    for author in ("x", "y", "z"):
        write_text(tmp_path / "reference" / author / "0.txt", sentences(author, tokens=20, seed=1))
    validation = validate(*index_of(tmp_path)).validation
    assert any(said.startswith("Some problems could not be made: The reference has") for said in validation.missing)
    assert "only 2 reference authors have enough text" in (validation.refusal or "")


def test_more_authors_than_there_is_time_for_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=24, tokens=60))
    assert len(plan_validation(case_index, texts).authors) == 24
    monkeypatch.setattr("idiograph.casework.validation_design._BUDGET", 1)
    plan = plan_validation(case_index, texts)
    assert len(plan.authors) == 20
    assert "Of 24 authors who could take part 20 were drawn, to keep the time in bounds." in plan.given_up
    problems = problems_of(case_index, plan)
    for draw in range(len(plan.draws)):
        own = [one for one in problems if one.id.startswith(f"validation/{draw}/")]
        assert len(own) == 20 * 3  # each against himself and two others


def test_validation_that_fails_is_refused(tmp_path: Path) -> None:
    """Folders that mix writers: what is called one author is not, so Cllr is above 1."""
    write_case(tmp_path, n_authors=6)
    names = authors(6)
    for place, author in enumerate(names):
        for number in range(3):
            writer = names[(place + number * 2) % 6]
            made = sentences(writer, tokens=340, seed=100 + number)
            write_text(tmp_path / "reference" / author / f"{number}.txt", made)
    validation = validate(*index_of(tmp_path)).validation
    cllr = validation.performance["hapax"].cllr.value
    assert cllr is not None
    assert cllr >= 1
    assert validation.refusal == (
        f"validation under the conditions of the case gave a Cllr of {cllr:.2f} for the primary method; 1 is what "
        "saying nothing costs"
    )


def trials_of(n: int, *, gap: float, seed: int = 0) -> ValidationTrials:
    """Made-up trials of n authors, each against themselves and all others."""
    names = authors(n)
    pairs = [(q, k) for q in names for k in names]
    same = np.array([q == k for q, k in pairs])
    rng = np.random.default_rng(seed)
    lambda_g = np.where(same, gap, -gap) + rng.normal(0, 2, len(pairs))
    size = np.full(len(pairs), 100)
    return ValidationTrials(
        problem_ids=np.array([f"{k}/{q}" for q, k in pairs], object),
        q_authors=np.array([q for q, _ in pairs], object),
        k_authors=np.array([k for _, k in pairs], object),
        same_author=same,
        lambda_g=lambda_g,
        n_tokens=size,
        n_hapaxes=size // 4,
        n_sentences=size // 10,
        k_tokens=3 * size,
        sentence_norms=np.ones(len(pairs)),
        nats={"hapax": lambda_g * 0.8},
    )


def test_calibration_never_saw_the_authors_of_the_trial() -> None:
    trials, learnt, notes = with_learnt(trials_of(10, gap=1.0))
    assert notes == {}
    whole = Calibrator.fit(same=trials.lambda_g[trials.same_author], different=trials.lambda_g[~trials.same_author])
    assert learnt["logistic"].nats(trials).tolist() == whole.nats(trials.lambda_g).tolist()
    for place in (0, 1, 37, 99):
        involved = {trials.q_authors[place], trials.k_authors[place]}
        kept = np.array([not involved & {q, k} for q, k in zip(trials.q_authors, trials.k_authors, strict=True)])
        alone = Calibrator.fit(
            same=trials.lambda_g[kept & trials.same_author], different=trials.lambda_g[kept & ~trials.same_author]
        )
        expected = alone.intercept + alone.slope * trials.lambda_g[place]
        assert trials.nats["logistic"][place] == pytest.approx(expected, rel=1e-9)


def test_perfect_separation_is_said_and_nothing_is_fitted() -> None:
    trials, learnt, notes = with_learnt(trials_of(10, gap=50.0))
    assert learnt == {}
    assert "logistic" not in trials.nats
    assert notes["logistic"].startswith("Logistic regression was not fitted. In 56 of 56 fits the scores of the two")


@pytest.mark.parametrize(
    ("changed", "where", "words"),
    [
        ({}, None, None),
        ({"n_q": 49}, "lengths", "Q has 49 tokens; in the validation problems it had 100 to 100."),
        ({"n_q": 50}, None, None),
        ({"n_k": 601}, "lengths", "K has 601 tokens"),
        ({"n_k": 600}, None, None),
        ({"nats": 100.0}, "sizes", "The calculated log10 LR of 43.4 lies beyond"),
        ({"lambda_g": -100.0}, "sizes", "λG is -100.0; in the validation problems it was"),
    ],
)
def test_whether_the_case_lies_outside(changed: dict[str, float], where: str | None, words: str | None) -> None:
    usual = {"n_q": 100, "n_k": 300, "nats": 0.1, "lambda_g": 0.1}
    found = outside(trials_of(10, gap=1.0), primary="hapax", **{**usual, **changed})  # type: ignore[arg-type]
    if where is None:
        assert (found.lengths, found.sizes) == ((), ())
    else:
        assert getattr(found, where)[0].startswith(words or "")
