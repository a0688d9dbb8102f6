import re
from importlib import resources

from idiograph.output.glossary import ON_PAGES
from idiograph.pages.words import anchor


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
