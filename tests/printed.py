"""Tables as pages and files print them, read with nothing of ours."""

import csv
from pathlib import Path


def table_of(page: str, name: str) -> list[dict[str, str]]:
    """The rows of a table between its marks on a page."""
    lines = page.split(f"<!-- {name}:begin -->\n")[1].split(f"\n<!-- {name}:end -->")[0].splitlines()
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(header, row, strict=True)) for row in rows]


def rows_of_file(path: Path) -> list[dict[str, str]]:
    """The rows of a table of the documentation."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
