"""The published Enron problems as a study makes them: the same Q, K and reference as the reference implementation's."""

import json
from pathlib import Path

import pytest

from idiograph import Condition, Design, Index, read
from idiograph.studies.material import Material
from idiograph.studies.problems import plan


@pytest.mark.shared
def test_q_k_and_reference_are_those_of_the_golden_problems(shared: Path) -> None:
    golden = json.loads((shared / "golden" / "enron96_punct.json").read_text(encoding="utf-8"))
    corpus = read(shared / "corpora" / "enron_masked.jsonl.gz", kind="masked", sentences="marks")
    material = Material.of(Index(corpus), corpus)
    plan_of_enron = plan(
        material,
        corpus="enron",
        condition=Condition(drawing="whole"),
        design=Design(calibration=0.0, reference="all", n_pairs=47),
    )
    problems = {(entry.k_author, entry.q_author): entry for entry in plan_of_enron.problems}
    assert len(problems) == 48 * 48
    rows = zip(
        *(golden[name] for name in ("K", "Qauthor", "target", "NQ", "V1", "nQ", "NK", "nK", "nref")), strict=True
    )
    for k, q, target, *sizes in rows:
        planned = problems[k, q]
        problem = plan_of_enron.problem(planned)
        assert planned.same_author == target
        our_sizes = [
            problem.q.n_tokens, problem.q.n_hapaxes, problem.q.n_sentences, problem.k.n_tokens, problem.k.n_sentences,
            problem.reference.n_sentences,
        ]  # fmt: skip
        assert our_sizes[:-1] == sizes[:-1]
        assert abs(our_sizes[-1] - sizes[-1]) <= 3  # a few sentences of others end otherwise there
