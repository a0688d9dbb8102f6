"""idiograph app: the pages in a browser, for those who do not program."""

import sys
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from idiograph.cli.app import app
from idiograph.errors import InputError
from idiograph.printing import print


@app.command("app")
def open_pages(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="The folder that the cases are kept in (default: Idiograph in your documents folder).",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser by itself.")] = True,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port to use; 0: any that is free.")] = 0,
    largest: Annotated[
        int, typer.Option("--largest", min=1, max=100_000, help="The largest file that is taken, in megabytes.")
    ] = 200,
) -> None:
    """Open Idiograph in the browser: start a case, check it, run it and read its report without typing a command.

    The pages are served on this machine alone; nothing leaves it. The address that is printed is good for one browser.
    Stop with Ctrl-C, or with “Stop Idiograph” on any page.
    """
    try:
        from idiograph.pages.server import serve
        from idiograph.pages.uploads import Limits
    except ModuleNotFoundError as error:
        raise InputError(
            f"The pages need packages that are not installed ({error.name}). Run: pip install 'idiograph[app]'"
        ) from error

    chosen = folder or Path(platformdirs.user_documents_dir()) / "Idiograph"
    print(f"idiograph: the cases are kept in {chosen}. Stop with Ctrl-C.", file=sys.stderr)
    try:
        serve(chosen, limits=Limits.of(largest), say=_say, open_browser=browser, port=port)
    except KeyboardInterrupt:  # how a server is stopped, not a failure
        print("idiograph: stopped.", file=sys.stderr)


def _say(address: str) -> None:
    print(address)
    sys.stdout.flush()
