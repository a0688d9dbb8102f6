"""What preparation did: for every text its edits, step by step, so that each can be shown, followed back and undone.

A prepared corpus on disk: corpus.jsonl, record.jsonl, summary.json and recipe.toml, written whole or not at all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from idiograph.checking import check, in_order, whole_number
from idiograph.errors import InputError, counted
from idiograph.files import refuse_left_hidden, refuse_links, whole_folder
from idiograph.progress import progress
from idiograph.provenance import digest, versions
from idiograph.records import parsed_json, record_line, record_text
from idiograph.showing import one_line
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
        check(self.removed, str | None, "The reason of a change")
        check(self.metadata, Mapping, "The metadata of a change")
        check(self.before, Mapping, "The earlier metadata of a change")


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
            check(getattr(self, name), str, f"{name} of a text's history")


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
        check(self.step, str, "The name of a step")
        for name in ("texts_changed", "edits", "texts_removed", "texts", "authors", "tokens"):
            whole_number(getattr(self, name), f"{name} of a step", least=0)
        for name, figure in check(self.figures, Mapping, "The figures of a step").items():
            check(figure, int | float, f"The figure {name} of a step")
        in_order(self.notes, "The notes of a step", "strings", lambda note: isinstance(note, str))


@one_line
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


@one_line
@dataclass(frozen=True)
class Prepared:
    """A prepared corpus and the record that leads back to the original."""

    corpus: Corpus[Text]
    record: PreparationRecord

    def __post_init__(self) -> None:
        check(self.corpus, Corpus, "The corpus of a preparation")
        check(self.record, PreparationRecord, "The record of a preparation")

    def restored(self) -> Corpus[Text]:
        """The corpus as it was before preparation.

        Texts left out are in it too, in the old order. Each text is compared with the digest taken before preparation.
        """
        prepared = {text.id: text for text in self.corpus}
        originals = []
        for history in self.record.texts:
            text = history.left_out or prepared.pop(history.id, None)
            if text is None:
                raise InputError(f"The text {history.id} is in the record but not in the prepared corpus. Put it back.")
            if digest(text.content) != history.prepared_sha256:
                raise InputError(
                    f"The text {history.id} has been changed since it was prepared, so its edits cannot be undone. "
                    "Use the corpus that was written together with the record."
                )
            content, metadata = text.content, dict(text.metadata)
            for change in reversed(history.changes):
                content = apply(content, inverse(change.edits))
                untouched = {key: value for key, value in metadata.items() if key not in change.metadata}
                metadata = {**untouched, **change.before}
            original = Text(text.id, content, text.author, metadata)
            if digest(original.content) != history.sha256:
                raise InputError(f"The record of {history.id} does not lead back to the original. It has been changed.")
            originals.append(original)
        if prepared:
            raise InputError(f"The record knows nothing of the text {min(prepared)}. It belongs to another corpus.")
        return Corpus(tuple(originals))


SCHEMA = 1
CORPUS, RECORD, SUMMARY, RECIPE = "corpus.jsonl", "record.jsonl", "summary.json", "recipe.toml"


def save(prepared: Prepared, folder: Path, *, force: bool = False) -> None:
    """Writes the prepared corpus, its record, a summary and the recipe to a new folder."""
    record = prepared.record
    with whole_folder(folder, force=force) as part:
        _write(part / CORPUS, map(text_json, prepared.corpus), total=len(prepared.corpus))
        _write(part / RECORD, _record_lines(record), total=len(record.texts) + 1)
        (part / SUMMARY).write_text(record_text(summary(record)), encoding="utf-8")
        (part / RECIPE).write_text(record.recipe.toml(), encoding="utf-8")


def save_corpus(corpus: Corpus[Text], folder: Path, *, force: bool = False) -> None:
    """Writes a corpus alone, in the form of the prepared one."""
    with whole_folder(folder, force=force) as part:
        _write(part / CORPUS, map(text_json, corpus), total=len(corpus))


def load(folder: Path) -> Prepared:
    """The prepared corpus and its record as `save` wrote them."""
    refuse_left_hidden(folder)
    refuse_links(folder, (RECORD, CORPUS))
    header, *lines = _lines_of(folder / RECORD) or [{}]
    if header.get("schema") != SCHEMA:
        raise InputError(f"{folder / RECORD} does not begin with the header of a record. Prepare the texts again.")
    try:
        record = PreparationRecord(
            recipe=Recipe.from_json(check(header["recipe"], dict, "recipe"), where=str(folder / RECORD)),
            before=_step_report(header["before"]),
            steps=tuple(map(_step_report, header["steps"])),
            texts=tuple(map(_history, lines)),
        )
        corpus = Corpus(tuple(map(_text, _lines_of(folder / CORPUS))))
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"The prepared folder {folder} is damaged: {reason}. Prepare the texts again.") from error
    except InputError as error:
        raise InputError(f"The prepared folder {folder} is damaged. {error} Prepare the texts again.") from error
    return Prepared(corpus, record)


def summary(record: PreparationRecord) -> dict[str, Any]:
    """What was done, without the texts: for reading and for results that build on it."""
    return {
        "schema": SCHEMA,
        "recipe": record.recipe.name,
        "recipe_sha256": record.recipe.digest,
        "versions": _versions(),
        **{
            when: {"texts": report.texts, "authors": report.authors, "tokens": report.tokens}
            for when, report in (("before", record.before), ("after", record.steps[-1]))
        },
        "steps": [
            asdict(report) | {"settings": dict(step.settings)}
            for report, step in zip(record.steps, record.recipe.steps, strict=True)
        ],
    }


def summary_lines(record: PreparationRecord) -> Iterator[str]:
    """The summary for people: one line per step, then its figures and notes."""
    before, after = record.before, record.steps[-1]
    yield f"Recipe {record.recipe.name or '(unnamed)'}, {len(record.steps)} steps, sha256 {record.recipe.digest[:12]}…"
    for number, report in enumerate(record.steps, 1):
        done = []
        if report.texts_changed:
            edits = f" ({counted(report.edits, 'edit')})" if report.edits else ""
            done.append(f"{counted(report.texts_changed, 'text')} changed{edits}")
        if report.texts_removed:
            done.append(f"{counted(report.texts_removed, 'text')} left out")
        done += [f"{name.replace('_', ' ')} {round(value, 1):,}" for name, value in report.figures.items()]
        yield f"{number:>3} {report.step:<20} {', '.join(done) or 'nothing to do'}"
        yield from (f"    {note}" for note in report.notes)
    yield (
        f"Texts {before.texts:,} -> {after.texts:,}, authors {before.authors:,} -> {after.authors:,}, "
        f"tokens {before.tokens:,} -> {after.tokens:,}."
    )


def text_json(text: Text) -> dict[str, Any]:
    """A line of corpus.jsonl."""
    return {"id": text.id, "author": text.author, "text": text.content, "metadata": dict(text.metadata)}


def _versions() -> dict[str, str]:
    """With the library whose min-hashes decide which near-duplicates are found."""
    return versions() | {"datasketch": metadata.version("datasketch")}


def _record_lines(record: PreparationRecord) -> Iterator[dict[str, Any]]:
    yield {
        "schema": SCHEMA,
        "recipe": record.recipe.as_json(),
        "recipe_sha256": record.recipe.digest,
        "before": asdict(record.before),
        "steps": [asdict(report) for report in record.steps],
        "versions": _versions(),
    }
    for history in record.texts:
        line: dict[str, Any] = {"id": history.id, "sha256": history.sha256, "prepared_sha256": history.prepared_sha256}
        line["changes"] = [
            # What a change does not have is not written: most have edits alone.
            {key: value for key, value in vars(change).items() if value not in ((), {}, None)}
            for change in history.changes
        ]
        if history.left_out is not None:
            line["left_out"] = text_json(history.left_out)
        yield line


def _history(line: dict[str, Any]) -> TextHistory:
    changes = [
        TextChange(**change | {"edits": tuple(map(tuple, change.get("edits", ())))})
        for change in in_order(line["changes"], "changes", "objects", lambda change: isinstance(change, dict))
    ]
    left_out = _text(line["left_out"]) if "left_out" in line else None
    return TextHistory(line["id"], line["sha256"], line["prepared_sha256"], tuple(changes), left_out)


def _text(line: dict[str, Any]) -> Text:
    check(line, dict, "A text")
    return Text(line["id"], line["text"], line["author"], line["metadata"])


def _step_report(line: dict[str, Any]) -> StepReport:
    check(line, dict, "The report on a step")
    return StepReport(**line | {"notes": tuple(line["notes"])})


def _write(path: Path, lines: Iterable[dict[str, Any]], *, total: int) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file, progress(path.name, total=total, unit="lines") as step:
        for line in lines:
            try:
                file.write(f"{record_line(line)}\n")
            except (TypeError, ValueError) as error:
                raise InputError(
                    f"The metadata of {line.get('id')} cannot be written as JSON ({error}). Use strings and numbers."
                ) from error
            step()


def _lines_of(path: Path) -> list[dict[str, Any]]:
    entries = []
    try:
        with path.open("rb") as file:
            for line in file:
                entries.append(check(parsed_json(line), dict, "a line"))
    except OSError as error:
        raise InputError(
            f"{path} could not be read ({error.strerror or error}). Name a folder that idiograph prepare has written."
        ) from error
    except (ValueError, InputError) as error:
        raise InputError(
            f"{path} is damaged in line {len(entries) + 1} ({str(error).rstrip('.')}). Prepare the texts again."
        ) from error
    return entries
