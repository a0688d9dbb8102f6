"""Attacks over real HTTP: whoever is not a browser that was let in, on one of our own pages, gets nothing."""

import http.client
import re
from contextlib import closing

import pytest

from served import Client, Server

FOREIGN = "http://evil.example"


def test_a_name_that_was_made_to_point_here_gets_nothing(server: Server, client: Client) -> None:
    for host in (
        "evil.example",
        f"evil.example:{client.port}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1:{client.port}.",
    ):
        # As after DNS rebinding: cookie, origin and fetch metadata all agree with the foreign name.
        headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin", "Cookie": client.cookie}
        answer = client.request("GET", "/", headers=headers)
        assert (answer.status, "Cases" in answer.text) == (421, False), host


def test_two_hosts_in_one_request_are_refused(client: Client) -> None:
    with closing(http.client.HTTPConnection(client.host, client.port, timeout=30)) as connection:
        connection.putrequest("GET", "/", skip_host=True)
        connection.putheader("Host", f"127.0.0.1:{client.port}")
        connection.putheader("Host", "evil.example")
        connection.putheader("Cookie", client.cookie)
        connection.endheaders()
        assert connection.getresponse().status in (400, 421)


def test_localhost_is_this_machine_too(client: Client) -> None:
    assert client.request("GET", "/", headers={"Host": f"localhost:{client.port}"}).status == 200


def test_nobody_is_let_in_without_the_address(server: Server, client: Client) -> None:
    stranger = server.client()
    for path in ("/", "/studies", "/static/app.js", "/case/x/all.zip", "/job/x/events"):
        assert stranger.get(path).status == 403
    stranger.cookie = re.sub("=.*", "=guessed", client.cookie)
    assert stranger.get("/").status == 403
    assert "was not given" in stranger.get("/").text
    stranger.headers["Cookie"] = "a=\x01; =;;;"
    assert stranger.get("/").status in (400, 403)


def test_the_address_is_good_for_one_browser(server: Server, client: Client) -> None:
    answer = server.client().enter(server.address)  # it was used when the tests began
    assert (answer.status, "has already been used" in answer.text) == (403, True)
    assert server.client().enter(server.address.replace("token=", "token=x")).status == 403
    assert server.client().enter(f"{client.origin}/start").status == 403
    again = client.request("GET", server.address.removeprefix(client.origin), headers={"Cookie": client.cookie})
    assert (again.status, again.headers["location"]) == (303, "/")  # the same browser opened its tab again


def test_another_browser_gets_an_address_of_its_own(server: Server, client: Client) -> None:
    page = client.post("/window")
    other = server.client()
    assert other.enter(re.findall(r"http://127\.0\.0\.1:\d+/start\?token=[\w-]+", page.text)[0]).status == 303
    assert other.get("/").status == 200
    assert other.cookie != client.cookie
    assert other.token != client.token
    # The forms of one browser are not good for the other.
    token, other.token = other.token, client.token
    refused = other.post("/cases", {"title": "Not mine"})
    assert (refused.status, "another browser" in refused.words) == (403, True)
    other.token = token
    assert client.get("/").words.find("Not mine") == -1


def test_the_cookie_cannot_be_read_by_scripts_or_sent_from_elsewhere(server: Server, client: Client) -> None:
    page = client.post("/window")
    stranger = server.client()
    address = re.findall(r"http://127\.0\.0\.1:\d+/start\?token=[\w-]+", page.text)[0]
    answer = stranger.request("GET", address.removeprefix(client.origin))
    attributes = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert attributes == {"httponly", "samesite=strict", "path=/"}
    assert str(client.port) in answer.headers["set-cookie"].partition("=")[0]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": FOREIGN, "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": FOREIGN, "Sec-Fetch-Site": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_a_form_of_another_site_changes_nothing(client: Client, headers: dict[str, str], status: int) -> None:
    # The browser would send its cookie, and even the token is right.
    answer = client.post("/cases", {"title": "Forged"}, **headers)
    assert (answer.status, "Forged" in client.get("/").words) == (status, False)


def test_another_site_cannot_even_read(client: Client) -> None:
    assert client.get("/", **{"Sec-Fetch-Site": "cross-site"}).status == 403
    assert client.get("/static/app.js", **{"Sec-Fetch-Site": "same-site"}).status == 403
    assert "access-control-allow-origin" not in client.get("/", Origin=FOREIGN).headers


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_pages_are_read_and_filled_in_and_nothing_else(client: Client, method: str) -> None:
    assert client.request(method, "/", headers={"Origin": client.origin}).status == 405


def test_every_answer_forbids_what_the_pages_do_not_need(client: Client) -> None:
    for path in ("/", "/glossary", "/case/none/texts", "/static/app.css"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


def test_a_web_socket_is_not_opened(client: Client) -> None:
    headers = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "eA==",
        "Sec-WebSocket-Version": "13",
    }
    assert client.request("GET", "/", headers=headers).status != 101
