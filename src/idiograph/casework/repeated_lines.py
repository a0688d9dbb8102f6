"""Lines that stand in several known texts: signatures, closings and templates, which a program copies."""

import re
from collections import Counter

from idiograph.casework.comparison_texts import CaseTexts
from idiograph.casework.findings import LINE_SHARE, LINE_WORDS, finding
from idiograph.casework.verification import Finding
from idiograph.errors import some
from idiograph.texts.words import words

_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)  # what mail programs put before a signature
_LONGEST = 60  # characters of a line that are shown
_SHOWN = 3


def repeated_lines(texts: CaseTexts) -> list[Finding]:
    """The finding about lines that known texts have in common, or none."""
    contents = {text.id: texts.originals[text.id].content for text in texts.k if text.id in texts.originals}
    shown: dict[tuple[str, ...], str] = {}
    holders: dict[tuple[str, ...], list[str]] = {}
    for id_, content in contents.items():
        lines = {tuple(words(line)): line.strip() for line in reversed(content.splitlines())}
        for own, line in lines.items():
            holders.setdefault(own, []).append(id_)
            shown.setdefault(own, line)
    repeated = {line: ids for line, ids in holders.items() if _is_repeated(len(line), len(ids), len(contents))}
    signed = [id_ for id_, content in contents.items() if _SIGNATURE.search(content)]
    said = []
    if repeated:
        most_first = sorted(repeated, key=lambda line: (-len(repeated[line]), -len(line), line))
        named = [f"“{_cut(shown[line])}” in {len(repeated[line])} of {len(contents)}" for line in most_first]
        said.append(f"Known texts have lines in common: {some(named, _SHOWN, between='; ')}.")
    if signed:
        said.append(f"{len(signed)} of {len(contents)} known texts end in a signature after a line “-- ”.")
    if not said:
        return []
    where = Counter(id_ for ids in (*repeated.values(), signed) for id_ in ids)
    return [finding("repeated-lines", "amber", " ".join(said), sorted(where))]


def _is_repeated(n_words: int, n_texts: int, of: int) -> bool:
    """Whether a line stands in more texts than one written anew each time would."""
    if n_texts < 2 or n_words < 2:
        return False
    return n_words >= LINE_WORDS or n_texts >= max(3, LINE_SHARE * of)


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
