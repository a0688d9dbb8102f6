"""The pages that show work under way: the check, the run, a replay; each can be watched, left and stopped."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from idiograph.casework.case_folder import MANIFEST, run_folder
from idiograph.errors import InputError
from idiograph.pages import words
from idiograph.pages.case_pages import frame
from idiograph.pages.drafts import Draft, read_draft
from idiograph.pages.jobs import Job
from idiograph.pages.places import NotThere
from idiograph.pages.runs import filed_runs, trail
from idiograph.pages.site import posted, see_other, site_of


async def plan(request: Request) -> Response:
    """What is wrong or doubtful, and what the validation can be expected to give."""
    site = site_of(request)
    draft = read_draft(site.folder(request))
    job = site.jobs.latest("check", draft.folder.name)
    stale = job is not None and job.tag != draft.version
    return site.page(request, "plan.html", **frame(draft, "plan"), job=job, stale=stale)


async def run(request: Request) -> Response:
    """How far the run is, or what there is to start."""
    site = site_of(request)
    draft = read_draft(site.folder(request))
    job = site.jobs.latest("run", draft.folder.name)
    if job is not None and job.state == "done":
        filed = await run_in_threadpool(filed_runs, draft.folder)
        return site.page(request, "run.html", **frame(draft, "run"), job=job, filed=filed, before=_before(draft))
    filed = await run_in_threadpool(filed_runs, draft.folder)
    return site.page(request, "run.html", **frame(draft, "run"), job=job, filed=filed, before=_before(draft))


def _before(draft: Draft) -> int:
    return len(trail(draft.folder))


async def start(request: Request) -> Response:
    """Starts a check, a run or a replay."""
    site, form = site_of(request), await posted(request)
    folder, what = site.folder(request), form.get("what")
    draft = read_draft(folder)
    if what == "replay":
        number = _number(form.get("run"))
        if number not in filed_runs(folder):
            raise NotThere(words.NO_RUN)
        manifest = run_folder(folder, number) / MANIFEST
        job = site.jobs.start("replay", folder.name, {"manifest": str(manifest)}, tag=str(number))
        return see_other("job", job.id)
    if draft.settings is None:
        raise InputError(words.NEEDS_CASE.format(draft.problem))
    file = str(folder / draft.kind.file)
    if what == "check":
        site.jobs.start("check", folder.name, {"case": file}, tag=draft.version)
        return see_other("case", folder.name, "plan")
    if what not in ("run", "quick"):
        raise InputError(words.NOT_A_FORM)
    if site.jobs.under_way(folder.name) is None:
        options = {"case": file, "folder": str(folder), "quick": what == "quick"}
        site.jobs.start("run", folder.name, options, queued=True)
    return see_other("case", folder.name, "run")


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 0


def job_of(request: Request) -> Job:
    """The piece of work that an address names."""
    found = site_of(request).jobs.known.get(request.path_params["id"])
    if found is None:
        raise NotThere(words.NO_JOB)
    return found


async def job(request: Request) -> Response:
    """A piece of work that has a page of its own: a replay."""
    return site_of(request).page(request, "job.html", job=job_of(request))


async def stop(request: Request) -> Response:
    """Stops a piece of work."""
    site, form = site_of(request), await posted(request)
    found = job_of(request)
    await site.jobs.stop(found)
    back = form.get("back")
    return see_other("case" if back == "case" else "study", found.place, "run")


async def events(request: Request) -> Response:
    """How far a piece of work is, sent as it changes."""
    site = site_of(request)
    return StreamingResponse(site.jobs.events(job_of(request)), media_type="text/event-stream")
