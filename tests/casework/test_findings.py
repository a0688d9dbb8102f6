"""docs/casework.md says what the code does: its tables come from the code, its options exist."""

import re
from pathlib import Path

import pytest
from docs.tables import findings_table
from typer.testing import CliRunner

from audited import Finding
from idiograph.casework.findings import CATALOGUE, finding, first_sentence
from idiograph.cli import app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "casework.md").read_text(encoding="utf-8")


def part(name: str) -> str:
    return PAGE.split(f"<!-- {name}:begin -->\n")[1].split(f"<!-- {name}:end -->")[0]


def test_the_table_of_findings_is_the_catalogue() -> None:
    assert part("findings") == findings_table()
    assert len(findings_table().splitlines()) == len(CATALOGUE) + 2


def test_every_option_that_the_page_names_exists() -> None:
    named = set(re.findall(r"(?<![-\w])--[a-z][a-z0-9-]*", PAGE))
    assert {
        "--questioned",
        "--known",
        "--reference",
        "--population",
        "--out",
        "--quick",
        "--force",
        "--inputs",
    } <= named
    help_texts = [
        CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"}).output
        for command in ("verify", "amend", "replay", "posterior", "demo", "plan", "seal", "check")
    ]
    for option in named:
        assert any(re.search(rf"{option}\b", shown) for shown in help_texts), option


def test_a_finding_has_the_remedy_and_the_severity_of_its_kind() -> None:
    entry = finding("short-q", "red", ["q.txt"], label="Q1", n=1, fewest=100)
    assert entry.message == "Q1 has 1 token after masking. Below 100 no value is reported."
    assert entry.remedy == CATALOGUE["short-q"].remedy
    assert entry.where == ("q.txt",)
    with pytest.raises(AssertionError):
        finding("one-known-text", "red", id="k.txt")


@pytest.mark.parametrize(
    ("code", "values", "first"),
    [
        (
            "dominant-reference-author",
            {"author": "J. R. Smith", "share": 0.6},
            "J. R. Smith wrote 60 % of the reference's sentences.",
        ),
        (
            "repeated-lines",
            {"lines": "“Best wishes. Yours” in 3 of 5", "n_signed": 2, "n_texts": 5},
            "Known texts have lines in common: “Best wishes. Yours” in 3 of 5.",
        ),
        (
            "repeated-feature",
            {"label": "Q1", "features": "“! I V” 12 times (1.2 expected from K's rate)"},
            "Q1 repeats masked phrases that are typical of K far more often than K does: “! I V” 12 times (1.2 "
            "expected from K's rate).",
        ),
        (
            "shared-q",
            {"who": "Q1 and known/Lee/No. 5 Main St. Letter.txt", "pairs": "60 words", "run": "I went. Then"},
            "Q1 and known/Lee/No. 5 Main St. Letter.txt share runs of 20 or more words: 60 words.",
        ),
        ("works-unknown", {"without": 9, "n_texts": 12, "published": "It matters."},
         "9 of the reference's 12 texts name no work and no date, so the validation may compare parts of one work and "
         "look better than it is."),
        ("short-q", {"label": "Q1", "n": 1, "fewest": 100}, "Q1 has 1 token after masking."),
    ],
)  # fmt: skip
def test_the_first_sentence_of_a_finding_is_whole_whatever_its_names_are(
    code: str, values: dict[str, object], first: str
) -> None:
    entry = finding(code, CATALOGUE[code].severities[0], **values)
    assert entry.message.startswith(first)
    assert first_sentence(entry) == first


def test_a_finding_that_is_not_as_its_kind_says_is_said_whole() -> None:
    assert first_sentence(Finding("short-q", "red", "Q is short. Very.", "Add some.")) == "Q is short. Very."
