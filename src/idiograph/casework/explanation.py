"""Where λG comes from: a row for every token and sentence of Q, and the strongest n-grams with where they occur."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Literal, TypeVar
from zlib import crc32

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import total
from idiograph.casework import findings as at
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.findings import finding
from idiograph.casework.inputs import CaseTexts, Texts
from idiograph.casework.sentences import percent
from idiograph.casework.verification import Explanation, Finding, Line, SentenceRow, StrongNgram, TokenRow
from idiograph.errors import some
from idiograph.grammar.index import Index, Part
from idiograph.grammar.lambdag import Score
from idiograph.texts.text import MaskedText

_STRONGEST = 12  # n-grams in each direction
_LINES = 5  # of each role for an n-gram
_REFERENCE_ORDER = 4  # as long as an n-gram that speaks against K need be to be recognised

Lengths = npt.NDArray[np.int32]
Role = Literal["q", "k", "reference"]
Roles = Mapping[str, tuple[Role, MaskedText]]  # by text id
T = TypeVar("T")


def concentrated(told: Explanation) -> list[Finding]:
    """The finding that much of λG comes from one word, sentence or text of Q, or none."""
    lambda_g = total(row.lambda_g for row in told.sentences)
    if abs(lambda_g) < at.LEAST_LAMBDA_G:
        return []
    by_word, by_text = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for row in told.tokens:
        if not row.is_end:
            by_word[row.masked].append(row.lambda_g)
    for sentence in told.sentences:
        by_text[sentence.text_id].append(sentence.lambda_g)
    words = {f"the {'word' if word.islower() else 'token'} “{word}”": total(parts) for word, parts in by_word.items()}
    shares = shares_of(words, lambda_g)
    if len(told.sentences) >= at.MANY_SENTENCES:
        shares |= shares_of({f"sentence {row.sentence}": row.lambda_g for row in told.sentences}, lambda_g)
    if len(by_text) >= at.MANY_TEXTS:
        shares |= shares_of({f"the text {text_id}": total(parts) for text_id, parts in by_text.items()}, lambda_g)
    much = sorted((share for share in shares.items() if share[1] >= at.MUCH), key=lambda share: -share[1])
    if not much:
        return []
    places = some([f"{name} makes {percent(share)}" for name, share in much], 4)
    return [finding("concentrated", "amber", ["q"], moves="raises" if lambda_g > 0 else "lowers", places=places)]


def shares_of(parts: Mapping[str, float], lambda_g: float) -> dict[str, float]:
    """Each part's share of all parts that move λG the way it lies, so that no shares come to more than the whole."""
    along = {name: part for name, part in parts.items() if part * lambda_g > 0}
    whole = total(along.values())
    return {name: part / whole for name, part in along.items()}


def explain(case_index: CaseIndex, texts: CaseTexts, score: Score) -> Explanation:
    """The rows whose sum is λG, and the strongest n-grams of Q."""
    # Imported late: Numba takes half a second.
    from idiograph.grammar.model import longest_matches

    q, k, reference = case_index.part(texts.q), case_index.part(texts.k), case_index.reference()
    order = case_index.case.order
    in_k = np.concatenate(longest_matches(q, k, order=order))
    in_reference = np.concatenate(longest_matches(q, reference, order=min(_REFERENCE_ORDER, order)))
    tokens, sentences = [], []
    originals: dict[str, str] = {}
    contexts = iter((in_k - 1).tolist())
    numbered = enumerate((parts.tolist() for parts in score.evidence), start=1)
    for text in texts.q:
        written = texts.as_written(text)
        content, spans = written or ("", np.empty((0, 2), np.int64))
        if written is not None:
            originals[text.id] = content
        at = 0
        for sentence in text.sentences:
            number, parts = next(numbered)
            word_spans = spans[at : at + len(sentence)].tolist()
            at += len(sentence)
            for position, masked in enumerate((*sentence, ""), start=1):
                is_end = position > len(sentence)
                start, end = word_spans[position - 1] if word_spans and not is_end else (None, None)
                tokens.append(
                    TokenRow(
                        text_id=text.id,
                        sentence=number,
                        position=position,
                        original=masked if start is None else content[start:end],
                        masked=masked,
                        lambda_g=parts[position - 1],
                        context=next(contexts),
                        start=start,
                        end=end,
                        is_end=is_end,
                    )
                )
            scored = " ".join(sentence)
            sentences.append(
                SentenceRow(
                    text_id=text.id,
                    sentence=number,
                    original=content[word_spans[0][0] : word_spans[-1][1]] if word_spans else scored,
                    masked=scored,
                    n_tokens=len(sentence),
                    lambda_g=total(parts),
                )
            )
    return Explanation(
        tokens=tuple(tokens),
        sentences=tuple(sentences),
        ngrams=_strongest(case_index.index, texts, q, np.concatenate(score.evidence), in_k, in_reference),
        originals=originals,
    )


def _strongest(
    index: Index,
    texts: CaseTexts,
    q: Part,
    evidence: npt.NDArray[np.float64],
    in_k: Lengths,
    in_reference: Lengths,
) -> tuple[StrongNgram, ...]:
    """The n-grams that end where the evidence is, as far as K knows them, or the reference where K is worse."""
    grams: dict[tuple[str, ...], float] = {}
    start = 0
    for sentence in q.sentences:
        for position in range(len(sentence)):
            part = float(evidence[start + position])
            known = int(in_k[start + position] if part > 0 else in_reference[start + position])
            gram = sentence[position + 1 - max(1, known) : position + 1]
            grams[gram] = grams.get(gram, 0.0) + part
        start += len(sentence) + 1
    ranked = sorted(grams.items(), key=lambda item: (-item[1], item[0]))
    positive = [item for item in ranked[:_STRONGEST] if item[1] > 0]
    negative = [item for item in reversed(ranked[-_STRONGEST:]) if item[1] < 0]
    roles = _roles(texts)
    return tuple(_with_lines(index, tokens, lambda_g, texts, roles) for tokens, lambda_g in (*positive, *negative))


def _roles(texts: CaseTexts) -> Roles:
    sides: tuple[tuple[Role, Texts], ...] = (("q", texts.q), ("k", texts.k), ("reference", texts.reference))
    return {text.id: (role, text) for role, side in sides for text in side}


def _with_lines(index: Index, tokens: tuple[str, ...], lambda_g: float, texts: CaseTexts, roles: Roles) -> StrongNgram:
    lines: dict[Role, dict[str, list[tuple[MaskedText, int, int]]]] = {"q": {}, "k": {}, "reference": {}}
    for number, sentence, first in _occurrences(index, tokens):
        id_ = index.text_ids[number]
        if id_ not in roles:  # a text of another comparison of the case
            continue
        role, text = roles[id_]
        if sentence >= text.n_sentences:  # left out where the text was cut
            continue
        # Lines of Q and K are to come from many texts, those of the reference from many authors.
        source = str(text.author) if role == "reference" else id_
        lines[role].setdefault(source, []).append((text, sentence, first))
    counts = {role: sum(map(len, sources.values())) for role, sources in lines.items()}
    return StrongNgram(
        tokens=tokens,
        lambda_g=lambda_g,
        n_q=counts["q"],
        n_k=counts["k"],
        n_reference=counts["reference"],
        lines=tuple(
            _line(texts, text, role, sentence, first, len(tokens))
            for role, sources in lines.items()
            for text, sentence, first in _varied(list(sources.values()), start=crc32(" ".join(tokens).encode()))
        ),
    )


def _varied(sources: list[list[T]], *, start: int) -> list[T]:
    """A few of what the sources have: one of each before a second of any, and not always the first source first."""
    turn = start % len(sources) if sources else 0
    rows = zip_longest(*sources[turn:], *sources[:turn])
    return [line for row in rows for line in row if line is not None][:_LINES]


def _occurrences(index: Index, tokens: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """(text, sentence within it, first token within that) of every occurrence of an n-gram in an index."""
    numbers = [index.vocabulary[token] for token in tokens]
    ends = np.flatnonzero(index.tokens == numbers[-1])
    ends = ends[ends >= len(numbers) - 1]
    for back, number in enumerate(reversed(numbers)):
        ends = ends[index.tokens[ends - back] == number]
    firsts = ends - len(numbers) + 1
    sentences = np.searchsorted(index.starts, ends, side="right") - 1
    inside = firsts >= index.starts[sentences]
    sentences, firsts = sentences[inside], firsts[inside]
    texts = index.sentence_text[sentences]
    within = sentences - np.searchsorted(index.sentence_text, texts)
    columns = (texts, within, firsts - index.starts[sentences])
    return zip(*(column.tolist() for column in columns), strict=True)


def _line(texts: CaseTexts, text: MaskedText, role: Role, sentence: int, first: int, length: int) -> Line:
    tokens = text.sentences[sentence]
    written = texts.as_written(text)
    if written is None:
        parts = (tokens[:first], tokens[first : first + length], tokens[first + length :])
        before, match, after = (" ".join(part) for part in parts)
    else:
        at = sum(map(len, text.sentences[:sentence]))
        content, spans = written[0], written[1][at : at + len(tokens)].tolist()
        start, end = spans[first][0], spans[first + length - 1][1]
        before, match, after = content[spans[0][0] : start], content[start:end], content[end : spans[-1][1]]
    return Line(role, text.id, text.author, before, match, after)


def occurrences(
    case_index: CaseIndex, texts: CaseTexts, ngrams: Iterable[tuple[str, ...]]
) -> dict[tuple[str, ...], StrongNgram]:
    """Where each n-gram occurs in Q, K and the reference, how often and in which lines; its λG is not asked for."""
    roles = _roles(texts)
    return {ngram: _with_lines(case_index.index, ngram, 0.0, texts, roles) for ngram in dict.fromkeys(ngrams)}
