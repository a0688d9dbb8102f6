"""Studies that draw by topic: near, random, far, impostors, who is one person; and what LLRs are then made of."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idiograph
import normalised_oracle as oracle
from idiograph import StudyError, read_study
from idiograph.output.study_tables import topic_bands_table
from idiograph.provenance import versions
from idiograph.studies.chunks import map_here, outlook, run_chunks, score_there
from idiograph.studies.corpora import find_source, open_corpus, to_ship
from idiograph.studies.llrs import add_llrs, normalised_trials
from idiograph.studies.problems import Plan, impostor_of
from idiograph.studies.trial_table import TrialTable, to_bytes
from made_study import expected_nats, nats_of_last
from made_topics import AUTHORS, DRAWS, plan_of, sentence, texts, topic_result, topic_study

pytestmark = pytest.mark.usefixtures("unread_pages")


def judged(**wanted: object) -> TrialTable:
    trials = topic_result().trials
    chosen = np.ones(len(trials), bool)
    for name, value in wanted.items():
        chosen &= trials.column(name) == value
    return trials.where(chosen)


def words(plan: Plan, sentences: np.ndarray) -> Counter:
    content = plan.material.content
    assert content is not None
    return Counter(
        content.words[number]
        for sentence in sentences
        for number in content.numbers[content.starts[sentence] : content.starts[sentence + 1]]
    )


def test_near_draws_are_nearer_than_the_first_and_far_ones_farther() -> None:
    same = {
        draw: dict(zip(part.column("k_author"), part.score("closeness"), strict=True))
        for draw, part in {
            "random": judged(half="case", same_author=True),
            "near": judged(half="drawn", draw="near", same_author=True),
            "far": judged(half="drawn", draw="far", same_author=True),
        }.items()
    }
    assert len(same["random"]) == len(same["near"]) == len(same["far"]) == AUTHORS
    means = {draw: np.mean(list(values.values())) for draw, values in same.items()}
    assert means["far"] < means["random"] - 0.03 < means["near"] - 0.06


def test_what_is_drawn_as_before_is_as_before(tmp_path: Path) -> None:
    plain = idiograph.study(topic_study(tmp_path, use=("normalised", "hapax", "logistic"), design=""), workers=1).trials
    here = topic_result().trials
    here = here.where(~np.isin(here.column("half"), ("drawn", "impostor")))
    for name in ("problem", "lambda_g", "distinct", "score_cosine", "llr_normalised", "llr_hapax", "normed_distinct"):
        assert here.table.column(name).to_pylist() == plain.table.column(name).to_pylist()
    assert "closeness" not in plain.table.column_names


def test_a_condition_may_draw_the_reference_near(tmp_path: Path) -> None:
    near = plan_of(topic_study(tmp_path, condition='closeness = "near"'))
    other = plan_of(topic_study(tmp_path / "b"))
    assert near.condition.name == "contiguous_q60_k120_near"
    for author, sample in near.sides.items():
        assert sample.k.tolist() == other.draws[author, "near"].k.tolist()
        assert near.draws[author, "random"].q.tolist() == other.sides[author].q.tolist()


def test_impostors_are_others_who_come_closest_and_have_no_part_in_their_reference(tmp_path: Path) -> None:
    impostors = judged(half="impostor")
    assert Counter(impostors.column("q_author")) == dict.fromkeys({f"a{n:02}" for n in range(AUTHORS)}, 3)
    assert not impostors.same.any()
    assert impostors.column("impostor").all()
    ordinary = judged(half="case", same_author=False)
    assert np.median(impostors.score("closeness")) > np.quantile(ordinary.score("closeness"), 0.8)
    plan = plan_of(topic_study(tmp_path))
    b, a = plan.impostors[0]
    of_b = {other for author, other in plan.impostors if author == b}
    ks = {other: words(plan, plan.draws[other, impostor_of(b)].k) for other in of_b}
    assert a in ks
    fold = next(fold for fold in plan.folds if b in fold.left_out)
    cohort = [author for author in fold.reference if author != a]
    ks_of_cohort = [words(plan, plan.sides[author].k) for author in cohort]
    q = words(plan, plan.sides[b].q)
    expected = oracle.cosine(q, ks[a], [*ks_of_cohort, ks[a]], unseen=True)
    row = impostors.where((impostors.column("q_author") == b) & (impostors.column("k_author") == a))
    assert row.score("closeness")[0] == pytest.approx(expected, rel=1e-12)
    others = [oracle.cosine(q, k, [*ks_of_cohort, k], unseen=True) for k in ks_of_cohort]
    assert row.table.column("row_closeness").to_pylist()[0] == pytest.approx(
        [
            oracle.cosine(q, k, ks_of_cohort, unseen=True)
            for k in ks_of_cohort
        ],
        rel=1e-12,
    )  # fmt: skip
    assert len(others) == len(cohort)


def by_hand(trials: TrialTable, trial: int) -> float:
    """The controlled LLR of a drawn trial or of one with an impostor, by the oracle, from what the table keeps."""
    table = trials.table
    fold = trials.where(
        (trials.column("fold") == trials.column("fold")[trial]) & (trials.column("half") == "calibration")
    )
    q, k = fold.column("q_author"), fold.column("k_author")
    own_lambda_g = {
        author: value for author, other, value in zip(q, k, fold.column("lambda_g"), strict=True) if author == other
    }
    names = sorted(set(q) - {trials.column("k_author")[trial], trials.column("q_author")[trial]})
    in_order = sorted(names, key=lambda author: (own_lambda_g[author], author))
    n = len(names)
    matrices = {}
    for name in ("distinct", "cosine", "closeness"):
        values = dict(zip(zip(q, k, strict=True), fold.score(name), strict=True))
        if name != "distinct" and trials.column("half")[trial] == "impostor":
            among = table.column(f"among_{name}").to_pylist()[trial]
            values = {(b, a): among[i * n + j] for i, b in enumerate(names) for j, a in enumerate(names)}
        row, column = (
            dict(zip(names, table.column(f"{side}_{name}").to_pylist()[trial], strict=True))
            for side in ("row", "column")
        )
        matrix = [[values[b, a] for a in in_order] + [column[b]] for b in in_order]
        matrices[name] = [*matrix, [*(row[a] for a in in_order), trials.score(name)[trial]]]
    return nats_of_last(matrices, float(np.quantile(trials.column("k_tokens"), 0.5)))


@pytest.mark.parametrize("half", ["drawn", "impostor"])
def test_llrs_of_other_draws_are_the_oracles(half: str) -> None:
    trials = topic_result().trials
    trial = int(np.flatnonzero(trials.column("half") == half)[-1])  # of the last fold, whose reference can be fitted
    # K's length decides the constants: those of the fold, all of about 120 tokens, so below the shortest learnt.
    assert trials.llr("controlled")[trial] == pytest.approx(by_hand(trials, trial), abs=1e-4)


def test_guarded_is_freed_from_topic_beside_controlled_and_only_there() -> None:
    result = topic_result()
    trials = result.trials
    beside, alone = (
        add_llrs(replace(result.study, methods=methods, baseline=methods[0]), trials)[0].llr("guarded")
        for methods in (("controlled", "guarded"), ("normalised", "guarded"))
    )
    trial = int(np.flatnonzero((trials.column("half") == "case") & ~trials.same)[-1])
    fold = trials.where(
        (trials.column("fold") == trials.column("fold")[trial]) & ~np.isin(trials.column("half"), ("drawn", "impostor"))
    )
    kept = ("kept_distinct", "kept_cosine")
    for llrs, controlled in ((beside, True), (alone, False)):
        nats, _ = expected_nats(fold, trials, trial, own_half="calibration", scores=kept, controlled=controlled)
        assert llrs[trial] == pytest.approx(nats, abs=1e-4)
    assert abs(beside[trial] - alone[trial]) > 0.01


def test_typing_is_freed_from_topic_like_the_other_scores(tmp_path: Path) -> None:
    path = topic_study(tmp_path, use=("controlled",), design='cases = ["far"]')
    path.write_text(path.read_text(encoding="utf-8") + 'typing = true\nbaseline = "controlled"\n', encoding="utf-8")
    trials = idiograph.study(path, workers=1).trials
    trial = int(np.flatnonzero((trials.column("half") == "case") & ~trials.same)[-1])
    fold = trials.where((trials.column("fold") == trials.column("fold")[trial]) & (trials.column("half") != "drawn"))
    scores = ("distinct", "cosine", "typing")
    nats, _ = expected_nats(fold, trials, trial, own_half="calibration", scores=scores, controlled=True)
    assert trials.llr("controlled")[trial] == pytest.approx(nats, abs=1e-4)


def test_every_method_judges_all_draws_and_the_page_says_what_topic_does() -> None:
    result = topic_result()
    rows = {row.method: row for row in result.topic}
    assert set(rows) == {"controlled", "normalised", "hapax", "logistic"}
    assert rows["controlled"].n_impostors == 3 * AUTHORS
    assert rows["normalised"].n_same == 3 * AUTHORS
    bands = [band.band for band in result.topic_bands if band.method == "controlled"]
    assert sum(band.n_same for band in bands) == 3 * AUTHORS
    table = topic_bands_table(result.topic_bands)
    rising = [dict(zip(table.header, row, strict=True)) for row in table.rows if row[0] == "Topic-controlled"]
    of_same = sum(row["same-author"] * (row["same log10 LR"] or 0.0) for row in rising)  # type: ignore[operator]
    judged = np.isin(result.trials.column("half"), ("case", "drawn", "impostor"))
    nats = result.trials.llr("controlled")[judged & result.trials.same]
    assert of_same / len(nats) == pytest.approx(np.mean(nats) / np.log(10))


def test_g_is_told_without_the_method(tmp_path: Path) -> None:
    trials = idiograph.study(topic_study(tmp_path, use=("hapax", "logistic")), workers=1).trials
    expected = topic_result().trials.column("normed_closeness").tolist()
    assert trials.column("normed_closeness").tolist() == pytest.approx(expected, nan_ok=True, rel=0)


def test_two_names_of_one_person_are_one_and_named(tmp_path: Path) -> None:
    rows = texts()
    copied = [row for row in rows if row["author"] == "a03"][:2]
    # The second name writes on as a03 does, and repeats twenty sentences of his.
    rows += [{**row, "id": f"twin-{row['id']}", "author": "a03b"} for row in copied]
    rng = np.random.default_rng(1)
    rows += [
        {"id": f"twin-{n}", "author": "a03b", "text": "\n".join(sentence(3, 4, rng) for _ in range(10))}
        for n in range(5)
    ]
    plan = plan_of(topic_study(tmp_path, rows=rows))
    (why,) = (why for author, why in plan.left_out.items() if author == "a03b")
    assert why.startswith("a03b is one person with a03: ")
    # Nor do his texts serve in the reference of the other.
    judged = next(problem for problem in plan.problems if problem.k == problem.q == "a03")
    twin = plan.material.sentences(plan.material.texts_by["a03b"])
    assert not np.isin(plan.reference_of(judged), twin).any()


FAR = {"use": ("hapax", "logistic"), "design": "", "condition": 'closeness = "far"'}
MASKED, ATTACKED = ('masking = "list"', 'masking = "masked"'), ("[lambdag]", "[attack]\ninsert = true\n[lambdag]")


@pytest.mark.parametrize(
    ("settings", "change", "words"),
    [
        ({}, MASKED, "What the texts of toy are about cannot be told"),
        ({}, ('masking = "list"', 'masking = "none"'), "What the texts of toy are about cannot be told"),
        ({}, ('pairs = "all"', 'pairs = "trace"'), 'cases and impostors belong to pairs = "all"'),
        ({}, ATTACKED, "made of each author.s first draw"),
        (FAR, MASKED, "closeness, cases and impostors"),
        (FAR, ATTACKED, "Leave out closeness, cases and impostors"),
    ],
)
def test_what_cannot_be_drawn_by_topic_is_refused(
    tmp_path: Path, settings: dict[str, Any], change: tuple[str, str], words: str
) -> None:
    path = topic_study(tmp_path, **settings)
    path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    with pytest.raises(StudyError, match=words):
        read_study(path)


def test_impostors_need_lengths(tmp_path: Path) -> None:
    path = topic_study(tmp_path)
    text = path.read_text(encoding="utf-8").replace('"contiguous"', '"whole"').replace("lengths = [[60, 120]]", "")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match="whole texts keep their own length"):
        idiograph.study(path, workers=1)


def test_settings_that_say_what_was_done_before_move_no_digest(tmp_path: Path) -> None:
    plain = read_study(topic_study(tmp_path, use=("hapax", "logistic"), design=""))
    stated = read_study(
        topic_study(
            tmp_path, use=("hapax", "logistic"), design="cases = []\nimpostors = 0", condition='closeness = "random"'
        )
    )
    assert stated.digest == plain.digest
    assert not {"cases", "impostors"} & set(plain.scored()["design"])
    assert "closeness" not in plain.scored()["conditions"][0][0]
    digests = {
        read_study(topic_study(tmp_path, use=("hapax", "logistic"), design=design, condition=condition)).digest
        for design, condition in ((DRAWS, ""), ("impostors = 2", ""), ("", 'closeness = "near"'))
    }
    assert len(digests | {plain.digest}) == 4


def test_scores_that_a_draw_lacks_leave_its_trials_out() -> None:
    trials = topic_result().trials
    kept = normalised_trials(trials, scores=("kept_distinct", "kept_cosine"))
    assert np.isfinite(kept.nats[trials.case]).all()
    assert np.isnan(kept.nats[trials.column("half") == "impostor"]).all()


def test_a_study_by_topic_is_the_same_in_pieces_and_on_other_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = read_study(topic_study(tmp_path, design=DRAWS + "\nfold = 3\ngroups = 2"))
    opened = open_corpus(study, find_source(study, study.corpora[0]))
    ahead = outlook(study, {"toy": opened})
    chunks = [replace(chunk, decided=f"{number:064x}"[::-1]) for number, chunk in enumerate(ahead.chunks)]
    mapped = map_here(study, {"toy": opened}, ahead.plans, workers=1)
    whole = run_chunks(chunks, mapped, tmp_path / "whole")
    assert sum(chunk.n_scored for chunk in chunks) == ahead.n_problems
    shipped = to_ship(opened.folder, originals=study.reads_originals, content=study.compares_topics)
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "elsewhere"))
    cut = run_chunks(
        chunks,
        lambda pieces: ((piece, score_there(study, "toy", shipped, piece, versions())) for piece in pieces),
        tmp_path / "cut",
        n_pieces=5 * len(chunks),
    )
    assert len(list((tmp_path / "cut").iterdir())) == 5 * len(chunks)
    assert [to_bytes(trials) for trials in cut] == [to_bytes(trials) for trials in whole]
    assert {"drawn", "impostor"} <= set(whole[0].column("half"))


def test_content_words_are_kept_only_where_topics_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study that does not compare topics leaves nothing of what masking hides; one that does makes it good."""
    monkeypatch.setenv("IDIOGRAPH_CACHE", str(tmp_path / "cache"))

    def cached(**settings: object) -> bool:
        study = read_study(topic_study(tmp_path, **settings))  # type: ignore[arg-type]
        corpus = open_corpus(study, find_source(study, study.corpora[0]))
        assert (corpus.material.content is not None) == study.compares_topics
        return any(b"topic1word" in file.read_bytes() for file in corpus.folder.rglob("*") if file.is_file())

    assert not cached(use=("hapax", "logistic"), design="")
    assert cached()
    assert cached(use=("hapax", "logistic"), design="", condition='closeness = "near"')
