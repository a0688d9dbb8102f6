"""A forecast: what a study will take, corpus by corpus and stage by stage."""

import json
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from attacked_study import ATTACK
from idiograph import read_study
from idiograph.output.forecast import CorpusForecast, Forecast, forecast
from idiograph.studies.study import run_study
from made_matrix import matrix_study
from made_study import folder_with_study

STAGES = ["reading", "masking", "scoring", "resampling", "figures"]


def test_problems_are_counted_and_every_stage_is_tried(tmp_path: Path) -> None:
    ahead = forecast(read_study(folder_with_study(tmp_path)), workers=1)
    assert ahead.corpora == (CorpusForecast("toy", masked=True, to_mask=0, problems=240, left_out=0),)
    assert list(ahead.seconds) == STAGES
    assert ahead.seconds["masking"] == 0
    assert all(seconds > 0 for stage, seconds in ahead.seconds.items() if stage != "masking")
    assert ahead.total == pytest.approx(sum(ahead.seconds.values()))
    assert "toy: 240 problems." in ahead.words
    assert re.search(r"It takes about [\d.]+ (second|minute)", ahead.words)


def test_what_is_refused_and_left_out_is_told(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path, extra='[[conditions]]\ndrawing = "random"\nlengths = [[9000, 9000]]\n')
    ahead = forecast(read_study(path))
    assert list(ahead.refused) == [("toy", "random_q9000_k9000")]
    assert "Refused: toy has too few authors for random_q9000_k9000" in ahead.words
    told = json.loads(json.dumps(ahead.as_json()))
    assert told["problems"] == 240
    assert told["refused"][0]["condition"] == "random_q9000_k9000"
    assert set(told["seconds"]) == set(STAGES)


@pytest.mark.tagger
def test_a_corpus_that_is_not_masked_hides_no_other_and_texts_count_once(tmp_path: Path) -> None:
    path = folder_with_study(tmp_path)
    rows = [
        {"id": f"{author}{text}", "author": author, "text": f"It was {author} who wrote text {text}. " * 30}
        for author in "abcdefghij"
        for text in range(4)
    ]
    for name in ("raw", "again"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    content = path.read_text(encoding="utf-8")
    more = '[[corpora]]\nname = "raw"\npath = "raw.jsonl"\n[[corpora]]\nname = "again"\npath = "again.jsonl"\n'
    path.write_text(content.replace("[[conditions]]", more + "[[conditions]]", 1), encoding="utf-8")
    toy, raw, again = forecast(read_study(path), workers=1).corpora
    assert toy.problems == 240
    assert raw.problems == again.problems > 0
    assert (raw.masked, raw.to_mask) == (False, sum(len(str(row["text"])) for row in rows))
    assert (again.masked, again.to_mask) == (False, 0)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.6, "1 second"), (89, "89 seconds"), (600, "10 minutes"), (9_000, "2.5 hours")]
)
def test_times_are_told_as_people_tell_them(seconds: float, words: str) -> None:
    ahead = Forecast("s", (CorpusForecast("c", False, 1_000_000, 12, 3),), {"masking": seconds}, {})
    assert f"It takes about {words} (masking {words})." in ahead.words
    assert "c: about 12 problems; 1,000,000 characters are to be masked; 3 times an author is left out" in ahead.words


class Clock:
    """A clock that also goes forward when it is told to."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def perf_counter(self) -> float:
        return time.perf_counter() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("idiograph.output.forecast.time", clock)
    return clock


@pytest.mark.parametrize("pairs", ["trace", "all"])
def test_every_problem_that_comparators_score_is_reckoned_with(
    pairs: str, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = matrix_study(tmp_path, use=("hapax", "logistic", "tfidf", "ppm"))
    path.write_text(path.read_text(encoding="utf-8").replace('pairs = "all"', f'pairs = "{pairs}"'), encoding="utf-8")
    trials = run_study(path, workers=1).trials
    compared = int((~np.isnan(trials.column("score_tfidf"))).sum())
    assert compared == int((~np.isnan(trials.column("score_ppm"))).sum()) > 10

    def slow(*arguments: object) -> float:
        clock.ahead += 1_000
        return 0.0

    monkeypatch.setattr("idiograph.studies.llrs.compared", slow)
    for workers in (1, 2):  # a second thread saves nothing where the first holds the interpreter
        ahead = forecast(read_study(path), workers=workers)
        assert ahead.seconds["scoring"] == pytest.approx(2 * 1_000 * compared, rel=0.1)


def test_every_attacked_fold_is_reckoned_with(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    path = matrix_study(tmp_path, extra=ATTACK)
    trials = run_study(path, workers=1).trials
    judged = Counter(trials.column("fold")[trials.column("half") == "case"].tolist())
    assert len(judged) > 1

    def slow(_study: object, _run: object, _plan: object, fold: int) -> None:
        clock.ahead += 1_000 * judged[fold]

    monkeypatch.setattr("idiograph.output.forecast.attacked_trials", slow)
    ahead = forecast(read_study(path), workers=1)
    assert ahead.seconds["scoring"] == pytest.approx(1_000 * judged.total(), rel=0.1)


@pytest.mark.tagger
def test_comparators_get_the_originals_of_texts_that_are_not_masked_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"id": f"{author}{text}", "author": author, "text": f"It was {author.upper()} who wrote text {text}. " * 30}
        for author in "abcdefghij"
        for text in range(4)
    ]
    (tmp_path / "toy.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        'schema = 1\nname = "toy"\n[[corpora]]\nname = "toy"\npath = "toy.jsonl"\n'
        '[[conditions]]\ndrawing = "random"\nq_tokens = 40\nk_tokens = 80\n'
        '[methods]\nuse = ["hapax", "logistic", "tfidf"]\noriginal = true\n',
        encoding="utf-8",
    )
    seen: list[str] = []

    def compared(_key: object, q: str, k: str, others: list[str], *_: object) -> float:
        seen.extend([q, k, *others])
        return 0.0

    monkeypatch.setattr("idiograph.studies.llrs.compared", compared)
    assert forecast(read_study(tmp_path / "study.toml"), workers=1).corpora[0].to_mask > 0
    assert seen
    assert all(re.search(r"It was [A-J] who wrote text \d\.", text) for text in seen)
