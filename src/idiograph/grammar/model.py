"""GrammarModel: one Kneser-Ney model to be asked for probabilities, by the kernels that score uses."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from idiograph.elementary import exp10
from idiograph.errors import ProblemError
from idiograph.grammar.settings import LambdaGSettings
from idiograph.grammar.sides import Side, bring_together
from idiograph.texts.text import Sentence


@dataclass(frozen=True)
class GrammarModel:
    """A model of some sentences. It is made anew at every call: a tool for looking, not for scoring."""

    sentences: Side
    order: int
    discount: float

    @classmethod
    def fit(cls, sentences: Side, *, order: int = 10, discount: float = 0.75) -> "GrammarModel":
        """The model of these sentences."""
        settings = LambdaGSettings(order=order, discount=discount)
        return cls(sentences, settings.order, settings.discount)

    def log10_probs(self, sentence: Sequence[str]) -> npt.NDArray[np.float64]:
        """log10 P of each token of the sentence, then of its end."""
        return self._log10_probs(tuple(sentence), self.order)

    def prob(self, token: str | None, after: Sentence = (), *, marks: int = 0) -> float:
        """P of a token, or of the sentence's end (None), after a context of tokens that `marks` <BOS> precede.

        A context shorter than the model's own is asked as a model of its length would answer: its own level uses
        counts, the levels below it N1+.
        """
        sentence = tuple(after) if token is None else (*after, token)
        order = min(self.order, len(after) + marks + 1)
        return exp10(float(self._log10_probs(sentence, order)[len(after)]))

    def _log10_probs(self, sentence: Sentence, order: int) -> npt.NDArray[np.float64]:
        from idiograph.compiling import run
        from idiograph.grammar.kneser_ney import log10_ratios

        sides = bring_together(q=[sentence], k=self.sentences, reference=[], order=order)
        if len(sides.k) == 0:
            raise ProblemError("There is no sentence to make a model of. Give at least one.")
        index = sides.index
        with index.workspace() as space:
            known: npt.NDArray[np.float64] = run(
                log10_ratios, index.stream, index.places, sides.q, sides.k, sides.reference,
                np.empty((0, len(sides.k)), np.int64), order, self.discount, space.types, space.marks, space.model,
            )[0]  # fmt: skip
        return known
