"""`study --paper`: the protocol of Barlow, Nini & Manino on a folder of corpora, and its tables reckoned anew."""

import csv
import json
import shutil
from pathlib import Path

import pytest

import paper_oracle as oracle
from generated import corpus, write_jsonl
from idiograph import StudyError, read_study
from idiograph.studies.paper import paper_study
from made_texts import command


def corpora_folder(folder: Path) -> Path:
    """A corpus of whole texts, one of messages, a set of problems, and what is none."""
    folder.mkdir(parents=True)
    write_jsonl(folder / "Enron_masked.jsonl", corpus(authors=12))
    write_jsonl(folder / "messages.jsonl", corpus(authors=20, texts=46, sentences=3, seed=8))
    (folder / "notes.md").write_text("What these are.", encoding="utf-8")
    (folder / ".hidden").write_text("", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the protocol, by the command."""
    folder = tmp_path_factory.mktemp("paper")
    corpora_folder(folder / "corpora")
    assert command("study", "--paper", folder / "corpora", "--out", folder / "out", "--workers", 1) == 0
    return folder / "out"


def _table(out: Path, name: str) -> list[dict[str, str]]:
    with (out / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def test_it_is_the_papers_protocol(run: Path) -> None:
    study = read_study(run / "study.toml")
    assert (study.runs, study.order, study.repetitions, study.resamples) == (5, 10, 30, 0)
    assert study.methods == ("logistic_glm", "square_root", "hapax", "logistic")
    assert (study.design.pairs, study.design.n_pairs, study.design.reference) == ("trace", 1, "case")
    shares = {corpus.name: (corpus.calibration, corpus.paper, corpus.masking) for corpus in study.corpora}
    assert shares == {"Enron_masked": (0.4, "Enron", "masked"), "messages": (0.5, None, "masked")}
    drawn: dict[str, set[tuple[int | None, int | None]]] = {}
    for condition, names in study.conditions:
        for name in names:
            drawn.setdefault(name, set()).add((condition.q_tokens, condition.k_tokens))
    lengths = range(100, 501, 100)
    assert drawn == {"Enron_masked": {(None, None)}, "messages": {(q, k) for q in lengths for k in lengths}}
    assert 'lengths = "paper-short"' in (run / "study.toml").read_text(encoding="utf-8")


def test_every_cell_of_tables_two_and_three_is_the_oracles(run: Path) -> None:
    by_run = oracle.runs(oracle.rows_of(run / "trials.parquet"))
    assert len(by_run) == 4 * 26
    written = {
        (row["corpus"], row["condition"], row["method"], int(row["run"])): float(row["cllr"])
        for row in _table(run, "cllr")
    }
    ours = {(*key, number): value for key, values in by_run.items() for number, value in values.items()}
    assert written == pytest.approx(ours, rel=0, abs=1e-9)
    expected = oracle.table3(by_run)
    printed = {
        (row["corpus"], row["condition"], row["method"]): (float(row["mean"]), float(row["sd"]))
        for row in _table(run, "table3")
    }
    assert printed.keys() == expected.keys()
    for key, pair in expected.items():
        assert printed[key] == pytest.approx(pair, rel=0, abs=1e-9), key
    names = {row["name"]: row["method"] for row in _table(run, "methods")}
    wins = oracle.table2({key: mean for key, (mean, _) in expected.items()})
    rows = _table(run, "table2")
    assert len(rows) == len(wins) == 12
    for row in rows:
        won, close, ties = wins[names[row["method"]], names[row["against"]]]
        assert float(row["wins %"]) == pytest.approx(won, rel=0, abs=1e-9)
        assert _number(row["close losses %"]) == (close if close is None else pytest.approx(close, rel=0, abs=1e-9))
        assert int(row["ties"]) == ties


def test_what_the_paper_says_of_its_grids_is_reckoned_for_ours(run: Path) -> None:
    means = {key: mean for key, (mean, _) in oracle.table3(oracle.runs(oracle.rows_of(run / "trials.parquet"))).items()}
    rows = _table(run, "lengths")
    columns = list(rows[0])[2:]
    for row, method in zip(rows[:2], ("square_root", "hapax"), strict=True):
        expected = oracle.lengths(means, "messages", method, "logistic_glm")
        for name, value in zip(columns, expected, strict=True):
            assert _number(row[name]) == (value if value is None else pytest.approx(value, rel=0, abs=1e-9)), name
    assert [row["corpus"] for row in rows[2:]] == ["paper: Avocado"] * 2 + ["paper: Twitter"] * 2 + ["paper: Bolt"]
    assert float(rows[3]["better or equal %"]) == 92.3


def test_the_command_says_how_each_corpus_is_taken_and_prints_the_papers_figures_beside(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run again it scores nothing; changed and run again it is extended."""
    before = (run / "trials.parquet").read_bytes()
    assert command("study", "--paper", run.parent / "corpora", "--out", run, "--workers", 1) == 0
    printed = capsys.readouterr()
    assert "idiograph: Enron_masked: whole texts, 40% of the authors for calibration, masked already" in printed.err
    assert "idiograph: messages: lengths of 100 to 500, 50% of the authors for calibration" in printed.err
    assert "idiograph: notes.md is skipped" in printed.err
    assert "| Enron_masked | whole | Enron |" in printed.out
    assert "| Enron_masked | whole | 5 |" in printed.out
    assert "random_q100_k100" not in printed.out
    assert "| Hapax | Square Root |" in printed.out
    assert "| paper: Avocado | Hapax |" in printed.out
    assert (run / "trials.parquet").read_bytes() == before
    assert list((run / "figures").glob("lengths_messages*.svg"))
    changed = run.parent / "again"
    shutil.copytree(run, changed)
    text = (changed / "study.toml").read_text(encoding="utf-8")
    (changed / "study.toml").write_text(text.replace('"hapax", "logistic"]', '"hapax", "sentence"]'), encoding="utf-8")
    assert command("study", changed / "study.toml", "--out", changed, "--workers", 1) == 0
    assert "Sentence" in capsys.readouterr().out


def test_long_corpora_are_drawn_by_length_and_others_by_whole_texts(tmp_path: Path) -> None:
    folder = tmp_path / "corpora"
    folder.mkdir()
    long = [
        {"id": f"{author}-{n}", "author": author, "text": "word by word it goes on. " * 900, "role": role}
        for author in ["Anon", *(f"a{number:02}" for number in range(20))]
        for n, role in enumerate(["K", "K", "K", "K", "Q", "Q", "Q"])
    ]
    (folder / "novels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in long), encoding="utf-8")
    for row in long:
        row["role"] = "Q" if row["author"] == "a00" else "ref"
    (folder / "pooled.jsonl").write_text("".join(json.dumps(row) + "\n" for row in long), encoding="utf-8")
    pairs = [{"id": f"p{n}", "known": ["One text."], "unknown": "Another.", "label": "Y"} for n in range(3)]
    (folder / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pairs), encoding="utf-8")
    line = "the N V it . and we V the J N of that N , B . " * 20
    masked = [{"id": f"m{n}", "author": f"b{n // 2}", "text": line} for n in range(8)]
    (folder / "mails.jsonl").write_text("".join(json.dumps(row) + "\n" for row in masked), encoding="utf-8")
    study, _ = paper_study(folder, tmp_path / "out")
    by_name = {corpus.name: corpus for corpus in study.corpora}
    lengths = {name for condition, names in study.conditions if condition.q_tokens == 9_500 for name in names}
    assert lengths == {"novels", "pooled"}
    assert by_name["novels"].exclude_authors == ("Anon",)
    assert (by_name["novels"].roles, by_name["pooled"].roles) == (True, False)
    assert (by_name["novels"].calibration, by_name["mails"].calibration) == (0.5, 0.4)
    assert by_name["set"].kind == "problems"
    assert (by_name["mails"].masking, by_name["mails"].options.sentences) == ("masked", "marks")


def test_folders_that_hold_no_corpora_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="is not a folder"):
        paper_study(tmp_path / "gone", tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudyError, match="holds no corpus"):
        paper_study(tmp_path / "empty", tmp_path / "out")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "a.jsonl").write_text('{"id": "1", "what": "nothing"}\n', encoding="utf-8")
    with pytest.raises(StudyError, match="neither as texts, nor as masked texts, nor as problems"):
        paper_study(tmp_path / "odd", tmp_path / "out")
    (tmp_path / "nobody").mkdir()
    (tmp_path / "nobody" / "a.jsonl").write_text('{"id": "1", "text": "A text."}\n', encoding="utf-8")
    with pytest.raises(StudyError, match="No text of a has an author"):
        paper_study(tmp_path / "nobody", tmp_path / "out")


def test_options_that_do_not_go_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpora_folder(tmp_path / "corpora")
    assert command("study", "study.toml", "--paper", tmp_path / "corpora", "--out", tmp_path / "out") == 2
    assert "it makes the study file itself" in capsys.readouterr().err
    assert command("study", "--paper", tmp_path / "corpora") == 2
    assert "a results folder is needed" in capsys.readouterr().err
    assert command("study", "a.toml", "b.toml", "--out", tmp_path / "out") == 2
    assert "study.toml, and only one" in " ".join(capsys.readouterr().err.replace("│", " ").split())
    (tmp_path / "corpora" / "messages.jsonl").unlink()
    before = sorted(tmp_path.rglob("*"))
    assert command("study", "--paper", tmp_path / "corpora", "--dry-run", "--workers", 1) == 0
    assert "120 problems" in capsys.readouterr().out  # 24 in each of five runs
    assert sorted(tmp_path.rglob("*")) == before
