"""The case file: what it fixes, how it is refused, and that writing and reading it changes nothing."""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
from docs.tables import settings_table

from idiograph import Case, InputError, ReadingOptions, read_case
from idiograph.casework.case import Expert, Particulars, Review, case_digest, written
from idiograph.provenance import InputFile

WHOLE = """
schema = 1
title = "R v. Lee"
population = "adult writers of English e-mail"
primary = "sentence"
scale = "marquis"
bounds = "none"
seed = 7
caveats = ["The mails are unsigned."]

[propositions]
hp = "Lee wrote [Q]."
hd = "Someone else from [population] wrote [Q]."

[questioned]
Q1 = "q.txt"
"second mail" = "more/q2.txt"

[known]
Lee = "known"

[inputs]
reference = "reference"

[reading]
encoding = "cp1252"
metadata = "table.csv"

[texts]
masking = "frames"
recipe = "own.toml"
exclude_authors = ["x", "y"]

[method]
order = 5
repetitions = 10
discount = 0.5

[expert]
name = "Dr R. Poe"
qualifications = "PhD, 12 years of casework"
laboratory = "Laboratory for Texts"
address = "1 High Street"
contact = "poe@example.org"

[case]
number = "T2026/17"
court = "Crown Court"
parties = "R v Lee"
commissioned_by = "the defence"
instructions = "Compare Q1 with the letters."
exhibits = ["AB/1: mail", "AB/2: letters"]
received = "1 November 2026"
examined = "2 to 9 November 2026"
issued = "10 November 2026"
report_number = "R-5"
amends = "R-4 of 3 November 2026, in section 2"

[review]
reviewer = "Dr S. Ito"
date = "9 November 2026"
remarks = "None."
"""


def read(folder: Path, content: str) -> Case:
    path = folder / "case.toml"
    path.write_text(content, encoding="utf-8")
    return read_case(path)


def test_every_value_is_read_and_paths_count_from_the_file(tmp_path: Path) -> None:
    case = read(tmp_path, WHOLE)
    assert read_case(str(tmp_path / "case.toml")) == case
    assert case == Case(
        questioned={"Q1": tmp_path / "q.txt", "second mail": tmp_path / "more/q2.txt"},
        known={"Lee": tmp_path / "known"},
        reference=tmp_path / "reference",
        population="adult writers of English e-mail",
        hp="Lee wrote [Q].",
        hd="Someone else from [population] wrote [Q].",
        primary="sentence",
        scale="marquis",
        bounds="none",
        masking="frames",
        recipe=str(tmp_path / "own.toml"),
        exclude_authors=("x", "y"),
        reading=ReadingOptions(encoding="cp1252", metadata=tmp_path / "table.csv"),
        order=5,
        repetitions=10,
        discount=0.5,
        seed=7,
        title="R v. Lee",
        caveats=("The mails are unsigned.",),
        expert=Expert(
            name="Dr R. Poe",
            qualifications="PhD, 12 years of casework",
            laboratory="Laboratory for Texts",
            address="1 High Street",
            contact="poe@example.org",
        ),
        particulars=Particulars(
            number="T2026/17",
            court="Crown Court",
            parties="R v Lee",
            commissioned_by="the defence",
            instructions="Compare Q1 with the letters.",
            exhibits=("AB/1: mail", "AB/2: letters"),
            received="1 November 2026",
            examined="2 to 9 November 2026",
            issued="10 November 2026",
            report_number="R-5",
            amends="R-4 of 3 November 2026, in section 2",
        ),
        review=Review(reviewer="Dr S. Ito", date="9 November 2026", remarks="None."),
    )


def test_a_written_case_reads_the_same_from_another_folder(tmp_path: Path) -> None:
    case = replace(read(tmp_path, WHOLE), title='A "quoted" \\ title\n=cmd() <b> \x7f', population="é ü – “ ”")
    other = tmp_path / "elsewhere" / "deeper"
    other.mkdir(parents=True)
    again = read(other, written(case, folder=other))
    as_files = {"questioned", "known", "reference", "reading", "recipe"}
    for field in fields(Case):
        if field.name not in as_files:
            assert getattr(again, field.name) == getattr(case, field.name), field.name
    assert again.reference.resolve() == case.reference.resolve()
    assert [path.resolve() for path in again.questioned.values()] == [
        path.resolve() for path in case.questioned.values()
    ]
    assert again.reading.encoding == "cp1252"
    assert again.reading.metadata is not None
    assert again.reading.metadata.resolve() == tmp_path / "table.csv"
    assert Path(again.recipe or "").resolve() == Path(case.recipe or "").resolve()


def test_defaults_are_those_of_the_library(tmp_path: Path) -> None:
    short = 'schema = 1\npopulation = "p"\n[questioned]\nQ1 = "q"\n[known]\nLee = "k"\n[inputs]\nreference = "r"\n'
    case = read(tmp_path, short)
    assert case == Case(
        questioned={"Q1": tmp_path / "q"}, known={"Lee": tmp_path / "k"}, reference=tmp_path / "r", population="p"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("schema = 1", "schema = 2"), r"case\.toml: schema must be 1, not 2"),
        (("schema = 1", ""), r"schema is missing\. Write `schema = 1`"),
        (("primary =", "primry ="), r"there is no setting primry \(did you mean primary\?\)"),
        (("masking =", "maskin ="), r"\[texts\]: there is no setting maskin \(did you mean masking\?\)"),
        (("[method]", "[metod]"), r"there is no setting metod \(did you mean method\?\)"),
        (
            ('"sentence"', '"sentense"'),
            r'primary must be one of auto, normalised, controlled, .* not "sentense" \(did you mean sentence\?\)',
        ),
        (('Lee = "known"', f'Lee = "{"k" * 256}"'), r'not one in which Lee is "kkkk'),
        (('Lee = "known"', '" " = "known"'), r'" " cannot be the label of a questioned text or the name of'),
        (('Lee = "known"', '"Le\\ne" = "known"'), r'"Le\\ne" cannot be the label'),
        (('Lee = "known"', ""), r"known must be a table with at least one name"),
        (('reference = "reference"', ""), r"\[inputs\]: reference is missing"),
        (('Q1 = "q.txt"\n"second mail" = "more/q2.txt"', ""), r"questioned must be a table with at least one label"),
        (('population = "adult writers of English e-mail"', ""), r"population is missing\. The population that"),
        (('"adult writers of English e-mail"', '" "'), r"population must be a sentence"),
        (('hp = "Lee wrote [Q]."', 'hp = ""'), r"\[propositions\]: hp must be a sentence"),
        (('"Someone else from [population] wrote [Q]."', '"Lee wrote [Q]."'), r"hp and hd are the same sentence"),
        (("[known]", "[[known]]"), r"known must be a table"),
        (("schema = 1", "schema = "), r"is not valid TOML"),
    ],
)
def test_what_cannot_stand_is_refused_in_words(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(tmp_path, WHOLE.replace(*change))


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="could not be read"):
        read_case(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_case(tmp_path / "bytes.toml")


def test_the_digest_covers_all_but_where_files_lie(tmp_path: Path) -> None:
    case = read(tmp_path, WHOLE)
    files = (InputFile("reference", "a.txt", 3, "0" * 64),)
    own_digest = case_digest(case, files)
    moved = replace(case, reference=tmp_path / "other", questioned=dict.fromkeys(case.questioned, tmp_path / "z"))
    assert case_digest(moved, files) == own_digest
    for name, value in (("population", "x"), ("seed", 8), ("primary", "hapax"), ("hp", "x"), ("caveats", ())):
        assert case_digest(replace(case, **{name: value}), files) != own_digest, name
    assert case_digest(replace(case, reading=ReadingOptions(encoding="utf-8")), files) != own_digest
    assert case_digest(replace(case, known={"Li": tmp_path / "known"}), files) != own_digest
    assert case_digest(case, (replace(files[0], sha256="1" * 64),)) != own_digest


def test_a_corrected_name_or_date_is_not_another_case(tmp_path: Path) -> None:
    case = read(tmp_path, WHOLE)
    own_digest = case_digest(case, ())
    for name, empty in (("expert", Expert()), ("particulars", Particulars()), ("review", Review())):
        assert getattr(case, name) != empty
        assert case_digest(replace(case, **{name: empty}), ()) == own_digest


REGISTERS = ("questioned_register", "known_register", "reference_register")


def test_every_value_of_a_case_is_documented() -> None:
    table = settings_table(Case)
    keys = set(re.findall(r"`(\w+)` \|", table))
    assert {field.name for field in fields(Case)} - keys - set(REGISTERS) == {
        "reading",
        "expert",
        "particulars",
        "review",
    }
    for inside in ("`[expert]` `laboratory`", "`[case]` `exhibits`", "`[review]` `remarks`"):
        assert inside in table


def test_a_case_made_in_python_is_checked_too() -> None:
    with pytest.raises(InputError, match="population must be a sentence"):
        Case(questioned={"Q1": Path("q")}, known={"Lee": Path("k")}, reference=Path("r"), population="")
    with pytest.raises(InputError, match="reference must be a path"):
        Case(questioned={"Q1": "q"}, known={"Lee": "k"}, reference=3, population="p")  # type: ignore[arg-type, dict-item]


@pytest.mark.parametrize(
    ("given", "goes_by"),
    [
        ({"typing": True}, True),
        ({"typing": True, "primary": "hapax"}, False),  # whose value it has no part in
        ({"primary": "normalised"}, False),
    ],
)
def test_whether_the_value_goes_by_how_texts_are_typed(given: dict[str, object], goes_by: bool, tmp_path: Path) -> None:
    sides = {"questioned": {"Q1": tmp_path}, "known": {"lee": tmp_path}, "reference": tmp_path}
    assert Case(**sides, population="people", **given).goes_by_typing is goes_by  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "primary", "bounds"),
    [
        ({}, "controlled", "published"),
        ({"masking": "masked"}, "normalised", "elub"),  # the topics of its texts are not known
        ({"typing": True}, "controlled", "published"),
        ({"primary": "normalised"}, "normalised", "elub"),
        ({"primary": "hapax", "bounds": "published"}, "hapax", "published"),
        ({"bounds": "none"}, "controlled", "none"),
    ],
)
def test_what_is_left_to_the_case_is_settled_and_named_in_its_file(
    given: dict[str, object], primary: str, bounds: str, tmp_path: Path
) -> None:
    sides = {"questioned": {"Q1": tmp_path}, "known": {"lee": tmp_path}, "reference": tmp_path}
    case = Case(**sides, population="people", **given)  # type: ignore[arg-type]
    assert (case.primary, case.bounds) == (primary, bounds)
    assert f'primary = "{primary}"' in written(case, folder=tmp_path)
    assert f'bounds = "{bounds}"' in written(case, folder=tmp_path)


def test_what_is_not_text_is_refused_in_words() -> None:
    with pytest.raises(InputError, match=r"name must be text in quotation marks, not 3"):
        Expert(name=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"exhibits must be a list of texts in quotation marks"):
        Particulars(exhibits="AB/1")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"remarks must be text in quotation marks"):
        Review(remarks=["none"])  # type: ignore[arg-type]
