"""Who wrote what in a ready-made set of problems: named in the set or in a file, or found through repeated texts.

The known texts of a problem have one writer, and so does the questioned one, the same if the answer says so. Texts
that occur in several problems, whole or as part of another text, then make one writer of several.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from idiograph.errors import StudyError, cannot_read, nearest
from idiograph.records import bytes_of_file
from idiograph.texts.reading.problem_sets import TextProblem
from idiograph.texts.repeats import among, coded, holders, run_hashes

_RUN = 20  # words: fewer may be the same by chance
_COLUMNS = ("problem", "known", "unknown")

Names = tuple[str | None, str | None]  # of the writers of the known texts and of the questioned one


@dataclass(frozen=True)
class Writers:
    """The writer of each side of each problem, by the side's label, and how they are known."""

    of: Mapping[str, str]
    n_named: int  # by the set
    n_given: int  # by a file
    n_repeated: int  # texts that are also elsewhere in the set

    @property
    def n(self) -> int:
        return len(set(self.of.values()))

    @property
    def sentence(self) -> str:
        """How many there are and how they are known."""
        how = [
            f"{n:,} {what}"
            for n, what in (
                (self.n_given, "named in the file of writers"),
                (self.n_named, "named in the set"),
                (self.n - self.n_given - self.n_named, "told apart by problems and answers"),
            )
            if n
        ]
        repeated = (
            f" Texts that occur in several problems, whole or within another text, are taken as one writer's: "
            f"{self.n_repeated:,}."
            if self.n_repeated
            else ""
        )
        return f"{self.n:,} writers ({', '.join(how)}).{repeated}"


def labels(problem: TextProblem) -> tuple[str, str]:
    """What the sides of a problem are called before their writers are known: the known texts', the questioned one's."""
    return problem.id, problem.id if problem.same_author else f"{problem.id} (another)"


def find_writers(problems: Sequence[TextProblem], given: Mapping[str, Names] | None = None) -> Writers:
    """The writers of a set whose answers are known; what contradicts itself is refused.

    A writer without a name is called after the first of their problems.
    """
    given = given or {}
    for id_ in given:
        if id_ not in {problem.id for problem in problems}:
            hint = nearest(id_, [problem.id for problem in problems])
            raise StudyError(f"The file of writers names the problem {id_}, which the set does not have{hint}.")
    people = _People({label: label for problem in problems for label in labels(problem)})
    texts: list[tuple[str, str, list[str]]] = []  # id, label, words
    for problem in problems:
        k, q = labels(problem)
        for label, text in (*((k, text) for text in problem.k), (q, problem.q)):
            if text.author is not None:
                people.name(label, text.author, "named")
            texts.append((text.id, label, re.findall(r"\w+", text.content.casefold())))
        for label, name in zip((k, q), given.get(problem.id, (None, None)), strict=True):
            if name is not None:
                people.name(label, name, "given")
    repeated = set()
    for (text_id, label, _), (other_id, other_label, _), how in _repeated(texts):
        if label != other_label:
            repeated.add(text_id)
            people.join(label, other_label, f"{text_id} {how} {other_id}")
    for problem in problems:
        k, q = labels(problem)
        if not problem.same_author and people.root(k) == people.root(q):
            why = "; ".join(people.reasons[people.root(k)][:3])
            raise StudyError(
                f"The answer of {problem.id} is that two people wrote its texts, but they are by one writer: {why}. "
                "Correct the answer or leave the problem out."
            )
    return Writers(
        {label: people.called(label) for label in people.parent},
        sum(how == "named" for how in people.how.values()),
        sum(how == "given" for how in people.how.values()),
        len(repeated),
    )


def read_writers(path: Path) -> dict[str, Names]:
    """The writers of each problem from a CSV file with the columns problem, known and unknown; empty: not known."""
    try:
        rows = list(csv.DictReader(bytes_of_file(path).decode("utf-8-sig").splitlines()))
    except OSError as error:
        raise cannot_read(path, error, StudyError) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path} is not a CSV file in UTF-8 ({error}). Save it as one.") from error
    by_problem: dict[str, Names] = {}
    for line, row in enumerate(rows, start=2):
        if not set(_COLUMNS) <= row.keys() or None in row:
            raise StudyError(
                f"{path} needs the columns {', '.join(_COLUMNS)}: the id of a problem, the writer of its known texts "
                f"and the writer of its questioned text. Line {line} has {', '.join(str(key) for key in row)}."
            )
        id_, *names = ((row[column] or "").strip() for column in _COLUMNS)
        if id_ in by_problem:
            raise StudyError(f"{path}, line {line}: the problem {id_} occurs twice. Remove one of the lines.")
        by_problem[id_] = (names[0] or None, names[1] or None)
    if not by_problem:
        raise StudyError(f"{path} names no writer. Give one line per problem: {', '.join(_COLUMNS)}.")
    return by_problem


@dataclass
class _People:
    """Labels that are found to be one person, step by step."""

    parent: dict[str, str]  # all labels, each at first its own
    names: dict[str, str] = field(default_factory=dict)  # of roots
    how: dict[str, str] = field(default_factory=dict)  # name -> named or given
    by_name: dict[str, str] = field(default_factory=dict)  # name -> a label
    reasons: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # of roots

    def root(self, label: str) -> str:
        while self.parent[label] != label:
            self.parent[label] = label = self.parent[self.parent[label]]
        return label

    def name(self, label: str, name: str, how: str) -> None:
        root = self.root(label)
        if self.names.setdefault(root, name) != name:
            raise StudyError(
                f"{label} is by {self.names[root]} and by {name}, but one person wrote its texts. Correct the names."
            )
        self.how[name] = how if self.how.get(name) != "given" else "given"
        self.join(label, self.by_name.setdefault(name, label), f"{name} is named for both")

    def join(self, label: str, other_label: str, why: str) -> None:
        first, second = sorted((self.root(label), self.root(other_label)))
        if first == second:
            return
        names = [self.names[root] for root in (first, second) if root in self.names]
        if len(set(names)) > 1:
            raise StudyError(
                f"{names[0]} and {names[1]} would be one writer: {why}. Correct the names, or leave a problem out."
            )
        self.parent[second] = first
        if names:
            self.names[first] = names[0]
        self.reasons[first] += [why, *self.reasons[second]]

    def called(self, label: str) -> str:
        root = self.root(label)
        return self.names.get(root, root)


def _repeated(
    texts: Sequence[tuple[str, str, list[str]]],
) -> Iterator[tuple[tuple[str, str, list[str]], tuple[str, str, list[str]], str]]:
    """Texts of at least twenty words that are the same as another, or part of it, whatever the punctuation."""
    digests: dict[str, int] = {}
    hashes = [run_hashes(coded(words, digests), _RUN) for _, _, words in texts]
    starting = holders((number, runs[:1].tolist()) for number, runs in enumerate(hashes))  # a text's first run -> texts
    starts = np.array(sorted(starting), np.uint64)
    for number, runs in enumerate(hashes):
        whole = f" {' '.join(texts[number][2])} "
        for run in dict.fromkeys(runs[among(runs, starts)].tolist()):
            for part in starting[run]:
                words = texts[part][2]
                if part != number and f" {' '.join(words)} " in whole:
                    same = len(words) == len(texts[number][2])
                    yield texts[part], texts[number], "is the same text as" if same else "is part of"
