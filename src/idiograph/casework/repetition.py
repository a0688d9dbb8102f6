"""What the audit says about a feature of Q that is repeated far beyond K's own spread between texts."""

from idiograph.casework.comparison_texts import CaseTexts, Texts, sentences
from idiograph.casework.findings import REPEATED_RED, finding
from idiograph.casework.verification import Finding
from idiograph.errors import some
from idiograph.evidence.repeated import CountedText, Repeated, counted, find_repeated, often

_SHOWN = 3


def repeated_features(texts: CaseTexts) -> list[Finding]:
    """The finding about Q's repeated features, or none."""
    hits = repeated_in(texts)
    if not hits:
        return []
    grave = hits[0].chance < REPEATED_RED
    said = [
        f"“{' '.join(hit.ngram)}” {hit.count:,} times ({hit.expected:,.1f} expected from K's rate; at most "
        f"{hit.most_in_k:,.1f} in any stretch of K)"
        for hit in hits
    ]
    message = f"{texts.label} repeats what is typical of K far more than K itself: {some(said, _SHOWN, between='; ')}."
    return [finding("repeated-feature", "red" if grave else "amber", message, [text.id for text in texts.q])]


def repeated_in(texts: CaseTexts) -> list[Repeated]:
    """The n-grams that Q repeats beyond K's spread, the least probable first."""
    q = sentences(texts.q)
    wanted = often(q)

    def counted_in(some_texts: Texts) -> list[CountedText]:
        return [counted(text.sentences, wanted) for text in some_texts]

    by_author: dict[str, list[CountedText]] = {}
    for text in sorted(texts.reference, key=lambda one: one.author or ""):
        by_author.setdefault(text.author or "", []).append(counted(text.sentences, wanted))
    return find_repeated(q, counted_in(texts.k), by_author.values())
