"""The pages of a study: choose a corpus and lengths, see what it will take, run it, read its page."""

import os
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from idiograph.casework.case import CONTROLLED, MASKED
from idiograph.casework.replay import is_there
from idiograph.errors import IdiographError, InputError, StudyError
from idiograph.pages import words
from idiograph.pages.case_pages import saved
from idiograph.pages.cases import RESULTS, shown_studies
from idiograph.pages.controls import located
from idiograph.pages.drafts import CASE, STUDY, ChangedElsewhere, Draft, Keys, add_files, change, new_draft, read_draft
from idiograph.pages.forms import FieldGroup, FormField, form_field, groups, typed
from idiograph.pages.previews import files_of
from idiograph.pages.site import Posted, looked, posted, see_other, site_of, uploaded, wants_json
from idiograph.pages.uploads import Received, child, folders, is_inside
from idiograph.toml import relative

_CORPUS = "corpus"
_USUAL = CONTROLLED  # of a case
_FIRST = ("runs", "masking", "use", "baseline", "pairs", "most_authors", "calibration", "leave_authors_out")
_NOT_ASKED = ("name", "own", "outside")  # the title, and what only the study file can bring
_CONDITION = ("drawing", "q_tokens", "k_tokens")


def _fields(draft: Draft) -> tuple[FieldGroup, ...]:
    """Every setting that a message may name; those that are seldom changed are marked."""
    from idiograph.evidence.methods import METHODS
    from idiograph.studies.settings import Study

    def shown(field: FormField) -> FormField:
        field = replace(field, rare=field.keys[-1] not in _FIRST)
        if field.keys[-1] != "baseline":
            return field
        named = {key: method.name_and_source for key, method in METHODS.items()}
        return replace(field, shape="choice", choices=tuple(named.items()), usual=named[field.usual])

    fields = groups(Study, draft, lambda keys, setting: setting.key not in _NOT_ASKED)
    return tuple(replace(group, fields=tuple(map(shown, group.fields))) for group in fields)


async def studies(request: Request) -> Response:
    site = site_of(request)
    listed = await looked(shown_studies, site.root, site.at_work())
    return site.page(request, "studies.html", studies=listed)


async def new_study(request: Request) -> Response:
    site, form = site_of(request), await posted(request)
    name = form.get("title").strip()
    # As a case is validated, so that its usual method can be studied as it is.
    content = {
        "name": name,
        "conditions": [{"drawing": "contiguous", "q_tokens": [500], "k_tokens": [2000]}],
        "design": {"pairs": "all"},
        "methods": {"use": [*dict.fromkeys((_USUAL, "normalised", "hapax"))], "baseline": _USUAL},
    }
    folder = await looked(lambda: new_draft(site.root, name, STUDY, **content))
    return see_other("study", folder.name, "run")


async def study(request: Request) -> Response:
    """A study: its corpus and lengths, what it will take, how far it is, and its page."""
    return await _page(request, await looked(read_draft, site_of(request).folder(request), STUDY))


async def _page(
    request: Request, draft: Draft, *, status: int = 200, message: str = "", kept: Posted | None = None
) -> Response:
    """The page of a study; `kept` is what was typed and not saved."""
    site, folder = site_of(request), draft.folder
    corpora, references, programs = await looked(lambda: (_corpora(draft), _references(site.root), _programs(draft)))
    forecast = site.jobs.latest("forecast", folder.name)
    return site.page(
        request, "study.html", status, draft=draft, name=folder.name, title=draft.title, message=message,
        kept=kept.last if kept else {}, several=kept.values if kept else {},
        groups=_fields(draft), condition=_condition(draft), corpora=corpora,
        references=references, job=site.jobs.latest("study", folder.name), forecast=forecast,
        stale=forecast is not None and forecast.tag != draft.version,
        problem=draft.problem if draft.held(("corpora",)) else words.NO_CORPUS,
        page_made=(folder / RESULTS / "index.html").is_file(), programs=programs,
    )  # fmt: skip


def _programs(draft: Draft) -> dict[str, Any]:
    """The programs that the study would run, to be read before: their text and digest, or why they are not there."""
    from idiograph.studies.llrs import programs_digest, read_programs
    from idiograph.studies.settings import Study

    if not isinstance(draft.settings, Study) or not draft.settings.own:
        return {"files": {}, "digest": "", "problem": ""}
    try:
        programs = read_programs(draft.settings)
    except StudyError as error:
        return {"files": {}, "digest": "", "problem": str(error)}
    files = {file: _legible(content.decode(errors="replace")) for file, content in programs.items()}
    return {"files": files, "digest": programs_digest(programs), "problem": ""}


def _legible(text: str) -> str:
    """Text in which nothing is hidden, or turned round, by characters that are not seen."""
    seen = (char in "\n\t" or unicodedata.category(char)[0] != "C" for char in text)
    return "".join(char if shown else f"\\u{ord(char):04x}" for char, shown in zip(text, seen, strict=True))


def _condition(draft: Draft) -> list[Any]:
    """The fields of the first condition; others stay as the file has them."""
    from idiograph.studies.settings import ConditionSettings

    held = draft.held(("conditions",))
    first = held[0] if isinstance(held, list) and held and isinstance(held[0], dict) else {}
    shown = Draft(draft.folder, draft.kind, first, draft.version, None, draft.problem)
    settings = {setting.key: (keys, setting) for keys, setting in located(ConditionSettings)}
    drawing = form_field(*settings["drawing"], shown)
    lengths = {}
    for name in _CONDITION[1:]:
        held = first.get(name, [])
        lengths[name] = ", ".join(map(str, held if isinstance(held, list) else [held]))
    return [drawing, [(words.HELPS[name], name, lengths[name]) for name in _CONDITION[1:]]]


def _corpora(draft: Draft) -> list[dict[str, Any]]:
    """The corpora with their files; what lies outside the folder that the user chose is named and not looked at."""
    corpora = []
    for corpus in _tables(draft.held(("corpora",))):
        path = draft.folder / str(corpus.get("path", ""))
        files: int | str = "not looked at"
        try:
            if is_inside(path, draft.folder.parent):
                files = len(files_of(path))
        except IdiographError as error:
            files = str(error)
        corpora.append({"name": corpus.get("name"), "path": corpus.get("path"), "files": files})
    return corpora


def _tables(held: Any) -> list[dict[str, Any]]:
    return [table for table in held if isinstance(table, dict)] if isinstance(held, list) else []


def _references(root: Path) -> list[tuple[str, str]]:
    """The references of the cases, each of which is a corpus too."""
    references = []
    for folder in folders(root):
        if os.path.lexists(folder / CASE.file):
            draft = read_draft(folder)
            path = draft.role_path(("inputs", "reference"))
            if path is not None and is_there(path, Path.exists):
                references.append((folder.name, draft.title))
    return references


async def save_study(request: Request) -> Response:
    site, form = site_of(request), await posted(request)
    folder = site.idle_folder(request)
    draft = await looked(read_draft, folder, STUDY)
    changes = typed(_fields(draft), form.last, form.values)
    conditions = [dict(condition) for condition in _tables(draft.held(("conditions",)))] or [{}]
    for name in _CONDITION:
        if name in form.last:
            value = form.get(name).strip()
            conditions[0][name] = value if name == "drawing" else _numbers(value)
            if not conditions[0][name]:
                del conditions[0][name]
    changes["conditions",] = conditions
    version = None if wants_json(request) else form.get("version")
    try:
        after = await looked(lambda: change(folder, changes, version=version, kind=STUDY))
    except ChangedElsewhere as error:
        now = await looked(read_draft, folder, STUDY)
        return await _page(request, now, status=409, message=str(error), kept=form)
    if wants_json(request):
        return saved(after, _fields(after))
    return see_other("study", folder.name, "run")


def _numbers(text: str) -> list[Any]:
    """Lengths as they were typed; what is not a number stays as it is, and the study's own check names it."""
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    return [int(part) if part.isdecimal() and len(part) < 12 else part for part in parts]


async def upload_corpus(request: Request) -> Response:
    """Keeps a corpus for a study."""
    site = site_of(request)
    folder = site.idle_folder(request)

    def keep(received: Received) -> None:
        files = received.without_common_folder(keep_authors=True)
        add_files(
            folder, (_CORPUS,), files, kind=STUDY, held=_uploaded,
            enter=lambda path: {("corpora",): [{"name": _CORPUS, "path": path}]},
        )  # fmt: skip

    await uploaded(request, keep)
    return JSONResponse({"kept": True}) if wants_json(request) else see_other("study", folder.name, "run")


def _uploaded(draft: Draft) -> Path | None:
    """Where the corpus lies that was uploaded before, to which further files are added."""
    held = _tables(draft.held(("corpora",)))
    path = draft.folder / str(held[0].get("path", "")) if len(held) == 1 else None
    return path if path is not None and path.is_dir() and draft.holds(path) else None


async def take_reference(request: Request) -> Response:
    """Takes the reference of a case as the corpus."""
    site, form = site_of(request), await posted(request)
    folder = site.idle_folder(request)
    case = await looked(read_draft, child(site.root, form.get("case")))
    path = case.role_path(("inputs", "reference"))
    if path is None:
        raise InputError(words.MISSING["reference"])
    corpus: dict[str, Any] = {"name": case.folder.name, "path": relative(path, folder)}
    if case.held(("texts", "masking")):
        corpus["masking"] = case.held(("texts", "masking"))
    changes: dict[Keys, Any] = {("corpora",): [corpus]}
    if corpus.get("masking") == MASKED:  # whose topics are not known
        study = await looked(read_draft, folder, STUDY)
        used = study.held(("methods", "use")) or []
        changes["methods", "use"] = [method for method in used if method != CONTROLLED] or None
        if study.held(("methods", "baseline")) == CONTROLLED:
            changes["methods", "baseline"] = "normalised" if "normalised" in used else None
    await looked(lambda: change(folder, changes, kind=STUDY))
    return see_other("study", folder.name, "run")


async def start_study(request: Request) -> Response:
    """Starts the forecast or the study itself."""
    site, form = site_of(request), await posted(request)
    folder = site.folder(request)
    draft = await looked(read_draft, folder, STUDY)
    if draft.settings is None:
        raise InputError(words.NEEDS_STUDY.format(draft.problem))
    file = str(folder / STUDY.file)
    if form.get("what") == "forecast":
        site.jobs.start("forecast", folder.name, {"study": file}, tag=draft.version)
    elif site.jobs.under_way(folder.name) is None:
        programs = await looked(_programs, draft)
        if programs["digest"] != form.get("agreed"):
            raise InputError(words.PROGRAMS)
        options = {"study": file, "out": str(folder / RESULTS), "agreed": programs["digest"]}
        site.jobs.start("study", folder.name, options, queued=True)
    return see_other("study", folder.name, "run")
