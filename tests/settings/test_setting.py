"""What a setting says about itself."""

from docs.tables import settings_table

from idiograph.settings import settings_of
from made_settings import Part, Whole


def test_limits_and_defaults_are_said_once_for_help_and_documentation() -> None:
    found = {one.name: (one.limits, one.usual) for one in settings_of(Whole)}
    assert found["kind"] == ("text, mail", "text")
    assert found["share"] == ("0 to 1", "0.4")
    assert found["weight"] == ("0 or more", "1.0")
    assert found["seed"] == ("0 or more", "1")
    assert found["use"] == ("hapax, raw", '["hapax"]')
    assert found["loud"] == ("", "true")
    assert found["known"] == found["part"] == ("", "")


def test_the_documentation_has_a_row_for_every_key_with_its_table() -> None:
    rows = settings_table(Whole).splitlines()
    assert rows[:2] == ["| key | meaning | default |", "|---|---|---|"]
    assert "| `[inputs]` `texts` | The reference texts. | required |" in rows
    assert "| `share` | The share of authors. (0 to 1) | `0.4` |" in rows
    assert r"| `caveats` | Sentences with [Q] \| of your own. |  |" in rows
    assert "| `[part]` `size` | How big. (0 or more) | `1` |" in rows
    assert "| `[[parts]]` `size` | How big. (0 or more) | `1` |" in rows
    assert "| `part` | A part. |  |" in settings_table(Whole, brief=[Part]).splitlines()
    assert len(rows) == 2 + len(settings_of(Whole)) - 2 + 2 * len(settings_of(Part))
