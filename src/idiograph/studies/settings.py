"""`study.toml`: everything that decides a study, read and checked for contradictions before anything is computed.

The paper's own figures (Barlow, Nini & Manino 2026), to measure the distance of a study from them.

Which problems a study makes of a corpus, and by which seeds.

Settings of a study that cannot stand together, each refused with what to change.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path, PurePath
from typing import Any, Literal

from idiograph.checking import LARGEST_SEED, check, fits, in_order, shown, whole_number
from idiograph.errors import StudyError, nearest
from idiograph.evidence.comparators import COMPARATORS
from idiograph.evidence.constants import CONSTANTS, NONE
from idiograph.evidence.held import LIMITING
from idiograph.evidence.llr import NATS_PER
from idiograph.evidence.methods import METHODS
from idiograph.files import as_path
from idiograph.grammar.settings import DISCOUNT, ORDER, REPETITIONS
from idiograph.provenance import digest_json
from idiograph.records import shipped_record
from idiograph.settings import (
    changed,
    check_settings,
    read_settings,
    read_tables,
    setting,
    to_toml,
)
from idiograph.showing import one_line
from idiograph.studies.attack import Attack
from idiograph.studies.drawing import Closeness, Condition, Drawing
from idiograph.studies.outside import read_outside
from idiograph.texts.language import ENGLISH
from idiograph.texts.masking.rules import LANGUAGE, MODEL, WORD_LIST, hides_content
from idiograph.texts.masking.rules import METHODS as MASKINGS
from idiograph.texts.reading.options import ReadingOptions
from idiograph.toml import read_toml, relative


@lru_cache(maxsize=1)
def _figures() -> Mapping[str, Any]:
    return shipped_record("idiograph.studies", "published.json")


def papers_method(method: str) -> str:
    """The method of the paper that figures of ours stand beside: its own name, but for our other logistic regression.

    The paper calibrated by idiolect, which calls R's glm: `logistic_glm`. `logistic` is fitted to its maximum, and
    shrunk where the classes are separated; the paper's figures stand beside it, too, and it is not what they are of.
    """
    return str(_figures()["beside"].get(method, method))


def _with_ours(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Figures by the paper's methods, also under the names of those of ours that stand beside them."""
    return {**figures, **{ours: figures[theirs] for ours, theirs in _figures()["beside"].items() if theirs in figures}}


def published_table2() -> dict[tuple[str, str], tuple[float, float]]:
    """(method, comparator) -> per cent of tests won, and of losses that were close."""
    table: dict[str, dict[str, tuple[float, float]]] = {}
    for row in _figures()["table2"]:
        pair = (row["first"], row["second"])
        for method, comparator, side in ((*pair, 0), (*pair[::-1], 1)):
            table.setdefault(method, {})[comparator] = (float(row["wins"][side]), float(row["close_losses"][side]))
    return {
        (method, comparator): figures
        for method, row in _with_ours(table).items()
        for comparator, figures in _with_ours(row).items()
    }


def published_table3() -> dict[str, dict[str, tuple[float, float]]]:
    """Corpus -> method -> mean Cllr and its sd over five runs."""
    table = _figures()["table3"]
    return {
        corpus: {method: (row[0], row[1]) for method, row in _with_ours(methods).items()}
        for corpus, methods in table.items()
    }


def published_lengths() -> tuple[Mapping[str, Any], ...]:
    """What the paper says of its length grids: of each corpus and correction, beside its logistic regression."""
    return tuple(_figures()["lengths"])


Pairs = Literal["trace", "source", "outside", "all"]
ReferenceAuthors = Literal["case", "own half", "all", "pool"]
ReferenceTexts = Literal["known", "all"]
CALIBRATION = 0.4  # the paper's share of calibration authors
_SEED: dict[str, Any] = {"minimum": 0, "maximum": LARGEST_SEED}


@dataclass(frozen=True)
class Seeds:
    """What is drawn at random, kept apart: who is in which half and paired with whom, which texts and sentences make
    up Q and K, and which sentences the reference models are made of."""

    split: int = setting(1, **_SEED, help="Who is in which half, and paired with whom.")
    texts: int = setting(1, **_SEED, help="Which texts and sentences make up Q and K.")
    reference: int = setting(1, **_SEED, help="Which sentences the reference models are made of.")

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)


@dataclass(frozen=True, kw_only=True)
class Design:
    """Which problems are made of a corpus.

    Each author has one same-author problem and `n_pairs` different-author ones, of one half. The reference never holds
    the two authors at hand. Calibration problems have the same reference as case problems, so that their scores are
    alike, unless each half is to be its own reference. With pairs = "all" there are no halves: authors are left out by
    folds, and whoever is not in the fold of a trial is its reference, which it is normalised and calibrated by.
    """

    calibration: float = setting(
        None,
        minimum=0,
        maximum=1,
        help="The share of authors in the calibration half; below 1, so that case authors remain (default: "
        f'{CALIBRATION}; with pairs = "all" none).',
    )
    pairs: Pairs = setting(
        "trace",
        help="Different-author problems: another author's K for each Q (trace), another's Q for each K (source), a "
        "case author's K and the Q of an author outside the case data (outside), or every Q with every K, judged by "
        "the authors outside the fold of the trial's own (all).",
    )
    n_pairs: int = setting(1, minimum=1, maximum=100_000, help="Different-author problems per author.")
    reference: ReferenceAuthors = setting(
        "case",
        help="Whose texts the reference holds: the other case authors', the other authors' of the problem's own half, "
        "all others', or only those of a pool.",
    )
    reference_texts: ReferenceTexts = setting("known", help="Which of their texts: those marked as known, or all.")
    fewest_authors: int = setting(
        4, minimum=2, maximum=100_000, help="Authors needed in each half; with fewer, a condition is refused."
    )

    fold: int = setting(
        6,
        minimum=2,
        maximum=1_000,
        help='With pairs = "all": about how many authors are left out together; there are at least three folds.',
    )
    most_authors: int = setting(
        30,
        minimum=8,
        maximum=100_000,
        help='With pairs = "all": the most authors that take part, drawn at random; the work grows with their square.',
    )
    groups: int | None = setting(
        None,
        minimum=2,
        maximum=1_000,
        help='With pairs = "all": the folds are put into so many groups, and λG\'s reference leaves out all authors of '
        "a group at once, which saves time (default: each fold is a group).",
    )
    cohort: int | None = setting(
        None,
        minimum=5,
        maximum=100_000,
        help='The number of reference authors of normalised, controlled and guarded: of each fold with pairs = "all" '
        "(default: all that are not in it), else of the calibration half (default: at most 30, drawn at random; the "
        "work grows with their square).",
    )

    cases: Sequence[Closeness] = setting(
        (),
        help='With pairs = "all": the draws of left-out authors that are judged as well, by the same reference (near, '
        "random, far; default: as the reference is drawn, and no other).",
    )
    impostors: int = setting(
        0,
        minimum=0,
        maximum=100,
        help='With pairs = "all": how many other authors, those who come closest to the topic of an author\'s Q, are '
        "compared with it as impostors.",
    )

    def __post_init__(self) -> None:
        given: float | None = self.calibration
        if given is None:
            object.__setattr__(
                self, "calibration", 0.0 if isinstance(self.pairs, str) and self.pairs == "all" else CALIBRATION
            )
        check_settings(self, error=StudyError)
        if self.pairs != "all" and (self.cases or self.impostors):
            raise StudyError('cases and impostors belong to pairs = "all". Leave them out, or make these pairs.')
        if self.pairs == "all" and self.calibration:
            raise StudyError(
                'With pairs = "all" each trial is judged by the authors outside its fold, so no half is set apart. '
                "Leave out calibration, or make other pairs."
            )
        if self.pairs != "all" and self.groups is not None:
            raise StudyError('groups belongs to pairs = "all". Leave it out, or make these pairs.')
        if self.cohort is not None and self.groups is not None:
            raise StudyError(
                "A cohort is that of a single fold, so folds cannot be grouped. Leave out cohort or groups."
            )
        if self.calibration == 1:
            raise StudyError(
                "The share of calibration authors is 1. It must be below 1, because case authors must remain."
            )
        if self.pairs == "outside" and self.calibration == 0:
            raise StudyError(
                "Different-author pairs from outside the case data need authors outside it, but the calibration "
                "share is 0. Set a share, or pair by trace or source."
            )
        if self.reference == "own half" and self.pairs == "all":
            raise StudyError(
                'With pairs = "all" there are no halves, so none is its own reference. Set reference to "case" or '
                '"all", or make other pairs.'
            )

    def as_json(self) -> dict[str, Any]:
        """What decides the problems; settings that came later are left out where they say what was done before."""
        return {name: value for name, value in asdict(self).items() if value or name not in ("cases", "impostors")}


def refuse_contradictions(study: "Study") -> None:
    """An error about settings that cannot stand together."""
    if not study.corpora:
        raise StudyError("There are no corpora. A study needs at least one, each under [[corpora]].")
    try:
        known = study.all_methods
    except StudyError as error:
        raise StudyError(f"outside must name a file of scores. {error}") from None
    names = [corpus.name for corpus in study.corpora]
    if len(set(names)) < len(names):
        raise StudyError("Two corpora have the same name. Results name corpora, so rename one.")
    if len(set(known)) < len(known):
        raise StudyError(
            f"Two methods have the same name ({', '.join(known)}). Results name methods, so rename your own."
        )
    if study.baseline not in known:
        raise StudyError(
            f"baseline must be one of the methods in use ({', '.join(known)}), not {shown(study.baseline)}"
            f"{nearest(study.baseline, known)}."
        )
    if study.runs > 1 and not study.vary:
        raise StudyError(
            f"{study.runs} runs in which no seed varies are the same run. Name seeds in vary, or run once."
        )
    for corpus in study.corpora:
        _refuse_halves(study, corpus)
    if study.design.cohort is not None and study.design.pairs != "all" and not study.by_matrix:
        raise StudyError(
            "cohort is the number of reference authors of normalised, controlled and guarded, and none is in use. Add "
            "one, or leave cohort out."
        )
    if study.attack.on and study.design.pairs != "all":
        raise StudyError(
            'An attacked problem is judged by the authors outside its fold. Set pairs = "all" in [design], or leave '
            "out [attack]."
        )
    if study.attack.on and study.reads_originals:
        raise StudyError(
            "Phrases are put into masked texts, which have no originals. Leave out typing and original, or [attack]."
        )
    _refuse_odd_scores(study)
    for entry in study.own:
        _refuse_elsewhere(entry, study.folder)
    for corpus in study.corpora:
        if corpus.writers is not None and corpus.kind != "problems":
            raise StudyError(
                f"Corpus {corpus.name} has a file of writers, which only a ready-made set of problems needs. Leave it "
                'out, or set kind = "problems".'
            )
        if corpus.pool is not None and study.design.reference == "case":
            raise StudyError(
                f"Corpus {corpus.name} names a pool, but the reference is made of case authors. "
                'Set reference = "pool" (the pool alone) or "all" (the pool and all other authors).'
            )


def _refuse_halves(study: "Study", corpus: "CorpusSettings") -> None:
    """An error about a corpus whose calibration authors are not there, or are not wanted."""
    try:
        share = study.design_of(corpus.name).calibration
    except StudyError as error:
        raise StudyError(f"Corpus {corpus.name}: {error}") from None
    if study.leave_authors_out and (share or corpus.training):
        raise StudyError(
            "leave_authors_out calibrates each problem on all others, so no authors are set apart. Leave out "
            f"{'training' if corpus.training else 'calibration'}, or leave_authors_out."
        )
    if corpus.training is not None:
        _refuse_training(study, corpus)
        return
    trained = [method for method in study.methods if METHODS[method].needs & {"training set", "score matrix"}]
    if trained and share == 0 and not study.leave_authors_out and study.design.pairs != "all":
        raise StudyError(
            f"{trained[0]} is trained on calibration authors, but their share is 0. Set a share, set "
            "leave_authors_out, or leave the method out."
        )
    if share == 0 and study.design.reference == "own half":
        raise StudyError(
            'reference = "own half" needs two halves, but no authors are set apart for calibration. Set a share, or '
            "take another reference."
        )


def _refuse_training(study: "Study", corpus: "CorpusSettings") -> None:
    """An error about a training corpus that is not one."""
    others = {other.name: other for other in study.corpora if other is not corpus}
    if corpus.training not in others:
        raise StudyError(
            f"Corpus {corpus.name}: training names no other corpus of the study ({shown(corpus.training)})"
            f"{nearest(str(corpus.training), list(others))}. Put the training texts under [[corpora]], too."
        )
    training = others[corpus.training]
    if study.design.pairs == "all":
        raise StudyError(
            f'Corpus {corpus.name} is to be calibrated on {training.name}, but with pairs = "all" each trial is judged '
            "by the authors outside its fold. Leave out training, or make other pairs."
        )
    if corpus.calibration is not None:
        raise StudyError(
            f"Corpus {corpus.name} is calibrated on {training.name}, so no share of its own authors is. Leave out "
            "calibration, or training."
        )
    if training.training is not None:
        raise StudyError(
            f"Corpus {corpus.name} is calibrated on {training.name}, which is itself calibrated on "
            f"{training.training}. Name the corpus with the training texts."
        )
    if training.kind != corpus.kind:
        raise StudyError(
            f"Corpus {corpus.name} is of the kind {corpus.kind} and {training.name}, its training, of the kind "
            f"{training.kind}. Both must be texts, or both sets of problems."
        )


def _refuse_odd_scores(study: "Study") -> None:
    """An error about scores that nothing uses, or that cannot be joined or made."""
    if study.fuse and "fusion" not in study.methods:
        raise StudyError(
            "fuse names methods to join, but fusion is not among the methods in use. Add it, or leave out fuse."
        )
    if "fusion" in study.methods:
        folds = study.design.pairs == "all"  # elsewhere the calibration problems are not normalised
        may = [key for key in study.methods if (key == "normalised" and folds) or key in COMPARATORS]
        may += study.systems
        for name in study.fused:
            if name not in may:
                known = ", ".join(may) or "none is in use"
                raise StudyError(
                    f"fusion cannot join {shown(name)}. It joins comparators, systems of the outside file and, with "
                    f'pairs = "all", normalised, as far as they are in use ({known}){nearest(name, may)}.'
                )
        if len(study.fused) < 2:
            raise StudyError("fusion joins at least two methods. Use a comparator, too, or leave fusion out.")
    if study.original and not study.comparators:
        raise StudyError("original is for comparators, and none is in use. Add one, or leave original out.")
    if study.typing and not {"normalised", "controlled"} & set(study.methods):
        raise StudyError(
            "typing is a score of the methods normalised and controlled, and neither is in use. Add one, or leave "
            "typing out."
        )
    if study.constants == NONE and not {"normalised", "controlled", "guarded"} & set(study.methods):
        raise StudyError(
            "constants are for the methods normalised, controlled and guarded, and none of them is in use. Add one, or "
            "leave constants out."
        )
    _refuse_unknown_topics(study)
    if study.reads_originals:
        for corpus in study.corpora:
            if (corpus.masking or study.masking) == "masked":
                raise StudyError(
                    f"Corpus {corpus.name} came masked, so there are no originals to compare. Leave out typing and "
                    "original, or put the corpus into another study."
                )


def _draws_by_topic(study: "Study") -> bool:
    """Whether more is drawn than each author's first Q and K, by how close in topic texts are."""
    drawn = any(condition.closeness != "random" for condition, _ in study.conditions)
    return drawn or bool(study.design.cases or study.design.impostors)


def _refuse_unknown_topics(study: "Study") -> None:
    """An error about texts whose content words are not known in a study that compares them."""
    if study.attack.on and _draws_by_topic(study):
        raise StudyError(
            "Attacked problems are made of each author's first draw. Leave out closeness, cases and impostors, or "
            "[attack]."
        )
    for corpus in study.corpora if study.compares_topics else ():
        if not hides_content(corpus.masking or study.masking):
            raise StudyError(
                f"What the texts of {corpus.name} are about cannot be told: content words are those that masking hides "
                "from the originals, and this corpus came masked or is not masked at all. Leave out controlled, "
                "closeness, cases and impostors, or put the corpus into another study."
            )


def _refuse_elsewhere(entry: str, folder: Path) -> None:
    """An error about an own method that is not a function in a file of the study's folder."""
    file, _, function = entry.partition(":")
    if not file.endswith(".py") or not function.isidentifier():
        raise StudyError(f'own must be a list of methods such as "mine.py:damped", not a list with {shown(entry)}.')
    try:
        named = PurePath(file)
        inside = (folder / file).resolve().is_relative_to(folder.resolve())
        # By its name, too: a way out and back in again would lead elsewhere from another folder.
        inside = inside and ".." not in named.parts and not named.is_absolute()
    except (OSError, RuntimeError):  # symbolic links in a circle
        inside = False
    if not inside:
        raise StudyError(
            f"The method {shown(entry)} lies outside the study's folder. It is a program, and a study file runs "
            "none but those beside it: copy the file into the study's folder."
        )


FILE = "study.toml"  # what a study file is called in folders that Idiograph writes
SCHEMA = 1
Preset = Literal["paper-long", "paper-short"]
PRESETS: Mapping[Preset, tuple[int, ...]] = {
    "paper-long": tuple(range(500, 9501, 1000)),  # the paper's Avocado and Twitter grids
    "paper-short": tuple(range(100, 501, 100)),  # the paper's Bolt grid
}
_DRAWN_BY = ("drawing", "q_texts", "k_texts", "across", "within", "closeness")  # what a condition has besides lengths
_LENGTHS: dict[str, Any] = {"minimum": 1, "maximum": 100_000_000}


@one_line
@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """One corpus of a study: where it is and which of its texts take part."""

    name: str = setting(
        help="What results call the corpus.",
        must="text without a slash, since it becomes part of ids",
        allows=lambda name: bool(name.strip()) and "/" not in name,
    )
    path: str = setting(
        help="A file or folder that Idiograph reads, relative to the study file.",
        must="a path in quotation marks",
        allows=lambda path: bool(path.strip()),
    )
    kind: str = setting(
        "texts",
        choices=("texts", "problems"),
        help="Texts, or a ready-made set of problems (PAN) that is used as it is.",
    )
    writers: str | None = setting(
        None,
        help="A CSV file that names the writers of ready-made problems: columns problem, known and unknown (default: "
        "as the set names them; texts that occur again are one writer's).",
    )
    masking: str | None = setting(
        None,
        choices=(*MASKINGS, "masked"),
        help="How content is masked, if not as in the rest of the study; masked: it is already.",
    )
    language: str | None = setting(None, **LANGUAGE, help="The language of the texts, if not that of the study.")
    model: str | None = setting(None, help=MODEL)
    word_list: str | None = setting(None, help=WORD_LIST)
    recipe: str | None = setting(None, help="A preparation recipe, by name or .toml file.")
    exclude_authors: Sequence[str] = setting((), help="Authors to leave out.")
    roles: bool = setting(
        True, help="Keep to the roles of texts marked as known and questioned; false: take them alike."
    )
    tokens_per_author: int | None = setting(
        None, minimum=1, help="Whole texts, chosen by their ids, until an author has passed this many words."
    )
    pool: str | None = setting(None, help='Texts of the reference alone; with reference = "pool" or "all".')
    calibration: float | None = setting(
        None, minimum=0, maximum=1, help="The share of authors in the calibration half, if not that of [design]."
    )
    training: str | None = setting(
        None,
        help="The name of another corpus of the study, whose authors are the calibration half; this corpus's own are "
        "then all case authors.",
    )
    paper: str | None = setting(
        None, choices=tuple(published_table3()), help="The corpus of the paper that results are compared with."
    )
    options: ReadingOptions = setting(factory=ReadingOptions, help="How the files are read: the reading options.")

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)

    def as_json(self, folder: Path) -> dict[str, Any]:
        """What decides the texts and their scores, as plain data, with paths as seen from `folder`."""
        only_if_set = ("language", "model", "word_list", "training")
        no_part = ("paper", "calibration")  # the latter decides who is in which half, as [design] does
        record = {
            name: value
            for name, value in asdict(self).items()
            if name not in no_part and (value or name not in only_if_set)
        }
        options = changed(self.options).items()
        record["options"] = {
            name: relative(option, folder) if isinstance(option, Path) else option for name, option in options
        }
        return record


@dataclass(frozen=True, kw_only=True)
class ConditionSettings:
    """One [[conditions]] of a study file: a condition for every pair of lengths."""

    drawing: Drawing = setting(
        help="How Q and K are made: of whole texts, of sentences at random until the length is passed (the paper's "
        "grids), or of a run of contiguous sentences (what a case has).",
    )
    lengths: Preset | tuple[tuple[int, int], ...] | None = setting(
        None, **_LENGTHS, help="Pairs of Q and K tokens such as [[500, 2000]], or a grid of the paper's."
    )
    q_tokens: int | tuple[int, ...] | None = setting(
        None, **_LENGTHS, help="Tokens of Q; every one with every k_tokens."
    )
    k_tokens: int | tuple[int, ...] | None = setting(None, **_LENGTHS, help="Tokens of K.")
    q_texts: int | None = setting(
        None, minimum=1, help="Texts that make up Q (default: one, or as many as it takes for sentences at random)."
    )
    k_texts: int | None = setting(None, minimum=1, help="Texts that make up K (default: as many as it takes).")
    across: str | None = setting(None, help="The field (work, topic, register, date) in which Q and K differ.")
    within: str | None = setting(None, help="The field in which Q and K agree.")
    closeness: Closeness = setting(
        "random",
        help="Of 12 draws of each author, the one whose Q and K are nearest or farthest in topic, or the first.",
    )
    corpora: tuple[str, ...] = setting((), help="The corpora it is for (default: all).")

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)

    def conditions(self) -> Iterator[Condition]:
        """A condition for every pair of lengths."""
        for q, k in self._pairs():
            rest = {name: getattr(self, name) for name in _DRAWN_BY}
            yield Condition(q_tokens=q, k_tokens=k, **rest)

    def _pairs(self) -> list[tuple[int | None, int | None]]:
        sides = {"q_tokens": self.q_tokens, "k_tokens": self.k_tokens}
        given = [name for name, tokens in sides.items() if tokens is not None]
        if self.lengths is not None and given:
            raise StudyError(f"lengths and {given[0]} say the same thing twice. Keep one.")
        if isinstance(self.lengths, str):
            return [(q, k) for q in PRESETS[self.lengths] for k in PRESETS[self.lengths]]
        if self.lengths is not None:
            return list(self.lengths)
        if not given:
            return [(None, None)]
        q, k = ((tokens,) if isinstance(tokens, int) else tokens or () for tokens in sides.values())
        if not q or not k:
            raise StudyError("A length for Q and one for K belong together. Give q_tokens and k_tokens.")
        return [(q_length, k_length) for q_length in q for k_length in k]


@one_line
@dataclass(frozen=True, kw_only=True)
class Study:
    """Everything that decides the digits of a study, and how its results are shown.

    What each setting means is in docs/studies.md. The
    `corpora` are CorpusSettings, the `conditions` Condition objects, each for all corpora or as a pair with the names
    of its own; `design`, `attack` and `seeds` have settings of their own. Paths are relative to `folder`.
    """

    name: str = setting("", help="A name for the study (default: that of its folder).")
    runs: int = setting(1, minimum=1, maximum=10_000, help="How often everything is drawn and scored; the paper: 5.")
    vary: Sequence[str] = setting(
        ("texts", "reference"),
        choices=tuple(seed.name for seed in fields(Seeds)),
        help="The seeds that go up by one with each run.",
    )
    masking: str = setting(
        "posnoise", choices=(*MASKINGS, "masked"), help="How content is masked; masked: it is already."
    )
    language: str = setting(ENGLISH, **LANGUAGE, help="The language of the texts by its code, such as de.")
    evidence: str = setting(
        "none",
        choices=("none", "sentences", "tokens"),
        help="What is kept with each trial besides its score: nothing, the λ of its sentences, or that of its tokens.",
    )
    corpora: Sequence[CorpusSettings] = setting(help="The corpora, each under [[corpora]].")
    conditions: Sequence[
        tuple[Condition, tuple[str, ...]] | Any
    ]  # each with the names of its corpora, which may be left out
    design: Design = setting(factory=Design)
    leave_authors_out: bool = setting(
        False, table="design", help="No calibration half: each trial is calibrated on all others without its authors."
    )
    attack: Attack = setting(factory=Attack)
    seeds: Seeds = setting(factory=Seeds)
    order: int = setting(**ORDER, table="lambdag")
    repetitions: int = setting(**REPETITIONS, table="lambdag")
    discount: float = setting(**DISCOUNT, table="lambdag")
    methods: Sequence[str] = setting(
        ("square_root", "hapax", "sentence", "logistic"),
        choices=METHODS,
        table="methods",
        key="use",
        help="The methods.",
    )
    own: Sequence[str] = setting(
        (), table="methods", help="Methods of your own, as file.py:function; the file lies in the study's folder."
    )
    fuse: Sequence[str] = setting(
        (),
        table="methods",
        help="The methods that fusion joins (default: normalised and all comparators in use).",
    )
    outside: str | None = setting(
        None,
        table="methods",
        help="A CSV file with scores of other systems: a column problem, then a column per system; each is calibrated.",
    )
    original: bool = setting(
        False, table="methods", help="Let comparators read the original texts instead of the masked ones."
    )
    typing: bool = setting(
        False,
        table="methods",
        help="Let normalised and controlled also compare how the originals are typed; devices and editors leave such "
        "traces, too.",
    )
    constants: str = setting(**CONSTANTS, table="methods")
    baseline: str = setting("logistic", table="methods", help="The method that the others are compared with.")
    unit: str = setting(
        "bits", choices=tuple(NATS_PER), table="methods", help="The unit in which corrected scores are read."
    )
    compared_units: bool = setting(False, table="methods", help="Add a table that compares the three units.")
    resamples: int = setting(
        1000, minimum=0, maximum=1_000_000, table="methods", help="Resamples of authors for the intervals; 0: none."
    )
    folder: Path = field(default=Path(), compare=False)

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)
        every = tuple(corpus.name for corpus in self.corpora)
        given = in_order(self.conditions, "The conditions of a study", "Condition objects")
        conditions = tuple((entry, every) if isinstance(entry, Condition) else entry for entry in given)
        if not fits(conditions, tuple[tuple[Condition, tuple[str, ...]], ...]):
            raise StudyError("The conditions of a Study must be Condition objects, or pairs of one and its corpora.")
        object.__setattr__(self, "conditions", conditions)
        check(self.folder, Path, "The folder of a study")
        refuse_contradictions(self)

    def run_seeds(self, run: int) -> Seeds:
        """The seeds of a `run`, the first being 0: those that vary go up by one with each run."""
        run = whole_number(run, "The number of a run", least=0)
        return Seeds(**{name: value + (run if name in self.vary else 0) for name, value in asdict(self.seeds).items()})

    @property
    def lambdag(self) -> dict[str, Any]:
        """The settings of λG, as `score` takes them."""
        return {"order": self.order, "repetitions": self.repetitions, "discount": self.discount}

    def corpus(self, name: str) -> CorpusSettings:
        """The corpus called `name`."""
        check(name, str, "The name of a corpus")
        names = [corpus.name for corpus in self.corpora]
        if name not in names:
            raise StudyError(f"There is no corpus {name}{nearest(name, names)}.")
        return self.corpora[names.index(name)]

    def design_of(self, name: str) -> Design:
        """The design for the corpus called `name`: with the share of calibration authors that it states."""
        share = self.corpus(name).calibration
        return self.design if share is None else replace(self.design, calibration=share)

    @property
    def by_matrix(self) -> bool:
        """Whether a method in use normalises by the scores of reference authors' Qs and Ks."""
        return any("score matrix" in METHODS[method].needs for method in self.methods)

    @property
    def holds(self) -> bool:
        """Whether a method in use is the ceiling, or limits it."""
        return bool({"held", *LIMITING} & set(self.methods))

    @property
    def matrix_of_halves(self) -> bool:
        """Whether problems are scored beside those of the halves, for methods that go by a matrix."""
        return self.by_matrix and self.design.pairs != "all"

    @property
    def all_methods(self) -> tuple[str, ...]:
        """The methods by key, those of other systems by column, one's own by the name of its function."""
        return (*self.methods, *self.systems, *(entry.partition(":")[2] for entry in self.own))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The other systems whose scores come from a file, which is read when the settings are checked."""
        return () if self.outside is None else tuple(read_outside(self.folder / self.outside))

    @property
    def comparators(self) -> tuple[str, ...]:
        """The comparators in use."""
        return tuple(method for method in self.methods if method in COMPARATORS)

    @property
    def fused(self) -> tuple[str, ...]:
        """The methods that fusion joins."""
        matrix = ("normalised",) if "normalised" in self.methods and self.design.pairs == "all" else ()
        return tuple(self.fuse) or (*matrix, *self.comparators, *self.systems)

    @property
    def reads_originals(self) -> bool:
        """Whether anything of the originals is compared."""
        return self.typing or (self.original and bool(self.comparators))

    @property
    def compares_topics(self) -> bool:
        """Whether it is measured how close Qs and Ks are in topic."""
        return "controlled" in self.methods or _draws_by_topic(self)

    def scored(self) -> dict[str, Any]:
        """The settings that decide scores: results may be shown anew without scoring when only others change."""
        shown = {
            "methods", "fuse", "outside", "own", "baseline", "unit", "compared_units", "resamples", "folder",
            "leave_authors_out", "constants",
        }  # fmt: skip
        shown |= {"language"} if self.language == ENGLISH else set()
        value = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in shown}
        value["comparators"] = list(self.comparators)
        value["conditions"] = [[condition.as_json(), list(corpora)] for condition, corpora in self.conditions]
        value["design"] = self.design.as_json()
        value |= {"topics": True} if self.compares_topics else {}
        value |= {"hold": True} if self.holds else {}
        value["attack"], value["seeds"] = self.attack.as_json(), asdict(self.seeds)
        value["corpora"] = [corpus.as_json(self.folder) for corpus in self.corpora]
        shares = {corpus.name: corpus.calibration for corpus in self.corpora if corpus.calibration is not None}
        value |= {"shares": shares} if shares else {}
        value |= {"matrix": True} if self.matrix_of_halves else {}
        return dict(json.loads(json.dumps(value)))

    @property
    def digest(self) -> str:
        return digest_json(self.scored())


def read_study(path: Path | str) -> Study:
    """The study that the file `path` describes; its paths are relative to its folder."""
    path = as_path(path, "The study file")
    content = read_toml(path, error=StudyError, example="the example in docs/studies.md")
    return study_from(content, folder=path.parent, where=str(path))


def study_from(content: Mapping[str, Any], *, folder: Path, where: str) -> Study:
    """The study in a parsed file; `where` names it in messages."""
    content = {"name": folder.resolve().name or "study", **content}
    design = content.get("design")
    if isinstance(design, Mapping) and design.get("leave_authors_out") is True:
        content["design"] = {"calibration": 0.0, **design}
    study = read_settings(
        Study,
        content,
        where=where,
        error=StudyError,
        folder=folder,
        schema=SCHEMA,
        also=["conditions"],
        given={"conditions": (), "folder": folder},
    )
    entries = read_tables(ConditionSettings, content, "conditions", where=where, error=StudyError)
    if not entries:
        raise StudyError(f"{where} has no conditions. A study needs at least one, each under [[conditions]].")
    # Little of what was checked hangs on the conditions, so the study is not made and checked a second time.
    object.__setattr__(study, "conditions", tuple(_expanded(entries, study, where)))
    _refuse_unknown_topics(study)
    return study


def study_toml(study: Study, *, folder: Path | None = None) -> str:
    """The study as the content of a file that reads back as the same study; paths as seen from `folder`, or its own."""
    parts = [to_toml(study, schema=SCHEMA, folder=folder or study.folder)]
    for entry in _gathered(study.conditions):
        parts.append("[[conditions]]\n" + to_toml(entry, explain=False))
    return "\n".join(parts)


def _gathered(conditions: Sequence[tuple[Condition, tuple[str, ...]]]) -> Iterator[ConditionSettings]:
    """An entry for each condition, and a single one for all that make up a grid of the paper's."""
    left = list(conditions)
    while left:
        condition, corpora = left[0]
        entry = ConditionSettings(**asdict(condition), corpora=corpora)
        for preset in PRESETS:
            grid = replace(entry, lengths=preset, q_tokens=None, k_tokens=None) if condition.q_tokens else entry
            members = [(member, corpora) for member in grid.conditions()]
            if len(members) > 1 and left[: len(members)] == members:
                entry = grid
                break
        else:
            members = left[:1]
        yield entry
        del left[: len(members)]


def _expanded(
    entries: Sequence[ConditionSettings], study: Study, where: str
) -> Iterator[tuple[Condition, tuple[str, ...]]]:
    """Every condition with the names of its corpora, none twice."""
    names = tuple(corpus.name for corpus in study.corpora)
    seen: set[tuple[Condition, str]] = set()
    for number, entry in enumerate(entries, 1):
        at = f"{where}, [[conditions]] {number}"
        for name in entry.corpora:
            if name not in names:
                raise StudyError(f"{at}: there is no corpus {name}{nearest(name, names)}.")
        meant = entry.corpora or names
        try:
            conditions = list(entry.conditions())
        except StudyError as error:
            raise StudyError(f"{at}: {error}") from None
        for condition in conditions:
            cells = {(condition, name) for name in meant}
            if cells & seen:
                raise StudyError(f"{at}: {condition.name} occurs twice for one corpus. Remove one.")
            seen |= cells
            yield condition, meant
