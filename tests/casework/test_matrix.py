"""Every Q with every K behind a case: who is left out of what, and that the parts add up."""

from pathlib import Path

import numpy as np
import pytest

from idiograph import score
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import CaseMatrix, samples_of, score_matrix
from idiograph.casework.taking_part import ValidationPlan, plan_validation
from idiograph.evidence.normalised import normalise_draws
from idiograph.texts.problem import problem_seed
from indexed import index_of
from made_texts import write_case


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[CaseIndex, ValidationPlan, CaseMatrix]:
    case_index, texts = index_of(write_case(tmp_path_factory.mktemp("case"), n_authors=9, tokens=120))
    plan = plan_validation(case_index, texts)
    return case_index, plan, score_matrix(case_index, plan, name="Q1 and lee")


def test_authors_are_left_out_in_folds(made: tuple[CaseIndex, ValidationPlan, CaseMatrix]) -> None:
    _, plan, matrix = made
    assert matrix.authors == plan.authors
    assert sorted(author for fold in matrix.folds for author in fold) == list(range(9))
    assert [len(fold) for fold in matrix.folds] == [3, 3, 3]
    assert matrix.group_of == (0, 1, 2)  # three folds are their own groups
    fold_of = {author: number for number, fold in enumerate(matrix.folds) for author in fold}
    assert all(fold_of[b] == fold_of[a] for _, b, a in matrix.judged)
    assert len(matrix.judged) == len(plan.draws) * 3 * 9


def test_the_models_of_a_group_never_saw_its_authors(made: tuple[CaseIndex, ValidationPlan, CaseMatrix]) -> None:
    case_index, _, matrix = made
    draw = matrix.draws[0]
    b, a = 1, 6
    for group in range(3):
        left_out = {matrix.authors[author] for author in matrix.folds[group]}
        kept = [author for author in case_index.authors if author not in left_out | {matrix.authors[i] for i in (b, a)}]
        sentences = np.concatenate([case_index.material.sentences(case_index.texts_by(author)) for author in kept])
        expected_score = score(
            q=case_index.index.take(draw.samples[b].q),
            k=case_index.index.take(draw.samples[a].k),
            reference=case_index.index.take(np.sort(sentences)),
            repetitions=3,  # half of five, rounded up
            seed=problem_seed(1, f"validation/0/{group}/{matrix.authors[a]}/{matrix.authors[b]}"),
        )
        assert draw.matrix(range(9), group=group).scores["distinct"][b, a] == expected_score.distinct
    by_group = [scored.distinct for scored in draw.scores[b, a]]
    distinct = matrix.scored.scores["distinct"][matrix.row_of(0, b, a)]
    assert distinct == pytest.approx(np.mean(by_group), rel=1e-14)


def test_what_stands_for_all_models_is_the_mean_over_the_groups(
    made: tuple[CaseIndex, ValidationPlan, CaseMatrix],
) -> None:
    case_index, _, matrix = made
    draw, (b, a) = matrix.draws[0], (4, 4)
    scores = []
    for group in range(3):
        left_out = [matrix.authors[author] for author in {*matrix.folds[group], b, a}]
        scores.append(
            score(
                q=case_index.index.take(draw.samples[b].q),
                k=case_index.index.take(draw.samples[a].k),
                reference=case_index.reference(*left_out),
                repetitions=3,
                seed=problem_seed(1, f"validation/0/{group}/{matrix.authors[a]}/{matrix.authors[b]}"),
            )
        )
    row = matrix.row_of(0, b, a)
    assert matrix.scored.lambda_g[row] == pytest.approx(np.mean([score.lambda_g for score in scores]), rel=1e-12)
    sentences = np.mean([[part.sum() for part in score.evidence] for score in scores], axis=0)
    assert matrix.scored.sentence_norms[row] == pytest.approx(np.sqrt((sentences**2).sum()), rel=1e-12)
    assert (matrix.scored.q_authors[row], matrix.scored.same_author[row]) == (matrix.authors[b], True)
    assert matrix.scored.n_tokens[row] == scores[0].n_tokens


def test_a_trial_is_normalised_by_authors_outside_its_fold_alone(
    made: tuple[CaseIndex, ValidationPlan, CaseMatrix],
) -> None:
    _, _, matrix = made
    normalised = matrix.normalised()
    assert set(normalised) == set(matrix.judged)
    fold = matrix.folds[1]
    reference = [author for author in range(9) if author not in fold]
    trials = [(b, a) for b in fold for a in fold]
    matrices = [draw.matrix(reference, group=1) for draw in matrix.draws]
    for scores in (sample for draw in matrices for sample in draw.scores.values()):
        for b, a in trials[1:]:  # nothing of the fold's other trials counts
            scores[b, a] = 1e6
    k_tokens = float(np.median([k.n_tokens for k in matrix.draws[0].ks]))
    _, by_draw = normalise_draws(matrices, trials=trials[:1], k_tokens=k_tokens)
    assert normalised[0, *trials[0]].llr == by_draw[0][0].llr


def test_a_small_reference_is_scored_without_leaving_the_group_out(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=4, tokens=120))
    plan = plan_validation(case_index, texts)
    matrix = score_matrix(case_index, plan, name="Q1 and lee")
    assert not matrix.leaves_out
    assert set(matrix.group_of) == {0}
    expected_score = score(
        q=case_index.index.take(matrix.draws[0].samples[0].q),
        k=case_index.index.take(matrix.draws[0].samples[1].k),
        reference=case_index.reference(*matrix.authors[:2]),
        repetitions=5,
        seed=problem_seed(1, f"validation/0/0/{matrix.authors[1]}/{matrix.authors[0]}"),
    )
    assert [scored.distinct for scored in matrix.draws[0].scores[0, 1]] == [expected_score.distinct]


def test_whom_a_later_draw_cannot_serve_keeps_the_first(made: tuple[CaseIndex, ValidationPlan, CaseMatrix]) -> None:
    _, plan, _ = made
    fewer = plan.draws[1][1:]
    draws = samples_of(type(plan)(plan.condition, plan.one_text, (), (plan.draws[0], fewer)))
    assert draws[1][0] is plan.draws[0][0]
    assert draws[1][1:] == fewer
