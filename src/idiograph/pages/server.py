"""The server behind the pages: on this machine alone, at a port that the system chooses, until it is told to stop."""

import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from idiograph.errors import InputError, cannot_write
from idiograph.files import make_usable
from idiograph.pages.application import application
from idiograph.pages.guard import Door
from idiograph.pages.site import Site
from idiograph.pages.uploads import Limits

HOST = "127.0.0.1"
_ROOM = 10_000_000  # bytes that the folder of the cases must have
_LAST = 5  # seconds that open connections get when the server stops


def serve(folder: Path, *, limits: Limits, say: Callable[[str], None], open_browser: bool, port: int = 0) -> None:
    """Serves the pages of a folder until Ctrl-C or until the user says so; `say` is told the address."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, and cases are kept in a folder. Name another place.")
    try:
        make_usable(folder, room=_ROOM)
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise InputError(
            f"Port {port} of this machine cannot be used ({error.strerror}). Leave out --port, or name another."
        ) from error
    taken = listener.getsockname()[1]
    door = Door(frozenset({f"{HOST}:{taken}", f"localhost:{taken}"}))

    def stop() -> None:
        server.should_exit = True

    site = Site(folder.resolve(), door, limits, stop)
    config = uvicorn.Config(
        application(site),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=_LAST,
    )
    server = uvicorn.Server(config)
    address = door.address()
    say(address)
    if open_browser:
        webbrowser.open(address)
    server.run([listener])
