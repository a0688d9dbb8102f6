"""The rest of the published validation's first part: the parts of the method, other methods, attacks."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from docs.validation.learning import NormedTrials
from docs.validation.stored import learnt, load
from docs.validation.worth import CASE, RANDOM, REGISTERS, Costs, costs, over_corpora

from idiograph import auc, cllr
from idiograph.arithmetic import LN10, FloatArray, mean
from idiograph.evidence.constants import Weights, fit_pulled
from idiograph.evidence.methods import METHODS, short_name
from idiograph.output.study_tables import StudyTable, Value, markdown
from idiograph.studies.attack import NOTHING
from idiograph.studies.trial_table import TrialTable


def other_methods() -> Iterator[str]:
    """The field's other methods, calibrated on other authors' trials."""
    others = costs("others")
    nats_of, same, folds = others.trials.llr, others.trials.same, others.trials.column("fold")
    rows = []
    for method in others.methods:
        cllrs, nats = others.cllrs(method), nats_of(method)
        cells = list(others.cells().values())
        rows.append(
            (
                short_name(method),
                METHODS[method].source,
                over_corpora(cllrs, RANDOM),
                over_corpora(cllrs, CASE),
                over_corpora(cllrs),
                mean([within_fits(nats[cell], same[cell], folds[cell]) for cell in cells]),
                mean([auc(same=nats[cell[same[cell]]], different=nats[cell[~same[cell]]]) for cell in cells]),
            )
        )
    rows.sort(key=lambda row: row[4])
    header = ("method", "source", "random", "as a case", "all", "AUC within fits", "AUC, fits pooled")
    yield (
        f"{len(others.cells())} conditions (Q/K 300/1,000 and 1,000/3,000), one draw. Comparators read the masked "
        "texts, see the reference authors' Ks as their reference, and are scores until logistic regression on the "
        "judged trials of the other folds makes them likelihood ratios. Fusion joins the reference-normalised LR and "
        "all of them."
    )
    yield (
        "Every fold has a fit of its own. A fit of one score keeps its order, several fits thrown together do not, "
        "which lowers the AUC of calibrated methods and hardly that of the corrections. AUC within fits compares only "
        "trials of one fold: it is what the score itself can do."
    )
    yield markdown(
        StudyTable(
            "",
            "Mean Cllr, corpora weighing the same, from the lowest; and AUC, the mean over conditions.",
            header,
            ("", "", ".3f", ".3f", ".3f", ".3f", ".3f"),
            tuple(rows),
        )
    ).strip()


def within_fits(nats: FloatArray, same: npt.NDArray[np.bool_], folds: npt.NDArray[np.int32]) -> float:
    """AUC over the pairs of a same-author and a different-author trial that one fit judged."""
    parts = []
    for fold in np.unique(folds):
        true, other = nats[(folds == fold) & same], nats[(folds == fold) & ~same]
        if len(true) and len(other):
            parts.append((len(true) * len(other), auc(same=true, different=other)))
    return sum(n * value for n, value in parts) / sum(n for n, _ in parts)


def attack_tables() -> tuple[StudyTable, StudyTable, int, float]:
    """Shares of attacked problems above LR 1 and 10; Cllr under attack; the problems; the worst share of `guarded`."""
    trials = load("attack")
    kinds, halves = trials.column("attack"), trials.column("half")
    order = [NOTHING, *(kind for kind in dict.fromkeys(kinds) if kind not in (None, NOTHING))]
    rows: list[tuple[Value, ...]] = []
    worst = 0.0
    n = 0
    for method in trials.methods:
        nats = trials.llr(method)
        row: list[Value] = [short_name(method)]
        for kind in order:
            attacked = (halves == "attacked") & (kinds == kind) & ~trials.same
            n = int(attacked.sum())
            if np.isnan(nats[attacked]).any():
                row.append("–")
                continue
            above = [100 * float((nats[attacked] > limit).mean()) for limit in (0.0, LN10)]
            row.append(f"{above[0]:.0f} / {above[1]:.1f}")
            if method == "guarded":
                worst = max(worst, above[1])
        rows.append(tuple(row))
    header = ("method", *order)
    shares = StudyTable(
        "", "Per cent of attacked problems with an LR above 1 / above 10.", header, ("",) * len(header), tuple(rows)
    )
    return shares, _cost_of_attacks(trials, order), n, worst


def attacked() -> Iterator[str]:
    """What inserted phrases do."""
    trials = load("attack")
    kinds, caught = trials.column("attack"), trials.column("caught")
    corpora = list(dict.fromkeys(trials.column("corpus")))
    shares, costs, n, worst = attack_tables()
    yield (
        f"{n} different-author problems of {len(corpora)} corpora ({', '.join(map(REGISTERS.__getitem__, corpora))}), "
        "Q 500 and K 2,000 tokens, drawn as a case is made. Into each Q the trigrams most typical of K were put: how "
        "many of these problems, in per cent, then had an LR above 1 / above 10."
    )
    audited = [
        f"{kind}: {100 * float(np.mean([bool(flag) for flag in caught[(kinds == kind) & ~trials.same]])):.0f} %"
        for kind in shares.header[1:]
    ]
    yield markdown(shares).strip()
    yield markdown(costs).strip()
    yield (
        f"By `guarded` at most {worst:.1f} % of attacked problems reach an LR of 10 (goal: 2 %). An imitator who knows "
        "the rule and repeats five phrases twice each is not stopped by it."
    )
    yield f"The audit of a case flags repeated phrases in: {'; '.join(audited)}."


def _cost_of_attacks(trials: TrialTable, order: list[str]) -> StudyTable:
    """Cllr under each kind of attack: attacked different-author problems, and the same-author ones of the study."""
    kinds, halves, corpora = (trials.column(name) for name in ("attack", "half", "corpus"))
    rows: list[tuple[Value, ...]] = []
    for method in trials.methods:
        nats = trials.llr(method)
        row: list[Value] = [short_name(method)]
        for kind in order:
            by_corpus = []
            for corpus in dict.fromkeys(corpora):
                same = nats[(corpora == corpus) & (halves == "case") & trials.same]
                different = nats[(corpora == corpus) & (halves == "attacked") & (kinds == kind) & ~trials.same]
                if np.isnan(different).any():
                    break
                by_corpus.append(cllr(same=same, different=different))
            row.append(mean(by_corpus) if len(by_corpus) == len(set(corpora)) else None)
        rows.append(tuple(row))
    header = ("method", *order)
    formats = ("", *(".2f",) * len(order))
    return StudyTable("", "Mean Cllr under attack, corpora weighing the same.", header, formats, tuple(rows))


def tried() -> Iterator[str]:
    """What parts of the method are worth, as far as the stored trials tell."""
    trials = load("matrix")
    normed = np.stack([trials.column(f"normed_{name}").astype(np.float64) for name in ("distinct", "cosine")], axis=1)
    corpora, tokens = trials.column("corpus"), trials.column("k_tokens")
    alone, plain = np.empty(len(trials)), np.empty(len(trials))
    for corpus in dict.fromkeys(corpora):
        of_corpus = corpora == corpus
        line = learnt(trials, "matrix", without=corpus)
        for k_tokens in np.unique(tokens[of_corpus]).tolist():
            places = of_corpus & (tokens == k_tokens)
            alone[places] = line.at(k_tokens).nats(normed[places])
        others = NormedTrials.of(trials, ("distinct", "cosine"), without=corpus)
        same = others.same
        flat = fit_pulled(
            same=others.normed[same],
            different=others.normed[~same],
            towards=Weights(0.0, (0.0, 0.0)),
            tau=1e-6,
            same_weights=others.weights[same],
            different_weights=others.weights[~same],
        )
        plain[of_corpus] = flat.nats(normed[of_corpus])
    rows = [
        ("as it is", over_corpora(costs("matrix").cllrs("normalised"))),
        ("by the constants alone", over_corpora(Costs(trials.with_llrs({"x": alone})).cllrs("x"))),
        ("by constants alone that ignore K's length", over_corpora(Costs(trials.with_llrs({"x": plain})).cllrs("x"))),
    ]
    yield "\n".join(
        ["| the reference-normalised LR | mean Cllr |", "|---|---:|", *(f"| {a} | {b:.3f} |" for a, b in rows)]
    )
    typed = costs("typing").cllrs("normalised")
    first = Costs(trials.where(trials.column("run") == 0)).cllrs("normalised")
    shared = [cell for cell in typed if cell in first]
    yield (
        f"With the typing score as a third, on {len(shared)} conditions with originals at hand and one draw: "
        f"{over_corpora({cell: typed[cell] for cell in shared}):.3f} instead of "
        f"{over_corpora({cell: first[cell] for cell in shared}):.3f}. A corpus writes its own traces into that score, "
        "so this says little about a case."
    )
