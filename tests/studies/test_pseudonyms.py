"""Pseudonyms: the same under one key, none without it, and nothing that tells names apart from the trials alone."""

import hmac
from pathlib import Path

import pytest

from idiograph import Condition, CorpusSettings, ReadingOptions, Study, StudyError
from idiograph.output.bundle import Pseudonyms, pseudonyms_of, study_without_names, without_names
from made_study import whole_trials


def test_a_name_has_one_pseudonym_under_a_key_and_another_under_another() -> None:
    names, other = Pseudonyms(bytes(32)), Pseudonyms(bytes(31) + b"x")
    assert names.author("Ann") == names.author("Ann") != names.author("Bo")
    assert names.author("Ann") != other.author("Ann")
    assert names.author("Ann").removeprefix("author-") != names.text("Ann").removeprefix("text-")
    assert names.author("Ann") == f"author-{hmac.digest(bytes(32), b'author' + bytes(1) + b'Ann', 'sha256').hex()[:12]}"


def test_the_key_is_made_once_and_kept_to_its_owner(tmp_path: Path) -> None:
    names = pseudonyms_of(tmp_path)
    assert pseudonyms_of(tmp_path) == names
    assert (tmp_path / "pseudonyms.key").stat().st_mode & 0o077 == 0
    assert len(names.key) == 32


@pytest.mark.parametrize("content", ["no key", "ab" * 31, ""])
def test_a_damaged_key_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "pseudonyms.key").write_text(content, encoding="utf-8")
    with pytest.raises(StudyError, match=r"pseudonyms\.key is (not a key|damaged)"):
        pseudonyms_of(tmp_path)


def test_trials_keep_their_numbers_and_lose_their_names() -> None:
    trials = whole_trials()
    names = Pseudonyms(bytes(32))
    hidden = without_names(trials, names)
    assert len(hidden) == len(trials)
    for name in ("problem", "k_author", "q_author", "q_id"):
        assert not any(
            "a0" in value and "author-" not in value and "text-" not in value for value in hidden.column(name)
        )
    rows = {
        (names.author(row.k_author), names.text(row.q_id)): (row.lambda_g, row.same_author) for row in trials.rows()
    }
    assert {(row.k_author, row.q_id): (row.lambda_g, row.same_author) for row in hidden.rows()} == rows
    problems = list(hidden.column("problem"))
    assert problems == sorted(problems)  # the order of the names is gone too
    assert problems[0] == f"toy/whole/{hidden.column('k_author')[0]}/{hidden.column('q_id')[0]}"


def test_a_study_loses_folders_and_excluded_authors() -> None:
    study = Study(
        name="s",
        corpora=(
            CorpusSettings(
                name="c",
                path="/home/ann/secret/letters",
                kind="problems",
                writers="who/wrote.csv",
                recipe="mine/own.toml",
                exclude_authors=("Bo",),
                options=ReadingOptions(metadata=Path("who.csv")),
            ),
        ),
        conditions=((Condition(drawing="whole"), ("c",)),),
    )
    entry = study_without_names(study, Pseudonyms(bytes(32))).corpora[0]
    assert (entry.path, entry.writers, entry.recipe, entry.options.metadata) == (
        "letters",
        "wrote.csv",
        "own.toml",
        None,
    )
    assert entry.exclude_authors[0].startswith("author-")
