"""The public names, and where each comes from."""

from idiograph.casework.case import Case, read_case
from idiograph.casework.plan import plan_case
from idiograph.casework.plan_request import PlanRequest
from idiograph.casework.replay import replay
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
from idiograph.evidence.comparators.table import COMPARATORS
from idiograph.evidence.corrections import hapax, sentence, square_root
from idiograph.evidence.decisions import decisions, pan_metrics
from idiograph.evidence.intervals import intervals
from idiograph.evidence.llr import LLR
from idiograph.evidence.metrics import auc, cllr, cllr_cal, cllr_min, dev_pav, eer, worst_share
from idiograph.evidence.misleading import misleading
from idiograph.evidence.ngram_cosine import ngram_cosine
from idiograph.evidence.normalised import normalise
from idiograph.evidence.posterior import posterior
from idiograph.evidence.typing_score import typing_score
from idiograph.grammar.index import Index
from idiograph.grammar.lambdag import Score, score, score_many
from idiograph.grammar.model import GrammarModel
from idiograph.output.filing import Filed, file_case
from idiograph.output.report.report import write_reports
from idiograph.studies.idiolect import read_idiolect
from idiograph.studies.normalised_texts import normalised
from idiograph.studies.study import run_study as study
from idiograph.texts.masking.mask import mask
from idiograph.texts.preparing.prepare import Prepared, prepare
from idiograph.texts.problem import Problem
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.problem_set import ProblemSet
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
