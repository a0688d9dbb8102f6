"""Settings: what each says about itself, read from files and options, and written so that they read back the same."""

import math
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docs.tables import settings_table
from hypothesis import given
from hypothesis import strategies as st

from idiograph import InputError, StudyError
from idiograph.settings import read_settings, settings_from_options, settings_of, to_toml
from made_settings import Part, Whole


def test_limits_and_defaults_are_said_once_for_help_and_documentation() -> None:
    notes = {setting.name: (setting.limits, setting.usual) for setting in settings_of(Whole)}
    assert notes["kind"] == ("text, mail", "text")
    assert notes["share"] == ("0 to 1", "0.4")
    assert notes["weight"] == ("0 or more", "1.0")
    assert notes["seed"] == ("0 or more", "1")
    assert notes["use"] == ("hapax, raw", '["hapax"]')
    assert notes["loud"] == ("", "true")
    assert notes["known"] == notes["part"] == ("", "")


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


NEEDED: dict[str, Any] = {"schema": 1, "known": {"Lee": "lee.txt"}, "inputs": {"texts": "others"}}


def read(**content: Any) -> Whole:
    return read_settings(Whole, {**NEEDED, **content}, where="case.toml", schema=1, folder=Path("cases"))


def refusal(**content: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(**content)
    return str(caught.value)


def test_tables_keys_and_nested_settings_are_found_where_they_stand() -> None:
    settings = read(
        part={"size": 3, "loud": False, "file": "a/b.txt"},
        parts=[{}, {"size": 2}],
        methods={"use": ["raw"]},
        seed=[1, 2],
        share=1,
        lengths=[[1, 2]],
    )
    assert settings.known == {"Lee": Path("cases/lee.txt")}
    assert settings.reference == Path("cases/others")
    assert settings.part == Part(size=3, file=Path("cases/a/b.txt"))
    assert settings.loud is False
    assert settings.parts == (Part(), Part(size=2))
    assert settings.use == ("raw",)
    assert settings.seed == (1, 2)
    assert settings.share == 1.0
    assert isinstance(settings.share, float)
    assert settings.lengths == ((1, 2),)


def test_nothing_in_quotation_marks_is_not_set() -> None:
    assert read(delimiter="").delimiter is None


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"share": "half"}, 'case.toml: share must be a number from 0 to 1, not "half".'),
        ({"share": True}, "case.toml: share must be a number from 0 to 1, not true."),
        ({"share": math.nan}, "case.toml: share must be a number from 0 to 1, not nan."),
        ({"share": 2}, "case.toml: share must be a number from 0 to 1, not 2."),
        ({"weight": -1}, "case.toml: weight must be a number, 0 or more, not -1."),
        ({"weight": math.inf}, "case.toml: weight must be a number, 0 or more, not inf."),
        ({"weight": 10**400}, "case.toml: weight must be a number, 0 or more, not a number of more than 38 digits."),
        ({"kind": "mial"}, 'case.toml: kind must be one of text, mail, not "mial" (did you mean mail?).'),
        ({"kind": date(2026, 1, 1)}, "case.toml: kind must be one of text, mail, not a value of type date."),
        ({"part": {"size": "3"}}, 'case.toml, [part]: size must be a whole number from 0 to 1,000,000,000, not "3".'),
        ({"part": 3}, "case.toml: part must be a table, written [part], not 3."),
        ({"part": {"loud": "no"}}, 'case.toml, [part]: loud must be true or false, not "no".'),
        ({"parts": {}}, "case.toml: parts must be a list of tables, each written [[parts]], not a table."),
        ({"parts": [3]}, "case.toml: parts must be a list of tables, each written [[parts]], not 3."),
        (
            {"parts": [{}, {"size": 10**20}]},
            "case.toml, [[parts]] 2: size must be a whole number from 0 to 1,000,000,000, not 100000000000000000000.",
        ),
        ({"methods": {"use": "raw"}}, 'case.toml, [methods]: use must be a list of any of hapax, raw, not "raw".'),
        (
            {"methods": {"use": ["hapx"]}},
            'case.toml, [methods]: use must be a list of any of hapax, raw, not a list with "hapx" '
            "(did you mean hapax?).",
        ),
        (
            {"caveats": ["a", "a"]},
            'case.toml: caveats must be a list of texts in quotation marks, not a list with "a" twice.',
        ),
        ({"lengths": [[1, 2, 3]]}, "case.toml: lengths must be a list of pairs of whole numbers from 1 to"),
        ({"delimiter": "::"}, 'case.toml: delimiter must be a single character, not "::".'),
        ({"delimiter": "\0"}, r'case.toml: delimiter must be a single character, not "\u0000".'),
        ({"caveats": ["\ud800"]}, r"case.toml: caveats must be a list of texts in quotation marks, not a list with "),
        ({"known": {"Lee": 3}}, "case.toml: known must be a table, written [known], not one in which Lee is 3."),
        ({"known": {"a\0": "b"}}, "case.toml: known must be a table, written [known], not a table with the key"),
        ({"inputs": {"texts": ""}}, 'case.toml, [inputs]: texts must be a path in quotation marks, not "".'),
        ({"inputs": []}, "case.toml: inputs must be a table, written [inputs], not a list."),
        ({"inputs": {}}, "case.toml, [inputs]: texts is missing. The reference texts."),
        ({"schema": True}, "case.toml: schema must be 1, not true."),
        ({"schema": 1.0}, "case.toml: schema must be 1, not 1.0."),
        ({"schema": None}, "case.toml: schema is missing."),
        ({"part": {"free": {"a": math.nan}}}, "case.toml, [part]: free must be a table, written [free], not one in"),
        ({"kind": "mail", "delimiter": ";"}, "case.toml: Mail has no cells. Leave out the delimiter."),
        ({"digest": "x"}, "case.toml: there is no setting digest (did you mean weight?)."),
        (
            {"pats": []},
            "case.toml: there is no setting pats (did you mean parts?). The settings here are schema, known, ",
        ),
        ({"inputs": {"text": "a"}}, "case.toml, [inputs]: there is no setting text (did you mean texts?)."),
        ({"part": {"laud": 1}}, "case.toml, [part]: there is no setting laud (did you mean loud?)."),
        ({"part": {"\x1b[2J": 1}}, r'case.toml, [part]: there is no setting "\u001b[2J".'),
    ],
)
def test_every_mistake_gets_a_sentence_that_names_key_and_place(content: dict[str, Any], sentence: str) -> None:
    assert refusal(**content).startswith(sentence)


def test_the_callers_own_keys_are_known_and_its_fields_handed_on() -> None:
    settings = read_settings(
        Whole, {**NEEDED, "extra": 3}, where="f", schema=1, also=["extra"], given={"digest": "d", "parts": (Part(),)}
    )
    assert (settings.digest, settings.parts) == ("d", (Part(),))


def test_the_error_is_the_callers() -> None:
    with pytest.raises(StudyError, match=r"^study\.toml: size must be"):
        read_settings(Part, {"size": -1}, where="study.toml", error=StudyError)


def test_keywords_are_checked_alike_and_numbers_of_numpy_are_numbers() -> None:
    with pytest.raises(InputError, match=r"^size must be a whole number from 0 to 1,000,000,000, not -1\.$"):
        Part(size=-1)
    part = Part(size=np.int64(3), file="a.txt")  # type: ignore[arg-type]
    assert part == Part(size=3, file=Path("a.txt"))
    assert type(part.size) is int


def test_a_number_where_a_list_of_numbers_belongs_is_not_let_through() -> None:
    needed: dict[str, Any] = {"known": {}, "reference": "r"}
    for wrong in ({"lengths": 3}, {"lengths": (1, 2)}, {"caveats": (1,)}, {"seed": (1, -1)}, {"seed": (True,)}):
        with pytest.raises(InputError, match=f"^{next(iter(wrong))} must be"):
            Whole(**needed, **wrong)
    assert Whole(**needed, seed=(1, 2)).seed == (1, 2)


def test_a_long_text_is_cut_in_a_message() -> None:
    assert refusal(kind="x" * 1000).endswith(f'not "{"x" * 59}…".')


def test_options_are_named_in_messages_and_numbers_read_from_text() -> None:
    given = {"known": {"Lee": "a"}, "reference": "r", "share": "1", "seed": "7", "caveats": ["a"]}
    settings = settings_from_options(Whole, given)
    assert (settings.share, settings.seed, settings.caveats) == (1.0, 7, ("a",))
    for wrong, sentence in (
        ({"share": "half"}, 'share must be a number from 0 to 1, not "half".'),
        ({"share": "nan"}, "share must be a number from 0 to 1, not nan."),
        ({"seed": "1.5"}, "--seed must be a whole number, 0 or more or a list of whole numbers, 0 or more, not "),
        ({"loud": "x"}, '--loud must be true or false, not "x".'),
        ({"caveats": ["\0"]}, "--caveat must be a list of texts"),
    ):
        with pytest.raises(InputError) as caught:
            settings_from_options(Whole, {**given, **wrong})
        assert sentence in str(caught.value)
    with pytest.raises(InputError, match=r"^--known is missing\. Each candidate's writings\.$"):
        settings_from_options(Whole, {"reference": "r"})
    with pytest.raises(
        InputError, match=r"^--known and --reference are missing:\n  --known: Each candidate's writings\.\n"
    ):
        settings_from_options(Whole, {})


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
names = st.text(st.characters(categories=["L", "N"]), min_size=1).map(Path)
parts = st.builds(
    Part, size=st.integers(0, 10**9), file=st.none() | names, free=st.dictionaries(texts, texts | st.booleans())
)
wholes = st.builds(
    Whole,
    known=st.dictionaries(texts, names),
    reference=names,
    kind=st.just("text"),
    use=st.lists(st.sampled_from(["hapax", "raw"]), unique=True).map(tuple),
    caveats=st.lists(texts, unique=True).map(tuple),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**63 - 1) | st.lists(st.integers(0, 9), min_size=1).map(tuple),
    lengths=st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9))).map(tuple),
    delimiter=st.none() | st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    part=parts,
    loud=st.booleans(),
    parts=st.lists(parts, max_size=3).map(tuple),
)


@given(wholes, st.booleans())
def test_settings_survive_being_written_and_read(settings: Whole, explain: bool) -> None:
    content = to_toml(settings, schema=1, heading="A case.", explain=explain)
    assert read_settings(Whole, tomllib.loads(content), where="there", schema=1) == settings


def test_paths_are_relative_to_the_folder_of_the_file(tmp_path: Path) -> None:
    settings = Whole(known={"Lee": tmp_path / "k"}, reference=tmp_path / "r")
    content = to_toml(settings, schema=1, folder=tmp_path / "case")
    assert 'Lee = "../k"' in content
    back = read_settings(Whole, tomllib.loads(content), where="there", schema=1, folder=tmp_path / "case")
    assert back.reference.resolve() == tmp_path / "r"


def test_every_setting_is_explained_and_what_is_not_set_is_a_comment() -> None:
    content = to_toml(Whole(known={}, reference=Path("r")), schema=1, heading="What was fixed.")
    assert content.startswith('# What was fixed.\nschema = 1\n# What the files are.\nkind = "text"\n')
    assert "# Between the cells.\n# delimiter is not set.\n" in content
    assert "[part]\n# Say more.\nloud = true\n# How big.\nsize = 1\n" in content
    assert "#" not in to_toml(Whole(known={}, reference=Path("r")), explain=False)
