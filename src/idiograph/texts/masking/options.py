"""Everything a user can say about how texts are masked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from idiograph.settings.reading import check_settings
from idiograph.settings.setting import setting
from idiograph.texts.masking.languages import LANGUAGES
from idiograph.texts.masking.rules import METHODS

LANGUAGE: dict[str, Any] = {
    "must": "the code of a language, such as de for German, fr for French or pl for Polish (docs/languages.md has all)",
    "allows": lambda code: code is None or code in LANGUAGES,
}
MODEL = "Another installed spaCy model, as name or name@digest."
WORD_LIST = "A file of words to keep, one per line, in place of the usual list."


@dataclass(frozen=True, kw_only=True)
class MaskingOptions:
    """How texts are masked; the names are those of `idiograph.mask`."""

    method: str = setting("posnoise", choices=METHODS, help="What is hidden.")
    language: str | None = setting(
        None, **LANGUAGE, help="The language of the texts by its code, such as de (default: the model's, else en)."
    )
    model: str | None = setting(None, help=MODEL)
    word_list: Path | None = setting(None, option="--list", help=WORD_LIST)
    normalise_quotes: bool = setting(
        True,
        option="--normalise-quotes/--keep-quotes",
        help="Take typographic quotes and apostrophes for plain ones and no-break spaces for blanks "
        "(default: normalise).",
    )

    def __post_init__(self) -> None:
        check_settings(self)
