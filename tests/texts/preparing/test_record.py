"""The record: every change undone, to the last character, and every character followed back to where it was."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from idiograph import Corpus, InputError, Prepared, Text, prepare
from prepared_texts import MAIL, by_hand, corpora, recipes


def original_span(prepared: Prepared, text_id: str, start: int, end: int) -> tuple[int, ...]:
    return tuple(prepared.record.original_spans(text_id, np.array([[start, end]]))[0].tolist())


@settings(deadline=None)
@given(corpus=corpora, recipe=recipes)
def test_characters_are_followed_back(corpus: Corpus[Text], recipe: Any) -> None:
    # Each character carries its original place through the edits; those put in carry none.
    prepared = prepare(corpus, recipe)
    for text in prepared.corpus:
        carried: list[tuple[str, int | None]] = [(mark, at) for at, mark in enumerate(corpus.text(text.id).content)]
        for change in prepared.record.text(text.id).changes:
            for start, removed, inserted in reversed(change.edits):
                old = carried[start : start + len(removed)]
                same_length = len(removed) == len(inserted)
                carried[start : start + len(removed)] = [
                    (mark, old[at][1] if same_length else None) for at, mark in enumerate(inserted)
                ]
        assert "".join(mark for mark, _ in carried) == text.content
        for position, (_, original) in enumerate(carried):
            if original is not None:
                assert original_span(prepared, text.id, position, position + 1)[0] == original


def test_spans_by_hand() -> None:
    prepared = by_hand()
    content = prepared.corpus.text("mail").content
    assert content == "Dear Ann,\n\nSee <url>, it is SOO good!!!!!\n\nBest,\nBob"
    at = content.index("<url>")
    start, end = original_span(prepared, "mail", at, at + 5)
    assert MAIL[start:end] == "HTTP://a.org/long/page"
    good = content.index("good")
    start, end = original_span(prepared, "mail", good, good + 4)
    assert MAIL[start:end] == "good"
    both = prepared.record.original_spans("mail", np.array([[0, 4], [at, good + 4], [good, good]]))
    assert [MAIL[a:b] for a, b in both] == ["Dear", "HTTP://a.org/long/page, it is SOOO good", ""]
    assert original_span(prepared, "mail", len(content), len(content)) == (len(MAIL), len(MAIL))
    # Nothing, right after the letter that was taken out of SOOO, is nothing before as well.
    assert original_span(prepared, "mail", good - 1, good - 1) == (MAIL.index(" good"),) * 2


def test_the_diff_by_hand() -> None:
    record = by_hand().record
    assert list(record.diff("mail")) == [
        "1 urls, at 15: 'HTTP://a.org/long/page' -> '<url>'",
        "2 elongated_words, at 31: 'O' -> ''",
    ]
    assert list(record.diff("ok")) == ["3 text_length, left out: 2 tokens, fewer than 3"]
    assert list(record.diff("no")) == []
    with pytest.raises(InputError, match="no text with the id yes"):
        record.diff("yes").__next__()


def test_a_corpus_or_record_that_was_changed_is_refused() -> None:
    prepared = by_hand()
    corpus, record = prepared.corpus, prepared.record
    edited = Corpus(tuple(dataclasses.replace(text, content=f"{text.content}!") for text in corpus))
    forged = dataclasses.replace(record.texts[0], changes=record.texts[0].changes[1:])
    for changed, of, message in (
        (edited, record, "The text mail has been changed since it was prepared"),
        (corpus[:1], record, "The text no is in the record but not in the prepared corpus"),
        (corpus + Corpus((Text("new", "x"),)), record, "The record knows nothing of the text new"),
        (
            corpus,
            dataclasses.replace(record, texts=(forged, *record.texts[1:])),
            "The record of mail does not lead back to the original",
        ),
    ):
        with pytest.raises(InputError, match=message):
            Prepared(changed, of).restored()
