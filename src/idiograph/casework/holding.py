"""The value of a case held against imitators, and whether Q owes its likeness to K's own phrases.

A second opinion that stands beside every value measured by the reference, and changes none (`evidence.held`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from idiograph.casework.case_index import CaseIndex
from idiograph.casework.findings import finding
from idiograph.casework.inputs import CaseTexts
from idiograph.casework.sentences import percent, ratio
from idiograph.casework.variants import Surroundings, by_its_reference
from idiograph.casework.verification import Explanation, Finding, Held, OwnPhrase
from idiograph.errors import CalibrationError, some
from idiograph.evidence.held import LIMITING, Flag, flag_of, held_nats, share_lowered
from idiograph.evidence.llr import LLR
from idiograph.evidence.matrix import Matrix
from idiograph.evidence.phrases import shared_phrases

_LIMITS = {
    "bare": "without the phrases most typical of K and those that K alone has Q and K give an LR of {lr}",
    "steady": "the commonest short patterns of Q and K, which inserting a few phrases hardly moves, give an LR of {lr}",
}
_NAMED = 8  # phrases in a sentence


def hold(case_index: CaseIndex, texts: CaseTexts, around: Surroundings, draws: Sequence[Matrix], reported: LLR) -> Held:
    """The reported value under its ceiling; a CalibrationError where the case cannot be measured by its reference."""
    controlled = draws[0].closeness is not None
    limits: dict[str, float] = {}
    for key, scores in LIMITING.items():
        trial, _ = by_its_reference(case_index, texts, [draw.only(*scores) for draw in draws], controlled=controlled)
        limits[key] = trial.llr.nats
    nats = float(held_nats(np.array(reported.nats), **{key: np.array(limit) for key, limit in limits.items()}))
    limit = min(limits, key=limits.__getitem__) if nats < reported.nats else "value"
    n = len(around.authors)
    flag = flag_of(draws, (n, n))
    return Held(nats=nats, limit=limit, bare=limits["bare"], steady=limits["steady"], flag=flag)


def held_sentence(held: Held, reported: LLR) -> str | None:
    """That less is safe against an imitator, and why; None where the ceiling changes nothing that is printed."""
    if held.limit == "value" or ratio(held.nats) == ratio(reported.nats):
        return None
    nats = {"bare": held.bare, "steady": held.steady}[held.limit]
    because = _LIMITS[held.limit].format(lr=ratio(nats))
    safe = "nothing above four times that is" if held.nats > 0 else "four times that is no more than 1"
    alone, alarm = (
        (" by itself", " That Q owes its likeness to K's own phrases is an alarm.") if held.flag.raised else ("", "")
    )
    return (
        f"Against an imitator no more than {ratio(held.nats)} is safe, because {because}, and {safe}. This{alone} is "
        "no alarm and changes no value: in the published validation less than the reported value was safe for "
        f"{percent(share_lowered())} of true authors with a value above 1, too.{alarm} The ceiling matters where "
        "somebody with texts of the candidate at hand may have imitated them."
    )


def held_value(
    case_index: CaseIndex,
    texts: CaseTexts,
    around: Surroundings,
    draws: Sequence[Matrix],
    reported: LLR,
    told: Explanation,
) -> tuple[Held | None, str | None]:
    """The value under its ceiling with the phrases that raised the flag, and the sentence on that, or why not."""
    try:
        held = hold(case_index, texts, around, draws, reported)
    except CalibrationError as error:
        return None, f"What is safe against an imitator could not be computed. {error}"
    if held.flag.raised:
        held = replace(held, phrases=tuple(_own_phrases(case_index, texts, around, held.flag, told)))
    return held, held_sentence(held, reported)


def _own_phrases(
    case_index: CaseIndex, texts: CaseTexts, around: Surroundings, flag: Flag, told: Explanation
) -> Iterator[OwnPhrase]:
    """The phrases that raised the flag, with the places in Q that have them."""
    take = case_index.index.take
    q, k = (case_index.part(side).sentences for side in (texts.q, texts.k))
    typical, alone = shared_phrases(q, k, [take(sample.k).sentences for sample in around.samples[0]])
    originals = {(row.sentence, row.position): row.original for row in told.tokens}
    for phrases, is_alone in ((typical if flag.by_typical else (), False), (alone if flag.by_alone else (), True)):
        for words in phrases:
            places = [
                (number, first + 1)
                for number, sentence in enumerate(q, start=1)
                for first in range(len(sentence) - len(words) + 1)
                if tuple(sentence[first : first + len(words)]) == words
            ]
            number, first = places[0]
            written = [originals.get((number, first + offset), "") for offset in range(len(words))]
            yield OwnPhrase(
                tokens=words,
                written=" ".join(written) if all(written) else "",
                alone=is_alone,
                places=tuple(f"{number}.{first}" for number, first in places),
            )


def flagged(held: Held, label: str) -> tuple[Finding, ...]:
    """What page one says of a Q that owes its likeness to K's own phrases."""
    if not held.flag.raised:
        return ()
    kinds = [
        *(["K's most typical phrases"] if held.flag.by_typical else []),
        *(["phrases that K alone has"] if held.flag.by_alone else []),
    ]
    names = [f"“{phrase.written or ' '.join(phrase.tokens)}”" for phrase in held.phrases]
    return (
        finding(
            "owes-to-k",
            "amber",
            ["q", "k"],
            label=label,
            kinds=" and to ".join(kinds),
            phrases=some(names, most=_NAMED),
            share=held.flag.false_alarms,
        ),
    )
