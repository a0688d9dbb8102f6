"""The bridge to the R package idiolect: its result columns K, Q, target and score, there and back."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError, cannot_read
from idiograph.evidence.trials import FloatArray
from idiograph.files import as_path, write_whole
from idiograph.spreadsheet import csv_rows
from idiograph.studies.trials import TrialTable


def write_idiolect(trials: TrialTable, path: Path) -> None:
    """A CSV with idiolect's columns: K (author), Q (text), target (TRUE for the same author) and score (λG).

    After them come corpus, condition, run and half, which idiolect passes over.
    """
    more = ("corpus", "condition", "run", "half")
    columns = (trials.column(name) for name in ("k_author", "q_id", "same_author", "lambda_g", *more))
    rows = ((k, q, "TRUE" if same else "FALSE", *rest) for k, q, same, *rest in zip(*columns, strict=True))
    write_whole(path, csv_rows(("K", "Q", "target", "score", *more), rows))


@dataclass(frozen=True)
class IdiolectResults:
    """Results of idiolect: the author of K, the Q, whether the author is the same, and the score."""

    k: tuple[str, ...]
    q: tuple[str, ...]
    target: npt.NDArray[np.bool_]
    score: FloatArray


def read_idiolect(path: Path | str) -> IdiolectResults:
    """The columns K, Q, target and score of a CSV written by R; others, such as row names, are passed over."""
    path = as_path(path, "The results of idiolect")
    k: list[str] = []
    q: list[str] = []
    same, scores = [], []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            missing = [name for name in ("K", "Q", "target", "score") if name not in (rows.fieldnames or ())]
            for row in rows if not missing else ():
                scored = _scored(row.get("target"), row.get("score"))
                if scored is None:
                    raise InputError(
                        f"{path}, line {rows.line_num}: target is {row['target']!r} and score {row['score']!r}. target "
                        "must be TRUE or FALSE and score a number."
                    )
                k.append(row["K"])
                q.append(row["Q"])
                same.append(scored[0])
                scores.append(scored[1])
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not a CSV file in UTF-8 ({error}). Write it with write.csv in R.") from error
    except OSError as error:
        raise cannot_read(path, error) from error
    if missing or not k:
        raise InputError(
            f"{path} has no {'column ' + ', '.join(missing) if missing else 'row'}. idiolect's results have K, Q, "
            "target and score; write them with write.csv, or write the trials of a study."
        )
    return IdiolectResults(tuple(k), tuple(q), np.array(same), np.array(scores))


def _scored(target: str | None, score: str | None) -> tuple[bool, float] | None:
    targets = {"TRUE": True, "T": True, "1": True, "FALSE": False, "F": False, "0": False}
    try:
        return targets[(target or "").strip().upper()], float(score or "")
    except (KeyError, ValueError):
        return None
