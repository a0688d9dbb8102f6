"""What reported values of a method were worth, by the table that ships: in the annex, on page one and on the pages."""

import json
import math
from importlib.resources import files

import pytest

from idiograph import LLR, Verification
from idiograph.casework.sentences import strength_sentence
from idiograph.evidence.strength import Strength
from seen_report import Page, filed_result

SHIPPED = json.loads((files("idiograph.evidence") / "strength.json").read_text(encoding="utf-8"))


def worth(method: str, lr: float) -> str:
    return str(strength_sentence(method, LLR(nats=math.log(lr), how=method, value=lr, unit="nats")))


def test_an_edge_is_found_by_an_lr_that_went_through_a_logarithm() -> None:
    for_hp = Strength(1.0, 3.0, 5, 5, 2.0, 1.0, 3.0)
    assert [for_hp.holds(lr) for lr in (1.0, 1 + 1e-10, 2.0, 3.0, 3 + 1e-10, 3.1)] == [
        False,
        False,
        True,
        True,
        True,
        False,
    ]
    for_hd = Strength(0.1, 0.5, 5, 5, 0.3, 0.1, 0.5)
    assert [for_hd.holds(lr) for lr in (0.09, 0.1 - 1e-11, 0.1, 0.4, 0.5 - 1e-11, 0.5)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lr", "low"), [(3.1, 3), (9.9, 3), (10, 3), (10.6, 10), (30, 10), (1 / 3.1, 0.1), (0.11, 0.1)]
)
def test_a_value_finds_its_band_and_an_edge_is_of_the_weaker(lr: float, low: float) -> None:
    (row,) = [row for row in SHIPPED["methods"]["controlled"] if row["low"] == low]
    two = f"{row['worth']:.2g}" if low >= 1 else f"1/{1 / row['worth']:.2g}"
    assert f"by the published validation: about {two} (95 % interval" in worth("controlled", lr)


def test_what_is_not_known_is_said() -> None:
    assert worth("controlled", 50).endswith(
        "not known: no different author as close in topic had one (5 trials of the other kind did)."
    )
    assert worth("controlled", 500).endswith("not known: none was reported.")
    assert "(95 % interval 1.3 or more)." in worth("normalised", 50)
    assert worth("normalised", 0.05).endswith("not known: no true author had one (5 trials of the other kind did).")
    for lr in (2.9, 3, 1, 0.34):
        assert worth("controlled", lr) == "None"
    assert worth("sentence", 50) == "None"  # of which the table has nothing


def test_a_case_says_it_on_page_one_and_has_the_table_in_its_annex(
    topical: Verification, topical_page: Page, topical_annexes: Page
) -> None:
    (comparison,) = topical.comparisons
    assert comparison.reported is not None
    assert comparison.reported.nats > math.log(3)
    assert comparison.wording.strength is not None
    assert comparison.wording.strength in topical_page.text
    assert filed_result(topical)["strength"] == comparison.wording.strength
    assert "What reported values of the topic-controlled LR were worth in the published" in topical_annexes.text
    rows = topical_annexes.rows("reported LR", "same-author trials", "different-author trials")
    for cells, row in zip(rows, SHIPPED["methods"]["controlled"], strict=True):
        assert cells[1:3] == [f"{row['n_true']:,}", f"{row['n_wrong']:,}"]
    assert SHIPPED["source"] in topical_annexes.text
