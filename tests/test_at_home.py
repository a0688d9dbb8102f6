"""At home in Python: one line in a console, a view in a notebook, data frames in and out, an LLR as a number."""

import importlib.resources
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import idiograph
from idiograph import LLR, Corpus, Index, InputError, MaskedText, MaskingError, Problem, Text
from made_study import folder_with_study
from made_texts import case_of, masked, write_case

Q = masked("q", None, tokens=60, seed=1)
K = Corpus((masked("k1", "lee", tokens=80, seed=2), masked("k2", "lee", tokens=80, seed=3)))
REFERENCE = Corpus(tuple(masked(f"{a}{n}", a, tokens=200, seed=10 * ord(a) + n) for a in "abc" for n in (1, 2)))
SCORE = idiograph.score(q=Q, k=K, reference=REFERENCE, repetitions=2)
LETTERS = Corpus(
    (
        Text("1", "Dear Ann,", "Bob", {"topic": "war", "year": 1801}),
        Text("2", "Dear Bob,", "Ann", {"topic": "peace", "year": 1802}),
        Text("3", "Dear all,", "Ann", {"topic": "war", "place": "Rome"}),
    )
)


class Stream:
    """What a data frame of any library is to us: something that speaks Arrow, or the older protocol."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(self.frame).__arrow_c_stream__(requested_schema)


class Interchange:
    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return pa.table(self.frame).__dataframe__(nan_as_null, allow_copy)


def test_the_package_has_types_and_a_version():
    assert importlib.resources.files("idiograph").joinpath("py.typed").is_file()
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", idiograph.__version__)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = write_case(tmp_path_factory.mktemp("home"), n_authors=8, n_texts=2, tokens=120)
    study = folder_with_study(folder, repetitions=2)
    verification = idiograph.verify(case_of(folder, repetitions=2), quick=True, workers=1)
    return verification, idiograph.study(study, folder / "out", workers=1), folder / "out"


def values(results):
    verification, study, _ = results
    problem = Problem(Q, K, REFERENCE, id="one")
    prepared = idiograph.prepare(LETTERS, "plain")
    model = idiograph.GrammarModel(K)
    llr = idiograph.hapax(SCORE)
    comparison = verification.comparisons[0]
    return [
        LETTERS, LETTERS[0], Q, K, REFERENCE, SCORE, problem, prepared, model, llr, Index(K), Index(K).all(),
        verification, comparison, comparison.explanation, study, study.trials, study.performance_rows,
        SCORE.by_sentence, idiograph.read(["A text of words."]), study.performance[0].performance,
        idiograph.heat_map(SCORE),
    ]  # fmt: skip


def held_by(value, seen):
    """One of each kind of thing that Idiograph made, in a value and in what it holds."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for item in value[:3]:
            held_by(item, seen)
    elif type(value).__module__.startswith("idiograph") and type(value) not in seen:
        seen[type(value)] = value
        for field in getattr(value, "__dataclass_fields__", ()):
            held_by(getattr(value, field), seen)


def test_everything_is_one_line_in_a_console(results):
    instances = [
        *values(results),
        idiograph.PlanRequest(questioned="500"),
        idiograph.Calibrator.fit(same=[2.0, 1.5, 1.0, -1.0, -0.5], different=[-2.0, 0.5, -1.0, 1.0]),
    ]
    seen = {}
    for value in instances:
        held_by(value, seen)
    assert len(seen) > 40
    assert {idiograph.Case, idiograph.Study, idiograph.CorpusSettings, idiograph.Score} <= seen.keys()
    long = [type(value) for value in [*instances, *seen.values()] if "\n" in repr(value) or len(repr(value)) > 400]
    assert [kind.__name__ for kind in long] == []
    lines = [repr(value) for value in values(results)]
    assert lines[0] == "Corpus(3 texts by 2 authors, 27 characters)"
    assert lines[1] == "Text('1' by Bob, 9 characters)"
    assert lines[2].startswith(f"MaskedText('q', {Q.n_sentences} sentences, {Q.n_tokens} tokens, as-found")
    assert re.match(r"Score\(λG -?[\d.]+ of \d+ tokens, lambdag\|order:10\|r:2\|", lines[5])
    assert re.match(r"Problem\('one', Q \d+ tokens, K \d+ tokens, reference [\d,]+ tokens\)", lines[6])
    assert re.match(r"LLR\(LR [\d.e+-]+, log10 LR -?[\d.]+, -?[\d.]+ nats, by hapax\)", lines[9])


def test_everything_has_a_view_in_a_notebook(results):
    for value in values(results):
        if not isinstance(value, Index | type(Index(K).all())):
            shown = value._repr_html_()
            assert shown.startswith("<")
            assert len(shown) < 200_000
    verification, study, _ = results
    assert verification.comparisons[0].wording.conclusion[:40] in verification._repr_html_()
    assert "cllr" in study._repr_html_()
    assert "Weak support for Hp (ENFSI 2015)" in LLR.of(1.0, "nats", how="hapax")._repr_html_()
    assert "<th>author</th>" in LETTERS._repr_html_()
    assert Text("x", "<script>alert(1)</script>")._repr_html_().count("<script>") == 0
    assert SCORE._repr_html_().count("<span style=") > 5  # words in the colours of the heat map


def test_a_corpus_is_indexed_added_and_filtered():
    assert LETTERS[0].id == LETTERS["1"].id == LETTERS[-3].id == "1"
    assert LETTERS[1:].text_ids == ("2", "3")
    assert (LETTERS[:1] + LETTERS[2:]).text_ids == ("1", "3")
    assert LETTERS.where(topic="war").text_ids == ("1", "3")
    assert LETTERS.where(topic="war", year=1801).text_ids == ("1",)
    assert len({LETTERS, LETTERS[:]}) == 1  # it can be a key
    assert isinstance(hash(idiograph.read(["A text."])), int)
    with pytest.raises(IndexError, match="There is no text 3: this corpus has 3 texts, numbered from 0"):
        LETTERS[3]
    with pytest.raises(InputError, match="There is no text with the id 7 in this corpus"):
        LETTERS["7"]
    with pytest.raises(InputError, match=r"What stands in a corpus's brackets must be a number, an id or a slice"):
        LETTERS[1.5]
    with pytest.raises(
        InputError, match=r"No text of this corpus has topics among its metadata \(did you mean topic\?\)"
    ):
        LETTERS.where(topics="war")
    with pytest.raises(InputError, match="Two texts have the same id: 1"):
        LETTERS + LETTERS[:1]


def test_a_list_of_strings_is_read():
    read = idiograph.read(["First text.\r\n", "Second\u200b text."], author="Ann")
    assert [(text.id, text.content, text.author) for text in read] == [
        ("text 1", "First text.\n", "Ann"),
        ("text 2", "Second text.", "Ann"),
    ]
    assert read.report.n_texts == 2
    assert idiograph.read(["I V .\nthe N"], kind="masked")[0].sentences == (("I", "V", "."), ("the", "N"))
    with pytest.raises(InputError, match="A list to be read has texts, each a string, and item 2 is a int"):
        idiograph.read(["a text", 3])
    with pytest.raises(InputError, match="is empty: it has nothing but white space"):
        idiograph.read(["a text", "  "])
    with pytest.raises(InputError, match="There is no text to read"):
        idiograph.read([])
    with pytest.raises(InputError, match="text names a column of a data frame, and a list of strings has none"):
        idiograph.read(["a text"], text="body")
    with pytest.raises(InputError, match="Problems are read from a folder or a file"):
        idiograph.read(["a text"], kind="problems")


def test_a_list_of_paths_is_not_taken_for_texts(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("words")
    with pytest.raises(InputError, match="Every string of the list is the path of a file"):
        idiograph.read([str(tmp_path / name) for name in ("a.txt", "b.txt")])
    with pytest.raises(InputError, match="text names a column of a data frame"):
        idiograph.read(tmp_path, text="body")


FRAME = pd.DataFrame(
    {"body": ["Dear Sir,", "Dear Madam,"], "writer": ["Ann", None], "name": ["x", "y"], "year": [1801, 1802]}
)


@pytest.mark.parametrize("frame", [FRAME, Stream(FRAME), pa.table(FRAME), Interchange(FRAME)])
def test_a_data_frame_is_read(frame):
    read = idiograph.read(frame, text="body", author="writer", id_column="name")
    assert [(text.id, text.content, text.author, text.metadata["year"]) for text in read] == [
        ("x", "Dear Sir,", "Ann", 1801),
        ("y", "Dear Madam,", None, 1802),
    ]


def test_what_a_data_frame_lacks_is_said():
    with pytest.raises(InputError, match=r"has no column boddy \(did you mean body\?\). Its columns are body, writer"):
        idiograph.read(FRAME, text="boddy")
    with pytest.raises(InputError, match="has no column text"):
        idiograph.read(FRAME)
    holes = pd.DataFrame({"text": ["a word", None]})
    with pytest.raises(InputError, match="Row 2 has no text: its text is None"):
        idiograph.read(holes)
    usual = pd.DataFrame({"text": ["a word", "two words"], "author": ["Ann", "Bob"]})
    assert idiograph.read(usual).text_ids == ("row 1", "row 2")
    assert idiograph.read(usual).authors == ("Ann", "Bob")


def test_rows_become_data_frames(results):
    verification, study, _ = results
    tokens = SCORE.to_pandas()
    assert tokens["log10_ratio"].sum() == pytest.approx(SCORE.lambda_g, rel=1e-12)
    assert tokens[~tokens["is_end"]]["token"].tolist() == [token for sentence in Q.sentences for token in sentence]
    assert SCORE.by_sentence.to_pandas()["lambda_g"].sum() == pytest.approx(SCORE.lambda_g, rel=1e-12)
    assert pa.table(SCORE).num_rows == len(tokens)  # by the Arrow stream
    assert study.trials.to_pandas()["same_author"].sum() > 0
    assert pa.table(study.trials).num_rows == len(study.trials)
    cllr = study.performance_rows.to_pandas().query("metric == 'cllr'")
    assert cllr["value"].tolist() == [cell.performance.cllr.value for cell in study.performance]
    explained = verification.comparisons[0].explanation
    assert explained.to_pandas()["lambda_g"].sum() == pytest.approx(verification.comparisons[0].lambda_g)
    assert len(explained.by_sentence) == len(explained.sentences)
    assert LETTERS.to_pandas()["topic"].tolist() == ["war", "peace", "war"]
    assert REFERENCE.to_arrow().column("n_tokens").to_pylist() == [text.n_tokens for text in REFERENCE]


def test_without_pandas_one_is_told(monkeypatch):
    def refused(self):
        raise ImportError("No module named 'pandas'")

    monkeypatch.setattr(idiograph.Score, "to_arrow", lambda self: type("Table", (), {"to_pandas": refused})())
    with pytest.raises(InputError, match="pandas is not installed"):
        SCORE.to_pandas()


def test_an_llr_is_a_number_where_only_one_can_be_meant():
    weak, strong = LLR.of(1.0, "nats", how="hapax"), LLR.of(2.0, "nats", how="hapax")
    assert float(strong) == 2.0
    assert weak < strong
    assert strong >= weak > 0
    assert weak <= strong
    assert max([weak, strong]) is strong
    assert idiograph.cllr(same=[weak, strong], different=[LLR.of(-1.0, "nats", how="hapax")]) == idiograph.cllr(
        same=[1.0, 2.0], different=[-1.0]
    )
    with pytest.raises(
        InputError, match=r"compared with another LLR or with 0 \(LR 1\), not with 10, which may be an LR"
    ):
        _ = strong > 10


def thirds(content):
    return [["W" if len(word) > 3 else word for word in line.split()] for line in content.split(".") if line.strip()]


def test_a_masking_of_ones_own():
    masked_text = idiograph.mask(Text("t", "The quick fox. It ran", "Ann"), method=thirds)
    assert masked_text.sentences == (("The", "W", "fox"), ("It", "ran"))
    assert masked_text.masking == f"own:{__name__}.thirds"
    assert masked_text.author == "Ann"
    assert idiograph.mask(["One word.", "And more."], method=thirds).text_ids == ("text 1", "text 2")
    assert idiograph.mask(masked_text, method=thirds) is masked_text
    with pytest.raises(MaskingError, match="A masking of your own takes a text's content and nothing else"):
        idiograph.mask("x", method=thirds, language="de")
    with pytest.raises(MaskingError, match=r"made no sentences of text 1.*a list of sentences, each a list of tokens"):
        idiograph.mask("x", method=lambda content: content)
    with pytest.raises(MaskingError, match="No token is left of text 1"):
        idiograph.mask("x", method=lambda content: [])


def test_a_study_from_python_writes_what_the_command_writes(results):
    _, _, out = results
    there = {path.name for path in out.iterdir()}
    assert {"index.html", "tables", "figures", "idiolect.csv", "trials.parquet", "study.toml", "manifest.json"} <= there


@pytest.mark.usefixtures("unread_reports")
def test_the_settings_of_a_study_are_made_in_python(results, tmp_path):
    _, study, _ = results
    corpus = study.study.corpora[0]
    settings = idiograph.Study(
        name="mine",
        corpora=(replace(corpus, path=str((study.study.folder / corpus.path).resolve())),),
        conditions=[idiograph.Condition(drawing="whole")],
        masking="masked",
        repetitions=2,
        resamples=0,
        methods=("hapax", "logistic"),
        design=study.study.design,
    )
    assert settings.conditions == ((idiograph.Condition(drawing="whole"), (corpus.name,)),)
    assert len(idiograph.study(settings, tmp_path / "out", workers=1).trials) > 0
    assert idiograph.read_study(tmp_path / "out" / "study.toml").name == "mine"
    with pytest.raises(idiograph.StudyError, match="must be Condition objects, or pairs of one and its corpora"):
        replace(settings, conditions=("whole",))


def test_figures_are_public(tmp_path):
    rng = np.random.default_rng(1)
    same, different = rng.normal(2, 2, 40), rng.normal(-2, 2, 80)
    for draw in (idiograph.tippett, idiograph.pav, idiograph.ece):
        plot = draw(same=same, different=different)
        assert plot._repr_svg_().lstrip().startswith("<?xml")
        assert "\n" not in repr(plot)
    assert plot.save(tmp_path / "ece.png").read_bytes()[:4] == b"\x89PNG"
    assert plot.save(str(tmp_path / "ece.csv")).read_text().count("\n") > 10
    with pytest.raises(InputError, match=r"The figure ece\.pdf must end in \.svg, \.png or \.csv"):
        plot.save(tmp_path / "ece.pdf")
    assert idiograph.violins(scores={"toy": (same, different)}).figure.axes
    grid = idiograph.length_heatmap(q_lengths=[100, 200], k_lengths=[500], panels={"hapax": [[0.5], [0.4]]})
    assert "hapax" in grid.csv


def test_figures_are_drawn_on_a_given_axis_and_on_no_other():
    from matplotlib.figure import Figure

    llrs = {"same": [1.0, 2.0, -0.5], "different": [-1.0, -2.0, 0.3]}
    lengths = {"q_lengths": [100, 200], "k_lengths": [500], "panels": {"hapax": [[0.5], [0.7]]}}
    calls = {
        "tippett": lambda ax: idiograph.tippett(**llrs, case=0.5, ax=ax),
        "pav": lambda ax: idiograph.pav(**llrs, ax=ax),
        "ece": lambda ax: idiograph.ece(**llrs, ax=ax),
        "violins": lambda ax: idiograph.violins(scores={"toy": ([10.0, 20.0], [-5.0, 3.0])}, ax=ax),
        "length_heatmap": lambda ax: idiograph.length_heatmap(**lengths, ax=ax),
        "heat_map": lambda ax: idiograph.heat_map(SCORE, ax=ax),
        "token_table": lambda ax: idiograph.token_table(SCORE, most=3, ax=ax),
    }
    for name, call in calls.items():
        figure = Figure()
        given_axes, other = figure.subplots(1, 2)
        drawn, alone = call(given_axes), call(None)
        assert given_axes.has_data(), name
        assert not other.has_data(), name
        assert drawn.figure is figure
        assert alone.figure is not figure
        if name in ("heat_map", "token_table"):
            drawn, alone = drawn.draw(given_axes), alone.draw()
        assert drawn.csv == alone.csv
        with pytest.raises(InputError, match="ax must be a Axes, not 'left'"):
            call("left")
    words = [piece for line in idiograph.heat_map(SCORE).heat_map.lines for piece in line if piece.level is not None]
    assert calls["heat_map"](None).draw().data["token"] == [piece.text for piece in words]
    bars = calls["token_table"](None).draw().figure.axes[0].patches
    assert [bar.get_width() for bar in bars] == calls["token_table"](None).columns["log10_ratio"]
    with pytest.raises(InputError, match="An axis holds one panel, and there are 2"):
        idiograph.length_heatmap(**{**lengths, "panels": {"a": [[0.5], [0.7]], "b": [[0.5], [0.7]]}}, ax=given_axes)


def test_the_heat_map_and_the_tokens_of_any_score(results, tmp_path):
    drawn = idiograph.heat_map(SCORE)
    assert "The questioned text as it was scored" in drawn._repr_html_()
    assert "<span" in drawn.save(tmp_path / "map.html").read_text(encoding="utf-8")
    assert drawn.save(tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"map\.pdf, must end in \.html, \.svg or \.png"):
        drawn.save(tmp_path / "map.pdf")
    written = Text("q", "The cat sat.")
    text = MaskedText("q", None, (("the", "N", "V", "."),), "m", np.array([[0, 3], [4, 7], [8, 11], [11, 12]]))
    score = idiograph.score(q=text, k=[["the", "N"], ["a", "V"]], reference=[["a", "N"], ["the", "V"], ["it"]])
    assert "sat" in idiograph.heat_map(score, text=text, original=written)._repr_html_()
    with pytest.raises(InputError, match="q is not the text of this score: its sentences differ"):
        idiograph.heat_map(SCORE, text=text)
    with pytest.raises(InputError, match="This score does not have its tokens"):
        idiograph.heat_map(replace(score, sentences=None))
    both, originals = Corpus((text, replace(text, id="a"))), Corpus((written, Text("a", "Her dog ran.")))
    two = idiograph.score(q=both, k=[["the", "N"], ["a", "V"]], reference=[["a", "N"], ["the", "V"], ["it"]])
    shown = idiograph.heat_map(two, text=both, original=originals)
    words = [piece.text for line in shown.heat_map.lines for piece in line if piece.level is not None]
    assert [word for word in words if word.isalpha()] == ["Her", "dog", "ran", "The", "cat", "sat"]
    with pytest.raises(InputError, match=r"text has 2 texts and original 1\. Give those of one side"):
        idiograph.heat_map(two, text=both, original=written)
    table = idiograph.token_table(SCORE, most=3)
    assert len(table) == 6
    ratios = table.columns["log10_ratio"]
    assert list(ratios) == sorted(ratios, reverse=True)
    assert len(idiograph.token_table(results[0].comparisons[0], most=2)) == 4


def test_progress_is_switched_off_in_the_open(monkeypatch, capsys):
    monkeypatch.setattr("idiograph.progress.PATIENCE", 0.0)
    events = []
    try:
        idiograph.show_progress(False)
        idiograph.read(["A text."])
        assert capsys.readouterr().err == ""
        with idiograph.listening(events.append):
            idiograph.read(["A text."])
        assert events[-1].state == "finished"
    finally:
        idiograph.show_progress(True)
    idiograph.read(["A text."])
    assert "Reading" in capsys.readouterr().err


def test_a_design_in_python_needs_no_share_that_a_file_does_without():
    """In a study file pairs = "all" stands alone, and so it does here."""
    shares = {pairs: idiograph.Design(pairs=pairs).calibration for pairs in ("all", "trace", "outside")}
    assert shares == {"all": 0.0, "trace": 0.4, "outside": 0.4}
    assert idiograph.Design(calibration=0.5).calibration == 0.5
    with pytest.raises(idiograph.StudyError, match="no half is set apart"):
        idiograph.Design(pairs="all", calibration=0.4)
