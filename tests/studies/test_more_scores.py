"""Scores besides λG: the comparators on the right texts, cosines and typing of a fold."""

import json
from pathlib import Path

import numpy as np
import pytest

import idiograph
import normalised_oracle as oracle
from generated import corpus, write_jsonl
from idiograph import COMPARATORS, StudyError
from made_matrix import matrix_study, write_typed_texts
from made_study import FILE
from made_topics import plan_of


def as_text(part) -> str:  # type: ignore[no-untyped-def]
    return "\n".join(" ".join(sentence) for sentence in part.sentences)


def test_comparators_of_a_fold_see_q_k_and_the_ks_of_its_reference_authors(tmp_path: Path) -> None:
    path = matrix_study(tmp_path, use=("hapax", "logistic", "delta", "ppm"))
    trials = idiograph.study(path, workers=1).trials
    plan = plan_of(path)
    take = plan.material.index.take
    planned = next(planned for planned in plan.problems if planned.half == "case" and not planned.same_author)
    row = next(
        number
        for number, (problem, fold) in enumerate(zip(trials.column("problem"), trials.column("fold"), strict=True))
        if problem == planned.id and fold == planned.fold
    )
    q, k = as_text(take(plan.sides[planned.q].q)), [as_text(take(plan.sides[planned.k].k))]
    reference = [as_text(take(plan.sides[author].k)) for author in plan.folds[planned.fold].reference]
    assert trials.score("delta")[row] == COMPARATORS["delta"].score(q, k, reference)
    assert trials.score("ppm")[row] == COMPARATORS["ppm"].score(q, k, reference)
    assert np.isnan(trials.score("delta")[~trials.case]).all()
    assert np.isfinite(trials.llr("delta")[trials.case]).all()


def test_comparators_without_folds_see_everybody_else(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "toy.jsonl", corpus(works=2))
    path = tmp_path / "study.toml"
    text = FILE.format(repetitions=3).replace("[methods]", '[methods]\nuse = ["delta", "logistic"]')
    path.write_text(text, encoding="utf-8")
    trials = idiograph.study(path, workers=1).trials
    plan = plan_of(path)
    take = plan.material.index.take
    planned = plan.problems[3]
    row = trials.column("problem").tolist().index(planned.id)
    others = [author for author in sorted(plan.sides) if author not in (planned.k, planned.q)]
    expected = COMPARATORS["delta"].score(
        as_text(take(plan.sides[planned.q].q)),
        [as_text(take(plan.sides[planned.k].k))],
        [as_text(take(plan.sides[author].k)) for author in others],
    )
    assert trials.score("delta")[row] == expected
    assert np.isfinite(trials.score("delta")).all()


def test_typing_and_original_read_the_texts_as_written(tmp_path: Path, fake_tagger: object) -> None:
    path = matrix_study(
        tmp_path, use=("normalised", "logistic", "delta"), extra="typing = true\noriginal = true", authors=9
    )
    write_typed_texts(tmp_path / "toy.jsonl")
    path.write_text(
        path.read_text(encoding="utf-8").replace('masking = "masked"\n', 'options = { unwrap = "never" }\n'),
        encoding="utf-8",
    )
    trials = idiograph.study(path, workers=1).trials
    plan = plan_of(path)
    fold = plan.folds[0]
    authors = sorted((*fold.left_out, *fold.reference))
    rows = [json.loads(line) for line in (tmp_path / "toy.jsonl").read_text(encoding="utf-8").splitlines()]
    contents = {row["id"]: row["text"] for row in rows}

    originals = plan.material.originals
    assert {id_: "".join(sentences) for id_, sentences in originals.items()} == contents

    def written(numbers: np.ndarray) -> list[str]:
        pieces = []
        for number in numbers:
            text = int(plan.material.index.sentence_text[number])
            position = int(number) - int(np.flatnonzero(plan.material.index.sentence_text == text)[0])
            pieces.append((int(number), originals[plan.material.index.text_ids[text]][position]))
        joined: list[str] = []
        for position, (number, line) in enumerate(pieces):
            if position and pieces[position - 1][0] == number - 1:
                joined[-1] += line
            else:
                joined.append(line)
        return joined

    counts = [
        [oracle.character_n_grams(written(getattr(plan.sides[author], side))) for author in authors] for side in "qk"
    ]
    expected = oracle.cosine_matrix(*counts, [authors.index(author) for author in fold.reference])
    for position in np.flatnonzero(trials.column("fold") == 0)[:20]:
        b, a = (authors.index(trials.column(f"{side}_author")[position]) for side in "qk")
        assert trials.score("typing")[position] == pytest.approx(expected[b][a], rel=1e-9)
    assert "normed_typing" in trials.table.column_names
    planned = next(planned for planned in plan.problems if planned.half == "case")
    q, k = ("\n".join(written(getattr(plan.sides[name], side))) for name, side in ((planned.q, "q"), (planned.k, "k")))
    reference = ["\n".join(written(plan.sides[author].k)) for author in plan.folds[planned.fold].reference]
    position = int(
        np.flatnonzero((trials.column("problem") == planned.id) & (trials.column("fold") == planned.fold))[0]
    )
    assert trials.score("delta")[position] == COMPARATORS["delta"].score(q, [k], reference)


def test_a_text_that_a_comparator_cannot_read_is_named(tmp_path: Path) -> None:
    path = matrix_study(tmp_path, use=("logistic", "delta"), authors=9)
    rows = [json.loads(line) for line in (tmp_path / "toy.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["sentences"] = [sentence.replace("w", "1") for sentence in row["sentences"]]
    (tmp_path / "toy.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(StudyError, match="delta cannot score toy/random_q60_k120"):
        idiograph.study(path, workers=1)
