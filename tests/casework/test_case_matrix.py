"""Every Q with every K behind a case, and the methods measured by it: against the oracle, and with a thing changed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import idiograph
import normalised_oracle as oracle
from audited import findings_of
from idiograph import CalibrationError, InputError, Score, score
from idiograph.casework.case_matrix import CaseMatrix, samples_of, score_matrix
from idiograph.casework.taking_part import plan_validation
from idiograph.casework.variants import (
    ByMatrix,
    Surroundings,
    case_matrices,
    normalise_case,
    source_scores,
    surroundings,
)
from idiograph.evidence.constants import constants_for
from idiograph.evidence.normalised import normalise_draws
from idiograph.output.annexes import strength
from idiograph.texts.problem import problem_seed
from indexed import CaseIndex, ScoredCase, index_of, score_of, scored_case, scores_with_the_case, with_the_case
from made_texts import CaseTexts, case_of, compare, compare_fully, write_case


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> ScoredCase:
    """A case with nine reference authors."""
    return scored_case(write_case(tmp_path_factory.mktemp("case"), n_authors=9, tokens=120))


@pytest.fixture(scope="module")
def by_matrix(nine: ScoredCase) -> ByMatrix:
    return normalised(nine.case_index, nine.texts, nine.score, nine.around, nine.matrix)


def normalised(
    case_index: CaseIndex, texts: CaseTexts, score: Score, around: Surroundings, matrix: CaseMatrix | None
) -> ByMatrix:
    draws = case_matrices(case_index, texts, score, around, matrix)
    return normalise_case(case_index, texts, score, around, draws, controlled=False)


def test_authors_are_left_out_in_folds(nine: ScoredCase) -> None:
    plan, matrix = nine.plan, nine.matrix
    assert matrix.authors == plan.authors
    assert sorted(author for fold in matrix.folds for author in fold) == list(range(9))
    assert [len(fold) for fold in matrix.folds] == [3, 3, 3]
    assert matrix.group_of == (0, 1, 2)  # three folds are their own groups
    fold_of = {author: number for number, fold in enumerate(matrix.folds) for author in fold}
    assert all(fold_of[b] == fold_of[a] for _, b, a in matrix.judged)
    assert len(matrix.judged) == len(plan.draws) * 3 * 9


@pytest.mark.parametrize(("b", "a"), [(1, 6), (4, 4)])
def test_the_models_of_a_group_never_saw_its_authors_and_the_mean_stands_for_all_groups(
    nine: ScoredCase, b: int, a: int
) -> None:
    case_index, matrix = nine.case_index, nine.matrix
    draw, scores = matrix.draws[0], []
    for group in range(3):
        left_out = {matrix.authors[author] for author in (*matrix.folds[group], b, a)}
        kept = [author for author in case_index.authors if author not in left_out]
        material = case_index.material
        sentences = np.concatenate([material.sentences(material.texts_by[author]) for author in kept])
        expected_score = score(
            q=case_index.index.take(draw.samples[b].q),
            k=case_index.index.take(draw.samples[a].k),
            reference=case_index.index.take(np.sort(sentences)),
            repetitions=3,  # half of five, rounded up
            seed=problem_seed(1, f"validation/0/{group}/{matrix.authors[a]}/{matrix.authors[b]}"),
        )
        assert draw.matrix(range(9), group=group).scores["distinct"][b, a] == expected_score.distinct
        scores.append(expected_score)
    row, trials = matrix.row_of(0, b, a), matrix.scored
    assert trials.scores["distinct"][row] == pytest.approx(np.mean([score.distinct for score in scores]), rel=1e-14)
    assert trials.lambda_g[row] == pytest.approx(np.mean([score.lambda_g for score in scores]), rel=1e-12)
    sums = np.mean([[part.sum() for part in score.evidence] for score in scores], axis=0)
    assert trials.sentence_norms[row] == pytest.approx(np.sqrt((sums**2).sum()), rel=1e-12)
    assert (trials.q_authors[row], trials.same_author[row]) == (matrix.authors[b], b == a)
    assert trials.n_tokens[row] == scores[0].n_tokens


def test_a_trial_is_normalised_by_authors_outside_its_fold_alone(nine: ScoredCase) -> None:
    matrix = nine.matrix
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


def test_whom_a_later_draw_cannot_serve_keeps_the_first(nine: ScoredCase) -> None:
    plan = nine.plan
    fewer = plan.draws[1][1:]
    draws = samples_of(type(plan)(plan.condition, plan.one_text, (), (plan.draws[0], fewer)))
    assert draws[1][0] is plan.draws[0][0]
    assert draws[1][1:] == fewer


def test_the_case_is_the_oracles(nine: ScoredCase, by_matrix: ByMatrix) -> None:
    case_index, texts, score, matrix = nine.case_index, nine.texts, nine.score, nine.matrix
    n, features = 9, []
    weights = constants_for(n, k_tokens=sum(text.n_tokens for text in texts.k)).weights
    constants = [weights.alpha, *weights.betas]
    trial = []
    for number, draw in enumerate(matrix.draws):
        scores = scores_with_the_case(nine, matrix, number)
        distinct = [
            [oracle.mean([by_group.distinct for by_group in scores[b, a]]) for a in range(n + 1)] for b in range(n + 1)
        ]
        qs, ks = with_the_case(case_index, texts, draw)
        counts = [[oracle.n_grams(side) for side in sides] for sides in (qs, ks)]
        matrices = [distinct, oracle.cosine_matrix(*counts, range(n))]
        features += [
            (b == a, [oracle.s_norm(matrix, b, a, range(n)) for matrix in matrices]) for b in range(n) for a in range(n)
        ]
        trial.append([oracle.s_norm(matrix, n, n, range(n)) for matrix in matrices])
    same, different = (
        [trial_features for is_same, trial_features in features if is_same is kind] for kind in (True, False)
    )
    fitted = oracle.fit(same, different, constants, 0.5 / 9)
    normed = np.mean(trial, axis=0)
    assert by_matrix.trial.normed == pytest.approx(normed, rel=1e-10)
    assert by_matrix.trial.llr.nats == pytest.approx(
        fitted[0] + fitted[1] * normed[0] + fitted[2] * normed[1], abs=1e-4
    )
    by_constants = constants[0] + constants[1] * normed[0] + constants[2] * normed[1]
    assert by_matrix.trial.by_constants.nats == pytest.approx(by_constants, rel=1e-10)
    assert by_matrix.trial.scores[0] == score.distinct
    assert by_matrix.normalisation.n_same == 9 * len(matrix.draws)


def test_the_same_score_gives_the_same_llr_and_a_higher_one_more(nine: ScoredCase, by_matrix: ByMatrix) -> None:
    score = nine.score
    assert by_matrix.llr(score).nats == by_matrix.trial.llr.nats
    more = replace(score, evidence=tuple(tokens + 0.5 for tokens in score.evidence))
    assert by_matrix.llr(more).nats > by_matrix.trial.llr.nats


def test_others_in_place_of_the_case(by_matrix: ByMatrix) -> None:
    n = 9
    for llrs, trials in (
        (by_matrix.trace(), [(n, a) for a in range(n)]),
        (by_matrix.source(), [(b, n) for b in range(n)]),
    ):
        weights = by_matrix.normalisation.weights
        plain = [scores.tolist() for scores in by_matrix.draws[0].scores.values()]
        for llr, (b, a) in zip(llrs, trials, strict=True):
            normed = [oracle.s_norm(matrix, b, a, range(n)) for matrix in plain]
            nats = weights.alpha + sum(beta * x for beta, x in zip(weights.betas, normed, strict=True))
            assert llr.nats == pytest.approx(nats, rel=1e-10)


def test_another_k_is_measured_by_its_own_column(nine: ScoredCase, by_matrix: ByMatrix) -> None:
    case_index, texts, score = nine.case_index, nine.texts, nine.score
    again = source_scores(case_index, by_matrix.k, by_matrix.around.samples[0], "source/Q1/lee/0")
    assert [score.distinct for score in again] == [score.distinct for score in by_matrix.around.source[0]]
    same = by_matrix.with_known(by_matrix.k, score, again).nats
    first = by_matrix.normalisation.weights.nats(
        np.array([[oracle.s_norm(score.tolist(), 9, 9, range(9)) for score in by_matrix.draws[0].scores.values()]])
    )
    assert same == pytest.approx(float(first[0]), rel=1e-9)
    one_text = case_index.part(texts.k[:1])
    other = source_scores(case_index, one_text, by_matrix.around.samples[0], "without")
    assert by_matrix.with_known(one_text, score, other).nats != same


def test_resampled_authors_change_the_llr_and_ones_do_not(by_matrix: ByMatrix) -> None:
    draw, n = by_matrix.draws[0], 9
    _, ((once,),) = normalise_draws([draw], trials=[(n, n)], k_tokens=by_matrix.k.n_tokens)
    assert by_matrix.weighted(draw, [1.0] * n) == pytest.approx(once.llr.nats, rel=1e-12)
    assert by_matrix.weighted(draw, [2.0, 0.0, *[1.0] * 7]) != once.llr.nats


def test_a_draw_with_another_k_is_that_of_the_case_where_k_is_its_own(nine: ScoredCase, by_matrix: ByMatrix) -> None:
    case_index, texts, score = nine.case_index, nine.texts, nine.score
    same_k = case_index.part(texts.k)
    again = by_matrix.draw_with(same_k, score.distinct, by_matrix.around.source[0])
    assert list(again.scores) == list(by_matrix.draws[0].scores) == ["distinct", "cosine"]
    for name, scores in again.scores.items():
        assert np.array_equal(scores, by_matrix.draws[0].scores[name])


def test_a_quick_run_goes_by_the_constants_alone(nine: ScoredCase, by_matrix: ByMatrix) -> None:
    around = surroundings(nine.case_index, nine.texts, nine.plan, quick=True)
    assert around is not None
    assert len(around.samples) == 1
    quick = normalised(nine.case_index, nine.texts, nine.score, around, None)
    assert quick.normalisation.fitted is None
    assert quick.trial.llr.nats == quick.trial.by_constants.nats
    # Of the distinct λG a quick run knows no usual values.
    assert not any("distinct" in sentence for sentence in quick.trial.unusual)
    normed = [oracle.s_norm(scores.tolist(), 9, 9, range(9)) for scores in by_matrix.draws[0].scores.values()]
    assert quick.trial.normed == pytest.approx(normed, rel=1e-10)
    assert quick.weighted(quick.draws[0], [1.0] * 9) == quick.trial.llr.nats
    assert quick.weighted(quick.draws[0], [2.0, 0.0, *[1.0] * 7]) != quick.trial.llr.nats


def test_too_few_authors_are_refused_and_nobody_gives_nothing(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=4, tokens=120))
    plan = plan_validation(case_index, texts)
    around = surroundings(case_index, texts, plan, quick=True)
    assert around is not None
    with pytest.raises(CalibrationError, match="4 reference authors have a Q and a K like the case's"):
        normalised(case_index, texts, score_of(case_index, texts), around, None)
    case_index, texts = index_of(write_case(tmp_path / "one", n_authors=2, n_texts=1, tokens=120))
    assert surroundings(case_index, texts, plan_validation(case_index, texts), quick=True) is None


def test_typing_is_a_third_score_of_the_originals(tmp_path: Path, fake_tagger: object) -> None:
    rng = np.random.default_rng(4)

    def prose(mark: str) -> str:
        words = [str(rng.choice(["the", "cat", "Sat", "on", "MATS", "12"])) for _ in range(160)]
        lines = [f" {mark}".join(words[start : start + 8]).capitalize() + "." for start in range(0, 160, 8)]
        return "\n\n".join(lines)

    for author, mark in enumerate(" ,;:!?-()"):
        for number in range(4):
            path = tmp_path / "reference" / f"a{author}" / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(prose(mark), encoding="utf-8")
    for name in ("q.txt", "known/1.txt", "known/2.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(prose("/"), encoding="utf-8")
    plain, typed = (
        compare_fully(
            tmp_path,
            rules=1,
            primary="normalised",
            bounds="published",
            masking="posnoise",
            repetitions=3,
            typing=typing,
        )
        for typing in (False, True)
    )
    assert plain.normalised is not None
    assert typed.normalised is not None
    assert typed.normalised[1].constants.scores == ("distinct", "cosine", "typing")
    assert typed.normalised[0].normed[:2] == pytest.approx(plain.normalised[0].normed)
    # Nobody else uses the mark that Q and K share.
    assert typed.normalised[0].normed[2] > 2
    assert typed.llrs["normalised"].nats > plain.llrs["normalised"].nats
    assert "typing-compared" in findings_of(typed)
    assert "typing-compared" not in findings_of(plain)
    # What was published is of two scores, and of their lean on topic alone.
    assert "with the typing score" in str(list(strength(typed)))
    assert "with the typing score" not in str(list(strength(plain)))
    assert plain.validation is not None
    assert typed.validation is not None
    lacks = (
        "no trials of the reference-normalised LR with the typing score, so the bounds come from the reference of this"
    )
    assert any(lacks in sentence for sentence in typed.validation.missing)
    assert not any("with the typing score" in sentence for sentence in plain.validation.missing)
    freed = compare_fully(tmp_path, rules=1, primary="controlled", masking="posnoise", repetitions=3, typing=True)
    assert freed.controlled is not None
    assert freed.controlled[1].constants.scores == ("distinct", "cosine", "typing")
    assert len(freed.controlled[1].constants.slopes) == 3
    # What came masked has no originals.
    write_case(tmp_path / "masked", n_authors=6)
    with pytest.raises(InputError, match="typing compares originals, and these texts came masked"):
        idiograph.verify(case_of(tmp_path / "masked", typing=True))


def test_a_case_may_go_without_constants(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=12, tokens=120)
    usual, without = (
        idiograph.verify(
            case_of(tmp_path, primary="normalised", repetitions=3, constants=constants, second_opinions=("guarded",))
        )
        for constants in ("english", "none")
    )
    comparison, other = usual.comparisons[0], without.comparisons[0]
    assert comparison.normalised is not None
    assert other.normalised is not None
    assert comparison.normalised[0].normed == other.normalised[0].normed
    for key in ("normalised", "guarded"):
        assert comparison.llrs[key].nats != other.llrs[key].nats
    assert comparison.llrs["hapax"] == other.llrs["hapax"]
    assert comparison.validation is not None
    assert other.validation is not None
    for key in ("normalised", "guarded"):
        assert comparison.validation.performance[key] != other.validation.performance[key]
    assert other.normalised[1].constants.say_nothing
    assert "|constants:none|" in without.provenance.signature
    assert "constants" not in usual.provenance.signature
    assert usual.case_digest != without.case_digest


def test_without_constants_too_few_authors_and_a_quick_run_are_refused(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=9, tokens=120)
    case = case_of(tmp_path, primary="normalised", repetitions=3, constants="none")
    comparison = compare(case, quick=False)
    assert comparison.reported is None
    assert "normalised" not in comparison.llrs
    assert comparison.refusal is not None
    assert "without constants the fit takes at least 8" in comparison.refusal
    with pytest.raises(InputError, match=r"A quick run fits nothing: .* \(constants = \"none\"\)\. Leave out --quick"):
        idiograph.verify(case, quick=True)
    by_hapax = compare(replace(case, primary="hapax"))
    assert by_hapax.reported is not None
    assert "normalised" not in by_hapax.llrs
