"""Who may speak to the server: the browser that was given its address, from its own pages, and nobody else.

Being on 127.0.0.1 is not enough. A page on the web can make a browser send requests there, and a name whose address
changes (DNS rebinding) makes such a page look like ours. So `Host` must be ours, a cookie must have been fetched with
the one-time address, and whatever changes something must come from one of our own pages and carry its form's token.
"""

import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from idiograph.pages import words

START = "/start"
_PAGE = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'"
)
# A report is somebody's document: it gets no script, no origin and nothing from elsewhere.
DOCUMENT = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Not no-referrer: a browser would then send the forms of our own pages without their origin.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass
class Door:
    """The addresses that were handed out, each good for one browser, and the browsers that came in."""

    hosts: frozenset[str]
    unused: set[str] = field(default_factory=set)
    sessions: dict[str, str] = field(default_factory=dict)  # cookie -> token of its forms

    @property
    def cookie(self) -> str:
        """The cookie's name; browsers share cookies among all ports of a host, so it names the port."""
        return f"idiograph-{sorted(self.hosts)[0].rpartition(':')[2]}"

    def address(self) -> str:
        """A new address, good once."""
        token = secrets.token_urlsafe(24)
        self.unused.add(token)
        return f"http://{sorted(self.hosts)[0]}{START}?token={token}"

    def enter(self, token: str) -> str | None:
        """The cookie for a token that was not used before."""
        for known in tuple(self.unused):
            if secrets.compare_digest(known.encode(), token.encode()):
                self.unused.discard(known)
                cookie = secrets.token_urlsafe(24)
                self.sessions[cookie] = secrets.token_urlsafe(24)
                return cookie
        return None

    def form_token(self, headers: Headers) -> str | None:
        """The token that the forms of this browser carry; None where the browser was never let in."""
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return None
        given = jar[self.cookie].value if self.cookie in jar else ""
        for cookie, token in self.sessions.items():
            if secrets.compare_digest(cookie.encode(), given.encode()):
                return token
        return None


class Guard:
    """Around the whole application: refuses what does not come from one of our own pages, and sets the headers."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # a web socket is refused by silence

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("content-security-policy", _PAGE)
            await send(message)

        refused = self._refused(scope)
        if refused is not None:
            await refused(scope, receive, with_headers)
        elif scope["path"] == START:
            await self._start(Request(scope))(scope, receive, with_headers)
        else:
            await self.app(scope, receive, with_headers)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") != [headers.get("host", "")] or headers.get("host") not in self.door.hosts:
            return PlainTextResponse(words.OTHER_HOST, 421)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse(words.NO_METHOD, 405, {"allow": "GET, HEAD, POST"})
        # Same-site is another port of this machine: another program, not one of our pages.
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return PlainTextResponse(words.OTHER_SITE, 403)
        if scope["method"] == "POST" and headers.get("origin") not in {f"http://{host}" for host in self.door.hosts}:
            return PlainTextResponse(words.OTHER_SITE, 403)
        if scope["path"] == START:
            return None
        token = self.door.form_token(headers)
        if token is None:
            return PlainTextResponse(words.NO_COOKIE, 403)
        scope["form_token"] = token
        return None

    def _start(self, request: Request) -> Response:
        cookie = self.door.enter(request.query_params.get("token", ""))
        if cookie is None:
            if self.door.form_token(request.headers) is not None:  # the tab was opened again
                return RedirectResponse("/", 303)
            return PlainTextResponse(words.USED_ADDRESS, 403)
        response = RedirectResponse("/", 303)
        response.set_cookie(self.door.cookie, cookie, path="/", httponly=True, samesite="strict")
        return response


def is_own_form(scope: Scope, token: str | None) -> bool:
    """Whether a form's token is the one that this browser's pages carry."""
    return token is not None and secrets.compare_digest(str(scope["form_token"]).encode(), token.encode())
