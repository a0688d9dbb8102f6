"""What a study will take: problems, masking and time, told before it is run and measured on the user's own texts.

Every stage is tried on a part: some texts are masked, some problems of every condition scored, what the methods ask for
besides is done for one fold or a few problems, one cell resampled, one figure drawn. Texts that are not masked yet are
cut into words, so that their problems can be counted and timed too.
"""

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from idiograph.errors import counted
from idiograph.evidence.closeness import ContentWords
from idiograph.evidence.performance import performance
from idiograph.evidence.trials import Trials
from idiograph.files import scratch_folder
from idiograph.output import figures
from idiograph.output.plot import drawing, save
from idiograph.studies.attacks import attacked_trials
from idiograph.studies.case_draws import n_drawn
from idiograph.studies.chunks import Outlook, outlook, score_planned
from idiograph.studies.corpora import (
    Source,
    StudyCorpus,
    find_source,
    make_material,
    masking_of,
    open_corpus,
    texts_to_mask,
)
from idiograph.studies.llrs import by_comparators, matrix_scores, more_scores
from idiograph.studies.problems import Plan
from idiograph.studies.settings import CorpusSettings, Study
from idiograph.studies.summary import grids
from idiograph.texts.masking.batches import characters_to_mask
from idiograph.texts.masking.mask import mask, masking_settings
from idiograph.texts.text import Corpus, MaskedText, Text

_MASKED = 60_000  # characters, for the pace of the tagger
_PATIENCE = 10.0  # seconds for problems
_COMPARED = 4  # problems
_RESAMPLED = 40
_OVERLAP = 0.9  # of a further worker's time that is saved
_END = re.compile(r"\n+|(?<=[.?!])\s+")  # of a sentence
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class CorpusForecast:
    """What there is to do for one corpus."""

    corpus: str
    masked: bool  # it is in the cache folder, or came masked
    to_mask: int  # characters; those that another corpus has as well are counted there
    problems: int  # about, where it is not masked yet
    left_out: int  # times that an author is left out of a condition


@dataclass(frozen=True)
class Forecast:
    """How much there is to do, and how many seconds each stage takes."""

    study: str
    corpora: tuple[CorpusForecast, ...]
    seconds: dict[str, float]  # reading, masking, scoring, resampling, figures
    refused: dict[tuple[str, str], str]  # (corpus, condition) -> why

    @property
    def problems(self) -> int:
        return sum(corpus.problems for corpus in self.corpora)

    @property
    def total(self) -> float:
        """Seconds in all."""
        return sum(self.seconds.values())

    @property
    def words(self) -> str:
        lines = [f"{self.study}: a dry run, nothing was written to the results."]
        for corpus in self.corpora:
            about = "" if corpus.masked else "about "
            line = f"{corpus.corpus}: {about}{corpus.problems:,} problems"
            line += "" if corpus.masked else f"; {corpus.to_mask:,} characters are to be masked"
            line += f"; {corpus.left_out:,} times an author is left out of a condition" if corpus.left_out else ""
            lines.append(line + ".")
        parts = ", ".join(f"{stage} {_duration(seconds)}" for stage, seconds in self.seconds.items() if seconds >= 0.5)
        lines.append(f"It takes about {_duration(self.total)}" + (f" ({parts})." if parts else "."))
        lines += [f"Refused: {why}" for why in self.refused.values()]
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        refused = [{"corpus": corpus, "condition": name, "why": why} for (corpus, name), why in self.refused.items()]
        return {
            "schema": 1,
            "study": self.study,
            "problems": self.problems,
            "corpora": [asdict(corpus) for corpus in self.corpora],
            "seconds": {stage: round(seconds, 1) for stage, seconds in self.seconds.items()},
            "total_seconds": round(self.total, 1),
            "refused": refused,
        }


def forecast(study: Study, *, workers: int | None = None) -> Forecast:
    """How many problems a study has and how long it takes, by trying each stage on a part."""
    n_workers = workers or os.cpu_count() or 1
    at_once = 1 + _OVERLAP * (n_workers - 1)
    sources = {corpus.name: find_source(study, corpus) for corpus in study.corpora}
    start = time.perf_counter()
    corpora = {name: _opened(study, source) for name, source in sources.items()}
    reading = time.perf_counter() - start
    to_mask, masking = _masking(study, sources, at_once)
    start = time.perf_counter()
    ahead = outlook(study, corpora)
    planning = (time.perf_counter() - start) / max(len(ahead.plans), 1)
    by_engine, besides = _scoring(study, ahead)
    scoring = by_engine / at_once + planning * len(ahead.plans) * (study.runs - 1) + besides
    by_corpus = []
    for name, characters in to_mask.items():
        plans = [plan for plan in ahead.plans if plan.corpus == name]
        n_problems = study.runs * sum(plan.n_scored + n_drawn(plan) for plan in plans)
        n_left_out = sum(len(plan.left_out) for plan in plans)
        by_corpus.append(CorpusForecast(name, characters is None, characters or 0, n_problems, n_left_out))
    return Forecast(
        study=study.name,
        corpora=tuple(by_corpus),
        seconds={
            "reading": reading,
            "masking": masking,
            "scoring": scoring,
            "resampling": _resampling(study, ahead),
            "figures": _figures(study, ahead) if ahead.plans else 0.0,
        },
        refused=dict(ahead.refused),
    )


def _opened(study: Study, source: Source) -> StudyCorpus:
    """The corpus as it is, or as it roughly will be: words instead of masked tokens."""
    if source.is_ready or (source.settings.masking or study.masking) == "masked":
        return open_corpus(study, source)
    material = make_material(study, source.settings, _in_words)
    if study.compares_topics:
        index = material.index
        material = replace(material, content=ContentWords.of(index.take(np.arange(len(index.starts) - 1)).sentences))
    return StudyCorpus(source.settings.name, material, source.inputs, source.folder)


def _in_words(_settings: CorpusSettings, texts: Sequence[Text]) -> Corpus[MaskedText]:
    texts_in_words = []
    for text in texts:
        ends = [match.end() for match in _END.finditer(text.content)]
        parts = zip([0, *ends], [*ends, len(text.content)], strict=True)
        lines = [words for part in parts if (words := list(_WORD.finditer(text.content, *part)))]
        sentences = tuple(tuple(word.group().lower() for word in words) for words in lines)
        spans = np.array([word.span() for words in lines for word in words], np.int32)
        if sentences:
            texts_in_words.append(MaskedText(text.id, text.author, sentences, "words", spans, text.metadata))
    return Corpus(tuple(texts_in_words))


def _masking(study: Study, sources: dict[str, Source], at_once: float) -> tuple[dict[str, int | None], float]:
    """Characters to mask by corpus, None where it is masked, and the seconds that takes."""
    seen: set[tuple[str, str]] = set()
    left: dict[str, int | None] = {}
    seconds = 0.0
    for name, source in sources.items():
        how = masking_of(study, source.settings)
        key = str(how)
        texts = [text for text in texts_to_mask(study, source) if (key, text.content) not in seen]
        if source.is_ready or how["method"] == "masked":
            left[name] = None
            continue
        texts = list({text.content: text for text in texts}.values())
        seen |= {(key, text.content) for text in texts}
        n = left[name] = characters_to_mask(texts, masking_settings(**how))
        if n:
            # So much that whatever tags a long text is loaded.
            loading = _seconds(partial(mask, "One word. " * 1_500, **how, cache=False))
            seconds += 2 * loading + n / _pace(texts, how) / at_once  # each worker loads the tagger too
    return left, seconds


def _pace(texts: Sequence[Text], how: Mapping[str, Any]) -> float:
    """Characters per second of one process, on texts chosen at random."""
    sample: list[Text] = []
    for number in np.random.default_rng(0).permutation(len(texts)):
        room = _MASKED - sum(len(text.content) for text in sample)
        if room <= 0:
            break
        content = texts[number].content[:room]
        if content.strip():
            sample.append(Text(texts[number].id, content))
    seconds = _seconds(lambda: mask(sample, **how, cache=False))
    return sum(len(text.content) for text in sample) / max(seconds, 1e-6)


def _scoring(study: Study, ahead: Outlook) -> tuple[float, float]:
    """Seconds of one worker for all problems by λG, by some of every plan, and for what else is scored, by one plan.

    The workers are threads: the engine lets them run side by side, most of the rest does not.
    """
    rng = np.random.default_rng(0)
    took: dict[int, list[float]] = {number: [] for number in range(len(ahead.plans))}

    def timed(number: int) -> float:
        plan = ahead.plans[number]
        return _seconds(lambda: score_planned(study, plan, plan.problems[int(rng.integers(len(plan.problems)))]))

    if took:
        timed(0)  # it also compiles
    start = time.perf_counter()
    for _ in range(4):
        for number in rng.permutation(len(ahead.plans)).tolist():
            if time.perf_counter() - start < _PATIENCE:
                took[number].append(timed(number))
    every = [seconds for times in took.values() for seconds in times]
    usual = sum(every) / max(len(every), 1)
    each = [sum(times) / len(times) if times else usual for times in took.values()]
    if not each:
        return 0.0, 0.0
    middle = int(np.argsort(each)[len(each) // 2])
    plan = ahead.plans[middle]
    beside = _in_a_fold(study, plan) if plan.folds else _compared(study, plan) + _normalised(study, ahead, plan)
    by_engine = besides = 0.0
    for seconds, plan in zip(each, ahead.plans, strict=True):
        longer = seconds / each[middle]  # its texts, than those of the middling plan
        n_beside = sum(planned.half == "case" or not (plan.folds or plan.cohort) for planned in plan.problems)
        by_engine += seconds * (plan.n_scored + n_drawn(plan))
        besides += longer * beside * n_beside
    return study.runs * by_engine, study.runs * besides


def _in_a_fold(study: Study, plan: Plan) -> float:
    """Seconds for what a fold takes besides λG (matrices, comparators, attacks), for each problem judged in it."""
    judged = [planned for planned in plan.problems if planned.fold == 0 and planned.half == "case"]
    scores = [score_planned(study, plan, planned)[1] for planned in judged]
    more_scores(study, plan, judged[:1], scores[:1])  # it also compiles
    seconds = _seconds(lambda: more_scores(study, plan, judged, scores))
    if study.attack.on:
        seconds += _seconds(lambda: attacked_trials(study, 0, plan, 0))
    return seconds / len(judged)


def _normalised(study: Study, ahead: Outlook, plan: Plan) -> float:
    """Seconds for the matrices of a plan without folds, one in each of its chunks, for each of its case problems."""
    if not plan.cohort:
        return 0.0
    case = [planned for planned in plan.problems if planned.half == "case"]
    scores = [score_planned(study, plan, planned)[1] for planned in case[:_COMPARED]]
    matrix_scores(study, plan, case[:1], scores[:1])  # it also compiles
    # The Qs and Ks of the cohort are most of the work.
    seconds = _seconds(lambda: matrix_scores(study, plan, case[:_COMPARED], scores))
    n_chunks = sum(
        (chunk.corpus, study.conditions[chunk.condition][0]) == (plan.corpus, plan.condition)
        for chunk in ahead.chunks
        if chunk.run == 0
    )
    return n_chunks * seconds / len(case)


def _compared(study: Study, plan: Plan) -> float:
    """Seconds of all comparators for one problem of a plan without folds."""
    if not study.comparators:
        return 0.0
    few = plan.problems[:_COMPARED]
    by_comparators(study, plan, few[:1])  # it also compiles
    seconds = _seconds(lambda: by_comparators(study, plan, few))
    # With none of them the texts are only put together, once for many problems.
    return max(seconds - _seconds(lambda: by_comparators(study, plan, ())), 0.0) / len(few)


def _resampling(study: Study, ahead: Outlook) -> float:
    """Seconds for the metrics and intervals of every method, by one cell with made-up LLRs."""
    if not ahead.plans:
        return 0.0
    sizes = [study.runs * sum(planned.half == "case" for planned in plan.problems) for plan in ahead.plans]
    trials = _made_up(study, ahead.plans[int(np.argsort(sizes)[len(sizes) // 2])])
    performance(trials, resamples=2)  # it also compiles
    few = min(_RESAMPLED, study.resamples)
    seconds = [
        _seconds(partial(performance, trials, resamples=resamples)) for resamples in dict.fromkeys((min(2, few), few))
    ]
    each = (seconds[-1] - seconds[0]) / max(few - 2, 1)
    cell = seconds[0] + max(each, 0.0) * study.resamples
    return len(study.all_methods) * cell * sum(sizes) / trials.all.size


def _made_up(study: Study, plan: Plan) -> Trials:
    """As many trials of as many authors as a plan has."""
    case = [planned for planned in plan.problems if planned.half == "case"] * study.runs
    same = [planned for planned in case if planned.same_author]
    different = [planned for planned in case if not planned.same_author]
    rng = np.random.default_rng(0)
    return Trials.of(
        same=rng.integers(-1_000, 2_000, len(same)) / 1_000,
        different=rng.integers(-2_000, 1_000, len(different)) / 1_000,
        same_authors=[planned.k_author for planned in same],
        different_authors=[(planned.k_author, planned.q_author) for planned in different],
    )


def _figures(study: Study, ahead: Outlook) -> float:
    """Seconds for all figures, by drawing one."""
    cells = [(plan.corpus, plan.condition.name) for plan in ahead.plans]
    corpora = dict.fromkeys(corpus for corpus, _ in cells)
    curves = sum(3 * min(2, sum(name == corpus for name, _ in cells)) for corpus in corpora)
    n = 3 + curves + len(grids({cell: {"raw": 0.0} for cell in cells}))
    with scratch_folder() as folder, drawing(folder):
        figures.tippett(same=[1.0, 2.0], different=[-1.0])
        trials = _made_up(study, ahead.plans[0])
        drawn = partial(figures.tippett, same=trials.same, different=trials.different)
        return n * _seconds(lambda: save(drawn(), folder, "one"))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _duration(seconds: float) -> str:
    if seconds < 90:
        return counted(round(max(seconds, 1)), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
