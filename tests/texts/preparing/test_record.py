"""The record: every change undone, to the last character, and every character followed back to where it was."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idiograph
from idiograph.errors import InputError
from idiograph.texts.preparing import folder
from idiograph.texts.preparing.prepare import Prepared, prepare
from idiograph.texts.preparing.recipes import Recipe, find_recipe, recipe_names
from idiograph.texts.preparing.record import restore
from idiograph.texts.text import Corpus, Text

PIECES = [
    "Dear Ann,\n",
    "Hello",
    " SO it is. ",
    "soooo",
    "!!!!!",
    "@bob ",
    "http://a.b/c",
    " a@b.com",
    "😂",
    "\u200b",
    "é’…",
]
PIECES += [
    "\n\n\n",
    "\r\n",
    "  ",
    "> quoted\n",
    "On 1 May 2020 Bob wrote:\n",
    "rt : ",
    "a b c d e ",
    "Best,\nBob",
    "İ",
    "...",
]

contents = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)
corpora = st.lists(
    st.tuples(contents, st.sampled_from(["a", "b", "c", "d", None]), st.sampled_from([{}, {"role": "old", "n": 1}])),
    min_size=1,
    max_size=9,
).map(
    lambda rows: Corpus(tuple(Text(f"t{n}", content, author, meta) for n, (content, author, meta) in enumerate(rows)))
)

STEPS: list[dict[str, Any]] = [
    {"step": "forwarded_text"},
    {"step": "quoted_text"},
    {"step": "salutations"},
    {"step": "signatures"},
    {"step": "urls", "bare_domains": True},
    {"step": "email_addresses"},
    {"step": "user_tags"},
    {"step": "lower_case"},
    {"step": "emojis"},
    {"step": "leading_punctuation"},
    {"step": "non_printing"},
    {"step": "non_ascii", "fold": True},
    {"step": "elongated_words"},
    {"step": "punctuation_runs"},
    {"step": "white_space"},
    {"step": "duplicate_sentences"},
    {"step": "retweets"},
    {"step": "text_length", "max_tokens": 12},
    {"step": "exact_duplicates"},
    {"step": "near_duplicates", "tokens": 2},
    {"step": "shared_runs", "tokens": 4},
    {"step": "author_tokens", "min_tokens": 4},
    {"step": "assign_q_k", "q_tokens": 5, "k_tokens": 5},
]
recipes = st.lists(st.sampled_from(STEPS), min_size=1, max_size=8).map(
    lambda steps: Recipe.from_json({"schema": 1, "steps": steps}, where="here")
)


@settings(deadline=None)
@given(corpus=corpora, recipe=recipes)
def test_any_recipe_can_be_undone(corpus: Corpus[Text], recipe: Recipe) -> None:
    prepared = prepare(corpus, recipe)
    assert prepared.restored() == corpus
    assert [text.content.encode() for text in prepared.restored()] == [text.content.encode() for text in corpus]
    assert len(prepared.corpus) + sum(text.left_out is not None for text in prepared.record.texts) == len(corpus)


@settings(deadline=None, max_examples=40)
@given(corpus=corpora, recipe=recipes)
def test_the_folder_on_disk_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, corpus: Corpus[Text], recipe: Recipe
) -> None:
    prepared = prepare(corpus, recipe)
    path = tmp_path_factory.mktemp("prepared") / "out"
    folder.save(prepared, path)
    assert folder.load(path) == prepared
    assert folder.load(path).restored() == corpus
    assert find_recipe(path / "recipe.toml") == recipe


@settings(deadline=None)
@given(corpus=corpora, recipe=recipes)
def test_characters_are_followed_back(corpus: Corpus[Text], recipe: Recipe) -> None:
    # Each character carries its original place through the edits; those put in carry none.
    prepared = prepare(corpus, recipe)
    for text in prepared.corpus:
        carried: list[tuple[str, int | None]] = [(mark, at) for at, mark in enumerate(corpus.text(text.id).content)]
        for change in prepared.record.text(text.id).changes:
            for start, removed, inserted in reversed(change.edits):
                old = carried[start : start + len(removed)]
                same_length = len(removed) == len(inserted)
                carried[start : start + len(removed)] = [
                    (mark, old[at][1] if same_length else None) for at, mark in enumerate(inserted)
                ]
        assert "".join(mark for mark, _ in carried) == text.content
        for position, (_, original) in enumerate(carried):
            if original is not None:
                assert prepared.record.original_offset(text.id, position) == original


@settings(deadline=None, max_examples=40)
@given(corpus=corpora, recipe=recipes, data=st.data())
def test_files_in_another_order_change_nothing(corpus: Corpus[Text], recipe: Recipe, data: st.DataObject) -> None:
    shuffled = Corpus(tuple(data.draw(st.permutations(corpus.texts))))
    one, other = prepare(corpus, recipe), prepare(shuffled, recipe)
    assert {text.id: text for text in one.corpus} == {text.id: text for text in other.corpus}
    assert one.record.steps == other.record.steps
    assert {text.id: text for text in one.record.texts} == {text.id: text for text in other.record.texts}
    kept = {text.id for text in one.corpus}
    assert [text.id for text in other.corpus] == [text.id for text in shuffled if text.id in kept]


MAIL = "Dear Ann,\n\nSee HTTP://a.org/long/page, it is SOOO good!!!!!\n\nBest,\nBob"


def by_hand() -> Prepared:
    table = {"schema": 1, "steps": [{"step": "urls"}, {"step": "elongated_words"}, {"step": "text_length"}]}
    corpus = Corpus((Text("mail", MAIL, "bob"), Text("ok", "ok then", "bob"), Text("no", "No it is not", "ann")))
    return idiograph.prepare(corpus, Recipe.from_json(table, where="here"))


def test_spans_by_hand() -> None:
    prepared = by_hand()
    content = prepared.corpus.text("mail").content
    assert content == "Dear Ann,\n\nSee <url>, it is SOO good!!!!!\n\nBest,\nBob"
    at = content.index("<url>")
    start, end = prepared.record.original_span("mail", at, at + 5)
    assert MAIL[start:end] == "HTTP://a.org/long/page"
    good = content.index("good")
    start, end = prepared.record.original_span("mail", good, good + 4)
    assert MAIL[start:end] == "good"
    both = prepared.record.original_spans("mail", np.array([[0, 4], [at, good + 4], [good, good]]))
    assert [MAIL[a:b] for a, b in both] == ["Dear", "HTTP://a.org/long/page, it is SOOO good", ""]
    assert prepared.record.original_offset("mail", len(content)) == len(MAIL)
    # Nothing, right after the letter that was taken out of SOOO, is nothing before as well.
    assert prepared.record.original_span("mail", good - 1, good - 1) == (MAIL.index(" good"),) * 2


def test_the_diff_by_hand() -> None:
    record = by_hand().record
    assert list(record.diff("mail")) == [
        "1 urls, at 15: 'HTTP://a.org/long/page' -> '<url>'",
        "2 elongated_words, at 31: 'O' -> ''",
    ]
    assert list(record.diff("ok")) == ["3 text_length, left out: 2 tokens, fewer than 3"]
    assert list(record.diff("no")) == []
    with pytest.raises(InputError, match="no text with the id yes"):
        record.diff("yes").__next__()


def test_metadata_is_changed_and_changed_back() -> None:
    table = {"schema": 1, "steps": [{"step": "assign_q_k", "q_tokens": 1, "k_tokens": 0}]}
    corpus = Corpus((Text("1", "one two", "a", {"role": "x", "date": "1999"}), Text("2", "one two", "b")))
    prepared = prepare(corpus, Recipe.from_json(table, where="here"))
    assert [dict(text.metadata) for text in prepared.corpus] == [{"role": "Q", "date": "1999"}, {"role": "Q"}]
    assert list(prepared.record.diff("1")) == ["1 assign_q_k, role: 'x' -> 'Q'"]
    assert prepared.restored() == corpus


def test_the_summary_counts() -> None:
    record = by_hand().record
    assert [(step.step, step.texts_changed, step.edits, step.texts_removed) for step in record.steps] == [
        ("urls", 1, 1, 0),
        ("elongated_words", 1, 1, 0),
        ("text_length", 0, 0, 1),
    ]
    # Words: the mail 14 (its address is five), two and four others; then ten and four.
    assert (record.before.texts, record.before.authors, record.before.tokens) == (3, 2, 20)
    assert (record.steps[-1].texts, record.steps[-1].authors, record.steps[-1].tokens) == (2, 2, 14)
    lines = list(folder.summary_lines(record))
    assert lines[1:] == [
        "  1 urls                 1 text changed (1 edit)",
        "  2 elongated_words      1 text changed (1 edit)",
        "  3 text_length          1 text left out",
        "Texts 3 -> 2, authors 2 -> 2, tokens 20 -> 14.",
    ]
    summary = folder.summary(record)
    assert summary["recipe_sha256"] == record.recipe.digest
    assert summary["steps"][2]["settings"] == {"min_tokens": 3, "max_tokens": 0}


def test_a_text_of_which_nothing_is_left_is_named() -> None:
    table = {"schema": 1, "steps": [{"step": "urls", "replace_with": ""}]}
    corpus = Corpus((Text("1", "http://a.b"), Text("2", " www.a.b"), Text("3", "x")))
    prepared = prepare(corpus, Recipe.from_json(table, where="here"))
    assert prepared.record.steps[-1].notes == (
        "Nothing is left of 2 texts (1, 2); the step text_length removes those.",
    )


@pytest.mark.parametrize("name", recipe_names())
def test_every_named_recipe_runs_and_can_be_undone(name: str) -> None:
    rows = [(f"{author}{n}", f"{MAIL} {n} {author}", author) for author in "abcdef" for n in range(3)]
    corpus = Corpus(tuple(Text(*row) for row in rows))
    assert prepare(corpus, name).restored() == corpus


def test_what_cannot_be_prepared() -> None:
    with pytest.raises(InputError, match="The corpus has no text"):
        prepare(Corpus(()), "plain")
    with pytest.raises(InputError, match=r"The text half has half a character \(a surrogate at position 1"):
        prepare(Corpus((Text("half", "a\ud800"),)), "plain")


def test_a_corpus_or_record_that_was_changed_is_refused() -> None:
    prepared = by_hand()
    corpus, record = prepared.corpus, prepared.record
    edited = Corpus(tuple(dataclasses.replace(text, content=f"{text.content}!") for text in corpus))
    with pytest.raises(InputError, match="The text mail has been changed since it was prepared"):
        restore(edited, record)
    with pytest.raises(InputError, match="The text no is in the record but not in the prepared corpus"):
        restore(Corpus(corpus.texts[:1]), record)
    with pytest.raises(InputError, match="The record knows nothing of the text new"):
        restore(Corpus((*corpus.texts, Text("new", "x"))), record)
    forged = dataclasses.replace(record.texts[0], changes=record.texts[0].changes[1:])
    with pytest.raises(InputError, match="The record of mail does not lead back to the original"):
        restore(corpus, dataclasses.replace(record, texts=(forged, *record.texts[1:])))


def test_a_damaged_folder_is_said_in_words(tmp_path: Path) -> None:
    folder.save(by_hand(), tmp_path / "out")
    record = tmp_path / "out" / "record.jsonl"
    whole = record.read_text(encoding="utf-8")
    record.write_text(whole[:-20], encoding="utf-8")
    with pytest.raises(InputError, match=r"record\.jsonl is damaged in line 4"):
        folder.load(tmp_path / "out")
    record.write_text(whole.replace('"changes"', '"change"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"What is in .*out is damaged: changes is missing"):
        folder.load(tmp_path / "out")
    record.write_text(f"{whole}3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"record\.jsonl is damaged in line 5 \(a line must be a dict, not"):
        folder.load(tmp_path / "out")
    record.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"record\.jsonl does not begin with the header"):
        folder.load(tmp_path / "out")
    with pytest.raises(InputError, match=r"record\.jsonl could not be read"):
        folder.load(tmp_path / "none")


def test_nothing_is_overwritten_or_left_half_written(tmp_path: Path) -> None:
    prepared = by_hand()
    folder.save(prepared, tmp_path / "out")
    with pytest.raises(InputError, match="already exists"):
        folder.save(prepared, tmp_path / "out")
    folder.save(prepared, tmp_path / "out", force=True)
    odd = Prepared(Corpus((Text("odd", "x", metadata={"when": object()}),)), prepared.record)
    with pytest.raises(InputError, match="The metadata of odd cannot be written as JSON"):
        folder.save(odd, tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_same_bytes_whatever_pythons_hash_seed(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from idiograph.texts.text import Corpus, Text\n"
        "from idiograph.texts.preparing import folder\nfrom idiograph.texts.preparing.prepare import prepare\n"
        "texts = [Text(f't{n}', f'@bob {n % 7} sooo http://a.b/{n} ' + 'word other ' * (n % 5), 'abc'[n % 3])"
        " for n in range(60)]\n"
        "folder.save(prepare(Corpus(tuple(texts)), 'tweet'), Path(sys.argv[1]))\n"
    )
    for seed in ("1", "2"):
        subprocess.run([sys.executable, "-c", program, str(tmp_path / seed)], env={"PYTHONHASHSEED": seed}, check=True)
    for name in ("corpus.jsonl", "record.jsonl", "summary.json", "recipe.toml"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    first = json.loads((tmp_path / "1" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert list(first) == ["id", "author", "text", "metadata"]
