"""The bridge to the R package idiolect: its result columns K, Q, target and score, there and back."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError
from idiograph.evidence.trials import FloatArray
from idiograph.files import as_path, whole_file
from idiograph.studies.trials import TrialTable


def write_idiolect(trials: TrialTable, path: Path) -> None:
    """A CSV with idiolect's columns: K (author), Q (text), target (TRUE for the same author) and score (λG).

    After them come corpus, condition, run and half, which idiolect passes over.
    """
    more = ("corpus", "condition", "run", "half")
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("K", "Q", "target", "score", *more))
        names = (trials.column(name) for name in ("k_author", "q_id", "same_author", "lambda_g", *more))
        for k, q, same, score, *rest in zip(*names, strict=True):
            writer.writerow((k, q, "TRUE" if same else "FALSE", repr(float(score)), *rest))


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
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not a CSV file in UTF-8 ({error}). Write it with write.csv in R.") from error
    except OSError as error:
        raise InputError(
            f"{path} could not be read ({error.strerror or error}). Check the name and permissions."
        ) from error
    missing = [name for name in ("K", "Q", "target", "score") if not rows or name not in rows[0]]
    if missing:
        raise InputError(
            f"{path} has no column {', '.join(missing)}. idiolect's results have K, Q, target and score; write them "
            "with write.csv, or write the trials of a study."
        )
    targets = {"TRUE": True, "T": True, "1": True, "FALSE": False, "F": False, "0": False}
    same, scores = [], []
    for number, row in enumerate(rows, start=2):
        try:
            same.append(targets[row["target"].strip().upper()])
            scores.append(float(row["score"]))
        except (KeyError, ValueError, AttributeError, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: target is {row['target']!r} and score {row['score']!r}. target must be TRUE "
                "or FALSE and score a number."
            ) from error
    return IdiolectResults(
        k=tuple(row["K"] for row in rows),
        q=tuple(row["Q"] for row in rows),
        target=np.array(same),
        score=np.array(scores),
    )
