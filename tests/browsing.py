"""A real browser without a screen: Debian's chromium and its driver, where they are installed."""

import base64
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

BROWSER, DRIVER = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
PATIENCE = 240  # seconds until something that must come is given up
ASKED = 0.15  # seconds after which a page that has not said it is read again: laying it out takes the browser's time
NO_BROWSER = "no browser (chromium and chromedriver) is installed"
SCREENSHOTS = "IDIOGRAPH_SCREENSHOTS"  # a folder to keep the screenshots in
_DROPPED = """
const place = arguments[0];
window.dropped = false;
window.addEventListener("drop", (event) => {
  window.dropped = place.contains(event.target);
  if (!window.dropped) { event.stopImmediatePropagation(); event.preventDefault(); }
}, { capture: true, once: true });
"""


@contextmanager
def browser(
    profile: Path, *, script: bool = True, width: int = 1100, dark: bool = False, pictures: Path | None = None
) -> Iterator["Browser"]:
    """A browser of its own; whatever it asks of any machine but this one fails."""
    if BROWSER is None or DRIVER is None:
        pytest.skip(NO_BROWSER)
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        f"--user-data-dir={profile}",
        f"--window-size={width},900",
        *(["--force-dark-mode", "--enable-features=WebContentsForceDark:inversion_method/none"] if dark else []),
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield Browser(driver, script=script, pictures=pictures)
    finally:
        driver.quit()


class Browser:
    """What a newcomer does: reads, types, clicks and drops."""

    def __init__(self, driver: Any, *, script: bool, pictures: Path | None) -> None:
        self.driver = driver
        self.script = script
        kept = os.environ.get(SCREENSHOTS)
        self.pictures = Path(kept) if kept else pictures
        if self.pictures is not None:
            self.pictures.mkdir(parents=True, exist_ok=True)

    @property
    def text(self) -> str:
        return str(self.driver.find_element(By.TAG_NAME, "body").text)

    def open(self, address: str) -> None:
        self.driver.get(address)

    def find(self, css: str) -> WebElement:
        return self.wait(lambda: self.driver.find_element(By.CSS_SELECTOR, css), css)

    def all(self, css: str) -> list[WebElement]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, css))

    def click(self, label: str) -> None:
        """Clicks the link, button or heading of a fold that says this, again where the page moved under the pointer."""
        path = f"//*[self::a or self::button or self::summary][normalize-space()='{label}']"

        def clicked() -> bool:
            element = self.driver.find_element(By.XPATH, path)
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            if not self.script:
                element.click()
                return True
            heard = "arguments[0].addEventListener('click', () => { window.clicked = true }, { capture: true })"
            self.driver.execute_script(f"window.clicked = false; {heard}", element)
            element.click()
            try:
                return bool(self.driver.execute_script("return window.clicked !== false"))
            except WebDriverException:  # the next page is on its way
                return True

        self.wait(clicked, label)

    def type(self, label: str, text: str) -> None:
        """Types into the field with this label."""

        def typed() -> bool:
            field = self.labelled(label)
            field.clear()
            field.send_keys(text)
            return bool(field.get_property("value") == text)

        self.wait(typed, label)

    def labelled(self, label: str) -> WebElement:
        path = f"//label[starts-with(normalize-space(), '{label}')]"
        label_element = self.wait(lambda: self.driver.find_element(By.XPATH, path), label)
        return self.driver.find_element(By.ID, label_element.get_attribute("for"))

    def drop(self, css: str, *paths: Path) -> None:
        """Drops real files or folders onto a place of the page."""
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}

        def dropped() -> bool:
            target = self.driver.find_element(By.CSS_SELECTOR, css)
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", target)
            box = self.driver.execute_script(
                "const b = arguments[0].getBoundingClientRect(); return [b.x + b.width / 2, b.y + 12]", target
            )
            # Where the page moved meanwhile, what is dropped reaches nobody, and is dropped again.
            self.driver.execute_script(_DROPPED, target)
            for kind in ("dragEnter", "dragOver", "drop"):
                self.driver.execute_cdp_cmd(
                    "Input.dispatchDragEvent", {"type": kind, "x": box[0], "y": box[1], "data": data}
                )
            return bool(self.driver.execute_script("return window.dropped"))

        self.wait(dropped, css)

    def wait(self, question: Any, what: str) -> Any:
        def asked(_: Any) -> Any:
            try:
                return question()
            except Exception:
                return None

        try:
            return WebDriverWait(self.driver, PATIENCE, ASKED).until(asked)
        except TimeoutException:
            raise AssertionError(f"{what!r} never came: {self.text[-1500:]}") from None

    def wait_for(self, words: str) -> None:
        """Waits until the page says something."""
        self.wait(lambda: words in self.text, words)

    def picture(self, name: str) -> Path | None:
        """Keeps a picture of the whole page, where somebody wants them."""
        if self.pictures is None:
            return None
        size = self.driver.execute_script("return [document.body.scrollWidth, document.body.scrollHeight]")
        screenshot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {
                "captureBeyondViewport": True,
                "clip": {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 4000), "scale": 1},
            },
        )
        path = self.pictures / f"{name}.png"
        path.write_bytes(base64.b64decode(screenshot["data"]))
        return path

    @property
    def complaints(self) -> list[str]:
        """What the browser complained of, such as anything that the page's policy forbids."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
