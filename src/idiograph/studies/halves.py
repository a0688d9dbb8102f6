"""Who is in the calibration half of a study and who in the case half; nobody is in both."""

from collections.abc import Sequence
from typing import Literal

from idiograph.studies.material import Material, author_rng

# Where every Q meets every K, the trials that only normalise others are the cohort's; attacked ones are judged apart.
Half = Literal["calibration", "case", "cohort", "attacked"]


def split_authors(authors: Sequence[str], *, share: float, seed: int) -> dict[Half, tuple[str, ...]]:
    """The authors of the calibration and of the case half, in the order in which they are paired."""
    order = sorted(authors, key=lambda author: (author_rng(seed, "split", author).random(), author))
    n_calibration = round(share * len(order))
    return {"calibration": tuple(order[:n_calibration]), "case": tuple(order[n_calibration:])}


def split_writers(material: Material, *, share: float, seed: int) -> dict[Half, tuple[str, ...]]:
    """The writers of ready-made problems in two halves, as many problems as can be having both of theirs in one.

    Writers whom problems link go together, unless these are more than a quarter of all.
    """
    sides = {k: (material.writer(k), material.writer(q)) for k, q in material.ready.items()}
    linked = {writer: writer for pair in sides.values() for writer in pair}

    def root(writer: str) -> str:
        while linked[writer] != writer:
            writer = linked[writer]
        return writer

    for pair in sides.values():
        first, second = sorted(root(writer) for writer in pair)
        linked[second] = first
    groups: dict[str, list[str]] = {}
    for writer in sorted(linked):
        groups.setdefault(root(writer), []).append(writer)
    units = []
    for group in groups.values():
        units += [group] if 4 * len(group) <= len(linked) else [[writer] for writer in group]
    units.sort(key=lambda unit: (author_rng(seed, "split", unit[0]).random(), unit[0]))
    halves: dict[Half, list[str]] = {"calibration": [], "case": []}
    n_calibration = round(share * len(linked))
    for unit in units:
        fits = len(halves["calibration"]) + len(unit) <= n_calibration
        halves["calibration" if fits else "case"] += unit
    return {half: tuple(writers) for half, writers in halves.items()}
