"""A case in another language than English: masked by its rules, and no number without a validation of its own."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import idiograph
from audited import findings, written
from idiograph import Case, InputError, MaskedText, MaskingError, read_case
from idiograph.casework.other_language import by_english_alone, in_language, language_findings, listed_words
from idiograph.evidence.constants import Weights, constants_for, cost_in_words
from idiograph.evidence.normalised import Normalisation
from made_languages import TABLES, foreign, write_foreign_case
from made_texts import GERMAN, Comparison, case_of, case_texts, command, compare, sentences, write_case_file


def foreign_case(folder: Path, language: str, **changed: object) -> Case:
    return case_of(folder, **{"language": language, "masking": "list", "repetitions": 3, **changed})


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_foreign_case(tmp_path_factory.mktemp("german"), "de")


def test_every_language_has_the_same_default_method(tmp_path: Path) -> None:
    sides = {"questioned": {"Q1": tmp_path}, "known": {"lee": tmp_path}, "reference": tmp_path, "population": "a"}
    assert Case(**sides).primary == Case(**sides, language="de").primary == "controlled"  # type: ignore[arg-type]
    assert read_case(write_case_file(tmp_path, language="pl", primary="normalised")).language == "pl"


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"language must be the code of a language, such as de for German, .* not \"German\""
    ):
        case_of(tmp_path, language="German")


@pytest.mark.tagger
@pytest.mark.parametrize(("language", "signature"), [("de", "posnoise-3.0+hanta_de-"), ("fr", "posnoise-spacy-3.8")])
def test_a_whole_case_by_a_tagger_is_validated_reported_and_replayed(
    language: str, signature: str, tmp_path: Path
) -> None:
    write_foreign_case(tmp_path, language, n_authors=8, tokens=200)
    options = ["--questioned", tmp_path / "q.txt", "--known", f"lee={tmp_path / 'known'}", "--repetitions", 3]
    options += ["--reference", tmp_path / "reference", "--population", "writers of made-up texts"]
    code = command("verify", *options, "--language", language, "--out", tmp_path / "case")
    result = json.loads((tmp_path / "case" / "result.json").read_text(encoding="utf-8"))
    assert result["settings"]["masking"].startswith(signature)
    assert result["settings"]["language"] == language
    assert result["primary"] == "controlled"
    assert result["validation"]["n_same"] > 0
    assert result["reported"] is None or result["controlled"] is not None
    assert code == (result["reported"] is None)
    assert 0 < result["q"]["n_kept"] < result["q"]["n_tokens"]
    codes = {entry["code"] for entry in result["audit"]}
    assert not codes & {"not-english", "other-language", "language-unchecked"}
    name = {"de": "German", "fr": "French"}[language]
    page = (tmp_path / "case" / "report.html").read_text(encoding="utf-8")
    assert f"in {name} they are unvalidated" in page
    assert "learnt on English corpora" in page
    if result["reported"] is not None:
        assert f"that it holds in {name} was never measured. Among the reference's own" in " ".join(result["topic"])
        assert f"the corrections are unvalidated in {name}." in result["sensitivity"]["sentence"]
    if language == "de":
        assert idiograph.replay(tmp_path / "case" / "manifest.json").agrees


@pytest.mark.tagger
def test_a_quick_case_reports_no_likelihood_ratio(german: Path) -> None:
    for primary in ("hapax", "normalised", "controlled"):
        assert_no_number(compare(foreign_case(german, "de", primary=primary)))


def assert_no_number(comparison: Comparison) -> None:
    assert comparison.reported is None
    assert (comparison.llrs, comparison.anchors, comparison.sensitivity, comparison.as_strong) == ({}, None, None, None)
    assert (comparison.normalised, comparison.controlled, comparison.range, comparison.outside) == (
        None,
        None,
        None,
        (),
    )
    assert comparison.refusal is not None
    assert comparison.refusal.startswith(
        "No likelihood ratio is reported because the texts are in German, where the method"
    )
    assert comparison.wording.verbal is None


@pytest.mark.tagger
def test_a_validation_that_fails_leaves_no_number(german: Path, tmp_path: Path) -> None:
    few = tmp_path / "reference"
    for author in ("author00", "author01", "author02"):
        (few / author).mkdir(parents=True)
        for path in (german / "reference" / author).iterdir():
            (few / author / path.name).write_bytes(path.read_bytes())
    comparison = compare(foreign_case(german, "de", primary="hapax", reference=few), quick=False)
    assert comparison.refusal is not None
    assert "The reference has 3 authors. Below 5 no value is reported." in comparison.refusal
    assert (comparison.reported, comparison.llrs, comparison.anchors) == (None, {}, None)


def test_constants_from_english_never_decide_alone(tmp_path: Path) -> None:
    alone = Normalisation(constants_for(7), None, n_authors=7, n_same=7, n_different=42)
    german = case_of(tmp_path, language="de", primary="normalised")
    sentence = by_english_alone(german, alone)
    assert sentence is not None
    assert "only 7 reference authors could take part, fewer than the 8 that a fit takes" in sentence
    assert by_english_alone(german, replace(alone, fitted=Weights(-1.0, (0.5, 0.7)))) is None
    assert by_english_alone(german, None) is None
    assert by_english_alone(replace(german, primary="hapax"), alone) is None
    assert by_english_alone(case_of(tmp_path, primary="normalised"), alone) is None


@pytest.mark.tagger
@pytest.mark.parametrize(("constants", "words"), [("english", "are pulled were learnt"), ("none", "go without the")])
def test_the_origin_of_the_constants_is_said_with_what_going_without_them_cost(
    german: Path, constants: str, words: str
) -> None:
    comparison = compare(foreign_case(german, "de", primary="hapax", constants=constants))
    (limit,) = (limit for limit in comparison.wording.limits if "constants" in limit)
    assert f"LRs measured by the reference {words}" in limit
    assert f"gave a mean Cllr of {cost_in_words()}; what it gives in German was measured in one" in limit
    assert "what it gives in Polish was not measured" in in_language(comparison, "pl", constants).wording.limits[-1]


@pytest.mark.tagger
def test_what_masking_left_is_said_of_each_side_and_counted_for_each_text(german: Path) -> None:
    done = idiograph.verify(foreign_case(german, "de", primary="hapax"), quick=True)
    removed = next(sentence for sentence in done.comparisons[0].wording.limits if sentence.startswith("Masking ("))
    assert "were replaced by one mark" in removed
    comparison = done.comparisons[0]
    assert comparison.q.n_kept is not None
    assert (
        f"It left as they were: {100 * comparison.q.n_kept / comparison.q.n_tokens:.0f} % of the tokens of Q, "
        in removed
    )
    assert all(text.n_kept is not None and 0 < text.n_kept < text.n_tokens for text in done.texts)


@pytest.mark.tagger
def test_a_word_list_of_ones_own_is_an_input_and_changes_the_tokens(german: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("und\ndie\nhaus\n", encoding="utf-8")
    done = idiograph.verify(foreign_case(german, "de", word_list=path, primary="hapax"), quick=True)
    assert {row.masked for row in done.comparisons[0].explanation.tokens} <= {"und", "die", "haus", "*", ".", ""}
    (file,) = (file for file in done.provenance.inputs if file.role == "word list")
    assert file.name == "own.txt"
    assert done.provenance.settings["masking"].startswith("list-own@")
    assert done.provenance.settings["word_list"] == "own.txt"
    path.write_text("und\n", encoding="utf-8")
    again = idiograph.verify(foreign_case(german, "de", word_list=path, primary="hapax"), quick=True)
    assert again.case_digest != done.case_digest
    with pytest.raises(InputError, match="The texts are masked already, so word_list would have no effect"):
        idiograph.verify(foreign_case(german, "de", masking="masked", word_list=path), quick=True)


@pytest.mark.tagger
def test_steps_of_a_recipe_that_go_by_english_rules_are_said(german: Path) -> None:
    def limits(recipe: str) -> str:
        done = idiograph.verify(foreign_case(german, "de", recipe=recipe, primary="hapax"), quick=True)
        return " ".join(done.comparisons[0].wording.limits_with_changes)

    assert "These steps of the recipe go by rules made for English: forwarded_text (headings of" in limits("email")
    assert "rules made for English" not in limits("plain")


def test_the_model_that_is_named_is_used(german: Path) -> None:
    with pytest.raises(MaskingError, match=r"de_core_news_lg is not installed"):
        idiograph.verify(foreign_case(german, "de", masking="frames", model="de_core_news_lg"), quick=True)
    with pytest.raises(
        MaskingError, match=r"fr_core_news_sm is for French \(fr\), and the texts are said to be in German"
    ):
        idiograph.verify(foreign_case(german, "de", masking="frames", model="fr_core_news_sm"), quick=True)


def found_in(*contents: str) -> list[tuple[str, str, str]]:
    """Code, severity and message of what is found about the language of Q, said to be German."""
    pairs = [written(f"q{number}", None, content) for number, content in enumerate(contents, 1)]
    originals = {id_: text for _, originals in pairs for id_, text in originals.items()}
    texts = replace(case_texts(q=tuple(text for text, _ in pairs), originals=originals), language="de")
    entries = [language_finding for language_finding in language_findings(texts) if "q1" in language_finding.where]
    assert {entry.code for entry in entries} <= set(findings(texts))
    return [(entry.code, entry.severity, entry.message) for entry in entries]


def test_texts_in_another_language_than_the_cases_are_found() -> None:
    french = foreign("fr", "lee", tokens=200, seed=1)
    ((code, severity, message),) = found_in(french)
    assert (code, severity) == ("other-language", "red")
    assert message.startswith("Q1: q1 looks like French, not like German: ")
    ((code, severity, message),) = found_in(GERMAN * 8 + french)
    assert (code, severity) == ("other-language", "amber")
    assert message.startswith("Q1: q1 looks in part like French, not like German: ")
    assert found_in(GERMAN) == []


def test_a_text_that_came_masked_is_judged_by_the_words_that_are_left() -> None:
    lines = tuple(
        tuple(TABLES["fr"][word].lower() for word in sentence[:-1]) for sentence in sentences("lee", tokens=200, seed=1)
    )
    q = MaskedText("q1", None, lines, "as-found")
    (entry,) = (
        language_finding
        for language_finding in language_findings(replace(case_texts(q=(q,)), language="de"))
        if "q1" in language_finding.where
    )
    assert entry.severity == "red"


def test_a_text_too_short_to_be_checked_is_said() -> None:
    assert found_in("Das ist kurz.", "Und das auch.") == [
        (
            "language-unchecked",
            "note",
            "Q1: q1 could not be checked to be in German: it has 3 words, and at least 50 are needed (and 1 more of "
            "2: q2).",
        )
    ]


def test_odd_spellings_are_those_outside_the_languages_list() -> None:
    assert "nicht" in listed_words(replace(case_texts(), language="de"))
    assert "nicht" not in listed_words(case_texts())
    assert listed_words(replace(case_texts(), language="de", listed=frozenset({"nur"}))) == {"nur"}
    assert listed_words(replace(case_texts(), language="nn")) == frozenset()
