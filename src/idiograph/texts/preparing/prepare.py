"""prepare: a corpus and a recipe to a prepared corpus and the record of all that was done."""

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from idiograph.checking import check, wrong_type
from idiograph.errors import InputError, some
from idiograph.progress import progress
from idiograph.provenance import digest
from idiograph.texts.edits import apply
from idiograph.texts.preparing.recipes import Recipe, Step, find_recipe
from idiograph.texts.preparing.record import PreparationRecord, Prepared, StepReport, TextChange, TextHistory
from idiograph.texts.preparing.steps import STEPS, Outcome
from idiograph.texts.text import Corpus, Text
from idiograph.texts.words import count_words


def prepare(corpus: Corpus[Text] | Iterable[Text], recipe: str | Path | Recipe) -> Prepared:
    """The `corpus` after every step of the `recipe` (a name, a TOML file or a Recipe), texts in their old order."""
    corpus = _texts_of(corpus)
    recipe = find_recipe(check(recipe, str | PathLike | Recipe, "The recipe"))
    if not len(corpus):
        raise InputError("The corpus has no text, so there is nothing to prepare. Check what was read.")
    for text in corpus:
        try:
            text.content.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"The text {text.id} has half a character (a surrogate at position {error.start}), which no file can "
                "hold. It was decoded wrongly: read it again with the right encoding."
            ) from error
    kept = {text.id: text for text in corpus}
    n_words = {text.id: count_words(text.content) for text in corpus}
    left_out: dict[str, Text] = {}
    changes: dict[str, list[TextChange]] = {text.id: [] for text in corpus}
    before = _report("", Outcome(), kept.values(), n_words)
    reports = []
    for number, step in enumerate(recipe.steps, 1):
        outcome = _taken(step, Corpus(tuple(kept.values())).sorted().texts)
        for id_, text in kept.items():
            edits, metadata = outcome.edits.get(id_, ()), outcome.metadata.get(id_, {})
            if edits or metadata or id_ in outcome.removed:
                earlier = {key: text.metadata[key] for key in metadata if key in text.metadata}
                changes[id_].append(TextChange(number, edits, outcome.removed.get(id_), metadata, earlier))
                content = apply(text.content, edits)
                kept[id_] = replace(text, content=content, metadata={**text.metadata, **metadata})
                n_words[id_] = count_words(content) if edits else n_words[id_]
        for id_ in outcome.removed:
            left_out[id_] = kept.pop(id_)
        reports.append(_report(step.name, outcome, kept.values(), n_words))
    if empty := sorted(text.id for text in kept.values() if not text.content.strip()):
        note = f"Nothing is left of {len(empty)} texts ({some(empty)}); the step text_length removes those."
        reports[-1] = replace(reports[-1], notes=(*reports[-1].notes, note))
    histories = [
        TextHistory(
            text.id,
            sha256=digest(text.content),
            prepared_sha256=digest((left_out.get(text.id) or kept[text.id]).content),
            changes=tuple(changes[text.id]),
            left_out=left_out.get(text.id),
        )
        for text in corpus
    ]
    return Prepared(Corpus(tuple(kept.values())), PreparationRecord(recipe, before, tuple(reports), tuple(histories)))


def _texts_of(corpus: Any) -> Corpus[Text]:
    """A corpus, or texts in a list, none of them masked yet."""
    if isinstance(corpus, str | PathLike):
        raise InputError(f"The corpus is {str(corpus)!r}. Read it first: idiograph.prepare(idiograph.read(…), recipe).")
    texts: Corpus[Text] = corpus if isinstance(corpus, Corpus) else Corpus(corpus)
    for text in texts:
        if not isinstance(text, Text):
            raise wrong_type(f"The text {text.id}", text, "a Text, since what is masked cannot be prepared any more")
    return texts


def _taken(step: Step, texts: tuple[Text, ...]) -> Outcome:
    kind = STEPS[step.name]
    if kind.on_corpus:
        outcome: Outcome = kind.function(texts, **step.settings)
        return outcome
    edits = {}
    with progress(f"Preparing: {step.name}", total=len(texts), unit="texts") as advance:
        for text in texts:
            if changes := kind.function(text.content, **step.settings):
                edits[text.id] = changes
            advance()
    return Outcome(edits=edits)


def _report(step: str, outcome: Outcome, kept: Iterable[Text], n_words: dict[str, int]) -> StepReport:
    texts = list(kept)
    return StepReport(
        step=step,
        texts_changed=len(outcome.edits.keys() | outcome.metadata.keys()),
        edits=sum(map(len, outcome.edits.values())),
        texts_removed=len(outcome.removed),
        texts=len(texts),
        authors=len({text.author for text in texts} - {None}),
        tokens=sum(n_words[text.id] for text in texts),
        figures=outcome.figures,
        notes=outcome.notes,
    )
