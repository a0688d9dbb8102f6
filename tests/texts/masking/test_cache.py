"""The cache of masked texts: never a stale answer, never half an entry, never beyond its limit, never in the way."""

import hashlib
import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np
import pytest

from fake_tagger import FakeTagger
from idiograph import Corpus, InputError, Text, mask
from idiograph.texts.masking import rules as masking_rules
from idiograph.texts.masking.batches import MaskCache, cache_path, cache_state, clear_cache, mask_stream, size_limit
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.models import WordList
from idiograph.texts.masking.rules import MaskedContent, Masking

TEXTS = Corpus(tuple(Text(str(n), f"The lamp number {n} glows. It’s on.", "ann") for n in range(20)))


def opened(limit: int = 10_000_000) -> MaskCache:
    return MaskCache(cache_path(), limit=limit)


def test_a_second_masking_asks_no_tagger_and_gives_the_same(fake_tagger: FakeTagger) -> None:
    first = mask(TEXTS)
    assert len(fake_tagger.lines) == 20
    fake_tagger.lines.clear()
    second = mask(TEXTS)
    assert fake_tagger.lines == []
    assert second == first
    assert all((a.spans == b.spans).all() for a, b in zip(first, second, strict=True))


def test_only_the_content_counts_not_the_id_or_the_author(fake_tagger: FakeTagger) -> None:
    mask(Text("a", "The lamp", "ann"))
    again = mask(Text("b", "The lamp", "bob", {"work": "w"}))
    assert len(fake_tagger.lines) == 1
    assert (again.id, again.author, again.metadata) == ("b", "bob", {"work": "w"})


def test_the_same_content_twice_in_a_corpus_is_tagged_once(fake_tagger: FakeTagger) -> None:
    masked = mask(Corpus((Text("a", "The lamp"), Text("b", "The lamp"))))
    assert fake_tagger.lines == ["The lamp"]
    assert masked.texts[0].sentences == masked.texts[1].sentences


def test_no_cache_means_none(fake_tagger: FakeTagger) -> None:
    mask(TEXTS, cache=False)
    mask(TEXTS, cache=False)
    assert len(fake_tagger.lines) == 40
    assert not cache_path().exists()


def changed(how: Masking) -> Iterator[tuple[str, Masking]]:
    """The settings with one thing changed at a time: everything that may change a token."""
    assert how.word_list is not None
    yield "method", replace(how, method="textdistortion")
    yield "quotes", replace(how, normalise_quotes=False)
    yield "weights", replace(how, model=replace(how.model, digest="0" * 64))
    yield "configuration", replace(how, model=replace(how.model, config_digest="0" * 64))
    yield "list file", replace(how, word_list=replace(how.word_list, digest="0" * 64))
    yield "list words", replace(how, word_list=replace(how.word_list, words=frozenset({"lamp"})))
    yield "cleaning", replace(how, clean=False)
    yield "no list", replace(how, method="none", word_list=None)


def test_nothing_is_read_that_a_changed_setting_should_have_changed(fake_tagger: FakeTagger) -> None:
    how = masking_settings()
    for what, other in [("itself", how), *changed(how)]:
        fake_tagger.lines.clear()
        list(mask_stream(TEXTS, other))
        assert len(fake_tagger.lines) == 20, what
        list(mask_stream(TEXTS, other))
        assert len(fake_tagger.lines) == 20, what
    assert len({other.key for _, other in changed(how)} | {how.key}) == 9


@pytest.mark.parametrize(
    ("name", "value"),
    [("CODE_VERSION", 999), ("PLACEHOLDERS", ("<url>",)), ("software", lambda model: "spacy-4")],
)
def test_other_code_reads_nothing_of_the_old(
    fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    mask(TEXTS)
    fake_tagger.lines.clear()
    monkeypatch.setattr(masking_rules, name, value)
    mask(TEXTS)
    assert len(fake_tagger.lines) == 20


def test_every_setting_is_in_the_key() -> None:
    # A field added to these must be added to `changed`, so that the tests above see it.
    assert set(Masking.__dataclass_fields__) == {"method", "model", "word_list", "normalise_quotes", "clean"}
    assert set(WordList.__dataclass_fields__) == {"name", "digest", "words"}


def test_one_character_more_is_another_text(fake_tagger: FakeTagger) -> None:
    mask(Text("a", "The lamp"))
    mask(Text("a", "The lamp "))
    assert len(fake_tagger.lines) == 2


def test_what_an_earlier_version_masked_is_kept_unless_it_has_characters_to_clean(fake_tagger: FakeTagger) -> None:
    # The key of 0.3.0: the settings and the content, nothing else.
    how, odd, plain = masking_settings(), Text("a", "The la\u00admp"), Text("b", "The lamp")
    packed = MaskedContent((("old",),), np.array([[0, 3]], np.int32)).pack()
    kept = MaskCache(cache_path(), limit=10_000_000)
    kept.put([(hashlib.sha256(how.key.encode() + text.content.encode()).digest(), packed) for text in (odd, plain)])
    kept.close()
    assert [text.sentences for text in mask([odd, plain], method="posnoise")] == [(("the", "N"),), (("old",),)]


def test_a_damaged_file_is_moved_aside_and_said(fake_tagger: FakeTagger) -> None:
    first = mask(TEXTS)
    cache_path().write_bytes(b"this is no database, but it is long enough to be looked at" * 100)
    with pytest.warns(RuntimeWarning, match=r"was damaged .* moved to .*damaged-\d+ and a new one was started"):
        assert mask(TEXTS) == first
    assert len(list(cache_path().parent.glob("*.damaged-*"))) == 1
    fake_tagger.lines.clear()
    assert mask(TEXTS) == first
    assert fake_tagger.lines == []


def test_a_page_overwritten_in_the_middle_never_gives_wrong_tokens(fake_tagger: FakeTagger) -> None:
    texts = Corpus(tuple(Text(str(n), f"The lamp number {n} glows. " * 40) for n in range(200)))
    first = mask(texts)
    content = bytearray(cache_path().read_bytes())
    for offset in range(3 * 4096, len(content) - 4096, 4096):
        content[offset + 1000 : offset + 1100] = os.urandom(100)
    cache_path().write_bytes(content)
    with pytest.warns(RuntimeWarning, match=r"was damaged"):
        assert mask(texts) == first
    assert mask(texts) == first  # with a new file, and without a word


def test_an_unreadable_entry_is_masked_anew_and_replaced(fake_tagger: FakeTagger) -> None:
    first = mask(TEXTS)
    with sqlite3.connect(cache_path()) as connection:
        connection.execute("UPDATE entries SET packed = x'00112233'")
    connection.close()
    fake_tagger.lines.clear()
    assert mask(TEXTS) == first
    assert len(fake_tagger.lines) == 20
    assert mask(TEXTS) == first
    assert len(fake_tagger.lines) == 20


def test_a_cache_that_cannot_be_written_is_said_once_and_work_goes_on(
    fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("idiograph.texts.masking.batches._PORTION", 50)
    with pytest.warns(RuntimeWarning, match="cannot be used .*masking goes on without it") as caught:
        masked = mask(TEXTS)
    assert len(caught) == 1
    assert len(masked) == 20


def test_a_read_only_cache_is_said_once_and_work_goes_on(
    fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch, small_disk: Path
) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(small_disk))
    first = mask(TEXTS)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.warns(RuntimeWarning, match="masking goes on without it") as caught:
        assert mask(TEXTS) == first
    assert len(caught) == 1
    with pytest.raises(InputError, match="cannot be read"):
        cache_state()


def test_a_full_disk_is_said_once_and_leaves_a_sound_cache(
    fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch, small_disk: Path
) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(small_disk))
    monkeypatch.setattr("idiograph.texts.masking.batches._PORTION", 20_000)
    texts = Corpus(tuple(Text(str(n), os.urandom(8_000).hex()) for n in range(60)))
    with pytest.warns(RuntimeWarning, match=r"disk is full|I/O error") as caught:
        masked = mask(texts, method="none")
    assert len(masked) == 60
    assert len(caught) == 1
    with sqlite3.connect(cache_path()) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_the_least_recently_used_go_first_and_the_limit_holds(
    fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000_000.0]
    monkeypatch.setattr("idiograph.texts.masking.batches.time.time", lambda: now[0])
    limit = 600_000
    cache = opened(limit)
    keys = [bytes([n]) * 32 for n in range(200)]
    for key in keys[:100]:
        now[0] += 10_000
        cache.put([(key, os.urandom(3_000))])
    now[0] += 10_000
    assert set(cache.get(keys[:10])) == set(keys[:10])  # used again, so they stay
    for key in keys[100:]:
        now[0] += 1
        cache.put([(key, os.urandom(3_000))])
    kept = set(cache.get(keys))
    cache.close()
    assert keys[199] in kept
    assert set(keys[:10]) <= kept
    assert keys[10] not in kept
    assert cache_path().stat().st_size <= limit + 100_000
    assert 100 <= len(kept) < 200


def test_an_entry_beyond_the_limit_is_not_kept(fake_tagger: FakeTagger) -> None:
    cache = opened(50_000)
    cache.put([(b"k" * 32, os.urandom(200_000))])
    assert cache.get([b"k" * 32]) == {}
    cache.close()


def test_reading_does_not_write_within_the_hour(fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000_000.0]
    monkeypatch.setattr("idiograph.texts.masking.batches.time.time", lambda: now[0])
    cache = opened()
    cache.put([(b"k" * 32, b"x")])
    used = "SELECT used FROM entries"
    with sqlite3.connect(cache_path()) as connection:
        now[0] += 100
        cache.get([b"k" * 32])
        assert connection.execute(used).fetchone() == (1_000_000,)
        now[0] += 4_000
        cache.get([b"k" * 32])
        assert connection.execute(used).fetchone() == (1_004_100,)
    connection.close()
    cache.close()


def test_the_state_is_shown_and_cleared(fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_state().entries == 0
    assert not cache_path().exists()
    mask(TEXTS)
    state = cache_state()
    assert (state.entries, state.path, state.limit) == (20, cache_path(), 2_000_000_000)
    assert state.size > 0
    clear_cache()
    assert cache_state().entries == 0
    fake_tagger.lines.clear()
    mask(TEXTS)
    assert len(fake_tagger.lines) == 20


def test_clearing_beside_an_open_cache_disturbs_nobody(fake_tagger: FakeTagger) -> None:
    cache = opened()
    cache.put([(b"k" * 32, b"x")])
    clear_cache()
    cache.put([(b"k" * 32, b"y")])
    assert cache.get([b"k" * 32]) == {b"k" * 32: b"y"}
    cache.close()
    assert not cache_path().exists()
    assert opened().get([b"k" * 32]) == {}


def test_the_limit_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDIOGRAPH_CACHE_LIMIT", "1.5")
    assert size_limit() == 1_500_000
    for wrong in ("much", "-1", "inf", "nan", ""):
        monkeypatch.setenv("IDIOGRAPH_CACHE_LIMIT", wrong)
        with pytest.raises(InputError, match="is not a number of megabytes"):
            size_limit()


def test_a_cache_that_another_process_holds_can_be_looked_at_and_cleared(
    fake_tagger: FakeTagger, monkeypatch: pytest.MonkeyPatch
) -> None:
    mask(TEXTS)
    monkeypatch.setattr("idiograph.texts.masking.batches._PATIENCE", 0.05)
    holder = sqlite3.connect(cache_path(), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert cache_state().entries == 20
    clear_cache()
    holder.close()
    assert cache_state().entries == 0


def set_up_and_use(folder: Path, together: Barrier, errors: "Queue[str]") -> None:
    for number in range(25):
        together.wait()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cache = MaskCache(folder / f"{number}.sqlite", limit=10_000_000)
            cache.put([(b"k" * 32, b"x")])
            cache.close()
        for warning in caught:
            errors.put(str(warning.message))


def test_processes_that_set_a_cache_up_at_the_same_moment_wait_for_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    together, errors = context.Barrier(3), context.Queue()
    processes = [context.Process(target=set_up_and_use, args=(tmp_path, together, errors)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 3
    assert errors.empty()


# A process that fills the cache as masking does; the entry of number n can be told to be right.
FILLER = """
import sys, itertools, hashlib
import numpy as np
from idiograph.texts.masking.batches import MaskCache, cache_path
from idiograph.texts.masking.rules import MaskedContent
first, last = int(sys.argv[1]), int(sys.argv[2])
cache = MaskCache(cache_path(), limit=10**9)
print("open", flush=True)
for start in range(first, last, 20):
    portion = range(start, min(start + 20, last))
    cache.put([(hashlib.sha256(str(n).encode()).digest(),
                MaskedContent(((str(n),) * 500,), np.zeros((500, 2), np.int32)).pack()) for n in portion])
cache.close()
"""


def filler(first: int, last: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", FILLER, str(first), str(last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def numbers_found(last: int) -> set[int]:
    """The numbers whose entries are there; each is checked to be its own and whole."""
    cache = opened()
    keys = {hashlib.sha256(str(n).encode()).digest(): n for n in range(last)}
    entries = cache.get(list(keys))
    cache.close()
    for key, packed in entries.items():
        assert MaskedContent.unpack(packed).sentences == ((str(keys[key]),) * 500,)
    return {keys[key] for key in entries}


def test_two_processes_at_once_lose_nothing(fake_tagger: FakeTagger) -> None:
    both = [filler(0, 1_000), filler(500, 1_500)]
    for process in both:
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
    assert numbers_found(2_000) == set(range(1_500))


# Smaller portions than usual, and a tagger that takes its time, so that there is a middle.
SLOW_MASKING = """
import os, time
import fake_tagger, idiograph.cli
from idiograph.texts.masking import batches, tagger

class Slow(fake_tagger.FakeTagger):
    def tag(self, lines, **ahead):
        time.sleep(float(os.environ["PAUSE"]))
        return super().tag(lines)

batches._PORTION = 1_000
tagger.load_tagger = lambda model: Slow()
idiograph.cli.main()
"""


def test_a_masking_killed_in_the_middle_is_taken_up_again(tmp_path: Path) -> None:
    source = tmp_path / "texts.jsonl"
    rows = [{"id": str(n), "author": "a", "text": f"The lamp number {n} glows. It is on. " * 20} for n in range(60)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "out" / "masked.jsonl"
    helpers = Path(__file__).resolve().parents[2]
    paths = os.pathsep.join([str(helpers), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"IDIOGRAPH_CACHE": str(tmp_path / "cache"), "PYTHONPATH": paths}
    command = [sys.executable, "-c", SLOW_MASKING, "mask", str(source), "--workers", "1", "--out", str(out)]
    slow, quick = (environment | {"PAUSE": pause} for pause in ("0.5", "0"))
    process = subprocess.Popen(command, env=slow, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    database = tmp_path / "cache" / "masked" / "masked.sqlite"
    entries = 0
    while not entries:
        assert process.poll() is None
        time.sleep(0.05)
        if database.is_file():
            connection = sqlite3.connect(database, timeout=30)
            tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'entries'").fetchone()[0]
            entries = connection.execute("SELECT count(*) FROM entries").fetchone()[0] if tables else 0
            connection.close()
    process.kill()
    process.wait()
    assert not out.exists()
    done = subprocess.run([*command, "--json"], env=quick, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["texts"] == 60
    again = tmp_path / "again.jsonl"
    subprocess.run([*command[:-1], str(again), "--no-cache"], env=quick, capture_output=True, check=True)
    assert again.read_bytes() == out.read_bytes()


def dying_after(steps: int, work: Callable[[MaskCache], object]) -> int:
    """Works on the cache in a forked child that kills itself after so many of SQLite's steps; its status."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    taken = 0

    def step(*_: object) -> None:
        nonlocal taken
        taken += 1
        if taken == steps:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        cache = opened(limit=150_000)
        assert cache._connection is not None
        cache._connection.set_trace_callback(step)  # before every statement
        cache._connection.set_progress_handler(step, 60)  # and within long ones
        work(cache)
        os._exit(0)
    finally:
        os._exit(1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_no_kill_within_a_transaction_leaves_a_part_of_it(fake_tagger: FakeTagger) -> None:
    entries = [(bytes([n]) * 32, bytes([n]) * 3_000) for n in range(40)]
    old, new = entries[:20], entries[20:]  # both do not fit below the limit, so some of the old must go
    outcomes = set()
    for steps in range(1, 10_000):
        clear_cache()
        cache = opened(limit=150_000)
        cache.put(old)
        cache.close()
        status = dying_after(steps, lambda cache: cache.put(new))
        cache = opened(limit=150_000)
        assert cache._connection is not None
        assert cache._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        held = cache.get([key for key, _ in entries])
        cache.close()
        assert held.items() <= dict(entries).items()
        n_old, n_new = (sum(key in held for key, _ in part) for part in (old, new))
        outcomes.add((n_old, n_new))
        if not os.WIFSIGNALED(status):
            break
    assert status == 0
    assert outcomes == {(20, 0), (n_old, 20)}
    assert n_old < 20
