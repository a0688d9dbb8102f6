"""Corpora and recipes of every kind for the tests of preparing."""

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

import idiograph
from idiograph import Corpus, Prepared, Text
from idiograph.texts.preparing.recipes import Recipe, recipe_names
from idiograph.texts.preparing.record import StepReport

__all__ = ["recipe_names"]

PIECES = [
    "Dear Ann,\n",
    "Hello",
    " SO it is. ",
    "soooo",
    "!!!!!",
    "@bob ",
    "http://a.b/c",
    " a@b.com",
    "😂",
    "\u200b",
    "é’…",
]


PIECES += [
    "\n\n\n",
    "\r\n",
    "  ",
    "> quoted\n",
    "On 1 May 2020 Bob wrote:\n",
    "rt : ",
    "a b c d e ",
    "Best,\nBob",
    "İ",
    "...",
]


contents = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)


corpora = st.lists(
    st.tuples(contents, st.sampled_from(["a", "b", "c", "d", None]), st.sampled_from([{}, {"role": "old", "n": 1}])),
    min_size=1,
    max_size=9,
).map(
    lambda rows: Corpus(tuple(Text(f"t{n}", content, author, meta) for n, (content, author, meta) in enumerate(rows)))
)


STEPS: list[dict[str, Any]] = [
    {"step": "forwarded_text"},
    {"step": "quoted_text"},
    {"step": "salutations"},
    {"step": "signatures"},
    {"step": "urls", "bare_domains": True},
    {"step": "email_addresses"},
    {"step": "user_tags"},
    {"step": "lower_case"},
    {"step": "emojis"},
    {"step": "leading_punctuation"},
    {"step": "non_printing"},
    {"step": "non_ascii", "fold": True},
    {"step": "elongated_words"},
    {"step": "punctuation_runs"},
    {"step": "white_space"},
    {"step": "duplicate_sentences"},
    {"step": "retweets"},
    {"step": "text_length", "max_tokens": 12},
    {"step": "exact_duplicates"},
    {"step": "near_duplicates", "tokens": 2},
    {"step": "shared_runs", "tokens": 4},
    {"step": "author_tokens", "min_tokens": 4},
    {"step": "assign_q_k", "q_tokens": 5, "k_tokens": 5},
]


def recipe_of(*steps: dict[str, Any]) -> Recipe:
    return Recipe.from_json({"schema": 1, "steps": list(steps)}, where="here")


recipes = st.lists(st.sampled_from(STEPS), min_size=1, max_size=8).map(lambda steps: recipe_of(*steps))


MAIL = "Dear Ann,\n\nSee HTTP://a.org/long/page, it is SOOO good!!!!!\n\nBest,\nBob"


def by_hand() -> Prepared:
    recipe = recipe_of({"step": "urls"}, {"step": "elongated_words"}, {"step": "text_length"})
    corpus = Corpus((Text("mail", MAIL, "bob"), Text("ok", "ok then", "bob"), Text("no", "No it is not", "ann")))
    return idiograph.prepare(corpus, recipe)


def prepared_by(texts: Iterable[Text], step: str, **settings: Any) -> Prepared:
    return idiograph.prepare(list(texts), recipe_of({"step": step, **settings}))


def report_on(texts: Iterable[Text], step: str, **settings: Any) -> StepReport:
    """What a single step did to these texts, in numbers."""
    return prepared_by(texts, step, **settings).record.steps[-1]


def left_out(texts: Iterable[Text], step: str, **settings: Any) -> dict[str, str]:
    """The ids of the texts that a single step leaves out, with its reasons."""
    record = prepared_by(texts, step, **settings).record
    return {text.id: change.removed for text in record.texts for change in text.changes if change.removed is not None}
