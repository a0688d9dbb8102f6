import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from idiograph import read_case
from idiograph.files import lock
from idiograph.pages.case_pages import STEPS, step_of
from served import Client, Server, give_texts, new_case


def begun(client: Client, title: str) -> str:
    return client.post("/cases", {"title": title}).headers["location"].split("/")[2]


def version(client: Client, path: str) -> str:
    return re.findall(r'name="version" value="([^"]*)"', client.get(path).text)[0]


def test_a_case_is_begun_with_a_title_and_found_in_the_list(server: Server, client: Client) -> None:
    answer = client.post("/cases", {"title": "The Öl & Gas letters"})
    assert (answer.status, answer.headers["location"]) == (303, "/case/the-%C3%B6l-gas-letters/texts")
    assert (server.folder / "the-öl-gas-letters" / "case.toml").is_file()
    assert "The Öl & Gas letters draft" in client.get("/").words
    assert client.get("/case/the-%C3%B6l-gas-letters").headers["location"].endswith("/texts")


def test_every_step_of_a_new_case_can_be_looked_at(client: Client) -> None:
    name = begun(client, "Every step")
    for step in STEPS:
        page = client.get(f"/case/{name}/{step}")
        assert page.status == 200, step
        assert f'aria-current="step">{ {"plan": "Check and plan"}.get(step, step.capitalize()) }<' in page.text
    assert client.get(f"/case/{name}/nothing").status == 404


def test_the_population_has_no_default_and_nothing_runs_without_it(client: Client) -> None:
    name = begun(client, "No population")
    give_texts(client, name)
    page = client.get(f"/case/{name}/run")
    assert "Say on the page “Question” from which population" in page.words
    assert "Run the case" not in page.words
    refused = client.post(f"/case/{name}/start", {"what": "run"})
    assert (refused.status, "not complete yet: population is missing" in refused.words) == (400, True)
    field = re.findall(r'<textarea id="f-population"[^>]*>(.*?)</textarea>', client.get(f"/case/{name}/question").text)
    assert field == [""]


def test_a_field_is_saved_as_it_is_typed_and_its_error_comes_back(server: Server, client: Client) -> None:
    name = new_case(client, "Typed")
    path = server.folder / name / "case.toml"
    page_text = client.script(f"/case/{name}/settings/method", {"method.order": "ninety"})
    assert page_text["errors"] == {
        "f-method-order": '[method]: order must be a whole number from 1 to 30, not "ninety".'
    }
    page = client.get(f"/case/{name}/method")
    assert 'value="ninety"' in page.text
    assert "order must be a whole number" in page.words
    assert client.script(f"/case/{name}/settings/method", {"method.order": "7"})["errors"] == {}
    assert read_case(path).order == 7
    client.script(f"/case/{name}/settings/method", {"method.order": ""})
    assert read_case(path).order == 10


def test_a_form_without_script_saves_all_of_it_and_goes_on(server: Server, client: Client) -> None:
    name = new_case(client, "Without script")
    path = f"/case/{name}/question"
    fields = {
        "title": "Better",
        "population": "others",
        "propositions.hp": "[candidate] wrote [Q].",
        "propositions.hd": "",
    }
    answer = client.post(f"/case/{name}/settings/question", {**fields, "version": version(client, path)})
    assert (answer.status, answer.headers["location"]) == (303, f"/case/{name}/preparation")
    case = read_case(server.folder / name / "case.toml")
    assert (case.title, case.population, case.hp) == ("Better", "others", "[candidate] wrote [Q].")
    wrong = {"version": version(client, f"/case/{name}/method"), "seed": "-1", "caveats": "One.\nTwo."}
    assert client.post(f"/case/{name}/settings/method", wrong).headers["location"] == f"/case/{name}/method"
    assert "seed must be" in client.get(f"/case/{name}/method").words


def test_two_browsers_do_not_undo_each_others_work(server: Server, client: Client) -> None:
    name = new_case(client, "Two browsers")
    other = server.client()
    other.enter(re.findall(r"http://127\.0\.0\.1:\d+/start\?token=[\w-]+", client.post("/window").text)[0])
    seen = version(other, f"/case/{name}/question")
    client.script(f"/case/{name}/settings/question", {"population": "mine"})
    answer = other.post(f"/case/{name}/settings/question", {"version": seen, "title": "Theirs", "population": "theirs"})
    assert answer.status == 409
    assert "changed in another window" in answer.words
    assert "theirs</textarea>" in answer.text  # what was typed is not lost
    assert read_case(server.folder / name / "case.toml").population == "mine"
    again = re.findall(r'name="version" value="([^"]*)"', answer.text)[0]
    assert other.post(f"/case/{name}/settings/question", {"version": again, "title": "Theirs"}).status == 303
    assert read_case(server.folder / name / "case.toml").title == "Theirs"


def test_a_case_in_use_by_another_program_is_not_changed(server: Server, client: Client) -> None:
    name = new_case(client, "In use")
    held = lock(server.folder / name / ".lock")
    try:
        answer = client.post(
            f"/case/{name}/settings/question", {"title": "x", "version": version(client, f"/case/{name}/question")}
        )
        assert (answer.status, "is in use" in answer.words) == (400, True)
    finally:
        held.release()  # type: ignore[union-attr]


def test_a_case_of_the_command_line_can_be_gone_on_with(server: Server, client: Client, copied: Path) -> None:
    target = server.folder / "from-the-command-line"
    copied.rename(target.parent / "copied-texts")
    (target.parent / "copied-texts" / "case").rename(target)
    page = client.get("/case/from-the-command-line/result")
    assert (page.status, "Finding" in page.words) == (200, True)
    assert "from-the-command-line" in client.get("/").words
    told = client.get("/case/from-the-command-line/texts").words
    assert "outside the case's folder “texts”, so these pages do not change them" in told


@pytest.mark.parametrize(
    ("keys", "step"),
    [
        (("population",), "question"),
        (("propositions", "hp"), "question"),
        (("reading", "encoding"), "texts"),
        (("texts", "recipe"), "preparation"),
        (("primary",), "method"),
        (("a_new_setting",), "method"),
        (("expert", "name"), "particulars"),
        (("a_new_table", "x"), "particulars"),
    ],
)
def test_whatever_a_case_file_comes_to_hold_has_a_step(keys: tuple[str, ...], step: str) -> None:
    assert step_of(keys) == step


def test_every_field_has_a_label_and_a_sentence_of_help(client: Client) -> None:
    name = begun(client, "Labels")
    for step in ("texts", "question", "method"):
        text = client.get(f"/case/{name}/{step}").text
        ids = re.findall(r'<(?:input|select|textarea) id="(f-[^"]+)"', text)
        assert ids
        for id in ids:
            assert f'<label for="{id}">' in text
            helped = re.findall(rf'<p class="help" id="{id}-help">([^<]*)</p>', text)
            assert len(helped[0]) > 10, id
            assert f'aria-describedby="{id}-help' in text


def test_no_page_runs_or_styles_anything_inline(client: Client) -> None:
    name = begun(client, "Inline")
    for path in ("/", "/studies", "/glossary", *(f"/case/{name}/{step}" for step in STEPS)):
        text = client.get(path).text
        assert not re.search(r"<script(?! src=\"/static/app\.js\")|<style| style=| on[a-z]+=|javascript:", text), path
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//', text), path
        assert unescape(re.findall(r"<h1>(.*?)</h1>", text, re.DOTALL)[0])
        assert text.count("<main") == text.count("<header") == text.count("<footer") == 1


def test_pages_are_light(client: Client, filed_here: "object") -> None:
    """Below 200 kB each, with everything that comes along."""
    along = sum(len(client.get(f"/static/{file}").body) for file in ("app.css", "app.js", "icon.svg"))
    name = filed_here.name  # type: ignore[attr-defined]
    for path in ("/", "/studies", "/glossary", *(f"/case/{name}/{step}" for step in STEPS)):
        assert len(client.get(path).body) + along < 200_000, path


def test_a_case_is_moved_to_the_bin_and_put_back(client: Client, server: Server) -> None:
    name = new_case(client, "To be removed", n_authors=2)
    assert client.post(f"/case/{name}/bin").status == 303
    assert not (server.folder / name).exists()
    page = client.get("/")
    assert "The bin: 1 removed case" in page.words
    assert f'href="/case/{name}"' not in page.text
    assert client.get(f"/case/{name}/texts").status == 404
    client.post("/cases", {"title": "To be removed"})  # the name is free again, and taken when the first comes back
    assert client.post("/back", {"case": name}).headers["location"] == f"/case/{name}-2"
    assert (server.folder / f"{name}-2" / "case.toml").is_file()
    assert "The bin" not in client.get("/").words
    assert client.post("/back", {"case": "nothing"}).status == 404
    assert client.post("/back", {"case": "../.."}).status in (400, 404)


def test_an_example_is_ready_to_be_run(client: Client, server: Server) -> None:
    answer = client.post("/example")
    name = answer.headers["location"].split("/")[2]
    case = read_case(server.folder / name / "case.toml")
    assert list(case.known) == ["Lincoln", "Johnson"]
    assert "Before it can be run" not in client.get(f"/case/{name}/run").words
    assert len(list(case.reference.iterdir())) > 15
    client.post(f"/case/{name}/bin")


def test_every_step_says_how_far_it_is(client: Client) -> None:
    name = client.post("/cases", {"title": "Steps"}).headers["location"].split("/")[2]
    page_text = client.get(f"/case/{name}/question").words
    assert "Texts to do Question to do Preparation optional Method optional Particulars optional" in page_text
    assert "Check and plan to do Run to do Result to do Runs optional" in page_text
    give_texts(client, name)
    client.script(f"/case/{name}/settings/question", {"population": "people"})
    page_text = client.get(f"/case/{name}/question").words
    assert "Texts done Question done Preparation optional Method done Particulars optional" in page_text
    client.script(f"/case/{name}/settings/method", {"method.repetitions": "-3"})
    assert "Method problem" in client.get(f"/case/{name}/question").words
    client.script(f"/case/{name}/settings/method", {"method.repetitions": "3"})
    client.wait_for(f"/case/{name}/plan", "Check and plan (done|problem)")
    client.post(f"/case/{name}/start", {"what": "quick"})
    page_text = client.wait_for(f"/case/{name}/run", "Done: run 1 is filed").words
    assert "Run done Result" in page_text
    client.script(f"/case/{name}/settings/method", {"seed": "5"})
    assert "Run to do Result" in client.get(f"/case/{name}/run").words
    bad = [("bad.txt", b"\xff\xfe\x00\xd8")]
    assert client.upload(f"/case/{name}/upload", {"part": "known", "name": "lee"}, bad).status == 303
    client.wait_for(f"/case/{name}/texts", "Texts problem")


def test_every_page_of_a_damaged_case_says_so_first(server: Server, client: Client) -> None:
    folder = server.folder / begun(client, "Damaged file")
    (folder / "case.toml").write_text('schema = 1\ntitle = "Damaged\n')
    for step in ("texts", "question", "run", "result"):
        page_text = client.get(f"/case/{folder.name}/{step}").words
        assert "Texts problem Question problem" in page_text
        assert "Run problem Result to do" in page_text
        assert "is not valid TOML" in page_text.partition("Runs optional")[2][:200], step
    shutil.rmtree(folder)
