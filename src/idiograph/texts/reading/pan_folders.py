"""PAN problem sets of 2013 to 2015 and sets like them: one folder per problem with known*, unknown* and truth.txt."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from idiograph.checks import in_order, parsed_json
from idiograph.errors import InputError
from idiograph.texts.reading.decoding import bytes_of, decoded
from idiograph.texts.reading.folders import walk
from idiograph.texts.reading.options import ReadingOptions
from idiograph.texts.reading.plain import plain_text
from idiograph.texts.reading.problem_set import TextProblem
from idiograph.texts.reading.raw_text import RECORD, normal_name
from idiograph.texts.reading.reading_report import Note, ReadingLog
from idiograph.texts.reading.source_file import SourceFile, kind_of
from idiograph.texts.text import Text

_ROLE = re.compile(r"(known|unknown)(?![a-z])", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\[([^\]]+)\]")
_VERSUS = re.compile(r"(?P<k>[^\[\]]+?)\s+vs\.?\s+(?P<q>[^\[\]]+)", re.IGNORECASE)
_ANSWERS = {"y": True, "yes": True, "true": True, "1": True, "n": False, "no": False, "false": False, "0": False}


_Files = dict[str, list[SourceFile]]  # the files of a problem's folder by their role


def role_of(name: str) -> str | None:
    """known or unknown by a file's name, or None."""
    found = _ROLE.match(name) if kind_of(name) == "text" else None
    return found[1].lower() if found else None


def problems_of_folder(path: Path, options: ReadingOptions, log: ReadingLog) -> Iterator[TextProblem]:
    """The problems below a folder, in the order of their names."""
    folders: dict[PurePosixPath, _Files] = defaultdict(lambda: {"known": [], "unknown": []})
    truths: dict[PurePosixPath, dict[str, bool]] = {}
    for file, place in walk(path, log):
        role = role_of(file.name)
        if role is not None:
            folders[place.parent][role].append(SourceFile(file, place, "text"))
        elif file.name.lower() == "truth.txt":
            truths[place.parent] = _truth(file, str(place), options, log)
        elif file.name.lower() == "contents.json":
            _compare_with_contents(path, file, place, log)
        else:
            log.not_read.append(Note(str(place), "neither known*, unknown* nor truth.txt."))
    if not folders:
        raise InputError(
            f"{path} has no folder with known*.txt and unknown*.txt, so it is not a problem set in PAN's folder format."
        )
    for folder, answers in sorted(truths.items()):
        for missing in sorted(set(answers) - {place.name for place in folders if place.parent == folder}):
            log.note(str(folder / "truth.txt"), f"answers for {missing}, which was not found.")
    for place in sorted(folders, key=lambda place: place.parts):
        name = place.name or path.resolve().name
        answers = truths.get(place.parent, {}) if place.name else {}
        try:
            yield _problem(str(place) if place.name else name, name, folders[place], answers, options, log)
        except InputError as error:
            log.refuse(str(place), str(error))


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
        raise InputError(f"cannot be used: {file.place.name} {error}") from error
    bracketed = _IN_BRACKETS.search(file.place.name)
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


def _truth(file: Path, place: str, options: ReadingOptions, log: ReadingLog) -> dict[str, bool]:
    """The answers of a truth.txt: a problem's name, a blank, Y or N on each line."""
    answers = {}
    try:
        content, _ = decoded(bytes_of(file), options.encoding)
    except InputError as error:
        raise InputError(f"{place} {error}") from error
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        name, _, answer = line.strip().replace("\t", " ").rpartition(" ")
        if answer.lower() not in _ANSWERS or not name.strip():
            raise InputError(f"{place} line {number}: {line.strip()!r} is not a problem's name followed by Y or N.")
        if normal_name(name) in answers:
            raise InputError(f"{place} line {number}: {normal_name(name)} is answered twice. Remove one of the lines.")
        answers[normal_name(name)] = _ANSWERS[answer.lower()]
    return answers


def _compare_with_contents(root: Path, file: Path, place: PurePosixPath, log: ReadingLog) -> None:
    """Problems that contents.json lists and the folder lacks are refused."""
    try:
        listed = parsed_json(bytes_of(file).decode("utf-8-sig"))["problems"]
        names = in_order(listed, "problems", "names", lambda name: isinstance(name, str))
    except (ValueError, KeyError, TypeError, InputError) as error:
        log.note(str(place), f"could not be used ({error}); the folders themselves were read.")
        return
    for name in names:
        if not (root / place.parent / str(name)).is_dir():
            log.refuse(str(place), f"lists the problem {name}, which has no folder. Supply it or correct the list.")
