"""What was measured once and is quoted to the user: shipped as data with its source, and worded here alone."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class WorksUnknown:
    """What a validation of the same texts gave with their works unknown and with them named."""

    texts: str
    cllr_unknown: float
    cllr_named: float
    bound_unknown: float  # the highest LR that the material supported
    bound_named: float
    source: str

    @property
    def sentence(self) -> str:
        """The cost of not knowing, with where it was measured."""
        return (
            f"On {self.texts} that made the validation look better than it was: Cllr {self.cllr_unknown:g} without "
            f"works and {self.cllr_named:g} once they were named, the highest LR supported {self.bound_unknown:g} and "
            f"{self.bound_named:g} ({self.source})."
        )


@cache
def works_unknown() -> WorksUnknown:
    """The figures on works that are not named."""
    return WorksUnknown(**json.loads((files("idiograph.casework") / "measured.json").read_bytes())["works_unknown"])
