"""Settings of every kind that the reader knows, for the tests of reader, writer and options."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from idiograph import InputError
from idiograph.checking import LARGEST_SEED
from idiograph.settings import check_settings, setting


@dataclass(frozen=True, kw_only=True)
class Part:
    """A table of its own."""

    size: int = setting(1, minimum=0, help="How big.")
    file: Path | None = setting(None, help="A file.")
    free: Mapping[str, Any] = setting(factory=dict, help="Anything.")

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Settings at the top, in tables, in nested dataclasses, under other names, and a field that is not one."""

    known: Mapping[str, Path] = setting(help="Each candidate's writings.")
    reference: Path = setting(help="The reference texts.", table="inputs", key="texts")
    kind: Literal["text", "mail"] = setting("text", help="What the files are.")
    use: tuple[str, ...] = setting(("hapax",), choices=("hapax", "raw"), help="The methods.", table="methods")
    caveats: tuple[str, ...] = setting((), help="Sentences with [Q] | of your own.", option="--caveat")
    share: float = setting(0.4, minimum=0, maximum=1, help="The share of authors.")
    weight: float = setting(1.0, minimum=0, help="No upper limit.")
    seed: int | tuple[int, ...] = setting(1, minimum=0, maximum=LARGEST_SEED, help="Decides every draw.")
    lengths: tuple[tuple[int, int], ...] = setting((), minimum=1, help="Pairs of lengths.")
    delimiter: str | None = setting(
        None, must="a single character", allows=lambda text: len(text) == 1, help="Between the cells."
    )
    part: Part = setting(factory=Part, help="A part.")
    loud: bool = setting(True, table="part", option="--loud/--quiet", help="Say more.")
    parts: tuple[Part, ...] = setting((), help="More parts.")
    digest: str = ""

    def __post_init__(self) -> None:
        check_settings(self)
        if self.kind == "mail" and self.delimiter is not None:
            raise InputError("Mail has no cells. Leave out the delimiter.")
