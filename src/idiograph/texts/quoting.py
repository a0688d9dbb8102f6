"""Which parts of a message are not its sender's own: quoted and forwarded text, signatures, salutations.

All are (start, end) spans of whole lines or, for a salutation, of the words before the first sentence. Everything goes
line by line with bounded patterns, so that a long message takes time in proportion to its length.
"""

import itertools
import re
from dataclasses import dataclass

from idiograph.texts.edits import Span, stretches


@dataclass(frozen=True)
class _MessageLine:
    start: int
    end: int  # after its line feed
    text: str  # without blanks around it; a blank line has none


# A mark of quotation at the line's beginning, not an angry face.
_QUOTED = re.compile(r">(?![:;=]['’-]?[()DPp/|])")
_VERBS = r"wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał"
_ATTRIBUTION = re.compile(rf"(?:On|Am|Le|El|Il|Op|Em|Den|På|Dnia|W dniu)\b.{{0,300}}\b(?:{_VERBS})\b.{{0,80}}:$")
_SHORT_ATTRIBUTION = re.compile(rf".{{0,200}}\b(?:{_VERBS}|said)\s{{0,3}}:$", re.IGNORECASE)
_ORIGINAL = re.compile(
    r"-{2,80}\s{0,3}(?:Original Message|Original Appointment|Reply Message|Ursprüngliche Nachricht|"
    r"Originalnachricht|Message d['’]origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht)"
    r"\s{0,3}-{2,80}",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"(?:[-_=*>]{2,80}\s{0,3}(?:Forwarded (?:message|by)|Forwarded Mail|Weitergeleitete Nachricht|Message transféré)\b"
    r"|Begin forwarded message:|Anfang der weitergeleiteten)",
    re.IGNORECASE,
)
_FROM = re.compile(r"\*{0,2}(?:From|Von|De|Da|Van)\s?:\*{0,2}\s*\S", re.IGNORECASE)
_FIELD = re.compile(
    r"\*{0,2}(?:Sent|Date|To|Cc|Bcc|Subject|Reply-To|Gesendet|Datum|An|Betreff|Envoyé|Objet|À|Enviado|Para|Asunto|"
    r"Inviato|A|Oggetto|Verzonden|Aan|Onderwerp|Importance)\s?:",
    re.IGNORECASE,
)
_TO = re.compile(r"\*{0,2}To\s?:", re.IGNORECASE)
_STAMP = re.compile(r"\d{1,2}[/.:-]\d{2}")
_RULE = re.compile(r"[_=*-]{5,200}$")

_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|kindest|warm|warmest|many|my best|all the best|all best|thanks|thank you|thx|tks|"
    r"cheers|sincerely|yours|love|regards|rgds|respectfully|cordially|ciao|take care|talk soon|see you|xoxo|bye|"
    r"mit freundlichen grüßen|viele grüße|cordialement|saludos)\b[\w ',&]{0,40})[,.!-]{0,3}$",
    re.IGNORECASE,
)
_DEVICE = re.compile(r"(?:Sent (?:from|via|using)|Get Outlook for|Von meinem)\b.{0,60}$", re.IGNORECASE)
_CONTACT = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,63}\.\w|\+?\(?\d{2,4}\)?[ ./-]\d{3}[ ./-]?\d{2,}|https?://|\bwww\.|"
    r"\b(?:tel|phone|fax|mobile|cell|office|ext)\b\.?\s?[:#]",
    re.IGNORECASE,
)
_DISCLAIMER = re.compile(
    r"(?:this|the information (?:contained )?in this|important|confidential|privileged|notice|disclaimer)\b.{0,200}"
    r"\b(?:confidential|privileged|intended (?:only|solely|recipient)|property of|disclaimer)",
    re.IGNORECASE,
)
_NAME = r"[A-Z][\w.'’-]{0,30}"
_BARE_NAME = re.compile(rf"{_NAME}(?: {_NAME}){{0,2}}$")
_ENDS_SENTENCE = re.compile(r"[.?!][\"'”’)]{0,2}$")
_SHORT = 60  # characters of a line in a signature
_TAIL = 10  # lines of a signature after its closing formula or delimiter

_GREETING = (
    r"(?:dear|hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|to whom it may concern|hallo|"
    r"bonjour|hola|sehr geehrte[rs]?|liebe[rs]?)"
)
_GREETING_LINE = re.compile(rf"{_GREETING}\b(?:[^.?!\n]{{0,50}}[,!–—-]{{1,3}}|[^,.?!\n]{{0,30}}[:;.]?)$", re.IGNORECASE)
_GREETING_START = re.compile(
    rf"(?i:{_GREETING})(?: (?:all|everyone|both|there|and|&|{_NAME})){{0,5}} ?[,:;!–—-]{{1,3}}\s+"
)
_NAME_LINE = re.compile(rf"{_NAME}(?:,? (?:and |& )?{_NAME}){{0,4}} ?[,:–—-]{{1,2}}$")


def quoted_spans(content: str) -> list[Span]:
    """Quoted lines with the line that introduces them, and earlier messages carried along below a reply."""
    lines = _lines(content)
    spans = _marked_spans(lines)
    # What a message begins with is its own, so nothing is carried along above the second line with words.
    first = next((index for index, line in enumerate(lines) if line.text), len(lines))
    last_marked = max((index for index, line in enumerate(lines) if _QUOTED.match(line.text)), default=-1)
    below = next((at for at in range(first + 1, len(lines)) if _carried_from(lines, at, last_marked)), None)
    if below is not None:
        spans = [span for span in spans if span[1] <= lines[below].start] + [(lines[below].start, len(content))]
    return spans


def forwarded_spans(content: str) -> list[Span]:
    """A forwarded message, from the line that announces it to the end."""
    for line in _lines(content):
        if _FORWARDED.match(line.text):
            return [(line.start, len(content))]
    return []


def signature_spans(content: str) -> list[Span]:
    """The closing formula, name, contact lines and notices at the end of the sender's own words."""
    words_end = len(content.rstrip())
    foreign = [start for start, end in quoted_spans(content) + forwarded_spans(content) if end >= words_end]
    lines = [line for line in _lines(content) if line.end <= min(foreign, default=len(content))]
    while lines and not lines[-1].text:
        lines.pop()
    first = len(lines)
    for begins in (_after_delimiter, _notice, _device, _closing, _contacts, _bare_name):
        first = begins(lines[:first])
        while first and not lines[first - 1].text:
            first -= 1
    # A message that is all formula is left alone: there would be nothing else of it.
    return [(lines[first].start, lines[-1].end)] if 0 < first < len(lines) else []


def salutation_spans(content: str) -> list[Span]:
    """The greeting at the beginning: its own line, or the words before the first sentence."""
    lines = _lines(content)
    index = next((index for index, line in enumerate(lines) if line.text), None)
    if index is None:
        return []
    line = lines[index]
    others = any(later.text for later in lines[index + 1 :])
    if others and (_GREETING_LINE.match(line.text) or _NAME_LINE.match(line.text)):
        return [(line.start, line.end)]
    begins = line.start + content[line.start : line.end].index(line.text)
    greeting = _GREETING_START.match(content, begins, line.end)
    return [(begins, greeting.end())] if greeting and greeting.end() < line.end else []


def _lines(content: str) -> list[_MessageLine]:
    lines = []
    start = 0
    for text in content.split("\n"):
        end = min(start + len(text) + 1, len(content))
        lines.append(_MessageLine(start, end, text.strip()))
        start = end
    return lines


def _marked_spans(lines: list[_MessageLine]) -> list[Span]:
    """Lines that begin with >, what introduces them, and the ends of theirs that spilt onto a line of their own."""
    marked = [bool(_QUOTED.match(line.text)) for line in lines]
    for index in range(1, len(lines) - 1):
        spilt = 0 < len(lines[index].text.split()) <= 3 and len(lines[index - 1].text) >= _SHORT
        if not marked[index] and marked[index - 1] and marked[index + 1] and spilt:
            marked[index] = True
    for index in range(len(lines)):
        if marked[index] and (index == 0 or not marked[index - 1]):
            for introducing in _introduction(lines, index):
                marked[introducing] = True
    return stretches((line.start, line.end) for line in itertools.compress(lines, marked))


def _introduction(lines: list[_MessageLine], index: int) -> range:
    """The lines that introduce a quotation (`On … wrote:`), with the blank ones after them."""
    last = index - 1
    while last >= 0 and not lines[last].text:
        last -= 1
    for first in range(max(last - 2, 0), last + 1):
        joined = " ".join(line.text for line in lines[first : last + 1])
        if _ATTRIBUTION.match(joined):
            return range(first, index)
    if last >= 0 and _SHORT_ATTRIBUTION.match(lines[last].text) and not _QUOTED.match(lines[last].text):
        return range(last, index)
    return range(0)


def _carried_from(lines: list[_MessageLine], index: int, last_marked: int) -> bool:
    """Whether an earlier message, not marked line by line, begins here and goes to the end."""
    line = lines[index]
    if not line.text:
        return False
    if _ORIGINAL.match(line.text):
        return True
    if _RULE.match(line.text) and index + 1 < len(lines):
        following = next((at for at in range(index + 1, len(lines)) if lines[at].text), None)
        return following is not None and _header_begins(lines, following)
    if _header_begins(lines, index):
        return True
    for n in (1, 2, 3):
        attribution = " ".join(later.text for later in lines[index : index + n])
        if _ATTRIBUTION.match(attribution) and re.search(r"\d", attribution):
            return last_marked < index and any(later.text for later in lines[index + n : index + n + 3])
    return _notes_header_begins(lines, index)


def _header_begins(lines: list[_MessageLine], index: int) -> bool:
    """`From:` with at least two more fields of a mail's header in the lines below."""
    if not _FROM.match(lines[index].text):
        return False
    return sum(bool(_FIELD.match(line.text)) for line in lines[index + 1 : index + 8]) >= 2


def _notes_header_begins(lines: list[_MessageLine], index: int) -> bool:
    """A name and a time stamp, then `To:`, `cc:` and `Subject:`, as Lotus Notes writes it."""
    stamped = False
    for at in range(index, min(index + 6, len(lines))):
        text = lines[at].text
        if _TO.match(text):
            return stamped and sum(bool(_FIELD.match(line.text)) for line in lines[at : at + 8]) >= 2
        if len(text) > _SHORT + 20 or _ENDS_SENTENCE.search(text):
            return False
        stamped = stamped or bool(_STAMP.search(text))
    return False


def _after_delimiter(lines: list[_MessageLine]) -> int:
    for index in range(len(lines) - 1, max(len(lines) - 2 - 2 * _TAIL, -1), -1):
        if lines[index].text == "--":
            return index
    return len(lines)


def _notice(lines: list[_MessageLine]) -> int:
    """A notice of confidentiality at the end, with the rule above it."""
    for index in range(max(len(lines) - 2 * _TAIL, 0), len(lines)):
        if _DISCLAIMER.match(" ".join(line.text for line in lines[index : index + 4]).lstrip("*_=- ")):
            return index - 1 if index and _RULE.match(lines[index - 1].text) else index
    return len(lines)


def _device(lines: list[_MessageLine]) -> int:
    return len(lines) - 1 if lines and _DEVICE.match(lines[-1].text) else len(lines)


def _closing(lines: list[_MessageLine]) -> int:
    """A formula such as `Best regards,` with nothing but short lines that are no sentences below it."""
    for index in range(len(lines) - 1, max(len(lines) - 2 - _TAIL, -1), -1):
        text = lines[index].text
        if _CLOSING.match(text) and len(text) <= _SHORT:
            return index
        if len(text) > _SHORT or (_ENDS_SENTENCE.search(text) and len(text.split()) > 3):
            return len(lines)
    return len(lines)


def _contacts(lines: list[_MessageLine]) -> int:
    """The last block, if its lines are short and one is a telephone number or an address."""
    first = next((index + 1 for index in range(len(lines) - 1, -1, -1) if not lines[index].text), 0)
    block = lines[first:]
    short = all(len(line.text) <= _SHORT and not _ENDS_SENTENCE.search(line.text) for line in block)
    if first and len(block) <= _TAIL and short and any(_CONTACT.search(line.text) for line in block):
        return first
    return len(lines)


def _bare_name(lines: list[_MessageLine]) -> int:
    """A name on a last line of its own after an empty one or a sentence's end."""
    if len(lines) < 2 or not _BARE_NAME.match(lines[-1].text):
        return len(lines)
    before = lines[-2]
    return len(lines) - 1 if not before.text or _ENDS_SENTENCE.search(before.text) else len(lines)
