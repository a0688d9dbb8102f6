"""The command line: the same verbs and names as the library. Results on stdout, everything else on stderr.

Commands import what does the work when they run: `--help` needs the settings alone.
Exit codes: 0 done, 1 finished with a refusal or a failed replay, 2 the user's mistake, 130 interrupted.
"""

import sys
import warnings

from idiograph.cli import cache as _cache  # noqa: F401
from idiograph.cli import demo as _demo  # noqa: F401
from idiograph.cli import mask as _mask  # noqa: F401
from idiograph.cli import pages as _pages  # noqa: F401
from idiograph.cli import plan as _plan  # noqa: F401
from idiograph.cli import posterior as _posterior  # noqa: F401
from idiograph.cli import prepare as _prepare  # noqa: F401
from idiograph.cli import replay as _replay  # noqa: F401
from idiograph.cli import seal as _seal  # noqa: F401
from idiograph.cli import study as _study  # noqa: F401
from idiograph.cli import verify as _verify  # noqa: F401
from idiograph.cli.app import app
from idiograph.errors import IdiographError, cannot_read
from idiograph.printing import print
from idiograph.settings.setting import shown


def main() -> None:
    """Runs a command; a user's mistake becomes one message, never a traceback."""
    # A warning speaks to the user, so it is a plain sentence without the place in the code.
    warnings.showwarning = lambda message, *_, **__: print(f"idiograph: {message}", file=sys.stderr)
    try:
        app()
    except IdiographError as error:
        print(f"idiograph: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:  # a name that is too long, a folder that may not be entered, a disk that is gone
        print(f"idiograph: {cannot_read(shown(str(error.filename or 'a file')), error)}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as end:
        # Typer makes a silent exit of Ctrl-C.
        if isinstance(end, SystemExit) and end.code != 130:
            raise
        print("idiograph: interrupted; nothing was left half-written.", file=sys.stderr)
        sys.exit(130)
