"""The command line: the same verbs and names as the library. Results on stdout, everything else on stderr.

Commands import what does the work when they run: `--help` needs the settings alone.
Exit codes: 0 done, 1 finished with a refusal or a failed replay, 2 the user's mistake, 130 interrupted.
"""

import io
import os
import sys
import warnings

# No BLAS is used here. With threads of its own it asks for memory again and again, for ever, where there is too little.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from idiograph.cli import case as _case  # noqa: F401
from idiograph.cli import laboratory as _laboratory  # noqa: F401
from idiograph.cli import more as _more  # noqa: F401
from idiograph.cli import study as _study  # noqa: F401
from idiograph.cli import texts as _texts  # noqa: F401
from idiograph.cli.app import Command, app
from idiograph.cli.options import name_types
from idiograph.errors import IdiographError, machine_cause, print

# As `--help` lists them: in the order of work.
COMMANDS = (
    "plan", "verify", "app", "works", "concordance", "map", "prepare", "mask", "replay", "amend", "seal", "check",
    "study", "selftest", "validate", "affected", "demo", "posterior", "cache",
)  # fmt: skip
app.registered_commands.sort(
    key=lambda command: COMMANDS.index(command.name or getattr(command.callback, "__name__", ""))
)
for _command in app.registered_commands:
    name_types(_command.callback)
    _command.cls = Command


def main() -> None:
    """Runs a command; a user's mistake becomes one message, never a traceback."""
    # A λ in a file whose encoding has none, as Windows chooses for output that goes into one, becomes its code.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    # A warning speaks to the user, so it is a plain sentence without the place in the code.
    warnings.showwarning = lambda message, *_, **__: print(f"idiograph: {message}", file=sys.stderr)
    try:
        app()
    except IdiographError as error:
        print(f"idiograph: {error}", file=sys.stderr)
        sys.exit(2)
    except (OSError, ImportError, MemoryError, RuntimeError) as error:
        cause = machine_cause(error)
        if cause is None:  # the program's, not the machine's
            raise
        print(f"idiograph: {cause}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as end:
        # Typer makes a silent exit of Ctrl-C.
        if isinstance(end, SystemExit) and end.code != 130:
            raise
        print("idiograph: interrupted; nothing was left half-written.", file=sys.stderr)
        sys.exit(130)
