"""The tables of attacked problems print shares of what was counted."""

from dataclasses import replace

from idiograph.output.study_tables import attack_table, attack_values
from idiograph.studies.attacks import UnderAttack

ONE = UnderAttack(
    corpus="a",
    condition="whole",
    kind="one trigram 10 times",
    method="hapax",
    n_different=8,
    above_1=4,
    above_10=1,
    n_same=0,
    below_1=0,
    cllr=0.9,
    n_caught=6,
)


def test_all_together_and_each_by_itself() -> None:
    other = replace(ONE, corpus="b", above_10=0, cllr=0.7)
    table = attack_table([ONE, other])
    assert table.shown() == (("one trigram 10 times", "Hapax", "16", "50.0%", "6.2%", "0.800", "75.0%"),)
    values = attack_values([ONE, other])
    assert values.rows[0] == ("a", "whole", "one trigram 10 times", "Hapax", 8, 0.5, 0.125, 0.9, 0.75)
    assert len(values.rows) == 2
    assert "own problems" not in table.header


def test_disguised_authors_have_problems_of_their_own() -> None:
    disguised = replace(ONE, kind="imitation", n_same=2, below_1=1)
    table = attack_table([ONE, disguised])
    assert table.header[-2:] == ("own problems", "LR below 1")
    assert [row[-2:] for row in table.shown()] == [("–", "–"), ("2", "50.0%")]
    assert table.shown()[1][-3] == "60.0%"
    assert "disguised themselves" in table.caption
