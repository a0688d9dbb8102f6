"""Generated corpora for the tests of studies: every author prefers some words after others."""

import json
from pathlib import Path

import numpy as np

from idiograph import Corpus, MaskedText

WORDS = [f"w{number}" for number in range(40)]


def sentences_of(author: int, rng: np.random.Generator, n: int, *, habit: float) -> tuple[tuple[str, ...], ...]:
    """Sentences of a writer who follows each word by a favourite of his own some of the time."""
    favourite = np.random.default_rng([7, author]).permutation(len(WORDS))
    texts = []
    for _ in range(n):
        words = [int(rng.integers(len(WORDS)))]
        for _ in range(int(rng.integers(4, 14))):
            follows = rng.random() < habit
            words.append(int(favourite[words[-1]]) if follows else int(rng.integers(len(WORDS)) ** 2 // len(WORDS)))
        texts.append(tuple(WORDS[word] for word in words))
    return tuple(texts)


def corpus(
    *,
    authors: int = 12,
    texts: int = 4,
    sentences: int = 12,
    works: int | None = None,
    roles: bool = False,
    seed: int = 5,
    habit: float = 0.35,
) -> Corpus[MaskedText]:
    """`authors` writers with `texts` texts each; with `works`, each text is of one of that many works."""
    written = []
    for author in range(authors):
        for number in range(texts):
            rng = np.random.default_rng([seed, author, number])
            metadata = {} if works is None else {"work": f"a{author:02}-work{number % works}"}
            if roles:
                metadata["texttype"] = "unknown" if number == 0 else "known"
            written.append(
                MaskedText(
                    id=f"a{author:02}-t{number}",
                    author=f"a{author:02}",
                    sentences=sentences_of(author, rng, sentences, habit=habit),
                    masking="masked",
                    metadata=metadata,
                )
            )
    return Corpus(tuple(written))


def write_jsonl(path: Path, corpus: Corpus[MaskedText]) -> Path:
    """The corpus as an already masked JSON Lines file."""
    rows = [
        {"id": text.id, "author": text.author, "sentences": [" ".join(s) for s in text.sentences], **text.metadata}
        for text in corpus
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
