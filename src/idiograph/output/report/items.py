"""What was examined: a row and a digest for each author, and the list of all files as CSV."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from idiograph.casework.verification import Verification
from idiograph.errors import some
from idiograph.output.document import Block, Table, code, paragraph
from idiograph.provenance import InputFile, digest
from idiograph.spreadsheet import csv_rows

FILES = "files.csv"


def files_csv(verification: Verification) -> str:
    """Every input file: its role, the author of its texts, name, size and SHA-256."""
    authors = _authors(verification)
    return csv_rows(
        ("role", "author", "name", "bytes", "sha256"),
        ((file.role, authors[file.role, file.name], file.name, file.size, file.sha256)
         for file in verification.provenance.inputs),
    )  # fmt: skip


def items(verification: Verification) -> Iterator[Block]:
    """A row for each author of each role, and where every file is listed."""
    authors = _authors(verification)
    groups: dict[tuple[str, str], list[InputFile]] = defaultdict(list)
    for file in verification.provenance.inputs:
        groups[file.role, authors[file.role, file.name]].append(file)
    yield Table(
        "Who wrote what was examined, with the SHA-256 of the file or, where there are several, of the list of their "
        f"digests in the order of {FILES}, one a line",
        ("role", "author", "files", "bytes", "SHA-256"),
        tuple(
            (role, author, f"{len(files):,}", f"{sum(file.size for file in files):,}", _digest(files))
            for (role, author), files in groups.items()
        ),
        numeric=(2, 3),
        code=(4,),
        widths=(4, 5, 2, 3, 9),
    )
    n, size = len(verification.provenance.inputs), sum(file.size for file in verification.provenance.inputs)
    yield paragraph(
        f"{FILES} lists the {n:,} file{'' if n == 1 else 's'} ({size:,} bytes) one by one. Its own SHA-256 is ",
        code(digest(files_csv(verification))),
        ".",
    )


def _digest(files: Sequence[InputFile]) -> str:
    if len(files) == 1:
        return files[0].sha256
    return digest("".join(f"{file.sha256}\n" for file in files))


def _authors(verification: Verification) -> dict[tuple[str, str], str]:
    """Who wrote the texts of each file, by its role and name."""
    files = verification.provenance.inputs
    texts = {text.id: str(text.author) for text in verification.texts if text.id.startswith("reference/")}
    alone = {f"reference/{file.name}" for file in files if file.role == "reference"} & texts.keys()
    # What has not the name of its file is a row of a table, or one of several messages in a file.
    rows = sorted({author for id_, author in texts.items() if id_ not in alone})
    named: dict[tuple[str, str], str] = {}
    for file in files:
        kind, _, name = file.role.partition("/")
        if kind == "reference":
            own = f"reference/{file.name}"
            wrote = texts[own] if own in alone else some(rows, 3) or "not used"
        else:
            wrote = {"questioned": "in question", "known": name}.get(kind, "")
        named[file.role, file.name] = wrote
    return named
