"""The server behind the pages: all addresses and what answers them, and how a mistake is told.

It listens on this machine alone, at a port that the system chooses, until it is told to stop.
"""

import re
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from idiograph.errors import IdiographError, InputError, cannot_write, machine_cause, visible
from idiograph.files import make_usable
from idiograph.output.heatmap import LOOKS
from idiograph.pages import case_pages, result_pages, study_pages, words
from idiograph.pages.controls import by_controls
from idiograph.pages.guard import Door, Guard
from idiograph.pages.site import Site, site_of, wants_json
from idiograph.pages.uploads import Limits, NotThere, TooMuch

_STATIC = {"app.css": "text/css", "app.js": "text/javascript", "icon.svg": "image/svg+xml"}


def application(site: Site) -> Guard:
    """The pages of a site, guarded; also what goes wrong inside passes the guard on its way out."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await site.jobs.close()

    pages = Starlette(
        routes=_routes(),
        lifespan=lifespan,
        exception_handlers={
            IdiographError: _mistake,
            OSError: _mistake,
            HTTPException: _no_page,
            Exception: _fault,
        },
    )
    pages.state.site = site
    return Guard(pages, site.door)


def _routes() -> list[Route]:
    read, write = ["GET"], ["POST"]
    return [
        Route("/", case_pages.cases, methods=read),
        Route("/cases", case_pages.new_case, methods=write),
        Route("/example", case_pages.example, methods=write),
        Route("/back", case_pages.put_back, methods=write),
        Route("/glossary", case_pages.glossary, methods=read),
        Route("/window", case_pages.window, methods=write),
        Route("/shut", case_pages.shut, methods=write),
        Route("/static/{file}", _static, methods=read),
        Route("/job/{id}", result_pages.job, methods=read),
        Route("/job/{id}/events", result_pages.events, methods=read),
        Route("/job/{id}/stop", result_pages.stop, methods=write),
        Route("/case/{name}", case_pages.case, methods=read),
        Route("/case/{name}/texts", case_pages.texts, methods=read),
        Route("/case/{name}/preparation", case_pages.preparation, methods=read),
        Route("/case/{name}/look", case_pages.look, methods=read),
        Route("/case/{name}/map/{number}.svg", case_pages.picture, methods=read),
        Route("/case/{name}/plan", result_pages.plan, methods=read),
        Route("/case/{name}/run", result_pages.run, methods=read),
        Route("/case/{name}/result", result_pages.result, methods=read),
        Route("/case/{name}/runs", result_pages.runs, methods=read),
        Route("/case/{name}/word", result_pages.word, methods=read),
        Route("/case/{name}/all.zip", result_pages.everything, methods=read),
        Route("/case/{name}/file/{path:path}", result_pages.file, methods=read),
        Route("/case/{name}/outside", case_pages.read_outside, methods=write),
        Route("/case/{name}/works.csv", case_pages.works_table, methods=read),
        Route("/case/{name}/works", case_pages.keep_works, methods=write),
        Route("/case/{name}/upload", case_pages.upload, methods=write),
        Route("/case/{name}/remove", case_pages.remove, methods=write),
        Route("/case/{name}/bin", case_pages.bin_case, methods=write),
        Route("/case/{name}/back", case_pages.put_back, methods=write),
        Route("/case/{name}/rename", case_pages.rename, methods=write),
        Route("/case/{name}/recipe", case_pages.choose_recipe, methods=write),
        Route("/case/{name}/start", result_pages.start, methods=write),
        Route("/case/{name}/words", result_pages.look_up, methods=write),
        Route("/case/{name}/settings/{step}", case_pages.save, methods=write),
        Route("/case/{name}/{step}", case_pages.described, methods=read),
        Route("/studies", study_pages.studies, methods=read),
        Route("/studies", study_pages.new_study, methods=write),
        Route("/study/{name}/run", study_pages.study, methods=read),
        Route("/study/{name}/all.zip", result_pages.everything, methods=read),
        Route("/study/{name}/file/{path:path}", result_pages.file, methods=read),
        Route("/study/{name}/settings", study_pages.save_study, methods=write),
        Route("/study/{name}/upload", study_pages.upload_corpus, methods=write),
        Route("/study/{name}/reference", study_pages.take_reference, methods=write),
        Route("/study/{name}/start", study_pages.start_study, methods=write),
    ]


async def _static(request: Request) -> Response:
    name = request.path_params["file"]
    if name not in _STATIC:
        raise NotThere(words.NO_FILE)
    content = (resources.files("idiograph.pages") / "static" / name).read_text(encoding="utf-8")
    return Response(_LOOKS.sub(_colours, content), media_type=_STATIC[name])


_LOOKS = re.compile(r"/\* looks of steps (for|against) the candidate, (light|dark) \*/")


def _colours(mark: re.Match[str]) -> str:
    """What stands in the style sheet for a mark: the heat map's colours, which are those of the report."""
    side, sign = ("p", 1) if mark[1] == "for" else ("n", -1)
    looks, dark = [LOOKS[sign * step] for step in (1, 2, 3)], mark[2] == "dark"
    fills = [f"--{side}{step}: {look.dark_fill if dark else look.fill};" for step, look in enumerate(looks, 1)]
    return " ".join([*fills, f"--{side}-line: {looks[-1].dark_line if dark else looks[-1].line};"])


async def _mistake(request: Request, error: Exception) -> Response:
    """A user's mistake, or something that a disk refuses, as one sentence."""
    kinds = {NotThere: 404, TooMuch: 413, PermissionError: 403}
    status = next((status for kind, status in kinds.items() if isinstance(error, kind)), 400)
    message = str(error)
    if isinstance(error, OSError) and error.errno is not None:  # not a refusal of ours
        status, message = 400, visible(machine_cause(error) or message)
    # What is left of an upload that was refused is not read.
    headers = {"connection": "close"} if request.method == "POST" else {}
    if wants_json(request):
        return JSONResponse({"error": by_controls(message)}, status, headers)
    answer = site_of(request).page(request, "message.html", status, message=by_controls(message))
    answer.headers.update(headers)
    return answer


async def _no_page(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return site_of(request).page(request, "message.html", status, message=words.NO_PAGE)


async def _fault(request: Request, error: Exception) -> Response:
    """A fault of ours; its traceback goes to the terminal."""
    message = machine_cause(error) or words.BUG.format(type(error).__name__)
    if wants_json(request):
        return JSONResponse({"error": message}, 500)
    return site_of(request).page(request, "message.html", 500, message=message)


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
