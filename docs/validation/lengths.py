"""What `idiograph plan` and the audit quote: the published validation by register, lengths and method.

python docs/validation/lengths.py    writes tables/lengths.csv and src/idiograph/casework/published.json again
"""

import json
import runpy
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import worth
from docs.validation.stored import load

from idiograph.arithmetic import log
from idiograph.casework.published import PAIRED, PublishedRow
from idiograph.evidence.intervals import estimates
from idiograph.evidence.trials import Trials
from idiograph.files import write_whole
from idiograph.provenance import digest
from idiograph.records import record_line
from idiograph.spreadsheet import csv_rows
from idiograph.studies.summary import MethodTrials, method_trials
from idiograph.studies.trial_table import TrialTable

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parents[1] / "src" / "idiograph" / "casework" / "published.json"
RESAMPLES = 500
NAMES = tuple(field.name for field in fields(PublishedRow))
REGISTERS = {corpus: register.removesuffix(" (masked)") for corpus, register in worth.REGISTERS.items()}


def rows(of: Iterable[MethodTrials]) -> Iterator[PublishedRow]:
    """A row for every method on every corpus of known register whose lengths were set; λG as it is, is no LLR."""
    for of_method in of:
        drawing, *parts = of_method.condition.split("_")
        lengths = {part[0]: int(part[1:]) for part in parts if part[0] in "qk" and part[1:].isdecimal()}
        fields = [part.replace("-", " ") for part in parts if "-" in part]
        if of_method.corpus not in REGISTERS or of_method.method == "raw" or len(lengths) < 2:
            continue
        cllr = estimates(of_method.trials, metrics=("cllr",), resamples=RESAMPLES, seed=0)["cllr"]
        assert cllr.value is not None, "both classes have trials"
        assert cllr.low is not None, "the authors are known"
        assert cllr.high is not None, "the authors are known"
        yield PublishedRow(
            register=REGISTERS[of_method.corpus],
            corpus=of_method.corpus,
            drawing=" ".join([drawing, *fields]),
            q_tokens=lengths["q"],
            k_tokens=lengths["k"],
            method=of_method.method,
            cllr=round(cllr.value, 4),
            cllr_low=round(cllr.low, 4),
            cllr_high=round(cllr.high, 4),
            share_above_10=round(
                float(np.count_nonzero(of_method.trials.same > log(10.0))) / of_method.trials.same.size, 4
            ),
            n_authors=len(of_method.trials.authors),
        )


def of_matrix() -> Iterator[MethodTrials]:
    """The judged trials of the matrix by corpus, condition and method, all draws together."""
    trials = load("matrix")
    yield from _by_method(trials, np.ones(len(trials.same), bool), trials.methods)


def of_topic() -> Iterator[MethodTrials]:
    """The topic-controlled LR, of which the matrix has no trials: references and cases drawn at random."""
    trials = load("topic")
    judged = zip(trials.column("half"), trials.column("condition"), strict=True)
    at_random = np.array([half == "case" and not condition.endswith("_near") for half, condition in judged])
    yield from _by_method(trials, at_random, ("controlled",))


def _by_method(trials: TrialTable, chosen: npt.NDArray[np.bool_], methods: Iterable[str]) -> Iterator[MethodTrials]:
    places: dict[tuple[str, str], list[int]] = {}
    for (corpus, condition, _), positions in trials.groups():
        if wanted := positions[chosen[positions]].tolist():
            places.setdefault((corpus, condition), []).extend(wanted)
    k, q = trials.column("k_author"), trials.column("q_author")
    for (corpus, condition), listed in places.items():
        numbers = np.array(listed)
        same, different = numbers[trials.same[numbers]], numbers[~trials.same[numbers]]
        for method in methods:
            nats = trials.llr(method)
            yield MethodTrials(
                corpus,
                condition,
                method,
                Trials.of(
                    same=nats[same],
                    different=nats[different],
                    same_authors=k[same].tolist(),
                    different_authors=list(zip(k[different], q[different], strict=True)),
                ),
            )


def of_works(paired: Iterable[MethodTrials]) -> Iterator[MethodTrials]:
    """Q and K of one work and of two, in the paper's design: what works not told apart cost."""
    for of_method in paired:
        if of_method.condition.startswith("contiguous") and "-work" in of_method.condition:
            yield of_method


def table_text(published: Iterable[PublishedRow]) -> str:
    """The rows as CSV."""
    return csv_rows(NAMES, (tuple(asdict(row).values()) for row in published))


def shipped_text(published: Sequence[PublishedRow], *, source: str) -> str:
    """What ships; `source` says which study the trials are from."""
    head = {"schema": 1, "source": source, "table_sha256": digest(table_text(published)), "columns": NAMES}
    lines = ",\n  ".join(record_line(list(asdict(row).values())) for row in published)
    return json.dumps(head, ensure_ascii=False, indent=1)[:-2] + f',\n "rows": [\n  {lines}\n ]\n}}\n'


def build() -> None:
    """Writes the table, and what ships, from the stored trials."""
    results = runpy.run_path(str(HERE / "build.py"))["load"]()
    works = (replace(row, corpus=row.corpus + PAIRED) for row in rows(of_works(method_trials(results.trials))))
    published = [*rows(of_matrix()), *rows(of_topic()), *works]
    write_whole(HERE / "tables" / "lengths.csv", table_text(published))
    if SHIPPED.parent.is_dir():  # not where the documentation stands alone
        write_whole(SHIPPED, shipped_text(published, source="docs/validation/matrix.toml, topic.toml and study.toml"))


if __name__ == "__main__":
    build()
