"""A filed case, to be replayed, copied and damaged."""

import json
from pathlib import Path

from idiograph.casework.verification import Verification
from idiograph.files import write_whole
from idiograph.provenance import digest
from made_texts import case_options, command, write_case


def file_a_case(folder: Path) -> Path:
    """A case in a folder of its own with its texts beside it; Q is a file, K and the reference are folders."""
    write_case(folder, n_authors=5)
    assert command("verify", *case_options(folder, known=folder / "known", out=folder / "case"), "--quick") == 0
    return folder


def plain_reports(verification: Verification, folder: Path) -> tuple[Path, ...]:
    """In place of the real ones, whose drawing would be paid at every kill; the file operations are the same."""
    write_whole(folder / "report.html", f"run {verification.run}")
    write_whole(folder / "figures" / "growth.svg", f"run {verification.run}")
    if verification.run == 1:  # a figure that a later run has not
        write_whole(folder / "figures" / "pav.svg", "run 1")
    return (folder / "report.html",)


def refile(case: Path, result: dict[str, object]) -> None:
    """Another result, as if another machine had filed it: the manifest agrees with it."""
    text = json.dumps(result)
    (case / "result.json").write_text(text, encoding="utf-8")
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    manifest["outputs"]["result.json"] = digest(text)
    (case / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
