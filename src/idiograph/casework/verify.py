"""From a case to its Verification: read, audit, validate, and only then score Q.

`normalised` goes the same way from texts to the LR alone, without what only a report needs.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from idiograph.casework.audit import audit, gravest_first, weighed
from idiograph.casework.case import (
    BEST_VALIDATED,
    CONTROLLED,
    GUARDED,
    PRINTED_ONLY,
    PUBLISHED,
    RULES,
    SIDES,
    Case,
    as_case,
    case_digest,
    unnamed_registers,
)
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import CaseMatrix, score_matrix
from idiograph.casework.copies import Runs, copies_of_authors, find_copies, find_shared
from idiograph.casework.explanation import concentrated, explain
from idiograph.casework.findings import by_name, finding
from idiograph.casework.holding import flagged, held_value
from idiograph.casework.inputs import CaseTexts, Inputs, n_tokens, read_inputs, side
from idiograph.casework.other_language import by_english_alone, in_language, what_masking_removed, without_validation
from idiograph.casework.sentences import QUICK, another_kind, limits, refusal, wording
from idiograph.casework.taking_part import ValidationPlan, cut_sides, plan_at_length, plan_validation
from idiograph.casework.validation import (
    Judging,
    Validated,
    opinion,
    outside_lengths,
    outside_sizes,
    same_problems,
    settled,
    validate,
)
from idiograph.casework.variants import (
    ByFormula,
    ByMatrix,
    Primary,
    Surroundings,
    anchors,
    case_matrices,
    guarded_case,
    normalise_case,
    sensitivity,
    surroundings,
    value_range,
    without_texts,
)
from idiograph.casework.verification import (
    SPEAKS,
    Anchors,
    Comparison,
    EarlierRun,
    Explanation,
    Finding,
    NormalisedResult,
    Sensitivity,
    Severity,
    TextDigest,
    Validation,
    Verification,
    Wording,
)
from idiograph.checking import check, checks_arguments, n_workers
from idiograph.errors import CalibrationError, InputError, counted, some
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.constants import NONE
from idiograph.evidence.kinds import LIMITED, REFUSED, Apart, apart_from_reference
from idiograph.evidence.llr import LLR
from idiograph.evidence.matching import THREE
from idiograph.evidence.matrix import Matrix
from idiograph.evidence.methods import METHODS, case_methods
from idiograph.evidence.normalised import LEAST_TO_NORMALISE, SCORES
from idiograph.evidence.performance import misleading_beyond
from idiograph.evidence.phrases import BARE
from idiograph.evidence.published_trials import FILE, read_published, shipped_path
from idiograph.grammar.lambdag import Score
from idiograph.progress import progress
from idiograph.provenance import TAGGING, Provenance, digest, digest_json, signature, versions
from idiograph.settings import changed, refuse_unknown, settings_of
from idiograph.studies.topics import one_person
from idiograph.texts.masking.rules import n_kept
from idiograph.texts.problem import Problem
from idiograph.texts.reading.memory import TextsInMemory


class ReadyComparison(NamedTuple):
    """A comparison that may be made, with the audit of its texts."""

    texts: CaseTexts
    problem: Problem
    audit: tuple[Finding, ...]


@dataclass(frozen=True)
class ReadyCase:
    """A case with everything fixed and hashed, its texts read and audited, and nothing scored yet."""

    case: Case
    digest: str  # SHA-256 of all the case fixes and of every input
    inputs: Inputs
    case_index: CaseIndex
    comparisons: tuple[ReadyComparison, ...]
    quick: bool
    rules: int = RULES


@checks_arguments
def verify(
    case: Case | Path | str,
    *,
    quick: bool = False,
    workers: int | None = None,
    cache: bool = True,
    rules: int = RULES,
) -> Verification:
    """The strength of the evidence in a `case`, given as a Case or as the path of its file.

    `quick` leaves the validation out; an LR that the reference measures is then another one, by the published constants
    alone, and the result says so. Unless `workers` says how many cores to use, all are used. Without `cache` every text
    is masked anew, and none is kept. `rules` are those of the version that a replayed case was filed by.
    """
    return decide(make_ready(case, quick=quick, workers=workers, cache=cache, rules=rules))


@checks_arguments
def make_ready(
    case: Case | Path | str,
    *,
    quick: bool = False,
    workers: int | None = None,
    cache: bool = True,
    rules: int = RULES,
) -> ReadyCase:
    """Reads, checks and audits a case; whatever may not be compared is refused here."""
    case, workers = as_case(case), n_workers(workers)
    if not 1 <= rules <= RULES:
        raise InputError(
            f"The case asks for rules {rules}, and this version of Idiograph knows 1 to {RULES}. Use the version that "
            "filed it."
        )
    if rules > 1 and case.primary == BEST_VALIDATED:
        raise InputError(
            f"The primary method {BEST_VALIDATED} is chosen by how the methods do on this very reference, and looks "
            "better there than it is. New cases name their method beforehand: set primary to one of "
            f"{', '.join(case.candidates)} and leave candidates empty. What was filed with it is still replayed."
        )
    if quick and case.primary == BEST_VALIDATED:
        raise InputError(
            f"The primary method {BEST_VALIDATED} is chosen by the validation, and a quick run makes none. Run "
            "the case in full, or name one primary method."
        )
    if quick and METHODS[case.primary].learn is not None:
        raise InputError(
            f"The primary method {case.primary} learns from the validation problems, and a quick run makes none. Run "
            "the case in full, or choose another primary method."
        )
    if quick and case.primary in MEASURED and case.constants == NONE:
        raise InputError(
            "A quick run fits nothing: it goes by the constants alone, and the case goes without them (constants = "
            f'"{NONE}"). Leave out --quick, let the constants in, or choose another primary method.'
        )
    if case.bounds == PUBLISHED and read_published(shipped_path()) is None:
        raise InputError(
            f'bounds = "{PUBLISHED}" counts the trials of the published validation, and this installation has none '
            f'({FILE} is not there). Choose bounds = "elub", or install Idiograph again.'
        )
    inputs = read_inputs(case, workers=workers, cache=cache)
    pairs = [inputs.texts(label, candidate) for label in case.questioned for candidate in case.known]
    runs = Runs.of(pairs)
    copied = copies_of_authors(inputs.reference, runs)
    case_index = CaseIndex.of(case, inputs, workers=workers, copies=copied)
    if case.primary == CONTROLLED and case_index.material.content is None:
        raise InputError(
            "How close the texts are in topic is told by the words that masking hides, and these texts came masked, or "
            "their masking does not say which words it hid. Give original texts with masking posnoise, or choose "
            'primary = "normalised", whose value a shared topic raises and a foreign one lowers.'
        )
    of_authors = _one_person(case_index)
    comparisons = []
    with progress("Auditing the texts", total=len(pairs), unit="comparisons") as advance:
        for texts in pairs:
            problem, shared = _problem(case_index, texts), find_shared(texts, runs)
            shared.refuse_copies()
            audited = audit(texts, shared, find_copies(texts, runs, reference=copied))
            comparisons.append(ReadyComparison(texts, problem, (*audited, *of_authors)))
            advance()
    return ReadyCase(case, case_digest(case, inputs.files), inputs, case_index, tuple(comparisons), quick, rules)


def decide(
    ready: ReadyCase,
    *,
    run: int = 1,
    earlier: tuple[EarlierRun, ...] = (),
    trail: str = "",
    trail_problems: tuple[str, ...] = (),
) -> Verification:
    """Validates the method under the conditions of the case and only then scores Q."""
    case, inputs = ready.case, ready.inputs
    planned = [plan_comparison(ready, comparison) for comparison in ready.comparisons]
    # Before the first Q is scored.
    validated = [None] * len(planned) if ready.quick else _validate_all(ready, planned, hold=ready.rules > 1)
    comparisons = [
        _compare(ready, comparison, plan, behind) for (comparison, plan), behind in zip(planned, validated, strict=True)
    ]
    return Verification(
        case=case,
        case_digest=ready.digest,
        comparisons=tuple(in_language(comparison, case.language, case.constants) for comparison in comparisons),
        provenance=_provenance(ready),
        texts=tuple(
            TextDigest(
                id=text.id,
                author=text.author,
                content_sha256=digest(inputs.originals[text.id].content) if text.id in inputs.originals else None,
                masked_sha256=digest_json(text.sentences),
                n_tokens=text.n_tokens,
                n_kept=n_kept(text),
            )
            for text in inputs.all
        ),
        quick=ready.quick,
        run=run,
        earlier=earlier,
        trail=trail,
        trail_problems=trail_problems,
        changes=inputs.changes,
    )


def _validate_all(
    ready: ReadyCase, planned: Sequence[tuple[ReadyComparison, ValidationPlan]], *, hold: bool
) -> list[Validated]:
    """The validation of each comparison, those of the same problems scored once."""
    validated: dict[int, Validated] = {}
    for numbers in same_problems([plan for _, plan in planned]):
        first, plan = planned[numbers[0]]
        judging = Judging(ready.case_index, plan, first.texts.name)
        for number in numbers:
            comparison, plan = planned[number]
            validated[number] = validate(ready.case_index, comparison.texts, plan, judging, hold=hold)
    return [validated[number] for number in range(len(planned))]


def _provenance(ready: ReadyCase) -> Provenance:
    case, inputs = ready.case, ready.inputs
    settings = {
        # Particulars make no number, and may be corrected later: the case file alone has them.
        **{
            name: value
            for name, value in asdict(case).items()
            if name not in (*SIDES, *PRINTED_ONLY, *unnamed_registers(case))
        },
        "digest": ready.digest,
        "recipe": Path(case.recipe).name if case.recipe else None,
        "word_list": case.word_list.name if case.word_list else None,
        # The table of metadata is among the inputs.
        "reading": {name: str(value) for name, value in changed(case.reading).items() if name != "metadata"},
        "masking": inputs.masking,
        # Absent where a case from before these rules is computed again.
        **({} if case.reading.rules == 1 else {"reading_rules": case.reading.rules}),
        "index": ready.case_index.index.digest,
        "quick": ready.quick,
        **({"rules": ready.rules} if ready.rules > 1 else {}),
    }
    return Provenance(
        signature=signature(
            "verify",
            order=case.order,
            r=case.repetitions,
            D=case.discount,
            mask=inputs.masking,
            llr=case.primary,
            **({"constants": NONE} if case.constants == NONE else {}),
            bounds=case.bounds,
            seed=case.seed,
        ),
        settings=settings,
        versions=versions() | ({TAGGING: inputs.tagging} if inputs.tagging else {}),
        inputs=inputs.files,
    )


def _one_person(case_index: CaseIndex) -> tuple[Finding, ...]:
    """Reference authors who share so many sentences that they are one person; told only by texts as written."""
    if case_index.material.content is None:
        return ()
    material = case_index.material
    same_person = one_person(material, {author: material.texts_by[author] for author in case_index.authors})
    if not same_person:
        return ()
    pairs = [f"{name} and {first} ({counted(n, 'sentence')})" for name, (first, n) in same_person.items()]
    return (finding("one-person", "amber", ["reference"], pairs=some(pairs)),)


def _problem(case_index: CaseIndex, texts: CaseTexts) -> Problem:
    return Problem(
        q=case_index.part(texts.q),
        k=case_index.part(texts.k),
        reference=case_index.reference(),
        id=f"case/{texts.label}/{texts.candidate}",
    )


def plan_comparison(ready: ReadyCase, comparison: ReadyComparison) -> tuple[ReadyComparison, ValidationPlan]:
    """The comparison with the plan of its validation, its texts cut to the length there is where that has to be."""
    case_index, whole = ready.case_index, comparison.texts
    if ready.rules == 1:
        return comparison, plan_validation(case_index, whole)
    texts, plan = plan_at_length(case_index, whole)
    if texts is whole:
        return comparison, plan
    shorter = cut_sides(whole, texts)
    left = [f"{n_tokens(after):,} of the {n_tokens(before):,} tokens of {name}" for name, before, after in shorter]
    cut = finding("cut", "amber", [text.id for *_, after in shorter for text in after], left=" and ".join(left))
    return ReadyComparison(texts, _problem(case_index, texts), (*comparison.audit, cut)), plan


def _compare(
    ready: ReadyCase, comparison: ReadyComparison, plan: ValidationPlan, validated: Validated | None
) -> Comparison:
    """One comparison, whose validation is behind it; its number is opened only where one may be reported."""
    texts, inputs = comparison.texts, ready.inputs
    validation = validated.validation if validated else None
    case = settled(ready.case, validation)
    ready = replace(ready, case=case)
    findings, because = known_before(ready, comparison, validation)
    masked = "The texts were already masked and were used as they are."
    if inputs.originals:
        masked = what_masking_removed(inputs.masking, inputs.language, texts.sides)
    worded = partial(
        wording,
        case,
        label=texts.label,
        candidate=texts.candidate,
        validation=validation,
        limits=limits(case, removed=masked, validated=_validated(validation, case.primary)),
        masked=masked,
        changes=inputs.changes,
    )
    shut = Comparison(
        label=texts.label,
        candidate=texts.candidate,
        q=side(texts.q, case.registers.get("Q", "")),
        k=side(texts.k, case.registers.get("K", "")),
        reference=side(texts.reference, case.registers.get("the reference", "")),
        primary=case.primary,
        audit=findings,
        validation=validation,
        wording=worded(because=because or "it was not computed"),
    )
    if because is not None and ready.rules > 1:
        return replace(shut, refusal=refusal(because), audit=_without_evidence(findings))
    opened = _opened(ready, comparison, plan, validated, shut, worded, because)
    if opened.reported is None and ready.rules > 1:
        audit = _without_evidence(opened.audit)
        return replace(shut, refusal=opened.refusal, wording=opened.wording, audit=audit, apart=opened.apart)
    return opened


def _without_evidence(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What a refused case shows of its audit: that Q is cautioned to repeat what is typical of K would be evidence."""
    return tuple(entry for entry in findings if (entry.code, entry.severity) != ("repeated-feature", "amber"))


def _opened(
    ready: ReadyCase,
    comparison: ReadyComparison,
    plan: ValidationPlan,
    validated: Validated | None,
    shut: Comparison,
    worded: Callable[..., Wording],
    because: str | None,
) -> Comparison:
    """The comparison with its number and all that stands around it; `because` nothing is reported, until 0.3.0."""
    case, case_index, (texts, problem, _) = ready.case, ready.case_index, comparison
    validation = shut.validation
    trials = validation.trials if validation else None
    number = open_number(
        ready,
        comparison,
        plan,
        validated.matrix if validated else None,
        quick=validated is None,
        able=trials.nats if trials is not None else MEASURED,
    )
    score, around, measured, kind = number.score, number.around, number.measured, number.kind
    primary_case = measured.get(case.primary)
    learnt = validated.learnt if validated else {}
    formulas = {
        key: partial(method.llr, learnt=learnt.get(key))
        for key, method in case_methods().items()
        if method.values is not None or key in learnt
    }
    llrs = {
        **{key: of_case.trial.llr for key, of_case in measured.items()},
        **{key: to_llr(score) for key, to_llr in formulas.items()},
        **(_second_opinions(case_index, texts, case, number, validated) if validated else {}),
    }
    computed = llrs.get(case.primary)
    reported, because = reported_of(case, number, computed, validation, because)
    # A primary method that could not be fitted is refused; what stands around it is then shown by a correction.
    primary: Primary = primary_case or ByFormula(case_index, formulas.get(case.primary, formulas["hapax"]), around)
    left_out = without_texts(case_index, texts, problem, primary)
    moves = None
    if computed is not None and validation is not None:
        moves = value_range(case_index, texts, problem, computed, primary, left_out, covers=ready.rules > 1)
    around_it = anchors(case_index, texts, score, primary)
    rests_on = sensitivity(case_index, texts, problem, score, llrs, primary, left_out)
    told = explain(case_index, texts, score)
    held, safe = None, None
    if measured and around and number.holding and reported:
        held, safe = held_value(case_index, texts, around, number.holding, reported, told)
    outside: tuple[str, ...] = ()
    as_strong = None
    if trials is not None and computed is not None:
        outside = (
            *outside_lengths(trials, n_q=n_tokens(texts.q), n_k=n_tokens(texts.k), rules=ready.rules),
            *outside_sizes(trials, nats=computed.nats, lambda_g=score.lambda_g, primary=case.primary),
        )
        as_strong = misleading_beyond(trials.by(case.primary), (reported or computed).nats)
    made_of = {key: (of_case.trial, of_case.normalisation) for key, of_case in measured.items()}
    return replace(
        shut,
        refusal=refusal(because) if because else None,
        reported=reported,
        audit=gravest_first(
            (
                *shut.audit,
                *_of_kind(kind, decides=primary_case is not None),
                *(_of_k(shut, around_it, primary_case) if ready.rules > 1 else ()),
                *(_of_value(rests_on, told) if ready.rules > 1 and reported else ()),
                *(flagged(held, texts.label) if held else ()),
            )
        ),
        apart=kind,
        score=score,
        llrs=llrs,
        normalised=made_of.get("normalised"),
        controlled=made_of.get(CONTROLLED),
        held=held,
        range=moves,
        outside=outside,
        as_strong=as_strong,
        anchors=around_it,
        sensitivity=rests_on,
        explanation=told,
        wording=worded(
            computed=computed,
            reported=reported,
            because=because,
            moves=moves,
            llrs=llrs,
            made_of=made_of.get(CONTROLLED),
            kind=kind if primary_case else None,
            held=safe,
        ),
    )


def _second_opinions(
    case_index: CaseIndex, texts: CaseTexts, case: Case, number: "Number", validated: Validated
) -> dict[str, LLR]:
    """The LLRs of the methods that the case asks for beside its primary one, as far as they could be validated."""
    llrs: dict[str, LLR] = {}
    if validated.matrix is None:
        return llrs
    for key in case.second_opinions:
        if key in validated.learnt:
            llrs[key] = opinion(case_index, texts, validated.matrix, number.score, key, validated.learnt[key])
        elif key == GUARDED and number.around is not None and number.measured:
            llrs[key] = guarded_case(case_index, texts, number.score, number.around, validated.matrix)
    return llrs


MEASURED = (CONTROLLED, "normalised")  # the methods that measure a case by the matrix


WEAKEST = Bounds(-THREE, THREE, None)  # what may still be said where the reference may be of another kind


class Number(NamedTuple):
    """The number of a comparison as the methods give it that measure it by its reference, or why they do not."""

    score: Score
    around: Surroundings | None
    measured: dict[str, ByMatrix]
    why_not: dict[str, str]
    kind: Apart | None  # how far the case lies from its reference; None where that is not known
    holding: tuple[Matrix, ...] = ()  # the matrices with what holds a value against imitators; none in a quick run


def open_number(
    ready: ReadyCase,
    comparison: ReadyComparison,
    plan: ValidationPlan,
    matrix: CaseMatrix | None,
    *,
    quick: bool = False,
    able: Collection[str] = MEASURED,
) -> Number:
    """Scores Q and measures it by `matrix`, the reference authors' own scores; a `quick` run goes by constants alone.

    Only the methods that are `able` to are asked, by all that the validation shows of them.
    """
    case_index, (texts, problem, _) = ready.case_index, comparison
    score = case_index.score_case(problem)[0]
    around = surroundings(case_index, texts, plan, quick=quick)
    if around is None or (matrix is None and not quick):
        why = "no reference author has enough text for a Q and a K like the case's"
        return Number(score, around, {}, dict.fromkeys(MEASURED, why), None)
    hold = matrix is not None and BARE[0] in matrix.draws[0].known
    holding = case_matrices(case_index, texts, score, around, matrix, hold=hold)
    draws = tuple(draw.only(*(name for name in draw.scores if name in SCORES)) for draw in holding)
    measured, why_not = {}, {}
    for key in MEASURED:
        if key == CONTROLLED and draws[0].closeness is None:
            why_not[key] = "the texts came masked, so that how close they are in topic is not known"
        elif key not in able:
            why_not[key] = "it could not be validated"  # which is said where the validation lacks something
        else:
            try:
                measured[key] = normalise_case(case_index, texts, score, around, draws, controlled=key == CONTROLLED)
            except CalibrationError as error:
                why_not[key] = f"the primary method could not be computed: {str(error).rstrip('.')}"
    n = len(around.authors)
    kind = None if ready.rules == 1 or not measured or draws[0].incomplete else apart_from_reference(draws, (n, n))
    return Number(score, around, measured, why_not, kind, holding if hold else ())


def reported_of(
    case: Case, number: Number, computed: LLR | None, validation: Validation | None, because: str | None
) -> tuple[LLR | None, str | None]:
    """What of the calculation may be reported; None, and why, where nothing may. `because` is known already."""
    by_reference = number.measured.get(case.primary)
    kind = number.kind if by_reference else None  # only what is measured by the reference is judged by its kind
    because = because or (number.why_not.get(case.primary) if computed is None else None)
    because = because or by_english_alone(case, by_reference.normalisation if by_reference else None)
    because = because or (another_kind(kind) if kind and kind.is_refused else None)
    if because or computed is None:
        return None, because
    bounds = validation.bounds if validation else None
    reported = bounds.limited(computed) if bounds else computed
    return WEAKEST.limited(reported) if kind is not None and kind.is_limited else reported, None


def _of_kind(kind: Apart | None, *, decides: bool) -> tuple[Finding, ...]:
    """What a case says of the kind of its reference; red only where the value is measured by it."""
    if kind is None or not kind.is_limited:
        return ()
    limit, share = (kind.rule.refused, REFUSED) if kind.is_refused else (kind.rule.limited, LIMITED)
    values = {"distance": kind.distance, "limit": limit, "share": share, "sides": ", ".join(kind.most)}
    severity: Severity = "red" if kind.is_refused and decides else "amber"
    return (finding("reference-of-another-kind", severity, ["reference"], **values),)


def _of_k(shut: Comparison, around: Anchors, primary: ByMatrix | None) -> Iterator[Finding]:
    """What shows of K and the reference only once the case is scored, and says nothing for or against a proposition."""
    if apart := around.known_apart:
        ids = [id_.split("/", 2)[-1] for id_ in apart]
        n, n_texts = len(ids), len(shut.k.texts)
        yield finding("known-texts-apart", "amber", apart, n=n, n_texts=n_texts, ids=some(ids))
    if primary is not None and primary.trial.unusual:
        yield finding("unusual-average", "amber", ["reference"], which=primary.trial.unusual_in_words)


def _of_value(rests_on: Sensitivity, told: Explanation) -> Iterator[Finding]:
    """What must be known before a reported value is relied on; after a refusal it would be evidence."""
    yield from concentrated(told)
    if rests_on.disagrees:
        below, above = (
            [f"the {METHODS[row.label].name}" for row in rests_on.of("correction") if sign * row.nats > SPEAKS]
            for sign in (-1, 1)
        )
        yield finding("methods-disagree", "amber", ["q", "k"], below=_and(below), above=_and(above))


def _and(names: Sequence[str]) -> str:
    return " and ".join([*([some(names[:-1], len(names))] if names[:-1] else []), *names[-1:]])


_OTHER_LANGUAGE = ("not-english", "other-language")


def known_before(
    ready: ReadyCase, comparison: ReadyComparison, validation: Validation | None
) -> tuple[tuple[Finding, ...], str | None]:
    """What was found before the number is opened, the gravest first, and why none may be, to follow "because"."""
    flags = validation.red_flags if validation else ()
    findings = gravest_first((*weighed(comparison.audit, ready.case), *flags))
    return findings, _refused_before(ready, comparison.texts, findings, validation)


def _refused_before(
    ready: ReadyCase, texts: CaseTexts, findings: Sequence[Finding], validation: Validation | None
) -> str | None:
    """Why no LR may be reported, as far as that is known before the number is opened; to follow "because"."""
    flags = validation.red_flags if validation else ()
    red = (entry for entry in findings if entry.severity == "red" and entry not in flags)
    # A text in another language comes first: masking by the wrong rules makes other findings, such as repetitions.
    grave = [entry.message for entry in sorted(red, key=lambda entry: entry.code not in _OTHER_LANGUAGE)]
    if grave and ready.rules > 1:
        told = by_name(" ".join(grave), label=texts.label, candidate=texts.candidate)
        return f"the texts do not allow one: {told.rstrip('.')}"
    if validation is None:
        return without_validation(ready.case.language)
    if validation.refusal:
        return validation.refusal
    grave = [flag.message for flag in flags if flag.severity == "red"]
    if grave and ready.rules > 1:
        return f"the reference does not allow one: {' '.join(grave).rstrip('.')}"
    if validation.trials is None or ready.case.primary not in validation.trials.nats:
        return None
    lengths = outside_lengths(validation.trials, n_q=n_tokens(texts.q), n_k=n_tokens(texts.k), rules=ready.rules)
    if lengths:
        return "the case lies outside what could be validated: " + " ".join(lengths).rstrip(".")
    return None


def _validated(validation: Validation | None, primary: str) -> str:
    if validation is None:
        return QUICK
    if validation.trials is None or primary not in validation.performance:
        return "The method could not be validated under the conditions of the case."
    q, k = validation.trials.n_tokens, validation.trials.k_tokens
    return (
        f"Validated on {len(validation.authors)} authors of the reference, in its register, at {q.min():,} to "
        f"{q.max():,} tokens of Q and {k.min():,} to {k.max():,} of K, and not at other lengths."
    )


def normalised(
    *,
    q: Any,
    k: Any,
    reference: Any,
    seed: int = 0,
    candidate: str | None = None,
    validate: bool = False,
    workers: int | None = None,
    **settings: Any,
) -> NormalisedResult:
    """The LR that `verify` gives for these texts, settings and this seed, to the last digit, and its range.

    `q`, `k` and `reference` are texts, corpora, lists of strings, data frames or paths, masked or not; every reference
    text has an author. Of texts as written the LR is the topic-controlled one, of masked texts, whose topics are not
    known, the reference-normalised one; `primary` says otherwise. `seed` decides every draw. `candidate` is the name
    of K's author, which seeds draws too; without it, the author that the texts of `k` name, else K. The other
    `settings` are those of a Case, by name: `repetitions=10`, `language="de"`. With `validate` the method is validated
    on the reference first, and the LR bounded by that, which takes a little longer. `workers` threads share the
    scoring, by default one per core.

    What comes back has `llr` (calculated), `range`, `score` (λG), `findings` and `refusal` (why `verify` would report
    nothing, or None); with a validation also `validation`, `claim` (its Cllr) and `reported` (the LR after bounds).
    """
    refuse_unknown(settings, [setting.name for setting in settings_of(Case)], where="normalised", error=InputError)
    check(validate, bool, "validate")
    check(candidate, str | None, "candidate")
    if candidate is None:
        authors = {text.author for text in TextsInMemory(k).corpus} if TextsInMemory.accepts(k) else set()
        candidate = str(authors.pop()) if len(authors) == 1 and None not in authors else "K"
    sides: dict[str, Any] = {"questioned": {"Q1": q}, "known": {candidate: k}, "reference": reference}
    case = Case(**{"population": "the authors of the reference", "seed": seed, **sides, **settings})
    if case.primary not in MEASURED:
        raise InputError(
            f"normalised measures an LR by the reference, and primary is {case.primary}. Choose "
            f"{' or '.join(MEASURED)}, or use verify, which knows every method."
        )
    ready = make_ready(case, workers=workers)
    comparison, plan = plan_comparison(ready, ready.comparisons[0])
    texts, problem, _ = comparison
    if len(plan.authors) < LEAST_TO_NORMALISE:
        raise CalibrationError(
            f"{len(plan.authors)} reference authors have texts for a Q and a K like these, and a score is normalised "
            f"with at least {LEAST_TO_NORMALISE}. Add reference authors, or use a correction."
        )
    validation = None
    if validate:
        (validated,) = _validate_all(ready, [(comparison, plan)], hold=False)
        validation, matrix = validated.validation, validated.matrix
    else:
        matrix = score_matrix(ready.case_index, plan, name=texts.name).for_the_case(guard=False)
    number = open_number(ready, comparison, plan, matrix)
    measured = number.measured.get(case.primary)
    if measured is None:
        raise CalibrationError(f"No LR can be measured by this reference: {number.why_not[case.primary]}.")
    findings, because = known_before(ready, comparison, validation)
    llr = measured.trial.llr
    reported, because = reported_of(case, number, llr, validation, because)
    left_out = without_texts(ready.case_index, texts, problem, measured)
    return NormalisedResult(
        trial=measured.trial,
        normalisation=measured.normalisation,
        score=replace(number.score, sentences=ready.case_index.part(texts.q).sentences),
        range=value_range(ready.case_index, texts, problem, llr, measured, left_out),
        findings=findings,
        refusal=because,
        validation=validation,
        reported=reported if validate else None,
    )
