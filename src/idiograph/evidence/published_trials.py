"""The trials of the published validation: with which authors of other corpora a case's own can be counted together.

They ship as data: of every corpus and length of K the LLRs of each method, of same-author trials drawn near, random and
far in topic and of different-author trials, impostors among them, all judged by references drawn near and with
constants that never saw their corpus. A trial counts as in `bounds`, by authors within its corpus and length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.arithmetic import FloatArray, log
from idiograph.evidence.bounds import NearTrials, Weighted, author_weights
from idiograph.provenance import digest
from idiograph.records import parsed_json

FILE = "published_trials.json"
WITHIN = 0.75  # in ln K: trials with a K this much longer or shorter than the case's are near enough
FAR = "far"
UNIT = 100  # LLRs are stored in hundredths of a nat


@dataclass(frozen=True, eq=False)
class PublishedCell:
    """The trials of one corpus with Ks of one length; authors are numbered within it."""

    corpus: str
    k_tokens: int
    same_authors: tuple[int, ...]
    draws: tuple[str, ...]  # of the same-author trials: near, random or far
    different_authors: tuple[tuple[int, int], ...]
    same: Mapping[str, FloatArray]  # LLRs in nats by method
    different: Mapping[str, FloatArray]


@dataclass(frozen=True, eq=False)
class PublishedTrials:
    """All that ship, with their source and the digest of the file."""

    cells: tuple[PublishedCell, ...]
    source: str
    digest: str

    def near(self, method: str, k_tokens: float, *, without: str | None = None) -> NearTrials | None:
        """Trials of a method with Ks about as long, of all corpora or of all but one. None where there are none."""
        cells = [
            cell
            for cell in self.cells
            if abs(log(cell.k_tokens / k_tokens)) < WITHIN and method in cell.same and cell.corpus != without
        ]
        if not cells:
            return None
        same = [(cell.same[method], [(author,) for author in cell.same_authors]) for cell in cells]
        drawn_far = [np.array([draw == FAR for draw in cell.draws], bool) for cell in cells]
        far = [
            (nats[is_far], list(compress(involved, is_far)))
            for (nats, involved), is_far in zip(same, drawn_far, strict=True)
        ]
        different = [(cell.different[method], cell.different_authors) for cell in cells]
        everybody = {(cell.corpus, author) for cell in cells for author in cell.same_authors}
        return NearTrials(_weighted(same), _weighted(far), _weighted(different), len(everybody))


def _weighted(by_cell: Sequence[tuple[FloatArray, Sequence[Sequence[int]]]]) -> Weighted:
    """The LLRs of all cells, and what each trial weighs within its cell."""
    weights = [author_weights([tuple(map(str, involved)) for involved in authors]) for _, authors in by_cell]
    return np.concatenate([nats for nats, _ in by_cell]), np.concatenate(weights)


def shipped_path() -> Path:
    """Where the published trials lie in an installation."""
    return Path(str(files("idiograph.evidence"))) / FILE


@cache
def read_published(path: Path) -> PublishedTrials | None:
    """The published trials in a file; None where there is none."""
    if not path.is_file():
        return None
    content = path.read_bytes()
    table = parsed_json(content)
    return PublishedTrials(tuple(_cell(row) for row in table["cells"]), table["source"], digest(content))


def _cell(row: Mapping[str, Any]) -> PublishedCell:
    same, different = row["same"], row["different"]
    return PublishedCell(
        corpus=row["corpus"],
        k_tokens=row["k_tokens"],
        same_authors=tuple(same["authors"]),
        draws=tuple(same["draws"]),
        different_authors=tuple((q, k) for q, k in different["authors"]),
        same=_nats(same["llr"]),
        different=_nats(different["llr"]),
    )


def _nats(by_method: Mapping[str, list[int]]) -> dict[str, FloatArray]:
    return {method: np.array(values, np.float64) / UNIT for method, values in by_method.items()}
