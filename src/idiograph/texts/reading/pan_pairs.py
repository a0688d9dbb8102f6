"""Problems in JSON Lines: PAN's pairs of 2020 and later, and rows with known, unknown and label."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from idiograph.errors import InputError
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.problem_set import TextProblem
from idiograph.texts.reading.raw_text import Origin, make_text, normal_name, unwrap_step
from idiograph.texts.reading.reading_report import Note, ReadingLog
from idiograph.texts.reading.tables import rows, survey, well_formed

_LABELS = {"Y": True, "N": False, True: True, False: False, "true": True, "false": False, "yes": True, "no": False}
# PAN's lists beside a pair, one entry per text, and what they are called here.
_LISTS = {"fandoms": "topic", "discourse_types": "register"}


_Answer = tuple[bool, tuple[str, ...]]  # whether the authors are the same, and who they are, if that is said


def problems_of_pairs(path: Path, options: ReadingOptions, log: ReadingLog) -> Iterator[TextProblem]:
    """The problems of a JSON Lines file, or of a folder with pairs and their truth, in the order of the file."""
    pairs, truth = _files(path, log)
    answers = _answers(truth, options, log) if truth else {}
    source = survey(pairs, pairs.name, options)
    used = set()
    for line, row in rows(pairs, "jsonl", source, options, log):
        try:
            problem = _problem(row, line, source, answers, options)
        except InputError as error:
            log.refuse(f"{pairs.name} line {line}", str(error))
            continue
        if answers and problem.id not in answers:
            log.note(f"{pairs.name} line {line}", f"{truth.name if truth else ''} has no answer for {problem.id}.")
        used.add(problem.id)
        yield problem
    for missing in sorted(set(answers) - used):
        log.note(truth.name if truth else "", f"answers for {missing}, which was not found.")


def _files(path: Path, log: ReadingLog) -> tuple[Path, Path | None]:
    """The file of pairs, and the file of answers that lies beside it, if any."""
    if path.is_dir():
        tables = sorted(file for file in path.iterdir() if _is_lines(file))
        pairs = [file for file in tables if "truth" not in file.name.lower()]
        if len(pairs) != 1:
            raise InputError(
                f"{path} has {len(pairs)} JSON Lines files that could hold the problems"
                f"{' (' + ', '.join(file.name for file in pairs) + ')' if pairs else ''}. Name the file itself."
            )
        log.not_read.extend(
            Note(file.name, "neither pairs nor truth.") for file in sorted(path.iterdir()) if file not in tables
        )
        path = pairs[0]
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".ndjson")
    names = [f"{stem}-truth", f"{stem}_truth", stem.replace("pairs", "truth"), "truth"]
    beside = [path.with_name(f"{name}.jsonl{end}") for name in names if name != stem for end in ("", ".gz")]
    return path, next((file for file in beside if file.is_file()), None)


def _is_lines(file: Path) -> bool:
    return file.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))


def _answers(truth: Path, options: ReadingOptions, log: ReadingLog) -> dict[str, _Answer]:
    answers = {}
    for line, row in rows(truth, "jsonl", survey(truth, truth.name, options), options, log):
        if "id" not in row or row.get("same") not in (True, False):
            log.refuse(
                f"{truth.name} line {line}", "does not give an id and whether the two are the same (true, false)."
            )
            continue
        authors = row.get("authors")
        named = tuple(normal_name(str(author)) for author in authors) if isinstance(authors, list) else ()
        answers[normal_name(str(row["id"]))] = bool(row["same"]), named
    return answers


def _problem(
    row: dict[str, Any], line: int, source: Origin, answers: dict[str, _Answer], options: ReadingOptions
) -> TextProblem:
    id_ = normal_name(str(row.get("id", f"{source.file}#{line}")))
    same, named = answers.get(id_, (None, ()))
    if "pair" in row:
        contents = row["pair"]
        if not _is_list(contents, 2):
            raise InputError("has a pair that is not a list of two texts.")
    elif isinstance(row.get("known"), list) and row["known"] and "unknown" in row:
        contents = [*row["known"], row["unknown"]]
    else:
        raise InputError(
            f"has neither a pair nor a list of known texts with an unknown one; its fields are {', '.join(row)}."
        )
    label = _label(row) if same is None else same
    authors = named if len(named) == 2 else (None, None)
    rest = {key: value for key, value in row.items() if key not in ("id", "pair", "known", "unknown", "label", *_LISTS)}
    texts = []
    for place, content in enumerate(contents):
        last = place == len(contents) - 1
        name = "unknown" if last else f"known{place + 1}"
        if not isinstance(content, str):
            raise InputError(f"has {content!r} where the text {name} should be.")
        listed = {plain: row[key][place] for key, plain in _LISTS.items() if _is_list(row.get(key), len(contents))}
        try:
            text = make_text(
                str(PurePosixPath(id_) / name),
                well_formed(content),
                author=authors[last],
                metadata={**rest, **listed, "problem": id_, "role": "unknown" if last else "known"},
                source=source,
                steps=[unwrap_step(options)],
                place=f"line {line}, {name}",
            )
        except InputError as error:
            raise InputError(f"cannot be used: {name} {error}") from error
        texts.append(text)
    return TextProblem(id_, tuple(texts[:-1]), texts[-1], label)


def _is_list(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length


def _label(row: dict[str, Any]) -> bool | None:
    label = row.get("label", row.get("same"))
    if label is None:
        return None
    known = label if isinstance(label, bool) else str(label)
    if known not in _LABELS:
        raise InputError(f"has the label {label!r}, which is neither Y nor N.")
    return _LABELS[known]
