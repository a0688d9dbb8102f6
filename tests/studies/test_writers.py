"""Writers of ready-made problems: named, given in a file, or found through texts that occur again."""

from pathlib import Path

import pytest

from idiograph import StudyError, Text
from idiograph.studies.writers import find_writers, read_writers
from idiograph.texts.reading.problem_sets import TextProblem


def words(seed: int, n: int = 30) -> str:
    """A text of its own."""
    return " ".join(f"w{seed}x{number}" for number in range(n))


def problem(
    id_: str, known: list[str], unknown: str, *, same: bool, names: tuple[str | None, str | None] = (None, None)
) -> TextProblem:
    k = tuple(Text(f"{id_}/known{n}", content, author=names[0]) for n, content in enumerate(known, start=1))
    return TextProblem(id_, k, Text(f"{id_}/unknown", unknown, author=names[1]), same)


def test_without_repeats_each_problem_has_its_own_writers() -> None:
    writers = find_writers(
        [problem("p1", [words(1)], words(2), same=True), problem("p2", [words(3)], words(4), same=False)]
    )
    assert writers.of == {"p1": "p1", "p2": "p2", "p2 (another)": "p2 (another)"}
    assert (writers.n, writers.n_repeated) == (3, 0)
    assert writers.sentence == "3 writers (3 told apart by problems and answers)."


def test_identical_texts_are_one_writer_transitively() -> None:
    writers = find_writers(
        [
            problem("p1", [words(1)], words(2), same=True),
            problem("p2", [words(2)], words(3), same=False),  # p1's questioned text is known here
            problem("p3", [words(4)], words(3), same=True),
        ]
    )
    assert writers.of == {"p1": "p1", "p2": "p1", "p2 (another)": "p2 (another)", "p3": "p2 (another)"}
    assert writers.n == 2


SHORT = words(1, n=19)


@pytest.mark.parametrize(
    ("first", "second", "n_repeated"),
    [
        pytest.param(words(1), words(1).upper().replace(" ", ",\n"), 2, id="but for case, punctuation and lines"),
        pytest.param(f"{words(9)} {words(1)} {words(8)}", words(1), 1, id="within another"),
        pytest.param(SHORT, SHORT, 0, id="fewer than twenty words prove nothing"),
        pytest.param(f"{words(1)}th", words(1), 0, id="half a word is no part of a text"),
    ],
)
def test_texts_that_occur_again_whole_or_in_part_have_one_writer(first: str, second: str, n_repeated: int) -> None:
    writers = find_writers([problem("p1", [first], words(2), same=True), problem("p2", [second], words(3), same=False)])
    assert writers.of["p2"] == ("p1" if n_repeated else "p2")
    assert (writers.n, writers.n_repeated) == (2 if n_repeated else 3, n_repeated)
    told = f"several problems, whole or within another text, are taken as one writer's: {n_repeated}."
    assert writers.sentence.endswith(told) == bool(n_repeated)


def test_names_in_the_set_are_used() -> None:
    writers = find_writers(
        [
            problem("p1", [words(1)], words(2), same=True, names=("Ann", "Ann")),
            problem("p2", [words(3)], words(4), same=False, names=("Bo", "Ann")),
            problem("p3", [words(5)], words(6), same=False),
        ]
    )
    assert writers.of == {"p1": "Ann", "p2": "Bo", "p2 (another)": "Ann", "p3": "p3", "p3 (another)": "p3 (another)"}
    assert writers.sentence.startswith("4 writers (2 named in the set, 2 told apart")


def test_a_file_names_writers(tmp_path: Path) -> None:
    path = tmp_path / "writers.csv"
    path.write_text("problem,known,unknown\np1,Ann,\np2,Bo,Ann\n", encoding="utf-8")
    writers = find_writers(
        [problem("p1", [words(1)], words(2), same=True), problem("p2", [words(3)], words(4), same=False)],
        read_writers(path),
    )
    assert writers.of == {"p1": "Ann", "p2": "Bo", "p2 (another)": "Ann"}
    assert writers.sentence == "2 writers (2 named in the file of writers)."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("problem,writer\np1,Ann\n", "needs the columns problem, known, unknown.*Line 2 has problem, writer"),
        ("problem,known,unknown\n", "names no writer"),
        ("problem,known,unknown\np1,Ann,Ann\np1,Bo,Bo\n", "line 3: the problem p1 occurs twice"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "writers.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(StudyError, match=sentence):
        read_writers(path)


def test_a_missing_or_binary_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StudyError, match=r"binary\.csv is not a CSV file in UTF-8"):
        read_writers(tmp_path / "binary.csv")
    with pytest.raises(StudyError, match=r"writers\.csv could not be read"):
        read_writers(tmp_path / "writers.csv")


def test_an_unknown_problem_in_the_file_is_said() -> None:
    with pytest.raises(StudyError, match="names the problem p9, which the set does not have"):
        find_writers([problem("p1", [words(1)], words(2), same=True)], {"p9": ("Ann", None)})


def test_contradictions_are_refused_with_the_reason() -> None:
    with pytest.raises(
        StudyError, match=r"answer of p2 is that two people .* p2/unknown is the same text as p1/known1"
    ):
        find_writers(
            [
                problem("p1", [words(1)], words(2), same=True),
                problem("p2", [words(2)], words(1), same=False),
            ]
        )
    with pytest.raises(StudyError, match=r"Ann and Bo would be one writer: p\d/known1 is the same text as p\d/known1"):
        find_writers(
            [
                problem("p1", [words(1)], words(2), same=True, names=("Ann", "Ann")),
                problem("p2", [words(1)], words(3), same=True, names=("Bo", "Bo")),
            ]
        )
    with pytest.raises(StudyError, match="p1 is by Ann and by Bo, but one person wrote its texts"):
        find_writers([problem("p1", [words(1)], words(2), same=True, names=("Ann", "Bo"))])
