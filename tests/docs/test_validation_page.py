"""The published validation's trials are small, hold no text and say units; what ships was learnt from them."""

import json
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attacked_study import attacked_result
from idiograph import Case
from idiograph.files import write_whole
from idiograph.studies.trial_table import to_bytes
from made_study import trials_file
from printed import rows_of_file

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "validation"


@pytest.mark.parametrize("name", ["trials", "matrix", "ten", "forty", "typing", "others", "attack", "languages"])
def test_the_stored_trials_are_small_and_numbers_and_names_only(name: str) -> None:
    path = FOLDER / f"{name}.parquet"
    assert path.stat().st_size < (900_000 if name == "trials" else 500_000)
    table = pq.read_table(path)
    texts = [column for column in table.column_names if "string" in str(table.schema.field(column).type)]
    assert set(texts) <= {"corpus", "condition", "half", "k_author", "q_author", "attack"}


def _without_unit(path: Path) -> list[str]:
    """The columns of numbers, or of lists of them, of which a Parquet file does not say what they are in."""
    schema = pq.read_schema(path)
    units = json.loads(schema.metadata[b"units"])

    def is_number(kind: pa.DataType) -> bool:
        kind = kind.value_type if pa.types.is_list(kind) else kind
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))

    assert all(units.values())
    return [field.name for field in schema if is_number(field.type) and field.name not in units]


def test_every_stored_parquet_file_says_what_its_numbers_are_in() -> None:
    paths = sorted(path for path in (ROOT / "docs").rglob("*.parquet"))
    assert len(paths) >= 8
    for path in paths:
        assert _without_unit(path) == [], path
        units = json.loads(pq.read_schema(path).metadata[b"units"])
        llrs = [name for name in pq.read_schema(path).names if name.startswith("llr_")]
        assert llrs or path.name == "enron.parquet"  # which holds the scores that LLRs are made of
        assert all(units[name].startswith("nats") for name in llrs)
        assert all(pa.types.is_floating(pq.read_schema(path).field(name).type) for name in llrs)


def test_the_trials_of_any_study_say_what_their_numbers_are_in(tmp_path: Path) -> None:
    """Tokens' evidence and attacked Qs, with all the columns that a study may have."""
    write_whole(tmp_path / "attacked.parquet", to_bytes(attacked_result().trials))
    for path in (trials_file(tmp_path, evidence="tokens"), tmp_path / "attacked.parquet"):
        assert _without_unit(path) == []
        assert "log10" in json.loads(pq.read_schema(path).metadata[b"units"])["lambda_g"]


def _cllr(trials: list[tuple[bool, float]]) -> float:
    """Of LLRs in nats, in bits."""
    costs = []
    for sign in (-1, 1):
        x = [sign * llr for same, llr in trials if same == (sign < 0)]
        costs.append(sum(max(y, 0) + math.log1p(math.exp(-abs(y))) for y in x) / len(x) / math.log(2))
    return sum(costs) / 2


def _judged(name: str, *by: str) -> dict[tuple[object, ...], list[tuple[bool, float]]]:
    """The LLRs of judged trials as they stand in the file, by method and these columns."""
    trials = defaultdict(list)
    for row in pq.read_table(FOLDER / f"{name}.parquet").to_pylist():
        for column, value in row.items():
            if column.startswith("llr_") and value is not None and row["half"] == "case":
                trials[(column.removeprefix("llr_"), *(row[key] for key in by))].append((row["same_author"], value))
    return dict(trials)


def _rows(table: str) -> list[dict[str, str]]:
    return rows_of_file(FOLDER / "tables" / f"{table}.csv")


def test_llrs_read_as_nats_give_the_published_cllr() -> None:
    """To what the thousandth of a nat, to which they are kept, can change."""
    trials = _judged("trials", "corpus", "condition", "run")
    published = [row for row in _rows("cllr") if row["method"] != "raw"]
    assert len(published) == len(trials) > 1000
    for row in published:
        judged = trials[row["method"], row["corpus"], row["condition"], int(row["run"])]
        assert _cllr(judged) == pytest.approx(float(row["cllr"]), abs=0.0008), row
    matrix = _judged("matrix", "corpus", "condition")
    of_topic = _judged("topic", "corpus", "condition")  # which has the topic-controlled LR
    matrix |= {key: trials for key, trials in of_topic.items() if key[0] == "controlled"}
    lengths = [row for row in _rows("lengths") if "(in pairs)" not in row["corpus"]]  # those are in trials.parquet
    assert len(lengths) > 100
    for row in lengths:
        drawing, _, field = row["drawing"].partition(" across ")
        condition = f"{drawing}_q{row['q_tokens']}_k{row['k_tokens']}" + (f"_across-{field}" if field else "")
        judged = matrix[row["method"], row["corpus"], condition]
        assert _cllr(judged) == pytest.approx(float(row["cllr"]), abs=0.00006), row


def test_the_default_of_a_case_is_what_the_rule_says() -> None:
    """As the page says whether it holds, which `make docs` makes of the stored trials."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    holds = "**Take `controlled`, the topic-controlled LR.**" in page
    assert holds != ("**`normalised` stays the default.**" in page)
    texts = {name: Path("texts") for name in ("questioned", "known")}
    case = Case(population="writers", reference=Path("texts"), **{name: {"Q": path} for name, path in texts.items()})
    assert (case.primary, case.bounds) == (("controlled", "published") if holds else ("normalised", "elub"))
    assert "95 % over resampled authors" in page
    holds = "By the rule set beforehand it was what 0.3.0 reported by default" in page
    assert replace(case, masking="masked", primary="auto").primary == ("normalised" if holds else "hapax")
    assert "(236 of them)" in page


def test_every_cell_of_the_published_tables_two_and_three_is_the_oracles() -> None:
    """From the stored trials alone, by a script that imports nothing of Idiograph."""
    import paper_oracle as oracle

    rows = oracle.rows_of(FOLDER / "paper.parquet")
    expected = oracle.table3(oracle.runs(rows))
    row_of = {(row["corpus"], row["condition"], row["method"]): row for row in _rows("paper_table3")}
    assert row_of.keys() == expected.keys()
    for key, (mean, spread) in expected.items():
        assert float(row_of[key]["mean"]) == pytest.approx(mean, rel=1e-9, abs=1e-9), key
        assert float(row_of[key]["sd"]) == pytest.approx(spread, rel=1e-9, abs=1e-9), key
    names = {"Logistic regression (as R's glm stops)": "logistic_glm", "Square Root": "square_root", "Hapax": "hapax"}
    names["Logistic regression"] = "logistic"
    wins = oracle.table2({key: mean for key, (mean, _) in expected.items()})
    for row in _rows("paper_table2"):
        won, close, ties = wins[names[row["method"]], names[row["against"]]]
        assert float(row["wins %"]) == pytest.approx(won, rel=0, abs=1e-9)
        assert float(row["close losses %"] or "nan") == pytest.approx(
            float("nan") if close is None else close, rel=0, abs=1e-9, nan_ok=True
        )
        assert int(row["ties"]) == ties


def test_the_stored_trials_of_the_protocol_are_small_and_name_nobody() -> None:
    path = FOLDER / "paper.parquet"
    assert path.stat().st_size < 2_000_000
    schema = pq.read_schema(path)
    llrs = [field for field in schema if field.name.startswith("llr_")]
    assert len(llrs) == 4
    texts = [field.name for field in schema if "string" in str(field.type)]
    assert set(texts) == {"corpus", "condition", "half"}
