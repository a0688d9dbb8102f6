"""Attacked problems: which there are, and that their scores are those that Q, K and cohort give one by one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import idiograph
from attacked_study import ATTACK, attacked_result
from generated import corpus
from idiograph import COMPARATORS, Corpus, InputError, MaskedText, StudyError, ngram_cosine, read_study, score
from idiograph.evidence.repetition import trigrams
from idiograph.studies.attack import NOTHING, inserted, most_typical
from idiograph.studies.attacks import ATTACK as KIND
from idiograph.studies.attacks import CAUGHT, attacked_qs, attacked_trials
from idiograph.studies.llrs import COHORT_PREFIX
from made_matrix import matrix_study
from made_study import plan_of


def planned(folder: Path, **changed):
    study = read_study(matrix_study(folder, extra=ATTACK, habit=0.8))
    study = replace(study, attack=replace(study.attack, **changed))
    return study, plan_of(study, corpus(authors=13, habit=0.8))


def test_every_different_author_problem_is_attacked_in_every_way(tmp_path: Path) -> None:
    study, plan = planned(tmp_path)
    fold = plan.folds[0].left_out
    qs = list(attacked_qs(study, plan, 0))
    assert [(q.author, q.ks) for q in qs if q.kind == NOTHING] == [(b, tuple(a for a in fold if a != b)) for b in fold]
    for kind in ("one trigram 8 times", "3 trigrams, 12 in all"):
        assert {(q.author, q.ks) for q in qs if q.kind == kind} == {(b, (a,)) for b in fold for a in fold if a != b}
    index = plan.material.index
    q = next(q for q in qs if q.kind == "3 trigrams, 12 in all")
    outside = [author for author in plan.material.texts_by if author not in plan.folds[0].out_of_models]
    rest = trigrams(index.by(*outside).sentences)
    phrases = most_typical(trigrams(index.take(plan.sides[q.ks[0]].k).sentences), rest, 3)
    assert q.sentences == inserted(index.take(plan.sides[q.author].q).sentences, phrases, 12)


def test_nothing_is_inserted_where_k_repeats_nothing(tmp_path: Path) -> None:
    study = read_study(matrix_study(tmp_path, extra=ATTACK))
    plan = plan_of(study, corpus(authors=13, habit=0.0))
    repeats = {
        author: max(trigrams(plan.material.index.take(plan.sides[author].k).sentences).values())
        for author in plan.folds[0].left_out
    }
    assert {attack.ks[0] for attack in attacked_qs(study, plan, 0) if attack.kind != NOTHING} == {
        author for author, most in repeats.items() if most >= 3
    }
    assert min(repeats.values()) < 3


def test_scores_are_those_of_each_q_by_itself(tmp_path: Path) -> None:
    study, plan = planned(tmp_path)
    trials = attacked_trials(study, 0, plan, 0)
    qs = {(q.kind, q.author, a): q for q in attacked_qs(study, plan, 0) for a in q.ks}
    take, fold = plan.material.index.take, plan.folds[0]
    by_pair = {(problem.k, problem.q): problem for problem in plan.problems if problem.fold == 0}
    columns = [trials.column(name) for name in (KIND, "q_author", "k_author")]
    assert len(trials) == len(qs)
    for row in range(0, len(trials), 7):
        kind, b, a = (column[row] for column in columns)
        q = qs[kind, b, a].sentences
        for k, kept in (
            (a, trials.score("distinct")[row]),
            (fold.reference[0], trials.lists(COHORT_PREFIX + "distinct", np.array([row]))[0, 0]),
        ):
            unattacked = by_pair[k, b]
            problem = plan.problem(unattacked)
            alone = score(
                q=q,
                k=problem.k.sentences,  # type: ignore[attr-defined]
                reference=problem.reference.sentences,  # type: ignore[attr-defined]
                seed=plan.seed(unattacked),
                repetitions=study.repetitions,
            )
            assert kept == pytest.approx(alone.distinct, rel=1e-12)
            if k == a:
                assert trials.column("lambda_g")[row] == pytest.approx(alone.lambda_g, rel=1e-12)
                assert trials.column("n_hapaxes")[row] == alone.n_hapaxes
                assert trials.column("n_tokens")[row] == alone.n_tokens
        cohort = [take(plan.sides[author].k).sentences for author in fold.reference]
        expected = ngram_cosine(q, take(plan.sides[a].k).sentences, cohort=cohort)
        assert trials.score("cosine")[row] == pytest.approx(expected, rel=1e-12)


def test_what_nobody_touched_is_judged_like_the_problem_itself() -> None:
    trials = attacked_result().trials
    kinds, ids = trials.column(KIND), trials.column("problem")
    plain = {id_: row for row, id_ in enumerate(ids) if trials.case[row]}
    untouched = np.flatnonzero(kinds == NOTHING)
    assert len(untouched)
    for method in trials.methods:
        llrs = trials.llr(method)
        same = [llrs[plain[ids[row]]] for row in untouched]
        assert llrs[untouched] == pytest.approx(same, rel=1e-9, abs=1e-9), method


def test_the_guard_holds_where_the_others_do_not() -> None:
    trials = attacked_result().trials
    attacked = trials.column(KIND) == "3 trigrams, 12 in all"
    assert np.count_nonzero(attacked) > 10
    assert (trials.llr("normalised")[attacked] > 0).all()
    assert (trials.llr("guarded")[attacked] < 0).all()
    assert trials.column(CAUGHT)[attacked].astype(bool).any()


def test_attacked_trials_teach_nobody(tmp_path: Path) -> None:
    plain = idiograph.study(matrix_study(tmp_path, use=("normalised", "logistic")), workers=1).trials
    with_attack = attacked_result().trials.plain
    assert with_attack.column("problem").tolist() == plain.column("problem").tolist()
    for method in ("normalised", "logistic"):
        np.testing.assert_array_equal(with_attack.llr(method), plain.llr(method))


def _marked(text: MaskedText, kind: str) -> MaskedText:
    return replace(text, id=f"{text.id}-{kind}", metadata={"role": kind})


def test_disguised_texts_are_attacks_and_nothing_else(tmp_path: Path) -> None:
    study, plain = planned(tmp_path, insert=False, disguised=True)
    texts = corpus(authors=13, habit=0.8)
    first = {author: texts.by(author).texts[0] for author in texts.authors[:6]}
    hidden = [_marked(text, kind) for text in first.values() for kind in ("imitation", "obfuscation")]
    short = replace(_marked(texts.by(texts.authors[6]).texts[0], "imitation"), sentences=(("w1", "w2"),))
    plan = plan_of(study, Corpus((*texts, *hidden, short)))
    assert {id_ for author in plan.sides for id_ in plan.material.index.take(plan.sides[author].k).text_ids} == {
        id_ for author in plain.sides for id_ in plain.material.index.take(plain.sides[author].k).text_ids
    }
    judged = next(problem for problem in plan.problems if problem.fold == 0 and problem.half == "case")
    reference = plan.material.index.take(plan.reference_of(judged)).text_ids
    assert not any(id_.endswith(("imitation", "obfuscation")) for id_ in reference)
    for number, fold in enumerate(plan.folds):
        qs = [q for q in attacked_qs(study, plan, number) if q.kind != NOTHING]
        assert {(q.kind, q.author) for q in qs} == {
            (kind, author) for author in fold.left_out if author in first for kind in ("imitation", "obfuscation")
        }
        for q in qs:
            assert q.ks == fold.left_out
            sentences = first[q.author].sentences
            assert q.sentences == sentences[: len(q.sentences)]
            assert q.n_tokens > 60 >= q.n_tokens - len(q.sentences[-1])
    trials = attacked_trials(study, 0, plan, 0)
    assert trials.same.any() == bool(set(first) & set(plan.folds[0].left_out))


def test_a_text_that_a_comparator_cannot_score_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> float:
        raise InputError("It is too short.")

    study, plan = planned(tmp_path)
    study = replace(study, methods=("tfidf", "hapax"), baseline="hapax")
    monkeypatch.setitem(COMPARATORS, "tfidf", replace(COMPARATORS["tfidf"], compare=refuse))
    with pytest.raises(StudyError, match=r"tfidf cannot score toy/.* under attack: It is too short\."):
        attacked_trials(study, 0, plan, 0)
