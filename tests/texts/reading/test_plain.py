"""Plain text files, compressed or not."""

import gzip
import hashlib
from pathlib import Path

from idiograph import read
from read_files import record, refusal, write


def test_the_raw_file_can_be_traced(tmp_path: Path) -> None:
    data = "Caf\u00e9.\r\nTwo.\r\n".encode()
    write(tmp_path, lee__a_txt=data)
    [text] = read(tmp_path)
    assert text.content == "Caf\u00e9.\nTwo.\n"
    assert record(text) == {
        "file": "lee/a.txt",
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "encoding": "utf-8",
        "encoding_is": "certain",
        "changes": [{"step": "line ends made line feeds", "found": "CR LF"}],
        "warnings": [],
    }
    assert read(tmp_path).report.changes == {"line ends made line feeds": 1}


def test_empty_files_are_refused(tmp_path: Path) -> None:
    write(tmp_path, a_txt="", b_txt=" \n\t\n")
    said = refusal(tmp_path)
    assert said.startswith("2 texts or files of ")
    assert "a.txt is empty: it has no bytes." in said
    assert "b.txt is empty: it has nothing but white space." in said
    assert said.endswith("pass --skip-bad to go on without them; each is then named in the report.")


def test_compressed_texts_and_damaged_ones(tmp_path: Path) -> None:
    packed = gzip.compress(b"One.")
    (tmp_path / "a.txt.gz").write_bytes(packed)
    [text] = read(tmp_path)
    assert (text.content, record(text)["sha256"]) == ("One.", hashlib.sha256(packed).hexdigest())
    (tmp_path / "b.txt.gz").write_bytes(packed[:-6])
    assert "b.txt.gz is damaged or incompletely compressed" in refusal(tmp_path)
    (tmp_path / "b.txt.gz").write_bytes(b"not packed")
    assert "b.txt.gz is damaged or incompletely compressed" in refusal(tmp_path)
