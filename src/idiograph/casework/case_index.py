"""The texts of a case on one index: sentence numbers of any side, and scores of any comparison among them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from idiograph.casework.case import CONTROLLED, Case
from idiograph.casework.copies import Copy
from idiograph.casework.inputs import Inputs, Texts
from idiograph.errors import InputError, some
from idiograph.evidence.closeness import ContentWords
from idiograph.evidence.llr import LLR
from idiograph.grammar.index import Index, Part
from idiograph.grammar.lambdag import Score, score_problems
from idiograph.grammar.settings import LambdaGSettings, Seed
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies.material import Material
from idiograph.texts.masking.rules import content_words, hides_content, original_sentences
from idiograph.texts.problem import Problem, problem_seed
from idiograph.texts.text import Corpus


def _originals(inputs: Inputs) -> dict[str, tuple[str, ...]]:
    """Every text's sentences as written; refused where one came masked."""
    masked = [text.id for text in inputs.all if text.id not in inputs.originals]
    if masked:
        raise InputError(
            f"typing compares originals, and these texts came masked: {some(masked)}. Give the originals, or leave "
            "typing out."
        )
    return {text.id: original_sentences(text, inputs.originals[text.id].content) for text in inputs.all}


def _content(inputs: Inputs, index: Index) -> ContentWords | None:
    """The content words of every sentence of the index; None where a text came masked, or masking tells none."""
    if not hides_content(inputs.masking) or any(text.id not in inputs.originals for text in inputs.all):
        return None
    words = {text.id: content_words(text, inputs.originals[text.id].content) for text in inputs.all}
    return ContentWords.of(sentence for id_ in index.text_ids for sentence in words[id_])


ToLLR = Callable[[Score], LLR]


@dataclass(frozen=True)
class CaseIndex:
    """One index over all texts of a case; `material` knows the fields of the reference's texts alone."""

    case: Case
    index: Index
    material: Material
    authors: tuple[str, ...]  # of the reference, sorted
    workers: int = 1
    kept_out: frozenset[str] = frozenset()  # reference texts that repeat much of another of their author

    @classmethod
    def of(cls, case: Case, inputs: Inputs, *, workers: int = 1, copies: Iterable[Copy] = ()) -> "CaseIndex":
        """Numbers every text of the case once; of `copies`, no validation problem is made where they repeat much."""
        index = Index(Corpus(inputs.all), order=case.order)
        material = Material.of(index, inputs.reference, roles=False)
        if case.typing:
            material = replace(material, originals=_originals(inputs))
        material = replace(material, content=_content(inputs, index))
        kept_out = frozenset(copy.text.id for copy in copies if copy.is_kept_out)
        authors = {text.author for text in inputs.reference if text.author is not None}
        return cls(case, index, material, tuple(sorted(authors)), workers, kept_out)

    @property
    def compares_topic(self) -> bool:
        """Whether the case is judged given how close its texts are in topic."""
        return self.case.primary == CONTROLLED and self.material.content is not None

    @cached_property
    def text_numbers(self) -> dict[str, int]:
        """The number in the index of every text."""
        return {id_: number for number, id_ in enumerate(self.index.text_ids)}

    @cached_property
    def own_texts(self) -> Mapping[str, Numbers]:
        """The numbers of each reference author's texts, without those that are kept out."""
        kept_out = np.array([id_ in self.kept_out for id_ in self.index.text_ids])
        texts_by = self.material.texts_by
        return {author: texts_by[author][~kept_out[texts_by[author]]] for author in self.authors}

    def part(self, texts: Texts) -> Part:
        """The sentences of these texts, in the order of the index; of a text that was cut, those that are left."""
        numbered = sorted((self.text_numbers[text.id], text.n_sentences) for text in texts)
        first = self.material.starts
        taken = [np.arange(first[number], first[number] + n) for number, n in numbered]
        return self.index.take(np.concatenate([*taken, np.empty(0, np.int64)]))

    def reference(self, *without: str) -> Part:
        """The reference without these authors."""
        # By the numbers of authors: a validation asks for thousands of these.
        stays = np.array([author not in without for author in self.index.authors], bool)
        return self.index.take(self._sentences[stays[self.index.sentence_author[self._sentences]]])

    @cached_property
    def _sentences(self) -> Numbers:
        """The sentences of all reference authors, in order."""
        texts = [self.material.texts_by[author] for author in self.authors]
        return self.material.sentences(np.concatenate([*texts, np.empty(0, np.int64)]))

    def score(self, problems: Sequence[Problem], **changed: int) -> list[Score]:
        """Scores of problems around the case, with its settings; each draws by the case's seed and its own id."""
        return self._scores(problems, [problem_seed(self.case.seed, problem.id) for problem in problems], **changed)

    def score_case(self, *problems: Problem, seeds: Sequence[int] | None = None, **changed: int) -> list[Score]:
        """Scores of the case itself: the plain seed, so that `idiograph.score` gives the same digits."""
        return self._scores(problems, [self.case.seed] * len(problems) if seeds is None else seeds, **changed)

    def _scores(self, problems: Sequence[Problem], seeds: Sequence[Seed], **changed: int) -> list[Score]:
        case = self.case
        values = {"order": case.order, "repetitions": case.repetitions, **changed}
        settings = _settings(discount=case.discount, **values)
        return score_problems(problems, settings.at(seeds), workers=self.workers)


_settings = cache(LambdaGSettings)  # a case is scored by a few of them a hundred times
