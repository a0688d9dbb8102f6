"""What is asked of a plan: the texts at hand or how much of them there will be, and how the case will treat them."""

from dataclasses import dataclass
from pathlib import Path

from idiograph.casework.case import MASKINGS, PRIMARY
from idiograph.casework.published import published
from idiograph.settings.reading import check_settings
from idiograph.settings.setting import LARGEST_SEED, setting
from idiograph.texts.masking.languages import ENGLISH
from idiograph.texts.masking.options import LANGUAGE, MODEL, WORD_LIST
from idiograph.texts.reading.options import ReadingOptions

SIDES = ("questioned", "known", "reference")


@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """What is at hand for a case, or how much of it there will be; whatever is left out is not known yet."""

    questioned: str | None = setting(None, help="Q: a file or a folder, or the number of tokens it will have.")
    known: str | None = setting(None, help="K: a file or a folder, or the number of tokens it will have.")
    reference: str | None = setting(
        None, help="Texts by other authors: a file or a folder, or the number of authors who will have enough text."
    )
    register: str | None = setting(
        None,
        choices=published().registers,
        help="The register of the texts, to quote what the published validation found in it; else in all together.",
    )
    primary: str = setting(
        "normalised", choices=PRIMARY, help="The method whose published results are quoted, that of the case to come."
    )
    masking: str = setting("posnoise", choices=MASKINGS, help="How content is masked, as in the case to come.")
    language: str = setting(ENGLISH, **LANGUAGE, help="The language of all texts by its code, such as de.")
    model: str | None = setting(None, help=MODEL)
    word_list: Path | None = setting(None, help=WORD_LIST)
    recipe: str | None = setting(None, help="A recipe that prepares all texts, as in the case to come.")
    exclude_authors: tuple[str, ...] = setting(
        (), option="--exclude-author", help="Reference authors to leave out; the option can be repeated."
    )
    seed: int = setting(1, minimum=0, maximum=LARGEST_SEED, help="Decides how texts are divided, as in the case.")
    reading: ReadingOptions = setting(factory=ReadingOptions, help="How all files are read.")

    def __post_init__(self) -> None:
        check_settings(self)
