"""Trials on disk: the same bytes for the same trials, damage refused."""

from pathlib import Path

import numpy as np
import pytest

from idiograph import StudyError
from idiograph.evidence.trials import sentence_norm
from idiograph.studies.trial_table import join, read_trials, to_bytes
from made_study import trials_file, whole_trials


def test_a_row_has_what_the_contract_names() -> None:
    trial = whole_trials().rows()[0]
    assert (trial.study, trial.corpus, trial.condition) == ("toy", "toy", "whole")
    assert trial.problem == f"toy/whole/{trial.k_author}/{trial.q_id}"
    assert (trial.split_seed, trial.texts_seed, trial.reference_seed) == (1, 1, 1)
    assert trial.same_author == (trial.k_author == trial.q_author)
    assert len(trial.reference_totals) == 3
    assert trial.sentence_lambdas is None
    assert trial.evidence is None
    assert 0 < trial.n_hapaxes <= trial.n_tokens


def test_evidence_is_kept_when_asked_for() -> None:
    by_sentence = whole_trials("sentences").rows()[0]
    assert by_sentence.sentence_lambdas is not None
    assert len(by_sentence.sentence_lambdas) == by_sentence.n_sentences
    assert by_sentence.evidence is None
    by_token = whole_trials("tokens").rows()[0]
    assert by_token.evidence is not None
    assert len(by_token.evidence) == by_token.n_tokens + by_token.n_sentences


def test_the_same_trials_are_the_same_bytes(tmp_path: Path) -> None:
    trials = whole_trials()
    (tmp_path / "a").write_bytes(to_bytes(trials))
    assert to_bytes(trials) == to_bytes(read_trials(tmp_path / "a"))


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


def test_methods_read_what_the_columns_say() -> None:
    table = whole_trials("sentences")
    scored = table.scored
    np.testing.assert_array_equal(scored.lambda_g, table.column("lambda_g"))
    np.testing.assert_array_equal(scored.same_author, scored.k_authors == scored.q_authors)
    for trial, norm in zip(table.rows(), scored.sentence_norms, strict=True):
        assert trial.sentence_lambdas is not None
        assert norm == pytest.approx(sentence_norm([trial.sentence_lambdas[[i]] for i in range(trial.n_sentences)]))


def test_groups_are_those_of_corpus_condition_and_run() -> None:
    table = whole_trials()
    other = table.table.set_column(
        table.table.column_names.index("run"), "run", np.ones(len(table), np.int32)[None, :].tolist()
    )
    both = join([table, type(table)(other.cast(table.table.schema))])
    assert [(key, len(places)) for key, places in both.groups()] == [
        (("toy", "whole", 0), len(table)), (("toy", "whole", 1), len(table)),
    ]  # fmt: skip
    assert both.where(both.case).case.all()
    assert 0 < both.case.sum() < len(both)


def test_a_method_that_was_trained_on_a_trial_has_no_llr_there() -> None:
    table = whole_trials()
    llrs = np.where(table.case, 1.5, np.nan)
    judged = table.with_llrs({"mine": llrs})
    assert judged.methods == ("mine",)
    np.testing.assert_array_equal(judged.llr("mine"), llrs)
    assert {trial.llrs["mine"] for trial in judged.rows()} == {1.5, None}
    assert judged.with_llrs({}).methods == ()
