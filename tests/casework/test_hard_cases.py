"""Bad input and hard cases: each ends in a sentence or a sound result, and no half-written case."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import idiograph
from idiograph.casework.case import Case
from idiograph.casework.case_folder import earlier_runs
from idiograph.casework.verification import Comparison
from idiograph.errors import IdiographError, InputError, ProblemError
from idiograph.texts.masking.corpus_file import Header, write_masked
from idiograph.texts.text import MaskedText
from made_texts import GERMAN, authors, case_of, command, sentences, write_case, write_text


def compare(case: Case, *, quick: bool = True) -> Comparison:
    return idiograph.verify(case, quick=quick).comparisons[0]


def run(folder: Path, *options: object) -> int:
    """The command on the case of a folder, filed in `case`."""
    inputs = ["--questioned", folder / "q.txt", "--known", f"lee={folder / 'known'}"]
    inputs += ["--reference", folder / "reference"]
    fixed = ["--population", "p", "--masking", "masked", "--repetitions", 3, "--workers", 1, "--out", folder / "case"]
    return command("verify", *inputs, *fixed, *options)


def test_q_inside_k(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.copy(tmp_path / "q.txt", tmp_path / "known" / "copy.txt")
    with pytest.raises(ProblemError, match=r"Q1 and K share text: 100% of the words of questioned/Q1/q\.txt"):
        compare(case_of(tmp_path))


def test_q_inside_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with (tmp_path / "reference" / "author00" / "0.txt").open("a", encoding="utf-8") as lines:
        lines.write((tmp_path / "q.txt").read_text(encoding="utf-8"))
    with pytest.raises(ProblemError, match="Q1 and the reference share text"):
        compare(case_of(tmp_path))


def test_a_known_text_inside_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.copy(tmp_path / "known" / "1.txt", tmp_path / "reference" / "author00" / "9.txt")
    with pytest.raises(ProblemError, match="K and the reference share text"):
        compare(case_of(tmp_path))


def test_the_candidate_among_the_reference_authors(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    case = case_of(tmp_path, known={"author03": tmp_path / "known"})
    with pytest.raises(ProblemError, match=r"share an author: author03\. .*--exclude-author 'author03'"):
        compare(case)
    assert compare(replace(case, exclude_authors=("author03",))).reference.authors == (
        "author00",
        "author01",
        "author02",
        "author04",
    )


def test_one_reference_author(tmp_path: Path) -> None:
    one = compare(case_of(write_case(tmp_path, n_authors=1, n_texts=8)), quick=False)
    assert one.reported is None
    assert "only 1 reference author has" in (one.refusal or "")
    assert ("few-reference-authors", "red") in {(found.code, found.severity) for found in one.audit}


def test_reference_texts_without_an_author(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    write_text(tmp_path / "reference" / "stray.txt", sentences("x", tokens=100, seed=1))
    with pytest.raises(InputError, match=r"texts without an author: reference/stray\.txt"):
        compare(case_of(tmp_path))


def test_k_of_one_sentence(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    shutil.rmtree(tmp_path / "known")
    write_text(tmp_path / "known" / "1.txt", sentences("lee", tokens=5, seed=1)[:1])
    one = compare(case_of(tmp_path), quick=False)
    assert one.k.n_sentences == 1
    assert ("short-k", "red") in {(found.code, found.severity) for found in one.audit}
    assert one.wording.conclusion


def test_q_of_three_tokens(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "q.txt").write_text("it is N\n", encoding="utf-8")
    one = compare(case_of(tmp_path), quick=False)
    assert one.q.n_tokens == 3
    assert one.reported is None
    assert "the case lies outside what could be validated: Q has 3 tokens" in (one.refusal or "")


def test_a_k_longer_than_the_reference(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=1, n_texts=1)
    with pytest.raises(ProblemError, match=r"The reference has \d+ sentences and K has \d+"):
        compare(case_of(tmp_path))


def test_empty_and_missing_files(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    with pytest.raises(InputError, match="does not exist"):
        compare(case_of(tmp_path, questioned={"Q1": tmp_path / "none.txt"}))
    (tmp_path / "q.txt").write_text("  \n", encoding="utf-8")
    with pytest.raises(IdiographError, match="empty"):
        compare(case_of(tmp_path))


def test_texts_masked_in_different_ways(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    other = MaskedText("q", "somebody", sentences("lee", tokens=300, seed=9), "frames|other")
    write_masked(tmp_path / "q.jsonl", [other], Header("frames|other", None))
    case = case_of(tmp_path, questioned={"Q1": tmp_path / "q.jsonl"})
    with pytest.raises(ProblemError, match="masked in different ways"):
        compare(case)
    write_masked(tmp_path / "q.jsonl", [replace(other, masking="as-found")], Header("as-found", None))
    # The author that the file names is not believed: the text is questioned.
    assert compare(case).q.authors == ()


@pytest.mark.usefixtures("fake_tagger")
def test_a_text_in_another_language_is_red(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "q.txt").write_text("\n".join([GERMAN] * 4), encoding="utf-8")
    one = compare(case_of(tmp_path, masking="posnoise"))
    red = {found.code: found for found in one.audit if found.severity == "red"}
    assert red["not-english"].where == ("questioned/Q1/q.txt",)


@pytest.mark.usefixtures("fake_tagger")
def test_a_recipe_prepares_all_texts_alike(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "q.txt").write_text("@lee it iss so .\n" * 80, encoding="utf-8")
    recipe = tmp_path / "own.toml"

    def write(step: str) -> Case:
        recipe.write_text(f'schema = 1\nname = "own"\n[[steps]]\n{step}\n', encoding="utf-8")
        return case_of(tmp_path, masking="posnoise", recipe=str(recipe))

    one = compare(write('step = "user_tags"\nreplace_with = ""'))
    # What was scored has no user tag; the words are shown as they were written.
    assert "lee" not in {row.original for row in one.explanation.tokens}
    content = one.explanation.originals["questioned/Q1/q.txt"]
    assert content.startswith("@lee it iss so .")
    rows = [row for row in one.explanation.tokens if not row.is_end]
    assert [row.original for row in rows[:4]] == ["it", "iss", "so", "."]
    assert all(content[row.start : row.end] == row.original for row in rows)
    assert any("1 of 18 texts changed, 0 left out" in said for said in one.wording.limits)
    longer = write('step = "text_length"\nmin_tokens = 100000')
    with pytest.raises(InputError, match="leaves out every text of questioned/Q1"):
        compare(longer)
    with pytest.raises(InputError, match="these texts are masked"):
        compare(case_of(tmp_path, recipe=str(recipe)))


def test_two_thousand_reference_files(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=1, n_texts=1, tokens=120)
    shutil.rmtree(tmp_path / "reference")
    for author in authors(20):
        made = sentences(author, tokens=6_000, seed=1)
        for number in range(100):
            write_text(tmp_path / "reference" / author / f"{number}.txt", made[number * 4 : number * 4 + 4])
    one = compare(case_of(tmp_path, repetitions=3))
    assert len(one.reference.texts) == 2_000
    assert one.reported is not None


def test_a_long_q(tmp_path: Path) -> None:
    """A tenth of the length that was tried by hand."""
    write_case(tmp_path, n_authors=5)
    write_text(tmp_path / "q.txt", sentences("lee", tokens=20_000, seed=9))
    one = compare(case_of(tmp_path, repetitions=3))
    assert one.q.n_tokens >= 20_000
    assert sum(row.lambda_g for row in one.explanation.tokens) == pytest.approx(one.lambda_g, abs=1e-6)


def test_markup_and_formulas_come_out_inert(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    evil = "<script>alert(1)</script>"
    write_text(tmp_path / "q.txt", ((evil, "=cmd()", "+1", "@x", "N", "."), *sentences("lee", tokens=200, seed=9)))
    (tmp_path / "known" / "1.txt").rename(tmp_path / "known" / "=cmd()<img src=x>.txt")
    assert run(tmp_path, "--quick", "--title", evil, "--caveat", f"{evil} =cmd()") == 0
    html = (tmp_path / "case" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in html
    assert "<img src=x>" not in html
    with (tmp_path / "case" / "tokens.csv").open(encoding="utf-8-sig", newline="") as table:
        cells = [cell for row in csv.reader(table) for cell in row]
    assert any("=cmd()" in cell for cell in cells)
    assert not any(cell.startswith(("=", "@")) for cell in cells)
    result = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))
    assert "known/lee/=cmd()<img src=x>.txt" in result["k"]["texts"]


def test_a_folder_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "case").write_text("mine", encoding="utf-8")
    assert run(tmp_path, "--quick", "--force") == 2
    assert "is a file, and a case is a folder" in capsys.readouterr().err
    assert (tmp_path / "case").read_text(encoding="utf-8") == "mine"


def test_a_case_file_of_somebody_else_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=5)
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "case.toml").write_text("mine", encoding="utf-8")
    (tmp_path / "case" / "notes.txt").write_text("mine too", encoding="utf-8")
    assert run(tmp_path, "--quick") == 2
    assert "already holds a run of a case (case.toml)" in capsys.readouterr().err
    assert (tmp_path / "case" / "case.toml").read_text(encoding="utf-8") == "mine"
    with pytest.warns(UserWarning, match=r"kept as case\.changed1\.toml"):
        assert run(tmp_path, "--quick", "--force") == 0
    assert (tmp_path / "case" / "case.changed1.toml").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "case" / "notes.txt").read_text(encoding="utf-8") == "mine too"


def outputs(case: Path) -> list[str]:
    """What lies in a case's folder besides the trail, and the lock of a killed process."""
    return sorted(path.name for path in case.iterdir() if path.name not in ("runs.jsonl", ".lock"))


def test_a_read_only_folder(tmp_path: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path, n_authors=5)
    (small_disk / "case").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    (tmp_path / "case").symlink_to(small_disk / "case")
    assert run(tmp_path, "--quick") == 2
    assert "could not be written (Read-only file system)" in capsys.readouterr().err


def test_a_full_disk(tmp_path: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reports do not fit on 256 kB: nothing of them is left, the trail says that the run failed."""
    write_case(tmp_path, n_authors=5)
    (small_disk / "case").mkdir()
    (tmp_path / "case").symlink_to(small_disk / "case")
    assert run(tmp_path, "--quick") == 2
    assert "could not be written (No space left on device)" in capsys.readouterr().err
    assert outputs(small_disk / "case") == []
    events = [json.loads(line)["event"] for line in (small_disk / "case" / "runs.jsonl").read_text().splitlines()]
    assert events == ["started", "failed"]
    # The failed run is counted by the next one, elsewhere or here.
    (tmp_path / "case").unlink()
    shutil.copytree(small_disk / "case", tmp_path / "case")
    assert run(tmp_path, "--quick") == 0
    result = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))
    assert [(one["number"], one["outcome"]) for one in result["run"]["earlier"]] == [(1, "failed")]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped(tmp_path: Path, sent: signal.Signals) -> None:
    """A real process is stopped while it validates; the case holds no output and the trail keeps the run."""
    write_case(tmp_path, n_authors=8, n_texts=4, tokens=2_000)
    options = ["--questioned", "q.txt", "--known", "known", "--reference", "reference", "--population", "p"]
    options += ["--masking", "masked", "--repetitions", "300", "--out", "case", "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "idiograph", "verify", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    trail = tmp_path / "case" / "runs.jsonl"
    while not trail.is_file() and process.poll() is None:
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()
    process.send_signal(sent)
    _, said = process.communicate()
    assert outputs(tmp_path / "case") == []
    events = [json.loads(line)["event"] for line in trail.read_text(encoding="utf-8").splitlines()]
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert "interrupted; nothing was left half-written" in said
        assert "Traceback" not in said
        assert events == ["started", "interrupted"]
    else:
        assert events == ["started"]
        assert [one.outcome for one in earlier_runs(tmp_path / "case")] == ["unfinished"]


def test_what_a_killed_run_left_aside_is_cleared(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    remains = tmp_path / "case" / ".run-abc.part"
    remains.mkdir(parents=True)
    (remains / "report.html").write_text("half", encoding="utf-8")
    assert run(tmp_path, "--quick") == 0
    assert not remains.exists()
