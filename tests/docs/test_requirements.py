"""Every promise has a test that exists; one without fails the check."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = runpy.run_path(str(ROOT / "docs" / "requirements.py"))
GOOD = """
[[promise]]
id = "R-001"
about = "numbers"
text = "It adds up."
tests = ["tests/test_digits.py::test_what_is_forbidden_is_found"]
"""


def test_every_promise_is_shown_by_tests_that_exist_and_the_page_lists_them() -> None:
    listed = REQUIREMENTS["promises"](REQUIREMENTS["PROMISES"].read_text(encoding="utf-8"))
    assert len(listed) >= 30
    page = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    for promise in listed:
        assert promise.text in page
        for test in promise.tests:
            assert f"`{test}`" in page
            file, name = test.split("::")
            assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8")
    assert {promise.about for promise in listed} == {"numbers", "refusals", "durability", "privacy"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('["tests/test_digits.py::test_what_is_forbidden_is_found"]', "[]"), "R-001 has no test"),
        (
            ("test_what_is_forbidden_is_found", "test_gone"),
            "names tests/test_digits.py::test_gone, which does not exist",
        ),
        (("tests/test_digits.py", "tests/test_gone.py"), "which does not exist"),
        (("R-001", "R-002"), "should be R-001"),
        (("numbers", "beauty"), "which is none of"),
    ],
)
def test_a_promise_that_nothing_shows_fails_the_check(change: tuple[str, str], said: str) -> None:
    assert len(REQUIREMENTS["promises"](GOOD)) == 1
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        REQUIREMENTS["promises"](GOOD.replace(*change))
