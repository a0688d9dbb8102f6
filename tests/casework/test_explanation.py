"""Where λG comes from: the rows sum to it, and contexts and lines are those of K and the reference."""

import re
from pathlib import Path

import pytest

import idiograph
from idiograph import Corpus, Score, Verification
from idiograph.casework.explanation import occurrences
from indexed import index_of
from made_texts import CaseTexts, Sentence, case_of, compare, write_case, write_text
from made_up_case import Explanation

Explained = tuple[Explanation, Score, CaseTexts]


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Explained:
    folder = write_case(tmp_path_factory.mktemp("case"), n_authors=5)
    comparison = compare(case_of(folder, repetitions=3))
    return comparison.explanation, comparison.score, index_of(folder)[1]


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


def test_original_words_are_shown_where_there_are_any(topical: Verification) -> None:
    case, explanation = topical.case, topical.comparisons[0].explanation
    content = Path(case.questioned["Q1"]).read_text(encoding="utf-8")
    assert list(explanation.originals.values()) == [content]
    rows = [row for row in explanation.tokens if not row.is_end]
    assert [row.original for row in rows] == re.findall(r"\w+|[^\w\s]", content)
    assert all(content[row.start : row.end] == row.original for row in rows)
    assert [row.original for row in explanation.sentences] == content.splitlines()
    assert explanation.ngrams
    sides = {"q": case.questioned["Q1"], "k": case.known["lee"], "reference": case.reference}
    for gram in explanation.ngrams:
        for line in gram.lines:
            path = Path(sides[line.role]) / line.text_id.partition("/")[2].removeprefix("lee/").removeprefix("Q1/q.txt")
            assert f"{line.before}{line.match}{line.after}" in path.read_text(encoding="utf-8").splitlines()


def test_any_n_gram_is_found_as_often_as_it_stands_in_each_role(tmp_path: Path) -> None:
    for name, *lines in (
        ("q.txt", "as far as N V ."),
        ("known/1.txt", "N V as far as N .", "far as as far as V ."),
        ("reference/kim/1.txt", "so far so good .", "V as far as N ."),
    ):
        write_text(tmp_path / name, tuple(tuple(line.split()) for line in lines))
    by_ngram = occurrences(*index_of(tmp_path), [("far",), ("as", "far", "as"), ("far",)])
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
    assert len(case_index.material.texts_by["author01"]) == 3
