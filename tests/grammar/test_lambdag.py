"""λG: against the oracle, whatever its workers and its compiler; and what it refuses."""

import dataclasses
from math import fsum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idiograph
import oracle
from idiograph import InputError, MaskedText, Problem, ProblemError, score, score_many
from idiograph.grammar.settings import LambdaGSettings
from made_index import corpus, sentences, toy_index

WORDS = st.sampled_from(["a", "b", "c", "d", "the", "N", "V", "<s>", "</s>", "<unk>", "___BOS___"])
ONLY_IN_Q = st.one_of(WORDS, st.sampled_from(["q1", "q2"]))


def lists(words, most):
    return st.lists(st.lists(words, max_size=8).map(tuple), min_size=1, max_size=most)


@st.composite
def problems(draw):
    k = draw(lists(WORDS, 6))
    reference = draw(lists(st.one_of(WORDS, st.just("r")), 12))
    k, reference = (k, reference) if len(reference) >= len(k) else (reference, k)
    q = draw(lists(ONLY_IN_Q, 6).filter(any))
    # Some sentences of Q twice, and some that K has too.
    return q + q[: draw(st.integers(0, 1))] + k[: draw(st.integers(0, 2))], k, reference


@pytest.mark.filterwarnings("ignore:.* share text")  # what is drawn may be the same on both sides
@given(problems(), st.integers(1, 10), st.integers(1, 4), st.sampled_from([0.2, 0.75, 1.0]), st.integers(0, 2**32))
def test_engine_and_oracle_agree(problem, order, repetitions, discount, seed):
    q, k, reference = problem
    ours = score(q=q, k=k, reference=reference, order=order, repetitions=repetitions, discount=discount, seed=seed)
    lambda_g, evidence, totals = oracle.score(q, k, reference, order, repetitions, discount, seed)
    assert ours.lambda_g == pytest.approx(lambda_g, rel=1e-10, abs=1e-12)
    assert ours.reference_totals == pytest.approx(totals, rel=1e-10)
    for mine, slow in zip(ours.evidence, evidence, strict=True):
        assert mine == pytest.approx(slow, rel=1e-9, abs=1e-12)
    assert ours.n_tokens == sum(map(len, q))
    assert ours.n_hapaxes == MaskedText("q", None, tuple(q), "m").n_hapaxes


def test_sentences_of_five_thousand_tokens():
    rng = np.random.default_rng(3)
    q, k, *reference = ([tuple(f"w{word}" for word in rng.zipf(1.6, 5000).clip(max=80)), ("w1",)] for _ in range(4))
    reference = [*reference[0], *reference[1]]
    ours = score(q=q, k=k, reference=reference, repetitions=2, seed=5)
    lambda_g, evidence, _ = oracle.score(q, k, reference, repetitions=2, seed=5)
    assert ours.lambda_g == pytest.approx(lambda_g, rel=1e-10)
    assert ours.evidence[0] == pytest.approx(evidence[0], rel=1e-9, abs=1e-12)


def test_lambda_g_is_zero_when_k_and_the_reference_are_the_same_sentences():
    k = sentences([1], 12)
    with pytest.warns(
        UserWarning, match=r"K and the reference share text: \d+ % of the tokens of K also occur in the ref"
    ):
        assert score(q=sentences([2], 5), k=k, reference=k, repetitions=3).lambda_g == pytest.approx(0, abs=1e-9)


def test_lambda_g_turns_its_sign_when_equally_long_k_and_reference_change_places():
    q, k, reference = sentences([1], 6), sentences([2], 12), sentences([3], 12)
    there = score(q=q, k=k, reference=reference, repetitions=2).lambda_g
    assert score(q=q, k=reference, reference=k, repetitions=2).lambda_g == pytest.approx(-there, rel=1e-12)


def test_the_score_is_the_sum_of_its_evidence_and_of_its_totals():
    index = toy_index()
    ours = score(q=index.text("ann-0"), k=index.text("ann-1"), reference=index.excluding("ann"))
    assert ours.lambda_g == pytest.approx(sum(part.sum() for part in ours.evidence), rel=1e-15)
    assert ours.lambda_g == pytest.approx(ours.known_total - np.mean(ours.reference_totals), rel=1e-9)
    assert [len(part) for part in ours.evidence] == [len(s) + 1 for s in index.text("ann-0").sentences]
    assert (ours.n_sentences, len(ours.reference_totals)) == (20, 30)
    assert (ours.n_tokens, ours.n_hapaxes) == (index.text("ann-0").n_tokens, index.text("ann-0").n_hapaxes)
    assert ours.signature.startswith("lambdag|order:10|r:30|D:0.75|mask:m|seed:0|v:")


def test_a_score_of_no_sentence_is_nothing():
    ours = score(q=[["a", "b"]], k=[["a"]], reference=[["b"], ["a"]])
    none = dataclasses.replace(ours, evidence=(), counted=(), n_tokens=0, n_hapaxes=0)
    assert (none.lambda_g, none.distinct, none.n_sentences) == (0.0, 0.0, 0)


def test_a_score_cannot_be_changed():
    ours = score(q=[["a"]], k=[["b"]], reference=[["c"], ["d"]])
    with pytest.raises(dataclasses.FrozenInstanceError):
        ours.known_total = 0.0
    with pytest.raises(ValueError, match="read-only"):
        ours.evidence[0][0] = 0.0


SETTINGS = [{"order": 3}, {"repetitions": 5}, {"discount": 0.5}, {"seed": 1}, {"seed": [0, 1]}]


@pytest.mark.parametrize("changed", SETTINGS)
def test_every_setting_changes_the_score_and_is_kept_with_it(changed):
    index = toy_index()
    sides = {"q": index.text("ann-0"), "k": index.text("ann-1"), "reference": index.excluding("ann")}
    ours = score(**sides, **changed)
    assert ours.lambda_g != score(**sides).lambda_g
    name, value = next(iter(changed.items()))
    assert getattr(ours.settings, name) == (tuple(value) if isinstance(value, list) else value)


def many(index):
    problems = []
    for author in ("ann", "bob", "cid", "dot"):
        for q in ("ann-0", "cid-0"):
            k = index.text(f"{author}-1")
            owner = q.split("-")[0]
            problems.append(Problem(index.text(q), k, index.excluding(author, owner), id=f"toy/{author}/{q}"))
    return problems


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_same_digits_whatever_the_number_of_workers(workers):
    index = toy_index()
    problems = many(index)
    seeds = [idiograph.texts.problem.problem_seed(3, problem.id) for problem in problems]
    one_by_one = [
        score(q=problem.q, k=problem.k, reference=problem.reference, seed=seed)
        for problem, seed in zip(problems, seeds, strict=True)
    ]
    together = score_many(index, problems, seeds=seeds, workers=workers)
    assert [s.lambda_g for s in together] == [s.lambda_g for s in one_by_one]
    assert [s.reference_totals for s in together] == [s.reference_totals for s in one_by_one]
    assert score_many(index, [], seeds=[]) == []
    alone = [score(q=problem.q, k=problem.k, reference=problem.reference).lambda_g for problem in problems]
    assert [ours.lambda_g for ours in score_many(index, problems, workers=workers)] == alone


@pytest.mark.parametrize("workers", [1, 2])
def test_one_q_and_k_with_several_references_give_the_digits_of_each_alone(workers):
    index = toy_index()
    problems = []
    for number in range(12):
        q, k = index.text("ann-0"), index.text("ann-1")
        # References of three sizes; problems of one Q and K, which are counted once, stand next to others.
        for without in ((), ("bob",), ("cid", "dot")):
            problems.append(Problem(q, k, index.excluding("ann", *without), id=f"{number}/{without}"))
        problems.append(Problem(index.text("bob-0"), k, index.excluding("ann", "bob"), id=f"{number}/other"))
    seeds = list(range(len(problems)))
    together = score_many(index, problems, seeds=seeds, repetitions=7, workers=workers)
    for problem, seed, ours in zip(problems, seeds, together, strict=True):
        alone = score(q=problem.q, k=problem.k, reference=problem.reference, seed=seed, repetitions=7)
        for name in ("lambda_g", "distinct", "known_total", "reference_totals", "settings", "signature"):
            assert getattr(ours, name) == getattr(alone, name)
        for of_sentence, expected in zip(ours.evidence, alone.evidence, strict=True):
            assert of_sentence.tolist() == expected.tolist()


def test_plain_sentences_are_compared_with_several_references_too():
    index, q = toy_index(), MaskedText("q", "eve", (("w1", "w2", "w1"),), "m")
    k = MaskedText("k", "eve", sentences([1], 6), "m")
    problems = [Problem(q, k, index.excluding(author)) for author in ("ann", "bob", "cid", "dot")] * 8
    alone = [score(q=q, k=k, reference=problem.reference).lambda_g for problem in problems]
    assert [ours.lambda_g for ours in score_many(index, problems, workers=1)] == alone


def test_score_many_says_what_does_not_fit():
    index = toy_index()
    problems = many(index)
    with pytest.raises(ProblemError, match=r"reference of problem toy/ann/ann-0 is not a part of this index"):
        score_many(toy_index(), problems, seeds=[1] * 8)
    for wrong, shown in (
        ([1], "1 seeds"),
        (3, "3"),
        ("12345678", '"12345678"'),
        (set(range(8)), "a value of type set"),
    ):
        with pytest.raises(InputError, match=f"8 problems need a list of as many seeds, not {shown}"):
            score_many(index, problems, seeds=wrong)
    for wrong in (0, -1, 1.0, True, "2", [2]):
        with pytest.raises(InputError, match=r"workers must be a whole number from 1 to 1,000, not"):
            score_many(index, problems, workers=wrong)
    for wrong in (None, "index", corpus(), [["a"]]):
        with pytest.raises(InputError, match=r"The index must be an Index, not .*Build one with Index\(corpus\)"):
            score_many(wrong, problems)
    for wrong in (None, problems[0], "problems", 3, iter(problems), {"a": problems[0]}, np.array([1])):
        with pytest.raises(InputError, match=r"Problems must be a list of Problem, in the order of the scores wanted"):
            score_many(index, wrong)
    with pytest.raises(InputError, match=r"Problem 1 must be a Problem, not nothing"):
        score_many(index, [problems[0], None])


REFERENCE = [["r"], ["s", "t"], ["u"]]


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ({"q": []}, r"Q has no token"),
        ({"q": [[], []]}, r"Q has no token, so there is nothing to score"),
        ({"k": []}, r"K has no sentence, so no model of the candidate can be made"),
        ({"reference": []}, r"The reference has no sentence"),
        ({"k": [["a"]] * 4}, r"The reference has 3 sentences and K has 4\. Each reference model is as long as K"),
    ],
)
def test_sides_of_impossible_sizes_are_refused(sides, words):
    with pytest.raises(idiograph.IdiographError, match=words):
        score(**{"q": [["a"]], "k": [["b"]], "reference": REFERENCE, **sides})


def test_nothing_is_written_beside_the_source():
    index = toy_index(8)
    score(q=index.text("ann-0"), k=index.text("ann-1"), reference=index.excluding("ann"), repetitions=4, seed=9)
    kernels = Path(idiograph.__file__).parent / "grammar"
    assert not [path for path in kernels.rglob("*") if path.suffix in {".nbi", ".nbc"}]


TOKENS = st.sampled_from(["a", "b", "c", "<s>", "</s>"])
SENTENCES = st.lists(st.lists(TOKENS, max_size=6), min_size=1, max_size=6).filter(any)
K = [["a", "b", "c"], ["c", "a"]]
OTHERS = [["b", "b"], ["a", "c", "c"], ["c"]]


def slow_flags(sentences):
    start, end = object(), object()
    met, flags = set(), []
    for sentence in sentences:
        events = [start, start, *sentence, end]
        of_sentence = []
        for at in range(2, len(events)):
            trigram = tuple(events[at - 2 : at + 1])
            of_sentence.append(trigram not in met)
            met.add(trigram)
        flags.append(of_sentence)
    return flags


@given(SENTENCES)
def test_an_event_counts_where_its_trigram_is_new(q):
    ours = score(q=q, k=K, reference=OTHERS, repetitions=1)
    assert [flags.tolist() for flags in ours.counted] == slow_flags(q)


def test_by_hand():
    # a b </s>: all new. a b a </s>: <s><s>a and <s>ab were there; aba and ba</s> are new. Empty: <s><s></s> is new.
    ours = score(q=[["a", "b"], ["a", "b", "a"], []], k=K, reference=OTHERS, repetitions=2)
    assert [flags.tolist() for flags in ours.counted] == [[True] * 3, [False, False, True, True], [True]]
    first, second, third = ours.evidence
    assert ours.distinct == fsum([*first, second[2], second[3], third[0]])


@given(SENTENCES)
def test_saying_it_all_again_adds_nothing(q):
    once = score(q=q, k=K, reference=OTHERS, repetitions=2, seed=4)
    twice = score(q=q + q, k=K, reference=OTHERS, repetitions=2, seed=4)
    assert twice.distinct == pytest.approx(once.distinct, rel=1e-12, abs=1e-12)
    assert not np.concatenate(twice.counted[len(q) :]).any()


def test_what_counts_is_read_only():
    ours = score(q=[["a"]], k=K, reference=OTHERS, repetitions=1)
    with pytest.raises(ValueError, match="read-only"):
        ours.counted[0][0] = False


def test_defaults_are_those_of_the_paper():
    settings = LambdaGSettings()
    assert (settings.order, settings.repetitions, settings.discount, settings.seed) == (10, 30, 0.75, 0)


def test_numbers_of_any_kind_become_plain_ones():
    settings = LambdaGSettings(order=np.int32(4), discount=np.float32(0.5), seed=[1, np.int64(2)])
    assert (settings.order, settings.discount, settings.seed) == (4, 0.5, (1, 2))
    assert type(settings.order) is int
    assert type(settings.discount) is float


def test_a_seed_is_any_number_of_128_bits():
    assert LambdaGSettings(seed=2**128 - 1).seed == 2**128 - 1
    with pytest.raises(InputError, match="seed"):
        LambdaGSettings(seed=2**128)


@pytest.mark.parametrize(
    ("name", "words", "values"),
    [
        ("order", "a whole number from 1 to 30", [0, 31, 2.0, True, "3", None, [3], {3}, np.array([3])]),
        ("repetitions", "a whole number from 1 to 100,000", [0, 100_001, 2.0, None, [3]]),
        ("discount", r"a number from 0\.001 to 1", [0, 1.01, 0.0009, float("nan"), "x", True, None, [0.5]]),
        (
            "seed",
            "a whole number, 0 or more, or a list of them",
            [-1, None, [], [1, -1], "7", 1.0, {1, 2}, True, [[1]]],
        ),
    ],
)
def test_settings_are_checked(name, words, values):
    for value in values:
        with pytest.raises(InputError, match=f"{name} must be {words}.*, not "):
            LambdaGSettings(**{name: value})
