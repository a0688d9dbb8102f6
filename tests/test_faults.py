"""A disk that fails or fills in the middle of any command that writes: nothing is lost, and the message says why.

At a file operation of each command EIO or ENOSPC is raised, once or from then on. Points are sampled; `pytest
tests/test_faults.py --all-faults` goes through all of them, and `python -m benchmarks faults` keeps their number.
"""

import errno
import json
import os
import shutil
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fake_tagger import FakeTagger
from filed_case import assert_on_top, assert_whole, contents, plain_reports
from idiograph import check_seal
from idiograph.casework.case import written
from idiograph.casework.verify import decide, make_ready
from idiograph.files import write_whole
from idiograph.output import filing
from idiograph.studies.results import read_results
from idiograph.texts.masking.corpus_file import read_masked
from idiograph.texts.preparing.record import load
from killing import faulted, hidden, operations
from made_texts import case_of, case_options, command, write_case
from power_cut import record

SAMPLED = 3  # operations of each command for each kind of fault
KINDS = [(error, once) for error in (errno.EIO, errno.ENOSPC) for once in (True, False)]


@dataclass(frozen=True)
class Work:
    """A command, what it finds, and what must be there after a fault and after it was done."""

    arguments: tuple[object, ...]
    start: Path  # copied to `folder` before each fault
    folder: Path
    is_whole: Callable[[], None]
    is_done: Callable[[], None]

    def afresh(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.start, self.folder)

    def run(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # as for a user, whom a warning tells that the cache is not used
            code = command(*self.arguments)
        if code:
            raise SystemExit(code)


def runs(case: Path) -> list[int]:
    return sorted(int(path.name) for path in (case / "runs").iterdir() if path.name.isdigit())


def cases_are_whole(start: Path, folder: Path, *names: str) -> None:
    """The first run of each case is as it was, and whatever runs there are, are whole."""
    for name in names:
        first = Path("runs") / "0001"
        assert contents(folder / name / first) == contents(start / name / first)
        for number in runs(folder / name):
            assert_whole(folder / name, number)
        for line in (folder / name / "runs.jsonl").read_text(encoding="utf-8").splitlines():
            json.loads(line)


def left_behind(folder: Path) -> list[str]:
    """Whatever is hidden, but for locks of the cache: nobody asks for one again when what it guarded is there."""
    return [name for name in hidden(folder) if not name.startswith("cache/")]


def cases_are_done(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name / ".lock").unlink(missing_ok=True)  # whoever comes next takes it over
        assert_whole(folder / name, runs(folder / name)[-1])
        assert_on_top(folder / name, runs(folder / name)[-1])
        assert runs(folder / name)[-1] > 1


@pytest.fixture
def work(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    start, folder = tmp_path / "start", tmp_path / "place"
    start.mkdir()
    work: Work = request.getfixturevalue(f"work_of_{request.param}")(start, folder)
    if request.param != "cache":
        # What is imported and compiled late is there from now on, out of the tests' own cache.
        work.afresh()
        work.run()
        work.is_done()
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(folder / "cache"))
    return work


Maker = Callable[[Path, Path], Work]


@pytest.fixture
def scored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The texts of a case whose reading and scoring, which change no file, are done once for all faults."""
    texts = write_case(tmp_path / "texts", n_authors=5, n_texts=1, tokens=120)
    ready = make_ready(case_of(texts, repetitions=1, order=2), quick=True)
    decided = decide(ready)
    monkeypatch.setattr(filing, "make_ready", lambda case, **_: ready)
    monkeypatch.setattr(filing, "decide", lambda ready, **run: replace(decided, **run))
    monkeypatch.setattr(filing, "write_reports", plain_reports)
    return texts


@pytest.fixture
def work_of_verify(scored_once: Path) -> Maker:
    def make(start: Path, folder: Path) -> Work:
        assert command("verify", *case_options(scored_once, out=start / "case"), "--quick") == 0
        arguments = ("verify", *case_options(scored_once, out=folder / "case"), "--quick", "--force")
        whole, done = (lambda: cases_are_whole(start, folder, "case")), (lambda: cases_are_done(folder, "case"))
        return Work(arguments, start, folder, whole, done)

    return make


@pytest.fixture
def work_of_demo(scored_once: Path) -> Maker:
    def make(start: Path, folder: Path) -> Work:
        assert command("demo", "--out", start / "demo") == 0
        cases = ("demo/lincoln", "demo/johnson")
        whole, done = (lambda: cases_are_whole(start, folder, *cases)), (lambda: cases_are_done(folder, *cases))
        return Work(("demo", "--out", folder / "demo", "--force"), start, folder, whole, done)

    return make


@pytest.fixture
def work_of_seal(scored_once: Path) -> Maker:
    def make(start: Path, folder: Path) -> Work:
        assert command("verify", *case_options(scored_once, out=start / "case"), "--quick") == 0
        assert command("seal", start / "case") == 0
        (start / "case" / "notes.txt").write_text("not sealed yet", encoding="utf-8")

        def is_whole() -> None:
            check = check_seal(folder / "case")
            assert (check.changed, check.missing, check.linked, check.trail) == ((), (), (), ())
            assert {name for name in check.added if not name.startswith(".")} <= {"notes.txt"}

        def is_done() -> None:
            is_whole()
            assert "notes.txt" not in check_seal(folder / "case").added

        return Work(("seal", folder / "case", "--force"), start, folder, is_whole, is_done)

    return make


class Amending(Work):
    """Once a report is rendered with the particulars of today there is nothing left to render, which is no fault."""

    def run(self) -> None:
        try:
            super().run()
        except SystemExit:
            try:
                self.is_done()
            except (AssertionError, OSError):
                pass
            else:
                return
            raise


@pytest.fixture
def work_of_amend(scored_once: Path, monkeypatch: pytest.MonkeyPatch) -> Maker:
    monkeypatch.setattr(filing, "_documents", lambda run: {})
    monkeypatch.setattr(filing, "_rendered", lambda documents: {"report.html": b"rendered again"})

    def make(start: Path, folder: Path) -> Work:
        assert command("verify", *case_options(scored_once, out=start / "case"), "--quick") == 0
        file = start / "case" / "case.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('\nname = ""\n', '\nname = "A. Reader"\n'), encoding="utf-8")

        def is_done() -> None:
            (folder / "case" / ".lock").unlink(missing_ok=True)
            top = {name: held for name, held in contents(folder / "case").items() if not name.startswith("runs")}
            assert top == contents(folder / "case" / "runs" / "0001-report-2")
            assert top["report.html"] == b"rendered again"
            told = (folder / "case" / "runs.jsonl").read_text(encoding="utf-8").splitlines()
            assert [json.loads(line)["event"] for line in told].count("amended") == 1

        is_whole = lambda: cases_are_whole(start, folder, "case")  # noqa: E731
        return Amending(("amend", folder / "case"), start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_prepare() -> Maker:
    def make(start: Path, folder: Path) -> Work:
        (start / "texts").mkdir()
        (start / "texts" / "ann.txt").write_text("Dear Bob,\n\nsee  http://x.org now.\n", encoding="utf-8")
        assert command("prepare", start / "texts", "--recipe", "plain", "--out", start / "out") == 0
        assert command("prepare", start / "texts", "--recipe", "email", "--out", start.with_name("new")) == 0
        old, new = load(start / "out"), load(start.with_name("new"))

        def is_whole() -> None:
            # A disk that goes on failing, or a cut, may leave it under its hidden name for the next writer.
            there = next(path for path in (folder / "out", folder / ".out.old") if path.exists())
            assert load(there) in (old, new)

        def is_done() -> None:
            assert load(folder / "out") == new

        arguments = ("prepare", folder / "texts", "--recipe", "email", "--out", folder / "out", "--force")
        return Work(arguments, start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_mask(monkeypatch: pytest.MonkeyPatch) -> Maker:
    def make(start: Path, folder: Path) -> Work:
        fake = FakeTagger()
        monkeypatch.setattr("idiograph.texts.masking.tagger.load_tagger", lambda model: fake)
        for name in ("old", "new"):
            (start / name).mkdir()
            (start / name / f"{name}.txt").write_text("We saw it.\nThat was the end.\n", encoding="utf-8")
        assert command("mask", start / "old", "--out", start / "masked.jsonl", "--workers", 1) == 0

        def is_whole() -> None:
            assert read_masked(folder / "masked.jsonl").text_ids in (("old.txt",), ("new.txt",))

        def is_done() -> None:
            assert read_masked(folder / "masked.jsonl").text_ids == ("new.txt",)

        arguments = ("mask", folder / "new", "--out", folder / "masked.jsonl", "--force", "--workers", 1)
        return Work(arguments, start, folder, is_whole, is_done)

    return make


STUDY = """
schema = 1
name = "toy"
runs = {runs}
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
[[conditions]]
drawing = "contiguous"
lengths = [[20, 30]]
[lambdag]
repetitions = 2
[methods]
use = ["raw", "hapax"]
baseline = "hapax"
resamples = 2
"""


@pytest.fixture
def work_of_study(monkeypatch: pytest.MonkeyPatch) -> Maker:
    def make(start: Path, folder: Path) -> Work:
        from generated import corpus, write_jsonl

        # Tables and figures go the way of a case's reports; drawing them would be paid at every fault, in bundles, too.
        def publish(_: object, out: Path) -> Path:
            write_whole(out / "index.html", "a page")
            return out / "index.html"

        for module in ("study_page", "bundle"):
            monkeypatch.setattr(f"idiograph.output.{module}.publish", publish)
        write_jsonl(start / "toy.jsonl", corpus(texts=2))
        file = start / "study.toml"
        file.write_text(STUDY.format(runs=1), encoding="utf-8")
        assert command("study", file, "--out", start / "out", "--workers", 1, "--bundle", start / "toy.zip") == 0
        old = read_results(start / "out" / "manifest.json").cells.keys()
        file.write_text(STUDY.format(runs=2), encoding="utf-8")

        def is_whole() -> None:
            assert old <= read_results(folder / "out" / "manifest.json").cells.keys()
            assert zipfile.ZipFile(folder / "toy.zip").testzip() is None

        def is_done() -> None:
            assert len(read_results(folder / "out" / "manifest.json").cells) == 2 * len(old)
            assert command("study", "--check", folder / "toy.zip") == 0

        out = (folder / "out", "--workers", 1, "--bundle", folder / "toy.zip")
        return Work(("study", folder / "study.toml", "--out", *out), start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_works() -> Maker:
    def make(start: Path, folder: Path) -> Work:
        (start / "texts").mkdir()
        for name in ("novel_chapter_1.txt", "novel_chapter_2.txt"):
            (start / "texts" / name).write_text("We saw it.\n", encoding="utf-8")
        older = "file,author,work\nolder.txt,ann,corrected by hand\n"
        (start / "works.csv").write_text(older, encoding="utf-8")

        def is_whole() -> None:
            table = (folder / "works.csv").read_text(encoding="utf-8")
            assert table == older or "novel_chapter_2.txt" in table.splitlines()[-1]

        def is_done() -> None:
            assert "novel_chapter_2.txt" in (folder / "works.csv").read_text(encoding="utf-8").splitlines()[-1]

        arguments = ("works", folder / "texts", "--author", "ann", "--out", folder / "works.csv", "--force")
        return Work(arguments, start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_plan() -> Maker:
    def make(start: Path, folder: Path) -> Work:
        texts = write_case(start / "texts", n_authors=5, n_texts=1, tokens=120)
        options = ("--reference", texts / "reference", "--masking", "masked")
        (start / "plan.svg").write_text("<svg>an older plan</svg>", encoding="utf-8")

        def is_whole() -> None:
            assert (folder / "plan.svg").read_bytes().rstrip().endswith(b"</svg>")

        def is_done() -> None:
            is_whole()
            assert b"an older plan" not in (folder / "plan.svg").read_bytes()

        sizes = ("--questioned", 40, "--known", 60, "--force")
        return Work(("plan", *options, "--figure", folder / "plan.svg", *sizes), start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_map() -> Maker:
    def make(start: Path, folder: Path) -> Work:
        texts = write_case(start / "texts", n_authors=3, n_texts=1, tokens=120)
        (start / "case.toml").write_text(written(case_of(texts), folder=start), encoding="utf-8")
        for name, content in (("map.svg", "<svg>an older map</svg>"), ("map.csv", "older\n")):
            (start / name).write_text(content, encoding="utf-8")

        def is_whole() -> None:
            assert (folder / "map.svg").read_bytes().rstrip().endswith(b"</svg>")
            assert (folder / "map.csv").read_bytes().endswith(b"\n")

        def is_done() -> None:
            is_whole()
            assert "older" not in (folder / "map.svg").read_text() + (folder / "map.csv").read_text()

        arguments = ("map", folder / "case.toml", "--out", folder / "map.svg", "--force", "--workers", 1)
        return Work(arguments, start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_cache() -> Maker:
    def make(start: Path, folder: Path) -> Work:
        for name in ("masked", "studies", "scratch"):
            (start / "cache" / name / "deep").mkdir(parents=True)
            (start / "cache" / name / "deep" / "file").write_text("kept", encoding="utf-8")

        def is_done() -> None:
            assert not list((folder / "cache").rglob("file"))

        return Work(("cache", "--clear"), start, folder, lambda: None, is_done)

    return make


@pytest.fixture
def work_of_restore() -> Maker:
    def make(start: Path, folder: Path) -> Work:
        for name in ("old", "new"):
            (start / name).mkdir()
            (start / name / "ann.txt").write_text(f"Dear Bob,\n\nsee  the {name} one.\n", encoding="utf-8")
            assert command("prepare", start / name, "--recipe", "plain", "--out", start / f"{name}-prepared") == 0
        assert command("prepare", "--restore", start / "old-prepared", "--out", start / "originals") == 0

        def restored() -> str:
            there = next(path for path in (folder / "originals", folder / ".originals.old") if path.exists())
            (line,) = (there / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
            return str(json.loads(line)["text"])

        def is_whole() -> None:
            assert restored() in [f"Dear Bob,\n\nsee  the {name} one.\n" for name in ("old", "new")]

        def is_done() -> None:
            assert "the new one" in restored()

        arguments = ("prepare", "--restore", folder / "new-prepared", "--out", folder / "originals", "--force")
        return Work(arguments, start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_selftest(monkeypatch: pytest.MonkeyPatch) -> Maker:
    """Its page; what it tries out is found once for all faults."""
    from idiograph.laboratory import selftest

    monkeypatch.setattr("idiograph.output.pdf.pdf", lambda document: b"a page")

    def make(start: Path, folder: Path) -> Work:
        for date in ("older", "newer"):
            check = selftest.Check("λG", "as it should be", "the released digits")
            test = selftest.SelfTest("1", date, "a machine", "somebody", "3.11", "0" * 64, (check,))
            monkeypatch.setattr(selftest, "selftest", lambda folders, test=test: test)
            if date == "older":
                assert command("selftest", "--out", start / "page") == 0

        def dated() -> str:
            there = next(path for path in (folder / "page", folder / ".page.old") if path.exists())
            assert {path.suffix for path in there.iterdir()} == {".html", ".pdf", ".json"}
            return str(json.loads((there / "selftest.json").read_bytes())["date"])

        def is_whole() -> None:
            assert dated() in ("older", "newer")

        def is_done() -> None:
            assert dated() == "newer"

        return Work(("selftest", "--out", folder / "page", "--force"), start, folder, is_whole, is_done)

    return make


@pytest.fixture
def work_of_validate(monkeypatch: pytest.MonkeyPatch) -> Maker:
    for form in ("docx", "pdf"):
        monkeypatch.setattr(f"idiograph.output.{form}.{form}", lambda document: b"a report")
    monkeypatch.setattr("idiograph.laboratory.acceptance.publish", lambda result, out: out / "index.html")

    def make(start: Path, folder: Path) -> Work:
        from generated import corpus, write_jsonl

        write_jsonl(start / "toy.jsonl", corpus(texts=2))
        (start / "study.toml").write_text(STUDY.format(runs=1), encoding="utf-8")
        plan = 'schema = 1\ntitle = "Toy"\npurpose = "Made-up people"\nstudy = "study.toml"\n[[criteria]]\n'
        plan += 'measure = "n_authors"\nmethod = "hapax"\nat_least = 1\n'
        (start / "plan.toml").write_text(plan, encoding="utf-8")

        def is_whole() -> None:
            if (folder / "out" / "study" / "trials.parquet").exists():
                assert json.loads((folder / "out" / "fixed.json").read_bytes())["plans"][0]["after_trials"] is False

        def is_done() -> None:
            is_whole()
            assert json.loads((folder / "out" / "validation.json").read_bytes())["passed"] is True

        return Work(
            ("validate", folder / "plan.toml", "--out", folder / "out", "--workers", 1),
            start,
            folder,
            is_whole,
            is_done,
        )

    return make


COMMANDS = (
    "verify", "demo", "seal", "amend", "prepare", "restore", "mask", "study", "works", "plan", "map", "selftest",
    "validate", "cache",
)  # fmt: skip


@pytest.mark.parametrize("work", COMMANDS, indirect=True, ids=COMMANDS)
def test_a_disk_that_fails_or_fills_loses_nothing_and_is_named(work: Work, request: pytest.FixtureRequest) -> None:
    work.afresh()
    n = operations(work.run, writes=True)
    every = request.config.getoption("--all-faults")
    counted: dict[str, int] = {"operations": n, "faults": 0, "refused": 0}
    for kind, (error, once) in enumerate(KINDS):
        step = 1 if every else max(1, n // SAMPLED)
        for operation in range(1 + (kind * step // len(KINDS)), n + 1, step):
            work.afresh()
            code, message = faulted(work.run, operation, error, once=once)
            how_often = "once" if once else "from then on"
            at = f"operation {operation} of {n}, {errno.errorcode[error]}, {how_often}: {message}"
            assert code in (0, 2), at
            assert "Traceback" not in message, at
            work.is_whole()
            if code:
                assert os.strerror(error) in message, at
                assert str(work.folder) in message, at
            else:
                work.is_done()
            work.run()
            work.is_done()
            assert left_behind(work.folder) == [], at
            counted["faults"] += 1
            counted["refused"] += code == 2
    assert counted["refused"]
    keep({"command": request.node.callspec.id, **counted}, request)


@pytest.mark.parametrize("work", COMMANDS, indirect=True, ids=COMMANDS)
def test_a_power_cut_loses_nothing_that_was_there_or_that_was_reported(
    work: Work, request: pytest.FixtureRequest
) -> None:
    work.afresh()
    recorded = record(work.run, work.folder)
    n = len(recorded.steps)
    points = range(n + 1) if request.config.getoption("--all-faults") else {*range(0, n, max(1, n // SAMPLED)), n}
    for point in points:
        for names in (True, False):
            recorded.after_a_cut(point, names=names)
            at = f"step {point} of {n} ({recorded.steps[point - 1][:5]}), {'names' if names else 'nothing'} unsynced"
            work.is_whole()
            if point == n:
                for lock in work.folder.rglob(".*lock"):  # taken over by the next process
                    lock.unlink()
                work.is_done()
            work.run()
            work.is_done()
            assert left_behind(work.folder) == [], at
    counted = {
        "command": f"{request.node.callspec.id}, power cut",
        "operations": n,
        "faults": 2 * len(points),
        "refused": 0,
    }
    keep(counted, request)


def keep(counted: dict[str, object], request: pytest.FixtureRequest) -> None:
    if path := request.config.getoption("--fault-counts"):
        with Path(path).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(counted) + "\n")
