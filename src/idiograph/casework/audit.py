"""What is wrong or doubtful about the texts of a comparison, said before the number."""

import codecs
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from idiograph.casework import findings as at
from idiograph.casework.case import Case
from idiograph.casework.comparison_texts import CaseTexts, Texts, n_tokens, sentences
from idiograph.casework.copies import Copies
from idiograph.casework.diversity import diverse_q
from idiograph.casework.findings import finding
from idiograph.casework.language import language_findings, listed_words
from idiograph.casework.published import works_matter
from idiograph.casework.repeated_lines import repeated_lines
from idiograph.casework.repetition import repeated_features
from idiograph.casework.shared_runs import SharedRuns
from idiograph.casework.verification import Finding, Severity
from idiograph.casework.wording import percent
from idiograph.errors import counted, some
from idiograph.evidence.typing_score import WARNING
from idiograph.texts.masking.languages import ENGLISH
from idiograph.texts.masking.word_list import published_list
from idiograph.texts.text import MaskedText

_GRAVEST_FIRST: dict[Severity, int] = {"red": 0, "amber": 1, "note": 2}
_BROKEN = re.compile("\N{REPLACEMENT CHARACTER}|â€.|Ã[\u0080-\u00bf©¨¼¶¤]|Â[\u00a0-\u00bf]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SHOWN = 5


def audit(texts: CaseTexts, shared: SharedRuns, copies: Copies) -> tuple[Finding, ...]:
    """Every finding about a comparison, the gravest first."""
    found = [
        *_lengths(texts),
        *_reference(texts),
        *_known(texts),
        *shared.findings(),
        *copies.findings(),
        *repeated_lines(texts),
        *works_unknown(texts),
        *repeated_features(texts),
        *diverse_q(texts),
        *_characters(texts),
        *_registers(texts),
        *_layouts(texts),
        *_odd_spellings(texts),
        *_unknown_words(texts),
        *(_language(texts) if texts.language == ENGLISH else language_findings(texts)),
    ]
    return gravest_first(found)


def gravest_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Red before amber before notes."""
    return tuple(sorted(findings, key=lambda one: _GRAVEST_FIRST[one.severity]))


def weighed(found: Sequence[Finding], case: Case) -> list[Finding]:
    """The findings as grave as they are for this case: a Q without hapaxes is a note unless its primary is Hapax."""
    grave = case.primary == "hapax"
    return [replace(one, severity="red") if grave and one.code == "no-hapaxes" else one for one in found]


def typing_compared(case: Case) -> list[Finding]:
    """A warning where the case compares how texts are typed."""
    return [finding("typing-compared", "amber", WARNING, ["q", "k", "reference"])] if case.typing else []


def _lengths(texts: CaseTexts) -> list[Finding]:
    found = []
    n_q, n_k = n_tokens(texts.q), n_tokens(texts.k)
    if n_q < at.GOOD_TOKENS:
        severity: Severity = "red" if n_q < at.FEWEST_TOKENS else "amber"
        found.append(
            finding("short-q", severity, f"{texts.label} has {counted(n_q, 'token')} after masking.", _ids(texts.q))
        )
    if n_k < at.GOOD_TOKENS:
        severity = "red" if n_k <= at.FEWEST_TOKENS else "amber"
        found.append(finding("short-k", severity, f"K has {counted(n_k, 'token')} after masking.", _ids(texts.k)))
    counts = Counter(token for sentence in sentences(texts.q) for token in sentence)
    if 1 not in counts.values():
        message = f"No type of {texts.label} occurs exactly once, so the Hapax Correction gives 0."
        found.append(finding("no-hapaxes", "note", message, _ids(texts.q)))
    return found


def _reference(texts: CaseTexts) -> list[Finding]:
    found = []
    by_author = Counter[str]()
    for text in texts.reference:
        by_author[text.author or ""] += len(text.sentences)
    n_authors, n_sentences, n_k = len(by_author), by_author.total(), len(sentences(texts.k))
    if n_authors < at.ENOUGH_AUTHORS:
        severity: Severity = "red" if n_authors < at.FEW_AUTHORS else "amber"
        message = f"The reference has {counted(n_authors, 'author')}."
        found.append(finding("few-reference-authors", severity, message, ["reference"]))
    if n_sentences < at.REFERENCE_TIMES_K * n_k:
        message = f"The reference has {counted(n_sentences, 'sentence')} and K has {n_k:,}."
        found.append(finding("small-reference", "amber", message, ["reference"]))
    author, most = max(by_author.items(), key=lambda item: (item[1], item[0]))
    if n_authors > 1 and most > at.DOMINANT_AUTHOR_SHARE * n_sentences:
        message = f"{author} wrote {percent(most / n_sentences)} of the reference's sentences."
        found.append(finding("dominant-reference-author", "amber", message, ["reference"]))
    return found


def _known(texts: CaseTexts) -> list[Finding]:
    if len(texts.k) == 1:
        return [finding("one-known-text", "note", f"K is one text, {texts.k[0].id}.", _ids(texts.k))]
    longest = max(texts.k, key=lambda text: text.n_tokens)
    share = longest.n_tokens / n_tokens(texts.k)
    if share <= at.DOMINANT_SHARE:
        return []
    message = f"{longest.id} holds {percent(share)} of the tokens of K's {len(texts.k)} texts."
    return [finding("dominant-known-text", "amber", message, [longest.id])]


def works_unknown(texts: CaseTexts) -> list[Finding]:
    """The finding about reference texts that name neither a work nor a date, or none."""
    named = sum(any(_said(texts, text, name) for name in ("work", "date")) for text in texts.reference)
    if 2 * named > len(texts.reference):
        return []
    n, without = len(texts.reference), len(texts.reference) - named
    which = (
        f"None of the reference's {n:,} texts names a work or a date."
        if without == n
        else f"{without:,} of the reference's {n:,} texts name no work and no date."
    )
    return [finding("works-unknown", "amber", f"{which} {works_matter()}".strip(), ["reference"])]


def _characters(texts: CaseTexts) -> list[Finding]:
    found = []
    encodings: dict[str, str] = {}
    for name, side in (("Q", texts.q), ("K", texts.k), ("the reference", texts.reference)):
        # ASCII is a part of UTF-8, and a mark at the start changes nothing; a DOCX or a PDF has no encoding of its own.
        said = (
            str(_encoding(texts, text) or "").lower().replace("ascii", "utf-8").removesuffix("-sig") for text in side
        )
        used = {name for name in said if name and _is_codec(name)}
        if used:
            encodings[name] = ", ".join(sorted(used))
    if len(set(encodings.values())) > 1:
        message = (
            "The texts were read from different encodings: "
            + "; ".join(f"{name} {used}" for name, used in encodings.items())
            + "."
        )
        found.append(finding("encodings-differ", "note", message, list(encodings)))
    for text in (*texts.q, *texts.k):
        original = texts.originals.get(text.id)
        broken = _BROKEN.findall(original.content) if original else []
        if broken:
            message = (
                f"{text.id} has {len(broken)} broken character{'s' if len(broken) > 1 else ''}, first {broken[0]!r}."
            )
            found.append(finding("broken-characters", "amber", message, [text.id]))
    return found


def _registers(texts: CaseTexts) -> list[Finding]:
    labels = {}
    for name, side in (("Q", texts.q), ("K", texts.k), ("the reference", texts.reference)):
        said = {str(label) for text in side if (label := _said(texts, text, "register"))}
        if said:
            labels[name] = said
    if len(labels) < 2 or all(said == next(iter(labels.values())) for said in labels.values()):
        return []
    message = "Registers differ: " + "; ".join(f"{name} {', '.join(sorted(said))}" for name, said in labels.items())
    return [finding("registers-differ", "amber", message + ".", list(labels))]


def _layouts(texts: CaseTexts) -> list[Finding]:
    found = []
    own = n_tokens(texts.q) / max(1, len(sentences(texts.q)))
    for name, side in (("K", texts.k), ("the reference", texts.reference)):
        other = n_tokens(side) / max(1, len(sentences(side)))
        if max(own, other) >= at.REGISTER_RATIO * min(own, other):
            message = f"A sentence of {texts.label} has {own:.1f} tokens on average, one of {name} {other:.1f}."
            found.append(finding("layouts-differ", "note", message, ["q", name]))
    return found


def _odd_spellings(texts: CaseTexts) -> list[Finding]:
    counts = Counter(token for sentence in sentences(texts.q) for token in sentence)
    hapaxes = [token for token, count in counts.items() if count == 1]
    elsewhere = _types((*texts.k, *texts.reference)) | listed_words(texts)
    odd = sorted(token for token in hapaxes if token not in elsewhere)
    if len(odd) < at.ODD_TYPES or len(odd) < at.ODD_SHARE * len(hapaxes):
        return []
    message = (
        f"{len(odd)} of the {len(hapaxes)} types that occur once in {texts.label} are in no other text and not in the "
        f"word list: {_quoted(odd)}. Without them the Hapax Correction would be {percent(len(odd) / len(hapaxes))} "
        "smaller."
    )
    return [finding("odd-spellings", "amber", message, _ids(texts.q))]


def _unknown_words(texts: CaseTexts) -> list[Finding]:
    elsewhere = _types((*texts.k, *texts.reference))
    unknown = Counter(token for sentence in sentences(texts.q) for token in sentence if token not in elsewhere)
    share = unknown.total() / n_tokens(texts.q)
    if share < at.UNKNOWN_SHARE:
        return []
    often = [token for token, _ in sorted(unknown.items(), key=lambda item: (-item[1], item[0]))]
    message = (
        f"{unknown.total():,} of {texts.label}'s {counted(n_tokens(texts.q), 'token')} ({percent(share)}) "
        f"{'occurs' if unknown.total() == 1 else 'occur'} neither in K nor in the reference: {_quoted(often)}."
    )
    return [finding("unknown-words", "amber", message, _ids(texts.q))]


def _language(texts: CaseTexts) -> list[Finding]:
    found = []
    for name, side in ((texts.label, texts.q), ("K", texts.k), ("The reference", texts.reference)):
        graded: dict[Severity, list[str]] = {"red": [], "amber": []}
        shares: dict[str, float] = {}
        for text in side:
            words = [word.lower() for written in texts.words(text) for word in _LETTERS.findall(written)]
            shares[text.id], upper = english_share(words)
            if upper < at.FOREIGN_SHARE:
                graded["red"].append(text.id)
            elif upper < at.ENGLISH_SHARE or _foreign_part(words) >= at.FOREIGN_PART:
                graded["amber"].append(text.id)
        for severity, ids in graded.items():
            if ids:
                one = len(ids) == 1
                unlike = "does not look like English" if one else "do not look like English"
                partly = f"look{'s' if one else ''} like English only in part"
                what = unlike if severity == "red" else partly
                named = some([f"{id_} ({percent(shares[id_])} function words)" for id_ in ids], _SHOWN)
                message = f"{name}: {len(ids):,} of {counted(len(side), 'text')} {what}: {named}."
                found.append(finding("not-english", severity, message, ids))
    return found


def english_share(words: Sequence[str]) -> tuple[float, float]:
    """The share of lower-cased words on the English list, and the upper end of its 99 % (Wilson) interval."""
    n = len(words)
    if n == 0:
        return 0.0, 1.0
    share = sum(word in _listed() for word in words) / n
    z = 2.576
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return share, (centre + half) / (1 + z * z / n)


def _foreign_part(words: Sequence[str]) -> float:
    """The share of a text's stretches that do not look like English."""
    stretches = [words[start : start + at.STRETCH] for start in range(0, len(words) - at.STRETCH + 1, at.STRETCH)]
    return sum(english_share(one)[1] < at.ENGLISH_SHARE for one in stretches) / max(1, len(stretches))


@cache
def _listed() -> frozenset[str]:
    return published_list("en").words


def _encoding(texts: CaseTexts, text: MaskedText) -> object:
    """The encoding that a text's reading has on record."""
    record = _said(texts, text, "reading")
    return record.get("encoding") if isinstance(record, Mapping) else None


def _is_codec(name: str) -> bool:
    try:
        return bool(codecs.lookup(name))
    except LookupError:
        return False


def _said(texts: CaseTexts, text: MaskedText, name: str) -> object:
    """What the metadata say of a text, as read or as masked."""
    original = texts.originals.get(text.id)
    return (original.metadata if original else {}).get(name) or text.metadata.get(name)


def _types(texts: Texts) -> set[str]:
    return {token for text in texts for sentence in text.sentences for token in sentence}


def _ids(texts: Texts) -> list[str]:
    return [text.id for text in texts]


def _quoted(tokens: list[str]) -> str:
    return some([f"“{token}”" for token in tokens], _SHOWN)
