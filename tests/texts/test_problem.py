"""Problem, the gatekeeper: what it lets through, for sides of every kind, and its seed."""

import zlib

import pytest

from idiograph import Corpus, Index, MaskedText, Problem, ProblemError
from idiograph.texts.problem import problem_seed
from made_index import corpus, toy_index


def masked(id_, author, n=1):
    return MaskedText(id_, author, (("a", "b"),) * n, "m")


def sides_of_texts():
    texts = corpus()
    return texts.text("ann-0"), texts.text("ann-1"), texts.excluding("ann")


def sides_of_parts():
    index = toy_index()
    return index.text("ann-0"), index.text("ann-1"), index.excluding("ann")


@pytest.mark.parametrize("sides", [sides_of_texts, sides_of_parts])
def test_sides_of_every_kind_make_a_problem(sides):
    q, k, reference = sides()
    problem = Problem(q, k, reference, id="toy/ann")
    assert (problem.q.n_sentences, problem.k.authors, problem.reference.authors) == (
        20,
        ("ann",),
        ("bob", "cid", "dot"),
    )


def test_kinds_may_be_mixed():
    texts, index = corpus(), toy_index()
    Problem(texts.text("ann-0"), Corpus((texts.text("ann-1"),)), index.excluding("ann"))
    with pytest.raises(ProblemError, match=r"Q and the reference share text: bob-0\."):
        Problem(texts.text("bob-0"), texts.text("ann-1"), index.excluding("ann"))


def test_q_and_k_may_be_different_sentences_of_one_text():
    index = toy_index()
    numbers = index.by("ann").sentence_numbers
    Problem(index.take(numbers[:5]), index.take(numbers[5:15]), index.excluding("ann"))
    with pytest.raises(ProblemError, match=r"Q and K share text \(problem x/y\): ann-0\..*remove it from one"):
        Problem(index.take(numbers[:5]), index.take(numbers[4:15]), index.excluding("ann"), id="x/y")


def test_the_authors_of_k_and_q_stay_out_of_the_reference():
    index = toy_index()
    with pytest.raises(ProblemError, match=r"K and the reference share an author: bob\..*remove bob from it"):
        Problem(index.text("ann-0"), index.text("bob-0"), index.texts("bob-1", "cid-0"))
    with pytest.raises(ProblemError, match=r"Q and the reference share an author: ann\."):
        Problem(index.text("ann-0"), index.text("bob-0"), index.texts("ann-1", "cid-0"))


def test_a_text_of_nobody_shares_no_author():
    problem = Problem(masked("q", None), masked("k", "ann"), Corpus((masked("r", None), masked("s", "bob"))))
    assert (problem.q.authors, problem.reference.authors) == ((), ("bob",))


@pytest.mark.parametrize(
    ("q", "k", "reference", "words"),
    [
        (MaskedText("q", None, ((),), "m"), masked("k", "ann"), masked("r", "bob"), "Q has no token"),
        (masked("q", None), MaskedText("k", "ann", (), "m"), masked("r", "bob"), "K has no sentence"),
        (masked("q", None), masked("k", "ann"), Corpus(()), "The reference has no sentence"),
        (masked("q", None), masked("k", "ann", 3), masked("r", "bob", 2), "has 2 sentences and K has 3"),
    ],
)
def test_impossible_sizes_are_refused(q, k, reference, words):
    with pytest.raises(ProblemError, match=words):
        Problem(q, k, reference)


def test_plain_sentences_share_text_only_if_they_are_the_same():
    first, second = Index([["a"], ["b"]]), Index([["a"], ["c"]])
    Problem(first.all(), second.all(), Index([["d"], ["e"]]).all())
    with pytest.raises(ProblemError, match="Q and K share text: sentences-"):
        Problem(first.all(), Index([["a"], ["b"]]).all(), second.all())


def test_a_problems_seed_depends_on_its_id_alone():
    assert problem_seed(5, "c/k/q") == (5, zlib.crc32(b"c/k/q"))
    assert problem_seed(5, "c/k/q") != problem_seed(5, "c/k/p")
