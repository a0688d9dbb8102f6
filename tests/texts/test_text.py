"""Text, MaskedText and Corpus."""

import numpy as np
import pytest

from idiograph import Corpus, InputError, MaskedText, Text


def masked(id_: str = "a", author: str | None = "lee", sentences: tuple[tuple[str, ...], ...] = ()) -> MaskedText:
    return MaskedText(id_, author, sentences, "m")


def test_tokens_and_hapaxes_are_counted_by_hand() -> None:
    text = masked(sentences=(("the", "N", "V", "the"), ("it", "V")))
    assert (text.n_tokens, text.n_sentences, text.n_hapaxes) == (6, 2, 2)  # N and it
    assert (text.authors, text.text_ids) == (("lee",), ("a",))
    assert masked(author=None).authors == ()


def test_lists_of_tokens_become_tuples() -> None:
    assert masked(sentences=[["the", "N"]]).sentences == (("the", "N"),)  # type: ignore[arg-type]


def test_spans_have_a_row_for_every_token_or_none() -> None:
    with pytest.raises(InputError, match=r"The text a has 2 tokens but 1 spans\."):
        MaskedText("a", None, (("the", "N"),), "m", np.zeros((1, 2), np.int32))
    with pytest.raises(InputError, match="The spans of a masked text must be an array of whole numbers with two col"):
        MaskedText("a", None, (("the",),), "m", np.zeros((1, 2)))


def test_a_token_must_be_a_string() -> None:
    with pytest.raises(InputError, match="A token of a masked text must be a string, not 3"):
        masked(sentences=(("a", 3),))  # type: ignore[arg-type]


def test_half_a_character_in_a_name_is_refused() -> None:
    with pytest.raises(InputError, match=r"The id of a text is 'a\\ud800', which has half a character"):
        Text("a\ud800", "x")
    with pytest.raises(InputError, match=r"The author of a text is '\\udc00'"):
        Text("a", "x", "\udc00")


def test_a_corpus_by_author() -> None:
    texts = [Text("2", "x", "kim"), Text("1", "x", "lee"), Text("0", "x"), Text("3", "x", "kim")]
    corpus = Corpus(texts)  # type: ignore[arg-type]
    assert corpus.authors == ("kim", "lee")
    assert corpus.by("kim").text_ids == ("2", "3")
    assert corpus.excluding("kim").text_ids == ("1", "0")
    assert corpus.sorted().text_ids == ("0", "2", "3", "1")
    assert corpus.text("1").author == "lee"
    assert (len(corpus), [text.id for text in corpus]) == (4, ["2", "1", "0", "3"])


def test_what_a_corpus_does_not_have_is_said() -> None:
    corpus = Corpus((Text("1", "x"),))
    with pytest.raises(InputError, match=r"There is no text with the id 2 in this corpus \(number of texts: 1\)\."):
        corpus.text("2")
    with pytest.raises(InputError, match=r"The text 1 is not masked\. Mask it first: idiograph\.mask\(corpus\)\."):
        _ = corpus.n_tokens  # type: ignore[misc]
    with pytest.raises(InputError, match="Two texts have the same id: 1"):
        Corpus((Text("1", "x"), Text("1", "y")))


def test_an_author_whom_nobody_knows_is_a_typing_error() -> None:
    corpus = Corpus((Text("1", "x", "Grant"), Text("2", "x", "Lincoln")))
    with pytest.raises(InputError, match=r"None of the 2 authors of this corpus is Grnt \(did you mean Grant\?\)"):
        corpus.excluding("Grnt")
    with pytest.raises(InputError, match=r"is Lincon \(did you mean Lincoln\?\)"):
        corpus.by("Grant", "Lincon")


def test_sides_share_texts_by_what_is_in_them() -> None:
    long = tuple(f"w{n}" for n in range(30))
    text = masked("a", sentences=(long[:12], long[12:]))
    copy, other = masked("b", sentences=(long,)), masked("a", sentences=(long[::-1],))
    assert text.shared_with(other) == ()  # text name, two texts
    assert text.shared_with(Corpus((other, copy))) == ("100 % of the tokens of a also occur in b",)
    assert Corpus((copy, text)).shared_with(masked("a", sentences=text.sentences)) == (
        "100 % of the tokens of b also occur in a",
        "a",
    )
    short = masked("s", sentences=(("I", "V"),))
    assert short.shared_with(masked("t", sentences=(("I", "V"),))) == ()  # may be the same by chance
    assert short.shared_with(masked("s", sentences=(("I", "V"),))) == ("s",)
    corpus = Corpus((text, copy))
    with pytest.raises(InputError, match="The other side must be masked texts, a corpus or a part of an index, not"):
        corpus.shared_with(("a", "b"))
