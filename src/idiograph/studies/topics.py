"""Draws by topic: an author's Q and K near to each other or far apart, and impostors who write on the topic of a Q.

Of 12 draws of an author the *near* one has the highest c (`evidence.closeness`), the *far* one the lowest; *random* is
the first. Here df goes by the first Ks of all who take part.

*Impostors* of a Q: every other author's K is made of pieces of their texts, those closest to Q first; the authors whose
K has the highest c are taken.

Two names of one person would make different-author trials of same-author ones: authors are one person where they share
at least three sentences, word for word, of eight tokens or more that are at least 1 % of what the one with fewer has.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from idiograph.arithmetic import FloatArray
from idiograph.evidence.closeness import ContentWords, closenesses
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies.drawing import CANDIDATES, Closeness, Condition, Sample, draw_q_and_k
from idiograph.studies.material import Material
from idiograph.texts.repeats import holders

PIECE = 400  # tokens that a piece of an impostor's texts has at least, if the text has them
FEWEST_SHARED, SHORTEST_SHARED, LEAST_SHARE = 3, 8, 0.01  # sentences, tokens of each, share of the smaller author's


def by_closeness(
    material: Material, firsts: Mapping[str, Sample], texts: Mapping[str, Numbers], condition: Condition, *, seed: int
) -> dict[str, dict[Closeness, Sample]]:
    """Each author's near, random and far draw; `firsts` are the first ones, `texts` what may be drawn from."""
    drawn: dict[str, dict[Closeness, Sample]] = {}

    def draw(author: str, candidate: int) -> Sample | None:
        return draw_q_and_k(material, author, texts[author], condition, seed=seed, candidate=candidate)

    for author, samples, close in candidates(material, firsts, draw):
        near, far = int(np.argmax(close)), int(np.argmin(close))
        drawn[author] = {"near": samples[near], "random": samples[0], "far": samples[far]}
    return drawn


def candidates(
    material: Material, firsts: Mapping[str, Sample], draw: Callable[[str, int], Sample | None]
) -> Iterator[tuple[str, list[Sample], FloatArray]]:
    """Each author with their draws, the first one first, and c of each; `draw` makes one by author and number."""
    for number, (author, first) in enumerate(firsts.items()):
        others = (draw(author, candidate) for candidate in range(1, CANDIDATES))
        samples = [first, *(sample for sample in others if sample is not None)]
        qs, ks = [sample.q for sample in samples], [sample.k for sample in samples]
        yield author, samples, close_in_topic(material, firsts, number, qs=qs, ks=ks).diagonal()


def nearest_impostors(
    material: Material,
    firsts: Mapping[str, Sample],
    texts: Mapping[str, Numbers],
    *,
    k_tokens: int,
    n: int,
    among: Sequence[str] | None = None,
) -> dict[str, dict[str, Numbers]]:
    """For each author's first Q the n others who come closest to its topic, and the sentences of the K that does.

    `among` are those who have and are impostors (default: everyone); the cohort of c is that of all first Ks.
    """
    able = list(firsts) if among is None else list(among)
    number = {author: position for position, author in enumerate(firsts)}
    cut = {author: _pieces(material, texts[author]) for author in able}
    # Every Q with every piece at once: to count the words of the cohort is what takes time.
    everything = _content(material).counts(
        [
            *(firsts[author].q for author in able),
            *(sample.k for sample in firsts.values()),
            *(piece for author in able for piece in cut[author]),
        ]
    )
    by_piece = closenesses(everything, q_authors=[number[author] for author in able], reference=range(len(firsts)))
    ends = np.cumsum([len(firsts), *(len(cut[author]) for author in able)], dtype=np.int64)
    chosen: dict[str, dict[str, Numbers]] = {}
    for author, close in zip(able, by_piece, strict=True):
        parts = dict(zip(able, np.split(close, ends[:-1])[1:], strict=True))
        others = [other for other in able if other != author]
        nearest = (
            np.concatenate([cut[other][at] for at in np.argsort(-parts[other], kind="stable")]) for other in others
        )
        ks = [np.sort(material.up_to(k_tokens, sentences)) for sentences in nearest]
        by_k = close_in_topic(material, firsts, number[author], qs=[firsts[author].q], ks=ks)[0]
        best = np.argsort(-by_k, kind="stable")[:n].tolist()
        chosen[author] = {others[at]: ks[at] for at in best}
    return chosen


def close_in_topic(
    material: Material, firsts: Mapping[str, Sample], author: int, *, qs: Sequence[Numbers], ks: Sequence[Numbers]
) -> np.ndarray:
    """c of Qs of an author with Ks that are not in the cohort: the first Ks of the others."""
    counts = _content(material).counts([*qs, *(sample.k for sample in firsts.values()), *ks])
    close = closenesses(counts, q_authors=[author] * len(qs), reference=range(len(firsts)))
    return close[:, len(firsts) :]


def _content(material: Material) -> ContentWords:
    assert material.content is not None, "studies whose corpora came masked are refused"
    return material.content


def _pieces(material: Material, texts: Numbers) -> list[Numbers]:
    """The texts cut into runs of sentences of at least 400 tokens; a shorter rest stays with the run before it."""
    pieces = []
    for text in texts.tolist():
        first, last = int(material.starts[text]), int(material.starts[text + 1])
        while first < last:
            passed = material.tokens_before[first] + PIECE
            end = min(int(np.searchsorted(material.tokens_before, passed)), last)
            if material.tokens_before[last] - material.tokens_before[end] < PIECE:
                end = last
            pieces.append(np.arange(first, end))
            first = end
    return pieces


def one_person(material: Material, texts: Mapping[str, Numbers]) -> dict[str, tuple[str, int]]:
    """Names that stand for somebody who has an earlier one: whose, and how many sentences they share."""
    index, content = material.index, _content(material)
    written = {}
    for author, author_texts in texts.items():
        sentences = material.sentences(author_texts)
        long = sentences[index.sentence_lengths[sentences] >= SHORTEST_SHARED]
        # What masking left and what it hid: the same words.
        written[author] = {
            index.tokens[index.starts[s] : index.starts[s + 1]].tobytes()
            + b"|"
            + content.numbers[content.starts[s] : content.starts[s + 1]].tobytes()
            for s in long.tolist()
        }
    shared: dict[tuple[str, str], int] = {}
    for names in holders(written.items()).values():
        for pair in combinations(sorted(names), 2):
            shared[pair] = shared.get(pair, 0) + 1
    same: dict[str, tuple[str, int]] = {}
    for (first, second), n in sorted(shared.items()):
        fewer = min(len(written[first]), len(written[second]))
        if n >= FEWEST_SHARED and n >= LEAST_SHARE * fewer:
            same.setdefault(second, (same.get(first, (first, n))[0], n))
    return same
