"""Everything that decides a study, checked for contradictions before anything is computed."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from idiograph.errors import InputError, StudyError, nearest
from idiograph.evidence.llr import NATS_PER
from idiograph.evidence.methods import METHODS
from idiograph.grammar.settings import LambdaGSettings
from idiograph.provenance import digest_json
from idiograph.studies.design import Design, Seeds
from idiograph.studies.drawing import Condition
from idiograph.studies.published import published_table3

PRESETS: Mapping[str, tuple[int, ...]] = {
    "paper-long": tuple(range(500, 9501, 1000)),  # the paper's Avocado and Twitter grids
    "paper-short": tuple(range(100, 501, 100)),  # the paper's Bolt grid
}


@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """One corpus of a study: where it is and which of its texts take part."""

    name: str
    path: str
    kind: str = "texts"  # or "problems": a ready-made set of verification problems
    masking: str | None = None  # None: the study's; "masked": it is already
    recipe: str | None = None
    exclude_authors: tuple[str, ...] = ()
    roles: bool = True  # False: texts marked as known and questioned are taken alike
    tokens_per_author: int | None = None  # whole texts beyond it are left out, in the order of their ids
    pool: str | None = None  # texts of the reference alone
    paper: str | None = None  # the corpus of the paper that it is compared with
    options: Mapping[str, Any] = field(default_factory=dict)  # of idiograph.read


@dataclass(frozen=True, kw_only=True)
class Study:
    """Everything that decides the digits of a study, and how its results are shown."""

    name: str
    corpora: tuple[CorpusSettings, ...]
    conditions: tuple[tuple[Condition, tuple[str, ...]], ...]  # each with the names of its corpora
    design: Design = field(default_factory=Design)
    leave_authors_out: bool = False
    runs: int = 1
    seeds: Seeds = field(default_factory=Seeds)
    vary: tuple[str, ...] = ("texts", "reference")
    masking: str = "posnoise"
    order: int = 10
    repetitions: int = 30
    discount: float = 0.75
    evidence: str = "none"  # kept with each trial: none, sentences (their λ) or tokens
    methods: tuple[str, ...] = ("square_root", "hapax", "sentence", "logistic")
    own: tuple[str, ...] = ()  # file.py:function in the study's folder
    baseline: str = "logistic"
    unit: str = "bits"
    compared_units: bool = False
    resamples: int = 1000  # of authors, for the intervals; 0: none
    folder: Path = field(default=Path(), compare=False)

    def run_seeds(self, run: int) -> Seeds:
        """The seeds of a run, the first being 0: those that vary go up by one a run."""
        return Seeds(**{name: value + (run if name in self.vary else 0) for name, value in asdict(self.seeds).items()})

    @property
    def all_methods(self) -> tuple[str, ...]:
        """The methods by key, one's own by the name of its function."""
        return (*self.methods, *(entry.partition(":")[2] for entry in self.own))

    def scored(self) -> dict[str, Any]:
        """The settings that decide scores: results may be shown anew without scoring when only others change."""
        shown = {"methods", "own", "baseline", "unit", "compared_units", "resamples", "folder", "leave_authors_out"}
        value = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in shown}
        value["conditions"] = [[asdict(condition), list(corpora)] for condition, corpora in self.conditions]
        for name in ("design", "seeds"):
            value[name] = asdict(value[name])
        value["corpora"] = [{k: v for k, v in asdict(corpus).items() if k != "paper"} for corpus in self.corpora]
        return dict(json.loads(json.dumps(value)))

    @property
    def digest(self) -> str:
        return digest_json(self.scored())


def check(study: Study, *, where: str = "The study") -> None:
    """An error in words about settings that cannot stand, alone or together."""
    for name, value, known in (
        *(("use", method, tuple(METHODS)) for method in study.methods),
        ("baseline", study.baseline, study.all_methods),
        ("unit", study.unit, tuple(NATS_PER)),
        ("pairs", study.design.pairs, ("trace", "source", "outside")),
        ("reference", study.design.reference, ("case", "all", "pool")),
        ("reference_texts", study.design.reference_texts, ("known", "all")),
        ("evidence", study.evidence, ("none", "sentences", "tokens")),
        *(("vary", seed, tuple(asdict(study.seeds))) for seed in study.vary),
    ):
        if value not in known:
            raise StudyError(f"{where}: {name} is {value!r}{nearest(value, known)}. Choose from {', '.join(known)}.")
    for name, number, fits, must in (
        ("runs", study.runs, study.runs >= 1, "1 or more"),
        ("resamples", study.resamples, study.resamples >= 0, "0 (no intervals) or more"),
        *((f"seed {name}", seed, seed >= 0, "0 or more") for name, seed in asdict(study.seeds).items()),
    ):
        if not fits:
            raise StudyError(f"{where}: {name} is {number} and must be {must}.")
    try:
        LambdaGSettings(order=study.order, repetitions=study.repetitions, discount=study.discount)
    except InputError as error:
        raise StudyError(f"{where}: {error}") from None
    if study.runs > 1 and not study.vary:
        raise StudyError(
            f"{where}: {study.runs} runs of which no seed varies are one run. Name seeds in vary, or run once."
        )
    trained = [method for method in study.methods if METHODS[method].learn is not None]
    if trained and study.design.calibration == 0 and not study.leave_authors_out:
        raise StudyError(
            f"{where}: {trained[0]} is trained on calibration authors, but their share is 0. Set a share, set "
            "leave_authors_out, or leave the method out."
        )
    for corpus in study.corpora:
        if corpus.kind not in ("texts", "problems"):
            raise StudyError(
                f"{where}: the kind of {corpus.name} is {corpus.kind!r}"
                f"{nearest(corpus.kind, ('texts', 'problems'))}. Choose texts or problems."
            )
        papers = tuple(published_table3())
        if corpus.paper is not None and corpus.paper not in papers:
            raise StudyError(
                f"{where}: the paper has no corpus {corpus.paper}{nearest(corpus.paper, papers)}. "
                f"Choose from {', '.join(papers)}."
            )
        if corpus.pool is not None and study.design.reference == "case":
            raise StudyError(
                f"{where}: corpus {corpus.name} names a pool, but the reference is made of case authors. "
                'Set reference = "pool" (the pool alone) or "all" (the pool and all other authors).'
            )
