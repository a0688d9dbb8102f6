"""A prepared corpus on disk: corpus.jsonl, record.jsonl, summary.json and recipe.toml, written whole or not at all."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from idiograph.checks import checked, in_order, parsed_json
from idiograph.errors import InputError
from idiograph.files import recover, whole_folder
from idiograph.progress import progress
from idiograph.provenance import versions
from idiograph.texts.preparing.prepare import Prepared
from idiograph.texts.preparing.recipes import Recipe
from idiograph.texts.preparing.record import PreparationRecord, StepReport, TextChange, TextHistory
from idiograph.texts.text import Corpus, Text

SCHEMA = 1
CORPUS, RECORD, SUMMARY, RECIPE = "corpus.jsonl", "record.jsonl", "summary.json", "recipe.toml"


def save(prepared: Prepared, folder: Path, *, force: bool = False) -> None:
    """Writes the prepared corpus, its record, a summary and the recipe to a new folder."""
    record = prepared.record
    with whole_folder(folder, force=force) as part:
        _write(part / CORPUS, map(text_json, prepared.corpus), total=len(prepared.corpus))
        _write(part / RECORD, _record_lines(record), total=len(record.texts) + 1)
        (part / SUMMARY).write_text(f"{_dumps(summary(record), indent=1)}\n", encoding="utf-8")
        (part / RECIPE).write_text(record.recipe.toml(), encoding="utf-8")


def save_corpus(corpus: Corpus[Text], folder: Path, *, force: bool = False) -> None:
    """Writes a corpus alone, in the form of the prepared one."""
    with whole_folder(folder, force=force) as part:
        _write(part / CORPUS, map(text_json, corpus), total=len(corpus))


def load(folder: Path) -> Prepared:
    """The prepared corpus and its record as `save` wrote them."""
    recover(folder)
    header, *lines = _lines_of(folder / RECORD) or [{}]
    if header.get("schema") != SCHEMA:
        raise InputError(f"{folder / RECORD} does not begin with the header of a record. Prepare the texts again.")
    try:
        record = PreparationRecord(
            recipe=Recipe.from_json(checked(header["recipe"], dict, "recipe"), where=str(folder / RECORD)),
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
            edits = f" ({_counted(report.edits, 'edit')})" if report.edits else ""
            done.append(f"{_counted(report.texts_changed, 'text')} changed{edits}")
        if report.texts_removed:
            done.append(f"{_counted(report.texts_removed, 'text')} left out")
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


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
    checked(line, dict, "A text")
    return Text(line["id"], line["text"], line["author"], line["metadata"])


def _step_report(line: dict[str, Any]) -> StepReport:
    checked(line, dict, "The report on a step")
    return StepReport(**line | {"notes": tuple(line["notes"])})


def _dumps(value: Any, *, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _write(path: Path, lines: Iterable[dict[str, Any]], *, total: int) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file, progress(path.name, total=total, unit="lines") as step:
        for line in lines:
            try:
                file.write(f"{_dumps(line)}\n")
            except (TypeError, ValueError) as error:
                raise InputError(
                    f"The metadata of {line.get('id')} cannot be written as JSON ({error}). Use strings and numbers."
                ) from error
            step()


def _lines_of(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            return [_entry(path, number, line) for number, line in enumerate(file, 1)]
    except OSError as error:
        raise InputError(
            f"{path} could not be read ({error.strerror or error}). Name a folder that idiograph prepare has written."
        ) from error


def _entry(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        return dict(checked(parsed_json(line), dict, "a line"))
    except (ValueError, InputError) as error:
        raise InputError(
            f"{path} is damaged in line {number} ({str(error).rstrip('.')}). Prepare the texts again."
        ) from error
