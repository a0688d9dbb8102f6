"""Masked corpora come back as they were written, whole or not at all; damage is named with its line."""

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from idiograph import InputError, MaskedText
from idiograph.texts.masking.corpus_file import (
    CorpusHeader,
    is_masked_corpus,
    iter_masked,
    read_header,
    read_masked,
    write_masked,
)
from idiograph.texts.masking.mask import masking_settings
from killing import every_kill, hidden

HEADER = CorpusHeader("posnoise-2.1+en_core_web_sm-3.8.0", {"name": "m", "version": "1", "digest": "ab"})


def text(id_: str, *, masking: str = HEADER.masking, author: str | None = "ann") -> MaskedText:
    spans = np.array([[0, 3], [4, 8], [9, 10]], np.int32)
    return MaskedText(id_, author, (("the", "N"), ("ü",)), masking, spans, {"work": "w", "year": 1999})


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "masked.jsonl"
    write_masked(path, [text("a"), text("b", author=None), text("c")], HEADER)
    return path


def test_what_is_written_comes_back(written: Path) -> None:
    again = read_masked(written)
    assert again.texts == (text("a"), text("b", author=None), text("c"))
    assert all(np.array_equal(masked.spans, text("a").spans) for masked in again)
    assert {masked.spans.dtype for masked in again} == {np.dtype(np.int32)}
    assert again.texts[1].author is None
    assert read_header(written) == HEADER


def test_the_file_is_as_promised(written: Path) -> None:
    lines = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {
        "idiograph_masked_corpus": 1,
        "masking": HEADER.masking,
        "tagger": {"name": "m", "version": "1", "digest": "ab"},
    }
    assert list(lines[1]) == ["id", "author", "sentences", "spans", "metadata"]
    assert lines[1]["sentences"] == [["the", "N"], ["ü"]]
    assert lines[1]["spans"] == [[0, 3], [4, 8], [9, 10]]


def test_the_header_names_the_verified_tagger() -> None:
    how = masking_settings()
    header = CorpusHeader.of(how)
    assert header.masking == how.signature
    assert header.tagger == {"name": how.model.name, "version": "3.8.0", "digest": how.model.digest}


def test_texts_that_came_masked_keep_their_own_signature_and_need_no_spans(tmp_path: Path) -> None:
    path = tmp_path / "masked.jsonl"
    as_found = MaskedText("m", None, (("a",),), "as-found")
    write_masked(path, [text("a"), as_found], HEADER)
    assert [masked.masking for masked in iter_masked(path)] == [HEADER.masking, "as-found"]
    assert read_masked(path).text("m").spans.shape == (0, 2)
    write_masked(path, [as_found], CorpusHeader("as-found", None))
    assert read_header(path).tagger is None


def test_metadata_are_written_as_they_print_but_never_as_no_number(tmp_path: Path) -> None:
    path = tmp_path / "masked.jsonl"
    dated = MaskedText("a", None, (("a",),), "as-found", metadata={"date": datetime.date(2020, 5, 3)})
    write_masked(path, [dated], CorpusHeader("as-found", None))
    assert read_masked(path).texts[0].metadata == {"date": "2020-05-03"}
    wrong = MaskedText("b", None, (("a",),), "as-found", metadata={"score": float("nan")})
    with pytest.raises(InputError, match="The metadata of b hold a number that is not finite"):
        write_masked(path, [wrong], CorpusHeader("as-found", None))


def test_a_masked_corpus_is_told_from_other_files(written: Path, tmp_path: Path) -> None:
    assert is_masked_corpus(written)
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"id": "a", "text": "idiograph_masked_corpus"}\n')
    assert not is_masked_corpus(plain)
    assert not is_masked_corpus(tmp_path)
    assert not is_masked_corpus(tmp_path / "missing.jsonl")


def damaged(written: Path, number: int, line: str) -> Path:
    lines = written.read_text(encoding="utf-8").split("\n")
    lines[number - 1] = line
    written.write_text("\n".join(lines), encoding="utf-8")
    return written


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": 7}, "id must be a string, not 7"),
        ({"author": 3}, "author must be a string or None, not 3"),
        ({"metadata": []}, "metadata must be a dict, not a list"),
        ({"masking": None}, "masking must be a string, not None"),
        ({"spans": None}, "spans must be a list, not None"),
        ({"spans": [[1]]}, "spans must be a list of pairs of whole numbers"),
        ({"spans": [[0, 1, 2]]}, "spans must be a list of pairs of whole numbers"),
        ({"spans": [[0, 99999999999]]}, "spans must be a list of pairs of whole numbers"),
        ({"spans": [[0, 1]]}, "The text b has 3 tokens but 1 spans"),
        ({"sentences": 5}, "sentences must be a list, not 5"),
        ({"sentences": ["the N"]}, "sentences must be a list of lists of tokens"),
        ({"sentences": [["a", 5]]}, "A token of a masked text must be a string, not 5"),
    ],
)
def test_the_damaged_field_of_a_line_is_named(written: Path, changed: dict[str, Any], message: str) -> None:
    line = json.loads(written.read_text(encoding="utf-8").splitlines()[2])
    damaged(written, 3, json.dumps(line | changed))
    with pytest.raises(InputError) as caught:
        read_masked(written)
    assert str(caught.value) == (
        f"Line 3 of {written} is damaged: {message}. Nothing after it can be trusted; mask the texts again."
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "b", "sent', "it is not valid JSON"),
        ("[1, 2]", "it is not a JSON object"),
        ('{"author": null, "sentences": [["a"]], "spans": []}', "id is missing"),
        ('{"id": "b", "author": null, "spans": []}', "sentences is missing"),
        ('{"id": "b", "author": null, "sentences": [["a"]]}', "spans is missing"),
    ],
)
def test_a_damaged_line_is_named(written: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"Line 3 of .*masked\.jsonl is damaged: .*{message}"):
        read_masked(damaged(written, 3, line))


def test_what_stands_before_the_damage_is_read(written: Path) -> None:
    texts = iter_masked(damaged(written, 3, "{"))
    assert next(texts).id == "a"
    with pytest.raises(InputError, match="Line 3"):
        next(texts)


def test_a_file_cut_short_is_noticed(written: Path) -> None:
    content = written.read_bytes()
    written.write_bytes(content[:-30])
    with pytest.raises(InputError, match="Line 4"):
        read_masked(written)


@pytest.mark.parametrize("line", ["", '{"id": "a"}', "no json", "[]", "5"])
def test_a_missing_header_is_said(written: Path, line: str) -> None:
    with pytest.raises(InputError, match="does not begin with the header of a masked corpus"):
        read_masked(damaged(written, 1, line))


def test_another_schema_is_refused(written: Path) -> None:
    with pytest.raises(InputError, match="schema version 2, and this Idiograph reads version 1"):
        read_masked(damaged(written, 1, '{"idiograph_masked_corpus": 2}'))


@pytest.mark.parametrize(
    "line", ['{"idiograph_masked_corpus": 1}', '{"idiograph_masked_corpus": 1, "masking": 5, "tagger": null}']
)
def test_a_header_that_says_nothing_is_damage(written: Path, line: str) -> None:
    with pytest.raises(
        InputError, match=r"Line 1 of .* is damaged: (tagger is missing|masking must be a string, not 5)"
    ):
        read_masked(damaged(written, 1, line))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="could not be read"):
        read_masked(tmp_path / "missing.jsonl")


def test_two_texts_with_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "masked.jsonl"
    write_masked(path, [text("a"), text("a")], HEADER)
    with pytest.raises(InputError, match="Two texts have the same id: a"):
        read_masked(path)


def test_a_full_disk_leaves_nothing(small_disk: Path) -> None:
    path = small_disk / "masked.jsonl"
    with pytest.raises(InputError, match="could not be written"):
        write_masked(path, (text(str(n)) for n in range(100_000)), HEADER)
    assert list(small_disk.iterdir()) == []


def test_no_kill_loses_a_masked_corpus_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "masked.jsonl"
    old, new = (MaskedText(name, None, (("the", "N"),), "m") for name in ("old", "new"))
    ids = set()
    for operation in every_kill(
        lambda: write_masked(path, [new], CorpusHeader("m", None)),
        lambda: write_masked(path, [old], CorpusHeader("m", None)),
    ):
        [text] = read_masked(path)
        ids.add(text.id)
        write_masked(path, [new], CorpusHeader("m", None))
        assert [text.id for text in read_masked(path)] == ["new"], operation
        assert hidden(tmp_path) == [], operation
    assert ids == {"old", "new"}
