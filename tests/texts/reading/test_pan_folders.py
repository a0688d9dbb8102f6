"""Problem sets of 2013 to 2015: one folder per problem."""

from pathlib import Path

import pytest

from idiograph import InputError, read
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
    said = no_problems(pan)
    assert "EN003 has 1 known and 0 unknown texts." in said
    assert "EN004 has 0 known and 1 unknown texts." in said
    assert "EN005 has 1 known and 2 unknown texts." in said
    assert "EN006 cannot be used: known01.txt is empty: it has no bytes." in said
    assert "EN007 has known texts by several authors: a, b." in said
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
    ("truth", "said"),
    [
        ("EN001 perhaps\n", "truth.txt line 1: 'EN001 perhaps' is not a problem's name followed by Y or N."),
        ("EN001 Y\nEN001 N\n", "truth.txt line 2: EN001 is answered twice."),
        ("Y\n", "truth.txt line 1: 'Y' is not a problem's name"),
    ],
)
def test_faulty_answers(pan: Path, truth: str, said: str) -> None:
    (pan / "truth.txt").write_text(truth)
    assert no_problems(pan).startswith(said)


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
