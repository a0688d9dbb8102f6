"""Steps by name: their settings are the keyword arguments of their functions."""

import inspect

import pytest

from idiograph.errors import InputError
from idiograph.texts.preparing.recipes import STEPS
from idiograph.texts.preparing.steps import by_author_and_id
from idiograph.texts.text import Text


@pytest.mark.parametrize("name", STEPS)
def test_settings_and_defaults_are_the_functions_own(name: str) -> None:
    kind = STEPS[name]
    function = kind.function
    parameters = list(inspect.signature(function).parameters.values())[1:]
    assert kind.defaults == {parameter.name: parameter.default for parameter in parameters}
    assert kind.read({}, where="here") == kind.defaults
    assert kind.about.endswith((".", "…"))
    assert kind.name == function.__name__


def test_what_is_given_is_checked_and_the_rest_has_its_default() -> None:
    assert STEPS["urls"].read({"replace_with": ""}, where="here") == {"replace_with": "", "bare_domains": False}
    assert STEPS["retweets"].read({"markers": ["x"]}, where="here") == {"markers": ("x",)}
    for word in ("two words", "N1", "[URL]", "é"):
        with pytest.raises(InputError, match=r"^mine\.toml, step 1, urls: replace_with must be empty, one of <url> "):
            STEPS["urls"].read({"replace_with": word}, where="mine.toml, step 1")


def test_texts_are_in_the_order_of_authors_and_ids() -> None:
    texts = [Text("b", "x", "kim"), Text("a", "x", "lee"), Text("c", "x"), Text("a2", "x", "kim")]
    assert [text.id for text in by_author_and_id(texts)] == ["c", "a2", "b", "a"]
