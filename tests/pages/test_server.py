import re
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from idiograph import InputError
from idiograph.pages import server as pages_server
from idiograph.pages.server import serve
from idiograph.pages.uploads import Limits
from served import start_server


def test_it_listens_on_this_machine_alone(tmp_path: Path) -> None:
    server = start_server(tmp_path)
    port = int(re.findall(r":(\d+)/", server.address)[0])
    host = socket.gethostbyname(socket.gethostname())
    for address in {host, "127.0.0.2"} - {"127.0.0.1"}:
        with pytest.raises(ConnectionRefusedError), socket.create_connection((address, port), timeout=5):
            pass
    server.browser()  # it answers, so it also listens to Ctrl-C
    assert server.interrupt() == 0
    server.process.communicate()


def test_every_start_has_a_port_and_an_address_of_its_own(tmp_path: Path) -> None:
    first, two = start_server(tmp_path / "a"), start_server(tmp_path / "a")
    assert first.address.split("token=")[1] != two.address.split("token=")[1]
    assert first.browser().port != two.browser().port
    for server in (first, two):
        assert server.interrupt() == 0
        _, errors = server.process.communicate()
        assert "Traceback" not in errors


def test_it_stops_when_the_user_says_so(tmp_path: Path) -> None:
    server = start_server(tmp_path)
    answer = server.browser().post("/shut")
    assert "Idiograph has been stopped" in answer.words
    assert server.process.wait(30) == 0
    server.process.communicate()


def test_a_folder_that_cannot_be_used_and_a_port_that_is_taken_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    def started(folder: Path, port: int = 0) -> None:
        serve(folder, limits=Limits(), say=lambda address: None, open_browser=False, port=port)

    with pytest.raises(InputError, match="is a file, and cases are kept in a folder"):
        started(tmp_path / "file")
    with pytest.raises(InputError, match="could not be written"):
        started(tmp_path / "file" / "inside")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"Port {port} of this machine cannot be used"):
            started(tmp_path, port)


def test_the_browser_is_opened_with_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(pages_server.uvicorn.Server, "run", lambda self, sockets: sockets[0].close())
    serve(tmp_path, limits=Limits(), say=addresses.append, open_browser=True)
    assert opened == addresses
    assert opened[0].startswith("http://127.0.0.1:")


def test_the_server_loads_neither_the_tagger_nor_the_compiler(tmp_path: Path) -> None:
    code = (
        "import sys, idiograph.pages.server; print([m for m in ('spacy', 'numba', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
