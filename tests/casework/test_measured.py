"""What is quoted to the user comes from the shipped data, with its source."""

import json
from importlib.resources import files

from idiograph.casework.measured import works_unknown


def test_the_sentence_has_the_figures_and_the_source_of_the_data() -> None:
    stored = json.loads((files("idiograph.casework") / "measured.json").read_text(encoding="utf-8"))["works_unknown"]
    said = works_unknown().sentence
    for name in ("texts", "cllr_unknown", "cllr_named", "bound_unknown", "bound_named", "source"):
        assert str(stored[name]) in said
