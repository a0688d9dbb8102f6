"""A filed case, to be replayed, copied, damaged and forged."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import idiograph
from idiograph import Verification
from idiograph.files import write_whole
from idiograph.provenance import digest
from made_texts import case_of, case_options, command, write_case


def file_a_case(folder: Path) -> Path:
    """A case in a folder of its own with its texts beside it; Q is a file, K and the reference are folders."""
    write_case(folder, n_authors=5)
    assert command("verify", *case_options(folder, known=folder / "known", out=folder / "case"), "--quick") == 0
    return folder


def file_quick(texts: Path, out: Path, **options: bool) -> idiograph.Filed:
    """A small case, filed without a validation."""
    return idiograph.file_case(case_of(texts, repetitions=1, order=2), out, quick=True, workers=1, **options)


def plain_reports(verification: Verification, folder: Path) -> tuple[Path, ...]:
    """In place of the real ones, whose drawing would be paid at every kill; the file operations are the same."""
    write_whole(folder / "report.html", f"run {verification.run}")
    write_whole(folder / "figures" / "growth.svg", f"run {verification.run}")
    if verification.run == 1:  # a figure that a later run has not
        write_whole(folder / "figures" / "pav.svg", "run 1")
    return (folder / "report.html",)


def without_reports(patch: pytest.MonkeyPatch) -> None:
    """Has plain reports made where a case is filed or replayed; first where it is replayed, which imports the other."""
    for module in ("replaying", "filing"):
        patch.setattr(f"idiograph.output.{module}.write_reports", plain_reports)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_whole(case: Path, number: int) -> None:
    """Every file of a run is what its manifest says, and the top of the folder is a copy of it."""
    run = case / "runs" / f"{number:04}"
    manifest = json.loads((run / "manifest.json").read_bytes())
    assert manifest["run"] == number
    files = contents(run)
    assert set(files) == {*manifest["outputs"], "manifest.json"}
    for name, sha256 in manifest["outputs"].items():
        assert digest(files[name]) == sha256


def assert_on_top(case: Path, number: int) -> None:
    top = {name: content for name, content in contents(case).items() if not name.startswith("runs")}
    assert top == contents(case / "runs" / f"{number:04}")


def refile(case: Path, result: dict[str, object]) -> None:
    """Another result, as if another machine had filed it: the manifest agrees with it."""
    text = json.dumps(result)
    (case / "result.json").write_text(text, encoding="utf-8")
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    manifest["outputs"]["result.json"] = digest(text)
    (case / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def forge(case: Path, name: str, content: bytes | None, change: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Puts another file into a case of one run (None: takes it away) as a careful forger would: every digest agrees.

    `change` may do more to the manifest. The copy at the top, the kept run, both manifests and the trail are rewritten.
    """
    for folder in (case, case / "runs" / "0001"):
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if content is None:
            (folder / name).unlink()
            del manifest["outputs"][name]
        elif name != "manifest.json":
            (folder / name).write_bytes(content)
            manifest["outputs"][name] = hashlib.sha256(content).hexdigest()
        if change is not None:
            change(manifest)
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    rechain(case)


def rechain(case: Path, lines: list[dict[str, Any]] | None = None) -> None:
    """Writes the trail anew, of these lines or its own, with digests that agree: there is no key to know."""
    if lines is None:
        lines = [json.loads(line) for line in (case / "runs.jsonl").read_text(encoding="utf-8").splitlines()]
    before, written = hashlib.sha256(b"").hexdigest(), ""
    for line in lines:
        line["before"] = before
        if "manifest" in line:
            line["manifest"] = sha256(case / "runs" / f"{line['run']:04}" / "manifest.json")
        text = json.dumps(line)
        before = hashlib.sha256(text.encode()).hexdigest()
        written += text + "\n"
    (case / "runs.jsonl").write_text(written, encoding="utf-8")
