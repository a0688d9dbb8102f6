"""The documentation says what the program does: generated pages are up to date, and every option is explained."""

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from docs.language_tables import languages_table, taggers_table

from idiograph.cli import app
from idiograph.texts.language import LANGUAGES, stop_words
from idiograph.texts.masking.models import TAGGERS, find_model

ROOT = Path(__file__).resolve().parents[2]
BUILD = runpy.run_path(str(ROOT / "docs" / "build.py"))
GROUP = typer.main.get_command(app)
COMMANDS = {name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)}


def test_make_docs_runs_to_the_end_and_changes_nothing(tmp_path: Path) -> None:
    """Neither a page nor a constant that ships; the controlled document, made once more, is the same as a PDF, too."""
    for path in (ROOT / "src").rglob("*.json"):  # which say what was learnt from the stored trials
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for folder in ("docs", "benchmarks"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    for name in ("README.md", "pyproject.toml", "requirements.lock", "requirements-spanish.lock"):
        shutil.copy(ROOT / name, tmp_path)
    subprocess.run([sys.executable, "-B", tmp_path / "docs" / "build.py"], check=True, cwd=tmp_path)
    files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert {Path("README.md"), Path("docs/cli.md"), Path("docs/validation/tables/table3.csv")} <= files
    # A picture may differ in its last digits where the processor does.
    files = {path for path in files if path.suffix != ".svg"}
    document = Path("docs/validation/developmental_validation.pdf")  # made when it is needed, and not kept
    files.remove(document)
    changed = [path for path in files if (tmp_path / path).read_bytes() != (ROOT / path).read_bytes()]
    assert changed == []
    controlled = runpy.run_path(str(ROOT / "docs" / "validation" / "controlled.py"))
    assert controlled["pdf"](controlled["document"]()) == (tmp_path / document).read_bytes()


def test_square_brackets_survive_in_the_command_reference() -> None:
    assert "[Q], [candidate] and [population]" in BUILD["cli_reference"]()


def test_every_command_and_option_is_explained() -> None:
    assert all(command.help for command in COMMANDS.values())
    silent = [
        f"{name} {parameter.name}"
        for name, command in COMMANDS.items()
        for parameter in command.params
        if parameter.name != "help" and not getattr(parameter, "help", None)
    ]
    assert not silent


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not target.startswith("http") and not (page.parent / target).exists()
    ]
    assert len(pages) > 5
    assert not broken


def test_every_language_has_a_row_with_its_routes() -> None:
    rows = {row.split("|")[1].strip(" `"): row for row in languages_table().splitlines()[2:]}
    assert list(rows) == sorted(LANGUAGES)
    assert (
        "| 543 words | `hanta_de` | yes | in each case alone; [one study of speeches](#list-against-tagger) |"
        in rows["de"]
    )
    assert "in each case alone; [one study of novels](#list-against-tagger) |" in rows["fr"]
    assert "in each case alone; [one study of poems](#list-against-tagger) |" in rows["zh"]
    assert "| 381 words | a spaCy model of your own | yes | in each case alone |" in rows["pl"]
    assert "| your own word list | a spaCy model of your own | no: no list |" in rows["nn"]
    assert f"{len(stop_words('ja'))} words; needs SudachiPy and SudachiDict-core" in rows["ja"]
    assert "no: the list is too short" in rows["dsb"]
    assert "[published study](validation/README.md)" in rows["en"]


def test_the_study_that_rows_lead_to_is_on_the_page() -> None:
    assert "## List against tagger\n" in (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")


def test_every_tagger_has_a_row_with_its_licence_and_digest() -> None:
    rows = taggers_table().splitlines()[2:]
    for row, tagger in zip(rows, TAGGERS.values(), strict=True):
        assert f"| `{tagger.model}` | `{tagger.package}` {tagger.version} | {tagger.licence} " in row
        assert f"`{tagger.digest[:16]}…`" in row
    assert "POSNoise's, v3.0" in rows[[*TAGGERS].index("hanta_de")]


def test_the_digests_in_the_table_are_those_of_the_installed_packages() -> None:
    for tagger in TAGGERS.values():
        if tagger.language != "es":  # in no extra
            assert find_model(tagger.model).digest == tagger.digest


REQUIREMENTS = runpy.run_path(str(ROOT / "docs" / "requirements.py"))
GOOD = """
[[promise]]
id = "R-001"
about = "numbers"
text = "It adds up."
tests = ["tests/test_digits.py::test_what_is_forbidden_is_found"]
"""


def test_every_promise_is_shown_by_tests_that_exist_and_the_page_lists_them() -> None:
    listed = REQUIREMENTS["promises"](REQUIREMENTS["PROMISES"].read_text(encoding="utf-8"))
    assert len(listed) >= 30
    page = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    for promise in listed:
        assert promise.text in page
        for test in promise.tests:
            assert f"`{test}`" in page
            file, name = test.split("::")
            assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8")
    assert {promise.about for promise in listed} == {"numbers", "refusals", "durability", "privacy"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('["tests/test_digits.py::test_what_is_forbidden_is_found"]', "[]"), "R-001 has no test"),
        (
            ("test_what_is_forbidden_is_found", "test_gone"),
            "names tests/test_digits.py::test_gone, which does not exist",
        ),
        (("tests/test_digits.py", "tests/test_gone.py"), "which does not exist"),
        (("R-001", "R-002"), "should be R-001"),
        (("numbers", "beauty"), "which is none of"),
    ],
)
def test_a_promise_that_nothing_shows_fails_the_check(change: tuple[str, str], sentence: str) -> None:
    assert len(REQUIREMENTS["promises"](GOOD)) == 1
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        REQUIREMENTS["promises"](GOOD.replace(*change))
