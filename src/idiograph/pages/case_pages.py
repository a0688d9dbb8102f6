"""The pages on which a case is found, begun and described."""

from collections.abc import Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idiograph.casework.case import Case
from idiograph.pages import words
from idiograph.pages.cases import shown_case, shown_cases
from idiograph.pages.drafts import ChangedElsewhere, Draft, Keys, change, new_draft, read_draft
from idiograph.pages.forms import FieldGroup, FormField, errors, file_fields, groups, typed
from idiograph.pages.glossary import GLOSSARY, anchor
from idiograph.pages.preview import missing
from idiograph.pages.site import Posted, Site, address, posted, see_other, site_of, wants_json
from idiograph.settings.setting import Setting

STEPS = ("texts", "question", "preparation", "method", "particulars", "plan", "run", "result", "runs")
_FILLED_IN = ("question", "method", "particulars")  # steps that are nothing but a form


def step_of(keys: Keys, one: Setting) -> str:
    """The step on which a setting is asked for; whatever the case file may come to hold is found somewhere."""
    table = keys[0] if len(keys) > 1 else ""
    if keys[-1] in ("title", "population") or table == "propositions":
        return "question"
    if table == "reading":
        return "texts"
    if keys == ("texts", "recipe"):
        return "preparation"
    return "method" if table in ("", "method", "texts") else "particulars"


def fields_of(draft: Draft, step: str) -> tuple[FieldGroup, ...]:
    """The fields of a step."""
    return groups(Case, draft, lambda keys, one: step_of(keys, one) == step)


def given_files(draft: Draft, step: str) -> tuple[FormField, ...]:
    """The settings of a step that are files, such as a table of metadata; the reference is a part of its own."""
    return file_fields(Case, draft, lambda keys, one: keys[0] != "inputs" and step_of(keys, one) == step)


async def cases(request: Request) -> Response:
    """The first page: all cases."""
    site = site_of(request)
    found = await run_in_threadpool(shown_cases, site.root, site.at_work())
    return site.page(request, "cases.html", cases=found)


async def new_case(request: Request) -> Response:
    """Begins a case."""
    site, form = site_of(request), await posted(request)
    title = form.get("title").strip()
    folder = await run_in_threadpool(lambda: new_draft(site.root, title, title=title))
    return see_other("case", folder.name, "texts")


async def case(request: Request) -> Response:
    """Leads to where a case stands: its result if there is one, else its texts."""
    site = site_of(request)
    folder = site.folder(request)
    if site.jobs.under_way(folder.name) is not None:
        return see_other("case", folder.name, "run")
    shown = await run_in_threadpool(shown_case, folder, None)
    return see_other("case", folder.name, "result" if shown.has_result else "texts")


async def described(request: Request) -> Response:
    """A step that is filled in."""
    site, step = site_of(request), request.path_params["step"]
    if step not in _FILLED_IN:
        return site.page(request, "message.html", 404, message=words.NO_PAGE)
    return form_page(site, request, read_draft(site.folder(request)), step)


def form_page(
    site: Site,
    request: Request,
    draft: Draft,
    step: str,
    *,
    status: int = 200,
    said: str = "",
    kept: Posted | None = None,
) -> Response:
    """The form of a step; `kept` is what was typed and not saved."""
    return site.page(
        request, "settings.html", status, **frame(draft, step), groups=fields_of(draft, step), said=said,
        kept=kept.last if kept else {}, several=kept.values if kept else {}, given=given_files(draft, step),
        action=address("case", draft.folder.name, "settings", step),
    )  # fmt: skip


def frame(draft: Draft, step: str) -> dict[str, Any]:
    """What all pages of a case show: its title, its steps, what it still lacks."""
    return {
        "name": draft.folder.name,
        "title": draft.title,
        "step": step,
        "steps": STEPS,
        "draft": draft,
        "lacks": [*missing(draft), *([] if missing(draft) or not draft.problem else [draft.problem])],
    }


async def save(request: Request) -> Response:
    """Saves what was typed on a step: one field at a time for our script, the whole form without it."""
    site, form = site_of(request), await posted(request)
    folder, step = site.idle_folder(request), request.path_params["step"]
    draft = read_draft(folder)
    changes = typed(fields_of(draft, step), form.last, form.values)
    by_script = wants_json(request)
    try:
        # A single field of our script is saved whatever else has changed; a whole form is not.
        version = None if by_script else form.get("version")
        after = await run_in_threadpool(lambda: change(folder, changes, version=version))
    except ChangedElsewhere as error:
        return form_page(site, request, read_draft(folder), step, status=409, said=str(error), kept=form)
    if by_script:
        return saved(after, fields_of(after, step))
    onward = {"preparation": "preparation", "texts": "texts"}.get(step) or STEPS[STEPS.index(step) + 1]
    return see_other("case", folder.name, step if errors(fields_of(after, step)) else onward)


def saved(draft: Draft, fields: Sequence[FieldGroup]) -> Response:
    """What our script hears of what it sent: the state of the file, and what is wrong with which field."""
    return JSONResponse({"version": draft.version, "problem": draft.problem, "errors": errors(fields)})


async def glossary(request: Request) -> Response:
    """The words of the trade."""
    entries = [(anchor(name), name, GLOSSARY[name]) for name in sorted(GLOSSARY, key=str.casefold)]
    return site_of(request).page(request, "glossary.html", entries=entries)


async def window(request: Request) -> Response:
    """An address for another browser, good once."""
    site = site_of(request)
    await posted(request)
    return site.page(request, "window.html", new_address=site.door.address())


async def shut(request: Request) -> Response:
    """Stops the server."""
    site = site_of(request)
    await posted(request)
    site.stop()
    return site.page(request, "message.html", message=words.SHUT)
