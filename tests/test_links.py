"""A folder that somebody else made leads nowhere: no link in it is followed to write, copy, read or remove anything.

Beside every folder lies one of the user's, which must be as it was afterwards, and whose content must be nowhere else.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import idiograph
from idiograph import InputError
from idiograph.pages.drafts import read_draft
from idiograph.pages.told import Changes, changes_since
from idiograph.texts.preparing.record import load
from made_study import folder_with_study
from made_texts import case_options, command, write_case
from served import Client, new_case, served

SECRET = "a private key that nobody else may see"
Command = Callable[[Path], int]


def fingerprint(folder: Path) -> dict[str, str]:
    """Every path below a folder with what it is: its content, where it leads, or that it is a folder."""
    return {
        path.relative_to(folder).as_posix(): f"link to {path.readlink()}"
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder or pipe"
        for path in sorted(folder.rglob("*"))
    }


def private_folder(beside: Path) -> Path:
    """What the user has beside a received folder; its name is known to the sender."""
    private = beside / "private"
    (private / ".hidden.old").mkdir(parents=True)
    (private / "deep").mkdir()
    for name in ("id_ed25519", "diary.txt", ".hidden.old/kept", "deep/letter.txt", "growth.svg"):
        (private / name).write_text(SECRET, encoding="utf-8")
    return private


def assert_untouched(private: Path, before: dict[str, str], *received: Path) -> None:
    """The private folder is as it was, and nothing of it is anywhere in the received ones."""
    assert fingerprint(private) == before
    for folder in received:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                assert SECRET.encode() not in path.read_bytes(), path


def replaced(path: Path, target: str) -> None:
    """A link in place of whatever is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def with_later_runs(case: Path) -> None:
    """Two more runs, so that the copy at the top is not the latest one's: whoever completes it writes."""
    (case / "runs" / "0001").rename(case / "runs" / "0002")
    shutil.copytree(case / "runs" / "0002", case / "runs" / "0003")
    manifest = json.loads((case / "runs" / "0003" / "manifest.json").read_text(encoding="utf-8"))
    manifest["run"] = 3
    (case / "runs" / "0003" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (case / "runs" / "0003" / "figures" / "authorized_keys").write_text("the sender's key", encoding="utf-8")


def verify_again(case: Path) -> int:
    return command("verify", case / "case.toml", "--out", case, "--force", "--quick", "--workers", 1)


COMMANDS: dict[str, Command] = {
    "replay": lambda case: command("replay", case / "manifest.json"),
    "seal": lambda case: command("seal", case),
    "check": lambda case: command("check", case),
    "verify": verify_again,
}
# Each thing that a run keeps, and where in the private folder it leads.
LINKS = {
    "figures": "../private",
    "runs": "../private/deep",
    "runs/0001": "../../private",
    "runs/0001/figures": "../../../private",
    "runs.jsonl": "../private/id_ed25519",
    "sentences.csv": "../private/id_ed25519",
    "report.html": "../private/id_ed25519",
    "result.json": "../private/id_ed25519",
    "manifest.json": "../private/id_ed25519",
    "case.toml": "../private/id_ed25519",
    ".lock": "../private/id_ed25519",
    "seal.json": "../private/id_ed25519",
}


# A lock and a seal are links whatever runs there are, and nothing else ends these commands early.
OF_A_CASE = [
    (name, later) for later in (False, True) for name in LINKS if not later or name not in (".lock", "seal.json")
]


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("unread_reports")
@pytest.mark.parametrize(("name", "later"), OF_A_CASE)
def test_no_link_of_a_received_case_leads_out_of_it(copied: Path, name: str, later: bool) -> None:
    case, private = copied / "case", private_folder(copied)
    if later:
        with_later_runs(case)
    replaced(case / name, LINKS[name])
    before = fingerprint(private)
    for run in COMMANDS.values():
        shutil.copytree(case, copied / "kept", symlinks=True)
        run(case)
        assert_untouched(private, before, case)
        shutil.rmtree(case)
        (copied / "kept").rename(case)


def test_what_is_said_of_a_link(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case, private = copied / "case", private_folder(copied)
    replaced(case / "figures", "../private")
    for run in (COMMANDS["replay"], COMMANDS["seal"], verify_again):
        assert run(case) == 2
        message = capsys.readouterr().err
        assert f"{case / 'figures'} is a link. Links inside a folder that Idiograph keeps are not followed" in message
    assert private.is_dir()


@pytest.mark.parametrize("name", ["figures/pipe.svg", "runs/0001/pipe"])
def test_a_pipe_in_a_case_is_not_waited_for(copied: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(copied / "case" / name)
    for run in (COMMANDS["seal"], verify_again):
        assert run(copied / "case") == 2
        assert f"{name} is a pipe, socket or device" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_looking_at_a_case_changes_nothing_in_it(copied: Path) -> None:
    """Also where a killed process left the copy at the top unfinished: it is the next writer's to complete."""
    case = copied / "case"
    with_later_runs(case)
    before = fingerprint(case)
    assert command("replay", case / "manifest.json") == 1  # the trail does not know of these runs
    assert fingerprint(case) == before
    assert command("seal", case) == 0
    assert (case / "figures" / "authorized_keys").is_file()


def test_links_added_to_a_sealed_case_are_named_and_not_followed(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case, private = copied / "case", private_folder(copied)
    assert command("seal", case) == 0
    (case / "more.txt").symlink_to("../private/diary.txt")
    (case / "elsewhere").symlink_to("../private")
    os.mkfifo(case / "pipe")
    replaced(case / "tokens.csv", "runs/0001/tokens.csv")  # the same content by a link is another file
    capsys.readouterr()
    assert command("check", case) == 1
    output = capsys.readouterr().out
    for name in ("more.txt", "elsewhere", "pipe", "tokens.csv"):
        assert name in output
    check = idiograph.check_seal(case)
    assert (check.changed, check.added) == (("tokens.csv",), ("elsewhere", "more.txt", "pipe"))
    assert private.is_dir()


def lock_links(folder: Path, private: Path, kind: str) -> None:
    target = private / "id_ed25519"
    if kind == "symbolic":
        folder.symlink_to(target)
    elif kind == "dangling":
        folder.symlink_to(private / "new")
    elif kind == "hard":
        os.link(target, folder)
    elif kind == "pipe":
        os.mkfifo(folder)
    else:
        folder.write_text("notes of mine", encoding="utf-8")


KINDS = ["symbolic", "dangling", "hard", "pipe", "not a lock"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_is_made_through_no_link_and_over_no_file(
    copied: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    case, private = copied / "case", private_folder(copied)
    lock_links(case / ".lock", private, kind)
    before, status = fingerprint(private), (case / ".lock").lstat()
    for run in (COMMANDS["seal"], verify_again):
        assert run(case) == 2
        assert fingerprint(private) == before
        assert (case / ".lock").lstat().st_ino == status.st_ino
        message = capsys.readouterr().err
        assert (
            ".lock is a link." in message
            if kind in ("symbolic", "dangling")
            else "is not a lock that Idiograph" in message
        )


def test_a_lock_that_a_power_cut_left_empty_or_full_of_zeros_is_taken_over(copied: Path) -> None:
    for left in (b"", bytes(80), b'{"process": 1, "host": "gone'):
        (copied / "case" / ".lock").write_bytes(left)
        assert command("seal", copied / "case", "--force") == 0
        assert not (copied / "case" / ".lock").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_reading_texts_takes_no_lock_and_removes_nothing(tmp_path: Path, kind: str) -> None:
    write_case(tmp_path, n_authors=5)
    private = private_folder(tmp_path)
    lock_links(tmp_path / ".known.lock", private, kind)
    for name in (".known.old", ".known.part"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes").write_text("of the user's", encoding="utf-8")
    (tmp_path / ".reference.old").symlink_to(private)
    before = fingerprint(tmp_path)
    assert len(idiograph.read(tmp_path / "known")) == 2
    asked = case_options(tmp_path, known=tmp_path / "known")[:6]
    assert command("plan", *asked, "--masking", "masked") == 0
    assert fingerprint(tmp_path) == before


def test_a_folder_that_was_being_replaced_is_named_by_readers_and_put_back_by_the_next_writer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_case(tmp_path, n_authors=5)
    prepared = ["prepare", tmp_path / "known", "--out", tmp_path / "prepared", "--recipe", "plain"]
    assert command(*prepared) == 0
    for name in ("known", "prepared"):
        (tmp_path / name).rename(tmp_path / f".{name}.old")
    before = fingerprint(tmp_path)
    asked = case_options(tmp_path, known=tmp_path / "known")[:6]
    for read in (["plan", *asked], ["mask", tmp_path / "prepared", "--out", tmp_path / "masked"]):
        assert command(*read, "--masking", "masked") == 2
        assert "Reading changes nothing, so rename ." in capsys.readouterr().err
    with pytest.raises(InputError, match=r"rename \.prepared\.old to prepared, or run again the command"):
        load(tmp_path / "prepared")
    assert fingerprint(tmp_path) == before
    (tmp_path / ".known.old").rename(tmp_path / "known")
    assert command(*prepared) == 2  # it was put back, and is not overwritten
    assert (tmp_path / "prepared").is_dir()
    assert not (tmp_path / ".prepared.old").exists()


@pytest.mark.parametrize("name", ["corpus.jsonl", "record.jsonl"])
def test_a_prepared_folder_is_read_through_no_link_and_no_pipe(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_case(tmp_path, n_authors=1)
    prepared = tmp_path / "prepared"
    assert command("prepare", tmp_path / "known", "--out", prepared, "--recipe", "plain") == 0
    (prepared / name).rename(tmp_path / "private")
    (prepared / name).symlink_to("../private")
    assert command("prepare", "--restore", prepared, "--out", tmp_path / "restored") == 2
    assert f"{prepared / name} is a link" in capsys.readouterr().err
    (prepared / name).unlink()
    os.mkfifo(prepared / name)
    assert command("prepare", prepared, "--diff", "1.txt") == 2
    assert f"{prepared / name} is a pipe" in capsys.readouterr().err


def test_a_link_in_place_of_a_hidden_folder_is_not_told_of(tmp_path: Path) -> None:
    (tmp_path / ".known.old").symlink_to(private_folder(tmp_path))
    with pytest.raises(InputError, match="does not exist"):
        idiograph.read(tmp_path / "known")


@pytest.mark.parametrize("name", ["q.txt", "folder", "deeper/folder"])
def test_a_link_among_texts_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    private = private_folder(tmp_path)
    texts = tmp_path / "texts"
    (texts / name).parent.mkdir(parents=True)
    (texts / "a.txt").write_text("Words of the case.", encoding="utf-8")
    (texts / name).symlink_to(private / "diary.txt" if name.endswith(".txt") else private)
    with pytest.raises(InputError, match=r"is a link that leads out of the folder"):
        idiograph.read(texts)
    kept = idiograph.read(texts, skip_bad=True)
    assert [text.id for text in kept] == ["a.txt"]
    assert [note.where for note in kept.report.skipped] == [name]
    # One that stays inside is read as ever, and so is a folder that the user names by a link.
    (texts / name).unlink()
    (texts / name).symlink_to(texts / "a.txt")
    (tmp_path / "named").symlink_to(texts)
    assert len(idiograph.read(tmp_path / "named")) == (2 if name.endswith(".txt") else 1)


@pytest.mark.parametrize("name", ["questioned", "known", "reference", "word_list", "recipe", "metadata"])
def test_a_case_file_leads_nowhere_by_a_link(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    private = private_folder(tmp_path)
    case = write_case(tmp_path / "case", n_authors=5)
    named = {"questioned": "q.txt", "known": "known", "reference": "reference"}
    target = {"word_list": "words.txt", "recipe": "mine.toml", "metadata": "table.csv", **named}[name]
    extra = {
        "word_list": '[texts]\nword_list = "words.txt"',
        "recipe": '[texts]\nrecipe = "mine.toml"',
        "metadata": '[reading]\nmetadata = "table.csv"',
    }.get(name, '[texts]\nmasking = "masked"')
    tables = '[inputs]\nreference = "reference"\n[questioned]\nQ1 = "q.txt"\n[known]\nlee = "known"\n'
    content = f'schema = 1\npopulation = "p"\n{tables}{extra}\n'
    (case / "case.toml").write_text(content, encoding="utf-8")
    replaced(case / target, "../private" if name in ("known", "reference") else "../private/diary.txt")
    assert command("verify", case / "case.toml", "--out", tmp_path / "out", "--quick") == 2
    assert f"{case / target} leads through a link to {private}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "name", ["figures", "tables", "parts", "trials.parquet", "index.html", "manifest.json", ".lock"]
)
def test_no_link_of_received_results_of_a_study_leads_out_of_them(
    tmp_path: Path, finished_study: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(finished_study, tmp_path / "study")
    private = private_folder(tmp_path / "study")
    results = tmp_path / "study" / "results"
    replaced(results / name, "../private" if "." not in name else "../private/id_ed25519")
    before = fingerprint(private)
    assert command("study", tmp_path / "study" / "study.toml", "--out", results, "--workers", 1) == 2
    assert f"{results / name} is a link." in capsys.readouterr().err
    assert_untouched(private, before, results)


def test_the_corpus_of_a_study_is_not_elsewhere_by_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = folder_with_study(tmp_path / "study", repetitions=2)
    (tmp_path / "study" / "toy.jsonl").rename(tmp_path / "toy.jsonl")
    (tmp_path / "study" / "toy.jsonl").symlink_to("../toy.jsonl")
    assert command("study", study, "--out", tmp_path / "out", "--workers", 1) == 2
    assert "toy.jsonl leads through a link to" in capsys.readouterr().err
    study.write_text(study.read_text(encoding="utf-8").replace('"toy.jsonl"', '"../toy.jsonl"'), encoding="utf-8")
    assert command("study", study, "--dry-run", "--workers", 1) == 0


@pytest.fixture(scope="session")
def finished_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "study"
    assert command("study", folder_with_study(folder, repetitions=2), "--out", folder / "results", "--workers", 1) == 0
    return folder


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Client]]:
    """A folder in which received cases lie, and a browser that looks at it."""
    with served(tmp_path_factory.mktemp("received")) as server:
        yield server.folder, server.browser()


@pytest.mark.parametrize("name", LINKS)
def test_no_get_follows_a_link_of_a_received_case(received: tuple[Path, Client], filed: Path, name: str) -> None:
    root, client = received
    case, private = root / "case", root / "private"
    for folder in (case, private):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(filed / "case", case)
    private_folder(root)
    with_later_runs(case)
    replaced(case / name, LINKS[name])
    before = fingerprint(root)
    for page in ("", "result", "result?run=3", "runs", "texts", "plan", "run", "all.zip", "file/result.json"):
        answer = client.get(f"/case/case/{page}".rstrip("/"))
        assert SECRET not in answer.text, page
    assert SECRET not in client.get("/").text
    assert fingerprint(root) == before


def test_removing_and_adding_texts_stay_inside_the_case(received: tuple[Path, Client]) -> None:
    root, client = received
    case = root / new_case(client, "Removing", n_authors=5)
    private = root / "private"
    shutil.rmtree(private, ignore_errors=True)
    private_folder(root)
    shutil.copytree(case / "texts", private / "texts")
    replaced(case / "texts", "../private/texts")
    before = fingerprint(private)
    for fields in ({"part": "known", "name": "lee"}, {"part": "questioned", "name": "Q1"}, {"part": "reference"}):
        client.post(f"/case/{case.name}/remove", fields)
    for candidate in ("lee", "kim"):
        files = [("known/9.txt", b"the N V .\n")]
        assert client.upload(f"/case/{case.name}/upload", {"part": "known", "name": candidate}, files).status == 400
    assert fingerprint(private) == before


@pytest.mark.parametrize("name", ["case.toml", "manifest.json"])
def test_what_has_changed_since_a_run_is_not_told_through_a_link(copied: Path, name: str) -> None:
    case = copied / "case"
    (case / "runs" / "0001" / name).rename(copied / name)
    (case / "runs" / "0001" / name).symlink_to(copied / name)
    (copied / "q.txt").unlink()
    assert changes_since(read_draft(case), 1) == Changes()
