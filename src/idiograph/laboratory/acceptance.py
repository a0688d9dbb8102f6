"""A laboratory's own validation: a plan with acceptance criteria, fixed before the study on its texts is run.

The digest of plan and study file is written down before anything is scored, with every later one, so that criteria
which were changed once trials were there are noticed. Who removes the folder and begins anew is shown by no program:
only a digest that was printed, signed or sent beforehand fixes the criteria for others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from idiograph.arithmetic import log
from idiograph.errors import StudyError, cannot_read, counted
from idiograph.evidence.intervals import Estimate, intervals
from idiograph.evidence.methods import METHODS
from idiograph.evidence.metrics import METRICS
from idiograph.evidence.performance import Performance
from idiograph.evidence.trials import Trials
from idiograph.files import as_path, locked, write_whole
from idiograph.output.document import Block, Box, Document, Form, Heading, Table, code, numbered, paragraph
from idiograph.output.study_page import publish
from idiograph.provenance import VERSION, digest, now
from idiograph.records import LARGEST_RECORD, bytes_of_file, misfit, read_record, record_text
from idiograph.settings import check_settings, read_settings, read_tables, setting
from idiograph.studies.results import TRIALS
from idiograph.studies.settings import Study, study_from
from idiograph.studies.study import StudyResult, run_settings
from idiograph.studies.summary import MethodTrials
from idiograph.toml import parse_toml

SCHEMA = 1
PLAN, FIXED, STUDY, REPORT = "plan.toml", "fixed.json", "study", "validation"
_EXAMPLE = "the template in docs/laboratory.md"
_COUNTS = ("n_authors", "n_same", "n_different")
_TOPIC = "topic_controlled_cllr"
_RATES = ("misleading_same", "misleading_different")
_MEASURES = (*METRICS, _TOPIC, *_RATES, *_COUNTS)


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """What must come out for the validation to be passed."""

    measure: str = setting(
        choices=_MEASURES,
        help="What is judged: a metric of studies; topic_controlled_cllr; misleading_same and misleading_different, "
        "the share of trials with an LR below 1/`lr` or above `lr` that points the wrong way; or how many authors and "
        "trials there are.",
    )
    method: str = setting(choices=tuple(METHODS), help="The method that is judged; it must be one of the study's.")
    at_most: float | None = setting(None, help="The largest value that passes.")
    at_least: float | None = setting(None, help="The smallest value that passes.")
    whole_interval: bool = setting(
        False, help="Whether the whole 95 % interval over resampled authors must lie there, not the value alone."
    )
    lr: float = setting(10.0, minimum=1, help="For misleading_same and misleading_different: counted beyond this LR.")
    corpus: str | None = setting(None, help="One corpus of the study; without it every one must pass.")
    condition: str | None = setting(None, help="One condition of the study; without it every one must pass.")

    def __post_init__(self) -> None:
        check_settings(self)
        if (self.at_most is None) == (self.at_least is None):
            raise StudyError(f"The criterion on {self.measure} needs at_most or at_least, and not both.")
        if self.whole_interval and self.measure in (_TOPIC, *_COUNTS):
            raise StudyError(f"{self.measure} has no interval. Leave whole_interval out of that criterion.")

    @property
    def limit(self) -> str:
        words = f"at most {self.at_most:g}" if self.at_most is not None else f"at least {self.at_least:g}"
        return f"{words}, with its whole interval" if self.whole_interval else words

    @property
    def name(self) -> str:
        beyond = {"misleading_same": f" below 1/{self.lr:g}", "misleading_different": f" above {self.lr:g}"}
        return f"{self.measure}{beyond.get(self.measure, '')}"

    def admits(self, value: float) -> bool:
        """Whether a value lies where it should."""
        return value <= self.at_most if self.at_most is not None else value >= (self.at_least or 0.0)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a laboratory fixes before it validates: for what, on which texts, and what must come out."""

    title: str = setting(help="The title of the validation.")
    purpose: str = setting(help="The kind of case that it is for: register, lengths, language, population.")
    laboratory: str = setting("", help="The laboratory.")
    responsible: str = setting("", help="Who is responsible for the validation.")
    study: str = setting("study.toml", help="The study file, beside the plan.")
    criteria: tuple[Criterion, ...] = ()

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class FixedPlan:
    """A plan and its study as their files have them, with the digest of both."""

    plan: Plan
    study: Study
    plan_bytes: bytes
    study_file: Path
    study_bytes: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of two lines such as `sha256sum` makes: of the plan and of the study file."""
        return digest(f"{digest(self.plan_bytes)}  {PLAN}\n{digest(self.study_bytes)}  {self.plan.study}\n")


def read_plan(path: Path | str) -> FixedPlan:
    """The plan in a file, and the study that it names; a criterion on what the study does not have is refused."""
    path = as_path(path, "The plan")
    plan_bytes = _bytes(path)
    content = parse_toml(plan_bytes, where=str(path), error=StudyError, example=_EXAMPLE)
    criteria = read_tables(Criterion, content, "criteria", where=str(path), error=StudyError)
    plan = read_settings(
        Plan, content, where=str(path), error=StudyError, schema=SCHEMA, also=["criteria"], given={"criteria": criteria}
    )
    if not criteria:
        raise StudyError(f"{path} has no criteria. A validation needs at least one, each under [[criteria]].")
    study_file = path.parent / plan.study
    study_bytes = _bytes(study_file)
    parsed = parse_toml(study_bytes, where=str(study_file), error=StudyError, example="the example in docs/studies.md")
    study = study_from(parsed, folder=study_file.parent, where=str(study_file))
    names = {
        "method": study.methods,
        "corpus": [corpus.name for corpus in study.corpora],
        "condition": [condition.name for condition, _ in study.conditions],
    }
    for number, criterion in enumerate(criteria, 1):
        for what, known in names.items():
            wanted = getattr(criterion, what)
            if wanted is not None and wanted not in known:
                raise StudyError(
                    f"{path}: criterion {number} is on the {what} {wanted}, which {study_file.name} does not have. "
                    f"It has {', '.join(known)}."
                )
    return FixedPlan(plan, study, plan_bytes, study_file, study_bytes)


def _bytes(path: Path) -> bytes:
    try:
        return bytes_of_file(path, most=LARGEST_RECORD)
    except OSError as error:
        raise cannot_read(path, error, StudyError) from error


@dataclass(frozen=True)
class Judged:
    """A criterion on one corpus and condition: what came out, and whether it passes."""

    criterion: Criterion
    corpus: str
    condition: str
    found: Estimate
    passes: bool
    remark: str = ""


@dataclass(frozen=True)
class Acceptance:
    """A validation that was run: every criterion judged, and how the plan came to be fixed."""

    fixed: FixedPlan
    judged: tuple[Judged, ...]
    plans: tuple[dict[str, Any], ...]  # every plan that was run into the folder, in order
    result: StudyResult
    date: str

    @property
    def changed(self) -> bool:
        """Whether plan or study file were changed when there were trials already."""
        return any(later["digest"] != self.plans[0]["digest"] and later["after_trials"] for later in self.plans)

    @property
    def passed(self) -> bool:
        return not self.changed and all(judged.passes for judged in self.judged)

    @property
    def sentence(self) -> str:
        failed = sum(not judged.passes for judged in self.judged)
        if self.changed:
            return (
                "Not passed: the plan or the study file was changed after trials had been made. Criteria that are "
                "fixed when the outcome is known prove nothing."
            )
        if failed:
            return f"Not passed: {failed} of {counted(len(self.judged), 'criterion', 'criteria')} failed."
        many = len(self.judged)
        return f"Passed: all {many:,} criteria were met." if many > 1 else "Passed: the criterion was met."


def validate(path: Path | str, out: Path | str, *, workers: int | None = None) -> Acceptance:
    """Runs the plan in the file `path` into the folder `out` by `workers` processes, and judges every criterion."""
    fixed, out = read_plan(path), as_path(out, "The folder of the validation")
    plans = _written_down(fixed, out)
    result = run_settings(fixed.study, out / STUDY, file=fixed.study_file, workers=workers)
    publish(result, out / STUDY)
    judged = tuple(judged for criterion in fixed.plan.criteria for judged in _judge(criterion, result))
    return Acceptance(fixed, judged, plans, result, now())


def _written_down(fixed: FixedPlan, out: Path) -> tuple[dict[str, Any], ...]:
    """Enters the plan into the list of the folder before anything is scored, unless it is the last one there."""
    with locked(out):
        plans = _earlier_plans(out)
        if not plans or plans[-1]["digest"] != fixed.digest:
            after = (out / STUDY / TRIALS).exists()
            plans += [{"digest": fixed.digest, "fixed": now(), "version": VERSION, "after_trials": after}]
            write_whole(out / FIXED, record_text({"schema": SCHEMA, "kind": "idiograph plans", "plans": plans}))
        write_whole(out / PLAN, fixed.plan_bytes)
    return tuple(plans)


def _earlier_plans(out: Path) -> list[dict[str, Any]]:
    if not (out / FIXED).exists():
        if (out / STUDY / TRIALS).exists():
            raise StudyError(
                f"{out / STUDY} holds trials, and {out / FIXED}, which says what was fixed before them, is missing. "
                "Restore it from a copy, or validate into a new folder."
            )
        return []
    damaged = "{path} is damaged ({why}). Restore it from a copy, or validate into a new folder."
    record = read_record(out / FIXED, damaged=damaged, error=StudyError)
    shape = {"plans": [{"digest": str, "fixed": str, "version": str, "after_trials": bool}]}
    if wrong := misfit(record, shape) or ("" if record["plans"] else "it has no plan"):
        raise StudyError(damaged.format(path=out / FIXED, why=wrong))
    return list(record["plans"])


def _judge(criterion: Criterion, result: StudyResult) -> Iterator[Judged]:
    """The criterion on every corpus and condition that it is for; what was refused there does not pass."""
    trials = {
        (trials.corpus, trials.condition): trials for trials in result.judged if trials.method == criterion.method
    }
    measured = {
        (cell.corpus, cell.condition): cell.performance
        for cell in result.performance
        if cell.method == criterion.method
    }
    matched = {
        (cell.corpus, cell.condition): cell.controlled for cell in result.topic if cell.method == criterion.method
    }
    wanted = [
        (corpus, condition)
        for corpus, condition in dict.fromkeys([*trials, *result.refused])
        if criterion.corpus in (None, corpus) and criterion.condition in (None, condition)
    ]
    for cell in wanted or [(criterion.corpus or "any", criterion.condition or "any")]:
        if cell not in trials:
            why = result.refused.get(cell, "the study has no trials there")
            yield Judged(criterion, *cell, Estimate(None), passes=False, remark=why)
            continue
        estimate = _estimate(criterion, trials[cell], measured[cell], matched.get(cell), result.study.resamples)
        if estimate.value is None:
            yield Judged(criterion, *cell, estimate, passes=False, remark="it is not defined on these trials")
        elif criterion.whole_interval and (estimate.low is None or estimate.high is None):
            yield Judged(criterion, *cell, estimate, passes=False, remark="it has no interval on these trials")
        else:
            ends = (estimate.low, estimate.high) if criterion.whole_interval else (estimate.value,)
            yield Judged(criterion, *cell, estimate, all(end is not None and criterion.admits(end) for end in ends))


def _estimate(
    criterion: Criterion, of: MethodTrials, measured: Performance, matched: float | None, resamples: int
) -> Estimate:
    if criterion.measure == _TOPIC:
        return Estimate(matched)
    if criterion.measure in _COUNTS:
        return Estimate(float(getattr(measured, criterion.measure)))
    if criterion.measure in _RATES:
        return _misleading(of.trials, criterion, resamples)
    estimate: Estimate = getattr(measured, criterion.measure)
    return estimate


def _misleading(trials: Trials, criterion: Criterion, resamples: int) -> Estimate:
    """The share of misleading trials: that of wrong ones, once all LLRs are moved towards the truth by ln `lr`.

    Where none misleads, the upper end of the interval is that of the rule of three over authors.
    """
    same = criterion.measure == "misleading_same"
    move, metric = (log(criterion.lr), "same_right") if same else (-log(criterion.lr), "different_right")
    right = intervals(
        same=trials.same + move,
        different=trials.different + move,
        same_authors=trials.same_authors or (),
        different_authors=trials.different_authors or (),
        metrics=(metric,),
        resamples=resamples,
    )[metric]
    value, low, high = (None if end is None else 1 - end for end in (right.value, right.high, right.low))
    if value == 0:
        authors = trials.same_authors if same else [name for pair in trials.different_authors or () for name in pair]
        high = min(1.0, 3 / len(set(authors or ()) or {""}))
    return Estimate(value, low, high, right.undefined)


def as_record(done: Acceptance) -> dict[str, Any]:
    """The validation as JSON has it."""
    return {
        "schema": SCHEMA,
        "kind": "idiograph validation",
        "passed": done.passed,
        "sentence": done.sentence,
        "version": VERSION,
        "date": done.date,
        "plan_digest": done.fixed.digest,
        "plans": list(done.plans),
        "signature": done.result.signature,
        "criteria": [asdict(judged) for judged in done.judged],
    }


def report(done: Acceptance) -> Document:
    """The report: plan, data, every criterion with what came out, and lines to sign."""
    plan = done.fixed.plan
    title = "Validation by the laboratory"
    return Document(
        title=title,
        subtitle=plan.title,
        header=f"Idiograph: {title.lower()}",
        banner=None,
        footer=f"Idiograph {VERSION}, plan {done.fixed.digest[:12]}, {done.date}",
        blocks=(
            Box("finding" if done.passed else "refusal", "Outcome", (paragraph(done.sentence),)),
            Form((("Laboratory", plan.laboratory), ("Responsible", plan.responsible), ("Date", done.date),
                  ("Program", f"Idiograph {VERSION}"))),
            *numbered(_parts(done)),
            Form((("Accepted for use in casework", ""), ("By", ""), ("Date and signature", ""), ("Reviewed by", ""),
                  ("Date and signature ", "")), high=True),
        ),
    )  # fmt: skip


def _parts(done: Acceptance) -> Iterator[Block]:
    yield Heading(1, "Purpose")
    yield paragraph(done.fixed.plan.purpose)
    yield Heading(1, "Criteria, fixed beforehand")
    yield paragraph("Digest of plan and study file: ", code(done.fixed.digest))
    rows = tuple(
        (str(number), plan["fixed"], plan["version"], "yes" if plan["after_trials"] else "no", plan["digest"])
        for number, plan in enumerate(done.plans, 1)
    )
    header = ("", "fixed (UTC)", "version", "after trials", "digest")
    yield Table("Every plan that was run into this folder", header, rows, code=(4,), widths=(5, 20, 10, 12, 53))
    yield paragraph(
        "The list is written before anything is scored. It does not show a folder that was removed and begun again: "
        "for that the digest must have been printed, signed or sent beforehand (idiograph validate --fix prints it).",
        small=True,
    )
    yield Heading(1, "Data and method")
    yield paragraph("Signature of the study: ", code(done.result.signature))
    yield Table("Texts of the laboratory", ("corpus", "files", "digest of the list of files", "masking"), tuple(
        (name, str(len(facts.inputs)), digest("".join(sorted(str(file.get("sha256")) for file in facts.inputs))),
         facts.masking)
        for name, facts in done.result.results.corpora.items()
    ), code=(2, 3), widths=(20, 8, 52, 20))  # fmt: skip
    sizes = {(cell.corpus, cell.condition): cell.performance for cell in done.result.performance}
    yield Table("Trials", ("corpus", "condition", "authors", "same-author", "different-author"), tuple(
        (*cell, str(size.n_authors), f"{size.n_same:,}", f"{size.n_different:,}") for cell, size in sizes.items()
    ), numeric=(2, 3, 4))  # fmt: skip
    yield paragraph(f"All tables and figures of the study: {STUDY}/index.html.")
    yield Heading(1, "What came out")
    yield Table(
        "Every criterion, with the 95 % interval over resampled authors",
        ("criterion", "method", "corpus, condition", "must be", "came out", ""),
        tuple(_row(judged) for judged in done.judged),
        widths=(18, 14, 24, 16, 20, 8),
    )


def _row(judged: Judged) -> tuple[str, ...]:
    estimate = judged.found
    words = judged.remark or f"{estimate.value:.3g}"
    if not judged.remark and estimate.low is not None and estimate.high is not None:
        words += f" ({estimate.low:.3g} to {estimate.high:.3g})"
    where = f"{judged.corpus}, {judged.condition}"
    return (
        judged.criterion.name,
        judged.criterion.method,
        where,
        judged.criterion.limit,
        words,
        "pass" if judged.passes else "fail",
    )


def file_acceptance(done: Acceptance, out: Path) -> Sequence[Path]:
    """Writes the report as HTML, DOCX and PDF, and as JSON, into the folder of the validation."""
    from idiograph.output.docx import docx
    from idiograph.output.html import html
    from idiograph.output.pdf import pdf

    document = report(done)
    contents = {"html": html(document).encode(), "docx": docx(document), "pdf": pdf(document)}
    contents["json"] = record_text(as_record(done)).encode()
    with locked(out):
        for form, content in contents.items():
            write_whole(out / f"{REPORT}.{form}", content)
    return [out / f"{REPORT}.{form}" for form in contents]
