"""A study's table in each format: every digit for machines, escaped for readers."""

from pathlib import Path

from idiograph.output.study_tables import StudyTable, csv, latex, markdown, save_table


def test_tables_escape_what_their_formats_need() -> None:
    table = StudyTable("t", "50 % of λG", ("a|b", "x_y"), ("", ".2f"), (("p|q & r", 1 / 3), ("empty", None)))
    assert "| p\\|q & r | 0.33 |" in markdown(table)
    assert "| empty | – |" in markdown(table)
    tex = latex(table)
    assert r"p|q \& r & 0.33 \\" in tex
    assert r"a|b & x\_y \\" in tex
    assert r"\caption{50 \% of $\lambda$G}" in tex
    assert r"\begin{tabular}{lr}" in tex


def test_machines_get_every_digit_and_readers_a_few(tmp_path: Path) -> None:
    table = StudyTable("t", "Thirds.", ("name", "share"), ("", ".2f"), (("a", 1 / 3), ("b", None)))
    assert csv(table).splitlines() == ["name,share", "a,0.3333333333333333", "b,"]
    assert table.shown() == (("a", "0.33"), ("b", "–"))
    assert table.block().rows == table.shown()
    save_table(table, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "t.md", "t.tex"}
    save_table(table, tmp_path / "csv", endings=("csv",))
    assert [path.name for path in (tmp_path / "csv").iterdir()] == ["t.csv"]
