"""Masking options are the arguments of `idiograph.mask`."""

import inspect
from dataclasses import fields

import pytest

from idiograph import InputError
from idiograph.texts.masking.mask import masking_settings
from idiograph.texts.masking.rules import MaskingOptions


def test_names_and_defaults_are_those_of_masking() -> None:
    taken = inspect.signature(masking_settings).parameters
    # What masking cleans is no option: it is done always, except where an earlier result is computed again.
    assert {field.name: field.default for field in fields(MaskingOptions)} == {
        name: parameter.default for name, parameter in taken.items() if name != "clean"
    }


def test_a_method_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match=r"method must be one of .*, not .posnose. \(did you mean posnoise"):
        MaskingOptions(method="posnose")
