"""Judging by folds: every author's Q meets every author's K, and each trial is judged by authors who had no part in it.

The authors of a fold are left out together. Both authors of a judged trial are in the fold; the others are its
reference: they normalise it, they are calibrated on, and λG's reference models come from their texts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from idiograph.errors import StudyError
from idiograph.studies.design_settings import Design
from idiograph.studies.halves import Half

FEWEST_FOLDS = 3
FEWEST_AUTHORS = 8  # three folds of them leave at least five to normalise by


@dataclass(frozen=True)
class Fold:
    """Authors who are left out together, and those they are judged by."""

    left_out: tuple[str, ...]
    reference: tuple[str, ...]
    group: int  # of folds that are scored together
    out_of_models: tuple[str, ...]  # whose sentences λG's reference models never have: all left out in the group

    @property
    def everyone(self) -> list[str]:
        """All who take part in it, sorted."""
        return sorted((*self.left_out, *self.reference))


def make_folds(authors: Sequence[str], design: Design, *, where: str) -> tuple[Fold, ...]:
    """Folds of about the size asked for, of at most `most_authors` authors, who come in random order."""
    chosen = authors[: design.most_authors]
    if len(chosen) < FEWEST_AUTHORS:
        raise StudyError(
            f"{where}: {len(chosen)} authors take part, and folds that can judge each other need at least "
            f"{FEWEST_AUTHORS}. Add authors or shorten the lengths."
        )
    folds = []
    parts = in_parts(chosen, design.fold)
    n_groups = min(design.groups or len(parts), len(parts))
    if n_groups < len(parts) <= FEWEST_FOLDS:
        n_groups = len(parts)  # a group of two of three folds would leave too few
    for number, left_out in enumerate(parts):
        group = number % n_groups
        together = tuple(sorted(author for part in parts[group::n_groups] for author in part))
        others = [author for author in chosen if author not in left_out]
        # From another place for each fold, so that no author is in all references.
        start = number * len(others) // len(parts)
        reference = tuple(sorted([*others[start:], *others[:start]][: design.cohort]))
        folds.append(Fold(left_out, reference, group, together))
    return tuple(folds)


def in_parts(authors: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """The authors, who come in random order, in parts of about this size, but at least three."""
    n_parts = max(FEWEST_FOLDS, round(len(authors) / size))
    return [tuple(sorted(authors[number::n_parts])) for number in range(n_parts)]


def roles(fold: Fold) -> Iterator[tuple[str, str, Half]]:
    """Every K with every Q of a fold's authors: those judged (case), those learnt from (calibration), and the rest."""
    for k, q in product(fold.everyone, repeat=2):
        n_left_out = (k in fold.left_out) + (q in fold.left_out)
        halves: tuple[Half, Half, Half] = ("calibration", "cohort", "case")
        yield k, q, halves[n_left_out]
