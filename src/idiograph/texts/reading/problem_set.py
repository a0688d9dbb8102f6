"""Verification problems as they are published: known texts, an unknown one, and the answer where it is given."""

from dataclasses import dataclass, field
from functools import cached_property

from idiograph.checks import checked, in_order
from idiograph.texts.reading.reading_report import ReadingReport
from idiograph.texts.text import Corpus, Text


@dataclass(frozen=True)
class TextProblem:
    """Were these known texts and this questioned one written by the same person? None where nobody says."""

    id: str
    k: tuple[Text, ...]
    q: Text
    same_author: bool | None = None

    def __post_init__(self) -> None:
        checked(self.id, str, "The id of a problem")
        known = in_order(self.k, "The known texts of a problem", "texts", lambda text: isinstance(text, Text))
        object.__setattr__(self, "k", known)
        checked(self.q, Text, "The questioned text of a problem")
        checked(self.same_author, bool | None, "same_author")


@dataclass(frozen=True)
class ProblemSet:
    """Problems in the order of their ids, with the report on how they were read."""

    problems: tuple[TextProblem, ...]
    report: ReadingReport = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        problems = in_order(self.problems, "The problems", "problems", lambda one: isinstance(one, TextProblem))
        object.__setattr__(self, "problems", problems)
        checked(self.report, ReadingReport, "The report of a problem set")

    def __len__(self) -> int:
        return len(self.problems)

    @cached_property
    def texts(self) -> Corpus[Text]:
        """All texts, problem by problem, known ones first."""
        return Corpus(tuple(text for problem in self.problems for text in (*problem.k, problem.q)))
