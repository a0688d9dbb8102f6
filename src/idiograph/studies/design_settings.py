"""Which problems a study makes of a corpus, and by which seeds."""

from dataclasses import dataclass
from typing import Any, Literal

from idiograph.errors import StudyError
from idiograph.settings.reading import check_settings
from idiograph.settings.setting import LARGEST_SEED, setting

Pairs = Literal["trace", "source", "outside", "all"]
ReferenceAuthors = Literal["case", "all", "pool"]
ReferenceTexts = Literal["known", "all"]
_SEED: dict[str, Any] = {"minimum": 0, "maximum": LARGEST_SEED}


@dataclass(frozen=True)
class Seeds:
    """What is drawn at random, kept apart: who is in which half and paired with whom, which texts and sentences make
    up Q and K, and which sentences the reference models are made of."""

    split: int = setting(1, **_SEED, help="Who is in which half, and paired with whom.")
    texts: int = setting(1, **_SEED, help="Which texts and sentences make up Q and K.")
    reference: int = setting(1, **_SEED, help="Which sentences the reference models are made of.")

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)


@dataclass(frozen=True, kw_only=True)
class Design:
    """Which problems are made of a corpus.

    Each author has one same-author problem and `n_pairs` different-author ones, of one half. The reference never holds
    the two authors at hand. Calibration problems have the same reference as case problems, so that their scores are
    alike. With pairs = "all" there are no halves: authors are left out by folds, and whoever is not in the fold of a
    trial is its reference, which it is normalised and calibrated by.
    """

    calibration: float = setting(
        0.4,
        minimum=0,
        maximum=1,
        help="The share of authors in the calibration half; below 1, so that case authors remain.",
    )
    pairs: Pairs = setting(
        "trace",
        help="Different-author problems: another author's K for each Q (trace), another's Q for each K (source), a "
        "case author's K and the Q of an author outside the case data (outside), or every Q with every K, judged by "
        "the authors outside the fold of the trial's own (all).",
    )
    n_pairs: int = setting(1, minimum=1, maximum=100_000, help="Different-author problems per author.")
    reference: ReferenceAuthors = setting(
        "case",
        help="Whose texts the reference holds: the other case authors', all others', or only those of a pool.",
    )
    reference_texts: ReferenceTexts = setting("known", help="Which of their texts: those marked as known, or all.")
    fewest_authors: int = setting(
        4, minimum=2, maximum=100_000, help="Authors needed in each half; with fewer, a condition is refused."
    )

    fold: int = setting(
        6,
        minimum=2,
        maximum=1_000,
        help='With pairs = "all": about how many authors are left out together; there are at least three folds.',
    )
    most_authors: int = setting(
        30,
        minimum=8,
        maximum=100_000,
        help='With pairs = "all": the most authors that take part, drawn at random; the work grows with their square.',
    )
    groups: int | None = setting(
        None,
        minimum=2,
        maximum=1_000,
        help='With pairs = "all": the folds are put into so many groups, and λG\'s reference leaves out all authors of '
        "a group at once, which saves time (default: each fold is a group).",
    )
    cohort: int | None = setting(
        None,
        minimum=5,
        maximum=100_000,
        help='With pairs = "all": the number of reference authors of each fold (default: all that are not in it).',
    )

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)
        if self.pairs == "all" and self.calibration:
            raise StudyError(
                'With pairs = "all" each trial is judged by the authors outside its fold, so no half is set apart. '
                "Leave out calibration, or make other pairs."
            )
        if self.pairs != "all" and (self.cohort or self.groups) is not None:
            raise StudyError('cohort and groups belong to pairs = "all". Leave them out, or make these pairs.')
        if self.cohort is not None and self.groups is not None:
            raise StudyError(
                "A cohort is that of a single fold, so folds cannot be grouped. Leave out cohort or groups."
            )
        if self.calibration == 1:
            raise StudyError(
                "The share of calibration authors is 1. It must be below 1, because case authors must remain."
            )
        if self.pairs == "outside" and self.calibration == 0:
            raise StudyError(
                "Different-author pairs from outside the case data need authors outside it, but the calibration "
                "share is 0. Set a share, or pair by trace or source."
            )
