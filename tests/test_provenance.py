"""Digests, versions and the signature line."""

import hashlib
import json
from pathlib import Path

import pytest

from idiograph import InputError
from idiograph.provenance import VERSION, InputFile, digest, digest_json, signature, versions


def test_the_signature_names_every_setting_and_the_version() -> None:
    assert signature("lambdag", order=10, D=0.75) == f"lambdag|order:10|D:0.75|v:{VERSION}"


def test_digests_are_sha256() -> None:
    assert digest("é") == hashlib.sha256("é".encode()).hexdigest() == digest("é".encode())


def test_the_digest_of_json_does_not_depend_on_the_order_of_keys() -> None:
    first, other = json.loads('{"a": 1, "b": [2.5, "é"]}'), json.loads('{"b": [2.5, "é"], "a": 1}')
    assert digest_json(first) == digest_json(other) != digest_json({"a": 1})


def test_json_digests_refuse_what_json_cannot_say() -> None:
    with pytest.raises(ValueError, match="JSON"):
        digest_json({"a": float("nan")})


def test_versions_name_what_can_move_a_digit() -> None:
    assert {"idiograph", "python", "numpy", "numba", "spacy", "posnoise"} <= set(versions())


def test_an_input_file_is_named_sized_and_hashed(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_bytes(b"abc")
    item = InputFile.of(tmp_path / "q.txt", role="questioned")
    assert (item.role, item.name, item.size) == ("questioned", "q.txt", 3)
    assert item.sha256 == hashlib.sha256(b"abc").hexdigest()


def test_an_input_file_that_cannot_be_read_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"q\.txt could not be read \(No such file or directory\)"):
        InputFile.of(tmp_path / "q.txt", role="questioned")
