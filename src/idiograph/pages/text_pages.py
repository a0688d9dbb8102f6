"""The pages on which texts are given to a case, looked at and prepared."""

import asyncio
import contextlib
import re
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idiograph.errors import InputError
from idiograph.pages import words
from idiograph.pages.case_pages import STEPS, fields_of, frame, given_files
from idiograph.pages.drafts import CASE, Draft, Keys, add_files, change, read_draft, remove_texts, rename_role
from idiograph.pages.jobs import Job
from idiograph.pages.places import files_below
from idiograph.pages.preview import doubts, roles_of
from idiograph.pages.site import posted, see_other, site_of, uploaded, wants_json
from idiograph.pages.uploads import Received

_SHOWN = 60  # texts of a part that the page lists
_IMPATIENCE = 4.0  # seconds that a page waits for a preview before it shows how far the reading is


async def texts(request: Request) -> Response:
    """Which texts the case has, and what was read of them."""
    site = site_of(request)
    draft = read_draft(site.folder(request))
    job = site.previews.look(site.jobs, draft)
    if job is not None:
        await _waited(job)
        job = site.previews.look(site.jobs, draft)
    read = site.previews.of(draft)
    return site.page(
        request, "texts.html", **frame(draft, "texts"), roles=roles_of(draft), read=read, shown=_SHOWN,
        doubts=doubts(draft, read), job=job, next_label=_next_label(draft), groups=fields_of(draft, "texts"),
        files={role.name: _files(role.path) for role in roles_of(draft) if role.own},
        given=given_files(draft, "texts"),
    )  # fmt: skip


async def _waited(job: Job) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(job.over.wait(), _IMPATIENCE)


def _files(path: Path) -> list[str]:
    return [str(place) for _, place in files_below(path)] if path.is_dir() else [path.name]


def _next_label(draft: Draft) -> str:
    held = draft.held(("questioned",))
    numbers = [int(label[1:]) for label in held or () if re.fullmatch(r"Q[0-9]{1,6}", label)]
    return f"Q{max(numbers, default=0) + 1}"


async def upload(request: Request) -> Response:
    """Keeps files for a part of the case."""
    site = site_of(request)
    folder = site.idle_folder(request)

    def keep(received: Received) -> None:
        part = received.fields.get("part", "")
        keys = _keys(part, received.fields.get("name", ""))
        alone = part in ("file", "recipe")
        files = received.without_common_folder(keep_authors=keys == ("inputs", "reference"))
        if alone and len(files) != 1:
            raise InputError(words.ONE_FILE)
        if keys == ("texts", "recipe") and not files[0].parts[-1].endswith(".toml"):
            raise InputError(words.OWN_RECIPE)
        add_files(folder, keys, files, alone=alone)

    await uploaded(request, keep)
    if wants_json(request):
        return JSONResponse({"kept": True})
    return see_other("case", folder.name, "texts")


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
    await run_in_threadpool(remove_texts, folder, keys, form.last.get("file"))
    return see_other("case", folder.name, "texts")


async def rename(request: Request) -> Response:
    """Gives a questioned text or a candidate another name."""
    site, form = site_of(request), await posted(request)
    folder, keys = site.idle_folder(request), _keys(form.get("part"), form.get("name"))
    await run_in_threadpool(rename_role, folder, keys, form.get("new"))
    return see_other("case", folder.name, "texts")


async def preparation(request: Request) -> Response:
    """The recipe, and what it would change."""
    from idiograph.texts.preparing.recipes import find_recipe, recipe_names

    site = site_of(request)
    draft = read_draft(site.folder(request))
    chosen = draft.held(("texts", "recipe"))
    known = [(name, find_recipe(name).about) for name in recipe_names()]
    job = None
    if chosen and draft.settings is not None:
        job = site.jobs.latest("recipe", draft.folder.name)
        options = {"case": str(draft.folder / draft.kind.file), "recipe": draft.settings.recipe}
        tag = draft.version + " ".join(str(site.previews.of(draft).keys()))
        if job is None or (job.options, job.tag) != (options, tag):
            job = site.jobs.start("recipe", draft.folder.name, options, tag=tag)
        await _waited(job)
    return site.page(
        request, "preparation.html", **frame(draft, "preparation"), recipes=known, chosen=chosen or "", job=job
    )


async def choose_recipe(request: Request) -> Response:
    """Sets the recipe: one of Idiograph's by name, the user's own file that lies in the case, or none."""
    from idiograph.texts.preparing.recipes import recipe_names

    site, form = site_of(request), await posted(request)
    folder, wanted = site.idle_folder(request), form.get("recipe")
    if wanted not in ("", *recipe_names(), read_draft(folder).held(("texts", "recipe"))):
        raise InputError(words.OWN_RECIPE)
    await run_in_threadpool(lambda: change(folder, {("texts", "recipe"): wanted or None}))
    return see_other("case", folder.name, "preparation")
