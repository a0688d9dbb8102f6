"""Chunks of a study: plans, references that are long enough, parts that are what their names say."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import idiograph
from generated import corpus, write_jsonl
from idiograph import StudyError, read_study
from idiograph.studies import chunks
from idiograph.studies.corpora import StudyCorpus
from idiograph.studies.trial_table import read_trials, to_bytes
from made_matrix import matrix_study
from made_study import folder_with_study, material_of, plan_of

pytestmark = pytest.mark.usefixtures("unread_pages")


def test_a_damaged_part_is_refused_and_named(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    idiograph.study(finished / "study.toml", out)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    manifest["begun"] = [cell[:4] for cell in manifest["cells"]]  # as if it had been killed
    manifest |= {"cells": [], "trials": None}
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (out / "parts").mkdir()
    part = out / "parts" / f"{manifest['begun'][3][3][:16]}-00-{'0' * 16}.parquet"
    part.write_bytes(b"damaged")
    with pytest.raises(StudyError, match=r"-00-0+.parquet is damaged.*Delete this file"):
        idiograph.study(finished / "study.toml", out)
    part.rename(part.with_name("notes.txt"))
    with pytest.raises(StudyError, match=r"notes.txt is not a part of this study"):
        idiograph.study(finished / "study.toml", out)
    (out / "parts" / "notes.txt").unlink()
    idiograph.study(finished / "study.toml", out)
    assert (out / "trials.parquet").read_bytes() == (finished / "out/trials.parquet").read_bytes()


def test_a_reference_shorter_than_k_is_refused(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    write_jsonl(tmp_path / "toy.jsonl", corpus(authors=8, texts=2, sentences=12))
    settings = path.read_text(encoding="utf-8")
    settings = settings.replace("[lambdag]", "[design]\nfewest_authors = 2\ncalibration = 0.75\n[lambdag]")
    path.write_text(settings.replace("k_tokens = [60, 120]", "k_tokens = [60]"), encoding="utf-8")
    with pytest.raises(StudyError, match=r"has only 0 sentences and its K has \d+"):
        idiograph.study(path, tmp_path / "out")


def test_the_first_run_alone_decides_whether_enough_authors_remain(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path, extra="[design]\nfewest_authors = 6\n")
    with pytest.raises(StudyError, match="5 of 5 in the calibration half remain, and at least 6"):
        plan_of(read_study(path), corpus())
    assert len(plan_of(read_study(path), corpus(), run=1).problems) == 24


def test_the_chunks_of_a_plan_are_its_problems_each_once(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    study = read_study(folder_with_study(tmp_path))
    plan = plan_of(study, corpus(works=2), run=1)
    ids = []
    for part in range(3):
        path = tmp_path / f"{part}.parquet"
        path.write_bytes(chunks.score_chunk(study, plan, chunks.Chunk("toy", 0, 1, part, 3)))
        ids.append(pq.read_table(path)["problem"].to_pylist())
    assert [id_ for together in zip(*ids, strict=True) for id_ in together] == [problem.id for problem in plan.problems]


def test_a_problem_that_folds_of_a_group_share_is_counted_once(tmp_path: Path) -> None:
    study = read_study(matrix_study(tmp_path))
    study = replace(study, design=replace(study.design, groups=2))
    ahead = chunks.outlook(study, {"toy": StudyCorpus("toy", material_of(corpus(authors=24)), (), tmp_path)})
    # Four folds of six authors in two groups; every Q meets every K in each.
    assert ahead.n_trials == 4 * 24 * 24
    assert ahead.n_problems == 2 * 24 * 24


def test_an_outlook_counts_problems_and_names_chunks(tmp_path: Path) -> None:
    study = read_study(folder_with_study(tmp_path))
    corpora = {"toy": StudyCorpus("toy", material_of(corpus(works=2)), (), tmp_path)}
    ahead = chunks.outlook(study, corpora)
    assert ahead.n_problems == 240
    assert [(chunk.condition, chunk.run) for chunk in ahead.chunks] == [(n, run) for n in range(5) for run in (0, 1)]
    assert ahead.refused == {}
    assert chunks.finished(tmp_path / "parts", ahead.chunks) == {}
    wanted = ("toy", study.conditions[1][0].name, 1)
    some = chunks.outlook(study, corpora, {wanted: "ab" * 32})
    assert [chunk.name for chunk in some.chunks] == ["ab" * 8 + "-00"]
    assert some.n_problems == 24


def test_every_plan_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = []
    plan = chunks.plan

    def counted(*arguments: Any, **settings: Any) -> object:
        plans.append((settings["condition"].name, settings["seeds"].texts))
        return plan(*arguments, **settings)

    monkeypatch.setattr(chunks, "plan", counted)
    idiograph.study(folder_with_study(tmp_path), tmp_path / "out", workers=2)
    assert len(plans) == len(set(plans)) == 10  # five conditions, two runs


@pytest.mark.parametrize("extra", ["", "[design]\nn_pairs = 3\n", "groups", "attack"])
def test_a_study_in_pieces_is_the_same_study(tmp_path: Path, extra: str) -> None:
    """Plain pairs, several pairs, folds that share problems, and attacked Qs: rows, columns and digits."""
    if extra in ("groups", "attack"):
        path = matrix_study(tmp_path, use=("normalised", "hapax", "tfidf", "logistic"), authors=12)
        attack = "[attack]\ninsert = true\nkinds = [[1, 10]]\n" if extra == "attack" else ""
        text = path.read_text(encoding="utf-8").replace("[lambdag]", attack + "[lambdag]")
        path.write_text(text.replace('pairs = "all"', 'pairs = "all"\nfold = 3\ngroups = 2'), encoding="utf-8")
    else:
        path = folder_with_study(tmp_path, repetitions=3, extra=extra)
    study = read_study(path)
    corpora = {"toy": StudyCorpus("toy", material_of(corpus(authors=12)), (), tmp_path)}
    ahead = chunks.outlook(study, corpora)
    wanted = [replace(chunk, decided=f"{number:064x}"[::-1]) for number, chunk in enumerate(ahead.chunks)]
    mapped = chunks.map_here(study, corpora, ahead.plans, workers=1)
    whole = chunks.run_chunks(wanted, mapped, tmp_path / "whole")
    cut = chunks.run_chunks(wanted, mapped, tmp_path / "cut", n_pieces=7 * len(wanted))
    assert len(list((tmp_path / "whole").iterdir())) == len(wanted)
    assert len(list((tmp_path / "cut").iterdir())) > 4 * len(wanted)
    assert [to_bytes(trials) for trials in cut] == [to_bytes(trials) for trials in whole]
    again = chunks.run_chunks(wanted, mapped, tmp_path / "cut")  # on one machine, what is there in pieces
    assert [to_bytes(trials) for trials in again] == [to_bytes(trials) for trials in whole]


def test_a_piece_without_a_problem_is_an_empty_part(tmp_path: Path) -> None:
    """Of a run whose draw suits fewer authors than the first, by which chunks are cut."""
    study = read_study(folder_with_study(tmp_path))
    plan = plan_of(study, corpus(works=2))
    path = tmp_path / "empty.parquet"
    path.write_bytes(chunks.score_chunk(study, plan, chunks.Chunk("toy", 0, 0, 0, 1, piece=0, n_pieces=100)))
    assert len(read_trials(path)) == 0
