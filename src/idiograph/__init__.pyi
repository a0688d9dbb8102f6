"""The public names, and where each comes from."""

from idiograph.casework.case import Case, PlanRequest, read_case
from idiograph.casework.plan import plan_case
from idiograph.casework.seal import check_seal, seal
from idiograph.casework.verification import Verification
from idiograph.casework.verify import normalised, verify
from idiograph.errors import (
    CalibrationError,
    IdiographError,
    InputError,
    MaskingError,
    ProblemError,
    StudyError,
)
from idiograph.evidence.bounds import elub
from idiograph.evidence.calibration import Calibrator
from idiograph.evidence.comparators import COMPARATORS
from idiograph.evidence.cosine import ngram_cosine, typing_score
from idiograph.evidence.intervals import intervals
from idiograph.evidence.llr import LLR, posterior
from idiograph.evidence.methods import hapax, sentence, square_root
from idiograph.evidence.metrics import auc, cllr, cllr_cal, cllr_min, dev_pav, eer, worst_share
from idiograph.evidence.normalised import normalise
from idiograph.evidence.performance import decisions, misleading, pan_metrics
from idiograph.grammar.index import Index
from idiograph.grammar.lambdag import Score, score, score_many
from idiograph.grammar.model import GrammarModel
from idiograph.output.figures import ece, length_heatmap, pav, tippett, violins
from idiograph.output.filing import Filed, amend, file_case, write_reports
from idiograph.output.notebook import heat_map, token_table
from idiograph.output.replaying import replay
from idiograph.output.study_page import join_studies, study
from idiograph.progress import listening, show_progress
from idiograph.studies.drawing import Condition
from idiograph.studies.settings import CorpusSettings, Design, Seeds, Study, read_study
from idiograph.studies.trial_table import read_idiolect
from idiograph.texts.masking.mask import mask
from idiograph.texts.preparing.prepare import prepare
from idiograph.texts.preparing.record import Prepared
from idiograph.texts.problem import Problem
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.problem_sets import ProblemSet
from idiograph.texts.reading.read import read
from idiograph.texts.text import Corpus, MaskedText, Text

__version__: str

__all__ = [
    "COMPARATORS",
    "LLR",
    "CalibrationError",
    "Calibrator",
    "Case",
    "Condition",
    "Corpus",
    "CorpusSettings",
    "Design",
    "Filed",
    "GrammarModel",
    "IdiographError",
    "Index",
    "InputError",
    "MaskedText",
    "MaskingError",
    "PlanRequest",
    "Prepared",
    "Problem",
    "ProblemError",
    "ProblemSet",
    "ReadingOptions",
    "Score",
    "Seeds",
    "Study",
    "StudyError",
    "Text",
    "Verification",
    "amend",
    "auc",
    "check_seal",
    "cllr",
    "cllr_cal",
    "cllr_min",
    "decisions",
    "dev_pav",
    "ece",
    "eer",
    "elub",
    "file_case",
    "hapax",
    "heat_map",
    "intervals",
    "join_studies",
    "length_heatmap",
    "listening",
    "mask",
    "misleading",
    "ngram_cosine",
    "normalise",
    "normalised",
    "pan_metrics",
    "pav",
    "plan_case",
    "posterior",
    "prepare",
    "read",
    "read_case",
    "read_idiolect",
    "read_study",
    "replay",
    "score",
    "score_many",
    "seal",
    "sentence",
    "show_progress",
    "square_root",
    "study",
    "tippett",
    "token_table",
    "typing_score",
    "verify",
    "violins",
    "worst_share",
    "write_reports",
]
