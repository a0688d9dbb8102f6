"""idiolect's columns there and back, and what is not idiolect's refused."""

import csv
from pathlib import Path

import numpy as np
import pytest

from idiograph import InputError, read_idiolect
from idiograph.studies.trial_table import write_idiolect
from made_study import whole_trials


def test_idiolects_columns_there_and_back(tmp_path: Path) -> None:
    trials = whole_trials()
    path = tmp_path / "idiolect.csv"
    write_idiolect(trials, path)
    with path.open(encoding="utf-8", newline="") as file:
        header, first = list(csv.reader(file))[:2]
    assert header[:4] == ["K", "Q", "target", "score"]
    assert first[2] in ("TRUE", "FALSE")
    results = read_idiolect(path)
    np.testing.assert_array_equal(results.score, trials.column("lambda_g"))
    np.testing.assert_array_equal(results.target, trials.same)
    assert results.k == tuple(trials.column("k_author"))
    assert results.q == tuple(trials.column("q_id"))


def test_a_table_that_r_wrote_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(
        '"","K","Q","target","score"\n"1","ann","t1",TRUE,12.5\n"2","bob","t1",FALSE,-3\n', encoding="utf-8"
    )
    results = read_idiolect(path)
    assert (results.k, results.q, results.target.tolist(), results.score.tolist()) == (
        ("ann", "bob"),
        ("t1", "t1"),
        [True, False],
        [12.5, -3.0],
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("K,Q,score\na,b,1\n", "has no column target"),
        ("K,Q,target,score\na,b,maybe,1\n", "line 2: target is 'maybe'"),
        ("K,Q,target,score\na,b,TRUE,x\n", "score 'x'"),
        ("K,Q,target,score\na,b\n", "line 2: target is None"),
        ("\x00", "has no column K"),
    ],
)
def test_what_is_not_idiolects_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_idiolect(path)
    with pytest.raises(InputError, match="could not be read"):
        read_idiolect(tmp_path / "absent.csv")


def test_what_is_not_text_is_refused_and_a_plain_path_will_do(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(b"K,Q,target,score\n\xff,b,TRUE,1\n")
    with pytest.raises(InputError, match="is not a CSV file in UTF-8"):
        read_idiolect(path)
    path.write_text("K,Q,target,score\na,b,T,1\n", encoding="utf-8")
    assert read_idiolect(str(path)).score.tolist() == [1.0]
