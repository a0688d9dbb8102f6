"""A small study that attacks its own problems, run once."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import idiograph
from idiograph.studies.study import StudyResult
from made_matrix import matrix_study

METHODS = ("normalised", "guarded", "hapax", "logistic", "tfidf", "fusion")
ATTACK = "[attack]\ninsert = true\nkinds = [[1, 8], [3, 12]]\n"


@cache
def attacked_result() -> StudyResult:
    """The study; some Ks are too short to repeat any trigram, and are not imitated."""
    with TemporaryDirectory() as folder:
        return idiograph.study(matrix_study(Path(folder), use=METHODS, extra=ATTACK), workers=1)
