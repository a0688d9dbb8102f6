"""The page on which the texts of a case are looked at as they are: a concordance and a map of all of them."""

from starlette.requests import Request
from starlette.responses import Response

from idiograph.errors import InputError
from idiograph.pages import words
from idiograph.pages.case_pages import frame, waited
from idiograph.pages.drafts import Draft, read_draft
from idiograph.pages.guard import DOCUMENT
from idiograph.pages.jobs import Job
from idiograph.pages.site import Site, looked, site_of, whole_number
from idiograph.pages.uploads import NotThere


async def look(request: Request) -> Response:
    """What was looked for, with counts and rates by side and author, and the maps once they are asked for."""
    site = site_of(request)
    draft = await looked(read_draft, site.folder(request))
    query, masked = request.query_params.get("words", "").strip(), "masked" in request.query_params
    found = drawn = None
    if draft.settings is not None:
        survey = await looked(site.previews.survey, draft)
        if survey.unasked:
            raise InputError(words.UNASKED)
        tag, file = survey.mark, str(draft.folder / draft.kind.file)
        if query:
            options = {"case": file, "query": query[:200], "masked": masked}
            found = await _made(site, "concordance", draft, options, tag)
        drawn = site.jobs.latest("map", draft.folder.name)
        if "map" in request.query_params or (drawn is not None and drawn.tag == tag):
            drawn = await _made(site, "map", draft, {"case": file}, tag)
        elif drawn is not None:
            drawn = None  # of other texts
    return site.page(
        request, "look.html", **await frame(site, draft, "look"), query=query, masked=masked, found=found, drawn=drawn
    )


async def _made(site: Site, kind: str, draft: Draft, options: dict[str, object], tag: str) -> Job:
    """A piece of work, begun unless it was done for these very texts."""
    job = site.jobs.latest(kind, draft.folder.name)
    if job is None or (job.options, job.tag) != (options, tag):
        job = site.jobs.start(kind, draft.folder.name, options, tag=tag)
    await waited(job)
    return job


async def picture(request: Request) -> Response:
    site = site_of(request)
    job = site.jobs.latest("map", site.folder(request).name)
    number = whole_number(request.path_params["number"])
    if job is None or job.state != "done" or not 1 <= number <= len(job.result):
        raise NotThere(words.NO_FILE)
    headers = {"content-security-policy": DOCUMENT}
    return Response(job.result[number - 1]["svg"], media_type="image/svg+xml", headers=headers)
