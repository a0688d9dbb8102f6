"""English tagged by compiled kernels: the same as by spaCy, only where that is known, and said otherwise."""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import slow_tagger
from idiograph import Text
from idiograph.cli import app
from idiograph.texts.masking import batches, tagger
from idiograph.texts.masking.fast import tag, ways
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.models import TaggerModel, find_model
from idiograph.texts.masking.tagger import TaggedLines, Tagger

pytestmark = pytest.mark.tagger

HOSTILE = [
    "word " * 3_999 + "end.",
    "x" * 20_000,
    "ha" * 700 + "! " + "-" * 500 + " " + "a-b-" * 300,
    "(" * 900 + "why" + ")" * 900,
    "http://" + "a." * 400 + "com and x@" + "y." * 300 + "org, see www.a.b/c?d=e#f.",
    "👩‍👩‍👧‍👦 👍🏽👍🏽 🇬🇧 ❤️ ☺ 🤷🏻‍♀️ so what 😂😂😂😂",
    "e\u0301te\u0301 Z\u0351a\u0363l\u0358g\u0321o\u0334 n\u0303",
    "!", ".", "...", "?!?!", "''", '"', "' '", "* * *", "- -- --- ----", "()[]{}", "$ $ $", "'", "`",
    ": ) : ( ; ) 8 ) :- ) < 3 ^ _ ^ ( - : O . o",
    ":) :-) ;) 8) xD :D :'( <3 ^_^ (-_-) o.O ¯\\_(ツ)_/¯",
    "a.m. p.m. e.g. i.e. U.S. Ph.D. J. R. R. Tolkien Mr. Mrs. vs. etc. 'Cause can't cannot won't ain't",
    "can 't wo n't I 'm he 's they 'd ve y 'all c 'm on gon na got ta let 's",
    "\tTabs\there \u3000wide\u2003blanks\u2009 \x0b \x1f odd \u200b zero\ufeff width",
    "   lead   and   trail   ", " a", "a ", "a  ", "  a", "a  b   c    d",
    "これは日本語の文です。 这是中文。 한국어 문장입니다.",
    "Это предложение. Ως εδώ. זה משפט. هذه جملة. यह एक वाक्य है।",
    "<url> <email> <emoji> userid @userid #tag <url>, <email>. (<emoji>)",
    "1,234.56 10km 5'11\" 3-4 1/2 £5m €3bn 20% 7:30pm 2019-05-03 +44 20 7946 0958 0x1F 1e-9",
    "\ufffd\ufffd \x00 \x07 control", "ﬁne ligatures ﬀ Ǆ ß ẞ İstanbul ŉ",
    "SHOUTING ALL THE TIME IS RUDE!!! i cant even w/o u bro smh tbh imho",
    "There's there are There were expl is There 's it is that do does did had have has 'd",
]  # fmt: skip


def columns(tagged: TaggedLines, line: int | None = None) -> list[tuple[str, str, bool, int, int]]:
    """Every token: word, part of speech, sentence start, span."""
    here = np.ones(len(tagged.line), np.bool_) if line is None else tagged.line == line
    words = [tagged.kinds[kind] for kind in tagged.kind[here].tolist()]
    spans, starts = tagged.spans[here].tolist(), tagged.starts_sentence[here].tolist()
    return [(*word, start, *span) for word, start, span in zip(words, starts, spans, strict=True)]


@pytest.fixture(scope="module")
def both() -> tuple[Tagger, Tagger]:
    return Tagger(find_model(), fast=True), Tagger(find_model(), fast=False)


def same(both: tuple[Tagger, Tagger], lines: Sequence[str]) -> int:
    """How many tokens there were, all of them the same both ways."""
    fast, stock = (each.tag(lines) for each in both)
    assert [each.way for each in both] == [ways.KERNELS, ways.SPACY]
    for number, line in enumerate(lines):
        assert columns(fast, number) == columns(stock, number), line[:200]
    return len(fast.kind)


def test_hostile_lines_come_out_as_spacy_has_them(both: tuple[Tagger, Tagger]) -> None:
    assert same(both, HOSTILE) > 7_000
    for line in HOSTILE[5:]:
        same(both, [line])


def test_lines_of_random_characters_come_out_as_spacy_has_them(both: tuple[Tagger, Tagger]) -> None:
    rng = random.Random(4)
    words = ["the", "a", "is", "not", "have", "do", "there", "can't", ".", ",", ":", ";", ")", "(", "-", "'", '"', "8"]
    words += ["%", "$", "@", "don't", "U.S.", "www.a.org", "x@y.org", "", "\t"]
    lines = [" ".join(rng.choices(words, k=rng.randrange(1, 40))) for _ in range(150)]
    characters = "aeiouAST.,:;!?-()'\"8% $@#/<>_\u00a0\u00e9\u4e2d\U0001f600\u0301\t "
    lines += ["".join(rng.choices(characters, k=rng.randrange(1, 80))) for _ in range(150)]
    assert same(both, [line for line in lines if line.strip()]) > 3_000


@pytest.mark.shared
def test_samples_of_every_open_corpus_come_out_as_spacy_has_them(shared: Path, both: tuple[Tagger, Tagger]) -> None:
    n = 0
    for name in ("c50_reuters", "novels100", "ubuntu_irc", "tripadvisor", "drexel1"):
        with gzip.open(shared / "corpora" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as rows:
            text = json.loads(next(rows))["text"][:12_000]
        n += same(both, [line for line in text.splitlines() if line.strip()])
    assert n > 4_000


def test_the_slow_twin_gives_the_same_tokens_and_the_same_bits(both: tuple[Tagger, Tagger]) -> None:
    lines = ways.PAGE.splitlines()[:11]
    fast = both[0].tag(lines)
    for number, line in enumerate(lines):
        assert columns(fast, number) == slow_tagger.tagged(line)
    kernels = both[0]._kernels
    table, bounds, first, _ = kernels._pieces.cut(lines)
    x, at = kernels._windows(first[table[:, tag.TYPE]], bounds)
    rows = np.stack([x[start : start + 96] for start in at.tolist()])
    expected = np.concatenate([slow_tagger.vectors(slow_tagger.pipeline().make_doc(line)) for line in lines])
    assert rows.tobytes() == expected.tobytes()


@pytest.mark.parametrize("fast", [True, False])
def test_threads_that_share_a_tagger_get_what_one_gets(both: tuple[Tagger, Tagger], fast: bool) -> None:
    """Each of them meets words that nobody has met before."""
    texts = [
        [f"The {n}th lamp of W{n}x{line} glows, doesn't it? Room {n * line}." for line in range(4)] for n in range(99)
    ]
    expected = [columns(both[0 if fast else 1].tag(lines)) for lines in texts]
    shared = Tagger(find_model(), fast=fast)
    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            tagged = list(threads.map(lambda lines: columns(shared.tag(lines)), texts))
    finally:
        sys.setswitchinterval(often)
    assert tagged == expected


def test_what_was_met_is_forgotten_in_time_and_met_again(
    both: tuple[Tagger, Tagger], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tag, "_MOST_TYPES", 50)
    lines = [f"The {n}th lamp, made by W{n}x{n % 7}, glows in room {n}." for n in range(60)]
    for _ in range(2):
        for line in lines:
            same(both, [line])
    assert len(both[0]._kernels._pieces._types) < 100


@pytest.mark.parametrize(
    "changed",
    [{"digest": "0" * 64}, {"config_digest": "0" * 64}],
)
def test_another_model_or_another_configuration_is_not_for_the_kernels(changed: dict[str, str]) -> None:
    assert ways.why_not(find_model()) is None
    assert ways.why_not(replace(find_model(), **changed)) == "another model"  # type: ignore[arg-type]


def test_another_version_of_spacy_is_not_for_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "_TRIED", {"spacy": ("3.7.0",)})
    assert str(ways.why_not(find_model())).startswith("spacy 3.8")
    loaded = Tagger(find_model())
    loaded.tag(["word " * 4_000], ahead=60_000)
    assert loaded.way == ways.SPACY


def changed_weights(folder: Path) -> TaggerModel:
    """The model with one weight of its tagger exchanged, under the known digest."""
    import srsly

    model = find_model()
    shutil.copytree(model.folder, folder)
    stored = srsly.read_msgpack(folder / "tagger" / "model")
    bias = next(params for params in stored["params"] if params.get("b") is not None)
    bias["b"] = np.array(bias["b"]) + np.float32(9) * (np.arange(len(bias["b"])) == 3)
    srsly.write_msgpack(folder / "tagger" / "model", stored)
    return replace(model, folder=folder)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder; compiled code is where it was."""
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_short_texts_are_left_to_spacy_and_longer_ones_try_the_page_once(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = Tagger(find_model())
    loaded.tag(["A short one."])
    loaded.tag(["word " * 3_000])
    # Compiling would pay only after more than that.
    assert (loaded.way, list(own_cache.rglob("*.json"))) == (ways.SPACY, [])
    loaded.tag(["And this."], ahead=60_000)
    assert loaded.way == ways.KERNELS
    (record,) = own_cache.rglob("agreed-*.json")
    assert json.loads(record.read_text()) == {"agreed": True}
    monkeypatch.setattr(Tagger, "_same", None)  # it would be an error to try it again
    again = Tagger(find_model())
    again.tag(["A short one."])
    assert again.way == ways.SPACY
    again.tag(["word " * 3_000])
    assert again.way == ways.KERNELS


def test_a_text_is_tagged_from_its_first_line_as_its_length_asks_for(own_cache: Path) -> None:
    (own_cache / "numba").mkdir(parents=True)
    for n, way in ((50, ways.SPACY), (4_000, ways.KERNELS)):
        taken: set[str] = set()
        text = Text("a", "The lamp glows at night.\n" * n)
        tagger.load_tagger.cache_clear()
        assert len(list(batches.mask_stream([text], masking_settings(), cache=False, ways_taken=taken))) == 1
        assert taken == {way}


def test_where_the_page_comes_out_differently_spacy_tags_and_that_is_said(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stock = find_model()
    other = changed_weights(tmp_path / "model")
    # spaCy reads the real weights, the kernels the exchanged ones.
    monkeypatch.setattr(tagger, "SpacyTagger", lambda model, real=tagger.SpacyTagger: real(stock))
    for _ in range(2):
        loaded = Tagger(other)
        loaded.tag(["The lamp glows. " * 1_000], ahead=60_000)
        assert loaded.way == ways.SPACY
        told = capsys.readouterr().err
        assert (
            "tagged by spaCy itself, not by the faster kernels: on a page that was tagged both ways they did not"
            in told
        )
    assert tagger.kernels_agree(other) is False
    assert CliRunner().invoke(app, ["cache", "--check"]).exit_code == 0


def test_the_page_is_tried_again_on_request(own_cache: Path) -> None:
    done = CliRunner().invoke(app, ["cache", "--check"])
    assert done.exit_code == 0
    assert "compiled kernels and spaCy itself tag the page alike" in done.output
    (record,) = own_cache.rglob("agreed-*.json")
    record.write_text('{"agreed": false}')
    done = CliRunner().invoke(app, ["cache", "--check", "--json"])
    assert json.loads(done.output)["kernels_agree"] is True
    assert json.loads(record.read_text()) == {"agreed": True}


def test_interpreted_code_leaves_tagging_to_spacy(tmp_path: Path) -> None:
    code = (
        "from idiograph.texts.masking.tagger import load_tagger\n"
        "from idiograph.texts.masking.models import find_model\n"
        "loaded = load_tagger(find_model())\nloaded.tag(['word ' * 3000], ahead=60000)\nprint(loaded.way)"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("spaCy\n", "")
