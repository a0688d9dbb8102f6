"""Each known text is left out in turn, and several at a time where there are many."""

from pathlib import Path

import pytest

import idiograph
from idiograph.casework.verification import Comparison
from made_texts import case_of, sentences, write_case, write_text


def compare(folder: Path, **changed: object) -> Comparison:
    return idiograph.verify(case_of(folder, **changed), quick=True).comparisons[0]


def without(comparison: Comparison) -> dict[str, float]:
    assert comparison.sensitivity is not None
    return {row.label: row.nats for row in comparison.sensitivity.of("known_text")}


def test_the_value_without_a_text_is_that_of_a_case_without_it(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    left_out = without(compare(tmp_path))
    (tmp_path / "known" / "1.txt").unlink()
    alone = compare(tmp_path)
    assert left_out["known/lee/1.txt"] == alone.llrs["hapax"].nats
    assert without(alone) == {}  # of a single text nothing is left


@pytest.mark.parametrize(("n_texts", "n_left_out"), [(20, 20), (21, 11), (45, 15)])
def test_many_texts_are_left_out_several_at_a_time(tmp_path: Path, n_texts: int, n_left_out: int) -> None:
    write_case(tmp_path, n_authors=5)
    for number in range(n_texts):
        write_text(tmp_path / "known" / f"{number + 1}.txt", sentences("lee", tokens=30, seed=50 + number))
    assert len(without(compare(tmp_path))) == n_left_out
