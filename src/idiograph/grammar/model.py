"""GrammarModel: one Kneser-Ney model to be asked for probabilities, by the kernels that score uses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.arithmetic import FloatArray, exp10
from idiograph.errors import InputError, ProblemError
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.sides import Comparable, bring_together
from idiograph.settings.setting import shown
from idiograph.texts.text import Sentence


@dataclass(frozen=True)
class GrammarModel:
    """A model of some sentences. It is made anew at every call: a tool for looking, not for scoring."""

    sentences: Comparable
    order: int = 10
    discount: float = 0.75

    def __post_init__(self) -> None:
        settings = LambdaGSettings(order=self.order, discount=self.discount)
        object.__setattr__(self, "order", settings.order)
        object.__setattr__(self, "discount", settings.discount)

    @classmethod
    def fit(cls, sentences: Comparable, *, order: int = 10, discount: float = 0.75) -> "GrammarModel":
        """The model of these sentences."""
        return cls(sentences, order, discount)

    def log10_probs(self, sentence: Sequence[str]) -> FloatArray:
        """log10 P of each token of the sentence, then of its end."""
        return self._log10_probs(_tokens(sentence, "A sentence"), self.order)

    def prob(self, token: str | None, after: Sequence[str] = (), *, marks: int = 0) -> float:
        """P of a token, or of the sentence's end (None), after a context of tokens that `marks` <BOS> precede.

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
        from idiograph.compiling import run
        from idiograph.grammar.kneser_ney import log10_ratios

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
