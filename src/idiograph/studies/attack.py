"""An attack on a problem: somebody else's Q into which phrases of K were put, as an imitator would.

*Inserted* trigrams are those that K has three times or more, ranked by how much they tell K from the rest,

    p_K · ln(p_K / p_rest),    p_K = c_K / n_K,    p_rest = (c_rest + 1) / (n_rest + 1)

c a trigram's count and n that of all trigrams. The first of them are put before the last token of one sentence of Q
after the other, in turn, from the first sentence on and again when the last was reached.

*Imitations* are more: an imitator with a concordance of K takes its typical phrases (`evidence.phrases`, the rest being
all texts of the corpus that are not by K's author) and puts them in the same places, once each or in turn; others know
what Idiograph does against that. `IMITATIONS` says what each takes. What is drawn at random is drawn by the study's
seed of texts, K's and Q's author.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from idiograph.arithmetic import log
from idiograph.errors import StudyError
from idiograph.evidence.repetition import Trigram
from idiograph.settings import check_settings, setting
from idiograph.texts.text import Sentence

NOTHING = "nothing"
_TYPICAL_FROM = 3  # times in K
Insertion = tuple[int, int]
Imitation = Literal[
    "10 once", "20 once", "40 once", "5 x 4", "5 x 8", "bigrams", "4-grams", "replacing", "half of K",
    "beyond the list", "rare", "quotes", "mixed", "knows score A",
]  # fmt: skip
IMITATIONS: Mapping[Imitation, str] = {
    "10 once": "K's 10 most typical trigrams, once each",
    "20 once": "K's 20 most typical trigrams, once each",
    "40 once": "K's 40 most typical trigrams, once each",
    "5 x 4": "the first five of them in turn, 20 in all",
    "5 x 8": "the first five of them in turn, 40 in all",
    "bigrams": "K's 20 most typical bigrams, once each",
    "4-grams": "K's 20 most typical phrases of four tokens, once each",
    "replacing": "the 20 trigrams in the place of the three tokens before a sentence's last",
    "half of K": "the 20 most typical trigrams of the first half of K",
    "beyond the list": "20 typical trigrams from rank 101 on that hold none of K's 40 most typical bigrams, filled up "
    "with rare ones",
    "rare": "20 trigrams that K has once and nobody else has, drawn at random",
    "quotes": "whole sentences of K of 4 to 25 tokens, drawn at random as long as they fit into 60 tokens, each as a "
    "sentence of its own after one of Q",
    "mixed": "K's five most typical phrases of each length from two to five tokens",
    "knows score A": "20 of K's 130 most typical trigrams, each time the one that raises score A most",
}


@dataclass(frozen=True, kw_only=True)
class Attack:
    """How a study attacks its own problems; every kind of attack is on all different-author problems."""

    insert: bool = setting(
        False,
        help="Put the trigrams most typical of K into the Q of each different-author problem, and judge these, too.",
    )
    kinds: tuple[Insertion, ...] = setting(
        ((1, 10), (1, 20), (5, 20), (5, 40)),
        must="a list of pairs of whole numbers from 1 to 1,000, such as [[1, 10], [5, 40]], none twice",
        allows=lambda kinds: (
            len(set(kinds)) == len(kinds) > 0 and all(1 <= number <= 1000 for kind in kinds for number in kind)
        ),
        help="How many different trigrams are put in, and how many in all.",
    )
    disguised: bool = setting(
        False, help="Judge problems whose Q is a text that role or texttype calls imitation or obfuscation, too."
    )
    imitate: tuple[Imitation, ...] = setting(
        (), help="Imitators with a concordance of K, whose Qs are judged, too; what each does is in the table below."
    )
    targets: int | None = setting(
        None,
        minimum=1,
        maximum=1_000_000,
        help="How many authors of its fold each Q is made to imitate (default: all); the next ones in the fold.",
    )

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)

    @property
    def on(self) -> bool:
        """Whether anything is attacked."""
        return self.insert or self.disguised or bool(self.imitate)

    def as_json(self) -> dict[str, Any]:
        """The settings as plain data; those that came later only where they are used."""
        return {name: value for name, value in asdict(self).items() if value or name not in ("imitate", "targets")}


def name_of(kind: Insertion) -> str:
    """What tables call a kind of attack."""
    phrases, times = kind
    return f"one trigram {times} times" if phrases == 1 else f"{phrases} trigrams, {times} in all"


def most_typical(k: Mapping[Trigram, int], rest: Mapping[Trigram, int], n: int) -> list[Trigram]:
    """The n trigrams that tell K best from the rest, the best first; fewer if K repeats fewer."""
    n_k, n_rest = sum(k.values()), sum(rest.values())
    worth = {}
    for phrase, count in k.items():
        if count >= _TYPICAL_FROM:
            p_k, p_rest = count / n_k, (rest.get(phrase, 0) + 1) / (n_rest + 1)
            worth[phrase] = p_k * log(p_k / p_rest)
    return sorted(worth, key=lambda phrase: (-worth[phrase], phrase))[:n]


def inserted(
    q: Sequence[Sentence], phrases: Sequence[Sentence], times: int, *, instead: int = 0
) -> tuple[Sentence, ...]:
    """Q with the phrases put in, `times` in all, `instead` of so many tokens before a sentence's last."""
    sentences = [list(sentence) for sentence in q]
    for number in range(times):
        sentence = sentences[number % len(sentences)]
        end = max(len(sentence) - 1, 0)
        sentence[max(end - instead, 0) : end] = phrases[number % len(phrases)]
    return tuple(map(tuple, sentences))


def quoted(q: Sequence[Sentence], quotes: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Q with a quotation after each of its sentences, as long as there are any; the rest at the end."""
    sentences: list[Sentence] = []
    for number, sentence in enumerate(q):
        sentences += [sentence, *quotes[number : number + 1]]
    return (*sentences, *quotes[len(q) :])
