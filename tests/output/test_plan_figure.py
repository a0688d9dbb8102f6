"""The figure of a plan shows the published figures and the authors, and says so in words."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from made_texts import command, write_case


def test_its_words_are_those_of_the_plan(tmp_path: Path) -> None:
    reference = write_case(tmp_path, n_authors=7) / "reference"
    options = ("--reference", reference, "--known", 400, "--questioned", 200, "--masking", "masked")
    path = tmp_path / "plan.svg"
    # The reference-normalised LR takes eight.
    for primary, supported in (("hapax", "7"), ("normalised", "none, for they are too few")):
        assert command("plan", *options, "--primary", primary, "--figure", path, "--force") == 0
        title = ElementTree.parse(path).find("{http://www.w3.org/2000/svg}title")
        assert title is not None
        assert title.text is not None
        assert "1,000/3,000 0" in title.text
        assert title.text.endswith(f"for this case: {supported}.")


@pytest.mark.parametrize("given", [("--known", 500), ("--reference", 2000), ("--reference", 3)])
@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_file_of_either_kind(tmp_path: Path, given: tuple[str, int], suffix: str, start: bytes) -> None:
    path = tmp_path / f"plan.{suffix}"
    assert command("plan", *given, "--figure", path) == 0
    assert path.read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [path.name]
