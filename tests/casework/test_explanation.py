"""Where λG comes from: the rows sum to it, and contexts and lines are those of K and the reference."""

from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import Case, Corpus, Index, MaskedText, Score, Text
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.explanation import explain, occurrences
from idiograph.casework.verification import Explanation
from idiograph.studies.material import Material
from indexed import index_of, score_of
from made_texts import CaseTexts, Sentence, case_of, write_case

Explained = tuple[Explanation, Score, CaseTexts]


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Explained:
    case_index, texts = index_of(write_case(tmp_path_factory.mktemp("case"), n_authors=5), repetitions=3)
    scored = score_of(case_index, texts)
    return explain(case_index, texts, scored), scored, texts


def test_tokens_and_sentences_sum_to_lambda_g(explained: Explained) -> None:
    explanation, scored, texts = explained
    assert sum(row.lambda_g for row in explanation.tokens) == pytest.approx(scored.lambda_g, abs=1e-9)
    assert sum(row.lambda_g for row in explanation.sentences) == pytest.approx(scored.lambda_g, abs=1e-9)
    for sentence in explanation.sentences:
        of_sentence = [row.lambda_g for row in explanation.tokens if row.sentence == sentence.sentence]
        assert sum(of_sentence) == pytest.approx(sentence.lambda_g, abs=1e-9)
    assert [row.masked for row in explanation.tokens if not row.is_end] == [
        token for text in texts.q for sentence in text.sentences for token in sentence
    ]
    assert sum(row.is_end for row in explanation.tokens) == scored.n_sentences


def test_the_library_gives_the_case_the_same_digits(explained: Explained) -> None:
    _, scored, texts = explained
    sides = {"q": Corpus(texts.q), "k": Corpus(texts.k), "reference": Corpus(texts.reference)}
    assert idiograph.score(**sides, repetitions=3, seed=1).lambda_g == scored.lambda_g


def longest_in(sentences: tuple[Sentence, ...], gram: Sentence) -> bool:
    """Whether a row of tokens (an end is the empty one) stands in any sentence."""
    n = len(gram)
    return any((*s, "")[i : i + n] == gram for s in sentences for i in range(len(s) + 2 - n))


def test_contexts_are_as_long_as_k_knows_them(explained: Explained) -> None:
    explanation, _, texts = explained
    known = tuple(sentence for text in texts.k for sentence in text.sentences)
    rows = explanation.tokens
    for number, row in enumerate(rows[:60]):
        tokens = tuple(other.masked for other in rows if other.sentence == row.sentence)
        upto = tokens[: row.position]
        lengths = [n for n in range(1, min(10, len(upto)) + 1) if longest_in(known, upto[len(upto) - n :])]
        assert row.context == (max(lengths) - 1 if lengths else -1), (number, row)


def test_the_strongest_ngrams_come_with_their_lines(explained: Explained) -> None:
    explanation, _, texts = explained
    assert explanation.ngrams[0].lambda_g > 0 > explanation.ngrams[-1].lambda_g
    for gram in explanation.ngrams:
        joined = " ".join(gram.tokens)
        assert gram.n_q >= 1
        for role, side, count in (
            ("q", texts.q, gram.n_q),
            ("k", texts.k, gram.n_k),
            ("reference", texts.reference, gram.n_reference),
        ):
            n_lines = sum(
                s[i : i + len(gram.tokens)] == gram.tokens
                for text in side
                for s in text.sentences
                for i in range(len(s) - len(gram.tokens) + 1)
            )
            assert n_lines == count
            lines = [line for line in gram.lines if line.role == role]
            assert len(lines) == min(count, 5)
            by_id = {text.id: text for text in side}
            for line in lines:
                whole = tuple(f"{line.before} {line.match} {line.after}".split())
                assert line.match == joined
                assert whole in by_id[line.text_id].sentences
    assert all(gram.n_k >= 1 for gram in explanation.ngrams if gram.lambda_g > 0 and len(gram.tokens) > 1)


def test_lines_come_from_many_authors_and_not_always_from_the_first(explained: Explained) -> None:
    explanation, _, texts = explained
    order = list(dict.fromkeys(text.author for text in texts.reference))
    firsts = []
    for gram in explanation.ngrams:
        quoted = [line.author for line in gram.lines if line.role == "reference"]
        having = {
            text.author
            for text in texts.reference
            for s in text.sentences
            if any(s[i : i + len(gram.tokens)] == gram.tokens for i in range(len(s)))
        }
        assert len(set(quoted)) == min(len(having), 5, gram.n_reference)
        if len(having) > 1:
            firsts.append(order.index(quoted[0]))
    assert len(set(firsts)) > 2


def test_original_words_are_shown_where_there_are_any() -> None:
    content = "The dog barks. It is so."
    spans = np.array([(0, 3), (4, 7), (8, 13), (13, 14), (15, 17), (18, 20), (21, 23), (23, 24)], np.int32)
    sentences = (("the", "N", "V", "."), ("it", "is", "so", "."))
    q = MaskedText("q", None, sentences, "posnoise", spans)
    other = (("the", "V", "N", "."), ("so", "it", "was", "."))
    others = [
        MaskedText(f"{a}{n}", a, lines * 3, "posnoise", np.tile(spans, (3, 1)))
        for a, lines in (("lee", sentences), ("x", other))
        for n in (1, 2)
    ]
    texts = CaseTexts(
        label="Q1",
        candidate="lee",
        q=(q,),
        k=tuple(others[:2]),
        reference=tuple(others[2:]),
        originals={text.id: Text(text.id, content) for text in (q, *others)},
    )
    case = case_of(Path(), repetitions=2)
    index = Index(Corpus(texts.all))
    case_index = CaseIndex(case, index, Material.of(index, texts.reference, roles=False), frozenset({"x1", "x2"}), 1)
    explanation = explain(case_index, texts, score_of(case_index, texts))
    rows = [row for row in explanation.tokens if not row.is_end]
    assert [row.original for row in rows] == ["The", "dog", "barks", ".", "It", "is", "so", "."]
    assert [(row.start, row.end) for row in rows] == [tuple(span) for span in spans.tolist()]
    assert [row.original for row in explanation.sentences] == ["The dog barks.", "It is so."]
    assert explanation.originals == {"q": content}
    line = explanation.ngrams[0].lines[0]
    assert f"{line.before}{line.match}{line.after}" in ("The dog barks.", "It is so.")


def test_any_n_gram_is_found_as_often_as_it_stands_in_each_role() -> None:
    def text(id_: str, author: str | None, *lines: str) -> MaskedText:
        return MaskedText(id_, author, tuple(tuple(line.split()) for line in lines), "as-found")

    texts = CaseTexts(
        label="Q1",
        candidate="lee",
        q=(text("q", None, "as far as N V ."),),
        k=(text("k", "lee", "N V as far as N .", "far as as far as V ."),),
        reference=(text("r", "kim", "so far so good .", "V as far as N ."),),
        originals={},
    )
    index = Index(Corpus(texts.all), order=3)
    case_index = CaseIndex(
        case=Case(questioned={"Q1": Path("q")}, known={"lee": Path("k")}, reference=Path("r"), population="p"),
        index=index,
        material=Material.of(index, texts.reference, roles=False),
        reference_ids=frozenset({"r"}),
    )
    by_ngram = occurrences(case_index, texts, [("far",), ("as", "far", "as"), ("far",)])
    counts = {ngram: (known.n_q, known.n_k, known.n_reference) for ngram, known in by_ngram.items()}
    assert counts == {("far",): (1, 3, 2), ("as", "far", "as"): (1, 2, 1)}
    lines = [(line.role, line.before, line.match, line.after) for line in by_ngram["as", "far", "as"].lines]
    assert ("k", "N V", "as far as", "N .") in lines
    assert ("reference", "V", "as far as", "N .") in lines


def test_the_reference_leaves_authors_out(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=5))
    assert case_index.authors == tuple(f"author{number:02}" for number in range(5))
    whole, fewer = case_index.reference(), case_index.reference("author00", "author03")
    left_out = sum(text.n_tokens for text in texts.reference if text.author in ("author00", "author03"))
    assert whole.n_tokens - fewer.n_tokens == left_out
    assert len(case_index.texts_by("author01")) == 3
