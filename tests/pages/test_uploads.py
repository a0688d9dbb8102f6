import asyncio
import http.client
import socket
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from idiograph import InputError
from idiograph.pages import uploads
from idiograph.pages.uploads import Limits, Received, TooMuch, receive
from served import Client, Server, multipart


def received(body: bytes, kind: str, into: Path, limits: Limits | None = None, *, piece: int = 7) -> Received:
    """A form that arrives in small pieces."""

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), piece):
            yield body[start : start + piece]

    return asyncio.run(
        receive(
            chunks(), content_type=kind, length=None, into=into, limits=limits or Limits(),
            admit=lambda fields: fields.get("form_token") == "right",
        )
    )  # fmt: skip


def test_files_arrive_whole_in_pieces_of_any_size(tmp_path: Path) -> None:
    files = [("a.txt", b"one\r\n--two"), ("folder/Ärger.txt", bytes(range(256)) * 9), ("empty.txt", b"")]
    body, kind = multipart({"form_token": "right", "name": "Lee"}, files)
    for piece in (1, 13, len(body)):
        arrived_files = received(body, kind, tmp_path, piece=piece)
        assert arrived_files.fields == {"form_token": "right", "name": "Lee"}
        assert [("/".join(file.parts), file.path.read_bytes()) for file in arrived_files.files] == files


def test_hidden_files_and_what_systems_put_into_folders_stay_behind(tmp_path: Path) -> None:
    names = [".DS_Store", "a/.git/config", "a/Thumbs.db", "a/desktop.ini", "a/b.txt", ""]
    body, kind = multipart({"form_token": "right"}, [(name, b"x") for name in names])
    assert [file.parts for file in received(body, kind, tmp_path).files] == [("a", "b.txt")]


@pytest.mark.parametrize("name", ["../up.txt", "/etc/passwd", "a/../../b.txt", "con.txt", "x" * 300, "a\0b"])
def test_a_name_that_leads_elsewhere_ends_the_upload(tmp_path: Path, name: str) -> None:
    body, kind = multipart({"form_token": "right"}, [("fine.txt", b"x"), (name, b"x")])
    with pytest.raises(InputError, match=r"name|whole path"):
        received(body, kind, tmp_path)


def test_nothing_is_taken_before_the_token_was_seen(tmp_path: Path) -> None:
    for fields in ({"form_token": "wrong"}, {"name": "Lee"}):
        body, kind = multipart(fields, [("a.txt", b"x")])
        with pytest.raises(PermissionError, match="another browser"):
            received(body, kind, tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_limits_are_for_a_file_for_all_and_for_their_number(tmp_path: Path) -> None:
    body, kind = multipart({"form_token": "right"}, [("a.txt", b"x" * 100), ("b.txt", b"x" * 100)])
    assert len(received(body, kind, tmp_path, Limits(file=100)).files) == 2
    with pytest.raises(TooMuch, match=r"a\.txt has more than"):
        received(body, kind, tmp_path, Limits(file=99))
    with pytest.raises(TooMuch, match="arrived at once"):
        received(body, kind, tmp_path, Limits(request=len(body) - 1))
    with pytest.raises(TooMuch, match="More than 1 files"):
        received(body, kind, tmp_path, Limits(files=1))
    assert Limits.of(3) == Limits(file=3_000_000, request=15_000_000)


def test_a_field_is_no_way_around_the_limits(tmp_path: Path) -> None:
    body, kind = multipart({"form_token": "right", "name": "x" * 200_000}, [])
    with pytest.raises(TooMuch):
        received(body, kind, tmp_path, piece=10_000)
    body, kind = multipart({str(number): "x" for number in range(1_000)}, [])
    with pytest.raises(TooMuch):
        received(body, kind, tmp_path, piece=10_000)


def test_what_is_not_a_form_or_ends_too_early_is_refused(tmp_path: Path) -> None:
    body, kind = multipart({"form_token": "right"}, [("a.txt", b"x")])
    with pytest.raises(InputError, match="not a form"):
        received(body, "text/plain", tmp_path)
    with pytest.raises(InputError, match="not a form"):
        received(body, "multipart/form-data", tmp_path)
    with pytest.raises(InputError, match="not a form"):
        received(b"rubbish" + body, kind, tmp_path)
    with pytest.raises(InputError, match="before it was complete"):
        received(body[:-30], kind, tmp_path)
    with pytest.raises(InputError, match="not a form"):
        received(body.replace(b"Content-Disposition", b"X" * 10_000, 1), kind, tmp_path)


def test_an_upload_that_stands_still_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_PATIENCE", 0.01)

    async def nothing() -> AsyncIterator[bytes]:
        await asyncio.sleep(60)
        yield b""

    with pytest.raises(InputError, match="Nothing arrived for a minute"):
        asyncio.run(
            receive(nothing(), content_type="multipart/form-data; boundary=x", length=None, into=tmp_path,
                    limits=Limits(), admit=lambda fields: True)
        )  # fmt: skip


def test_one_folder_around_everything_is_taken_off_unless_it_is_an_author(tmp_path: Path) -> None:
    def names(*files: str, keep_authors: bool) -> list[str]:
        body, kind = multipart({"form_token": "right"}, [(name, b"x") for name in files])
        arrived_files = received(body, kind, tmp_path).without_common_folder(keep_authors=keep_authors)
        return ["/".join(file.parts) for file in arrived_files]

    assert names("known/1.txt", "known/2.txt", keep_authors=False) == ["1.txt", "2.txt"]
    assert names("known/1.txt", "2.txt", keep_authors=False) == ["known/1.txt", "2.txt"]
    assert names("corpus/lee/1.txt", "corpus/kim/1.txt", keep_authors=True) == ["lee/1.txt", "kim/1.txt"]
    assert names("lee/1.txt", "lee/2.txt", keep_authors=True) == ["lee/1.txt", "lee/2.txt"]
    assert names("lee/1.txt", "kim/2.txt", keep_authors=True) == ["lee/1.txt", "kim/2.txt"]
    assert names("table.csv", keep_authors=True) == ["table.csv"]


def test_a_huge_upload_is_refused_before_it_is_read(server: Server, client: Client) -> None:
    """The server of the tests takes files of 1 MB and requests of 5 MB."""
    client.post("/cases", {"title": "Huge"})
    body, kind = multipart(
        {"form_token": client.token, "part": "reference", "name": ""}, [("big.txt", b"x" * 1_100_000)]
    )
    headers = {"Origin": client.origin, "Content-Type": kind}
    answer = client.request("POST", "/case/huge/upload", body, headers)
    assert (answer.status, "has more than 1.0 MB" in answer.words) == (413, True)
    with closing(http.client.HTTPConnection(client.host, client.port, timeout=30)) as claimed:
        claimed.putrequest("POST", "/case/huge/upload")
        for name, value in {**headers, "Cookie": client.cookie, "Content-Length": str(10**12)}.items():
            claimed.putheader(name, value)
        claimed.endheaders()
        assert claimed.getresponse().status == 413
    assert not (server.folder / "huge" / "texts").exists()


def test_an_upload_without_end_is_cut_off(server: Server, client: Client) -> None:
    client.post("/cases", {"title": "Endless"})
    head, kind = multipart({"form_token": client.token, "part": "reference", "name": ""}, [("a.txt", b"")])
    start = head.rpartition(b"\r\n--")[0]
    lines = [f"POST /case/endless/upload HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nOrigin: {client.origin}\r\n",
             f"Cookie: {client.cookie}\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"]  # fmt: skip
    piece, sent, end = b"x" * 65_536, 0, time.monotonic() + 60
    with socket.create_connection((client.host, client.port), timeout=30) as sock:
        sock.sendall("".join(lines).encode() + b"%x\r\n%s\r\n" % (len(start), start))
        try:
            while time.monotonic() < end and sent < 1_000_000_000:
                sock.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                sent += len(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent < 100_000_000, "the server read on and on"
    assert client.get("/").status == 200
    assert not (server.folder / "endless" / "texts").exists()
