"""The tables of a study that attacked its own problems."""

from collections.abc import Sequence

from idiograph.evidence.methods import short_name
from idiograph.output.study.table import StudyTable, Value
from idiograph.studies.under_attack import UnderAttack, all_together

_HEADER = ("attack", "method", "problems", "LR above 1", "LR above 10", "Cllr", "audit caught")
_FORMATS = ("", "", ",", ".1%", ".1%", ".3f", ".1%")
_DISGUISED = ("own problems", "LR below 1")


def attack_table(found: Sequence[UnderAttack]) -> StudyTable:
    """All corpora and conditions together."""
    return _table(
        "attack",
        "Different-author problems whose Q was attacked, all corpora and conditions together: how many there are, the "
        "share with an LR above 1 and above 10 for the wrong author, Cllr (mean over corpora and conditions; the "
        "same-author problems are those of the study) and the share in which the audit of a case finds a feature of K "
        "repeated. One or more of the trigrams most typical of K were put into Q; with nothing put in, what the "
        "audit finds is a false alarm.",
        all_together(found),
        cells=False,
    )


def attack_values(found: Sequence[UnderAttack]) -> StudyTable:
    """By corpus and condition, every digit."""
    return _table("attack_values", "Attacked problems by corpus and condition.", found, cells=True)


def _table(name: str, caption: str, found: Sequence[UnderAttack], *, cells: bool) -> StudyTable:
    disguised = any(one.n_same for one in found)
    if disguised:
        caption += " Where authors disguised themselves, also with their own K: the share with an LR below 1."
    return StudyTable(
        name=name,
        caption=caption,
        header=(*(("corpus", "condition") if cells else ()), *_HEADER, *(_DISGUISED if disguised else ())),
        formats=(*(("", "") if cells else ()), *_FORMATS, *((",", ".1%") if disguised else ())),
        rows=tuple(
            (*((one.corpus, one.condition) if cells else ()), *_row(one), *(_own(one) if disguised else ()))
            for one in found
        ),
    )


def _row(one: UnderAttack) -> tuple[Value, ...]:
    shares = (one.above_1 / one.n_different, one.above_10 / one.n_different)
    caught = one.n_caught / (one.n_different + one.n_same)
    return one.kind, short_name(one.method), one.n_different, *shares, one.cllr, caught


def _own(one: UnderAttack) -> tuple[Value, ...]:
    return (one.n_same, one.below_1 / one.n_same) if one.n_same else (None, None)
