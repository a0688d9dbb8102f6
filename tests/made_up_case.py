"""A Verification made up by hand, so that reports can be tested without scoring anything."""

import math
import re
from dataclasses import replace
from itertools import groupby

import numpy as np

from idiograph import LLR, Case, Score, Verification
from idiograph.casework.verification import (
    Alternative,
    Anchor,
    Anchors,
    Comparison,
    EarlierRun,
    Explanation,
    Finding,
    Line,
    Sensitivity,
    SentenceRow,
    SideSummary,
    StrongNgram,
    TextDigest,
    TokenRow,
    Validation,
    ValidationTrials,
    Wording,
)
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.performance import Misleading, Performance
from idiograph.grammar.settings import LambdaGSettings
from idiograph.provenance import InputFile, Provenance

PROSE = (
    "I have been asked to say when the boats went out. As far as I can tell, they went out before the rain.\n"
    "Nobody saw them leave, and I would not swear to it. It was, after all, a very long night!\n\n"
    "If you want my view, the harbour master should have kept a list. He didn't; so here we are."
)
HOSTILE = "<script>alert(1)</script> =cmd() #typst[x] \\LaTeX{} $x^2$ *bold* _em_ @ref \u202eevil\u202c \x00\x07 &amp;"


def explanation(content: str = PROSE, *, text_id: str = "q.txt", seed: int = 7) -> Explanation:
    """Rows for every word and sentence end of `content`, with numbers drawn at random."""
    rng = np.random.default_rng(seed)
    tokens: list[TokenRow] = []
    sentences: list[SentenceRow] = []
    for number, match in enumerate(re.finditer(r"[^.!?\n]+[.!?]?", content), start=1):
        words = list(re.finditer(r"\w+|[^\w\s]", match.group()))
        rows = [
            TokenRow(
                text_id=text_id,
                sentence=number,
                position=position,
                original=word.group(),
                masked=word.group().lower() if len(word.group()) < 5 else "N",
                lambda_g=float(rng.normal(0.05, 0.5)),
                context=int(rng.integers(-1, 5)),
                start=match.start() + word.start(),
                end=match.start() + word.end(),
                is_end=False,
            )
            for position, word in enumerate(words, start=1)
        ]
        rows.append(
            TokenRow(text_id, number, len(rows) + 1, "", "", float(rng.normal(0, 0.3)), 1, None, None, is_end=True)
        )
        tokens += rows
        sentences.append(
            SentenceRow(
                text_id,
                number,
                match.group().strip(),
                " ".join(row.masked for row in rows[:-1]),
                len(words),
                math.fsum(row.lambda_g for row in rows),
            )
        )
    line = Line("k", "k1.txt", "Lee", "and then", "as far as", "N V")
    ngrams = (StrongNgram(("as", "far", "as"), 1.25, 1, 4, 3, (replace(line, role="q"), line)),)
    return Explanation(tuple(tokens), tuple(sentences), ngrams, {text_id: content})


def validation_trials(
    q_authors: list[str],
    k_authors: list[str],
    same_author: np.ndarray,
    lambda_g: np.ndarray,
    nats: dict[str, np.ndarray],
    *,
    n_tokens: int = 100,
    k_tokens: int = 300,
) -> ValidationTrials:
    """Trials of Qs and Ks of one length each."""
    n = len(q_authors)
    return ValidationTrials(
        problem_ids=np.array([f"p{i}" for i in range(n)], object),
        q_authors=np.array(q_authors, object),
        k_authors=np.array(k_authors, object),
        same_author=same_author,
        lambda_g=lambda_g,
        n_tokens=np.full(n, n_tokens),
        n_hapaxes=np.full(n, n_tokens // 2),
        n_sentences=np.full(n, n_tokens // 10),
        k_tokens=np.full(n, k_tokens),
        sentence_norms=np.full(n, 3.0),
        nats=nats,
    )


def validation() -> Validation:
    """Forty same-author and 120 different-author trials."""
    rng = np.random.default_rng(3)
    same_author = np.array([True] * 40 + [False] * 120)
    nats = np.where(same_author, rng.normal(2.5, 1.6, 160), rng.normal(-2.8, 1.7, 160))
    misleading = tuple(
        Misleading(same, lr, count, 40 if same else 120, 40, count / 40, None if count else 0.075,
                   f"{count} of 40 trials" if count else "none of 40 authors; 95 % upper limit: about 3 in 40", count)
        for lr, count in ((1.0, 2), (10.0, 1), (100.0, 0))
        for same in (True, False)
    )  # fmt: skip
    whole = Estimate(0.41, 0.29, 0.55)
    performance = Performance(
        n_authors=40, n_same=40, n_different=120, resamples=1_000, cllr=whole, cllr_min=Estimate(0.33, 0.2, 0.45),
        cllr_cal=Estimate(0.08, 0.02, 0.2), eer=Estimate(0.09, 0.04, 0.16), auc=Estimate(0.96, 0.92, 0.99),
        dev_pav=Estimate(None), same_right=Estimate(0.95, 0.8, 1.0), different_right=Estimate(0.96, 0.9, 0.99),
        shift=Estimate(-0.2, -0.9, 0.5), slope=Estimate(1.1, 0.8, 1.5), worst_share=0.07, misleading=misleading,
    )  # fmt: skip
    trials = validation_trials(
        [f"a{i % 40}" for i in range(160)],
        [f"a{i // 4 if i >= 40 else i}" for i in range(160)],
        same_author,
        nats * 4,
        {"hapax": nats, "square_root": nats * 0.9},
        n_tokens=60,
        k_tokens=900,
    )
    return Validation(
        how=("Each has one questioned text and three known texts.", "Authors are left out of their own reference."),
        q_tokens=60,
        k_tokens=900,
        q_texts=1,
        k_texts=3,
        authors=tuple(f"a{i}" for i in range(40)),
        n_same=40,
        n_different=120,
        trials=trials,
        performance={"hapax": performance},
        bounds=Bounds(-math.log(18), math.log(15), 40),
        red_flags=(
            Finding("validated-within-one-text", "red", "Q and K of some problems come from one work.", "Add works."),
        ),
        missing=("12 authors have only one text; a second text of each would add 12 problems.",),
        refusal=None,
    )


def comparison(label: str = "Q1", candidate: str = "Lee", *, nats: float = math.log(430.0)) -> Comparison:
    """An LR of 430 that the bound brings down to 15."""
    told = explanation()
    lambda_g = math.fsum(row.lambda_g for row in told.tokens)
    by_sentence = [list(rows) for _, rows in groupby(told.tokens, key=lambda row: row.sentence)]
    computed = LLR.of(nats / math.log(2), "bits", how="hapax")
    reported = LLR.of(math.log(15) / math.log(2), "bits", how="hapax")
    rng = np.random.default_rng(5)
    anchors = tuple(Anchor(f"author {i}", 900, float(x), float(x / 4)) for i, x in enumerate(rng.normal(-8, 6, 40)))
    return Comparison(
        label=label,
        candidate=candidate,
        q=SideSummary(("q.txt",), (), 66, 7),
        k=SideSummary(("k1.txt", "k2.txt", "k3.txt"), (candidate,), 900, 70),
        reference=SideSummary(tuple(f"r{i}.txt" for i in range(80)), tuple(f"a{i}" for i in range(40)), 90_000, 6_000),
        score=Score(
            evidence=tuple(np.array([row.lambda_g for row in rows]) for rows in by_sentence),
            counted=tuple(np.ones(len(rows), bool) for rows in by_sentence),
            reference_totals=tuple(float(x) for x in rng.normal(-124, 1, 30)),
            known_total=-120.25,
            n_tokens=66,
            n_hapaxes=40,
            settings=LambdaGSettings(seed=1),
        ),
        llrs={"hapax": computed, "square_root": LLR.of(6.0, "bits", how="square_root")},
        primary="hapax",
        normalised=None,
        reported=reported,
        refusal=None,
        outside=("K is shorter than in every validation problem.",),
        as_strong=Misleading(False, 15.0, 1, 120, 40, 1 / 120, None, "1 of 120 trials, with 2 of 40 authors", 2),
        audit=(
            Finding("short-q", "red", "Q has 66 tokens; 200 are needed for good results.", "Add text.", ("q.txt",)),
            Finding("dominant-known-text", "amber", "One known text is 61 % of K.", "Add other texts.", ("k1.txt",)),
            Finding("encodings-differ", "note", "Typographic quotes were made plain.", "Nothing to do."),
        ),
        validation=validation(),
        anchors=Anchors(
            anchors, anchors[:38], tuple(Anchor(f"k{i}.txt", 300, 4.0 * i, 2.0 * i - 3) for i in range(3)),
            ("One sample was drawn from each author.",), 0, 2, ("k0.txt", "k1.txt"),
        ),
        sensitivity=Sensitivity(
            (
                Alternative("correction", "hapax", lambda_g, nats),
                Alternative("correction", "square_root", lambda_g, 6.0 * math.log(2)),
                Alternative("known_text", "k1.txt", lambda_g - 1, 5.0),
                Alternative("seed", "2", lambda_g + 0.1, 6.1),
                Alternative("seed", "3", lambda_g - 0.1, 5.9),
                Alternative("order", "8", lambda_g, 6.0),
            ),
            1.02, 0.19, 0.14, "The corrections differ by a factor of 6.4.",
        ),
        explanation=told,
        wording=Wording(
            hp=f"The questioned text {label} was written by {candidate}.",
            hd=f"The questioned text {label} was written by some other person from adult writers of letters.",
            before=("In the validation the values lean towards Hp: where it gives 1, it should be 1/3.2.",),
            conclusion=f"The findings are about 15 times more likely if {candidate} wrote {label} than if another "
            "person from the stated population wrote it.",
            value="15",
            range="The calculated LR of about 400 ranges from 90 to 2,000.",
            also=f"Somebody who imitates {candidate} would give the same picture.",
            bound="The calculation gives 430. The validation material (40 authors) cannot support more than about 15. "
            "15 is reported.",
            verbal="moderate support for Hp",
            scale="ENFSI 2015",
            box=f"This is not the probability that {candidate} wrote the text.",
            limits=(
                "Not considered: joint text.", "The reference must fit.", "Validated on 40 authors.",
                "If the propositions change, the value must be computed anew.", "The corrections have no proof.",
                "The letters are copies.", "Masking removed what the texts are about.",
            ),
        ),
    )  # fmt: skip


def verification(*comparisons: Comparison, quick: bool = False, title: str = "R v Example") -> Verification:
    """A case with these comparisons and one earlier run."""
    every = comparisons or (comparison(),)
    return Verification(
        case=Case(
            questioned={compared.label: "q.txt" for compared in every},
            known={compared.candidate: "known" for compared in every},
            reference="reference",
            population="adult writers of letters",
            hp="The questioned text [Q] was written by [candidate].",
            hd="The questioned text [Q] was written by some other person from [population].",
            scale="enfsi",
            title=title,
        ),
        case_digest="ab" * 32,
        comparisons=every,
        provenance=Provenance(
            signature="verify|primary:hapax|seed:1|v:0.1.0",
            settings={"order": 10, "repetitions": 30, "exclude_authors": [], "masking": "posnoise"},
            versions={"idiograph": "0.1.0", "python": "3.11"},
            inputs=(
                InputFile("questioned/Q1", "q.txt", 312, "0123456789abcdef" * 4),
                InputFile("known/Lee", "k1.txt", 4_100, "fedcba9876543210" * 4),
                InputFile("reference", "a0/r0.txt", 5_000, "00" * 32),
                InputFile("reference", "a0/r1.txt", 6_000, "11" * 32),
                InputFile("reference", "a1/r2.txt", 7_000, "22" * 32),
            ),
        ),
        texts=tuple(
            TextDigest(f"reference/{name}", name[:2], "33" * 32, "44" * 32, 900)
            for name in ("a0/r0.txt", "a0/r1.txt", "a1/r2.txt")
        ),
        quick=quick,
        run=2,
        earlier=(EarlierRun(1, "2026-11-14T10:00:00Z", "refused", "cd" * 32, False, "too few authors"),),
    )


def refused(candidate: str = "Lee") -> Comparison:
    """A comparison that ends without a likelihood ratio."""
    compared = comparison(candidate=candidate)
    sentence = "No likelihood ratio is reported because validation gives a Cllr of 1.2."
    return replace(
        compared,
        reported=None,
        refusal=sentence,
        wording=replace(
            compared.wording, conclusion=sentence, value=None, range=None, also=None, bound=None, verbal=None
        ),
    )
