"""Masking: texts become sentences of tokens in which what a text is about is hidden and how it is written is kept."""

import os
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, overload

from idiograph.checking import check, in_order, whole_number
from idiograph.errors import InputError, MaskingError, some
from idiograph.files import as_path
from idiograph.progress import progress
from idiograph.texts.characters import cleaning
from idiograph.texts.edits import apply
from idiograph.texts.language import ENGLISH, language_name
from idiograph.texts.masking.batches import AnyText, mask_stream
from idiograph.texts.masking.models import TaggerModel, blank_model, find_model, list_from_file, tagger_of, usual_list
from idiograph.texts.masking.rules import METHODS_WITH_LIST, Masking, MaskingOptions
from idiograph.texts.text import Corpus, MaskedText, Text

OwnMasking = Callable[[str], Sequence[Sequence[str]]]  # a text's content -> its sentences, masked


def masking_settings(
    *,
    method: str = "posnoise",
    language: str | None = None,
    model: str | None = None,
    word_list: str | Path | None = None,
    normalise_quotes: bool = True,
    clean: bool = True,
) -> Masking:
    """The settings of a masking, with the tagger found and verified and the word list read.

    Without `clean`, characters without a visible form stay: as every version before 0.4 masked.
    """
    path = None if word_list is None else as_path(word_list, "The word list")
    MaskingOptions(method=method, language=language, model=model, word_list=path, normalise_quotes=normalise_quotes)
    tagger_model = _model(method, language, model)
    if method not in METHODS_WITH_LIST:
        if path is not None:
            raise MaskingError(
                f"The method {method} uses no word list, so {path} would have no effect. "
                "Leave the list out, or use posnoise, textdistortion or list."
            )
        return Masking(method, tagger_model, None, normalise_quotes, clean)
    words = list_from_file(path, language=tagger_model.language) if path else usual_list(tagger_model.language, method)
    return Masking(method, tagger_model, words, normalise_quotes, clean)


def _model(method: str, language: str | None, model: str | None) -> TaggerModel:
    """What cuts and tags the texts: the model that is named, or the language's own."""
    if model is not None and method == "list":
        raise MaskingError(
            f"The method list uses no tagger, so {model} would have no effect. Leave the model out, or use posnoise, "
            "frames or textdistortion."
        )
    if model is None:
        spoken = language or ENGLISH
        # Without a tagger where none is needed; in English none as ever.
        untagged = method == "list" or (method == "none" and spoken != ENGLISH)
        return blank_model(spoken) if untagged else tagger_of(spoken)
    named = find_model(model)
    if language is not None and named.language != language:
        raise MaskingError(
            f"The model {model} is for {language_name(named.language)} ({named.language}), and the texts are said "
            f"to be in {language_name(language)} ({language}). Name a model of the texts' language, or the language of "
            "the model."
        )
    return named


@overload
def mask(
    source: str | AnyText,
    *,
    method: str | OwnMasking = ...,
    language: str | None = ...,
    model: str | None = ...,
    word_list: str | Path | None = ...,
    normalise_quotes: bool = ...,
    clean: bool = ...,
    workers: int | None = ...,
    cache: bool = ...,
) -> MaskedText: ...
@overload
def mask(
    source: Corpus[Text] | Corpus[MaskedText] | list[Any] | tuple[Any, ...] | Iterator[Any],
    *,
    method: str | OwnMasking = ...,
    language: str | None = ...,
    model: str | None = ...,
    word_list: str | Path | None = ...,
    normalise_quotes: bool = ...,
    clean: bool = ...,
    workers: int | None = ...,
    cache: bool = ...,
) -> Corpus[MaskedText]: ...
def mask(
    source: str | AnyText | Corpus[Text] | Corpus[MaskedText] | list[Any] | tuple[Any, ...] | Iterator[Any],
    *,
    method: str | OwnMasking = "posnoise",
    language: str | None = None,
    model: str | None = None,
    word_list: str | Path | None = None,
    normalise_quotes: bool = True,
    clean: bool = True,
    workers: int | None = None,
    cache: bool = True,
) -> MaskedText | Corpus[MaskedText]:
    """A text masked, or several as a Corpus; what is already masked stays as it is.

    `source` is a text, a string, several in a list, or a corpus: `mask("Dear Sir, …")`; strings of a list are named
    text 1, text 2 and so on. `method` is posnoise, frames, textdistortion, list or none, or a function of your own that
    makes sentences, lists of tokens, of a text's content. `language` is the texts' language by its code, `model`
    another installed spaCy model, `word_list` a file of words to keep in place of the usual list; `normalise_quotes`
    takes typographic quotes for plain ones. A text of which no token is left is an error that names it. Characters
    without a visible form are left out; without `clean` they stay, as in every version before 0.4. Long work is shared
    by one process per core, at most six, unless `workers` says how many. Without `cache` everything is masked anew, and
    nothing is kept.
    """
    single = isinstance(source, str | Text | MaskedText)
    texts = _texts_of([source] if single else source)
    workers = (
        most_processes() if workers is None else whole_number(workers, "The number of workers", least=1, most=1_000)
    )
    check(cache, bool, "cache")
    check(clean, bool, "clean")
    masked = tuple(text for text in texts if isinstance(text, MaskedText))
    if callable(method):
        if (language, model, word_list, normalise_quotes) != (None, None, None, True):
            raise MaskingError(
                "A masking of your own takes a text's content and nothing else. Leave out language, model, word_list "
                "and normalise_quotes."
            )
        masked = tuple(_masked_by_own(method, text, clean=clean) for text in texts)
        refuse_empty([text.id for text in masked if not text.n_tokens])
    elif len(masked) < len(texts):
        how = masking_settings(
            method=method,
            language=language,
            model=model,
            word_list=word_list,
            normalise_quotes=normalise_quotes,
            clean=clean,
        )
        masked = masked_by(how, texts, workers=workers, cache=cache)
    return masked[0] if single else Corpus(masked)


def _masked_by_own(method: OwnMasking, text: AnyText, *, clean: bool) -> MaskedText:
    if isinstance(text, MaskedText):
        return text
    content = apply(text.content, cleaning(text.content)) if clean else text.content
    name = f"own:{getattr(method, '__module__', '')}.{getattr(method, '__qualname__', type(method).__name__)}"
    try:
        return MaskedText(text.id, text.author, tuple(method(content)), name, metadata=text.metadata)  # type: ignore[arg-type]
    except (InputError, TypeError) as error:
        raise MaskingError(
            f"The masking of your own ({name}) made no sentences of {text.id}: {error} It must give a list of "
            "sentences, each a list of tokens."
        ) from error


def most_processes() -> int:
    """Processes that long work is shared by unless a number is named: one per core, at most six of some 200 MB."""
    return min(os.cpu_count() or 1, 6)


def masked_by(
    how: Masking,
    texts: Sequence[AnyText],
    *,
    workers: int,
    cache: bool = True,
    ways_taken: set[str] | None = None,
) -> tuple[MaskedText, ...]:
    """Texts masked by settings that are resolved already; one of which no token is left is an error that names it."""
    size = sum(len(text.content) for text in texts if isinstance(text, Text))
    with progress("Masking", total=size, unit="characters") as advance:
        stream = mask_stream(texts, how, workers=workers, cache=cache, advance=advance, ways_taken=ways_taken)
        masked = tuple(stream)
    refuse_empty([text.id for text in masked if not text.n_tokens])
    return masked


def _texts_of(source: Any) -> tuple[AnyText, ...]:
    """The texts of a corpus or a list, strings among them made texts."""
    if isinstance(source, PathLike):
        raise InputError(f"{source} is a path. Read it first: idiograph.mask(idiograph.read({str(source)!r})).")
    if isinstance(source, Corpus):
        return source.texts
    items = in_order(source, "What is to be masked", "strings or texts", lambda item: isinstance(item, str | AnyText))
    return tuple(Text(f"text {n}", item) if isinstance(item, str) else item for n, item in enumerate(items, start=1))


def refuse_empty(ids: Sequence[str]) -> None:
    """An error that names the texts of which nothing is left."""
    if ids:
        raise MaskingError(
            f"No token is left of {some(ids)}: nothing but white space. A text without words cannot "
            "be compared with anything; leave it out, or check how it was read and prepared."
        )
