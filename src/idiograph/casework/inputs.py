"""A case's files become masked texts: read, prepared if a recipe is named, masked alike, every file with its digest.

`CaseTexts` are those of one comparison, as the audit, the validation and the explanation see them.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from idiograph.casework.case import Case, PlanRequest, Side, is_recipe_file
from idiograph.casework.verification import SideSummary
from idiograph.errors import InputError, ProblemError, nearest, some
from idiograph.provenance import InputFile, digest
from idiograph.texts.edits import SpanArray
from idiograph.texts.language import ENGLISH
from idiograph.texts.masking.corpus_file import is_masked_corpus, read_masked
from idiograph.texts.masking.mask import masked_by, masking_settings
from idiograph.texts.masking.rules import n_kept
from idiograph.texts.preparing.prepare import prepare
from idiograph.texts.preparing.recipes import find_recipe
from idiograph.texts.preparing.record import PreparationRecord, Prepared
from idiograph.texts.reading.memory import TextsInMemory
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.read import read
from idiograph.texts.text import Corpus, MaskedText, Sentence, Text
from idiograph.texts.words import words

Texts = tuple[MaskedText, ...]
Answers = dict[tuple[Hashable, ...], tuple[object, ...]]
Answer = TypeVar("Answer")
More = ParamSpec("More")


@dataclass(frozen=True)
class CaseTexts:
    """One Q, one candidate's K and the reference, masked; and all texts as they were before masking, by id.

    `originals` has no entry for a text that came already masked. Where a recipe prepared the texts, `as_read` has them
    as they were before that, and `record` leads there.
    """

    label: str
    candidate: str
    q: Texts
    k: Texts
    reference: Texts
    originals: Mapping[str, Text]
    as_read: Mapping[str, Text] = field(default_factory=dict)
    record: PreparationRecord | None = None
    language: str = ENGLISH
    listed: frozenset[str] | None = None  # the words that masking kept, if it had a list
    answers: Answers = field(default_factory=dict, repr=False, compare=False)  # of all comparisons of the case

    @property
    def name(self) -> str:
        """The comparison by its Q and its candidate."""
        return f"{self.label} and {self.candidate}"

    @cached_property
    def all(self) -> Texts:
        return (*self.q, *self.k, *self.reference)

    @property
    def sides(self) -> tuple[tuple[str, Texts], ...]:
        """Q, K and the reference as findings name them."""
        return ("Q", self.q), ("K", self.k), ("the reference", self.reference)

    def words(self, text: MaskedText) -> list[str]:
        """A text's words as written, lower-cased; its masked tokens where that is all there is."""
        original = self.originals.get(text.id)
        if original is not None:
            return words(original.content)
        return [token for sentence in text.sentences for token in sentence]

    def once(
        self,
        ask: "Callable[Concatenate[CaseTexts, Texts, More], Answer]",
        side: Texts,
        *more: More.args,
        **named: More.kwargs,
    ) -> Answer:
        """What is asked about a side, asked once however many comparisons of the case have it in common."""
        about = (side, self.reference, self.originals)
        key = (ask, self.language, self.listed, more, *map(id, about))
        if key not in self.answers:
            self.answers[key] = (about, ask(self, side, *more, **named))  # kept with what its key names
        answer: Any = self.answers[key][1]
        return answer  # type: ignore[no-any-return]

    def as_written(self, text: MaskedText) -> tuple[str, SpanArray] | None:
        """A text as it was read, before any preparation, and where its tokens are in it; None if it came masked."""
        if text.id not in self.originals or not len(text.spans):
            return None
        spans = text.spans.astype(np.int64)
        if self.record is None:
            return self.originals[text.id].content, spans
        return self.as_read[text.id].content, self.record.original_spans(text.id, spans)


def n_tokens(texts: Texts) -> int:
    return sum(text.n_tokens for text in texts)


def kept_tokens(texts: Texts) -> int | None:
    """How many tokens of several texts masking left as they were; None where that is not known of all."""
    counts = [n_kept(text) for text in texts]
    return None if None in counts else sum(count for count in counts if count is not None)


def shortened(texts: Texts, tokens: int) -> Texts:
    """About so many tokens of several texts: of each as large a share, whole sentences from its beginning."""
    share, cut = tokens / n_tokens(texts), []
    for text in texts:
        ends = np.cumsum([len(sentence) for sentence in text.sentences], dtype=np.int64)
        n = int(np.searchsorted(ends, share * text.n_tokens)) + 1
        left = text.sentences[:n]
        cut.append(replace(text, sentences=left, spans=text.spans[: sum(map(len, left))]))
    return tuple(cut)


def sentences(texts: Texts) -> list[Sentence]:
    """The sentences of several texts, in order."""
    return [sentence for text in texts for sentence in text.sentences]


def by_author(texts: Texts) -> list[Texts]:
    """The texts of each author, authors sorted."""
    authors: dict[str, list[MaskedText]] = {}
    for text in texts:
        authors.setdefault(text.author or "", []).append(text)
    return [tuple(authors[author]) for author in sorted(authors)]


def side(texts: Texts, register: str = "") -> SideSummary:
    """A side of a comparison in numbers, with the register that the case file names."""
    return SideSummary(
        texts=tuple(text.id for text in texts),
        authors=tuple(sorted({text.author for text in texts if text.author is not None})),
        n_tokens=n_tokens(texts),
        n_sentences=sum(text.n_sentences for text in texts),
        n_kept=kept_tokens(texts),
        register=register,
    )


@dataclass(frozen=True)
class Inputs:
    """Everything that a case's comparisons are made of."""

    questioned: Mapping[str, Texts]
    known: Mapping[str, Texts]
    reference: Texts
    originals: Mapping[str, Text]  # as they were masked, after any preparation
    as_read: Mapping[str, Text]  # before preparation, if there was any
    record: PreparationRecord | None
    files: tuple[InputFile, ...]
    masking: str
    changes: tuple[str, ...]  # what reading and preparation changed, a sentence each
    language: str = ENGLISH
    listed: frozenset[str] | None = None  # the words that masking kept, if it had a list
    answers: Answers = field(default_factory=dict, repr=False, compare=False)
    tagging: str = ""  # the ways in which the texts were tagged here; none where they came masked

    @property
    def all(self) -> Texts:
        """Every text, side by side."""
        sides = (*self.questioned.values(), *self.known.values(), self.reference)
        return tuple(text for side in sides for text in side)

    def texts(self, label: str, candidate: str) -> CaseTexts:
        return CaseTexts(
            label=label,
            candidate=candidate,
            q=self.questioned[label],
            k=self.known[candidate],
            reference=self.reference,
            originals=self.originals,
            as_read=self.as_read,
            record=self.record,
            language=self.language,
            listed=self.listed,
            answers=self.answers,
        )


def read_inputs(case: Case, *, workers: int = 1, cache: bool = True) -> Inputs:
    """Reads, prepares and masks every text of a case; what may not be compared is refused.

    Without `cache` no masked text is taken from the cache, and none is kept there.
    """
    sides: dict[str, Any] = {"questioned": case.questioned, "known": case.known, "reference": case.reference}
    return read_sides(case, **sides, workers=workers, cache=cache)


def read_sides(
    case: Case | PlanRequest,
    *,
    questioned: Mapping[str, Side],
    known: Mapping[str, Side],
    reference: Side | None,
    workers: int = 1,
    cache: bool = True,
) -> Inputs:
    """Reads, prepares and masks the sides of a case that are there."""
    kind = "masked" if case.masking == "masked" else "texts"
    files: dict[tuple[str, str], InputFile] = {}
    changes: list[str] = []
    unreadable: list[str] = []  # of every side, so that one does not hide another

    def reading(role: str, side: Side, **named: Any) -> tuple[Any, ...]:
        """The texts of a role under ids of their own; where the user named its author, they are by nobody else."""
        options = role_options(case.reading, **named)
        author = {"author": named.get("author")} if named else {}
        texts: Sequence[Any]
        if isinstance(side, TextsInMemory):
            texts, changed = side.read(options, masked=kind == "masked")
            changes.extend(line for line in changed if line not in changes)
            for text in texts:
                content = text.content if isinstance(text, Text) else "\n".join(map(" ".join, text.sentences))
                files[role, text.id] = InputFile(role, text.id, len(content.encode()), digest(content))
        elif is_masked_corpus(side):
            files[role, side.name] = InputFile.of(side, role=role)
            texts = read_masked(side).texts
        else:
            try:
                result = read(side, options, kind=kind)  # type: ignore[call-overload]
            except InputError as error:  # which names a file of the folder, as several sides may have it
                unreadable.append(f"{role}: {error}")
                return ()
            texts = result.texts
            for text in texts:
                record = text.metadata["reading"]
                files[role, record["file"]] = InputFile(role, record["file"], record["size"], record["sha256"])
            # The first line only counts what was read.
            changes.extend(line for line in result.report.lines()[1:] if line not in changes)
        return tuple(replace(text, id=f"{role}/{text.id}", **author) for text in texts)

    by_role: dict[str, tuple[Any, ...]] = {}
    for label, path in questioned.items():
        by_role[f"questioned/{label}"] = reading(f"questioned/{label}", path, author_from="none")
    for who, path in known.items():
        by_role[f"known/{who}"] = reading(f"known/{who}", path, author=who)
    if reference is not None:
        by_role["reference"] = reading("reference", reference)
    if unreadable:
        raise InputError("\n".join(unreadable))
    if case.reading.metadata is not None:
        table = InputFile.of(case.reading.metadata, role="metadata")
        files["metadata", table.name] = table
    if case.recipe is not None and is_recipe_file(case.recipe):
        files["recipe", ""] = InputFile.of(Path(case.recipe), role="recipe")
    if case.word_list is not None:
        files["word list", ""] = InputFile.of(case.word_list, role="word list")
    if reference is not None:
        by_role["reference"] = _reference(by_role["reference"], known, case.exclude_authors)
    corpus: Corpus[Any] = Corpus(tuple(text for texts in by_role.values() for text in texts))
    as_read: dict[str, Text] = {}
    record = None
    if case.recipe:
        as_read = {text.id: text for text in corpus}
        prepared = _prepared(corpus, case.recipe, by_role)
        corpus, record = prepared.corpus, prepared.record
        changes.append(_what_changed(record, case.recipe))
        if case.language != ENGLISH and (english := find_recipe(case.recipe).english_rules):
            changes.append(f"These steps of the recipe go by rules made for English: {', '.join(english)}.")
    how: dict[str, Any] = {"language": case.language, "model": case.model, "word_list": case.word_list}
    masked, words, ways = corpus.texts, None, set[str]()
    if kind == "masked":
        for name in ("model", "word_list"):
            if how[name] is not None:
                raise InputError(f"The texts are masked already, so {name} would have no effect. Leave it out.")
    elif any(isinstance(text, Text) for text in corpus):
        masking = masking_settings(method=case.masking, **how, clean=case.reading.cleans)
        masked = masked_by(masking, corpus.texts, workers=workers, cache=cache, ways_taken=ways)
        words = masking.word_list
    by_id: dict[str, MaskedText] = {text.id: text for text in masked}

    def masked_of(role: str) -> Texts:
        kept = (by_id[text.id] for text in by_role.get(role, ()) if text.id in by_id)
        return tuple(sorted(kept, key=lambda text: (text.author or "", text.id)))

    return Inputs(
        questioned={label: masked_of(f"questioned/{label}") for label in questioned},
        known={who: masked_of(f"known/{who}") for who in known},
        reference=masked_of("reference"),
        originals={text.id: text for text in corpus if isinstance(text, Text)},
        as_read=as_read,
        record=record,
        files=tuple(files[key] for key in sorted(files)),
        masking=next(iter(by_id.values())).masking,
        changes=tuple(changes),
        language=case.language,
        listed=None if words is None else words.words,
        tagging=", ".join(sorted(ways)),
    )


def role_options(options: ReadingOptions, **named: Any) -> ReadingOptions:
    """How the texts of a role are read, its author `named` by the user; without, as the options say."""
    if not named:
        return options
    # Q and K are the user's word; only the reference's authors are to be found.
    usual = {"author": None, "author_from": "auto", "pattern": None, "author_column": None}
    return replace(options, **{**usual, **named})


def _reference(read_texts: tuple[Any, ...], known: Collection[str], excluded: Sequence[str]) -> tuple[Any, ...]:
    """The reference without the authors who are left out; an error where it cannot be one."""
    authors = {text.author for text in read_texts if text.author is not None}
    for name in excluded:
        if name not in authors:  # a misspelt name would silently leave out nobody
            hint = nearest(name, sorted(authors))
            raise InputError(f"The reference has no author {name} to leave out{hint}. Check the spelling.")
    texts = tuple(text for text in read_texts if text.author not in excluded)
    if not texts:
        raise InputError("The reference has no text left. Name fewer authors to leave out, or add texts.")
    nameless = [text.id for text in texts if text.author is None]
    if nameless:
        raise InputError(
            f"The reference has texts without an author: {some(nameless, 3)}. Validation needs to know who wrote "
            "what; put each author's texts into a folder of their name, or name authors by a pattern or a table of "
            "metadata."
        )
    both = sorted({text.author for text in texts} & set(known))
    if both:
        raise ProblemError(
            f"K and the reference share an author: {', '.join(both)}. The reference stands for other writers; remove "
            f"{both[0]} from it or pass --exclude-author {both[0]!r}."
        )
    return texts


def _prepared(corpus: Corpus[Any], recipe: str, by_role: Mapping[str, tuple[Any, ...]]) -> Prepared:
    if any(isinstance(text, MaskedText) for text in corpus):
        raise InputError("A recipe prepares text before masking, and these texts are masked. Leave the recipe out.")
    prepared = prepare(corpus, recipe)
    kept = {text.id for text in prepared.corpus}
    for role, texts in by_role.items():
        if not any(text.id in kept for text in texts):
            raise InputError(
                f"The recipe {recipe} leaves out every text of {role}. Name another recipe or leave it out."
            )
    return prepared


def _what_changed(record: PreparationRecord, recipe: str) -> str:
    recipe = Path(recipe).name if is_recipe_file(recipe) else recipe  # where it lies is no part of the result
    gone = [text.id for text in record.texts if text.left_out is not None]
    changed = sum(bool(text.changes) for text in record.texts)
    sentence = f"Prepared by the recipe {recipe}: {changed} of {len(record.texts)} texts changed, {len(gone)} left out"
    return sentence + (f" ({some(gone)})." if gone else ".")
