"""idiograph prepare: from files to a folder and back to the files' own bytes, as the user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import idiograph
from idiograph.cli import main
from idiograph.texts.preparing import record as folder
from idiograph.texts.preparing.recipes import Recipe
from idiograph.texts.reading.report import raw_content
from made_texts import in_full

FILES = {
    "ann/1.txt": b"Dear Bob,\r\n\r\nSee http://a.org/x now, it is soooo good!!!!!\r\n\r\nBest,\r\nAnn\r\n",
    "ann/2.txt": "Dear Bob,\n\nI don’t think that this is caf\u00e9 talk \u200b.\n".encode(),
    "bob/1.txt": b"rt : no one says so",
    "bob/2.txt": b"ok then",
    "bob/3.txt": b"Write to me at bob@example.com, @ann said so.",
}


def run(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = in_full("prepare", *arguments)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("in") / "mails"
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@pytest.fixture(scope="module")
def out(texts: Path) -> Path:
    path = texts.parent / "prepared"
    done = run(texts, "--recipe", "tweet", "--out", path)
    assert f"Written to {path}" in done.stdout
    assert "Recipe tweet, 12 steps" in done.stdout
    return path


def test_files_become_a_prepared_corpus(out: Path) -> None:
    assert sorted(path.name for path in out.iterdir()) == [
        "corpus.jsonl",
        "recipe.toml",
        "record.jsonl",
        "summary.json",
    ]
    corpus = idiograph.read(out / "corpus.jsonl")
    assert sorted(corpus.authors) == ["ann", "bob"]
    contents = {text.content for text in corpus}
    assert "Write to me at <email>, userid said so." in contents
    assert "Dear Bob,\n\nSee <url> now, it is soo good!!!\n\nBest,\nAnn" in contents
    assert len(contents) == 3
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert (summary["before"]["texts"], summary["after"]["texts"]) == (5, 3)


def test_the_files_own_bytes_come_back(out: Path, texts: Path) -> None:
    originals = texts.parent / "originals"
    done = run("--restore", out, "--out", originals)
    assert "5 texts as they were read written to" in done.stdout
    written = [json.loads(line) for line in (originals / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    restored = folder.load(out).restored()
    assert [entry["text"] for entry in written] == [text.content for text in restored]
    contents = {}
    for text in restored:
        record = text.metadata["reading"]
        contents[record["file"]] = raw_content(text).encode(record["encoding"])
    assert {name: contents[name] for name in FILES} == FILES


def test_one_texts_changes_are_shown(out: Path) -> None:
    ids = [text.id for text in folder.load(out).record.texts]
    first = next(id_ for id_ in ids if "ann" in id_ and "1" in id_)
    shown = run(out, "--diff", first).stdout
    assert "2 urls, at 15: 'http://a.org/x' -> '<url>'\n" in shown


def test_a_shown_recipe_can_be_used(texts: Path, tmp_path: Path) -> None:
    shown = run("--show-recipe", "message").stdout
    recipe_file = tmp_path / "own.toml"
    recipe_file.write_text(shown.replace('replace_with = "<url>"', 'replace_with = ""'), encoding="utf-8")
    done = run(texts, "--recipe", recipe_file, "--out", tmp_path / "out", "--json")
    summary = json.loads(done.stdout)
    assert summary["steps"][0]["settings"]["replace_with"] == ""
    assert "<url>" not in (tmp_path / "out" / "corpus.jsonl").read_text(encoding="utf-8")


def test_a_mistake_ends_with_code_2_and_no_traceback() -> None:
    assert run(code=2).stderr.startswith("idiograph: IN is missing. Use: idiograph prepare IN")


def test_mistakes_are_one_message(
    texts: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, message in [
        ((texts,), "--recipe is missing"),
        ((texts, "--recipe", "email"), "--out is missing"),
        ((texts, "--recipe", "emial", "--out", tmp_path / "x"), "There is no recipe emial (did you mean email?)"),
        ((texts, "--recipe", "email", "--out", out), "already exists and is not overwritten"),
        (("--restore", out, "--out", out), "already exists"),
        (("--restore", texts, "--out", tmp_path / "x"), "record.jsonl could not be read"),
        ((out, "--diff", "nobody"), "no text with the id nobody"),
        (("--diff", "1"), "IN, the prepared folder, is missing"),
    ]:
        monkeypatch.setattr(sys, "argv", ["idiograph", "prepare", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_force_replaces_the_folder(texts: Path, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.mkdir()
    (path / "old").touch()
    run(texts, "--recipe", "plain", "--out", path, "--force")
    assert not (path / "old").exists()
    assert (path / "corpus.jsonl").exists()


@pytest.mark.tagger
def test_placeholders_stay_one_token_through_masking() -> None:
    content = "see:http://a.org, (www.b.com) or mail a@b.com's owner; @bob's and @ann! thanks😂 <http://c.org>/x"
    names = ("urls", "email_addresses", "user_tags")
    steps = [*({"step": name} for name in names), {"step": "emojis", "replace_with": "<emoji>"}]
    recipe = Recipe.from_json({"schema": 1, "steps": steps}, where="here")
    prepared = idiograph.prepare(idiograph.Corpus((idiograph.Text("t", content, "a"),)), recipe)
    for method in ("posnoise", "frames", "textdistortion", "none"):
        masked = idiograph.mask(prepared.corpus, method=method).texts[0]
        tokens = [token for sentence in masked.sentences for token in sentence]
        kept = [token for token in tokens if token in ("<url>", "<email>", "<emoji>", "userid")]
        assert kept == ["<url>", "<url>", "<email>", "userid", "userid", "<emoji>", "<url>"], method
        # A heat map can show what a placeholder stands for.
        spans = prepared.record.original_spans("t", masked.spans.astype("int64"))
        originals = [
            content[start:end].strip() for (start, end), token in zip(spans, tokens, strict=True) if token in kept
        ]
        assert originals == ["http://a.org", "www.b.com", "a@b.com", "@bob", "@ann", "😂", "<http://c.org>"]
