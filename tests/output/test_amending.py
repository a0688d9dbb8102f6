"""Particulars corrected after a run: the report is rendered again and says so, every number and the run itself stay."""

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import idiograph
from filed_case import contents, forge, sha256
from idiograph.casework.case_folder import trail_state
from idiograph.output import filing
from killing import killed_after, operations
from made_texts import case_options, command, write_case


def correct(case: Path, **lines: str) -> None:
    """Writes other values into the case file, as its user would."""
    file = case / "case.toml"
    text = file.read_text(encoding="utf-8")
    for key, value in lines.items():
        before = next(line for line in text.splitlines() if line.startswith(f"{key} = "))
        text = text.replace(before, f"{key} = {value}")
    file.write_text(text, encoding="utf-8")


def trail(case: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (case / "runs.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def amended(filed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filed case whose court, name and declaration were corrected after its run, by command."""
    folder = tmp_path_factory.mktemp("amended") / "all"
    shutil.copytree(filed, folder)
    case = folder / "case"
    correct(case, court='"Court of Appeal"', declaration='"So I declare."', report_number='"R7"')
    assert command("amend", case) == 0
    correct(case, name='"Dr Ann Able"')
    assert command("amend", case) == 0
    return folder


def test_a_corrected_report_says_so_and_leaves_every_number(filed: Path, amended: Path) -> None:
    before, case = contents(filed / "case"), amended / "case"
    after = contents(case)
    page = after["report.html"].decode()
    for sentence in ("Court of Appeal", "Dr Ann Able", "So I declare.", "Report R7 · Idiograph"):
        assert sentence in page
        assert sentence not in before["report.html"].decode()
    assert "Rendered again with other particulars" in page
    assert " UTC (expert: declaration; case: court; case: report number); on " in page
    assert " UTC (expert: name). Nothing was computed again" in page
    assert "Report R7 · Idiograph" in after["annexes.html"].decode()
    rendered = {f"{name}.{form}" for name in ("report", "annexes") for form in ("html", "docx", "pdf")}
    other = {name for name in before if after[name] != before[name] and not name.startswith("runs")}
    assert other == rendered | {"case.toml", "documents.json", "manifest.json"}
    # What was filed first is as it was, and so is the second report.
    assert contents(filed / "case" / "runs" / "0001") == contents(case / "runs" / "0001")
    assert sorted(path.name for path in (case / "runs").iterdir()) == ["0001", "0001-report-2", "0001-report-3"]
    assert {name: content for name, content in after.items() if not name.startswith("runs")} == contents(
        case / "runs" / "0001-report-3"
    )


def test_the_trail_and_the_replay_know_of_it(amended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = amended / "case"
    lines = trail(case)
    assert [(line["event"], line.get("report")) for line in lines[-2:]] == [("amended", 2), ("amended", 3)]
    assert lines[-1]["remark"] == "changed: expert.name"
    for name, line in zip(("0001-report-2", "0001-report-3"), lines[-2:], strict=True):
        assert line["manifest"] == sha256(case / "runs" / name / "manifest.json")
    again = idiograph.replay(case / "manifest.json")
    assert again.agrees, (again.differences, again.problems, again.damaged)
    assert "when its particulars were changed" in "".join(again.not_shown)
    assert idiograph.replay(case / "runs" / "0001" / "manifest.json").agrees
    # A report that nobody entered, one that is gone and one that was changed are named.
    shutil.copytree(amended, forged := amended.parent / "forged")
    lines_ = (forged / "case" / "runs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (forged / "case" / "runs.jsonl").write_text("".join(lines_[:-1]), encoding="utf-8")
    assert trail_state(forged / "case").problems == ("runs/0001-report-3 is missing from runs.jsonl",)
    (forged / "case" / "runs" / "0001-report-2" / "report.html").write_text("another court", encoding="utf-8")
    assert command("seal", forged / "case") == 0
    assert "runs/0001-report-2/report.html is not as its run wrote it" in capsys.readouterr().out
    shutil.rmtree(forged / "case" / "runs" / "0001-report-2")
    assert command("check", forged / "case") == 1
    assert "run 1 has a report 2, and runs/0001-report-2 is gone" in capsys.readouterr().out


def test_the_next_run_lists_the_earlier_one_with_its_value_and_its_amendments(amended: Path) -> None:
    shutil.copytree(amended, folder := amended.parent / "next")
    case = folder / "case"
    value = json.loads((case / "result.json").read_text(encoding="utf-8"))["value"]
    assert command("verify", case / "case.toml", "--quick", "--force") == 0
    (earlier,) = json.loads((case / "result.json").read_text(encoding="utf-8"))["run"]["earlier"]
    assert earlier["values"] == [f"Q1 and known: LR {value}"]
    assert earlier["remark"].count("report rendered again on") == 2
    annexes = (case / "annexes.html").read_text(encoding="utf-8")
    assert f"Q1 and known: LR {value}" in annexes
    assert "Dr Ann Able" in (case / "report.html").read_text(encoding="utf-8")
    assert "Rendered again" not in (case / "report.html").read_text(encoding="utf-8")
    assert command("replay", case / "manifest.json") == 0


def test_a_sealed_case_that_was_amended_was_changed_since(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = copied / "case"
    assert command("seal", case) == 0
    then = idiograph.read_case(case / "case.toml")
    done = idiograph.amend(case, replace(then, expert=replace(then.expert, name="Dr Ann Able")))
    assert (done.run, done.report, done.changed) == (1, 2, ("expert.name",))
    capsys.readouterr()
    assert command("check", case) == 1
    text = capsys.readouterr().out
    assert "The case was changed since it was sealed on" in text
    assert "added: runs/0001-report-2/" in text
    correct(case, court='"Court of Appeal"')
    assert command("amend", case) == 0
    assert "it now counts as changed since it was sealed" in capsys.readouterr().out
    assert command("seal", case, "--force") == 0
    assert command("check", case) == 0


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda case: None, "there is nothing to render again"),
        (
            lambda case: correct(case, population='"others"'),
            "differs from that of the run in more than its particulars",
        ),
        (lambda case: correct(case, court='"x"', seed="2"), "more than its particulars (seed)"),
        (lambda case: (case / "runs.jsonl").unlink(), "are not as they were filed"),
        (lambda case: (case / "runs" / "0001" / "result.json").write_text("{}"), "result.json is not as its run wrote"),
        (lambda case: forge(case, "documents.json", None), "kept nothing to render a report again from"),
        (lambda case: (forge(case, "documents.json", b"{}"), correct(case, court='"x"')), "is not what a report is"),
    ],
)
def test_what_cannot_be_rendered_again_is_refused(
    copied: Path, damage: object, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    case = copied / "case"
    damage(case)  # type: ignore[operator]
    if "kept nothing" in message:
        correct(case, court='"x"')
    before = contents(case)
    assert command("amend", case) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert contents(case) == before


def test_no_folder_and_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("amend", tmp_path / "none") == 2
    assert "is not a folder" in capsys.readouterr().err
    assert command("amend", tmp_path) == 2
    assert "holds no filed run" in capsys.readouterr().err


def test_killed_at_any_moment_nothing_is_lost(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever moment the process dies at: the next one finds the first report alone, or the second, whole."""
    path = tmp_path / "place"
    monkeypatch.setattr(filing, "_rendered", lambda documents: {"report.html": b"again", "documents.json": b"{}"})

    def prepare() -> None:
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(copied, path)
        correct(path / "case", court='"Court of Appeal"')

    def work() -> object:
        return idiograph.amend(path / "case")

    prepare()
    n = operations(work)
    for operation in (
        0,
        n // 3,
        *range(n - 30, n, 5),
        n - 1,
    ):  # the new report gets its name some thirty before the end
        prepare()
        killed_after(work, operation)
        case = path / "case"
        if not (case / "runs" / "0001-report-2").exists():
            idiograph.amend(case)
        # The report has these particulars, and nothing is wrong on the record.
        with pytest.raises(idiograph.InputError, match="nothing to render again"):
            idiograph.amend(case)
        assert [line["event"] for line in trail(case)] == ["begun", "started", "reported", "amended"]
        assert (case / "report.html").read_bytes() == b"again"


def test_a_run_killed_while_its_texts_are_read_is_on_the_record(tmp_path: Path) -> None:
    """A real process, killed before it has read anything to the end: a pipe among the texts keeps it waiting."""
    write_case(tmp_path, n_authors=8, n_texts=4, tokens=2_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "idiograph", "verify", *case_options(Path(), out="case")],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    file = tmp_path / "case" / "runs.jsonl"
    while not file.is_file() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert [line["event"] for line in trail(tmp_path / "case")] == ["begun"]
    # One that ends with an error while it reads says which.
    shutil.rmtree(tmp_path / "known")
    assert command("verify", *case_options(tmp_path, out=tmp_path / "case"), "--force") == 2
    last = trail(tmp_path / "case")[-1]
    assert (last["run"], last["event"]) == (2, "failed")
    assert "known" in str(last["remark"])
