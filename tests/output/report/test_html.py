"""The report as HTML loads nothing and runs nothing."""

import re
from pathlib import Path

import pytest

from seen_report import Page


@pytest.mark.parametrize("name", ["report", "annexes"])
def test_html_loads_and_runs_nothing(folder: Path, name: str) -> None:
    source = (folder / f"{name}.html").read_text(encoding="utf-8")
    page = Page(source)
    policy = [value for tag, name, value in page.attributes if tag == "meta" and name == "content"]
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in policy
    assert not page.tags & {"script", "link", "iframe", "object", "embed", "form", "base", "video", "audio", "svg"}
    for _, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href", "srcset", "data", "action"):
            assert value.startswith(("data:image/svg+xml;base64,", "#"))
    assert "http" not in re.sub(r"base64,[^\"]*", "", source).replace("http-equiv", "")
    assert "url(" not in source
    assert "@import" not in source
    targets = {value for _, name, value in page.attributes if name == "id"}
    links = {value[1:] for tag, name, value in page.attributes if tag == "a"}
    assert links == targets
