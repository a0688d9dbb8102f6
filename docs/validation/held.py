"""The ceiling against imitators: trials stored, constants and limits learnt, every method judged under every imitation.

python docs/validation/held.py --run OUT     runs held.toml corpus by corpus into OUT, score A by a table learnt without
                                             the corpus, and imitated.toml fold by fold
python docs/validation/held.py --imitate OUT runs the latter alone; what is in OUT is not scored again
python docs/validation/held.py --store OUT   keeps the judged trials, with LLRs by constants learnt without the corpus
python docs/validation/held.py --tables      learns src/idiograph/evidence/held.json anew from the stored trials, and
                                             writes held.md and its tables
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.typing as npt
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import steady as table_of_a
from docs.validation import stored, topic
from docs.validation.learning import NormedTrials, all_draws, learn, learn_controlled
from docs.validation.topic import Judged, chosen, interval

from idiograph.arithmetic import LN10, mean
from idiograph.evidence import steady
from idiograph.evidence.constants import HELD_FILE, ConstantsByLength
from idiograph.evidence.held import FLAGGING, LIMITING, flag_values
from idiograph.evidence.methods import short_name
from idiograph.files import write_whole
from idiograph.grammar.lambdag import Score
from idiograph.output.study_tables import StudyTable, Value, markdown, save_table
from idiograph.provenance import digest
from idiograph.studies import imitations
from idiograph.studies.attack import NOTHING
from idiograph.studies.attacks import attacked_trials
from idiograph.studies.chunks import make_plan, score_planned
from idiograph.studies.corpora import find_source, open_corpus
from idiograph.studies.llrs import add_llrs, more_scores
from idiograph.studies.problems import Plan, Planned
from idiograph.studies.settings import Study, read_study
from idiograph.studies.study import run_study
from idiograph.studies.trial_table import NORMED_PREFIX, TrialTable, join, read_trials, to_bytes, trials_of
from idiograph.texts.problem import Problem

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parents[1] / "src" / "idiograph" / "evidence" / HELD_FILE
HONEST, IMITATED = "held", "imitated"
FIRST_FOLDS = 2  # of a corpus, which are scored before the others
N_AUTHORS = 24  # about how many reference authors both studies have
LENGTHS = ("300/1,000", "500/2,000")
MOST_FLAGGED, MOST_OF_A_CORPUS, FLAGGED_AIM = 0.05, 0.10, 0.85
ABOVE_AIM, OTHERS_AIM, COST_AIM = 0.05, 0.10, 0.02
_SHARES = [share / 400 for share in range(340, 400)]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Limits = tuple[float, float]


def run(out: Path) -> None:
    """Both studies, corpus by corpus, so that the table of score A never saw the corpus: the honest one first."""
    study = read_study(HERE / f"{HONEST}.toml")
    for corpus in study.corpora:
        conditions = tuple((condition, (corpus.name,)) for condition, meant in study.conditions if corpus.name in meant)
        with _table_without(corpus.name):
            run_study(replace(study, corpora=(corpus,), conditions=conditions), out / HONEST / corpus.name)
    run_imitators(out)


def run_imitators(out: Path) -> None:
    """The folds of imitated.toml, the first of every corpus before the others; a fold that is there is left alone."""
    study = read_study(HERE / f"{IMITATED}.toml")
    for first in (True, False):
        for place, (condition, meant) in enumerate(study.conditions):
            for name in meant:
                material = open_corpus(study, find_source(study, study.corpus(name))).material
                plan = make_plan(study, name, material, place, 0)
                scored = cache(partial(score_planned, study, plan))  # folds share problems
                for number in range(len(plan.folds)):
                    folder = out / IMITATED / f"{name}_{condition.name}_{number}"
                    if (number < FIRST_FOLDS) == first and not folder.exists():
                        with _table_without(name):
                            trials = _imitated_fold(study, plan, number, scored)
                        folder.mkdir(parents=True)
                        write_whole(folder / "trials.parquet", to_bytes(trials))
                        print(f"{name}, {condition.name}, fold {number + 1}: done", flush=True)


def _imitated_fold(
    study: Study, plan: Plan, number: int, scored: Callable[[Planned], tuple[Problem, Score]]
) -> TrialTable:
    """The problems of a fold, and those that its imitators make of them."""
    planned = [problem for problem in plan.problems if problem.fold == number]
    problems, scores = zip(*map(scored, planned), strict=True)
    more = more_scores(study, plan, planned, scores)
    own = trials_of(study.name, 0, plan, planned, problems, scores, evidence=study.evidence, more=more)
    return join([own, attacked_trials(study, 0, plan, number)])


@contextmanager
def _table_without(corpus: str) -> Iterator[None]:
    """Score A goes by a table that never saw the corpus, and the imitator who knows score A knows that one."""
    pieces = _pieces()
    table = table_of_a.learn({other: own for other, own in pieces.items() if other != corpus})
    with (
        mock.patch.object(steady, "shipped_table", return_value=table),
        mock.patch.object(imitations, "shipped_table", return_value=table),
    ):
        yield


@cache
def _pieces() -> dict[str, table_of_a.Pieces]:
    return table_of_a.read_pieces()


def store(out: Path) -> None:
    """Keeps the judged trials of the studies that are in the folder, the honest ones first."""
    if (out / HONEST).is_dir():
        study = read_study(HERE / f"{HONEST}.toml")
        everything = _read(out / HONEST)
        first = joined_trials([all_draws(add_llrs(study, trials)[0]) for trials in everything])
        lines = _without_each(first)
        stored.write(HONEST, joined_trials([all_draws(_judged(study, trials, lines)) for trials in everything]))
        stored.load.cache_clear()
    if (out / IMITATED).is_dir():
        study, lines = read_study(HERE / f"{IMITATED}.toml"), _without_each(stored.load(HONEST))
        judged = [_judged(study, trials, lines) for trials in _read(out / IMITATED)]
        kept = [one.where(np.isin(one.column("half"), ("case", "attacked"))) for one in judged]
        stored.write(IMITATED, joined_trials(kept))


def _without_each(trials: TrialTable) -> dict[str, dict[str, ConstantsByLength]]:
    """The constants of each method that limits, by the corpus that they are learnt without."""
    corpora = sorted(set(trials.column("corpus")))
    return {key: {corpus: learnt(trials, key, without=corpus) for corpus in corpora} for key in LIMITING}


def joined_trials(parts: Sequence[TrialTable]) -> TrialTable:
    """The trials of several runs together."""
    return TrialTable(pa.concat_tables([part.table for part in parts], promote_options="default").combine_chunks())


def _read(folder: Path) -> list[TrialTable]:
    return [read_trials(one / "trials.parquet") for one in sorted(folder.iterdir())]


def _judged(study: Study, trials: TrialTable, lines: Mapping[str, Mapping[str, ConstantsByLength]]) -> TrialTable:
    """The trials with LLRs by constants that never saw their corpus."""
    corpora = sorted(set(trials.column("corpus")))
    plain, freed = stored.load("matrix"), stored.load(topic.MAIN)
    return add_llrs(
        study,
        trials,
        constants=chosen({corpus: stored.learnt(plain, "matrix", without=corpus) for corpus in corpora}),
        controlled=chosen({corpus: topic.learnt(freed, topic.MAIN, without=corpus) for corpus in corpora}),
        limiting={key: chosen(dict(by_corpus)) for key, by_corpus in lines.items()},
    )[0]


def learnt(trials: TrialTable, key: str, *, without: str | None = None, controlled: bool = True) -> ConstantsByLength:
    """The constants of a method that limits, of all corpora or of all but one."""
    if controlled:
        return learn_controlled(trials, LIMITING[key], n_authors=N_AUTHORS, without=without)
    return learn(NormedTrials.of(trials, LIMITING[key], without=without), n_authors=N_AUTHORS)


@dataclass(frozen=True, eq=False)
class Flagged:
    """T₁ and T₂ of stored trials, and the limits that other corpora set."""

    typical: Floats
    alone: Floats
    corpora: npt.NDArray[np.object_]

    @classmethod
    def of(cls, name: str) -> "Flagged":
        trials = stored.load(name)
        normed = {one: trials.column(NORMED_PREFIX + one).astype(np.float64) for one in FLAGGING}
        return cls(*flag_values(normed), trials.column("corpus"))

    def beyond(self, limits: Limits) -> Flags:
        return np.asarray((self.typical > limits[0]) | (self.alone > limits[1]), bool)

    def without_corpus(self, limits: Mapping[str, Limits]) -> Flags:
        """Flagged by the limits that the other corpora set."""
        found = np.zeros(len(self.corpora), bool)
        for corpus in sorted(set(self.corpora)):
            own = self.corpora == corpus
            found[own] = self.beyond(limits[corpus])[own]
        return found


def learn_limits(without: str | None = None) -> Limits:
    """Limits of T₁ and T₂ at the same share of honest same-author trials, so that new corpora see few of them flagged.

    The share is the lowest at which limits of all these corpora but one flag, of that one in turn, at most 5 % on
    average and at most 10 % at worst.
    """
    found, same = Flagged.of(HONEST), stored.load(HONEST).same
    names = [corpus for corpus in sorted(set(found.corpora)) if corpus != without]
    for share in _SHARES:
        left_out = []
        for corpus in names:
            limits = _limits_at(share, found, same, [other for other in names if other != corpus])
            left_out.append(float(np.mean(found.beyond(limits)[same & (found.corpora == corpus)])))
        if mean(left_out) <= MOST_FLAGGED and max(left_out) <= MOST_OF_A_CORPUS:
            break
    return _limits_at(share, found, same, names)


def _limits_at(share: float, found: Flagged, same: Flags, names: Sequence[str]) -> Limits:
    """The stricter of what this share of all trials lies below, corpora weighing the same, and of the worst corpus."""
    among = same & np.isin(found.corpora, names)
    sizes = {corpus: int((among & (found.corpora == corpus)).sum()) for corpus in names}
    weights = np.array([1 / sizes[corpus] for corpus in found.corpora[among]])
    typical, alone = (
        max(
            _quantile(values[among], weights, share),
            *(float(np.quantile(values[among & (found.corpora == corpus)], share)) for corpus in names),
        )
        for values in (found.typical, found.alone)
    )
    return round(typical, 2), round(alone, 2)


def _quantile(values: Floats, weights: Floats, share: float) -> float:
    order = np.argsort(values, kind="stable")
    passed = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(passed, share * passed[-1])])


@cache
def limits_without() -> dict[str, Limits]:
    """By corpus, the limits that the others set."""
    return {corpus: learn_limits(corpus) for corpus in sorted(set(stored.load(HONEST).column("corpus")))}


def constants_text() -> str:
    """The content of held.json."""
    trials = stored.load(HONEST)
    entries = []
    for controlled in (True, False):
        for key, scores in LIMITING.items():
            line = learnt(trials, key, controlled=controlled)
            slopes = dict(zip(scores, (round(b, 3) for b in line.slopes), strict=True)) if controlled else None
            entries.append(
                {
                    "scores": list(scores),
                    "n_authors": N_AUTHORS,
                    **({"topic": slopes} if slopes else {}),
                    "level": stored.rounded(scores, line.level),
                    "slope": stored.rounded(scores, line.slope),
                }
            )
    typical, alone = learn_limits()
    honest = honest_shares()
    authors = set(zip(trials.column("corpus"), trials.column("k_author"), strict=True))
    source = (
        "Learnt by docs/validation/held.py from judged trials of open English corpora (corpora weighing the same), "
        "drawn near, random and far in topic by references drawn at random, impostors among the different-author "
        f"trials: {HONEST}.parquet ({digest((HERE / f'{HONEST}.parquet').read_bytes())[:16]}), about {N_AUTHORS} "
        f"reference authors; {len(trials):,} trials of {len(authors)} authors of "
        f"{', '.join(dict.fromkeys(trials.column('corpus')))}. Entries without topic are for texts whose content words "
        "are not known. Limits are of T₁ (typical) and T₂ (alone); honest is what corpora that had no part in limits "
        "and constants saw of same-author trials: the share flagged, and that of values above 1 which the ceiling "
        "lowered."
    )
    content = {
        "schema": 2,
        "source": source,
        "limits": {"typical": typical, "alone": alone},
        "honest": {"flagged": round(honest[0], 3), "lowered": round(honest[1], 3)},
        "constants": entries,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def honest_shares() -> tuple[float, float]:
    """Of honest same-author trials: flagged; and, of values above 1, lowered by the ceiling."""
    judged = Judged(stored.load(HONEST))
    flagged = Flagged.of(HONEST).without_corpus(limits_without())
    value, held = judged.llr("controlled"), judged.llr("held")
    same = judged.trials.same
    return judged.share(flagged, same), judged.share(held < value, same & (value > 0))


@dataclass(frozen=True, eq=False)
class Attacked:
    """The stored trials of the imitators at one length."""

    trials: TrialTable
    flagged: Flags

    @classmethod
    def at(cls, length: str) -> "Attacked":
        trials = stored.load(IMITATED)
        own = Judged(trials).lengths == length
        return cls(trials.where(own), Flagged.of(IMITATED).without_corpus(limits_without())[own])

    @property
    def kinds(self) -> list[str]:
        """What was done, nothing first."""
        return [kind for kind in dict.fromkeys(self.trials.column("attack")) if kind is not None]

    def of(self, kind: str) -> Flags:
        return np.asarray(self.trials.column("attack") == kind, bool)

    def share(self, holds: Flags, among: Flags) -> float:
        """Of the problems among which it holds: the mean over corpora."""
        return Judged(self.trials).share(holds, among)

    def interval(self, holds: Flags, among: Flags) -> tuple[float, float]:
        """The 95 % interval of such a share, Qs' authors resampled within corpora."""
        rng, means = np.random.default_rng(1), []
        corpora, authors = self.trials.column("corpus"), self.trials.column("q_author")
        for corpus in sorted(set(corpora[among])):
            own = among & (corpora == corpus)
            names, number = np.unique(authors[own].astype(str), return_inverse=True)
            hits, n = np.bincount(number, holds[own]), np.bincount(number)
            drawn = rng.integers(len(names), size=(2000, len(names)))
            means.append(hits[drawn].sum(axis=1) / n[drawn].sum(axis=1))
        low, high = np.quantile(np.mean(means, axis=0), (0.025, 0.975))
        return float(low), float(high)

    def above(self, method: str, kind: str, limit: float = LN10) -> float:
        return self.share(self.trials.llr(method) > limit, self.of(kind))


def attack_table(length: str) -> StudyTable:
    """Per cent of attacked problems with an LR above 10, every method under every imitation."""
    found = Attacked.at(length)
    kinds = found.kinds
    rows: list[tuple[Value, ...]] = []
    methods = [one for one in found.trials.methods if np.isfinite(found.trials.llr(one)).all()]
    for method in methods:
        rows.append((short_name(method), *(100 * found.above(method, kind) for kind in kinds)))
    caught = found.trials.column("caught")
    audit = np.array([bool(one) for one in caught])
    value, held, guarded = (found.trials.llr(one) for one in ("controlled", "held", "guarded"))
    normalised = found.trials.llr("normalised")
    for name, holds in (
        ("flagged", found.flagged),
        ("the audit finds repeated features", audit),
        ("guarded brings normalised from above 10 to 10 or less", (normalised > LN10) & (guarded <= LN10)),
        ("controlled above 10 and not flagged", (value > LN10) & ~found.flagged),
        ("held above 10 and not flagged", (held > LN10) & ~found.flagged),
    ):
        rows.append((name, *(100 * found.share(holds, found.of(kind)) for kind in kinds)))
    n = {kind: int(found.of(kind).sum()) for kind in kinds}
    rows.append(("problems", *(float(n[kind]) for kind in kinds)))
    return StudyTable(
        f"imitated_{length.replace('/', '_').replace(',', '')}",
        f"Q/K {length}: per cent of different-author problems with an LR above 10 under each imitation, and per cent "
        "that is caught (in the last row, how many problems there are); corpora weigh the same.",
        ("", *kinds),
        ("", *(".1f",) * len(kinds)),
        tuple(rows),
    )


def corpus_table() -> StudyTable:
    """ "20 once" by corpus and length."""
    rows: list[tuple[Value, ...]] = []
    for length in _lengths():
        found = Attacked.at(length)
        corpora = found.trials.column("corpus")
        for corpus in sorted(set(corpora)):
            own = found.of("20 once") & (corpora == corpus)
            shares = [100 * float(np.mean(found.trials.llr(one)[own] > LN10)) for one in ("controlled", "held")]
            rows.append((length, corpus, int(own.sum()), *shares, 100 * float(np.mean(found.flagged[own]))))
    return StudyTable(
        "imitated_corpora",
        "“20 once” by corpus: problems, per cent with an LR above 10, and per cent flagged.",
        ("Q/K", "corpus", "problems", "controlled above 10 %", "held above 10 %", "flagged %"),
        ("", "", ",", ".1f", ".1f", ".1f"),
        tuple(rows),
    )


def honest_table() -> StudyTable:
    """What every method is worth on honest trials, and false alarms."""
    judged = Judged(stored.load(HONEST))
    cells = judged.chosen(LENGTHS, "random")
    own = np.isin(judged.lengths, LENGTHS)
    case, same = own & (judged.draws == "random"), judged.trials.same
    rows: list[tuple[Value, ...]] = []
    for method in ("controlled", "held", "normalised", "guarded", "bare", "steady", "hapax"):
        if method not in judged.trials.methods:
            continue
        nats = judged.llr(method)
        whole = np.isfinite(nats[own]).all()
        rows.append(
            (
                short_name(method),
                float(judged.controlled(nats, cells, judged.once)[0]) if whole else None,
                judged.cllr(method, case),
                100 * judged.share(nats > LN10, case & same),
                100 * judged.share(nats > LN10, case & ~same),
                100 * judged.share(nats < -LN10, case & same),
            )
        )
    return StudyTable(
        "held_honest",
        f"Honest trials at {' and '.join(LENGTHS)}, reference drawn at random: topic-controlled Cllr of all draws and "
        "impostors; plain Cllr and shares of the random draws. Corpora weigh the same.",
        ("method", "topic-controlled Cllr", "plain Cllr", "true above 10 %", "wrong above 10 %", "true below 1/10 %"),
        ("", ".3f", ".3f", ".1f", ".1f", ".1f"),
        tuple(rows),
    )


def cost_of_ceiling(lengths: Sequence[str] = LENGTHS) -> tuple[float, float, float]:
    """Topic-controlled Cllr of the ceiling's values less that of the values, with its interval over authors."""
    judged = Judged(stored.load(HONEST))
    cells, times = judged.chosen(lengths, "random"), judged.resampled()
    gap = np.subtract(*(judged.controlled(judged.llr(one), cells, times) for one in ("held", "controlled")))
    return interval(gap)


def false_alarms() -> StudyTable:
    """How often the flag is raised on honest trials, by limits that the corpus had no part in."""
    judged, found = Judged(stored.load(HONEST)), Flagged.of(HONEST)
    flagged = found.without_corpus(limits_without())
    same = judged.trials.same
    rows: list[tuple[Value, ...]] = []
    for corpus in sorted(set(judged.corpora)):
        own = judged.corpora == corpus
        rows.append(
            (
                corpus,
                *limits_without()[corpus],
                int((own & same).sum()),
                100 * float(np.mean(flagged[own & same])),
                *(
                    100 * float(np.mean(flagged[own & same & (judged.draws == one)]))
                    for one in ("near", "random", "far")
                ),
                100 * float(np.mean(flagged[own & ~same])),
            )
        )
    together = [mean([float(row[at]) for row in rows]) for at in range(4, len(rows[0]))]  # type: ignore[arg-type]
    rows.append(("mean", *learn_limits(), int(same.sum()), *together))
    return StudyTable(
        "held_false_alarms",
        "Honest trials that are flagged, all lengths, in per cent; limits of T₁ and T₂ from the other corpora (in the "
        "last row those that ship, from all of them).",
        ("corpus", "T₁", "T₂", "same-author trials", "flagged %", "near %", "random %", "far %", "different authors %"),
        ("", ".2f", ".2f", ",", ".1f", ".1f", ".1f", ".1f", ".1f"),
        tuple(rows),
    )


def page() -> str:
    """held.md."""
    return "\n\n".join(["# Held against imitators", *_ceiling_said(), *_imitators_said()]) + "\n"


def _ceiling_said() -> Iterator[str]:
    """What the ceiling costs and the flag hits among honest trials."""
    trials, study = stored.load(HONEST), read_study(HERE / f"{HONEST}.toml")
    authors = set(zip(trials.column("corpus"), trials.column("k_author"), strict=True))
    yield (
        "Anybody with a concordance of K can put its phrases into somebody else's Q. `held` is a ceiling for values "
        "above 1: four times the LR without K's own phrases (`bare`) or four times the LR by the commonest n-grams "
        "(`steady`), whichever is lower; a case says it beside its value, which it does not change. The flag says that "
        "Q owes its likeness to K's own phrases ([evidence.md](../evidence.md) has the formulas)."
    )
    yield (
        "**Chosen on, judged on.** The table of score A, all constants and the limits of the flag were learnt without "
        "the corpus judged. The form of the ceiling, its factor and the lists were chosen before, with these corpora "
        "in view, so that only further corpora can confirm them."
    )
    yield "## Honest trials"
    yield (
        f"{len(trials):,} trials of {len(authors)} authors of {len(set(trials.column('corpus')))} open corpora (`held."
        f"toml`; λG with {study.repetitions} reference models, a case has 30). {_missing()}"
    )
    yield markdown(honest_table()).strip()
    gap, low, high = cost_of_ceiling()
    flagged, lowered = honest_shares()
    by_corpus = [float(row[4]) / 100 for row in false_alarms().rows[:-1]]  # type: ignore[arg-type]
    yield (
        f"The ceiling changes topic-controlled Cllr by {gap:+.3f} (95 % interval over authors {low:+.3f} to "
        f"{high:+.3f}; aim: at most {COST_AIM:+.2f}, {_verdict(gap <= COST_AIM)}). It lowers {100 * lowered:.0f} % of "
        "true authors' values above 1, so that it applied is no alarm."
    )
    yield markdown(false_alarms()).strip()
    yield (
        f"By limits from the other corpora {100 * flagged:.1f} % of true authors' trials are flagged on average (aim: "
        f"at most {100 * MOST_FLAGGED:.0f} %, {_verdict(flagged <= MOST_FLAGGED)}) and {100 * max(by_corpus):.1f} % in "
        f"the worst corpus (aim: at most {100 * MOST_OF_A_CORPUS:.0f} %, "
        f"{_verdict(max(by_corpus) <= MOST_OF_A_CORPUS)}); the limits that ship keep to both on the corpora that they "
        "were learnt on."
    )


def _missing() -> str:
    """Which corpora have no trials at which lengths."""
    judged = Judged(stored.load(HONEST))
    every = sorted(set(judged.lengths), key=lambda length: int(length.partition("/")[0].replace(",", "")))
    lacking = [
        f"{corpus} has none at {' and '.join(missing)}"
        for corpus in sorted(set(judged.corpora))
        if (missing := [one for one in every if one not in set(judged.lengths[judged.corpora == corpus])])
    ]
    return f"Lengths: {', '.join(every)}{'; ' if lacking else ''}{'; '.join(lacking)}."


def _imitators_said() -> Iterator[str]:
    """What every imitation does to every method, as far as trials of imitators are stored."""
    yield "## Imitators"
    if not _lengths():
        yield (
            "No trials of imitators are stored yet, so no figure of what they do stands here: `python "
            "docs/validation/held.py --imitate results`, then `--store results`, make them."
        )
        return
    trials, study = stored.load(IMITATED), read_study(HERE / f"{IMITATED}.toml")
    authors = set(zip(trials.column("corpus"), trials.column("k_author"), strict=True))
    n = [int(Attacked.at(length).of("20 once").sum()) for length in _lengths()]
    yield (
        f"{len(authors)} authors of {', '.join(sorted(set(trials.column('corpus'))))}; "
        f"{' and '.join(map(str, n))} problems an imitation ({' and '.join(_lengths())}). Each author's "
        f"Q imitates up to {study.attack.targets} others of its fold in {len(study.attack.imitate)} ways "
        "([studies.md](../studies.md) says how), is judged by the authors outside the fold and keeps its own content "
        f"words. λG has {study.repetitions} reference models here. Neither the table of score A nor constants nor "
        "limits saw the corpus judged."
    )
    for length in _lengths():
        yield markdown(attack_table(length)).strip()
    yield markdown(corpus_table()).strip()
    lines = []
    for length in _lengths():
        found = Attacked.at(length)
        twenty = found.above("held", "20 once")
        others = {kind: found.above("held", kind) for kind in found.kinds if kind not in ("20 once", NOTHING)}
        worst = max(others, key=others.__getitem__)
        seen = found.share(found.flagged, found.of("20 once"))
        above = found.trials.llr("held") > LN10
        of_twenty, of_worst = (found.interval(above, found.of(kind)) for kind in ("20 once", worst))
        of_seen = found.interval(found.flagged, found.of("20 once"))
        lines += [
            f"- {length}: “20 once” held above 10 in {100 * twenty:.1f} % ({_range(of_twenty)}; "
            f"aim: at most {100 * ABOVE_AIM:.0f} %, "
            f"{_verdict(twenty <= ABOVE_AIM)}).",
            f"- {length}: of the other imitations the worst for the ceiling is “{worst}”, {100 * others[worst]:.1f} % "
            f"({_range(of_worst)}; aim: at most {100 * OTHERS_AIM:.0f} %, {_verdict(others[worst] <= OTHERS_AIM)}).",
            f"- {length}: “20 once” flagged in {100 * seen:.0f} % ({_range(of_seen)}; "
            f"aim: at least {100 * FLAGGED_AIM:.0f} %, "
            f"{_verdict(seen >= FLAGGED_AIM)}).",
        ]
    yield "\n".join(lines)
    missing = [length for length in LENGTHS if length not in _lengths()]
    yield (
        "These are verdicts on the values; the intervals, over resampled authors, say how sure they are."
        + (f" No trials at {' and '.join(missing)} are stored." if missing else "")
    )
    yield (
        "Not tested: corpora that had no part in choosing factor and lists, K's of an imitated person, imitators who "
        "raise all three scores at once. Nothing here sees through a disguise."
    )


def _lengths() -> list[str]:
    """The lengths at which imitators were tried."""
    if not (HERE / f"{IMITATED}.parquet").exists():
        return []
    there = set(Judged(stored.load(IMITATED)).lengths)
    return [length for length in LENGTHS if length in there]


def _range(found: tuple[float, float]) -> str:
    return f"95 % interval {100 * found[0]:.1f} to {100 * found[1]:.1f}"


def _verdict(reached: bool) -> str:
    return "reached" if reached else "**not reached**"


def build() -> None:
    """Writes the tables and held.json again."""
    if SHIPPED.parent.is_dir():  # not where the documentation stands alone
        write_whole(SHIPPED, constants_text())
    write_whole(HERE / "held.md", page())
    for table in (
        *map(attack_table, _lengths()),
        *([corpus_table()] if _lengths() else []),
        honest_table(),
        false_alarms(),
    ):
        save_table(table, HERE / "tables", endings=("csv",))


def main() -> None:
    """The command line of this file."""
    arguments = sys.argv[1:]
    if arguments == ["--tables"]:
        build()
    elif len(arguments) == 2 and arguments[0] in (
        commands := {"--run": run, "--imitate": run_imitators, "--store": store}
    ):
        commands[arguments[0]](Path(arguments[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
