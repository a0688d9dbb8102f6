"""Edits: applied, undone, tightened and followed back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from idiograph.texts.edits import Edit, Edits, apply, inverse, removals, spans_before, tight


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, Edits]:
    """A text and edits of it that do not touch each other."""
    content = draw(st.text("ab c", min_size=1, max_size=30))
    edits: list[Edit] = []
    at = 0
    while at < len(content) and len(edits) < 4:
        start = draw(st.integers(at, len(content)))
        end = draw(st.integers(start, min(len(content), start + 4)))
        edits.append((start, content[start:end], draw(st.text("xy", max_size=4))))
        at = end + 1
    return content, tuple(edits)


def test_edits_by_hand() -> None:
    edits = ((0, "Hello", "Hi"), (6, "", "dear "), (11, "!", ""))
    assert apply("Hello world!", edits) == "Hi dear world"
    assert inverse(edits) == ((0, "Hi", "Hello"), (3, "dear ", ""), (13, "", "!"))


@given(edited())
def test_the_inverse_leads_back(content_and_edits: tuple[str, Edits]) -> None:
    content, edits = content_and_edits
    after = apply(content, edits)
    assert apply(after, inverse(edits)) == content
    assert inverse(inverse(edits)) == edits


@given(edited())
def test_tight_edits_do_the_same_with_nothing_in_common(content_and_edits: tuple[str, Edits]) -> None:
    content, edits = content_and_edits
    kept = tight(edits)
    assert apply(content, kept) == apply(content, edits)
    for _, removed, inserted in kept:
        assert removed[:1] != inserted[:1] or not removed[:1]
        assert removed[-1:] != inserted[-1:] or not removed[-1:]


def test_tight_by_hand() -> None:
    assert tight([(3, "Hello", "hello"), (9, "same", "same"), (14, "abcd", "abXcd")]) == ((3, "H", "h"), (16, "", "X"))


def test_removed_spans_are_merged_where_they_overlap_or_touch() -> None:
    assert removals("abcdefgh", [(5, 6), (0, 2), (1, 3), (3, 4), (7, 7)]) == ((0, "abcd", ""), (5, "f", ""))
    assert removals("abc", []) == ()


def test_places_before_the_edits_by_hand() -> None:
    # abcdef -> abXYZf: cde replaced by XYZ letter by letter; -> aQf: bcde by one letter
    spans = np.array([[2, 3], [0, 6], [5, 6], [3, 3]])
    assert spans_before(((2, "cde", "XYZ"),), spans).tolist() == spans.tolist()
    assert spans_before(((1, "bcde", "Q"),), np.array([[1, 2], [2, 3], [0, 1]])).tolist() == [[1, 5], [5, 6], [0, 1]]
    assert spans_before((), spans) is spans


@given(edited())
def test_an_untouched_character_is_followed_back_to_itself(content_and_edits: tuple[str, Edits]) -> None:
    content, edits = content_and_edits
    positions: list[int | None] = list(range(len(content)))
    for start, removed, inserted in reversed(edits):
        same = len(removed) == len(inserted)
        positions[start : start + len(removed)] = [start + n if same else None for n in range(len(inserted))]
    spans = np.array([[n, n + 1] for n in range(len(positions))]).reshape(-1, 2)
    for position, (start, end) in zip(positions, spans_before(edits, spans), strict=True):
        assert position is None or (start, end) == (position, position + 1)
