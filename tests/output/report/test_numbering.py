"""Numbers of parts, tables and figures, in a report and in annexes."""

from idiograph.output.document import Block, Heading, HeatMap, Piece, Table, numbered

TABLE = Table("a table", ("a",), ())
MAP = HeatMap("a map", ((Piece("x"),),), printed=HeatMap("an extract", ((Piece("x"),),)))
LEGEND = HeatMap("", ((Piece("x"),),))
BLOCKS = (
    TABLE, Heading(1, "one"), Heading(2, "first"), TABLE, MAP, LEGEND, Heading(1, "two"), Heading(2, "second"), TABLE,
)  # fmt: skip


def names(blocks: tuple[Block, ...]) -> list[str]:
    return [block.text if isinstance(block, Heading) else block.caption for block in blocks]  # type: ignore[union-attr]


def test_a_report_counts_through() -> None:
    assert names(numbered(BLOCKS)) == [
        "Table 1. a table", "1. one", "1.1 first", "Table 2. a table", "Figure 1. a map.", "", "2. two", "2.1 second",
        "Table 3. a table",
    ]  # fmt: skip
    drawn = numbered(BLOCKS)[4]
    assert isinstance(drawn, HeatMap)
    assert drawn.printed is not None
    assert drawn.printed.caption == "Figure 1. an extract."


def test_annexes_count_within_each() -> None:
    assert names(numbered(BLOCKS[1:], annexes=True)) == [
        "Annex A. one", "A.1 first", "Table A1. a table", "Figure A1. a map.", "", "Annex B. two", "B.1 second",
        "Table B1. a table",
    ]  # fmt: skip
