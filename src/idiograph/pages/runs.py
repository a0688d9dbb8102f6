"""The runs of a case as they lie in its folder, read back for a page: nothing here computes a number."""

import csv
import io
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from idiograph.casework.case import Case, case_from
from idiograph.casework.case_folder import CASE, RESULT, earlier_runs, run_folder
from idiograph.casework.verification import EarlierRun
from idiograph.checks import parsed_json
from idiograph.errors import InputError, cannot_read
from idiograph.locking import refuse_link
from idiograph.spreadsheet import written

_TOKENS = "tokens.csv"
_NOT_COMPARED = ("digest", "index")


@dataclass(frozen=True)
class SeenToken:
    """A token of Q, or a sentence's end, with its part of λG."""

    text: str
    sentence: int
    position: int
    original: str
    masked: str
    lambda_g: float
    context: int  # tokens before it that K knows in this order, together with it; −1: K never has the token
    start: int | None
    end: int | None
    is_end: bool

    @property
    def place(self) -> str:
        """Its sentence and its place there."""
        return f"{self.sentence}.{self.position}"


@dataclass(frozen=True)
class ScoredTokens:
    """The tokens of one comparison in the order of the text."""

    label: str
    candidate: str
    tokens: tuple[SeenToken, ...]

    @property
    def name(self) -> str:
        return f"{self.label} and {self.candidate}"

    def sentences(self) -> list[tuple[SeenToken, ...]]:
        """The tokens sentence by sentence."""
        return [tuple(rows) for _, rows in groupby(self.tokens, key=lambda token: token.sentence)]


def trail(folder: Path) -> tuple[EarlierRun, ...]:
    """Every run that was ever begun, whatever became of it."""
    with warnings.catch_warnings():  # a damaged line is shown as one
        warnings.simplefilter("ignore")
        return earlier_runs(folder)


def read_result(run: Path) -> dict[str, Any]:
    """The content of a run's result.json."""
    try:
        refuse_link(run / RESULT)
        content = parsed_json((run / RESULT).read_bytes())
    except OSError as error:
        raise cannot_read(run / RESULT, error) from error
    except ValueError as error:
        raise InputError(f"{run / RESULT} is damaged ({error}). Restore it from a copy.") from error
    if not isinstance(content, dict):
        raise InputError(f"{run / RESULT} is damaged: it is not a table. Restore it from a copy.")
    return content


def comparisons(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every comparison of a result; a single one stands at the top level of the file."""
    return list(result["comparisons"]) if "comparisons" in result else [dict(result)]


def read_tokens(run: Path) -> list[ScoredTokens]:
    """The tokens of every comparison."""
    try:
        refuse_link(run / _TOKENS)
        text = (run / _TOKENS).read_text(encoding="utf-8")
    except OSError as error:
        raise cannot_read(run / _TOKENS, error) from error
    found: dict[tuple[str, str], list[SeenToken]] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        found.setdefault((written(row["questioned"]), written(row["candidate"])), []).append(_token(row))
    order = lambda token: (token.sentence, token.position)  # noqa: E731
    return [ScoredTokens(*names, tuple(sorted(tokens, key=order))) for names, tokens in found.items()]


def _token(row: Mapping[str, str]) -> SeenToken:
    return SeenToken(
        text=written(row["text"]),
        sentence=int(row["sentence"]),
        position=int(row["position"]),
        original=written(row["original"]),
        masked=written(row["masked"]),
        lambda_g=float(row["lambda_g"]),
        context=int(row["context"]),
        start=int(row["start"]) if row["start"] else None,
        end=int(row["end"]) if row["end"] else None,
        is_end=row["is_end"] == "1",
    )


def case_of_run(folder: Path, number: int) -> Case:
    """The case as it was when a run was made; its paths start from the folder of the case."""
    return case_from(run_folder(folder, number) / CASE, folder=folder)


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
