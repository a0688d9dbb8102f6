"""The documentation as a site: it is built without a warning, needs no network, and what it shows runs."""

import contextlib
import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import idiograph
from idiograph.casework.demonstration import write_texts
from idiograph.cli import app
from made_study import folder_with_study

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GROUP = typer.main.get_command(app)
sys.path.insert(0, str(ROOT))

from docs.running import run_again  # noqa: E402

WRITTEN = sorted([*DOCS.glob("tutorials/*.md"), *DOCS.glob("howto/*.md"), DOCS / "received.md", DOCS / "casework.md"])


def test_the_site_is_built_without_a_warning_and_asks_no_network_for_anything(tmp_path: Path) -> None:
    site = tmp_path / "site"
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "-d", str(tmp_path / "trees")]
    done = subprocess.run([*command, str(DOCS), str(site)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert {"index.html", "api.html", "tutorials/first_case.html", "validation/README.html"} <= pages.keys()
    loaded = r"<(?:script|img|iframe)[^>]* src=\"([^\"]+)\"|<link[^>]* href=\"([^\"]+)\""
    addresses = {quoted or other for page in pages.values() for quoted, other in re.findall(loaded, page)}
    assert addresses
    assert not [address for address in addresses if re.match(r"(https?:)?//", address)]
    searched = (site / "searchindex.js").read_text(encoding="utf-8")
    assert "Lincoln" in searched or "lincoln" in searched


def test_every_page_is_in_the_contents() -> None:
    listed = set(re.findall(r"(?m)^([\w/]+)$", (DOCS / "index.md").read_text(encoding="utf-8")))
    pages = {
        path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md") if "_site" not in path.parts
    }
    tables = {page for page in pages if page.startswith("validation/tables/")}
    assert pages - tables - {"index"} == listed & pages
    assert listed <= pages


def test_every_public_name_and_parameter_is_in_the_reference() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    entries = dict(re.findall(r"(?ms)^### `(\w+)`\n(.*?)(?=^##|\Z)", page))
    assert entries.keys() == set(idiograph.__all__)
    # By name, as Python itself sees the parameters of three functions of different kinds.
    for name, parameters in {
        "mask": ("source", "word_list"),
        "score": ("q", "seed"),
        "elub": ("same", "different"),
    }.items():
        assert all(re.search(rf"\b{parameter}\b", entries[name]) for parameter in parameters)
    # Settings by their help, what a result holds by the comments beside it.
    for name, line in {
        "Case": "- `order`: N: the longest n-gram. (1 to 30)",
        "ReadingOptions": "- `skip_bad`: Go on without what cannot be read; each is named in the report.",
        "Design": "- `n_pairs`: Different-author problems per author. (1 to 100,000)",
        "Score": "- `known_total`: log10 P(Q|G_K)",
    }.items():
        assert line in entries[name].splitlines()


@pytest.mark.tagger
def test_the_tutorial_prints_what_it_shows_and_its_notebook_is_the_same(tmp_path: Path) -> None:
    write_texts(tmp_path / "demo" / "texts")
    page = (DOCS / "tutorials" / "in_python.md").read_text(encoding="utf-8")
    assert run_again(page, tmp_path) == page
    kept = json.loads((DOCS / "tutorials" / "first_case.ipynb").read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in kept["cells"] if cell["cell_type"] == "code"]
    assert code == [block.rstrip("\n") for block in re.findall(r"(?s)```python\n(.*?)```", page)]


def test_the_other_programs_on_the_pages_run(tmp_path: Path) -> None:
    (tmp_path / "_chat.txt").write_text(
        "[01.03.26, 18:04:11] Lee: on my way\nand more\n01/03/2026, 18:05 - Kim: ok x: yes\n"
        "3/1/26, 6:06\u202fPM - Messages are encrypted.\nTap to learn more.\n3/1/26, 6:07\u202fPM - Ann B.: hi\n"
        "2026-03-01, 18:08 - Ann B.: bye\n",
        encoding="utf-8",
    )
    for name in ("chat", "outside_scores"):
        run_again((DOCS / "howto" / f"{name}.md").read_text(encoding="utf-8"), tmp_path)
    with (tmp_path / "chat.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["author"], row["date"], row["text"]) for row in csv.DictReader(file)]
    assert rows == [
        ("Lee", "01.03.26, 18:04:11", "on my way\nand more"),
        ("Kim", "01/03/2026, 18:05", "ok x: yes"),
        ("Ann B.", "3/1/26, 6:07\u202fPM", "hi"),
        ("Ann B.", "2026-03-01, 18:08", "bye"),
    ]


def test_the_study_of_the_tutorial_can_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml = re.search(r"(?s)```toml\n(.*?)```", (DOCS / "tutorials" / "first_study.md").read_text(encoding="utf-8"))
    assert toml
    (tmp_path / "study.toml").write_text(toml[1], encoding="utf-8")
    write_texts(tmp_path / "demo" / "texts")
    app(["study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "results"), "--dry-run"], standalone_mode=False)
    assert "messages: about" in capsys.readouterr().out


def test_a_study_is_made_in_python_as_the_page_shows(tmp_path: Path) -> None:
    folder_with_study(tmp_path, repetitions=2)
    page = (DOCS / "studies.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    with contextlib.chdir(tmp_path):
        exec("import idiograph" + page.split("```python\nimport idiograph")[1].split("```")[0], names)
    assert (tmp_path / "results" / "index.html").is_file()
    assert isinstance(names["study"], idiograph.Study)


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_every_command_and_option_on_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"(?m)^ {4,}(?:.*\s)?idiograph (\w+ .*)$", text):
        name, *rest = line.split("#")[0].split()
        command = GROUP.get_command(None, name)
        assert command, line
        known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
        assert {word.split("=")[0] for word in rest if word.startswith("--")} <= known | {"--help"}, line
