"""The heat map and its tables: every character where it was, every part of λG in the sum."""

import csv
import io
import math
from dataclasses import replace

import pytest

from idiograph.casework.sentences import signed
from idiograph.output import heatmap
from idiograph.output.document import HeatMap
from made_up_case import PROSE, comparison, explanation


def words(drawn: HeatMap) -> list[str]:
    return ["".join(piece.text for piece in line) for line in drawn.lines]


def test_steps_are_the_same_in_both_directions() -> None:
    for value, step in ((0.0, 0), (0.17, 0), (0.18, 1), (0.47, 1), (0.48, 2), (0.99, 2), (1.0, 3), (40.0, 3)):
        assert heatmap.level(value) == step
        assert heatmap.level(-value) == -step


def test_the_original_is_shown_character_by_character() -> None:
    drawn = heatmap.on_original(explanation())
    assert drawn is not None
    assert [line.replace("¶", "") for line in words(drawn)] == [line for line in PROSE.split("\n") if line]


def test_lines_end_where_any_system_ends_them() -> None:
    drawn = heatmap.on_original(explanation("One here.\r\nTwo there.\rThree.\u2028Four."))
    assert drawn is not None
    assert [line.replace("¶", "") for line in words(drawn)] == ["One here.", "Two there.", "Three.", "Four."]


def test_every_token_and_sentence_end_is_coloured_by_its_own_number() -> None:
    told = explanation()
    for drawn in (heatmap.on_original(told), heatmap.on_masked(told)):
        assert drawn is not None
        scored = [piece for line in drawn.lines for piece in line if piece.level is not None]
        assert [piece.level for piece in scored] == [heatmap.level(row.lambda_g) for row in told.tokens]
        assert all(
            piece.title.startswith(signed(row.lambda_g, digits=3))
            for piece, row in zip(scored, told.tokens, strict=True)
        )


def test_the_masked_map_has_a_line_a_sentence() -> None:
    told = explanation()
    assert words(heatmap.on_masked(told)) == [f"{row.masked} ¶" for row in told.sentences]


def test_a_text_that_came_masked_has_no_original_map() -> None:
    assert heatmap.on_original(replace(explanation(), originals={})) is None


def test_q_of_two_texts_shows_both() -> None:
    first, second = explanation("One text. It ends."), explanation("Another one.", text_id="q2.txt")
    moved = tuple(replace(row, sentence=row.sentence + 2) for row in second.tokens)
    told = replace(
        first,
        tokens=first.tokens + moved,
        sentences=first.sentences + tuple(replace(row, sentence=row.sentence + 2) for row in second.sentences),
        originals=dict(first.originals) | dict(second.originals),
    )
    drawn = heatmap.on_original(told)
    assert drawn is not None
    assert [line.replace("¶", "") for line in words(drawn)] == ["One text. It ends.", "Another one."]


def test_a_long_text_shows_its_strongest_sentences_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heatmap, "PRINT", 30)
    told = explanation()
    drawn = heatmap.on_masked(told)
    assert drawn.printed is not None
    strongest = sorted(told.sentences, key=lambda row: -abs(row.lambda_g))[: len(drawn.printed.lines)]
    assert words(drawn.printed) == [f"{row.masked} ¶" for row in sorted(strongest, key=lambda row: row.sentence)]
    assert sum(row.n_tokens for row in strongest) <= 30
    assert f"(of its {len(told.sentences)} sentences the {len(strongest)} with the" in drawn.printed.caption
    assert "sentences the one with the strongest evidence" in heatmap.extract(told, 1).caption
    assert len(drawn.lines) == len(told.sentences)
    original = heatmap.on_original(told)
    assert original is not None
    assert original.printed is not None
    assert "[…]" in "".join(words(original.printed))


def test_tables_add_up_to_lambda_g() -> None:
    told = explanation(PROSE * 4)
    lambda_g = math.fsum(row.lambda_g for row in told.tokens)
    for table in (heatmap.token_table(told, most=5), heatmap.sentence_table(told, most=3)):
        parts = [float(row[-1].replace("−", "-").replace(",", "")) for row in table.rows]
        assert table.rows[-1][-1] == signed(lambda_g)
        assert sum(parts[:-1]) == pytest.approx(lambda_g, abs=0.005 * len(parts))
        strongest = parts[:-2]
        assert strongest == sorted(strongest, reverse=True)


def test_the_csv_adds_up_to_lambda_g_and_is_sorted() -> None:
    changed = comparison()
    rows = list(csv.DictReader(io.StringIO(heatmap.tokens_csv([changed]))))
    values = [float(row["lambda_g"]) for row in rows]
    assert math.fsum(values) == pytest.approx(changed.lambda_g, abs=1e-9)
    assert values == sorted(values, reverse=True)
    assert sum(row["is_end"] == "1" for row in rows) == len(changed.explanation.sentences)
    sentences = list(csv.DictReader(io.StringIO(heatmap.sentences_csv([changed]))))
    assert math.fsum(float(row["lambda_g"]) for row in sentences) == pytest.approx(changed.lambda_g, abs=1e-9)
    for row in rows:
        if row["start"]:
            assert PROSE[int(row["start"]) : int(row["end"])] == row["original"]
