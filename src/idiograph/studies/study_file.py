"""`study.toml`: an experiment written down; unknown keys are refused with the nearest known one."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from idiograph.errors import StudyError, nearest
from idiograph.files import read_toml
from idiograph.studies.design import Design, Seeds
from idiograph.studies.drawing import Condition
from idiograph.studies.settings import PRESETS, CorpusSettings, Study, check

SCHEMA = 1


def read_study(path: Path) -> Study:
    """The study that a file describes; its paths are relative to its folder."""
    content = read_toml(path, error=StudyError, example="the example in docs/studies.md")
    return study_from(content, folder=path.parent, where=str(path))


_TOP = ("schema", "name", "runs", "vary", "masking", "evidence", "corpora", "conditions")
_TABLES: Mapping[str, tuple[str, ...]] = {
    "design": (*(f.name for f in fields(Design)), "leave_authors_out"),
    "seeds": tuple(f.name for f in fields(Seeds)),
    "lambdag": ("order", "repetitions", "discount"),
    "methods": ("use", "own", "baseline", "unit", "compared_units", "resamples"),
}
_CONDITION = ("drawing", "lengths", "q_tokens", "k_tokens", "q_texts", "k_texts", "across", "within", "corpora")


def study_from(content: Mapping[str, Any], *, folder: Path, where: str) -> Study:
    """The study in a parsed file; `where` names it in messages."""
    if content.get("schema") != SCHEMA:
        raise StudyError(
            f"{where} has the schema {content.get('schema')!r} and this version of Idiograph reads {SCHEMA}. "
            f"Write `schema = {SCHEMA}` if the file follows docs/studies.md, or use the version that wrote it."
        )
    _refuse_unknown(content, (*_TOP, *_TABLES), where)
    tables: dict[str, dict[str, Any]] = {}
    for name, keys in _TABLES.items():
        value = content.get(name, {})
        if not isinstance(value, dict):
            raise StudyError(f"{where}: {name} must be a table, written [{name}]. It is {value!r}.")
        _refuse_unknown(value, keys, f"{where}, [{name}]")
        tables[name] = dict(value)
    corpora = tuple(_corpus(entry, where) for entry in _entries(content, "corpora", where))
    conditions = _conditions(_entries(content, "conditions", where), [corpus.name for corpus in corpora], where)
    leave_out = bool(tables["design"].pop("leave_authors_out", False))
    if leave_out and tables["design"].get("calibration"):
        raise StudyError(
            f"{where}, [design]: leave_authors_out calibrates each problem on all others, so no authors are set apart. "
            "Leave out calibration, or leave_authors_out."
        )
    if leave_out:
        tables["design"]["calibration"] = 0.0
    methods = {{"use": "methods"}.get(key, key): value for key, value in tables["methods"].items()}
    top = {key: value for key, value in content.items() if key in ("name", "runs", "vary", "masking", "evidence")}
    top.setdefault("name", folder.resolve().name)
    values = {**top, **tables["lambdag"], **methods}
    study = Study(
        **{key: _checked(Study, key, value, where) for key, value in values.items()},
        corpora=corpora,
        conditions=conditions,
        design=Design(**{key: _checked(Design, key, value, where) for key, value in tables["design"].items()}),
        seeds=Seeds(**{key: _checked(Seeds, key, value, where) for key, value in tables["seeds"].items()}),
        leave_authors_out=leave_out,
        folder=folder,
    )
    check(study, where=where)
    return study


def _corpus(entry: Mapping[str, Any], where: str) -> CorpusSettings:
    _refuse_unknown(entry, [f.name for f in fields(CorpusSettings)], f"{where}, [[corpora]]")
    for name in ("name", "path"):
        if name not in entry:
            raise StudyError(f"{where}: a corpus has no {name}. Every [[corpora]] needs a name and a path.")
    corpus = CorpusSettings(**{key: _checked(CorpusSettings, key, value, where) for key, value in entry.items()})
    if "/" in corpus.name or not corpus.name.strip():
        raise StudyError(
            f"{where}: a corpus is called {corpus.name!r}. Its name is part of ids, so give one without a slash."
        )
    return corpus


def _conditions(
    entries: Sequence[Mapping[str, Any]], corpora: Sequence[str], where: str
) -> tuple[tuple[Condition, tuple[str, ...]], ...]:
    if len(set(corpora)) < len(corpora):
        raise StudyError(f"{where}: two corpora have one name. Results name corpora, so rename one.")
    found: list[tuple[Condition, tuple[str, ...]]] = []
    for entry in entries:
        place = f"{where}, [[conditions]]"
        _refuse_unknown(entry, _CONDITION, place)
        drawing = entry.get("drawing")
        if drawing not in ("whole", "random", "contiguous"):
            raise StudyError(
                f"{place}: drawing is {drawing!r}{nearest(str(drawing), ('whole', 'random', 'contiguous'))}. "
                "Choose whole, random or contiguous."
            )
        meant = tuple(entry.get("corpora", corpora))
        for name in meant:
            if name not in corpora:
                raise StudyError(f"{place}: there is no corpus {name}{nearest(name, corpora)}.")
        rest = {key: entry[key] for key in ("q_texts", "k_texts", "across", "within") if key in entry}
        for q, k in _lengths(entry, place):
            condition = Condition(
                drawing=drawing,
                q_tokens=q,
                k_tokens=k,
                **{key: _checked(Condition, key, rest[key], place) for key in rest},
            )
            for other, others in found:
                if other == condition and set(others) & set(meant):
                    raise StudyError(f"{place}: {condition.name} is there twice for one corpus. Remove one.")
            found.append((condition, meant))
    return tuple(found)


def _lengths(entry: Mapping[str, Any], where: str) -> list[tuple[int | None, int | None]]:
    """Every pair of lengths that a condition stands for."""
    lengths = entry.get("lengths")
    given = [key for key in ("q_tokens", "k_tokens") if key in entry]
    if lengths is not None and given:
        raise StudyError(f"{where}: lengths and {given[0]} say the same thing twice. Keep one.")
    if lengths is None and not given:
        return [(None, None)]
    if isinstance(lengths, str):
        if lengths not in PRESETS:
            raise StudyError(
                f"{where}: lengths is {lengths!r}{nearest(lengths, tuple(PRESETS))}. Choose one of "
                f"{', '.join(PRESETS)}, or write pairs such as [[500, 2000]]."
            )
        return [(q, k) for q in PRESETS[lengths] for k in PRESETS[lengths]]
    if lengths is not None:
        if not (isinstance(lengths, list) and all(isinstance(p, list) and len(p) == 2 for p in lengths)):
            raise StudyError(
                f"{where}: lengths must be pairs of Q and K tokens such as [[500, 2000]]. It is {lengths!r}."
            )
        return [(_tokens(q, where), _tokens(k, where)) for q, k in lengths]
    sides = [entry.get(key, []) for key in ("q_tokens", "k_tokens")]
    q, k = ([_tokens(n, where) for n in (side if isinstance(side, list) else [side])] for side in sides)
    if not q or not k:
        raise StudyError(f"{where}: a length for Q and one for K belong together. Give q_tokens and k_tokens.")
    return [(one, other) for one in q for other in k]


def _tokens(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise StudyError(f"{where}: a length is {value!r} and must be a whole number of tokens.")
    return value


def _entries(content: Mapping[str, Any], name: str, where: str) -> list[Mapping[str, Any]]:
    entries = content.get(name, [])
    if not entries or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise StudyError(f"{where} has no {name}. A study needs at least one, each under [[{name}]].")
    return entries


def _checked(kind: type, key: str, value: Any, where: str) -> Any:
    """The value if it is of the type that the setting has; lists become tuples."""
    declared = next(str(f.type) for f in fields(kind) if f.name == key)
    wanted: dict[str, tuple[type, ...]] = {
        "int": (int,),
        "float": (int, float),
        "bool": (bool,),
        "str": (str,),
        "tuple": (list, tuple),
        "Mapping": (dict,),
    }
    types = tuple(t for name, ts in wanted.items() if name in declared for t in ts) or (str,)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise StudyError(f"{where}: {key} is {value!r}, which is not {_words(types)}.")
    if isinstance(value, list):
        if not all(isinstance(item, str) for item in value):
            raise StudyError(f"{where}: {key} must be a list of names. It is {value!r}.")
        return tuple(value)
    return value


def _words(types: tuple[type, ...]) -> str:
    names = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "a text in quotes",
        list: "a list",
        dict: "a table",
    }
    return " or ".join(dict.fromkeys(names[t] for t in types if t in names))


def _refuse_unknown(value: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in value:
        if key not in known:
            raise StudyError(f"{where}: there is no setting {key}{nearest(key, known)}. Known: {', '.join(known)}.")
