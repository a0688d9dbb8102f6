"""Verification problems as they are published: known texts, an unknown one, and the answer where it is given.

PAN's sets of 2013 to 2015 and sets like them have a folder per problem with known*, unknown* and truth.txt; PAN's pairs
of 2020 and later, and rows with known, unknown and label, come in JSON Lines.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from idiograph.checking import check, in_order
from idiograph.errors import InputError
from idiograph.records import parsed_json
from idiograph.showing import one_line
from idiograph.texts.reading.decoding import bytes_of, decoded
from idiograph.texts.reading.file_kinds import SourceFile, kind_of
from idiograph.texts.reading.folders import walk
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.report import (
    RECORD,
    Note,
    Origin,
    ReadingLog,
    ReadingReport,
    make_text,
    normal_name,
    unwrap_step,
)
from idiograph.texts.reading.tables import plain_text, rows, survey, well_formed
from idiograph.texts.text import Corpus, Text


@one_line
@dataclass(frozen=True)
class TextProblem:
    """Were these known texts and this questioned one written by the same person? None where nobody says."""

    id: str
    k: tuple[Text, ...]
    q: Text
    same_author: bool | None = None

    def __post_init__(self) -> None:
        check(self.id, str, "The id of a problem")
        known = in_order(self.k, "The known texts of a problem", "texts", lambda text: isinstance(text, Text))
        object.__setattr__(self, "k", known)
        check(self.q, Text, "The questioned text of a problem")
        check(self.same_author, bool | None, "same_author")


@one_line
@dataclass(frozen=True)
class ProblemSet:
    """Problems in the order of their ids, with the report on how they were read.

    `problems` has each with its known texts, its questioned text and the answer; `report` says how they were read.
    """

    problems: tuple[TextProblem, ...]
    report: ReadingReport = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        problems = in_order(self.problems, "The problems", "problems", lambda problem: isinstance(problem, TextProblem))
        object.__setattr__(self, "problems", problems)
        check(self.report, ReadingReport, "The report of a problem set")

    def __len__(self) -> int:
        return len(self.problems)

    @cached_property
    def texts(self) -> Corpus[Text]:
        """All texts, problem by problem, known ones first."""
        return Corpus(tuple(text for problem in self.problems for text in (*problem.k, problem.q)))


_ROLE = re.compile(r"(known|unknown)(?![a-z])", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\[([^\]]+)\]")
_VERSUS = re.compile(r"(?P<k>[^\[\]]+?)\s+vs\.?\s+(?P<q>[^\[\]]+)", re.IGNORECASE)
_ANSWERS = {"y": True, "yes": True, "true": True, "1": True, "n": False, "no": False, "false": False, "0": False}


_Files = dict[str, list[SourceFile]]  # the files of a problem's folder by their role


def role_by_name(name: str) -> str | None:
    """known or unknown by a file's name, or None."""
    role = _ROLE.match(name) if kind_of(name) == "text" else None
    return role[1].lower() if role else None


def problems_of_folder(path: Path, options: ReadingOptions, log: ReadingLog) -> Iterator[TextProblem]:
    """The problems below a folder, in the order of their names."""
    folders: dict[PurePosixPath, _Files] = defaultdict(lambda: {"known": [], "unknown": []})
    truths: dict[PurePosixPath, dict[str, bool]] = {}
    for file, relative in walk(path, log):
        role = role_by_name(file.name)
        if role is not None:
            folders[relative.parent][role].append(SourceFile(file, relative, "text"))
        elif file.name.lower() == "truth.txt":
            truths[relative.parent] = _truth(file, str(relative), options)
        elif file.name.lower() == "contents.json":
            _compare_with_contents(path, file, relative, log)
        else:
            log.not_read.append(Note(str(relative), "neither known*, unknown* nor truth.txt."))
    if not folders:
        raise InputError(
            f"{path} has no folder with known*.txt and unknown*.txt, so it is not a problem set in PAN's folder format."
        )
    for folder, answers in sorted(truths.items()):
        for missing in sorted(set(answers) - {relative.name for relative in folders if relative.parent == folder}):
            log.note(str(folder / "truth.txt"), f"answers for {missing}, which was not found.")
    for relative in sorted(folders, key=lambda relative: relative.parts):
        name = relative.name or path.resolve().name
        answers = truths.get(relative.parent, {}) if relative.name else {}
        try:
            yield _problem(str(relative) if relative.name else name, name, folders[relative], answers, options, log)
        except InputError as error:
            log.refuse(str(relative), str(error))


def _problem(
    id_: str, name: str, files: _Files, answers: Mapping[str, bool], options: ReadingOptions, log: ReadingLog
) -> TextProblem:
    if not files["known"] or len(files["unknown"]) != 1:
        raise InputError(
            f"has {len(files['known'])} known and {len(files['unknown'])} unknown texts. A problem needs known texts "
            "and exactly one unknown text."
        )
    versus = _VERSUS.search(name)
    k = tuple(_text(file, id_, "known", versus and versus["k"], options) for file in files["known"])
    q = _text(files["unknown"][0], id_, "unknown", versus and versus["q"], options)
    same_author = _answer(name, k, q, answers, log)
    candidates = {text.author for text in k}
    if len(candidates) > 1:
        raise InputError(
            f"has known texts by several authors: {', '.join(sorted(map(str, candidates)))}. K must be by one author."
        )
    if same_author and q.author is None:
        q = replace(q, author=k[0].author)
    return TextProblem(id_, k, q, same_author)


def _text(file: SourceFile, problem: str, role: str, author: str | None, options: ReadingOptions) -> Text:
    """A text of a problem; `[author - title]` in its name says who wrote it, else the folder's `A vs B` does."""
    try:
        text = plain_text(file, None, {"problem": problem, "role": role}, options)
    except InputError as error:
        raise InputError(f"cannot be used: {file.relative.name} {error}") from error
    bracketed = _IN_BRACKETS.search(file.relative.name)
    if bracketed:
        author, _, title = bracketed[1].partition(" - ")
        text = replace(text, metadata={**text.metadata, **({"title": normal_name(title)} if title else {})})
    return replace(text, author=normal_name(author) if author else None)


def _answer(name: str, k: tuple[Text, ...], q: Text, answers: Mapping[str, bool], log: ReadingLog) -> bool | None:
    """The answer of truth.txt; where it is silent, what the names of both authors say."""
    by_names = None if k[0].author is None or q.author is None else k[0].author == q.author
    if name not in answers:
        if answers:
            log.note(q.metadata[RECORD]["file"], f"truth.txt has no answer for {name}.")
        return by_names
    if by_names is not None and by_names != answers[name]:
        raise InputError(
            f"is answered {'Y' if answers[name] else 'N'} in truth.txt, but its names say {k[0].author} and "
            f"{q.author}. One of the two is wrong: correct it."
        )
    return answers[name]


def _truth(file: Path, where: str, options: ReadingOptions) -> dict[str, bool]:
    """The answers of a truth.txt: a problem's name, a blank, Y or N on each line."""
    answers = {}
    try:
        content, _ = decoded(bytes_of(file), options)
    except InputError as error:
        raise InputError(f"{where} {error}") from error
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        name, _, answer = line.strip().replace("\t", " ").rpartition(" ")
        if answer.lower() not in _ANSWERS or not name.strip():
            raise InputError(f"{where} line {number}: {line.strip()!r} is not a problem's name followed by Y or N.")
        if normal_name(name) in answers:
            raise InputError(f"{where} line {number}: {normal_name(name)} is answered twice. Remove one of the lines.")
        answers[normal_name(name)] = _ANSWERS[answer.lower()]
    return answers


def _compare_with_contents(root: Path, file: Path, relative: PurePosixPath, log: ReadingLog) -> None:
    """Problems that contents.json lists and the folder lacks are refused."""
    try:
        listed = parsed_json(bytes_of(file).decode("utf-8-sig"))["problems"]
        names = in_order(listed, "problems", "names", lambda name: isinstance(name, str))
    except (ValueError, KeyError, TypeError, InputError) as error:
        log.note(str(relative), f"could not be used ({error}); the folders themselves were read.")
        return
    for name in names:
        if not (root / relative.parent / str(name)).is_dir():
            log.refuse(str(relative), f"lists the problem {name}, which has no folder. Supply it or correct the list.")


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
            problem = _pair_problem(row, line, source, answers, options)
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
        endings = (".jsonl", ".ndjson")
        tables = sorted(file for file in path.iterdir() if file.name.lower().removesuffix(".gz").endswith(endings))
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


def _pair_problem(
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
    for number, content in enumerate(contents):
        last = number == len(contents) - 1
        name = "unknown" if last else f"known{number + 1}"
        if not isinstance(content, str):
            raise InputError(f"has {content!r} where the text {name} should be.")
        listed = {plain: row[key][number] for key, plain in _LISTS.items() if _is_list(row.get(key), len(contents))}
        try:
            text = make_text(
                str(PurePosixPath(id_) / name),
                well_formed(content),
                author=authors[last],
                metadata={**rest, **listed, "problem": id_, "role": "unknown" if last else "known"},
                source=source,
                options=options,
                steps=[unwrap_step(options)],
                where=f"line {line}, {name}",
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
