"""What preparation did: for every text its edits, step by step, so that each can be shown, followed back and undone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from idiograph.checks import checked, in_order, whole_number
from idiograph.errors import InputError
from idiograph.provenance import digest
from idiograph.texts.edits import Edits, SpanArray, apply, inverse, spans_before
from idiograph.texts.preparing.recipes import Recipe
from idiograph.texts.text import Corpus, Text


@dataclass(frozen=True)
class TextChange:
    """What one step (by its number, from 1) did to one text.

    `removed` is the reason why the text was left out. `metadata` holds the entries it set, `before` those of them
    that had another value.
    """

    step: int
    edits: Edits = ()
    removed: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole_number(self.step, "The step of a change", least=1)
        in_order(self.edits, "The edits of a change", "triples of a place and two strings", _is_edit)
        checked(self.removed, str | None, "The reason of a change")
        checked(self.metadata, Mapping, "The metadata of a change")
        checked(self.before, Mapping, "The earlier metadata of a change")


@dataclass(frozen=True)
class TextHistory:
    """The history of one text. `left_out` is the text as it was when a step left it out, None if it stayed."""

    id: str
    sha256: str
    prepared_sha256: str
    changes: tuple[TextChange, ...] = ()
    left_out: Text | None = None

    def __post_init__(self) -> None:
        for name in ("id", "sha256", "prepared_sha256"):
            checked(getattr(self, name), str, f"{name} of a text's history")


@dataclass(frozen=True)
class StepReport:
    """What one step did to the corpus, in numbers; tokens are words as the steps count them."""

    step: str
    texts_changed: int
    edits: int
    texts_removed: int
    texts: int
    authors: int
    tokens: int
    figures: Mapping[str, int | float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked(self.step, str, "The name of a step")
        for name in ("texts_changed", "edits", "texts_removed", "texts", "authors", "tokens"):
            whole_number(getattr(self, name), f"{name} of a step", least=0)
        for name, figure in checked(self.figures, Mapping, "The figures of a step").items():
            checked(figure, int | float, f"The figure {name} of a step")
        in_order(self.notes, "The notes of a step", "strings", lambda note: isinstance(note, str))


@dataclass(frozen=True)
class PreparationRecord:
    """The recipe, what each step did, and the history of every text in the order in which they came."""

    recipe: Recipe
    before: StepReport  # the corpus as it came: nothing changed yet
    steps: tuple[StepReport, ...]
    texts: tuple[TextHistory, ...]

    def __post_init__(self) -> None:
        n_steps = len(self.recipe.steps)
        if len(self.steps) != n_steps:
            raise InputError(f"The record has reports on {len(self.steps)} steps, and its recipe has {n_steps} steps.")
        if any(change.step > n_steps for text in self.texts for change in text.changes):
            raise InputError(f"The record has a change by a step after the last one, which is step {n_steps}.")

    @cached_property
    def _by_id(self) -> dict[str, TextHistory]:
        return {text.id: text for text in self.texts}

    def text(self, text_id: str) -> TextHistory:
        """The history of the text with this id."""
        if text_id not in self._by_id:
            raise InputError(f"The record has no text with the id {text_id}. It has {len(self.texts)} texts.")
        return self._by_id[text_id]

    def original_spans(self, text_id: str, spans: SpanArray) -> SpanArray:
        """Where the characters of each (start, end) of a prepared text were in the text as it was read."""
        for change in reversed(self.text(text_id).changes):
            spans = spans_before(change.edits, spans)
        return spans

    def diff(self, text_id: str) -> Iterator[str]:
        """A line for each change of a text: the step, where, what stood there and what stands there now."""
        for change in self.text(text_id).changes:
            name = f"{change.step} {self.recipe.steps[change.step - 1].name}"
            for start, removed, inserted in change.edits:
                yield f"{name}, at {start}: {removed!r} -> {inserted!r}"
            for key, value in change.metadata.items():
                yield f"{name}, {key}: {change.before.get(key)!r} -> {value!r}"
            if change.removed is not None:
                yield f"{name}, left out: {change.removed}"


def _is_edit(value: Any) -> bool:
    return isinstance(value, tuple) and tuple(map(type, value)) == (int, str, str)


def restore(corpus: Corpus[Text], record: PreparationRecord) -> Corpus[Text]:
    """The corpus as it was before preparation, texts left out included, in its old order.

    Each text is compared with the digest taken before preparation.
    """
    prepared = {text.id: text for text in corpus}
    originals = []
    for history in record.texts:
        text = history.left_out or prepared.pop(history.id, None)
        if text is None:
            raise InputError(f"The text {history.id} is in the record but not in the prepared corpus. Put it back.")
        if digest(text.content) != history.prepared_sha256:
            raise InputError(
                f"The text {history.id} has been changed since it was prepared, so its edits cannot be undone. "
                "Use the corpus that was written together with the record."
            )
        original = _undone(text, history)
        if digest(original.content) != history.sha256:
            raise InputError(f"The record of {history.id} does not lead back to the original. It has been changed.")
        originals.append(original)
    if prepared:
        raise InputError(f"The record knows nothing of the text {min(prepared)}. It belongs to another corpus.")
    return Corpus(tuple(originals))


def _undone(text: Text, history: TextHistory) -> Text:
    content, metadata = text.content, dict(text.metadata)
    for change in reversed(history.changes):
        content = apply(content, inverse(change.edits))
        metadata = {key: value for key, value in metadata.items() if key not in change.metadata} | dict(change.before)
    return Text(text.id, content, text.author, metadata)
