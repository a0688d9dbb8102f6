"""What a user writes, for `mypy --strict` alone: whatever the documentation shows must pass with the types it has."""

from pathlib import Path

import idiograph
from idiograph import Case, Condition, Corpus, CorpusSettings, Design, Index, MaskedText, Problem, Score, Study, Text
from idiograph.progress import Event


def own_masking(content: str) -> list[list[str]]:
    return [line.split() for line in content.splitlines()]


def heard(event: Event) -> None:
    print(event.line)


def of_texts(folder: Path) -> None:
    texts: Corpus[Text] = idiograph.read(folder, author_from="folder")
    first: Text = texts[0]
    several: Corpus[Text] = texts[:3] + texts.by("Ann") + texts.where(topic="war")
    strings: Corpus[Text] = idiograph.read(["A text.", "Another."], author="Ann")
    masked: Corpus[MaskedText] = idiograph.mask(several)
    single: MaskedText = idiograph.mask(first, method=own_masking)
    score: Score = idiograph.score(q=single, k=masked.by("Ann"), reference=masked.excluding("Ann"), seed=1)
    index = Index(masked)
    problem = Problem(q=index.text("a"), k=index.by("Ann"), reference=index.excluding("Ann"))
    scores: list[Score] = idiograph.score_many(index, [problem], seeds=[1], workers=2)
    llr = idiograph.hapax(score)
    numbers: list[float] = [float(llr), llr.nats, idiograph.cllr(same=[llr, 1.0], different=[-1.0])]
    figures = [idiograph.tippett(same=[llr], different=numbers), idiograph.heat_map(scores[0]).figure]
    print(strings, figures, score.to_pandas(), masked.to_arrow())


def of_a_case(q: Corpus[Text], k: Corpus[Text], reference: Corpus[Text]) -> None:
    with idiograph.listening(heard):
        normalised = idiograph.normalised(q=q, k=k, reference=reference, seed=1, validate=True)
    print(
        normalised.llr.lr,
        normalised.reported,
        normalised.refusal,
        normalised.range.sentence if normalised.range else "",
    )
    case = Case(
        questioned={"Q1": q, "Q2": "q2.txt"},
        known={"Lee": k, "Kim": ["A text of Kim's."]},
        reference=reference,
        population="adult native writers of English e-mail",
        exclude_authors=["Ann"],
    )
    print(idiograph.verify(case).comparisons[0].reported, idiograph.file_case(case, "case").folder)


def of_a_study() -> None:
    study = Study(
        name="letters",
        corpora=[CorpusSettings(name="letters", path="letters/")],
        conditions=[Condition(drawing="contiguous", q_tokens=500, k_tokens=2000)],
        design=Design(pairs="all"),
        methods=["normalised", "hapax"],
        baseline="hapax",
    )
    result = idiograph.study(study, "results")
    print(result.trials.to_pandas(), result.performance, len(result.trials))
