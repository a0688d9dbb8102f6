"""idiograph cache: everything that Idiograph keeps on disk of its own accord."""

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from idiograph.cli.app import app
from idiograph.errors import cannot_write
from idiograph.files import cache_folder
from idiograph.printing import print

_FOLDERS = {"studies": "indexed corpora of studies", "numba": "compiled code", "matplotlib": "list of fonts"}


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Empty it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show or clear what is kept on disk so that nothing is tagged, indexed or compiled twice."""
    from idiograph.texts.masking.cache import cache_state, clear_cache

    folders = {name: cache_folder() / name for name in _FOLDERS}
    sizes = {name: _size(folder) for name, folder in folders.items()}
    state = clear_cache() if clear else cache_state()
    for folder in folders.values() if clear else ():
        try:
            if folder.is_dir():
                shutil.rmtree(folder)
        except OSError as error:
            raise cannot_write(folder, error) from error
    if as_json:
        shown = {"path": str(state.path), "entries": state.entries, "bytes": state.size, "limit": state.limit}
        print(json.dumps(shown | {f"{name}_bytes": size for name, size in sizes.items()} | {"cleared": clear}))
        return
    print(f"{cache_folder()}")
    limit = "" if clear else f" of at most {state.limit / 1e6:,.0f} MB"
    print(f"{'Cleared: ' if clear else ''}{state.entries:,} masked texts, {state.size / 1e6:,.1f} MB{limit}.")
    for name, size in sizes.items():
        print(f"{'Cleared: ' if clear else ''}{_FOLDERS[name]}, {size / 1e6:,.1f} MB.")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
