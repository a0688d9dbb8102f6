"""The comparators: what they count, their cosines and entropies against other implementations and by hand."""

import re
from collections import Counter
from math import log, log2, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden_comparators import Enron, golden
from idiograph import COMPARATORS, InputError, auc
from idiograph.evidence.comparators import (
    N_FEATURES,
    as_text,
    cosine,
    cross_entropy,
    delta,
    fitted_n_grams,
    general_impostors,
    general_weights,
    most_frequent,
    n_grams,
    ngram_tracing,
    ppm,
    rank_based_impostors,
    rank_based_shares,
    sentences_of,
    tfidf,
    tfidf_weights,
    word_counts,
    z_scores,
)
from idiograph.evidence.kernels import by_appearance, distances, min_max_distance, ranks, rounds_won

REFERENCE = ["it was the cat , not me .", "some dogs ran over there .", "nobody knows what this was , or why ."]
Q, ALIKE, UNLIKE = "we saw it ; we left .", "we saw them ; we went .", "WHY WOULD JACK VEX QUIZ BUFFS"


@pytest.mark.parametrize("key", COMPARATORS)
def test_a_score_is_higher_where_q_and_k_are_alike(key: str) -> None:
    comparator = COMPARATORS[key]
    assert comparator.key == key
    alike, unlike = (comparator.score(Q, [k], REFERENCE, (1, 2)) for k in (Q, UNLIKE))
    assert alike > unlike
    assert comparator.score(Q, [ALIKE], REFERENCE, 1) == comparator.score(Q, [ALIKE], REFERENCE, 1)


def test_nothing_is_called_a_likelihood_ratio() -> None:
    for comparator in COMPARATORS.values():
        assert "LR" not in comparator.name
        assert "likelihood" not in comparator.name.lower()


def test_masked_sentences_become_lines():
    assert as_text([("the", "N", "."), ("V", "!")]) == "the N .\nV !"


def test_sentences_end_after_marks_and_at_line_ends():
    assert sentences_of("One. Two?! three\n four 4+4 = 8€ …") == "One.\nTwo?!\nthree\nfour    …"
    assert sentences_of(" \n\n") == ""


def test_words_are_in_lower_case_and_numbers_and_symbols_do_not_count():
    assert word_counts("Don't e.g. stop_it 12 a1 +, (x)") == Counter(
        ["don't", "e.g", ".", "stop", "_", "it", "a1", ",", "(", "x", ")"]
    )


@given(st.lists(st.text("abc\nÄ", max_size=15), min_size=1, max_size=4), st.integers(1, 4), st.booleans())
def test_n_grams_are_counted_in_order_of_appearance(texts, n, within_lines):
    counted = n_grams(texts, n, within_lines=within_lines)
    lines = [text.split("\n") if within_lines else [text] for text in texts]
    slow = [Counter(line[i : i + n] for line in of_text for i in range(len(line) - n + 1)) for of_text in lines]
    order = list(dict.fromkeys(gram for counts in slow for gram in counts))
    characters = "\0".join([*texts, ""])
    assert [characters[first : first + n] for first in counted.firsts] == order
    assert counted.totals.tolist() == [counts.total() for counts in slow]
    assert counted.document_frequencies().tolist() == [sum(gram in counts for counts in slow) for gram in order]
    assert counted.frequencies().tolist() == [sum(counts[gram] for counts in slow) for gram in order]
    if all(counted.totals) and order:
        chosen = np.arange(0, counted.n_ids, 2)
        expected = [[counts[order[i]] / counts.total() for i in chosen] for counts in slow]
        assert counted.relative_frequencies(chosen) == pytest.approx(np.array(expected), rel=1e-15)


def test_of_equally_frequent_ones_the_earlier_count():
    assert most_frequent(np.array([1, 3, 2, 3, 1]), 4).tolist() == [0, 1, 2, 3]


def test_cosine_by_hand():
    assert cosine(np.array([3.0, 4.0]), np.array([4.0, 3.0])) == pytest.approx(24 / 25, rel=1e-15)
    assert cosine(np.array([0.0, 0.0]), np.array([4.0, 3.0])) == 0.0


def test_n_grams_do_not_run_across_a_break():
    numbers, firsts = by_appearance(np.array([5, 6, -1, 5, 6, 5], np.int32), 2)
    assert numbers.tolist() == [0, -1, -1, 0, 1, -1]
    assert firsts.tolist() == [0, 4]


def test_distances_by_hand():
    text, others = np.array([0.2, 0.0, 0.4]), np.array([[0.1, 0.1, 0.4], [0.2, 0.0, 0.4], [0.0, 0.0, 0.0]])
    assert np.allclose(distances(text, others), [1 - 0.5 / 0.7, 0.0, 1.0])
    assert np.isclose(min_max_distance(text, others[0], np.array([0, 2])), 1 - 0.5 / 0.6)
    assert min_max_distance(text, others[1], np.array([1])) == 1.0


def test_of_equals_the_known_text_has_the_highest_rank_and_wins_no_round():
    q, known = np.array([0.5, 0.5]), np.array([0.5, 0.5])
    pool = np.array([[0.5, 0.5], [0.1, 0.9]])
    features, impostors = np.array([[0, 1], [0, 1]]), np.array([[0, 1], [1, 1]])
    assert ranks(q, known, pool, features, impostors).tolist() == [2, 1]
    assert rounds_won(q, known.reshape(1, -1), pool, features, impostors) == 1


@pytest.mark.shared
@pytest.mark.parametrize(("part", "name"), [("small", "unrounded"), ("full", "cosine")])
def test_cosines_are_idiolects(shared: Path, part: str, name: str) -> None:
    expected = golden(shared, "delta")[part]
    z = z_scores(Enron(shared).of(expected["q"] + expected["k"]))
    n = len(expected["q"])
    rows = range(n) if part == "small" else range(0, n, 6)
    for row in rows:
        cosines = [cosine(z[row], z[n + column]) for column in range(len(expected["k"]))]
        assert cosines == pytest.approx(expected[name][row], rel=1e-9, abs=1e-12)


def test_delta_by_hand() -> None:
    # Shares of (a, b): 1, 0 · 0, 1 · ½, ½. Mean ½, sd ½: z is ±1 or 0.
    z = z_scores(["a a", "B", "a b"])
    assert z.tolist() == [[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]]
    # A word that all have equally often says nothing.
    assert z_scores(["c a", "c b"]).tolist() == pytest.approx(np.array([[0, 0.5, -0.5], [0, -0.5, 0.5]]) * sqrt(2))
    assert delta("a a", ["a"], ["b"]) == pytest.approx(1.0, rel=1e-15)
    assert delta("a a", ["b"], ["a b"]) == pytest.approx(-1.0, rel=1e-15)
    assert delta("a b", ["b"], ["a a"]) == 0.0


def test_the_mean_over_the_texts_of_k() -> None:
    reference = ["the cat sat .", "a dog ran , and ran .", "some cat , some dog ."]
    z = z_scores([*reference, "the dog .", "the cat ran .", "a cat , and ."])
    both = [float(np.dot(z[3], row) / sqrt(np.dot(z[3], z[3]) * np.dot(row, row))) for row in z[4:]]
    assert delta("the dog .", ["the cat ran .", "a cat , and ."], reference) == pytest.approx(sum(both) / 2, rel=1e-12)


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(InputError, match="Text 2 of 3 has no word"):
        delta("12", ["a"], ["b"])


# 68 n-grams are as frequent as the 3,000th, and an unstable sort decided which four of them do not count.
LEFT_OUT = {"ed b", "y mo", "y mu", "y so"}


@pytest.mark.shared
def test_cosines_are_pans(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "pan_baselines_enron96")
    authors = list(enron.known)
    texts = ["\n".join(enron.of(enron.known[author])) for author in authors]
    texts += [enron.text[enron.unknown[author]] for author in authors]
    ngrams = fitted_n_grams(texts)
    times = ngrams.frequencies()
    cut = np.sort(times)[-N_FEATURES]
    characters = "\0".join(re.sub(r"\s\s+", " ", text.lower()) for text in texts)
    grams = {number: characters[ngrams.firsts[number] :][:4] for number in np.flatnonzero(times >= cut)}
    chosen = [number for number, gram in grams.items() if gram not in LEFT_OUT]
    assert len(chosen) == N_FEATURES == expected["n_features"]
    assert sorted(grams[number] for number in chosen)[:20] == expected["features_first20"]
    weights = tfidf_weights(ngrams, np.array(chosen))
    for row in expected["problems"]:
        of_k, of_q = weights[authors.index(row["K"])], weights[len(authors) + authors.index(row["Q"])]
        assert cosine(of_k, of_q) == pytest.approx(row["cosine_tfidf4"], rel=1e-9)


def test_tfidf_by_hand() -> None:
    # abcd twice in Q and once in K, bcde in Q alone, zzzz in the reference; three texts.
    idf = {df: log(4 / (1 + df)) + 1 for df in (1, 2)}
    q, k = (2 * idf[2], idf[1], 3 * idf[1]), (idf[2], 0, 0)
    # Q: abcde abcd has abcd twice, bcde, "cde ", "de a", "e ab", " abc".
    norm = sqrt((2 * idf[2]) ** 2 + 5 * idf[1] ** 2)
    assert tfidf("abcde abcd", ["abcd"], ["zzzz"]) == pytest.approx(q[0] * k[0] / (norm * idf[2]), rel=1e-12)


def test_case_and_wide_blanks_do_not_matter() -> None:
    assert tfidf("The  Cat\n\nsat", ["the cat sat"], ["a dog ran"]) == pytest.approx(1.0, rel=1e-12)
    assert tfidf("abcdef", ["uvwxyz"], ["a dog ran"]) == 0.0


@pytest.mark.shared
def test_cross_entropies_are_pans(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "pan_baselines_enron96")
    for toy in expected["toy_ppm"]:
        assert cross_entropy(toy["text2"], toy["text1"]) == pytest.approx(toy["h2given1"], rel=1e-12)
        assert cross_entropy(toy["text1"], toy["text2"]) == pytest.approx(toy["h1given2"], rel=1e-12)
    for row in expected["problems"]:
        k, q = enron.of(enron.known[row["K"]]), enron.text[enron.unknown[row["Q"]]]
        assert cross_entropy(q, "\n".join(k)) == pytest.approx(row["h_Q_given_K"], rel=1e-9)
        assert cross_entropy("\n".join(k), q) == pytest.approx(row["h_K_given_Q"], rel=1e-9)
        assert ppm(q, k) == pytest.approx(-(row["h_Q_given_K"] + row["h_K_given_Q"]) / 2, rel=1e-9)


def test_ppm_by_hand() -> None:
    # By "aab": a is 2 of 3; after a, b is 1 of 2; c was never seen.
    assert cross_entropy("abc", "aab") == pytest.approx(-(log2(2 / 3) + log2(1 / 2) + log2(1 / 256)) / 3, rel=1e-14)


def slow(text, model, order=5):
    after = {}
    for at, character in enumerate(model):
        for n in range(min(at, order) + 1):
            after.setdefault(model[at - n : at], Counter())[character] += 1
    bits = 0.0
    for at, character in enumerate(text):
        prob = 1 / 256
        for n in range(min(at, order), -1, -1):
            counts = after.get(text[at - n : at], Counter())
            if counts[character]:
                prob = counts[character] / sum(counts.values())
                break
        bits -= log2(prob)
    return bits / len(text)


@given(st.text("ab\nc", min_size=1, max_size=40), st.text("abd\n", min_size=1, max_size=40))
def test_as_a_dictionary_of_contexts_would_say(text, model):
    assert cross_entropy(text, model) == pytest.approx(slow(text, model), rel=1e-12)


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(InputError, match="without a character"):
        ppm("", ["abc"])


@pytest.mark.shared
def test_counts_are_idiolects(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "ngram_tracing")
    for row in expected["enron96"]:
        ours = ngram_tracing(enron.text[row["Q"]], enron.of(enron.known[row["K"]]))
        assert ours == row["a"] / (row["a"] + row["b"])


def test_ngram_tracing_by_hand() -> None:
    # abcdefghi, bcdefghij of Q; bcdefghij, cdefghijk of K.
    assert ngram_tracing("abcdefghij", ["bcdefghijk"]) == 1 / 2
    assert ngram_tracing("abcdefghij", ["abcdefghi", "ABCDEFGHIJ", "zzzzzzzzz"]) == 1.0  # each counts once


def test_n_grams_do_not_cross_sentences_nor_texts_and_ignore_digits_and_symbols() -> None:
    assert ngram_tracing("abcdefghi", ["abcd. efghi abcdefghi"]) == 1.0
    assert ngram_tracing("abcdefghi", ["abcdefg", "hi abcdefg"]) == 0.0
    assert ngram_tracing("abcdefghi", ["abcd\nefghi klmnopqrst"]) == 0.0
    assert ngram_tracing("ab1cd+efg2hi", ["abcdefghi"]) == 1.0


def test_texts_without_an_n_gram_to_trace_are_refused() -> None:
    with pytest.raises(InputError, match="Q has no sentence of 9 characters"):
        ngram_tracing("short", ["abcdefghij"])
    with pytest.raises(InputError, match="K has no sentence of 9 characters"):
        ngram_tracing("abcdefghij", ["short"])


def min_max(x, y):
    return 1 - np.minimum(x, y).sum() / np.maximum(x, y).sum()


@pytest.mark.shared
def test_ranks_and_scores_are_idiolects_where_draws_are_given(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "rbi_fixed")
    shares = dict(zip(expected["docs"], rank_based_shares(enron.of(expected["docs"])), strict=True))
    assert [row.sum() for row in shares.values()] == pytest.approx(expected["row_sums"], rel=1e-9)
    for problem in expected["problems"]:
        of_q = shares[problem["Q"]]
        others = enron.impostors(problem["K"], enron.author[problem["Q"]])
        table = np.array([shares[id_] for id_ in others])
        of_k = []
        for candidate in problem["candidates"]:
            known = shares[candidate["known"]]
            pool = [others[number] for number in most_frequent(-distances(known, table), problem["k"])]
            assert pool == sorted(candidate["pool"], key=others.index)
            features = np.array([turn["features0"] for turn in candidate["rounds"]])
            drawn = np.array([[pool.index(name) for name in turn["impostors"]] for turn in candidate["rounds"]])
            ranked = ranks(of_q, known, np.array([shares[name] for name in pool]), features, drawn).tolist()
            assert ranked == [turn["rank"] for turn in candidate["rounds"]]
            for turn, row in zip(candidate["rounds"], features, strict=True):
                assert min_max(of_q[row], known[row]) == pytest.approx(turn["dist_k"], rel=1e-9)
            of_k.append(np.mean([1 / rank for rank in ranked]))
            assert of_k[-1] == pytest.approx(candidate["score"], rel=1e-9)
        assert np.mean(of_k) == pytest.approx(problem["score"], rel=1e-9)


@pytest.mark.shared
def test_rank_based_scores_are_idiolects_in_distribution(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "rbi96")
    ours, theirs, same = [], [], []
    for row in expected["table"][:24]:
        reference = enron.of(enron.impostors(row["K"], row["Qauthor"]))
        ours.append(rank_based_impostors(enron.text[row["Q"]], enron.of(enron.known[row["K"]]), reference, seed=1))
        theirs.append(row["score"])
        same.append(row["same"])
    # 80 rounds each: the scores' own noise is about 0.03.
    assert np.abs(np.subtract(ours, theirs)).mean() < 0.05
    assert np.corrcoef(ours, theirs)[0, 1] > 0.95
    is_same = np.array(same)
    assert auc(same=np.array(ours)[is_same], different=np.array(ours)[~is_same]) > 0.85


@pytest.mark.shared
def test_general_impostors_have_idiolects_weights_distances_and_scores(shared: Path) -> None:
    enron, expected = Enron(shared), golden(shared, "kgi")
    first = expected["table"][0]
    # The text itself in front: its n-grams then stand in its own order, as the golden ones do.
    ids = [first["Q"], *(id_ for id_ in enron.text if id_ != first["Q"])]
    weights = general_weights(enron.of(ids))
    assert weights.shape[1] == expected["n_features"]
    of_q = weights[0]
    nonzero = expected["tfidf_Q1_nonzero"]["value"]
    assert of_q[of_q > 0][: len(nonzero)] == pytest.approx(nonzero, rel=1e-9)
    known = [weights[ids.index(id_)] for id_ in enron.known[first["K"]][:3]]
    assert [min_max(of_q, text) for text in known] == pytest.approx(expected["fJaccard_Q1_first3known"], rel=1e-9)
    for row in expected["table"]:
        reference = enron.of(enron.impostors(row["K"], row["Qauthor"]))
        ours = general_impostors(enron.text[row["Q"]], enron.of(enron.known[row["K"]]), reference, seed=3)
        # A share of 100 rounds has a standard error of at most 0.05; two of them are compared.
        assert abs(ours - row["score"]) < 0.2


OTHERS = ["the cat sat on the mat", "some dogs ran over there", "nobody knows what this was", "it is what it is"]


@pytest.mark.parametrize("method", [rank_based_impostors, general_impostors])
def test_a_text_is_nearest_to_itself_and_the_same_seed_gives_the_same_score(method) -> None:
    assert method("we were here all along", ["we were here all along"], OTHERS) == 1.0
    scores = [method("we saw the cat on a mat", ["the dogs were there"], OTHERS, seed=seed) for seed in (5, 5)]
    assert scores[0] == scores[1]
    assert 0.0 <= scores[0] <= 1.0


@pytest.mark.parametrize("method", [rank_based_impostors, general_impostors])
def test_too_few_impostors_and_too_short_texts_are_refused(method) -> None:
    with pytest.raises(InputError, match="There are 1 impostors"):
        method("we were here", ["we were there"], OTHERS[:1])
    with pytest.raises(InputError, match="Text 5 of 6 has no sentence of"):
        method("a. b", ["we were there"], OTHERS)
