"""A figure, its data and its words: saved, the same bytes every time, without global state."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

from idiograph.output import figures
from idiograph.output.plot import Plot, label, save, undrawn
from made_plots import every_plot, rows_of
from made_up_case import HOSTILE

LN10 = np.log(10)


def test_a_figure_is_saved_as_svg_png_and_csv(plots: dict[str, Plot], tmp_path: Path) -> None:
    for name, plot in plots.items():
        svg, png, data = save(plot, tmp_path / "figures", name)
        assert (svg.name, png.name, data.name) == (f"{name}.svg", f"{name}.png", f"{name}.csv")
        assert png.read_bytes().startswith(b"\x89PNG")
        assert data.read_bytes() == plot.csv.encode()
        assert ElementTree.fromstring(svg.read_bytes()).tag.endswith("svg")


def test_drawn_again_the_bytes_are_the_same(plots: dict[str, Plot]) -> None:
    for name, again in every_plot().items():
        assert again.svg == plots[name].svg
        assert again.png == plots[name].png


def test_every_figure_has_words_for_those_who_cannot_see_it(plots: dict[str, Plot]) -> None:
    for plot in plots.values():
        assert len(plot.alt) > 40
        title = ElementTree.fromstring(plot.svg).find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert title.text == plot.alt


def test_names_with_formulas_markup_and_odd_characters_are_drawn_as_they_are() -> None:
    name = HOSTILE + " 漢字 $\\frac{$"
    plot = figures.dots(rows=[(name, [1.0]), ("x" * 100, [2.0])])
    assert plot.png.startswith(b"\x89PNG")  # a warning would be an error here
    assert ElementTree.fromstring(plot.svg) is not None
    assert len(label("x" * 100)) == 36
    assert label("a\nb\x07") == "a b\ufffd"
    assert rows_of(figures.dots(rows=[("=cmd()", [-1.0])]))[0] == {"label": "'=cmd()", "log10_lr": str(-1.0 / LN10)}


def test_figures_need_no_global_state_and_no_matplotlib_until_drawn() -> None:
    program = (
        "import sys; from idiograph.output.report import figures, report\n"
        "assert 'matplotlib' not in sys.modules and 'docx' not in sys.modules\n"
        "figures.tippett(same=[1.0], different=[-1.0]).svg\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_that_a_figure_cannot_draw_are_said_in_its_caption() -> None:
    assert undrawn(["Łukasz.txt", "Ελένη", "דוד", "محمد"]) == ""
    assert undrawn(["a.txt", "王.txt"]).endswith("are drawn as \ufffd; its CSV file has the names.")
    assert label("王.txt") == "\ufffd.txt"


def test_names_from_right_to_left_are_drawn_in_order_and_joined() -> None:
    def glyphs(name: str) -> list[str]:
        svg = figures.dots(rows=[(name, [1.0])]).svg.decode()
        drawn = re.findall(r'href="#(DejaVuSans-\d+)"', svg[svg.index('id="ytick_1"') :])
        return [glyph for glyph in drawn if glyph != "DejaVuSans-3"][: len(name)]  # 3: a blank, which marks become

    alef, bet, gimel = (glyphs(letter)[0] for letter in "אבג")
    assert glyphs("אבג") == [gimel, bet, alef]  # from left to right
    assert glyphs("abc") == [glyphs(letter)[0] for letter in "abc"]
    # A number after a name stays behind it.
    assert glyphs("אב-1") == [bet, alef, glyphs("-")[0], glyphs("1")[0]]
    # The first, middle and last form of a letter, none of them the one that it has alone.
    assert len({*glyphs("ببب"), *glyphs("ب")}) == 4
