"""Steps on a corpus: which texts and authors stay, and which texts become Q and K.

Texts come in (author, id) order and chance has a generator of its own for each author, so neither the order of files
nor the presence of other authors changes what is drawn. Texts without an author are left as they are by every step
about authors.
"""

import re
import zlib
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from idiograph.arithmetic import quantile
from idiograph.errors import InputError, nearest
from idiograph.texts.edits import Edits, removals
from idiograph.texts.preparing.registry import Outcome, limits, step
from idiograph.texts.text import Text
from idiograph.texts.words import count_words, word_spans

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
    for author, own in _by_author(texts).items():
        total = totals[author]
        if total < lower:
            removed |= {text.id: f"the author has {total} tokens, below the lower fence {lower:g}" for text in own}
        elif total > upper:
            left_out, cut = _trimmed(_shuffled(own, seed), lower=lower, upper=upper, cut_texts=cut_texts)
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
    roles: dict[str, dict[str, Any]] = {}
    short = []
    for author, texts_of_author in _by_author(texts).items():
        drawn = _shuffled(texts_of_author, seed)
        totals = {"Q": 0, "K": 0}
        own: dict[str, dict[str, Any]] = {}
        for text in drawn:
            role = "Q" if totals["Q"] <= q_tokens else "K"
            if role == "K" and k_tokens and totals["K"] > k_tokens:
                removed[text.id] = "neither Q nor K: both thresholds were passed"
                continue
            totals[role] += count_words(text.content)
            own[text.id] = {"role": role}
        if totals["Q"] <= q_tokens or totals["K"] <= k_tokens:
            short.append(f"{author} (Q {totals['Q']}, K {totals['K']})")
            if short_authors == "remove":
                removed |= dict.fromkeys(own, f"the author's texts do not pass Q {q_tokens} and K {k_tokens} tokens")
                continue
        roles |= own
    kept = [settings["role"] for settings in roles.values()]
    fate = "left out" if short_authors == "remove" else "kept"
    notes = (f"Too few tokens for Q {q_tokens} and K {k_tokens}, {fate}: {', '.join(short)}.",) if short else ()
    figures = {"q_texts": kept.count("Q"), "k_texts": kept.count("K"), "short_authors": len(short)}
    return Outcome(removed=removed, metadata=roles, figures=figures, notes=notes)


def _by_author(texts: Texts) -> dict[str, list[Text]]:
    authors: dict[str, list[Text]] = {}
    for text in texts:
        if text.author is not None:
            authors.setdefault(text.author, []).append(text)
    return authors


def _totals(texts: Texts) -> dict[str, int]:
    return {author: sum(count_words(text.content) for text in own) for author, own in _by_author(texts).items()}


def _shuffled(own: list[Text], seed: int) -> list[Text]:
    """One author's texts in random order, the same whatever other texts the corpus has."""
    rng = np.random.default_rng([seed, zlib.crc32((own[0].author or "").encode())])
    return [own[number] for number in rng.permutation(len(own))]


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
