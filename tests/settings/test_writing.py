"""Whatever is written is read back as the same settings."""

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from idiograph.settings import read_settings, to_toml
from made_settings import Part, Whole

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
    found = read_settings(Whole, tomllib.loads(content), where="there", schema=1, folder=tmp_path / "case")
    assert found.reference.resolve() == tmp_path / "r"


def test_every_setting_is_explained_and_what_is_not_set_is_a_comment() -> None:
    content = to_toml(Whole(known={}, reference=Path("r")), schema=1, heading="What was fixed.")
    assert content.startswith('# What was fixed.\nschema = 1\n# What the files are.\nkind = "text"\n')
    assert "# Between the cells.\n# delimiter is not set.\n" in content
    assert "[part]\n# Say more.\nloud = true\n# How big.\nsize = 1\n" in content
    assert "#" not in to_toml(Whole(known={}, reference=Path("r")), explain=False)
