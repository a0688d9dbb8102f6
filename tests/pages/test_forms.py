from dataclasses import dataclass
from pathlib import Path
from typing import Any

from idiograph import Case
from idiograph.pages.case_pages import step_of
from idiograph.pages.drafts import CASE, Draft
from idiograph.pages.forms import FormField, file_fields, groups, located, typed
from idiograph.settings import setting, settings_of


@dataclass(frozen=True, kw_only=True)
class Inner:
    name: str = setting("", help="Whose.")


@dataclass(frozen=True, kw_only=True)
class Everything:
    """One setting of every kind."""

    title: str = setting("", help="A title.")
    words: str = setting(help="Needed.", allows=bool)
    order: int = setting(10, minimum=1, maximum=30, help="How long.")
    share: float = setting(0.5, help="How much.")
    on: bool = setting(False, help="Whether.")
    scale: str = setting("a", choices=("a", "b_c"), help="Which.")
    names: tuple[str, ...] = setting((), help="Who.")
    use: tuple[str, ...] = setting(("a",), choices=("a", "b"), table="methods", help="Which ones.")
    maybe: str | None = setting(None, help="If any.")
    file: Path | None = setting(None, help="A file.")
    inner: Inner = setting(factory=Inner)


def draft(problem: str = "", **content: Any) -> Draft:
    return Draft(Path("x"), CASE, content, "v", None, problem)


def fields(held: Draft) -> dict[str, FormField]:
    return {field.name: field for group in groups(Everything, held, lambda *_: True) for field in group.fields}


def test_every_setting_gets_a_field_of_its_kind_with_its_help() -> None:
    by_name = fields(draft())
    assert {name: field.shape for name, field in by_name.items()} == {
        "title": "line", "words": "area", "order": "number", "share": "number", "on": "choice", "scale": "choice",
        "names": "lines", "methods.use": "several", "maybe": "line", "inner.name": "line",
    }  # fmt: skip
    assert by_name["words"].required
    assert (by_name["order"].help, by_name["order"].limits, by_name["order"].usual) == ("How long.", "1 to 30", "10")
    assert by_name["scale"].choices == (("a", "a"), ("b_c", "b c"))
    assert by_name["on"].choices == (("true", "yes"), ("false", "no"))


def test_no_field_takes_a_path() -> None:
    assert "file" not in fields(draft())
    (given,) = file_fields(Everything, draft(file="texts/x.csv"), lambda *_: True)
    assert (given.name, given.shape, given.value) == ("file", "file", "texts/x.csv")


def test_fields_hold_what_the_file_holds() -> None:
    by_name = fields(
        draft(order=7, on=True, names=["a", "b"], methods={"use": ["b"]}, inner={"name": "Lee"}, title="<b>")
    )
    assert {name: field.value for name, field in by_name.items() if field.value} == {
        "title": "<b>", "order": "7", "on": "true", "names": "a\nb", "methods.use": "b", "inner.name": "Lee",
    }  # fmt: skip
    assert by_name["methods.use"].values == ("b",)


def test_an_error_stands_at_its_field() -> None:
    by_name = fields(draft(problem='[method]: order must be a whole number from 1 to 30, not "x".'))
    assert [name for name, field in by_name.items() if field.error] == ["order"]
    assert not any(field.error for field in fields(draft(problem="words is missing. Needed.")).values())


def test_what_is_typed_becomes_values_of_the_kind_that_the_file_has() -> None:
    every = groups(Everything, draft(), lambda *_: True)
    posted = {
        "title": " A ", "order": "12", "share": "0.25", "on": "false", "names": "a\r\n\r\n b ", "maybe": "",
        "methods.use.sent": "1", "unknown": "x",
    }  # fmt: skip
    assert typed(every, posted, {"methods.use": ["b", "z"]}) == {
        ("title",): "A", ("order",): 12, ("share",): 0.25, ("on",): False, ("names",): ["a", "b"], ("maybe",): None,
        ("methods", "use"): ["b"],
    }  # fmt: skip
    assert typed(every, {"order": "twelve"}, {}) == {("order",): "twelve"}
    assert typed(every, {"methods.use.sent": "1"}, {}) == {("methods", "use"): None}


def test_every_setting_of_a_case_is_asked_for_on_exactly_one_step_or_given_as_texts() -> None:
    shown = [
        field.keys
        for step in ("texts", "question", "preparation", "method", "particulars")
        for group in groups(Case, draft(), lambda keys, _, step=step: step_of(keys) == step)
        for field in group.fields
    ]
    assert len(shown) == len(set(shown))
    not_typed = {keys for keys, _ in located(Case)} - set(shown)
    given = {field.keys for field in file_fields(Case, draft(), lambda *_: True)}
    assert not_typed == {("questioned",), ("known",), *given}
    assert given >= {("inputs", "reference"), ("reading", "metadata")}
    assert len(settings_of(Case)) > 15
