"""Other languages: what the stored trials of languages.toml show, as tables for docs/languages.md.

python docs/validation/languages.py RESULTS    takes over a finished run of languages.toml
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph import MaskedText, read_study

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation.stored import ALONE, OTHER_LANGUAGES, load, store

from idiograph.arithmetic import quantile
from idiograph.evidence.metrics import METRICS, Counted
from idiograph.evidence.trials import Trials
from idiograph.files import write_whole
from idiograph.provenance import digest
from idiograph.studies.corpora import find_source, open_material
from idiograph.studies.trial_table import TrialTable
from idiograph.texts.language import language_name
from idiograph.texts.masking.rules import n_kept

HERE = Path(__file__).resolve().parent
STUDY, STORED, FACTS = HERE / "languages.toml", HERE / "languages.parquet", HERE / "languages.json"
RESAMPLES = 1_000
DRAWN = {"contiguous": "as in a case", "random": "at random"}
OTHERS = {"square_root": "Square Root", "hapax": "Hapax", "sentence": "Sentence", "logistic": "Logistic"}


def take_over(results: Path) -> None:
    """Keeps the judged trials of a finished run, and what they do not say themselves."""
    store(OTHER_LANGUAGES, [results])
    study = read_study(STUDY)
    corpora = {}
    for settings in study.corpora:
        source = find_source(study, settings)
        index = open_material(source.folder).index
        sentences = tuple(index.tokens_of(number) for number in range(index.n_sentences))
        kept = n_kept(MaskedText(settings.name, None, sentences, str(settings.masking)))
        assert kept is not None, "a masking of ours"
        corpora[settings.name] = {
            "texts": source.inputs[0].sha256,
            "tokens": index.n_tokens,
            "kept": kept,
            "authors": len(index.authors),
        }
    facts = {"study": digest(STUDY.read_bytes()), "trials": digest(STORED.read_bytes()), "corpora": corpora}
    write_whole(FACTS, json.dumps(facts, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True, eq=False)
class Cell:
    """The judged trials of one corpus under one condition, all draws together."""

    corpus: str
    condition: str
    trials: TrialTable

    @property
    def language(self) -> str:
        return self.corpus.split("_")[0]

    @property
    def masking(self) -> str:
        return self.corpus.split("_")[1]

    @cached_property
    def keys(self) -> list[tuple[int, str, str]]:
        """What tells a trial from the others, and finds it again under another masking."""
        columns = (self.trials.column(name).tolist() for name in ("run", "k_author", "q_author"))
        return list(zip(*columns, strict=True))

    @property
    def authors(self) -> list[str]:
        return sorted({*self.trials.column("k_author"), *self.trials.column("q_author")})

    def sharing(self, other: "Cell") -> "Cell":
        """The trials that the other cell has too, in one order."""
        shared = set(self.keys) & set(other.keys)
        places = sorted((key, position) for position, key in enumerate(self.keys) if key in shared)
        return replace(self, trials=TrialTable(self.trials.table.take([position for _, position in places])))

    def counted(self, method: str) -> Counted:
        """The LLRs of a method: all trials once, and then as often as their authors were drawn."""
        same = self.trials.same
        nats = self.trials.llr(method)
        number_of = {author: number for number, author in enumerate(self.authors)}
        times = _times(len(number_of))
        k, q = (np.array([number_of[name] for name in self.trials.column(side)]) for side in ("k_author", "q_author"))
        return Counted(
            Trials.of(same=nats[same], different=nats[~same]),
            times[:, k[same]],
            times[:, k[~same]] * times[:, q[~same]],
        )

    def values(self, metric: str, method: str) -> npt.NDArray[np.float64]:
        """A metric of the trials, and then of every resample of their authors."""
        return METRICS[metric](self.counted(method))


def _times(n_authors: int) -> npt.NDArray[np.float64]:
    """How often each author counts: once, and then as often as they were drawn with replacement."""
    rng = np.random.default_rng(0)
    drawn = [np.bincount(rng.integers(n_authors, size=n_authors), minlength=n_authors) for _ in range(RESAMPLES)]
    return np.stack([np.ones(n_authors, np.int64), *drawn]).astype(np.float64)


def cells() -> Iterator[Cell]:
    """Every corpus under every condition, those drawn as in a case first."""
    trials = load(OTHER_LANGUAGES)
    corpora, conditions = trials.column("corpus"), trials.column("condition")
    for corpus in dict.fromkeys(corpora):
        for condition in sorted(set(conditions[corpora == corpus]), key=_order):
            yield Cell(corpus, condition, trials.where((corpora == corpus) & (conditions == condition)))


def _order(condition: str) -> tuple[int, int]:
    drawing, q, _ = condition.split("_")
    return [*DRAWN].index(drawing), int(q[1:])


def results_table() -> str:
    """Every language, masking and condition: how well scores rank, and what LLRs cost."""
    methods = ["without English", *OTHERS.values()]
    lines = [
        "| language | masking | tokens kept | drawn | Q/K | authors | trials | AUC of λG | AUC | Cllr | "
        + " | ".join(methods)
        + " |",
        "|---|---|---:|---|---|---:|---:|---|---|---|" + "---:|" * len(methods),
    ]
    kept = _facts()["corpora"]
    for cell in cells():
        facts = kept[cell.corpus]
        shown = [
            language_name(cell.language),
            f"`{cell.masking}`",
            f"{100 * facts['kept'] / facts['tokens']:.0f} %",
            *_where(cell),
            f"{len(cell.authors)}",
            f"{int(cell.trials.same.sum())} + {int((~cell.trials.same).sum())}",
            _interval(cell.values("auc", "raw")),
            _interval(cell.values("auc", "normalised")),
            _interval(cell.values("cllr", "normalised")),
            *(f"{cell.values('cllr', method)[0]:.2f}" for method in (ALONE, *OTHERS)),
        ]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def differences_table() -> str:
    """The list less each tagger's masking on the trials that both have."""
    lines = [
        "| language | list less | drawn | Q/K | trials | AUC of λG | AUC | Cllr |",
        "|---|---|---|---|---:|---|---|---|",
    ]
    by_cell = {(cell.corpus, cell.condition): cell for cell in cells()}
    for (corpus, condition), tagged in by_cell.items():
        if tagged.masking == "list":
            continue
        listed = by_cell[f"{tagged.language}_list", condition]
        ours, theirs = listed.sharing(tagged), tagged.sharing(listed)
        gaps = [
            _interval(ours.values(metric, method) - theirs.values(metric, method), as_="+.3f")
            for metric, method in (("auc", "raw"), ("auc", "normalised"), ("cllr", "normalised"))
        ]
        shown = [
            language_name(tagged.language),
            f"`{corpus.split('_')[1]}`",
            *_where(tagged),
            f"{len(ours.keys):,}",
            *gaps,
        ]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def _where(cell: Cell) -> tuple[str, str]:
    drawing, q, k = cell.condition.split("_")
    return DRAWN[drawing], f"{int(q[1:]):,}/{int(k[1:]):,}"


def _interval(values: npt.NDArray[np.float64], as_: str = ".2f") -> str:
    drawn = values[1:][np.isfinite(values[1:])].tolist()
    return f"{values[0]:{as_}} ({quantile(drawn, 0.025):{as_}} to {quantile(drawn, 0.975):{as_}})"


def _facts() -> Mapping[str, Any]:
    facts: Mapping[str, Any] = json.loads(FACTS.read_text(encoding="utf-8"))
    return facts


def main() -> None:
    """The command line of this file."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    take_over(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
