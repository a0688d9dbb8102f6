"""The published judging of methods where topic cannot help: stored, learnt and judged from trials alone."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from docs.validation.learning import all_draws, learn_controlled

from idiograph.evidence.matching import controlled_cllr, matched
from idiograph.studies.study import run_study
from idiograph.studies.trial_table import TrialTable
from made_topics import texts, topic_study

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the documentation is not an installed package

from docs.validation import stored, topic

LENGTHS = ("60/600", "60/900")  # of K beyond 500, so that constants can go by it


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrialTable]:
    """A study of two corpora, references drawn near and at random, stored in a folder of its own."""
    folder = tmp_path_factory.mktemp("validation")
    use = ("controlled", "normalised", "hapax")
    text = topic_study(folder, use=use, rows=texts(sentences=24)).read_text(encoding="utf-8")
    lines = [json.dumps(row) for row in texts(seed=12, sentences=24)]
    (folder / "other.jsonl").write_text("\n".join(lines), encoding="utf-8")
    text = text.replace("[[60, 120]]", "[[60, 600], [60, 900]]") + 'baseline = "hapax"\n'
    text = text.replace("[lambdag]", '[[corpora]]\nname = "other"\npath = "other.jsonl"\n[lambdag]')
    text += '[[conditions]]\ndrawing = "contiguous"\nlengths = [[60, 600], [60, 900]]\ncloseness = "near"\n'
    (folder / "topic.toml").write_text(text, encoding="utf-8")
    run_study(folder / "topic.toml", folder / "results", workers=1)
    stored.load("matrix")  # which constants of `normalised` come from: kept in memory
    with pytest.MonkeyPatch.context() as patch:
        for module in (stored, topic):
            patch.setattr(module, "HERE", folder)
        patch.setattr(topic, "LEARNT", {"topic": topic.LEARNT["topic"]})
        patch.setattr(topic, "TYPED", {})
        topic.store("topic", [folder / "results"])
        yield stored.load("topic")
    stored.load.cache_clear()


def test_every_judged_trial_is_kept_with_all_llrs(trials: TrialTable) -> None:
    assert set(trials.column("half")) == {"case", "drawn", "impostor"}
    for method in ("controlled", "normalised", "hapax", "moved"):
        assert np.isfinite(trials.llr(method)).all()
    for name in topic.AWAY:
        assert np.isfinite(trials.column(name).astype(float)).all()
    assert not np.allclose(trials.llr("moved"), trials.llr("controlled"), atol=0.05)


def test_constants_are_those_of_all_trials_and_a_corpus_is_judged_without_its_own(trials: TrialTable) -> None:
    (entry,) = json.loads(topic.constants_text())["constants"]
    line = learn_controlled(trials, ("distinct", "cosine"), n_authors=24)
    assert entry["topic"] == pytest.approx(dict(zip(("distinct", "cosine"), line.slopes, strict=True)), abs=6e-4)
    assert entry["level"]["alpha"] == pytest.approx(line.level.alpha, abs=6e-4)
    without = topic.learnt(trials, "topic", without="toy")
    other = learn_controlled(trials.where(trials.column("corpus") == "other"), ("distinct", "cosine"), n_authors=24)
    assert without == other != line


def test_the_table_has_the_figures_of_the_trials(trials: TrialTable) -> None:
    table = topic.judged_table(lengths=LENGTHS)
    rows = {row[0]: dict(zip(table.header[1:], row[1:], strict=True)) for row in table.rows}
    judged = all_draws(trials)
    near = np.array([condition.endswith("_near") for condition in judged.column("condition")])
    nats, close, values = judged.llr("controlled"), judged.score("closeness"), []
    for _, places in judged.groups():
        if near[places[0]]:
            true, others = (places[judged.same[places] == same] for same in (True, False))
            pairs = matched(same=close[true], different=close[others])
            values.append(controlled_cllr(pairs, same=nats[true], different=nats[others]))
    assert rows["topic-controlled Cllr, reference near"]["Topic-controlled"] == pytest.approx(np.mean(values))
    far = near & judged.same & (judged.column("draw") == "far")
    assert rows["near reference, far case: true LR < 1/3"]["Topic-controlled"] == pytest.approx(
        np.mean(nats[far] < -np.log(3))
    )
    impostors = ~near & (judged.column("half") == "impostor")
    assert rows["impostors LR > 3, reference random"]["Reference-normalised"] == pytest.approx(
        np.mean(judged.llr("normalised")[impostors] > np.log(3))
    )


def test_times_a_factor_is_learnt_elsewhere_and_only_scales(trials: TrialTable) -> None:
    judged = topic.Judged(trials)
    scaled = judged.llr(topic.TIMES)
    for corpus in ("toy", "other"):
        of_corpus = trials.column("corpus") == corpus
        assert scaled[of_corpus] == pytest.approx(judged.factor(corpus) * trials.llr("normalised")[of_corpus])
    passing = [
        judged.passing(judged.llr(method), judged.chosen(LENGTHS, "near"), 0.1, judged.once)[0]
        for method in ("normalised", topic.TIMES)
    ]
    assert passing[0] == passing[1]
