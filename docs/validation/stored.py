"""The judged trials of the published studies, kept small; and the constants, learnt from them and from nothing else.

LLRs are kept in nats, to the thousandth; the schema of each file says what every column of numbers is in.

python docs/validation/stored.py NAME RESULTS [RESULTS …]  takes over finished runs of NAME.toml, or of parts of it
python docs/validation/stored.py --constants               learns src/idiograph/evidence/constants.json anew

NAME is one of matrix, ten, forty, typing, others, attack, languages. Studies whose normalised scores constants are
learnt from (the first four) come first: the LLRs that are kept are pulled towards constants learnt without the corpus
judged.
"""

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from docs.validation.learning import NormedTrials, learn

from idiograph import Study, read_study
from idiograph.arithmetic import FloatArray
from idiograph.evidence.constants import Constants, ConstantsByLength, Weights
from idiograph.evidence.matrix import CLOSENESS
from idiograph.files import write_whole
from idiograph.provenance import digest
from idiograph.studies.llrs import add_llrs
from idiograph.studies.trial_table import LLR_PREFIX, NORMED_PREFIX, TrialTable, read_trials, units_of

HERE = Path(__file__).resolve().parent
CONSTANTS = HERE.parents[1] / "src" / "idiograph" / "evidence" / "constants.json"
# The studies that constants are learnt from: about how many reference authors they have, and which scores.
LEARNT: dict[str, tuple[int, tuple[str, ...]]] = {
    "ten": (10, ("distinct", "cosine")),
    "matrix": (24, ("distinct", "cosine")),
    "forty": (40, ("distinct", "cosine")),
    "typing": (24, ("distinct", "cosine", "typing")),
}
# Of this study nothing went into the constants, which are English, so those that ship are used; and none beside them.
OTHER_LANGUAGES, ALONE = "languages", "normalised_alone"
# A thousandth of a nat, and of a standard deviation of a cohort, is far beyond the digits that are printed.
DECIMALS = 3
# Where a file says by which digest constants.json names it, if that is not its own: until 0.3.0 the same trials were
# kept in thousandths.
FIRST_STORED = b"first_stored"
_NAMES = ("corpus", "condition", "k_author", "q_author", "half")
_WHOLE = ("run", "fold", "n_tokens", "k_tokens")
_ALSO = ("attack", "draw")  # what an attacked Q suffered; how a trial was drawn if not as its reference
AWAY_PREFIX = "away_"  # how far a trial's Q or K is from the reference's
_ROUNDED = (LLR_PREFIX, NORMED_PREFIX, AWAY_PREFIX)


def store(name: str, results: list[Path]) -> None:
    """Keeps the judged trials of finished runs, with LLRs by constants that never saw the corpus judged."""
    study = read_study(HERE / f"{name}.toml")
    kept = []
    for folder in results:
        trials = read_trials(folder / "trials.parquet")
        if name in LEARNT:
            plain, _ = add_llrs(study, trials)
            kept.append(_judged(plain))
        elif name == OTHER_LANGUAGES:
            kept.append(_judged(_with_and_without(study, trials)))
        else:
            kept.append(_judged(add_llrs(study, trials, constants=without_corpus(study))[0]))
    if name in LEARNT:
        # Their own constants come from their own trials, so LLRs are made in a second round.
        joined = TrialTable(pa.concat_tables([trials.table for trials in kept]))
        lines = {corpus: learnt(joined, name, without=corpus) for corpus in sorted(set(joined.column("corpus")))}
        kept = [
            _judged(add_llrs(study, read_trials(folder / "trials.parquet"), constants=_chosen(lines))[0])
            for folder in results
        ]
    write(name, TrialTable(pa.concat_tables([trials.table for trials in kept])))


def learnt(trials: TrialTable, name: str, *, without: str | None = None) -> ConstantsByLength:
    """The constants of a study's judged trials, of all corpora or of all but one."""
    n_authors, scores = LEARNT[name]
    if name == "forty":
        trials = _with_others(trials)
    return learn(NormedTrials.of(trials, scores, without=without), n_authors=n_authors)


def _with_others(trials: TrialTable) -> TrialTable:
    """With the matrix's trials of corpora that have no forty authors: otherwise easy corpora alone would speak."""
    matrix = load("matrix")
    wanted = ~np.isin(matrix.column("corpus"), sorted(set(trials.column("corpus"))))
    names = ["corpus", "condition", "run", "half", "same_author", "k_tokens", "normed_distinct", "normed_cosine"]
    tables = [part.table.select(names) for part in (trials, matrix.where(wanted))]
    return TrialTable(pa.concat_tables([table.cast(tables[0].schema) for table in tables]))


def without_corpus(study: Study):  # type: ignore[no-untyped-def]
    """For a study that constants are not learnt from: those of the matrix, without the corpus judged."""
    trials = load("matrix")
    return _chosen({corpus.name: learnt(trials, "matrix", without=corpus.name) for corpus in study.corpora})


def _with_and_without(study: Study, trials: TrialTable) -> TrialTable:
    """The trials with LLRs by the constants that ship, and normalised ones whose fit is pulled towards an LR of 1."""

    def nothing(_corpus: str, n_authors: int, _k_tokens: float) -> Constants:
        return Constants(("distinct", "cosine"), n_authors, Weights(0.0, (0.0, 0.0)), "none", "0" * 64)

    judged, _ = add_llrs(study, trials)
    alone, _ = add_llrs(replace(study, methods=("normalised",), baseline="normalised"), trials, constants=nothing)
    return judged.with_llrs(
        {**{method: judged.llr(method) for method in judged.methods}, ALONE: alone.llr("normalised")}
    )


def _chosen(lines: dict[str, ConstantsByLength]):  # type: ignore[no-untyped-def]
    def choose(corpus: str, n_authors: int, k_tokens: float) -> Constants:
        line = lines[corpus]
        return Constants(line.scores, line.n_authors, line.at(k_tokens), f"without {corpus}", "0" * 64)

    return choose


def _judged(trials: TrialTable) -> TrialTable:
    return trials.where(np.isin(trials.column("half"), ("case", "attacked")))


def write(name: str, trials: TrialTable) -> None:
    """Keeps the trials of a study in a few columns."""
    table = trials.table
    columns: dict[str, pa.Array] = {}
    for name_of_column in table.column_names:
        column = table.column(name_of_column).combine_chunks()
        if name_of_column in _NAMES or name_of_column in _ALSO:
            columns[name_of_column] = column.cast(pa.dictionary(pa.int16(), pa.string()))
        elif name_of_column in _WHOLE:
            columns[name_of_column] = column.cast(pa.int32())
        elif name_of_column in ("same_author", "caught"):
            columns[name_of_column] = column
        elif name_of_column == CLOSENESS:
            columns[name_of_column] = column.cast(pa.float32())
        elif name_of_column.startswith(_ROUNDED):
            columns[name_of_column] = kept_decimals(column.to_numpy(zero_copy_only=False).astype(np.float64))
    write_table(HERE / f"{name}.parquet", pa.table(columns))


def kept_decimals(values: FloatArray) -> pa.Array:
    """The numbers to the decimals that are kept; what is not a number is not there."""
    return pa.array(np.round(values, DECIMALS), pa.float64(), from_pandas=True)


def write_table(path: Path, table: pa.Table, *, first_stored: str | None = None) -> None:
    """A small Parquet file that says units; few numbers differ, so that a dictionary of them takes least room."""
    metadata = units_of(table) | ({FIRST_STORED.decode(): first_stored} if first_stored else {})
    stream = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), stream, compression="zstd", compression_level=19)
    write_whole(path, stream.getvalue())


@cache
def load(name: str) -> TrialTable:
    """The stored trials of a study, LLRs in nats."""
    table = pq.read_table(HERE / f"{name}.parquet")
    columns = {}
    for name_of_column in table.column_names:
        column = table.column(name_of_column).combine_chunks()
        if name_of_column == CLOSENESS:
            columns[name_of_column] = column.cast(pa.float64())
        else:
            columns[name_of_column] = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    return TrialTable(pa.table(columns))


def constants_text() -> str:
    """The content of constants.json."""
    entries = []
    for name, (n_authors, scores) in LEARNT.items():
        line = learnt(load(name), name)
        entries.append(
            {
                "scores": list(scores),
                "n_authors": n_authors,
                "level": rounded(scores, line.level),
                "slope": rounded(scores, line.slope),
            }
        )
    content = {"schema": 2, "source": " ".join(_source()), "constants": entries}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def rounded(scores: tuple[str, ...], weights: Weights) -> dict[str, float]:
    return {"alpha": round(weights.alpha, 3), **dict(zip(scores, (round(b, 3) for b in weights.betas), strict=True))}


def _source() -> Iterator[str]:
    yield (
        "Learnt by docs/validation/stored.py from judged trials of open English corpora (corpora weighing the same), "
        "whose authors had no part in the reference that normalised them."
    )
    for name, (n_authors, scores) in LEARNT.items():
        trials = load(name)
        corpora = ", ".join(dict.fromkeys(trials.column("corpus")))
        authors = {
            (corpus, author) for corpus, author in zip(trials.column("corpus"), trials.column("k_author"), strict=True)
        }
        path = HERE / f"{name}.parquet"
        first = pq.read_schema(path).metadata.get(FIRST_STORED)
        sha256 = (digest(path.read_bytes()) if first is None else first.decode())[:16]
        others = " Other corpora: as in matrix.parquet." if name == "forty" else ""
        yield (
            f"{name}.parquet ({sha256}): about {n_authors} reference authors, {', '.join(scores)}; {len(trials):,} "
            f"trials of {len(authors)} authors of {corpora}.{others}"
        )


def main() -> None:
    """The command line of this file."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] == "--constants":
        write_whole(CONSTANTS, constants_text())
    elif len(arguments) > 1:
        store(arguments[0], [Path(folder) for folder in arguments[1:]])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
