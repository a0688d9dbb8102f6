"""Runs the sections, prints their tables and keeps them in results.json, from which `make docs` fills the README."""

import argparse
import importlib
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure, machine
from idiograph.files import write_whole

RESULTS = Path(__file__).resolve().parent / "results.json"
SECTIONS = (
    "engine",
    "texts",
    "tagging",
    "preparing",
    "comparators",
    "cases",
    "holding",
    "load",
    "faults",
    "studies",
    "pages",
    "agreement",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all if none is named")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs; nothing is kept")
    options = parser.parse_args()
    unknown = sorted(set(options.section) - set(SECTIONS))
    if unknown:
        parser.error(f"there is no section {unknown[0]}; there are {', '.join(SECTIONS)}")
    chosen = [name for name in SECTIONS if name in (options.section or SECTIONS)]
    measured: dict[str, list[Figure]] = {}
    for name in chosen:
        print(f"measuring {name} …", file=sys.stderr)
        measured[name] = importlib.import_module(f"benchmarks.{name}").run(options.quick)
        for figure in measured[name]:
            print(row(figure))
    if not options.quick:
        keep(measured)
    missed = [figure.name for figures in measured.values() for figure in figures if figure.met is False]
    if missed and not options.quick:
        print(f"below the bar: {'; '.join(missed)}", file=sys.stderr)
    return 0


def keep(measured: dict[str, list[Figure]]) -> None:
    """Adds the sections to what is known of the others."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    for name, figures in measured.items():
        results[name] = {
            "date": datetime.now(UTC).date().isoformat(),
            "machine": machine(),
            "figures": [asdict(figure) for figure in figures],
        }
    write_whole(RESULTS, json.dumps(results, indent=1, ensure_ascii=False) + "\n")


def table(section: dict[str, Any]) -> str:
    """The figures of a section in Markdown, and on what they were measured."""
    rows = [row(Figure(**figure)) for figure in section["figures"]]
    return "\n".join(["| figure | measured | bar | how |", "|---|---|---|---|", *rows, "", measured_on(section)])


def measured_on(section: dict[str, Any]) -> str:
    """On what, with what and when the figures of a section were measured."""
    facts = section["machine"]
    return (
        f"Measured on {facts['processor']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}, "
        f"NumPy {facts['numpy']}, Numba {facts['numba']}, {section['date']}, by `make bench`."
    )


def amount(value: float) -> str:
    """A value with three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def row(figure: Figure) -> str:
    """One line of the table."""
    verdict = "" if figure.met is None else " ✓" if figure.met else " ✗"
    cells = (figure.name, f"{amount(figure.value)} {figure.unit}".strip(), f"{figure.bar}{verdict}", figure.how)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
