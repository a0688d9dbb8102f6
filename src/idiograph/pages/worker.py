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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from idiograph import (
    PlanRequest,
    amend,
    check_seal,
    file_case,
    plan_case,
    read_case,
    read_study,
    replay,
    seal,
)
from idiograph.casework.concordance import concordance
from idiograph.casework.inputs import read_inputs
from idiograph.casework.plan import plan_lines
from idiograph.casework.seal import INTEGRITY
from idiograph.casework.text_map import text_map
from idiograph.casework.verification import plain
from idiograph.casework.verify import make_ready
from idiograph.errors import IdiographError, StudyError, machine_cause
from idiograph.files import locked
from idiograph.pages import words
from idiograph.pages.cases import find_words
from idiograph.pages.drafts import tidy
from idiograph.pages.previews import before_and_after, preview
from idiograph.progress import Event, listening
from idiograph.settings import read_settings


def plan(pairs: dict[str, Any], settings: dict[str, Any], folder: str, case: str | None) -> dict[str, Any]:
    """What each comparison could come to with the texts given so far, and its audit once the case is complete."""
    plans = []
    for name, sides in pairs.items():
        request = read_settings(PlanRequest, {**settings, **sides}, where="The case", folder=Path(folder))
        case_plan = plan_case(request)
        plans.append({"name": name, **plain(case_plan), "lines": list(plan_lines(case_plan))})
    audits = [
        {"label": texts.label, "candidate": texts.candidate, "audit": plain(findings)}
        for texts, _, findings in (make_ready(case).comparisons if case is not None else ())
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
    filed = file_case(case, folder, quick=quick, force=True)
    return {"run": filed.verification.run, "refused": filed.verification.refused}


def render_again(folder: str) -> dict[str, Any]:
    """The report of the latest run once more, with the particulars that the case has now; no number is computed."""
    amended: dict[str, Any] = plain(amend(folder))
    return amended


def again(manifest: str) -> dict[str, Any]:
    """A filed run made again and compared with all that was filed."""
    done = replay(manifest)
    return {"agrees": done.agrees, **plain(done), "sentence": done.sentence}


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

    ahead = forecast(read_study(study))
    return {"words": ahead.words, "refused": len(ahead.refused), "problems": ahead.problems}


def study(study: str, out: str, agreed: str = "") -> dict[str, Any]:
    """Runs a study, or what is left of it, and writes its page; programs of its own only if they are those `agreed`."""
    from idiograph.output.study_page import publish
    from idiograph.studies.llrs import programs_digest, read_programs
    from idiograph.studies.study import run_settings

    settings = read_study(study)
    programs = read_programs(settings)
    if programs and programs_digest(programs) != agreed:
        raise StudyError(words.PROGRAMS)
    result = run_settings(settings, Path(out), file=Path(study), programs=programs)
    publish(result, Path(out))
    left = Counter[str]()
    for reasons in result.left_out.values():
        left.update(reasons)
    return {"trials": len(result.trials), "refused": list(result.refused.values()), "left_out": dict(left)}


def _workers() -> int:
    return os.cpu_count() or 1


WORKS: dict[str, Callable[..., Any]] = {
    "look": preview,
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
