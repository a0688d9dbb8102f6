"""The file of an index: it comes back whole, and a stale, damaged or forged one is refused."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import Index, InputError
from made_index import toy_index

FIRST_LINE = len(b"idiograph index 0001 ") + 65


def test_an_index_comes_back_from_its_file(tmp_path):
    index = toy_index()
    index.save(tmp_path / "toy.index")
    opened = Index.open(tmp_path / "toy.index")
    assert opened.digest == index.digest
    assert opened.text_ids == index.text_ids
    assert opened.text_authors == index.text_authors
    assert opened.tokens_of(5) == index.tokens_of(5)
    assert not opened.stream.flags.owndata
    assert not opened.stream.flags.writeable

    def scored(source):
        return idiograph.score(
            q=source.text("ann-0"), k=source.text("ann-1"), reference=source.excluding("ann"), repetitions=3
        ).lambda_g

    assert scored(opened) == scored(index)


def test_a_changed_byte_anywhere_is_refused(tmp_path):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in [*rng.integers(22, len(whole), 40).tolist(), len(whole) - 1]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(InputError, match=r"toy\.index is damaged or cut short.*Build the index again"):
            Index.open(path)


@pytest.mark.parametrize("length", [0, 10, 60, 86, 200, -1])
def test_a_file_cut_short_is_refused(tmp_path, length):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=r"damaged or cut short|is not an index of Idiograph"):
        Index.open(path)


def test_a_stale_file_is_refused(tmp_path):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    path.write_bytes(path.read_bytes().replace(b"idiograph index 0001", b"idiograph index 0000", 1))
    with pytest.raises(
        InputError, match=r'another version of Idiograph \(its index format is "0000".*Build the index again'
    ):
        Index.open(path)


def test_a_file_of_something_else_or_none_is_refused(tmp_path):
    (tmp_path / "x").write_text("hello")
    with pytest.raises(InputError, match=r"is not an index of Idiograph\. Name a file that Index\.save wrote"):
        Index.open(tmp_path / "x")
    with pytest.raises(InputError, match=r"could not be opened \(No such file"):
        Index.open(tmp_path / "missing")


def test_a_killed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    before = path.read_bytes()
    script = (
        "import sys, os, signal\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from made_index import toy_index\n"
        "index = toy_index(sentences=400)\n"
        "write = os.fsync\n"
        "os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)\n"
        "index.save(sys.argv[1])\n"
    )
    here = str(Path(__file__).parents[1])
    killed = subprocess.run([sys.executable, "-c", script, str(path), here], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_bytes() == before


def forged(path: Path, body: bytes) -> Path:
    """The file with another body and the digest that goes with it."""
    path.write_bytes(b"idiograph index 0001 " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    return path


def refused(path: Path) -> None:
    with pytest.raises(InputError, match=r"is damaged or cut short.*Build the index again|A token|The token"):
        Index.open(path)


def test_a_forged_digest_does_not_make_noise_an_index(tmp_path):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    body = path.read_bytes()[FIRST_LINE:]
    assert Index.open(forged(path, body)).digest == toy_index().digest
    rng = np.random.default_rng(1)
    refused(forged(path, b""))
    refused(forged(path, body[:7]))
    for end in rng.integers(0, len(body) - 64, 30).tolist():
        refused(forged(path, body[:end]))
    for _ in range(30):
        refused(forged(path, rng.bytes(200)))
        refused(forged(path, len(body).to_bytes(8, "little") + rng.bytes(200)))
    for nested in (b"[" * 100_000, b"{}", b"null", b"[]", b'{"lengths":1}'):
        refused(forged(path, len(nested).to_bytes(8, "little") + nested))


def test_a_forged_header_is_refused(tmp_path):
    path = tmp_path / "toy.index"
    Index([["a", "b"], ["b"]], order=3).save(path)
    body = path.read_bytes()[FIRST_LINE:]
    length = int.from_bytes(body[:8], "little")
    header = json.loads(body[8 : 8 + length])
    # Other names are all that a forger may give without making nonsense.
    harmless = [("text_ids", ["x"]), ("text_authors", ["x"]), ("masking", "x")]
    for key, true_value in header.items():
        for value in (None, -1, 0, 2**70, 1.5, "x", [], ["x"], [1], [None], {}, {"tokens": -1}, True, [["a"]]):
            if json.dumps(value) == json.dumps(true_value):
                continue
            written = json.dumps({**header, key: value}, separators=(",", ":")).encode().ljust(length)
            end = 8 + len(written)
            forgery = forged(
                path, len(written).to_bytes(8, "little") + written + body[8 + length :].rjust(len(body) - end)
            )
            if len(written) == length and (key, value) in harmless:
                assert Index.open(forgery).n_sentences == 2
            else:
                refused(forgery)


def test_forged_arrays_never_reach_the_kernels(tmp_path):
    # Each array at its own place in the file; most changes make an index that does not fit together.
    path = tmp_path / "toy.index"
    index = Index([["a", "b", "a", "b"], ["b", "a", "b"], ["a", "b"], []], order=4)
    index.save(path)
    body = bytearray(path.read_bytes()[FIRST_LINE:])
    rng = np.random.default_rng(2)
    sides = {"order": 4, "repetitions": 2}
    n_refused = 0
    end = 8 + int.from_bytes(body[:8], "little")
    for at in range(end, len(body)):
        changed = bytearray(body)
        changed[at] = int(rng.integers(256))
        try:
            opened = Index.open(forged(path, bytes(changed)))
        except InputError:
            n_refused += 1
        else:
            idiograph.score(q=opened.take([0]), k=opened.take([1]), reference=opened.take([2]), **sides)
    assert n_refused > (len(body) - end) / 2


@pytest.mark.parametrize("path", [None, 3, "", b"x", ["x"], "a\0b"])
def test_a_path_must_be_text_or_a_path(path):
    for call in (Index.open, toy_index().save):
        with pytest.raises(InputError, match=r"The file of the index is .* Give a path"):
            call(path)


def test_what_is_not_a_file_is_refused_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(InputError, match=rf"{name} is not a file\. Name a file that Index\.save wrote"):
            Index.open(str(tmp_path / name))
