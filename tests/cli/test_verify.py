"""idiograph verify: a case from the command line, and what it prints."""

import json
import math
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from idiograph import Filed
from idiograph.casework.sentences import number, ratio
from idiograph.cli import app
from idiograph.cli.case import say_filed
from idiograph.evidence.intervals import Estimate
from idiograph.output.report import OF_CLLRS
from made_texts import case_options, command, write_case
from made_up_case import comparison, verification


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("texts"), n_authors=6)


def test_the_command_files_a_case_and_prints_it(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "case"
    options = case_options(texts, repetitions=5, out=out)
    assert command("verify", *options) == 0
    text = capsys.readouterr().out
    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    for words in (result["hp"], result["hd"], result["conclusion"], result["verbal"], str(out / "report.html")):
        assert words in text
    for entry in result["audit"]:
        assert entry["message"] in text
    # The same number in the same form as in the report.
    lr = result["value"]
    log10 = f"{math.log10(float(lr)):+.2f}"
    assert f"LR {lr}, log10 LR {log10} by hapax" in text
    report = (out / "report.html").read_text(encoding="utf-8")
    assert f"<strong>{lr}</strong>; log10 LR {log10}." in report
    assert f"Cllr was {number(result['validation']['performance']['hapax']['cllr']['value'])}" in report
    assert all(words in text for words in result["before"])
    # What the method is worth is said before the number.
    assert text.index("1 is no better than giving no evidence") < text.index(f"LR {lr}, log10")
    reports = {f"{name}.{form}" for name in ("report", "annexes") for form in ("html", "docx", "pdf")}
    names = (
        "case.toml documents.json files.csv manifest.json result.json runs.jsonl sentences.csv tokens.csv figures runs"
    )
    assert {path.name for path in out.iterdir()} == {*names.split(), *reports}
    for key in ("lambda_g", "n_tokens", "n_hapaxes", "n_sentences", "llr", "primary", "validation", "audit"):
        assert key in result
    assert result["schema"] == 1
    for llr in result["llr"].values():
        assert set(llr) == {"value", "unit", "nats", "log10", "lr"}
    assert all(len(file["sha256"]) == 64 for file in result["inputs"])
    assert len(result["inputs"]) == 1 + 2 + 18
    fixed = tomllib.loads((out / "case.toml").read_text(encoding="utf-8"))
    assert fixed["population"] == "made-up people"
    assert fixed["questioned"] == {"Q1": Path("..", *_from_parent(texts / "q.txt", tmp_path)).as_posix()}

    # Nothing is overwritten.
    before = (out / "result.json").read_bytes()
    assert command("verify", *options) == 2
    assert "already holds a run of a case" in capsys.readouterr().err
    assert (out / "result.json").read_bytes() == before

    # With --force the earlier run is kept, and the case file alone suffices.
    assert command("verify", out / "case.toml", "--force", "--quick", "--json", "--workers", 1) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["quick"] is True
    assert again["verbal"] is None
    assert again["lambda_g"] == result["lambda_g"]
    assert [run["outcome"] for run in again["run"]["earlier"]] == ["reported"]
    assert again["run"]["number"] == 2
    assert (out / "runs" / "0001" / "result.json").read_bytes() == before
    assert (out / "runs" / "0001" / "report.pdf").is_file()
    events = [json.loads(line)["event"] for line in (out / "runs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert events == ["begun", "started", "reported"] * 2


def test_a_value_below_one_has_the_form_of_the_report_and_a_quick_run_no_words(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = case_options(texts, primary="sentence", repetitions=5, out=tmp_path / "case")
    options += ["--known", f"other={texts / 'reference' / 'author03'}", "--exclude-author", "author03"]
    assert command("verify", *options, "--quick") == 0
    text = capsys.readouterr().out
    lee, other = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))["comparisons"]
    assert other["reported"]["nats"] < 0
    assert f"LR {other['value']}, log10 LR −{math.log10(float(other['value'].removeprefix('1/'))):.2f} by" in text
    assert other["also"] in text
    assert "disguise" in other["also"]
    assert not re.search("(no|weak|moderate|strong) support", text)
    times = ratio(lee["llr"]["sentence"]["nats"] - other["llr"]["sentence"]["nats"])
    between = f"The findings are about {times} times more likely if lee wrote Q1 than if other wrote it"
    assert between in text
    assert "ratios were not validated" in text
    assert between in (tmp_path / "case" / "report.html").read_text(encoding="utf-8")


def _from_parent(path: Path, folder: Path) -> tuple[str, ...]:
    return Path(os.path.relpath(path, folder)).parts


def test_why_one_reference_gives_several_cllrs_is_said_where_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    first, other = comparison(), comparison("Q2")
    assert other.validation is not None
    better = replace(other.validation.performance["hapax"], cllr=Estimate(0.3))
    validation = replace(other.validation, performance={"hapax": better})
    for second, is_said in ((other, False), (replace(other, validation=validation), True)):
        say_filed(Filed(Path("case"), verification(first, second)))
        assert (OF_CLLRS in capsys.readouterr().out) is is_said


def test_a_refusal_is_filed_and_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=3)
    assert command("verify", *case_options(tmp_path, out=tmp_path / "c")) == 1
    text = capsys.readouterr().out
    because = "the texts do not allow one: The reference has 3 authors. Below 5 no value is reported."
    assert f"Refused. No likelihood ratio is reported because {because}" in text
    result = json.loads((tmp_path / "c" / "result.json").read_text(encoding="utf-8"))
    assert result["reported"] is None
    assert result["refusal"].startswith("No likelihood ratio is reported because")
    assert result["verbal"] is None
    assert "refused" in (tmp_path / "c" / "runs.jsonl").read_text(encoding="utf-8")
    # Its number was not opened: nothing that speaks for or against is in any file, and no file is said to have it.
    assert text.splitlines()[-1].startswith("Refused. The report says why: ")
    assert not re.search(r"\bLR\b|result\.json", text)
    assert (result["lambda_g"], result["llr"], result["range"], result["anchors"]) == (None, {}, None, None)
    assert (result["sentence_lambda_g"], result["sensitivity"], result["as_strong"]) == ([], None, None)
    for name in ("tokens.csv", "sentences.csv"):
        assert len((tmp_path / "c" / name).read_text(encoding="utf-8-sig").splitlines()) == 1
    assert [path.name for path in (tmp_path / "c" / "figures").glob("*")] == []
    report = (tmp_path / "c" / "report.html").read_text(encoding="utf-8")
    assert report.index("No likelihood ratio is reported because") < report.index("Hp: ")
    assert "Blue with a solid line" not in report + (tmp_path / "c" / "annexes.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            [],
            "--population, --questioned, --known and --reference are missing:\n"
            "  --population: The population that the alternative author",
        ),
        (
            ["--primary", "hapax", "--population", "p", "--order", "0"],
            "--order must be a whole number from 1 to 30, not 0",
        ),
        (
            case_options(Path()),
            "No folder for the case was named",
        ),
        (
            ["--questioned", "q.txt", "--known", "a=known", "--known", "a=known", "--reference", "reference"],
            "Two --known are called a",
        ),
        (["case.toml", "--seed", "2"], "case.toml fixes the case, and --seed was given too"),
        (["case.toml", "--exclude-author", "a"], "and --exclude-author was given too"),
        (["case.toml", "--questioned", "q.txt"], "and --questioned was given too"),
        (["case.toml", "--encoding", "cp1252"], "and --encoding was given too"),
    ],
)
def test_commands_that_cannot_be_are_refused_in_words(
    texts: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(texts)
    assert command("verify", *arguments) == 2
    assert words in capsys.readouterr().err


def test_help_names_every_setting_of_a_case_once_with_its_brackets() -> None:
    shown = CliRunner().invoke(app, ["verify", "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"}).output
    text = " ".join(shown.split())
    for option in (
        "--questioned", "--known", "--reference", "--population", "--hp", "--hd", "--primary", "--scale", "--bounds",
        "--masking", "--recipe", "--exclude-author", "--order", "--repetitions", "--discount", "--seed", "--title",
        "--caveat", "--encoding", "--out", "--quick", "--force", "--workers", "--json",
    ):  # fmt: skip
        assert f"{option} " in shown, option
    assert "[Q], [candidate] and [population] stand for those of each comparison" in text
    assert "cannot be combined with options under “The case”" in text


def test_nothing_is_written_outside_the_case_and_the_cache(texts: Path, tmp_path: Path) -> None:
    elsewhere = {name: tmp_path / name.lower() for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    work = tmp_path / "work"
    for folder in (*elsewhere.values(), work):
        folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "MPLCONFIGDIR"}
    environment |= {name: str(folder) for name, folder in elsewhere.items()}
    for arguments in (
        ["verify", *case_options(texts, repetitions=2, out=tmp_path / "case"), "--quick"],
        ["replay", tmp_path / "case" / "manifest.json", "--workers", "1"],
    ):
        command_line = [sys.executable, "-m", "idiograph", *map(str, arguments)]
        done = subprocess.run(command_line, cwd=work, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert [list(folder.iterdir()) for folder in (*elsewhere.values(), work)] == [[]] * 5
