import re
from importlib import resources
from pathlib import Path

from idiograph import Case, ReadingOptions, Study
from idiograph.casework.findings import CATALOGUE
from idiograph.output.glossary import ON_PAGES
from idiograph.pages import words
from idiograph.pages.controls import by_controls, choices
from idiograph.pages.words import anchor
from idiograph.settings import settings_of
from served import Client


def test_numbers_stand_in_the_sentences() -> None:
    assert words.too_much(5_000_000).startswith("More than 5.0 MB")
    assert words.too_many(20_000).startswith("More than 20,000 files")
    assert words.file_too_large("a.txt", 1_000_000).startswith("a.txt has more than 1.0 MB")
    assert words.known_context(-1, is_end=False) == "K never has this token."
    assert words.known_context(0, is_end=True) == "K has this end, but not after the token before it here."
    assert words.known_context(1, is_end=False) == "K has this token after the same 1 token as here."
    assert words.known_context(3, is_end=False) == "K has this token after the same 3 tokens as here."
    assert words.compared("Q1", "") == "Q1 and a candidate to come"


_COMMAND_LINE = re.compile(r"--[a-z]{3}|\bidiograph [a-z]+\b|under \[|option can be")


def test_messages_name_the_controls_of_the_pages() -> None:
    for message, shown in {
        "Save it as UTF-8 or pass --encoding cp1252 (it looks like that) or --encoding detect": (
            "Save it as UTF-8 or choose cp1252 for “Encoding” on the page “Texts” (it looks like that), or “detect” "
            "there"
        ),
        "Or pass --skip-bad to go on without it.": (
            "Or answer yes to “Go on without unreadable files” on the page “Texts” to go on without it."
        ),
        "Pass --format to say what it is": "Use “Kind of file” on the page “Texts” to say what it is",
        "Remove lee from it or pass --exclude-author 'lee'.": (
            "Remove lee from it or choose 'lee' for “Reference authors to leave out” on the page “Method”."
        ),
        "state it (language under [texts])": "state it (“Language” on the page “Method”)",
        "--recipe email for mail": "choose email for “Recipe” on the page “Preparation” for mail",
        "A dash -- or --nothing stays.": "A dash -- or --nothing stays.",
    }.items():
        assert by_controls(message) == shown


def test_no_finding_and_no_field_speaks_of_the_command_line() -> None:
    sentences = [kind.remedy for kind in CATALOGUE.values()]
    sentences += [
        str(each)
        for kind in CATALOGUE.values()
        for each in (kind.says if isinstance(kind.says, tuple) else [kind.says])
    ]
    sentences += [
        setting.help
        for kind in (Case, ReadingOptions, Study)
        for setting in settings_of(kind)
        if setting.nested is None
    ]
    for sentence in sentences:
        assert not _COMMAND_LINE.search(by_controls(sentence)), sentence
    templates = Path(str(resources.files("idiograph.pages"))) / "templates"
    for path in templates.glob("*.html"):
        assert not _COMMAND_LINE.search(path.read_text(encoding="utf-8")), path.name


def test_choices_are_words() -> None:
    for kind in (Case, ReadingOptions):
        for setting in settings_of(kind):
            for choice, shown in choices(setting):
                assert shown not in ("elub", "tfidf", "ngram tracing", "hapax", "enfsi", "auto"), (setting.key, choice)


def test_the_page_of_the_method_has_no_code_words(client: Client) -> None:
    name = client.post("/cases", {"title": "Code words"}).headers["location"].split("/")[2]
    page_text = client.get(f"/case/{name}/method").words
    for word in ("elub", "best-validated", "Methods to choose among", "posnoise", "tfidf", "usual: auto"):
        assert word not in page_text, word
    assert "The paper's are the grammar model" in page_text
    assert "Idiograph's own , unpublished" in page_text


def test_no_handler_has_sentences_of_its_own() -> None:
    """Whatever a user reads stands in a template, in the catalogue or in the settings, so that it can be translated."""
    pages = Path(str(resources.files("idiograph.pages")))
    for path in pages.glob("*_pages.py"):
        for sentence in re.findall(r'InputError\(\s*f?"([^"]+)"', path.read_text(encoding="utf-8")):
            assert sentence.startswith("{path}"), f"{path.name}: {sentence}"


def test_every_word_of_the_trade_in_a_template_has_an_entry() -> None:
    templates = resources.files("idiograph.pages") / "templates"
    used = {
        name
        for file in templates.iterdir()
        for name in re.findall(r'term\("([^"]+)"', file.read_text(encoding="utf-8"))
    }
    assert used
    assert used <= set(ON_PAGES)


def test_entries_are_sentences_at_places_of_their_own() -> None:
    assert len({anchor(name) for name in ON_PAGES}) == len(ON_PAGES)
    assert all(entry.endswith(".") for entry in ON_PAGES.values())
    assert anchor("log10 LR") == "log10-lr"
