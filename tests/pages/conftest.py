"""A server that all tests of the pages share, and a case that was run through it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from served import Client, Server, new_case, served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("pages") / "cases", "--largest", "1") as server:
        yield server


@pytest.fixture(scope="session")
def client(server: Server) -> Client:
    """A browser that was let in, the first one."""
    return server.browser()


@dataclass(frozen=True)
class Filed:
    """A case that was run through the pages."""

    client: Client
    name: str
    folder: Path


@pytest.fixture(scope="session")
def filed_here(server: Server, client: Client) -> Filed:
    """A quick run with two candidates."""
    name = new_case(client, "Filed here", candidates=("lee", "kim"), n_authors=5)
    assert client.post(f"/case/{name}/start", {"what": "quick"}).status == 303
    client.wait_for(f"/case/{name}/run", "Done: run 1 is filed")
    return Filed(client, name, server.folder / name)
