"""Problems in JSON Lines: pairs and their truth, and rows with known, unknown and label."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from idiograph import read
from read_files import no_problems

PAIRS = [
    {"id": "a1", "fandoms": ["X", "Y"], "pair": ["One.", "Two."]},
    {"id": "a2", "fandoms": ["X", "Z"], "pair": ["Three.", "Four."]},
]


TRUTH = [{"id": "a2", "same": True, "authors": ["7", "7"]}, {"id": "a1", "same": False, "authors": ["7", "8"]}]


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("pairs", "truth"), [("pairs.jsonl", "truth.jsonl"), ("pan20-small.jsonl", "pan20-small-truth.jsonl")]
)
def test_pairs_of_2020_and_later(tmp_path: Path, pairs: str, truth: str) -> None:
    (tmp_path / pairs).write_text(lines(*PAIRS))
    (tmp_path / truth).write_text(lines(*TRUTH))
    for path in (tmp_path, tmp_path / pairs):
        first, second = read(path, kind="problems").problems
        assert (first.id, first.same_author, second.same_author) == ("a1", False, True)
        assert [text.content for text in (*first.k, first.q)] == ["One.", "Two."]
        assert (first.k[0].author, first.q.author) == ("7", "8")
        assert (first.k[0].metadata["topic"], first.q.metadata["topic"]) == ("X", "Y")
        assert (first.k[0].id, first.q.id) == ("a1/known1", "a1/unknown")


def test_discourse_types_are_registers_and_pairs_may_lack_answers(tmp_path: Path) -> None:
    row = {"id": "a1", "discourse_types": ["essay", "email"], "pair": ["One.", "Two."]}
    (tmp_path / "pairs.jsonl").write_text(lines(row))
    [problem] = read(tmp_path, kind="problems").problems
    assert (problem.k[0].metadata["register"], problem.q.metadata["register"]) == ("essay", "email")
    assert problem.same_author is None


def test_rows_with_known_unknown_and_label(tmp_path: Path) -> None:
    rows = [
        {"id": "train/EN1", "set": "train", "label": "Y", "known": ["One.", "Two."], "unknown": "Q."},
        {"id": "EN2", "label": False, "known": ["Three."], "unknown": "R."},
        {"id": "EN3", "known": ["Four."], "unknown": "S."},
    ]
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines(*rows).encode()))
    first, second, third = read(tmp_path / "a.jsonl.gz", kind="problems").problems
    assert [text.id for text in first.k] == ["train/EN1/known1", "train/EN1/known2"]
    assert (first.same_author, second.same_author, third.same_author) == (True, False, None)
    assert first.q.metadata["set"] == "train"
    assert first.q.metadata["reading"]["place"] == "line 1, unknown"


def test_answers_that_do_not_match_pairs(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(lines(*PAIRS))
    (tmp_path / "truth.jsonl").write_text(lines(TRUTH[0], {"id": "b", "same": True}))
    assert [note.what for note in read(tmp_path, kind="problems").report.notes] == [
        "truth.jsonl has no answer for a1.",
        "answers for b, which was not found.",
        "2 of 4 texts have no author: a1/known1, a1/unknown.",
    ]
    (tmp_path / "truth.jsonl").write_text(lines({"id": "a1", "same": "maybe"}))
    assert "truth.jsonl line 1 does not give an id and whether the two are the same" in no_problems(tmp_path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": 1, "pair": ["One."]}, "a.jsonl line 1 has a pair that is not a list of two texts."),
        ({"id": 1, "text": "One."}, "a.jsonl line 1 has neither a pair nor a list of known texts"),
        ({"id": 1, "known": [], "unknown": "Q."}, "a.jsonl line 1 has neither a pair nor a list of known texts"),
        ({"id": 1, "known": ["One."], "unknown": " "}, "a.jsonl line 1 cannot be used: unknown is empty"),
        ({"id": 1, "known": ["One.", 2], "unknown": "Q."}, "a.jsonl line 1 has 2 where the text known2 should be."),
        ({"id": 1, "known": ["One."], "unknown": "Q.", "label": "?"}, "a.jsonl line 1 has the label '?', which is"),
    ],
)
def test_faulty_rows(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(row))
    assert no_problems(tmp_path).startswith(said)


def test_two_files_that_could_hold_the_pairs(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(lines(*PAIRS))
    assert (
        "has 2 JSON Lines files that could hold the problems (a.jsonl, b.jsonl). Name the file itself."
        in no_problems(tmp_path)
    )


def test_one_problem_twice(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(PAIRS[0], PAIRS[0]))
    assert "has the id a1/known1, which a.jsonl line 1, known1 has too." in no_problems(tmp_path)


@pytest.mark.shared
def test_the_published_problems(shared: Path) -> None:
    for name, n_problems in (("pan14_essays_train", 200), ("pan15_drama_crosstopic_train", 100)):
        path = shared / "corpora" / f"{name}.jsonl.gz"
        rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]
        problems = read(path, kind="problems", unwrap="never")
        assert len(problems) == n_problems
        assert [(problem.id, problem.same_author) for problem in problems.problems] == [
            (row["id"], row["label"] == "Y") for row in rows
        ]
        assert [[text.content for text in problem.k] for problem in problems.problems] == [
            [known.replace("\r\n", "\n") for known in row["known"]] for row in rows
        ]
