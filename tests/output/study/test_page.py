"""The page, the tables and the command line of a study: what the reader sees, and that nothing is left unsaid."""

import csv
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from generated import corpus, write_jsonl
from made_texts import in_full

FILE = """
schema = 1
name = "toy & friends"
runs = 2
[[corpora]]
name = "toy"
path = "toy.jsonl"
masking = "masked"
paper = "Enron"
[[conditions]]
drawing = "random"
q_tokens = [40, 80]
k_tokens = [60, 120]
[[conditions]]
drawing = "random"
lengths = [[9000, 9000]]
[lambdag]
repetitions = 5
[methods]
use = ["square_root", "hapax", "sentence", "logistic", "logistic_glm"]
own = ["mine.py:tenth"]
resamples = 20
compared_units = true
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("page")
    write_jsonl(folder / "toy.jsonl", corpus())
    (folder / "study.toml").write_text(FILE, encoding="utf-8")
    (folder / "mine.py").write_text("def tenth(trial):\n    return trial.lambda_g / 10\n", encoding="utf-8")
    return folder, in_full("study", "study.toml", "--out", "results", "--workers", "2", folder=folder)


class Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "results/tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


Means = dict[tuple[str, str], dict[str, float]]


def mean_cllrs(folder: Path) -> Means:
    """The mean over the runs of what cllr.csv says."""
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in rows(folder, "cllr"):
        cell = values.setdefault((row["corpus"], row["condition"]), {})
        cell.setdefault(row["method"], []).append(float(row["cllr"]))
    return {where: {method: float(np.mean(v)) for method, v in cell.items()} for where, cell in values.items()}


def over_corpora(means: Means) -> dict[str, float]:
    """The mean Cllr of each method, every corpus weighing the same."""
    corpora = {corpus for corpus, _ in means}
    return {
        method: float(
            np.mean([np.mean([row[method] for (of, _), row in means.items() if of == corpus]) for corpus in corpora])
        )
        for method in next(iter(means.values()))
    }


def lowest(values: dict[str, float]) -> str:
    return min(values, key=lambda name: values[name])


NAMES = {
    "square_root": "Square Root", "hapax": "Hapax", "sentence": "Sentence", "logistic": "Logistic regression",
    "logistic_glm": "Logistic regression (as R's glm stops)", "tenth": "tenth",
}  # fmt: skip


def test_a_study_ends_with_tables_figures_a_page_and_what_was_refused(done) -> None:  # type: ignore[no-untyped-def]
    folder, process = done
    assert process.returncode == 1, process.stderr  # finished with a refusal
    assert "refused: toy has too few authors for random_q9000_k9000" in process.stderr
    assert "| toy | random_q40_k60 | 2 |" in process.stdout
    assert "study|name:toy & friends|" in process.stdout
    results = folder / "results"
    names = {path.name for path in results.iterdir()}
    pages = {"figures", "idiolect.csv", "index.html", "page.json", "tables"}
    assert names == pages | {"manifest.json", "study.toml", "trials.parquet"}
    assert (results / "study.toml").read_text(encoding="utf-8") == FILE
    tables = ["baseline_split", "decisions", "fits", "left_out", "paper", "performance", "performance_further"]
    tables += ["methods", "table2", "table3", "units"]
    assert {path.name for path in (results / "tables").iterdir()} == {
        f"{name}.{ending}" for name in tables for ending in ("csv", "md", "tex")
    } | {"cllr.csv", "metrics.csv"}
    figures = {path.stem for path in (results / "figures").glob("*.svg")}
    assert "violins" in figures
    assert "lengths_toy_random" in figures
    assert "cllr" in figures
    means = mean_cllrs(folder)
    best = lowest(over_corpora(means))
    of_best = {condition: row[best] for (_, condition), row in means.items()}
    curves = {name for name in figures if name.startswith(("tippett_", "pav_", "ece_"))}
    assert curves == {
        f"{kind}_toy_{condition}_{best}"
        for kind in ("tippett", "pav", "ece")
        for condition in (lowest(of_best), max(of_best, key=lambda name: of_best[name]))
    }


def test_the_page_says_how_it_was_made_and_shows_every_table(done) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    page = (folder / "results/index.html").read_text(encoding="utf-8")
    seen = Visible()
    seen.feed(page)
    words = " ".join(" ".join(seen.words).split())
    manifest = json.loads((folder / "results/manifest.json").read_text(encoding="utf-8"))
    assert manifest["signature"] in words
    assert "Authors are split at random: 40% for calibration" in words
    assert "the other case authors, known texts only, never a text of the two writers at hand" in words
    assert "it is not an interval for other authors" in words
    assert "tenth" in words
    assert "toy & friends" in words
    assert "<script" not in page
    assert not re.search(r'(src|href)="https?:', page)


def test_the_page_begins_with_the_answer_and_ends_with_how_it_was_made(done) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    page = (folder / "results/index.html").read_text(encoding="utf-8")
    parts = re.findall(r'<h2 id="([^"]+)">(\d+)\. ([^<]+)</h2>', page)
    assert [int(number) for _, number, _ in parts] == list(range(1, len(parts) + 1))
    titles = [title for _, _, title in parts]
    assert titles[0] == "In short"
    assert titles[-2:] == ["Each method against each other", "How it was made"]
    # Sentence, figure, contents, in this order; and every entry of the contents leads somewhere.
    finding, figure, contents = (page.index(start) for start in ('class="box finding"', "<figure>", "<nav"))
    assert parts[0][0] in page[:finding]
    assert finding < figure < contents < page.index(f'id="{parts[1][0]}"')
    assert re.findall(r'<li><a href="#([^"]+)">', page) == [anchor for anchor, _, _ in parts]
    numbers = [int(number) for number in re.findall(r'<p class="caption" id="[^"]+">Table (\d+)\. ', page)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) == len(re.findall(r"<table", page)) > 8
    seen = Visible()
    seen.feed(page[finding:figure])
    text = " ".join(" ".join(seen.words).split())
    means = mean_cllrs(folder)
    by_method = over_corpora(means)
    best = lowest(by_method)
    assert f"{NAMES[best]} has the lowest mean Cllr: {by_method[best]:.3f} over 4 conditions of 1 corpus" in text
    worst = max(means, key=lambda where: means[where][best])
    assert f"{means[worst][best]:.3f} at its worst (toy, {worst[1]})" in text
    failed = [condition for (_, condition), row in means.items() if row[best] >= 1]
    assert (f"It fails in {len(failed)} of 4" in text) == bool(failed)
    assert ("It fails nowhere here" in text) == (not failed)
    for method, name in NAMES.items():
        n = sum(row[method] >= 1 for row in means.values())
        assert (f"{name} in {n}" in text) == (n > 0 and method != best), text
    assert "<script" not in page


def test_every_method_of_every_condition_is_reached_in_the_curves(done) -> None:  # type: ignore[no-untyped-def]
    import pyarrow.parquet as pq

    folder, _ = done
    page = (folder / "results/index.html").read_text(encoding="utf-8")
    trials = pq.read_table(folder / "results/trials.parquet").to_pydict()
    blocks = re.findall(r'<details class="curves"><summary>(\w+): .*?</details>', page, re.DOTALL)
    assert blocks == ["random_q40_k60", "random_q40_k120", "random_q80_k60", "random_q80_k120"]
    for condition in blocks:
        block = page[page.index(f"<summary>{condition}: ") :]
        block = block[: block.index("</details>")]
        assert re.findall(r"<p><strong>([^<]+)</strong>", block) == [
            name.replace("'", "&#39;") for name in NAMES.values()
        ]
        assert block.count("<svg") == 3 * len(NAMES)
        ends = [float(end.replace("−", "-")) for end in re.findall(r"<text[^>]*>([^<]+)</text>", block)[:2]]
        for number, method in enumerate(NAMES):
            path = re.findall(r'class="same" d="([^"]+)"', block)[3 * number]
            same = np.array(
                [
                    nats / np.log(10)
                    for half, where, is_same, nats in zip(
                        *(trials[name] for name in ("half", "condition", "same_author", f"llr_{method}")), strict=True
                    )
                    if half == "case" and where == condition and is_same
                ]
            )
            # In the middle of the axis, and a little away from both its ends, the share is what the trials say.
            for x in (20, 60, 100, 140, 180):
                at = ends[0] + (ends[1] - ends[0]) * x / 200
                wide = (ends[1] - ends[0]) / 200 + 0.05  # the ends are printed with one decimal
                shares = [float(np.mean(same >= x)) for x in (at - wide, at + wide)]
                assert shares[1] - 0.006 <= 1 - height_at(path, x) / 100 <= shares[0] + 0.006


def height_at(path: str, across: int) -> int:
    """How far down a path of horizontal and vertical steps is so far across."""
    height = int(re.match(r"M0 (\d+)", path)[1])  # type: ignore[index]
    for step, down in re.findall(r"H(\d+)V(\d+)", path):
        if int(step) > across:
            break
        height = int(down)
    return height


def test_the_tables_are_recomputed_to_the_ninth_digit(done) -> None:  # type: ignore[no-untyped-def]
    """From the scores in trials.parquet alone, by formulas of the paper written once more."""
    import pyarrow.parquet as pq

    folder, _ = done
    trials = {
        name: np.array(values)
        for name, values in pq.read_table(folder / "results/trials.parquet").to_pydict().items()
        if name != "reference_totals"
    }
    case, score, n = trials["half"] == "case", trials["lambda_g"], trials["n_tokens"]
    nats = {
        "square_root": score / np.sqrt(n) * np.log(2),
        "hapax": score * trials["n_hapaxes"] / n * np.log(2),
        "sentence": score / trials["sentence_norm"],
        "tenth": score / 10,
        **{name: trials[f"llr_{name}"].astype(float) for name in ("logistic", "logistic_glm")},
    }
    conditions = list(dict.fromkeys(trials["condition"]))
    runs: dict[str, dict[str, list[float]]] = {condition: {method: [] for method in nats} for condition in conditions}
    for condition in conditions:
        for run in (0, 1):
            chosen = case & (trials["condition"] == condition) & (trials["run"] == run)
            for method, values in nats.items():
                same = values[chosen & trials["same_author"]]
                different = values[chosen & ~trials["same_author"]]
                cost = np.logaddexp(0, -same).mean() + np.logaddexp(0, different).mean()
                runs[condition][method].append(float(cost / np.log(2) / 2))
    for row in rows(folder, "cllr"):
        value = runs[row["condition"]][row["method"]][int(row["run"])]
        assert float(row["cllr"]) == pytest.approx(value, abs=1e-9)
    table = rows(folder, "table3")
    assert len(table) == len(conditions) * len(nats)
    for row in table:
        values = runs[row["condition"]][row["method"]]
        assert float(row["mean"]) == pytest.approx(np.mean(values), abs=1e-9)
        assert float(row["sd"]) == pytest.approx(np.std(values, ddof=1), abs=1e-9)
        assert row["runs"] == "2"
    means = {condition: {method: float(np.mean(v)) for method, v in row.items()} for condition, row in runs.items()}
    keys = {name: key for key, name in NAMES.items()}
    table = rows(folder, "table2")
    assert len(table) == len(nats) * (len(nats) - 1)
    for row in table:
        pairs = [(of[keys[row["method"]]], of[keys[row["against"]]]) for of in means.values()]
        gaps = [ours - other for ours, other in pairs]
        losses = [(ours - other) / other for ours, other in pairs if ours - other > 1e-6]
        assert float(row["wins %"]) == pytest.approx(100 * np.mean([gap <= 1e-6 for gap in gaps]), abs=1e-9)
        assert int(row["ties"]) == sum(abs(gap) <= 1e-6 for gap in gaps)
        close = 100 * np.mean([loss <= 0.05 for loss in losses]) if losses else None
        assert (float(row["close losses %"]) if row["close losses %"] else None) == pytest.approx(close, abs=1e-9)
    papers = [row for row in rows(folder, "paper") if row["method"] == "Hapax"]
    units = [row for row in rows(folder, "units") if row["method"] == "Hapax"]
    assert len(papers) == len(units) == len(conditions)
    for paper, unit in zip(papers, units, strict=True):
        mean = means[paper["condition"]]["hapax"]
        assert float(paper["distance"]) == pytest.approx(mean - 0.479)
        assert float(unit["bits"]) == pytest.approx(mean)
        assert float(unit["nats"]) != pytest.approx(mean)
    split = rows(folder, "baseline_split")
    assert sum(int(row["conditions"]) for row in split if row["method"] == "Hapax") == len(conditions)
    assert {row["why"][:8] for row in rows(folder, "left_out")} == {"refused:"}


def test_every_cell_of_a_file_for_machines_holds_one_number_and_negative_ones_are_numbers(done) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    words = {"corpus", "condition", "method", "metric", "against", "why", "baseline's Cllr", "paper's corpus"}
    words |= {"is the paper's", "agrees", "name"}
    negative = 0
    for path in (folder / "results/tables").glob("*.csv"):
        for row in rows(folder, path.stem):
            for name, cell in row.items():
                if name not in words and cell:
                    negative += float(cell) < 0
    assert negative > 5
    cells = {(row["condition"], row["method"], row["metric"]): row for row in rows(folder, "metrics")}
    for row in rows(folder, "performance") + rows(folder, "performance_further"):
        assert cells[row["condition"], row["method"], row["metric"]] == row
    by_method = over_corpora(mean_cllrs(folder))
    assert [row["method"] for row in rows(folder, "methods")] == sorted(by_method, key=lambda name: by_method[name])
    for row in rows(folder, "methods"):
        assert float(row["mean"]) == pytest.approx(by_method[row["method"]], abs=1e-12)
        assert row["name"] == NAMES[row["method"]]
    row = cells["random_q40_k60", "hapax", "cllr"]
    assert (row["n_authors"], row["n_same"], row["n_different"]) == ("7", "14", "14")
    assert float(row["value"]) == pytest.approx(mean_cllrs(folder)["toy", "random_q40_k60"]["hapax"], abs=1e-12)


def test_machines_get_json_and_a_dry_run_writes_nothing(done) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    small = FILE[: FILE.index("[[conditions]]")] + '[[conditions]]\ndrawing = "whole"\n[lambdag]\nrepetitions = 5\n'
    (folder / "small.toml").write_text(small + "[methods]\nresamples = 0\n", encoding="utf-8")
    record = json.loads(in_full("study", "small.toml", "--out", "small", "--json", folder=folder).stdout)
    assert record["signature"].startswith("study|")
    assert [(row["method"], len(row["cllr"])) for row in record["cllr"]] == [
        ("square_root", 2), ("hapax", 2), ("sentence", 2), ("logistic", 2),
    ]  # fmt: skip
    before = sorted(folder.iterdir())
    dry = in_full("study", "study.toml", "--dry-run", folder=folder)
    assert dry.returncode == 1, dry.stderr  # as that of the run, in which a condition is refused
    assert "toy: 192 problems" in dry.stdout
    assert re.search(r"It takes about [\d.]+ (second|minute)", dry.stdout)
    assert "Refused: toy has too few authors" in dry.stdout
    told = json.loads(in_full("study", "study.toml", "--dry-run", "--json", folder=folder).stdout)
    assert (told["problems"], len(told["refused"])) == (192, 1)
    assert sorted(folder.iterdir()) == before


def test_a_dry_run_tells_how_much_must_be_masked_first(tmp_path: Path) -> None:
    rng = np.random.default_rng()  # texts that no cache has seen
    for author in "ab":
        for number in range(2):
            path = tmp_path / "letters" / author / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{rng.integers(1e9):010} is the number. " * 1000, encoding="utf-8")
    settings = 'schema = 1\n[[corpora]]\nname = "letters"\npath = "letters"\n{}\n[[conditions]]\ndrawing = "whole"\n'
    (tmp_path / "study.toml").write_text(settings.format(""), encoding="utf-8")
    dry = in_full("study", "study.toml", "--dry-run", folder=tmp_path)
    assert dry.returncode == 2, dry.stderr  # as that of the run, which cannot begin
    assert re.search(r"letters: about 0 problems; 1\d\d,\d\d\d characters are to be masked", dry.stdout)
    assert "Refused: letters has too few authors for whole" in dry.stdout
    (tmp_path / "study.toml").write_text(settings.format("tokens_per_author = 100"), encoding="utf-8")
    fewer = in_full("study", "study.toml", "--dry-run", folder=tmp_path)
    assert re.search(r"5\d,\d\d\d characters are to be masked", fewer.stdout)


def test_a_bundle_is_written_and_checked(done, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    checked = in_full("study", "study.toml", "--out", "out", "--bundle", str(tmp_path / "b.zip"), folder=folder)
    assert "b.zip holds the study (digest " in checked.stderr
    good = in_full("study", "--check", str(tmp_path / "b.zip"), folder=folder)
    assert good.returncode == 0, good.stderr
    assert "every file is as its digest says" in good.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("study.toml",), "a results folder is needed"),
        (("study.toml", "--out", "x", "--cluster", "tcp://a:1", "--workers", "2"), "the cluster has its own workers"),
        (("absent.toml", "--out", "x"), "absent.toml could not be read"),
        ((), "a study file is needed"),
        (("study.toml", "--out", "x", "--names"), "it belongs to --bundle"),
        (("study.toml", "--check", "x.zip"), "it is used alone"),
    ],
)
def test_a_users_mistake_is_one_message_and_exit_code_2(done, arguments: tuple[str, ...], words: str) -> None:  # type: ignore[no-untyped-def]
    folder, _ = done
    process = in_full("study", *arguments, folder=folder)
    assert process.returncode == 2
    assert words in process.stderr
    assert "Traceback" not in process.stderr
