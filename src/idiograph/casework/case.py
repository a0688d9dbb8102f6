"""`case.toml`: what is fixed before Q is scored, read, checked, written and hashed."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from idiograph.errors import InputError, nearest
from idiograph.evidence.scales import NUMBERS_ONLY, SCALES
from idiograph.files import as_path, read_toml
from idiograph.grammar.settings import LambdaGSettings
from idiograph.provenance import InputFile, digest_json
from idiograph.texts.reading.options import ReadingOptions

SCHEMA = 1
SCALE_KEYS = (*SCALES, NUMBERS_ONLY)
PRIMARY = ("hapax", "square_root", "sentence", "logistic")
BOUNDS = ("elub", "none")
MASKINGS = ("posnoise", "frames", "textdistortion", "masked")


@dataclass(frozen=True)
class Case:
    """What is fixed before Q is scored: the content of `case.toml`.

    A path of `questioned` is one Q, whatever number of texts is in it; `known` names each candidate's writings.
    `[Q]`, `[candidate]` and `[population]` in the propositions stand for those of a comparison.
    """

    questioned: Mapping[str, Path]  # label (Q1, Q2 …) -> file or folder
    known: Mapping[str, Path]  # candidate -> file or folder
    reference: Path
    population: str
    hp: str = "The questioned text [Q] was written by [candidate]."
    hd: str = "The questioned text [Q] was written by some other person from [population]."
    primary: str = "hapax"
    scale: str = "enfsi"
    bounds: str = "elub"
    masking: str = "posnoise"
    recipe: str | None = None
    exclude_authors: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)  # options of idiograph.read, the same for all inputs
    order: int = 10
    repetitions: int = 30
    discount: float = 0.75
    seed: int = 1
    title: str = ""
    caveats: tuple[str, ...] = ()  # sentences of the user's own for the report's limits


# Where each value of a Case stands in the file: table ("" is the top level), key, type, what it does.
_LAYOUT: dict[str, tuple[str, str, type, str]] = {
    "title": ("", "title", str, "A name for the case, printed on the report."),
    "population": ("", "population", str, "Whom the other writer of Hd comes from. Must be given: it has no default."),
    "primary": ("", "primary", str, "The one method whose value is reported: " + ", ".join(PRIMARY) + "."),
    "scale": ("", "scale", str, "The verbal scale: " + ", ".join(SCALE_KEYS) + " (no words)."),
    "bounds": ("", "bounds", str, "How the reported value is limited: elub (by what the authors support) or none."),
    "seed": ("", "seed", int, "Decides every draw, so that the same seed gives the same digits."),
    "caveats": ("", "caveats", list, "Sentences of your own for the report's limits."),
    "hp": ("propositions", "hp", str, "[Q], [candidate] and [population] stand for those of each comparison."),
    "hd": ("propositions", "hd", str, "The alternative; it must exclude Hp."),
    "masking": ("texts", "masking", str, "How content is masked: " + ", ".join(MASKINGS) + " (it is already)."),
    "recipe": ("texts", "recipe", str, "A preparation recipe, by name or path; empty: texts are taken as they are."),
    "exclude_authors": ("texts", "exclude_authors", list, "Reference authors to leave out."),
    "order": ("method", "order", int, "N: the longest n-gram."),
    "repetitions": ("method", "repetitions", int, "r: how many reference models are drawn."),
    "discount": ("method", "discount", float, "D of the Kneser-Ney models."),
    "reference": ("inputs", "reference", str, "A folder (a subfolder an author) or a file of the reference texts."),
}
_INPUT_TABLES = ("questioned", "known")  # label or candidate = path; a path is one Q, or one candidate's writings
_TABLES = ("propositions", "inputs", *_INPUT_TABLES, "reading", "texts", "method")
_FREE = (*_INPUT_TABLES, "reading")  # tables whose keys are not in the layout


def read_case(path: Path | str) -> Case:
    """The case that a file describes; its paths are relative to its folder."""
    path = as_path(path, "The case file")
    example = "the example in docs/casework.md, or let `idiograph verify` write one from its options"
    content = read_toml(path, error=InputError, example=example)
    return case_from(content, folder=path.parent, where=str(path))


def case_from(content: Mapping[str, Any], *, folder: Path, where: str) -> Case:
    """The case in a parsed file; `where` names it in messages."""
    schema = content.get("schema")
    if schema != SCHEMA:
        raise InputError(
            f"{where} has the schema {schema!r} and this version of Idiograph reads {SCHEMA}. "
            f"Write `schema = {SCHEMA}` if the file follows the documentation, or use the version that wrote it."
        )
    _refuse_unknown(content, ["schema", *_keys(""), *_TABLES], where)
    for table in _TABLES:
        value = content.get(table, {})
        if not isinstance(value, dict):
            raise InputError(f"{where}: {table} must be a table, written [{table}]. It is {value!r}.")
        if table not in _FREE:
            _refuse_unknown(value, _keys(table), f"{where}, [{table}]")
    values: dict[str, Any] = {}
    for name, (table, key, kind, _) in _LAYOUT.items():
        place = content.get(table, {}) if table else content
        if key in place:
            values[name] = _of_kind(place[key], kind, f"{where}: {key}")
    for table in _INPUT_TABLES:
        values[table] = {
            label: folder / _of_kind(value, str, f"{where}: [{table}] {label}")
            for label, value in content.get(table, {}).items()
        }
    if "reference" in values:
        values["reference"] = folder / values["reference"]
    reading = dict(content.get("reading", {}))
    if "metadata" in reading:
        reading["metadata"] = folder / _of_kind(reading["metadata"], str, f"{where}: [reading] metadata")
    ReadingOptions.from_table(reading, where=f"{where}, [reading]")
    values["reading"] = reading
    for name in ("exclude_authors", "caveats"):
        values[name] = tuple(values.get(name, ()))
    recipe = values.get("recipe") or None
    values["recipe"] = str(folder / recipe) if recipe and is_recipe_file(recipe) else recipe
    for name, remedy in (
        ("questioned", 'a path under [questioned], such as Q1 = "q.txt"'),
        ("known", 'a path under [known], such as "Lee" = "known"'),
        ("reference", "a path as `reference` under [inputs]"),
    ):
        if not values.get(name):
            raise InputError(f"{where} names no {name} texts. Add {remedy}.")
    values.setdefault("population", "")
    return check(Case(**values), where=where)


def as_case(case: Case | Path | str) -> Case:
    """A case as it is, checked, or the one that a file describes."""
    return check(case) if isinstance(case, Case) else read_case(case)


def check(case: Case, *, where: str = "The case") -> Case:
    """The case itself, or an error in words about a value that cannot stand."""
    if not case.population.strip():
        raise InputError(
            f"{where} names no population. Hd says that another person from a population wrote Q, and a likelihood "
            'ratio means nothing without it: pass --population "adult native writers of English e-mail", or write it '
            "in the case file."
        )
    for name, value, known in (
        ("primary", case.primary, PRIMARY),
        ("scale", case.scale, SCALE_KEYS),
        ("bounds", case.bounds, BOUNDS),
        ("masking", case.masking, MASKINGS),
    ):
        if value not in known:
            raise InputError(f"{where}: {name} is {value!r}{nearest(value, known)}. Choose one of {', '.join(known)}.")
    try:
        LambdaGSettings(order=case.order, repetitions=case.repetitions, discount=case.discount, seed=case.seed)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    for name, sentence in (("hp", case.hp), ("hd", case.hd)):
        if not sentence.strip():
            raise InputError(f"{where}: the proposition {name} is empty. State it in a sentence.")
    if case.hp.strip() == case.hd.strip():
        raise InputError(f"{where}: hp and hd are the same sentence. The two propositions must exclude each other.")
    return case


def written(case: Case, *, folder: Path) -> str:
    """The case as a file's content, its paths relative to `folder`, every key with what it does."""
    plain = {field.name: getattr(case, field.name) for field in fields(case)}
    recipe = case.recipe or ""
    plain["recipe"] = relative(Path(recipe), folder) if is_recipe_file(recipe) else recipe
    plain["reference"] = relative(case.reference, folder)
    lines = ["# What was fixed before the questioned text was scored.", f"schema = {SCHEMA}"]
    for table in ("", *_TABLES):
        if table:
            lines += ["", f"[{table}]"]
        if table in _INPUT_TABLES:
            lines += [f"{_quoted(label)} = {_quoted(relative(path, folder))}" for label, path in plain[table].items()]
        if table == "reading":
            lines += ["# How files are read: the options of `idiograph mask`, such as encoding or unwrap."]
            lines += [
                f"{key} = {_toml(relative(value, folder) if isinstance(value, Path) else value)}"
                for key, value in case.reading.items()
            ]
        for name, (where, key, _, meaning) in _LAYOUT.items():
            if where == table:
                lines += [f"# {meaning}", f"{key} = {_toml(plain[name])}"]
    return "\n".join(lines) + "\n"


def case_digest(case: Case, inputs: Sequence[InputFile]) -> str:
    """SHA-256 of everything the case fixes and of every input; where the files lie does not enter."""
    plain = asdict(case)
    for name in ("questioned", "known", "reference"):
        del plain[name]
    # The table of metadata and a recipe's file are among the inputs.
    plain["recipe"] = None if case.recipe and is_recipe_file(case.recipe) else case.recipe
    plain["reading"] = {key: value for key, value in case.reading.items() if key != "metadata"}
    plain["labels"] = [list(case.questioned), list(case.known)]
    plain["inputs"] = [asdict(file) for file in inputs]
    return digest_json(plain)


def is_recipe_file(recipe: str) -> bool:
    """Whether a recipe is a file of the user's, not one of Idiograph's by name."""
    return recipe.endswith(".toml")


def relative(path: Path, folder: Path) -> str:
    """`path` as seen from `folder`, with slashes; absolute where no relative path exists."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


def as_markdown() -> str:
    """Every key of a case file and what it fixes, as a table for the documentation."""
    rows = ["| table | key | what it fixes |", "|---|---|---|"]
    for table, key, _, meaning in _LAYOUT.values():
        rows.append(f"| {f'`[{table}]`' if table else 'top'} | `{key}` | {meaning} |")
    return "\n".join(rows) + "\n"


def _keys(table: str) -> list[str]:
    return [key for where, key, _, _ in _LAYOUT.values() if where == table]


def _refuse_unknown(content: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in content:
        if key not in known:
            raise InputError(
                f"{where}: there is no key {key!r}{nearest(key, known)}. A misspelt key would silently change "
                f"nothing, so it is refused; the keys here are {', '.join(sorted(known))}."
            )


def _of_kind(value: Any, kind: type, where: str) -> Any:
    fits = isinstance(value, kind) and not isinstance(value, bool)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is list and fits:
        fits = all(isinstance(item, str) for item in value)
    if not fits:
        name = {str: "text in quotation marks", int: "a whole number", float: "a number", list: "a list of texts"}[kind]
        raise InputError(f"{where} is {value!r} and must be {name}.")
    return value


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_quoted(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
