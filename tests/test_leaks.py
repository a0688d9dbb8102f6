"""No leak in silence: a Q that stands in K, or a Q or K in the reference, never becomes a number unnoticed."""

from dataclasses import replace

import pytest

import idiograph
from idiograph import Corpus, Index, MaskedText, Problem, ProblemError
from made_texts import masked

Q = masked("1.txt", None, tokens=120, seed=1)
K = Corpus((masked("1.txt", "lee", tokens=200, seed=2), masked("2.txt", "lee", tokens=200, seed=3)))
REFERENCE = Corpus(tuple(masked(f"{a}{n}", a, tokens=300, seed=10 * ord(a) + n) for a in "abc" for n in (1, 2)))
COPY_OF_Q = replace(Q, id="a letter", author="lee")
HALF_OF_Q = MaskedText("half", "lee", Q.sentences[: len(Q.sentences) // 2 + 2] + K.texts[0].sentences[:3], Q.masking)
NO_PROOF = "A text compared with itself proves nothing; remove it from one of the two"


def plain(side):
    return [list(sentence) for text in (side if isinstance(side, Corpus) else (side,)) for sentence in text.sentences]


def test_different_texts_of_one_name_are_compared():
    Problem(Q, K, REFERENCE)
    assert idiograph.score(q=Q, k=K, reference=REFERENCE, repetitions=2).n_tokens == Q.n_tokens


def test_two_strings_masked_in_memory_are_compared(fake_tagger):
    q, k = (idiograph.mask(" ".join(f"{word} speaks." for word in words.split())) for words in ("He We", "She They It"))
    assert q.id == k.id == "text 1"
    reference = replace(idiograph.mask("You wrote. Nobody came. Somebody left."), author="b")
    Problem(q, k, reference)
    idiograph.score(q=q, k=k, reference=reference, repetitions=2)


@pytest.mark.parametrize(
    ("leak", "words"),
    [
        ({"k": Corpus((*K, COPY_OF_Q))}, r"Q and K share text: 100 % of the tokens of 1\.txt also occur in a letter"),
        ({"k": Corpus((K.texts[1], replace(Q, author="lee")))}, r"Q and K share text: 1\.txt\."),
        ({"k": Corpus((*K, HALF_OF_Q))}, r"Q and K share text: \d\d % of the tokens of 1\.txt also occur in half"),
        (
            {"reference": Corpus((*REFERENCE, replace(COPY_OF_Q, author="d")))},
            r"Q and the reference share text: 100 % of the tokens of 1\.txt also occur in a letter",
        ),
        (
            {"reference": Corpus((*REFERENCE, replace(K.texts[1], id="x", author="d")))},
            r"K and the reference share text: 100 % of the tokens of 2\.txt also occur in x",
        ),
        (
            {"reference": Corpus((*REFERENCE, masked("x", "lee", tokens=90, seed=7)))},
            "K and the reference share an author: lee",
        ),
        ({"q": replace(Q, author="a")}, "Q and the reference share an author: a"),
    ],
)
def test_leaks_are_refused_whatever_the_texts_are_called(leak, words):
    sides = {"q": Q, "k": K, "reference": REFERENCE} | leak
    as_parts = {"q": Index(sides["q"]), "k": Index(sides["k"]), "reference": Index(sides["reference"])}
    for call, given in ((Problem, sides), (idiograph.score, sides), (idiograph.score, as_parts)):
        with pytest.raises(ProblemError, match=words):
            call(**given)


def test_a_copy_in_one_index_is_refused_where_it_is_scored():
    together = Corpus((replace(Q, id="q"), *K, COPY_OF_Q, *REFERENCE))
    index = Index(together)
    problem = Problem(index.text("q"), index.by("lee"), index.by("a", "b", "c"))
    with pytest.raises(ProblemError, match=f"100 % of the tokens of q also occur in a letter. {NO_PROOF}"):
        idiograph.score_many(index, [problem])
    with pytest.raises(ProblemError, match="100 % of the tokens of q also occur in a letter"):
        idiograph.score(q=problem.q, k=problem.k, reference=problem.reference)
    clean = Problem(index.text("q"), index.texts("1.txt", "2.txt"), index.by("a", "b", "c"))
    assert len(idiograph.score_many(index, [clean], repetitions=2)) == 1


@pytest.mark.parametrize("copied", ["q", "1.txt"])
def test_a_copy_of_one_side_alone_in_the_reference_of_one_index_is_refused(copied):
    texts = Corpus((replace(Q, id="q"), *K))
    stolen = next(replace(text, id="stolen", author="d") for text in texts if text.id == copied)
    index = Index(Corpus((*texts, *REFERENCE, stolen)))
    problem = Problem(index.text("q"), index.texts("1.txt", "2.txt"), index.by("a", "b", "c", "d"))
    with pytest.raises(ProblemError, match=f"100 % of the tokens of {copied} also occur in stolen"):
        idiograph.score_many(index, [problem])


def test_sentences_without_a_name_are_warned_about():
    sides = {"q": plain(Q), "k": plain(K), "reference": plain(REFERENCE), "repetitions": 2}
    quiet = idiograph.score(**sides).lambda_g
    with pytest.warns(UserWarning, match="Q and K share text: 100 % of the tokens of Q also occur in K"):
        loud = idiograph.score(**sides | {"k": [*plain(K), *plain(Q)]}).lambda_g
    assert loud > 2 * abs(quiet)  # what a leak does
    with pytest.warns(UserWarning, match="100 % of the tokens of Q also occur in a letter"):
        idiograph.score(**sides | {"k": Corpus((*K, COPY_OF_Q))})
    letter = idiograph.MaskedText("short", "lee", Q.sentences[:4], Q.masking)  # K may stand in Q, too
    with pytest.warns(UserWarning, match="K and Q share text: 100 % of the tokens of short also occur in Q"):
        idiograph.score(**sides | {"k": letter})


def test_normalised_refuses_a_copy_under_another_name():
    with pytest.raises(
        ProblemError, match=r"Q1 and K share text: 100 % of the words of .*1\.txt also occur in .*a letter"
    ):
        idiograph.normalised(q=Q, k=Corpus((*K, COPY_OF_Q)), reference=REFERENCE)
