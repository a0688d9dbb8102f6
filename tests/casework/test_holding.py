"""A value held against imitators beside every case's value, and the flag: against oracles, and in all that is filed."""

import json
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import held_oracle
import idiograph
import normalised_oracle as oracle
from audited import findings_of
from idiograph import LLR, Verification
from idiograph.casework.holding import held_sentence, hold
from idiograph.casework.taking_part import plan_at_length
from idiograph.casework.variants import case_matrices
from idiograph.evidence import held as ceiling
from idiograph.evidence.constants import constants_for
from indexed import indexed, scored_case, scores_with_the_case, with_the_case
from made_texts import Comparison, case_of, write_case
from made_topic_case import topic_case, write_topic_case
from seen_report import filed_result, report_page

FLAGGING = ("cosine", "unlisted_distinct", "unlisted_cosine", "bare_distinct", "bare_cosine")
# Limits which every Q passes, and which free nothing.
LIMITS = [{"topic": dict.fromkeys(FLAGGING, 0.0), "typical": -99.0, "alone": -99.0, "flagged": 0.5}]


@pytest.fixture(scope="module")
def flagged(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """The topical case by limits that flag everybody."""
    folder = write_topic_case(tmp_path_factory.mktemp("flagged"))
    record = {**ceiling.shipped_record("idiograph.evidence", "held.json"), "limits": LIMITS}
    with mock.patch.object(ceiling, "shipped_record", return_value=record):
        return idiograph.verify(topic_case(folder))


def of(verification: Verification) -> Comparison:
    (comparison,) = verification.comparisons
    return comparison


def test_the_ceiling_stands_beside_the_value_and_names_what_limits_it(topical: Verification) -> None:
    held, reported = of(topical).held, of(topical).reported
    assert held is not None
    assert reported is not None
    assert held.nats == pytest.approx(held_oracle.held(reported.nats, held.bare, held.steady))
    lowest = min(("bare", "steady"), key=lambda key: getattr(held, key))
    assert held.limit == (lowest if held.nats < reported.nats else "value")
    filed = filed_result(topical)
    assert filed["held"]["nats"] == held.nats
    assert filed["against_imitators"] == of(topical).wording.held
    assert filed["reported"]["nats"] == reported.nats  # which it never changes


@pytest.mark.parametrize(
    ("bare", "steady", "limit", "most"),
    [(0.5, 3.0, "bare", "6.6"), (2.0, -0.5, "steady", "2.4"), (-3.0, 2.0, "bare", "1"), (9.0, 9.0, None, None)],
)
def test_page_one_says_no_more_than_this_is_safe_and_why(topical: Verification, bare, steady, limit, most) -> None:
    value = LLR(nats=3.0, how="controlled", value=3.0, unit="nats")
    nats = held_oracle.held(3.0, bare, steady)
    assert of(topical).held is not None
    held = replace(of(topical).held, nats=nats, limit=limit or "value", bare=bare, steady=steady)
    sentence = held_sentence(held, value)
    if limit is None:
        assert sentence is None
        return
    assert sentence is not None
    assert sentence.startswith(f"Against an imitator no more than {most} is safe, because ")
    assert ("and four times that is no more than 1." in sentence) == (bare < -2)  # which it never goes below
    because = {"bare": "most typical of K and those that K alone has", "steady": "commonest short patterns"}[limit]
    assert because in sentence
    assert "This is no alarm" in sentence
    raised = held_sentence(replace(held, flag=replace(held.flag, typical=99.0)), value)
    assert raised is not None
    assert "This by itself is no alarm" in raised
    assert " That Q owes its likeness to K's own phrases is an alarm. " in raised
    comparison = replace(of(topical), wording=replace(of(topical).wording, held=sentence))
    assert sentence in report_page(replace(topical, comparisons=(comparison,))).text


def test_the_limits_of_a_case_are_the_oracles(tmp_path: Path) -> None:
    case = scored_case(write_case(tmp_path, by="mallory", n_authors=8, tokens=100), repetitions=2)
    case_index, texts, _, whole_matrix, score, around = case
    matrix = whole_matrix.for_the_case(guard=True, hold=True)
    draws = case_matrices(case_index, texts, score, around, matrix, hold=True)
    held_value = hold(case_index, texts, around, draws, LLR(nats=9.0, how="normalised", value=9.0, unit="nats"))
    n = 8
    k_tokens = sum(text.n_tokens for text in texts.k)
    names = ("unlisted_distinct", "unlisted_cosine", "bare_distinct", "bare_cosine", "cosine")
    trials: dict[tuple[int, int], list[list[float]]] = {}
    of_case: list[list[float]] = []
    for number, draw in enumerate(matrix.draws):
        qs, ks = with_the_case(case_index, texts, draw)
        by_name = held_oracle.matrices(scores_with_the_case(case, matrix, number), qs, ks, range(n), 60)
        by_name["cosine"] = oracle.cosine_matrix(
            *([oracle.n_grams(text) for text in side] for side in (qs, ks)), range(n)
        )
        of_case.append([oracle.s_norm(by_name[name], n, n, range(n)) for name in names])
        for cell in ((b, a) for b in range(n) for a in range(n)):
            bare = [oracle.s_norm(by_name[name], *cell, range(n)) for name in ("bare_distinct", "bare_cosine")]
            trials.setdefault(cell, []).append(bare)
    same = [row for (b, a), rows in trials.items() for row in rows if a == b]
    different = [row for (b, a), rows in trials.items() for row in rows if a != b]
    weights = constants_for(n, ("bare_distinct", "bare_cosine"), k_tokens=k_tokens).weights
    fitted = oracle.fit(same, different, [weights.alpha, *weights.betas], 0.5 / n)
    mean = dict(zip(names, np.mean(of_case, axis=0), strict=True))
    assert held_value.bare == pytest.approx(
        fitted[0] + fitted[1] * mean["bare_distinct"] + fitted[2] * mean["bare_cosine"], abs=1e-4
    )
    assert held_value.flag.typical == pytest.approx(mean["cosine"] - mean["unlisted_cosine"], rel=1e-9)
    alone = mean["unlisted_distinct"] - mean["bare_distinct"] + mean["unlisted_cosine"] - mean["bare_cosine"]
    assert held_value.flag.alone == pytest.approx(alone / 2, rel=1e-9)


def test_the_flag_names_the_phrases_with_their_places(flagged: Verification, topical: Verification) -> None:
    held = of(flagged).held
    assert held is not None
    assert held.flag.raised
    assert held.phrases
    flag = findings_of(of(flagged))["owes-to-k"]
    assert flag.severity == "amber"
    words = {row.place: row for row in of(flagged).explanation.tokens}
    for phrase in held.phrases:
        for position in phrase.places:
            sentence, first = map(int, position.split("."))
            there = [words[f"{sentence}.{first + at}"] for at in range(len(phrase.tokens))]
            assert tuple(row.masked for row in there) == phrase.tokens
        sentence, first = map(int, phrase.places[0].split("."))
        written = [words[f"{sentence}.{first + at}"].original for at in range(len(phrase.tokens))]
        assert phrase.written == " ".join(written)
    assert f"“{held.phrases[0].written}”" in flag.message
    assert {phrase.alone for phrase in held.phrases} == {False, True}
    assert "said of 50 % of true authors' texts" in flag.message
    # By the limits that ship the same Q is not flagged, and nothing else differs.
    assert of(topical).held is not None
    assert not of(topical).held.flag.raised
    assert "owes-to-k" not in findings_of(of(topical))
    assert of(topical).reported == of(flagged).reported
    assert json.loads(json.dumps(filed_result(flagged)))["held"]["phrases"][0]["places"]


def test_topic_is_taken_out_of_the_flag_by_what_ships(flagged: Verification, topical: Verification) -> None:
    held, plain, of_value = of(topical).held, of(flagged).held, of(topical).controlled
    assert held is not None
    assert plain is not None
    assert of_value is not None
    shipped = Path(ceiling.__file__).with_name("held.json").read_text(encoding="utf-8")
    entry = json.loads(shipped)["limits"][0]
    b, g = entry["topic"], of_value[0].topic
    typical = b["cosine"] - b["unlisted_cosine"]
    alone = (b["unlisted_distinct"] - b["bare_distinct"] + b["unlisted_cosine"] - b["bare_cosine"]) / 2
    assert held.flag.typical == pytest.approx(plain.flag.typical - typical * g, rel=1e-9)
    assert held.flag.alone == pytest.approx(plain.flag.alone - alone * g, rel=1e-9)
    assert held.flag.limits == (entry["typical"], entry["alone"])
    assert held.flag.false_alarms == entry["flagged"]


def test_the_phrases_are_ks_own(flagged: Verification, tmp_path: Path) -> None:
    case_index, texts = indexed(topic_case(write_topic_case(tmp_path)))
    _, plan = plan_at_length(case_index, texts)
    q, k = (case_index.part(side).sentences for side in (texts.q, texts.k))
    cohort = [case_index.index.take(sample.k).sentences for sample in plan.draws[0]]
    lists = {
        phrase
        for m in (3, 4, 5)
        for phrase in held_oracle.typical(
            k, sum((held_oracle.phrases(other, m) for other in cohort), held_oracle.Counter()), m, 60
        )
    }
    in_q = {phrase for m in (3, 4, 5) for phrase in held_oracle.phrases(q, m)}
    assert of(flagged).held is not None
    named = {phrase.tokens for phrase in of(flagged).held.phrases if not phrase.alone}
    assert named <= lists & in_q
    assert all(any(part_of(phrase, other) for other in named) for phrase in lists & in_q)


def part_of(phrase, other):
    return any(phrase == other[at : at + len(phrase)] for at in range(len(other) - len(phrase) + 1))


def test_a_case_of_earlier_rules_and_a_quick_one_have_none(tmp_path: Path) -> None:
    folder = write_case(tmp_path, n_authors=6)
    for options in ({"rules": 1}, {"quick": True}):
        comparison = of(idiograph.verify(case_of(folder, primary="normalised"), **options))
        assert comparison.held is None
        assert comparison.wording.held is None
