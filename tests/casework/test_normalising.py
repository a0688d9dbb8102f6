"""A case by the reference-normalised method: against the oracle, and with one thing changed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import idiograph
import normalised_oracle as oracle
from idiograph import CalibrationError, InputError, Problem, Score
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.case_matrix import CaseMatrix, score_matrix
from idiograph.casework.inputs import CaseTexts
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
from indexed import index_of, with_the_case
from made_texts import case_of, write_case


def normalised(
    case_index: CaseIndex, texts: CaseTexts, score: Score, around: Surroundings, matrix: CaseMatrix | None
) -> ByMatrix:
    draws = case_matrices(case_index, texts, score, around, matrix)
    return normalise_case(case_index, texts, score, around, draws, controlled=False)


Made = tuple[CaseIndex, CaseTexts, Score, CaseMatrix, ByMatrix]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    case_index, texts = index_of(write_case(tmp_path_factory.mktemp("case"), n_authors=9, tokens=120))
    plan = plan_validation(case_index, texts)
    matrix = score_matrix(case_index, plan, name=texts.name)
    problem = Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference())
    (score,) = case_index.score_case(problem)
    around = surroundings(case_index, texts, plan, quick=False)
    assert around is not None
    return case_index, texts, score, matrix, normalised(case_index, texts, score, around, matrix)


def test_the_case_is_the_oracles(made: Made) -> None:
    case_index, texts, score, matrix, normalised = made
    n, features = 9, []
    weights = constants_for(n, k_tokens=sum(text.n_tokens for text in texts.k)).weights
    constants = [weights.alpha, *weights.betas]
    trial = []
    for number, draw in enumerate(matrix.draws):
        distinct = [
            [*(oracle.mean([sample.distinct for sample in draw.scores[b, a]]) for a in range(n)), source.distinct]
            for b, source in enumerate(normalised.around.source[number])
        ]
        distinct.append([*(score.distinct for score in normalised.around.trace[number]), score.distinct])
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
    assert normalised.trial.normed == pytest.approx(normed, rel=1e-10)
    assert normalised.trial.llr.nats == pytest.approx(
        fitted[0] + fitted[1] * normed[0] + fitted[2] * normed[1], abs=1e-4
    )
    by_constants = constants[0] + constants[1] * normed[0] + constants[2] * normed[1]
    assert normalised.trial.by_constants.nats == pytest.approx(by_constants, rel=1e-10)
    assert normalised.trial.scores[0] == score.distinct
    assert normalised.normalisation.n_same == 9 * len(matrix.draws)


def test_the_same_score_gives_the_same_llr_and_a_higher_one_more(made: Made) -> None:
    *_, score, _, normalised = made
    assert normalised.llr(score).nats == normalised.trial.llr.nats
    more = type(score)(
        evidence=tuple(tokens + 0.5 for tokens in score.evidence),
        counted=score.counted,
        reference_totals=score.reference_totals,
        known_total=score.known_total,
        n_tokens=score.n_tokens,
        n_hapaxes=score.n_hapaxes,
        settings=score.settings,
    )
    assert normalised.llr(more).nats > normalised.trial.llr.nats


def test_others_in_place_of_the_case(made: Made) -> None:
    *_, normalised = made
    n = 9
    for llrs, trials in (
        (normalised.trace(), [(n, a) for a in range(n)]),
        (normalised.source(), [(b, n) for b in range(n)]),
    ):
        weights = normalised.normalisation.weights
        plain = [scores.tolist() for scores in normalised.draws[0].scores.values()]
        for llr, (b, a) in zip(llrs, trials, strict=True):
            normed = [oracle.s_norm(matrix, b, a, range(n)) for matrix in plain]
            nats = weights.alpha + sum(beta * x for beta, x in zip(weights.betas, normed, strict=True))
            assert llr.nats == pytest.approx(nats, rel=1e-10)


def test_another_k_is_measured_by_its_own_column(made: Made) -> None:
    case_index, texts, score, _, normalised = made
    again = source_scores(case_index, normalised.k, normalised.around.samples[0], "source/Q1/lee/0")
    assert [score.distinct for score in again] == [score.distinct for score in normalised.around.source[0]]
    same = normalised.with_known(normalised.k, score, again).nats
    first = normalised.normalisation.weights.nats(
        np.array([[oracle.s_norm(score.tolist(), 9, 9, range(9)) for score in normalised.draws[0].scores.values()]])
    )
    assert same == pytest.approx(float(first[0]), rel=1e-9)
    one_text = case_index.part(texts.k[:1])
    other = source_scores(case_index, one_text, normalised.around.samples[0], "without")
    assert normalised.with_known(one_text, score, other).nats != same


def test_resampled_authors_change_the_llr_and_ones_do_not(made: Made) -> None:
    *_, normalised = made
    draw, n = normalised.draws[0], 9
    _, ((once,),) = normalise_draws([draw], trials=[(n, n)], k_tokens=normalised.k.n_tokens)
    assert normalised.weighted(draw, [1.0] * n) == pytest.approx(once.llr.nats, rel=1e-12)
    assert normalised.weighted(draw, [2.0, 0.0, *[1.0] * 7]) != once.llr.nats


def test_a_draw_with_another_k_is_that_of_the_case_where_k_is_its_own(made: Made) -> None:
    case_index, texts, score, _, normalised = made
    same_k = case_index.part(texts.k)
    again = normalised.draw_with(same_k, score.distinct, normalised.around.source[0])
    assert list(again.scores) == list(normalised.draws[0].scores) == ["distinct", "cosine"]
    for name, scores in again.scores.items():
        assert np.array_equal(scores, normalised.draws[0].scores[name])


def test_a_quick_run_goes_by_the_constants_alone(made: Made) -> None:
    case_index, texts, score, _, whole = made
    around = surroundings(case_index, texts, plan_validation(case_index, texts), quick=True)
    assert around is not None
    assert len(around.samples) == 1
    quick = normalised(case_index, texts, score, around, None)
    assert quick.normalisation.fitted is None
    assert quick.trial.llr.nats == quick.trial.by_constants.nats
    assert not any(
        "distinct" in sentence for sentence in quick.trial.unusual
    )  # of which a quick run knows no usual values
    normed = [oracle.s_norm(scores.tolist(), 9, 9, range(9)) for scores in whole.draws[0].scores.values()]
    assert quick.trial.normed == pytest.approx(normed, rel=1e-10)
    assert quick.weighted(quick.draws[0], [1.0] * 9) == quick.trial.llr.nats
    assert quick.weighted(quick.draws[0], [2.0, 0.0, *[1.0] * 7]) != quick.trial.llr.nats


def test_too_few_authors_are_refused_and_nobody_gives_nothing(tmp_path: Path) -> None:
    case_index, texts = index_of(write_case(tmp_path, n_authors=4, tokens=120))
    plan = plan_validation(case_index, texts)
    around = surroundings(case_index, texts, plan, quick=True)
    assert around is not None
    (score,) = case_index.score_case(
        Problem(case_index.part(texts.q), case_index.part(texts.k), case_index.reference())
    )
    with pytest.raises(CalibrationError, match="4 reference authors have a Q and a K like the case's"):
        normalised(case_index, texts, score, around, None)
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
        idiograph.verify(
            case_of(
                tmp_path,
                primary="normalised",
                bounds="published",
                masking="posnoise",
                repetitions=3,
                typing=typing,
            ),
            rules=1,  # texts without habits validate nothing, and by the rules of 0.4.0 their number stays shut
        ).comparisons[0]
        for typing in (False, True)
    )
    assert plain.normalised is not None
    assert typed.normalised is not None
    assert typed.normalised[1].constants.scores == ("distinct", "cosine", "typing")
    assert typed.normalised[0].normed[:2] == pytest.approx(plain.normalised[0].normed)
    # Nobody else uses the mark that Q and K share.
    assert typed.normalised[0].normed[2] > 2
    assert typed.llrs["normalised"].nats > plain.llrs["normalised"].nats
    assert [entry.code for entry in typed.audit if entry.code == "typing-compared"] == ["typing-compared"]
    assert not any(entry.code == "typing-compared" for entry in plain.audit)
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
    freed = idiograph.verify(
        case_of(tmp_path, primary="controlled", masking="posnoise", repetitions=3, typing=True), rules=1
    ).comparisons[0]
    assert freed.controlled is not None
    assert freed.controlled[1].constants.scores == ("distinct", "cosine", "typing")
    assert len(freed.controlled[1].constants.slopes) == 3
    # What came masked has no originals.
    write_case(tmp_path / "masked", n_authors=6)
    with pytest.raises(InputError, match="typing compares originals, and these texts came masked"):
        idiograph.verify(case_of(tmp_path / "masked", typing=True))


def test_a_case_may_go_without_constants(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=14, tokens=120)
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
    (comparison,) = idiograph.verify(case).comparisons
    assert comparison.reported is None
    assert "normalised" not in comparison.llrs
    assert comparison.refusal is not None
    assert "without constants the fit takes at least 8" in comparison.refusal
    with pytest.raises(InputError, match=r"A quick run fits nothing: .* \(constants = \"none\"\)\. Leave out --quick"):
        idiograph.verify(case, quick=True)
    by_hapax = idiograph.verify(replace(case, primary="hapax"), quick=True).comparisons[0]
    assert by_hapax.reported is not None
    assert "normalised" not in by_hapax.llrs
