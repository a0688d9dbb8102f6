"""Every public call of the texts layer answers a newcomer's mistakes with a sentence, or simply works."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idiograph
from idiograph import Corpus, InputError, MaskedText, Prepared, Problem, ProblemSet, Text
from idiograph.texts.reading.problem_set import TextProblem
from idiograph.texts.reading.reading_report import ReadingReport
from mistakes import WRONG, unanswered

TEXTS = (Text("1", "Some words of Ann.\n", "Ann"), Text("2", "Other words of Bob.\n", "Bob"))


def masked(name: str, author: str | None = None) -> MaskedText:
    return MaskedText(name, author, (("the", "N", "."), ("it", "V", ".")), "by hand")


def report() -> ReadingReport:
    return ReadingReport("here", 2, {}, {})


Arguments = dict[str, Callable[[], Any]]

CALLS: dict[str, tuple[Callable[..., Any], Arguments]] = {
    "Text": (
        Text,
        {"id": lambda: "1", "content": lambda: "words", "author": lambda: None, "metadata": dict},
    ),
    "MaskedText": (
        MaskedText,
        {
            "id": lambda: "1",
            "author": lambda: "Ann",
            "sentences": lambda: (("the", "N"),),
            "masking": lambda: "by hand",
            "spans": lambda: np.array([[0, 3], [4, 7]], np.int32),
            "metadata": dict,
        },
    ),
    "Corpus": (Corpus, {"texts": lambda: TEXTS}),
    "Corpus.text": (Corpus(TEXTS).text, {"id_": lambda: "1"}),
    "Corpus.by": (lambda author: Corpus(TEXTS).by(author), {"author": lambda: "Ann"}),
    "Corpus.excluding": (lambda author: Corpus(TEXTS).excluding(author), {"author": lambda: "Ann"}),
    "Problem": (
        Problem,
        {
            "q": lambda: masked("q"),
            "k": lambda: Corpus((masked("k", "Ann"),)),
            "reference": lambda: Corpus((masked("r", "Bob"), masked("s", "Cid"))),
            "id": lambda: "one",
        },
    ),
    "TextProblem": (
        TextProblem,
        {"id": lambda: "one", "k": lambda: TEXTS[:1], "q": lambda: TEXTS[1], "same_author": lambda: True},
    ),
    "ProblemSet": (
        ProblemSet,
        {"problems": lambda: (TextProblem("one", TEXTS[:1], TEXTS[1], False),), "report": report},
    ),
    "Prepared": (
        Prepared,
        {"corpus": lambda: Corpus(TEXTS), "record": lambda: idiograph.prepare(TEXTS, "plain").record},
    ),
    "prepare": (idiograph.prepare, {"corpus": lambda: Corpus(TEXTS), "recipe": lambda: "plain"}),
    "mask": (
        idiograph.mask,
        {
            "source": lambda: "Some words.",
            "method": lambda: "posnoise",
            "model": lambda: None,
            "word_list": lambda: None,
            "normalise_quotes": lambda: True,
            "workers": lambda: 1,
            "cache": lambda: False,
        },
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("fake_tagger")
def test_every_mistake_is_answered_with_a_sentence(name: str) -> None:
    assert unanswered(*CALLS[name]) == []


def test_every_mistake_in_reading_is_answered_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words.\n")
    options = ("format", "author", "author_from", "pattern", "metadata", "delimiter", "encoding", "unwrap", "skip_bad")
    right: Arguments = {"path": lambda: tmp_path, "options": lambda: None, "kind": lambda: "texts"}
    assert unanswered(idiograph.read, right) == []
    for option in options:
        one: Arguments = {option: lambda option=option: getattr(idiograph.ReadingOptions(), option)}
        assert unanswered(lambda **named: idiograph.read(tmp_path, **named), one) == []


def test_an_unknown_reading_option_is_named_with_the_one_that_was_probably_meant(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no reading option encodin \(did you mean encoding\?\)"):
        idiograph.read(tmp_path, encodin="utf-8")


def test_the_working_folder_is_not_read_by_mistake() -> None:
    with pytest.raises(InputError, match=r"The path to be read is ''. Give a path"):
        idiograph.read("")


@pytest.mark.usefixtures("fake_tagger")
def test_strings_and_texts_in_any_common_shape_are_masked() -> None:
    one = idiograph.mask("Some words.", cache=False)
    assert isinstance(one, MaskedText)
    assert one.n_tokens
    text = Text("mine", "Some words.", "Ann")
    assert idiograph.mask(text, cache=False).sentences == one.sentences
    for shape in (["Some words.", text], ("Some words.", text), iter(["Some words.", text])):
        several = idiograph.mask(shape, cache=False)
        assert [(each.id, each.author, each.sentences) for each in several] == [
            ("text 1", None, one.sentences),
            ("mine", "Ann", one.sentences),
        ]
    assert idiograph.mask(Corpus((text,)), cache=False).text("mine").sentences == one.sentences


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
