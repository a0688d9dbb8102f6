"""The tables of the documentation have what there is."""

from pathlib import Path

from docs.language_tables import languages_table, taggers_table

from idiograph.texts.language import LANGUAGES, stop_words
from idiograph.texts.masking.models import TAGGERS, find_model

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")


def test_every_language_has_a_row_with_its_routes() -> None:
    rows = {row.split("|")[1].strip(" `"): row for row in languages_table().splitlines()[2:]}
    assert list(rows) == sorted(LANGUAGES)
    assert (
        "| 543 words | `hanta_de` | yes | in each case alone; [one study of speeches](#list-against-tagger) |"
        in rows["de"]
    )
    assert "in each case alone; [one study of novels](#list-against-tagger) |" in rows["fr"]
    assert "in each case alone; [one study of poems](#list-against-tagger) |" in rows["zh"]
    assert "| 381 words | a spaCy model of your own | yes | in each case alone |" in rows["pl"]
    assert "| your own word list | a spaCy model of your own | no: no list |" in rows["nn"]
    assert f"{len(stop_words('ja'))} words; needs SudachiPy and SudachiDict-core" in rows["ja"]
    assert "no: the list is too short" in rows["dsb"]
    assert "[published study](validation/README.md)" in rows["en"]


def test_every_tagger_has_a_row_with_its_licence_and_digest() -> None:
    rows = taggers_table().splitlines()[2:]
    for row, tagger in zip(rows, TAGGERS.values(), strict=True):
        assert f"| `{tagger.model}` | `{tagger.package}` {tagger.version} | {tagger.licence} " in row
        assert f"`{tagger.digest[:16]}…`" in row
    assert "POSNoise's, v3.0" in rows[[*TAGGERS].index("hanta_de")]


def test_the_digests_in_the_table_are_those_of_the_installed_packages() -> None:
    for tagger in TAGGERS.values():
        if tagger.language != "es":  # in no extra
            assert find_model(tagger.model).digest == tagger.digest


def test_the_page_holds_the_tables() -> None:
    for name, table in (("languages", languages_table()), ("taggers", taggers_table())):
        shown = PAGE.split(f"<!-- {name}:begin -->\n")[1].split(f"<!-- {name}:end -->")[0]
        assert shown == table
    assert "## List against tagger\n" in PAGE
