"""What is wrong or doubtful about the texts of a comparison, said before the number.

What each finding is called, when it is made and what it says is in `findings`.
"""

import codecs
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from idiograph.arithmetic import mean, total
from idiograph.casework import findings as at
from idiograph.casework.case import Case
from idiograph.casework.copies import Copies, SharedRuns
from idiograph.casework.findings import DIVERSITY_SDS, GOOD_TOKENS, LINE_SHARE, LINE_WORDS, REPEATED_RED, finding
from idiograph.casework.inputs import CaseTexts, Texts, by_author, n_tokens, sentences
from idiograph.casework.other_language import language_findings, listed_words
from idiograph.casework.published import works_matter
from idiograph.casework.registers import registers_apart
from idiograph.casework.verification import Finding, Severity
from idiograph.errors import some
from idiograph.evidence.repetition import CountedText, Repeated, count_ngrams, find_repeated, often
from idiograph.texts.characters import BROKEN, CLEANED, KINDS, count_kinds, removed_by
from idiograph.texts.masking.rules import LEFT_OUT
from idiograph.texts.reading.report import RECORD
from idiograph.texts.repeats import holders
from idiograph.texts.text import MaskedText
from idiograph.texts.words import words


def audit(texts: CaseTexts, shared: SharedRuns, copies: Copies) -> tuple[Finding, ...]:
    """Every finding about a comparison, the gravest first."""
    findings = [
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
        *invisible_characters(texts),
        *characters_differ(texts),
        *_registers(texts),
        *registers_apart(texts),
        *_layouts(texts),
        *_odd_spellings(texts),
        *_unknown_words(texts),
        *language_findings(texts),
    ]
    return gravest_first(findings)


def gravest_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Red before amber before notes."""
    return tuple(sorted(findings, key=lambda entry: _GRAVEST_FIRST[entry.severity]))


def weighed(findings: Sequence[Finding], case: Case) -> list[Finding]:
    """The findings as grave as they are for this case, and those about what the case file itself asks or names.

    A Q without hapaxes is a note unless the primary method is Hapax.
    """
    grave = case.primary == "hapax"
    told = [replace(entry, severity="red") if grave and entry.code == "no-hapaxes" else entry for entry in findings]
    if case.typing:
        told.append(finding("typing-compared", "amber", ["q", "k", "reference"]))
    named = case.registers
    if len({register.casefold() for register in named.values()}) > 1:
        registers = "; ".join(f"{side} {register}" for side, register in named.items())
        told.append(finding("registers-differ", "amber", ["q", "k", "reference"], named=registers))
    return told


def _lengths(texts: CaseTexts) -> list[Finding]:
    findings = []
    n_q, n_k = n_tokens(texts.q), n_tokens(texts.k)
    if n_q < at.GOOD_TOKENS:
        severity: Severity = "red" if n_q < at.FEWEST_TOKENS else "amber"
        findings.append(finding("short-q", severity, _ids(texts.q), label=texts.label, n=n_q, **_wanted(severity)))
    if n_k < at.GOOD_TOKENS:
        severity = "red" if n_k <= at.FEWEST_TOKENS else "amber"
        findings.append(finding("short-k", severity, _ids(texts.k), n=n_k, **_wanted(severity)))
    counts = Counter(_tokens(texts.q))
    if 1 not in counts.values():
        findings.append(finding("no-hapaxes", "note", _ids(texts.q), label=texts.label))
    return findings


def _wanted(severity: Severity, least: int = at.FEWEST_TOKENS, good: int = GOOD_TOKENS) -> dict[str, object]:
    """The least that a value takes where there is less, else what it takes for good results."""
    return {"fewest": least} if severity == "red" else {"good": good}


def _reference(texts: CaseTexts) -> list[Finding]:
    findings = []
    counts = Counter[str]()
    for text in texts.reference:
        counts[text.author or ""] += len(text.sentences)
    n_authors, n_sentences, n_k = len(counts), counts.total(), len(sentences(texts.k))
    if n_authors < at.ENOUGH_AUTHORS:
        severity: Severity = "red" if n_authors < at.FEW_AUTHORS else "amber"
        values = _wanted(severity, at.FEW_AUTHORS, at.ENOUGH_AUTHORS)
        findings.append(finding("few-reference-authors", severity, ["reference"], n=n_authors, **values))
    if n_sentences < at.REFERENCE_TIMES_K * n_k:
        findings.append(finding("small-reference", "amber", ["reference"], n=n_sentences, n_k=n_k))
    author, most = max(counts.items(), key=lambda item: (item[1], item[0]))
    if n_authors > 1 and most > at.DOMINANT_AUTHOR_SHARE * n_sentences:
        share = most / n_sentences
        findings.append(finding("dominant-reference-author", "amber", ["reference"], author=author, share=share))
    return findings


def _known(texts: CaseTexts) -> list[Finding]:
    if len(texts.k) == 1:
        return [finding("one-known-text", "note", _ids(texts.k), id=texts.k[0].id)]
    longest = max(texts.k, key=lambda text: text.n_tokens)
    share = longest.n_tokens / n_tokens(texts.k)
    if share <= at.DOMINANT_SHARE:
        return []
    return [finding("dominant-known-text", "amber", [longest.id], id=longest.id, share=share, n_texts=len(texts.k))]


_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)  # what mail programs put before a signature
_LONGEST = 60  # characters of a line that are shown
_SHOWN_LINES = 3


def repeated_lines(texts: CaseTexts) -> list[Finding]:
    """The finding about lines that known texts have in common, or none."""
    contents = {text.id: texts.originals[text.id].content for text in texts.k if text.id in texts.originals}
    lines = {
        id_: {tuple(words(line)): line.strip() for line in reversed(content.splitlines())}
        for id_, content in contents.items()
    }
    held = holders(lines.items())
    repeated = {line: ids for line, ids in held.items() if _is_repeated(len(line), len(ids), len(contents))}
    signed = [id_ for id_, content in contents.items() if _SIGNATURE.search(content)]
    values: dict[str, object] = {}
    if repeated:
        most_first = sorted(repeated, key=lambda line: (-len(repeated[line]), -len(line), line))
        named = [
            f"“{_cut(lines[repeated[line][0]][line])}” in {len(repeated[line])} of {len(contents)}"
            for line in most_first
        ]
        values["lines"] = some(named, _SHOWN_LINES, between="; ")
    if signed:
        values |= {"n_signed": len(signed), "n_texts": len(contents)}
    if not values:
        return []
    where = Counter(id_ for ids in (*repeated.values(), signed) for id_ in ids)
    return [finding("repeated-lines", "amber", sorted(where), **values)]


def _is_repeated(n_words: int, n_texts: int, of: int) -> bool:
    """Whether a line stands in more texts than one written anew each time would."""
    if n_texts < 2 or n_words < 2:
        return False
    return n_words >= LINE_WORDS or n_texts >= max(3, LINE_SHARE * of)


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


_GRAVEST_FIRST: dict[Severity, int] = {"red": 0, "amber": 1, "note": 2}


def works_unknown(texts: CaseTexts) -> list[Finding]:
    """The finding about reference texts that name neither a work nor a date; else what they name."""
    named = sum(any(_stated(texts, text, name) for name in ("work", "date")) for text in texts.reference)
    if 2 * named > len(texts.reference):
        works = [(text.author, work) for text in texts.reference if (work := _stated(texts, text, "work"))]
        dates = sum(bool(_stated(texts, text, "date")) for text in texts.reference)
        counts = {"n_works": len(works), "works": len({*works}), "n_dates": dates, "n_texts": len(texts.reference)}
        return [finding("works-named", "note", ["reference"], **counts)]
    n, without = len(texts.reference), len(texts.reference) - named
    values: dict[str, object] = {"none_of": n} if without == n else {"without": without, "n_texts": n}
    if shown := works_matter():
        values["published"] = shown
    return [finding("works-unknown", "amber", ["reference"], **values)]


def repeated_features(texts: CaseTexts) -> list[Finding]:
    """The finding about Q's repeated features, or none."""
    hits = repeated_in(texts)
    if not hits:
        return []
    severity: Severity = "red" if hits[0].chance < REPEATED_RED else "amber"
    features = [
        f"“{' '.join(hit.ngram)}” {hit.count:,} times ({hit.expected:,.1f} expected from K's rate; at most "
        f"{hit.most_in_k:,.1f} in any stretch of K)"
        for hit in hits
    ]
    shown = some(features, 3, between="; ")
    return [finding("repeated-feature", severity, _ids(texts.q), label=texts.label, features=shown)]


def repeated_in(texts: CaseTexts) -> list[Repeated]:
    """The n-grams that Q repeats beyond K's spread, the least probable first."""
    q = sentences(texts.q)
    wanted = often(q)
    in_k = [count_ngrams(text.sentences, wanted) for text in texts.k]
    return find_repeated(q, in_k, texts.once(_counted_by_author, texts.q))


def _counted_by_author(texts: CaseTexts, q: Texts) -> list[list[CountedText]]:
    """The reference's texts, in which the n-grams that a Q has often were counted."""
    wanted = often(sentences(q))
    return [[count_ngrams(text.sentences, wanted) for text in mine] for mine in by_author(texts.reference)]


_LEAST_SD = 0.02  # below it, few stretches happened to be alike


def diverse_q(texts: CaseTexts) -> list[Finding]:
    """The note about Q's diversity (arXiv:2603.29454), or none; short texts say nothing about it."""
    q, k = _tokens(texts.q), _tokens(texts.k)
    length = min(len(q), len(k))
    if length < GOOD_TOKENS:
        return []
    in_q, known = mean(_diversities(q, length)), _diversities(k, length)
    sd = max(_LEAST_SD, _spread_within([known, *texts.once(_diversities_by_author, texts.reference, length)]))
    if in_q <= max(known) or in_q - mean(known) <= DIVERSITY_SDS * sd:
        return []
    shares = {"share": 100 * in_q, "known": 100 * mean(known), "most_known": 100 * max(known)}
    return [finding("diverse-q", "note", _ids(texts.q), label=texts.label, n=len(known), length=length, **shares)]


def _diversities_by_author(_: CaseTexts, reference: Texts, length: int) -> list[list[float]]:
    return [_diversities(_tokens(mine), length) for mine in by_author(reference)]


def _tokens(texts: Texts) -> list[str]:
    return [token for sentence in sentences(texts) for token in sentence]


def _diversities(tokens: Sequence[str], length: int) -> list[float]:
    """V1/N of every whole stretch of this length: it falls as texts grow."""
    starts = range(0, len(tokens) - length + 1, length)
    counts = (Counter(tokens[start : start + length]) for start in starts)
    return [sum(count == 1 for count in types.values()) / length for types in counts]


def _spread_within(groups: Sequence[Sequence[float]]) -> float:
    """The standard deviation between stretches of one author, over all authors with two or more."""
    several = [group for group in groups if len(group) > 1]
    free = sum(len(group) - 1 for group in several)
    squares = total((value - mean(group)) * (value - mean(group)) for group in several for value in group)
    return math.sqrt(squares / free) if free else 0.0


_BROKEN_KINDS = ("mis-decoded",)  # of look-alikes: a finding of its own


def _characters(texts: CaseTexts) -> list[Finding]:
    findings = []
    encodings: dict[str, str] = {}
    for name, side in texts.sides:
        if used := texts.once(_encodings, side):
            encodings[name] = ", ".join(sorted(used))
    if len(set(encodings.values())) > 1:
        named = "; ".join(f"{name} {used}" for name, used in encodings.items())
        findings.append(finding("encodings-differ", "note", list(encodings), encodings=named))
    for name, side in texts.sides:
        if by_text := texts.once(_broken_in, side):
            id_, broken = next(iter(by_text.items()))
            values: dict[str, Any] = {"id": id_, "n": len(broken)}
            if len(by_text) > 1:
                values = {"side": name, "n_broken": len(by_text), "n_texts": len(side), "first_id": id_}
                values["n_together"] = sum(map(len, by_text.values()))
            findings.append(finding("broken-characters", "amber", list(by_text), first=broken[0], **values))
    return findings


def _encodings(texts: CaseTexts, side: Texts) -> set[str]:
    """The encodings that the reading of these texts has on record; a DOCX or a PDF has none of its own."""
    names = set()
    for text in side:
        record = _stated(texts, text, RECORD)
        encoding = record.get("encoding") if isinstance(record, Mapping) else None
        # ASCII is a part of UTF-8, and a mark at the start changes nothing.
        name = str(encoding or "").lower().replace("ascii", "utf-8").removesuffix("-sig")
        with suppress(LookupError):
            codecs.lookup(name)
            names.add(name)
    return names


def _broken_in(texts: CaseTexts, side: Texts) -> dict[str, list[str]]:
    """The broken characters of each text, those included that were left out because nobody sees them."""
    by_text = {}
    for text in side:
        original = texts.originals.get(text.id)
        unseen = [chr(int(code[2:], 16)) for code, n in _left_out(texts, text).items() for _ in range(n)]
        if broken := [*(BROKEN.findall(original.content) if original else ()), *filter(BROKEN.match, unseen)]:
            by_text[text.id] = broken
    return by_text


def _left_out_of(texts: CaseTexts, side: Texts) -> dict[str, Counter[str]]:
    return {text.id: counts for text in side if (counts := _left_out(texts, text))}


def _left_out(texts: CaseTexts, text: MaskedText) -> Counter[str]:
    """The characters that reading and masking left out of a text because they have no visible form, counted."""
    counts = Counter(dict(text.metadata.get(LEFT_OUT, {})))
    record: Any = _stated(texts, text, RECORD)
    while isinstance(record, Mapping):
        for change in record.get("changes", ()):
            if change.get("step") == CLEANED:
                counts += removed_by(change["edits"])
        record = record.get("earlier")
    return counts


def invisible_characters(texts: CaseTexts) -> list[Finding]:
    """The finding about characters without a visible form that were left out, with counts of every side, or none."""
    which, sides, where = Counter[str](), list[str](), list[str]()
    for name, side in texts.sides:
        by_text = texts.once(_left_out_of, side)
        of_side = sum(by_text.values(), Counter[str]())
        within = f" in {len(by_text):,} of {len(side):,} texts" if by_text and len(side) > 1 else ""
        sides.append(f"{name} {of_side.total():,}{within}")
        which += of_side
        where += by_text
    if not where:
        return []
    often = sorted(which.items(), key=lambda item: (-item[1], item[0]))
    named = some([f"{code} ({_character_name(code)}, {n:,})" for code, n in often])
    return [finding("invisible-characters", "note", where, sides="; ".join(sides), which=named)]


def _character_name(code: str) -> str:
    return unicodedata.name(chr(int(code[2:], 16)), "control character").lower()


def characters_differ(texts: CaseTexts) -> list[Finding]:
    """The finding about look-alike characters that one side has far more of than another, or none."""
    by_side = {name: texts.once(_look_alikes, side) for name, side in texts.sides}
    counts = {name: counted_in for name, counted_in in by_side.items() if counted_in is not None}
    differing = {}
    for name, kind in KINDS.items():
        of_kind = {side: (of_side[name], size) for side, (of_side, size) in counts.items()}
        if name not in _BROKEN_KINDS and of_kind and _differs(list(of_kind.values())):
            rates = (f"{side} {1000 * n / max(size, 1):.1f} ({n:,} in all)" for side, (n, size) in of_kind.items())
            differing[name] = f"{kind.called}: {', '.join(rates)}"
    if not differing:
        return []
    severity: Severity = "note" if all(KINDS[name].chosen for name in differing) else "amber"
    return [finding("characters-differ", severity, list(counts), kinds="; ".join(differing.values()))]


def _look_alikes(texts: CaseTexts, side: Texts) -> tuple[Counter[str], int] | None:
    """The look-alikes of each kind and all characters of a side's originals; None where there are none."""
    contents = [texts.originals[text.id].content for text in side if text.id in texts.originals]
    return (sum(map(count_kinds, contents), Counter[str]()), sum(map(len, contents))) if contents else None


def _differs(counts: Sequence[tuple[int, int]]) -> bool:
    """Whether one side has far more of a kind than another; half a character is added, since none may be chance."""
    least = min((n + 0.5) / max(size, 1) for n, size in counts)
    return any(
        n >= at.LOOK_ALIKES and 1000 * n >= at.LOOK_ALIKE_RATE * size and n >= at.LOOK_ALIKE_TIMES * least * size
        for n, size in counts
    )


def _registers(texts: CaseTexts) -> list[Finding]:
    labels = {}
    for name, side in texts.sides:
        registers = {str(label) for text in side if (label := _stated(texts, text, "register"))}
        if registers:
            labels[name] = registers
    if len(labels) < 2 or all(registers == next(iter(labels.values())) for registers in labels.values()):
        return []
    named = "; ".join(f"{name} {', '.join(sorted(registers))}" for name, registers in labels.items())
    return [finding("registers-differ", "amber", list(labels), registers=named)]


def _layouts(texts: CaseTexts) -> list[Finding]:
    findings = []
    in_q = n_tokens(texts.q) / max(1, len(sentences(texts.q)))
    for name, side in (("K", texts.k), ("the reference", texts.reference)):
        other = n_tokens(side) / max(1, len(sentences(side)))
        if max(in_q, other) >= at.REGISTER_RATIO * min(in_q, other):
            values = {"label": texts.label, "own": in_q, "side": name, "other": other}
            findings.append(finding("layouts-differ", "note", ["q", name], **values))
    return findings


def _odd_spellings(texts: CaseTexts) -> list[Finding]:
    counts = Counter(_tokens(texts.q))
    hapaxes = [token for token, count in counts.items() if count == 1]
    elsewhere = _types_elsewhere(texts) | listed_words(texts)
    odd = sorted(token for token in hapaxes if token not in elsewhere)
    if len(odd) < at.ODD_TYPES or len(odd) < at.ODD_SHARE * len(hapaxes):
        return []
    values = {"n": len(odd), "n_hapaxes": len(hapaxes), "types": _quoted(odd), "share": len(odd) / len(hapaxes)}
    return [finding("odd-spellings", "amber", _ids(texts.q), label=texts.label, **values)]


def _unknown_words(texts: CaseTexts) -> list[Finding]:
    elsewhere = _types_elsewhere(texts)
    unknown = Counter(token for token in _tokens(texts.q) if token not in elsewhere)
    share = unknown.total() / n_tokens(texts.q)
    if share < at.UNKNOWN_SHARE:
        return []
    often = [token for token, _ in sorted(unknown.items(), key=lambda item: (-item[1], item[0]))]
    values = {"n": unknown.total(), "n_tokens": n_tokens(texts.q), "share": share, "types": _quoted(often)}
    return [finding("unknown-words", "amber", _ids(texts.q), label=texts.label, **values)]


def _stated(texts: CaseTexts, text: MaskedText, name: str) -> object:
    """What the metadata say of a text, as read or as masked."""
    original = texts.originals.get(text.id)
    return (original.metadata if original else {}).get(name) or text.metadata.get(name)


def _types_elsewhere(texts: CaseTexts) -> set[str]:
    """The types of K and the reference."""
    return texts.once(_types, texts.k) | texts.once(_types, texts.reference)


def _types(_: CaseTexts, side: Texts) -> set[str]:
    return set(_tokens(side))


def _ids(texts: Texts) -> list[str]:
    return [text.id for text in texts]


def _quoted(tokens: list[str]) -> str:
    return some([f"“{token}”" for token in tokens])
