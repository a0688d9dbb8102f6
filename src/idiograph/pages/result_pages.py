"""The pages that show what was filed, and work under way.

Filed: the finding, the heat map, the figures, every run, and all files. Under way: the plan, the run, a replay, a seal;
each can be watched, left and stopped.
"""

import mimetypes
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from idiograph.casework.case import SIDES, PlanRequest, is_recipe_file
from idiograph.casework.case_folder import (
    ANNEXES,
    DOCUMENTS,
    LARGEST_OUTPUT,
    MANIFEST,
    REPORT,
    TrailState,
    filed_runs,
    latest_report,
    run_folder,
    trail_state,
)
from idiograph.casework.sentences import QUICK, signed
from idiograph.casework.verification import TokenRow
from idiograph.errors import IdiographError, InputError, some, visible
from idiograph.output.heatmap import level
from idiograph.output.report import OF_RATIOS
from idiograph.pages import words
from idiograph.pages.case_pages import frame, previewed
from idiograph.pages.cases import (
    ScoredTokens,
    differences,
    name_of,
    outcome_of,
    read_result,
    read_tokens,
    seal_state,
    trail,
)
from idiograph.pages.drafts import Draft, read_draft
from idiograph.pages.guard import DOCUMENT
from idiograph.pages.jobs import Job
from idiograph.pages.previews import roles_of
from idiograph.pages.site import Site, looked, posted, see_other, site_of, wants_json, whole_number
from idiograph.pages.told import audits, changes_since, figures, ratios, told, why_cllr_differs
from idiograph.pages.uploads import Lying, NotThere, child, existing, files_below
from idiograph.settings import settings_of

TOKENS = 1_200  # tokens on one page of the heat map
_DOCUMENTS = tuple(f"{name}.{ending}" for name in (REPORT, ANNEXES) for ending in ("html", "pdf", "docx"))
# Shown by the browser; everything else is kept as a file. Browsers show no PDF that is cut off from their pages.
_SHOWN_IN_PLACE = {".html": "text/html; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png"}


async def result(request: Request) -> Response:
    """The finding, the heat map, the figures and the files of a run, the latest unless another is asked for."""
    site = site_of(request)
    folder = site.folder(request)
    draft = await looked(read_draft, folder)
    filed = await looked(filed_runs, folder)
    if not filed:
        return site.page(request, "result.html", **await frame(site, draft, "result"), filed=[], number=0)
    number = _asked(request, "run", filed[-1])
    if number not in filed:
        raise NotThere(words.NO_RUN)
    values = await looked(_result, draft, number)
    tokens, comparison = values["tokens"], _asked(request, "comparison", 1)
    part, first = _asked(request, "part", 0), request.query_params.get("word", "")
    return site.page(
        request, "result.html", **await frame(site, draft, "result"), filed=filed, number=number, **values,
        map=_heat_map(tokens, comparison, part, first=first, n_marked=_asked(request, "tokens", 1)),
        word=_word(site, folder.name, number, tokens, request), quick_words=QUICK, of_ratios=OF_RATIOS,
        lookup=site.jobs.latest("words", folder.name),
    )  # fmt: skip


def _result(draft: Draft, number: int) -> dict[str, Any]:
    """All that a run has for its page; what is damaged is named, and the rest is shown."""
    run = latest_report(draft.folder, number)
    changes = changes_since(draft, number)
    damaged: list[str] = []
    result: dict[str, Any] = {"comparisons": [], "population": "", "quick": False, "settings": None}
    tokens: list[ScoredTokens] = []
    files: list[Lying] = []
    try:
        result = read_result(run)
        tokens = _reported_tokens(run, result)
    except IdiographError as error:
        damaged.append(str(error))
    try:
        files = files_below(run)
    except IdiographError as error:
        damaged.append(str(error))
    named = [file for file in files if file.place.isprintable()]
    if len(named) < len(files):
        damaged.append(words.NOT_TEXT.format(some([file.place for file in files if file not in named])))
    every = result["comparisons"]
    return {
        "damaged": damaged,
        "result": result,
        "comparisons": [(comparison, told(comparison)) for comparison in every],
        "ratios": ratios(every, str((result["settings"] or {}).get("scale"))),
        "audits": audits(every),
        "cllr_differs": why_cllr_differs(every),
        "changes": [*changes.said, *changes.printed],
        # Runs of before 0.4 have no documents that could be rendered again.
        "can_render": bool(changes.printed)
        and not changes.said
        and number == filed_runs(draft.folder)[-1]
        and (run / DOCUMENTS).is_file(),
        "folder": run.name,
        "tokens": tokens,
        # What people read first stands first.
        "files": sorted(
            ((file.place, file.size) for file in named if not file.place.startswith("figures/")),
            key=lambda file: (_DOCUMENTS.index(file[0]) if file[0] in _DOCUMENTS else len(_DOCUMENTS), file[0]),
        ),
        "n_documents": sum(file.place in _DOCUMENTS for file in named),
        "figures": figures(run, [file.place for file in named if file.place.endswith(".svg")]),
    }


def _reported_tokens(run: Path, result: dict[str, Any]) -> list[ScoredTokens]:
    """The tokens of the comparisons that have a value; where none is reported, no evidence is shown."""
    reported = {name_of(comparison) for comparison in result["comparisons"] if comparison["reported"]}
    return [scored for scored in read_tokens(run) if scored.name in reported] if reported else []


def _asked(request: Request, name: str, usual: int) -> int:
    return whole_number(request.query_params.get(name, ""), usual)


def _heat_map(
    scored_tokens: list[ScoredTokens], comparison: int, part: int, *, first: str = "", n_marked: int = 1
) -> dict[str, Any] | None:
    """One page of the heat map of a comparison: sentences of words with their step and what stands before each.

    So many tokens are marked from the place `first` on; part 0 is the one that has it. None where every comparison was
    refused.
    """
    if not scored_tokens:
        return None
    if not 1 <= comparison <= len(scored_tokens):
        raise NotThere(words.NO_COMPARISON)
    scored = scored_tokens[comparison - 1]
    places = [row.place for row in scored.tokens]
    marked = places[places.index(first) :][:n_marked] if first in places else []
    parts: list[list[list[dict[str, Any]]]] = [[]]
    n, with_first = 0, 1
    for sentence in scored.sentences():
        if n and n + len(sentence) > TOKENS:
            parts.append([])
            n = 0
        n += len(sentence)
        parts[-1].append(_line(sentence, marked))
        if any(row.place == first for row in sentence):
            with_first = len(parts)
    part = part or with_first
    if not 1 <= part <= len(parts):
        raise NotThere(words.NO_COMPARISON)
    return {"comparison": comparison, "part": part, "parts": len(parts), "lines": parts[part - 1]}


def _line(sentence: tuple[TokenRow, ...], marked: Sequence[str]) -> list[dict[str, Any]]:
    line: list[dict[str, Any]] = []
    cursor: int | None = None
    for token in sentence:
        # Where the original is not known, tokens stand apart as they do in masked text.
        apart = token.start is None or cursor is None or token.start > cursor
        step = level(token.lambda_g)
        classes = [f"{'p' if step > 0 else 'n'}{abs(step)}"] if step else []
        classes += ["phrase"] if token.place in marked else []
        line.append(
            {
                "word": "¶" if token.is_end else token.original or token.masked,
                "place": token.place,
                "first": token.place in marked[:1],
                "classes": " ".join(classes),
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
    if number not in await looked(filed_runs, folder):
        raise NotThere(words.NO_RUN)
    if not wants_json(request):
        return see_other(
            "case", folder.name, "result", run=number, comparison=_asked(request, "comparison", 1), word=name
        )
    run = run_folder(folder, number)
    tokens = await looked(lambda: _reported_tokens(run, read_result(run)))
    return JSONResponse(_word(site, folder.name, number, tokens, request))


def _word(
    site: Site, name: str, number: int, scored_tokens: list[ScoredTokens], request: Request
) -> dict[str, Any] | None:
    """A token with its part of λG and, once they were looked up, the places where K and the reference have it."""
    word, comparison = request.query_params.get("word"), _asked(request, "comparison", 1)
    if word is None or not 1 <= comparison <= len(scored_tokens):
        return None
    scored = scored_tokens[comparison - 1]
    token = next((row for row in scored.tokens if row.place == word), None)
    if token is None:
        raise NotThere(words.NO_WORD)
    answer: dict[str, Any] = {
        "word": words.SENTENCE_END if token.is_end else token.original or token.masked,
        "scored": token.masked,
        "lambda_g": signed(token.lambda_g, digits=3),
        "side": words.SIDES[(token.lambda_g > 0) - (token.lambda_g < 0)],
        "context": words.known_context(token.context, is_end=token.is_end),
        "sentence": token.sentence,
        "pattern": "" if token.is_end else _pattern(scored, token),
        "places": None,
    }
    job = site.jobs.latest("words", name)
    if job is not None and job.state == "done" and job.tag == str(number) and scored.name in job.result:
        looked = job.result[scored.name]
        if word in looked["at"]:
            answer["places"] = looked["ngrams"][looked["at"][word]]
    return answer


def _pattern(scored: ScoredTokens, token: TokenRow) -> str:
    """A token with as much before it as K knows together with it, to be looked for in all texts."""
    first = token.position - max(token.context, 0)
    return " ".join(
        row.masked
        for row in scored.tokens
        if row.sentence == token.sentence and first <= row.position <= token.position and not row.is_end
    )


async def look_up(request: Request) -> Response:
    """Looks every word of a run up in K and the reference."""
    site, form = site_of(request), await posted(request)
    folder = site.folder(request)
    number = whole_number(form.get("run"))
    if number not in await looked(filed_runs, folder):
        raise NotThere(words.NO_RUN)
    if (await looked(site.previews.survey, await looked(read_draft, folder))).unasked:
        raise InputError(words.UNASKED)
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

    rows, state = await looked(_runs, folder)
    shown = await frame(site, await looked(read_draft, folder), "runs")
    sealed = await looked(seal_state, folder)
    return site.page(request, "runs.html", **shown, rows=rows, sealed=sealed, state=state)


def _runs(folder: Path) -> tuple[list[dict[str, Any]], TrailState]:
    """Every run, the last one first, and how the trail hangs together; what is damaged is named."""
    problems: list[str] = []
    rows: list[dict[str, Any]] = []
    before: dict[str, Any] | None = None
    try:
        kept = filed_runs(folder)
        for run in trail(folder):
            row: dict[str, Any] = {"run": run, "kept": run.number in kept, "comparisons": [], "differences": []}
            row["outcome"] = run.outcome
            rows.append(row)
            if row["kept"]:
                row["first"] = before is None
                try:
                    now = read_result(run_folder(folder, run.number))
                except IdiographError as error:
                    problems.append(str(error))
                    continue
                row["comparisons"] = now["comparisons"]
                row["outcome"] = outcome_of(run.outcome, now["comparisons"])
                row["differences"] = [] if before is None else differences(before, now)
                before = now
    except (IdiographError, OSError) as error:
        problems.append(str(error))
    try:
        state = trail_state(folder)
    except IdiographError as error:
        state = TrailState(0, (str(error),), "")
    return rows[::-1], replace(state, problems=tuple(dict.fromkeys((*problems, *state.problems))))


async def file(request: Request) -> Response:
    """A file of a case or a study, as it lies there; what a browser would run is cut off from our pages."""
    site = site_of(request)
    path = await looked(existing, site.folder(request), request.path_params["path"].split("/"))
    if not path.is_file() or path.name.startswith("."):
        raise NotThere(words.NO_FILE)
    kind = _SHOWN_IN_PLACE.get(path.suffix.lower())
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
    headers = {"content-disposition": f'attachment; filename="{re.sub(r"[^A-Za-z0-9._-]", "-", folder.name)}.zip"'}
    files = await looked(files_below, folder)
    return StreamingResponse(zipped(folder, files), media_type="application/zip", headers=headers)


def zipped(folder: Path, files: Sequence[Lying]) -> Iterator[bytes]:
    """An archive of files of a folder, piece by piece, so that no more than a file of it is in memory.

    What cannot be read by now is left out, and a file in the archive says so.
    """
    stream = _Pieces()
    left_out = []
    # A file may be dated before 1980, where archives begin.
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:  # type: ignore[call-overload]
        for file in files:
            name = visible(f"{folder.name}/{file.place}")
            try:
                if file.size > LARGEST_OUTPUT:
                    raise OSError
                archive.write(file.path, name)
            except OSError:
                left_out.append(name)
            yield stream.taken()
        if left_out:
            archive.writestr(f"{visible(folder.name)}/left-out.txt", words.LEFT_OUT.format("\n".join(left_out)))
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
        piece, self.held = bytes(self.held), bytearray()
        return piece


async def plan(request: Request) -> Response:
    """What is wrong or doubtful, and what the validation can be expected to give; made anew as texts come."""
    site = site_of(request)
    draft = await looked(read_draft, site.folder(request))
    survey = await looked(site.previews.survey, draft)
    job, tag = site.jobs.latest("plan", draft.folder.name), survey.mark
    at_work = site.jobs.under_way(draft.folder.name) is not None
    if (job is None or (job.ended and job.tag != tag)) and survey.roles and not survey.unasked and not at_work:
        job = _plan(site, draft, tag)
    shown = await frame(site, draft, "plan")
    return site.page(request, "plan.html", **shown, job=job, stale=job is not None and job.tag != tag)


def _plan(site: Site, draft: Draft, tag: str) -> Job:
    roles = {role.keys: str(role.path) for role in roles_of(draft)}
    questioned, known = ([keys for keys in roles if keys[0] == table] or [()] for table in ("questioned", "known"))
    pairs = {}
    for q, k in product(questioned, known):
        paths = {"questioned": roles.get(q), "known": roles.get(k), "reference": roles.get(("inputs", "reference"))}
        name = words.compared(*(keys[1] if keys else "" for keys in (q, k)))
        pairs[name] = {side: path for side, path in paths.items() if path is not None}
    options = {
        "pairs": pairs,
        "settings": dict(_for_a_plan(draft)),
        "folder": str(draft.folder),
        "case": str(draft.path) if draft.settings is not None else None,
    }
    return site.jobs.start("plan", draft.folder.name, options, tag=tag)


async def run(request: Request) -> Response:
    """How far the run is, or what there is to start."""
    site = site_of(request)
    draft = await looked(read_draft, site.folder(request))
    job = site.jobs.latest("run", draft.folder.name)
    before = len(await looked(trail, draft.folder))
    at_work = job is not None and not job.ended
    if not at_work:
        await previewed(site, draft)
    shown = await frame(site, draft, "run")
    if at_work and job is not None and job.ended:
        return await run(request)  # it ended meanwhile: the steps above it must not lag behind
    return site.page(request, "run.html", **shown, job=job, before=before)


async def start(request: Request) -> Response:
    """Starts a plan, a run, a replay, a seal or a look at one, or renders a report again."""
    site, form = site_of(request), await posted(request)
    folder, what = site.folder(request), form.get("what")
    draft = await looked(read_draft, folder)
    if what == "replay":
        number = whole_number(form.get("run"))
        if number not in await looked(filed_runs, folder):
            raise NotThere(words.NO_RUN)
        manifest = run_folder(folder, number) / MANIFEST
        job = site.jobs.start("replay", folder.name, {"manifest": str(manifest)}, tag=str(number))
        return see_other("job", job.id)
    if what in ("seal", "check seal", "amend"):
        site.idle_folder(request)
        job = site.jobs.start(what, folder.name, {"folder": str(folder)})
        return see_other("job", job.id)
    survey = await looked(site.previews.survey, draft)
    if survey.unasked:
        raise InputError(words.UNASKED)
    if what == "plan":
        _plan(site, draft, survey.mark)
        return see_other("case", folder.name, "plan")
    if draft.settings is None:
        raise InputError(words.NEEDS_CASE.format(draft.problem))
    if what not in ("run", "quick"):
        raise InputError(words.NOT_A_FORM)
    if site.jobs.under_way(folder.name) is None:
        options = {"case": str(draft.path), "folder": str(folder), "quick": what == "quick"}
        site.jobs.start("run", folder.name, options, queued=True)
    return see_other("case", folder.name, "run")


def _for_a_plan(draft: Draft) -> Iterator[tuple[str, Any]]:
    """The settings of the case that a plan has too; a choice that it does not know is its own."""
    texts = draft.held(("texts",))
    held = {**draft.content, **(texts if isinstance(texts, dict) else {})}
    for setting in settings_of(PlanRequest):
        value = held.get(setting.key)
        if value is None or setting.key in SIDES or (setting.known and value not in setting.known):
            continue
        is_file = setting.key == "recipe" and isinstance(value, str) and is_recipe_file(value)
        yield setting.key, str(draft.folder / value) if is_file else value


def job_of(request: Request) -> Job:
    """The piece of work that an address names."""
    job = site_of(request).jobs.known.get(request.path_params["id"])
    if job is None:
        raise NotThere(words.NO_JOB)
    return job


async def job(request: Request) -> Response:
    """A piece of work that has a page of its own: a replay, a seal or a look at one."""
    site, work = site_of(request), job_of(request)
    draft = await looked(read_draft, child(site.root, work.folder))
    sealed = await looked(seal_state, draft.folder)
    return site.page(request, "job.html", **await frame(site, draft, "runs"), job=work, sealed=sealed)


async def stop(request: Request) -> Response:
    site, form = site_of(request), await posted(request)
    job = job_of(request)
    await site.jobs.stop(job)
    back = form.get("back")
    return see_other("case" if back == "case" else "study", job.folder, "run")


async def events(request: Request) -> Response:
    """How far a piece of work is, sent as it changes."""
    site = site_of(request)
    return StreamingResponse(site.jobs.events(job_of(request)), media_type="text/event-stream")
