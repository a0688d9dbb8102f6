"""The corpora of a study, read, masked and indexed once, kept in the cache folder and shared by all who score.

How a corpus of a study is masked, and whether its texts are in the language that the study states.
"""

import shutil
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from idiograph.errors import InputError, StudyError, nearest, some
from idiograph.evidence.closeness import ContentWords
from idiograph.files import cache_folder, refuse_way_out, whole_folder, write_whole
from idiograph.grammar.index import Index
from idiograph.provenance import InputFile, digest_json, versions
from idiograph.records import parsed_json, record_line
from idiograph.studies.material import ROLE_FIELDS, Material
from idiograph.studies.results import CorpusFacts
from idiograph.studies.settings import CorpusSettings, Study
from idiograph.studies.writers import Names, find_writers, labels, read_writers
from idiograph.texts.language import ENGLISH, check_language, language_name
from idiograph.texts.masking.mask import mask
from idiograph.texts.masking.rules import content_words, hides_content, original_sentences
from idiograph.texts.preparing.prepare import prepare
from idiograph.texts.reading.options import RULES
from idiograph.texts.reading.problem_sets import TextProblem
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
        "clean": corpus.options.cleans,
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
    sentence = (
        f"{len(other)} of the {len(checked)} texts of {corpus.name} that can be checked look like another language"
    )
    first = f"{other[0]} {checks[other[0]].sentence}"
    if len(other) > len(checked) / 2:
        raise StudyError(
            f"{sentence}: {first}. Masking goes by the rules of the stated language; state the one that they are in."
        )
    warnings.warn(f"{sentence}: {first}; all of them: {some(other)}.", stacklevel=2)


_SCHEMA = 3
_INDEX, _MATERIAL, _ORIGINALS, _CONTENT = "index", "material.json", "originals.json", "content.json"
_RECORDED = ("fields", "roles", "ready", "writers", "known_by", "training")
AnyText = TypeVar("AnyText", Text, MaskedText)
Masker = Callable[[CorpusSettings, Sequence[Text]], Corpus[MaskedText]]
_TRAINING = "training:"  # what ids of texts, and of problems, of a training corpus begin with


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
    inputs = list(_input_files(study, corpus))
    settings = _deciding(study, corpus) | {"name": ""}
    if corpus.training is not None:
        training = study.corpus(corpus.training)
        inputs += [replace(file, role=f"training {file.role}") for file in _input_files(study, training)]
        settings["training"] = _deciding(study, training)
    key = digest_json(
        {"schema": _SCHEMA, "settings": settings, "inputs": [asdict(file) for file in inputs], "versions": versions()}
    )
    return Source(corpus, tuple(inputs), cache_folder() / "studies" / key[:32])


def _deciding(study: Study, corpus: CorpusSettings) -> dict[str, Any]:
    """The settings that decide the texts of a corpus."""
    settings = corpus.as_json(study.folder) | {"masking": corpus.masking or study.masking}
    return settings | other_than_english(study, corpus) | {"rules": corpus.options.rules}


def _input_files(study: Study, corpus: CorpusSettings) -> Iterator[InputFile]:
    """The files that a corpus itself is made of."""
    named = {
        "corpus": corpus.path,
        "pool": corpus.pool,
        "file of writers": corpus.writers,
        "word list": corpus.word_list,
        "metadata": corpus.options.metadata,  # a path already
        "recipe": corpus.recipe if _is_file(corpus.recipe) else None,
    }
    for role, name in named.items():
        if name is None:
            continue
        path = study.folder / name if isinstance(name, str) else name
        if not path.exists():
            raise StudyError(
                f"The {role} of {corpus.name} is not there: {path}. Its path is relative to the study file."
            )
        refuse_way_out(path, study.folder, StudyError)
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        for file in files:
            called = file.name if file == path else file.relative_to(path).as_posix()
            yield InputFile.of(file, role=role, name=called)


def open_corpus(study: Study, source: Source, *, workers: int = 1) -> StudyCorpus:
    """The corpus from the cache folder; it is read, masked and indexed first if it is not there."""
    also = {"originals": study.reads_originals, "content": study.compares_topics}
    try:
        material = open_material(source.folder, **also) if source.is_ready else None
    except InputError:
        material = None  # damaged, or written by another version: it is only a cache
        shutil.rmtree(source.folder, ignore_errors=True)
    if material is None:

        def masked(settings: CorpusSettings, texts: Sequence[Text]) -> Corpus[MaskedText]:
            check_texts(study, settings, texts)
            return mask(Corpus(tuple(texts)), **masking_of(study, settings), workers=workers)

        fresh = make_material(study, source.settings, masked)
        try:
            with whole_folder(source.folder, wait=True) as part:
                # What masking hides only where a method reads it: everything else in the cache is masked.
                kept = fresh if study.reads_originals else replace(fresh, originals={})
                save_material(kept, part, content=study.compares_topics)
        except InputError:
            if not source.is_ready:  # else another process was faster
                raise
        material = open_material(source.folder, **also)
    return StudyCorpus(source.settings.name, material, source.inputs, source.folder)


def open_as_before(study: Study, source: Source, facts: CorpusFacts | None, *, workers: int = 1) -> StudyCorpus:
    """The corpus, read by earlier rules where results were begun with the index that these give."""
    opened = open_corpus(study, source, workers=workers)
    for rules in range(RULES - 1, 0, -1):
        if facts is None or opened.material.index.digest == facts.index:
            break
        options = replace(source.settings.options, rules=rules)
        earlier = open_corpus(study, find_source(study, replace(source.settings, options=options)), workers=workers)
        if earlier.material.index.digest == facts.index:
            return earlier
    return opened


def texts_to_mask(study: Study, source: Source) -> tuple[Text, ...]:
    """The texts of a corpus that are still to be masked, read and prepared; none where it is in the cache folder."""
    if source.is_ready:
        return ()
    return tuple(
        text
        for settings in (source.settings, *_training_of(study, source.settings))
        if not _came_masked(study, settings)
        for path in (settings.path, settings.pool if settings is source.settings else None)
        if path is not None
        for text in _texts_to_mask(study, settings, study.folder / path)
    )


def _training_of(study: Study, settings: CorpusSettings) -> tuple[CorpusSettings, ...]:
    """The corpus that another is calibrated on, if there is one."""
    return () if settings.training is None else (study.corpus(settings.training),)


def is_saved(folder: Path) -> bool:
    """Whether a corpus is in the folder whole: its material is written last."""
    return (folder / _MATERIAL).is_file()


def to_ship(folder: Path, *, originals: bool, content: bool) -> dict[str, bytes]:
    """The files of a saved corpus that scoring elsewhere needs: what masking hides only where something reads it."""
    names = (*([_ORIGINALS] if originals else []), *([_CONTENT] if content else []), _INDEX, _MATERIAL)
    return {name: (folder / name).read_bytes() for name in names}


def receive(folder: Path, shipped: Mapping[str, bytes]) -> None:
    """Keeps what was shipped of a corpus, unless it is there; an earlier study may have needed less of it."""
    if not is_saved(folder):
        try:
            with whole_folder(folder, wait=True) as part:
                for name, content in shipped.items():
                    write_whole(part / name, content)
        except InputError:
            if not is_saved(folder):  # else another process was faster
                raise
    for name, content in shipped.items():
        if not (folder / name).is_file():
            write_whole(folder / name, content)


def save_material(material: Material, folder: Path, *, content: bool = False) -> None:
    """The index and what is known of its texts, in a folder; their content words only if they are asked for."""
    material.index.save(folder / _INDEX)
    record = {"schema": _SCHEMA, **{name: getattr(material, name) for name in _RECORDED}}
    if material.originals:
        write_whole(folder / _ORIGINALS, record_line(material.originals, compact=True))
    if content:
        words = material.content
        written = None
        if words is not None:
            written = {"words": words.words, "numbers": words.numbers.tolist(), "starts": words.starts.tolist()}
        write_whole(folder / _CONTENT, record_line(written, compact=True))
    write_whole(folder / _MATERIAL, record_line(record, compact=True))


def open_material(folder: Path, *, originals: bool = False, content: bool = False) -> Material:
    """What `save_material` wrote, the index memory-mapped; originals and content words only if they are asked for."""
    path = folder / _MATERIAL
    try:
        record = parsed_json(path.read_bytes())
        # What 0.3.0 saved has no training.
        parts = {name: record[name] for name in _RECORDED if name in record or name != "training"}
        if originals:
            parts["originals"] = parsed_json((folder / _ORIGINALS).read_bytes())
        if content and (words := parsed_json((folder / _CONTENT).read_bytes())) is not None:
            starts = np.array(words["starts"], np.int64)
            parts["content"] = ContentWords(tuple(words["words"]), np.array(words["numbers"], np.int32), starts)
        return Material(Index.open(folder / _INDEX), **parts)
    except (OSError, ValueError, KeyError, TypeError, InputError) as error:
        raise InputError(f"{path} is damaged ({error}). Delete its folder; it is made again.") from error


@dataclass(frozen=True)
class _Masked:
    """Masked texts; by their ids their sentences as written and their content words, as far as these are known."""

    texts: tuple[MaskedText, ...]
    originals: Mapping[str, tuple[str, ...]]
    content: Mapping[str, tuple[tuple[str, ...], ...]]  # the words of each sentence

    def __add__(self, other: "_Masked") -> "_Masked":
        texts = (*self.texts, *other.texts)
        return _Masked(texts, {**self.originals, **other.originals}, {**self.content, **other.content})

    def called(self, prefix: str) -> "_Masked":
        """The same texts by other ids."""
        return _Masked(
            tuple(replace(text, id=prefix + text.id) for text in self.texts),
            {prefix + id_: sentences for id_, sentences in self.originals.items()},
            {prefix + id_: words for id_, words in self.content.items()},
        )

    def material(self, study: Study) -> Material:
        """The texts indexed, with what is known of them."""
        corpus = Corpus(self.texts)
        material = Material.of(Index(corpus), corpus)
        ids, content = material.index.text_ids, None
        if study.compares_topics and all(id_ in self.content for id_ in ids):
            content = ContentWords.of(words for id_ in ids for words in self.content[id_])
        return replace(material, originals=self.originals, content=content)


def make_material(study: Study, settings: CorpusSettings, masked: Masker) -> Material:
    """A corpus read, chosen, prepared, masked by `masked` unless it is already, and indexed."""
    if settings.kind == "problems":
        return _ready_made(study, settings, masked)
    read_in = _in_roles(study, settings, masked)
    training: set[str] = set()
    if settings.pool is not None:
        pool = _texts(study, replace(settings, exclude_authors=()), study.folder / settings.pool, masked)
        pool_texts = tuple(replace(text, metadata={**text.metadata, "role": "reference"}) for text in pool.texts)
        read_in += replace(pool, texts=pool_texts).called("pool:")
    for other in _training_of(study, settings):
        learnt_from = _in_roles(study, other, masked)
        training = {text.author for text in learnt_from.texts if text.author is not None}
        both = sorted(training & {text.author for text in read_in.texts if text.author is not None})
        if both:
            raise StudyError(
                f"{settings.name} and {other.name}, its training, share authors: {some(both)}. Nobody may be both "
                "learnt from and judged, so exclude them from one of the two; give other names to those who only have "
                "the same name."
            )
        read_in += learnt_from.called(_TRAINING)
    return replace(read_in.material(study), training=tuple(sorted(training)))


def _in_roles(study: Study, settings: CorpusSettings, masked: Masker) -> _Masked:
    """The texts of a corpus with the roles it is to keep to."""
    read_in = _texts(study, settings, study.folder / settings.path, masked)
    if settings.roles:
        return read_in
    without = (
        replace(text, metadata={name: value for name, value in text.metadata.items() if name not in ROLE_FIELDS})
        for text in read_in.texts
    )
    return replace(read_in, texts=tuple(without))


def _texts(study: Study, settings: CorpusSettings, path: Path, masked: Masker) -> _Masked:
    """The texts of a corpus in a file or folder of it, masked unless they came so."""
    if not _came_masked(study, settings):
        return _masked(study, settings, _texts_to_mask(study, settings, path), masked)
    if settings.recipe is not None:
        raise StudyError(f"{settings.name} is already masked, so the recipe {settings.recipe} cannot prepare it.")
    return _Masked(_kept(read(path, settings.options, kind="masked").texts, settings), {}, {})


def _came_masked(study: Study, settings: CorpusSettings) -> bool:
    return (settings.masking or study.masking) == "masked"


def _masked(study: Study, settings: CorpusSettings, texts: Sequence[Text], masked: Masker) -> _Masked:
    """Texts masked, with what masking hid of them if it is needed."""
    contents = {text.id: text.content for text in texts}
    corpus = masked(settings, texts)
    # Where a forecast only counts words, nothing is masked.
    hidden = [text for text in corpus if hides_content(text.masking)] if study.compares_topics else []
    return _Masked(
        corpus.texts,
        {text.id: original_sentences(text, contents[text.id]) for text in corpus},
        {text.id: content_words(text, contents[text.id]) for text in hidden},
    )


def _texts_to_mask(study: Study, settings: CorpusSettings, path: Path) -> Sequence[Text]:
    """The texts of a corpus as they are masked: read, chosen and prepared."""
    if settings.kind == "problems":
        return read(path, settings.options, kind="problems").texts.texts
    kept = _kept(read(path, settings.options).texts, settings)
    if settings.recipe is None:
        return kept
    recipe = study.folder / settings.recipe if _is_file(settings.recipe) else settings.recipe
    return prepare(Corpus(kept), recipe).corpus.texts


def _ready_made(study: Study, settings: CorpusSettings, masked: Masker) -> Material:
    """Problems as they are published: each has its own K and Q, labelled by the problem."""
    every: list[TextProblem] = []
    training: list[str] = []
    given: dict[str, Names] = {}
    read_in = _Masked((), {}, {})
    for part in (settings, *_training_of(study, settings)):
        problems = _answered(study, part)
        named = {} if part.writers is None else read_writers(study.folder / part.writers)
        if part is not settings:
            problems = [_for_training(problem) for problem in problems]
            named = {_TRAINING + id_: names for id_, names in named.items()}
            training += [label for problem in problems for label in labels(problem)]
        texts = [
            replace(text, author=label)
            for problem in problems
            for label, of_label in zip(labels(problem), (problem.k, (problem.q,)), strict=True)
            for text in of_label
        ]
        if _came_masked(study, part):
            read_in += _Masked(tuple(masked_text(text, part.options.sentences) for text in texts), {}, {})
        else:
            read_in += _masked(study, part, texts, masked)
        every += problems
        given |= named
    writers = find_writers(every, given)
    return replace(
        read_in.material(study),
        ready=dict(labels(problem) for problem in every),
        writers=writers.of,
        known_by=writers.sentence,
        training=tuple(dict.fromkeys(training)),
    )


def _answered(study: Study, settings: CorpusSettings) -> Sequence[TextProblem]:
    """The problems of a set; an error where an answer is not known."""
    options = settings.options
    if _came_masked(study, settings):  # lines of masked text are sentences, and its tokens are tokens
        options = replace(options, unwrap="never", clean=False)
    problems = read(study.folder / settings.path, options, kind="problems").problems
    without = [problem.id for problem in problems if problem.same_author is None]
    if without:
        raise StudyError(
            f"{len(without)} of {len(problems)} problems of {settings.name} have no answer, for example {without[0]}. "
            "A study needs the answers; add them or leave these problems out."
        )
    return problems


def _for_training(problem: TextProblem) -> TextProblem:
    """A problem of a training set, told from those of the set that is judged."""
    *k, q = (replace(text, id=_TRAINING + text.id) for text in (*problem.k, problem.q))
    return replace(problem, id=_TRAINING + problem.id, k=tuple(k), q=q)


def _is_file(recipe: str | None) -> bool:
    """Whether a recipe is named by its file in the study's folder."""
    return recipe is not None and recipe.endswith(".toml")


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
            so_far[text.author] = so_far.get(text.author, 0) + n_words(text)
            kept.append(text)
    return tuple(kept)


def n_words(text: Text | MaskedText) -> int:
    """How long a text is: in tokens if it is masked, else in words between blanks."""
    return text.n_tokens if isinstance(text, MaskedText) else len(text.content.split())
