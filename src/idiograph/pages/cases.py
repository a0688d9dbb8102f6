"""The cases and studies in the folder that the user chose, each with its state, finding and date."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from idiograph.casework.case_folder import filed_runs, run_folder
from idiograph.errors import IdiographError
from idiograph.pages import words
from idiograph.pages.drafts import CASE, STUDY, read_draft
from idiograph.pages.places import NotThere, child, folders
from idiograph.pages.runs import comparisons, read_result, trail

RESULTS = "results"


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

    @property
    def said(self) -> str:
        """The state in words."""
        return words.STATES[self.state]

    @property
    def has_result(self) -> bool:
        return self.runs > 0


def shown_cases(root: Path, at_work: dict[str, str]) -> list[ListedCase]:
    """Every case of the folder; `at_work` names those that wait or run, with their state."""
    return [shown_case(folder, at_work.get(folder.name)) for folder in _holding(root, CASE.file)]


def shown_studies(root: Path, at_work: dict[str, str]) -> list[ListedCase]:
    """Every study of the folder."""
    return [_shown_study(folder, at_work.get(folder.name)) for folder in _holding(root, STUDY.file)]


def shown_case(folder: Path, at_work: str | None) -> ListedCase:
    """A case with its last run."""
    draft = read_draft(folder)
    filed = filed_runs(folder)
    state, date = "draft", ""
    findings: tuple[str, ...] = ()
    with suppress(IdiographError):
        begun = trail(folder)
        if begun:
            state, date = begun[-1].outcome, begun[-1].started
            state = "failed" if state == "unknown" else state
        if filed:
            result = read_result(run_folder(folder, filed[-1]))
            findings = tuple(finding(one) for one in comparisons(result))
    return ListedCase(
        name=folder.name,
        title=draft.title,
        state=at_work or state,
        findings=findings,
        date=_day(date) or _changed(folder / CASE.file),
        runs=len(filed),
        problem=draft.problem,
    )


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
