"""What the texts layer says to a newcomer's mistakes, beyond what every public call is tried with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import idiograph
from idiograph import Corpus, InputError, MaskedText, Text
from mistakes import WRONG, unanswered

TEXTS = (Text("1", "Some words of Ann.\n", "Ann"), Text("2", "Other words of Bob.\n", "Bob"))


Arguments = dict[str, Callable[[], Any]]


def test_every_mistake_in_reading_is_answered_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words.\n")
    options = ("format", "author", "author_from", "pattern", "metadata", "delimiter", "encoding", "unwrap", "skip_bad")
    right: Arguments = {"path": lambda: tmp_path, "options": lambda: None, "kind": lambda: "texts"}
    assert unanswered(idiograph.read, right) == []
    for option in options:
        usual: Arguments = {option: lambda option=option: getattr(idiograph.ReadingOptions(), option)}
        assert unanswered(lambda **named: idiograph.read(tmp_path, **named), usual) == []


def test_an_unknown_reading_option_is_named_with_the_one_that_was_probably_meant(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no reading option encodin \(did you mean encoding\?\)"):
        idiograph.read(tmp_path, encodin="utf-8")


def test_the_working_folder_is_not_read_by_mistake() -> None:
    with pytest.raises(InputError, match=r"The path to be read is ''. Give a path"):
        idiograph.read("")


@pytest.mark.usefixtures("fake_tagger")
def test_strings_and_texts_in_any_common_shape_are_masked() -> None:
    masked = idiograph.mask("Some words.", cache=False)
    assert isinstance(masked, MaskedText)
    assert masked.n_tokens
    text = Text("mine", "Some words.", "Ann")
    assert idiograph.mask(text, cache=False).sentences == masked.sentences
    for shape in (["Some words.", text], ("Some words.", text), iter(["Some words.", text])):
        several = idiograph.mask(shape, cache=False)
        assert [(each.id, each.author, each.sentences) for each in several] == [
            ("text 1", None, masked.sentences),
            ("mine", "Ann", masked.sentences),
        ]
    assert idiograph.mask(Corpus((text,)), cache=False).text("mine").sentences == masked.sentences


def test_a_set_is_refused_where_order_matters() -> None:
    for call in (Corpus, idiograph.mask):
        with pytest.raises(InputError, match="not a set: a set has no order"):
            call({"a", "b"})


def test_a_path_to_be_masked_is_to_be_read_first() -> None:
    with pytest.raises(InputError, match=r"is a path. Read it first: idiograph.mask\(idiograph.read\('q.txt'\)\)"):
        idiograph.mask(Path("q.txt"))  # type: ignore[call-overload]


def test_texts_in_a_list_are_prepared() -> None:
    assert len(idiograph.prepare(list(TEXTS), "plain").corpus) == 2


def test_the_list_of_wrong_values_is_long() -> None:
    assert len(WRONG) >= 40
