"""The trials of a study: problems with their answers and scores, kept in Parquet.

The bridge to the R package idiolect: its result columns K, Q, target and score, there and back.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, total
from idiograph.errors import InputError, StudyError, cannot_read, is_out_of_memory, refuse_too_little_memory
from idiograph.evidence.trials import ScoredTrials, sentence_norm
from idiograph.files import as_path, write_whole
from idiograph.grammar.lambdag import Score
from idiograph.showing import Tabular, one_line
from idiograph.spreadsheet import csv_rows
from idiograph.studies.problems import Plan, Planned
from idiograph.texts.problem import Problem

if TYPE_CHECKING:
    import pyarrow as pa


LLR_PREFIX = "llr_"
SCORE_PREFIX = "score_"  # scores besides λG, which are not there for every trial
NORMED_PREFIX = "normed_"
COHORT = "cohort"
DRAW, IMPOSTOR = "draw", "impostor"  # how a judged trial was drawn if not as its reference; whether K is an impostor's
# Of such a trial, the scores of its Q with the reference authors' Ks, of their Qs with its K, both in the order of the
# authors' names, and, where one of the fold's is missing, of these authors with each other.
ROW, COLUMN, AMONG = "row_", "column_", "among_"
_PLAIN_NAMES = ("distinct", "closeness")  # scores whose columns have no prefix


@dataclass(frozen=True)
class Trial:
    """One row: a problem, its answer, its seeds and its score, and LLRs in nats by method."""

    study: str
    corpus: str
    condition: str
    run: int
    half: str
    fold: int
    problem: str
    q_id: str
    k_author: str
    q_author: str
    same_author: bool
    split_seed: int
    texts_seed: int
    reference_seed: int
    n_tokens: int
    n_hapaxes: int
    n_sentences: int
    k_tokens: int
    k_sentences: int
    reference_sentences: int
    lambda_g: float
    distinct: float
    known_total: float
    sentence_norm: float
    reference_totals: FloatArray
    sentence_lambdas: FloatArray | None
    evidence: FloatArray | None
    scores: Mapping[str, float | None]  # besides λG; None where it was not computed
    llrs: Mapping[str, float | None]  # None where the method was trained on the trial


_ARROW: Mapping[Any, str] = {str: "string", bool: "bool", int: "int32", float: "double", FloatArray: "list<double>"}
# Column, Arrow type. Lists that were not asked for are absent, not empty.
_COLUMNS: Mapping[str, str] = {
    field.name: "int64" if field.name.endswith("_seed") else _ARROW[field.type]
    for field in fields(Trial)
    if field.type in _ARROW
}
_PLANNED = ("half", "fold", "q_id", "k_author", "q_author", "same_author")  # as a planned problem has them
_SCORED = ("n_tokens", "n_hapaxes", "n_sentences", "lambda_g", "distinct", "known_total")  # as a score has them
_KEPT: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "sentences": ("sentence_lambdas",),
    "tokens": ("sentence_lambdas", "evidence"),
}

_LOG10 = "log10 of a ratio of probabilities"
_SUMMED = f"{_LOG10}, summed over tokens; not calibrated"
_NO_UNIT = "a score without a unit"
# What the numbers of a column are in; columns that begin alike are in the same.
_UNITS: Mapping[str, str] = {
    "run": "number, the first is 0",
    "fold": "number, the first is 0; -1: there are no folds",
    **dict.fromkeys(("split_seed", "texts_seed", "reference_seed"), "seed"),
    **dict.fromkeys(("n_tokens", "k_tokens"), "tokens"),
    "n_hapaxes": "tokens that occur once",
    **dict.fromkeys(("n_sentences", "k_sentences", "reference_sentences"), "sentences"),
    **dict.fromkeys(("lambda_g", "distinct"), _SUMMED),
    "known_total": "log10 of a probability",
    "sentence_norm": f"{_LOG10}; the root of the sum of squares over sentences",
    "reference_totals": "log10 of a probability, one per reference model",
    "sentence_lambdas": f"{_LOG10}, one per sentence",
    "evidence": f"{_LOG10}, one per token and sentence end",
    "closeness": "cosine of content words, 0 to 1",
}
_UNITS_BY_PREFIX: Mapping[str, str] = {
    "with_cohort_kept_distinct": f"{_SUMMED}; one per reference author",
    "with_cohort_distinct": f"{_SUMMED}; one per reference author",
    "with_cohort_": f"{_NO_UNIT}, one per reference author",
    **{f"{prefix}distinct": f"{_SUMMED}; one per reference author" for prefix in (ROW, COLUMN)},
    **dict.fromkeys((ROW, COLUMN), f"{_NO_UNIT}, one per reference author"),
    AMONG: f"{_NO_UNIT}, one per pair of reference authors",
    "away_": "standard deviations of the reference authors' means",  # in docs/validation
    f"{SCORE_PREFIX}kept_distinct": _SUMMED,
    f"{SCORE_PREFIX}unlisted_distinct": _SUMMED,
    f"{SCORE_PREFIX}bare_distinct": _SUMMED,
    SCORE_PREFIX: _NO_UNIT,
    NORMED_PREFIX: "standard deviations of the cohort's scores",
    LLR_PREFIX: "nats (natural logarithm of a likelihood ratio)",
}


def units_of(table: "pa.Table") -> dict[str, str]:
    """What a Parquet file says of its columns of numbers: under `units`, in JSON, what each is in."""
    units = {}
    for name in table.column_names:
        by_prefix = (unit for prefix, unit in _UNITS_BY_PREFIX.items() if name.startswith(prefix))
        if (unit := _UNITS.get(name) or next(by_prefix, None)) is not None:
            units[name] = unit
    return {"units": json.dumps(units, ensure_ascii=False)}


@one_line
@dataclass(frozen=True)
class TrialTable(Tabular):
    """Many trials, column by column: `to_arrow()`, `to_pandas()`, or whatever reads Arrow, gives a data frame."""

    table: "pa.Table"

    @property
    def in_a_line(self) -> str:
        """How many trials there are, and by which methods."""
        return f"{len(self):,} trials, LLRs by {', '.join(self.methods) or 'no method yet'}"

    def to_arrow(self) -> "pa.Table":
        """The trials as an Arrow table; its schema says the unit of each column."""
        return self.table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def column(self, name: str) -> npt.NDArray[Any]:
        """A column of single values as an array; names as Python strings."""
        return np.asarray(self.table.column(name).to_numpy(zero_copy_only=False))

    @cached_property
    def same(self) -> npt.NDArray[np.bool_]:
        """Which trials are by one author."""
        return self.column("same_author").astype(bool)

    @cached_property
    def case(self) -> npt.NDArray[np.bool_]:
        """Which trials are judged; the others are there to train methods on."""
        return np.asarray(self.column("half") == "case", bool)

    @property
    def plain(self) -> "TrialTable":
        """The trials that were not attacked."""
        return self.where(self.column("half") != "attacked")

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that have given each trial an LLR."""
        return tuple(name.removeprefix(LLR_PREFIX) for name in self.table.column_names if name.startswith(LLR_PREFIX))

    def llr(self, method: str) -> FloatArray:
        """LLRs in nats, one per trial; NaN where a method was trained on it."""
        return self.column(LLR_PREFIX + method).astype(np.float64)

    @cached_property
    def scored(self) -> ScoredTrials:
        """What the methods read."""
        return ScoredTrials(
            q_authors=self.column("q_author"),
            k_authors=self.column("k_author"),
            same_author=self.same,
            lambda_g=self.column("lambda_g"),
            n_tokens=self.column("n_tokens"),
            n_hapaxes=self.column("n_hapaxes"),
            sentence_norms=self.column("sentence_norm"),
            scores={name: self.score(name) for name in self.scores},
        )

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores besides λG that some trials have."""
        names = self.table.column_names
        plain = tuple(name for name in _PLAIN_NAMES if name in names)
        return (*plain, *(name.removeprefix(SCORE_PREFIX) for name in names if name.startswith(SCORE_PREFIX)))

    def score(self, name: str) -> FloatArray:
        """A score of each trial; NaN where it was not computed."""
        return self.column(score_column(name)).astype(np.float64)

    def normed(self, names: Sequence[str]) -> FloatArray:
        """Normalised scores, one row per trial and one column per name."""
        return np.stack([self.column(NORMED_PREFIX + name).astype(np.float64) for name in names], axis=1)

    def lists(self, name: str, places: npt.NDArray[np.int64]) -> FloatArray:
        """A column of lists of one length: those at these places, one row each; no place needs no column."""
        return np.array(self.table.column(name).take(places).to_pylist() if len(places) else [], np.float64)

    def groups(self) -> Iterator[tuple[tuple[str, str, int], npt.NDArray[np.int64]]]:
        """The places of the trials of each corpus, condition and run, in the order in which these first appear."""
        places: dict[tuple[str, str, int], list[int]] = {}
        columns = (self.column(name) for name in ("corpus", "condition", "run"))
        for row, (corpus, condition, run) in enumerate(zip(*columns, strict=True)):
            places.setdefault((corpus, condition, int(run)), []).append(row)
        for key, rows in places.items():
            yield key, np.array(rows, np.int64)

    def where(self, mask: npt.NDArray[np.bool_]) -> "TrialTable":
        """The trials for which the mask is true, in order."""
        return TrialTable(self.table.filter(np.asarray(mask, bool)))

    def with_columns(self, columns: Mapping[str, Sequence[str]]) -> "TrialTable":
        """The same trials with other words in some columns."""
        import pyarrow as pa

        table = self.table
        for name, values in columns.items():
            table = table.set_column(table.column_names.index(name), name, pa.array(values, pa.string()))
        return TrialTable(table)

    def take(self, places: npt.NDArray[np.int64]) -> "TrialTable":
        """The trials at these places, in this order."""
        return TrialTable(self.table.take(places).combine_chunks())

    def rows(self) -> list[Trial]:
        """Each trial on its own, as a method of one's own sees it."""
        columns = {name: self.table.column(name).to_pylist() for name in self.table.column_names}
        lists = {name: columns.get(name) for name in ("reference_totals", "sentence_lambdas", "evidence")}
        rows = []
        for number in range(len(self)):
            arrays: dict[str, Any] = {
                name: None if kept is None else np.array(kept[number]) for name, kept in lists.items()
            }
            values = {name: columns[name][number] for name in _COLUMNS if name not in lists}
            scores = {name: columns[score_column(name)][number] for name in self.scores if name != "distinct"}
            llrs = {method: columns[LLR_PREFIX + method][number] for method in self.methods}
            rows.append(Trial(**values, **arrays, scores=scores, llrs=llrs))
        return rows

    def with_llrs(
        self,
        llrs: Mapping[str, FloatArray],
        *,
        normed: Mapping[str, FloatArray] | None = None,
        cohorts: Sequence[str | None] | None = None,
    ) -> "TrialTable":
        """The same trials with these LLRs in nats, and no others; and what the reference-normalised ones come from."""
        import pyarrow as pa

        derived = (LLR_PREFIX, NORMED_PREFIX, COHORT)
        table = self.table.select([name for name in self.table.column_names if not name.startswith(derived)])
        columns = {NORMED_PREFIX + name: values for name, values in (normed or {}).items()}
        columns |= {LLR_PREFIX + method: values for method, values in llrs.items()}
        if cohorts is not None:
            table = table.append_column(COHORT, pa.array(cohorts, pa.string()))
        for name, values in columns.items():
            # Where a method has no LLR there is none, not a number that is none.
            table = table.append_column(name, pa.array(values, pa.float64(), from_pandas=True))
        return TrialTable(table)


def trials_of(
    study: str,
    run: int,
    plan: Plan,
    planned: Sequence[Planned],
    problems: Sequence[Problem],
    scores: Sequence[Score],
    *,
    evidence: str = "none",
    more: Mapping[str, FloatArray | Sequence[float]] | None = None,
) -> TrialTable:
    """The trials of scored problems of one plan, in their order; `more` are scores besides λG, NaN where none is."""
    import pyarrow as pa

    columns: dict[str, list[Any]] = {name: [] for name in (*_COLUMNS, *_KEPT[evidence])}
    for of_trial, problem, score in zip(planned, problems, scores, strict=True):
        lambdas = [total(tokens) for tokens in score.evidence]
        asked_for = of_trial.half == "case" or (of_trial.fold < 0 and of_trial.half != "cohort")
        row: dict[str, Any] = {
            "study": study,
            "corpus": plan.corpus,
            "condition": plan.condition.name,
            "run": run,
            "problem": of_trial.id,
            **{name: getattr(of_trial, name) for name in _PLANNED},
            "split_seed": plan.seeds.split,
            "texts_seed": plan.seeds.texts,
            "reference_seed": plan.seeds.reference,
            **{name: getattr(score, name) for name in _SCORED},
            "k_tokens": problem.k.n_tokens,
            "k_sentences": problem.k.n_sentences,
            "reference_sentences": problem.reference.n_sentences,
            "sentence_norm": sentence_norm(score.evidence),
            # Of trials that only normalise others nobody asks for the single models.
            "reference_totals": list(score.reference_totals) if asked_for else [],
            "sentence_lambdas": lambdas,
            "evidence": np.concatenate(score.evidence) if evidence == "tokens" else None,
        }
        for name, values in columns.items():
            values.append(row[name])
    types = {**_COLUMNS, **dict.fromkeys(_KEPT[evidence], "list<double>")}
    table = pa.table({name: pa.array(values, _arrow(types[name])) for name, values in columns.items()})
    for name, added in (more or {}).items():
        table = table.append_column(score_column(name), pa.array(added, pa.float64(), from_pandas=True))
    return TrialTable(table)


def score_column(name: str) -> str:
    """What the column of a score is called."""
    return name if name in _PLAIN_NAMES else SCORE_PREFIX + name


def _arrow(name: str) -> "pa.DataType":
    import pyarrow as pa

    return pa.list_(pa.float64()) if name == "list<double>" else pa.type_for_alias(name)


def join(parts: Iterable[TrialTable]) -> TrialTable:
    """The trials of all parts, one after the other, without LLRs."""
    import pyarrow as pa

    tables = [part.with_llrs({}).table for part in parts]
    # Scores that some parts have and others do not are not there for the trials of these.
    return TrialTable(pa.concat_tables(tables, promote_options="default").combine_chunks())


_PARQUET = 50_000_000  # bytes of memory that reading and writing take; without them Arrow ends the process


def to_bytes(trials: TrialTable) -> bytes:
    """A Parquet file whose bytes depend on the trials alone."""
    refuse_too_little_memory(_PARQUET)
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    with pq.ParquetWriter(stream, trials.table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(trials.table, row_group_size=20_000)
        writer.add_key_value_metadata(units_of(trials.table))
    return stream.getvalue()


def read_trials(path: Path) -> TrialTable:
    """The trials of a Parquet file; a file that is not one, or lacks columns, is refused in words."""
    refuse_too_little_memory(_PARQUET)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # A trial takes some bytes, so a file that claims more trials than it has bytes would only fill the memory.
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > path.stat().st_size:
                raise StudyError(f"{path} is damaged: it says that it has {file.metadata.num_rows:,} rows.")
            _refuse_odd_columns(path, file.schema_arrow)
            table = file.read()
        table.validate(full=True)
        for name in _COLUMNS:
            if table.column(name).null_count:
                raise StudyError(f"{path} is not a file of trials: {name} is not there for every trial.")
    except (OSError, MemoryError, OverflowError, ValueError, pa.ArrowException) as error:
        # A damaged file can ask for more memory than there is; a thread asks for little.
        if not isinstance(error, MemoryError) and is_out_of_memory(error):
            raise MemoryError(str(error)) from error
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise StudyError(f"{path} is damaged or not a file of trials ({why}).") from error
    return TrialTable(table)


def _refuse_odd_columns(path: Path, schema: "pa.Schema") -> None:
    types = dict(zip(schema.names, schema.types, strict=True))
    missing = [name for name in _COLUMNS if name not in types]
    if missing:
        raise StudyError(f"{path} is not a file of trials: it has no column {', '.join(missing[:5])}.")
    lists = dict.fromkeys(name for names in _KEPT.values() for name in names)
    for name, kind in types.items():
        derived = name.startswith((LLR_PREFIX, SCORE_PREFIX, NORMED_PREFIX)) or name in _PLAIN_NAMES
        if name not in _COLUMNS and name not in lists and not derived:
            continue
        wanted = _arrow(_COLUMNS.get(name, "list<double>" if name in lists else "double"))
        if kind != wanted:
            raise StudyError(f"{path} is not a file of trials: {name} is {kind} and must be {wanted}.")
    if len(types) < len(schema.names):
        raise StudyError(f"{path} is not a file of trials: a column occurs twice.")


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


_TARGETS = {"TRUE": True, "T": True, "1": True, "FALSE": False, "F": False, "0": False}


def read_idiolect(path: Path | str) -> IdiolectResults:
    """The columns K, Q, target and score of a CSV at `path`, written by R; others are passed over."""
    path = as_path(path, "The results of idiolect")
    trials: list[tuple[str, str, bool, float]] = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            missing = [name for name in ("K", "Q", "target", "score") if name not in (rows.fieldnames or ())]
            for row in rows if not missing else ():
                try:
                    same = _TARGETS[(row["target"] or "").strip().upper()]
                    trials.append((row["K"], row["Q"], same, float(row["score"] or "")))
                except (KeyError, ValueError):
                    raise InputError(
                        f"{path}, line {rows.line_num}: target is {row['target']!r} and score {row['score']!r}. target "
                        "must be TRUE or FALSE and score a number."
                    ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not a CSV file in UTF-8 ({error}). Write it with write.csv in R.") from error
    except OSError as error:
        raise cannot_read(path, error) from error
    if missing or not trials:
        raise InputError(
            f"{path} has no {'column ' + ', '.join(missing) if missing else 'row'}. idiolect's results have K, Q, "
            "target and score; write them with write.csv, or write the trials of a study."
        )
    k, q, target, score = zip(*trials, strict=True)
    return IdiolectResults(k, q, np.array(target), np.array(score))
