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
    assert "Forged" not in client.get("/").words


@pytest.mark.parametrize(
    "path", ["/nothing", "/case/none", "/case/none/texts", "/case/none/nothing", "/job/none", "/static/x"]
)
def test_what_is_not_there_is_said_in_a_sentence(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 404
    assert re.search(r"There is no|no longer known", answer.words)
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


def test_a_form_must_be_one_and_not_too_long(client: Client) -> None:
    refused = client.post("/cases", {"title": "x"}, **{"Content-Type": "text/plain"})
    assert (refused.status, "not a form" in refused.words) == (400, True)
    refused = client.post("/cases", {"title": "x" * 1_100_000})
    assert refused.status == 413
    refused = client.post("/cases", {f"x{number}": "" for number in range(3_000)})
    assert refused.status == 400


def test_names_are_escaped_and_characters_that_act_are_shown(client: Client) -> None:
    title = '<script>alert(1)</script> "\u202e evil {{ 7 * 7 }}'
    name = client.post("/cases", {"title": title}).headers["location"].split("/")[2]
    page = client.get(f"/case/{name}/texts")
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text
    assert "⟨U+202E⟩" in page.text
    assert "49" not in page.words.split("evil", 1)[1][:20]


def test_an_empty_upload_is_said_to_be_one(client: Client) -> None:
    name = client.post("/cases", {"title": "Empty upload"}).headers["location"].split("/")[2]
    answer = client.upload(f"/case/{name}/upload", {"part": "reference", "name": ""}, [("", b"")])
    assert (answer.status, "No file was chosen" in answer.words) == (400, True)
    kept, client.token = client.token, "wrong"
    try:
        assert client.upload(f"/case/{name}/upload", {"part": "reference", "name": ""}, [("", b"")]).status == 403
    finally:
        client.token = kept


def test_terms_lead_to_the_glossary(client: Client) -> None:
    page = client.get("/studies")
    assert 'href="/glossary#corpus"' in page.text
    assert 'id="corpus"' in client.get("/glossary").text
