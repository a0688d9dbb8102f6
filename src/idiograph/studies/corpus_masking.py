"""How a corpus of a study is masked, and whether its texts are in the language that the study states."""

import warnings
from collections.abc import Sequence
from typing import Any

from idiograph.errors import StudyError, some
from idiograph.studies.settings import CorpusSettings, Study
from idiograph.texts.masking.language_check import check_language
from idiograph.texts.masking.languages import ENGLISH, language_name
from idiograph.texts.text import Text


def masking_of(study: Study, corpus: CorpusSettings) -> dict[str, Any]:
    """The arguments of `mask` for a corpus."""
    return {
        "method": corpus.masking or study.masking,
        "language": corpus.language or study.language,
        "model": corpus.model,
        "word_list": None if corpus.word_list is None else study.folder / corpus.word_list,
    }


def other_than_english(study: Study, corpus: CorpusSettings) -> dict[str, str]:
    """The language of a corpus as part of what decides its scores; nothing in English."""
    language = corpus.language or study.language
    return {} if language == ENGLISH else {"language": language}


def check_texts(study: Study, corpus: CorpusSettings, texts: Sequence[Text]) -> None:
    """Refuses a corpus most of whose texts are in another language than stated, and names texts that are.

    In English nothing is checked here: masking by another language's rules is what must not happen in silence.
    """
    language = corpus.language or study.language
    if language == ENGLISH:
        return
    checks = {text.id: check_language(text.content, language) for text in texts}
    checked = [id_ for id_, check in checks.items() if check.verdict != "unchecked"]
    other = [id_ for id_ in checked if checks[id_].verdict == "other"]
    if not checked:
        warnings.warn(
            f"Whether {corpus.name} is in {language_name(language)} could not be checked: the first text "
            f"{next(iter(checks.values())).sentence}.",
            stacklevel=2,
        )
    if not other:
        return
    said = f"{len(other)} of the {len(checked)} texts of {corpus.name} that can be checked look like another language"
    first = f"{other[0]} {checks[other[0]].sentence}"
    if len(other) > len(checked) / 2:
        raise StudyError(
            f"{said}: {first}. Masking goes by the rules of the stated language; state the one that they are in."
        )
    warnings.warn(f"{said}: {first}; all of them: {some(other)}.", stacklevel=2)
