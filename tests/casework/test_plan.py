"""A plan says who could take part as the case would, what so many authors support and what to do first, unscored."""

import json
import math
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from idiograph import Case, InputError, PlanRequest, plan_case
from idiograph.casework.findings import finding
from idiograph.casework.plan import (
    AtLengths,
    CasePlan,
    PlanTopics,
    _topic_steps,
    authors_for,
    plan_lines,
    steps_of,
    supported,
)
from idiograph.casework.published import expected, published
from idiograph.casework.verification import AuthorReason
from idiograph.evidence.published_trials import read_published, shipped_path
from made_texts import authors, compare_fully, sentences, write_case, write_text
from made_topic_case import ELSEWHERE, write_topic_case


def request(folder: Path, **changed: object) -> PlanRequest:
    given = {
        "questioned": str(folder / "q.txt"),
        "known": str(folder / "known"),
        "reference": str(folder / "reference"),
        "masking": "masked",
        "primary": "hapax",
    }
    return PlanRequest(**{**given, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [2, 3, 10, 14, 100, 1_000])
def test_n_authors_support_an_lr_of_n_at_best(n: int) -> None:
    """By hand: cost(t) = 1/(n+1) + e^t · 1/(n+1) passes 1 where e^t = n."""
    assert supported(n) == pytest.approx(n, rel=1e-12)


@pytest.mark.parametrize(("lr", "n"), [(2, 2), (10, 10), (11.5, 12), (100, 100), (1_000, 1_000)])
def test_how_many_authors_an_lr_takes(lr: float, n: int) -> None:
    assert authors_for(lr) == n


def test_the_plan_names_those_whom_the_validation_of_the_case_leaves_out(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=7)
    (tmp_path / "reference" / "author03" / "1.txt").unlink()
    (tmp_path / "reference" / "author03" / "2.txt").unlink()
    plan = plan_case(request(tmp_path))
    validation = compare_fully(tmp_path).validation
    assert validation is not None
    assert plan.left_out == validation.left_out
    assert plan.n_taking_part == len(validation.authors) == 6
    assert (plan.n_reference, plan.bound) == (7, pytest.approx(6.0))
    assert validation.bounds is not None
    assert validation.bounds.n_authors == 6


def test_the_plan_says_which_side_would_be_cut(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=8)
    for number in (1, 2):
        write_text(tmp_path / "known" / f"{number}.txt", sentences("lee", tokens=2_000 * number, seed=number))
    (cut,) = (sentence for sentence in plan_case(request(tmp_path)).given_up if "cut" in sentence)
    assert cut.startswith("K would be cut to 7")
    for seed, path in ((9, "q.txt"), (1, "known/1.txt"), (2, "known/2.txt")):
        write_text(tmp_path / path, sentences("lee", tokens=600, seed=seed))
    (cut,) = (sentence for sentence in plan_case(request(tmp_path, primary="normalised")).given_up if "cut" in sentence)
    assert cut.startswith("Q and K would be cut to 3")


def test_nothing_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("scored")

    monkeypatch.setattr("idiograph.casework.case_index.score_problems", refused)
    assert plan_case(request(write_case(tmp_path, n_authors=5))).n_taking_part == 5


def test_at_published_and_at_own_lengths(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    long = sentences("author00", tokens=6_000, seed=7)
    for part in range(4):
        write_text(tmp_path / "reference" / "author00" / f"long{part}.txt", long[part::4])
    plan = plan_case(request(tmp_path))
    assert plan.q_tokens is not None
    assert plan.k_tokens is not None
    by = {(at_length.q_tokens, at_length.k_tokens): at_length.n_authors for at_length in plan.at_lengths}
    assert by[(200, 500)] == 5
    assert by[(1_000, 3_000)] == 1
    assert by[(plan.q_tokens, plan.k_tokens)] == 5
    assert (plan.q_texts, plan.k_texts) == (1, 2)


def test_numbers_in_place_of_texts(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6)
    plan = plan_case(request(tmp_path, questioned="300", known="1,000,000"))
    assert (plan.q_tokens, plan.k_tokens, plan.q_texts) == (300, 1_000_000, None)
    assert plan.n_taking_part == 0
    assert {sample.author for sample in plan.left_out} == set(authors(6))
    assert plan.steps[0].kind == "authors"
    plan = plan_case(PlanRequest(questioned="300", known="1000", reference="12", bounds="elub"))
    assert (plan.n_reference, plan.n_taking_part, plan.bound) == (12, 12, pytest.approx(12.0))
    assert plan.nearest is not None
    assert (plan.nearest.q_tokens, plan.nearest.k_tokens) == (300, 1_000)
    assert plan.at_lengths == ()


def test_a_number_says_nothing_about_how_many_texts_there_will_be(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=12, tokens=60)
    (tmp_path / "q.txt").write_text((tmp_path / "q.txt").read_text() * 3)
    at_hand = plan_case(request(tmp_path))
    assert any("not from 1 and " in sentence for sentence in at_hand.given_up)
    numbers = plan_case(request(tmp_path, questioned="180", known="200"))
    assert numbers.n_taking_part == 6
    assert not any("as in the case" in sentence for sentence in numbers.given_up)


def test_a_file_whose_name_is_a_number_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "300").mkdir()
    (tmp_path / "q.txt").rename(tmp_path / "300" / "q.txt")
    monkeypatch.chdir(tmp_path)
    assert (plan_case(request(tmp_path, questioned="300")).q_tokens or 0) > 300
    with pytest.raises(InputError, match="There is nothing to plan with"):
        plan_case(PlanRequest(masking="masked"))


@pytest.mark.parametrize("wrong", ["0", "99999999999"])
def test_a_number_beyond_all_texts_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match=rf"{wrong} is given in place of texts\. Give a number from 1 to 10,000,000"):
        plan_case(PlanRequest(known=wrong))


@pytest.mark.parametrize("side", ["questioned", "known", "reference"])
def test_any_side_may_be_missing(tmp_path: Path, side: str) -> None:
    write_case(tmp_path, n_authors=5)
    without = plan_case(request(tmp_path, **{side: None}))
    alone = plan_case(PlanRequest(**{side: getattr(request(tmp_path), side)}, masking="masked", primary="hapax"))
    assert without.n_taking_part is None
    assert alone.n_taking_part is None
    if side == "reference":
        assert (without.bound, without.n_reference) == (None, None)
        assert AtLengths(200, 500, 5) in alone.at_lengths
        assert alone.bound == pytest.approx(5.0)  # if all of them could take part
    else:
        assert without.bound == pytest.approx(5.0)
        assert getattr(without, f"{side[0]}_tokens") is None
        assert getattr(alone, f"{side[0]}_tokens") > 200


def test_the_options_change_the_plan(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6)
    plain = plan_case(request(tmp_path))
    assert plan_case(request(tmp_path, exclude_authors=("author01",))).n_reference == 5
    assert plan_case(request(tmp_path, register="chat")).expected != plain.expected
    assert plan_case(request(tmp_path, primary="square_root")).expected != plain.expected
    assert "works-unknown" in {entry.code for entry in plain.findings}


def test_what_is_published_in_english_is_not_expected_of_another_language() -> None:
    german = plan_case(PlanRequest(questioned="500", known="2000", reference="30", language="de"))
    assert (german.method, german.expected, german.nearest) == ("controlled", (), None)
    assert plan_case(PlanRequest(questioned="500", known="2000", reference="30")).expected


def test_the_plan_follows_the_bounds_of_the_case_to_come() -> None:
    numbers = {"questioned": "500", "known": "2000", "reference": "15"}
    published, elub = (plan_case(PlanRequest(**numbers, bounds=bounds)) for bounds in ("auto", "elub"))
    assert (elub.bound, elub.n_published) == (pytest.approx(15.0), None)
    assert published.bound is not None
    assert published.bound > 15
    assert published.n_published is not None
    assert published.n_published > 100
    needed = {need.lr: need.n_authors for need in published.authors_for}
    assert needed[10] == 8  # the least that the method takes
    # At best each further author adds to both classes, and the published trials are a part of them.
    assert needed[100] <= 100
    trials = read_published(shipped_path())
    assert trials is not None
    counted = trials.near("controlled", 2_000)
    assert supported(needed[100], counted) >= 100 > supported(needed[100] - 1, counted)


@pytest.mark.parametrize(
    ("n_same", "n_different", "same", "different"),
    [
        (0, 0, "the Q and K of none of 9 authors can", "none of 9 pairs of different authors is as close"),
        (1, 1, "the Q and K of only 1 of 9 authors can", "only 1 of 9 pairs of different authors is as close"),
        (2, 3, "the Q and K of only 2 of 9 authors can", "only 3 of 9 pairs of different authors are as close"),
    ],
)
def test_how_many_are_as_close_in_topic_is_said_as_people_count(
    n_same: int, n_different: int, same: str, different: str
) -> None:
    of_same, of_different = ((0.2,) * n + (0.9,) * (9 - n) for n in (n_same, n_different))
    first, second = (step.sentence for step in _topic_steps(PlanTopics(0.2, of_same, of_different)))
    assert same in first
    assert different in second


def test_planned_lengths_of_a_case_given_its_topic(tmp_path: Path) -> None:
    """What is not there yet has no topic, so who can take part goes by lengths alone."""
    folder = write_topic_case(tmp_path)
    reference = str(folder / "reference")
    plan = plan_case(PlanRequest(questioned="60", known="120", reference=reference, masking="list"))
    assert (plan.method, plan.n_taking_part) == ("controlled", 12)


def test_the_plan_says_which_topics_the_reference_should_have(tmp_path: Path) -> None:
    def planned(folder: Path, **topics: object) -> CasePlan:
        folder = write_topic_case(folder, **topics)  # type: ignore[arg-type]
        sides = {"questioned": "q.txt", "known": "known", "reference": "reference"}
        return plan_case(PlanRequest(**{side: str(folder / name) for side, name in sides.items()}, masking="list"))

    shared = planned(tmp_path / "shared")
    assert shared.topics is not None
    assert (len(shared.topics.same), len(shared.topics.different)) == (12, 132)
    away = [abs(math.log((c + 0.02) / (shared.topics.closeness + 0.02))) for c in shared.topics.same]
    assert shared.topics.n_same == sum(closeness <= 0.3 for closeness in away)
    assert not [step for step in shared.steps if step.kind == "topic"]
    text = "\n".join(plan_lines(shared))
    assert "Name the registers of all three in the case file ([register])." in text
    assert f"{shared.topics.n_same} of 12 authors have a Q and a K that are about as close" in text
    # Authors who keep to topics of their own: nobody else writes on the matter of Q and K.
    by_topic = planned(tmp_path / "own", own_topics=True)
    assert by_topic.topics is not None
    assert by_topic.topics.n_different < 5
    steps = [step.sentence for step in by_topic.steps if step.kind == "topic"]
    assert steps[-1].startswith("Reference authors who write about the matter of Q and K: ")
    # Q and K about different things, by authors who have one topic each.
    far = planned(tmp_path / "far", q_topics=(ELSEWHERE,), own_topics=True)
    assert [step.sentence for step in far.steps if step.kind == "topic"] != steps


def test_the_method_is_that_of_a_case_unless_another_is_asked_for() -> None:
    case = Case(questioned={"Q": Path("q")}, known={"K": Path("k")}, reference=Path("r"), population="a")
    assert PlanRequest(known="300").primary == case.primary
    assert PlanRequest(known="300", primary="hapax").primary == "hapax"


def test_a_register_is_one_of_those_published() -> None:
    assert PlanRequest(register="e-mail").register in published().registers
    with pytest.raises(InputError, match=r"register must be one of chat, e-mail, .*, not \"email\""):
        PlanRequest(register="email")


LINES = finding("repeated-lines", "amber", lines="“Best regards, Lee” in 3 of 3")
WORKS = finding("works-unknown", "amber", none_of=8)
SHORT = expected("hapax", "chat")[0]
LONG = expected("hapax", "chat")[-1]


@pytest.mark.parametrize(
    ("able", "findings", "near", "prepared", "kinds"),
    [
        (3, (LINES, WORKS), SHORT, False, ["authors", "recipe", "works", "text"]),
        (7, (LINES, WORKS), SHORT, False, ["recipe", "authors", "works", "text"]),
        (7, (LINES,), SHORT, True, ["authors", "text"]),  # a recipe is used already
        (15, (WORKS,), SHORT, False, ["works", "text", "authors"]),
        (15, (), LONG, False, ["authors"]),  # no longer lengths were published
        (20, (), LONG, False, []),
        (None, (), SHORT, False, ["text"]),
        (None, (), None, False, []),
    ],
)
def test_the_step_that_helps_most_comes_first(
    able: int | None, findings: tuple, near: object, prepared: bool, kinds: list[str]
) -> None:
    assert [step.kind for step in steps_of(able, 10, findings, near, prepared=prepared, fewest=5)] == kinds  # type: ignore[arg-type]


def page(plan: CasePlan) -> str:
    return "\n".join(plan_lines(plan))


def test_the_page_of_numbers_alone() -> None:
    numbers = {"questioned": "300", "known": "1000", "reference": "12", "register": "chat"}
    text = page(plan_case(PlanRequest(**numbers, bounds="elub")))
    assert "  Q: 300 tokens\n  K: 1,000 tokens\n  Reference: 12 authors\n" in text
    assert "  12 of 12 authors at these lengths\n" in text
    assert "  12 authors can support an LR of 12 at best.\n" in text
    assert "  An LR of 10 takes 10, 100 takes 100, 1,000 takes 1,000 authors at least" in text
    near = expected("controlled", "chat")[1]
    assert f"→ Q    300  K   1,000: Cllr {near.cllr:.2f} ({near.cllr_low:.2f} to {near.cllr_high:.2f}), " in text
    assert text.count("→") == 1
    assert "far from" not in text
    assert "  They are counted together with 132 authors of the published validation; " not in text
    published = page(plan_case(PlanRequest(**numbers)))
    assert "  They are counted together with 132 authors of the published validation; " in published
    assert len(text.splitlines()) < 40  # a page


def test_what_values_were_worth_stands_beside_what_to_expect() -> None:
    text = page(plan_case(PlanRequest(questioned="300", known="1000", reference="12")))
    shipped = json.loads((files("idiograph.evidence") / "strength.json").read_text(encoding="utf-8"))["methods"]
    bands = [band for band in shipped["controlled"] if band["n_true"] or band["n_wrong"]]
    (told,) = (part for part in text.split("\n\n") if "What its reported values were worth" in part)
    lines = told.partition("over all registers:\n")[2].splitlines()
    assert len(lines) == len(bands)
    assert lines[0].startswith("    from 3 to 10: about ")
    assert "95 % interval" in lines[0]
    german = page(plan_case(PlanRequest(questioned="300", known="1000", reference="12", language="de")))
    assert "were worth" not in german  # measured on English alone


def test_the_page_names_whoever_is_left_out_and_what_is_given_up() -> None:
    plan = plan_case(PlanRequest(questioned="300", known="1000", reference="12"))
    plan = replace(plan, left_out=(AuthorReason("Lee", "only one text"),), given_up=("Half of it.",), findings=(WORKS,))
    text = page(plan)
    assert "  left out: Lee: only one text\n" in text
    assert "  Half of it.\n" in text
    assert (
        "  [amber] None of the reference's 8 texts names a work or a date, so the validation may compare parts of one "
        "work and look better than it is. Name the work or the date" in text
    )


def test_the_page_where_little_is_known() -> None:
    text = page(plan_case(PlanRequest(known="90000")))
    assert "  Q: not known yet\n" in text
    assert "  Reference: not known yet\n" in text
    assert "  That depends on the reference, which is not there yet.\n" in text
    assert "  K has 90,000 tokens, far from the nearest that was published (3,000).\n" in text
    text = page(replace(plan_case(PlanRequest(known="3000")), expected=(), nearest=None, steps=()))
    assert "The published validation has no figures for it.\n" in text
    assert "  Nothing can be told from this alone: make the case.\n" in text
