"""One piece of work in a process of its own: it says on its standard output how far it is, and then what came of it.

The server holds the other end of its standard input. When that end closes, because the user pressed stop or because
the server is gone, the work is interrupted as Ctrl-C would interrupt it, and the case's trail says so.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

from idiograph.errors import IdiographError
from idiograph.pages import words
from idiograph.progress import Event, listening

_OFTEN = 0.2  # seconds between two lines about one stage
_GRACE = 5.0  # seconds for an interrupted piece of work to end by itself
_TRIES = 4  # a compiler can swallow an interrupt


@dataclass
class _Teller:
    """Writes a JSON object a line."""

    stream: TextIO
    told: float = 0.0
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def say(self, **said: Any) -> None:
        with self.one_at_a_time, suppress(OSError):  # the server may be gone
            print(json.dumps(said), file=self.stream, flush=True)

    def progress(self, event: Event) -> None:
        now = time.monotonic()
        if event.state != "running" or now - self.told >= _OFTEN:
            self.told = now
            self.say(progress=asdict(event))


def main() -> int:
    """Does the work that the arguments name, and returns how it ended: 0 done, 1 not."""
    # Whatever a library prints must not get among the lines that the server reads.
    teller = _Teller(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = threading.Event()
    threading.Thread(target=_stop_with_the_server, args=(teller, begun), daemon=True).start()
    warnings.showwarning = lambda message, *_, **__: teller.say(warning=str(message))
    try:
        work = _works()[sys.argv[1]]
        begun.set()
        with listening(teller.progress):
            result = work(**json.loads(sys.argv[2]))
        teller.say(result=result)
    except IdiographError as error:
        teller.say(error=str(error))
        return 1
    except KeyboardInterrupt:
        teller.say(stopped=True)
        return 1
    except Exception as error:
        traceback.print_exc()
        teller.say(error=words.BUG.format(type(error).__name__))
        return 1
    return 0


def _works() -> dict[str, Callable[..., Any]]:
    from idiograph.pages import works

    return works.WORKS


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
