"""The controlled document: made from stored data, the same bytes every time, and every figure traced to a table."""

import csv
import hashlib
import re
import tomllib
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VALIDATION = ROOT / "docs" / "validation"
PAGE = (VALIDATION / "developmental_validation.html").read_text(encoding="utf-8")
WORDS = " ".join(unescape(re.sub("<[^>]+>", " ", PAGE.partition("<body")[2])).split())


def rows(name: str) -> list[dict[str, str]]:
    with (VALIDATION / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_is_numbered_dated_and_has_every_part() -> None:
    about = tomllib.loads((VALIDATION / "controlled.toml").read_text(encoding="utf-8"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"Idiograph {version}. Document {about['number']}, edition {about['edition']}, {about['date']}" in WORDS
    parts = ("Purpose", "Method", "Requirements", "Data", "Conditions", "Results by register", "Results by length",
             "Results by distance in topic", "What a stated LR turned out to be worth", "Sensitivity and specificity",
             "Precision over seeds", "Attacks", "Known limits")  # fmt: skip
    for number, part in enumerate(parts, 1):
        assert f"{number}. {part}" in WORDS


def test_its_figures_are_those_of_the_stored_tables() -> None:
    for row in rows("strength"):
        if (row["method"], row["value"], row["stated"]) == ("Topic-controlled", "reported", "10 to 30"):
            ends = " ".join(f"{float(row[column]):.3g}" for column in ("worth", "2.5 %", "97.5 %"))
            assert f"reported 10 to 30 {int(row['true trials'])} {int(row['wrong trials'])} {ends}" in WORDS
            break
    else:
        raise AssertionError("the table on strength has no such row")
    reached = rows("reached")
    assert all(f"{row['figure']} {float(row['controlled']):.3g}" in WORDS for row in reached[:10])
    trials = hashlib.sha256((VALIDATION / "topic.parquet").read_bytes()).hexdigest()
    assert f"topic.parquet {trials}" in WORDS
    # Precision by arithmetic of its own: the mean over conditions of the spread over runs.
    runs: dict[tuple[str, str], list[float]] = {}
    for row in rows("cllr"):
        if row["method"] == "hapax":
            runs.setdefault((row["corpus"], row["condition"]), []).append(float(row["cllr"]))
    spreads = []
    for values in runs.values():
        middle = sum(values) / len(values)
        spreads.append((sum((value - middle) ** 2 for value in values) / (len(values) - 1)) ** 0.5)
    assert f"Hapax {len(spreads)} {sum(spreads) / len(spreads):.3g} {max(spreads):.3g}" in WORDS
