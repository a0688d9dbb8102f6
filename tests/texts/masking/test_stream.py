"""Many texts masked: the same in any number of processes, and none lost with one of them."""

import multiprocessing
from collections.abc import Iterator

import numpy as np
import pytest

from fake_tagger import FakeTagger
from idiograph import Corpus, InputError, MaskedText, MaskingError, Text, mask
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.stream import characters_to_mask, mask_stream
from naive_masking import varied_texts


@pytest.mark.tagger
def test_two_workers_give_what_one_gives_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.texts.masking.stream._PORTION", 300)
    texts = Corpus(tuple(Text(str(n), content + "\nx", f"a{n % 3}") for n, content in enumerate(varied_texts()[:30])))
    one, two = mask(texts, cache=False), mask(texts, cache=False, workers=2)
    assert one == two
    assert all(np.array_equal(a.spans, b.spans) for a, b in zip(one, two, strict=True))


@pytest.mark.tagger
def test_a_killed_worker_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.texts.masking.stream._PORTION", 10)
    texts = (Text(str(n), f"Number {n} is here.") for n in range(100_000))
    stream = mask_stream(texts, masking_settings(), cache=False, workers=2)
    next(stream)
    multiprocessing.active_children()[0].kill()
    with pytest.raises(MaskingError, match=r"A masking process was ended from outside"):
        for _ in stream:
            pass


def test_few_texts_are_asked_for_ahead_of_the_one_that_is_given_out(fake_tagger: FakeTagger) -> None:
    asked = []

    def texts() -> Iterator[Text]:
        for number in range(10):
            asked.append(number)
            yield Text(str(number), "The lamp glows. " * 4_000)

    stream = mask_stream(texts(), masking_settings())
    assert next(stream).id == "0"
    assert asked == [0]
    assert [text.id for text in stream] == [str(number) for number in range(1, 10)]


def test_progress_counts_the_characters_of_every_text(fake_tagger: FakeTagger) -> None:
    texts = [Text("a", "The lamp"), MaskedText("m", None, (("the",),), "m"), Text("b", "The lamp"), Text("c", "")]
    done: list[float] = []
    masked = list(mask_stream(texts, masking_settings(), advance=done.append))
    assert [text.id for text in masked] == ["a", "m", "b", "c"]
    assert done == [8, 8, 0]
    assert fake_tagger.lines == ["The lamp"]


def test_only_what_the_cache_lacks_is_left_to_mask(fake_tagger: FakeTagger) -> None:
    texts = [Text("a", "The lamp"), Text("b", "glows"), Text("c", "glows")]
    how = masking_settings()
    assert characters_to_mask(texts, how) == 13
    list(mask_stream(texts[:1], how))
    assert characters_to_mask(texts, how) == 5
    list(mask_stream(texts, how))
    assert characters_to_mask(texts, how) == 0


def test_no_worker_is_too_few() -> None:
    with pytest.raises(InputError, match=r"The number of workers is 0; at least one is needed\."):
        next(mask_stream([], masking_settings(), workers=0))
