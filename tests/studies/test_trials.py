"""Trials on disk: the same bytes for the same trials, idiolect's columns there and back, damage refused."""

import csv
from pathlib import Path

import numpy as np
import pytest

from generated import corpus
from idiograph.errors import InputError, StudyError
from idiograph.grammar.index import Index
from idiograph.studies.chunks import Chunk, score_chunk
from idiograph.studies.drawing import Condition
from idiograph.studies.idiolect import read_idiolect, write_idiolect
from idiograph.studies.material import Material
from idiograph.studies.settings import CorpusSettings, Study
from idiograph.studies.trials import read_trials, write_trials


def trials_file(folder: Path, *, evidence: str = "none") -> Path:
    study = Study(
        name="toy",
        corpora=(CorpusSettings(name="toy", path="x"),),
        conditions=((Condition(drawing="whole"), ("toy",)),),
        repetitions=3,
        evidence=evidence,
    )
    made = corpus(sentences=6)
    path = folder / f"{evidence}.parquet"
    path.write_bytes(score_chunk(study, Material.of(Index(made), made), Chunk(0, "toy", 0, 0, 0, 1)))
    return path


def test_a_row_has_what_the_contract_names(tmp_path: Path) -> None:
    trial = read_trials(trials_file(tmp_path)).rows()[0]
    assert (trial.study, trial.corpus, trial.condition) == ("toy", "toy", "whole")
    assert trial.problem == f"toy/whole/{trial.k_author}/{trial.q_id}"
    assert (trial.split_seed, trial.texts_seed, trial.reference_seed) == (1, 1, 1)
    assert trial.same_author == (trial.k_author == trial.q_author)
    assert len(trial.reference_totals) == 3
    assert trial.sentence_lambdas is None
    assert trial.evidence is None
    assert 0 < trial.n_hapaxes <= trial.n_tokens


def test_evidence_is_kept_when_asked_for(tmp_path: Path) -> None:
    by_sentence = read_trials(trials_file(tmp_path, evidence="sentences")).rows()[0]
    assert by_sentence.sentence_lambdas is not None
    assert len(by_sentence.sentence_lambdas) == by_sentence.n_sentences
    assert by_sentence.evidence is None
    by_token = read_trials(trials_file(tmp_path, evidence="tokens")).rows()[0]
    assert by_token.evidence is not None
    assert len(by_token.evidence) == by_token.n_tokens + by_token.n_sentences


def test_the_same_trials_are_the_same_bytes(tmp_path: Path) -> None:
    trials = read_trials(trials_file(tmp_path))
    assert write_trials(trials, tmp_path / "a") == write_trials(trials, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_idiolects_columns_there_and_back(tmp_path: Path) -> None:
    trials = read_trials(trials_file(tmp_path))
    path = tmp_path / "idiolect.csv"
    write_idiolect(trials, path)
    with path.open(encoding="utf-8", newline="") as file:
        header, first = list(csv.reader(file))[:2]
    assert header[:4] == ["K", "Q", "target", "score"]
    assert first[2] in ("TRUE", "FALSE")
    found = read_idiolect(path)
    np.testing.assert_array_equal(found.score, trials.column("lambda_g"))
    np.testing.assert_array_equal(found.target, trials.same)
    assert found.k == tuple(trials.column("k_author"))
    assert found.q == tuple(trials.column("q_id"))


def test_a_table_that_r_wrote_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(
        '"","K","Q","target","score"\n"1","ann","t1",TRUE,12.5\n"2","bob","t1",FALSE,-3\n', encoding="utf-8"
    )
    found = read_idiolect(path)
    assert (found.k, found.q, found.target.tolist(), found.score.tolist()) == (
        ("ann", "bob"),
        ("t1", "t1"),
        [True, False],
        [12.5, -3.0],
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("K,Q,score\na,b,1\n", "has no column target"),
        ("K,Q,target,score\na,b,maybe,1\n", "line 2: target is 'maybe'"),
        ("K,Q,target,score\na,b,TRUE,x\n", "score 'x'"),
    ],
)
def test_what_is_not_idiolects_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_idiolect(path)
    with pytest.raises(InputError, match="could not be read"):
        read_idiolect(tmp_path / "absent.csv")


def test_what_is_no_file_of_trials_is_refused(tmp_path: Path) -> None:
    path = trials_file(tmp_path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(StudyError, match="damaged or not a file of trials"):
        read_trials(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"study": ["x"]}), path)
    with pytest.raises(StudyError, match="it has no column corpus"):
        read_trials(path)
