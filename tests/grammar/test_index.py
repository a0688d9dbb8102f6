"""The index: its parts, its order, its file, and what it refuses."""

import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import idiograph
from idiograph import Corpus, Index, InputError, MaskedText, ProblemError, Text
from idiograph.grammar.stream import MAX_TYPES
from made_index import corpus, toy_index


def masked(id_, author, *lines, masking="m"):
    return MaskedText(id=id_, author=author, sentences=tuple(tuple(line.split()) for line in lines), masking=masking)


def test_texts_are_put_in_author_and_id_order_whatever_the_order_of_files():
    texts = corpus().texts
    index, turned = Index(Corpus(texts)), Index(Corpus(texts[::-1]))
    assert index.text_ids == turned.text_ids == tuple(sorted(index.text_ids))
    assert index.digest == turned.digest
    assert [index.tokens_of(n) for n in range(index.n_sentences)] == [
        turned.tokens_of(n) for n in range(index.n_sentences)
    ]


def test_facts_of_a_corpus():
    index = Index(Corpus((masked("t2", "ann", "a b c", ""), masked("t1", "bob", "b b"), masked("t0", None, "c"))))
    assert index.text_ids == ("t0", "t2", "t1")
    assert index.text_authors == (None, "ann", "bob")
    assert index.sentence_text.tolist() == [0, 1, 1, 2]
    assert index.sentence_lengths.tolist() == [1, 3, 0, 2]
    assert (index.n_sentences, index.n_tokens) == (4, 6)
    assert index.tokens_of(1) == ("a", "b", "c")
    assert index.masking == "m"


def test_parts_hold_the_sentences_they_are_named_after():
    index = toy_index()
    assert index.by("ann").authors == ("ann",)
    assert index.excluding("ann", "bob").authors == ("cid", "dot")
    assert index.text("bob-1").text_ids == ("bob-1",)
    assert index.texts("bob-1", "ann-0").text_ids == ("ann-0", "bob-1")
    assert index.take([3, 1]).sentence_numbers.tolist() == [3, 1]
    assert index.take([]).n_sentences == 0
    assert index.all().n_tokens == index.n_tokens
    part = index.by("ann")
    assert part.sentences == tuple(index.tokens_of(int(n)) for n in part.sentence_numbers)
    assert part.n_hapaxes == MaskedText("x", None, part.sentences, "m").n_hapaxes


def test_a_part_knows_the_sentences_it_shares():
    index = toy_index()
    numbers = index.text("ann-0").sentence_numbers
    assert index.take(numbers[:3]).shared_with(index.take(numbers[3:])) == ()
    assert index.take(numbers[:3]).shared_with(index.by("ann")) == ("ann-0",)
    # Of another corpus, an id in both is enough.
    assert index.take(numbers[:3]).shared_with(corpus().text("ann-0")) == ("ann-0",)
    assert corpus().by("ann").shared_with(index.by("ann")) == index.by("ann").text_ids


def test_arrays_are_read_only():
    index = toy_index()
    for array in (index.tokens, index.starts, index.stream, index.sentence_text, index.by("ann").sentence_numbers):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_plain_sentences_are_an_index_too():
    index = Index([["a", "b"], [], ("b",)])
    assert index.tokens_of(0) == ("a", "b")
    assert index.n_sentences == 3
    assert index.all().authors == ()
    assert index.text_ids[0].startswith("sentences-")
    assert Index([["a", "b"], [], ["b"]]).text_ids == index.text_ids
    assert Index([["a", "b"], ["b"]]).text_ids != index.text_ids


def test_an_index_comes_back_from_its_file(tmp_path):
    index = toy_index()
    index.save(tmp_path / "toy.index")
    opened = Index.open(tmp_path / "toy.index")
    assert opened.digest == index.digest
    assert opened.text_ids == index.text_ids
    assert opened.text_authors == index.text_authors
    assert opened.tokens_of(5) == index.tokens_of(5)
    assert not opened.stream.flags.owndata
    assert not opened.stream.flags.writeable

    def scored(one):
        return idiograph.score(
            q=one.text("ann-0"), k=one.text("ann-1"), reference=one.excluding("ann"), repetitions=3
        ).lambda_g

    assert scored(opened) == scored(index)


def test_another_process_opens_the_same_file_instead_of_copying_it(tmp_path):
    index = toy_index()
    index.save(tmp_path / "toy.index")
    opened = Index.open(tmp_path / "toy.index")
    assert len(pickle.dumps(opened)) < 500
    for one in (opened, index):
        again = pickle.loads(pickle.dumps(one.by("ann")))
        assert again.sentences == index.by("ann").sentences
        assert again.index.digest == index.digest


def test_a_changed_byte_anywhere_is_refused(tmp_path):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in [*rng.integers(22, len(whole), 40).tolist(), len(whole) - 1]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(InputError, match=r"toy\.index is damaged or cut short.*Build the index again"):
            Index.open(path)


@pytest.mark.parametrize("length", [0, 10, 60, 86, 200, -1])
def test_a_file_cut_short_is_refused(tmp_path, length):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=r"damaged or cut short|is not an index of Idiograph"):
        Index.open(path)


def test_a_stale_file_is_refused(tmp_path):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    path.write_bytes(path.read_bytes().replace(b"idiograph index 0001", b"idiograph index 0000", 1))
    with pytest.raises(InputError, match=r"another version of Idiograph \(index format 0000.*Build the index again"):
        Index.open(path)


def test_a_file_of_something_else_or_none_is_refused(tmp_path):
    (tmp_path / "x").write_text("hello")
    with pytest.raises(InputError, match=r"is not an index of Idiograph\. Name a file that Index\.save wrote"):
        Index.open(tmp_path / "x")
    with pytest.raises(InputError, match=r"could not be opened \(No such file"):
        Index.open(tmp_path / "missing")


def test_a_killed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "toy.index"
    toy_index().save(path)
    before = path.read_bytes()
    script = (
        "import sys, os, signal\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from made_index import toy_index\n"
        "index = toy_index(sentences=400)\n"
        "write = os.fsync\n"
        "os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)\n"
        "index.save(sys.argv[1])\n"
    )
    here = str(Path(__file__).parents[1])
    killed = subprocess.run([sys.executable, "-c", script, str(path), here], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_bytes() == before


def test_a_full_disk_is_said_in_words(tmp_path):
    script = (
        "import resource, signal, sys\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from made_index import toy_index\n"
        "from idiograph import InputError\n"
        "index = toy_index()\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    index.save(sys.argv[1])\n"
        "except InputError as error:\n"
        "    sys.exit(0 if 'could not be written' in str(error) else 3)\n"
        "sys.exit(4)\n"
    )
    here = str(Path(__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "toy.index"), here], check=False)
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []


def refused(source, words):
    with pytest.raises(InputError, match=words):
        Index(source)


def test_sentences_that_are_no_token_lists_are_refused():
    refused("a b c", r"came as str instead of a list of token lists.*Split the text")
    refused(17, r"came as int instead of a list of token lists")
    refused([["a"], "b c"], r"Sentence 1 is 'b c' \(str\) instead of a list of tokens")
    refused([["a"], {"b": 1}], r"Sentence 1 is .* \(dict\)")


def test_tokens_that_are_no_words_are_refused():
    refused([["a", 3]], r"A token is 3 \(int\) instead of a string")
    refused([["a", None]], r"A token is None \(NoneType\) instead of a string")
    refused([["a", ["b"]]], r"A token is \['b'\] \(list\) instead of a string")
    refused([["a", "b c"]], r"The token 'b c' contains a blank\. Tokens are separated by blanks")
    refused([["a", "b\n"]], r"contains a blank")
    refused([["a", ""]], r"A token is empty\.")


def test_texts_that_are_not_masked_are_refused():
    refused(Corpus((Text("t", "A text."),)), r"The text t is not masked\. Mask")


def test_texts_masked_in_two_ways_are_refused():
    with pytest.raises(ProblemError, match=r"masked in different ways: t1 by m, t2 by n\..*mask all texts alike"):
        Index(Corpus((masked("t1", "ann", "a"), masked("t2", "bob", "b", masking="n"))))


def test_parts_that_are_not_there_are_refused():
    index = toy_index()
    with pytest.raises(InputError, match=r"no text with the id nobody\. The index has 8 texts"):
        index.text("nobody")
    with pytest.raises(InputError, match=r"There is no sentence 9999: the index has .* numbered from 0"):
        index.take([0, 9999])
    with pytest.raises(InputError, match=r"There is no sentence -1"):
        index.take([-1])
    with pytest.raises(InputError, match=r"whole numbers, and float64 of shape \(1,\) came"):
        index.take([0.5])
    with pytest.raises(InputError, match=r"whole numbers"):
        index.take(np.zeros((2, 2), int))


def test_more_types_than_an_index_holds_are_refused(monkeypatch):
    assert MAX_TYPES == 2**24 - 1
    monkeypatch.setattr("idiograph.grammar.index.MAX_TYPES", 2)
    refused([["a", "b", "c"]], r"3 different tokens, and an index holds 2\. Mask the texts")


def test_more_tokens_than_an_index_holds_are_refused(monkeypatch):
    monkeypatch.setattr("idiograph.grammar.index.MAX_WORDS", 40)
    refused([["a", "b", "c"]], r"3 tokens, and an index of order 10 holds about 4\. Index its parts one by one")


def test_a_part_keeps_its_sentences_when_the_callers_array_changes():
    numbers = np.array([1, 2])
    part = toy_index().take(numbers)
    numbers[0] = 7
    assert part.sentence_numbers.tolist() == [1, 2]


def test_order_of_an_index_is_checked():
    with pytest.raises(InputError, match=r"order must be a whole number from 1 to 30, not 31"):
        Index([["a"]], order=31)
