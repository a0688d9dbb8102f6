"""Sets of problems: PAN's of 2013 to 2015, one folder per problem; pairs and their truth, and rows, in JSON Lines."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from idiograph import InputError, ProblemSet, Text, read
from read_files import no_problems


def write(folder: Path, **files: str) -> None:
    """Files of a problem by name, without their ending."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.txt").write_text(content, encoding="utf-8")


@pytest.fixture
def pan(tmp_path: Path) -> Path:
    """A set in the format of 2014 and 2015."""
    tmp_path = tmp_path / "sets" / "train"
    write(tmp_path / "EN002", known02="Two.", known01="One.", unknown="Q two.")
    write(tmp_path / "EN001", known01="Three.", unknown="Q one.")
    (tmp_path / "truth.txt").write_text("\ufeffEN001 N\r\nEN002 Y\r\n", encoding="utf-8")
    (tmp_path / "contents.json").write_text('{"language": "English", "problems": ["EN001", "EN002"]}')
    return tmp_path


def test_the_folder_format(pan: Path) -> None:
    problems = read(pan, kind="problems")
    assert [(problem.id, problem.same_author) for problem in problems.problems] == [("EN001", False), ("EN002", True)]
    second = problems.problems[1]
    assert [(text.id, text.content) for text in second.k] == [
        ("EN002/known01.txt", "One."),
        ("EN002/known02.txt", "Two."),
    ]
    assert (second.q.id, second.q.content, second.q.author) == ("EN002/unknown.txt", "Q two.", None)
    assert (second.q.metadata["role"], second.q.metadata["problem"]) == ("unknown", "EN002")
    assert (len(problems), len(problems.texts), problems.report.n_texts) == (2, 5, 5)
    assert problems.report.notes == ()


def test_a_single_problem_and_a_set_within_folders(pan: Path) -> None:
    [problem] = read(pan / "EN001", kind="problems").problems
    assert (problem.id, problem.same_author) == ("EN001", None)
    assert [problem.id for problem in read(pan.parent, kind="problems").problems] == ["train/EN001", "train/EN002"]
    assert [problem.same_author for problem in read(pan.parent, kind="problems").problems] == [False, True]


def test_a_set_read_as_texts_is_refused(pan: Path) -> None:
    with pytest.raises(InputError, match="is a set of verification problems: EN001 has known and unknown texts"):
        read(pan)


def test_authors_in_brackets(tmp_path: Path) -> None:
    write(
        tmp_path / "7",
        **{
            "known [Kevin.hyatt - Mail_1]": "One.",
            "known [Kevin.hyatt - Mail_3]": "Two.",
            "unknown [Kim.lee - Mail_2]": "Q.",
        },
    )
    [problem] = read(tmp_path, kind="problems").problems
    assert ({text.author for text in problem.k}, problem.q.author) == ({"Kevin.hyatt"}, "Kim.lee")
    assert problem.same_author is False
    assert [text.metadata["title"] for text in problem.k] == ["Mail_1", "Mail_3"]


@pytest.mark.parametrize(
    ("folder", "authors", "same"),
    [
        ("Ann vs Bo", ("Ann", "Bo"), False),
        ("Ann vs Ann", ("Ann", "Ann"), True),
        ("N01 [Ann Lee vs. Bo]", ("Ann Lee", "Bo"), False),
    ],
)
def test_authors_in_the_name_of_the_problem(tmp_path: Path, folder: str, authors: tuple[str, str], same: bool) -> None:
    write(tmp_path / folder, known01="One.", unknown="Q.")
    (tmp_path / "truth.txt").write_text(f"{folder} {'Y' if same else 'N'}\n")
    [problem] = read(tmp_path, kind="problems").problems
    assert (problem.k[0].author, problem.q.author, problem.same_author) == (*authors, same)
    (tmp_path / "truth.txt").unlink()
    assert read(tmp_path, kind="problems").problems[0].same_author is same


def test_the_author_of_q_follows_from_the_answer(tmp_path: Path) -> None:
    write(tmp_path / "1", **{"known [Ann]": "One.", "unknown": "Q."})
    (tmp_path / "truth.txt").write_text("1 Y\n")
    [problem] = read(tmp_path, kind="problems").problems
    assert problem.q.author == "Ann"


def test_faults_of_folders(pan: Path) -> None:
    write(pan / "EN003", known01="One.")
    write(pan / "EN004", unknown="One.")
    write(pan / "EN005", known01="One.", unknown="Q.", unknown2="Q.")
    write(pan / "EN006", known01="", unknown="Q.")
    write(pan / "EN007", **{"known [a]": "One.", "known [b]": "Two.", "unknown": "Q."})
    sentences = no_problems(pan)
    assert "EN003 has 1 known and 0 unknown texts." in sentences
    assert "EN004 has 0 known and 1 unknown texts." in sentences
    assert "EN005 has 1 known and 2 unknown texts." in sentences
    assert "EN006 cannot be used: known01.txt is empty: it has no bytes." in sentences
    assert "EN007 has known texts by several authors: a, b." in sentences
    problems = read(pan, kind="problems", skip_bad=True)
    assert [problem.id for problem in problems.problems] == ["EN001", "EN002"]
    assert len(problems.report.skipped) == 5


def test_answers_and_problems_must_answer_to_each_other(pan: Path) -> None:
    (pan / "truth.txt").write_text("EN001 N\nEN009 Y\n")
    report = read(pan, kind="problems").report
    assert sorted(note.what for note in report.notes) == [
        "answers for EN009, which was not found.",
        "truth.txt has no answer for EN002.",
    ]
    (pan / "contents.json").write_text('{"problems": ["EN001", "EN002", "EN010"]}')
    assert "contents.json lists the problem EN010, which has no folder." in no_problems(pan)
    (pan / "contents.json").write_text("broken")
    assert "could not be used" in read(pan, kind="problems").report.notes[0].what


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ("EN001 perhaps\n", "truth.txt line 1: 'EN001 perhaps' is not a problem's name followed by Y or N."),
        ("EN001 Y\nEN001 N\n", "truth.txt line 2: EN001 is answered twice."),
        ("Y\n", "truth.txt line 1: 'Y' is not a problem's name"),
    ],
)
def test_faulty_answers(pan: Path, truth: str, message: str) -> None:
    (pan / "truth.txt").write_text(truth)
    assert no_problems(pan).startswith(message)


def test_names_that_contradict_the_answer(tmp_path: Path) -> None:
    write(tmp_path / "Ann vs Bo", known01="One.", unknown="Q.")
    (tmp_path / "truth.txt").write_text("Ann vs Bo Y\n")
    assert no_problems(tmp_path).startswith("Ann vs Bo is answered Y in truth.txt, but its names say Ann and Bo.")


def test_other_files_are_listed(pan: Path) -> None:
    (pan / "readme.md").write_text("x")
    (pan / "EN001" / "notes.txt").write_text("x")
    assert [note.where for note in read(pan, kind="problems").report.not_read] == ["EN001/notes.txt", "readme.md"]


@pytest.mark.parametrize(
    "options", [{"author": "a"}, {"author_from": "folder"}, {"pattern": "author_text.txt"}, {"metadata": "m.csv"}]
)
def test_problems_name_their_authors_themselves(pan: Path, options: dict[str, str]) -> None:
    assert no_problems(pan, **options).startswith("Problems name their authors themselves.")


def test_no_problems_there(tmp_path: Path) -> None:
    write(tmp_path / "lee", a="One.")
    assert "it is not a problem set in PAN's folder format" in no_problems(tmp_path)
    assert "does not exist" in no_problems(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": 1}, "The id of a problem must be a string, not 1."),
        ({"k": {"k"}}, "The known texts of a problem must be texts in a list, not a set"),
        ({"k": ("Known.",)}, "The known texts of a problem must be texts in a list: item 1 must be one of them"),
        ({"q": "Questioned."}, "The questioned text of a problem must be a Text, not 'Questioned.'."),
        ({"same_author": 1}, "same_author must be True or False or None, not 1."),
    ],
)
def test_anything_else_is_not_a_problem(pan: Path, changed: dict[str, Any], message: str) -> None:
    [problem] = read(pan / "EN001", kind="problems").problems
    assert replace(problem, k=[*problem.k, Text("a", "b")]).k == (*problem.k, Text("a", "b"))  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        replace(problem, **changed)
    assert str(caught.value).startswith(message)


def test_a_set_holds_problems_and_a_report_alone(pan: Path) -> None:
    problems = read(pan, kind="problems")
    assert problems.texts.text_ids[:3] == ("EN001/known01.txt", "EN001/unknown.txt", "EN002/known01.txt")
    with pytest.raises(InputError, match="The report of a problem set must be a ReadingReport, not None"):
        ProblemSet((), None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="The problems must be problems in a list: item 1"):
        ProblemSet((Text("a", "b"),), problems.report)  # type: ignore[arg-type]


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
    ("row", "message"),
    [
        ({"id": 1, "pair": ["One."]}, "a.jsonl line 1 has a pair that is not a list of two texts."),
        ({"id": 1, "text": "One."}, "a.jsonl line 1 has neither a pair nor a list of known texts"),
        ({"id": 1, "known": [], "unknown": "Q."}, "a.jsonl line 1 has neither a pair nor a list of known texts"),
        ({"id": 1, "known": ["One."], "unknown": " "}, "a.jsonl line 1 cannot be used: unknown is empty"),
        ({"id": 1, "known": ["One.", 2], "unknown": "Q."}, "a.jsonl line 1 has 2 where the text known2 should be."),
        ({"id": 1, "known": ["One."], "unknown": "Q.", "label": "?"}, "a.jsonl line 1 has the label '?', which is"),
    ],
)
def test_faulty_rows(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(row))
    assert no_problems(tmp_path).startswith(message)


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
