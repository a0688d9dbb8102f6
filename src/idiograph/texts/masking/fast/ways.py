"""Whether the kernels may tag here: only what they were tried with, and once they agreed with spaCy on a page."""

import json
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from idiograph.files import cache_folder, write_whole
from idiograph.provenance import digest_json, versions
from idiograph.records import parsed_json
from idiograph.texts.masking.models import REFERENCE_DIGEST, TaggerModel

KERNELS, SPACY, KEPT = "compiled kernels", "spaCy", "kept from before"
"""The ways a text can be tagged; the last one: it was masked in an earlier run."""

_CONFIG = "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79"  # components, their order and settings
_TRIED = {"spacy": ("3.8.18",), "thinc": ("8.3.14",)}

PAGE = """\
Dear Sir or Madam, I've been meaning to write since the 3rd of May, but you know how it is: one can't always find time.
"What on earth," he asked, "are they going to do about it?" Nobody answered; there were, after all, only four of us.
Mr. Smith's flat (the one at 12, Baker St.) was sold for $1,250,000 in Jan. 2019, i.e. 15% more than we'd thought.
Which book did she say that John believed he had given to whom? That's something I'd ask him about, not her.
so i was like omg no way lol :-) u gotta c this!!! gonna be there @ 8pm, c'mon y'all, dont b late... ;) xx
See https://www.example.org/a?b=1&c=2 or mail j.doe@example.co.uk -- it's all there, isn't it?
The company, which has been losing money for years, said on Tuesday it would cut 3,000 jobs and close its U.S. plants.
There's little doubt that there were people who'd seen him do so, though none has come forward to say it yet.
Ain't nothin' but a hound-dog, ol' chap: 'em were the days, weren't they? Ca n't complain .
   Two  blanks   here,\tand a tab; then a no-break\u00a0space and a narrow\u202fone.
The naïve café-owner’s “daughter” — 23 years old – smiled… ¿Qué? Ναι. Да, конечно. 好的。 👩‍👩‍👧 👍🏽 e\u0301te\u0301
( : ) : ( 8 ) - . . . 'Cause a.m. p.m. etc. e.g. vs. Ph.D. No. 5 w/o km/h AT&T R&D C++ #1 <3 ^_^ O.o
!!! ??? ... --- *** " ' ` ~ @ # $ % ^ & * ( ) [ ] { } < > / \\ | + = _
A man I know that nobody who knows him likes to meet a friend of to whom I was talking yesterday left early.
Having finished, they went home, had tea, did the dishes, and got to bed before it was dark, as had been the plan.
"""


def why_not(model: TaggerModel) -> str | None:
    """Why a model cannot be tagged by the kernels, in a few words; None if it can."""
    if model.digest != REFERENCE_DIGEST or model.config_digest != _CONFIG:
        return "another model"
    for package, tried in _TRIED.items():
        if metadata.version(package) not in tried:
            return f"{package} {metadata.version(package)}"
    return None


def tried(model: TaggerModel) -> bool:
    """Whether the page was tried here before: then the kernels are compiled, too."""
    # Where nothing was, Numba need not be loaded to tell.
    return any((cache_folder() / "numba").glob("*/agreed-*.json")) and _record(model).is_file()


def agreed(model: TaggerModel, compare: Callable[[list[str]], bool], *, again: bool = False) -> bool:
    """Whether both ways give the same on the page: `compare` tells, once for each installation, unless `again`."""
    record = _record(model)
    if not again:
        with suppress(OSError, ValueError):
            known = parsed_json(record.read_bytes())
            if isinstance(known, dict) and type(known.get("agreed")) is bool:
                return bool(known["agreed"])
    same = compare(PAGE.splitlines())
    # A cache that cannot be written: then the page is tried in every process.
    with suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        write_whole(record, json.dumps({"agreed": same}) + "\n")
    return same


def _record(model: TaggerModel) -> Path:
    """Where the outcome is kept: beside the compiled code, under all that it may depend on."""
    # Imported late: whoever needs no kernel needs no Numba.
    from idiograph.compiling import kernels_digest
    from idiograph.texts.masking.fast.layers import LANES

    key: dict[str, Any] = {"model": [model.digest, model.config_digest], "versions": versions(), "lanes": LANES}
    return cache_folder() / "numba" / kernels_digest()[:16] / f"agreed-{digest_json(key)[:16]}.json"
