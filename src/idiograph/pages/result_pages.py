"""The pages that show what was filed: the finding, the heat map, the figures, every run, and all files."""

import mimetypes
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from idiograph.casework.case_folder import filed_runs, run_folder
from idiograph.casework.wording import QUICK
from idiograph.errors import InputError
from idiograph.output.report.heatmap import level, signed
from idiograph.pages import words
from idiograph.pages.case_pages import frame
from idiograph.pages.drafts import read_draft
from idiograph.pages.guard import DOCUMENT
from idiograph.pages.places import NotThere, existing, files_below
from idiograph.pages.runs import ScoredTokens, comparisons, differences, read_result, read_tokens, trail
from idiograph.pages.site import Site, posted, see_other, site_of, wants_json, whole_number

SEAL = "seal.json"  # its own module loads all that a case needs to be run
TOKENS = 1_200  # tokens on one page of the heat map
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.DOTALL)
# Shown by the browser; everything else is kept as a file. Browsers show no PDF that is cut off from their pages.
_SHOWN = {".html": "text/html; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png"}


async def result(request: Request) -> Response:
    """The finding, the heat map, the figures and the files of a run, the latest unless another is asked for."""
    site = site_of(request)
    folder = site.folder(request)
    draft = read_draft(folder)
    filed = filed_runs(folder)
    if not filed:
        return site.page(request, "result.html", **frame(draft, "result"), filed=[], number=0)
    number = _asked(request, "run", filed[-1])
    if number not in filed:
        raise NotThere(words.NO_RUN)
    values = await run_in_threadpool(_result, run_folder(folder, number))
    return site.page(
        request, "result.html", **frame(draft, "result"), filed=filed, number=number, **values,
        map=_heat_map(values["tokens"], _asked(request, "comparison", 1), _asked(request, "part", 1)),
        word=_word(site, folder.name, number, values["tokens"], request), signed=signed,
        lookup=site.jobs.latest("words", folder.name), quick_words=QUICK,
    )  # fmt: skip


def _result(run: Path) -> dict[str, Any]:
    found = read_result(run)
    files = [(str(place), path.stat().st_size) for path, place in files_below(run)]
    figures = [(name, _title(run / name)) for name, _ in files if name.endswith(".svg")]
    return {
        "result": found,
        "comparisons": comparisons(found),
        "tokens": read_tokens(run),
        # What people read first stands first.
        "files": sorted(
            ((name, size) for name, size in files if not name.startswith("figures/")),
            key=lambda one: (not one[0].startswith("report."), not one[0].startswith("annexes."), one[0]),
        ),
        "figures": figures,
    }


def _title(figure: Path) -> str:
    """The words for those who cannot see a figure."""
    found = _TITLE.search(figure.read_bytes()[:20_000])
    return unescape(found.group(1).decode("utf-8", "replace")).strip() if found else figure.stem


def _asked(request: Request, name: str, usual: int) -> int:
    return whole_number(request.query_params.get(name, ""), usual)


def _heat_map(found: list[ScoredTokens], comparison: int, part: int) -> dict[str, Any]:
    """One page of the heat map of a comparison: sentences of words with their step and what stands before each."""
    if not 1 <= comparison <= len(found):
        raise NotThere(words.NO_COMPARISON)
    scored = found[comparison - 1]
    parts: list[list[list[dict[str, Any]]]] = [[]]
    n = 0
    for sentence in scored.sentences():
        if n and n + len(sentence) > TOKENS:
            parts.append([])
            n = 0
        n += len(sentence)
        parts[-1].append(_line(sentence))
    if not 1 <= part <= len(parts):
        raise NotThere(words.NO_COMPARISON)
    return {"comparison": comparison, "part": part, "parts": len(parts), "lines": parts[part - 1]}


def _line(sentence: tuple[Any, ...]) -> list[dict[str, Any]]:
    line: list[dict[str, Any]] = []
    cursor: int | None = None
    for token in sentence:
        # Where the original is not known, tokens stand apart as they do in masked text.
        apart = token.start is None or cursor is None or token.start > cursor
        line.append(
            {
                "word": "¶" if token.is_end else token.original or token.masked,
                "level": level(token.lambda_g),
                "place": token.place,
                "apart": apart and bool(line),
                "is_end": token.is_end,
            }
        )
        cursor = token.end
    return line


async def word(request: Request) -> Response:
    """One word of the heat map: for our script as plain data, else on the page of the result."""
    site = site_of(request)
    folder = site.folder(request)
    number, name = _asked(request, "run", 0), request.query_params.get("word", "")
    if number not in filed_runs(folder):
        raise NotThere(words.NO_RUN)
    if not wants_json(request):
        return see_other(
            "case", folder.name, "result", run=number, comparison=_asked(request, "comparison", 1), word=name
        )
    tokens = await run_in_threadpool(read_tokens, run_folder(folder, number))
    return JSONResponse(_word(site, folder.name, number, tokens, request))


def _word(site: Site, name: str, number: int, found: list[ScoredTokens], request: Request) -> dict[str, Any] | None:
    """A token with its part of λG and, once they were looked up, the places where K and the reference have it."""
    place, comparison = request.query_params.get("word"), _asked(request, "comparison", 1)
    if place is None or not 1 <= comparison <= len(found):
        return None
    scored = found[comparison - 1]
    token = next((one for one in scored.tokens if one.place == place), None)
    if token is None:
        raise NotThere(words.NO_WORD)
    said: dict[str, Any] = {
        "word": words.SENTENCE_END if token.is_end else token.original or token.masked,
        "scored": token.masked,
        "lambda_g": signed(token.lambda_g, digits=3),
        "side": words.SIDES[(token.lambda_g > 0) - (token.lambda_g < 0)],
        "context": words.known_context(token.context, is_end=token.is_end),
        "sentence": token.sentence,
        "places": None,
    }
    job = site.jobs.latest("words", name)
    if job is not None and job.state == "done" and job.tag == str(number) and scored.name in job.result:
        looked = job.result[scored.name]
        if place in looked["at"]:
            said["places"] = looked["ngrams"][looked["at"][place]]
    return said


async def look_up(request: Request) -> Response:
    """Looks every word of a run up in K and the reference."""
    site, form = site_of(request), await posted(request)
    folder = site.folder(request)
    number = whole_number(form.get("run"))
    if number not in filed_runs(folder):
        raise NotThere(words.NO_RUN)
    job = site.jobs.latest("words", folder.name)
    if job is None or job.tag != str(number) or job.state in ("failed", "stopped"):
        job = site.jobs.start("words", folder.name, {"folder": str(folder), "number": number}, tag=str(number))
    if wants_json(request):
        await job.over.wait()
        return JSONResponse({"state": job.state, "error": job.error})
    return see_other("case", folder.name, "result", run=number)


async def runs(request: Request) -> Response:
    """Every run that was begun, and how those that are kept differ from the one before."""
    site = site_of(request)
    folder = site.folder(request)

    def compared() -> list[dict[str, Any]]:
        before: dict[str, Any] | None = None
        found = []
        kept = filed_runs(folder)
        for one in trail(folder):
            row: dict[str, Any] = {"run": one, "kept": one.number in kept, "comparisons": [], "differences": []}
            if row["kept"]:
                now = read_result(run_folder(folder, one.number))
                row["comparisons"] = comparisons(now)
                row["differences"] = [] if before is None else differences(before, now)
                row["first"] = before is None
                before = now
            found.append(row)
        return found[::-1]

    rows, sealed = await run_in_threadpool(compared), (folder / SEAL).is_file()
    return site.page(request, "runs.html", **frame(read_draft(folder), "runs"), rows=rows, sealed=sealed)


async def file(request: Request) -> Response:
    """A file of a case or a study, as it lies there; what a browser would run is cut off from our pages."""
    site = site_of(request)
    path = existing(site.folder(request), request.path_params["path"].split("/"))
    if not path.is_file() or path.name.startswith("."):
        raise NotThere(words.NO_FILE)
    kind = _SHOWN.get(path.suffix.lower())
    kept = "download" in request.query_params or kind is None
    guessed = kind or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    headers = {"content-security-policy": DOCUMENT}
    disposition = "attachment" if kept else "inline"
    return FileResponse(
        path, headers=headers, media_type=guessed, filename=path.name, content_disposition_type=disposition
    )


async def everything(request: Request) -> Response:
    """The whole folder as one archive."""
    folder = site_of(request).folder(request)
    headers = {"content-disposition": f'attachment; filename="{_ascii(folder.name)}.zip"'}
    return StreamingResponse(zipped(folder), media_type="application/zip", headers=headers)


def _ascii(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", name)


def zipped(folder: Path) -> Iterator[bytes]:
    """An archive of a folder, piece by piece, so that no more than a file of it is in memory."""
    stream = _Pieces()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for path, place in files_below(folder):
            try:
                archive.write(path, f"{folder.name}/{place}")
            except OSError as error:
                raise InputError(f"{path} could not be read ({error.strerror}).") from error
            yield stream.taken()
    yield stream.taken()


class _Pieces:
    """A stream that is only written to, whose bytes are taken away as they come."""

    def __init__(self) -> None:
        self.held = bytearray()

    def write(self, data: bytes) -> int:
        self.held += data
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def taken(self) -> bytes:
        found, self.held = bytes(self.held), bytearray()
        return found
