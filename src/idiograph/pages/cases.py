"""What lies in the folder that the user chose: cases and studies with their state, and their runs.

Everything is read back for a page; nothing here computes a number.
"""

import csv
import io
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from idiograph.casework.case import Case, by_rules_of, case_digest, case_from
from idiograph.casework.case_folder import CASE as CASE_FILE
from idiograph.casework.case_folder import RESULT, SEAL, TOKENS, earlier_runs, filed_runs, run_folder
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.explanation import occurrences
from idiograph.casework.inputs import n_tokens, read_inputs
from idiograph.casework.seal import check_seal
from idiograph.casework.sentences import finite
from idiograph.casework.verification import EarlierRun, StrongNgram, TokenRow
from idiograph.errors import IdiographError, InputError, StudyError, cannot_read
from idiograph.files import bytes_without_link, everything_below, is_link
from idiograph.pages import words
from idiograph.pages.drafts import CASE, STUDY, read_draft
from idiograph.pages.uploads import folders, is_inside
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


_LINES = 3  # of K and of the reference for an n-gram
_AROUND = 80  # characters before and after it


def find_words(folder: str, number: int) -> dict[str, dict[str, Any]]:
    """For each token of a run's Q, as far back as K knows it, where K and the reference have it, by comparison."""
    case, workers = case_of_run(Path(folder), number), os.cpu_count() or 1
    inputs = read_inputs(case, workers=workers)
    run = run_folder(Path(folder), number)
    if case_digest(case, inputs.files) != read_result(run)["case_digest"]:
        raise StudyError(words.TEXTS_CHANGED)
    index = CaseIndex.of(case, inputs, workers=workers)
    by_comparison: dict[str, dict[str, Any]] = {}
    for comparison in read_tokens(run):
        texts = inputs.texts(comparison.label, comparison.candidate)
        sentences = [sentence for text in texts.q for sentence in text.sentences]
        ngrams = {
            token.place: sentences[token.sentence - 1][token.position - 1 - max(token.context, 0) : token.position]
            for token in comparison.tokens
            if not token.is_end
        }
        sizes = n_tokens(texts.k), n_tokens(texts.reference)
        places = {
            ngram: _occurrences(known, *sizes) for ngram, known in occurrences(index, texts, ngrams.values()).items()
        }
        numbers = {ngram: number for number, ngram in enumerate(places)}
        by_comparison[comparison.name] = {
            "ngrams": [{"tokens": " ".join(ngram), **known} for ngram, known in places.items()],
            "at": {word: numbers[ngram] for word, ngram in ngrams.items()},
        }
    return by_comparison


def _occurrences(ngram: StrongNgram, k_tokens: int, reference_tokens: int) -> dict[str, Any]:
    lines: dict[str, list[dict[str, str]]] = {"k": [], "reference": []}
    for line in ngram.lines:
        if line.role in lines and len(lines[line.role]) < _LINES:
            before, after = line.before[-_AROUND:], line.after[:_AROUND]
            # Masked tokens come without the blanks between them.
            before += " " if before[-1:].isalnum() and line.match[:1].isalnum() else ""
            after = (" " if after[:1].isalnum() and line.match[-1:].isalnum() else "") + after
            lines[line.role].append({"text": line.text_id, "before": before, "match": line.match, "after": after})
    sentence = words.occurs(ngram.n_k, k_tokens, ngram.n_reference, reference_tokens)
    return {"n_k": ngram.n_k, "n_reference": ngram.n_reference, "n_q": ngram.n_q, "said": sentence, **lines}


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
