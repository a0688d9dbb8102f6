"""Everything a user can say about how texts are masked."""

from dataclasses import dataclass
from pathlib import Path

from idiograph.settings.reading import check_settings
from idiograph.settings.setting import setting
from idiograph.texts.masking.rules import METHODS


@dataclass(frozen=True, kw_only=True)
class MaskingOptions:
    """How texts are masked; the names are those of `idiograph.mask`."""

    method: str = setting("posnoise", choices=METHODS, help="What is hidden.")
    model: str | None = setting(None, help="Another installed spaCy model, as name or name@digest.")
    word_list: Path | None = setting(
        None, option="--list", help="A file of words to keep, one per line, in place of the published list."
    )
    normalise_quotes: bool = setting(
        True,
        option="--normalise-quotes/--keep-quotes",
        help="Take typographic quotes and apostrophes for plain ones and no-break spaces for blanks "
        "(default: normalise).",
    )

    def __post_init__(self) -> None:
        check_settings(self)
