"""What every page needs: the folder, the work under way, the templates; and forms that come from our own pages."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from idiograph.errors import InputError, counted, visible
from idiograph.files import scratch_folder
from idiograph.output.glossary import ON_PAGES
from idiograph.pages import words
from idiograph.pages.controls import by_controls
from idiograph.pages.guard import Door, is_own_form
from idiograph.pages.jobs import Jobs
from idiograph.pages.previews import Previews
from idiograph.pages.uploads import Limits, Received, TooMuch, child, receive
from idiograph.pages.words import anchor
from idiograph.provenance import VERSION

T = TypeVar("T")

_PATIENCE = 60.0  # seconds that a page waits for what lies in a folder
_LONGEST_FORM = 1_000_000  # bytes of a form without files


@dataclass
class Site:
    """The pages of one folder."""

    root: Path
    door: Door
    limits: Limits
    stop: Callable[[], None]  # ends the server
    jobs: Jobs = field(default_factory=Jobs)
    previews: Previews = field(default_factory=Previews)

    @cached_property
    def environment(self) -> Environment:
        """The templates, everything in them escaped and no character in them acting."""
        environment = Environment(
            loader=PackageLoader("idiograph.pages"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True, finalize=_seen,
        )  # fmt: skip
        environment.globals |= {"term": _term, "words": words, "version": VERSION, "address": address}
        environment.globals |= {"by_controls": by_controls, "duration": words.duration, "counted": counted}
        return environment

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """A page made from a template, with what all of them show."""
        body = self.environment.get_template(template)
        here = {"form_token": request.scope["form_token"], "root": self.root, "path": request.url.path}
        here["largest"] = self.limits.file
        return HTMLResponse(body.render(**here, **values), status)

    def at_work(self) -> dict[str, str]:
        """The folders whose case or study waits or runs, with the state."""
        return {job.folder: job.state for job in self.jobs.known.values() if job.is_under_way}

    def folder(self, request: Request) -> Path:
        """The folder that an address names."""
        return child(self.root, request.path_params["name"])

    def idle_folder(self, request: Request) -> Path:
        """The same for a change: no work may be waiting or running there."""
        folder = self.folder(request)
        if self.jobs.under_way(folder.name) is not None:
            raise InputError(words.RUNNING)
        return folder


@dataclass(frozen=True)
class Posted:
    """The fields of a form, those with several values apart."""

    values: dict[str, list[str]]

    @property
    def last(self) -> dict[str, str]:
        """The last value of each field."""
        return {name: values[-1] for name, values in self.values.items()}

    def get(self, name: str) -> str:
        """A field, empty where it was not sent."""
        return self.last.get(name, "")


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site: Site = request.app.state.site
    return site


async def looked(look: Callable[..., T], *arguments: Any) -> T:
    """What a look into a folder finds, in a thread, so that no other page waits; a minute is enough for any of them."""
    try:
        return await asyncio.wait_for(asyncio.to_thread(look, *arguments), _PATIENCE)
    except TimeoutError as error:
        raise InputError(words.TOO_LONG) from error


async def posted(request: Request) -> Posted:
    """A form without files, refused unless it carries the token of this browser's pages."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > _LONGEST_FORM:
            raise TooMuch(words.too_much(_LONGEST_FORM))
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise InputError(words.NOT_A_FORM)
    try:
        values = parse_qs(content.decode(), keep_blank_values=True, max_num_fields=2_000, errors="replace")
    except ValueError as error:
        raise InputError(words.NOT_A_FORM) from error
    form = Posted(values)
    if not is_own_form(request.scope, form.last.get("form_token")):
        raise PermissionError(words.OTHER_FORM)
    return form


async def uploaded(request: Request, keep: Callable[[Received], None]) -> None:
    """A form with files, refused before the first file unless it carries the token; `keep` gets what arrived."""
    site = site_of(request)
    with scratch_folder() as folder:
        received = await receive(
            request.stream(),
            content_type=request.headers.get("content-type", ""),
            length=request.headers.get("content-length"),
            into=folder,
            limits=site.limits,
            admit=lambda fields: is_own_form(request.scope, fields.get("form_token")),
        )
        if not is_own_form(request.scope, received.fields.get("form_token")):
            raise PermissionError(words.OTHER_FORM)
        if not received.files:
            raise InputError(words.NO_FILES)
        await run_in_threadpool(keep, received)


def address(*parts: object, **query: object) -> str:
    """A path on this site, every part quoted."""
    path = "/" + "/".join(quote(str(part), safe="", errors="surrogateescape") for part in parts)
    asked = "&".join(f"{name}={quote(str(value), safe='', errors='replace')}" for name, value in query.items())
    return f"{path}?{asked}" if asked else path


def see_other(*parts: object, **query: object) -> Response:
    """Where to go after a change."""
    return RedirectResponse(address(*parts, **query), 303)


def whole_number(text: str, usual: int = 0) -> int:
    """A number that was typed or stands in an address; what is none counts as the usual one."""
    return int(text) if text.isdecimal() and len(text) < 9 else usual


def wants_json(request: Request) -> bool:
    """Whether our script asks, not a browser that shows the answer."""
    return request.headers.get("accept", "") == "application/json"


def _seen(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _term(name: str, shown: str = "") -> Markup:
    """A word of the trade with its entry in the glossary."""
    entry = ON_PAGES[name]
    return Markup('<a class="term" href="/glossary#{}" title="{}">{}</a>').format(anchor(name), entry, shown or name)
