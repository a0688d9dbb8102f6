"""A small made-up Verification for tests of what is done with one: nothing in it was computed."""

import math
from pathlib import Path

import numpy as np

from idiograph.casework.verification import (
    Alternative,
    Anchor,
    Anchors,
    Bounds,
    Case,
    Comparison,
    Estimate,
    Explanation,
    Finding,
    Line,
    Misleading,
    Performance,
    Run,
    Sensitivity,
    SentenceRow,
    Side,
    StrongNgram,
    TokenRow,
    Trials,
    Validation,
    Verification,
    Wording,
)
from idiograph.evidence.llr import LLR
from idiograph.provenance import InputFile, Provenance

HOSTILE = "<script>alert(1)</script> =cmd()"  # must come out inert wherever it is shown

SENTENCES = (("it", "is", "N", "that", HOSTILE), ("we", "V", "it", "."))
EVIDENCE = ((0.25, -0.125, 0.0, 0.5, 1.0, 0.0625), (-0.5, 0.75, 0.125, 0.0, -0.0625))
LAMBDA_G = 2.0  # the sum of the above, exactly


def verification(*, refused: bool = False, quick: bool = False, candidate: str = "Lee") -> Verification:
    """A case with one comparison; `refused` and `quick` give the two other endings."""
    return Verification(
        case=Case(
            questioned={"Q1": Path("q.txt")},
            known={candidate: Path("known")},
            reference=Path("reference"),
            population="adult writers of English e-mail",
            digest="ab" * 32,
        ),
        comparisons=(comparison(refused=refused, quick=quick, candidate=candidate),),
        provenance=Provenance(
            signature="lambdag|order:10|r:3|D:0.75|v:0",
            settings={"order": 10, "repetitions": 3, "discount": 0.75, "seed": 1},
            versions={"idiograph": "0", "python": "3.11.0"},
            inputs=(
                InputFile(role="questioned", name="q.txt", size=12, sha256="0" * 64),
                InputFile(role="known", name=f"known/{HOSTILE}.txt", size=34, sha256="1" * 64),
            ),
        ),
        quick=quick,
        run=2,
        earlier=(Run(1, "2026-11-15T10:00:00Z", "failed", "ab" * 32, quick=False, remark="The disk was full."),),
    )


def comparison(*, refused: bool, quick: bool, candidate: str) -> Comparison:
    llrs = {
        "hapax": LLR(nats=math.log(4300), how="hapax", value=math.log2(4300), unit="bits"),
        "square_root": LLR(nats=math.log(300), how="square_root", value=math.log2(300), unit="bits"),
        "sentence": LLR(nats=math.log(20), how="sentence", value=math.log(20), unit="nats"),
        "logistic": LLR(nats=math.log(0.4), how="logistic", value=math.log(0.4), unit="nats"),
    }
    because = "validation under the case's conditions gave a Cllr of 1.20, which is no better than saying nothing"
    conclusion = (
        f"No likelihood ratio is reported because {because}."
        if refused
        else f"The findings are about 15 times more likely if {candidate} wrote Q1 "
        "than if another person from the stated population wrote it."
    )
    return Comparison(
        label="Q1",
        candidate=candidate,
        q=Side(texts=("q.txt",), authors=(), n_tokens=9, n_sentences=2, n_hapaxes=7),
        k=Side(texts=("known/a.txt", "known/b.txt"), authors=(candidate,), n_tokens=900, n_sentences=50, n_hapaxes=120),
        reference=Side(
            texts=tuple(f"r{i}" for i in range(28)),
            authors=tuple(f"author {i:02}" for i in range(14)),
            n_tokens=30_000,
            n_sentences=1_500,
            n_hapaxes=900,
        ),
        lambda_g=LAMBDA_G,
        known_total=-8.0,
        reference_totals=(-9.5, -10.0, -10.5),
        signature="lambdag|order:10|r:3|D:0.75|mask:masked|seed:1|v:0",
        llrs=llrs,
        primary="hapax",
        reported=None if refused else LLR(nats=math.log(15), how="hapax", value=math.log2(15), unit="bits"),
        refusal=conclusion if refused else None,
        outside=("Q has 9 tokens; the validation problems had 40 to 60.",),
        as_strong=None if quick else misleading(same_author=False, lr=15.0, count=0),
        audit=(
            Finding("short-q", "red", "Q has 9 tokens.", "Add questioned text, if there is any.", ("q.txt",)),
            Finding("repeated-feature", "amber", f"Q repeats “{HOSTILE}” 40 times.", "Read these lines.", ("q.txt",)),
            Finding("few-authors", "note", "The reference has 14 authors.", "Add authors.", ("reference",)),
        ),
        validation=None if quick else validation(because if refused else None),
        anchors=Anchors(
            trace=tuple(Anchor(f"author {i:02}", 900, -2.0 + i / 10, (-2.0 + i / 10) / 2) for i in range(14)),
            source=tuple(Anchor(f"author {i:02}", 9, -1.0 + i / 4, (-1.0 + i / 4) / 2) for i in range(14)),
            known=(Anchor("known/a.txt", 450, 3.0, 2.5), Anchor("known/b.txt", 450, -1.0, -0.5)),
            how=("Q against 900 tokens of every reference author.", "9 tokens of every reference author against K."),
            trace_as_high=0,
            source_as_high=2,
            known_low=("known/b.txt",),
        ),
        sensitivity=Sensitivity(
            alternatives=(
                *(Alternative("correction", method, LAMBDA_G, llr.nats) for method, llr in llrs.items()),
                Alternative("known_text", "known/a.txt", 1.5, 6.0),
                Alternative("known_text", "known/b.txt", 2.5, 9.0),
                *(Alternative("seed", str(seed), LAMBDA_G + seed / 100, 8.3) for seed in range(2, 7)),
                Alternative("order", "5", 1.8, 7.9),
                Alternative("repetitions", "100", 2.1, 8.5),
            ),
            spread=0.5,
            standard_error=0.29,
            seed_spread=0.02,
            sentence="The corrections give between 0.4 and 4,300.",
        ),
        explanation=explanation(candidate),
        wording=Wording(
            hp=f"The questioned text Q1 was written by {candidate}.",
            hd="The questioned text Q1 was written by some other person from adult writers of English e-mail.",
            conclusion=conclusion,
            bound=None
            if refused
            else "The calculation gives 4,300. The validation material (14 authors) cannot support more than about 15. "
            "15 is reported.",
            verbal=None if refused else "moderate support for Hp",
            scale="ENFSI 2015",
            box=f"This is not the probability that {candidate} wrote the text.",
            limits=("Not considered: joint, dictated, edited or ghost-written text.", "English only."),
        ),
    )


def misleading(*, same_author: bool, lr: float, count: int) -> Misleading:
    sentence = f"{count} of 14" + ("; 95 % upper limit about 3/14" if count == 0 else "")
    return Misleading(same_author, lr, count, 14, 14, count / 14, min(1.0, (count + 3) / 14), sentence)


def validation(refusal: str | None) -> Validation:
    rng = np.random.default_rng(0)
    authors = tuple(f"author {i:02}" for i in range(14))
    pairs = [(a, a) for a in authors] + [(a, b) for a in authors for b in authors if a != b][:100]
    same = np.array([a == b for a, b in pairs])
    lambda_g = np.where(same, 3.0, -3.0) + rng.normal(0, 2, len(pairs))
    nats = {"hapax": lambda_g * 0.5, "square_root": lambda_g * 0.7, "sentence": lambda_g * 0.4}
    performance = {
        method: Performance(
            method=method,
            cllr=Estimate(0.42, 0.30, 0.61),
            cllr_min=Estimate(0.35, 0.20, 0.50),
            cllr_cal=Estimate(0.07, 0.02, 0.20),
            eer=Estimate(0.08, 0.03, 0.15),
            auc=Estimate(0.96, 0.91, 0.99),
            dev_pav=Estimate(0.31, None, None),
            worst_share=0.11,
            same_on_right_side=13 / 14,
            different_on_right_side=0.94,
            shift=Estimate(0.1, -0.3, 0.5),
            slope=Estimate(1.2, 0.7, 2.0),
            misleading=tuple(
                misleading(same_author=same_author, lr=lr, count=int(lr == 1.0))
                for same_author in (True, False)
                for lr in (1.0, 10.0, 100.0)
            ),
        )
        for method in nats
    }
    return Validation(
        how=("Each problem took one text for Q and two for K.", "Q was cut to 9 tokens, K to 900."),
        q_tokens=9,
        k_tokens=900,
        q_texts=1,
        k_texts=2,
        authors=authors,
        n_same=int(same.sum()),
        n_different=int((~same).sum()),
        trials=Trials(
            problem_ids=tuple(f"case/validation/{k}/{q}" for q, k in pairs),
            q_authors=tuple(q for q, _ in pairs),
            k_authors=tuple(k for _, k in pairs),
            same_author=same,
            lambda_g=lambda_g,
            n_tokens=np.full(len(pairs), 50),
            n_hapaxes=np.full(len(pairs), 20),
            n_sentences=np.full(len(pairs), 4),
            k_tokens=np.full(len(pairs), 900),
            nats=nats,
        ),
        performance=performance,
        bounds=Bounds("hapax", lower=-math.log(12), upper=math.log(15), n_authors=14, how="ELUB, counted in authors"),
        red_flags=(Finding("one-text", "red", "Two authors have one text only.", "Add texts of theirs.", ("r1",)),),
        missing=("20 authors with two texts each would narrow the intervals.",),
        refusal=refusal,
    )


def explanation(candidate: str) -> Explanation:
    original = " ".join(SENTENCES[0]) + "\n" + " ".join(SENTENCES[1])
    tokens, sentences, at = [], [], 0
    for number, (words, parts) in enumerate(zip(SENTENCES, EVIDENCE, strict=True), start=1):
        for position, (word, part) in enumerate(zip(words, parts, strict=False), start=1):
            tokens.append(
                TokenRow("q.txt", number, position, word, word, part, position - 1, at, at + len(word), is_end=False)
            )
            at += len(word) + 1
        tokens.append(TokenRow("q.txt", number, len(words) + 1, "", "", parts[-1], 1, None, None, is_end=True))
        joined = " ".join(words)
        sentences.append(SentenceRow("q.txt", number, joined, joined, len(words), sum(parts)))
    return Explanation(
        tokens=tuple(tokens),
        sentences=tuple(sentences),
        ngrams=(
            StrongNgram(
                tokens=("N", "that"),
                lambda_g=0.5,
                n_q=1,
                n_k=3,
                n_reference=2,
                lines=(
                    Line("q", "q.txt", None, "it is", "N that", HOSTILE),
                    Line("k", "known/a.txt", candidate, "the", "N that", "is"),
                    Line("reference", "r1", "author 01", "a", "N that", "we V"),
                ),
            ),
        ),
        originals={"q.txt": original},
    )
