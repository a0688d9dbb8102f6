"""Corpora and recipes of every kind for the tests of preparing."""

from typing import Any

from hypothesis import strategies as st

import idiograph
from idiograph.texts.preparing.recipes import Recipe
from idiograph.texts.preparing.record import Prepared
from idiograph.texts.text import Corpus, Text

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


recipes = st.lists(st.sampled_from(STEPS), min_size=1, max_size=8).map(
    lambda steps: Recipe.from_json({"schema": 1, "steps": steps}, where="here")
)


MAIL = "Dear Ann,\n\nSee HTTP://a.org/long/page, it is SOOO good!!!!!\n\nBest,\nBob"


def by_hand() -> Prepared:
    table = {"schema": 1, "steps": [{"step": "urls"}, {"step": "elongated_words"}, {"step": "text_length"}]}
    corpus = Corpus((Text("mail", MAIL, "bob"), Text("ok", "ok then", "bob"), Text("no", "No it is not", "ann")))
    return idiograph.prepare(corpus, Recipe.from_json(table, where="here"))
