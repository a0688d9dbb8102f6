"""The tagger, loaded: lines become tagged tokens in sentences, by the kernels of `fast`, by spaCy or by HanTa.

The only module that imports spaCy and HanTa (German and Dutch), each once it is needed.
"""

import sys
import threading
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idiograph.errors import MaskingError, print
from idiograph.texts.language import NEEDED, language_name
from idiograph.texts.masking.fast import ways
from idiograph.texts.masking.models import EXCLUDED, TAGGERS, TaggerModel
from idiograph.texts.text import IntArray
from idiograph.texts.words import PLACEHOLDERS

# HanTa's tags (STTS for German, that of the Corpus Gesproken Nederlands for Dutch) in the parts of speech that masking
# tells apart. What is not named here is kept whatever it is: articles, pronouns, particles, auxiliary verbs.
_PARTS = {
    "de": {
        "NN": "NOUN", "NNA": "NOUN", "NNI": "NOUN", "TRUNC": "NOUN", "NE": "PROPN", "VV": "VERB", "VA": "AUX",
        "VM": "AUX", "ADJ": "ADJ", "ADV": "ADV", "PROAV": "ADV", "PWAV": "ADV", "CARD": "NUM",
    },
    # Dutch tags do not tell auxiliary verbs from others: the word list keeps them.
    "nl": {"N(eigen": "PROPN", "N": "NOUN", "WW": "VERB", "ADJ": "ADJ", "BW": "ADV", "TW": "NUM"},
}  # fmt: skip
_OTHER = "X"
_LONGEST = 40  # letters of a word that HanTa is shown; its time grows with their cube


class HantaTags:
    """A loaded model of HanTa."""

    def __init__(self, path: Path, language: str) -> None:
        from HanTa.HanoverTagger import HanoverTagger

        self._parts = _PARTS[language]
        try:
            self._tagger: Any = HanoverTagger(str(path))
        except Exception as error:
            raise MaskingError(
                f"HanTa cannot load its model {path.name} ({error}). Install the package again."
            ) from error

    def parts(self, words: Sequence[str]) -> list[str]:
        """The part of speech of each word of a sentence."""
        if not words:
            return []
        # The end of a word tells its class.
        shown = [word[-_LONGEST:] for word in words]
        try:
            tags = self._tagger.tag_sent(shown, taglevel=0)
        except (KeyError, IndexError):  # no way through the sentence that the model thinks possible
            tags = [self._tagger.tag_word(word)[0][0] for word in shown]
        known = (self._parts.get(tag.split(",")[0]) or self._parts.get(tag.split("(")[0], _OTHER) for tag in tags)
        return [part if any(map(str.isalnum, word)) else "SYM" for part, word in zip(known, words, strict=True)]

    def tag(self, doc: Any) -> None:
        """Gives the tokens of a document that spaCy has cut their parts of speech."""
        _better_sentences(doc)
        for sentence in doc.sents:
            solid = [token for token in sentence if not token.is_space]
            for token, part in zip(solid, self.parts([token.text for token in solid]), strict=True):
                token.pos_ = "PUNCT" if token.is_punct else part


def software(model: TaggerModel) -> str:
    """The versions of the code that runs the model: another one may cut or tag differently."""
    tagger = f"+{model.name}-{model.version}" if model.engine == "hanta" else ""
    return f"spacy-{metadata.version('spacy')}+thinc-{metadata.version('thinc')}{tagger}"


class TaggedLines(NamedTuple):
    """The tokens of some lines, white space left out, as columns of equal length."""

    kinds: list[tuple[str, str]]  # the different pairs of a lower-cased word and its part of speech
    kind: npt.NDArray[np.intp]  # which of them a token is
    line: npt.NDArray[np.intp]  # the line it stands in
    starts_sentence: npt.NDArray[np.bool_]  # true also for every line's first token
    spans: IntArray  # its start and end in the line


class SpacyTagger:
    """A loaded model that tags lines, run by spaCy, or cut by it and tagged by HanTa or not at all."""

    def __init__(self, model: TaggerModel) -> None:
        self._nlp: Any = _pipeline(model)
        self._parts: Callable[[Any], None] = lambda doc: None  # gives it the parts of speech that spaCy has not
        if model.engine == "hanta":
            self._parts = HantaTags(model.folder, model.language).tag
        elif model.engine == "blank":
            self._parts = _only_punctuation
        # Languages written without blanks have tokenizers that know no special cases.
        if hasattr(self._nlp.tokenizer, "add_special_case"):
            _keep_placeholders(self._nlp.tokenizer)
        tried = self._nlp("One.")
        self._parts(tried)
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
        tables = []
        for doc in self._nlp.pipe(lines, batch_size=_LINES_AT_A_TIME):
            self._parts(doc)
            tables.append(doc.to_array(_ATTRIBUTES))
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


class Tagger:
    """A model that tags lines: by compiled kernels where they give what spaCy gives, else by spaCy itself.

    `fast` says which of them, tried or not; left out, the kernels tag a model that they know as soon as that pays.
    """

    def __init__(self, model: TaggerModel, *, fast: bool | None = None) -> None:
        self._model = model
        self._may_be_fast = ways.why_not(model) is None if fast is None else fast
        self._must_agree = fast is None
        self._kernels: Any = None
        self._spacy: SpacyTagger | None = None if self._may_be_fast else SpacyTagger(model)
        self._characters = 0
        self._turns = threading.Lock()  # both ways remember words they have met, which threads would mix up
        self.way = ways.SPACY  # of what was tagged last

    def tag(self, lines: Sequence[str], *, ahead: int = 0) -> TaggedLines:
        """The lines tagged; what a line becomes does not depend on the others. E-mail and web addresses are nouns.

        `ahead` is how many characters come after them.
        """
        with self._turns:
            self._characters += sum(map(len, lines))
            if self._may_be_fast and self._kernels is None and self._pays(self._characters + ahead):
                self._spacy = None  # its weights would only take room beside the kernels
                self._kernels = self._agreeing_kernels()
            if self._kernels is not None:
                self._spacy = None  # in case the page was tried
                self.way = ways.KERNELS
                return TaggedLines(*self._kernels.tag(lines))
            self.way = ways.SPACY
            return self._by_spacy(lines)

    def _pays(self, characters: int) -> bool:
        """Whether so much text makes good what it takes to load the kernels, or to compile them first."""
        if not self._must_agree or characters > _PAYS_AFTER_COMPILING:
            return True
        return characters > _PAYS_AFTER and ways.tried(self._model)

    def _by_spacy(self, lines: Sequence[str]) -> TaggedLines:
        if self._spacy is None:
            self._spacy = SpacyTagger(self._model)
        return self._spacy.tag(lines)

    def _agreeing_kernels(self) -> Any:
        """The kernels, or None where they cannot run or did not give what spaCy gave; that is said."""
        try:
            # Imported late: Numba is not needed for little text.
            from idiograph.compiling import jit_disabled
            from idiograph.texts.masking.fast.tag import KernelTagger
            from idiograph.texts.masking.fast.weights import UnknownModel
        except (ImportError, OSError) as error:
            return self._stays_with_spacy(f"the compiler cannot be loaded ({error})")
        if jit_disabled():
            return self._stays_with_spacy(None)
        try:
            kernels = KernelTagger(self._model.folder, _tokenizer(self._model))
        except UnknownModel as error:
            return self._stays_with_spacy(f"the model has something they do not know: {error}")
        if self._must_agree and not ways.agreed(self._model, lambda page: self._same(kernels, page)):
            return self._stays_with_spacy("on a page that was tagged both ways they did not agree")
        return kernels

    def _stays_with_spacy(self, why: str | None) -> None:
        self._may_be_fast = False
        if why is not None:
            print(f"Texts are tagged by spaCy itself, not by the faster kernels: {why}.", file=sys.stderr)

    def _same(self, kernels: Any, lines: Sequence[str]) -> bool:
        return same_tokens(TaggedLines(*kernels.tag(lines)), self._by_spacy(lines))


def same_tokens(first: TaggedLines, second: TaggedLines) -> bool:
    """Whether words, parts of speech, sentence starts and spans agree."""
    words = ([tagged.kinds[kind] for kind in tagged.kind.tolist()] for tagged in (first, second))
    return next(words) == next(words) and all(map(np.array_equal, first[2:], second[2:]))


def kernels_agree(model: TaggerModel) -> bool | None:
    """Tags the page both ways again, whatever came of it before; None where the kernels do not know the model."""
    if ways.why_not(model) is not None:
        return None
    tagger = Tagger(model, fast=True)
    kernels = tagger._agreeing_kernels()
    return kernels and ways.agreed(model, lambda page: tagger._same(kernels, page), again=True)


def _spacy() -> Any:
    """The package, imported once it is needed: a masking that comes from the cache never needs it.

    It imports its own command line with itself, which takes a third of its start and a fifth of its memory; that is put
    off until somebody asks for it.
    """
    if "spacy" not in sys.modules:
        put_off = {name: ModuleType(name) for name in ("spacy.cli", "spacy.cli.info")}
        put_off["spacy.cli.info"].info = _spacy_info  # type: ignore[attr-defined]
        sys.modules.update(put_off)
        try:
            import spacy  # noqa: F401
        finally:
            for name in put_off:
                del sys.modules[name]
    return sys.modules["spacy"]


def _spacy_info(*arguments: Any, **named: Any) -> Any:
    """What `spacy.info` is, for whoever calls it."""
    from spacy.cli.info import info

    return info(*arguments, **named)


def _pipeline(model: TaggerModel) -> Any:
    """What cuts and, if the model is spaCy's, tags."""
    if model.engine != "spacy":
        return _blank(model.language)
    try:
        with warnings.catch_warnings():
            if model.digest in _TESTED:
                warnings.filterwarnings("ignore", message=r"\[W095\]")  # made for another version of spaCy
            nlp = _spacy().load(model.folder, exclude=list(EXCLUDED))
    except MemoryError:
        raise
    except Exception as error:  # a model may need a package, a device or a spaCy that is not here
        raise MaskingError(
            f"spaCy {metadata.version('spacy')} cannot load the model {model.name} {model.version} ({error}). "
            "Install what it asks for, or name another model."
        ) from error
    # A model without a parser may have a sentence recogniser that is off by default.
    if "parser" not in nlp.pipe_names and "senter" in nlp.disabled:
        nlp.enable_pipe("senter")
    return nlp


def _tokenizer(model: TaggerModel) -> Any:
    """The tokenizer of a model of spaCy's without the rest of it, which loads in half the time."""
    _spacy()
    from spacy.lang.en import English
    from spacy.tokenizer import Tokenizer
    from spacy.vocab import create_vocab

    vocab = create_vocab(model.language, English.Defaults)
    # Of the vocabulary only the norms of words matter; strings are added as they are met.
    vocab.from_disk(model.folder / "vocab", exclude=["strings", "vectors"])
    tokenizer = Tokenizer(vocab).from_disk(model.folder / "tokenizer")
    _keep_placeholders(tokenizer)
    return tokenizer


def _keep_placeholders(tokenizer: Any) -> None:
    for placeholder in PLACEHOLDERS:
        tokenizer.add_special_case(placeholder, [{"ORTH": placeholder}])


def _blank(language: str) -> Any:
    """A language's tokenizer, and sentences that end at full stops, question marks and their like in every script."""
    try:
        nlp = _spacy().blank(language)
    except Exception as error:
        raise MaskingError(
            f"spaCy {metadata.version('spacy')} cannot cut {language_name(language)} into words without "
            f"{NEEDED.get(language, 'a package that is not installed')}. Install what it asks for, or mask the texts "
            f"elsewhere and read them as masked. (spaCy says: {str(error).splitlines()[0]})"
        ) from error
    nlp.add_pipe("sentencizer")
    return nlp


def _only_punctuation(doc: Any) -> None:
    """Marks punctuation, which every language's rules know; of the other tokens nothing is known."""
    _better_sentences(doc)
    for token in doc:
        token.pos_ = "PUNCT" if token.is_punct else "X"


def _better_sentences(doc: Any) -> None:
    """Gives a quotation mark, bracket or ¿ to the sentence it opens, and ends none before a comma.

    spaCy's rule ends a sentence after all punctuation that follows a full stop, whatever it is.
    """
    for position in range(len(doc) - 1, 1, -1):
        first, mark, before = doc[position], doc[position - 1], doc[position - 2]
        if not first.is_sent_start:
            continue
        opens = mark.text in "¿¡" or unicodedata.category(mark.text[0]) in ("Ps", "Pi")
        if mark.text in _GOING_ON:
            first.is_sent_start = False
        elif mark.is_punct and before.whitespace_ and (opens or not mark.whitespace_):
            first.is_sent_start, mark.is_sent_start = False, True


# Known weights that are tested with this spaCy; the Spanish ones were made with 3.1, and spaCy would warn of it.
_TESTED = frozenset(known.digest for known in TAGGERS.values())
_GOING_ON = (",", ";", ":", "،", "؛", "、", "，", "；", "：")
_LINES_AT_A_TIME = 256
_FORGET_AFTER = 5_000_000  # characters
_PAYS_AFTER, _PAYS_AFTER_COMPILING = 12_000, 60_000  # characters
_ATTRIBUTES = ["IDX", "LOWER", "POS", "LIKE_URL", "LIKE_EMAIL", "IS_SPACE", "SENT_START", "LENGTH"]


@lru_cache(maxsize=1)
def load_tagger(model: TaggerModel) -> Tagger:
    """The model, loaded once per process."""
    return Tagger(model)
