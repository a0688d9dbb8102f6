"""`result.json`: a Verification as plain data, every number with all its digits, never NaN or an infinity."""

from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.casework.verification import Comparison, Verification
from idiograph.evidence.llr import LLR

SCHEMA = 1


def as_result(verification: Verification) -> dict[str, Any]:
    """The content of `result.json`; with one comparison its entries stand at the top level, else in `comparisons`."""
    case, provenance = verification.case, verification.provenance
    comparisons = [_comparison(one) for one in verification.comparisons]
    head = {
        "schema": SCHEMA,
        "idiograph": provenance.versions["idiograph"],
        "title": case.title,
        "population": case.population,
        "case_digest": verification.case_digest,
        "quick": verification.quick,
        "n_comparisons": len(comparisons),
        "inputs": [asdict(file) for file in provenance.inputs],
        "settings": plain(provenance.settings),
        "run": {"number": verification.run, "earlier": [asdict(run) for run in verification.earlier]},
    }
    return {**head, **comparisons[0]} if len(comparisons) == 1 else {**head, "comparisons": comparisons}


def _comparison(one: Comparison) -> dict[str, Any]:
    return {
        "label": one.label,
        "candidate": one.candidate,
        "hp": one.wording.hp,
        "hd": one.wording.hd,
        "before": list(one.wording.before),
        "conclusion": one.wording.conclusion,
        "value": one.wording.value,
        "also": one.wording.also,
        "verbal": one.wording.verbal,
        "scale": one.wording.scale,
        "bound": one.wording.bound,
        "refusal": one.refusal,
        "lambda_g": one.lambda_g,
        "n_tokens": one.score.n_tokens,
        "n_hapaxes": one.score.n_hapaxes,
        "n_sentences": one.score.n_sentences,
        "known_total": one.score.known_total,
        "reference_totals": list(one.score.reference_totals),
        "sentence_lambda_g": [row.lambda_g for row in one.explanation.sentences],
        "llr": {method: _llr(llr) for method, llr in one.llrs.items()},
        "primary": one.primary,
        "normalised": _normalised(one),
        "reported": None if one.reported is None else _llr(one.reported),
        "range": plain(one.range),
        "audit": plain(one.audit),
        "validation": plain(one.validation),
        "outside": list(one.outside),
        "as_strong": plain(one.as_strong),
        "anchors": plain(one.anchors),
        "sensitivity": plain(one.sensitivity),
        "q": plain(one.q),
        "k": plain(one.k),
        "reference": plain(one.reference),
        "signature": one.score.signature,
    }


def _normalised(one: Comparison) -> dict[str, Any] | None:
    """All that the reference-normalised LR is made of."""
    if one.normalised is None:
        return None
    trial, normalisation = one.normalised
    return {
        "scores": dict(zip(normalisation.constants.scores, trial.scores, strict=True)),
        "normed": dict(zip(normalisation.constants.scores, trial.normed, strict=True)),
        "unusual": list(trial.unusual),
        "by_constants": _llr(trial.by_constants),
        **plain(normalisation),
    }


def _llr(llr: LLR) -> dict[str, Any]:
    return {"value": llr.value, "unit": llr.unit, "nats": llr.nats, "log10": llr.log10, "lr": llr.lr}


def plain(value: Any) -> Any:
    """A value of the verification as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Path):
        return value.as_posix()
    if hasattr(value, "items"):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value
