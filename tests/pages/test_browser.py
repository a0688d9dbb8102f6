"""The pages in a real browser: a newcomer's walk, the keyboard, a narrow and a dark screen, and without any script.

With IDIOGRAPH_SCREENSHOTS set to a folder, the pictures are kept there.
"""

import json
import re
import runpy
from pathlib import Path

import pytest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browsing import BROWSER, NO_BROWSER, Browser, browser
from idiograph.output.html import html
from idiograph.output.report import report
from made_texts import write_case
from made_up_case import verification
from served import Server, new_case, served, write_folder

KNOWN = "form.drop:has(#new-known) .hint"
REFERENCE = "form.drop:has(input[name=part][value=reference]) .hint"
_FIRST_WORDS = """
return [...document.querySelectorAll("td:first-child")].filter((cell) => /^[A-Z][a-z]{3,7}$/.test(cell.innerText))
  .map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return [cell.innerText, range.getClientRects().length];
  });
"""

_MOVED = """
const figure = document.querySelector("figure.value");
figure.scrollLeft = 999;
return [document.documentElement.scrollWidth, figure.scrollLeft];
"""


def test_a_newcomer_walks_from_an_empty_folder_to_a_filed_report_with_two_candidates(tmp_path: Path) -> None:
    texts = write_case(tmp_path / "texts", n_authors=6)
    write_folder(texts / "kim", "kim", [1, 2])
    with served(tmp_path / "cases") as server, browser(tmp_path / "profile") as seen:
        seen.open(server.address)
        seen.wait_for("How a case goes")
        seen.picture("01-empty")
        seen.type("Title of a new case", "The harbour letters")
        seen.click("New case")
        seen.drop("form.drop:has(#new-questioned) .hint", texts / "q.txt")
        seen.wait_for("Change the files of Q1")
        for name, folder in (("Lee", "known"), ("Kim", "kim")):
            if name == "Kim":
                seen.click("Add another candidate")
            seen.type("Name of a candidate", name)
            seen.drop(KNOWN, texts / folder)
            seen.wait_for(f"Change the files of {name}")
        seen.drop(REFERENCE, texts / "reference")
        seen.wait_for("6 authors")
        seen.picture("02-texts")
        seen.click("Continue to the question")
        seen.type("Population", "made-up people who write about boats")
        seen.wait_for("Saved.")
        seen.picture("03-question")
        seen.click("Save and continue")
        seen.wait_for("Use it and show what it changes")
        seen.picture("04-preparation")
        seen.click("Continue to the method")
        Select(seen.labelled("Method")).select_by_value("hapax")
        Select(seen.labelled("Masking")).select_by_value("masked")
        seen.click("Settings that hardly ever need to be changed")
        seen.type("Reference models", "3")
        seen.picture("05-method")
        seen.click("Save and continue")
        seen.wait_for("Who reports to whom")
        seen.click("Check and plan")
        seen.wait_for("The reference has 6 authors; 20 or more are wanted.")
        seen.picture("06-plan")
        seen.click("Continue to the run")
        seen.click("Run the case")
        seen.wait_for("Validating Q1 and Lee")
        assert "times more likely" not in seen.text
        seen.picture("07-running")
        seen.wait_for("run 1 is filed")
        seen.click("See the result")
        seen.wait_for("All comparisons")
        ours = json.loads((server.folder / "the-harbour-letters" / "result.json").read_text())
        for comparison in ours["comparisons"]:
            assert comparison["conclusion"] in seen.text
            validation = comparison["validation"]
            n_same, n_different = validation["n_same"], validation["n_different"]
            assert f"tried on {n_same} problems with one author and {n_different} problems with" in seen.text
        assert seen.text.count("Range as calculated") == 2
        assert ours["comparisons"][0]["candidate"] + " wrote Q1 than if " in seen.text or "choose between" in seen.text
        seen.click("Look the words up in K and the reference")
        seen.wait(lambda: not seen.find("form[data-lookup] button").is_displayed(), "the words")
        show_images(seen)  # they move what stands below them when they come
        word = seen.find("#map a.p3")
        seen.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", word)
        ActionChains(seen.driver).move_to_element(word).perform()
        seen.wait_for("in the reference (")
        assert word.text in seen.find("#word").text
        seen.picture("08-result")
        report = seen.find("a[href$='report.html']").get_attribute("href")
        seen.click("Cases")
        seen.wait_for("filed")
        seen.picture("09-cases")
        assert seen.complaints == []
        seen.open(report)
        assert "Kim" in seen.text
        assert (
            seen.driver.execute_script("return document.fonts ? window.origin : ''") == "null"
        )  # cut off from our pages


def test_everything_works_without_script(tmp_path: Path) -> None:
    texts = write_case(tmp_path / "texts", n_authors=5)
    with served(tmp_path / "cases") as server, browser(tmp_path / "profile", script=False) as seen:
        seen.open(server.address)
        seen.type("Title of a new case", "Plain")
        seen.click("New case")
        give(seen, "form.drop:has(#new-questioned)", texts / "q.txt")
        seen.wait_for("Change the files of Q1")
        seen.type("Name of a candidate", "lee")
        give(seen, "form.drop:has(#new-known)", texts / "known", folder=True)
        seen.wait_for("Change the files of lee")
        give(seen, "form.drop:has(input[name=part][value=reference])", texts / "reference", folder=True)
        seen.wait_for("5 authors")
        seen.click("Question")
        seen.type("Population", "people")
        seen.click("Save and continue")
        seen.click("Method")
        Select(seen.labelled("Method")).select_by_value("hapax")
        Select(seen.labelled("Masking")).select_by_value("masked")
        seen.click("Settings that hardly ever need to be changed")
        seen.type("Reference models", "3")
        seen.click("Save and continue")
        seen.click("Run")
        seen.click("A quick run without validation")
        seen.click("Quick run")
        seen.wait_for("run 1 is filed")  # the page loads itself again
        seen.click("See the result")
        seen.wait(lambda: seen.find("#map a.p3").click() is None, "a word")
        seen.wait_for("more expected in K")
        assert "word=" in seen.driver.current_url


def show_images(seen: Browser) -> None:
    """Has every figure loaded, and waits for that."""
    seen.driver.execute_script("document.querySelectorAll('img').forEach((one) => { one.loading = 'eager'; })")
    seen.wait(lambda: all(image.get_property("naturalWidth") > 0 for image in seen.all("img")), "the figures")


def give(seen: Browser, form: str, path: Path, *, folder: bool = False) -> None:
    """Chooses files or a folder, and presses the button."""
    field = seen.find(f"{form} input[type=file]{'[webkitdirectory]' if folder else ':not([webkitdirectory])'}")
    field.send_keys(str(path))
    seen.wait(lambda: seen.find(f"{form} button").click() is None, "the button")


def test_keyboard_narrow_and_dark(filed_here: object, server: Server, tmp_path: Path) -> None:
    client, name = filed_here.client, filed_here.name  # type: ignore[attr-defined]
    address = re.findall(r"http://127\.0\.0\.1:\d+/start\?token=[\w-]+", client.post("/window").text)[0]
    empty = new_case(client, "Narrow")
    with browser(tmp_path / "profile", width=500, dark=True) as seen:
        seen.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        )
        seen.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        )
        seen.open(address)
        # The first stop of the tab key leads past the navigation.
        seen.driver.switch_to.active_element.send_keys(Keys.TAB)
        assert seen.driver.switch_to.active_element.text == "Skip to the content"
        begun = [f"/case/{empty}/{step}" for step in ("texts", "question", "method")]
        run = [f"/case/{name}/{step}" for step in ("run", "result", "runs")]
        for path in ("/", "/studies", "/glossary", *begun, *run):
            seen.open(client.origin + path)
            wide = seen.driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= 400, f"{path} is {wide} pixels wide"
            assert all(word.rect["x"] + word.rect["width"] <= 400 for word in seen.all("figure img"))  # as a whole
            seen.picture(f"narrow{path.replace('/', '-')}")
            paper, ink = (
                sum(map(int, re.findall(r"\d+", seen.find("body").value_of_css_property(of))[:3]))
                for of in ("background-color", "color")
            )
            assert paper < 150 < ink  # dark
        # So do report and annexes show every figure whole, and no word of a narrow column falls to pieces.
        for document in ("report", "annexes"):
            seen.open(f"{client.origin}/case/{name}/result")
            seen.open(seen.find(f"a[href$='{document}.html']").get_attribute("href"))
            assert [image.rect for image in seen.all("figure img") if image.rect["x"] + image.rect["width"] > 400] == []
        first_words = seen.driver.execute_script(_FIRST_WORDS)
        assert {word for word, _ in first_words} >= {"Caution"}
        assert {n_lines for _, n_lines in first_words} == {1}
        # The picture of the value is moved within its place instead, so that it can be read.
        (tmp_path / "report.html").write_text(html(report(verification())), encoding="utf-8")
        seen.open((tmp_path / "report.html").as_uri())
        (value,) = (round(image.rect["width"]) for image in seen.all("figure.value img"))
        wide, moved = seen.driver.execute_script(_MOVED)
        assert value == 480
        assert wide <= 400
        assert moved >= 96
        # Arrow keys walk through the heat map, and what they meet is said.
        seen.open(f"{client.origin}/case/{name}/result")
        show_images(seen)
        first = seen.find("#map a")
        first.send_keys("")
        seen.driver.execute_script("arguments[0].focus()", first)
        seen.wait_for("sentence 1:")
        told = seen.find("#word").text
        seen.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        seen.wait(lambda: seen.find("#word").text != told, "another word")
        third = seen.all("#map a")[2]
        assert seen.driver.switch_to.active_element == third
        assert [link.get_attribute("tabindex") for link in seen.all("#map a")[:4]] == ["-1", "-1", "0", "-1"]
        assert seen.find("#word").get_attribute("aria-live") == "polite"
        assert seen.complaints == []


def test_what_is_typed_survives_a_closed_browser_and_another_site_gets_nothing(
    server: Server, filed_here: object, tmp_path: Path
) -> None:
    client = filed_here.client  # type: ignore[attr-defined]
    name = new_case(client, "Closed")
    address = re.findall(r"http://127\.0\.0\.1:\d+/start\?token=[\w-]+", client.post("/window").text)[0]
    with browser(tmp_path / "profile") as seen:
        seen.open(address)
        seen.open(f"{client.origin}/case/{name}/question")
        seen.type("Population", "typed and never saved by hand")
        seen.wait_for("Saved.")
        # A file that the server would cut off is not even sent; the one of the tests takes 1 MB.
        (tmp_path / "big.txt").write_bytes(b"x" * 1_100_000)
        seen.open(f"{client.origin}/case/{name}/texts")
        seen.click("Add another questioned text")
        seen.drop("form.drop:has(#new-questioned) .hint", tmp_path / "big.txt")
        seen.wait_for("big.txt has more than 1 MB, so nothing was sent.")
        # A page of another site, as a file, with a form that points here.
        forged = tmp_path / "forged.html"
        fields = '<input name="title" value="Forged"><button>x</button>'
        forged.write_text(f'<form method="post" action="{client.origin}/cases">{fields}</form>')
        seen.open(forged.as_uri())
        seen.find("button").click()
        seen.wait_for("did not come from one of Idiograph's own pages")
    assert 'population = "typed and never saved by hand"' in (server.folder / name / "case.toml").read_text()
    assert "Forged" not in client.get("/").words


def test_nothing_typed_is_lost_and_a_killed_server_is_noticed(tmp_path: Path) -> None:
    texts = write_case(tmp_path / "texts", n_authors=5)
    with served(tmp_path / "cases") as server, browser(tmp_path / "profile") as seen:
        seen.open(server.address)
        seen.type("Title of a new case", "Typed")
        seen.click("New case")
        # A name that is typed while other files are copied and read is still there afterwards, and so is its focus.
        seen.type("Name of a candidate", "Somebody")
        seen.drop("form.drop:has(#new-questioned) .hint", texts / "q.txt")
        seen.wait_for("Change the files of Q1")
        seen.wait(lambda: seen.labelled("Name of a candidate").get_property("value") == "Somebody", "what was typed")
        seen.wait(lambda: seen.driver.switch_to.active_element == seen.labelled("Name of a candidate"), "its focus")
        seen.drop(REFERENCE, texts / "reference")
        seen.wait_for("5 authors")
        seen.wait(lambda: seen.labelled("Name of a candidate").get_property("value") == "Somebody", "what was typed")
        # What misses every field changes nothing, and takes nobody away from the page.
        seen.drop("h1", texts / "q.txt")
        seen.wait_for("Drop files onto one of the fields")
        assert seen.labelled("Name of a candidate").get_property("value") == "Somebody"
        # Files may come before their name.
        seen.type("Name of a candidate", "")
        seen.drop(KNOWN, texts / "known")
        seen.wait_for("2 files wait here: type the name")
        seen.labelled("Name of a candidate").send_keys("Lee", Keys.TAB)
        seen.wait_for("Change the files of Lee")
        seen.wait(lambda: seen.labelled("Name of a candidate").get_property("value") == "", "an empty name")
        seen.picture("typed")
        assert seen.complaints == []
        seen.click("Question")
        seen.type("Population", "people")
        seen.wait_for("Saved.")
        seen.click("Run")
        seen.wait_for("Run the case")
        assert not seen.find("#gone").is_displayed()
        server.kill()
        seen.wait_for("Idiograph is not answering")
        seen.picture("gone")


def test_the_picture_in_the_documentation_can_be_made_again(tmp_path: Path) -> None:
    if BROWSER is None:
        pytest.skip(NO_BROWSER)
    docs = Path(__file__).resolve().parents[2] / "docs"
    runpy.run_path(str(docs / "app_picture.py"))["picture"](tmp_path / "app.png")
    with Image.open(tmp_path / "app.png") as taken, Image.open(docs / "app.png") as kept:
        assert taken.size == kept.size
    for picture in (tmp_path / "app.png", docs / "app.png"):
        assert 10_000 < picture.stat().st_size < 200_000
