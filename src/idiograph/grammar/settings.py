"""The settings of λG: one description for Python, files and command line."""

from collections.abc import Sequence
from dataclasses import dataclass

from idiograph.settings.reading import check_settings
from idiograph.settings.setting import LARGEST_SEED, setting

Seed = int | Sequence[int]

MAX_ORDER = 30  # an index needs four bytes per token and order while it is built
MAX_REPETITIONS = 100_000
# Near 0 an unseen token would have no probability that a double can hold; above 1 counts would turn negative.
MIN_DISCOUNT, MAX_DISCOUNT = 0.001, 1.0


@dataclass(frozen=True, kw_only=True)
class LambdaGSettings:
    """Model order N, reference models r, discount D, and the seed of the draws: a whole number, or several."""

    order: int = setting(10, minimum=1, maximum=MAX_ORDER, help="N: the longest n-gram of the grammar models.")
    repetitions: int = setting(30, minimum=1, maximum=MAX_REPETITIONS, help="r: the number of reference models.")
    discount: float = setting(
        0.75, minimum=MIN_DISCOUNT, maximum=MAX_DISCOUNT, help="D: the discount of Kneser-Ney smoothing."
    )
    seed: Seed = setting(
        0,
        minimum=0,
        maximum=LARGEST_SEED,
        must="a whole number, 0 or more, or a list of them",
        allows=lambda seed: seed != (),
        help="Decides which reference sentences are drawn.",
    )

    def __post_init__(self) -> None:
        check_settings(self)
