"""HTML mail to plain lines, what it quotes marked with > as in plain mail."""

from collections import Counter
from html.parser import HTMLParser

_NAMES = (
    "address article aside blockquote body dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav "
    "ol p pre section table tbody td tfoot th thead tr ul"
)
_BLOCKS = frozenset(_NAMES.split())
_SPACED = frozenset({"p", "blockquote", "table", "ul", "ol"})  # an empty line before and after each
_SILENT = frozenset({"head", "script", "style", "template", "title"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_QUOTING_CLASSES = ("gmail_quote", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote")


class _LineCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[tuple[int, str]] = []  # depth of quotation, words
        self.words = ""
        self.open: list[tuple[str, bool]] = []  # tag, whether it quotes
        self.names: Counter[str] = Counter()  # how often each tag is open
        self.depth = 0  # of quotation
        self.silent = 0
        self.preformatted = 0

    def break_line(self, *, keep_empty: bool = False) -> None:
        if self.words.strip() or keep_empty:
            self.lines.append((self.depth, self.words.strip(" \t\n")))
        self.words = ""

    def space(self, tag: str) -> None:
        if tag in _SPACED and self.lines and self.lines[-1][1]:
            self.lines.append((self.depth, ""))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.break_line()
        self.space(tag)
        if tag == "br":
            self.break_line(keep_empty=True)
        if tag in _VOID:
            return
        self.silent += tag in _SILENT
        self.preformatted += tag == "pre"
        classes = next((value or "" for name, value in attributes if name == "class"), "")
        quotes = tag == "blockquote" or any(name in classes for name in _QUOTING_CLASSES)
        self.open.append((tag, quotes))
        self.names[tag] += 1
        self.depth += quotes

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.break_line()
        if not self.names[tag]:
            return
        while self.open:
            closed, quotes = self.open.pop()
            self.names[closed] -= 1
            self.depth -= quotes
            self.silent -= closed in _SILENT
            self.preformatted -= closed == "pre"
            if closed == tag:
                break
        self.space(tag)

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if self.preformatted:
            *lines, last = data.split("\n")
            for line in lines:
                self.words += line
                self.break_line(keep_empty=True)
            self.words += last
            return
        blank = " " if data[:1].isspace() and self.words and not self.words.endswith(" ") else ""
        self.words += blank + " ".join(data.split()) + (" " if data.strip() and data[-1:].isspace() else "")


def plain_lines(markup: str) -> str:
    """The words of an HTML page as lines; quoted ones begin with `> `."""
    parser = _LineCollector()
    parser.feed(markup)
    parser.close()
    parser.break_line()
    return "\n".join("> " * depth + words if depth else words for depth, words in parser.lines).strip("\n") + "\n"
