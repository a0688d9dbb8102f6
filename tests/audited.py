"""Texts for the audit, and its findings by code."""

from idiograph import MaskedText, Text
from idiograph.casework.audit import audit
from idiograph.casework.copies import find_copies, find_shared
from idiograph.casework.inputs import CaseTexts
from idiograph.casework.verification import Comparison, Finding
from idiograph.texts.text import Sentence
from made_texts import sentences


def audited(texts: CaseTexts) -> list[Finding]:
    return audit(texts, find_shared(texts), find_copies(texts))


def findings_of(comparison: Comparison) -> dict[str, Finding]:
    return {finding.code: finding for finding in comparison.audit}


def findings(texts: CaseTexts) -> dict[str, Finding]:
    return {finding.code: finding for finding in audited(texts)}


def text(id_: str, author: str | None, lines: tuple[Sentence, ...]) -> MaskedText:
    return MaskedText(id_, author, lines, "as-found")


def of_tokens(id_: str, author: str | None, n: int, *, seed: int = 1, by: str | None = None) -> MaskedText:
    """A text of exactly `n` tokens."""
    lines = list(sentences(by or author or "lee", tokens=n, seed=seed))
    over = sum(map(len, lines)) - n
    while over:
        cut = min(over, len(lines[-1]))
        lines[-1] = lines[-1][: len(lines[-1]) - cut]
        over -= cut
        if not lines[-1]:
            lines.pop()
    return text(id_, author, tuple(lines))


def written(id_: str, author: str | None, content: str, **metadata: object) -> tuple[MaskedText, dict[str, Text]]:
    """A text with its original words; its masked tokens are those words."""
    lines = [tuple(line.lower().split()) for line in content.splitlines() if line.strip()]
    original = Text(id_, content, author, metadata)
    return MaskedText(id_, author, tuple(lines), "posnoise"), {id_: original}
