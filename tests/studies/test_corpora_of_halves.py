"""Who calibrates: a share of a corpus of its own, its own half as reference, another corpus, the writers of a set."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import idiograph
import normalised_oracle as oracle
from generated import corpus, sentences_of, write_jsonl
from idiograph import StudyError, read_study
from idiograph.output.study_page import design_in_words
from idiograph.studies.llrs import FEW_AUTHORS, Fits, warned_fits
from idiograph.studies.settings import study_toml
from made_study import folder_with_study
from made_texts import command
from made_topics import sentence

TWO = """
schema = 1
name = "two"
[[corpora]]
name = "one"
path = "one.jsonl"
masking = "masked"
{first}
[[corpora]]
name = "two"
path = "two.jsonl"
masking = "masked"
{second}
[[conditions]]
drawing = "random"
lengths = [[60, 120]]
corpora = {corpora}
[design]
{design}
[lambdag]
repetitions = 3
[methods]
use = {use}
baseline = "hapax"
resamples = 0
"""


def two_corpora(
    folder: Path,
    *,
    first: str = "",
    second: str = "",
    design: str = "",
    corpora: tuple[str, ...] = ("one", "two"),
    use: tuple[str, ...] = ("hapax", "logistic"),
) -> Path:
    """Two corpora of ten authors each."""
    folder.mkdir(exist_ok=True, parents=True)
    everyone = corpus(authors=20)
    write_jsonl(folder / "one.jsonl", type(everyone)(tuple(text for text in everyone if str(text.author) < "a10")))
    write_jsonl(folder / "two.jsonl", type(everyone)(tuple(text for text in everyone if str(text.author) >= "a10")))
    lists = {"corpora": json.dumps(list(corpora)), "use": json.dumps(list(use))}
    path = folder / "study.toml"
    path.write_text(TWO.format(first=first, second=second, design=design, **lists), encoding="utf-8")
    return path


def test_each_corpus_may_have_its_own_share_of_calibration_authors(tmp_path: Path) -> None:
    path = two_corpora(tmp_path, second="calibration = 0.5")
    trials = idiograph.study(path, workers=1).trials
    counted = {
        name: len(set(trials.column("k_author")[(trials.column("corpus") == name) & ~trials.case]))
        for name in ("one", "two")
    }
    assert counted == {"one": 4, "two": 5}
    sentences = " ".join(design_in_words(read_study(path)))
    assert "40% of one; 50% of two for calibration" in sentences
    again = tmp_path / "again.toml"
    again.write_text(study_toml(read_study(path)), encoding="utf-8")
    assert read_study(again) == read_study(path)


@pytest.mark.usefixtures("unread_reports")
def test_a_share_of_its_own_is_what_a_study_of_that_share_gives(tmp_path: Path) -> None:
    """A folder that was run with one share for all is resumed by a file that says so corpus by corpus."""
    out = tmp_path / "out"
    before = idiograph.study(two_corpora(tmp_path, design="calibration = 0.5"), out, workers=1)
    each = two_corpora(tmp_path, first="calibration = 0.5", second="calibration = 0.5")
    after = idiograph.study(each, out, workers=1)
    assert len(after.results.additions) == 1
    assert after.trials.column("lambda_g").tolist() == before.trials.column("lambda_g").tolist()
    with pytest.raises(StudyError, match=r"holds another study: .*shares differ"):
        idiograph.study(two_corpora(tmp_path, second="calibration = 0.3", design="calibration = 0.5"), out, workers=1)


@pytest.mark.usefixtures("unread_reports")
def test_a_study_without_these_settings_has_the_cells_of_earlier_versions(tmp_path: Path) -> None:
    """What decided a cell's scores has the digest that 0.3.0 gave it, so its results folders resume."""
    study = read_study(folder_with_study(tmp_path))
    idiograph.study(study, tmp_path / "out", workers=1)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    first = next(decided for *_, decided, _ in manifest["cells"])
    assert (study.digest[:16], first[:16]) == ("224507f8fd1d7fd4", "0fc9c4106594f337")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"second": "calibration = 1"}, "Corpus two: The share of calibration authors is 1"),
        ({"second": "calibration = 0"}, "logistic is trained on calibration authors, but their share is 0"),
        ({"second": "calibration = 0.5", "design": "leave_authors_out = true"}, "Leave out calibration, or leave_au"),
        ({"second": 'training = "one"', "design": "leave_authors_out = true"}, "Leave out training, or leave_authors"),
        ({"second": 'training = "on"'}, "training names no other corpus of the study .*did you mean one"),
        ({"second": 'training = "two"'}, "training names no other corpus of the study"),
        ({"second": 'training = "one"\ncalibration = 0.5'}, "so no share of its own authors is"),
        ({"first": 'training = "two"', "second": 'training = "one"'}, "which is itself calibrated on one"),
        ({"first": 'kind = "problems"', "second": 'training = "one"'}, "Both must be texts, or both sets of problems"),
        ({"second": 'training = "one"', "design": 'pairs = "all"'}, "Leave out training, or make other pairs"),
        ({"design": 'leave_authors_out = true\nreference = "own half"'}, "needs two halves, but no authors are set"),
    ],
)
def test_halves_that_cannot_be_are_refused(tmp_path: Path, parts: dict[str, str], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        read_study(two_corpora(tmp_path, **parts))  # type: ignore[arg-type]


def test_each_half_may_be_its_own_reference(tmp_path: Path) -> None:
    usual = idiograph.study(two_corpora(tmp_path, corpora=("one",)), workers=1).trials
    by_half = idiograph.study(
        two_corpora(tmp_path, corpora=("one",), design='reference = "own half"'), workers=1
    ).trials
    assert by_half.column("problem").tolist() == usual.column("problem").tolist()
    same = by_half.column("lambda_g") == usual.column("lambda_g")
    assert same[by_half.case].all()
    assert not same[~by_half.case].any()
    # Four calibration authors, so two others; of six case authors all for a calibration problem, but four for a case.
    n_usual, n_own = (trials.column("reference_sentences") for trials in (usual, by_half))
    different = ~by_half.same
    assert (n_own[~by_half.case & different] < n_own[by_half.case & different].min()).all()
    assert (n_usual[~by_half.case] > n_usual[by_half.case].max()).all()
    study = read_study(two_corpora(tmp_path, design='reference = "own half"'))
    assert any("the other authors of its own half" in line for line in design_in_words(study))


def test_a_corpus_is_calibrated_on_another_and_judged_whole(tmp_path: Path) -> None:
    path = two_corpora(tmp_path, second='training = "one"', corpora=("two",), design='reference = "own half"')
    result = idiograph.study(path, workers=1)
    trials = result.trials
    authors = {half: set(trials.column("k_author")[trials.column("half") == half]) for half in ("case", "calibration")}
    assert authors == {
        "calibration": {f"a{number:02}" for number in range(10)},
        "case": {f"a{number}" for number in range(10, 20)},
    }
    alone = idiograph.study(
        two_corpora(tmp_path, corpora=("two",), design="calibration = 0.0", use=("hapax", "raw")), workers=1
    )
    assert trials.column("lambda_g")[trials.case].tolist() != []
    assert len(alone.trials) == int(trials.case.sum())
    assert any("calibrated on the authors of one" in line for line in design_in_words(result.study))
    assert result.fits[0].fewest_authors == 10
    inputs = {entry["role"] for entry in result.results.corpora["two"].inputs}
    assert inputs == {"corpus", "training corpus"}


@pytest.mark.usefixtures("unread_reports")
def test_other_training_texts_are_another_study(tmp_path: Path) -> None:
    path, out = two_corpora(tmp_path, second='training = "one"', corpora=("two",)), tmp_path / "out"
    first = idiograph.study(path, out, workers=1).trials
    rows = (tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "one.jsonl").write_text("\n".join(rows[:-4]) + "\n", encoding="utf-8")
    with pytest.raises(StudyError, match="The files of the corpus two have changed"):
        idiograph.study(path, out, workers=1)
    fewer = idiograph.study(path, workers=1).trials
    assert fewer.llr("logistic")[fewer.case].tolist() != first.llr("logistic")[first.case].tolist()


def test_nobody_is_learnt_from_and_judged(tmp_path: Path) -> None:
    path = two_corpora(tmp_path, second='training = "one"', corpora=("two",))
    lines = (tmp_path / "one.jsonl").read_text(encoding="utf-8")
    (tmp_path / "one.jsonl").write_text(lines.replace('"author": "a03"', '"author": "a13"'), encoding="utf-8")
    with pytest.raises(
        StudyError, match=r"two and one, its training, share authors: a13\. Nobody may be both learnt from"
    ):
        idiograph.study(path, workers=1)


SETS = """
schema = 1
name = "sets"
[[corpora]]
name = "test"
path = "test.jsonl"
kind = "problems"
masking = "masked"
{test}
[[corpora]]
name = "train"
path = "train.jsonl"
kind = "problems"
masking = "masked"
[[conditions]]
drawing = "whole"
corpora = ["test"]
[design]
{design}
[lambdag]
repetitions = 3
[methods]
use = ["normalised", "hapax", "logistic"]
resamples = 0
"""


def masked_text(writer: int, number: int) -> str:
    rng = np.random.default_rng([writer, number])
    return "\n".join(" ".join(words) for words in sentences_of(writer, rng, 14, habit=0.5))


def plain_text(writer: int, number: int) -> str:
    """In words, on one of six topics."""
    rng = np.random.default_rng([writer, number])
    return "\n".join(sentence(writer, (writer + number) % 6, rng) for _ in range(14))


def ready_sets(
    folder: Path,
    *,
    test: str = "",
    design: str = "",
    writers: int = 16,
    shared: bool = False,
    text: Callable[[int, int], str] = masked_text,
) -> Path:
    """Two sets of problems: of every writer one with another text of theirs, and one with a text of the next."""

    for name, first in (("test", 0), ("train", 0 if shared else 100)):
        rows = []
        for number in range(writers):
            writer, other = first + number, first + (number + 1) % writers
            rows.append({"id": f"s{number:02}", "known": [text(writer, 0)], "unknown": text(writer, 1), "label": "Y"})
            rows.append({"id": f"d{number:02}", "known": [text(writer, 0)], "unknown": text(other, 2), "label": "N"})
        content = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(content, encoding="utf-8")
    path = folder / "study.toml"
    path.write_text(SETS.format(test=test, design=design), encoding="utf-8")
    return path


def test_a_ready_made_set_is_normalised_by_its_own_writers(tmp_path: Path) -> None:
    trials = idiograph.study(ready_sets(tmp_path, design="leave_authors_out = true"), workers=1).trials
    case = trials.case
    assert case.sum() == 32
    nats = trials.llr("normalised")
    assert np.isfinite(nats[case]).all()
    assert nats[case & trials.same].mean() > nats[case & ~trials.same].mean()


def test_a_ready_made_set_is_calibrated_and_normalised_by_its_training_set(tmp_path: Path) -> None:
    """Both sets call their problems alike, which makes nobody one person."""
    result = idiograph.study(
        ready_sets(tmp_path, test='training = "train"', design='reference = "own half"'), workers=1
    )
    trials = result.trials
    halves = trials.column("half")
    assert (halves == "case").sum() == (halves == "calibration").sum() == 32
    ids = trials.column("problem")
    assert all("training:" in id_ for id_ in ids[halves == "calibration"])
    assert not any("training:" in id_ for id_ in ids[halves == "case"])
    nats = trials.llr("normalised")
    assert nats[trials.case & trials.same].mean() > nats[trials.case & ~trials.same].mean()
    assert "64 writers" in result.results.corpora["test"].writers


def test_a_ready_made_set_is_freed_from_topic_by_its_training_set(tmp_path: Path) -> None:
    path = ready_sets(tmp_path, test='training = "train"', design='reference = "own half"', text=plain_text)
    study = path.read_text(encoding="utf-8").replace('"masked"', '"list"').replace('["normalised"', '["controlled"')
    path.write_text(study, encoding="utf-8")
    trials = idiograph.study(path, workers=1).trials
    nats = trials.llr("controlled")[trials.case]
    assert np.isfinite(nats).all()
    assert nats[trials.same[trials.case]].mean() > nats[~trials.same[trials.case]].mean()

    def words(writer: int, number: int) -> Counter[str]:
        tokens = plain_text(writer, number).lower().replace(".", "").split()
        return Counter(word for word in tokens if "word" in word)

    # The problem s00 by hand: df goes by the cohort's Ks, the known texts of the training set, and by its own K.
    of_k = words(0, 0)
    expected = oracle.cosine(words(0, 1), of_k, [*(words(100 + n, 0) for n in range(16)), of_k], unseen=True)
    ids = trials.column("problem").tolist()
    row = next(at for at in np.flatnonzero(trials.case).tolist() if "/s00" in ids[at])
    assert trials.score("closeness")[row] == pytest.approx(expected, rel=1e-12)


def test_training_problems_of_writers_who_are_judged_are_left_out(tmp_path: Path) -> None:
    path = ready_sets(tmp_path, test='training = "train"', shared=True)
    with pytest.raises(StudyError, match="of the training set, but its writer is judged"):
        idiograph.study(path, workers=1)


def test_a_set_with_few_writers_says_so(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"6 writers have a same-author problem in all, .* besides the two of a trial"):
        idiograph.study(ready_sets(tmp_path, writers=6, design="leave_authors_out = true"), workers=1)


def test_fits_from_few_authors_are_warned_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = folder_with_study(tmp_path, repetitions=2), tmp_path / "out"
    assert command("study", path, "--out", out, "--workers", 1) == 0
    warning = "Logistic fits on toy were learnt from fewer than 30 authors, 5 at the fewest."
    assert f"idiograph: {warning}" in capsys.readouterr().err
    assert warning in (out / "index.html").read_text(encoding="utf-8")
    assert warned_fits([Fits("logistic", "toy", "whole", 0, 1, 0, 0, FEW_AUTHORS)]) is None
    assert warned_fits([]) is None
