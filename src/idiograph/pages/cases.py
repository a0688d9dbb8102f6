"""What lies in the folder that the user chose: cases and studies with their state, their runs, the texts given so far.

Everything is read back for a page; nothing here computes a number.
"""

import csv
import io
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from idiograph.casework.case import Case, by_rules_of, case_from, is_recipe_file
from idiograph.casework.case_folder import CASE as CASE_FILE
from idiograph.casework.case_folder import RESULT, SEAL, TOKENS, earlier_runs, filed_runs, run_folder
from idiograph.casework.replay import is_there
from idiograph.casework.seal import check_seal
from idiograph.casework.sentences import finite
from idiograph.casework.verification import EarlierRun, TokenRow
from idiograph.errors import IdiographError, InputError, cannot_read, some
from idiograph.files import bytes_without_link, everything_below, is_link
from idiograph.pages import words
from idiograph.pages.drafts import CASE, STUDY, Draft, Keys, read_draft
from idiograph.pages.jobs import Job, Jobs
from idiograph.pages.uploads import Lying, files_below, folders, is_inside
from idiograph.provenance import digest
from idiograph.records import Maybe, misfit, record_in, record_or_none
from idiograph.spreadsheet import written

_NOT_COMPARED = ("digest", "index")


@dataclass(frozen=True)
class ScoredTokens:
    """The tokens of one comparison in the order of the text."""

    label: str
    candidate: str
    tokens: tuple[TokenRow, ...]

    @property
    def name(self) -> str:
        return f"{self.label} and {self.candidate}"

    def sentences(self) -> list[tuple[TokenRow, ...]]:
        """The tokens sentence by sentence."""
        return [tuple(rows) for _, rows in groupby(self.tokens, key=lambda token: token.sentence)]


def trail(folder: Path) -> tuple[EarlierRun, ...]:
    """Every run that was ever begun, whatever became of it."""
    with warnings.catch_warnings():  # a damaged line is shown as one
        warnings.simplefilter("ignore")
        return earlier_runs(folder)


LARGEST = 100_000_000  # bytes of a result or of its tokens that a page reads

_ESTIMATE = {"value": Maybe(float), "low": Maybe(float), "high": Maybe(float), "undefined": Maybe(int)}
# Whatever a page reads of a comparison and of a result, with the shape that it relies on.
_COMPARISON: dict[str, Any] = {
    "label": str,
    "candidate": str,
    "lambda_g": Maybe(float),  # not computed where no value is reported
    "llr": {str: {"nats": float}},
    "primary": str,
    "reported": Maybe({"nats": float}),
    "audit": [{"severity": str, "message": str, "remedy": str}],
    "range": Maybe({"low": float, "high": float, "sentence": str}),
    "validation": Maybe(
        {
            "performance": {str: {"cllr": _ESTIMATE}},
            "authors": [str],
            **dict.fromkeys(("n_same", "n_different", "q_tokens", "k_tokens"), int),
        }
    ),
    "claimed": Maybe({"cllr": _ESTIMATE, "plain": _ESTIMATE, "controlled": bool, "because": Maybe(str)}),
    "q": {"n_tokens": int},
    "k": {"n_tokens": int},
    **dict.fromkeys(("before", "topic"), Maybe([str])),
    **dict.fromkeys(
        (
            "hp",
            "hd",
            "conclusion",
            "value",
            "bound",
            "verbal",
            "scale",
            "published",
            "strength",
            "also",
            "refusal",
            "against_imitators",
        ),
        Maybe(str),
    ),
    "held": Maybe({"phrases": [{"tokens": [str], "written": str, "places": [str]}]}),
}
_RESULT: dict[str, Any] = {
    "settings": Maybe(dict),
    "inputs": Maybe([{"role": str, "name": str, "sha256": str}]),
    "quick": Maybe(bool),
    **dict.fromkeys(("idiograph", "title", "population", "case_digest"), Maybe(str)),
}
_DAMAGED = "{path} is damaged ({why}). Restore it from a copy; the other files of the run are not touched by this."


def read_result(run: Path) -> dict[str, Any]:
    """What a run's result.json holds, every comparison in `comparisons`, all of it as a page relies on.

    An error says what is damaged, so that nothing else has to expect it.
    """
    path = run / RESULT
    try:
        content = bytes_without_link(path, most=LARGEST)
    except OSError as error:
        raise cannot_read(path, error) from error
    result = record_in(content, path, damaged=_DAMAGED, other=_DAMAGED.replace("{why}", "it is not a table"))
    compared = result.get("comparisons", [result])
    wrong = misfit(result, _RESULT) or misfit({"comparisons": compared}, {"comparisons": [_COMPARISON]})
    if not wrong and any(comparison.get("reported") and comparison.get("lambda_g") is None for comparison in compared):
        wrong = "a value is reported without its score"
    if wrong or not compared:
        raise InputError(_DAMAGED.format(path=path, why=wrong or "it has no comparison"))
    known = dict.fromkeys((*_RESULT, *_COMPARISON))
    return {**known, **result, "comparisons": [{**known, **comparison} for comparison in compared]}


def read_tokens(run: Path) -> list[ScoredTokens]:
    """The tokens of every comparison that was not refused (until 0.3.0 those had tokens, too); an error says what is
    damaged."""
    refused = [
        (comparison["label"], comparison["candidate"])
        for comparison in read_result(run)["comparisons"]
        if comparison["refusal"]
    ]
    path = run / TOKENS
    tokens_of: dict[tuple[str, str], list[TokenRow]] = {}
    row_number = 1
    try:
        text = bytes_without_link(path, most=LARGEST).decode()
        for row in csv.DictReader(io.StringIO(text, newline=""), strict=True):
            row_number += 1
            tokens_of.setdefault((written(row["questioned"]), written(row["candidate"])), []).append(_token(row))
    except OSError as error:
        raise cannot_read(path, error) from error
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error, InputError) as error:
        # Not UTF-8, a column or a cell that is not there, or something else than a number.
        if isinstance(error, InputError) and is_link(path):
            raise
        raise InputError(_DAMAGED.format(path=path, why=f"row {row_number} is not one of tokens")) from error
    order = lambda token: (token.sentence, token.position)  # noqa: E731
    return [
        ScoredTokens(*names, tuple(sorted(tokens, key=order)))
        for names, tokens in tokens_of.items()
        if names not in refused
    ]


def _token(row: Mapping[str, str]) -> TokenRow:
    return TokenRow(
        text_id=written(row["text"]),
        sentence=int(row["sentence"]),
        position=int(row["position"]),
        original=written(row["original"]),
        masked=written(row["masked"]),
        lambda_g=finite(float(row["lambda_g"])),
        context=int(row["context"]),
        start=int(row["start"]) if row["start"] else None,
        end=int(row["end"]) if row["end"] else None,
        is_end=row["is_end"] == "1",
    )


def case_of_run(folder: Path, number: int) -> Case:
    """The case as it was when a run was made; its paths start from the folder of the case."""
    run = run_folder(folder, number)
    return by_rules_of(read_result(run).get("settings") or {}, case_from(run / CASE_FILE, folder=folder))


def differences(earlier: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What two results were made of that is not the same: the settings, the population and the inputs."""
    before, after = dict(_conditions(earlier)), dict(_conditions(other))
    return [
        (key, before.get(key, "—"), after.get(key, "—"))
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    ]


def _conditions(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("idiograph", "title", "population", "quick"):
        yield key, _plain(result.get(key))
    for key, value in (result.get("settings") or {}).items():
        if key not in _NOT_COMPARED:
            yield key, _plain(value)[:_LONGEST]
    for file in result.get("inputs") or ():
        yield f"{file.get('role')}: {file.get('name')}", f"{str(file.get('sha256'))[:12]}…"


_LONGEST = 1_000  # characters of a setting that a page shows


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        if isinstance(value, Sequence):
            return ", ".join(map(_plain, value))
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"


RESULTS = "results"
_LOOKED_THROUGH = 300_000_000  # bytes of a sealed case up to which a list compares it with its seal


@dataclass(frozen=True)
class ListedCase:
    """A case or a study as a list shows it."""

    name: str
    title: str
    state: str
    findings: tuple[str, ...]
    date: str
    runs: int
    problem: str = ""
    last: int = 0  # the number of the last run that is kept
    red: int = 0  # serious findings of the last run
    seal: str = ""
    quick: bool = False  # whether the last run was, so that nothing is validated

    @property
    def said(self) -> str:
        """The state in words."""
        return words.STATES[self.state]

    @property
    def has_result(self) -> bool:
        return self.runs > 0


def shown_cases(root: Path, at_work: dict[str, str], order: str = "name") -> list[ListedCase]:
    """Every case of the folder; `at_work` names those that wait or run, with their state."""
    listed = [shown_case(folder, at_work.get(folder.name)) for folder in _holding(root, CASE.file)]
    if order == "date":
        return sorted(listed, key=lambda listed: listed.date, reverse=True)
    listed.sort(key=lambda listed: listed.title.casefold())
    return sorted(listed, key=lambda listed: list(words.STATES).index(listed.state)) if order == "state" else listed


def shown_studies(root: Path, at_work: dict[str, str]) -> list[ListedCase]:
    return [_shown_study(folder, at_work.get(folder.name)) for folder in _holding(root, STUDY.file)]


def shown_case(folder: Path, at_work: str | None) -> ListedCase:
    """A case with its last run."""
    draft = read_draft(folder)
    state, date, filed = "draft", "", []
    findings: tuple[str, ...] = ()
    red, quick = 0, False
    try:
        filed = filed_runs(folder)
        begun = trail(folder)
        if begun:
            state, date = begun[-1].outcome, begun[-1].started
            state = "failed" if state == "unknown" else state
        if filed:
            result = read_result(run_folder(folder, filed[-1]))
            compared, quick = result["comparisons"], bool(result["quick"])
            findings = tuple(map(finding, compared))
            if begun and begun[-1].number == filed[-1]:
                state = outcome_of(state, compared)
            red = sum(entry["severity"] == "red" for each in compared for entry in each["audit"])
        if not draft.version:
            raise InputError(draft.problem)
    except (IdiographError, OSError) as error:
        state, findings = "damaged", (*findings, str(error))
    return ListedCase(
        name=folder.name,
        title=draft.title,
        state=at_work or state,
        findings=findings,
        date=date.replace("T", " ").removesuffix("Z")[:16] or _changed(folder / CASE.file),
        runs=len(filed),
        problem=draft.problem,
        last=filed[-1] if filed else 0,
        red=red,
        seal=seal_state(folder),
        quick=quick,
    )


def outcome_of(state: str, comparisons: Sequence[Mapping[str, Any]]) -> str:
    """What became of a run; one in which some comparison has a value is refused in part alone."""
    return "partly" if state == "refused" and any(comparison["reported"] for comparison in comparisons) else state


def seal_state(folder: Path) -> str:
    """Whether a case is sealed, and still as it was; empty where it is not sealed.

    One that is too large, or whose inputs lie outside its folder, is not compared.
    """
    if not (folder / SEAL).is_file():
        return ""
    try:
        lying = everything_below(folder)
        seal = record_or_none(bytes_without_link(folder / SEAL, most=LARGEST)) or {}
        if misfit(seal, {"inputs": [{"path": str}]}):
            return words.SEAL_BROKEN
        inside = all(is_inside(folder / file["path"], folder) for file in seal["inputs"])
        if not inside or sum(status.st_size for _, status in lying) > _LOOKED_THROUGH:
            return words.SEAL_UNCHECKED
        facts = tuple((str(path), status.st_size, status.st_mtime_ns) for path, status in lying)
        return words.SEALED if _holds(folder, facts) else words.SEAL_BROKEN
    except (IdiographError, OSError):
        return words.SEAL_BROKEN


@lru_cache(maxsize=500)
def _holds(folder: Path, facts: tuple[tuple[str, int, int], ...]) -> bool:
    """Whether a case is as it was sealed, as long as no size and no time of its files changes."""
    return check_seal(folder).holds


def finding(comparison: dict[str, Any]) -> str:
    """The finding of a comparison with its names before it."""
    return f"{name_of(comparison)}: {comparison['conclusion'] or comparison['refusal']}"


def name_of(comparison: Mapping[str, Any]) -> str:
    """What a comparison is called: the questioned text and the candidate."""
    return f"{comparison['label']} and {comparison['candidate']}"


def _shown_study(folder: Path, at_work: str | None) -> ListedCase:
    draft = read_draft(folder, STUDY)
    done = (folder / RESULTS / "index.html").is_file()
    return ListedCase(
        name=folder.name,
        title=draft.title,
        state=at_work or ("reported" if done else "draft" if draft.version else "damaged"),
        findings=() if draft.version else (draft.problem,),
        date=_changed(folder / STUDY.file),
        runs=int(done),
        problem=draft.problem,
    )


def _holding(root: Path, file: str) -> Iterator[Path]:
    return (folder for folder in folders(root) if os.path.lexists(folder / file))


def _changed(path: Path) -> str:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M")
    except (OSError, ValueError, OverflowError):  # a year that no calendar has
        return ""


FEW = 100  # words from which on a text is not called short here
_KEPT = 200  # previews that are remembered


@dataclass(frozen=True)
class Role:
    """A part of the case that texts are given for: a Q, a candidate or the reference."""

    keys: Keys
    title: str
    path: Path
    held: bool  # whether the texts lie where the pages keep them
    named: dict[str, Any]  # how its author is known

    @property
    def name(self) -> str:
        """The part in forms and addresses."""
        return "/".join(self.keys)


@dataclass(frozen=True)
class Survey:
    """What lies where a draft says that its texts are; each part by its name."""

    draft: Draft
    roles: tuple[Role, ...]
    files: Mapping[str, tuple[str, ...]]
    marks: Mapping[str, str]  # each changes with the files of its part and with the way of reading
    problems: Mapping[str, str]  # why a part cannot be looked at
    unasked: tuple[Path, ...]  # outside the folder of the case: read only once the user has said so

    @property
    def mark(self) -> str:
        """Changes with the case file and with any of its texts."""
        return digest(" ".join([self.draft.version, *self.marks.values()]))

    def waits(self, role: Role) -> bool:
        """Whether a part is not read before the user says so: it, or a file that it is read with, lies outside."""
        return role.path in self.unasked or bool(set(self.unasked) - {other.path for other in self.roles})


@dataclass
class Previews:
    """What was read before, as long as neither the files nor the way of reading have changed."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    allowed: set[tuple[Path, Path]] = field(default_factory=set)  # folders, and paths outside that may be read for them

    def allow(self, draft: Draft) -> None:
        """Enters that what a draft names outside its folder may be read, as long as the server runs."""
        self.allowed |= {(draft.folder, path) for path in outside(draft)}

    def survey(self, draft: Draft) -> Survey:
        """What lies there now; folders are walked through, so not to be called where others wait."""
        unasked = tuple(path for path in outside(draft) if (draft.folder, path) not in self.allowed)
        survey = Survey(draft, tuple(roles_of(draft)), {}, {}, {}, unasked)
        files: dict[str, tuple[str, ...]] = {}
        marks, problems = {}, {}
        named = draft.role_path(("reading", "metadata"))
        table = files_of(named) if named is not None and is_inside(named, draft.folder) and not named.is_dir() else []
        for role in survey.roles:
            lying: list[Lying] = []
            try:
                if not survey.waits(role):
                    lying = files_of(role.path)
            except IdiographError as error:
                problems[role.name] = str(error)
            files[role.name] = tuple(file.place for file in lying)
            facts = [[file.place, file.size, file.changed] for file in [*lying, *table]]
            how = [draft.held(("reading",)), draft.held(("texts", "masking")), problems.get(role.name)]
            marks[role.name] = digest(json.dumps([str(role.path), role.named, facts, how], default=str))
        return replace(survey, files=files, marks=marks, problems=problems)

    def of(self, survey: Survey) -> dict[str, dict[str, Any]]:
        """The previews that are known, by role."""
        previews: dict[str, dict[str, Any]] = {}
        for role in survey.roles:
            if survey.waits(role):
                previews[role.name] = _not_read(waits=True)
            elif role.name in survey.problems:
                previews[role.name] = _not_read(survey.problems[role.name])
            elif survey.marks[role.name] in self.known:
                previews[role.name] = self.known[survey.marks[role.name]]
        return previews

    def look(self, jobs: Jobs, survey: Survey) -> Job | None:
        """Reads what is not known yet; None if all is."""
        known, draft = self.of(survey), survey.draft
        missing = [role for role in survey.roles if role.name not in known]
        if not missing:
            return None
        marks = [survey.marks[role.name] for role in missing]
        before, tag = jobs.latest("look", draft.folder.name), " ".join(marks)
        if before is not None and before.tag == tag:
            if before.state == "done":
                self._keep(marks, before.result)
                return None
            return before
        options = {
            "roles": [{"path": str(role.path), "named": role.named} for role in missing],
            "options": draft.held(("reading",)) or {},
            "masked": draft.held(("texts", "masking")) == "masked",
            "folder": str(draft.folder),
        }
        return jobs.start("look", draft.folder.name, options, tag=tag)

    def _keep(self, marks: list[str], results: list[dict[str, Any]]) -> None:
        self.known.update(zip(marks, results, strict=True))
        for old in list(self.known)[: max(0, len(self.known) - _KEPT)]:
            del self.known[old]


def _not_read(error: str = "", *, waits: bool = False) -> dict[str, Any]:
    """In place of a preview: why there is none."""
    return {"texts": [], "notes": [], "error": error, "unreadable": [words.ALL] if error else [], "waits": waits}


def files_of(path: Path) -> list[Lying]:
    """The files at a path, which is a folder or a file; none where there is nothing."""
    if is_there(path, Path.is_dir):
        return files_below(path)
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return []
    return [Lying(path, path.name, status.st_size, status.st_mtime_ns)]


_FILES = (("reading", "metadata"), ("texts", "word_list"), ("texts", "recipe"))  # that texts are read with


def outside(draft: Draft) -> list[Path]:
    """What a draft names that lies outside its folder: the sender of a case could name any file."""
    named = [role.path for role in roles_of(draft)]
    for keys in _FILES:
        held, path = draft.held(keys), draft.role_path(keys)
        if path is not None and (keys[-1] != "recipe" or is_recipe_file(held)):
            named.append(path)
    return [path for path in dict.fromkeys(named) if not is_inside(path, draft.folder)]


def roles_of(draft: Draft) -> list[Role]:
    """Every part that has texts, in the order of the file."""
    roles = []
    for table, named in (("questioned", {"author_from": "none"}), ("known", {})):
        held = draft.held((table,))
        for name in held if isinstance(held, dict) else ():
            roles.append(_role(draft, (table, name), name, named or {"author": name}))
    return [
        *(role for role in roles if role is not None),
        *(role for role in [_role(draft, ("inputs", "reference"), "", {})] if role is not None),
    ]


def _role(draft: Draft, keys: Keys, title: str, named: dict[str, Any]) -> Role | None:
    path = draft.role_path(keys)
    return None if path is None else Role(keys, title, path, draft.holds(path), named)


def missing(draft: Draft) -> list[str]:
    """The parts that have no texts yet, as sentences."""
    have = {role.keys[0] for role in roles_of(draft)}
    return [sentence for part, sentence in words.MISSING.items() if {"reference": "inputs"}.get(part, part) not in have]


def unreadable(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[str]:
    """What to do about files that cannot be read, a sentence for each part of the case that has any."""
    return [
        (words.UNREADABLE_ALL if files == [words.ALL] else words.UNREADABLE).format(
            role.title or "the reference", some(files, 3)
        )
        for role in roles_of(draft)
        if (files := read.get(role.name, {}).get("unreadable"))
    ] + [words.UNASKED] * any(preview.get("waits") for preview in read.values())


def doubts(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[str]:
    """What is doubtful about the texts as they were read, a sentence each."""
    sentences: list[str] = []
    first: dict[str, str] = {}  # the text that has a content first
    for role in roles_of(draft):
        texts = read.get(role.name, {}).get("texts", [])
        for text in texts:
            name = f"{role.title or 'reference'}/{text['id']}"
            if text["same"] in first:
                sentences.append(words.COPY.format(first[text["same"]], name))
            first.setdefault(text["same"], name)
        if role.keys[0] in ("questioned", "known"):
            total = sum(text["words"] for text in texts)
            if texts and total < FEW:
                sentences.append(words.FEW_WORDS.format(role.title, total))
            continue
        authors = {text["author"] for text in texts}
        nameless = [text["id"] for text in texts if text["author"] is None]
        if nameless:
            sentences.append(words.NO_AUTHOR.format(some(nameless, 3)))
        elif len(authors) == 1:
            sentences.append(words.ONE_AUTHOR)
        candidates = draft.held(("known",))
        for name in candidates if isinstance(candidates, dict) else ():
            excluded = draft.held(("texts", "exclude_authors"))
            if name in authors and name not in (excluded if isinstance(excluded, list) else ()):
                sentences.append(words.SHARED_AUTHOR.format(name))
    return sentences
