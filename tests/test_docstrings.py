"""What help() says: every parameter of every public function and method is named where it is explained."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import idiograph
from idiograph.settings import settings_of

# Results, which nobody makes: a comment beside each field says what it holds.
RESULTS = {"Calibrator", "Filed", "Prepared", "Score", "Verification"}
INNER = {"ReadingOptions": {"rules", "clean"}}  # not for users: what replays of older cases are read by


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function, every class that people make, and their public methods."""
    for name in idiograph.__all__:
        public_object = getattr(idiograph, name)
        if not inspect.isclass(public_object):
            if callable(public_object):
                yield name, public_object
            continue
        if not issubclass(public_object, Exception) and name not in RESULTS:
            yield name, public_object
        for method, what in inspect.getmembers(public_object, callable):
            if not method.startswith("_") and not issubclass(public_object, Exception):
                yield f"{name}.{method}", what


@pytest.mark.parametrize(("name", "call"), [pytest.param(name, call, id=name) for name, call in public()])
def test_every_parameter_is_named(name: str, call: Callable[..., Any]) -> None:
    docstring = inspect.getdoc(call) or ""
    described = (
        {setting.name for setting in settings_of(call) if setting.help}
        if hasattr(call, "__dataclass_fields__")
        else set()
    )
    wanted = set(inspect.signature(call).parameters) - {"self", "cls"} - described - INNER.get(name, set())
    assert {parameter for parameter in wanted if f"`{parameter}`" not in docstring} == set()


def test_there_is_much_to_look_at() -> None:
    assert sum(1 for _ in public()) > 90


def test_every_error_says_what_it_is() -> None:
    errors = [name for name in idiograph.__all__ if name.endswith("Error")]
    assert len(errors) == 6
    for name in errors:
        assert (getattr(idiograph, name).__doc__ or "").endswith(".")
