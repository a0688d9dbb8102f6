"""Makes lir_frozen.json: metrics of fixed vectors by NFI's `lir`, which is no dependency of Idiograph.

In an environment of its own:  pip install lir==1.3.1  and then  python tests/data/make_lir_frozen.py
"""

import datetime
import importlib.metadata
import json
from pathlib import Path

import numpy as np
from lir.algorithms.bayeserror import elub
from lir.data.models import LLRData
from lir.metrics import cllr, cllr_cal, cllr_min
from lir.metrics.devpav import devpav


def vectors() -> dict[str, tuple[list[float], list[float]]]:
    """log10 LRs of same-author and different-author trials; none is perfectly separated."""
    rng = np.random.default_rng(20261115)

    def drawn(mean: float, sd: float, n: int) -> list[float]:
        return [round(float(value), 3) for value in rng.normal(mean, sd, n)]

    return {
        "calibrated": (drawn(0.5, 1.0, 60), drawn(-0.5, 1.0, 60)),
        "overstated": (drawn(2.0, 3.0, 40), drawn(-2.0, 3.0, 90)),
        "understated": (drawn(0.1, 0.1, 35), drawn(-0.1, 0.1, 35)),
        "shifted": (drawn(1.6, 0.7, 30), drawn(0.4, 0.7, 70)),
        "useless": (drawn(0.0, 0.5, 25), drawn(0.0, 0.5, 25)),
        "ties": ([0.0, 0.5, 0.5, 1.0, 1.0, 2.0, -0.5], [0.0, -0.5, -0.5, -1.0, 0.5, 1.0]),
    }


def main() -> None:
    """Write the file beside this script."""
    frozen = {}
    for name, (same, different) in vectors().items():
        llrs = np.array(same + different)
        labels = np.array([1] * len(same) + [0] * len(different))
        data = LLRData(features=llrs.reshape(-1, 1), labels=labels)
        lower, upper = elub(llrs.copy(), labels, add_misleading=1)
        frozen[name] = {
            "same_log10": same,
            "different_log10": different,
            "cllr": cllr(data),
            "cllr_min": float(cllr_min(data)),
            "cllr_cal": float(cllr_cal(data)),
            "dev_pav": float(devpav(llrs, labels)),
            "elub_log10": [float(lower), float(upper)],
        }
    versions = {name: importlib.metadata.version(name) for name in ("lir", "numpy", "scikit-learn")}
    header = {
        "made_by": "python tests/data/make_lir_frozen.py",
        "date": datetime.date.today().isoformat(),
        "versions": versions,
        "note": "LRs in log10; ELUB on a grid of 0.01 and counted in trials",
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in frozen.items())
    text = f'{{"header": {json.dumps(header)},\n"vectors": {{\n{lines}\n}}}}\n'
    Path(__file__).with_name("lir_frozen.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
