"""A case whose texts are in memory, and its number in one call: the digits of the case from files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import idiograph
from idiograph import CalibrationError, Corpus, InputError, MaskedText, Text, Verification
from idiograph.casework.verification import NormalisedResult
from idiograph.texts.reading.memory import TextsInMemory
from made_texts import Comparison, case_of, command, compare, compare_fully, write_case
from made_topic_case import topic_case, write_topic_case

SIDES = ("q.txt", "known", "reference")


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topic_case(tmp_path_factory.mktemp("topics"))


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("masked"), n_authors=9, tokens=200)


def read(folder: Path, kind: Any = "texts") -> dict[str, Any]:
    return dict(zip(("q", "k", "reference"), (idiograph.read(folder / side, kind=kind) for side in SIDES), strict=True))


def case_in_memory(folder: Path, kind: str = "texts", **settings: Any) -> idiograph.Case:
    texts = read(folder, kind)
    sides = {"questioned": {"Q1": texts["q"]}, "known": {"lee": texts["k"]}, "reference": texts["reference"]}
    make_case = topic_case if kind == "texts" else case_of
    return make_case(folder, **{**sides, **settings})


def assert_same_number(result: NormalisedResult, comparison: Comparison) -> None:
    """Value, range, and what the LR is made of, to the last bit."""
    assert comparison.computed is not None
    assert result.llr == comparison.computed
    assert result.range == comparison.range
    made_of = comparison.controlled if comparison.primary == "controlled" else comparison.normalised
    assert (result.trial, result.normalisation) == made_of
    assert result.score.lambda_g == comparison.lambda_g


def test_the_call_gives_the_topic_controlled_lr_of_the_case(topics: Path, topical: Verification) -> None:
    (comparison,) = topical.comparisons
    settings = {"seed": 1, "candidate": "lee", "masking": "list", "repetitions": 3}
    result = idiograph.normalised(**read(topics), **settings)
    assert result.llr.how == "controlled"
    assert_same_number(result, comparison)
    assert (result.validation, result.reported, result.refusal) == (None, None, None)
    rows = [(row.masked or None, row.lambda_g) for row in comparison.explanation.tokens]
    columns = result.score.columns  # the words too, so that a heat map can be drawn of it
    assert list(zip(columns["token"], columns["log10_ratio"], strict=True)) == rows
    validated = idiograph.normalised(**read(topics), **settings, validate=True)
    assert_same_number(validated, comparison)
    assert validated.validation is not None
    assert comparison.validation is not None
    assert validated.validation.performance == comparison.validation.performance
    assert validated.validation.bounds == comparison.validation.bounds
    assert validated.reported == comparison.reported
    shown = validated._repr_html_()
    assert "The calculation gives an LR of " in shown
    assert " by the topic-controlled LR.</" in shown
    assert "Cllr of its validation: " in shown
    assert ("A case reports " in shown) is (comparison.reported is not None)
    assert all(finding.severity in shown for finding in validated.findings)


def test_the_call_gives_the_normalised_lr_of_a_masked_case_and_bounds_it(masked: Path) -> None:
    comparison = compare_fully(masked, primary="normalised", seed=2, repetitions=3)
    settings = {"seed": 2, "candidate": "lee", "repetitions": 3}
    result = idiograph.normalised(**read(masked, "masked"), **settings, validate=True)
    assert_same_number(result, comparison)
    assert result.reported == comparison.reported
    assert result.reported is not None
    assert result.reported < result.llr
    by_author = [replace(text, author="lee") for text in read(masked, "masked")["k"]]
    texts = {**read(masked, "masked"), "k": Corpus(tuple(by_author))}
    assert idiograph.normalised(**texts, seed=2, repetitions=3).llr == result.llr  # the name comes from K
    assert idiograph.normalised(**texts, seed=3, repetitions=3).llr != result.llr
    with pytest.raises(InputError, match=r"normalised: there is no setting repetition \(did you mean repetitions\?\)"):
        idiograph.normalised(**texts, repetition=3)
    assert idiograph.normalised(**texts, seed=2, repetitions=4).llr != result.llr


def test_one_way_only_for_what_cannot_be_measured(topics: Path, masked: Path) -> None:
    texts = read(masked, "masked")
    few = {**texts, "reference": texts["reference"].by("author00", "author01", "author02")}
    with pytest.raises(CalibrationError, match="3 reference authors have texts for a Q and a K like these"):
        idiograph.normalised(**few)
    with pytest.raises(InputError, match=r"primary is hapax\. Choose controlled or normalised"):
        idiograph.normalised(**texts, primary="hapax")
    with pytest.raises(InputError, match="these texts came masked, or their masking"):
        idiograph.normalised(**texts, primary="controlled")
    nameless = Corpus((*texts["reference"], MaskedText("r", None, (("a",),), "as-found")))
    with pytest.raises(InputError, match="The reference has texts without an author: reference/r"):
        idiograph.normalised(**{**texts, "reference": nameless})
    by_reference = idiograph.normalised(**read(topics), primary="normalised", masking="list", repetitions=3)
    assert by_reference.llr.how == "normalised"


def test_why_verify_would_not_report_is_said_without_validation_too(masked: Path) -> None:
    texts = read(masked, "masked")
    short = replace(texts["q"][0], sentences=texts["q"][0].sentences[:2])
    result = idiograph.normalised(**{**texts, "q": short}, repetitions=3)
    assert result.refusal is not None
    assert result.refusal.startswith("the texts do not allow one: ")
    assert "which verify would not report" in repr(result)
    assert "A case would report no LR, because the texts do not allow one: " in result._repr_html_()


def test_a_case_in_memory_is_the_case_from_files(topics: Path, topical: Verification) -> None:
    case = case_in_memory(topics)
    in_memory = idiograph.verify(case)
    # Wording, audit, validation, explanation: everything but the manifest's list of files.
    assert repr(in_memory.comparisons) == repr(topical.comparisons)
    for comparison, wanted in zip(in_memory.comparisons, topical.comparisons, strict=True):
        assert comparison.llrs == wanted.llrs
        assert (comparison.range, comparison.wording, comparison.audit) == (wanted.range, wanted.wording, wanted.audit)
        assert comparison.explanation.tokens == wanted.explanation.tokens
    assert in_memory.texts == topical.texts
    assert {file.name for file in in_memory.provenance.inputs if file.role == "known/lee"} == {"0.txt", "1.txt"}


def test_strings_and_data_frames_are_sides_too(masked: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    texts = read(masked, "masked")
    lines = {side: ["\n".join(map(" ".join, text.sentences)) for text in texts[side]] for side in ("q", "k")}
    rows = [(text.id, text.author, "\n".join(map(" ".join, text.sentences))) for text in texts["reference"]]
    frame = pa.table(dict(zip(("id", "author", "text"), map(list, zip(*rows, strict=True)), strict=True)))
    sides = {"questioned": {"Q1": lines["q"]}, "known": {"lee": lines["k"]}, "reference": frame}
    comparison = compare(case_of(masked, **sides))
    wanted = compare(case_of(masked))
    assert comparison.llrs == wanted.llrs
    assert comparison.q.texts == ("questioned/Q1/text 1",)
    for side, name in (("questioned", "Q1"), ("known", "Lee")):
        with pytest.raises(InputError, match=rf'{side} has texts without a name.*: {side}={{"{name}": texts}}\.'):
            idiograph.Case(**{**sides, side: ["A text."]}, population="p")
    with pytest.raises(InputError, match="reference: A side of a case has no text: it is an empty list"):
        case_of(masked, reference=[])
    with pytest.raises(InputError, match="reference: A side of a case has some texts that are masked and some that"):
        case_of(masked, reference=Corpus((texts["q"][0], Text("t", "Words."))))


@pytest.mark.usefixtures("unread_reports")
def test_filing_keeps_the_texts_and_can_be_replayed(topics: Path, tmp_path: Path) -> None:
    case = tmp_path / "case"
    filed = idiograph.file_case(case_in_memory(topics), case, quick=True)
    wanted = idiograph.verify(topic_case(topics), quick=True)
    assert [comparison.llrs for comparison in filed.verification.comparisons] == [
        comparison.llrs for comparison in wanted.comparisons
    ]
    assert filed.verification.comparisons[0].wording.conclusion == wanted.comparisons[0].wording.conclusion
    written = sorted(path.name for path in (case / "texts").iterdir())
    assert [name.rpartition("-")[0] for name in written] == ["k1", "q1", "reference"]
    assert command("replay", case / "manifest.json") == 0
    again = idiograph.read_case(case / "case.toml")
    assert again.known["lee"] == case / "texts" / written[0]
    # Other texts in a second run: those of the first stay, and its number is still what it was.
    texts = read(topics)
    fewer = {"Lee": texts["k"][:1]}
    idiograph.file_case(replace(case_in_memory(topics), known=fewer), case, quick=True, force=True)
    assert len(list((case / "texts").iterdir())) == 4
    assert command("replay", case / "runs" / "0001" / "manifest.json") == 0


@pytest.mark.usefixtures("unread_reports")
def test_masked_texts_in_memory_are_filed_as_a_masked_corpus(masked: Path, tmp_path: Path) -> None:
    settings = {"quick": True, "workers": 1}
    filed = idiograph.file_case(case_in_memory(masked, "masked"), tmp_path / "case", **settings)
    wanted = idiograph.verify(case_of(masked), quick=True)
    assert filed.verification.comparisons[0].llrs == wanted.comparisons[0].llrs
    result = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))
    assert result["lambda_g"] == wanted.comparisons[0].lambda_g
    assert command("replay", tmp_path / "case" / "manifest.json") == 0
    mixed = case_of(masked, reference=idiograph.read(masked / "reference", kind="masked"))
    with pytest.raises(InputError, match="Some texts of the case are in memory and others at"):
        idiograph.file_case(mixed, tmp_path / "mixed")
    assert compare(mixed).llrs == wanted.comparisons[0].llrs
    odd = Corpus(tuple(replace(text, metadata={"year": float("nan")}) for text in mixed.reference.corpus))
    with pytest.raises(InputError, match="a number that is not finite, which no file of a case can"):
        idiograph.file_case(replace(case_in_memory(masked, "masked"), reference=odd), tmp_path / "odd")


def test_a_text_that_nobody_has_read_is_read_as_a_file_is(tmp_path: Path) -> None:
    wrapped = (
        "These words stand in a file whose lines\nwere wrapped by a program that knew of no\nother way to show them."
    )
    (tmp_path / "q.txt").write_text(wrapped + " And a zero\u200bwidth space.", encoding="utf-8")
    (of_file,) = idiograph.read(tmp_path / "q.txt")
    given = Text("q.txt", (tmp_path / "q.txt").read_text(encoding="utf-8"))
    (text,), changed = TextsInMemory(given).read(idiograph.ReadingOptions(), masked=False)
    assert text == replace(of_file, metadata=text.metadata)
    assert changed
    assert "zero" in text.content
    assert "\u200b" not in text.content
    (again,), unchanged = TextsInMemory(of_file).read(idiograph.ReadingOptions(), masked=False)
    assert again is not None
    assert again.content == of_file.content
    assert not unchanged
