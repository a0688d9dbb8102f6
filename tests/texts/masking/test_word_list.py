"""The words that masking keeps: published lists and the user's own."""

import hashlib
import json
import sys
from importlib import metadata
from pathlib import Path

import pytest

from idiograph import InputError, MaskingError
from idiograph.texts.masking.models import list_from_file, published_list, spacy_list, usual_list


def test_unusable_word_lists_are_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    with pytest.raises(InputError, match=r"list\.txt could not be read"):
        list_from_file(path, language="en")
    path.write_bytes(b"abc\n\x92\n")
    with pytest.raises(InputError, match=r"not UTF-8 .byte 0x92 at position 4"):
        list_from_file(path, language="en")
    path.write_text("two words\n\n")
    with pytest.raises(InputError, match=r"holds no single word"):
        list_from_file(path, language="en")
    german = tmp_path / "POSNoise_PatternList_De_v3.0.txt"
    german.write_text("und\n")
    with pytest.raises(MaskingError, match=r"for the language de, and the texts' language is en"):
        list_from_file(german, language="en")
    assert list_from_file(german, language="de").words == {"und"}


def test_the_published_lists_have_the_entries_the_reference_uses() -> None:
    english = published_list("en")
    assert english.name == "2.1"
    assert {"n't", "'ll", "cannot", "theres"} <= english.words
    assert len(english.words) == 733  # 712 single tokens and 21 pieces
    assert not any(" " in word for word in english.words)
    german = published_list("de")
    assert german.name == "3.0"
    assert "n't" not in german.words


def test_spacys_list_is_named_by_version_and_content_and_used_where_posnoise_has_none() -> None:
    french = spacy_list("fr")
    assert {"le", "ne", "qu'"} <= french.words
    assert french.name == f"spacy-{metadata.version('spacy')}@{french.digest[:8]}"
    content = json.dumps(sorted(french.words), ensure_ascii=False, separators=(",", ":"))
    assert french.digest == hashlib.sha256(content.encode()).hexdigest()
    assert usual_list("fr", "posnoise") == usual_list("fr", "list") == french
    assert usual_list("de", "posnoise") == published_list("de") != usual_list("de", "list") == spacy_list("de")
    with pytest.raises(
        MaskingError, match=r"no list of function words for Norwegian Nynorsk.*or use the method frames"
    ):
        usual_list("nn", "list")


def test_a_list_of_ones_own_is_lower_cased_and_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("\ufeffLamp\n  and \nin front of\n", encoding="utf-8")
    assert list_from_file(path, language="fr").words == {"lamp", "and"}


def test_a_missing_posnoise_package_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "posnoise", raising=False)
    with pytest.raises(MaskingError, match=r"Run: pip install posnoise==0.0.4"):
        published_list("en")
