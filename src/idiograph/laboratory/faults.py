"""The register of faults, and which of its entries concern a filed case or study.

An entry says in `when` what must be found in what was filed. Every condition is answered by yes, no, or that it cannot
be told; an entry concerns a case if all are yes, does not if one is no, and else perhaps does. What was filed may come
from anybody: it is read up to a size, through no link, and what cannot be read gets a sentence.
"""

import os
import re
import stat
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pyarrow
import pyarrow.parquet

from idiograph.casework.case_folder import CASE as CASE_FILE
from idiograph.casework.case_folder import MANIFEST, RESULT, RUNS, folders_of
from idiograph.errors import IdiographError, InputError
from idiograph.files import is_link
from idiograph.provenance import digest
from idiograph.records import Maybe, bytes_of_file, misfit, record_or_none
from idiograph.studies.results import TRIALS
from idiograph.studies.settings import FILE as STUDY_FILE
from idiograph.texts.characters import cleaning
from idiograph.toml import parse_toml

REGISTER = "faults.toml"
Answer = Literal["concerned", "perhaps", "not"]
_LARGEST = 100_000_000  # bytes of a record or a text that is looked through
_MOST_TRIALS = 20_000_000  # rows that a small file may claim to have
_DEEPEST = 30  # folders inside each other
_CASE, _STUDY = "case", "study"
_KINDS = {"idiograph case": _CASE, "study": _STUDY}
# Cases of the version in the making name the one before it, and the rules that came with it.
_RULES = {("0.3.0", 2): "0.4.0"}


@dataclass(frozen=True)
class Fault:
    """An entry of the register."""

    id: str
    title: str
    versions: tuple[str, ...]  # that have it
    moves: str  # a number, or a sentence alone
    size: str
    what: str
    todo: str
    kinds: tuple[str, ...]  # of what is filed that it can concern; none: only direct calls of the library
    when: tuple[Mapping[str, Any], ...]


@cache
def register() -> tuple[Fault, ...]:
    """All entries, in the order of their numbers."""
    entries = tomllib.loads((files("idiograph.laboratory") / REGISTER).read_text(encoding="utf-8"))["fault"]
    lists = ("versions", "kinds", "when")
    return tuple(Fault(**{**entry, **{name: tuple(entry[name]) for name in lists}}) for entry in entries)


@dataclass(frozen=True)
class Looked:
    """A filed run or study with what the register says of it; `damaged` where it cannot be read, and why."""

    name: str
    kind: str
    versions: tuple[str, ...] = ()
    answers: tuple[tuple[str, Answer], ...] = ()  # of every entry of the register
    damaged: str = ""

    def those(self, answer: Answer) -> list[str]:
        return [entry for entry, given in self.answers if given == answer]


def affected(folder: Path, *, inputs: Path | None = None) -> list[Looked]:
    """Every case and study that is filed in a folder or below it; texts are also looked for in the folder `inputs`."""
    for top in (folder, *([inputs] if inputs is not None else [])):
        if not top.is_dir():
            raise InputError(f"{top} is not a folder. Name a folder with filed cases or studies.")
    elsewhere = {} if inputs is None else _by_digest(inputs)
    looked = [_looked_at(path, folder, elsewhere) for path in _run_folders(folder)]
    return [run for run in looked if run is not None]


def _folders(top: Path) -> Iterator[tuple[Path, list[str]]]:
    """Every folder from the top down, with the names of its files; no link is followed."""
    for path, names, file_names in os.walk(top, followlinks=False):
        depth = len(Path(path).relative_to(top).parts)
        names[:] = sorted(name for name in names if depth < _DEEPEST and not is_link(Path(path) / name))
        yield Path(path), sorted(file_names)


def _run_folders(top: Path) -> Iterator[Path]:
    """The folders with a manifest, but for the top of a case that has its runs in folders of their own."""
    for path, names in _folders(top):
        kept = path / RUNS
        copies = MANIFEST in names and kept.is_dir() and not is_link(kept)
        if MANIFEST in names and not (copies and any((run / MANIFEST).exists() for run in kept.iterdir())):
            yield path


def _by_digest(folder: Path) -> dict[str, bytes]:
    contents = {}
    for path, names in _folders(folder):
        for name in names:
            if (content := _content(path / name)) is not None:
                contents[digest(content)] = content
    return contents


def _content(path: Path, size: int | None = None) -> bytes | None:
    """The bytes of a plain file up to a size, of just this one where it is given; None for anything else."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or (size is not None and status.st_size != size):
            return None
        return bytes_of_file(path, most=_LARGEST, links=False)
    except (OSError, ValueError):
        return None


def _looked_at(path: Path, top: Path, elsewhere: Mapping[str, bytes]) -> Looked | None:
    """What the register says of the run or study in a folder; None where the manifest is of something else."""
    name = path.relative_to(top).as_posix()
    manifest = record_or_none(_content(path / MANIFEST) or b"")
    kind = _KINDS.get(str(manifest.get("kind"))) if manifest is not None else None
    if manifest is None or kind is None:
        if any((path / beside).exists() for beside in (CASE_FILE, RESULT, TRIALS)):
            return Looked(name, "unknown", damaged=f"{MANIFEST} is not one that Idiograph wrote, or is damaged")
        return None
    try:
        views, versions = (_case_views if kind == _CASE else _study_views)(path, manifest)
    except _Damaged as damage:
        return Looked(name, kind, damaged=str(damage))
    texts = _Texts(path, manifest, elsewhere)
    answers = tuple((fault.id, _answer(fault, kind, versions, views, texts)) for fault in register())
    return Looked(name, kind, versions, answers)


class _Damaged(Exception):
    """What was filed is not of its shape."""


View = dict[str, Any]


def _case_views(path: Path, manifest: Mapping[str, Any]) -> tuple[list[View], tuple[str, ...]]:
    """Each comparison of a case with what all have in common, and the version that filed it."""
    result = record_or_none(_content(path / RESULT) or b"")
    if wrong := misfit(manifest, {"versions": {"idiograph": str}, "settings": dict}):
        raise _Damaged(f"{MANIFEST} is damaged: {wrong}")
    if result is None:
        raise _Damaged(f"{RESULT} is missing or damaged")
    comparisons = result.get("comparisons", [result])
    shape = {"label": str, "candidate": str, "audit": [{"code": str, "severity": str}], "llr": Maybe(dict)}
    if wrong := misfit({"settings": result.get("settings"), "comparisons": comparisons},
                       {"settings": dict, "comparisons": [shape]}):  # fmt: skip
        raise _Damaged(f"{RESULT} is damaged: {wrong}")
    settings = result["settings"]
    version = str(manifest["versions"]["idiograph"])
    rules = settings.get("rules", 1)
    common = {
        **result,
        "reading": settings.get("reading"),
        "recipe": settings.get("recipe"),
        "masked": settings.get("masking") in ("as-found", "masked"),
    }
    views = [{**common, **comparison, "method": comparison.get("primary")} for comparison in comparisons]
    return views, (_RULES.get((version, rules if type(rules) is int else 0), version),)


def _study_views(path: Path, manifest: Mapping[str, Any]) -> tuple[list[View], tuple[str, ...]]:
    """What a study's manifest and file say, and all versions that added trials to it."""
    if wrong := misfit(manifest, {"scored": {"corpora": [dict]}, "additions": [{"versions": {"idiograph": str}}]}):
        raise _Damaged(f"{MANIFEST} is damaged: {wrong}")
    scored = manifest["scored"]
    corpora = scored["corpora"]
    conditions = [
        condition[0] for condition in scored.get("conditions", []) if isinstance(condition, list) and condition
    ]
    options = [corpus["options"] for corpus in corpora if isinstance(corpus.get("options"), dict)]
    view = {
        "method": _methods(path, scored),
        "conditions": conditions,
        "corpora": corpora,
        "recipe": next((corpus["recipe"] for corpus in corpora if corpus.get("recipe")), None),
        "reading": {"encoding": next((corpus["encoding"] for corpus in options if corpus.get("encoding")), None)},
        "masked": all(corpus.get("masking") == "masked" for corpus in corpora),
        "trials": path / TRIALS,
    }
    return [view], tuple(dict.fromkeys(str(addition["versions"]["idiograph"]) for addition in manifest["additions"]))


def _methods(path: Path, scored: Mapping[str, Any]) -> list[str] | None:
    """The methods of a study by its file, and what it compares besides; None where the file does not tell."""
    try:
        used = parse_toml(_content(path / STUDY_FILE) or b"", where=STUDY_FILE, example="").get("methods", {})
        listed = used.get("use") if isinstance(used, dict) else None
    except IdiographError:
        listed = None
    besides = [name for name in ("typing", "original") if scored.get(name)]
    return [*map(str, listed), *besides] if isinstance(listed, list) else besides or None


def _answer(fault: Fault, kind: str, versions: Sequence[str], views: Sequence[View], texts: "_Texts") -> Answer:
    if kind not in fault.kinds or not set(versions) & set(fault.versions):
        return "not"
    answers = [[_holds(condition, view, texts) for condition in fault.when] for view in views]
    if any(all(given) for given in answers):
        return "concerned"
    return "not" if all(any(answer is False for answer in given) for given in answers) else "perhaps"


def _holds(condition: Mapping[str, Any], view: View, texts: "_Texts") -> bool | None:
    """Whether a condition holds; None where what was filed cannot tell."""
    match condition:
        case {"unknown": _}:
            return None
        case {"masked": wanted}:
            return bool(view["masked"]) is wanted
        case {"texts": kind}:
            return texts.have(kind)
        case {"told": what}:
            try:
                return _TOLD[what](view)
            except (KeyError, TypeError, ValueError, AttributeError):
                return None
        case {"at": path, "is": wanted}:
            values = _values(view, path)
            return None if values is None else any(value in wanted for value in values)
        case {"at": path, "present": True}:
            return any(value not in (None, "", [], {}) for value in _values(view, path) or ())
        case {"at": path, "below": limit}:
            return any(isinstance(value, int | float) and value < limit for value in _values(view, path) or ())
    raise InputError(f"The register of faults has a condition that this version does not know: {dict(condition)}.")


def _values(view: View, path: str) -> list[Any] | None:
    """What stands at a path such as `audit[].code`; None where the record does not tell at all."""
    first, *rest = path.split(".")
    name = first.removesuffix("[]")
    if name not in view or (view[name] is None and not rest):
        return None if name in ("method",) else []
    values = [view[name]]
    for key in [None, *rest]:
        step = key.removesuffix("[]") if key else None
        values = [value.get(step) if isinstance(value, dict) else None for value in values] if step else values
        values = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [value for value in values if not isinstance(value, dict | list)]


def _methods_disagree(view: View) -> bool:
    nats = [llr["nats"] for llr in view["llr"].values()]
    return any(value * view["reported"]["nats"] < 0 for value in nats)


def _validated_shorter(view: View) -> bool:
    validation = view["validation"]
    return any(validation[f"{side}_tokens"] < 0.9 * view[side]["n_tokens"] for side in ("q", "k"))


def _outside_its_range(view: View) -> bool:
    return not view["range"]["low"] <= view["reported"]["nats"] <= view["range"]["high"]


def _names_from_right_to_left(view: View) -> bool:
    names = (str(view.get(name, "")) for name in ("label", "candidate", "title", "population"))
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for name in names for letter in name)


def _scores_beyond_150(view: View) -> bool | None:
    content = _content(view["trials"])
    if content is None:
        return None
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        if file.metadata.num_rows > _MOST_TRIALS:
            return None
        table = file.read(columns=["lambda_g"])
    except (pyarrow.ArrowException, OSError):
        return None
    return any(abs(value) > 150 for value in table["lambda_g"].to_pylist() if value is not None)


_TOLD: dict[str, Callable[[View], bool | None]] = {
    "methods disagree": _methods_disagree,
    "validated shorter": _validated_shorter,
    "outside its range": _outside_its_range,
    "names from right to left": _names_from_right_to_left,
    "scores beyond 150": _scores_beyond_150,
}


def _is_utf_8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return not content.isascii()


_DIVIDED = re.compile(r"[^\W\d_]-\r?\n[ \t]*[^\W\d_A-ZÀ-Þ]")
_JOINED = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]\ufe0f?\u200d")
_READ: dict[str, Callable[[bytes], bool]] = {
    "invisible": lambda content: bool(cleaning(content.decode("utf-8-sig", "replace"))),
    "utf-8": _is_utf_8,
    "divided": lambda content: _DIVIDED.search(content.decode("utf-8-sig", "replace")) is not None,
    "joined emojis": lambda content: _JOINED.search(content.decode("utf-8-sig", "replace")) is not None,
}
_PLAIN_TEXT = ("", ".txt", ".text", ".md", ".csv", ".tsv", ".json", ".jsonl")


class _Texts:
    """The inputs of a case or study, as far as they still lie where they lay, or are found by their digests."""

    def __init__(self, path: Path, manifest: Mapping[str, Any], elsewhere: Mapping[str, bytes]) -> None:
        listed = manifest.get("inputs", [])
        corpora = manifest.get("corpora")
        for corpus in corpora.values() if isinstance(corpora, dict) else ():
            listed = [*listed, *(corpus.get("inputs") or [] if isinstance(corpus, dict) else [])]
        self.entries = [entry for entry in listed if not misfit(entry, {"name": str, "sha256": str, "size": int})]
        self.all_known = isinstance(listed, list) and len(self.entries) == len(listed) > 0
        self.starts = folders_of(path)
        self.elsewhere = elsewhere

    def have(self, kind: str) -> bool | None:
        """Whether one of them is of a kind; None where one that could be was not found, or is no plain text."""
        known = self.all_known
        for entry in self.entries:
            content = self._content_of(entry)
            if content is None or Path(entry["name"]).suffix.lower() not in _PLAIN_TEXT:
                known = False
            elif _READ[kind](content):
                return True
        return False if known else None

    def _content_of(self, entry: Mapping[str, Any]) -> bytes | None:
        for start in self.starts if isinstance(entry.get("path"), str) else ():
            content = _content(start / entry["path"], entry["size"])
            if content is not None and digest(content) == entry["sha256"]:
                return content
        return self.elsewhere.get(entry["sha256"])
