"""Models and λG of the reference implementations (R kgrams 0.2.1, idiolect 1.2.0.9000), to 1e-9."""

import json
from math import log
from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import GrammarModel
from idiograph.grammar.lambdag import score_drawn
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.sides import bring_together

TOY = json.loads((Path(__file__).parents[1] / "data" / "toy_lm.json").read_text(encoding="utf-8"))
MARKS = ("___BOS___", "___EOS___")


def tokens(line: str) -> tuple[str, ...]:
    # Only a plain blank separates tokens there.
    return tuple(token for token in line.split(" ") if token)


def sentences(lines: list[str]) -> list[tuple[str, ...]]:
    return [tokens(line) for line in lines]


def toy_sets():
    # N = 1 is off by one in kgrams.
    return [pytest.param(toy, id=f"{toy['set']}-{toy['N']}") for toy in TOY if toy["N"] > 1]


@pytest.mark.parametrize("toy", toy_sets())
def test_conditional_probabilities_of_the_toy_models(toy):
    model = GrammarModel.fit(sentences(toy["train"]), order=toy["N"], discount=toy["D"])
    for asked in toy["cond"]:
        context = tokens(asked["context"])
        marks = context.count(MARKS[0])
        for word, expected in zip(asked["words"], asked["p"], strict=True):
            token = None if word == MARKS[1] else word
            assert model.prob(token, after=context[marks:], marks=marks) == pytest.approx(expected, rel=1e-9), (
                context,
                word,
            )


@pytest.mark.parametrize("toy", toy_sets())
def test_sentence_probabilities_of_the_toy_models(toy):
    model = GrammarModel.fit(sentences(toy["train"]), order=toy["N"], discount=toy["D"])
    checked = 0
    for line, expected in zip(toy["sentences"], toy["lnp_sentence"], strict=True):
        if not any(mark in line for mark in MARKS):  # marks there, plain tokens here
            assert model.log10_probs(tokens(line)).sum() * log(10) == pytest.approx(expected, rel=1e-9)
            checked += 1
    assert checked >= 10


def golden(shared: Path, name: str):
    return json.loads((shared / "golden" / f"{name}.json").read_text(encoding="utf-8"))


def scored(problem, draws):
    """The engine's score with the golden file's own draws."""
    q, k, reference = (sentences(problem[name]) for name in ("q_sents", "k_sents", "ref_sents"))
    settings = LambdaGSettings(order=problem["N"], discount=problem["D"], repetitions=len(draws))
    sides = bring_together(q=q, k=k, reference=reference, order=settings.order)
    return score_drawn([(sides, np.array(draws), settings)])[0]


def test_one_authors_model_on_another_authors_text(shared):
    enron = golden(shared, "enron_lm")["punct"]
    model = GrammarModel.fit(sentences(enron["train"]), order=enron["N"], discount=enron["D"])
    log10_probs = [model.log10_probs(sentence) for sentence in sentences(enron["query"])]
    assert [float(probs.sum()) for probs in log10_probs] == pytest.approx(enron["log10p"], rel=1e-9)
    for probs, expected in zip(log10_probs, enron["token_p_first3"], strict=False):
        assert 10**probs == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("number", range(6))
def test_lambda_g_with_the_drawn_sentences_given(shared, number):
    problem = golden(shared, "lambdag_fixed_punct")[number]
    score = scored(problem, [iteration["idx0"] for iteration in problem["iterations"]])
    assert score.lambda_g == pytest.approx(problem["lambda_G_logdomain"], rel=1e-9)
    assert score.known_total == pytest.approx(sum(problem["k_log10p"]), rel=1e-9)
    for total, iteration in zip(score.reference_totals, problem["iterations"], strict=True):
        assert total == pytest.approx(sum(iteration["ref_log10p"]), rel=1e-9)


@pytest.mark.parametrize("number", range(6))
def test_lambda_g_with_our_own_draws_lies_among_those_of_another_generator(shared, number):
    problem, spread = golden(shared, "lambdag_fixed_punct")[number], golden(shared, "lambdag_random_punct")[number]
    assert (problem["K"], problem["Q"]) == (spread["K"], spread["Q"])
    q, k, reference = (sentences(problem[name]) for name in ("q_sents", "k_sents", "ref_sents"))
    score = idiograph.score(q=q, k=k, reference=reference, repetitions=spread["r"], order=spread["N"], seed=1)
    assert abs(score.lambda_g - spread["mean"]) < 3 * spread["sd"]


def test_token_evidence_of_the_references_heat_map(shared):
    heat_map = golden(shared, "visualize")
    score = scored(heat_map, heat_map["idx0"])
    assert [float(part.sum()) for part in score.evidence] == pytest.approx(
        heat_map["sentence_lambda_unrounded"], rel=1e-9
    )
    table = heat_map["table_text_order"]
    assert np.concatenate(score.evidence) == pytest.approx(np.array(table["lambdaG"]), rel=1e-9, abs=1e-12)
