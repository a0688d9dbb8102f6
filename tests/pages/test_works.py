import json
from pathlib import Path

import pytest

from idiograph import IdiographError, StudyError, file_case
from idiograph.casework.case import written
from idiograph.casework.case_folder import SEAL, run_folder
from idiograph.pages.cases import read_tokens
from idiograph.pages.worker import WORKS
from made_texts import case_of, write_case


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A case file in its own folder."""
    write_case(tmp_path, n_authors=5)
    path = tmp_path / "case.toml"
    path.write_text(written(case_of(tmp_path, repetitions=3), folder=tmp_path), encoding="utf-8")
    return path


def test_a_look_tells_author_encoding_words_and_first_lines(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_bytes("Café au lait, s’il vous plaît.\n".encode("cp1252"))
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / "1.txt").write_text("Two words.\n" * 100)
    (tmp_path / "empty").mkdir()
    roles = [
        {"path": str(tmp_path / "q.txt"), "named": {"author_from": "none"}},
        {"path": str(tmp_path / "k"), "named": {"author": "Lee"}},
        {"path": str(tmp_path / "empty"), "named": {}},
    ]
    bad, known, empty = WORKS["look"](roles, {}, False, str(tmp_path))
    assert "q.txt is not UTF-8" in bad["error"]
    (text,) = known["texts"]
    assert (text["id"], text["author"], text["words"], text["encoding"]) == ("1.txt", "Lee", 200, "ascii")
    assert text["first"].startswith("Two words.\nTwo")
    assert len(text["first"]) == 240
    assert text["first"].endswith("…")
    assert "has no file that can be read" in empty["error"]
    (read, *_) = WORKS["look"](roles, {"encoding": "cp1252"}, False, str(tmp_path))
    assert read["texts"][0]["first"].startswith("Café au lait")


def test_a_look_at_masked_texts_counts_tokens(case: Path) -> None:
    (entry,) = WORKS["look"]([{"path": str(case.parent / "q.txt"), "named": {}}], {}, True, str(case.parent))
    assert entry["texts"][0]["words"] == sum(
        len(line.split()) for line in (case.parent / "q.txt").read_text().splitlines()
    )


def test_a_recipe_is_shown_before_and_after(tmp_path: Path) -> None:
    for name, content in {
        "q.txt": "See https://example.org now.\nIt is late.\n",
        "known/1.txt": "I wrote this @home today.\n",
        "reference/kim/1.txt": "Nothing to change here at all.\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    path = tmp_path / "case.toml"
    path.write_text(written(case_of(tmp_path, masking="posnoise"), folder=tmp_path), encoding="utf-8")
    preview = WORKS["recipe"](str(path), "tweet")
    assert preview["n_texts"] == 3
    shown = {text["id"]: text for text in preview["texts"]}
    assert "https://example.org" in shown["Q1/q.txt"]["before"]
    assert "https://example.org" not in shown["Q1/q.txt"]["after"]
    assert shown["Q1/q.txt"]["changes"]
    assert sum(step["edits"] for step in preview["steps"]) >= 1


def test_a_plan_says_who_can_take_part_and_once_complete_the_audit_and_no_number(case: Path) -> None:
    folder = case.parent
    sides = {"questioned": str(folder / "q.txt"), "known": str(folder / "known")}
    pairs = {"Q1 and lee": {**sides, "reference": str(folder / "reference")}}
    settings = {"masking": "masked", "seed": 1, "primary": "hapax"}
    plans = WORKS["plan"](pairs, settings, str(folder), str(case))
    (plan,) = plans["plans"]
    assert (plan["n_reference"], plan["n_taking_part"]) == (5, 5)
    assert plan["bound"] == pytest.approx(5)
    assert any("More authors" in step["sentence"] for step in plan["steps"])
    (audit,) = plans["audits"]
    assert "few-reference-authors" in {entry["code"] for entry in audit["audit"]}
    assert "lambda_g" not in json.dumps(plans)
    # What the case would be judged by asks for more of them.
    plans = WORKS["plan"](pairs, {**settings, "primary": "normalised"}, str(folder), None)
    assert plans["plans"][0]["bound"] is None
    # Without a reference, and before the case is complete.
    plans = WORKS["plan"]({"Q1 and lee": sides}, settings, str(folder), None)
    assert plans["plans"][0]["n_taking_part"] is None
    assert plans["audits"] == []


def test_a_case_is_sealed_and_a_change_shows(case: Path, tmp_path: Path) -> None:
    WORKS["run"](str(case), str(tmp_path), True)
    sealed = WORKS["seal"](str(tmp_path))
    assert sealed["signed"] is False
    assert "is not signed" in sealed["sentence"]
    assert (tmp_path / SEAL).is_file()
    assert WORKS["check seal"](str(tmp_path))["holds"] is True
    with (tmp_path / "report.html").open("a") as file:
        file.write("changed")
    check = WORKS["check seal"](str(tmp_path))
    assert (check["holds"], check["changed"]) == (False, ["report.html"])
    assert WORKS["seal"](str(tmp_path))["edited"] == ["report.html"]


def test_a_run_is_the_librarys_filed_case_and_can_be_repeated_and_replayed(case: Path, tmp_path: Path) -> None:
    assert WORKS["run"](str(case), str(tmp_path), True) == {"run": 1, "refused": False}
    assert WORKS["run"](str(case), str(tmp_path), True) == {"run": 2, "refused": False}
    filed = file_case(case, tmp_path.parent / "other", quick=True)
    ours, theirs = (json.loads((folder / "result.json").read_text()) for folder in (tmp_path, filed.folder))
    for folder in (ours, theirs):
        del folder["run"]
    assert ours == theirs
    again = WORKS["replay"](str(run_folder(tmp_path, 1) / "manifest.json"))
    assert again["agrees"] is True
    assert again["n_numbers"] > 50


def test_words_are_found_in_k_and_the_reference_as_often_as_they_stand_there(case: Path, tmp_path: Path) -> None:
    WORKS["run"](str(case), str(tmp_path), True)
    answer = WORKS["words"](str(tmp_path), 1)["Q1 and lee"]
    lines = {
        side: [line for path in sorted((tmp_path / side).rglob("*.txt")) for line in path.read_text().splitlines()]
        for side in ("known", "reference")
    }

    def count(side: str, tokens: str) -> int:
        return sum((" " + " ".join(line.split()) + " ").count(f" {tokens} ") for line in lines[side])

    (scored,) = read_tokens(run_folder(tmp_path, 1))
    checked = 0
    for token in scored.tokens:
        if token.is_end:
            assert token.place not in answer["at"]
            continue
        known = answer["ngrams"][answer["at"][token.place]]
        tokens = known["tokens"].split()
        assert tokens[-1] == token.masked
        assert len(tokens) == max(token.context, 0) + 1
        if len(tokens) > 2:  # those of two may overlap themselves, which str.count does not see
            assert (known["n_k"], known["n_reference"]) == (
                count("known", known["tokens"]),
                count("reference", known["tokens"]),
            )
            checked += 1
        assert (known["n_k"] > 0) == (token.context >= 0)
        assert len(known["k"]) <= 3
        assert all(line["match"] == known["tokens"] for line in known["k"])
    assert checked > 10


def test_words_are_not_looked_up_in_texts_that_were_changed(case: Path, tmp_path: Path) -> None:
    WORKS["run"](str(case), str(tmp_path), True)
    with (tmp_path / "known" / "1.txt").open("a") as file:
        file.write("and one more .\n")
    with pytest.raises(StudyError, match="no longer those of this run"):
        WORKS["words"](str(tmp_path), 1)


def test_a_study_is_foreseen_and_run(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=12)
    (tmp_path / "study.toml").write_text(
        'schema = 1\nname = "s"\n[[corpora]]\nname = "c"\npath = "reference"\nmasking = "masked"\n[[conditions]]\n'
        'drawing = "contiguous"\nq_tokens = [60]\nk_tokens = [120]\n'
        "[lambdag]\nrepetitions = 2\n[methods]\nresamples = 5\n"
    )
    ahead = WORKS["forecast"](str(tmp_path / "study.toml"))
    assert ahead["problems"] > 10
    assert "It takes about" in ahead["words"]
    done = WORKS["study"](str(tmp_path / "study.toml"), str(tmp_path / "results"))
    assert done["trials"] == ahead["problems"]
    assert (tmp_path / "results" / "index.html").is_file()


def test_every_piece_of_work_has_a_name() -> None:
    assert set(WORKS) >= {
        "look",
        "recipe",
        "plan",
        "seal",
        "check seal",
        "run",
        "replay",
        "words",
        "forecast",
        "study",
    }
    with pytest.raises(IdiographError):
        WORKS["plan"]({}, {}, ".", "absent.toml")
