"""The pages that show work under way: the plan, the run, a replay, a seal; each can be watched, left and stopped."""

from collections.abc import Iterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from idiograph.casework.case import is_recipe_file
from idiograph.casework.case_folder import MANIFEST, filed_runs, run_folder
from idiograph.casework.plan_request import SIDES, PlanRequest
from idiograph.errors import InputError
from idiograph.pages import words
from idiograph.pages.case_pages import frame
from idiograph.pages.drafts import Draft, read_draft
from idiograph.pages.jobs import Job
from idiograph.pages.places import NotThere
from idiograph.pages.preview import roles_of, state_of
from idiograph.pages.runs import trail
from idiograph.pages.site import Site, posted, see_other, site_of, whole_number
from idiograph.settings.setting import settings_of


async def plan(request: Request) -> Response:
    """What is wrong or doubtful, and what the validation can be expected to give; made anew as texts come."""
    site = site_of(request)
    draft = read_draft(site.folder(request))
    job, tag = site.jobs.latest("plan", draft.folder.name), await run_in_threadpool(state_of, draft)
    at_work = site.jobs.under_way(draft.folder.name) is not None
    if (job is None or (job.ended and job.tag != tag)) and roles_of(draft) and not at_work:
        job = _plan(site, draft, tag)
    return site.page(request, "plan.html", **frame(draft, "plan"), job=job, stale=job is not None and job.tag != tag)


def _plan(site: Site, draft: Draft, tag: str) -> Job:
    roles = {role.keys: str(role.path) for role in roles_of(draft)}
    questioned, known = ([keys for keys in roles if keys[0] == table] or [()] for table in ("questioned", "known"))
    pairs = [
        {
            "name": words.compared(*(keys[1] if keys else "" for keys in (q, k))),
            "questioned": roles.get(q),
            "known": roles.get(k),
            "reference": roles.get(("inputs", "reference")),
        }
        for q in questioned
        for k in known
    ]
    options = {
        "pairs": pairs,
        "settings": dict(_for_a_plan(draft)),
        "folder": str(draft.folder),
        "case": str(draft.folder / draft.kind.file) if draft.settings is not None else None,
    }
    return site.jobs.start("plan", draft.folder.name, options, tag=tag)


async def run(request: Request) -> Response:
    """How far the run is, or what there is to start."""
    site = site_of(request)
    draft = read_draft(site.folder(request))
    job = site.jobs.latest("run", draft.folder.name)
    before = len(await run_in_threadpool(trail, draft.folder))
    return site.page(request, "run.html", **frame(draft, "run"), job=job, before=before)


async def start(request: Request) -> Response:
    """Starts a plan, a run, a replay, a seal or a look at one."""
    site, form = site_of(request), await posted(request)
    folder, what = site.folder(request), form.get("what")
    draft = read_draft(folder)
    if what == "replay":
        number = whole_number(form.get("run"))
        if number not in filed_runs(folder):
            raise NotThere(words.NO_RUN)
        manifest = run_folder(folder, number) / MANIFEST
        job = site.jobs.start("replay", folder.name, {"manifest": str(manifest)}, tag=str(number))
        return see_other("job", job.id)
    if what in ("seal", "check seal"):
        site.idle_folder(request)
        job = site.jobs.start(what, folder.name, {"folder": str(folder)})
        return see_other("job", job.id)
    if what == "plan":
        _plan(site, draft, await run_in_threadpool(state_of, draft))
        return see_other("case", folder.name, "plan")
    if draft.settings is None:
        raise InputError(words.NEEDS_CASE.format(draft.problem))
    if what not in ("run", "quick"):
        raise InputError(words.NOT_A_FORM)
    if site.jobs.under_way(folder.name) is None:
        options = {"case": str(folder / draft.kind.file), "folder": str(folder), "quick": what == "quick"}
        site.jobs.start("run", folder.name, options, queued=True)
    return see_other("case", folder.name, "run")


def _for_a_plan(draft: Draft) -> Iterator[tuple[str, Any]]:
    """The settings of the case that a plan has too; a choice that it does not know is its own."""
    held = {**draft.content, **(draft.held(("texts",)) or {})}
    for one in settings_of(PlanRequest):
        value = held.get(one.key)
        if value is None or one.key in SIDES or (one.known and value not in one.known):
            continue
        yield one.key, str(draft.folder / value) if one.key == "recipe" and is_recipe_file(value) else value


def job_of(request: Request) -> Job:
    """The piece of work that an address names."""
    found = site_of(request).jobs.known.get(request.path_params["id"])
    if found is None:
        raise NotThere(words.NO_JOB)
    return found


async def job(request: Request) -> Response:
    """A piece of work that has a page of its own: a replay, a seal or a look at one."""
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
