import re
from importlib import resources
from pathlib import Path

from idiograph.pages import words


def test_numbers_stand_in_the_sentences() -> None:
    assert words.too_much(5_000_000).startswith("More than 5.0 MB")
    assert words.too_many(20_000).startswith("More than 20,000 files")
    assert words.file_too_large("a.txt", 1_000_000).startswith("a.txt has more than 1.0 MB")
    assert words.known_context(-1, is_end=False) == "K never has this token."
    assert words.known_context(0, is_end=True) == "K has this end, but not after the token before it here."
    assert words.known_context(1, is_end=False) == "K has this token after the same 1 token as here."
    assert words.known_context(3, is_end=False) == "K has this token after the same 3 tokens as here."
    assert words.compared("Q1", "") == "Q1 and a candidate to come"


def test_no_handler_has_sentences_of_its_own() -> None:
    """Whatever a user reads stands in a template, in the catalogue or in the settings, so that it can be translated."""
    pages = Path(str(resources.files("idiograph.pages")))
    for path in pages.glob("*_pages.py"):
        for said in re.findall(r'InputError\(\s*f?"([^"]+)"', path.read_text(encoding="utf-8")):
            assert said.startswith("{path}"), f"{path.name}: {said}"
