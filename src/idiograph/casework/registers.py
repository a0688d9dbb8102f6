"""Is Q, is K, of the register of the reference? Measured on the masked texts, each against the reference's own spread.

Measured are the tokens of a sentence, and the shares of punctuation, of each word class of which masking leaves a
letter, of the first person (in English), and of tokens that masking kept. The reference authors' texts are cut into
stretches as long as Q, or as K; with x̄ and s the mean and standard deviation of what n of them have

    z = (x − x̄) / (s·√(1 + 1/n))

Shares enter as √p and lengths as their logarithm, whose spread depends less on their size. Stretches of one author are
alike, so z is no exact one: how far out honest cases lie was measured, which sets the limit (docs/casework.md).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt

from idiograph.arithmetic import log, mean, sd
from idiograph.casework.findings import REGISTER_LIMIT, finding
from idiograph.casework.inputs import CaseTexts, Texts, by_author
from idiograph.casework.sentences import percent
from idiograph.casework.verification import Finding
from idiograph.errors import some
from idiograph.texts.language import ENGLISH
from idiograph.texts.masking.rules import marks

FEWEST_STRETCHES = 10  # of the reference, to tell its spread from
LENGTH = "tokens a sentence"
_FIRST_PERSON = frozenset(("i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"))
_CLASSES = {"N": "nouns", "P": "names", "V": "verbs", "J": "adjectives", "B": "adverbs"}  # POSNoise's letters
_LEAST_SD = 0.01  # of √p or of a logarithm: below it the stretches happen to be alike
Counts = tuple[int, ...]  # of a sentence: its tokens, then those of each kind


@dataclass(frozen=True)
class Measured:
    """One measure of a side beside the reference's stretches of its length: tokens a sentence, or a share."""

    name: str
    value: float
    usual: float  # the mean of the stretches
    z: float

    @property
    def in_words(self) -> str:
        """What is measured, here and usually."""
        if self.name == LENGTH:
            return f"{self.value:.1f} {LENGTH} (in the reference {self.usual:.1f} on average)"
        return f"{percent(self.value)} {self.name} (in the reference {percent(self.usual)} on average)"


def registers_apart(texts: CaseTexts) -> list[Finding]:
    """The finding about Q or K lying outside the spread of the reference in what makes a register; else none."""
    parts, where = [], []
    for name, side in ((texts.label, texts.q), ("K", texts.k)):
        far = [measure.in_words for measure in unlike_reference(texts, side) if abs(measure.z) > REGISTER_LIMIT]
        if far:
            parts.append(f"{name} has {some(far, 3)}")
            where.append(name)
    return [finding("registers-apart", "amber", where, measures="; ".join(parts))] if parts else []


def unlike_reference(texts: CaseTexts, side: Texts) -> list[Measured]:
    """Every measure of a side beside the reference, the furthest first; nothing where the reference has too little."""
    kinds = _kinds(texts)
    counts = [count for text in side for count in _counted(text.sentences, kinds)]
    n = sum(count[0] for count in counts)
    stretches = [
        _measured(stretch, kinds) for author in texts.once(_by_author, texts.reference) for stretch in _cut(author, n)
    ]
    if len(stretches) < FEWEST_STRETCHES:
        return []
    measures = []
    for name, value in _measured(counts, kinds).items():
        usual = [stretch[name] for stretch in stretches]
        levelled = [_levelled(name, x) for x in usual]
        spread = max(_LEAST_SD, sd(levelled)) * sqrt(1 + 1 / len(levelled))
        measures.append(Measured(name, value, mean(usual), (_levelled(name, value) - mean(levelled)) / spread))
    return sorted(measures, key=lambda measure: -abs(measure.z))


def _kinds(texts: CaseTexts) -> dict[str, Callable[[str], bool]]:
    """The kinds of tokens that are counted, by name."""
    kinds: dict[str, Callable[[str], bool]] = {
        # Most tokens are letters alone, which the first half tells at once.
        "punctuation": lambda token: not (token.isalnum() or any(map(str.isalnum, token)))
    }
    if texts.language == ENGLISH:
        kinds["first person"] = _FIRST_PERSON.__contains__
    masking = texts.q[0].masking
    if masking.startswith("posnoise"):
        kinds |= {name: letter.__eq__ for letter, name in _CLASSES.items()}
    if signs := marks(masking):
        kinds["words kept by masking"] = lambda token: token not in signs
    return kinds


def _by_author(texts: CaseTexts, reference: Texts) -> list[list[Counts]]:
    kinds = _kinds(texts)
    return [[count for text in mine for count in _counted(text.sentences, kinds)] for mine in by_author(reference)]


def _counted(sentences: Sequence[Sequence[str]], kinds: dict[str, Callable[[str], bool]]) -> Iterator[Counts]:
    @cache
    def counts_in(token: str) -> Counts:
        return (1, *(int(is_one(token)) for is_one in kinds.values()))

    nothing = (0,) * (1 + len(kinds))
    for sentence in sentences:
        yield tuple(map(sum, zip(nothing, *map(counts_in, sentence), strict=True)))


def _cut(author: Sequence[Counts], length: int) -> Iterator[list[Counts]]:
    """An author's sentences in stretches of at least so many tokens; what is left over is none."""
    stretch, n = list[Counts](), 0
    for counts in author:
        stretch.append(counts)
        n += counts[0]
        if n >= length:
            yield stretch
            stretch, n = [], 0


def _measured(stretch: Sequence[Counts], kinds: dict[str, Callable[[str], bool]]) -> dict[str, float]:
    n, *of_kinds = (sum(column) for column in zip(*stretch, strict=True))
    return {LENGTH: n / len(stretch), **{name: count / n for name, count in zip(kinds, of_kinds, strict=True)}}


def _levelled(name: str, value: float) -> float:
    return log(value) if name == LENGTH else sqrt(value)
