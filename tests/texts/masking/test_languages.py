"""Masking by a list in every language: spaCy's rules load, function words stay, nothing is lost."""

import re
import runpy
from pathlib import Path

import pytest
import spacy

from idiograph import MaskedText, MaskingError, Text, mask
from idiograph.texts.language import LANGUAGES, NEEDED, language_name, stop_words
from idiograph.texts.masking.rules import n_kept

LANG = Path(spacy.__file__).parent / "lang"
WITHOUT_LIST = ("fo", "nn", "xx")
READY = [code for code in LANGUAGES if code not in NEEDED and code not in WITHOUT_LIST]


def masked(content: str, language: str, method: str = "list") -> MaskedText:
    return mask(Text("made", content), method=method, language=language, cache=False)


def made_up(language: str) -> tuple[str, list[str]]:
    """Words of the language's list among words that are on none, a number, a symbol and marks; and the listed words."""
    listed = sorted(word for word in stop_words(language) if re.fullmatch(r"[^\d_(),.*'’-]+", word))[:20]
    lines = [
        f"Qwrtzel {first} 1234 {second} € Xqvorp, {first} ( {second} ) ."
        for first, second in zip(listed, listed[::-1], strict=True)
    ]
    return "\n".join(lines), listed


def lost(text: MaskedText, content: str) -> str:
    """What no token's span covers, white space and what has no width (in spaCy's Kannada and Malayalam) aside."""
    left = list(content.replace("\u200b", " ").replace("\u200c", " "))
    for start, end in text.spans.tolist():
        left[start:end] = " " * (end - start)
    return "".join(left).strip()


def test_every_language_of_spacy_is_in_the_table() -> None:
    assert set(LANGUAGES) == {path.parent.name for path in LANG.glob("*/__init__.py")}
    assert len(READY) == 72
    assert {code for code in LANGUAGES if stop_words(code)} == set(LANGUAGES) - set(WITHOUT_LIST)
    assert (language_name("pl"), language_name("qq")) == ("Polish", "qq")


@pytest.mark.tagger
@pytest.mark.parametrize("language", READY)
def test_the_list_keeps_function_words_hides_the_rest_and_loses_nothing(language: str) -> None:
    content, listed = made_up(language)
    text = masked(content, language)
    defaults = spacy.util.get_lang_class(language).Defaults
    assert stop_words(language) == {word.lower() for word in defaults.stop_words if len(word.split()) == 1}
    assert text.masking.startswith(f"list-spacy-{spacy.__version__}@")
    assert f"+blank_{language}-{spacy.__version__}@" in text.masking
    tokens = [token for sentence in text.sentences for token in sentence]
    assert set(tokens) <= {*stop_words(language), "*", ",", "(", ")", "."}
    assert {"*", "(", ")"} <= set(tokens)
    kept = [token for token in tokens if token in stop_words(language)]
    # Each stands in four places, unless the tokenizer cuts it, as Chinese into its signs.
    assert len(kept) >= 2 * len(listed)
    assert n_kept(text) == sum(token != "*" for token in tokens)
    assert lost(text, content) == ""
    if (LANG / language / "examples.py").is_file():
        content = "\n".join(runpy.run_path(str(LANG / language / "examples.py"))["sentences"])
        text = masked(content, language)
        assert lost(text, content) == ""
        assert text.n_sentences > content.count("\n")


@pytest.mark.parametrize("language", NEEDED)
def test_a_language_that_needs_a_package_says_which(language: str) -> None:
    try:
        spacy.blank(language)
    except ImportError:
        with pytest.raises(
            MaskingError, match=rf"cannot cut {LANGUAGES[language]} into words without {NEEDED[language]}"
        ):
            masked("x", language)
    else:
        pytest.skip(f"what {LANGUAGES[language]} needs is installed here")


@pytest.mark.parametrize("language", WITHOUT_LIST)
def test_a_language_without_a_list_takes_the_users(language: str, tmp_path: Path) -> None:
    with pytest.raises(MaskingError, match=rf"no list of function words for {LANGUAGES[language]}"):
        masked("x", language)
    path = tmp_path / "own.txt"
    path.write_text("og\n", encoding="utf-8")
    text = mask(Text("a", "Far og mor!"), method="list", language=language, word_list=path, cache=False)
    assert text.sentences == (("*", "og", "*", "!"),)
    assert text.masking.startswith("list-own@")


@pytest.mark.tagger
def test_by_hand_in_german() -> None:
    content = "„Komm!“, sagte er zu dem 3. Mann. ¿Ja? »Nein!« rief sie (laut). Siehe <url>, a@b.de *hier*"
    text = masked(content, "de")
    assert text.sentences == (
        ('"', "*", "!", '"', ",", "sagte", "er", "zu", "dem", "*", "*", "."),
        ("¿", "ja", "?"),
        ("»", "nein", "!", "«"),
        ("*", "sie", "(", "*", ")", "."),
        ("*", "<url>", ",", "*", "*", "hier", "*"),
    )
    assert lost(text, content) == ""
