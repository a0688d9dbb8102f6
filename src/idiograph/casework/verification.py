"""What a case comes to: plain frozen values that the reports render, `result.json` holds and a replay compares.

Numbers named `nats` are natural logarithms of a likelihood ratio; λG is in log10 units. What could not be computed is
None, never NaN or an infinity. `result.json` has every number with all its digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from idiograph.arithmetic import FloatArray, log
from idiograph.casework.case import CONTROLLED, Case
from idiograph.checking import check_fields
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.held import Flag
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.kinds import Apart
from idiograph.evidence.llr import LLR
from idiograph.evidence.normalised import Normalisation, Normalised
from idiograph.evidence.performance import Misleading, Performance
from idiograph.evidence.trials import NameArray, ScoredTrials, Trials, WholeNumbers
from idiograph.grammar.lambdag import Score
from idiograph.provenance import Provenance
from idiograph.showing import Rows, Tabular, one_line

Severity = Literal["red", "amber", "note"]
Changed = Literal["correction", "known_text", "seed", "order", "repetitions"]


@dataclass(frozen=True)
class Finding:
    """Something wrong or doubtful about the texts, said before the number."""

    code: str
    severity: Severity
    message: str
    remedy: str
    where: tuple[str, ...] = ()  # ids of texts, or the roles q, k, reference


@dataclass(frozen=True)
class AuthorReason:
    """A reference author, and why they take no part in the validation, or not quite as the case is made."""

    author: str
    reason: str


@one_line
@dataclass(frozen=True, eq=False, kw_only=True)
class ValidationTrials(ScoredTrials):
    """The validation problems that were run, one place in every array for each."""

    problem_ids: NameArray
    n_sentences: WholeNumbers
    k_tokens: WholeNumbers
    nats: Mapping[str, FloatArray]  # method -> LLRs; a method that could not be fitted is absent

    def by(self, method: str) -> Trials:
        """The trials with their LLRs by a method."""
        return self.trials(self.nats[method])


@dataclass(frozen=True)
class MethodChoice:
    """Which method the validation chose among those that the case names, and what the choosing itself is worth."""

    method: str
    cllrs: Mapping[str, float]  # of each candidate that has LLRs
    cllr: Estimate  # of the choice made anew in each fold of authors from the others
    n_folds: int
    n_agreeing: int  # folds in which it came out the same
    sentence: str


@one_line
@dataclass(frozen=True)
class TopicControl:
    """How close Q and K of the case and of the validation's trials are in topic (c), and what a method is worth where
    different authors are as close."""

    closeness: float  # c of the case
    same: tuple[float, ...]  # c of the same-author trials
    different: tuple[float, ...]  # c of the different-author trials, impostors last
    n_impostors: int
    n_matched: int  # same-author trials with enough different-author ones as close in topic
    away: float  # median of |ln(c + 0.02) − ln(c* + 0.02)| over the same-author trials
    rise: tuple[float, ...]  # of each normalised score per unit of g, over the different-author trials
    cllr: Mapping[str, Estimate]  # topic-controlled, by method


@dataclass(frozen=True)
class Claim:
    """The Cllr that a validation claims for a method, which decides whether a value may be reported."""

    cllr: Estimate
    plain: Estimate  # over all trials, whatever their topics
    controlled: bool  # whether it is claimed among trials as close in topic
    because: str | None = None  # why a topic-controlled method has to be content with the plain one


FEWEST_MATCHED = 10  # same-author trials, and half of all of them, without which no topic-controlled Cllr is claimed


@one_line
@dataclass(frozen=True)
class Validation:
    """The study under the case's own conditions, made before its number was opened."""

    how: tuple[str, ...]  # how the problems were made, a sentence each
    q_tokens: int
    k_tokens: int
    q_texts: int
    k_texts: int
    authors: tuple[str, ...]  # those with a same-author trial
    n_same: int
    n_different: int
    trials: ValidationTrials | None
    performance: Mapping[str, Performance]
    bounds: Bounds | None
    red_flags: tuple[Finding, ...]
    missing: tuple[str, ...]  # what a full validation lacked, and what it would take
    refusal: str | None  # why no LR may be reported from it: the rest of "… because"
    relaxed: tuple[AuthorReason, ...] = ()  # whose problems are not made quite as the case is
    left_out: tuple[AuthorReason, ...] = ()  # everyone of the reference who takes no part
    lean: str | None = None  # where the primary method's values lean to one side, how far
    choice: MethodChoice | None = None  # where the case lets the validation choose
    topic: TopicControl | None = None  # where the case is judged given how close Q and K are in topic

    def claim(self, method: str) -> Claim | None:
        """The Cllr that is claimed for a method; None where it has none."""
        return claimed(method, self.performance, self.topic)

    def cllrs(self, method: str) -> dict[str, Estimate]:
        """The Cllr of every method over the trials that this one's claim is of."""
        claim = self.claim(method)
        if self.topic is not None and claim is not None and claim.controlled:
            return dict(self.topic.cllr)
        return {key: figures.cllr for key, figures in self.performance.items()}


def claimed(method: str, performance: Mapping[str, Performance], topic: TopicControl | None) -> Claim | None:
    """What a validation with these figures claims: the topic-controlled Cllr of the method that controls topic.

    Where too few same-author trials have different-author ones as close in topic, it is the plain one.
    """
    if method not in performance:
        return None
    plain = performance[method].cllr
    if method != CONTROLLED or topic is None:
        return Claim(plain, plain, controlled=False)
    n = len(topic.same)
    if topic.n_matched >= FEWEST_MATCHED and 2 * topic.n_matched >= n and method in topic.cllr:
        return Claim(topic.cllr[method], plain, controlled=True)
    because = (
        f"only {topic.n_matched} of {n} same-author problems have enough different authors of the reference that come "
        "as close in topic"
        if topic.n_matched
        else "no different authors of the reference come as close in topic as its same-author problems"
    )
    return Claim(plain, plain, controlled=False, because=because)


@dataclass(frozen=True)
class Anchor:
    """One author or text put in the place of the case's K or Q."""

    name: str
    n_tokens: int
    lambda_g: float
    nats: float  # by the primary method, unbounded


# Above what 1/LR a known text does not fit the rest of K: of honest cases about one in twenty has such a text.
KNOWN_APART = 10.0


@one_line
@dataclass(frozen=True)
class Anchors:
    """How many others score as high: the case's Q and K against every reference author, and K against itself."""

    trace: tuple[Anchor, ...]  # the case's Q against each reference author's K-sized sample
    source: tuple[Anchor, ...]  # Q-sized samples of each reference author against the case's K
    known: tuple[Anchor, ...]  # each known text as Q against the rest of K
    how: tuple[str, ...]
    trace_as_high: int  # anchors at or above the case's own λG
    source_as_high: int
    known_low: tuple[str, ...]  # known texts whose LLR speaks against the rest of K, however little

    @property
    def known_apart(self) -> tuple[str, ...]:
        """Known texts that do not fit the rest of K: their LR is below 1/`KNOWN_APART`."""
        return tuple(text.name for text in self.known if text.nats < -log(KNOWN_APART))


@dataclass(frozen=True)
class Alternative:
    """The same comparison with one thing changed: sensitivity, without words of the scale."""

    kind: Changed
    label: str
    lambda_g: float
    nats: float


SPEAKS = 0.4054651081081644  # ln 1.5: an LR nearer to 1 speaks for nothing


@one_line
@dataclass(frozen=True)
class Sensitivity:
    """What the number rests on."""

    alternatives: tuple[Alternative, ...]
    spread: float  # sd of λG over the r reference models: not the error of λG
    standard_error: float  # sd/√r
    seed_spread: float | None  # sd of λG over the seeds tried
    sentence: str  # how far corrections and calibration disagree

    @property
    def disagrees(self) -> bool:
        """Whether some methods speak for Hp and others for Hd, neither by next to nothing."""
        nats = [row.nats for row in self.of("correction")]
        return bool(nats) and min(nats) < -SPEAKS and max(nats) > SPEAKS

    def of(self, kind: str) -> tuple[Alternative, ...]:
        """The alternatives of one kind, in order."""
        return tuple(row for row in self.alternatives if row.kind == kind)


@one_line
@dataclass(frozen=True)
class ValueRange:
    """How far the calculated LLR would move (nats) with another reference of the same kind.

    `figures` is how many significant figures of the LR such a range supports.
    """

    low: float
    high: float
    n_resamples: int  # of reference authors, drawn with replacement
    n_seeds: int
    n_left_out: int  # Ks without some of their texts
    figures: int
    sentence: str
    resampled: tuple[float, float] | None = None  # 5th to 95th percentile of the resamples; None: low and high are it
    unseen: float | None = None  # e: sd in nats of what the resamples cannot show of another reference


@dataclass(frozen=True)
class TokenRow:
    """A token of Q, or a sentence's end (`masked` and `original` empty), with its part of λG."""

    text_id: str
    sentence: int  # number within Q, from 1
    position: int  # within its sentence, from 1; the end has the last
    original: str
    masked: str
    lambda_g: float
    context: int  # tokens before it that K knows in this order, together with it; −1: K never has the token
    start: int | None  # characters of the original text
    end: int | None
    is_end: bool

    @property
    def place(self) -> str:
        """Its sentence and its place there, by which a page names it."""
        return f"{self.sentence}.{self.position}"


@dataclass(frozen=True)
class SentenceRow:
    """A sentence of Q with its part of λG."""

    text_id: str
    sentence: int
    original: str
    masked: str
    n_tokens: int
    lambda_g: float


@dataclass(frozen=True)
class Line:
    """A sentence in which an n-gram occurs, split around it."""

    role: Literal["q", "k", "reference"]
    text_id: str
    author: str | None
    before: str
    match: str
    after: str


@one_line
@dataclass(frozen=True)
class StrongNgram:
    """An n-gram of Q that carries much of λG, with where it occurs."""

    tokens: tuple[str, ...]
    lambda_g: float  # over all its occurrences in Q
    n_q: int
    n_k: int
    n_reference: int
    lines: tuple[Line, ...]  # of Q, K and the reference, a few each


@one_line
@dataclass(frozen=True)
class Explanation(Tabular):
    """Where λG comes from: rows whose sum is λG; as a data frame, a row for every token."""

    tokens: tuple[TokenRow, ...]
    sentences: tuple[SentenceRow, ...]
    ngrams: tuple[StrongNgram, ...]
    originals: Mapping[str, str] = field(repr=False)  # text id -> Q as it was read; empty if it came masked

    @property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The tokens, column by column."""
        return _columns(self.tokens, TokenRow)

    @property
    def by_sentence(self) -> Rows:
        """The sentences, column by column."""
        return Rows(_columns(self.sentences, SentenceRow))


def _columns(rows: Sequence[object], kind: type) -> dict[str, list[Any]]:
    return {field.name: [getattr(row, field.name) for row in rows] for field in fields(kind)}


NOT_EXPLAINED = Explanation((), (), (), {})


@dataclass(frozen=True)
class SideSummary:
    """Q, K or the reference of a comparison in numbers."""

    texts: tuple[str, ...]
    authors: tuple[str, ...]
    n_tokens: int
    n_sentences: int
    n_kept: int | None = None  # tokens that masking left as they were; None where it was done elsewhere
    register: str = ""  # as the case file names it


@dataclass(frozen=True)
class OwnPhrase:
    """A phrase of K that Q has too: masked, as Q first has it written (empty if that is not known), and where."""

    tokens: tuple[str, ...]
    written: str
    alone: bool  # whether K alone has it; else it is one of the most typical
    places: tuple[str, ...]  # in Q: sentence and first token, as the heat map names words


@dataclass(frozen=True)
class Held:
    """The reported value under the ceiling against imitators (nats), which of the three limits it, and the flag."""

    nats: float
    limit: str  # value: nothing lowers it; bare or steady: four times that LR does
    bare: float  # LLR without K's own phrases
    steady: float  # LLR by the commonest n-grams
    flag: Flag
    phrases: tuple[OwnPhrase, ...] = ()  # that raised the flag


@one_line
@dataclass(frozen=True)
class Wording:
    """The sentences of a report about one comparison, in PRACTICE's words."""

    hp: str
    hd: str
    before: tuple[str, ...]  # what the validation shows about the method: its lean, and which one did better
    conclusion: str  # the LR sentence, or the refusal
    value: str | None  # the reported LR in the figures that its range supports; None when refused
    range: str | None  # how far the calculated LR moves, where that was tried
    also: str | None  # what else would give the same picture
    bound: str | None  # "The calculation gives …", only when the bound changed the number
    verbal: str | None  # the scale's words, None for numbers only or a refusal
    scale: str  # name and source of the scale
    box: str
    limits: tuple[str, ...]
    topic: tuple[str, ...] = ()  # how close Q and K are in topic and what that means, where it is controlled
    strength: str | None = None  # what values as strong were worth in the published validation
    published: str | None = None  # what the published method gives, where the one that is reported is unpublished
    held: str | None = None  # what is safe against an imitator, where that is less than the value
    masked: str = ""  # which of the limits says what masking removed
    changes: tuple[str, ...] = ()  # what reading and preparation changed, a sentence each

    @property
    def limits_with_changes(self) -> tuple[str, ...]:
        """The limits, what reading changed after what masking removed."""
        return tuple(" ".join((limit, *self.changes)) if limit == self.masked else limit for limit in self.limits)


@one_line
@dataclass(frozen=True)
class Comparison:
    """One Q against one candidate."""

    label: str  # Q1
    candidate: str
    q: SideSummary
    k: SideSummary
    reference: SideSummary
    primary: str
    audit: tuple[Finding, ...]
    validation: Validation | None  # None when it was left out (quick)
    wording: Wording
    refusal: str | None = None  # "No likelihood ratio is reported because …"
    reported: LLR | None = None  # the primary LLR after bounds; None when refused
    # What follows is of the number, and stays empty where none may be reported.
    score: Score | None = None  # λG with the evidence of every token; what it is made of is nowhere else
    llrs: Mapping[str, LLR] = field(default_factory=dict)  # by method; one that learns only where it could be fitted
    normalised: tuple[Normalised, Normalisation] | None = None  # what the reference-normalised LR is made of
    controlled: tuple[Normalised, Normalisation] | None = None  # what the topic-controlled LR is made of
    apart: Apart | None = None  # how far the case lies from its reference; None where that could not be measured
    held: Held | None = None  # what is safe against an imitator; None where it could not be measured
    range: ValueRange | None = None  # None in a quick run, or where too few resamples could be made
    outside: tuple[str, ...] = ()  # in which respects the case lies outside what was validated
    as_strong: Misleading | None = None  # how often evidence this strong misleads
    anchors: Anchors | None = None
    sensitivity: Sensitivity | None = None
    explanation: Explanation = NOT_EXPLAINED

    @property
    def lambda_g(self) -> float | None:
        return None if self.score is None else self.score.lambda_g

    @property
    def in_a_line(self) -> str:
        """Who is compared, and the value that is reported."""
        value = f"LR {self.wording.value} by {self.primary}" if self.reported is not None else "no LR"
        return f"{self.label} and {self.candidate}: {value}"

    @property
    def computed(self) -> LLR | None:
        """The primary LLR before bounds; None where the method could not be fitted."""
        return self.llrs.get(self.primary)

    @property
    def claim(self) -> Claim | None:
        """The Cllr that its validation claims for the primary method; None without one."""
        return self.validation.claim(self.primary) if self.validation else None


@dataclass(frozen=True)
class TextDigest:
    """A text after each transformation: as read (and prepared), None if it came masked; and as masked."""

    id: str
    author: str | None
    content_sha256: str | None
    masked_sha256: str
    n_tokens: int
    n_kept: int | None = None


@dataclass(frozen=True)
class EarlierRun:
    """One earlier attempt to score a case, whatever became of it; number 0 where the record of it is damaged."""

    number: int
    started: str  # UTC, to the second
    outcome: Literal["reported", "refused", "failed", "interrupted", "unfinished", "unknown"]
    case_digest: str
    quick: bool
    remark: str = ""
    values: tuple[str, ...] = ()  # "Q1 and Lee: LR 12", for each comparison of a run that was filed


@dataclass(frozen=True)
class Amendment:
    """That the reports of a run were rendered again with other particulars."""

    time: str  # UTC, to the second
    changed: tuple[str, ...]  # the keys of the case file, such as expert.name


@one_line
@dataclass(frozen=True)
class Verification:
    """A whole case: every comparison, how it was made, and which runs went before.

    `comparisons` has one for each Q and candidate. Its `reported` is the LR after bounds, or None, and `refusal` then
    says why; `computed` is the LR before bounds, `range` how far it moves, `llrs` those of every method, `score` λG
    with its tokens, `audit` the findings, `validation` the study under the conditions of the case, `wording` the
    sentences.
    """

    case: Case
    case_digest: str  # SHA-256 of all the case fixes and of every input, taken before Q was scored
    comparisons: tuple[Comparison, ...]
    provenance: Provenance  # settings, versions and inputs
    texts: tuple[TextDigest, ...]  # every text with its digests
    quick: bool  # whether the validation was left out
    run: int  # its number in the folder
    earlier: tuple[EarlierRun, ...]
    trail: str = ""  # SHA-256 of the line that the trail got when the run began, which is chained to those before it
    trail_problems: tuple[str, ...] = ()  # what of the earlier runs was removed, moved or changed, as found then
    amendments: tuple[Amendment, ...] = ()  # of the particulars, after the run
    content_digest: str | None = None  # of inputs, case file and results, once they are filed: the report prints it
    changes: tuple[str, ...] = ()  # what reading and preparation changed, a sentence each

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def in_a_line(self) -> str:
        """The value of each comparison."""
        return f"run {self.run}; " + "; ".join(comparison.in_a_line for comparison in self.comparisons)

    @property
    def refused(self) -> bool:
        """Whether any comparison ended without a likelihood ratio."""
        return any(comparison.reported is None for comparison in self.comparisons)


@one_line
@dataclass(frozen=True)
class NormalisedResult:
    """A comparison by an LR that is measured by the reference, and how far it moves.

    `trial` and `normalisation` are what the LR is made of, `score` is λG of Q and K, and `range` how far the LR would
    move with another reference of the same kind. `findings` are those of the audit. `refusal` says why `verify` would
    report nothing, as far as that was looked into. With validation, `validation` has it and `reported` is the LR after
    bounds: what `verify` reports; None where it refuses.
    """

    trial: Normalised
    normalisation: Normalisation
    score: Score
    range: ValueRange | None
    findings: tuple[Finding, ...]
    refusal: str | None
    validation: Validation | None = None
    reported: LLR | None = None

    @property
    def llr(self) -> LLR:
        """The calculated LLR, before bounds."""
        return self.trial.llr

    @property
    def claim(self) -> Claim | None:
        """The Cllr that the validation claims for the method; None without one."""
        return self.validation.claim(self.llr.how) if self.validation else None

    @property
    def in_a_line(self) -> str:
        """The calculated value and its method, and what is reported of it."""
        refused = ", which verify would not report" if self.refusal else ""
        reported = f"; {self.reported.log10:+.2f} reported" if self.reported else ""
        return f"log10 LR {self.llr.log10:+.2f} by {self.llr.how}{refused}{reported}"


SCHEMA = 1


def as_result(verification: Verification) -> dict[str, Any]:
    """The content of `result.json`; with one comparison its entries stand at the top level, else in `comparisons`."""
    case, provenance = verification.case, verification.provenance
    comparisons = [_comparison(comparison) for comparison in verification.comparisons]
    head = {
        "schema": SCHEMA,
        "idiograph": provenance.versions["idiograph"],
        "title": case.title,
        "population": case.population,
        "case_digest": verification.case_digest,
        "quick": verification.quick,
        "n_comparisons": len(comparisons),
        "inputs": [asdict(file) for file in provenance.inputs],
        "settings": plain(provenance.settings),
        "run": {"number": verification.run, "earlier": [asdict(run) for run in verification.earlier]},
    }
    return {**head, **comparisons[0]} if len(comparisons) == 1 else {**head, "comparisons": comparisons}


_OF_THE_CASE = ("closeness", "away")  # of the control of topic


def _validation(comparison: Comparison) -> Any:
    """The validation; where nothing is reported, without how close the case's own texts are: that would be evidence."""
    validation = plain(comparison.validation)
    if comparison.reported is None and validation and validation["topic"]:
        validation["topic"] = {name: held for name, held in validation["topic"].items() if name not in _OF_THE_CASE}
    return validation


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "label": comparison.label,
        "candidate": comparison.candidate,
        "hp": comparison.wording.hp,
        "hd": comparison.wording.hd,
        "before": list(comparison.wording.before),
        "conclusion": comparison.wording.conclusion,
        "value": comparison.wording.value,
        "also": comparison.wording.also,
        "topic": list(comparison.wording.topic),
        "published": comparison.wording.published,
        "strength": comparison.wording.strength,
        "against_imitators": comparison.wording.held,
        "verbal": comparison.wording.verbal,
        "scale": comparison.wording.scale,
        "bound": comparison.wording.bound,
        "refusal": comparison.refusal,
        "lambda_g": comparison.lambda_g,
        "n_tokens": comparison.q.n_tokens,
        "n_hapaxes": comparison.score.n_hapaxes if comparison.score else None,
        "n_sentences": comparison.q.n_sentences,
        "known_total": comparison.score.known_total if comparison.score else None,
        "reference_totals": list(comparison.score.reference_totals) if comparison.score else [],
        "sentence_lambda_g": [row.lambda_g for row in comparison.explanation.sentences],
        "llr": {method: _llr(llr) for method, llr in comparison.llrs.items()},
        "primary": comparison.primary,
        "normalised": _measured(comparison.normalised),
        "controlled": _measured(comparison.controlled),
        "reported": None if comparison.reported is None else _llr(comparison.reported),
        "held": plain(comparison.held),
        "range": plain(comparison.range),
        "audit": plain(comparison.audit),
        "validation": _validation(comparison),
        "claimed": plain(comparison.claim),
        "outside": list(comparison.outside),
        "apart": plain(comparison.apart),
        "as_strong": plain(comparison.as_strong),
        "anchors": plain(comparison.anchors),
        "sensitivity": plain(comparison.sensitivity),
        "q": plain(comparison.q),
        "k": plain(comparison.k),
        "reference": plain(comparison.reference),
        "signature": comparison.score.signature if comparison.score else None,
    }


def _measured(by_reference: tuple[Normalised, Normalisation] | None) -> dict[str, Any] | None:
    """All that an LR measured by the reference is made of."""
    if by_reference is None:
        return None
    trial, normalisation = by_reference
    return {
        "scores": dict(zip(normalisation.constants.scores, trial.scores, strict=True)),
        "normed": dict(zip(normalisation.constants.scores, trial.normed, strict=True)),
        "unusual": list(trial.unusual),
        "topic": trial.topic,
        "by_constants": _llr(trial.by_constants),
        **plain(normalisation),
    }


def _llr(llr: LLR) -> dict[str, Any]:
    return {"value": llr.value, "unit": llr.unit, "nats": llr.nats, "log10": llr.log10, "lr": llr.lr}


def plain(value: Any) -> Any:
    """A value of the verification as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Path):
        return value.as_posix()
    if hasattr(value, "items"):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value
