"""Many texts masked one after the other: from the cache, in this process or in several, in order and bounded memory."""

import hashlib
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from dataclasses import dataclass

from idiograph.errors import InputError, MaskingError
from idiograph.texts.masking import tagger
from idiograph.texts.masking.cache import MaskCache, cache_path, size_limit
from idiograph.texts.masking.rules import MaskedContent, Masking, mask_contents
from idiograph.texts.text import MaskedText, Text

AnyText = Text | MaskedText

# Texts handed on at a time: enough to keep a process busy for a second, few enough for many processes to share.
_PORTION = 50_000  # characters
_MOST_TEXTS = 2_000


def mask_stream(
    texts: Iterable[AnyText],
    how: Masking,
    *,
    workers: int = 1,
    cache: bool = True,
    advance: Callable[[float], None] = lambda characters: None,
) -> Iterator[MaskedText]:
    """The texts masked one after the other, in order, the same whatever the number of workers.

    Texts of which no token is left are among them. `advance` is told how many characters were done.
    """
    if workers < 1:
        raise InputError(f"The number of workers is {workers}; at least one is needed.")
    with ExitStack() as opened:
        kept = opened.enter_context(closing(MaskCache(cache_path(), limit=size_limit()))) if cache else None
        pool = _pool(how, workers) if workers > 1 else None
        if pool:
            opened.callback(pool.shutdown, cancel_futures=True)
        # So many ahead that no process waits while the first portion is fetched, and no more.
        ahead = 2 * workers if pool else 0
        begun: deque[_Portion] = deque()
        try:
            for portion in _portions(texts):
                begun.append(_begin(portion, how, kept, pool))
                if len(begun) > ahead:
                    yield from begun.popleft().finished(how, kept, advance)
            while begun:
                yield from begun.popleft().finished(how, kept, advance)
        except BrokenProcessPool as error:
            raise MaskingError(
                "A masking process was ended from outside, perhaps for lack of memory. Run it again with fewer "
                "workers; what was masked so far is in the cache."
            ) from error


def characters_to_mask(texts: Iterable[Text], how: Masking) -> int:
    """How many characters of these texts the cache does not hold masked."""
    salt = how.key.encode()
    missing = 0
    with closing(MaskCache(cache_path(), limit=size_limit())) as kept:
        for portion in _portions(texts):
            lengths = {_key(salt, text.content): len(text.content) for text in portion if isinstance(text, Text)}
            missing += sum(lengths.values()) - sum(lengths[key] for key in kept.get(list(lengths)))
    return missing


@dataclass(frozen=True)
class _Portion:
    """Some texts on their way: what the cache had of them, and how to get the rest."""

    texts: Sequence[AnyText]
    keys: Sequence[bytes]  # one per text; empty for what was already masked
    found: dict[bytes, MaskedContent]
    missing: Sequence[bytes]
    masked: Callable[[], list[MaskedContent]]  # the rest, in the order of `missing`

    def finished(self, how: Masking, kept: MaskCache | None, advance: Callable[[float], None]) -> Iterator[MaskedText]:
        made = dict(zip(self.missing, self.masked() if self.missing else [], strict=True))
        if kept and made:
            # A list, so that nothing is packed while other processes wait for the file.
            kept.put([(key, masked.pack()) for key, masked in made.items()])
        self.found.update(made)
        signature = how.signature
        for text, key in zip(self.texts, self.keys, strict=True):
            if isinstance(text, MaskedText):
                yield text
                continue
            result = self.found[key]
            advance(len(text.content))
            yield MaskedText(text.id, text.author, result.sentences, signature, result.spans, text.metadata)


def _portions(texts: Iterable[AnyText]) -> Iterator[list[AnyText]]:
    portion: list[AnyText] = []
    size = 0
    for text in texts:
        portion.append(text)
        size += len(text.content) if isinstance(text, Text) else 0
        if size >= _PORTION or len(portion) >= _MOST_TEXTS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _begin(
    texts: Sequence[AnyText], how: Masking, kept: MaskCache | None, pool: ProcessPoolExecutor | None
) -> _Portion:
    """Looks a portion up in the cache and hands what is missing to the pool, if there is one."""
    salt = how.key.encode()
    keys = [_key(salt, text.content) if isinstance(text, Text) else b"" for text in texts]
    contents = {key: text.content for key, text in zip(keys, texts, strict=True) if isinstance(text, Text)}
    found = _found(kept, list(contents)) if kept else {}
    missing = [key for key in contents if key not in found]
    work = [contents[key] for key in missing]
    if pool and work:
        future = pool.submit(_mask_in_worker, work)
        return _Portion(texts, keys, found, missing, lambda: list(map(MaskedContent.unpack, future.result())))
    return _Portion(texts, keys, found, missing, lambda: mask_contents(work, how, tagger.load_tagger(how.model)))


def _key(salt: bytes, content: str) -> bytes:
    return hashlib.sha256(salt + content.encode("utf-8", "surrogatepass")).digest()


def _found(kept: MaskCache, keys: Sequence[bytes]) -> dict[bytes, MaskedContent]:
    found, damaged = {}, []
    for key, packed in kept.get(keys).items():
        try:
            found[key] = MaskedContent.unpack(packed)
        except ValueError:
            damaged.append(key)
    if damaged:
        kept.forget(damaged)
    return found


def _pool(how: Masking, workers: int) -> ProcessPoolExecutor:
    """Processes that load the model once each, with their first work; none starts before there is any."""
    # Started afresh rather than forked: the same on every system, and safe beside threads.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare_worker, initargs=(how,))


_worker_masking: Masking | None = None


def _prepare_worker(how: Masking) -> None:
    global _worker_masking
    # Ctrl-C reaches the whole group; the first process is the one to act on it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_masking = how


def _mask_in_worker(contents: Sequence[str]) -> list[bytes]:
    assert _worker_masking is not None
    masked = mask_contents(contents, _worker_masking, tagger.load_tagger(_worker_masking.model))
    # Packed, because that is cheaper to send than the tokens one by one.
    return [one.pack() for one in masked]
