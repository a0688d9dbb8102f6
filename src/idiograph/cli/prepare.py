"""idiograph prepare: texts and a recipe to a prepared corpus and its record; and the way back."""

import json
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from idiograph.cli.app import app
from idiograph.cli.reading_options import reads, say
from idiograph.errors import InputError, counted
from idiograph.files import refuse_to_overwrite
from idiograph.printing import print
from idiograph.texts.reading.options import ReadingOptions

T = TypeVar("T")


@app.command()
@reads
def prepare(
    source: Annotated[
        Path | None, typer.Argument(metavar="IN", help="What to prepare; with --diff, a prepared folder.")
    ] = None,
    recipe: Annotated[str | None, typer.Option("--recipe", help="A recipe's name, or your own TOML file.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The folder to write; it must be new.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder if it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    show_recipe: Annotated[
        str | None, typer.Option("--show-recipe", help="Print a recipe as TOML to edit and use, and stop.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option("--diff", help="Print all that was done to the text with this id, and stop.")
    ] = None,
    restore: Annotated[
        Path | None,
        typer.Option("--restore", help="Undo the preparation in this folder; write the originals to --out."),
    ] = None,
    *,
    reading: ReadingOptions,
) -> None:
    """Clean texts by a recipe; every change is on record and can be undone.

    Writes corpus.jsonl, record.jsonl, summary.json and recipe.toml. Recipes: email, tweet, message, review, plain;
    paper-avocado, paper-twitter and paper-bolt are the paper's.
    """
    if show_recipe is not None:
        _show(show_recipe)
    elif diff is not None:
        _print_diff(_given(source, "IN, the prepared folder,"), diff)
    elif restore is not None:
        _restore(restore, _given(out, "--out"), force=force)
    else:
        _prepare(
            _given(source, "IN"),
            _given(recipe, "--recipe"),
            _given(out, "--out"),
            reading,
            force=force,
            as_json=as_json,
        )


def _prepare(source: Path, recipe: str, out: Path, reading: ReadingOptions, *, force: bool, as_json: bool) -> None:
    from idiograph.texts.preparing.folder import save, summary, summary_lines
    from idiograph.texts.preparing.prepare import prepare as prepare_corpus
    from idiograph.texts.preparing.recipes import find_recipe
    from idiograph.texts.reading.read import read

    refuse_to_overwrite(out, force=force)
    wanted = find_recipe(recipe)
    corpus = read(source, reading)
    say(corpus.report)
    prepared = prepare_corpus(corpus, wanted)
    save(prepared, out, force=force)
    if as_json:
        print(json.dumps(summary(prepared.record), allow_nan=False))
    else:
        print("\n".join(summary_lines(prepared.record)))
        print(f"Written to {out}; the texts are in {out / 'corpus.jsonl'}.")


def _restore(folder: Path, out: Path, *, force: bool) -> None:
    from idiograph.texts.preparing.folder import load, save_corpus

    refuse_to_overwrite(out, force=force)
    originals = load(folder).restored()
    save_corpus(originals, out, force=force)
    what = f"{counted(len(originals), 'text')} as {'it was' if len(originals) == 1 else 'they were'} read"
    print(f"{what} written to {out / 'corpus.jsonl'}; each agrees with its digest.")


def _print_diff(folder: Path, text_id: str) -> None:
    from idiograph.texts.preparing.folder import load

    for line in load(folder).record.diff(text_id):
        print(line)


def _show(recipe: str) -> None:
    from idiograph.texts.preparing.recipes import find_recipe

    print(find_recipe(recipe).toml(), end="")


def _given(value: T | None, name: str) -> T:
    if value is None:
        raise InputError(f"{name} is missing. Use: idiograph prepare IN --recipe NAME --out OUT.")
    return value
