"""Qs under attack: scored, and what that did to each method: how often an LR misled, what it costs, what is caught.

Each attacked Q of a fold meets the Ks it is to be taken for, and its cohort's. All attacked Qs of an author are scored
with a K at once: λG is a sum over sentences, so that the models, which cost most, are made once. They are those of the
problem that is attacked, drawn by its seed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from idiograph.arithmetic import FloatArray, mean
from idiograph.evidence.closeness import freed
from idiograph.evidence.comparators import as_text
from idiograph.evidence.cosine import token_n_grams
from idiograph.evidence.held import FLAGGING, flag_limits, flag_values
from idiograph.evidence.matching import TEN
from idiograph.evidence.matrix import CLOSENESS, HOLDING, KEPT, Cell, matrix_of
from idiograph.evidence.metrics import cllr
from idiograph.evidence.repetition import CountedText, count_ngrams, find_repeated, often, trigrams
from idiograph.evidence.trials import BoolArray
from idiograph.grammar.index import Index
from idiograph.grammar.lambdag import Score, first_trigrams, score_sides
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.vocabulary import Numbers, encoded, frozen, numbered, token_numbers
from idiograph.studies.attack import NOTHING, Imitated, imitation, inserted, most_typical, name_of
from idiograph.studies.llrs import COHORT_PREFIX, compared
from idiograph.studies.material import DISGUISES, author_rng
from idiograph.studies.problems import Plan, Planned
from idiograph.studies.settings import Study
from idiograph.studies.trial_table import NORMED_PREFIX, TrialTable, trials_of
from idiograph.texts.text import Sentence

ATTACK, CAUGHT = "attack", "caught"
_AT_ONCE = 20_000  # tokens of attacked Qs that are scored together


@dataclass(frozen=True)
class AttackedQ:
    """A Q as an attacker, or its author in disguise, left it; whose it is, and whose Ks it is compared with."""

    kind: str
    author: str
    sentences: tuple[Sentence, ...]
    ks: tuple[str, ...]
    content: Numbers  # the sentences of the corpus whose content words it has: phrases of masked tokens bring none

    @property
    def n_tokens(self) -> int:
        return sum(map(len, self.sentences))


def attacked_qs(study: Study, plan: Plan, number: int) -> Iterator[AttackedQ]:
    """The attacked Qs of a fold, and those that nobody touched, to compare with."""
    fold, take, attack = plan.folds[number], plan.material.index.take, study.attack
    qs = {author: take(plan.sides[author].q).sentences for author in fold.left_out}
    rest = trigrams(take(_reference(plan, number)).sentences) if attack.insert else {}
    typical = {
        author: most_typical(
            trigrams(take(plan.sides[author].k).sentences), rest, max(phrases for phrases, _ in attack.kinds)
        )
        for author in (fold.left_out if attack.insert else ())
    }
    cohort = [take(plan.sides[author].k).sentences for author in fold.reference] if attack.imitate else []
    for at, b in enumerate(fold.left_out):
        content = plan.sides[b].q
        others = (*fold.left_out[at + 1 :], *fold.left_out[:at])[: attack.targets]
        others = tuple(a for a in fold.left_out if a in others)
        yield AttackedQ(NOTHING, b, qs[b], others, content)
        for a in others if attack.insert else ():
            for phrases, times in attack.kinds if typical[a] else ():
                attacked = inserted(qs[b], typical[a][:phrases], times)
                yield AttackedQ(name_of((phrases, times)), b, attacked, (a,), content)
        for a in others if attack.imitate else ():
            material = plan.material
            imitated = Imitated(material.index, plan.sides[a].k, material.sentences(material.texts_of(a)))
            for kind in attack.imitate:
                rng = author_rng(plan.seeds.texts, "imitation", kind, a, b)
                imitating = imitation(kind, qs[b], imitated, cohort=cohort, rng=rng)
                if imitating is not None:
                    yield AttackedQ(kind, b, imitating, (a,), content)
        for disguise in DISGUISES if attack.disguised else ():
            sentences = _disguised(plan, b, disguise)
            if sentences is not None:
                yield AttackedQ(disguise, b, take(sentences).sentences, fold.left_out, sentences)


def attacked_trials(study: Study, run: int, plan: Plan, number: int) -> TrialTable:
    """The attacked problems of a fold with all their scores, and whether the audit would see the attack."""
    import pyarrow as pa

    fold = plan.folds[number]
    qs = list(attacked_qs(study, plan, number))
    authors = fold.everyone
    column_of = {author: at for at, author in enumerate(authors)}
    reference = [column_of[author] for author in fold.reference]
    ks = [plan.material.index.take(plan.sides[author].k).sentences for author in authors]
    sentences = [q.sentences for q in qs]
    content = plan.material.content if study.compares_topics else None
    sides = [*(q.content for q in qs), *(plan.sides[author].k for author in authors)]
    scores = {cell: [scored] for cell, scored in _scored(study, plan, number, qs, authors)}
    matrix = matrix_of(
        token_n_grams([*sentences, *ks]),
        scores,
        q_authors=[column_of[q.author] for q in qs],
        reference=reference,
        content=None if content is None else content.counts(sides),
        guard=(sentences, ks),
        hold=(sentences, ks) if study.holds else None,
    )
    trials = [(row, column_of[a]) for row, q in enumerate(qs) for a in q.ks]
    problems = _problems(plan, number)
    planned = [problems[authors[at], qs[row].author] for row, at in trials]
    more = matrix.only("cosine", *KEPT, *(HOLDING if study.holds else ())).rows(trials)
    texts = [as_text(k) for k in ks] if study.comparators else []
    others = [texts[author] for author in reference] if study.comparators else []
    for key in study.comparators:
        more[key] = np.array(
            [
                compared(
                    key,
                    as_text(qs[row].sentences),
                    texts[at],
                    others,
                    plan.seed(problem_of_trial),
                    f"{problem_of_trial.id} under attack",
                )
                for (row, at), problem_of_trial in zip(trials, planned, strict=True)
            ]
        )
    table = trials_of(
        study.name,
        run,
        plan,
        [replace(problem, half="attacked") for problem in planned],
        [plan.problem(problem) for problem in planned],
        [scores[trial][0] for trial in trials],
        evidence=study.evidence,
        more=more,
    ).table
    seen = seen_by_audit(plan, number, sentences, [(row, authors[at]) for row, at in trials])
    table = table.append_column(ATTACK, pa.array([qs[row].kind for row, _ in trials], pa.string()))
    table = table.append_column(CAUGHT, pa.array(seen, pa.bool_()))
    for name, values in (*matrix.scores.items(), *([] if content is None else [(CLOSENESS, matrix.closeness)])):
        assert values is not None
        with_cohort = [values[row, reference].tolist() for row, _ in trials]
        table = table.append_column(COHORT_PREFIX + name, pa.array(with_cohort, pa.list_(pa.float64())))
    return TrialTable(table)


def _problems(plan: Plan, number: int) -> dict[tuple[str, str], Planned]:
    """The problems of a fold by whose K and whose Q they compare."""
    return {(problem.k, problem.q): problem for problem in plan.problems if problem.fold == number}


def _reference(plan: Plan, number: int) -> Numbers:
    """The sentences of the reference of a fold's judged problems, which is the same for all of them."""
    judged = next(problem for problem in plan.problems if problem.fold == number and problem.half == "case")
    return plan.reference_of(judged)


def _disguised(plan: Plan, author: str, kind: str) -> Numbers | None:
    """The sentences of an author's texts of this kind up to the length of a Q; None where there are not enough."""
    material, tokens = plan.material, plan.condition.q_tokens
    texts = material.texts_by[author]
    numbers = material.sentences(texts[material.text_roles[texts] == kind])
    if int(material.index.sentence_lengths[numbers].sum()) <= (tokens or 0):
        return None
    return numbers if tokens is None else material.up_to(tokens, numbers)


def _scored(
    study: Study, plan: Plan, number: int, qs: Sequence[AttackedQ], authors: Sequence[str]
) -> Iterator[tuple[Cell, Score]]:
    """The score of every attacked Q (rows) with the Ks (columns) of the reference and with its own, cell by cell."""
    index = plan.material.index
    lengths = index.sentence_lengths
    tokens, starts = encoded([sentence for q in qs for sentence in q.sentences], index.vocabulary)
    rows_of = np.split(
        np.arange(len(starts) - 1) + len(lengths), np.cumsum([len(q.sentences) for q in qs], dtype=np.int64)[:-1]
    )
    both = Index(
        numbered(
            np.concatenate([index.tokens, tokens]),
            np.concatenate([index.starts, index.starts[-1] + starts[1:]]),
            index.types,
            index.order,
            masking=index.masking,
        )
    )
    fold = plan.folds[number]
    planned = _problems(plan, number)
    for batch in _batches(qs):
        b = qs[batch[0]].author
        q = both.take(np.concatenate([rows_of[row] for row in batch]))
        ends = np.cumsum([len(rows_of[row]) for row in batch], dtype=np.int64).tolist()
        for at, k in enumerate(authors):
            wanted = [row for row in batch if k in fold.reference or k in qs[row].ks]
            if not wanted:
                continue
            problem = planned[k, b]
            reference = both.take(plan.reference_of(problem))
            settings = LambdaGSettings(seed=plan.seed(problem), **study.lambdag)
            score = score_sides(q=q, k=both.take(plan.sides[k].k), reference=reference, settings=settings)
            for row, first, last in zip(batch, [0, *ends], ends, strict=False):
                if row in wanted:
                    yield (row, at), _part(score, both, rows_of[row], slice(first, last))


def _batches(qs: Sequence[AttackedQ]) -> Iterator[list[int]]:
    """Attacked Qs of one author in a row, as many as are scored at once."""
    batch: list[int] = []
    for row, q in enumerate(qs):
        full = sum(qs[at].n_tokens for at in batch) + q.n_tokens > _AT_ONCE
        if batch and (full or qs[batch[0]].author != q.author):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _part(score: Score, index: Index, sentences: Numbers, where: slice) -> Score:
    """The score of one Q of several that were scored together."""
    part = index.take(sentences)
    lengths = index.sentence_lengths[sentences]
    counted = frozen(first_trigrams(token_numbers(index.tokens, index.starts, sentences), lengths))
    return Score(
        evidence=score.evidence[where],
        counted=tuple(np.split(counted, np.cumsum(lengths + 1, dtype=np.int64)[:-1])),
        reference_totals=(),
        known_total=float("nan"),
        n_tokens=part.n_tokens,
        n_hapaxes=part.n_hapaxes,
        settings=score.settings,
        masking=score.masking,
    )


def seen_by_audit(
    plan: Plan, number: int, qs: Sequence[Sequence[Sentence]], trials: Sequence[tuple[int, str]]
) -> list[bool]:
    """Whether the audit of a case would find a feature of K repeated in Q, for each trial (a Q, and K's author)."""
    index = plan.material.index
    wanted = {ngram for q in qs for ngram in often(q)}

    def texts(sentences: Numbers) -> list[Numbers]:
        return np.split(sentences, np.flatnonzero(np.diff(index.sentence_text[sentences])) + 1)

    by_author: dict[int, list[CountedText]] = {}
    for of_text in texts(_reference(plan, number)):
        author = int(index.sentence_author[of_text[0]])
        by_author.setdefault(author, []).append(count_ngrams(index.take(of_text).sentences, wanted))
    known = {
        author: [count_ngrams(index.take(text).sentences, wanted) for text in texts(plan.sides[author].k)]
        for author in plan.folds[number].left_out
    }
    return [bool(find_repeated(qs[row], known[author], list(by_author.values()))) for row, author in trials]


@dataclass(frozen=True)
class UnderAttack:
    """A method under a kind of attack, on one corpus and condition or, where these are empty, on all together.

    Where authors disguised themselves, there are also attacked problems with their own K. Cllr is that of the attacked
    problems; where only different-author ones were attacked, the same-author ones are those of the study. Over several
    corpora and conditions it is the mean.
    """

    corpus: str
    condition: str
    kind: str
    method: str
    n_different: int
    above_1: int
    above_10: int
    n_same: int
    below_1: int
    cllr: float
    n_caught: int  # of all attacked problems
    n_flagged: int | None = None  # of all attacked problems; None where the study has no scores for the flag


def under_attack(trials: TrialTable) -> tuple[UnderAttack, ...]:
    """What attacks do, by corpus, condition, kind and method; those without LLRs of attacked problems are left out."""
    if ATTACK not in trials.table.column_names:
        return ()
    kinds, caught = (trials.column(name) for name in (ATTACK, CAUGHT))
    corpora, conditions = trials.column("corpus"), trials.column("condition")
    flags = flagged_trials(trials)
    rows = []
    for corpus, condition in dict.fromkeys(zip(corpora, conditions, strict=True)):
        cell = (corpora == corpus) & (conditions == condition)
        unattacked = cell & trials.case & trials.same
        for kind in dict.fromkeys(kind for kind in kinds[cell] if kind is not None):
            attacked = cell & (kinds == kind)
            same, different = attacked & trials.same, attacked & ~trials.same
            for method in trials.methods:
                llrs = trials.llr(method)
                if np.isnan(llrs[attacked]).any():
                    continue
                rows.append(
                    UnderAttack(
                        corpus=corpus,
                        condition=condition,
                        kind=kind,
                        method=method,
                        n_different=int(different.sum()),
                        above_1=_count(llrs[different] > 0),
                        above_10=_count(llrs[different] > TEN),
                        n_same=int(same.sum()),
                        below_1=_count(llrs[same] < 0),
                        cllr=cllr(same=llrs[same if same.any() else unattacked], different=llrs[different]),
                        n_caught=_count(caught[attacked].astype(bool)),
                        n_flagged=None if flags is None else _count(flags[attacked]),
                    )
                )
    return tuple(rows)


def flagged_trials(trials: TrialTable) -> BoolArray | None:
    """Whether page one of a case would flag each trial, by the shipped limits; None without normalised scores."""
    if any(NORMED_PREFIX + name not in trials.table.column_names for name in FLAGGING):
        return None
    normed = trials.normed(FLAGGING)
    controlled = NORMED_PREFIX + CLOSENESS in trials.table.column_names
    limits = flag_limits(controlled=controlled)
    if controlled:
        normed = freed(normed, trials.normed([CLOSENESS])[:, 0], limits.slopes)
    return limits.passed(*flag_values(normed))


def all_together(rows: Sequence[UnderAttack]) -> tuple[UnderAttack, ...]:
    """What attacks do over all corpora and conditions, by kind of attack and method."""
    together = []
    for kind, method in dict.fromkeys((cell.kind, cell.method) for cell in rows):
        cells = [cell for cell in rows if (cell.kind, cell.method) == (kind, method)]
        counts = {
            name: sum(getattr(cell, name) for cell in cells)
            for name in ("n_different", "above_1", "above_10", "n_same", "below_1", "n_caught")
        }
        flags = [cell.n_flagged for cell in cells if cell.n_flagged is not None]
        together.append(
            UnderAttack(
                corpus="",
                condition="",
                kind=kind,
                method=method,
                cllr=mean([cell.cllr for cell in cells]),
                n_flagged=sum(flags) if flags else None,
                **counts,
            )
        )
    return tuple(together)


def _count(true: FloatArray) -> int:
    return int(np.count_nonzero(true))
