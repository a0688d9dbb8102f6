"""Damaged and hostile files of every kind this layer reads: a result or a sentence, in little memory."""

import gzip
import io
import json
import os
import random
import socket
import sqlite3
import subprocess
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import docx
import numpy as np
import pytest
import typst

import idiograph
from damage import PRINT_PEAK, damaged_bytes, damaged_json, deflate_bomb, dumped, zip_with
from idiograph import Corpus, IdiographError, InputError, MaskedText, Text, read
from idiograph.texts.masking.corpus_file import CorpusHeader, read_masked, write_masked
from idiograph.texts.masking.rules import MaskedContent
from idiograph.texts.preparing import record as folder

MAIL = (
    b"From: Ann <a@x.org>\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\nDate: Tue, 4 Jan 2011 17:00:00 +0100\r\n"
    b'MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\n'
    b'Content-Type: text/plain; charset="utf-8"; format=flowed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    b"Hello=20there \r\nmore\r\n> q\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Hi<blockquote>x</blockquote>\r\n"
    b"--b--\r\n"
)
BOX = (
    b"From a@x Tue Jan 04 17:00:00 2011\nFrom: a@x.org\n\nOne.\n\n"
    b"From b@x Tue Jan 04 17:00:00 2011\nFrom: b@x.org\nDate: x\n\nTwo.\n>From here\n"
)
ROWS = (
    {"id": 1, "author": "x", "text": "One é", "metadata": {"a": 1}},
    {"id": "2", "author": "x", "sentences": ["One N", ["b", "c"]]},
    {"id": 3, "pair": ["a", "b"], "fandoms": ["x", "y"], "same": True, "authors": ["x", "y"]},
    {"known": ["a"], "unknown": "b", "label": "Y"},
)
FILES = {
    "a.txt": "Hello there. Café “x”.\r\nMore.\n".encode(),
    "b.txt": b"Caf\xe9 \x93quoted\x94 in another encoding.\n",
    "a.txt.gz": gzip.compress(b"Hello there. " * 9, mtime=0),
    "a.csv": b'id,author,text\n1,lee,"One, ""two"""\n2,kim,Three\n',
    "a.tsv": b"id\ttext\n1\tOne\n",
    "a.csv.gz": gzip.compress(b"id,text\n1,One\n", mtime=0),
    "a.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "a.eml": MAIL,
    "a.mbox": BOX,
}
MASKED = MaskedText(
    "a", "lee", (("the", "N", "."), ("it", "V")), "m", np.array([[0, 3], [4, 7], [7, 8], [9, 11], [12, 13]]), {"w": 1}
)
# How many damaged files each test makes; together with those of the other layers at least 5,000.
MADE = {
    "text, tables and mail": 9 * 267,
    "rows": 962,
    "documents": 254,
    "pages": 237,
    "masked corpora": 1_267,
    "prepared folders": 1_000,  # and some: their headers name what is installed
    "recipes": 177,
    "caches": 67,
    "cached texts": 68,
}
READINGS: tuple[dict[str, Any], ...] = (
    {},
    {"encoding": "detect", "skip_bad": True},
    {"kind": "masked"},
    {"kind": "problems"},
)


def document() -> bytes:
    word = docx.Document()
    word.add_paragraph("Hello there. This is me.")
    word.add_table(1, 2).cell(0, 0).text = "In a cell."
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


def answered(call: Callable[[], Any], what: str) -> bool:
    """Whether the call ended in a sentence; any other error fails the test, and a result must be writable."""
    try:
        result = call()
    except IdiographError:
        return True
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    for text in getattr(result, "texts", ()):
        json.dumps(dict(text.metadata), allow_nan=False, default=str).encode()
        getattr(text, "content", "").encode("utf-8", "surrogatepass")
        text.id.encode()
    return False


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    n_files = refused = 0
    for n_files, (what, data) in enumerate(damaged_bytes(FILES[name], 240, seed=len(name)), start=1):
        path.write_bytes(data)
        reading = READINGS[n_files % len(READINGS)]
        refused += answered(lambda: read(path, **reading), f"{name}, {what}")  # noqa: B023
    assert n_files * len(FILES) == MADE["text, tables and mail"]
    assert refused > 50


def test_rows_with_wrong_values_are_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    n_files = refused = 0
    for number, row in enumerate(ROWS):
        for what, value in damaged_json(row):
            path.write_text(dumped(value) + "\n")
            n_files += 1
            kinds = ({}, {"kind": "masked"}) if number < 2 else ({"kind": "problems"},)
            for reading in kinds:
                refused += answered(lambda: read(path, **reading), what)  # noqa: B023
    assert n_files == MADE["rows"]
    assert refused > 500


def test_damaged_documents_are_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    whole = document()
    with zipfile.ZipFile(io.BytesIO(whole)) as parts:
        xml = parts.read("word/document.xml")
    path = tmp_path / "a.docx"
    containers = [*damaged_bytes(whole, 100, seed=1)]
    parts_changed = damaged_bytes(xml, 100, seed=2)
    containers += [(what, zip_with(whole, {"word/document.xml": data})) for what, data in parts_changed]
    refused = 0
    for what, data in containers:
        path.write_bytes(data)
        refused += answered(lambda: read(path), what)
    assert len(containers) == MADE["documents"]
    assert refused > 50


def test_damaged_pages_are_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    whole: Any = typst.compile(b"Hello there, this is a page.\n#pagebreak()\nMore.")
    for number, (_, data) in enumerate(damaged_bytes(whole, 210, seed=3)):
        (tmp_path / f"{number}.pdf").write_bytes(data)
    corpus = read(tmp_path, skip_bad=True)
    refused = {note.where.split()[0] for note in corpus.report.skipped}
    assert len({*corpus.text_ids, *refused}) == MADE["pages"]
    assert len(refused) > 50


def test_damaged_masked_corpora_are_refused_with_the_field(tmp_path: Path) -> None:
    path = tmp_path / "masked.jsonl"
    write_masked(path, [MASKED], CorpusHeader("m", {"name": "t"}))
    whole = path.read_bytes()
    header, line = map(json.loads, whole.splitlines())
    files = [*damaged_bytes(whole, 200, seed=4)]
    files += [(what, f"{dumped(header)}\n{dumped(value)}\n".encode()) for what, value in damaged_json(line)]
    files += [(what, f"{dumped(value)}\n{dumped(line)}\n".encode()) for what, value in damaged_json(header)]
    refused = 0
    for number, (what, data) in enumerate(files):
        path.write_bytes(data)
        refused += answered(lambda: read_masked(path), what)
        if number < 200:
            answered(lambda: read(path, kind="masked"), what)
    assert len(files) == MADE["masked corpora"]
    assert refused > 500


def test_damaged_prepared_folders_are_refused_with_a_sentence(tmp_path: Path) -> None:
    texts = [Text("1", "Dear Ann,\n\nsome words here http://x.org\n", "Ann"), Text("2", "Hi\n", "Bob", {"w": 1})]
    path = tmp_path / "prepared"
    folder.save(idiograph.prepare(texts, "email"), path)
    whole = {name: (path / name).read_bytes() for name in (folder.CORPUS, folder.RECORD)}

    def use() -> None:
        done = folder.load(path)
        folder.summary(done.record)
        list(folder.summary_lines(done.record))
        for text in done.record.texts:
            list(done.record.diff(text.id))
        done.restored()

    n_files = refused = 0
    for name, data in whole.items():
        files = [*damaged_bytes(data, 100, seed=5)]
        lines = data.splitlines()
        for number, line in enumerate(lines):
            # The header is long: some of its values will do.
            for what, value in islice(damaged_json(json.loads(line)), 0, None, 30 if len(line) > 600 else 3):
                changed = b"\n".join([*lines[:number], dumped(value).encode(), *lines[number + 1 :]])
                files.append((f"line {number + 1}, {what}", changed))
        for what, changed in files:
            (path / name).write_bytes(changed)
            refused += answered(use, f"{name}, {what}")
        n_files += len(files)
        (path / name).write_bytes(data)
    assert n_files >= MADE["prepared folders"]
    assert refused > 200
    use()


def test_damaged_recipes_are_refused_with_a_sentence(tmp_path: Path) -> None:
    whole = idiograph.prepare([Text("1", "Words.")], "tweet").record.recipe.toml().encode()
    path = tmp_path / "own.toml"
    corpus = Corpus((Text("1", "Some words here."),))
    files = [*damaged_bytes(whole, 150, seed=6)]
    refused = 0
    for what, data in files:
        path.write_bytes(data)
        refused += answered(lambda: idiograph.prepare(corpus, path), what)
    assert len(files) == MADE["recipes"]
    assert refused > 50


@pytest.mark.usefixtures("fake_tagger")
def test_a_damaged_cache_costs_time_and_nothing_else(tmp_path: Path) -> None:
    texts = [Text(str(number), f"Some words, number {number}.") for number in range(3)]
    right = [text.sentences for text in idiograph.mask(texts)]
    path = tmp_path / "cache" / "masked" / "masked.sqlite"
    whole = path.read_bytes()
    files = [*damaged_bytes(whole, 40, seed=7)]
    for what, data in files:
        for beside in path.parent.iterdir():
            beside.unlink()
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            assert [text.sentences for text in idiograph.mask(texts)] == right, what
    assert len(files) == MADE["caches"]


@pytest.mark.usefixtures("fake_tagger")
def test_forged_rows_of_the_cache_are_masked_anew(tmp_path: Path) -> None:
    text = Text("1", "Some words.")
    right = idiograph.mask(text)
    path = tmp_path / "cache" / "masked" / "masked.sqlite"
    packed = MaskedContent(right.sentences, right.spans).pack()
    body = zlib.decompress(packed)

    def forged(tokens: bytes, spans: bytes = b"\0" * 8) -> bytes:
        return zlib.compress(len(tokens).to_bytes(4, "little") + tokens + spans)

    rows: list[Any] = [b"", b"\0", None, "text", 3, 0.5, packed[:-3], zlib.compress(b""), zlib.compress(body[:-8])]
    rows += [forged(b"[[" * 5_000), forged(b'[["a", 1]]'), forged(b'["ab"]'), forged(b"3"), forged(b"{}"), forged(b"")]
    rows += [forged(b'[["a"]]', b"\0" * 7), zlib.compress(b"\xff" * 8), zlib.compress(bytes(10**6))]
    rng = random.Random(8)
    rows += [bytes(byte ^ (rng.random() < 0.1) for byte in packed) for _ in range(50)]
    for row in rows:
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA ignore_check_constraints = 1")
            if row is not None:
                connection.execute("UPDATE entries SET packed = ?, used = ?", (row, rng.choice([0, "x", 0.5, b"y"])))
        connection.close()
        assert idiograph.mask(text).sentences == right.sentences, row
    assert len(rows) == MADE["cached texts"]


def test_thousands_of_damaged_files_are_made() -> None:
    assert sum(MADE.values()) >= 3_500


def test_mail_nested_a_thousand_deep_is_refused(tmp_path: Path) -> None:
    nested = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (depth, depth) for depth in range(1_000)
    )
    (tmp_path / "a.eml").write_bytes(b"From: a@x.org\r\n" + nested + b"\r\n\r\nHello.\r\n")
    with pytest.raises(InputError, match=r"a.eml has parts nested hundreds deep"):
        read(tmp_path / "a.eml")


def test_brackets_nested_without_end_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"[" * 200_000 + b"\n" + b'{"text": "One."}\n')
    with pytest.raises(InputError, match=r"a.jsonl line 1 is not valid JSON \(its brackets are nested too deeply\)"):
        read(tmp_path / "a.jsonl")


def test_an_entity_in_a_word_file_is_refused_rather_than_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(io.BytesIO(document())) as parts:
        xml = parts.read("word/document.xml")
    start, rest = xml.split(b"<w:document", 1)
    declared = start + b'<!DOCTYPE d [<!ENTITY e "all of it">]><w:document' + rest.replace(b"This is", b"This &e; is")
    path.write_bytes(zip_with(document(), {"word/document.xml": declared}))
    with pytest.raises(InputError, match="declares a document type or entities in its XML, which Word never does"):
        read(path)
    path.write_bytes(zip_with(document(), {"word/document.xml": xml.replace(b"This is", b"This <!-- odd --> is")}))
    assert read(path).texts[0].content.startswith("Hello there. This  is me.")


def bomb(size: int, unit: bytes = b"\0") -> bytes:
    return deflate_bomb(size, unit, wrapped=31)


def pdf_bomb(size: int) -> bytes:
    """A page whose drawing instructions unpack to `size` bytes."""
    stream = deflate_bomb(size, b" ", wrapped=15)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(stream), stream),
    ]
    body, offsets = b"%PDF-1.4\n", b""
    for number, content in enumerate(objects, 1):
        offsets += b"%010d 00000 n \n" % len(body)
        body += b"%d 0 obj%bendobj\n" % (number, content)
    table = b"xref\n0 5\n0000000000 65535 f \n" + offsets
    return body + table + b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(body)


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a.txt.gz": (lambda: bomb(1_500_000_000), "has more than 16,000,000 bytes"),
    "b.txt.gz": (lambda: gzip.compress(b"a\n" * 7_500_000, 1), ""),
    "a.csv.gz": (lambda: gzip.compress(bytes(40_000_000), 1), "has a row of more than 16,000,000 characters"),
    "b.csv.gz": (lambda: gzip.compress(b"id,text\n" + b'"a\n",' * 8_000_000, 1), "has a row of more than"),
    "a.jsonl.gz": (lambda: gzip.compress(b'{"a":1},' * 5_000_000, 1), "has a row of more than 16,000,000 characters"),
    "b.jsonl.gz": (lambda: gzip.compress(b"{}," * 5_000_000, 1), "is not valid JSON"),
    "a.docx": (
        lambda: zip_with(document(), {"word/document.xml": b"<a>" + b"x" * 60_000_000}),
        "unpacks to more than 50,000,000 bytes",
    ),
    "b.docx": (
        lambda: zip_with(document(), {"word/document.xml": b"<a>" * 10_000_000}),
        "has elements nested more than 1,000 deep",
    ),
    "a.pdf": (lambda: pdf_bomb(1_500_000_000), "could not be read within 900 MB of memory"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_within_a_gigabyte(tmp_path: Path, name: str) -> None:
    make, message = BOMBS[name]
    (tmp_path / name).write_bytes(make())
    code = (
        "import sys, idiograph\n"
        "try:\n    idiograph.read(sys.argv[1])\n"
        f"except idiograph.IdiographError as error:\n    print(error)\n{PRINT_PEAK}"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert message in run.stdout
    assert max(map(int, run.stdout.split()[-2:])) * 1024 < 1_000_000_000


@pytest.mark.skipif(os.name != "posix", reason="such files exist on POSIX systems")
def test_pipes_sockets_devices_and_loops_are_refused_at_once(tmp_path: Path) -> None:
    pipe, loop, door = tmp_path / "pipe.txt", tmp_path / "loop.txt", tmp_path / "door.jsonl"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(door))
    for path, message in (
        (pipe, "is a pipe, socket or device"),
        (door, "is a pipe, socket or device"),
        (Path("/dev/zero"), "is a pipe, socket or device"),
        (loop, "could not be read (Too many levels of symbolic links)"),
        (tmp_path / ("x" * 5_000), "could not be read (File name too long)"),
    ):
        for kind in ("texts", "masked", "problems"):
            with pytest.raises(InputError) as caught:
                read(path, format="text", kind=kind)  # type: ignore[call-overload]
            assert message in str(caught.value)
    with pytest.raises(InputError, match="metadata"):
        read(tmp_path, metadata=pipe)
    with pytest.raises(IdiographError, match=r"pipe.txt"):
        idiograph.mask("words", word_list=pipe)
    (tmp_path / "a.txt").write_text("Words.\n")
    (tmp_path / "meta.csv").write_text("file,author\na.txt,lee\n")
    corpus = read(tmp_path, metadata=tmp_path / "meta.csv", skip_bad=True)
    assert [text.author for text in corpus] == ["lee"]
    assert {note.where for note in corpus.report.not_read} == {"pipe.txt", "door.jsonl"}
    assert [note.where for note in corpus.report.skipped] == ["loop.txt"]


@pytest.mark.skipif(os.name != "posix", reason="Windows has shorter paths")
def test_folders_in_folders_without_end_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.\n")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        for _ in range(1_200):
            Path("d").mkdir()
            os.chdir("d")
        Path("deep.txt").write_text("Words.\n")
    finally:
        os.chdir(before)
    try:
        with pytest.raises(InputError, match="lies below 200 other folders, too deep to be intended"):
            read(tmp_path)
        assert len(read(tmp_path, skip_bad=True)) == 1
    finally:
        # Too deep for pytest to remove as well.
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)


def test_html_with_a_hundred_thousand_open_tags_is_read_in_linear_time(tmp_path: Path) -> None:
    body = b"<div><blockquote>" * 50_000 + b"Hello." + b"</p></div>" * 50_000 + b"<p>Own words."
    (tmp_path / "a.eml").write_bytes(b"From: a@x.org\nContent-Type: text/html\n\n" + body)
    assert "Own words." in read(tmp_path / "a.eml", quotes="keep").texts[0].content
