"""The corpora of a study, read, masked and indexed once, kept in the cache folder and shared by all who score.

How a corpus of a study is masked, and whether its texts are in the language that the study states.
"""

import shutil
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from idiograph.errors import InputError, StudyError, nearest, some
from idiograph.files import cache_folder, refuse_way_out, whole_folder, write_whole
from idiograph.grammar.index import Index
from idiograph.provenance import InputFile, digest_json, versions
from idiograph.records import parsed_json, record_line
from idiograph.studies.material import Material
from idiograph.studies.settings import CorpusSettings, Study
from idiograph.studies.writers import find_writers, labels, read_writers
from idiograph.texts.language import ENGLISH, check_language, language_name
from idiograph.texts.masking.mask import mask
from idiograph.texts.masking.rules import original_sentences
from idiograph.texts.preparing.prepare import prepare
from idiograph.texts.reading.read import read
from idiograph.texts.reading.tables import masked_text
from idiograph.texts.text import Corpus, MaskedText, Text


def masking_of(study: Study, corpus: CorpusSettings) -> dict[str, Any]:
    """The arguments of `mask` for a corpus."""
    return {
        "method": corpus.masking or study.masking,
        "language": corpus.language or study.language,
        "model": corpus.model,
        "word_list": None if corpus.word_list is None else study.folder / corpus.word_list,
    }


def other_than_english(study: Study, corpus: CorpusSettings) -> dict[str, str]:
    """The language of a corpus as part of what decides its scores; nothing in English."""
    language = corpus.language or study.language
    return {} if language == ENGLISH else {"language": language}


def check_texts(study: Study, corpus: CorpusSettings, texts: Sequence[Text]) -> None:
    """Refuses a corpus most of whose texts are in another language than stated, and names texts that are.

    In English nothing is checked here: masking by another language's rules is what must not happen in silence.
    """
    language = corpus.language or study.language
    if language == ENGLISH:
        return
    checks = {text.id: check_language(text.content, language) for text in texts}
    checked = [id_ for id_, check in checks.items() if check.verdict != "unchecked"]
    other = [id_ for id_ in checked if checks[id_].verdict == "other"]
    if not checked:
        warnings.warn(
            f"Whether {corpus.name} is in {language_name(language)} could not be checked: the first text "
            f"{next(iter(checks.values())).sentence}.",
            stacklevel=2,
        )
    if not other:
        return
    said = f"{len(other)} of the {len(checked)} texts of {corpus.name} that can be checked look like another language"
    first = f"{other[0]} {checks[other[0]].sentence}"
    if len(other) > len(checked) / 2:
        raise StudyError(
            f"{said}: {first}. Masking goes by the rules of the stated language; state the one that they are in."
        )
    warnings.warn(f"{said}: {first}; all of them: {some(other)}.", stacklevel=2)


_SCHEMA = 3
_INDEX, _MATERIAL, _ORIGINALS = "index", "material.json", "originals.json"
FILES = (_INDEX, _MATERIAL)  # all that scoring needs of a saved corpus
_SAID = ("fields", "roles", "ready", "writers", "known_by")
AnyText = TypeVar("AnyText", Text, MaskedText)
Masker = Callable[[Sequence[Text]], Corpus[MaskedText]]


@dataclass(frozen=True)
class StudyCorpus:
    """A corpus ready to be scored and the files it came from."""

    name: str
    material: Material
    inputs: tuple[InputFile, ...]
    folder: Path  # of its index, in the cache folder


@dataclass(frozen=True)
class Source:
    """A corpus before it is read: its files and where its index is or will be."""

    settings: CorpusSettings
    inputs: tuple[InputFile, ...]
    folder: Path

    @property
    def is_ready(self) -> bool:
        return is_saved(self.folder)


def find_source(study: Study, corpus: CorpusSettings) -> Source:
    """The files of a corpus, and where its index is kept: their content and the settings decide it."""
    paths = [("corpus", study.folder / corpus.path)]
    if corpus.pool is not None:
        paths.append(("pool", study.folder / corpus.pool))
    if corpus.writers is not None:
        paths.append(("file of writers", study.folder / corpus.writers))
    if corpus.word_list is not None:
        paths.append(("word list", study.folder / corpus.word_list))
    if corpus.options.metadata is not None:
        paths.append(("metadata", corpus.options.metadata))
    if corpus.recipe is not None and isinstance(recipe := _recipe(study, corpus.recipe), Path):
        paths.append(("recipe", recipe))
    inputs = []
    for role, path in paths:
        if not path.exists():
            raise StudyError(
                f"The {role} of {corpus.name} is not there: {path}. Its path is relative to the study file."
            )
        refuse_way_out(path, study.folder, StudyError)
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        inputs += [
            InputFile.of(file, role=role, name=file.name if file == path else file.relative_to(path).as_posix())
            for file in files
        ]
    settings = corpus.as_json(study.folder) | {"masking": corpus.masking or study.masking, "name": ""}
    settings |= other_than_english(study, corpus)
    key = digest_json(
        {"schema": _SCHEMA, "settings": settings, "inputs": [asdict(file) for file in inputs], "versions": versions()}
    )
    return Source(corpus, tuple(inputs), cache_folder() / "studies" / key[:32])


def open_corpus(study: Study, source: Source, *, workers: int = 1) -> StudyCorpus:
    """The corpus from the cache folder; it is read, masked and indexed first if it is not there."""
    try:
        material = open_material(source.folder, originals=study.reads_originals) if source.is_ready else None
    except InputError:
        material = None  # damaged, or written by another version: it is only a cache
        shutil.rmtree(source.folder, ignore_errors=True)
    if material is None:
        how = masking_of(study, source.settings)

        def masked(texts: Sequence[Text]) -> Corpus[MaskedText]:
            check_texts(study, source.settings, texts)
            return mask(Corpus(tuple(texts)), **how, workers=workers)

        made = make_material(study, source.settings, masked)
        try:
            with whole_folder(source.folder, wait=True) as part:
                save_material(made, part)
        except InputError:
            if not source.is_ready:  # else another process was faster
                raise
        material = open_material(source.folder, originals=study.reads_originals)
    return StudyCorpus(source.settings.name, material, source.inputs, source.folder)


def texts_to_mask(study: Study, source: Source) -> tuple[Text, ...]:
    """The texts of a corpus that are still to be masked, read and prepared; none where it is in the cache folder."""
    settings = source.settings
    if source.is_ready or (settings.masking or study.masking) == "masked":
        return ()
    paths = [study.folder / path for path in (settings.path, settings.pool) if path is not None]
    return tuple(text for path in paths for text in _texts_to_mask(study, settings, path))


def is_saved(folder: Path) -> bool:
    """Whether a corpus is in the folder whole: its material is written last."""
    return (folder / _MATERIAL).is_file()


def save_material(material: Material, folder: Path) -> None:
    """The index and what is known of its texts, in a folder."""
    material.index.save(folder / _INDEX)
    said = {"schema": _SCHEMA, **{name: getattr(material, name) for name in _SAID}}
    write_whole(folder / _ORIGINALS, record_line(material.originals, compact=True))
    write_whole(folder / _MATERIAL, record_line(said, compact=True))


def open_material(folder: Path, *, originals: bool = False) -> Material:
    """What `save_material` wrote, the index memory-mapped; the originals only if they are asked for."""
    path = folder / _MATERIAL
    try:
        said = parsed_json(path.read_bytes())
        parts = {name: said[name] for name in _SAID}
        if originals:
            parts["originals"] = parsed_json((folder / _ORIGINALS).read_bytes())
        return Material(Index.open(folder / _INDEX), **parts)
    except (OSError, ValueError, KeyError, TypeError, InputError) as error:
        raise InputError(f"{path} is damaged ({error}). Delete its folder; it is made again.") from error


def make_material(study: Study, settings: CorpusSettings, masked: Masker) -> Material:
    """A corpus read, chosen, prepared, masked by `masked` unless it is already, and indexed."""
    if settings.kind == "problems":
        return _ready_made(study, settings, masked)
    texts, originals = _texts(study, settings, study.folder / settings.path, masked)
    if not settings.roles:
        texts = Corpus(tuple(_without_role(text) for text in texts))
    if settings.pool is not None:
        pool, of_pool = _texts(study, replace(settings, exclude_authors=()), study.folder / settings.pool, masked)
        texts = Corpus((*texts, *(_reference_only(text) for text in pool)))
        originals |= {_in_pool(id_): sentences for id_, sentences in of_pool.items()}
    return replace(Material.of(Index(texts), texts), originals=originals)


def _texts(
    study: Study, settings: CorpusSettings, path: Path, masked: Masker
) -> tuple[Corpus[MaskedText], dict[str, tuple[str, ...]]]:
    """The masked texts, and their sentences as written, where they did not come masked."""
    if (settings.masking or study.masking) == "masked":
        if settings.recipe is not None:
            raise StudyError(f"{settings.name} is already masked, so the recipe {settings.recipe} cannot prepare it.")
        return Corpus(_kept(read(path, settings.options, kind="masked").texts, settings)), {}
    texts = _texts_to_mask(study, settings, path)
    found = masked(texts)
    return found, _originals(texts, found)


def _originals(texts: Sequence[Text], masked: Corpus[MaskedText]) -> dict[str, tuple[str, ...]]:
    contents = {text.id: text.content for text in texts}
    return {text.id: original_sentences(text, contents[text.id]) for text in masked}


def _texts_to_mask(study: Study, settings: CorpusSettings, path: Path) -> Sequence[Text]:
    """The texts of a corpus as they are masked: read, chosen and prepared."""
    if settings.kind == "problems":
        return read(path, settings.options, kind="problems").texts.texts
    kept = _kept(read(path, settings.options).texts, settings)
    if settings.recipe is None:
        return kept
    return prepare(Corpus(kept), _recipe(study, settings.recipe)).corpus.texts


def _ready_made(study: Study, settings: CorpusSettings, masked: Masker) -> Material:
    """Problems as they are published: each has its own K and Q, labelled by the problem."""
    options = settings.options
    method: Any = settings.masking or study.masking
    if method == "masked":
        options = replace(options, unwrap="never")  # lines of masked text are sentences
    found = read(study.folder / settings.path, options, kind="problems").problems
    without = [problem.id for problem in found if problem.same_author is None]
    if without:
        raise StudyError(
            f"{len(without)} of {len(found)} problems of {settings.name} have no answer, {without[0]} for one. A study "
            "needs the answers; add them or leave these problems out."
        )
    given = None if settings.writers is None else read_writers(study.folder / settings.writers)
    writers = find_writers(found, given)
    texts = [
        replace(text, author=label)
        for problem in found
        for label, of_label in zip(labels(problem), (problem.k, (problem.q,)), strict=True)
        for text in of_label
    ]
    if method == "masked":
        made = Corpus(tuple(masked_text(text, options.sentences) for text in texts))
    else:
        made = masked(texts)
    return replace(
        Material.of(Index(made), made),
        originals={} if method == "masked" else _originals(texts, made),
        ready=dict(labels(problem) for problem in found),
        writers=writers.of,
        known_by=writers.sentence,
    )


def _recipe(study: Study, recipe: str) -> str | Path:
    """A recipe's name, or its file in the study's folder."""
    return study.folder / recipe if recipe.endswith(".toml") else recipe


def _kept(texts: Sequence[AnyText], settings: CorpusSettings) -> tuple[AnyText, ...]:
    """The texts that take part: not of excluded authors, and of each author as many as pass `tokens_per_author`."""
    authors = sorted({text.author for text in texts if text.author is not None})
    for name in settings.exclude_authors:
        if name not in authors:
            hint = nearest(name, authors)
            raise StudyError(f"{settings.name} has no author {name} to exclude{hint}. Check the spelling.")
    texts = [text for text in texts if text.author not in settings.exclude_authors]
    if settings.tokens_per_author is None:
        return tuple(texts)
    kept: list[AnyText] = []
    so_far: dict[str | None, int] = {}
    # By a number of the id: spread over an author's works or years, and the same whatever the order of the files.
    for text in sorted(texts, key=lambda text: (zlib.crc32(text.id.encode()), text.id)):
        if so_far.get(text.author, 0) <= settings.tokens_per_author:
            so_far[text.author] = so_far.get(text.author, 0) + _n_tokens(text)
            kept.append(text)
    return tuple(kept)


def _n_tokens(text: Text | MaskedText) -> int:
    return text.n_tokens if isinstance(text, MaskedText) else len(text.content.split())


def _without_role(text: MaskedText) -> MaskedText:
    return replace(
        text, metadata={name: text.metadata[name] for name in text.metadata if name not in ("role", "texttype")}
    )


def _reference_only(text: MaskedText) -> MaskedText:
    return replace(text, id=_in_pool(text.id), metadata={**text.metadata, "role": "reference"})


def _in_pool(id_: str) -> str:
    return f"pool:{id_}"
