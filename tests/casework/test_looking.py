"""The concordance and the map of a case's texts, by the library, the command and an oracle of its own."""

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from idiograph import InputError, Text, read_case
from idiograph.casework.concordance import concordance
from idiograph.casework.inputs import read_inputs
from idiograph.casework.text_map import text_map
from made_texts import command, sentences, write_case, write_case_file, write_text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder_of_case = write_case(tmp_path_factory.mktemp("looking"), n_authors=4)
    for number in (3, 4):
        write_text(folder_of_case / "known" / f"{number}.txt", sentences("lee", tokens=300, seed=number))
    write_text(
        folder_of_case / "known" / "9.txt", sentences("somebody", tokens=300, seed=5)
    )  # an outsider among the known texts
    write_case_file(folder_of_case)
    return folder_of_case


def times_in(path: Path, *pattern: str) -> int:
    """By hand: how often a pattern stands in a file of masked sentences, * for any token."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return sum(
        all(wanted in ("*", token) for wanted, token in zip(pattern, line[first:], strict=False))
        for line in lines
        for first in range(len(line) - len(pattern) + 1)
    )


def test_a_pattern_is_counted_by_side_and_author_with_rates(folder: Path) -> None:
    answer = concordance(read_inputs(read_case(folder / "case.toml")), "and * the", masked=True, most=3)
    by_side = {use.side: use for use in answer.uses if use.author is None}
    known = sorted((folder / "known").glob("*.txt"))
    assert by_side["Q1"].n == times_in(folder / "q.txt", "and", "*", "the")
    assert by_side["lee"].n == sum(times_in(path, "and", "*", "the") for path in known)
    tokens = sum(len(path.read_text().split()) for path in known)
    assert by_side["lee"].rate == pytest.approx(1000 * by_side["lee"].n / tokens)
    assert by_side["lee"].of_texts == len(known)
    for use in answer.uses:
        if use.author is not None:
            paths = (folder / "reference" / use.author).glob("*.txt")
            assert use.n == sum(times_in(path, "and", "*", "the") for path in paths)
    assert by_side["reference"].n == sum(use.n for use in answer.uses if use.author is not None)
    assert answer.n == sum(use.n for use in by_side.values())
    rates = [use.rate for use in answer.uses if use.author is not None]
    assert rates == sorted(rates, reverse=True)
    for role in ("q", "k", "reference"):
        assert sum(line.role == role for line in answer.lines) <= 3
    assert all(line.match.split()[0] == "and" for line in answer.lines)


def test_capitals_tell_masked_tokens_apart_and_not_words(folder: Path) -> None:
    inputs = read_inputs(read_case(folder / "case.toml"))
    assert concordance(inputs, "THE", masked=True).n == 0
    assert concordance(inputs, "THE").n == concordance(inputs, "the", masked=True).n > 0


def test_words_are_found_as_written_across_line_ends_and_not_inside_others(folder: Path, tmp_path: Path) -> None:
    inputs = read_inputs(read_case(folder / "case.toml"))
    text = inputs.questioned["Q1"][0]
    sentence = "Then he\nwent on. Thence HE WENT. He wentworth."
    with_original = replace(inputs, originals={text.id: Text(text.id, sentence)})
    answer = concordance(with_original, "he went")
    assert next(use.n for use in answer.uses if use.side == "Q1") == 2
    assert [" ".join(line.match.split()) for line in answer.lines if line.role == "q"] == ["he went", "HE WENT"]
    assert answer.lines[0].after.startswith("on.")


@pytest.mark.parametrize("query", ["", "  ", "*"])
def test_nothing_is_not_looked_for(folder: Path, query: str) -> None:
    with pytest.raises(InputError, match="nothing to look for"):
        concordance(read_inputs(read_case(folder / "case.toml")), query, masked=True)
    with pytest.raises(InputError, match="longer than"):
        concordance(read_inputs(read_case(folder / "case.toml")), "a " * 13)


def test_the_command_prints_counts_rates_and_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("concordance", folder / "case.toml", "the", "--most", "2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("the: ")
    assert lines[0].endswith("as written")
    assert sum("[the]" in line for line in lines) == 6
    assert command("concordance", folder / "case.toml", "the *", "--masked", "--json") == 0
    output = json.loads(capsys.readouterr().out)
    assert output["masked"] is True
    assert len(output["rates"]) == len(output["uses"])
    assert command("concordance", folder / "case.toml", "*", "--masked") == 2


def cosine(text: list[list[str]], other: list[list[str]], cohort: list[list[list[str]]]) -> float:
    """By hand: n-grams of 1 to 3 tokens with sentence ends, weighted by how many of the cohort and `other` have it."""

    def counts(text: list[list[str]]) -> Counter[tuple[str, ...]]:
        edged = [["<s>", *line, "</s>"] for line in text]
        return Counter(tuple(line[i : i + n]) for line in edged for n in (1, 2, 3) for i in range(len(line) - n + 1))

    ks = [counts(text) for text in (other, *cohort)]
    df = Counter(gram for k in ks for gram in k)
    a, b = (
        {
            gram: (1 + math.log(n)) * (math.log((1 + len(ks)) / (1 + df[gram])) + 1)
            for gram, n in text.items()
            if df[gram]
        }
        for text in (counts(text), ks[0])
    )
    length = math.sqrt(math.fsum(x * x for x in a.values()) * math.fsum(x * x for x in b.values()))
    return math.fsum(x * b[gram] for gram, x in a.items() if gram in b) / length


def read(*paths: Path) -> list[list[str]]:
    return [line.split() for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_map_has_every_text_where_its_likeness_to_q_and_to_k_puts_it(folder: Path) -> None:
    drawn = text_map(read_inputs(read_case(folder / "case.toml")).texts("Q1", "lee"))
    known = sorted((folder / "known").glob("*.txt"))
    authors = sorted(path for path in (folder / "reference").iterdir())
    cohort = [read(*sorted(author.glob("*.txt"))) for author in authors[1:]]  # without one author, as all others are
    q = read(folder / "q.txt")
    rests = [read(*(other for other in known if other != path)) for path in known]
    to_k = [cosine(q, rest, cohort) for rest in rests]
    assert drawn.q_to_k == pytest.approx(sum(to_k) / len(to_k), abs=1e-12)
    points = {point.text: point for point in drawn.points}
    assert len(points) == len(known) + sum(len(list(author.iterdir())) for author in authors)
    for path, rest in zip(known, rests, strict=True):
        point = points[f"known/lee/{path.name}"]
        assert point.to_k == pytest.approx(cosine(read(path), rest, cohort), abs=1e-12)
        assert point.to_q == pytest.approx(cosine(read(path), q, cohort), abs=1e-12)
    assert [point.text for point in drawn.outlying] == ["known/lee/9.txt"]


def test_the_map_is_drawn_with_its_numbers(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "map.svg"
    assert command("map", folder / "case.toml", "--out", out) == 0
    assert "9.txt" in capsys.readouterr().out
    assert b"lying apart from the others" in out.read_bytes()  # a ring around 9.txt
    rows = out.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "side,author,text,like_q,like_k,tokens"
    assert command("map", folder / "case.toml", "--out", out) == 2  # not overwritten
    assert command("map", folder / "case.toml", "--out", out, "--force", "--candidate", "kim") == 2
    assert command("map", folder / "case.toml", "--out", tmp_path / "map.pdf") == 2
    assert "does not end in .svg or .png" in capsys.readouterr().err
