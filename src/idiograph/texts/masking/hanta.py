"""Parts of speech by HanTa, a tagger for German and Dutch; the only module that imports it, once it is needed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from idiograph.errors import MaskingError

# HanTa's tags (STTS for German, that of the Corpus Gesproken Nederlands for Dutch) in the parts of speech that masking
# tells apart. What is not named here is kept whatever it is: articles, pronouns, particles, auxiliary verbs.
_PARTS = {
    "de": {
        "NN": "NOUN", "NNA": "NOUN", "NNI": "NOUN", "TRUNC": "NOUN", "NE": "PROPN", "VV": "VERB", "VA": "AUX",
        "VM": "AUX", "ADJ": "ADJ", "ADV": "ADV", "PROAV": "ADV", "PWAV": "ADV", "CARD": "NUM",
    },
    # Dutch tags do not tell auxiliary verbs from others: the word list keeps them.
    "nl": {"N(eigen": "PROPN", "N": "NOUN", "WW": "VERB", "ADJ": "ADJ", "BW": "ADV", "TW": "NUM"},
}  # fmt: skip
_OTHER = "X"
_LONGEST = 40  # letters of a word that HanTa is shown; its time grows with their cube


class HantaTags:
    """A loaded model of HanTa."""

    def __init__(self, path: Path, language: str) -> None:
        from HanTa.HanoverTagger import HanoverTagger

        self._parts = _PARTS[language]
        try:
            self._tagger: Any = HanoverTagger(str(path))
        except Exception as error:
            raise MaskingError(
                f"HanTa cannot load its model {path.name} ({error}). Install the package again."
            ) from error

    def parts(self, words: Sequence[str]) -> list[str]:
        """The part of speech of each word of a sentence."""
        if not words:
            return []
        # The end of a word tells its class.
        shown = [word[-_LONGEST:] for word in words]
        try:
            tags = self._tagger.tag_sent(shown, taglevel=0)
        except (KeyError, IndexError):  # no way through the sentence that the model thinks possible
            tags = [self._tagger.tag_word(word)[0][0] for word in shown]
        return [self._part(tag, word) for tag, word in zip(tags, words, strict=True)]

    def _part(self, tag: str, word: str) -> str:
        if not any(character.isalnum() for character in word):
            return "SYM"
        kind = tag.split("(")[0]
        return self._parts.get(tag.split(",")[0]) or self._parts.get(kind, _OTHER)
