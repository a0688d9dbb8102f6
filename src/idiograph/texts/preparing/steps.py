"""What each step of a recipe does, to a text or to a corpus: a recipe can ask for nothing else.

**Steps on one text** take its content and give the edits to make. Every pattern runs in time linear in the text,
whatever is in it: no repetition inside a repetition can match the same characters in two ways, and what must be bounded
is.

**Steps on a corpus** say which texts and authors stay, and which texts become Q and K. Texts come in (author, id) order
and chance has a generator of its own for each author, so neither the order of files nor the presence of other authors
changes what is drawn. Texts without an author are left as they are by every step about authors.

**Texts that repeat another** exactly, nearly (MinHash with locality-sensitive hashing) or by a long run of words either
all go, or the first by (author, id) stays.
"""

import inspect
import re
import typing
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any, Literal

import numpy as np

from idiograph.arithmetic import quantile
from idiograph.errors import InputError, nearest
from idiograph.settings import Setting, read_settings, settings_of
from idiograph.texts import quoting
from idiograph.texts.characters import KINDS, PICTURES, SIGNS_AS_PICTURES, belonging, folding
from idiograph.texts.edits import Edits, removals, tight
from idiograph.texts.repeats import Hashes, buckets, coded, holders, near_pairs, sharing_pairs, shingles
from idiograph.texts.repeats import signatures as minhash_signatures
from idiograph.texts.text import Text
from idiograph.texts.words import PLACEHOLDERS, count_words, word_spans, words


def limits(minimum: float, maximum: float | None = None) -> Setting:
    """The values that a numeric setting of a step may take, both ends included."""
    return Setting(minimum=minimum, maximum=maximum)


# What may stand for something else must stay one token in masking.
ONE_TOKEN = Setting(
    must=f"empty, one of {' '.join(PLACEHOLDERS)}, or one word of letters, so that it stays one token",
    allows=lambda text: not text or text in PLACEHOLDERS or (text.isascii() and text.isalpha()),
)


@dataclass(frozen=True)
class Outcome:
    """What a step does to a corpus: texts left out with a reason, edits and metadata by text id, figures and notes."""

    removed: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[str, Edits] = field(default_factory=dict)
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    figures: Mapping[str, int | float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepKind:
    """A registered step: the sentence that explains it, its settings and the function behind it."""

    name: str
    about: str
    settings: type  # a dataclass of the function's keyword arguments
    function: Callable[..., Any]
    on_corpus: bool  # the function takes texts, in (author, id) order, to an Outcome; else a content to its edits

    @property
    def defaults(self) -> dict[str, Any]:
        """Every setting with its default."""
        return {setting.name: setting.default for setting in settings_of(self.settings)}

    def read(self, given: Mapping[str, Any], *, where: str) -> dict[str, Any]:
        """All settings, those of `given` checked against what the step takes."""
        settings: Any = read_settings(self.settings, given, where=f"{where}, {self.name}")
        return {name: getattr(settings, name) for name in self.defaults}


STEPS: dict[str, StepKind] = {}

Function = typing.TypeVar("Function", bound=Callable[..., Any])


def step(function: Function) -> Function:
    """Registers a function of a text's content or, if it gives an Outcome, of texts."""
    hints = typing.get_type_hints(function, include_extras=True)
    declared_fields = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            hint = hints[parameter.name]
            kind, *described = typing.get_args(hint) if typing.get_origin(hint) is Annotated else [hint]
            declared = field(default=parameter.default, metadata={"setting": described[0] if described else Setting()})
            declared_fields.append((parameter.name, kind, declared))
    name, about = function.__name__, (function.__doc__ or "").split("\n\n")[0].replace("\n    ", " ")
    settings = make_dataclass(name, declared_fields, frozen=True)
    STEPS[name] = StepKind(name, about, settings, function, on_corpus=hints["return"] is Outcome)
    return function


_URL = r"(?:https?://|ftp://|(?<![\w@])www\.)\w[^\s<>\"]*"
_DOMAIN = r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,8}(?:com|org|net|edu|gov|info|io|co|uk|de|us)\b(?:/[^\s<>\"]*)?"
_URLS = re.compile(f"<{_URL}>|{_URL}", re.IGNORECASE)
_URLS_AND_DOMAINS = re.compile(f"<{_URL}>|{_URL}|{_DOMAIN}", re.IGNORECASE)
_ADDRESS = r"(?<![\w.%+-])[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
_ADDRESSES = re.compile(f"<(?:mailto:)?{_ADDRESS}>|(?:mailto:)?{_ADDRESS}", re.IGNORECASE)
_TAG = re.compile(r"(?<![\w@])@\w+")
_LETTERS = re.compile(r"[^\W\d_]+")
_ELONGATED = re.compile(r"([^\W\d_])\1{2,}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+|\n+")
# A picture with what joins or varies it; then signs that become one by variation.
_EMOJI = re.compile(
    rf"[{PICTURES}][{PICTURES}\uFE0E\uFE0F\u200D\u20E3\U000E0020-\U000E007F]*"
    rf"|[0-9#*{SIGNS_AS_PICTURES}]\uFE0F\u20E3?|[0-9#*]\u20E3|\uFE0F"
)
_MARKS = ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk")
_OPENING = "([{\"'“‘"
_CLOSING = ".,;:!?)]}\"'”’…"
_PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "−": "-"}
    | {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O"}
)


@step
def forwarded_text(content: str) -> Edits:
    """Removes messages forwarded under an English, German or French heading: they are another person's words."""
    return removals(content, quoting.forwarded_spans(content))


@step
def quoted_text(content: str) -> Edits:
    """Removes quoted lines and replies carried along below: they are another person's words.

    The lines that introduce them are known in English and nine other European languages.
    """
    return removals(content, quoting.quoted_spans(content))


@step
def salutations(content: str) -> Edits:
    """Removes the opening greeting, English or a common German, French or Spanish one: often with a name in it."""
    return removals(content, quoting.salutation_spans(content))


@step
def signatures(content: str) -> Edits:
    """Removes the closing formula (English, few others), name and contact lines: they identify by name."""
    return removals(content, quoting.signature_spans(content))


@step
def urls(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "<url>", bare_domains: bool = False) -> Edits:
    """Replaces web addresses (`bare_domains`: also `example.com`), or removes them if `replace_with` is empty."""
    pattern = _URLS_AND_DOMAINS if bare_domains else _URLS
    return _replaced(content, (_url_span(match) for match in pattern.finditer(content)), replace_with)


@step
def email_addresses(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "<email>") -> Edits:
    """Replaces e-mail addresses, or removes them if `replace_with` is empty."""
    return _replaced(content, (match.span() for match in _ADDRESSES.finditer(content)), replace_with)


@step
def user_tags(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "userid") -> Edits:
    """Replaces tags such as `@name`, or removes them if `replace_with` is empty."""
    return _replaced(content, (match.span() for match in _TAG.finditer(content)), replace_with)


@step
def lower_case(content: str) -> Edits:
    """Lower-cases before tagging, which changes the tags; without this step masking lower-cases after it."""
    matches = re.finditer(r"\S+", content)
    return tight((word.start(), word.group(), word.group().lower()) for word in matches)


@step
def emojis(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "") -> Edits:
    """Removes emojis with their skin tones, joiners and flags, or replaces each run of them."""
    return _replaced(content, (match.span() for match in _EMOJI.finditer(content)), replace_with)


@step
def leading_punctuation(content: str, *, keep: str = "") -> Edits:
    """Removes punctuation before the first word (`¿` too), placeholders and the characters in `keep` excepted."""
    end = 0
    for position, character in enumerate(content):
        if character in keep or content.startswith(PLACEHOLDERS, position):
            break
        if not character.isspace() and not unicodedata.category(character).startswith("P"):
            break
        if not character.isspace():
            end = position + 1
    return removals(content, [(0, end)])


@step
def non_printing(content: str, *, keep: str = "") -> Edits:
    """Removes control, formatting, private and unassigned characters; line breaks, tabs and those in `keep` stay.

    Joiners stay between letters of scripts that spell with them, such as Persian and Hindi, and inside emojis.
    """
    stays = belonging(content)
    unwanted = (
        match.span()
        for match in re.finditer(r"[^\x20-\x7e\n\r\t]", content)
        if unicodedata.category(match.group())[0] == "C" and match.group() not in keep and match.start() not in stays
    )
    return removals(content, unwanted)


@step
def characters(
    content: str, *, fold: Annotated[tuple[str, ...], Setting(choices=tuple(KINDS))] = tuple(KINDS)
) -> Edits:
    """Puts usual characters for those that look like them, of the kinds in `fold`; how a text is worded stays."""
    return folding(content, fold)


@step
def non_ascii(content: str, *, fold: bool = False) -> Edits:
    """Removes characters outside ASCII: for English only; with `fold`, what has a plain form (`’`, `é`) becomes it."""
    matches = re.finditer(r"[^\x00-\x7f]+", content)
    return tight((run.start(), run.group(), _folded(run.group()) if fold else "") for run in matches)


@step
def elongated_words(
    content: str,
    *,
    keep: Annotated[int, limits(1, 2)] = 2,
    leave: tuple[str, ...] = ("aaa", "www", "iii", "viii", "xiii", "xviii", "xxiii", "xxx"),
) -> Edits:
    """Cuts three or more equal letters in a row (`soooo`) to `keep`; words in `leave` (German `Schifffahrt` …) stay."""
    left = {word.lower() for word in leave}
    cut = (word for word in _LETTERS.finditer(content) if word.group().lower() not in left)
    runs = (run for word in cut for run in _ELONGATED.finditer(content, *word.span()))
    return tuple((run.start() + keep, run.group()[keep:], "") for run in runs)


@step
def punctuation_runs(content: str, *, longest: Annotated[int, limits(1)] = 3) -> Edits:
    """Cuts a run of more than `longest` equal punctuation marks to that many."""
    runs = re.finditer(rf"([^\w\s]|_)\1{{{longest},}}", content)
    marks = (run for run in runs if unicodedata.category(run.group(1)) in _MARKS)
    return removals(content, ((run.start() + longest, run.end()) for run in marks))


@step
def white_space(content: str, *, join_lines: bool = False, blank_lines: bool = True) -> Edits:
    """Trims the ends, cuts runs of blanks to one and blank lines to one (`blank_lines`: false, to none).

    A line break ends a sentence later on, so lines are only joined if `join_lines` says so.
    """
    edits = []
    for run in re.finditer(r"\s+", content):
        n_breaks = len(f"{run.group()}.".splitlines()) - 1
        if run.start() == 0 or run.end() == len(content):
            wanted = ""
        elif join_lines or not n_breaks:
            wanted = " "
        else:
            wanted = "\n\n" if n_breaks > 1 and blank_lines else "\n"
        edits.append((run.start(), run.group(), wanted))
    return tight(edits)


@step
def duplicate_sentences(content: str, *, min_tokens: Annotated[int, limits(1)] = 3) -> Edits:
    """Removes a sentence that the same text has had before, if it has at least `min_tokens` words.

    Sentences end at line breaks and at `.`, `?` or `!` before white space; so does `Mr.`, hence the least length.
    """
    seen: set[tuple[str, ...]] = set()
    repeated = []
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(content)), len(content)]:
        sentence = tuple(words(content[start:end]))
        if len(sentence) >= min_tokens and sentence in seen:
            repeated.append((start, end))
        seen.add(sentence)
        start = end
    return removals(content, repeated)


def _url_span(match: re.Match[str]) -> tuple[int, int]:
    """A match without the punctuation that ends the sentence or closes the bracket around it."""
    address = match.group()
    if address.endswith(">"):
        return match.span()
    unmatched = {pair[1]: address.count(pair[1]) - address.count(pair[0]) for pair in ("()", "[]", "{}")}
    end = len(address)
    while address[end - 1] in ".,;:!?'”’*_" or unmatched.get(address[end - 1], 0) > 0:
        end -= 1
        if address[end] in unmatched:
            unmatched[address[end]] -= 1
    return match.start(), match.start() + end


def _replaced(content: str, spans: Iterable[tuple[int, int]], replace_with: str) -> Edits:
    """Edits that put `replace_with` for each span, set off by blanks where it would stick to a neighbour."""
    edits = []
    for start, end in spans:
        inserted = replace_with
        if inserted and start > 0 and not content[start - 1].isspace() and content[start - 1] not in _OPENING:
            inserted = f" {inserted}"
        if inserted and end < len(content) and not content[end].isspace() and content[end] not in _CLOSING:
            inserted = f"{inserted} "
        edits.append((start, content[start:end], inserted))
    return tuple(edits)


def _folded(characters: str) -> str:
    plain = unicodedata.normalize("NFKD", characters.translate(_PLAIN))
    return "".join(character for character in plain if character.isascii())


Texts = Sequence[Text]


@step
def retweets(texts: Texts, *, markers: tuple[str, ...] = ("rt :", "rt @")) -> Outcome:
    """Leaves out texts that begin with one of `markers`, in any case: they repeat another account's words."""
    # A blank in a marker stands for any white space or none: `RT @name` and `rt@name` alike.
    patterns = [r"\s*".join(map(re.escape, marker.split())) for marker in markers if marker.strip()]
    begins = re.compile(rf"\s*(?:{'|'.join(patterns)})", re.IGNORECASE) if patterns else None
    return Outcome(removed={text.id: "a retweet" for text in texts if begins and begins.match(text.content)})


@step
def accounts(texts: Texts, *, names: tuple[str, ...] = (), reason: str = "") -> Outcome:
    """Leaves out the accounts (authors) in `names`, with the `reason` that must be given: not human, shared …"""
    if names and not reason.strip():
        raise InputError(
            f"The step accounts leaves out {', '.join(names)} and gives no reason. "
            'Whoever reads the record must know why: add reason = "…".'
        )
    known = sorted({text.author for text in texts if text.author is not None})
    for name in names:
        if name not in known:
            raise InputError(
                f"The step accounts leaves out {name}, but no text is by that author{nearest(name, known)}. "
                "Check the name, or take it off the list."
            )
    return Outcome(removed={text.id: f"account left out: {reason}" for text in texts if text.author in names})


@step
def text_length(
    texts: Texts, *, min_tokens: Annotated[int, limits(0)] = 3, max_tokens: Annotated[int, limits(0)] = 0
) -> Outcome:
    """Leaves out texts with fewer than `min_tokens` or more than `max_tokens` words (0: no limit)."""
    removed = {}
    for text in texts:
        n_words = count_words(text.content)
        if n_words < min_tokens:
            removed[text.id] = f"{n_words} tokens, fewer than {min_tokens}"
        elif max_tokens and n_words > max_tokens:
            removed[text.id] = f"{n_words} tokens, more than {max_tokens}"
    return Outcome(removed=removed)


@step
def author_tokens(texts: Texts, *, min_tokens: Annotated[int, limits(0)] = 1000) -> Outcome:
    """Leaves out authors whose texts have fewer than `min_tokens` words together."""
    few = {author: total for author, total in _totals(texts).items() if total < min_tokens}
    return Outcome(
        removed={
            text.id: f"the author has {few[text.author]} tokens, fewer than {min_tokens}"
            for text in texts
            if text.author in few
        },
        figures={"authors_left_out": len(few)},
    )


@step
def author_outliers(
    texts: Texts,
    *,
    multiplier: Annotated[float, limits(0)] = 0.8,
    cut_texts: bool = False,
    seed: Annotated[int, limits(0)] = 0,
) -> Outcome:
    """Leaves out authors below Tukey's lower fence on total words; those above the upper one lose texts at random.

        fences = Q1 − m·(Q3 − Q1),  Q3 + m·(Q3 − Q1)        quartiles by linear interpolation (R's type 7)

    Whole texts are drawn as long as they fit under the upper fence; with `cut_texts` the first that does not fit is
    cut behind its last word that does, and the rest is left out.
    """
    totals = _totals(texts)
    if len(totals) < 4:
        raise InputError(
            f"The step author_outliers found {len(totals)} authors. Quartiles of fewer than four mean nothing: "
            "take the step out of the recipe or add authors."
        )
    first, third = quantile(totals.values(), 0.25), quantile(totals.values(), 0.75)
    lower, upper = first - multiplier * (third - first), third + multiplier * (third - first)
    removed: dict[str, str] = {}
    edits: dict[str, Edits] = {}
    for author, author_texts in _by_author(texts).items():
        total = totals[author]
        if total < lower:
            removed |= {
                text.id: f"the author has {total} tokens, below the lower fence {lower:g}" for text in author_texts
            }
        elif total > upper:
            left_out, cut = _trimmed(_shuffled(author_texts, seed), lower=lower, upper=upper, cut_texts=cut_texts)
            removed |= dict.fromkeys(left_out, f"the author has {total} tokens, above the upper fence {upper:g}")
            edits |= cut
    n_below = sum(total < lower for total in totals.values())
    n_above = sum(total > upper for total in totals.values())
    figures = {"lower_fence": lower, "upper_fence": upper, "authors_left_out": n_below, "authors_trimmed": n_above}
    return Outcome(removed=removed, edits=edits, figures=figures)


@step
def assign_q_k(
    texts: Texts,
    *,
    q_tokens: Annotated[int, limits(1)] = 500,
    k_tokens: Annotated[int, limits(0)] = 500,
    short_authors: Literal["keep", "remove"] = "keep",
    seed: Annotated[int, limits(0)] = 0,
) -> Outcome:
    """Makes texts Q, drawn at random until an author's words exceed `q_tokens`, then K likewise; the rest is left out.

    With `k_tokens` 0 all that is not Q becomes K. The role is put into the text's metadata. An author whose texts do
    not suffice is named, and kept or left out as `short_authors` says.
    """
    removed: dict[str, str] = {}
    roles: dict[str, str] = {}
    short = []
    for author, author_texts in _by_author(texts).items():
        totals = {"Q": 0, "K": 0}
        author_roles: dict[str, str] = {}
        for text in _shuffled(author_texts, seed):
            role = "Q" if totals["Q"] <= q_tokens else "K"
            if role == "K" and k_tokens and totals["K"] > k_tokens:
                removed[text.id] = "neither Q nor K: both thresholds were passed"
                continue
            totals[role] += count_words(text.content)
            author_roles[text.id] = role
        if totals["Q"] <= q_tokens or totals["K"] <= k_tokens:
            short.append(f"{author} (Q {totals['Q']}, K {totals['K']})")
            if short_authors == "remove":
                removed |= dict.fromkeys(
                    author_roles, f"the author's texts do not pass Q {q_tokens} and K {k_tokens} tokens"
                )
                continue
        roles |= author_roles
    kept = list(roles.values())
    fate = "left out" if short_authors == "remove" else "kept"
    notes = (f"Too few tokens for Q {q_tokens} and K {k_tokens}, {fate}: {', '.join(short)}.",) if short else ()
    figures = {"q_texts": kept.count("Q"), "k_texts": kept.count("K"), "short_authors": len(short)}
    metadata = {id_: {"role": role} for id_, role in roles.items()}
    return Outcome(removed=removed, metadata=metadata, figures=figures, notes=notes)


def _by_author(texts: Texts) -> dict[str, list[Text]]:
    return holders((text, [text.author]) for text in texts if text.author is not None)


def _totals(texts: Texts) -> dict[str, int]:
    return {
        author: sum(count_words(text.content) for text in author_texts)
        for author, author_texts in _by_author(texts).items()
    }


def _shuffled(author_texts: list[Text], seed: int) -> list[Text]:
    """One author's texts in random order, the same whatever other texts the corpus has."""
    rng = np.random.default_rng([seed, zlib.crc32((author_texts[0].author or "").encode())])
    return [author_texts[number] for number in rng.permutation(len(author_texts))]


def _trimmed(drawn: list[Text], *, lower: float, upper: float, cut_texts: bool) -> tuple[list[str], dict[str, Edits]]:
    """The texts to leave out, and the edits of the one that is cut, so that the rest lies within the fences."""
    total = 0
    left_out = []
    edits: dict[str, Edits] = {}
    for text in drawn:
        n_words = count_words(text.content)
        if not edits and total + n_words <= upper:
            total += n_words
        elif cut_texts and not edits and int(upper) > total:
            end = word_spans(text.content)[int(upper) - total - 1][1]
            edits[text.id] = removals(text.content, [(end, len(text.content))])
            total = int(upper)
        else:
            left_out.append(text.id)
    if total < lower or total == 0:
        raise InputError(
            f"The texts of {drawn[0].author} cannot be trimmed to between {lower:g} and {upper:g} tokens by leaving "
            "out whole texts: they are too long. Set cut_texts = true for author_outliers, or split the texts."
        )
    return left_out, edits


Goes = Literal["one", "both"]
Scope = Literal["corpus", "author"]


@step
def exact_duplicates(
    texts: Texts,
    *,
    compare: Literal["characters", "words"] = "characters",
    remove: Goes = "one",
    scope: Scope = "corpus",
) -> Outcome:
    """Leaves out texts whose characters (or lower-cased words) are those of another text."""
    removed: dict[str, str] = {}
    for group in _scopes(texts, scope):
        same = holders(
            (text.id, [text.content if compare == "characters" else tuple(words(text.content))]) for text in group
        )
        for first, *others in same.values():
            removed |= dict.fromkeys(others, f"a duplicate of {first}")
            if others and remove == "both":
                removed[first] = f"a duplicate of {others[-1]}"
    return Outcome(removed=removed)


@step
def shared_runs(
    texts: Texts, *, tokens: Annotated[int, limits(1)] = 10, remove: Goes = "both", scope: Scope = "corpus"
) -> Outcome:
    """Leaves out texts that share a run of `tokens` or more words with another text."""
    removed: dict[str, str] = {}
    for group in _scopes(texts, scope):
        partners = sharing_pairs(_shingles(group, tokens), keep_first=remove == "one")
        for number, partner in partners.items():
            removed[group[number].id] = f"shares {tokens} or more tokens in a row with {group[partner].id}"
    return Outcome(removed=removed)


@step
def near_duplicates(
    texts: Texts,
    *,
    tokens: Annotated[int, limits(1)] = 10,
    hashes: Annotated[int, limits(2)] = 240,
    bands: Annotated[int, limits(1)] = 80,
    threshold: Annotated[float, limits(0, 1)] = 0.0,
    remove: Goes = "both",
    scope: Scope = "corpus",
) -> Outcome:
    """Leaves out near-duplicates: `tokens`-word shingles, `hashes` min-hashes in `bands`, Jaccard above `threshold`.

    Texts that agree in all hashes of a band are candidates; their true Jaccard similarity decides. Texts with fewer
    words than a shingle have none and are not compared: exact_duplicates finds those.
    """
    if hashes % bands:
        raise InputError(
            f"near_duplicates has {hashes} hashes and {bands} bands. Bands are of equal size, "
            "so the number of hashes must be a multiple of the number of bands."
        )
    removed: dict[str, str] = {}
    n_compared = 0
    for group in _scopes(texts, scope):
        shingled = _shingles(group, tokens)
        groups = buckets(minhash_signatures(shingled, hashes), bands)
        partners, compared = near_pairs(shingled, groups, threshold, keep_first=remove == "one")
        n_compared += compared
        for number, (partner, jaccard) in partners.items():
            removed[group[number].id] = f"a near-duplicate of {group[partner].id} (Jaccard {jaccard:.3g})"
    return Outcome(removed=removed, figures={"pairs_compared": n_compared})


def _shingles(texts: Texts, tokens: int) -> list[Hashes]:
    digests: dict[str, int] = {}
    return shingles([coded(words(text.content), digests) for text in texts], tokens)


def _scopes(texts: Texts, scope: Scope) -> list[list[Text]]:
    """The texts to compare with each other: all, or each author's own."""
    return [list(texts)] if scope == "corpus" else list(holders((text, [text.author]) for text in texts).values())
