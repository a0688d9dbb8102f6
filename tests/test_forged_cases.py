"""A replay cannot be talked round: whatever a forger puts into a case, with every digest in it made to agree, is named.

Nothing of Idiograph's is used to forge: the files, the manifests and the trail are rewritten by hand.
"""

import hashlib
import io
import json
import re
import shutil
import sqlite3
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import idiograph
from filed_case import file_a_case, forge, rechain
from made_texts import command, write_case
from served import served

Result = dict[str, Any]


def forged_result(case: Path, change: Callable[[Result], Result]) -> None:
    result = json.loads((case / "result.json").read_text(encoding="utf-8"))
    forge(case, "result.json", json.dumps(change(result), indent=1).encode())


def wrapped(result: Result) -> Result:
    """False at the top, with the truth under a key whose path looks the same once keys are joined by dots."""
    return {**result, "conclusion": "2,000,000 times", "lambda_g": 99.0, "": result}


def with_true_for_one(result: Result) -> Result:
    assert result["n_comparisons"] == 1
    return {**result, "n_comparisons": True}


def with_other_earlier_runs(result: Result) -> Result:
    return {**result, "run": {**result["run"], "number": 1, "earlier": [{"number": 0}]}}


def with_more_keys(result: Result) -> Result:
    return {**result, "llr.hapax.nats": 50.0, "reported.lr": 50.0, "notes": {}, "outside": {}, "idiograph": "0.2.9"}


def with_other_digits(result: Result) -> Result:
    return {**result, "audit": [*result["audit"], []], "quick": 1, "lambda_g": result["lambda_g"] + 1e-13}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (wrapped, {'[""]', "conclusion", "lambda_g"}),
        (with_more_keys, {'["llr.hapax.nats"]', '["reported.lr"]', "notes", "outside", "idiograph"}),
        (with_true_for_one, {"n_comparisons"}),
        (with_other_earlier_runs, {"run.earlier (length)"}),
        (with_other_digits, {"quick", "audit (length)", "lambda_g"}),
    ],
)
def test_a_forged_result_does_not_agree(
    copied_plainly: Path, change: Callable[[Result], Result], where: set[str]
) -> None:
    forged_result(copied_plainly / "case", change)
    again = idiograph.replay(copied_plainly / "case" / "manifest.json")
    assert {difference.where for difference in again.differences} == where
    assert not again.agrees


def test_a_replay_with_an_endless_number_is_still_json(
    copied_plainly: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (copied_plainly / "case" / "result.json").read_text(encoding="utf-8")
    forge(
        copied_plainly / "case",
        "result.json",
        re.sub(r'"lambda_g": [-0-9.]+', '"lambda_g": 1e999', text, count=1).encode(),
    )
    assert command("replay", copied_plainly / "case" / "manifest.json", "--json") == 1
    assert json.loads(capsys.readouterr().out)["agrees"] is False


def in_html(content: bytes) -> bytes:
    assert b"LR" in content
    return content.replace(b"LR", b"Lr", 1)


def in_zip(content: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(archive, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part.replace(b"LR", b"Lr", 1) if name == "word/document.xml" else part)
    return archive.getvalue()


FILES: dict[str, Callable[[bytes], bytes]] = {
    "report.html": in_html,
    "annexes.html": in_html,
    "report.docx": in_zip,
    "annexes.docx": lambda content: content + b"\n",
    "report.pdf": lambda content: content + b"\n% more\n",
    "annexes.pdf": lambda content: content[:-1],
    "tokens.csv": lambda content: content.replace(b"0.", b"1.", 1),
    "sentences.csv": lambda content: content + b"x\n",
    "files.csv": lambda content: content.replace(b"0", b"1", 1),
}


def test_an_altered_report_figure_or_table_is_named(copied: Path) -> None:
    case = copied / "case"
    figure = sorted(path.relative_to(case).as_posix() for path in case.glob("figures/*.svg"))[0]
    for name, change in {**FILES, figure: lambda content: content.replace(b"</svg>", b"<!-- --></svg>")}.items():
        before = (case / name).read_bytes()
        assert change(before) != before
        forge(case, name, change(before))
    again = idiograph.replay(case / "manifest.json")
    assert again.problems == tuple(
        f"{name} is not what the run gives when it is made again" for name in sorted([*FILES, figure])
    )


def test_words_are_compared_also_where_pictures_are_drawn_differently(copied: Path) -> None:
    """As on a machine with another processor and other packages: the bytes may differ there, the words may not."""
    case = copied / "case"

    def elsewhere(manifest: Result) -> None:
        manifest["renderers"] = {**manifest["renderers"], "matplotlib": "1.0", "typst": "0.1"}

    picture = sorted(path.relative_to(case).as_posix() for path in case.glob("figures/*.svg"))[0]
    forge(case, picture, (case / picture).read_bytes() + b"<!-- -->", elsewhere)
    html = (case / "annexes.html").read_bytes()
    forge(case, "annexes.html", html.replace(b"image/svg+xml;base64,", b"image/svg+xml;base64,AAAA", 1))
    again = idiograph.replay(case / "manifest.json")
    assert again.agrees
    assert f"drawn by other packages or another processor here (annexes.html, {picture})" in again.sentence
    forge(case, "report.html", in_html((case / "report.html").read_bytes()))
    forge(case, "report.pdf", (case / "annexes.pdf").read_bytes())
    forge(case, "report.docx", in_zip((case / "report.docx").read_bytes()))
    forge(case, "annexes.docx", b"another document" + (case / "annexes.docx").read_bytes())
    problems = idiograph.replay(case / "manifest.json").problems
    assert [problem.split()[0] for problem in problems] == ["annexes.docx", "report.docx", "report.html", "report.pdf"]


@pytest.mark.parametrize("version", [idiograph.__version__, "0.2.0"])
def test_a_case_of_today_cannot_pass_as_one_of_an_earlier_version(copied_plainly: Path, version: str) -> None:
    """Of those only the numbers are compared, so a forger would like to be one."""

    def change(manifest: Result) -> None:
        del manifest["renderers"]
        manifest["versions"]["idiograph"] = version

    forge(copied_plainly / "case", "report.html", b"<p>guilty</p>", change)
    again = idiograph.replay(copied_plainly / "case" / "manifest.json")
    assert "manifest.json: renderers" in [difference.where for difference in again.differences]
    assert "report.html is not what the run gives when it is made again" in again.problems


def test_a_version_that_named_no_renderers_is_none_of_a_case_that_names_them(copied_plainly: Path) -> None:
    forge(
        copied_plainly / "case",
        "report.html",
        b"<p>guilty</p>",
        lambda manifest: manifest["versions"].update(idiograph="0.2.0"),
    )
    again = idiograph.replay(copied_plainly / "case" / "manifest.json")
    assert "report.html is not what the run gives when it is made again" in again.problems


def test_outputs_that_the_manifest_leaves_out_or_that_no_run_writes_are_named(copied: Path) -> None:
    case = copied / "case"
    for name in ("report.html", "tokens.csv"):
        forge(case, name, None)
    for name in ("figures/more.svg", "notes.html"):
        forge(case, name, b"<svg/>")
    again = idiograph.replay(case / "manifest.json")
    named = ("figures/more.svg", "notes.html", "report.html", "tokens.csv")
    assert [difference.where for difference in again.differences] == [f'manifest.json: outputs["{n}"]' for n in named]


def test_every_field_of_the_manifest_is_compared(copied_plainly: Path) -> None:
    def change(manifest: Result) -> None:
        manifest |= {"case_digest": "0" * 64, "signature": "verify|seed:7", "outcome": "confirmed", "confirmed": True}
        manifest["inputs"][0]["size"] = 3
        manifest["texts"][0]["author"] = "somebody"
        manifest["machine"]["laboratory"] = "accredited"
        manifest["renderers"]["typst"] = ["reviewed"]
        manifest["trail"]["line"] = "0" * 64
        del manifest["settings"]["seed"]

    forge(copied_plainly / "case", "manifest.json", b"", change)
    again = idiograph.replay(copied_plainly / "case" / "manifest.json")
    names = ["case_digest", "confirmed", "inputs[0].size", "machine.laboratory", "outcome", "renderers.typst"]
    names += ["settings.seed", "signature", "texts[0].author", "trail.line"]
    named = [f"manifest.json: {name}" for name in names]
    assert sorted(difference.where for difference in again.differences) == named


def test_files_added_to_a_run_are_named(copied: Path) -> None:
    case = copied / "case"
    (case / "runs" / "0001" / "more.txt").write_text("x", encoding="utf-8")
    (case / "runs" / "0001" / "figures" / "empty").mkdir()
    (case / "figures" / "more.svg").write_text("x", encoding="utf-8")
    (case / "notes.txt").write_text("my own", encoding="utf-8")
    shutil.copytree(case / "runs" / "0001", case / "runs" / "00001")  # one number has one name
    shutil.copytree(case / "runs" / "0001", case / "runs" / "0001-report-02")
    again = idiograph.replay(case / "manifest.json")
    added = ("figures/more.svg", "runs/0001/figures/empty", "runs/0001/more.txt")
    assert again.problems == tuple(f"{name} was added" for name in added)
    assert any(
        "other files in the folder (notes.txt, runs/00001, runs/0001-report-02)" in sentence
        for sentence in again.not_shown
    )


def test_a_changed_case_file_is_named_unless_every_digest_was_changed_with_it(copied: Path) -> None:
    case = copied / "case"
    text = (case / "case.toml").read_bytes()
    forge(case, "case.toml", text + b"# as agreed with the police\n")
    again = idiograph.replay(case / "manifest.json")
    # What the report prints is the digest of the file as it was, so the report comes out differently.
    assert "report.html is not what the run gives when it is made again" in again.problems
    assert any("comments in case.toml" in sentence for sentence in again.not_shown)


def test_the_trail_may_not_be_missing(copied_plainly: Path) -> None:
    (copied_plainly / "case" / "runs.jsonl").unlink()
    again = idiograph.replay(copied_plainly / "case" / "manifest.json")
    assert "runs.jsonl is missing or empty, and there are runs" in again.problems
    assert "run 1 is missing from runs.jsonl" in again.problems


@pytest.mark.usefixtures("unread_reports")
def test_a_forged_text_in_the_cache_does_not_pass(tmp_path: Path, fake_tagger: object) -> None:
    """A replay masks anew: what lies in the cache of masked texts decides nothing."""
    write_case(tmp_path, n_authors=5)
    options = ["--masking", "posnoise", "--repetitions", 2, "--primary", "hapax", "--population", "p", "--quick"]
    sides = ["--questioned", tmp_path / "q.txt", "--known", tmp_path / "known", "--reference", tmp_path / "reference"]
    asked = ["verify", *sides, *options, "--workers", 1, "--out", tmp_path / "case"]
    assert command(*asked, "--force") == 0
    true = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))["lambda_g"]
    with sqlite3.connect(tmp_path / "cache" / "masked" / "masked.sqlite") as entries:
        # Every text becomes another one.
        packed = [row[0] for row in entries.execute("SELECT packed FROM entries ORDER BY key")]
        keys = [row[0] for row in entries.execute("SELECT key FROM entries ORDER BY key")]
        entries.executemany(
            "UPDATE entries SET packed = ? WHERE key = ?", zip(packed[1:] + packed[:1], keys, strict=True)
        )
    entries.close()
    assert command(*asked, "--force") in (0, 2)
    again = idiograph.replay(tmp_path / "case" / "runs" / "0001" / "manifest.json")
    assert again.differences == ()
    assert command(*asked, "--force", "--no-cache") == 0
    assert json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))["lambda_g"] == true


def test_the_last_sentence_says_what_was_shown_and_what_was_not(
    filed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("replay", filed / "case" / "manifest.json") == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    for words in (
        "18 inputs are those of the manifest",
        "values of result.json",
        "came out the same, byte by byte",
        "the trail tells of 1 run in order",
        "It does not show: when, on which machine and with which versions it was run",
        "runs that were made elsewhere and kept back, or taken from the end of the trail",
        "who filed it",
    ):
        assert words in last


def test_the_report_prints_the_digest_of_inputs_case_file_and_results(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Made here as the documentation says, of a list such as sha256sum writes."""

    def of(path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest()

    case = copied / "case"
    inputs = [(f"{of(copied / 'q.txt')}  questioned/Q1/q.txt\n")]
    inputs += [f"{of(path)}  known/known/{path.name}\n" for path in (copied / "known").iterdir()]
    reference = copied / "reference"
    inputs += [f"{of(path)}  reference/{path.relative_to(reference).as_posix()}\n" for path in reference.glob("*/*")]
    lines = [*sorted(inputs), f"{of(case / 'case.toml')}  case.toml\n", f"{of(case / 'result.json')}  result.json\n"]
    printed = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert printed in (case / "report.html").read_text(encoding="utf-8")
    assert command("replay", case / "manifest.json") == 0
    assert printed in capsys.readouterr().out


def test_a_case_filed_on_another_machine_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filed: Path) -> None:
    monkeypatch.setattr("idiograph.provenance._processor", lambda: "a slide rule")
    case = file_a_case(tmp_path / "there") / "case"
    assert "a slide rule" in (case / "annexes.html").read_text(encoding="utf-8")
    monkeypatch.undo()
    again = idiograph.replay(case / "manifest.json")
    assert again.agrees
    assert again.other_versions["processor"][0] == "a slide rule"


def three_runs(case: Path) -> None:
    for _ in range(2):
        assert command("verify", case / "case.toml", "--out", case, "--force", "--quick", "--workers", 1) == 0


def trail(case: Path) -> list[str]:
    return (case / "runs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


def write_trail(case: Path, lines: list[str]) -> None:
    (case / "runs.jsonl").write_text("".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def case_with_three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = file_a_case(tmp_path_factory.mktemp("three"))
    three_runs(folder / "case")
    return folder


@pytest.fixture
def of_three(case_with_three: Path, tmp_path: Path) -> Path:
    shutil.copytree(case_with_three, tmp_path / "three")
    return tmp_path / "three" / "case"


def thinned(case: Path) -> None:
    shutil.rmtree(case / "runs" / "0001")
    write_trail(case, [line for line in trail(case) if '"run": 1,' not in line])


def without_its_folder(case: Path) -> None:
    shutil.rmtree(case / "runs" / "0002")


def reordered(case: Path) -> None:
    lines = trail(case)
    write_trail(case, [*lines[3:6], *lines[:3], *lines[6:]])


def changed(case: Path) -> None:
    write_trail(case, [line.replace('"quick": true', '"quick": false') for line in trail(case)])


def with_another_outcome(case: Path) -> None:
    write_trail(case, [line.replace('"event": "re', '"event": "failed", "was": "re', 1) for line in trail(case)])


def with_another_run(case: Path) -> None:
    manifest = case / "runs" / "0002" / "manifest.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("Z", "Z "), encoding="utf-8")


def with_another_report(case: Path) -> None:
    (case / "runs" / "0001" / "report.html").write_text("nothing was found", encoding="utf-8")


def with_other_words(case: Path) -> None:
    """What the last run reported, and that somebody agreed, in a chain written anew."""
    lines = [json.loads(line) for line in trail(case)]
    rechain(case, [*lines[:-1], {**lines[-1], "values": ["Q1 and known: LR 9"], "remark": "agreed", "court": "London"}])


def cut_off(case: Path) -> None:
    """The end of the trail is gone, and the run is still there."""
    write_trail(case, trail(case)[:6])


ALTERED: dict[str, tuple[Callable[[Path], None], str]] = {
    "thinned": (thinned, "run 1 is missing from runs.jsonl"),
    "a run removed": (without_its_folder, "runs/0002 is gone"),
    "reordered": (reordered, "line 1 of runs.jsonl (run 2, begun) was not written after the line that stands before"),
    "changed": (changed, "line 2 of runs.jsonl (run 1, "),
    "another outcome": (with_another_outcome, "line 4 of runs.jsonl (run 2, begun) was not written after"),
    "another run": (with_another_run, "runs/0002/manifest.json is not the one that run 2 was filed with"),
    "another report": (with_another_report, "runs/0001/report.html is not as its run wrote it"),
    "other words": (with_other_words, "runs.jsonl says of run 3 what its files do not (court, remark, values)"),
    "cut off": (cut_off, "run 3 is missing from runs.jsonl"),
}


@pytest.mark.parametrize("how", ALTERED)
def test_a_run_that_was_removed_moved_or_changed_is_named(
    of_three: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    alter, words = ALTERED[how]
    alter(of_three)
    assert command("seal", of_three) == 0
    assert words in capsys.readouterr().out
    assert command("check", of_three) == 1
    assert words in capsys.readouterr().out


def test_a_run_of_which_the_trail_does_not_say_how_it_ended_is_named_until_that_is_completed(of_three: Path) -> None:
    lines = trail(of_three)
    write_trail(of_three, lines[:-1])
    words = "run 3 was filed, and runs.jsonl does not say how it ended"
    assert [problem[: len(words)] for problem in idiograph.replay(of_three / "manifest.json").problems] == [words]
    assert not idiograph.seal(of_three).trail
    then, now = (json.loads(line) for line in (lines[-1], trail(of_three)[-1]))
    assert now == {**then, "time": now["time"]}


def test_a_thinned_trail_is_named_by_the_replay_and_the_next_report(
    of_three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thinned(of_three)
    words = "run 1 is missing from runs.jsonl"
    assert command("replay", of_three / "runs" / "0003" / "manifest.json") == 1
    assert words in capsys.readouterr().out
    assert command("verify", of_three / "case.toml", "--out", of_three, "--force", "--quick", "--workers", 1) == 0
    report = (of_three / "report.html").read_text(encoding="utf-8")
    assert "The record of earlier runs is not as it was written: " in report
    assert words in (of_three / "annexes.html").read_text(encoding="utf-8")
    assert words in json.loads((of_three / "manifest.json").read_text(encoding="utf-8"))["trail"]["problems"]
    # The new run itself is sound.
    again = idiograph.replay(of_three / "manifest.json")
    assert (again.differences, again.damaged) == ((), ())
    assert words in again.problems


def test_an_untouched_trail_has_no_problem(case_with_three: Path) -> None:
    for number in (1, 2, 3):
        again = idiograph.replay(case_with_three / "case" / "runs" / f"000{number}" / "manifest.json")
        assert again.agrees
        assert any(sentence.startswith("the trail tells of 3 runs in order, ") for sentence in again.shown)


def test_a_chain_written_anew_passes_and_the_printed_digest_does_not(of_three: Path) -> None:
    """What a chain without a key cannot show is what the last sentence says."""
    printed = idiograph.replay(of_three / "manifest.json").digest
    lines = [json.loads(line) for line in trail(of_three)]
    rechain(of_three, [line for line in lines if line["run"] != 3])
    shutil.rmtree(of_three / "runs" / "0003")
    for name in ("report.html", "result.json", "manifest.json"):
        shutil.copyfile(of_three / "runs" / "0002" / name, of_three / name)
    again = idiograph.replay(of_three / "runs" / "0002" / "manifest.json")
    assert again.problems == ()
    assert again.digest != printed


def test_a_trail_of_an_earlier_version_stays_readable(of_three: Path) -> None:
    """Without digests, as 0.3.0 wrote it; the next run is chained to all of it."""
    lines = [json.loads(line) for line in trail(of_three)]
    plain = [
        {key: value for key, value in line.items() if key not in ("before", "manifest", "values")}
        for line in lines
        if line["event"] != "begun"
    ]
    write_trail(of_three, [json.dumps(line) + "\n" for line in plain])
    again = idiograph.replay(of_three / "runs" / "0001" / "manifest.json")
    assert again.problems == ()
    assert "in order (not chained, as an earlier version wrote it)" in " ".join(again.shown)
    assert command("verify", of_three / "case.toml", "--out", of_three, "--force", "--quick", "--workers", 1) == 0
    again = idiograph.replay(of_three / "manifest.json")
    assert again.agrees
    assert "in order (not chained before run 4, as an earlier version wrote it)" in " ".join(again.shown)
    write_trail(of_three, [line.replace('"quick": true', '"quick": false', 1) for line in trail(of_three)])
    assert "line 7 of runs.jsonl (run 4, begun) was not written" in str(
        idiograph.replay(of_three / "manifest.json").problems
    )


def test_the_pages_name_a_thinned_trail_and_replace_no_signed_seal(of_three: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    assert idiograph.seal(of_three, key=key).signed
    thinned(of_three)
    before = {name: (of_three / name).read_bytes() for name in ("seal.json", "seal.json.sig")}
    with served(of_three.parent) as server:
        client = server.browser()
        page = client.get("/case/case/runs").words
        assert "The record of the runs is not as it was written: " in page
        assert "run 1 is missing from runs.jsonl" in page
        answer = client.post("/case/case/start", {"what": "seal"})
        page = client.wait_for(answer.headers["location"], "signature")
        assert "has a signed seal, and one without a signature would take its place" in page.words
    assert {name: (of_three / name).read_bytes() for name in before} == before
