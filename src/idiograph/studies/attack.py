"""An attack on a problem: somebody else's Q into which phrases typical of K were put, as an imitator would.

The trigrams that K has three times or more are ranked by how much they tell K from the rest,

    p_K · ln(p_K / p_rest),    p_K = c_K / n_K,    p_rest = (c_rest + 1) / (n_rest + 1)

c a trigram's count and n that of all trigrams. The first of them are put before the last token of one sentence of Q
after the other, in turn, from the first sentence on and again when the last was reached.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from idiograph.arithmetic import log
from idiograph.errors import StudyError
from idiograph.evidence.repetition import Trigram
from idiograph.settings import check_settings, setting
from idiograph.texts.text import Sentence

NOTHING = "nothing"
_TYPICAL_FROM = 3  # times in K
Kind = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """How a study attacks its own problems; every kind of attack is on all different-author problems."""

    insert: bool = setting(
        False,
        help="Put the trigrams most typical of K into the Q of each different-author problem, and judge these, too.",
    )
    kinds: tuple[Kind, ...] = setting(
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

    def __post_init__(self) -> None:
        check_settings(self, error=StudyError)

    @property
    def on(self) -> bool:
        """Whether anything is attacked."""
        return self.insert or self.disguised


def name_of(kind: Kind) -> str:
    """What tables call a kind of attack."""
    phrases, times = kind
    return f"one trigram {times} times" if phrases == 1 else f"{phrases} trigrams, {times} in all"


def most_typical(k: Mapping[Trigram, int], rest: Mapping[Trigram, int], n: int) -> list[Trigram]:
    """The n trigrams that tell K best from the rest, the best first; fewer if K repeats fewer."""
    n_k, n_rest = sum(k.values()), sum(rest.values())
    worth = {}
    for one, count in k.items():
        if count >= _TYPICAL_FROM:
            p_k, p_rest = count / n_k, (rest.get(one, 0) + 1) / (n_rest + 1)
            worth[one] = p_k * log(p_k / p_rest)
    return sorted(worth, key=lambda one: (-worth[one], one))[:n]


def inserted(q: Sequence[Sentence], phrases: Sequence[Trigram], times: int) -> tuple[Sentence, ...]:
    """Q with the phrases put in, `times` in all."""
    sentences = [list(sentence) for sentence in q]
    for number in range(times):
        sentence = sentences[number % len(sentences)]
        place = max(len(sentence) - 1, 0)
        sentence[place:place] = phrases[number % len(phrases)]
    return tuple(map(tuple, sentences))
