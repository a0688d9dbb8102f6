"""Scores of other systems (neural ones, say), computed elsewhere and read from a CSV file by the problem's id."""

import csv
import io
import math
from collections.abc import Mapping
from pathlib import Path

from idiograph.checking import shown
from idiograph.errors import StudyError
from idiograph.evidence.methods import METHODS
from idiograph.records import bytes_of_file

PROBLEM = "problem"
_MOST_BYTES = 500_000_000


def read_outside(path: Path) -> dict[str, Mapping[str, float]]:
    """The scores of each system by problem; a file that is not such a table is refused."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise StudyError(f"{path} has more than {_MOST_BYTES:,} bytes, which is not a table of scores.")
        text = bytes_of_file(path).decode("utf-8-sig")
    except OSError as error:
        raise StudyError(f"{shown(str(path))} could not be read ({error.strerror}). Check the name.") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error
    except ValueError:  # a name that no file can have
        raise StudyError(f"There is no file {shown(str(path))}. Check the name.") from None
    try:
        header, *rows = csv.reader(io.StringIO(text, newline=None), strict=True)
    except ValueError:
        raise StudyError(f"{path} is empty. It needs a column {PROBLEM} and a column per system.") from None
    except csv.Error as error:
        raise StudyError(f"{path} is not a table of comma-separated values: {error}.") from error
    systems = _systems(path, header)
    scores: dict[str, dict[str, float]] = {name: {} for name in systems}
    column = header.index(PROBLEM)
    for number, row in enumerate(rows, start=2):
        if not row:
            continue
        if len(row) != len(header):
            raise StudyError(f"{path}, line {number}: {len(row)} values, but the header names {len(header)} columns.")
        if row[column] in scores[systems[0]]:
            raise StudyError(f"{path}, line {number}: the problem {row[column]} occurs twice. Keep one score for each.")
        for name, value in zip(header, row, strict=True):
            if name != PROBLEM:
                scores[name][row[column]] = _number(value, f"{path}, line {number}, {name}")
    return dict(scores)


def outside_table(path: Path, called: Mapping[str, str]) -> str:
    """The scores in a file as the content of another one, for these problems and under the ids they are called by."""
    systems = read_outside(path)
    rows = [
        [shown_as, *(repr(scores[problem]) for scores in systems.values())]
        for problem, shown_as in called.items()
        if all(problem in scores for scores in systems.values())
    ]
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([[PROBLEM, *systems], *sorted(rows)])
    return table.getvalue()


def _systems(path: Path, header: list[str]) -> list[str]:
    systems = [name for name in header if name != PROBLEM]
    if header.count(PROBLEM) != 1 or not systems:
        raise StudyError(
            f"{path} needs one column {PROBLEM} and at least one column with the scores of a system, but its first "
            f"line is {shown(','.join(header))}. Separate the columns by commas, and write decimals with a point."
        )
    for name in systems:
        if not name.isidentifier() or name in METHODS or systems.count(name) > 1:
            raise StudyError(
                f"{path} has a column {name!r}. A system's name is made of letters, digits and underscores, is there "
                "once and is not that of a method of Idiograph's. Rename it."
            )
    return systems


def _number(value: str, where: str) -> float:
    try:
        # Python alone takes 1_000 for a number, or digits of another script.
        number = float(value) if value.isascii() and "_" not in value else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise StudyError(f"{where}: {value!r} is not a finite number. Every problem needs a score by each system.")
    return number
