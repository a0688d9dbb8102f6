"""Cases in plain words: authors with habits of their own, who write on some of a few topics."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from idiograph import Case
from made_topics import sentence

LEE, ELSEWHERE = 90, 40  # the candidate, and a topic that nobody of the reference writes on


def write_topic_text(path: Path, *, author: int, topics: tuple[int, ...], seed: int, sentences: int = 10) -> None:
    """A text of an author on topics in turn."""
    rng = np.random.default_rng([17, author, seed])
    lines = [sentence(author, topics[number % len(topics)], rng) for number in range(sentences)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def write_topic_case(
    folder: Path,
    *,
    q_topics: tuple[int, ...] = (0,),
    k_topics: tuple[int, ...] = (0, 1),
    by: int = LEE,
    n_authors: int = 12,
    own_topics: bool = False,
) -> Path:
    """q.txt, known/ and reference/; the reference's authors share six topics, or each keeps to three of their own."""
    write_topic_text(folder / "q.txt", author=by, topics=q_topics, seed=1)
    for number in range(2):
        write_topic_text(folder / "known" / f"{number}.txt", author=LEE, topics=k_topics, seed=10 + number)
    for author in range(n_authors):
        for number in range(6):
            topic = 100 + 3 * author + number % 3 if own_topics else (author + number % 3) % 6
            path = folder / "reference" / f"a{author:02}" / f"{number}.txt"
            write_topic_text(path, author=author, topics=(topic,), seed=number)
    return folder


def topic_case(folder: Path, **changed: object) -> Case:
    """The case of such a folder, judged given how close its texts are in topic."""
    values = {
        "questioned": {"Q1": folder / "q.txt"},
        "known": {"lee": folder / "known"},
        "reference": folder / "reference",
        "population": "made-up people",
        "masking": "list",
        "repetitions": 3,
        "primary": "controlled",
        **changed,
    }
    return Case(**values)  # type: ignore[arg-type]


_CHAT = ("you", "me", "no", "not", "so", "what", "why", "it", "is", "was", "do", "go", "now")


def write_foreign_reference(folder: Path, *, n_authors: int = 12) -> None:
    """In the place of the case's reference one of another kind: short shouts, with other words in another order."""
    shutil.rmtree(folder / "reference")
    for author in range(n_authors):
        order = np.random.default_rng([8, author]).permutation(len(_CHAT))
        rng = np.random.default_rng([5, author])
        for number in range(6):
            path = folder / "reference" / f"a{author:02}" / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(_shout(order, rng) for _ in range(30)), encoding="utf-8")


def _shout(order: Sequence[int], rng: np.random.Generator) -> str:
    last, words = int(rng.integers(len(_CHAT))), []
    for _ in range(4):
        words.append(_CHAT[last])
        last = int(order[last]) if rng.random() < 0.4 else int(rng.integers(len(_CHAT)))
        if rng.random() < 0.3:
            words.append(f"chat{rng.integers(40)}")
    return " ".join(words) + "!"
