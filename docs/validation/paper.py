"""The paper's protocol on the open corpora, published: Tables 2 and 3 and the length grids from stored trials.

python docs/validation/paper.py                  writes paper.md, tables/paper_*.csv and figures/paper_*.svg again
python docs/validation/paper.py --store RESULTS  takes over the judged trials of `idiograph study --paper FOLDER`
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from idiograph import Study, length_heatmap, read_study

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation.stored import write_table

from idiograph.evidence.methods import short_name
from idiograph.files import write_whole
from idiograph.output.plot import save
from idiograph.output.study_tables import (
    StudyTable,
    lengths_table,
    markdown,
    methods_table,
    paper_table,
    save_table,
    table2,
    table3,
)
from idiograph.studies.results import MANIFEST, TRIALS, read_results
from idiograph.studies.settings import FILE, study_toml
from idiograph.studies.summary import Cllrs, Means, Wins, all_wins, cllrs, grids, lengths_of, standings
from idiograph.studies.trial_table import LLR_PREFIX, TrialTable, read_trials

HERE = Path(__file__).resolve().parent
STUDY, STORED, FACTS = HERE / "paper.toml", HERE / "paper.parquet", HERE / "paper.json"
CORPORA = "../../../shared/corpora"  # the open corpora of the reference material beside the project
_NAMES = ("corpus", "condition", "half")


@dataclass(frozen=True)
class Published:
    """The stored trials, their study, and what was refused and left out when they were made."""

    study: Study
    trials: TrialTable
    facts: Mapping[str, Any]

    @cached_property
    def cllrs(self) -> Cllrs:
        return cllrs(self.trials)

    @cached_property
    def means(self) -> Means:
        return self.cllrs.means()

    @property
    def whole(self) -> Cllrs:
        """Cllr of the corpora that were compared by whole texts: the paper's Table 3."""
        return Cllrs({where: row for where, row in self.cllrs.runs.items() if lengths_of(where[1]) is None})

    @cached_property
    def wins(self) -> tuple[Wins, ...]:
        return all_wins(self.means, self.cllrs.methods)


def store(results: Path) -> None:
    """Takes over the judged trials of a finished run, their LLRs in nats as single-precision numbers."""
    trials, manifest = read_trials(results / TRIALS), read_results(results / MANIFEST)
    case = trials.where(trials.case)
    columns: dict[str, pa.Array] = {
        name: case.table.column(name).combine_chunks().cast(pa.dictionary(pa.int16(), pa.string())) for name in _NAMES
    }
    columns["run"] = case.table.column("run").combine_chunks().cast(pa.int8())
    columns["same_author"] = case.table.column("same_author").combine_chunks()
    columns |= {LLR_PREFIX + method: pa.array(case.llr(method).astype(np.float32)) for method in case.methods}
    write_table(STORED, pa.table(columns))
    study = read_study(results / FILE)
    named = (replace(corpus, path=f"{CORPORA}/{Path(corpus.path).name}") for corpus in study.corpora)
    write_whole(STUDY, study_toml(replace(study, corpora=tuple(named))))
    facts = {
        "signature": manifest.signature,
        "authors": {
            corpus: len(set(trials.column("k_author")[trials.column("corpus") == corpus]))
            for corpus in dict.fromkeys(trials.column("corpus"))
        },
        "refused": [[*cell, why] for cell, why in manifest.refused.items()],
        "left_out": [[*cell, why, n] for cell, reasons in manifest.left_out.items() for why, n in reasons.items()],
    }
    write_whole(FACTS, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


def load() -> Published:
    """The stored trials."""
    table = pq.read_table(STORED)
    columns = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        kind = pa.string() if name in _NAMES else pa.float64() if name.startswith(LLR_PREFIX) else column.type
        columns[name] = column.cast(kind)
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    return Published(read_study(STUDY), TrialTable(pa.table(columns)), facts)


def page(results: Published) -> str:
    """paper.md."""
    return "\n\n".join(_parts(results)) + "\n"


def _parts(results: Published) -> Iterator[str]:
    authors, means, baseline = results.facts["authors"], results.means, results.study.baseline
    yield "# The paper's protocol on the open corpora"
    yield (
        "`idiograph study --paper FOLDER --out results` "
        "([studies.md](../studies.md#replicating-barlow-nini--manino)) on "
        f"{len(authors)} open corpora: whole texts where authors have little, sentences at random in every pair of ten "
        "lengths where they have much, five runs. These are other corpora than the paper's, or other samples of them, "
        "so its figures need not come out; what is compared is the pattern. `make docs` makes this page from the "
        "judged trials in `paper.parquet` (LLRs in nats, as its schema says); `paper.toml` is the study file that the "
        "command wrote."
    )
    yield f"`{results.facts['signature']}`"
    yield "Authors: " + "; ".join(f"{corpus} {n}" for corpus, n in authors.items()) + "."
    yield "## Table 2"
    yield markdown(table2(results.wins)).strip()
    yield "## Table 3"
    yield markdown(table3(results.whole)).strip()
    if any(corpus.paper for corpus in results.study.corpora):
        yield markdown(paper_table(results.study, results.cllrs)).strip()
    yield "## The length grids"
    yield markdown(lengths_table(means, baseline)).strip()
    for grid in grids(means):
        yield f"![Mean Cllr over the lengths of Q and K, {grid.corpus}](figures/paper_{grid.corpus}.svg)"
    yield "## All conditions together"
    yield markdown(methods_table(standings(means), means)).strip()
    left_out: dict[str, int] = {}
    for corpus, _, _, n in results.facts["left_out"]:
        left_out[corpus] = max(left_out.get(corpus, 0), n)
    if left_out:
        listed = "; ".join(f"{corpus} {n}" for corpus, n in left_out.items())
        yield f"Authors that were left out of some condition, most in any one: {listed}."
    for corpus, condition, why in results.facts["refused"]:
        yield f"Refused: {corpus}, {condition}: {why}"


def tables(results: Published) -> Iterator[StudyTable]:
    """The tables that are also kept as files, every digit."""
    for table in (table2(results.wins), table3(results.cllrs), lengths_table(results.means, results.study.baseline)):
        yield replace(table, name=f"paper_{table.name}")


def build() -> None:
    """Writes the page, its tables and its figures again."""
    results = load()
    write_whole(HERE / "paper.md", page(results))
    for table in tables(results):
        save_table(table, HERE / "tables", endings=("csv",))
    for grid in grids(results.means):
        panels = {short_name(method): means for method, means in grid.means.items()}
        plot = length_heatmap(q_lengths=grid.q_lengths, k_lengths=grid.k_lengths, panels=panels)
        name = f"paper_{grid.corpus}"
        save(replace(plot, data={}), HERE / "figures", name)
        for ending in ("png", "csv"):
            (HERE / "figures" / f"{name}.{ending}").unlink(missing_ok=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--store"] and len(sys.argv) == 3:
        store(Path(sys.argv[2]))
    elif len(sys.argv) > 1:
        sys.exit(__doc__)
    build()
