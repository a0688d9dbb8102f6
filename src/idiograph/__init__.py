"""How strongly does the language of a questioned text support that this person, rather than someone else, wrote it?"""

from idiograph.errors import (
    CalibrationError,
    IdiographError,
    InputError,
    MaskingError,
    ProblemError,
    StudyError,
)
from idiograph.grammar.index import Index
from idiograph.grammar.lambdag import Score, score, score_many
from idiograph.texts.masking import mask
from idiograph.texts.problem import Problem
from idiograph.texts.reading.corpus import read
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.text import Corpus, MaskedText, Text

__all__ = [
    "CalibrationError",
    "Corpus",
    "IdiographError",
    "Index",
    "InputError",
    "MaskedText",
    "MaskingError",
    "Problem",
    "ProblemError",
    "ReadingOptions",
    "Score",
    "StudyError",
    "Text",
    "mask",
    "read",
    "score",
    "score_many",
]
