"""The pages on which a case is found, begun and described, and its texts are given, looked at and prepared."""

import asyncio
import contextlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idiograph.casework.case import Case
from idiograph.casework.demonstration import AUTHOR, OTHER, POPULATION, has_speeches, write_texts
from idiograph.errors import InputError
from idiograph.output.glossary import ON_PAGES
from idiograph.pages import words
from idiograph.pages.cases import shown_case, shown_cases
from idiograph.pages.controls import by_controls, step_of
from idiograph.pages.drafts import (
    CASE,
    TEXTS,
    ChangedElsewhere,
    Draft,
    Keys,
    add_files,
    change,
    new_draft,
    put_case_back,
    put_texts_back,
    read_draft,
    remove_case,
    remove_texts,
    removed_cases,
    removed_texts,
    rename_role,
)
from idiograph.pages.forms import FieldGroup, FormField, errors, file_fields, groups, typed
from idiograph.pages.guard import DOCUMENT
from idiograph.pages.jobs import Job
from idiograph.pages.previews import (
    MOST_ROWS,
    TABLE,
    Survey,
    doubts,
    keep_table,
    missing,
    proposal,
    separate,
    table_rows,
    table_text,
    unreadable,
)
from idiograph.pages.site import (
    Posted,
    Site,
    address,
    looked,
    posted,
    see_other,
    site_of,
    uploaded,
    wants_json,
    whole_number,
)
from idiograph.pages.told import changes_since
from idiograph.pages.uploads import Arrived, NotThere, Received
from idiograph.pages.words import anchor
from idiograph.settings import Setting
from idiograph.texts.reading.file_kinds import families, is_table, kind_of

STEPS = ("texts", "question", "preparation", "method", "particulars", "plan", "run", "result", "runs")
_FILLED_IN = ("question", "method", "particulars")  # steps that are nothing but a form
_OPTIONAL = ("preparation", "method", "particulars")


def fields_of(draft: Draft, step: str) -> tuple[FieldGroup, ...]:

    def shown(keys: Keys, _: Setting) -> bool:
        # Methods to choose among stand only in cases of before 0.4.
        return step_of(keys) == step and (keys[-1] != "candidates" or bool(draft.held(keys)))

    return groups(Case, draft, shown)


def given_files(draft: Draft, step: str) -> tuple[FormField, ...]:
    """The settings of a step that are files, such as a table of metadata; the reference is a part of its own."""
    return file_fields(Case, draft, lambda keys, _: keys[0] != "inputs" and step_of(keys) == step)


async def cases(request: Request) -> Response:
    """The first page: all cases."""
    site = site_of(request)
    order = request.query_params.get("order", "")
    listed = await looked(shown_cases, site.root, site.at_work(), order)
    return site.page(
        request, "cases.html", cases=listed, order=order if order in words.ORDERS else "name",
        removed=await looked(removed_cases, site.root), has_example=has_speeches(),
    )  # fmt: skip


async def bin_case(request: Request) -> Response:
    """Moves a case into the bin."""
    site = site_of(request)
    await posted(request)
    await looked(remove_case, site.root, site.idle_folder(request))
    return see_other("")


async def put_back(request: Request) -> Response:
    """Takes a case out of the bin, or removed files of a case."""
    site, form = site_of(request), await posted(request)
    if "name" not in request.path_params:
        return see_other("case", await looked(put_case_back, site.root, form.get("case")))
    folder = site.idle_folder(request)
    await looked(put_texts_back, folder, form.get("removed"))
    return see_other("case", folder.name, "texts")


async def example(request: Request) -> Response:
    """A case to try everything on, complete but for its run."""
    site = site_of(request)
    await posted(request)
    return see_other("case", (await looked(_example, site.root)).name, "texts")


def _example(root: Path) -> Path:
    folder = new_draft(root, words.EXAMPLE, title=words.EXAMPLE)
    write_texts(folder / TEXTS)
    parts = {("questioned", "Q1"): "questioned", ("known", AUTHOR): AUTHOR, ("known", OTHER): OTHER}
    texts: dict[Keys, Any] = {keys: f"{TEXTS}/{relative}" for keys, relative in parts.items()}
    change(folder, {**texts, ("inputs", "reference"): f"{TEXTS}/reference", ("population",): POPULATION})
    return folder


async def new_case(request: Request) -> Response:
    site, form = site_of(request), await posted(request)
    title = form.get("title").strip()
    folder = await looked(lambda: new_draft(site.root, title, title=title))
    return see_other("case", folder.name, "texts")


async def case(request: Request) -> Response:
    """Leads to where a case stands: its result if there is one, else its texts."""
    site = site_of(request)
    folder = site.folder(request)
    if site.jobs.under_way(folder.name) is not None:
        return see_other("case", folder.name, "run")
    shown = await looked(shown_case, folder, None)
    return see_other("case", folder.name, "result" if shown.has_result else "texts")


async def described(request: Request) -> Response:
    """A step that is filled in."""
    site, step = site_of(request), request.path_params["step"]
    if step not in _FILLED_IN:
        return site.page(request, "message.html", 404, message=words.NO_PAGE)
    return await form_page(site, request, await looked(read_draft, site.folder(request)), step)


async def form_page(
    site: Site,
    request: Request,
    draft: Draft,
    step: str,
    *,
    status: int = 200,
    message: str = "",
    kept: Posted | None = None,
) -> Response:
    """The form of a step; `kept` is what was typed and not saved."""
    return site.page(
        request, "settings.html", status, **await frame(site, draft, step), groups=fields_of(draft, step),
        message=message, kept=kept.last if kept else {}, several=kept.values if kept else {},
        given=given_files(draft, step), action=address("case", draft.folder.name, "settings", step),
    )  # fmt: skip


async def frame(site: Site, draft: Draft, step: str) -> dict[str, Any]:
    """What all pages of a case show: title, steps with their state, what it still lacks."""
    return {
        "name": draft.folder.name,
        "title": draft.title,
        "step": step,
        "draft": draft,
        **await looked(_standing, site, draft),
    }


def _standing(site: Site, draft: Draft) -> dict[str, Any]:
    """How far a case is: the state of each step, and what must be done before it can be run."""
    survey = site.previews.survey(draft)
    missing_texts, cannot_read = missing(draft), unreadable(draft, site.previews.of(survey))
    lacks = [*missing_texts, *cannot_read, *([] if missing_texts or not draft.problem else [draft.problem])]
    if not missing_texts and not draft.held(("population",)):
        lacks = [*cannot_read, words.NO_POPULATION]
    if not draft.version:  # of a file that cannot be read it is not known what it lacks
        lacks = [draft.problem]
    states = {"texts": "problem" if cannot_read else "todo" if missing_texts else "done"}
    for step in ("question", *_OPTIONAL):
        fields = [field for group in fields_of(draft, step) for field in group.fields]
        states[step] = "done" if any(field.changed for field in fields) else "usual"
        if any(field.error for field in fields):
            states[step] = "problem"
    if not draft.held(("population",)):
        states["question"] = "todo"
    if not draft.version:
        states |= dict.fromkeys(("texts", "question"), "problem")
    states |= {"plan": _plan_state(site, survey), **_run_states(site, draft)}
    if (states["plan"], states["run"]) == ("todo", "done"):
        states["plan"] = "usual"  # the run has checked the texts
    steps = {step: (states[step], words.STEP_STATES[states[step]]) for step in STEPS}
    return {"steps": steps, "lacks": [by_controls(lacking) for lacking in lacks]}


def _plan_state(site: Site, survey: Survey) -> str:
    job = site.jobs.latest("plan", survey.draft.folder.name)
    if job is not None and not job.ended:
        return "work"
    if job is None or job.tag != survey.mark:
        return "todo"
    if job.state != "done":
        return "problem"
    severities = [entry["severity"] for each in job.result["audits"] for entry in each["audit"]]
    return "problem" if "red" in severities else "done"


def _run_states(site: Site, draft: Draft) -> dict[str, str]:
    """The states of run, result and runs; a case that has changed since is to be run again."""
    shown = shown_case(draft.folder, site.at_work().get(draft.folder.name))
    begun = shown.has_result or shown.state not in ("draft", "queued", "running", "damaged")
    run = "done" if begun else "todo"
    if shown.state in ("failed", "interrupted", "unfinished", "damaged"):
        run = "problem"
    if shown.state in ("queued", "running"):
        run = "work"
    elif run == "done" and shown.has_result and changes_since(draft, shown.last).said:
        run = "todo"
    doubtful = shown.state in ("refused", "partly") or shown.quick or bool(shown.red)
    result = "todo" if not shown.has_result else "problem" if doubtful else "done"
    runs = "usual" if not begun else "problem" if shown.seal == words.SEAL_BROKEN else "done"
    return {"run": run, "result": result, "runs": runs}


async def save(request: Request) -> Response:
    """Saves what was typed on a step: one field at a time for our script, the whole form without it."""
    site, form = site_of(request), await posted(request)
    folder, step = site.idle_folder(request), request.path_params["step"]
    draft = await looked(read_draft, folder)
    changes = typed(fields_of(draft, step), form.last, form.values)
    by_script = wants_json(request)
    try:
        # A single field of our script is saved whatever else has changed; a whole form is not.
        version = None if by_script else form.get("version")
        after = await looked(lambda: change(folder, changes, version=version))
    except ChangedElsewhere as error:
        draft = await looked(read_draft, folder)
        return await form_page(site, request, draft, step, status=409, message=str(error), kept=form)
    if by_script:
        return saved(after, fields_of(after, step))
    onward = {"preparation": "preparation", "texts": "texts"}.get(step) or STEPS[STEPS.index(step) + 1]
    return see_other("case", folder.name, step if errors(fields_of(after, step)) else onward)


def saved(draft: Draft, fields: Sequence[FieldGroup]) -> Response:
    """What our script hears of what it sent: the state of the file, and what is wrong with which field."""
    wrong = {field: by_controls(sentence) for field, sentence in errors(fields).items()}
    return JSONResponse({"version": draft.version, "problem": by_controls(draft.problem), "errors": wrong})


async def glossary(request: Request) -> Response:
    entries = [(anchor(name), name, ON_PAGES[name]) for name in sorted(ON_PAGES, key=str.casefold)]
    return site_of(request).page(request, "glossary.html", entries=entries)


async def window(request: Request) -> Response:
    """An address for another browser, good once."""
    site = site_of(request)
    await posted(request)
    return site.page(request, "window.html", new_address=site.door.address())


async def shut(request: Request) -> Response:
    site = site_of(request)
    await posted(request)
    site.stop()
    return site.page(request, "message.html", message=words.SHUT)


_LONGEST_LINE = 100_000  # bytes of the first line of a table
_SHOWN = 60  # texts of a part that the page lists
_IMPATIENCE = 4.0  # seconds that a page waits for a preview before it shows how far the reading is


async def texts(request: Request) -> Response:
    """Which texts the case has, and what was read of them."""
    site = site_of(request)
    draft = await looked(read_draft, site.folder(request))
    survey, read, job = await previewed(site, draft)
    return site.page(
        request, "texts.html", **await frame(site, draft, "texts"), roles=survey.roles, read=read, shown=_SHOWN,
        doubts=doubts(draft, read), job=job, next_label=_next_label(draft), groups=fields_of(draft, "texts"),
        files={role.name: survey.files[role.name] for role in survey.roles if role.held}, unasked=survey.unasked,
        given=given_files(draft, "texts"), kinds=families(), **_works(draft, read),
        removed=await looked(removed_texts, draft.folder),
    )  # fmt: skip


async def previewed(site: Site, draft: Draft) -> tuple[Survey, Mapping[str, dict[str, Any]], Job | None]:
    """What lies there, what was read of the texts, and the reading if it is still under way."""
    survey = await looked(site.previews.survey, draft)
    job = site.previews.look(site.jobs, survey)
    if job is not None:
        await waited(job)
        job = site.previews.look(site.jobs, survey)
    return survey, site.previews.of(survey), job


async def read_outside(request: Request) -> Response:
    """Lets what the case names outside its folder be read, which the page of the texts has shown."""
    site, form = site_of(request), await posted(request)
    draft = await looked(read_draft, site.folder(request))
    if form.get("version") != draft.version:
        raise ChangedElsewhere(words.ELSEWHERE)
    site.previews.allow(draft)
    return see_other("case", draft.folder.name, "texts")


def _works(draft: Draft, read: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """What the page shows of works, dates and topics: the table, and for each part whether its files are works."""
    table = table_rows(draft, read)
    parts = {row.role: row.side for row in table}
    named = {row.role for row in table if row.work}
    asked = [(role, side, separate(table, role), role in named, proposal(table, role)) for role, side in parts.items()]
    return {"works": list(enumerate(table)) if len(table) <= MOST_ROWS else [], "n_works": len(table), "asked": asked}


async def works_table(request: Request) -> Response:
    """The table of the texts as a file, filled in with what file names and dates suggest."""
    site = site_of(request)
    draft = await looked(read_draft, site.folder(request))
    _, read, _ = await previewed(site, draft)
    headers = {"content-disposition": f'attachment; filename="{TABLE}"'}
    filled_in = table_text(table_rows(draft, read), proposed=True)
    return Response(filled_in, media_type="text/csv; charset=utf-8", headers=headers)


async def keep_works(request: Request) -> Response:
    """Keeps which work each text belongs to, when it was written and about what."""
    site, form = site_of(request), await posted(request)
    draft = await looked(read_draft, site.idle_folder(request))
    _, read, job = await previewed(site, draft)
    if job is not None:
        raise InputError(words.STILL_READING)
    await looked(keep_table, draft, table_rows(draft, read), form.last)
    return see_other("case", draft.folder.name, "texts")


async def waited(job: Job) -> None:
    """Waits for a piece of work, but no longer than a reader would."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(job.over.wait(), _IMPATIENCE)


def _next_label(draft: Draft) -> str:
    numbers = [int(label[1:]) for label in draft.names("questioned") if re.fullmatch(r"Q[0-9]{1,6}", label)]
    return f"Q{max(numbers, default=0) + 1}"


async def upload(request: Request) -> Response:
    """Keeps files for a part of the case."""
    site = site_of(request)
    folder = site.idle_folder(request)

    def keep_files(received: Received) -> None:
        part = received.fields.get("part", "")
        keys = _keys(part, received.fields.get("name", ""))
        alone = part in ("file", "recipe")
        files = received.without_common_folder(keep_authors=keys == ("inputs", "reference"))
        if alone and len(files) != 1:
            raise InputError(words.ONE_FILE)
        if keys == ("texts", "recipe") and not files[0].parts[-1].endswith(".toml"):
            raise InputError(words.OWN_RECIPE)
        if keys == ("reading", "metadata") and not _is_table(files[0]):
            raise InputError(words.NO_TABLE.format(files[0].parts[-1]))
        add_files(folder, keys, files, alone=alone)

    await uploaded(request, keep_files)
    if wants_json(request):
        return JSONResponse({"kept": True})
    return see_other("case", folder.name, "texts")


def _is_table(file: Arrived) -> bool:
    """Whether a file can be a table of the texts: by its name, and by a column that names them."""
    with file.path.open("rb") as opened:
        first = opened.readline(_LONGEST_LINE).decode("utf-8", "replace")
    return is_table(kind_of(file.parts[-1])) and re.search(r"\b(file|id)\b", first) is not None


def _keys(part: str, name: str) -> Keys:
    """Where a part of the case stands in its file."""
    if part == "reference":
        return ("inputs", "reference")
    if part == "recipe":
        return ("texts", part)
    if part == "file":
        nothing = Draft(Path(), CASE, {}, "", None, "")
        known = {field.name: field.keys for step in STEPS for field in given_files(nothing, step)}
        if name not in known:
            raise InputError(words.NOT_A_FORM)
        return known[name]
    if part not in ("questioned", "known"):
        raise InputError(words.NOT_A_FORM)
    if not name.strip():
        raise InputError(words.NAMELESS)
    return (part, name.strip()[:200])


async def remove(request: Request) -> Response:
    """Takes a file, or a whole part, out of the case."""
    site, form = site_of(request), await posted(request)
    folder, keys = site.idle_folder(request), _keys(form.get("part"), form.get("name"))
    await looked(remove_texts, folder, keys, form.last.get("file"))
    return see_other("case", folder.name, "texts")


async def rename(request: Request) -> Response:
    """Gives a questioned text or a candidate another name."""
    site, form = site_of(request), await posted(request)
    folder, keys = site.idle_folder(request), _keys(form.get("part"), form.get("name"))
    await looked(rename_role, folder, keys, form.get("new"))
    return see_other("case", folder.name, "texts")


async def preparation(request: Request) -> Response:
    """The recipe, and what it would change."""
    from idiograph.texts.preparing.recipes import find_recipe, recipe_names

    site = site_of(request)
    draft = await looked(read_draft, site.folder(request))
    survey = await looked(site.previews.survey, draft)
    chosen = draft.held(("texts", "recipe"))
    known = [(name, find_recipe(name).about) for name in recipe_names()]
    job = None
    if chosen and draft.settings is not None and not survey.unasked:
        job = await _made(
            site, "recipe", draft, {"case": str(draft.path), "recipe": draft.settings.recipe}, survey.mark
        )
    return site.page(
        request,
        "preparation.html",
        **await frame(site, draft, "preparation"),
        recipes=known,
        chosen=chosen or "",
        job=job,
    )


async def choose_recipe(request: Request) -> Response:
    """Sets the recipe: one of Idiograph's by name, the user's own file that lies in the case, or none."""
    from idiograph.texts.preparing.recipes import recipe_names

    site, form = site_of(request), await posted(request)
    folder, wanted = site.idle_folder(request), form.get("recipe")
    if wanted not in ("", *recipe_names(), (await looked(read_draft, folder)).held(("texts", "recipe"))):
        raise InputError(words.OWN_RECIPE)
    await looked(lambda: change(folder, {("texts", "recipe"): wanted or None}))
    return see_other("case", folder.name, "preparation")


async def look(request: Request) -> Response:
    """What was looked for, with counts and rates by side and author, and the maps once they are asked for."""
    site = site_of(request)
    draft = await looked(read_draft, site.folder(request))
    query, masked = request.query_params.get("words", "").strip(), "masked" in request.query_params
    concordance = drawn = None
    if draft.settings is not None:
        survey = await looked(site.previews.survey, draft)
        if survey.unasked:
            raise InputError(words.UNASKED)
        tag, file = survey.mark, str(draft.path)
        if query:
            options = {"case": file, "query": query[:200], "masked": masked}
            concordance = await _made(site, "concordance", draft, options, tag)
        drawn = site.jobs.latest("map", draft.folder.name)
        if "map" in request.query_params or (drawn is not None and drawn.tag == tag):
            drawn = await _made(site, "map", draft, {"case": file}, tag)
        elif drawn is not None:
            drawn = None  # of other texts
    return site.page(
        request, "look.html", **await frame(site, draft, "look"), query=query, masked=masked, concordance=concordance,
        drawn=drawn,
    )  # fmt: skip


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
