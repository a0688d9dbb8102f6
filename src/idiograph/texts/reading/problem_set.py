"""Verification problems as they are published: known texts, an unknown one, and the answer where it is given."""

from dataclasses import dataclass, field
from functools import cached_property

from idiograph.texts.reading.reading_report import Report
from idiograph.texts.text import Corpus, Text


@dataclass(frozen=True)
class TextProblem:
    """Were these known texts and this questioned one written by the same person? None where nobody says."""

    id: str
    k: tuple[Text, ...]
    q: Text
    same_author: bool | None = None


@dataclass(frozen=True)
class ProblemSet:
    """Problems in the order of their ids, with the report of how they were read."""

    problems: tuple[TextProblem, ...]
    report: Report = field(compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.problems)

    @cached_property
    def texts(self) -> Corpus[Text]:
        """All texts, problem by problem, known ones first."""
        return Corpus(tuple(text for problem in self.problems for text in (*problem.k, problem.q)))
