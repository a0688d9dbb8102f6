"""The public names, and where each comes from."""

from idiograph.casework.case import Case, PlanRequest, read_case
from idiograph.casework.plan import plan_case
from idiograph.casework.seal import check_seal, seal
from idiograph.casework.verification import Verification
from idiograph.casework.verify import verify
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
from idiograph.output.filing import Filed, file_case, write_reports
from idiograph.output.replaying import replay
from idiograph.studies.joining import join_studies
from idiograph.studies.normalised import normalised
from idiograph.studies.study import run_study as study
from idiograph.studies.trial_table import read_idiolect
from idiograph.texts.masking.mask import mask
from idiograph.texts.preparing.prepare import prepare
from idiograph.texts.preparing.record import Prepared
from idiograph.texts.problem import Problem
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.problems import ProblemSet
from idiograph.texts.reading.read import read
from idiograph.texts.text import Corpus, MaskedText, Text

__all__ = [
    "COMPARATORS",
    "LLR",
    "CalibrationError",
    "Calibrator",
    "Case",
    "Corpus",
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
    "StudyError",
    "Text",
    "Verification",
    "auc",
    "check_seal",
    "cllr",
    "cllr_cal",
    "cllr_min",
    "decisions",
    "dev_pav",
    "eer",
    "elub",
    "file_case",
    "hapax",
    "intervals",
    "join_studies",
    "mask",
    "misleading",
    "ngram_cosine",
    "normalise",
    "normalised",
    "pan_metrics",
    "plan_case",
    "posterior",
    "prepare",
    "read",
    "read_case",
    "read_idiolect",
    "replay",
    "score",
    "score_many",
    "seal",
    "sentence",
    "square_root",
    "study",
    "typing_score",
    "verify",
    "worst_share",
    "write_reports",
]
