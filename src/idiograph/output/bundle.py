"""A study in one file: settings, trials, tables, page, versions and digests, without any text and, by default, names.

The file is a ZIP archive whose bytes depend on the study alone. Another person can check it, and unpack it into a
results folder to which corpora, conditions, runs and methods can be added.

Authors and texts stand in it under pseudonyms. A pseudonym is a keyed digest (HMAC with SHA-256), so the same name has
the same pseudonym wherever the key is used, and nobody without the key can find out by trying names. The key lies
beside the study file and is never given away.
"""

import csv
import hmac
import io
import secrets
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.errors import IdiographError, StudyError, cannot_read
from idiograph.files import scratch_folder, write_whole
from idiograph.output.study_page import publish
from idiograph.provenance import VERSION, digest
from idiograph.records import bytes_of_file, record_or_none, record_text
from idiograph.studies.llrs import add_llrs, outside_scores
from idiograph.studies.outside import outside_table
from idiograph.studies.results import MANIFEST, TRIALS, Results, commit, kept_trials, read_results
from idiograph.studies.settings import FILE, CorpusSettings, Study, read_study, study_toml
from idiograph.studies.study import StudyResult, corpus_settings, result_of, study_signature
from idiograph.studies.trial_table import LLR_PREFIX, TrialTable

KEY = "pseudonyms.key"
_BYTES = 32


@dataclass(frozen=True)
class Pseudonyms:
    """Pseudonyms under one key."""

    key: bytes

    def author(self, name: str) -> str:
        return f"author-{self._of('author', name)}"

    def text(self, id_: str) -> str:
        return f"text-{self._of('text', id_)}"

    def _of(self, kind: str, name: str) -> str:
        return hmac.new(self.key, f"{kind}\0{name}".encode(), "sha256").hexdigest()[:12]


def pseudonyms_of(folder: Path) -> Pseudonyms:
    """The pseudonyms of the study in a folder; its key is made on first use."""
    path = folder / KEY
    if not path.exists():
        write_whole(path, secrets.token_hex(_BYTES) + "\n")
        path.chmod(0o600)
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise cannot_read(path, error, StudyError) from error
    except ValueError as error:
        raise StudyError(f"{path} is not a key: it holds {2 * _BYTES} hexadecimal digits. Restore it.") from error
    if len(key) != _BYTES:
        raise StudyError(f"{path} is damaged: a key has {2 * _BYTES} hexadecimal digits. Restore it.")
    return Pseudonyms(key)


def problems_without_names(trials: TrialTable, names: Pseudonyms) -> list[str]:
    """The id of each trial's problem under pseudonyms."""
    problems = []
    for problem, q_id, corpus, condition in zip(
        *(trials.column(name).tolist() for name in ("problem", "q_id", "corpus", "condition")), strict=True
    ):
        start = f"{corpus}/{condition}/"
        label = problem.removeprefix(start).removesuffix(f"/{q_id}")
        problems.append(f"{start}{names.author(label)}/{names.text(q_id)}")
    return problems


def without_names(trials: TrialTable, names: Pseudonyms) -> TrialTable:
    """The trials under pseudonyms; those of a cell in the order of these, which says nothing about the names."""
    columns = {name: trials.column(name).tolist() for name in ("k_author", "q_author", "q_id")}
    problems = problems_without_names(trials, names)
    hidden = trials.with_columns(
        {
            "problem": problems,
            "k_author": [names.author(name) for name in columns["k_author"]],
            "q_author": [names.author(name) for name in columns["q_author"]],
            "q_id": [names.text(id_) for id_ in columns["q_id"]],
        }
    )
    order = [row for _, places in hidden.groups() for row in sorted(places, key=lambda at: problems[at])]
    return hidden.take(np.array(order, np.int64))


def study_without_names(study: Study, names: Pseudonyms) -> Study:
    """The study without the names of excluded authors and without the folders of its files."""

    def last(path: str | None) -> str | None:
        return None if path is None else Path(path).name

    def corpus(settings: CorpusSettings) -> CorpusSettings:
        recipe = settings.recipe
        if recipe is not None and recipe.endswith(".toml"):
            recipe = last(recipe)
        return replace(
            settings,
            path=Path(settings.path).name or settings.name,
            pool=last(settings.pool),
            writers=last(settings.writers),
            word_list=last(settings.word_list),
            recipe=recipe,
            exclude_authors=tuple(names.author(name) for name in settings.exclude_authors),
            options=replace(settings.options, metadata=None),
        )

    return replace(study, corpora=tuple(corpus(settings) for settings in study.corpora))


def results_without_names(results: Results, study: Study) -> Results:
    """What a results folder holds, for a study without names; digests of files are kept, their names are not."""
    corpora = {
        corpus.name: replace(
            results.corpora[corpus.name],
            settings=corpus_settings(study, corpus),
            inputs=tuple({**file, "name": ""} for file in results.corpora[corpus.name].inputs),
        )
        for corpus in study.corpora
        if corpus.name in results.corpora
    }
    return replace(results, scored=study.scored(), corpora=corpora)


DIGESTS = "digests.json"
_OUTSIDE = "outside.csv"
_LARGEST = 2_000_000_000  # bytes, unpacked
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class BundleCheck:
    """What a check of a bundle found."""

    wrong: tuple[str, ...]  # a sentence each
    digest: str  # of the whole, as it was printed when the bundle was written
    n_files: int
    not_shown: tuple[str, ...]


def write_bundle(result: StudyResult, path: Path, *, names: bool = False) -> str:
    """Writes a study to one file and returns the digest that names its content; `names` keeps authors and text ids."""
    scores, hidden = None, None if names else pseudonyms_of(result.study.folder)
    if result.study.outside is not None:
        problems = result.trials.column("problem").tolist()
        shown = problems if hidden is None else problems_without_names(result.trials, hidden)
        scores = outside_table(result.study.folder / result.study.outside, dict(zip(problems, shown, strict=True)))
    if hidden is not None:
        study = study_without_names(result.study, hidden)
        trials = without_names(result.trials, hidden)
        results = results_without_names(result.results, study)
        # Made of the trials as they stand there, so that whoever checks it makes the same figures of them.
        result = result_of(study, trials, result.fits, results, outside=_hidden_scores(study, trials, scores))
    content = _contents(result, scores)
    digests = record_text({name: digest(file) for name, file in content.items()}, ascii=True)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, file_content in (*content.items(), (DIGESTS, digests.encode())):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.create_system = 3  # the same on every system
            archive.writestr(info, file_content)
    write_whole(path, stream.getvalue())
    return digest(digests)


def _hidden_scores(study: Study, trials: TrialTable, scores: str | None) -> dict[str, FloatArray]:
    """The scores of other systems for trials under pseudonyms, as the bundle has them."""
    if scores is None:
        return {}
    with scratch_folder() as folder:
        write_whole(folder / _OUTSIDE, scores)
        return outside_scores(replace(study, outside=_OUTSIDE, folder=folder), trials)


def _contents(result: StudyResult, scores: str | None) -> dict[str, bytes]:
    """The files of a bundle by name, but for their digests; `scores` are those of other systems."""
    with scratch_folder() as folder:
        publish(result, folder)
        commit(folder, result.results, result.trials)
        study = result.study
        if scores is not None:
            write_whole(folder / _OUTSIDE, scores)
            study = replace(study, outside=_OUTSIDE, folder=folder)
        write_whole(folder / FILE, study_toml(study, folder=result.study.folder))
        for entry in result.study.own:
            file = entry.partition(":")[0]
            write_whole(folder / file, (result.study.folder / file).read_bytes())
        files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
        return {name: file.read_bytes() for name, file in sorted(files.items())}


def check_bundle(path: Path) -> BundleCheck:
    """Publishes a bundle again from its trials, and compares all that it holds: every digest, LLR, table and figure.

    Methods of one's own are programs, and a check runs none: their LLRs are taken as they are.
    """
    content = read_bundle(path)
    wrong = list(_wrong_digests(content))
    not_shown = ["that the scores are those of the texts, which are not in it"]
    with scratch_folder() as folder:
        for name, file_content in content.items():
            write_whole(folder / name, file_content)
        try:
            study = read_study(folder / FILE)
            results = read_results(folder / MANIFEST)
            trials = kept_trials(folder, results)
            if trials is None:
                raise StudyError("there are no trials in it")
            computed = (*study.methods, *study.systems)
            others = {name: trials.llr(name) for name in trials.methods if name not in computed}
            again, fits = add_llrs(replace(study, own=()), trials)
            # Figures show digits in which LLRs may differ: a fit on trials in another order is the same up to rounding.
            stated = {m: (trials if m in trials.methods else again).llr(m) for m in computed}
            result = result_of(study, again.with_llrs({**stated, **others}), fits, results)
            wrong += _wrong_llrs(computed, again, trials)
            wrong += _wrong_record(study, results, content)
            if {*again.table.column_names, *(LLR_PREFIX + name for name in others)} != {*trials.table.column_names}:
                wrong.append(f"{TRIALS} has other columns than its study gives.")
            scores = content[_OUTSIDE].decode(errors="replace") if study.outside == _OUTSIDE else None
            published = _contents(result, scores)
        except IdiographError as error:
            return BundleCheck(
                (*wrong, f"It cannot be read: {error}"), digest(content[DIGESTS]), len(content), tuple(not_shown)
            )
    if study.own:
        not_shown.append("the LLRs of its own methods, which are programs, and none was run")
    filed_by = results.additions[-1].versions.get("idiograph") if results.additions else None
    if filed_by != VERSION:
        not_shown.append(f"page and figures, which Idiograph {filed_by} made and this is {VERSION}")
        published = {name: file for name, file in published.items() if name.endswith(".csv")}
    wrong += _wrong_files(content, published, whole=filed_by == VERSION)
    return BundleCheck(tuple(wrong), digest(content[DIGESTS]), len(content), tuple(not_shown))


def _wrong_llrs(methods: Sequence[str], again: TrialTable, trials: TrialTable) -> Iterator[str]:
    for method in methods:
        if method not in trials.methods or not np.allclose(
            again.llr(method), trials.llr(method), rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True
        ):
            yield f"The LLRs by {method} are not those that the scores give."


def _wrong_record(study: Study, results: Results, content: Mapping[str, bytes]) -> Iterator[str]:
    """What in the manifest does not follow from the study file."""
    if record_text(results.as_json(), sort=True).encode() != content[MANIFEST]:
        yield f"{MANIFEST} has something that no manifest has, or is not written as one."
    if dict(results.scored) != study.scored():
        yield f"The settings in {MANIFEST} are not those of {FILE}."
    programs = {entry.partition(":")[0]: content.get(entry.partition(":")[0], b"") for entry in study.own}
    # Of a study under pseudonyms, the digests of its own file and of outside scores are those with the names.
    stated, follows = (
        [part for part in line.split("|") if not part.startswith(("study:", "outside:", "v:"))]
        for line in (results.signature, study_signature(study, results.corpora, programs))
    )
    if stated != follows:
        yield f"The signature in {MANIFEST} is not that of the study."


def _wrong_files(content: Mapping[str, bytes], published: Mapping[str, bytes], *, whole: bool) -> Iterator[str]:
    """Which files are not what the trials give; `whole` if all of them can be made again."""
    for name in sorted({*content, *published} - {DIGESTS, MANIFEST, TRIALS}):
        if name not in published:
            if whole:
                yield f"{name} is none of the files that a bundle of this study has."
        elif name not in content:
            yield f"{name} is missing, and the study has it."
        elif content[name] != published[name] and not (
            name.endswith(".csv") and _same_table(published[name].decode(), content[name])
        ):
            yield f"{name} is not what the trials give."


def read_bundle(path: Path) -> dict[str, bytes]:
    """The files of a bundle by name."""
    try:
        with zipfile.ZipFile(io.BytesIO(bytes_of_file(path, most=_LARGEST))) as archive:
            entries = archive.infolist()
            twice = [name for name, times in Counter(entry.filename for entry in entries).items() if times > 1]
            if twice:
                raise StudyError(
                    f"{path} holds {twice[0]} twice, so that it can be read in two ways. It is not a bundle that "
                    "Idiograph wrote, and is not read."
                )
            if sum(entry.file_size for entry in entries) > _LARGEST:
                raise StudyError(f"{path} unpacks to more than {_LARGEST:,} bytes, so it is not a bundle of a study.")
            for entry in entries:
                name = PureWindowsPath(entry.filename)  # which knows drives and both strokes
                if ".." in name.parts or name.anchor:
                    raise StudyError(f"{path} holds a file outside its folder ({entry.filename}). It is not read.")
            content = {entry.filename: archive.read(entry) for entry in entries if not entry.is_dir()}
    except OSError as error:
        raise cannot_read(path, error, StudyError) from error
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise StudyError(f"{path} is damaged or not a bundle of a study ({error}).") from error
    missing = [name for name in (DIGESTS, FILE, MANIFEST, TRIALS) if name not in content]
    if missing:
        raise StudyError(f"{path} is not a bundle of a study: it has no {', '.join(missing)}.")
    return content


def _wrong_digests(content: Mapping[str, bytes]) -> Iterator[str]:
    stated = record_or_none(content[DIGESTS])
    if stated is None:
        yield f"{DIGESTS} is damaged."
        return
    for name in sorted({*stated, *content} - {DIGESTS}):
        if name not in content:
            yield f"{name} is gone."
        elif name not in stated:
            yield f"{name} was added."
        elif digest(content[name]) != str(stated[name]):
            yield f"{name} was changed."


def _same_table(ours: str, theirs: bytes) -> bool:
    """Whether two tables say the same, numbers up to rounding."""
    try:
        these, those = (list(csv.reader(io.StringIO(text))) for text in (ours, theirs.decode()))
    except (UnicodeDecodeError, csv.Error):
        return False
    same_shape = [len(row) for row in these] == [len(row) for row in those]
    return same_shape and all(
        _same_cell(a, b) for row, rows in zip(these, those, strict=True) for a, b in zip(row, rows, strict=True)
    )


def _same_cell(ours: str, other: str) -> bool:
    if ours == other:
        return True
    try:
        return abs(float(ours) - float(other)) <= _TOLERANCE * max(1.0, abs(float(ours)))
    except ValueError:
        return False
