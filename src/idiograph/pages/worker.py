"""One piece of work in a process of its own: the library's calls, with how far they are and then what came of them.

Both are said on its standard output, as plain data. The server holds the other end of its standard input: when that end
closes, because the user pressed stop or because the server is gone, the work is interrupted as Ctrl-C would interrupt
it, and the case's trail says so.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from idiograph.casework.case import SIDES, Case, PlanRequest, Side, case_digest, read_case
from idiograph.casework.case_folder import run_folder
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.concordance import concordance
from idiograph.casework.explanation import occurrences
from idiograph.casework.inputs import n_tokens, read_inputs, role_options
from idiograph.casework.plan import plan_case, plan_lines
from idiograph.casework.seal import INTEGRITY, check_seal, seal
from idiograph.casework.text_map import text_map
from idiograph.casework.verification import StrongNgram, plain
from idiograph.casework.verify import make_ready
from idiograph.errors import IdiographError, StudyError, machine_cause
from idiograph.files import locked
from idiograph.output.filing import amend, file_case
from idiograph.output.replaying import replay
from idiograph.pages import words
from idiograph.pages.cases import case_of_run, read_result, read_tokens
from idiograph.pages.drafts import tidy
from idiograph.progress import Event, listening
from idiograph.provenance import digest
from idiograph.settings import read_settings
from idiograph.texts.masking.corpus_file import is_masked_corpus
from idiograph.texts.preparing.prepare import prepare
from idiograph.texts.preparing.recipes import find_recipe
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.read import read
from idiograph.texts.reading.report import RECORD
from idiograph.texts.text import Corpus, Text
from idiograph.texts.words import count_words
from idiograph.texts.works import propose_works

_FIELDS = ("work", "date", "topic")  # of a text's metadata that a preview shows
_FIRST = 240  # characters of a text that a preview shows
_SHOWN = 1_500  # characters of a text before and after a recipe
_MOST = 40  # texts that are shown before and after a recipe
_CHANGES = 20  # changes of one of them
_LINES = 3  # of K and of the reference for an n-gram
_AROUND = 80  # characters before and after it


def look(roles: list[dict[str, Any]], options: dict[str, Any], masked: bool, folder: str) -> list[dict[str, Any]]:
    """What is read from each role: its texts with author, encoding, words and first lines, and what was odd."""
    reading = read_settings(ReadingOptions, options, where="[reading]", folder=Path(folder))
    return [_looked(Path(role["path"]), role["named"], reading, masked) for role in roles]


def _looked(path: Path, named: dict[str, Any], options: ReadingOptions, masked: bool) -> dict[str, Any]:
    options = role_options(options, **named)
    kind = "masked" if masked or is_masked_corpus(path) else "texts"
    error = ""
    try:
        result: Any = read(path, options, kind=kind)  # type: ignore[call-overload]
    except IdiographError as refused:
        error = str(refused)
        try:  # what can be read is shown all the same
            result = read(path, replace(options, skip_bad=True), kind=kind)  # type: ignore[call-overload]
        except IdiographError:
            return {"texts": [], "notes": [], "error": error, "unreadable": [words.ALL]}
    texts = []
    proposed = {row.file: row for row in propose_works(result.texts)}
    for text in result.texts:
        content = text.content if isinstance(text, Text) else "\n".join(map(" ".join, text.sentences))
        texts.append(
            {
                "id": text.id,
                "author": text.author,
                "encoding": text.metadata[RECORD]["encoding"],
                "file": text.metadata[RECORD]["file"],
                "words": count_words(content) if isinstance(text, Text) else text.n_tokens,
                "first": content if len(content) <= _FIRST else content[: _FIRST - 1] + "…",
                "metadata": {name: str(text.metadata[name]) for name in _FIELDS if text.metadata.get(name)},
                "proposed": {name: getattr(proposed[text.id], name) for name in (*_FIELDS, "how")},
                "same": digest(" ".join(content.split()).casefold()),
            }
        )
    unreadable = [note.where for note in result.report.skipped] if error else []
    notes = [line for line in result.report.lines()[1:] if not (error and line.startswith("Skipped: "))]
    return {"texts": texts, "notes": notes, "error": error, "unreadable": unreadable}


def before_and_after(case: str, recipe: str) -> dict[str, Any]:
    """What a recipe would change in the texts of a case: each step in numbers, and some texts before and after it."""
    settings = read_case(case)
    texts = [
        *(
            text
            for label, path in settings.questioned.items()
            for text in _read(settings, path, label, author_from="none")
        ),
        *(text for who, path in settings.known.items() for text in _read(settings, path, who, author=who)),
        *_read(settings, settings.reference, "reference"),
    ]
    corpus = Corpus(tuple(texts))
    done = prepare(corpus, find_recipe(recipe))
    after = {text.id: text.content for text in done.corpus}
    changed: list[dict[str, Any]] = []
    for text in corpus:
        history = done.record.text(text.id)
        if history.changes and len(changed) < _MOST:
            changes = list(done.record.diff(text.id))
            changed.append(
                {
                    "id": text.id,
                    "before": text.content[:_SHOWN],
                    "after": after.get(text.id, "")[:_SHOWN],
                    "left_out": history.left_out is not None,
                    "changes": changes[:_CHANGES],
                    "n_changes": len(changes),
                }
            )
    steps = [
        {
            "step": step.step,
            "changed": step.texts_changed,
            "edits": step.edits,
            "removed": step.texts_removed,
            "texts": step.texts,
        }
        for step in done.record.steps
    ]
    n_changed = sum(bool(text.changes) for text in done.record.texts)
    return {"recipe": recipe, "steps": steps, "texts": changed, "n_changed": n_changed, "n_texts": len(corpus)}


def _read(case: Case, path: Side, role: str, **named: Any) -> list[Text]:
    result = read(path, role_options(case.reading, **named))
    return [Text(f"{role}/{text.id}", text.content, text.author, text.metadata) for text in result.texts]


def plan(pairs: list[dict[str, Any]], settings: dict[str, Any], folder: str, case: str | None) -> dict[str, Any]:
    """What each comparison could come to with the texts given so far, and its audit once the case is complete."""
    plans = []
    for pair in pairs:
        sides = {side: pair[side] for side in SIDES if pair[side]}
        request = read_settings(PlanRequest, {**settings, **sides}, where="The case", folder=Path(folder))
        planned = plan_case(request, workers=_workers())
        plans.append({"name": pair["name"], **plain(planned), "lines": list(plan_lines(planned))})
    ready = make_ready(case, workers=_workers()) if case is not None else None
    audits = [
        {"label": texts.label, "candidate": texts.candidate, "audit": plain(findings)}
        for texts, _, findings in (ready.comparisons if ready is not None else ())
    ]
    return {"plans": plans, "audits": audits}


def seal_case(folder: str) -> dict[str, Any]:
    """Seals a filed case as it is now; the pages hold no key, so the seal is not signed, and replaces no signed one."""
    return {**plain(seal(folder, force=True)), "sentence": INTEGRITY}


def check_case(folder: str) -> dict[str, Any]:
    """Compares a case with its seal."""
    seal_check = check_seal(folder)
    return {"holds": seal_check.holds, "is_unchanged": seal_check.is_unchanged, **plain(seal_check)}


def run(case: str, folder: str, quick: bool) -> dict[str, Any]:
    """Runs a case in its own folder, earlier runs staying as they are; what a killed upload left is put back first."""
    with locked(Path(folder)):
        tidy(Path(folder))
    filed = file_case(case, folder, quick=quick, force=True, workers=_workers())
    return {"run": filed.verification.run, "refused": filed.verification.refused}


def render_again(folder: str) -> dict[str, Any]:
    """The report of the latest run once more, with the particulars that the case has now; no number is computed."""
    amended: dict[str, Any] = plain(amend(folder))
    return amended


def again(manifest: str) -> dict[str, Any]:
    """A filed run made again and compared with all that was filed."""
    done = replay(manifest, workers=_workers())
    return {"agrees": done.agrees, **plain(done), "sentence": done.sentence}


def find_words(folder: str, number: int) -> dict[str, dict[str, Any]]:
    """For each token of a run's Q, as far back as K knows it, where K and the reference have it, by comparison."""
    case = case_of_run(Path(folder), number)
    inputs = read_inputs(case, workers=_workers())
    run = run_folder(Path(folder), number)
    if case_digest(case, inputs.files) != read_result(run)["case_digest"]:
        raise StudyError(words.TEXTS_CHANGED)
    index = CaseIndex.of(case, inputs, workers=_workers())
    by_comparison: dict[str, dict[str, Any]] = {}
    for comparison in read_tokens(run):
        texts = inputs.texts(comparison.label, comparison.candidate)
        sentences = [sentence for text in texts.q for sentence in text.sentences]
        ngrams = {
            token.place: sentences[token.sentence - 1][token.position - 1 - max(token.context, 0) : token.position]
            for token in comparison.tokens
            if not token.is_end
        }
        sizes = n_tokens(texts.k), n_tokens(texts.reference)
        places = {
            ngram: _occurrences(known, *sizes) for ngram, known in occurrences(index, texts, ngrams.values()).items()
        }
        numbers = {ngram: number for number, ngram in enumerate(places)}
        by_comparison[comparison.name] = {
            "ngrams": [{"tokens": " ".join(ngram), **known} for ngram, known in places.items()],
            "at": {word: numbers[ngram] for word, ngram in ngrams.items()},
        }
    return by_comparison


def _occurrences(ngram: StrongNgram, k_tokens: int, reference_tokens: int) -> dict[str, Any]:
    lines: dict[str, list[dict[str, str]]] = {"k": [], "reference": []}
    for line in ngram.lines:
        if line.role in lines and len(lines[line.role]) < _LINES:
            before, after = line.before[-_AROUND:], line.after[:_AROUND]
            # Masked tokens come without the blanks between them.
            before += " " if before[-1:].isalnum() and line.match[:1].isalnum() else ""
            after = (" " if after[:1].isalnum() and line.match[-1:].isalnum() else "") + after
            lines[line.role].append({"text": line.text_id, "before": before, "match": line.match, "after": after})
    sentence = words.occurs(ngram.n_k, k_tokens, ngram.n_reference, reference_tokens)
    return {"n_k": ngram.n_k, "n_reference": ngram.n_reference, "n_q": ngram.n_q, "said": sentence, **lines}


def look_for(case: str, query: str, masked: bool) -> dict[str, Any]:
    """Where the texts of a case have a word, a phrase or a masked pattern, and how often each author."""
    answer = concordance(read_inputs(read_case(case), workers=_workers()), query, masked=masked)
    return {**plain(answer), "uses": [{**plain(use), "rate": use.rate} for use in answer.uses], "n": answer.n}


def draw_maps(case: str) -> list[dict[str, Any]]:
    """A map of the texts of each comparison, as SVG with its description."""
    from idiograph.output.case_figures import map_figure
    from idiograph.output.plot import drawing

    settings = read_case(case)
    inputs = read_inputs(settings, workers=_workers())
    with drawing(Path(case).parent):
        maps = [text_map(inputs.texts(label, who)) for label in settings.questioned for who in settings.known]
        drawn = [map_figure(mapped) for mapped in maps]
        return [
            {
                "name": f"{mapped.label} and {mapped.candidate}",
                "svg": plot.svg.decode(),
                "alt": plot.alt,
                "outlying": [point.text for point in mapped.outlying],
            }
            for mapped, plot in zip(maps, drawn, strict=True)
        ]


def foresee(study: str) -> dict[str, Any]:
    """What a study will take."""
    from idiograph.output.forecast import forecast
    from idiograph.studies.settings import read_study

    ahead = forecast(read_study(study), workers=_workers())
    return {"words": ahead.words, "refused": len(ahead.refused), "problems": ahead.problems}


def study(study: str, out: str, agreed: str = "") -> dict[str, Any]:
    """Runs a study, or what is left of it, and writes its page; programs of its own only if they are those `agreed`."""
    from idiograph.output.study_page import publish
    from idiograph.studies.llrs import programs_digest, read_programs
    from idiograph.studies.settings import read_study
    from idiograph.studies.study import run_settings

    settings = read_study(study)
    programs = read_programs(settings)
    if programs and programs_digest(programs) != agreed:
        raise StudyError(words.PROGRAMS)
    result = run_settings(settings, Path(out), file=Path(study), workers=_workers(), programs=programs)
    publish(result, Path(out))
    left = Counter[str]()
    for reasons in result.left_out.values():
        left.update(reasons)
    return {"trials": len(result.trials), "refused": list(result.refused.values()), "left_out": dict(left)}


def _workers() -> int:
    return os.cpu_count() or 1


WORKS: dict[str, Callable[..., Any]] = {
    "look": look,
    "recipe": before_and_after,
    "plan": plan,
    "seal": seal_case,
    "check seal": check_case,
    "run": run,
    "replay": again,
    "amend": render_again,
    "words": find_words,
    "concordance": look_for,
    "map": draw_maps,
    "forecast": foresee,
    "study": study,
}


_OFTEN = 0.2  # seconds between two lines about one stage
_GRACE = 5.0  # seconds for an interrupted piece of work to end by itself
_TRIES = 4  # a compiler can swallow an interrupt


@dataclass
class _Teller:
    """Writes a JSON object a line."""

    stream: TextIO
    told: float = 0.0
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def say(self, **message: Any) -> None:
        with self.one_at_a_time, suppress(OSError):  # the server may be gone
            print(json.dumps(message), file=self.stream, flush=True)

    def progress(self, event: Event) -> None:
        now = time.monotonic()
        if event.state != "running" or now - self.told >= _OFTEN:
            self.told = now
            self.say(progress={**asdict(event), "said": event.said})


def main() -> int:
    """Does the work that the first line of the standard input names, and returns how it ended: 0 done, 1 not.

    Not by arguments, which every user of the machine can list: names and paths of a case stand in them.
    """
    # Whatever a library prints must not get among the lines that the server reads.
    teller = _Teller(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    line = sys.stdin.buffer.readline()
    if not line:  # the server is gone
        return 1
    asked = json.loads(line)
    begun = threading.Event()
    threading.Thread(target=_stop_with_the_server, args=(teller, begun), daemon=True).start()
    warnings.showwarning = lambda message, *_, **__: teller.say(warning=str(message))
    try:
        work = WORKS[asked["kind"]]
        begun.set()
        with listening(teller.progress):
            result = work(**asked["options"])
        teller.say(result=result)
    except IdiographError as error:
        teller.say(error=str(error))
        return 1
    except KeyboardInterrupt:
        teller.say(stopped=True)
        return 1
    except (OSError, ImportError, MemoryError, RecursionError) as error:
        teller.say(error=machine_cause(error))
        return 1
    except Exception as error:
        traceback.print_exc()
        teller.say(error=words.BUG.format(type(error).__name__))
        return 1
    finally:  # kernels that still run are waited for, and a further interrupt would only spill a traceback
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return 0


def _stop_with_the_server(teller: _Teller, begun: threading.Event) -> None:
    while os.read(0, 1024):
        pass
    if not begun.is_set():  # nothing is at stake, and an interrupt can get lost while modules are loaded
        teller.say(stopped=True)
        os._exit(1)
    for _ in range(_TRIES):
        if sys.platform == "win32":
            import _thread

            _thread.interrupt_main()
        else:
            os.killpg(os.getpgrp(), signal.SIGINT)  # helpers too, as a terminal does
        time.sleep(_GRACE)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
