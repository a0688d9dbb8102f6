"""The commands around a case: app (the pages), demo, cache and posterior."""

import json
import math
import stat
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from idiograph.arithmetic import log
from idiograph.casework.case import Case
from idiograph.casework.demonstration import AUTHOR, CAVEATS, OTHER, POPULATION, YEAR, write_texts
from idiograph.cli.app import app
from idiograph.cli.case import say_filed
from idiograph.errors import InputError, print
from idiograph.evidence.llr import to_nats
from idiograph.files import SCRATCH, cache_folder, refuse_to_overwrite, remove_from_cache
from idiograph.texts.language import ENGLISH


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="Where the texts and the two cases are written.")] = Path("demo"),
    force: Annotated[bool, typer.Option("--force", help="Run it again; the earlier runs are kept.")] = False,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes to use.")] = None,
) -> None:
    """Run a real case: Lincoln's message of 1864 against his others, then against those of Andrew Johnson."""
    from idiograph.output.filing import file_case

    refuse_to_overwrite(out, force=force)
    write_texts(out / "texts")
    for candidate, title in (
        (AUTHOR, f"The message of {YEAR} and the other messages of its author"),
        (OTHER, f"The message of {YEAR} and the messages of somebody else"),
    ):
        case = Case(
            questioned={"Q1": out / "texts" / "questioned"},
            known={candidate: out / "texts" / candidate},
            reference=out / "texts" / "reference",
            population=POPULATION,
            title=f"Demonstration: {title}",
            caveats=CAVEATS,
        )
        print(f"\n{case.title}")
        say_filed(file_case(case, out / candidate.lower(), force=force, workers=workers))


_KEPT = {
    "masked": "masked texts",
    "studies": "indexed corpora of studies",
    "numba": "compiled code",
    "matplotlib": "list of fonts",
    SCRATCH: "copies of texts that work under way needs, or that a killed process left",
}


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Empty it.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Tag a page by spaCy and by the compiled kernels, and compare.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show or clear what is kept on disk so that nothing is tagged, indexed or compiled twice."""
    from idiograph.compiling import KEY
    from idiograph.texts.masking.batches import cache_path, cache_state, clear_cache
    from idiograph.texts.masking.models import tagger_of
    from idiograph.texts.masking.tagger import kernels_agree

    sizes = {name: _size(cache_folder() / name) for name in _KEPT}
    if clear:
        clear_cache()
        for name in (*_KEPT, KEY):
            remove_from_cache(name)
    state = None if clear else cache_state()
    agree = {"kernels_agree": kernels_agree(tagger_of(ENGLISH))} if check else {}
    if as_json:
        held = {"entries": state and state.entries, "bytes": sizes["masked"], "limit": state and state.limit}
        others = {f"{name}_bytes": size for name, size in sizes.items() if name != "masked"}
        print(json.dumps({"path": str(cache_path()), **held, **others, "cleared": clear, **agree}))
        return
    print(f"{cache_folder()}")
    for name, size in sizes.items():
        many = f"{state.entries:,} " if name == "masked" and state is not None else ""
        limit = f" of at most {state.limit / 1e6:,.0f} MB" if name == "masked" and state is not None else ""
        print(f"{'Cleared: ' if clear else ''}{many}{_KEPT[name]}, {size / 1e6:,.1f} MB{limit}.")
    if check:
        print(_AGREEMENT[agree["kernels_agree"]])


_AGREEMENT = {
    True: "Checked: the compiled kernels and spaCy itself tag the page alike; English is tagged by the kernels.",
    False: "Checked: the compiled kernels and spaCy itself do not tag the page alike; English is tagged by spaCy.",
    None: "Not checked: the compiled kernels do not know the installed model or spaCy; English is tagged by spaCy.",
}


def _size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder, as far as they may be seen; no link is followed."""
    total, waiting = 0, [path]
    while waiting:
        with suppress(OSError):
            inside = waiting.pop()
            status = inside.lstat()
            if stat.S_ISDIR(status.st_mode):
                waiting += inside.iterdir()
            elif stat.S_ISREG(status.st_mode):
                total += status.st_size
    return total


@app.command()
def posterior(
    prior: Annotated[float, typer.Option("--prior", help="The probability of Hp before this evidence, 0 to 1.")],
    lr: Annotated[float | None, typer.Option("--lr", help="The likelihood ratio.")] = None,
    log10_lr: Annotated[float | None, typer.Option("--log10-lr", help="Its logarithm, in place of --lr.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """What a prior probability of Hp becomes with a likelihood ratio: for those who decide, never part of a report."""
    from idiograph.evidence.llr import posterior as posterior_of

    if (lr is None) == (log10_lr is None):
        raise InputError("Give either --lr or --log10-lr, and not both.")
    if lr is not None and not (lr > 0 and math.isfinite(lr)):
        raise InputError(f"The likelihood ratio is {lr}. It must be a finite number above 0.")
    nats = log(lr) if lr is not None else to_nats(log10_lr or 0.0, "bans")
    result = posterior_of(nats, prior)
    if as_json:
        print(json.dumps({**asdict(result), "complement": result.complement}, allow_nan=False))
        return
    print(
        f"Prior probability of Hp {result.prior:g}, posterior {result.probability:.6g} (of Hd {result.complement:.3g})."
    )
    print("The prior is not the expert's to choose: it depends on the other evidence, which is for the court.")


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
        int,
        typer.Option(
            "--max-upload", "--largest", min=1, max=100_000, help="The largest file that is taken, in megabytes."
        ),
    ] = 200,
) -> None:
    """Open Idiograph in the browser: start a case, check it, run it and read its report without typing a command.

    The pages are served on this machine alone; nothing leaves it. The address that is printed works in one browser
    only. Stop with Ctrl-C, or with “Stop Idiograph” on any page.
    """
    try:
        from idiograph.pages.server import serve
        from idiograph.pages.uploads import Limits
    except ModuleNotFoundError as error:
        raise InputError(
            f"The pages need packages that are not installed ({error.name}). Run: pip install '.[app]' in a "
            "clone of Idiograph, or 'idiograph[app]' where it came from an index."
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
