"""From an indexed corpus to problems with known answers, under stated conditions.

Whoever takes part, in which order files came and how many workers there are changes no problem.

Who is in the calibration half of a study and who in the case half; nobody is in both.

Judging by folds: every author's Q meets every author's K, and each trial is judged by authors who had no part in it.

The authors of a fold are left out together. Both authors of a judged trial are in the fold; the others are its
reference: they normalise it, they are calibrated on, and λG's reference models come from their texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np

from idiograph.errors import StudyError
from idiograph.evidence.normalised import LEAST_TO_NORMALISE
from idiograph.grammar.index import Part
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies.drawing import Condition, Sample, draw_q_and_k
from idiograph.studies.material import DISGUISES, Material, author_rng
from idiograph.studies.settings import Design, Seeds
from idiograph.studies.topics import by_closeness, nearest_impostors, one_person
from idiograph.texts.problem import Problem, problem_seed

# Where every Q meets every K, the trials that only normalise others are the cohort's; attacked ones are judged apart.
# Draws of other closeness than their reference's, and impostors, are judged apart, too.
Half = Literal["calibration", "case", "cohort", "attacked", "drawn", "impostor"]


def split_authors(authors: Sequence[str], *, share: float, seed: int) -> dict[Half, tuple[str, ...]]:
    """The authors of the calibration and of the case half, in the order in which they are paired."""
    order = sorted(authors, key=lambda author: (author_rng(seed, "split", author).random(), author))
    n_calibration = round(share * len(order))
    return {"calibration": tuple(order[:n_calibration]), "case": tuple(order[n_calibration:])}


def split_by_corpus(material: Material, authors: Sequence[str], *, seed: int) -> dict[Half, tuple[str, ...]]:
    """The writers of a training corpus as the calibration half, and those of the corpus itself as the case half.

    Somebody who has written for both is judged, and not learnt from.
    """
    sides = [label for author in authors for label in material.labels(author)]
    training = set(material.training)
    case = {material.writer(label) for label in sides if label not in training}
    everyone = split_authors(sorted({material.writer(label) for label in sides}), share=0.0, seed=seed)["case"]
    return {
        "calibration": tuple(writer for writer in everyone if writer not in case),
        "case": tuple(writer for writer in everyone if writer in case),
    }


def split_writers(material: Material, *, share: float, seed: int) -> dict[Half, tuple[str, ...]]:
    """The writers of ready-made problems in two halves, as many problems as can be having both of theirs in one.

    Writers whom problems link go together, unless these are more than a quarter of all.
    """
    sides = {k: (material.writer(k), material.writer(q)) for k, q in material.ready.items()}
    linked = {writer: writer for pair in sides.values() for writer in pair}

    def root(writer: str) -> str:
        while linked[writer] != writer:
            writer = linked[writer]
        return writer

    for pair in sides.values():
        first, second = sorted(root(writer) for writer in pair)
        linked[second] = first
    groups: dict[str, list[str]] = {}
    for writer in sorted(linked):
        groups.setdefault(root(writer), []).append(writer)
    units = []
    for group in groups.values():
        units += [group] if 4 * len(group) <= len(linked) else [[writer] for writer in group]
    units.sort(key=lambda unit: (author_rng(seed, "split", unit[0]).random(), unit[0]))
    halves: dict[Half, list[str]] = {"calibration": [], "case": []}
    n_calibration = round(share * len(linked))
    for unit in units:
        fits = len(halves["calibration"]) + len(unit) <= n_calibration
        halves["calibration" if fits else "case"] += unit
    return {half: tuple(writers) for half, writers in halves.items()}


MOST_IN_COHORT = 30
"""Calibration authors that normalise a trial, unless a study says how many: the work grows with their square."""
FEWEST_FOLDS = 3
FEWEST_AUTHORS = 8  # three folds of them leave at least five to normalise by


@dataclass(frozen=True)
class Fold:
    """Authors who are left out together, and those they are judged by."""

    left_out: tuple[str, ...]
    reference: tuple[str, ...]
    group: int  # of folds that are scored together
    out_of_models: tuple[str, ...]  # whose sentences λG's reference models never have: all left out in the group

    @property
    def everyone(self) -> list[str]:
        """All who take part in it, sorted."""
        return sorted((*self.left_out, *self.reference))


def make_folds(authors: Sequence[str], design: Design, *, where: str) -> tuple[Fold, ...]:
    """Folds of about the size asked for, of at most `most_authors` authors, who come in random order."""
    chosen = authors[: design.most_authors]
    if len(chosen) < FEWEST_AUTHORS:
        raise StudyError(
            f"{where}: {len(chosen)} authors take part, and folds that can judge each other need at least "
            f"{FEWEST_AUTHORS}. Add authors or shorten the lengths."
        )
    folds = []
    parts = in_parts(chosen, design.fold)
    n_groups = min(design.groups or len(parts), len(parts))
    if n_groups < len(parts) <= FEWEST_FOLDS:
        n_groups = len(parts)  # a group of two of three folds would leave too few
    for number, left_out in enumerate(parts):
        group = number % n_groups
        together = tuple(sorted(author for part in parts[group::n_groups] for author in part))
        others = [author for author in chosen if author not in left_out]
        # From another place for each fold, so that no author is in all references.
        start = number * len(others) // len(parts)
        reference = tuple(sorted([*others[start:], *others[:start]][: design.cohort]))
        folds.append(Fold(left_out, reference, group, together))
    return tuple(folds)


def in_parts(authors: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """The authors, who come in random order, in parts of about this size, but at least three."""
    n_parts = max(FEWEST_FOLDS, round(len(authors) / size))
    return [tuple(sorted(authors[number::n_parts])) for number in range(n_parts)]


def roles(fold: Fold) -> Iterator[tuple[str, str, Half]]:
    """Every K with every Q of a fold's authors: those judged (case), those learnt from (calibration), and the rest."""
    for k, q in product(fold.everyone, repeat=2):
        n_left_out = (k in fold.left_out) + (q in fold.left_out)
        halves: tuple[Half, Half, Half] = ("calibration", "cohort", "case")
        yield k, q, halves[n_left_out]


_NOT_DRAWN = ("reference", *DISGUISES)  # roles of texts that no Q and no K is made of


@dataclass(frozen=True)
class Planned:
    """A problem with a known answer, before anything is scored; `k` and `q` are whose K and whose Q are compared."""

    id: str
    k: str
    q: str
    k_author: str  # the writer of K: k itself, unless it is the label of a ready-made problem
    q_author: str
    q_id: str
    half: Half
    fold: int = -1  # of the plan's folds, where every Q meets every K
    k_draw: str = ""  # which of the author's draws K and Q are, if not that of the reference
    q_draw: str = ""

    @property
    def same_author(self) -> bool:
        return self.k_author == self.q_author


@dataclass(frozen=True)
class Plan:
    """The problems of one corpus under one condition and one set of seeds."""

    material: Material
    corpus: str
    condition: Condition
    design: Design
    seeds: Seeds
    halves: Mapping[Half, tuple[str, ...]]  # all writers of the corpus, whether they take part or not
    sides: Mapping[str, Sample]  # of the authors that take part
    left_out: Mapping[str, str]  # author -> why
    problems: tuple[Planned, ...]
    unpaired: tuple[str, ...] = field(default=())  # authors for whom no other differs in the field as asked
    folds: tuple[Fold, ...] = ()
    cohort: tuple[str, ...] = ()  # whose own Qs and Ks normalise the case problems, where there are no folds
    draws: Mapping[tuple[str, str], Sample] = field(default_factory=dict)  # others, by author and name of the draw
    impostors: tuple[tuple[str, str], ...] = ()  # whose Q, and who comes close to its topic

    def part(self, number: int, n_parts: int) -> tuple[Planned, ...]:
        """The problems that are scored together: those of a group of folds, or every `n_parts`-th."""
        if self.folds:
            return tuple(problem for problem in self.problems if self.folds[problem.fold].group == number)
        if self.cohort:  # a problem of a half may also be one of the cohort's, and is scored once for both
            ids = dict.fromkeys(problem.id for problem in self.problems)
            rank = {id_: position for position, id_ in enumerate(ids)}
            return tuple(problem for problem in self.problems if rank[problem.id] % n_parts == number)
        return self.problems[number::n_parts]

    @property
    def n_scored(self) -> int:
        """How many problems are scored: one that is several trials of a part is scored once for all of them."""
        return len({(self.folds[p.fold].group if self.folds else -1, p.id) for p in self.problems})

    @property
    def n_groups(self) -> int:
        """How many groups of folds there are."""
        return len({fold.group for fold in self.folds})

    def sample(self, author: str, draw: str = "") -> Sample:
        """An author's Q and K, as the reference's are drawn or in another draw."""
        return self.draws[author, draw] if draw else self.sides[author]

    def compared(self, *, k: str, q: str, half: Half, fold: int, k_draw: str = "", q_draw: str = "") -> Planned:
        """A problem of two authors of a fold, of any of their draws."""
        texts = np.unique(self.material.index.sentence_text[self.sample(q, q_draw).q])
        q_id = self.material.index.text_ids[int(texts[0])] if len(texts) == 1 else q
        names = (f"{name}@{draw}" if draw else name for name, draw in ((k, k_draw), (q_id, q_draw)))
        return Planned(
            id="/".join((self.corpus, self.condition.name, *names)),
            k=k,
            q=q,
            k_author=self.material.writer(k),
            q_author=self.material.writer(q),
            q_id=q_id,
            half=half,
            fold=fold,
            k_draw=k_draw,
            q_draw=q_draw,
        )

    @cached_property
    def _parts(self) -> dict[tuple[str, str], tuple[Part, Part]]:
        """Each author's Q and K, which may meet many others, by author and draw."""
        take = self.material.index.take
        samples = {**{(author, ""): sample for author, sample in self.sides.items()}, **self.draws}
        return {which: (take(sample.q), take(sample.k)) for which, sample in samples.items()}

    def problem(self, planned: Planned) -> Problem:
        """The Q, the K and the reference of a planned problem, checked."""
        return Problem(
            q=self._parts[planned.q, planned.q_draw][0],
            k=self._parts[planned.k, planned.k_draw][1],
            reference=self.material.index.take(self.reference_of(planned)),
            id=planned.id,
        )

    def seed(self, planned: Planned) -> tuple[int, int]:
        """What the reference models of a problem are drawn by."""
        return problem_seed(self.seeds.reference, planned.id)

    def not_in_reference(self, planned: Planned) -> tuple[str, ...]:
        """Whose texts a problem's reference does not hold."""
        both = (planned.k, planned.q)
        if planned.fold < 0:
            return both
        fold = self.folds[planned.fold]
        if self.design.cohort is None:
            return (*both, *fold.out_of_models)
        return (*both, *(author for author in self.material.texts_by if author not in fold.reference))

    def reference_of(self, planned: Planned) -> Numbers:
        """The sentences of a problem's reference, in the order of the index: nothing of its authors, nor any copy."""
        reference, firsts, lasts = self._reference_with_gaps(planned)
        kept = zip([0, *lasts], [*firsts, len(reference)], strict=True)
        return np.concatenate([reference[first:last] for first, last in kept])

    def n_reference_of(self, planned: Planned) -> int:
        """The number of sentences in a problem's reference."""
        reference, firsts, lasts = self._reference_with_gaps(planned)
        return len(reference) - sum(lasts) + sum(firsts)

    def _reference_with_gaps(self, planned: Planned) -> tuple[Numbers, list[int], list[int]]:
        """What may be in a problem's reference, and where the sentences to leave out begin and end, text by text."""
        # Where each half has its own reference, two calibration authors have theirs.
        learnt_from = self.design.reference == "own half" and {planned.k_author, planned.q_author} <= self._calibration
        reference = self._references["calibration" if learnt_from else "case"]
        texts = self.material.texts_of(*self.not_in_reference(planned))
        first, last = (np.searchsorted(reference, self.material.starts[texts + after]) for after in (0, 1))
        return reference, first.tolist(), last.tolist()

    @cached_property
    def _calibration(self) -> frozenset[str]:
        return frozenset(self.halves["calibration"])

    @cached_property
    def _references(self) -> dict[Half, Numbers]:
        """The sentences that may be in a reference, of all authors; one for both halves unless each has its own."""
        material, design = self.material, self.design
        roles = material.text_roles
        references: dict[Half, Numbers] = {}
        halves: tuple[Half, ...] = ("case", "calibration") if design.reference == "own half" else ("case",)
        for half in halves:
            kept = np.zeros(len(roles), bool)
            if design.reference != "pool":
                for author, texts in material.texts_by.items():
                    kept[texts] = design.reference == "all" or material.writer(author) in self.halves[half]
            if design.reference_texts == "known":
                kept &= roles != "unknown"
                for sample in self.sides.values():
                    kept[sample.q_pool] = False
            kept[roles == "reference"] = design.reference in ("all", "pool")
            kept &= ~np.isin(roles, DISGUISES)
            references[half] = material.sentences(np.flatnonzero(kept))
        return references


def plan(
    material: Material,
    *,
    corpus: str,
    condition: Condition,
    design: Design | None = None,
    seeds: Seeds | None = None,
    matrix: bool = False,
) -> Plan:
    """The problems of a corpus under a condition; a StudyError where too few authors remain.

    With `matrix` the case problems of halves come with those that normalise them.
    """
    design, seeds = design or Design(), seeds or Seeds()
    if not material.texts_by:
        raise StudyError(
            f"No text of {corpus} has an author, so no answer is known. Name the column or folder that holds authors, "
            "or give a set of ready-made problems."
        )
    field = condition.across or condition.within
    if field is not None and field not in material.fields:
        has = ", ".join(sorted(material.fields)) or "none"
        raise StudyError(
            f"The texts of {corpus} have no field {field}, so pairs cannot be made by it. Their fields: {has}."
        )
    authors = sorted(material.ready) or [author for author in material.texts_by if len(_drawn_from(material, author))]
    by_topic = condition.closeness != "random" or bool(design.cases or design.impostors)
    persons: dict[str, tuple[str, int]] = {}
    if by_topic:
        _refuse_ready_made(material, corpus, "draws by topic are made")
        persons = one_person(material, {author: _drawn_from(material, author) for author in authors})
        material = replace(material, writers={**material.writers, **{name: who for name, (who, _) in persons.items()}})
    halves = _halves(material, authors, share=design.calibration, seed=seeds.split)
    half_of = {author: half for half, members in halves.items() for author in members}
    sides: dict[str, Sample] = {}
    left_out: dict[str, str] = {}
    training = set(material.training)
    for author in authors:
        if author in persons:
            left_out[author] = "{} is one person with {}: {} sentences in common".format(author, *persons[author])
            continue
        if len({half_of[material.writer(label)] for label in material.labels(author)}) > 1:
            left_out[author] = "its two writers are in different halves"
            continue
        if author in training and half_of[material.writer(author)] == "case":
            left_out[author] = "of the training set, but its writer is judged"
            continue
        sample = draw_q_and_k(material, author, _drawn_from(material, author), condition, seed=seeds.texts)
        if sample is None:
            left_out[author] = _why(material, author, condition)
        else:
            sides |= dict.fromkeys(material.labels(author), sample)
    taking: dict[Half, list[str]] = {"calibration": [], "case": []}  # in the order in which they are paired
    for author in authors if material.ready else (*halves["calibration"], *halves["case"]):
        if author in sides:
            taking[half_of[material.writer(author)]].append(author)
    drawn = Plan(material, corpus, condition, design, seeds, halves, sides, left_out, problems=())
    _refuse_too_few(drawn, taking)
    if by_topic:
        drawn = _by_topic(drawn, taking)
    if design.pairs == "all":
        # Every K with every Q, fold by fold.
        _refuse_ready_made(drawn.material, drawn.corpus, 'pairs = "all" makes its own')
        folds = make_folds(taking["case"], drawn.design, where=f"{drawn.corpus}, {drawn.condition.name}")
        problems = (
            drawn.compared(k=k, q=q, half=half, fold=number)
            for number, fold in enumerate(folds)
            for k, q, half in roles(fold)
        )
        return replace(drawn, problems=tuple(problems), folds=folds)
    paired = _in_pairs(drawn, taking)
    return _with_cohort(paired, taking) if matrix else paired


def _halves(material: Material, authors: Sequence[str], *, share: float, seed: int) -> dict[Half, tuple[str, ...]]:
    """Who is in which half: by the corpus, by writers whom problems link, or at random."""
    if material.training:
        return split_by_corpus(material, authors, seed=seed)
    if material.ready:
        return split_writers(material, share=share, seed=seed)
    return split_authors(authors, share=share, seed=seed)


def _with_cohort(paired: Plan, taking: Mapping[Half, Sequence[str]]) -> Plan:
    """The plan with the problems that normalise those of the case: all Qs with the cohort's Ks, all Ks with its Qs.

    The cohort is of the calibration half, or, where nobody is set apart, of all: whoever is of the trial is left out.
    Each of its writers has one Q and one K, so a problem of the cohort is by one writer only if it is somebody's own.
    """
    material, where = paired.material, f"{paired.corpus}, {paired.condition.name}"
    half: Half = "calibration" if taking["calibration"] else "case"
    at_random = {writer: position for position, writer in enumerate(paired.halves[half])}
    labels: dict[str, str] = {}  # writer -> the label of a Q and a K of theirs
    for label in sorted(taking[half], key=lambda label: (at_random[material.writer(label)], label)):
        if len({material.writer(side) for side in material.labels(label)}) == 1:
            labels.setdefault(material.writer(label), label)
    cohort = tuple(labels.values())[: paired.design.cohort or MOST_IN_COHORT]
    # Of a trial by two of the cohort both are left out.
    spare = 0 if half == "calibration" else 2
    if len(cohort) < LEAST_TO_NORMALISE + spare:
        raise StudyError(
            f"{where}: {len(cohort)} {'writers have a same-author problem' if material.ready else 'authors take part'} "
            f"{'in all' if spare else 'in the calibration half'}, and normalised needs at least "
            f"{LEAST_TO_NORMALISE} as its reference{', besides the two of a trial' if spare else ''}. Add some, name "
            "another corpus as training, or leave the method out."
        )
    qs = dict.fromkeys([*cohort, *(problem.q for problem in paired.problems if problem.half == "case")])
    ks = dict.fromkeys([*cohort, *(problem.k for problem in paired.problems if problem.half == "case")])
    wanted = dict.fromkeys([*product(ks, cohort), *product(cohort, qs)])
    added = [
        paired.compared(k=k, q=q, half="cohort", fold=-1)
        for k, q in wanted
        if (k == q and k in cohort) or material.writer(k) != material.writer(q)
    ]
    return replace(paired, problems=(*paired.problems, *added), cohort=cohort)


def _by_topic(drawn: Plan, taking: Mapping[Half, Sequence[str]]) -> Plan:
    """The plan with the draws that the condition and the design ask for, of those who take part."""
    material, condition, design, seed = drawn.material, drawn.condition, drawn.design, drawn.seeds.texts
    everyone = [author for members in taking.values() for author in members]
    chosen = sorted(everyone[: design.most_authors] if design.pairs == "all" else everyone)
    firsts = {author: drawn.sides[author] for author in chosen}
    texts = {author: _drawn_from(material, author) for author in chosen}
    by_author = by_closeness(material, firsts, texts, condition, seed=seed)
    draws = {
        (author, closeness): by_author[author][closeness]
        for author in chosen
        for closeness in dict.fromkeys((*design.cases, *(("random",) if design.impostors else ())))
        if closeness != condition.closeness
    }
    impostors = []
    if design.impostors:
        if condition.k_tokens is None:
            raise StudyError(
                f"{drawn.corpus}, {condition.name}: an impostor's K is made as long as others, but whole texts keep "
                "their own length. Give lengths, or leave out impostors."
            )
        known = {
            author: author_texts[material.text_roles[author_texts] == "known"] if material.has_roles else author_texts
            for author, author_texts in texts.items()
        }
        near = nearest_impostors(material, firsts, known, k_tokens=condition.k_tokens, n=design.impostors)
        for author, others in near.items():
            for other, k in others.items():
                draws[other, impostor_of(author)] = replace(firsts[other], k=k)
                impostors.append((author, other))
    sides = {**drawn.sides, **{author: by[condition.closeness] for author, by in by_author.items()}}
    return replace(drawn, sides=sides, draws=draws, impostors=tuple(impostors))


def impostor_of(author: str) -> str:
    """What the draw is called whose K comes as close as it can to the topic of this author's first Q."""
    return f"for {author}"


def _in_pairs(drawn: Plan, taking: Mapping[Half, Sequence[str]]) -> Plan:
    """Each author with themselves and with their partners of the half."""
    material, design = drawn.material, drawn.design
    problems: list[Planned] = []
    unpaired: list[str] = []
    for half, members in taking.items():
        others = taking["calibration"] if design.pairs == "outside" and half == "case" else members
        for author in sorted(members):
            partners = _partners(drawn, author, members, others)
            if len(partners) < design.n_pairs and not material.ready:
                unpaired.append(author)
            pairs = [material.labels(author)]
            pairs += [(partner, author) if design.pairs == "trace" else (author, partner) for partner in partners]
            problems += [drawn.compared(k=k, q=q, half=half, fold=-1) for k, q in pairs]
    return replace(drawn, problems=tuple(problems), unpaired=tuple(unpaired))


def _drawn_from(material: Material, author: str) -> Numbers:
    """The texts that an author's Q and K, or the two sides of a ready-made problem, are drawn from."""
    texts = np.concatenate([material.texts_by[label] for label in sorted({*material.labels(author)})])
    return texts[~np.isin(material.text_roles[texts], _NOT_DRAWN)]


def _partners(drawn: Plan, author: str, members: Sequence[str], others: Sequence[str]) -> list[str]:
    """The next authors in the order of the split; where the condition crosses a field, those that differ in it."""
    material, sides = drawn.material, drawn.sides
    if material.ready:
        return []
    position = members.index(author)
    first = position + 1 if others is members else position
    candidates = [others[(first + step) % len(others)] for step in range(len(others))]
    candidates = [other for other in candidates if other != author]
    name = drawn.condition.across
    if name is not None:

        def values(numbers: Numbers) -> set[str | None]:
            return set(material.values(name, np.unique(material.index.sentence_text[numbers])))

        def differs(other: str) -> bool:
            k, q = (other, author) if drawn.design.pairs == "trace" else (author, other)
            return not values(sides[k].k) & values(sides[q].q)

        candidates = [other for other in candidates if differs(other)]
    return candidates[: drawn.design.n_pairs]


def _refuse_ready_made(material: Material, corpus: str, what: str) -> None:
    if material.ready:
        raise StudyError(
            f"{corpus} is a set of ready-made problems, and {what} of every author's texts. Put "
            "the set into a study with other pairs."
        )


def _refuse_too_few(drawn: Plan, taking: Mapping[Half, Sequence[str]]) -> None:
    material, design, left_out = drawn.material, drawn.design, drawn.left_out
    for half, members in taking.items():
        if half == "calibration" and design.calibration == 0 and not material.training:
            continue
        remain = len({material.writer(label) for author in members for label in material.labels(author)})
        if remain < design.fewest_authors:
            reasons = sorted(set(left_out.values()))
            raise StudyError(
                f"{drawn.corpus} has too few authors for {drawn.condition.name}: {remain} of "
                f"{len(drawn.halves[half])} in the {half} half remain, and at least {design.fewest_authors} are needed."
                + (f" {len(left_out)} were left out: {'; '.join(reasons[:3])}." if left_out else "")
                + " Add authors, shorten the lengths, change the split or lower fewest_authors."
            )


def _why(material: Material, author: str, condition: Condition) -> str:
    """Why an author cannot take part, in words that gather authors of one kind."""
    texts = material.texts_by[author]
    if material.has_roles:
        if not {"known", "unknown"} <= set(material.text_roles[texts]):
            return "no known or no questioned text"
    elif len(texts) < 2:
        return "fewer than two texts"
    name = condition.across or condition.within
    values = set(material.values(name, texts)) - {None} if name else set()
    if condition.across and len(values) < 2:
        return f"fewer than two values of {name}"
    return "too short" if condition.q_tokens else "too few texts"
