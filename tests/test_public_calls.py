"""Every public call answers a newcomer's mistakes with a sentence, or simply works; the list is `idiograph.__all__`."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import idiograph
from idiograph import (
    COMPARATORS,
    LLR,
    Calibrator,
    Case,
    Corpus,
    Filed,
    GrammarModel,
    Index,
    InputError,
    MaskedText,
    Prepared,
    Problem,
    ProblemSet,
    ReadingOptions,
    Score,
    Text,
    Verification,
)
from idiograph.casework.case import Expert
from idiograph.evidence.calibration import Separation
from idiograph.provenance import Provenance
from idiograph.texts.reading.problem_sets import TextProblem
from idiograph.texts.reading.report import ReadingReport
from made_index import toy_index
from made_study import folder_with_study
from made_texts import authors, case_of, write_case
from made_texts import masked as made_text
from mistakes import unanswered

Right = dict[str, Callable[[], Any]]

TEXTS = (Text("1", "Some words of Ann.\n", "Ann"), Text("2", "Other words of Bob.\n", "Bob"))
SENTENCES = [["the", "N"], ["it", "V", "."]]
REFERENCE = [["a", "N"], ["it", "V"], ["N"], ["the", "V"]]


def masked(name: str, author: str | None = None) -> MaskedText:
    return MaskedText(name, author, (("the", "N", "."), ("it", "V", ".")), "by hand")


@cache
def index() -> Index:
    return toy_index(4)


def small(id_: str, author: str) -> MaskedText:
    return made_text(id_, author, tokens=40, seed=int(id_[-1]))


@cache
def score() -> Score:
    return idiograph.score(q=SENTENCES, k=SENTENCES, reference=REFERENCE, repetitions=2)


def values(**more: Any) -> Right:
    """LLRs of both classes, and what else a call takes."""
    right = {"same": [1.0, 2.0, -1.0, 3.0], "different": [-1.0, 0.5, -2.0], **more}
    return {name: lambda value=value: value for name, value in right.items()}


AUTHORS = {"same_authors": list("abcd"), "different_authors": [("a", "b"), ("b", "c"), ("c", "a")]}
LLR_OF = LLR.of(1.0, "bits", how="hapax")
CALIBRATOR = Calibrator(1.0, 0.0, 4, 3, Separation(2))
MODEL = GrammarModel(SENTENCES)


def verification(folder: Path) -> Verification:
    return Verification(
        case=case_of(folder),
        case_digest="ab",
        comparisons=(),
        provenance=Provenance("verify", {}, {}, ()),
        texts=(),
        quick=True,
        run=1,
        earlier=(),
    )


def fields(instance: Any) -> Right:
    """The values of a dataclass as the right arguments of its constructor."""
    return {name: partial(getattr, instance, name) for name in inspect.signature(type(instance)).parameters}


def settings_made(file: Path) -> Iterator[tuple[type, Any]]:
    """The settings of a study, each of its kind."""
    study = idiograph.read_study(file)
    for settings in (study, study.corpora[0], study.conditions[0][0], study.design, study.attack, study.seeds):
        if type(settings).__name__ in idiograph.__all__:
            yield type(settings), settings


def calls(folder: Path) -> dict[str, tuple[Callable[..., Any], Right]]:
    """Every call by name, with right arguments; `folder` has a case and a study."""
    problem = Problem(masked("q"), masked("k", "Ann"), Corpus((masked("r", "Bob"), masked("s", "Cid"))), "one")
    prepared = idiograph.prepare(TEXTS, "plain")
    problem_set = ProblemSet((TextProblem("one", TEXTS[:1], TEXTS[1], False),), ReadingReport("here", 2, {}, {}))
    of_index = Problem(index().text("ann-0"), index().text("bob-0"), index().by("cid", "dot"))
    matrix = np.random.default_rng(1).normal(size=(10, 10))
    comparators: Right = {"q": lambda: "This is a text.", "seed": int}
    case, study = case_of(folder, repetitions=2), folder / "study.toml"
    number = count()

    @cache
    def parts() -> list[Path]:
        """Two finished studies of different corpora."""
        other = folder / "other.toml"
        other.write_text(study.read_text(encoding="utf-8").replace('"toy"', '"other"'), encoding="utf-8")
        for file, out in ((study, folder / "part-1"), (other, folder / "part-2")):
            idiograph.study(file, out, workers=1)
        return [folder / "part-1", folder / "part-2"]

    settled = idiograph.file_case(case, folder / "filed", quick=True).folder
    idiograph.seal(settled)
    names = map("Expert {}".format, count(1))

    def corrected() -> idiograph.Case:
        """The case as it was filed, with an expert whom no report has named."""
        return replace(idiograph.read_case(settled / "case.toml"), expert=Expert(name=next(names)))

    return {
        "COMPARATORS": (
            lambda **right: [comparator.score(**right) for comparator in COMPARATORS.values()],
            comparators
            | {
                "k": lambda: ["A known text, long.", "Another one of them."],
                "reference": lambda: ["Some text by others.", "And more of it."],
            },
        ),
        "LLR": (LLR, fields(LLR_OF)),
        "LLR.of": (LLR.of, {"value": lambda: 1.0, "unit": lambda: "bits", "how": lambda: "hapax"}),
        "LLR.band": (LLR_OF.band, {"scale_key": lambda: "enfsi"}),
        "LLR.verbal": (LLR_OF.verbal, {"scale_key": lambda: "enfsi"}),
        "Calibrator": (Calibrator, fields(CALIBRATOR)),
        "Calibrator.fit": (Calibrator.fit, values(mode="exact", shrinkage=1.0)),
        "Calibrator.nats": (CALIBRATOR.nats, {"scores": lambda: [1.0]}),
        "Calibrator.__call__": (CALIBRATOR.__call__, {"score": score}),
        "Case": (Case, fields(case)),
        "Corpus": (Corpus, {"texts": lambda: TEXTS}),
        "Corpus.by": (lambda name: Corpus(TEXTS).by(name), {"name": lambda: "Ann"}),
        "Corpus.excluding": (lambda name: Corpus(TEXTS).excluding(name), {"name": lambda: "Ann"}),
        "Corpus.shared_with": (Corpus(TEXTS).shared_with, {"other": lambda: Corpus(TEXTS)}),
        "Corpus.sorted": (Corpus(TEXTS).sorted, {}),
        "Corpus.to_arrow": (Corpus(TEXTS).to_arrow, {}),
        "Corpus.to_pandas": (Corpus(TEXTS).to_pandas, {}),
        "Corpus.where": (Corpus(TEXTS).where, {}),
        "Corpus.text": (Corpus(TEXTS).text, {"id_": lambda: "1"}),
        "Filed": (Filed, {"folder": lambda: folder, "verification": lambda: verification(folder)}),
        "GrammarModel": (GrammarModel, fields(MODEL)),
        "GrammarModel.fit": (GrammarModel.fit, fields(MODEL)),
        "GrammarModel.log10_probs": (MODEL.log10_probs, {"sentence": lambda: ["the", "N"]}),
        "GrammarModel.prob": (MODEL.prob, {"token": lambda: "N", "after": lambda: ["the"], "marks": lambda: 1}),
        "Index": (Index, {"source": lambda: SENTENCES, "order": lambda: 3}),
        "Index.all": (index().all, {}),
        "Index.by": (lambda name: index().by(name), {"name": lambda: "ann"}),
        "Index.excluding": (lambda name: index().excluding(name), {"name": lambda: "ann"}),
        "Index.open": (Index.open, {"path": lambda: folder / "an.index"}),
        "Index.save": (index().save, {"path": lambda: folder / "an.index"}),
        "Index.take": (index().take, {"sentence_numbers": lambda: [1, 0]}),
        "Index.text": (index().text, {"id_": lambda: "ann-0"}),
        "Index.texts": (lambda name: index().texts(name), {"name": lambda: "ann-0"}),
        "Index.tokens_of": (index().tokens_of, {"sentence_number": lambda: 1}),
        "Index.workspace": (index().workspace, {}),
        "MaskedText": (MaskedText, fields(masked("1", "Ann"))),
        "MaskedText.shared_with": (masked("1").shared_with, {"other": lambda: masked("1")}),
        "Prepared": (Prepared, fields(prepared)),
        "Prepared.restored": (prepared.restored, {}),
        "Problem": (Problem, fields(problem)),
        "ProblemSet": (ProblemSet, fields(problem_set)),
        "ReadingOptions": (ReadingOptions, fields(ReadingOptions())),
        "Score": (Score, fields(score())),
        "Score.to_arrow": (score().to_arrow, {}),
        "Score.to_pandas": (score().to_pandas, {}),
        "heat_map": (
            idiograph.heat_map,
            {"score": score, **{name: lambda: None for name in ("text", "original", "ax")}},
        ),
        "token_table": (idiograph.token_table, {"score": score, "most": lambda: 2, "ax": lambda: None}),
        **{name: (getattr(idiograph, name), values(case=0.5, ax=None)) for name in ("tippett", "pav")},
        "ece": (idiograph.ece, values(ax=None)),
        "violins": (
            idiograph.violins,
            {"scores": lambda: {"toy": ([1.0, 2.0], [0.5, 1.0])}, "cap": lambda: 150.0, "ax": lambda: None},
        ),
        "length_heatmap": (
            idiograph.length_heatmap,
            {
                "q_lengths": lambda: [100],
                "k_lengths": lambda: [500],
                "panels": lambda: {"hapax": [[0.5]]},
                "values": lambda: True,
                "ax": lambda: None,
            },
        ),
        "listening": (idiograph.listening, {"listener": lambda: print}),
        "show_progress": (idiograph.show_progress, {"shown": lambda: True}),
        "Condition.as_json": (idiograph.Condition(drawing="whole").as_json, {}),
        "Condition.like": (idiograph.Condition.like, {"q_tokens": lambda: 100, "k_tokens": lambda: 500}),
        "CorpusSettings.as_json": (idiograph.read_study(study).corpora[0].as_json, {"folder": lambda: folder}),
        "Design.as_json": (idiograph.Design().as_json, {}),
        "Study.corpus": (idiograph.read_study(study).corpus, {"name": lambda: "toy"}),
        "Study.design_of": (idiograph.read_study(study).design_of, {"name": lambda: "toy"}),
        "Study.run_seeds": (idiograph.read_study(study).run_seeds, {"run": lambda: 1}),
        "Study.scored": (idiograph.read_study(study).scored, {}),
        "read_study": (idiograph.read_study, {"path": lambda: study}),
        **{kind.__name__: (kind, fields(settings)) for kind, settings in settings_made(study)},
        "Text": (Text, fields(TEXTS[0])),
        "Verification": (Verification, fields(verification(folder))),
        **{name: (getattr(idiograph, name), values()) for name in ("auc", "cllr", "dev_pav", "worst_share")},
        **{name: (getattr(idiograph, name), values()) for name in ("decisions", "pan_metrics")},
        **{name: (getattr(idiograph, name), values(laplace=True)) for name in ("cllr_min", "cllr_cal", "eer")},
        "elub": (idiograph.elub, values(**AUTHORS)),
        "file_case": (
            idiograph.file_case,
            {
                "case": lambda: case,
                "out": lambda: settled,
                "quick": lambda: True,
                "force": lambda: True,
                "workers": lambda: 1,
            },
        ),
        **{
            name: (getattr(idiograph, name), {"score": score, "unit": lambda: "bits"})
            for name in ("hapax", "square_root")
        },
        "intervals": (
            idiograph.intervals,
            values(**AUTHORS, metrics=["cllr", "eer"], resamples=5, seed=1, level=0.9),
        ),
        "mask": (
            idiograph.mask,
            {
                "source": lambda: "Some words.",
                "method": lambda: "posnoise",
                "model": lambda: None,
                "word_list": lambda: None,
                "normalise_quotes": lambda: True,
                "workers": lambda: 1,
                "cache": lambda: False,
            },
        ),
        "misleading": (idiograph.misleading, values(**AUTHORS, above=(1, 10))),
        "ngram_cosine": (
            idiograph.ngram_cosine,
            {"q": lambda: SENTENCES, "k": lambda: REFERENCE, "cohort": lambda: [SENTENCES, REFERENCE]},
        ),
        "normalise": (
            idiograph.normalise,
            {
                "matrices": lambda: [matrix, matrix],
                "reference": lambda: range(9),
                "trials": lambda: [(9, 9)],
                "k_tokens": lambda: 1_000.0,
                "constants": lambda: None,
                "tau": lambda: 0.01,
            },
        ),
        "normalised": (
            idiograph.normalised,
            {
                "q": lambda: small("lee1", "lee"),
                "k": lambda: small("lee2", "lee"),
                "reference": lambda: Corpus(tuple(small(f"{a}{n}", a) for a in authors(8) for n in (1, 2, 3))),
                "seed": lambda: 1,
                "candidate": lambda: "lee",
                "validate": lambda: False,
                "workers": lambda: 1,
                "repetitions": lambda: 1,
            },
        ),
        "posterior": (idiograph.posterior, {"llr": lambda: LLR_OF, "prior": lambda: 0.5}),
        "prepare": (idiograph.prepare, {"corpus": lambda: Corpus(TEXTS), "recipe": lambda: "plain"}),
        "read": (
            idiograph.read,
            {"path": lambda: folder / "q.txt", "options": lambda: None, "kind": lambda: "texts"}
            | {name: lambda: None for name in ("pattern", "metadata", "delimiter", "encoding", "author")},
        ),
        "plan_case": (
            idiograph.plan_case,
            {"request": lambda: idiograph.PlanRequest(known="300", reference="12"), "workers": lambda: 1},
        ),
        "PlanRequest": (
            idiograph.PlanRequest,
            {
                **{side: lambda: "300" for side in ("questioned", "known", "reference")},
                "register": lambda: "chat",
                "primary": lambda: "hapax",
                "masking": lambda: "masked",
                "recipe": lambda: None,
                "exclude_authors": lambda: (),
                "seed": lambda: 1,
                "reading": idiograph.ReadingOptions,
            },
        ),
        "read_case": (idiograph.read_case, {"path": lambda: settled / "case.toml"}),
        "read_idiolect": (idiograph.read_idiolect, {"path": lambda: folder / "idiolect.csv"}),
        "replay": (
            idiograph.replay,
            {"manifest": lambda: settled / "manifest.json", "inputs": lambda: None, "workers": lambda: 1},
        ),
        "amend": (idiograph.amend, {"folder": lambda: settled, "case": corrected}),
        "seal": (idiograph.seal, {"folder": lambda: settled, "key": lambda: None, "force": lambda: True}),
        "check_seal": (idiograph.check_seal, {"folder": lambda: settled, "key": lambda: None, "inputs": lambda: None}),
        "score": (
            idiograph.score,
            {
                "q": lambda: SENTENCES,
                "k": lambda: SENTENCES,
                "reference": lambda: REFERENCE,
                "order": lambda: 3,
                "repetitions": lambda: 2,
                "discount": lambda: 0.75,
                "seed": lambda: 1,
            },
        ),
        "score_many": (
            idiograph.score_many,
            {
                "index": index,
                "problems": lambda: [of_index],
                "seeds": lambda: [1],
                "order": lambda: 3,
                "repetitions": lambda: 2,
                "discount": lambda: 0.75,
                "workers": lambda: 1,
            },
        ),
        "join_studies": (
            idiograph.join_studies,
            {"results": lambda: parts(), "out": lambda: folder / f"joined-{next(number)}"},
        ),
        "sentence": (idiograph.sentence, {"score": score}),
        "study": (
            idiograph.study,
            {"study": lambda: study, "out": lambda: folder / "out", "workers": lambda: 1, "cluster": lambda: None},
        ),
        "typing_score": (
            idiograph.typing_score,
            {"q": lambda: ["A text."], "k": lambda: ["Another"], "cohort": lambda: [["One"], ["Two", "three"]]},
        ),
        "verify": (idiograph.verify, {"case": lambda: case, "quick": lambda: True, "workers": lambda: 1}),
        "write_reports": (
            idiograph.write_reports,
            {"verification": lambda: verification(folder), "folder": lambda: folder / "report"},
        ),
    }


def public_calls() -> Iterator[str]:
    """Whatever of `idiograph.__all__` can be called: functions, constructors and their public methods."""
    for name in idiograph.__all__:
        public_object = getattr(idiograph, name)
        if inspect.isclass(public_object) and issubclass(public_object, Exception):
            continue
        yield name
        for method, what in inspect.getmembers(public_object) if inspect.isclass(public_object) else ():
            if callable(what) and not method.startswith("_"):
                yield f"{name}.{method}"


@pytest.fixture(scope="module")
def every_call(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Callable[..., Any], Right]]:
    folder = write_case(tmp_path_factory.mktemp("calls"), n_authors=5, n_texts=2, tokens=60)
    folder_with_study(folder, repetitions=2)
    index().save(folder / "an.index")
    (folder / "idiolect.csv").write_text("K,Q,target,score\na,b,TRUE,1.5\n")
    return calls(folder)


@pytest.mark.parametrize("name", [*public_calls(), "Calibrator.__call__"])
@pytest.mark.usefixtures("fake_tagger")
def test_every_mistake_is_answered_with_a_sentence(
    name: str,
    every_call: dict[str, tuple[Callable[..., Any], Right]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("idiograph.output.filing.write_reports", lambda *_: ())  # slow, and tried by itself
    call, right = every_call[name]
    call(**{name: value() for name, value in right.items()})
    assert unanswered(call, right) == []


def test_every_public_class_is_built_in_the_test_above() -> None:
    assert len(list(public_calls())) > 70


def test_sets_are_refused_where_order_matters() -> None:
    for call in (
        lambda: idiograph.cllr(same={1.0, 2.0}, different=[0.5]),
        lambda: idiograph.elub(
            **{name: value() for name, value in values(**AUTHORS).items()} | {"same_authors": {"a"}}
        ),
        lambda: idiograph.score(q={("a", "b")}, k=SENTENCES, reference=REFERENCE),
        lambda: idiograph.ngram_cosine({("a", "b")}, SENTENCES, cohort=[REFERENCE]),
        lambda: idiograph.misleading(same=[1.0], different=[0.5], above={1, 10}),
        lambda: index().take({1, 2}),
    ):
        with pytest.raises(InputError, match=r"not by a value of type set|(a|type) set"):
            call()


def test_the_common_shapes_simply_work(tmp_path: Path) -> None:
    plain = idiograph.cllr(same=[1, 2.5], different=(0.5, -1))
    assert plain == idiograph.cllr(same=np.array([1, 2.5]), different=np.array([0.5, -1], np.float32))
    scored = idiograph.score(q=SENTENCES, k=SENTENCES, reference=REFERENCE, repetitions=np.int64(2), seed=np.int64(3))
    assert (
        scored.lambda_g
        == idiograph.score(q=SENTENCES, k=SENTENCES, reference=REFERENCE, repetitions=2, seed=3).lambda_g
    )
    for path in (tmp_path / "an.index", str(tmp_path / "an.index")):
        index().save(path)
        assert Index.open(path).digest == index().digest
    assert idiograph.posterior(np.float64(1.0), 0.5).probability == idiograph.posterior(1, 0.5).probability


def test_a_mistake_is_told_with_what_is_wanted_and_what_came() -> None:
    for call, sentence in (
        (lambda: idiograph.posterior("much", 0.5), "llr must be a LLR or a number, not 'much'."),
        (lambda: idiograph.hapax(3.5), "A score is needed, and this is a float. Give what idiograph.score returns."),
        (lambda: idiograph.ngram_cosine("q", [["k"]], cohort=[]), "q must be a list of lists of strings, not 'q'."),
        (lambda: idiograph.verify(3), "case must be a Case or a path or a string, not 3."),
        (lambda: idiograph.verify("case.toml", quick="yes"), "quick must be True or False, not 'yes'."),
        (lambda: LLR("1", "hapax", 1.0, "bits"), "nats of a LLR must be a number, not '1'."),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == sentence
