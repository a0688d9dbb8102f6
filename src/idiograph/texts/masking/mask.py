"""Masking: texts become sentences of tokens in which what a text is about is hidden and how it is written is kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import overload

from idiograph.errors import MaskingError
from idiograph.progress import progress
from idiograph.texts.masking.rules import METHODS, METHODS_WITH_LIST, Masking
from idiograph.texts.masking.stream import AnyText, mask_stream
from idiograph.texts.masking.tagger import find_model
from idiograph.texts.masking.word_list import list_from_file, published_list
from idiograph.texts.text import Corpus, MaskedText, Text


def masking_settings(
    *,
    method: str = "posnoise",
    model: str | None = None,
    word_list: str | Path | None = None,
    normalise_quotes: bool = True,
) -> Masking:
    """The settings of a masking, with the tagger found and verified and the word list read."""
    if method not in METHODS:
        raise MaskingError(f"There is no masking method {method}. Choose one of {', '.join(METHODS)}.")
    found = find_model(model)
    if method not in METHODS_WITH_LIST:
        if word_list is not None:
            raise MaskingError(
                f"The method {method} keeps words by no list, so {word_list} would have no effect. "
                "Leave the list out, or use posnoise or textdistortion."
            )
        return Masking(method, found, None, normalise_quotes)
    words = list_from_file(Path(word_list), language=found.language) if word_list else published_list(found.language)
    return Masking(method, found, words, normalise_quotes)


@overload
def mask(
    source: AnyText,
    *,
    method: str = ...,
    model: str | None = ...,
    word_list: str | Path | None = ...,
    normalise_quotes: bool = ...,
    workers: int = ...,
    cache: bool = ...,
) -> MaskedText: ...
@overload
def mask(
    source: Corpus[Text] | Corpus[MaskedText],
    *,
    method: str = ...,
    model: str | None = ...,
    word_list: str | Path | None = ...,
    normalise_quotes: bool = ...,
    workers: int = ...,
    cache: bool = ...,
) -> Corpus[MaskedText]: ...
def mask(
    source: AnyText | Corpus[Text] | Corpus[MaskedText],
    *,
    method: str = "posnoise",
    model: str | None = None,
    word_list: str | Path | None = None,
    normalise_quotes: bool = True,
    workers: int = 1,
    cache: bool = True,
) -> MaskedText | Corpus[MaskedText]:
    """A text or corpus masked; what came already masked stays as it is.

    A text of which no token is left is an error that names it. With more than one worker, a script must keep its main
    code under `if __name__ == "__main__":`, since processes are started afresh.
    """
    texts: tuple[AnyText, ...] = source.texts if isinstance(source, Corpus) else (source,)
    masked = tuple(text for text in texts if isinstance(text, MaskedText))
    if len(masked) < len(texts):
        how = masking_settings(method=method, model=model, word_list=word_list, normalise_quotes=normalise_quotes)
        size = sum(len(text.content) for text in texts if isinstance(text, Text))
        with progress("Masking", total=size, unit="characters") as advance:
            masked = tuple(mask_stream(texts, how, workers=workers, cache=cache, advance=advance))
        refuse_empty([text.id for text in masked if not text.n_tokens])
    return Corpus(masked) if isinstance(source, Corpus) else masked[0]


def refuse_empty(ids: Sequence[str]) -> None:
    """An error in words that names the texts of which nothing is left."""
    if ids:
        others = f" and {len(ids) - 5:,} more" if len(ids) > 5 else ""
        raise MaskingError(
            f"No token is left of {', '.join(ids[:5])}{others}: nothing but white space. A text without words cannot "
            "be compared with anything; leave it out, or check how it was read and prepared."
        )
