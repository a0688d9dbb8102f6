"""Numbers as people read them."""

from dataclasses import replace

import numpy as np

from idiograph.output.document import Table
from idiograph.output.report.report import report
from idiograph.output.report.words import plain_value
from made_up_case import comparison, verification


def test_digits_of_the_score_follow_its_error() -> None:
    one = comparison()
    assert one.sensitivity is not None
    for error, shown in ((17.0, "-156"), (3.2, "-156.5"), (0.19, "-156.47")):
        score = replace(one.score, evidence=(np.array([-156.4721]),), counted=(np.array([True]),))
        case = replace(one, score=score, sensitivity=replace(one.sensitivity, standard_error=error))
        table = next(block for block in report(verification(case)).blocks if isinstance(block, Table))
        values = {name.split(" (")[0]: value for name, value in table.rows}
        assert values["raw score λG"] == shown.replace("-", "−")
        assert values["log10 LR over other seeds"] == "+2.56 to +2.65"


def test_a_setting_is_said_as_a_person_would() -> None:
    assert plain_value({}) == plain_value(()) == plain_value(None) == "none"
    assert plain_value(False) == "no"
    assert plain_value(("Lee", "Kim")) == "Lee, Kim"
    assert plain_value(("One sentence.", "Another.")) == "One sentence. Another."
    assert plain_value({"encoding": "cp1252", "unwrap": True}) == "encoding: cp1252; unwrap: yes"
