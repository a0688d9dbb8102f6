"""LLRs of trials: formulas redone by hand, training data without the authors at hand, methods of one's own."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from generated import corpus
from idiograph import CalibrationError, Condition, Corpus, CorpusSettings, Design, MaskedText, Study, StudyError
from idiograph.studies.chunks import Chunk, score_chunk
from idiograph.studies.llrs import add_llrs
from idiograph.studies.study import study_signature
from idiograph.studies.trial_table import TrialTable, join, read_trials
from made_study import plan_of

# Short texts by writers with weak habits, so that the classes overlap.
CONDITION = Condition(drawing="contiguous", q_tokens=15, k_tokens=60)
STUDY = Study(
    name="toy",
    corpora=(CorpusSettings(name="toy", path="toy.jsonl", masking="masked"),),
    conditions=((CONDITION, ("toy",)),),
    runs=2,
    repetitions=5,
    evidence="tokens",
    methods=("raw", "square_root", "hapax", "sentence", "logistic", "logistic_glm"),
)
ALL = corpus(authors=24, texts=4, sentences=6, habit=0.12)


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> TrialTable:
    return scored(STUDY, tmp_path_factory.mktemp("trials"))


def scored(study: Study, folder: Path, texts: Corpus[MaskedText] = ALL) -> TrialTable:
    parts = []
    for run in range(study.runs):
        path = folder / f"{run}.parquet"
        path.write_bytes(score_chunk(study, plan_of(study, texts, run), Chunk("toy", 0, run, 0, 1)))
        parts.append(read_trials(path))
    return join(parts)


def test_corrections_follow_their_formulas_from_what_is_stored(trials: TrialTable) -> None:
    judged, _ = add_llrs(STUDY, trials)
    for trial in judged.rows():
        assert trial.evidence is not None
        assert trial.sentence_lambdas is not None
        lambda_g = float(np.sum(trial.evidence))
        assert lambda_g == pytest.approx(trial.lambda_g, abs=1e-12)
        assert trial.lambda_g == pytest.approx(trial.known_total - np.mean(trial.reference_totals), abs=1e-9)
        assert len(trial.evidence) == trial.n_tokens + trial.n_sentences
        assert trial.llrs["raw"] == pytest.approx(lambda_g * np.log(10))
        assert trial.llrs["square_root"] == pytest.approx(lambda_g / np.sqrt(trial.n_tokens) * np.log(2))
        assert trial.llrs["hapax"] == pytest.approx(lambda_g * trial.n_hapaxes / trial.n_tokens * np.log(2))
        norm = np.sqrt(np.sum(trial.sentence_lambdas**2))
        assert trial.llrs["sentence"] == pytest.approx(np.sum(trial.sentence_lambdas) / norm)


def test_another_unit_scales_the_corrections_and_nothing_else(trials: TrialTable) -> None:
    bits, _ = add_llrs(STUDY, trials)
    nats, _ = add_llrs(replace(STUDY, unit="nats"), trials)
    np.testing.assert_allclose(nats.llr("hapax") * np.log(2), bits.llr("hapax"))
    np.testing.assert_array_equal(nats.llr("sentence"), bits.llr("sentence"))
    np.testing.assert_array_equal(nats.llr("raw"), bits.llr("raw"))


def test_logistic_regression_is_trained_on_the_calibration_half_of_its_run(trials: TrialTable) -> None:
    judged, fits = add_llrs(STUDY, trials)
    assert [(fit.method, fit.run, fit.n_fits) for fit in fits] == [
        ("logistic", 0, 1), ("logistic", 1, 1), ("logistic_glm", 0, 1), ("logistic_glm", 1, 1),
    ]  # fmt: skip
    assert sum(fit.n_perfect + fit.n_near for fit in fits) == 0
    llr, score, same = judged.llr("logistic"), judged.column("lambda_g"), judged.same
    half, run = judged.column("half"), judged.column("run")
    assert np.isnan(llr[half == "calibration"]).all()
    assert {trial.llrs["logistic"] for trial in judged.rows() if trial.half == "calibration"} == {None}
    for number in (0, 1):
        case, training = (run == number) & (half == "case"), (run == number) & (half == "calibration")
        slope, intercept = np.polyfit(score[case], llr[case], 1)
        # At the maximum of the balanced likelihood its gradient is zero.
        p = 1 / (1 + np.exp(-(intercept + slope * score[training])))
        answer = same[training]
        weight = np.where(answer, 1 / answer.sum(), 1 / (~answer).sum())
        assert np.sum(weight * (answer - p)) == pytest.approx(0, abs=1e-6)
        assert np.sum(weight * (answer - p) * score[training]) == pytest.approx(0, abs=1e-5)


def test_separated_fits_are_counted_and_guarded(tmp_path: Path) -> None:
    long = replace(STUDY, conditions=((Condition(drawing="random", q_tokens=60, k_tokens=120), ("toy",)),))
    judged, fits = add_llrs(long, scored(long, tmp_path, corpus(authors=16, sentences=8, habit=0.6)))
    assert sum(fit.n_perfect for fit in fits if fit.method == "logistic") > 0
    assert [fit.n_perfect for fit in fits if fit.method == "logistic"] == [
        fit.n_perfect for fit in fits if fit.method == "logistic_glm"
    ]
    case = judged.where(judged.column("half") == "case")
    assert np.abs(case.llr("logistic")).max() < np.abs(case.llr("logistic_glm")).max()


def test_calibration_leaves_out_both_authors(trials: TrialTable, tmp_path: Path) -> None:
    design = Design(calibration=0.0, reference="all")
    study = replace(STUDY, design=design, leave_authors_out=True, methods=("logistic",), runs=1)
    alone = scored(study, tmp_path)
    judged, (fits,) = add_llrs(study, alone)
    assert not np.isnan(judged.llr("logistic")).any()
    authors = list(zip(alone.column("k_author"), alone.column("q_author"), strict=True))
    assert fits.n_fits == len({frozenset(pair) for pair in authors})
    # A wild score of one author moves nobody whose training never met them, and does not move their own slope.
    table = alone.table.to_pydict()
    victim = authors[0][0]
    table["lambda_g"] = [
        value + 1000 if victim in pair else value for value, pair in zip(table["lambda_g"], authors, strict=True)
    ]
    import pyarrow as pa

    moved, _ = add_llrs(study, TrialTable(pa.table(table, schema=alone.table.schema)))
    of_victim = [row for row, pair in enumerate(authors) if victim in pair]
    slope = (moved.llr("logistic")[of_victim] - judged.llr("logistic")[of_victim]) / 1000
    by_pair: dict[frozenset[str], list[int]] = {}
    for row, pair in enumerate(authors):
        by_pair.setdefault(frozenset(pair), []).append(row)
    for row, step in zip(of_victim, slope, strict=True):
        same_fit = [other for other in by_pair[frozenset(authors[row])] if other != row]
        for other in same_fit:
            rise = judged.llr("logistic")[row] - judged.llr("logistic")[other]
            run = alone.column("lambda_g")[row] - alone.column("lambda_g")[other]
            assert step == pytest.approx(rise / run)
    assert not np.allclose(np.delete(moved.llr("logistic"), of_victim), np.delete(judged.llr("logistic"), of_victim))


def test_pairs_from_outside_the_case_data_never_train_on_their_own_author(tmp_path: Path) -> None:
    study = replace(STUDY, design=Design(pairs="outside", calibration=0.5), methods=("logistic",), runs=1)
    _, (fits,) = add_llrs(study, scored(study, tmp_path))
    assert fits.n_fits > 1  # one without each outside author, one for the same-author trials


def test_a_method_of_ones_own_is_compared_like_the_rest(trials: TrialTable, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import math\n\ndef damped(trial):\n    return trial.lambda_g / math.log(trial.n_tokens)\n", encoding="utf-8"
    )
    study = replace(STUDY, own=("mine.py:damped",), folder=tmp_path)
    judged, _ = add_llrs(study, trials)
    assert judged.methods == (*STUDY.methods, "damped")
    program = (tmp_path / "mine.py").read_bytes()
    assert f"|own:{sha256(program).hexdigest()[:12]}" in study_signature(study, {}, {"mine.py": program})
    assert "|own:" not in study_signature(STUDY, {}, {})
    np.testing.assert_allclose(judged.llr("damped"), judged.column("lambda_g") / np.log(judged.column("n_tokens")))


@pytest.mark.parametrize(
    ("code", "entry", "words"),
    [
        ("def f(trial):\n    return float('nan')\n", "mine.py:f", "gave nan for toy/"),
        ("def f(trial):\n    return trial.nothing\n", "mine.py:f", "failed on toy/.*AttributeError"),
        ("def f(trial):\n    return 1\n", "mine.py:g", "has no function g"),
        ("1 / 0\n", "mine.py:f", "could not be run: ZeroDivisionError"),
        ("", "other.py:f", "was not found: there is no file"),
    ],
)
def test_a_method_of_ones_own_that_fails_is_named(
    trials: TrialTable, tmp_path: Path, code: str, entry: str, words: str
) -> None:
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    with pytest.raises(StudyError, match=words):
        add_llrs(replace(STUDY, own=(entry,), folder=tmp_path), trials)


def test_a_fit_that_cannot_be_made_says_where(trials: TrialTable) -> None:
    calm = trials.table.to_pydict()
    calm["lambda_g"] = [1.0] * len(trials)
    import pyarrow as pa

    with pytest.raises(CalibrationError, match=r"toy, contiguous_q15_k60, run 0: All \d+ scores are 1"):
        add_llrs(STUDY, TrialTable(pa.table(calm, schema=trials.table.schema)))
