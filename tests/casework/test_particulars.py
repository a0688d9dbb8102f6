"""What fills the report: nothing unless it is given, texts alone, and every one documented."""

import pytest

from idiograph.casework.case import Expert, Particulars, Review
from idiograph.errors import InputError
from idiograph.settings import changed, settings_of


@pytest.mark.parametrize("kind", [Expert, Particulars, Review])
def test_nothing_is_given_by_default(kind: type) -> None:
    assert changed(kind()) == {}
    assert all(setting.help.endswith(".") for setting in settings_of(kind))


def test_what_is_not_text_is_refused_in_words() -> None:
    with pytest.raises(InputError, match=r"name must be text in quotation marks, not 3"):
        Expert(name=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"exhibits must be a list of texts in quotation marks"):
        Particulars(exhibits="AB/1")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"remarks must be text in quotation marks"):
        Review(remarks=["none"])  # type: ignore[arg-type]


def test_a_list_of_exhibits_becomes_a_tuple() -> None:
    assert Particulars(exhibits=["AB/1"]).exhibits == ("AB/1",)  # type: ignore[arg-type]
