"""Which known faults concern what was filed: every entry is provoked, and hostile folders get a sentence."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from idiograph.laboratory.faults import Looked, affected, register
from made_texts import command

FILED = Path(__file__).resolve().parents[1] / "data" / "case_0_3_0"
Change = Callable[[dict[str, Any]], object]
STUDY = {
    "kind": "study", "schema": 3, "corpora": {}, "additions": [{"versions": {"idiograph": "0.3.0"}, "when": ""}],
    "scored": {"corpora": [{"kind": "texts", "masking": "posnoise", "options": {}, "recipe": None}],
               "conditions": [[{"drawing": "random"}, []]], "typing": False, "original": False},
}  # fmt: skip


def write_case(
    folder: Path, *, version: str = "0.3.0", change: Change = lambda result: None, q: str | None = None
) -> Path:
    """The case that 0.3.0 filed, with other contents; every digest of an input agrees."""
    shutil.copytree(FILED, folder)
    case = folder / "case"
    result = json.loads((case / "result.json").read_bytes())
    result["range"]["figures"] = 2
    manifest = json.loads((case / "manifest.json").read_bytes())
    manifest["versions"]["idiograph"] = version
    if q is not None:
        (folder / "q.txt").write_text(q, encoding="utf-8")
        content = (folder / "q.txt").read_bytes()
        entry = next(input for input in manifest["inputs"] if input["role"] == "questioned/Q1")
        entry |= {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    change(result)
    (case / "result.json").write_text(json.dumps(result), encoding="utf-8")
    (case / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return case


def unmasked(**more: object) -> Change:
    return lambda result: result["settings"].update(masking="posnoise-2.1", **more)


def put(**values: object) -> Change:
    return lambda result: result.update(values)


def finding(code: str, severity: str) -> Change:
    return put(audit=[{"code": code, "severity": severity}])


# What makes each entry concern a case: the version, a change of the result, and the text of Q.
CASES: dict[str, tuple[str, Change, str | None]] = {
    "F-001": ("0.3.0", unmasked(), "The boat\u200b sailed."),
    "F-002": ("0.2.0", unmasked(reading={"encoding": "latin-1"}), "The café."),
    "F-003": ("0.3.0", unmasked(), "The har-\nbour."),
    "F-004": ("0.3.0", unmasked(recipe="tweet"), "Us: \U0001f468\u200d\U0001f469."),
    "F-005": ("0.3.0", put(primary="normalised"), None),
    "F-006": ("0.1.0", finding("short-q", "red"), None),
    "F-007": ("0.3.0", lambda result: result["validation"].update(k_tokens=10), None),
    "F-009": ("0.3.0", lambda result: result["range"].update(figures=1), None),
    "F-010": ("0.3.0", put(), None),
    "F-011": ("0.3.0", put(llr={"hapax": {"nats": 1.0}, "sentence": {"nats": -0.5}}, reported={"nats": 1.0}), None),
    "F-019": ("0.3.0", put(refusal="Too short."), None),
    "F-020": ("0.1.0", put(), None),
    "F-021": ("0.1.0", put(), None),
    "F-023": ("0.2.0", put(), None),
    "F-026": ("0.2.0", put(candidate="\u05dc\u05d9"), None),
    "F-028": ("0.3.0", lambda result: result["settings"].update(primary="best-validated"), None),
    "F-029": ("0.3.0", finding("repeated-lines", "amber"), None),
    "F-030": ("0.3.0", put(reported={"nats": -1.0}), None),
    "F-031": ("0.3.0", put(reported={"nats": 99.0}), None),
}
PERHAPS = {
    "F-008": ("0.3.0", put(primary="normalised")),
    "F-018": ("0.3.0", put()),
    "F-022": ("0.1.0", put()),
    "F-025": ("0.2.0", put()),
}


def only(runs: list[Looked]) -> Looked:
    assert len(runs) == 1
    assert runs[0].damaged == ""
    return runs[0]


@pytest.mark.parametrize("entry", CASES)
def test_an_entry_concerns_a_case_that_has_it_and_no_case_of_today(entry: str, tmp_path: Path) -> None:
    version, change, q = CASES[entry]
    assert entry in only(affected(write_case(tmp_path / "a", version=version, change=change, q=q))).those("concerned")

    def by_rules_of_today(result: dict[str, Any]) -> None:
        change(result)
        result["settings"]["rules"] = 2

    today = write_case(tmp_path / "b", version="0.3.0", change=by_rules_of_today, q=q)
    assert only(affected(today)).versions == ("0.4.0",)
    assert len(only(affected(today)).those("not")) == len(register())


@pytest.mark.parametrize("entry", PERHAPS)
def test_what_cannot_be_told_is_perhaps(entry: str, tmp_path: Path) -> None:
    version, change = PERHAPS[entry]
    assert entry in only(affected(write_case(tmp_path / "a", version=version, change=change))).those("perhaps")


def test_texts_that_are_gone_make_it_perhaps_and_are_found_by_their_digests_elsewhere(tmp_path: Path) -> None:
    case = write_case(tmp_path / "a", change=unmasked(), q="The boat\u200b sailed.")
    shutil.move(tmp_path / "a" / "q.txt", tmp_path / "q.txt")
    assert "F-001" in only(affected(case)).those("perhaps")
    (tmp_path / "texts").mkdir()
    shutil.move(tmp_path / "q.txt", tmp_path / "texts" / "other name.txt")
    assert "F-001" in only(affected(case, inputs=tmp_path / "texts")).those("concerned")
    plain = write_case(tmp_path / "b", change=unmasked(), q="The boat sailed.")
    assert "F-001" in only(affected(plain)).those("not")


def write_study(folder: Path, *, use: list[str], change: Change = lambda manifest: None, largest: float = 1.0) -> Path:
    folder.mkdir()
    manifest = json.loads(json.dumps(STUDY))
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "study.toml").write_text(f"[methods]\nuse = {json.dumps(use)}\n", encoding="utf-8")
    pq.write_table(pa.table({"lambda_g": [0.5, -largest]}), folder / "trials.parquet")
    return folder


def by(version: str, **scored: object) -> Change:
    def change(manifest: dict[str, Any]) -> None:
        manifest["additions"][0]["versions"]["idiograph"] = version
        manifest["scored"].update(scored)

    return change


STUDIES: dict[str, dict[str, Any]] = {
    "F-005": {"use": ["normalised"]},
    "F-014": {"use": ["logistic", "logistic_glm"]},
    "F-015": {"use": ["hapax"], "largest": 151.0},
    "F-016": {"use": ["hapax"], "change": by("0.2.0", conditions=[[{"drawing": "whole"}, []]])},
    "F-020": {"use": ["hapax"], "change": by("0.1.0")},
    "F-021": {"use": ["hapax"], "change": by("0.1.0")},
    "F-024": {"use": ["hapax"], "change": by("0.1.0", corpora=[{"kind": "problems"}])},
    "F-032": {"use": ["logistic"]},
    "F-034": {"use": ["hapax"]},
}


def test_entries_concern_studies_that_have_them(tmp_path: Path) -> None:
    for entry, given in STUDIES.items():
        study = only(affected(write_study(tmp_path / entry, **given)))
        assert entry in study.those("concerned"), entry
    plain = only(affected(write_study(tmp_path / "plain", use=["hapax"])))
    assert plain.those("concerned") == ["F-034"]
    later = only(affected(write_study(tmp_path / "later", use=["logistic", "logistic_glm"], change=by("0.4.0"))))
    assert len(later.those("not")) == len(register())
    typed = only(affected(write_study(tmp_path / "typed", use=["hapax"], change=by("0.3.0", typing=True))))
    assert "F-013" in typed.those("perhaps")
    (tmp_path / "plain" / "study.toml").unlink()
    assert "F-014" in only(affected(tmp_path / "plain")).those("perhaps")


def test_every_entry_that_can_concern_what_is_filed_was_provoked() -> None:
    can = {fault.id for fault in register() if fault.kinds}
    assert can == {*CASES, *PERHAPS, *STUDIES, "F-013"}
    assert [fault.id for fault in register()] == [f"F-{number:03}" for number in range(1, len(register()) + 1)]
    assert {fault.moves for fault in register()} == {"number", "sentence"}


def test_many_below_a_folder_are_looked_at_and_hostile_ones_get_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = tmp_path / "cases"
    case = write_case(cases / "one")
    for number in (1, 2):  # two runs, and the copy at the top is not counted again
        (case / "runs" / f"000{number}").mkdir(parents=True)
        for name in ("manifest.json", "result.json"):
            shutil.copy(case / name, case / "runs" / f"000{number}" / name)
    write_study(cases / "study", use=["hapax"])
    private = tmp_path / "private"
    write_case(private)
    (cases / "linked").symlink_to(private)
    for name, content in {
        "cut": b'{"kind": "idiograph case", ',
        "typed": json.dumps({"kind": "idiograph case", "versions": 3, "settings": {}}).encode(),
        "deep": b"[" * 100_000,
    }.items():
        (cases / name).mkdir()
        (cases / name / "manifest.json").write_bytes(content)
        (cases / name / "result.json").write_text("{}", encoding="utf-8")
    (cases / "pipe").mkdir()
    os.mkfifo(cases / "pipe" / "manifest.json")
    (cases / "pipe" / "case.toml").touch()
    forged = write_case(
        cases / "forged", change=put(llr={"hapax": 5}, validation=7, range="x", reported={"nats": True})
    )
    (cases / "other").mkdir()
    (cases / "other" / "manifest.json").write_text('{"kind": "something else"}', encoding="utf-8")
    by_name = {run.name: run for run in affected(cases)}
    assert set(by_name) == {
        "one/case/runs/0001", "one/case/runs/0002", "study", "cut", "typed", "deep", "pipe", "forged/case",
    }  # fmt: skip
    assert {name for name, run in by_name.items() if run.damaged} == {"cut", "typed", "deep", "pipe"}
    assert "F-011" in by_name["forged/case"].those("perhaps")
    assert command("affected", cases) == 1
    text = capsys.readouterr().out
    assert "typed: cannot be judged: manifest.json is damaged: versions is not a table." in text
    assert "8 filed runs and studies looked at" in text
    assert command("affected", forged / "manifest.json") == 2
    assert "is not a folder" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert command("affected", tmp_path / "empty", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "entries": len(register()), "filed": []}
