"""What was read of the texts given so far, and what is doubtful about them, before anything is run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from idiograph.errors import some
from idiograph.pages import words
from idiograph.pages.drafts import Draft, Keys
from idiograph.pages.jobs import Job, Jobs
from idiograph.pages.places import files_below
from idiograph.provenance import digest

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
