"""What lies in the folder that the user chose: cases and studies with their state, their runs, the texts given so far.

Everything is read back for a page; nothing here computes a number.
"""

import csv
import io
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from idiograph.casework.case import Case, by_rules_of, case_from
from idiograph.casework.case_folder import CASE as CASE_FILE
from idiograph.casework.case_folder import RESULT, SEAL, TOKENS, earlier_runs, filed_runs, run_folder
from idiograph.casework.seal import check_seal
from idiograph.casework.sentences import finite
from idiograph.casework.verification import EarlierRun, TokenRow
from idiograph.errors import IdiographError, cannot_read, some
from idiograph.files import everything_below, refuse_link
from idiograph.pages import words
from idiograph.pages.drafts import CASE, STUDY, Draft, Keys, read_draft
from idiograph.pages.jobs import Job, Jobs
from idiograph.pages.uploads import NotThere, child, files_below, folders
from idiograph.provenance import digest
from idiograph.records import read_record
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


def read_result(run: Path) -> dict[str, Any]:
    """The content of a run's result.json."""
    refuse_link(run / RESULT)
    content: dict[str, Any] = read_record(
        run / RESULT,
        damaged="{path} is damaged ({why}). Restore it from a copy.",
        other="{path} is damaged: it is not a table. Restore it from a copy.",
    )
    return content


def comparisons(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every comparison of a result; a single one stands at the top level of the file."""
    return list(result["comparisons"]) if "comparisons" in result else [dict(result)]


def read_tokens(run: Path) -> list[ScoredTokens]:
    """The tokens of every comparison that was not refused; until 0.3.0 refused ones had tokens, too."""
    refused = [(one.get("label"), one.get("candidate")) for one in comparisons(read_result(run)) if one.get("refusal")]
    try:
        refuse_link(run / TOKENS)
        text = (run / TOKENS).read_text(encoding="utf-8")
    except OSError as error:
        raise cannot_read(run / TOKENS, error) from error
    found: dict[tuple[str, str], list[TokenRow]] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        found.setdefault((written(row["questioned"]), written(row["candidate"])), []).append(_token(row))
    order = lambda token: (token.sentence, token.position)  # noqa: E731
    return [
        ScoredTokens(*names, tuple(sorted(tokens, key=order)))
        for names, tokens in found.items()
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


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What two results were made of that is not the same: the settings, the population and the inputs."""
    before, after = dict(_made_of(one)), dict(_made_of(other))
    return [
        (key, before.get(key, "—"), after.get(key, "—"))
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    ]


def _made_of(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("idiograph", "title", "population", "quick"):
        yield key, _plain(result.get(key))
    for key, value in (result.get("settings") or {}).items():
        if key not in _NOT_COMPARED:
            yield key, _plain(value)
    for file in result.get("inputs") or ():
        yield f"{file.get('role')}: {file.get('name')}", f"{str(file.get('sha256'))[:12]}…"


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return ", ".join(map(_plain, value))
    return json.dumps(value, ensure_ascii=False)


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
    red: int = 0  # serious findings of the last run
    seal: str = ""

    @property
    def said(self) -> str:
        """The state in words."""
        return words.STATES[self.state]

    @property
    def has_result(self) -> bool:
        return self.runs > 0


def shown_cases(root: Path, at_work: dict[str, str], order: str = "name") -> list[ListedCase]:
    """Every case of the folder; `at_work` names those that wait or run, with their state."""
    found = [shown_case(folder, at_work.get(folder.name)) for folder in _holding(root, CASE.file)]
    if order == "date":
        return sorted(found, key=lambda one: one.date, reverse=True)
    return sorted(found, key=lambda one: list(words.STATES).index(one.state)) if order == "state" else found


def shown_studies(root: Path, at_work: dict[str, str]) -> list[ListedCase]:
    """Every study of the folder."""
    return [_shown_study(folder, at_work.get(folder.name)) for folder in _holding(root, STUDY.file)]


def shown_case(folder: Path, at_work: str | None) -> ListedCase:
    """A case with its last run."""
    draft = read_draft(folder)
    filed = filed_runs(folder)
    state, date = "draft", ""
    findings: tuple[str, ...] = ()
    red = 0
    with suppress(IdiographError):
        begun = trail(folder)
        if begun:
            state, date = begun[-1].outcome, begun[-1].started
            state = "failed" if state == "unknown" else state
        if filed:
            result = read_result(run_folder(folder, filed[-1]))
            findings = tuple(finding(one) for one in comparisons(result))
            red = sum(one.get("severity") == "red" for each in comparisons(result) for one in each.get("audit") or ())
    return ListedCase(
        name=folder.name,
        title=draft.title,
        state=at_work or state,
        findings=findings,
        date=_day(date) or _changed(folder / CASE.file),
        runs=len(filed),
        problem=draft.problem,
        red=red,
        seal=seal_state(folder),
    )


def seal_state(folder: Path) -> str:
    """Whether a case is sealed, and still as it was; empty where it is not sealed. One too large is not looked at."""
    if not (folder / SEAL).is_file():
        return ""
    try:
        lying = everything_below(folder)
        if sum(status.st_size for _, status in lying) > _LOOKED_THROUGH:
            return words.SEALED
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
    names = f"{comparison.get('label')} and {comparison.get('candidate')}"
    return f"{names}: {comparison.get('conclusion') or comparison.get('refusal')}"


def _shown_study(folder: Path, at_work: str | None) -> ListedCase:
    draft = read_draft(folder, STUDY)
    done = (folder / RESULTS / "index.html").is_file()
    return ListedCase(
        name=folder.name,
        title=draft.title,
        state=at_work or ("reported" if done else "draft"),
        findings=(),
        date=_changed(folder / STUDY.file),
        runs=int(done),
        problem=draft.problem,
    )


def _holding(root: Path, file: str) -> Iterator[Path]:
    for folder in folders(root):
        with suppress(NotThere, IdiographError):
            if child(folder, file).is_file():
                yield folder


def _day(time: str) -> str:
    return time.replace("T", " ").removesuffix("Z")[:16]


def _changed(path: Path) -> str:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M")
    except OSError:
        return ""


FEW = 100  # words from which on a text is not called short here
_KEPT = 200  # previews that are remembered


@dataclass(frozen=True)
class Role:
    """A part of the case that texts are given for: a Q, a candidate or the reference."""

    keys: Keys
    title: str
    path: Path
    own: bool  # whether the texts lie where the pages keep them
    named: dict[str, Any]  # how its author is known

    @property
    def name(self) -> str:
        """The part in forms and addresses."""
        return "/".join(self.keys)


@dataclass
class Previews:
    """What was read before, as long as neither the files nor the way of reading have changed."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, draft: Draft) -> dict[str, dict[str, Any]]:
        """The previews that are known, by role."""
        found = {role.name: self.known.get(_fingerprint(draft, role)) for role in roles_of(draft)}
        return {name: one for name, one in found.items() if one is not None}

    def look(self, jobs: Jobs, draft: Draft) -> Job | None:
        """Reads what is not known yet; None if all is."""
        missing = [role for role in roles_of(draft) if _fingerprint(draft, role) not in self.known]
        if not missing:
            return None
        marks = [_fingerprint(draft, role) for role in missing]
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


def roles_of(draft: Draft) -> list[Role]:
    """Every part that has texts, in the order of the file."""
    found = []
    for table, named in (("questioned", {"author_from": "none"}), ("known", {})):
        held = draft.held((table,))
        for name in held if isinstance(held, dict) else ():
            found.append(_role(draft, (table, name), name, named or {"author": name}))
    return [
        *(role for role in found if role is not None),
        *(role for role in [_role(draft, ("inputs", "reference"), "", {})] if role is not None),
    ]


def _role(draft: Draft, keys: Keys, title: str, named: dict[str, Any]) -> Role | None:
    path = draft.role_path(keys)
    return None if path is None else Role(keys, title, path, draft.own(path), named)


def state_of(draft: Draft) -> str:
    """A mark that changes with the case file and with any of its texts."""
    return digest(" ".join([draft.version, *(_fingerprint(draft, role) for role in roles_of(draft))]))


def missing(draft: Draft) -> list[str]:
    """The parts that have no texts yet, as sentences."""
    have = {role.keys[0] for role in roles_of(draft)}
    return [said for part, said in words.MISSING.items() if {"reference": "inputs"}.get(part, part) not in have]


def unreadable(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[str]:
    """What to do about files that cannot be read, a sentence for each part of the case that has any."""
    return [
        words.UNREADABLE.format(role.title or "the reference", some(files, 3))
        for role in roles_of(draft)
        if (files := read.get(role.name, {}).get("unreadable"))
    ]


def doubts(draft: Draft, read: Mapping[str, dict[str, Any]]) -> list[str]:
    """What is doubtful about the texts as they were read, a sentence each."""
    said: list[str] = []
    first: dict[str, str] = {}  # the text that has a content first
    for role in roles_of(draft):
        texts = read.get(role.name, {}).get("texts", [])
        for text in texts:
            name = f"{role.title or 'reference'}/{text['id']}"
            if text["same"] in first:
                said.append(words.COPY.format(first[text["same"]], name))
            first.setdefault(text["same"], name)
        if role.keys[0] in ("questioned", "known"):
            total = sum(text["words"] for text in texts)
            if texts and total < FEW:
                said.append(words.FEW_WORDS.format(role.title, total))
            continue
        authors = {text["author"] for text in texts}
        nameless = [text["id"] for text in texts if text["author"] is None]
        if nameless:
            said.append(words.NO_AUTHOR.format(some(nameless, 3)))
        elif len(authors) == 1:
            said.append(words.ONE_AUTHOR)
        candidates = draft.held(("known",))
        for name in candidates if isinstance(candidates, dict) else ():
            if name in authors and name not in (draft.held(("texts", "exclude_authors")) or ()):
                said.append(words.SHARED_AUTHOR.format(name))
    return said


def _fingerprint(draft: Draft, role: Role) -> str:
    """What decides what is read: the files with their sizes and times, and the way of reading."""
    files = list(files_below(role.path)) if role.path.is_dir() else [(role.path, role.path)]
    facts = []
    for path, place in files:
        try:
            status = path.stat()
            facts.append([str(place), status.st_size, status.st_mtime_ns])
        except OSError:
            facts.append([str(place), 0, 0])
    how = [draft.held(("reading",)), draft.held(("texts", "masking"))]
    return digest(json.dumps([str(role.path), role.named, facts, how], default=str))
