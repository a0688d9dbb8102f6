"""Settings that cannot stand together: each is refused with what to change."""

from pathlib import Path

import pytest

from idiograph.errors import StudyError
from idiograph.studies.settings import read_study
from made_matrix import matrix_study
from made_study import folder_with_study


@pytest.mark.parametrize(
    ("use", "extra", "said"),
    [
        (("normalised", "logistic"), 'fuse = ["normalised"]', "fusion is not among the methods in use"),
        (("normalised", "logistic", "fusion"), "", "fusion joins at least two methods"),
        (("logistic", "delta", "fusion"), 'fuse = ["delta", "hapax"]', 'fusion cannot join "hapax"'),
        (("normalised", "logistic"), "original = true", "original is for comparators, and none is in use"),
        (
            ("hapax", "logistic"),
            "typing = true",
            "typing is a score of the methods normalised and controlled, and neither is in use",
        ),
        (
            ("hapax", "logistic"),
            'constants = "none"',
            "constants are of the methods normalised",
        ),
        (("normalised", "logistic"), "typing = true", "Corpus toy came masked, so there are no originals"),
        (
            ("normalised", "logistic"),
            'outside = "gone.csv"',
            "outside must name a file of scores.*could not be read",
        ),
    ],
)
def test_scores_that_nothing_uses_or_that_cannot_be_made(
    tmp_path: Path, use: tuple[str, ...], extra: str, said: str
) -> None:
    with pytest.raises(StudyError, match=said):
        read_study(matrix_study(tmp_path, use=use, extra=extra))


def test_an_attack_needs_folds_and_masked_texts(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path / "halves", extra="[attack]\ninsert = true\n")
    with pytest.raises(StudyError, match=r'judged by the authors outside its fold\. Set pairs = "all" in \[design\]'):
        read_study(path)
    path = matrix_study(
        tmp_path / "folds", use=("delta", "logistic"), extra="original = true\n[attack]\ndisguised = true\n"
    )
    path.write_text(path.read_text(encoding="utf-8").replace('masking = "masked"', ""), encoding="utf-8")
    with pytest.raises(StudyError, match=r"masked texts, which have no originals\. Leave out typing and original"):
        read_study(path)
