import re

import pytest

from idiograph.pages.server import _routes
from served import Client

CHANGES = sorted(route.path for route in _routes() if "POST" in (route.methods or ()))


def filled(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "x", path)


def test_every_change_is_known_to_this_test() -> None:
    assert len(CHANGES) >= 15


@pytest.mark.parametrize("path", CHANGES)
@pytest.mark.parametrize("token", ["", "guessed"])
def test_no_change_is_made_without_the_token_of_the_form(client: Client, path: str, token: str) -> None:
    # Names that are not there would be 404: the token comes first wherever there is something to change.
    kept, client.token = client.token, token
    try:
        answer = client.post(filled(path), {"title": "Forged"})
        sent = client.upload(filled(path), {"part": "reference", "name": ""}, [("a.txt", b"a")])
    finally:
        client.token = kept
    assert answer.status in (400, 403, 404)
    assert sent.status in (400, 403, 404)
    assert "Forged" not in client.get("/").said


@pytest.mark.parametrize(
    "path", ["/nothing", "/case/none", "/case/none/texts", "/case/none/nothing", "/job/none", "/static/x"]
)
def test_what_is_not_there_is_said_in_a_sentence(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 404
    assert re.search(r"There is no|no longer known", answer.said)
    assert "Traceback" not in answer.text


def test_a_script_gets_a_mistake_as_plain_data(client: Client) -> None:
    assert client.script("/cases", {"title": " "}) == {
        "error": "Give it a title, which becomes the name of its folder."
    }


def test_static_files_are_the_three_that_the_pages_need(client: Client) -> None:
    for name, kind in (("app.css", "text/css"), ("app.js", "text/javascript"), ("icon.svg", "image/svg+xml")):
        answer = client.get(f"/static/{name}")
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, kind)
    assert client.get("/static/..%2fwords.py").status == 404
