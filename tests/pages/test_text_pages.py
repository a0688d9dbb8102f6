import csv
import io
import re
import zipfile
from pathlib import Path

import pytest
from docx import Document

from idiograph import read_case
from idiograph.casework.inputs import read_inputs
from made_texts import authors
from served import Client, Server, masked_files, multipart, new_case, reference_files, start_server

LONG = "It was a very long night, and nobody would swear to it. " * 30


@pytest.fixture
def name(client: Client, request: pytest.FixtureRequest) -> str:
    return client.post("/cases", {"title": request.node.name[:60]}).headers["location"].split("/")[2]


def upload(client: Client, name: str, part: str, of: str, *files: tuple[str, bytes]) -> int:
    return client.upload(f"/case/{name}/upload", {"part": part, "name": of}, files).status


def test_texts_of_every_kind_are_read_and_shown_at_once(client: Client, name: str) -> None:
    document = Document()
    document.add_paragraph(LONG)
    word = io.BytesIO()
    document.save(word)
    mail = f"From: kim@example.org\nSubject: x\nContent-Type: text/plain; charset=utf-8\n\n{LONG}\n"
    table = f"id,author,text\na1,Ann,{LONG.replace(',', ';')}\nb1,Bob,{LONG.upper().replace(',', ';')}\n"
    assert upload(client, name, "questioned", "Q1", ("q.docx", word.getvalue())) == 303
    assert (
        upload(client, name, "known", "Kim", ("mails/1.eml", mail.encode()), ("mails/2.txt", LONG.lower().encode()))
        == 303
    )
    assert upload(client, name, "reference", "", ("texts.csv", table.encode())) == 303
    page = client.wait_for(f"/case/{name}/texts", "2 authors")
    for sentence in (
        "q.docx in question",
        "1.eml Kim",
        "2.txt Kim",
        "a1 Ann",
        "b1 Bob",
        "360 words",
        "It was a very long night",
    ):
        assert sentence in page.words, sentence
    assert "Q1/q.docx and Kim/1.eml are the same text." in page.words


def test_what_cannot_be_read_is_said_with_what_to_do(client: Client, name: str) -> None:
    upload(client, name, "questioned", "Q1", ("q.txt", "naïve café".encode("cp1252")), ("old.doc", b"x"))
    page = client.wait_for(f"/case/{name}/texts", "is not UTF-8")
    assert "cp1252" in page.words
    client.script(f"/case/{name}/settings/texts", {"reading.encoding": "cp1252"})
    page = client.wait_for(f"/case/{name}/texts", "naïve café")
    assert "save it as .docx" in page.words


def test_an_unreadable_file_hides_no_other_and_is_to_be_done_before_a_run(client: Client, name: str) -> None:
    upload(client, name, "questioned", "Q1", ("q.txt", f"Café. {LONG}".encode()))
    broken = f"naïve café {LONG}".encode("cp1252")
    upload(client, name, "known", "Kim", ("1.txt", broken), ("2.txt", LONG.upper().encode()), ("3.txt", broken))
    upload(client, name, "reference", "", *((f"{who}/1.txt", f"{who} {LONG}".encode()) for who in ("Ann", "Bob")))
    client.script(f"/case/{name}/settings/question", {"population": "people"})
    todo = "Files of Kim cannot be read (1.txt, 3.txt). Save them as UTF-8"
    page = client.wait_for(f"/case/{name}/texts", re.escape(todo))
    assert "2.txt Kim" in page.words
    assert "1.txt is not UTF-8" in page.words
    page = client.get(f"/case/{name}/run")
    assert todo in page.words
    assert "Run the case" not in page.words
    # The encoding is for those alone: the others are UTF-8 and stay what they are.
    client.script(f"/case/{name}/settings/texts", {"reading.encoding": "cp1252"})
    page = client.wait_for(f"/case/{name}/texts", "naïve café")
    assert "Café." in page.words
    assert "Files of Kim cannot be read" not in page.words
    assert "Run the case" in client.get(f"/case/{name}/run").words


def test_a_bomb_is_refused_by_the_same_readers_and_the_server_goes_on(client: Client, name: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<x>" + b" " * 300_000_000)
    assert len(packed.getvalue()) < 1_000_000
    upload(client, name, "questioned", "Q1", ("bomb.docx", packed.getvalue()))
    page = client.wait_for(f"/case/{name}/texts", r"bomb\.docx .*(too large|more than|cannot|could not)")
    assert page.status == 200
    assert client.get("/").status == 200


@pytest.mark.parametrize(
    "bad", ["../../up.txt", "/etc/cron.d/x", "a/../../../up.txt", "con.txt", "x" * 300 + ".txt", "a\0.txt", "a:b.txt"]
)
def test_names_of_the_clients_choosing_write_nothing_outside(
    server: Server, client: Client, name: str, bad: str
) -> None:
    # Runs that other tests began write into their own cases meanwhile.
    def around() -> set[Path]:
        everything = server.folder.parent.rglob("*")
        return {*server.folder.iterdir(), *(path for path in everything if server.folder not in path.parents)}

    outside = around()
    answer = client.upload(f"/case/{name}/upload", {"part": "reference", "name": ""}, [(bad, b"x"), ("fine.txt", b"x")])
    assert answer.status == 400
    assert not (server.folder / name / "texts").exists()
    assert around() == outside


def test_a_candidates_name_is_free_and_its_folder_is_not(server: Server, client: Client, name: str) -> None:
    for candidate in ("../../etc", "CON", "日本 / x", "a\0b"[:1] + '"] \n [x]'):
        assert upload(client, name, "known", candidate, *masked_files("lee", [1])) == 303
    inside = server.folder / name / "texts" / "known"
    assert len(list(inside.iterdir())) == 4
    assert all(path.resolve().is_relative_to(inside.resolve()) for path in inside.rglob("*"))
    assert "../../etc" in client.get(f"/case/{name}/texts").words
    assert upload(client, name, "known", "  ", ("1.txt", b"x")) == 400
    assert upload(client, name, "nonsense", "x", ("1.txt", b"x")) == 400


def test_files_are_removed_and_parts_renamed(server: Server, client: Client, name: str) -> None:
    upload(client, name, "known", "Lee", *masked_files("lee", [1, 2]))
    upload(client, name, "reference", "", *reference_files(2))
    folder = server.folder / name / "texts"
    assert client.post(f"/case/{name}/remove", {"part": "known", "name": "Lee", "file": "1.txt"}).status == 303
    assert [path.name for path in (folder / "known" / "Lee").iterdir()] == ["2.txt"]
    client.post(f"/case/{name}/remove", {"part": "known", "name": "Lee", "file": "../../../case.toml"})
    assert (server.folder / name / "case.toml").is_file()
    client.post(f"/case/{name}/rename", {"part": "known", "name": "Lee", "new": "Kay"})
    assert "Kay" in client.get(f"/case/{name}/texts").words
    client.post(f"/case/{name}/remove", {"part": "reference", "name": ""})
    assert not (folder / "reference").exists()


def test_a_second_questioned_text_gets_the_next_label(client: Client, name: str) -> None:
    upload(client, name, "questioned", "Q1", *masked_files("lee", [1]))
    upload(client, name, "questioned", "Q7", *masked_files("lee", [2]))
    assert 'name="name" value="Q8"' in client.get(f"/case/{name}/texts").text


def test_a_table_of_metadata_and_a_recipe_of_ones_own_are_single_files(
    server: Server, client: Client, name: str
) -> None:
    upload(client, name, "reference", "", ("1.txt", LONG.encode()), ("2.txt", LONG.upper().encode()))
    page = client.wait_for(f"/case/{name}/texts", "no known author")
    assert upload(client, name, "file", "reading.metadata", ("who.csv", b"file,author\n1.txt,Ann\n2.txt,Bob\n")) == 303
    page = client.wait_for(f"/case/{name}/texts", "2 authors")
    assert "texts/metadata/who.csv" in page.words
    assert upload(client, name, "file", "reading.metadata", ("a.csv", b"x"), ("b.csv", b"x")) == 400
    for other in (("a.csv", b"text,writer\n1.txt,Ann\n"), ("a.txt", b"file,author\n")):  # the table of before stays
        assert upload(client, name, "file", "reading.metadata", other) == 400
    assert "texts/metadata/who.csv" in client.get(f"/case/{name}/texts").words
    for setting in ("reading.encoding", "inputs.reference", "nonsense", ""):
        assert upload(client, name, "file", setting, ("a.csv", b"x")) == 400
    assert client.post(f"/case/{name}/remove", {"part": "file", "name": "reading.metadata"}).status == 303
    assert not (server.folder / name / "texts" / "metadata").exists()
    assert upload(client, name, "recipe", "", ("own.txt", b"x")) == 400
    recipe = b'schema = 1\nname = "own"\n[[steps]]\nstep = "lower_case"\n'
    assert upload(client, name, "recipe", "", ("own.toml", recipe)) == 303
    assert "your own file" in client.get(f"/case/{name}/preparation").words
    assert client.post(f"/case/{name}/recipe", {"recipe": "../../../etc/passwd.toml"}).status == 400
    assert client.post(f"/case/{name}/recipe", {"recipe": "email"}).status == 303


def test_a_recipe_is_shown_before_and_after(client: Client) -> None:
    name = new_case(client, "Recipe")
    client.script(f"/case/{name}/settings/method", {"texts.masking": ""})
    upload(client, name, "questioned", "Q1", ("2.txt", b"Please look at https://example.org/page before noon.\n"))
    assert client.post(f"/case/{name}/recipe", {"recipe": "tweet"}).status == 303
    page = client.wait_for(f"/case/{name}/preparation", "What the recipe “tweet” changes")
    shown = re.findall(r"<h3>(Before|After)</h3><pre>(.*?)</pre>", page.text, re.DOTALL)
    assert {when for when, text in shown if "https://example.org/page" in text} == {"Before"}
    client.post(f"/case/{name}/recipe", {"recipe": ""})
    assert "What the recipe “tweet” changes" not in client.get(f"/case/{name}/preparation").words


def test_a_server_killed_in_the_middle_of_an_upload_leaves_the_draft_as_it_was(tmp_path: Path) -> None:
    import socket

    server = start_server(tmp_path / "cases")
    client = server.browser()
    name = new_case(client, "Killed")
    folder = server.folder / name
    before = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    body, kind = multipart(
        {"form_token": client.token, "part": "reference", "name": ""}, [("new/1.txt", b"x" * 500_000)]
    )
    head = (
        f"POST /case/{name}/upload HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nOrigin: {client.origin}\r\n"
        f"Cookie: {client.cookie}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((client.host, client.port), timeout=30) as sock:
        sock.sendall(head.encode() + body[:300_000])
        assert client.get("/").status == 200  # the server has begun to take it in
        server.kill()
    server.process.communicate()
    assert {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    again = start_server(tmp_path / "cases")
    try:
        client = again.browser()
        assert upload(client, name, "reference", "", ("new/1.txt", b"words and words .\n")) == 303
        assert (folder / "texts" / "reference" / "new" / "1.txt").is_file()
    finally:
        again.interrupt()
        again.process.communicate()


def test_works_and_dates_are_asked_for_edited_and_given_as_a_table(client: Client, server: Server) -> None:
    name = new_case(client, "Works", n_authors=4)
    path, folder = f"/case/{name}", server.folder / name
    page = client.wait_for(f"{path}/texts", "Is every file a separate work", without="Reading")
    assert "File names and dates suggest: 12 files, each taken for a work of its own." in page.words
    suggested = dict(re.findall(r'name="(\w+\.0)" value="" placeholder="([^"]*)"', page.text))
    assert suggested == {"work.0": suggested["work.0"], "date.0": "", "topic.0": ""}
    # Files of one name on two sides are told apart by more of their path.
    table = csv.DictReader(io.StringIO(client.get(f"{path}/works.csv").text))
    listed = list(table)
    files = [row["file"] for row in listed]
    assert table.fieldnames == ["file", "work", "date", "topic"]
    assert listed[0]["work"] == suggested["work.0"]  # filled in, though nothing is kept yet
    assert not (folder / "texts" / "works.csv").exists()
    assert {"questioned/Q1/1.txt", "known/lee/1.txt", "reference/author00/1.txt"} <= set(files)
    number = files.index("known/lee/1.txt")
    typed = {f"work.{number}": "Letters", f"date.{number}": "2024-05-31", f"topic.{number}": "boats"}
    assert client.post(f"{path}/works", {**typed, "separate.inputs/reference": "yes"}).status == 303
    assert read_case(folder / "case.toml").reading.metadata == folder / "texts" / "works.csv"
    inputs = read_inputs(read_case(folder / "case.toml"))
    known, q, others = inputs.known["lee"], inputs.questioned["Q1"], inputs.reference
    assert [(text.metadata["work"], text.metadata["date"]) for text in known] == [("Letters", "2024-05-31"), ("", "")]
    assert q[0].metadata["work"] == ""
    assert len({text.metadata["work"] for text in others}) == len(others) == 12
    assert {text.author for text in others} == set(authors(4))
    page = client.wait_for(f"{path}/texts", "Is every file a separate work", without="Reading")
    assert "12 files" not in page.words  # what was said is not proposed again
    assert 'value="Letters"' in page.text
    assert "has rows for files that were not found" not in page.words
    client.post(f"{path}/works", {"separate.questioned/Q1": "names"})
    client.wait_for(f"{path}/texts", "Is every file a separate work", without="Reading")
    assert f"questioned/Q1/1.txt,{suggested['work.0']},," in client.get(f"{path}/works.csv").text
    assert suggested["work.0"]
    # The same by a file that was filled in elsewhere.
    filled = "file,work,date,topic\nknown/lee/2.txt,Diary,2023-01-01,\n"
    given = {"part": "file", "name": "reading.metadata"}
    assert client.upload(f"{path}/upload", given, [("mine.csv", filled.encode())]).status == 303
    client.wait_for(f"{path}/texts", "Is every file a separate work", without="Reading")
    assert "known/lee/2.txt,Diary,2023-01-01," in client.get(f"{path}/works.csv").text
    assert "Letters" not in client.get(f"{path}/works.csv").text
