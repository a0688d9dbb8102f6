"""Many texts masked: the same in any number of processes, and none lost with one of them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fake_tagger import FakeTagger
from idiograph import Corpus, InputError, MaskedText, MaskingError, ReadingOptions, Text, mask
from idiograph.texts.masking.batches import characters_to_mask, mask_stream
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.reading.read import stream
from idiograph.texts.reading.report import ReadingLog
from naive_masking import varied_texts
from read_files import write


@pytest.mark.tagger
def test_two_workers_give_what_one_gives_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.texts.masking.batches._PORTION", 300)
    monkeypatch.setattr("idiograph.texts.masking.batches._LONG_FOR_KERNELS", 600)
    texts = Corpus(tuple(Text(str(n), content + "\nx", f"a{n % 3}") for n, content in enumerate(varied_texts()[:30])))
    alone, by_two = mask(texts, cache=False), mask(texts, cache=False, workers=2)
    assert alone == by_two
    assert all(np.array_equal(a.spans, b.spans) for a, b in zip(alone, by_two, strict=True))


def children() -> list[int]:
    """The processes that this one has started and that still run."""
    listed = (task / "children" for task in Path("/proc/self/task").iterdir())
    return [int(pid) for path in listed for pid in path.read_text().split()]


@pytest.mark.tagger
def test_a_killed_worker_gets_a_sentence_and_none_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("idiograph.texts.masking.batches._PORTION", 10)
    monkeypatch.setattr("idiograph.texts.masking.batches._LONG_FOR_KERNELS", 100)
    before = set(children())
    texts = (Text(str(n), f"Number {n} is here.") for n in range(20_000))
    masked = mask_stream(texts, masking_settings(), cache=False, workers=2)
    next(masked)
    assert capsys.readouterr().err == "Masking in 2 processes.\n"
    (started,) = set(children()) - before  # and this process is the other one
    os.kill(started, signal.SIGKILL)
    with pytest.raises(MaskingError, match=r"A masking process was ended from outside"):
        for _ in masked:
            pass
    assert set(children()) == before


@pytest.mark.tagger
def test_neither_a_script_without_a_guard_nor_modules_in_its_folder_are_run_again(tmp_path: Path) -> None:
    for name in ("spacy", "numpy"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('the wrong {name}')")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nsys.path.pop(0)\nprint('started')\nimport idiograph\n"
        "from idiograph.texts.masking import batches\nbatches._LONG_FOR_KERNELS = 100_000\n"
        "masked = idiograph.mask(['The lamp glows. ' * 4_000, 'Nobody knew it. ' * 4_000], workers=2, cache=False)\n"
        "print(len(masked), masked.texts[0].n_tokens)"
    )
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "started\n2 16000\n"
    assert done.stderr.startswith("Masking in 2 processes.\n")


def test_little_work_starts_no_process(fake_tagger: FakeTagger, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(children())
    masked = mask_stream([Text(str(n), "The lamp glows.") for n in range(50)], masking_settings(), workers=2)
    next(masked)
    assert set(children()) == before
    assert len(list(masked)) == 49
    assert capsys.readouterr().err == ""


def test_the_ways_of_tagging_are_told(fake_tagger: FakeTagger) -> None:
    lamp, light = Text("a", "The lamp glows."), Text("b", "A light.")
    for texts, expected in (
        ([lamp], {"made up"}),
        ([lamp, light], {"made up", "kept from before"}),
        ([lamp, light], {"kept from before"}),
    ):
        taken: set[str] = set()
        list(mask_stream(texts, masking_settings(), ways_taken=taken))
        assert taken == expected


def test_texts_are_read_one_by_one_and_the_first_bad_file_ends_them_with_all_that_are_bad(tmp_path: Path) -> None:
    write(tmp_path, a_txt="One.", b_txt="", c_txt="Three.", d_txt="")
    texts = stream(tmp_path, ReadingOptions(), ReadingLog("here"))
    assert next(texts).id == "a.txt"
    with pytest.raises(InputError, match=r"(?s)b\.txt is empty.*d\.txt is empty"):
        next(texts)


def test_few_texts_are_asked_for_ahead_of_the_one_that_is_given_out(fake_tagger: FakeTagger) -> None:
    asked = []

    def texts() -> Iterator[Text]:
        for number in range(10):
            asked.append(number)
            yield Text(str(number), "The lamp glows. " * 4_000)

    masked = mask_stream(texts(), masking_settings())
    assert next(masked).id == "0"
    assert asked == [0]
    assert [text.id for text in masked] == [str(number) for number in range(1, 10)]


def test_progress_counts_the_characters_of_every_text(fake_tagger: FakeTagger) -> None:
    texts = [Text("a", "The lamp"), MaskedText("m", None, (("the",),), "m"), Text("b", "The lamp"), Text("c", "")]
    done: list[float] = []
    masked = list(mask_stream(texts, masking_settings(), advance=done.append))
    assert [text.id for text in masked] == ["a", "m", "b", "c"]
    assert done == [8, 8, 0]
    assert fake_tagger.lines == ["The lamp"]


def test_only_what_the_cache_lacks_is_left_to_mask(fake_tagger: FakeTagger) -> None:
    texts = [Text("a", "The lamp"), Text("b", "glows"), Text("c", "glows")]
    how = masking_settings()
    assert characters_to_mask(texts, how) == 13
    list(mask_stream(texts[:1], how))
    assert characters_to_mask(texts, how) == 5
    list(mask_stream(texts, how))
    assert characters_to_mask(texts, how) == 0


def test_no_worker_is_too_few() -> None:
    with pytest.raises(InputError, match=r"The number of workers is 0; at least one is needed\."):
        next(mask_stream([], masking_settings(), workers=0))
