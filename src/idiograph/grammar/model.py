"""GrammarModel: one Kneser-Ney model to be asked for probabilities, by the kernels that score uses.

What Q and K have in common: the longest shared n-gram at each token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, exp10
from idiograph.checking import shown
from idiograph.compiling import compiled, run
from idiograph.errors import InputError, ProblemError
from idiograph.grammar.kneser_ney import log10_ratios
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.sides import Comparable, bring_together
from idiograph.grammar.stream import WIDTH_BITS, WIDTH_MASK
from idiograph.showing import one_line
from idiograph.texts.text import Sentence


@one_line
@dataclass(frozen=True)
class GrammarModel:
    """A model of some sentences. It is made anew at every call: a tool for looking, not for scoring.

    `sentences` are lists of tokens, masked texts, a corpus, an index or a part of one; `order` is the longest n-gram
    and `discount` what each count is lowered by.
    """

    sentences: Comparable
    order: int = 10
    discount: float = 0.75

    def __post_init__(self) -> None:
        settings = LambdaGSettings(order=self.order, discount=self.discount)
        object.__setattr__(self, "order", settings.order)
        object.__setattr__(self, "discount", settings.discount)

    @classmethod
    def fit(cls, sentences: Comparable, *, order: int = 10, discount: float = 0.75) -> "GrammarModel":
        """The model of these `sentences`, of this `order` and `discount`."""
        return cls(sentences, order, discount)

    def log10_probs(self, sentence: Sequence[str]) -> FloatArray:
        """log10 P of each token of the `sentence`, then of its end."""
        return self._log10_probs(_tokens(sentence, "A sentence"), self.order)

    def prob(self, token: str | None, after: Sequence[str] = (), *, marks: int = 0) -> float:
        """P of a `token`, or of the sentence's end (None), after the tokens `after` that `marks` <BOS> precede.

        A context shorter than the model's own is asked as a model of its length would answer: its own level uses
        counts, the levels below it N1+.
        """
        context = _tokens(after, "A context")
        if isinstance(marks, bool) or not isinstance(marks, int) or marks < 0:
            raise InputError(f"marks must be a whole number, 0 or more, not {shown(marks)}.")
        sentence = context if token is None else (*context, token)
        order = min(self.order, len(context) + marks + 1)
        return exp10(float(self._log10_probs(sentence, order)[len(context)]))

    def _log10_probs(self, sentence: Sentence, order: int) -> FloatArray:
        sides = bring_together(q=[sentence], k=self.sentences, reference=[], order=order)
        if len(sides.k) == 0:
            raise ProblemError("There is no sentence to make a model of. Give at least one.")
        index = sides.index
        with index.workspace() as space:
            known: FloatArray = run(
                log10_ratios, index.stream, index.places, sides.q, sides.k, sides.reference,
                np.empty((0, len(sides.k)), np.int64), 1, order, self.discount, space.types, space.marks, space.model,
            )[0]  # fmt: skip
        return known


def _tokens(tokens: object, what: str) -> Sentence:
    if not isinstance(tokens, list | tuple):
        raise InputError(f"{what} must be a list of tokens, not {shown(tokens)}.")
    return tuple(tokens)


def longest_matches(q: Comparable, k: Comparable, *, order: int = 10) -> tuple[npt.NDArray[np.int32], ...]:
    """For each sentence of Q, at each token and then at the end, how many tokens of Q up to there K has in a row.

    The sentence's end counts as a token, its start does not; `order` is the most that is looked for.
    """
    # There is no reference; K in its place lets the index that Q and K may share serve, instead of a new one.
    sides = bring_together(q=q, k=k, reference=k, order=order)
    index = sides.index
    ends = np.cumsum(index.sentence_lengths[sides.q] + 1, dtype=np.int64)
    types, n_grams = np.zeros(len(index.types) + 1, np.bool_), np.zeros(index.n_ids + 1, np.bool_)
    n_events = int(ends[-1]) if len(ends) else 0
    lengths = run(match, index.stream, index.places, sides.q, sides.k, order, types, n_grams, n_events)
    return tuple(np.split(lengths, ends[:-1]))


@compiled
def match(
    stream: Any, places: Any, q_numbers: Any, k_numbers: Any, order: int, types: Any, n_grams: Any, n_events: int
) -> Any:
    """The length of the match at each event of Q; `types` and `n_grams` are room to note what K has."""
    for number in k_numbers:
        at = places[number]
        while at < places[number + 1]:
            width = stream[at] & WIDTH_MASK
            types[stream[at] >> WIDTH_BITS] = True
            for i in range(min(width, order - 1)):
                n_grams[stream[at + 1 + i]] = True
            at += width + 1
    lengths = np.zeros(n_events, np.int32)
    event = 0
    for number in q_numbers:
        at, before = places[number], 0
        while at < places[number + 1]:
            width = stream[at] & WIDTH_MASK
            before += 1
            if types[stream[at] >> WIDTH_BITS]:
                shared = 1
                for i in range(min(width, order - 1)):
                    shared += n_grams[stream[at + 1 + i]]
                lengths[event] = min(shared, before)
            event += 1
            at += width + 1
    return lengths
