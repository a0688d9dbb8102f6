"""A case from end to end: its number, what stands around it, and its result as plain values."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import idiograph
import made_up_case
from idiograph import InputError, Verification, listening
from idiograph.casework import validation
from idiograph.casework import verify as module
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.verification import plain
from idiograph.casework.verify import decide, make_ready
from idiograph.progress import Event
from made_texts import case_of, compare, compare_fully, sentences, write_case, write_text
from seen_report import filed_result


def test_the_value_is_the_primary_method_within_its_bounds(verified: Verification) -> None:
    comparison = verified.comparisons[0]
    assert comparison.validation is not None
    assert comparison.validation.bounds is not None
    assert comparison.reported is not None
    computed = comparison.llrs["hapax"]
    assert comparison.computed == computed
    by_hand = comparison.lambda_g * comparison.score.n_hapaxes / comparison.score.n_tokens * math.log(2)
    assert computed.nats == pytest.approx(by_hand, rel=1e-12)
    low, high = comparison.validation.bounds.lower, comparison.validation.bounds.upper
    assert comparison.reported.nats == min(max(computed.nats, low), high)
    assert (comparison.wording.bound is None) == (low <= computed.nats <= high)
    assert comparison.wording.verbal == comparison.reported.verbal("enfsi")
    assert set(comparison.llrs) == set(comparison.validation.trials.nats) if comparison.validation.trials else False


def test_the_true_writer_is_supported_and_another_is_not(texts: Path, tmp_path: Path, verified: Verification) -> None:
    assert verified.comparisons[0].llrs["hapax"].nats > 0
    for path in texts.rglob("*.txt"):
        (tmp_path / path.relative_to(texts)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path.relative_to(texts)).write_bytes(path.read_bytes())
    write_text(tmp_path / "q.txt", sentences("somebody else", tokens=300, seed=9))
    other = idiograph.verify(case_of(tmp_path), quick=True)
    assert other.comparisons[0].llrs["hapax"].nats < 0


def test_nothing_is_scored_before_the_case_is_hashed_and_validated(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of events, seen from outside: all validation, and Q last; the digest is there before either."""
    events: list[str] = []
    validate, score_case = module.validate, CaseIndex.score_case

    def watched_validate(*arguments: object, **named: object) -> object:
        events.append("validated")
        return validate(*arguments, **named)  # type: ignore[arg-type]

    def watched_score(*arguments: object, **named: object) -> object:
        events.append("scored")
        return score_case(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "validate", watched_validate)
    monkeypatch.setattr(CaseIndex, "score_case", watched_score)
    ready = make_ready(case_of(texts, questioned={"Q1": texts / "q.txt", "Q2": texts / "q.txt"}))
    assert events == []
    assert len(ready.digest) == 64
    done = decide(ready)
    assert events[:3] == ["validated", "validated", "scored"]
    assert done.case_digest == ready.digest


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 2), ("discount", 0.5), ("primary", "sentence"), ("scale", "numbers"), ("bounds", "none")],
)
def test_every_setting_changes_what_it_should(texts: Path, verified: Verification, name: str, value: object) -> None:
    comparison = verified.comparisons[0]
    quick = name in ("seed", "discount")
    other = idiograph.verify(case_of(texts, **{name: value}), quick=quick).comparisons[0]
    if name in ("seed", "discount"):
        assert other.lambda_g != comparison.lambda_g
    elif name == "primary":
        assert other.lambda_g == comparison.lambda_g
        assert other.computed == comparison.llrs["sentence"]
        assert any("Idiograph's own" in sentence for sentence in other.wording.limits)
    elif name == "scale":
        assert other.wording.verbal is None
        assert other.reported == comparison.reported
    else:
        assert other.validation is not None
        assert other.validation.bounds is None
        assert other.reported == other.computed


@pytest.mark.tagger
def test_plain_texts_are_masked_and_explained_in_their_own_words(tmp_path: Path) -> None:
    def write(name: str, *lines: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")

    more = (
        "Nobody could say when the last boat would leave the harbour that evening.", "She had never seen so much snow.",
        "After dinner he read to them from a book that his uncle had sent.", "What would you have done in his place?",
        "The road was longer than they had thought, and the horses were tired.", "There is a light in the window.",
        "If the weather holds, we shall go up to the lake with the others on Sunday.", "He only laughed at this.",
        "Most of the letters were lost in the fire, so nothing more is known about her.", "It may well be too late.",
        "They waited for an hour before somebody came to open the gate.", "You know how it is with old clocks.",
        "Some of the men wanted to turn back, others would not hear of it.", "All this was long before the war.",
        "My brother says that he can mend it by himself.", "From here one sees both towers and the bridge.",
    )  # fmt: skip
    write("q.txt", "I’d have walked to the market, but it rained all day.", "Please tell Anna that we came home late.",
          *more)  # fmt: skip
    write("known/a.txt", "I’d have written before, but there was no time.", *(line.upper() for line in more[::3]))
    write("known/b.txt", "It rained, so we came home and slept.", *(line.lower() for line in more[1::3]))
    for author in ("ann", "bob", "cat", "dan", "eve"):
        write(f"reference/{author}/1.txt", f"The shop was closed when {author} arrived.", "Nobody knew why it was so.")
        write(f"reference/{author}/2.txt", f"They said that {author} had left early, which was true.")
    comparison = compare(case_of(tmp_path, masking="posnoise"))
    rows = [row for row in comparison.explanation.tokens if not row.is_end]
    assert [row.original for row in rows[:6]] == ["I", "’d", "have", "walked", "to", "the"]
    assert [row.masked for row in rows[:6]] == ["i", "'d", "have", "V", "to", "the"]
    content = comparison.explanation.originals["questioned/Q1/q.txt"]
    assert all(content[row.start : row.end] == row.original for row in rows)
    assert "mask:posnoise" in comparison.score.signature
    assert any(sentence.startswith("Masking (posnoise") for sentence in comparison.wording.limits)


def test_a_quick_run_says_so_and_has_no_bounds(texts: Path) -> None:
    done = idiograph.verify(case_of(texts), quick=True)
    comparison = done.comparisons[0]
    assert done.quick
    assert comparison.validation is None
    assert comparison.reported == comparison.computed
    assert any("left out (quick run)" in sentence for sentence in comparison.wording.limits)


def test_a_quick_run_cannot_calibrate(texts: Path) -> None:
    with pytest.raises(InputError, match="learns from the validation problems, and a quick run makes none"):
        idiograph.verify(case_of(texts, primary="logistic"), quick=True)


def test_calibration_may_be_the_primary_method(texts: Path) -> None:
    """Made-up authors differ so much that nothing can be fitted: that is the reason given, and nothing is reported."""
    comparison = compare_fully(texts, primary="logistic")
    assert comparison.computed is None
    assert comparison.reported is None
    assert (comparison.refusal or "").startswith(
        "No likelihood ratio is reported because the primary method could not be fitted: Logistic regression was not"
    )
    assert not (comparison.refusal or "").endswith("..")


def test_several_questioned_texts_and_candidates_are_compared_in_pairs(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    write_text(tmp_path / "q2.txt", sentences("li", tokens=300, seed=9))
    for number in (1, 2):
        write_text(tmp_path / "li" / f"{number}.txt", sentences("li", tokens=300, seed=number))
    case = case_of(
        tmp_path,
        questioned={"Q1": tmp_path / "q.txt", "Q2": tmp_path / "q2.txt"},
        known={"lee": tmp_path / "known", "li": tmp_path / "li"},
    )
    done = idiograph.verify(case, quick=True)
    by_pair = {(comparison.label, comparison.candidate): comparison for comparison in done.comparisons}
    assert list(by_pair) == [("Q1", "lee"), ("Q1", "li"), ("Q2", "lee"), ("Q2", "li")]
    assert by_pair["Q1", "lee"].lambda_g > by_pair["Q1", "li"].lambda_g
    assert by_pair["Q2", "li"].lambda_g > by_pair["Q2", "lee"].lambda_g
    # A pair on its own gives the same digits: the other pairs' texts are on the same index and in no model.
    alone = compare(case_of(tmp_path))
    assert alone.lambda_g == by_pair["Q1", "lee"].lambda_g
    result = filed_result(done)
    assert result["n_comparisons"] == len(result["comparisons"]) == 4


@pytest.mark.parametrize("primary", ["hapax", "normalised"])
def test_every_stage_has_a_name_and_counts_all_its_problems(tmp_path: Path, primary: str) -> None:
    """The whole of each stage is known when it begins, and reached when it ends; nothing is scored outside a stage."""
    told: list[Event] = []
    write_case(tmp_path, n_authors=9, tokens=150)
    with listening(told.append):
        idiograph.verify(case_of(tmp_path, primary=primary))
    ended = [event for event in told if event.state == "finished"]
    assert {event.stage for event in told} == {event.stage for event in ended}
    problems = {event.stage: event for event in ended if event.unit == "problems"}
    assert {"Validating Q1 and lee", "Others in place of Q1 and lee", "Sensitivity of Q1 and lee"} <= set(problems)
    for event in problems.values():
        assert event.done == event.total, event
    assert problems["Validating Q1 and lee"].done >= 9 * 9


def test_comparisons_with_the_same_problems_are_validated_once_and_say_what_each_would_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_case(tmp_path, n_authors=9, tokens=160)
    lines = (tmp_path / "q.txt").read_text(encoding="utf-8").splitlines()
    (tmp_path / "q2.txt").write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    (tmp_path / "q3.txt").write_text("\n".join(lines[:-3]) + "\n", encoding="utf-8")
    questioned = {f"Q{number}": tmp_path / name for number, name in enumerate(("q.txt", "q3.txt", "q2.txt"), start=1)}
    plain, scored = validation.score_matrix, list[str]()

    def counted(*arguments: object, name: str) -> object:
        scored.append(name)
        return plain(*arguments, name=name)  # type: ignore[arg-type]

    monkeypatch.setattr(validation, "score_matrix", counted)
    case = case_of(tmp_path, questioned=questioned, primary="normalised", repetitions=2)
    together = filed_result(idiograph.verify(case))
    assert scored == ["Q1 and lee", "Q2 and lee"]
    scored.clear()
    monkeypatch.setattr(module, "same_problems", lambda plans: [[number] for number in range(len(plans))])
    assert filed_result(idiograph.verify(case)) == together
    assert len(scored) == 3


def test_a_case_is_refused_if_any_comparison_is() -> None:
    assert not made_up_case.verification(made_up_case.comparison()).refused
    assert made_up_case.verification(made_up_case.comparison(), made_up_case.refused("Li")).refused


def test_the_computed_value_is_that_of_the_primary_method() -> None:
    done = made_up_case.comparison()
    assert done.computed == done.llrs["hapax"]
    assert replace(done, primary="logistic").computed is None
    assert done.lambda_g == done.score.lambda_g


def test_alternatives_are_found_by_what_was_changed() -> None:
    told = made_up_case.comparison().sensitivity
    assert told is not None
    assert [row.label for row in told.of("seed")] == ["2", "3"]
    assert told.of("nothing") == ()


def test_every_number_survives_json(verified: Verification) -> None:
    result = filed_result(verified)
    comparison = verified.comparisons[0]
    assert result["lambda_g"] == comparison.score.lambda_g
    assert result["reference_totals"] == list(comparison.score.reference_totals)
    assert (result["n_tokens"], result["n_hapaxes"]) == (comparison.score.n_tokens, comparison.score.n_hapaxes)
    assert math.isclose(math.fsum(result["sentence_lambda_g"]), result["lambda_g"], rel_tol=1e-12)
    assert result["case_digest"] == verified.case_digest
    assert set(result["llr"]) == set(comparison.llrs)


def test_several_comparisons_stand_in_a_list() -> None:
    result = filed_result(made_up_case.verification(made_up_case.comparison(), made_up_case.comparison(candidate="Li")))
    assert [comparison["candidate"] for comparison in result["comparisons"]] == ["Lee", "Li"]
    assert result["n_comparisons"] == 2
    assert "lambda_g" not in result


def test_values_become_what_json_has() -> None:
    assert plain({1: (np.array([1.5]), Path("a") / "b", None)}) == {"1": [[1.5], "a/b", None]}
