"""Scores of other systems from a file: read, refused, calibrated."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import Calibrator, StudyError, read_study
from made_matrix import matrix_result, matrix_study

pytestmark = pytest.mark.usefixtures("unread_pages")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("problem\na\n", "needs one column problem and at least one column"),
        ("luar\n1\n", "needs one column problem"),
        ("problem;luar\na;0,5\n", 'its first line is "problem;luar". Separate the columns by commas'),
        ("problem,x\na,1_000\n", "line 2, x: '1_000' is not a finite number"),
        ("problem,x\na,١٢\n", "line 2, x: '١٢' is not a finite number"),
        ("problem,hapax\na,1\n", "has a column 'hapax'"),
        ("problem,a-b\na,1\n", "has a column 'a-b'"),
        ("problem,x,x\na,1,2\n", "has a column 'x'"),
        ("problem,x\na,1,2\n", "line 2: 3 values, but the header names 2"),
        ("problem,x\na,1\na,2\n", "line 3: the problem a occurs twice"),
        ("problem,x\na,one\n", "line 2, x: 'one' is not a finite number"),
        ("problem,x\na,inf\n", "line 2, x: 'inf' is not a finite number"),
        ('problem,x\n"a\n', "is not a table of comma-separated values"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "scores.csv").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=words):
        read_study(matrix_study(tmp_path, extra='outside = "scores.csv"'))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x.csv", r"is not UTF-8 \(byte 10\)"),
        ("gone.csv", r"outside must name a file of scores\. .*could not be read"),
        ("/dev/zero", "it is a pipe, a socket or a device, not a file"),
    ],
)
def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "x.csv").write_bytes(b"problem,x\n\xff,1\n")
    with pytest.raises(StudyError, match=words):
        read_study(matrix_study(tmp_path, extra=f'outside = "{name}"'))


def test_another_system_is_calibrated_on_other_folds_and_joined(tmp_path: Path) -> None:
    trials = matrix_result().trials
    rng = np.random.default_rng(3)
    scores = {}
    lines = ["luar,problem"]
    for row in np.flatnonzero(trials.case):
        problem = trials.column("problem")[row]
        scores[problem] = float(trials.same[row]) + float(rng.normal(0, 1))
        lines.append(f"{scores[problem]},{problem}")
    path = matrix_study(
        tmp_path,
        use=("normalised", "hapax", "logistic", "fusion"),
        extra='outside = "scores.csv"\nfuse = ["normalised", "luar"]',
    )
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n\n", encoding="utf-8-sig")
    result = idiograph.study(path, workers=1)
    assert f"|outside:{sha256((tmp_path / 'scores.csv').read_bytes()).hexdigest()[:12]}|" in f"{result.signature}|"
    joined = result.trials
    assert joined.methods == ("normalised", "hapax", "logistic", "luar", "fusion")
    case = np.flatnonzero(joined.case)
    folds = joined.column("fold")
    values = np.array([scores[problem] for problem in joined.column("problem")[case]])
    in_fold = folds[case] == folds[case][0]
    fit = Calibrator.fit(same=values[~in_fold & joined.same[case]], different=values[~in_fold & ~joined.same[case]])
    assert joined.llr("luar")[case][in_fold] == pytest.approx(fit.intercept + fit.slope * values[in_fold], rel=1e-6)
    assert not np.allclose(joined.llr("fusion")[case], joined.llr("normalised")[case])
    (tmp_path / "scores.csv").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    with pytest.raises(StudyError, match="has no score of luar for toy/random_q60_k120"):
        idiograph.study(path, tmp_path / "out", workers=1)
