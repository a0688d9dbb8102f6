"""Trials: problems whose answer is known, with one LLR (or score) each and their authors, checked once.

Everything that judges LLRs takes them: metrics, intervals, bounds, misleading evidence, calibration.

What a method reads of a score, column by column: of one score, of many, or of trials with known answers.

The cohort of a trial: the reference authors whose Qs and Ks say what a score of this Q, or of this K, usually is.

Authors are numbered; author i has the row Q_i and the column K_i of a matrix of scores. In a case the disputed Q and
the K of the candidate are the row and the column of one more number, which is not in the reference.

The cohort of the trial of Q_b with K_a is all reference authors but a and b. That of a same-author trial would be one
larger than that of a different-author trial, and a larger cohort gives another spread, so the author who follows a is
left out of it too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, norm, total
from idiograph.errors import InputError
from idiograph.evidence.llr import LLR
from idiograph.grammar.vocabulary import Numbers
from idiograph.showing import one_line

BoolArray = npt.NDArray[np.bool_]
Values = Sequence[float | LLR] | FloatArray
Pair = tuple[str, str]


@one_line
@dataclass(frozen=True, eq=False)
class Trials:
    """LLRs in nats, or scores, of same-author and different-author trials; authors are None where they are not known.

    `same_authors` has the author of each same-author trial, `different_authors` both authors of each other one.
    """

    same: FloatArray
    different: FloatArray
    same_authors: tuple[str, ...] | None = None
    different_authors: tuple[Pair, ...] | None = None

    @classmethod
    def of(
        cls,
        *,
        same: Values,
        different: Values,
        same_authors: Sequence[str] | None = None,
        different_authors: Sequence[Pair] | None = None,
    ) -> "Trials":
        """Both classes, checked: an empty class, a value that is not a finite number or a missing author is refused."""
        of_same, of_different = as_values(same, "same-author values"), as_values(different, "different-author values")
        if not (of_same.size and of_different.size):
            raise InputError(
                f"Both kinds of trial are needed, and there are {of_same.size} same-author and {of_different.size} "
                "different-author trials. Check the authors of the trials."
            )
        for name, array in (("same-author", of_same), ("different-author", of_different)):
            bad = int(np.count_nonzero(~np.isfinite(array)))
            if bad:
                raise InputError(
                    f"{bad} of {array.size} {name} values are infinite or not a number, and nothing can be computed "
                    "from them. Find out how they were made, and leave none out silently."
                )
        return cls(
            of_same,
            of_different,
            None if same_authors is None else _names(same_authors, of_same.size),
            None if different_authors is None else _pairs(different_authors, of_different.size),
        )

    @cached_property
    def all(self) -> FloatArray:
        """The values of both classes, same-author trials first."""
        return np.concatenate([self.same, self.different])

    @property
    def known_authors(self) -> tuple[tuple[str, ...], tuple[Pair, ...]]:
        """The authors of both classes; refused where they were not given."""
        if self.same_authors is None or self.different_authors is None:
            raise InputError("The authors of the trials are needed here. Give same_authors and different_authors.")
        return self.same_authors, self.different_authors

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """Everyone who takes part, sorted, so that the order of the trials changes nothing."""
        of_same, pairs = self.known_authors
        return tuple(sorted({*of_same, *(author for pair in pairs for author in pair)}))

    @cached_property
    def author_numbers(self) -> tuple[Numbers, Numbers]:
        """The places among `authors` of the one and the other author of each trial, same-author trials first."""
        of_same, pairs = self.known_authors
        number_of = {author: number for number, author in enumerate(self.authors)}
        involved = [*zip(of_same, of_same, strict=True), *pairs]
        first, second = np.array([[number_of[a], number_of[b]] for a, b in involved], np.int64).T.copy()
        return first, second


def as_values(values: Values, name: str) -> FloatArray:
    """Numbers, finite or infinite, as an array; `name` says in an error what they are."""
    _refuse_unordered(values, name)
    if isinstance(values, list | tuple):
        values = [value.nats if isinstance(value, LLR) else value for value in values]
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "biuf"):
        what = f"an array of {array.ndim} dimensions" if array.dtype.kind in "biuf" else f"a {type(values).__name__}"
        if isinstance(values, list | tuple | np.ndarray) and array.ndim == 1:
            what += " with entries that are not numbers"
        raise InputError(f"The {name} are {what}. Give numbers, one after the other, in a list or an array.")
    return array.astype(np.float64)


def _names(authors: Sequence[str], n: int) -> tuple[str, ...]:
    names = _listed(authors, n, "same-author")
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"The author of a same-author trial is {name!r}. Give one name per trial, as a string.")
    return tuple(names)


def _pairs(authors: Sequence[Pair], n: int) -> tuple[Pair, ...]:
    pairs = []
    for pair in _listed(authors, n, "different-author"):
        if (
            not isinstance(pair, list | tuple | np.ndarray)
            or len(pair) != 2
            or not all(isinstance(name, str) for name in pair)
        ):
            raise InputError(
                f"The authors of a different-author trial are {pair!r}. Give two names per trial, those of K and Q."
            )
        pairs.append((str(pair[0]), str(pair[1])))
    return tuple(pairs)


def _listed(authors: Any, n: int, name: str) -> list[Any]:
    _refuse_unordered(authors, f"authors of the {name} trials")
    if isinstance(authors, str) or not isinstance(authors, Sequence | np.ndarray):
        raise InputError(
            f"The authors of the {name} trials are a {type(authors).__name__}. Give those of each trial, in a list."
        )
    if len(authors) != n:
        raise InputError(
            f"There are {n} {name} trials and the authors of {len(authors)}. Give the authors of each trial."
        )
    return list(authors)


def _refuse_unordered(given: Any, what: str) -> None:
    if isinstance(given, set | frozenset | dict):
        raise InputError(
            f"The {what} are a {type(given).__name__}, whose order says nothing about which trial is meant (that of a "
            "set changes from run to run). Give a list, in the order of the trials."
        )


WholeNumbers = npt.NDArray[np.integer[Any]]
NameArray = npt.NDArray[np.object_]
S = TypeVar("S", bound="Scores")


class ScoreLike(Protocol):
    """What a method reads of a Score."""

    @property
    def lambda_g(self) -> float: ...
    @property
    def evidence(self) -> tuple[FloatArray, ...]: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_hapaxes(self) -> int: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """The numbers of scores that methods need, one entry per score."""

    lambda_g: FloatArray
    n_tokens: WholeNumbers
    n_hapaxes: WholeNumbers
    sentence_norms: FloatArray  # sqrt(Σ_s λ_s²)
    scores: Mapping[str, FloatArray] = field(default_factory=dict)  # others besides λG, by name; NaN where none is

    @classmethod
    def of(cls, score: ScoreLike) -> "Scores":
        """What methods need of a single score."""
        try:
            return Scores(
                lambda_g=np.array([score.lambda_g], np.float64),
                n_tokens=np.array([score.n_tokens]),
                n_hapaxes=np.array([score.n_hapaxes]),
                sentence_norms=np.array([sentence_norm(score.evidence)]),
            )
        except (AttributeError, TypeError):
            raise InputError(
                f"A score is needed, and this is a {type(score).__name__}. Give what idiograph.score returns."
            ) from None

    def __len__(self) -> int:
        return len(self.lambda_g)

    def take(self: S, chosen: npt.NDArray[Any]) -> S:
        """The entries at these places, or where this is true."""
        return type(self)(**{field.name: _taken(getattr(self, field.name), chosen) for field in fields(self)})


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredTrials(Scores):
    """Scores of problems whose answer is known: what methods learn from, and are judged by."""

    q_authors: NameArray
    k_authors: NameArray
    same_author: BoolArray

    def trials(self, values: FloatArray) -> Trials:
        """These trials with one LLR or score each."""
        same, different = self.same_author, ~self.same_author
        # The names were checked when the trials were made.
        return replace(
            Trials.of(same=values[same], different=values[different]),
            same_authors=tuple(self.k_authors[same].tolist()),
            different_authors=tuple(
                zip(self.k_authors[different].tolist(), self.q_authors[different].tolist(), strict=True)
            ),
        )


def sentence_norm(evidence: Sequence[FloatArray]) -> float:
    """sqrt(Σ_s λ_s²), λ_s the sum over a sentence with its end: all that the Sentence Correction needs besides λG."""
    return norm([total(tokens) for tokens in evidence])


def _taken(column: Any, chosen: npt.NDArray[Any]) -> Any:
    if isinstance(column, Mapping):
        return {name: values[chosen] for name, values in column.items()}
    return column[chosen]


def following(reference: Sequence[int], author: int) -> int:
    """The reference author who follows this one; the first follows the last."""
    return reference[(reference.index(author) + 1) % len(reference)]
