"""Small cases that come with the program, each with the result that it must have, digit by digit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from idiograph.casework.case import Case
from idiograph.casework.replay import Difference, is_digest, is_number, leaves, numbers_that_differ
from idiograph.casework.verification import Verification, as_result
from idiograph.files import write_whole
from idiograph.records import parsed_json, record_text
from idiograph.settings import settings_from_options

STORED = "stored_cases.json"


@dataclass(frozen=True)
class StoredCase:
    """A case with its texts, the digests of their masked tokens, and its result."""

    name: str
    settings: Mapping[str, Any]
    texts: Mapping[str, str]  # by the path of their file
    tokens: Mapping[str, str]  # by the text's id
    result: Mapping[str, Any]

    @property
    def n_numbers(self) -> int:
        return sum(is_number(value) for _, value in leaves(self.result))


def stored_cases() -> tuple[StoredCase, ...]:
    """The cases that come with the program."""
    records = parsed_json((files("idiograph.laboratory") / STORED).read_bytes())
    return tuple(StoredCase(**record) for record in records)


def written_case(case: StoredCase, folder: Path) -> Case:
    """The case on its texts, which are written into a folder."""
    for name, content in case.texts.items():
        write_whole(folder / name, content)
    given = {
        "questioned": {"Q1": folder / "q.txt"},
        "known": {"Lee": folder / "known"},
        "reference": folder / "reference",
        "population": "made-up people who live by a harbour",
        **case.settings,
    }
    return settings_from_options(Case, given)


def stored_result(done: Verification) -> dict[str, Any]:
    """Of a result what is compared: its numbers and digests, each in its place."""
    result: dict[str, Any] = _numbers(parsed_json(record_text(as_result(done))))
    return result


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: kept for name, part in value.items() if (kept := _numbers(part)) not in (None, {}, [])}
    if isinstance(value, list):
        parts = [_numbers(part) for part in value]
        return parts if any(part is not None for part in parts) else None
    return value if isinstance(value, int | float) or is_digest(value) else None


def differences_from(case: StoredCase, done: Verification) -> Iterator[Difference]:
    """Every number and digest of the stored result that came out differently here; sentences are not compared."""
    yield from numbers_that_differ(case.result, stored_result(done))
