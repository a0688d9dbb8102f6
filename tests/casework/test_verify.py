"""A case from end to end, from the library and from the command line."""

import math
from pathlib import Path

import pytest

import idiograph
from idiograph.casework import verify as module
from idiograph.casework.case_index import CaseIndex
from idiograph.casework.verification import Verification
from idiograph.casework.verify import decide, make_ready
from idiograph.errors import InputError
from idiograph.texts.reading.options import ReadingOptions
from made_texts import case_of, sentences, write_case, write_text


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("texts"), n_authors=6)


@pytest.fixture(scope="module")
def verified(texts: Path) -> Verification:
    return idiograph.verify(case_of(texts))


def test_the_value_is_the_primary_method_within_its_bounds(verified: Verification) -> None:
    one = verified.comparisons[0]
    assert one.validation is not None
    assert one.validation.bounds is not None
    assert one.reported is not None
    computed = one.llrs["hapax"]
    assert one.computed == computed
    by_hand = one.lambda_g * one.score.n_hapaxes / one.score.n_tokens * math.log(2)
    assert computed.nats == pytest.approx(by_hand, rel=1e-12)
    low, high = one.validation.bounds.lower, one.validation.bounds.upper
    assert one.reported.nats == min(max(computed.nats, low), high)
    assert (one.wording.bound is None) == (low <= computed.nats <= high)
    assert one.wording.verbal == one.reported.verbal("enfsi")
    assert set(one.llrs) == set(one.validation.trials.nats) if one.validation.trials else False


def test_the_true_writer_is_supported_and_another_is_not(texts: Path, tmp_path: Path, verified: Verification) -> None:
    assert verified.comparisons[0].llrs["hapax"].nats > 0
    for path in texts.rglob("*.txt"):
        (tmp_path / path.relative_to(texts)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path.relative_to(texts)).write_bytes(path.read_bytes())
    write_text(tmp_path / "q.txt", sentences("somebody else", tokens=300, seed=9))
    other = idiograph.verify(case_of(tmp_path), quick=True)
    assert other.comparisons[0].llrs["hapax"].nats < 0


def test_nothing_is_scored_before_the_case_is_hashed_and_validated(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of events, seen from outside: all validation, and Q last; the digest is there before either."""
    events: list[str] = []
    validate, score_case = module.validate, CaseIndex.score_case

    def watched_validate(*arguments: object) -> object:
        events.append("validated")
        return validate(*arguments)  # type: ignore[arg-type]

    def watched_score(*arguments: object, **named: object) -> object:
        events.append("scored")
        return score_case(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "validate", watched_validate)
    monkeypatch.setattr(CaseIndex, "score_case", watched_score)
    ready = make_ready(case_of(texts, questioned={"Q1": texts / "q.txt", "Q2": texts / "q.txt"}))
    assert events == []
    assert len(ready.digest) == 64
    done = decide(ready)
    assert events[:3] == ["validated", "validated", "scored"]
    assert done.case_digest == ready.digest


def test_anchors_stand_for_every_reference_author(verified: Verification) -> None:
    one = verified.comparisons[0]
    assert one.anchors is not None
    expected = [f"author{n:02}" for n in range(6)]
    assert [anchor.name for anchor in one.anchors.trace] == expected
    assert [anchor.name for anchor in one.anchors.source] == expected
    own = one.llrs["hapax"].nats
    assert one.anchors.trace_as_high == sum(anchor.nats >= own for anchor in one.anchors.trace)
    assert one.anchors.source_as_high == sum(anchor.nats >= own for anchor in one.anchors.source)
    assert [anchor.name for anchor in one.anchors.known] == ["known/lee/1.txt", "known/lee/2.txt"]
    # Someone else's text scores lower than the writer's own.
    assert max(anchor.lambda_g for anchor in one.anchors.trace) < one.lambda_g


def test_a_known_text_by_somebody_else_speaks_against_the_rest(texts: Path, tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6)
    write_text(tmp_path / "known" / "3.txt", sentences("somebody else", tokens=300, seed=3))
    one = idiograph.verify(case_of(tmp_path), quick=True).comparisons[0]
    assert one.anchors is not None
    assert one.anchors.known_low == ("known/lee/3.txt",)


def test_sensitivity_changes_one_thing_at_a_time(verified: Verification, texts: Path) -> None:
    one = verified.comparisons[0]
    assert one.sensitivity is not None
    assert {row.label: row.nats for row in one.sensitivity.of("correction")} == {
        method: llr.nats for method, llr in one.llrs.items()
    }
    assert [row.label for row in one.sensitivity.of("known_text")] == ["known/lee/1.txt", "known/lee/2.txt"]
    assert len({row.lambda_g for row in one.sensitivity.of("seed")}) == 10
    changed = idiograph.verify(case_of(texts, order=3), quick=True).comparisons[0]
    by_order = {row.label: row.lambda_g for row in one.sensitivity.of("order")}
    assert by_order["3"] == changed.lambda_g
    more = idiograph.verify(case_of(texts, repetitions=10), quick=True).comparisons[0]
    by_r = {row.label: row.lambda_g for row in one.sensitivity.of("repetitions")}
    assert by_r["10"] == more.lambda_g
    assert one.sensitivity.standard_error == pytest.approx(one.sensitivity.spread / math.sqrt(5))


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 2), ("discount", 0.5), ("primary", "sentence"), ("scale", "numbers"), ("bounds", "none")],
)
def test_every_setting_changes_what_it_should(texts: Path, verified: Verification, name: str, value: object) -> None:
    one = verified.comparisons[0]
    quick = name in ("seed", "discount")
    other = idiograph.verify(case_of(texts, **{name: value}), quick=quick).comparisons[0]
    if name in ("seed", "discount"):
        assert other.lambda_g != one.lambda_g
    elif name == "primary":
        assert other.lambda_g == one.lambda_g
        assert other.computed == one.llrs["sentence"]
        assert any("Idiograph's own" in said for said in other.wording.limits)
    elif name == "scale":
        assert other.wording.verbal is None
        assert other.reported == one.reported
    else:
        assert other.validation is not None
        assert other.validation.bounds is None
        assert other.reported == other.computed


@pytest.mark.tagger
def test_plain_texts_are_masked_and_explained_in_their_own_words(tmp_path: Path) -> None:
    def write(name: str, *lines: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")

    write("q.txt", "I’d have walked to the market, but it rained all day.", "Please tell Anna that we came home late.")
    write("known/a.txt", "I’d have written before, but there was no time.", "Please tell them that we are well.")
    write("known/b.txt", "It rained, so we came home and slept.")
    for author in ("ann", "bob", "cat"):
        write(f"reference/{author}/1.txt", f"The shop was closed when {author} arrived.", "Nobody knew why it was so.")
        write(f"reference/{author}/2.txt", f"They said that {author} had left early, which was true.")
    one = idiograph.verify(case_of(tmp_path, masking="posnoise"), quick=True).comparisons[0]
    rows = [row for row in one.explanation.tokens if not row.is_end]
    assert [row.original for row in rows[:6]] == ["I", "’d", "have", "walked", "to", "the"]
    assert [row.masked for row in rows[:6]] == ["i", "'d", "have", "V", "to", "the"]
    content = one.explanation.originals["questioned/Q1/q.txt"]
    assert all(content[row.start : row.end] == row.original for row in rows)
    assert "mask:posnoise" in one.score.signature
    assert any(said.startswith("Masking (posnoise") for said in one.wording.limits)


def test_a_quick_run_says_so_and_has_no_bounds(texts: Path) -> None:
    done = idiograph.verify(case_of(texts), quick=True)
    one = done.comparisons[0]
    assert done.quick
    assert one.validation is None
    assert one.reported == one.computed
    assert any("left out (quick run)" in said for said in one.wording.limits)


def test_a_quick_run_cannot_calibrate(texts: Path) -> None:
    with pytest.raises(InputError, match="learns from the validation problems, and a quick run makes none"):
        idiograph.verify(case_of(texts, primary="logistic"), quick=True)


def test_calibration_may_be_the_primary_method(texts: Path) -> None:
    """Made-up authors differ so much that nothing can be fitted: that is the reason given, and nothing is reported."""
    one = idiograph.verify(case_of(texts, primary="logistic")).comparisons[0]
    assert one.computed is None
    assert one.reported is None
    assert (one.refusal or "").startswith(
        "No likelihood ratio is reported because the primary method could not be fitted: Logistic regression was not"
    )
    assert not (one.refusal or "").endswith("..")


def test_excluded_authors_are_out(texts: Path) -> None:
    one = idiograph.verify(case_of(texts, exclude_authors=("author00",)), quick=True).comparisons[0]
    assert one.reference.authors == tuple(f"author{n:02}" for n in range(1, 6))
    with pytest.raises(InputError, match="no text left"):
        idiograph.verify(case_of(texts, exclude_authors=tuple(f"author{n:02}" for n in range(6))), quick=True)


def test_a_folder_of_questioned_texts_is_one_q(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, n_texts=5)
    for number in (1, 2):
        write_text(tmp_path / "mails" / f"{number}.txt", sentences("lee", tokens=150, seed=20 + number))
    one = idiograph.verify(case_of(tmp_path, questioned={"Q1": tmp_path / "mails"})).comparisons[0]
    assert one.q.texts == ("questioned/Q1/1.txt", "questioned/Q1/2.txt")
    assert sum(row.lambda_g for row in one.explanation.tokens) == pytest.approx(one.lambda_g, abs=1e-9)
    assert [row.text_id for row in one.explanation.sentences] == sorted(
        row.text_id for row in one.explanation.sentences
    )
    assert one.validation is not None
    assert one.validation.q_texts == 2
    assert one.validation.missing[:1] != (
        "Q and K were made of as many texts as it took, not of 2 and 2 as in the case.",
    )


def test_the_reference_is_read_as_the_case_says(texts: Path, tmp_path: Path) -> None:
    for path in sorted((texts / "reference").glob("*/*.txt")):
        write_text(tmp_path / "flat" / f"{path.parent.name}_{path.name}", ())
        (tmp_path / "flat" / f"{path.parent.name}_{path.name}").write_bytes(path.read_bytes())
    with pytest.raises(InputError, match="texts without an author"):
        idiograph.verify(case_of(texts, reference=tmp_path / "flat"), quick=True)
    case = case_of(texts, reference=tmp_path / "flat", reading=ReadingOptions(pattern="author_text.txt"))
    one = idiograph.verify(case, quick=True).comparisons[0]
    assert one.reference.authors == tuple(f"author{n:02}" for n in range(6))
    assert one.k.authors == ("lee",)
    rows = [f"{path.name},{path.name.split('_')[0].upper()},letter" for path in (tmp_path / "flat").iterdir()]
    rows += ["q.txt,,letter", "1.txt,,letter", "2.txt,,mail"]
    (tmp_path / "table.csv").write_text("file,author,register\n" + "\n".join(rows) + "\n", encoding="utf-8")
    case = case_of(texts, reference=tmp_path / "flat", reading=ReadingOptions(metadata=tmp_path / "table.csv"))
    done = idiograph.verify(case, quick=True)
    one = done.comparisons[0]
    assert one.reference.authors == tuple(f"AUTHOR{n:02}" for n in range(6))
    assert "registers-differ" in {found.code for found in one.audit}
    assert "table.csv" in {file.name for file in done.provenance.inputs if file.role == "metadata"}


def test_every_text_has_a_digest_after_each_step(verified: Verification) -> None:
    assert len(verified.texts) == 1 + 2 + 18
    assert all(len(text.masked_sha256) == 64 and text.content_sha256 is None for text in verified.texts)


def test_several_questioned_texts_and_candidates_are_compared_in_pairs(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    write_text(tmp_path / "q2.txt", sentences("li", tokens=300, seed=9))
    for number in (1, 2):
        write_text(tmp_path / "li" / f"{number}.txt", sentences("li", tokens=300, seed=number))
    case = case_of(
        tmp_path,
        questioned={"Q1": tmp_path / "q.txt", "Q2": tmp_path / "q2.txt"},
        known={"lee": tmp_path / "known", "li": tmp_path / "li"},
    )
    done = idiograph.verify(case, quick=True)
    found = {(one.label, one.candidate): one for one in done.comparisons}
    assert list(found) == [("Q1", "lee"), ("Q1", "li"), ("Q2", "lee"), ("Q2", "li")]
    assert found["Q1", "lee"].lambda_g > found["Q1", "li"].lambda_g
    assert found["Q2", "li"].lambda_g > found["Q2", "lee"].lambda_g
    # A pair on its own gives the same digits: the other pairs' texts are on the same index and in no model.
    alone = idiograph.verify(case_of(tmp_path), quick=True).comparisons[0]
    assert alone.lambda_g == found["Q1", "lee"].lambda_g
    from idiograph.casework.result import as_result

    result = as_result(done)
    assert result["n_comparisons"] == len(result["comparisons"]) == 4
