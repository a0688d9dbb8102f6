"""A study in one file: settings, trials, tables, page, versions and digests, without any text and, by default, names.

The file is a ZIP archive whose bytes depend on the study alone. Another person can check it, and unpack it into a
results folder to which corpora, conditions, runs and methods can be added.
"""

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np

from idiograph.errors import IdiographError, StudyError, cannot_read
from idiograph.files import scratch_folder, write_whole
from idiograph.output.study.page import publish, study_tables
from idiograph.output.study.table import csv as csv_of
from idiograph.provenance import digest
from idiograph.studies.degenerate import degenerate
from idiograph.studies.methods import add_llrs
from idiograph.studies.outside import outside_table
from idiograph.studies.pseudonyms import (
    problems_without_names,
    pseudonyms_of,
    results_without_names,
    study_without_names,
    without_names,
)
from idiograph.studies.results import MANIFEST, TRIALS, commit, kept_trials, read_results
from idiograph.studies.settings import read_study, study_toml
from idiograph.studies.study import StudyResult, result_of

DIGESTS = "digests.json"
_FILE = "study.toml"
_OUTSIDE = "outside.csv"
_LARGEST = 2_000_000_000  # bytes, unpacked
_WITHOUT_NUMBERS = ("additions",)  # tables that depend on the machine they are made on
_TOLERANCE = 1e-9


def write_bundle(result: StudyResult, path: Path, *, names: bool = False) -> str:
    """Writes a study to one file and returns the digest that names its content; `names` keeps authors and text ids."""
    scores = None
    if result.study.outside is not None:
        problems = result.trials.column("problem").tolist()
        shown = problems if names else problems_without_names(result.trials, pseudonyms_of(result.study.folder))
        scores = outside_table(result.study.folder / result.study.outside, dict(zip(problems, shown, strict=True)))
    if not names:
        hidden = pseudonyms_of(result.study.folder)
        study = study_without_names(result.study, hidden)
        trials = without_names(result.trials, hidden)
        results = results_without_names(result.results, study)
        result = replace(result, study=study, trials=trials, degenerate=degenerate(trials.plain), results=results)
    with scratch_folder() as folder:
        publish(result, folder)
        commit(folder, result.results, result.trials)
        study = result.study
        if scores is not None:
            write_whole(folder / _OUTSIDE, scores)
            study = replace(study, outside=_OUTSIDE, folder=folder)
        write_whole(folder / _FILE, study_toml(study, folder=result.study.folder))
        for entry in result.study.own:
            file = entry.partition(":")[0]
            write_whole(folder / file, (result.study.folder / file).read_bytes())
        files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
        content = {name: file.read_bytes() for name, file in sorted(files.items())}
    digests = json.dumps({name: digest(one) for name, one in content.items()}, indent=1) + "\n"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, one in (*content.items(), (DIGESTS, digests.encode())):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.create_system = 3  # the same on every system
            archive.writestr(info, one)
    write_whole(path, stream.getvalue())
    return digest(digests)


def check_bundle(path: Path) -> tuple[str, ...]:
    """What is wrong with a bundle, a sentence each: files against their digests, LLRs and tables against the trials.

    Methods of one's own are programs, and a check runs none: their LLRs are taken as they are.
    """
    content = read_bundle(path)
    found = list(_wrong_digests(content))
    with scratch_folder() as folder:
        for name, one in content.items():
            write_whole(folder / name, one)
        try:
            study = read_study(folder / _FILE)
            results = read_results(folder / MANIFEST)
            trials = kept_trials(folder, results)
            if trials is None:
                return (*found, "There are no trials in it.")
            made = (*study.methods, *study.systems)
            own = {name: trials.llr(name) for name in trials.methods if name not in made}
            again, fits = add_llrs(replace(study, own=()), trials)
        except IdiographError as error:
            return (*found, f"It cannot be read: {error}")
        for method in made:
            if method not in trials.methods or not np.allclose(
                again.llr(method), trials.llr(method), rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True
            ):
                found.append(f"The LLRs by {method} are not those that the scores give.")
        result = result_of(study, again.with_llrs({**{m: again.llr(m) for m in made}, **own}), fits, results)
    for table in study_tables(result):
        name = f"tables/{table.name}.csv"
        if table.name not in _WITHOUT_NUMBERS and not _same_table(csv_of(table), content.get(name, b"")):
            found.append(f"{name} is not what the trials give.")
    return tuple(found)


def read_bundle(path: Path) -> dict[str, bytes]:
    """The files of a bundle by name."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > _LARGEST:
                raise StudyError(f"{path} unpacks to more than {_LARGEST:,} bytes, so it is not a bundle of a study.")
            for entry in entries:
                if ".." in PurePosixPath(entry.filename).parts or entry.filename.startswith(("/", "\\")):
                    raise StudyError(f"{path} holds a file outside its folder ({entry.filename}). It is not read.")
            content = {entry.filename: archive.read(entry) for entry in entries if not entry.is_dir()}
    except OSError as error:
        raise cannot_read(path, error, StudyError) from error
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise StudyError(f"{path} is damaged or not a bundle of a study ({error}).") from error
    missing = [name for name in (DIGESTS, _FILE, MANIFEST, TRIALS) if name not in content]
    if missing:
        raise StudyError(f"{path} is not a bundle of a study: it has no {', '.join(missing)}.")
    return content


def _wrong_digests(content: Mapping[str, bytes]) -> Iterator[str]:
    try:
        said = json.loads(content[DIGESTS])
        said = {str(name): str(value) for name, value in said.items()}
    except (ValueError, AttributeError):
        yield f"{DIGESTS} is damaged."
        return
    for name in sorted({*said, *content} - {DIGESTS}):
        if name not in content:
            yield f"{name} is gone."
        elif name not in said:
            yield f"{name} was added."
        elif digest(content[name]) != said[name]:
            yield f"{name} was changed."


def _same_table(ours: str, theirs: bytes) -> bool:
    """Whether two tables say the same, numbers up to rounding."""
    try:
        one, other = (list(csv.reader(io.StringIO(text))) for text in (ours, theirs.decode()))
    except (UnicodeDecodeError, csv.Error):
        return False
    same_shape = [len(row) for row in one] == [len(row) for row in other]
    return same_shape and all(
        _same_cell(a, b) for row, rows in zip(one, other, strict=True) for a, b in zip(row, rows, strict=True)
    )


def _same_cell(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return abs(float(one) - float(other)) <= _TOLERANCE * max(1.0, abs(float(one)))
    except ValueError:
        return False
