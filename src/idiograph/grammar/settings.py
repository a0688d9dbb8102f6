"""The settings of λG; a study and a case take their meaning, limits and defaults from here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from idiograph.checking import unchecked
from idiograph.errors import InputError
from idiograph.settings import check_settings, setting

Seed = int | Sequence[int]
_SEED = "a whole number, 0 or more, or a list of them"

# An index needs four bytes per token and order while it is built.
ORDER: dict[str, Any] = {"default": 10, "minimum": 1, "maximum": 30, "help": "N: the longest n-gram."}
REPETITIONS: dict[str, Any] = {
    "default": 30,
    "minimum": 1,
    "maximum": 100_000,
    "help": "r: how many reference models are drawn.",
}
# Near 0 an unseen token would have no probability that a double can hold; above 1 counts would turn negative.
DISCOUNT: dict[str, Any] = {
    "default": 0.75,
    "minimum": 0.001,
    "maximum": 1,
    "help": "D of the Kneser-Ney models: what each count is lowered by.",
}


@dataclass(frozen=True, kw_only=True)
class LambdaGSettings:
    """Model order N, reference models r, discount D, and the seed of the draws: an int, or several as a tuple."""

    order: int = setting(**ORDER)
    repetitions: int = setting(**REPETITIONS)
    discount: float = setting(**DISCOUNT)
    seed: Seed = setting(
        0,
        minimum=0,
        maximum=2**128 - 1,
        must=_SEED,
        help="Decides every draw; several numbers count as one seed.",
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.seed == ():
            raise InputError(f"seed must be {_SEED}, not an empty list.")

    def at(self, seeds: Sequence[Seed]) -> list["LambdaGSettings"]:
        """These settings with each of the seeds, which are known to be valid: copies, so nothing is checked again."""
        return [unchecked(LambdaGSettings, **{**vars(self), "seed": seed}) for seed in seeds]
