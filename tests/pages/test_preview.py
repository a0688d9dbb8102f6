import asyncio
from pathlib import Path
from typing import Any

from idiograph.pages.drafts import Draft, add_files, change, new_draft, read_draft
from idiograph.pages.jobs import Jobs
from idiograph.pages.previews import Previews, doubts, missing, preview, roles_of
from idiograph.pages.uploads import Arrived


def draft_of(tmp_path: Path) -> Draft:
    folder = new_draft(tmp_path / "cases", "C")
    source = tmp_path / "0"
    source.write_text("some words .\n")
    add_files(folder, ("questioned", "Q1"), [Arrived(("q.txt",), source)])
    add_files(folder, ("known", "Lee"), [Arrived(("1.txt",), source)])
    add_files(folder, ("inputs", "reference"), [Arrived(("Kim", "1.txt"), source)])
    return read_draft(folder)


def read(*texts: tuple[str, str | None, int, str]) -> dict[str, Any]:
    return {"texts": [dict(zip(("id", "author", "words", "same"), text, strict=True)) for text in texts], "error": ""}


def test_parts_come_in_order_with_how_their_author_is_known(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)
    assert [(role.name, role.named, role.held) for role in roles_of(draft)] == [
        ("questioned/Q1", {"author_from": "none"}, True),
        ("known/Lee", {"author": "Lee"}, True),
        ("inputs/reference", {}, True),
    ]
    assert missing(draft) == []
    assert len(missing(read_draft(new_draft(tmp_path / "cases", "Empty")))) == 3


def test_copies_short_texts_and_doubtful_authors_are_told(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)
    previews = {
        "questioned/Q1": read(("q.txt", None, 99, "a")),
        "known/Lee": read(("1.txt", "Lee", 300, "a"), ("2.txt", "Lee", 300, "b")),
        "inputs/reference": read(
            ("Kim/1.txt", "Kim", 300, "c"), ("x.txt", None, 300, "d"), ("Lee/1.txt", "Lee", 5, "e")
        ),
    }
    sentences = doubts(draft, previews)
    assert "Q1/q.txt and Lee/1.txt are the same text." in sentences
    assert any(sentence.startswith("Q1 has 99 words.") for sentence in sentences)
    assert any(sentence.startswith("x.txt of the reference have no known author") for sentence in sentences)
    assert any(sentence.startswith("Lee is a candidate and also an author of the reference") for sentence in sentences)
    assert len(sentences) == 4
    fine = {**previews, "questioned/Q1": read(("q.txt", None, 100, "z"))}
    fine["inputs/reference"] = read(("Kim/1.txt", "Kim", 300, "c"))
    assert doubts(draft, fine) == [
        "The reference has texts by one author only. It stands for a population: add other authors."
    ]
    left_out = change(draft.folder, {("texts", "exclude_authors"): ["Lee"]})
    assert not any("Lee is a candidate" in doubt for doubt in doubts(left_out, previews))


def test_only_what_has_changed_is_read_again(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)

    async def looked() -> None:
        jobs, previews = Jobs(), Previews()
        first = previews.look(jobs, previews.survey(draft))
        assert first is not None
        assert len(first.options["roles"]) == 3
        assert previews.look(jobs, previews.survey(draft)) is first  # while it is under way
        await first.over.wait()
        assert previews.look(jobs, previews.survey(draft)) is None
        assert set(previews.of(previews.survey(draft))) == {"questioned/Q1", "known/Lee", "inputs/reference"}
        source, before = tmp_path / "1", previews.survey(draft).mark
        source.write_text("more words .\n")
        after = add_files(draft.folder, ("known", "Lee"), [Arrived(("2.txt",), source)])
        assert before != previews.survey(after).mark == previews.survey(after).mark
        second = previews.look(jobs, previews.survey(after))
        assert second is not None
        assert [role["named"] for role in second.options["roles"]] == [{"author": "Lee"}]
        await second.over.wait()
        previews.look(jobs, previews.survey(after))
        assert len(previews.of(previews.survey(after))["known/Lee"]["texts"]) == 2
        other_way = change(draft.folder, {("reading", "encoding"): "cp1252"})
        third = previews.look(jobs, previews.survey(other_way))
        assert third is not None
        assert len(third.options["roles"]) == 3
        await jobs.close()

    asyncio.run(looked())


def test_a_look_tells_author_encoding_words_and_first_lines(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_bytes("Café au lait, s’il vous plaît.\n".encode("cp1252"))
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / "1.txt").write_text("Two words.\n" * 100)
    (tmp_path / "empty").mkdir()
    roles = [
        {"path": str(tmp_path / "q.txt"), "named": {"author_from": "none"}},
        {"path": str(tmp_path / "k"), "named": {"author": "Lee"}},
        {"path": str(tmp_path / "empty"), "named": {}},
    ]
    bad, known, empty = preview(roles, {}, False, str(tmp_path))
    assert "q.txt is not UTF-8" in bad["error"]
    (text,) = known["texts"]
    assert (text["id"], text["author"], text["words"], text["encoding"]) == ("1.txt", "Lee", 200, "ascii")
    assert text["first"].startswith("Two words.\nTwo")
    assert len(text["first"]) == 240
    assert text["first"].endswith("…")
    assert "has no file that can be read" in empty["error"]
    (again, *_) = preview(roles, {"encoding": "cp1252"}, False, str(tmp_path))
    assert again["texts"][0]["first"].startswith("Café au lait")


def test_a_look_at_masked_texts_counts_tokens(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("the N V .\nshe V it\n")
    (entry,) = preview([{"path": str(tmp_path / "q.txt"), "named": {}}], {}, True, str(tmp_path))
    assert entry["texts"][0]["words"] == 7
