"""The paper's own figures (Barlow, Nini & Manino 2026), to measure the distance of a study from them."""

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any


@lru_cache(maxsize=1)
def _figures() -> Mapping[str, Any]:
    text = resources.files("idiograph.studies").joinpath("published.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def published_table2() -> dict[tuple[str, str], tuple[float, float]]:
    """(method, comparator) -> per cent of tests won, and of losses that were close."""
    table = {}
    for row in _figures()["table2"]:
        pair = (row["first"], row["second"])
        for own, other, place in ((*pair, 0), (*pair[::-1], 1)):
            table[own, other] = (float(row["wins"][place]), float(row["close_losses"][place]))
    return table


def published_table3() -> dict[str, dict[str, tuple[float, float]]]:
    """Corpus -> method -> mean Cllr and its sd over five runs."""
    table = _figures()["table3"]
    return {corpus: {method: (row[0], row[1]) for method, row in methods.items()} for corpus, methods in table.items()}
