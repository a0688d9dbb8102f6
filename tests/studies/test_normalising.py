"""The reference-normalised LRs of a study, against the oracle; and what they must not depend on."""

from pathlib import Path

import numpy as np
import pytest

import idiograph
import normalised_oracle as oracle
from generated import corpus
from idiograph import CalibrationError, StudyError, read_study
from idiograph.evidence.constants import Constants, Weights, constants_for
from idiograph.provenance import digest_json
from idiograph.studies.llrs import folds_of, normalised_trials
from made_matrix import matrix_result, matrix_study
from made_study import whole_trials

pytestmark = pytest.mark.usefixtures("unread_pages")


def test_judged_trials_are_the_oracles() -> None:
    trials = matrix_result().trials
    halves, qs, ks = (trials.column(name) for name in ("half", "q_author", "k_author"))
    llrs = trials.llr("normalised")
    (_, fold, places), *_ = folds_of(trials)
    assert fold == 0
    own_lambda_g = {qs[row]: trials.column("lambda_g")[row] for row in places if qs[row] == ks[row]}
    authors = sorted(own_lambda_g, key=lambda author: own_lambda_g[author])  # who follows whom does not depend on names
    reference = sorted(
        {authors.index(q) for q, half in zip(qs[places], halves[places], strict=True) if half == "calibration"}
    )
    matrices = []
    for name in ("distinct", "cosine"):
        matrix = [[0.0] * len(authors) for _ in authors]
        for row in places:
            matrix[authors.index(qs[row])][authors.index(ks[row])] = trials.score(name)[row]
        matrices.append(matrix)
    lengths = sorted(trials.column("k_tokens")[places].tolist())
    middle = (lengths[(len(lengths) - 1) // 2] + lengths[len(lengths) // 2]) / 2
    weights = constants_for(len(reference), k_tokens=middle).weights
    judged = [row for row in places if halves[row] == "case"]
    assert len(judged) == (len(authors) - len(reference)) ** 2
    for row in judged[:2]:
        b, a = authors.index(qs[row]), authors.index(ks[row])
        nats = oracle.normalised(matrices, reference, b, a, [weights.alpha, *weights.betas], 0.5 / len(reference))
        assert llrs[row] == pytest.approx(nats, abs=1e-4)
        assert trials.column("normed_cosine")[row] == pytest.approx(oracle.s_norm(matrices[1], b, a, reference))
        assert trials.column("cohort")[row] == digest_json(sorted(authors[number] for number in reference))
    assert np.isnan(llrs[halves != "case"]).all()


def test_the_texts_of_a_fold_change_nothing_outside_it(tmp_path: Path) -> None:
    """Neither λG's reference nor df nor calibration of the other folds' references knows the left-out authors."""
    before = idiograph.study(matrix_study(tmp_path / "one"), workers=1).trials
    folds = {fold: places for _, fold, places in folds_of(before)}
    left_out = set(before.column("k_author")[folds[0][before.column("half")[folds[0]] == "case"]])
    path = matrix_study(tmp_path / "other")
    others = corpus(authors=13, seed=99)
    rows = (path.parent / "toy.jsonl").read_text(encoding="utf-8").splitlines()
    by_id = {text.id: text for text in others}
    import json

    changed = []
    for row in rows:
        entry = json.loads(row)
        if entry["author"] in left_out:
            entry["sentences"] = [" ".join(sentence) for sentence in by_id[entry["id"]].sentences]
        changed.append(json.dumps(entry))
    (path.parent / "toy.jsonl").write_text("\n".join(changed) + "\n", encoding="utf-8")
    other = idiograph.study(path, workers=1).trials
    places = folds[0][before.column("half")[folds[0]] == "calibration"]
    for name in ("lambda_g", "distinct"):
        assert before.column(name)[places].tolist() == other.column(name)[places].tolist()
    assert before.score("cosine")[places].tolist() == other.score("cosine")[places].tolist()
    judged = folds[0][before.column("half")[folds[0]] == "case"]
    assert before.column("lambda_g")[judged].tolist() != other.column("lambda_g")[judged].tolist()


def test_other_constants_can_be_chosen_by_corpus() -> None:
    trials = matrix_result().trials
    other = Constants(("distinct", "cosine"), 9, Weights(5.0, (0.0, 0.0)), "made up", "0" * 64)
    asked: list[tuple[str, int, float]] = []

    def choose(name: str, n: int, k_tokens: float) -> Constants:
        asked.append((name, n, k_tokens))
        return other

    chosen = normalised_trials(trials, constants=choose)
    assert {name for name, _, _ in asked} == {"toy"}
    assert {n for _, n, _ in asked} <= {8, 9, 10}
    assert all(120 < tokens < 135 for _, _, tokens in asked)
    usual = normalised_trials(trials)
    case = trials.case
    assert np.mean(chosen.nats[case]) > np.mean(usual.nats[case]) + 0.1
    assert chosen.normed["distinct"][case].tolist() == usual.normed["distinct"][case].tolist()


def test_a_study_without_the_matrix_is_refused() -> None:
    with pytest.raises(StudyError, match=r"needs the score of every Q with every K\. Name the method when"):
        normalised_trials(whole_trials())
    with pytest.raises(StudyError, match="let the study compute typing"):
        normalised_trials(matrix_result().trials, scores=("distinct", "cosine", "typing"))
    same = matrix_result().trials
    odd = same.with_columns({})
    import pyarrow as pa

    flat = odd.table.set_column(
        odd.table.column_names.index("score_cosine"), "score_cosine", pa.array([1.0] * len(odd), pa.float64())
    )
    with pytest.raises(CalibrationError, match="toy, random_q60_k120, run 0, fold 1: Score 2 of 2 is the same"):
        normalised_trials(type(odd)(flat))


def test_other_names_for_the_authors_change_no_digit() -> None:
    trials = matrix_result().trials
    names = {name: f"x{rank * 7 % 13:02}" for rank, name in enumerate(sorted(set(trials.column("k_author"))))}
    renamed = trials.with_columns(
        {column: [names[name] for name in trials.column(column)] for column in ("k_author", "q_author")}
    )
    usual, other = normalised_trials(trials).nats, normalised_trials(renamed).nats
    assert usual[trials.case].tolist() == other[trials.case].tolist()


def test_a_study_may_go_without_constants_and_scores_nothing_anew(tmp_path: Path) -> None:
    usual = idiograph.study(matrix_study(tmp_path), tmp_path / "results", workers=1)
    path = matrix_study(tmp_path, extra='constants = "none"')
    assert read_study(path).digest == usual.study.digest
    without = idiograph.study(path, tmp_path / "results", workers=1)
    case = usual.trials.case
    assert without.trials.column("lambda_g").tolist() == usual.trials.column("lambda_g").tolist()
    assert without.trials.llr("hapax")[case].tolist() == usual.trials.llr("hapax")[case].tolist()
    assert np.abs(without.trials.llr("normalised") - usual.trials.llr("normalised"))[case].min() > 0
    assert "|constants:none|" in without.signature
    assert "constants" not in usual.signature
    few = matrix_study(tmp_path / "few", extra='constants = "none"', authors=9)
    with pytest.raises(CalibrationError, match=r"fold 1: There are \d reference authors .*without constants the fit"):
        idiograph.study(few, workers=1)
