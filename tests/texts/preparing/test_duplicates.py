"""Duplicates: exact ones, near ones against brute force and datasketch's own LSH, and shared runs of words."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idiograph import InputError, Text, prepare
from prepared_texts import left_out, recipe_of, report_on


def texts_of(*contents: str, authors: str | None = None) -> list[Text]:
    return [Text(str(n), content, (authors or "a" * 99)[n]) for n, content in enumerate(contents)]


def shingles(content: str, size: int) -> set[tuple[str, ...]]:
    words = content.lower().split()
    return {tuple(words[start : start + size]) for start in range(len(words) - size + 1)}


def test_exact_duplicates_by_hand() -> None:
    texts = texts_of("So it is.", "so it is", "So it is.", "no", authors="aaba")
    assert left_out(texts, "exact_duplicates") == {"2": "a duplicate of 0"}
    assert set(left_out(texts, "exact_duplicates", compare="words")) == {"1", "2"}
    assert set(left_out(texts, "exact_duplicates", remove="both")) == {"0", "2"}
    assert left_out(texts, "exact_duplicates", scope="author") == {}
    assert set(left_out(texts, "exact_duplicates", compare="words", scope="author")) == {"1"}


LONG = "a b c d e f g h i j"


def test_shared_runs_by_hand() -> None:
    texts = texts_of(f"x {LONG} y", f"Z, {LONG}!", "a b c d e f g h i x", "k l m", authors="aabb")
    assert left_out(texts, "shared_runs") == {
        "0": "shares 10 or more tokens in a row with 1",
        "1": "shares 10 or more tokens in a row with 0",
    }
    assert set(left_out(texts, "shared_runs", remove="one")) == {"1"}
    assert set(left_out(texts, "shared_runs", tokens=9)) == {"0", "1", "2"}
    assert left_out(texts, "shared_runs", tokens=11) == {}
    assert left_out(texts, "shared_runs", tokens=9, scope="author").keys() == {"0", "1"}


def test_a_run_repeated_within_one_text_is_not_shared() -> None:
    assert left_out(texts_of(f"{LONG} {LONG}", "k"), "shared_runs") == {}


def test_the_first_of_a_chain_and_the_third_stay() -> None:
    # 0 and 1 share one run, 1 and 2 another; 0 and 2 share none. Once 1 is gone, 2 repeats nothing that stays.
    texts = texts_of("a b c x", "a b c d e f", "y d e f")
    assert set(left_out(texts, "shared_runs", tokens=3, remove="one")) == {"1"}
    assert set(left_out(texts, "near_duplicates", tokens=3, remove="one")) == {"1"}
    assert set(left_out(texts, "near_duplicates", tokens=3, remove="both")) == {"0", "1", "2"}


def test_near_duplicates_by_hand() -> None:
    # 20 words, 11 shingles; with the last word changed 10 of 12 different shingles are common.
    words = [f"w{number}" for number in range(20)]
    texts = texts_of(" ".join(words), " ".join([*words[:-1], "other"]), " ".join(words[::-1]), authors="aba")
    assert left_out(texts, "near_duplicates") == {
        "0": "a near-duplicate of 1 (Jaccard 0.833)",
        "1": "a near-duplicate of 0 (Jaccard 0.833)",
    }
    assert report_on(texts, "near_duplicates").figures == {"pairs_compared": 1}
    assert set(left_out(texts, "near_duplicates", remove="one")) == {"1"}
    assert left_out(texts, "near_duplicates", threshold=10 / 12) == {}
    assert left_out(texts, "near_duplicates", threshold=0.83).keys() == {"0", "1"}
    assert left_out(texts, "near_duplicates", scope="author") == {}
    assert left_out(texts, "near_duplicates", tokens=20) == {}
    assert report_on(texts, "near_duplicates", hashes=2, bands=1).figures["pairs_compared"] in (0, 1)


def test_more_and_narrower_bands_find_more() -> None:
    rng = np.random.default_rng(0)
    contents = []
    for _ in range(30):
        changed = [f"w{number}" for number in range(60)]
        for position in rng.choice(60, size=6, replace=False):
            changed[position] = f"n{rng.integers(10**6)}"
        contents.append(" ".join(changed))
    texts = texts_of(*contents)
    n_found = [len(left_out(texts, "near_duplicates", hashes=hashes, bands=bands)) for hashes, bands in BANDS]
    assert n_found == sorted(set(n_found))


BANDS = [(20, 1), (240, 80), (240, 240)]


def test_texts_shorter_than_a_shingle_are_not_compared() -> None:
    assert left_out(texts_of("a b c", "a b c", ""), "near_duplicates") == {}


@pytest.mark.parametrize("step", ["exact_duplicates", "shared_runs", "near_duplicates"])
def test_where_an_earlier_step_left_nothing_there_is_nothing_to_compare(step: str) -> None:
    prepared = prepare(texts_of("a", "a"), recipe_of({"step": "author_tokens"}, {"step": step}))
    assert (len(prepared.corpus), prepared.record.steps[1].texts_removed) == (0, 0)


def test_bands_must_divide_the_hashes() -> None:
    with pytest.raises(InputError, match="has 240 hashes and 7 bands"):
        left_out(texts_of("a"), "near_duplicates", bands=7)


word_lists = st.lists(st.lists(st.sampled_from("abcd"), max_size=14).map(" ".join), min_size=1, max_size=8)


@settings(deadline=None)
@given(contents=word_lists, size=st.integers(1, 4))
def test_shared_runs_are_those_of_brute_force(contents: list[str], size: int) -> None:
    sharing = {
        str(number)
        for first, second in itertools.combinations(range(len(contents)), 2)
        if shingles(contents[first], size) & shingles(contents[second], size)
        for number in (first, second)
    }
    assert left_out(texts_of(*contents), "shared_runs", tokens=size).keys() == sharing


@settings(deadline=None)
@given(contents=word_lists, threshold=st.sampled_from([0.0, 0.3, 0.6, 0.99]))
def test_near_duplicates_are_those_of_brute_force(contents: list[str], threshold: float) -> None:
    # One hash a band: with a similarity s a pair is missed by 240 bands with a probability of (1 − s)^240, and the
    # smallest similarity of such short texts is above 1/25.
    sets = [shingles(content, 2) for content in contents]
    alike = {
        (first, second)
        for first, second in itertools.combinations(range(len(sets)), 2)
        if sets[first] | sets[second] and len(sets[first] & sets[second]) / len(sets[first] | sets[second]) > threshold
    }
    both = left_out(texts_of(*contents), "near_duplicates", tokens=2, bands=240, threshold=threshold)
    assert both.keys() == {str(number) for pair in alike for number in pair}
    staying: list[int] = []
    for number in range(len(sets)):
        if not any((earlier, number) in alike for earlier in staying):
            staying.append(number)
    one_goes = left_out(texts_of(*contents), "near_duplicates", tokens=2, bands=240, threshold=threshold, remove="one")
    assert one_goes.keys() == {str(number) for number in range(len(sets))} - set(map(str, staying))


def test_thousands_of_copies_are_not_compared_two_by_two() -> None:
    texts = texts_of(LONG) + [Text(f"c{number}", LONG, "a") for number in range(3000)]
    assert report_on(texts, "near_duplicates").figures["pairs_compared"] == 3000
    assert report_on(texts, "near_duplicates", remove="one").figures["pairs_compared"] == 3000
