"""A filed run as its page tells it, from its own record: the value first, how it was validated, its figures in order.

Also what of the case has changed since. Nothing is computed anew; sentences are the report's wherever it has one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

from idiograph.casework.case import PRINTED_ONLY, SIDES, Case, case_from
from idiograph.casework.case_folder import CASE, MANIFEST, latest_report
from idiograph.casework.findings import before_the_number, by_name
from idiograph.casework.replay import is_there, read_manifest
from idiograph.casework.sentences import (
    between_candidates,
    cllr_figure,
    cllr_in_words,
    log10_ratio,
    ratio,
    reaches_one,
    signed,
)
from idiograph.casework.verification import Claim
from idiograph.errors import IdiographError, counted, some
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.methods import METHODS
from idiograph.files import refuse_links
from idiograph.output.report_text import SEVERITY
from idiograph.pages import words
from idiograph.pages.cases import name_of
from idiograph.pages.drafts import Draft
from idiograph.pages.previews import files_of, roles_of
from idiograph.provenance import digest_or_none
from idiograph.settings import settings_of
from idiograph.texts.reading.decoding import LARGEST_FILE

Plain = Mapping[str, Any]
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.DOTALL)
_OF_COMPARISON = re.compile(r"comparison([0-9]{1,4})_(.*)")


def told(comparison: Plain) -> dict[str, Any]:
    """What a page says of a comparison; of one without a value nothing that could be taken for one."""
    result: dict[str, Any] = {
        "name": name_of(comparison),
        "refused": comparison["reported"] is None,
        "grave": _before_the_value(comparison),
        "validated": validated(comparison),
        "cllr": _cllr(comparison),
        "method": METHODS[comparison["primary"]].name_and_source
        if comparison["primary"] in METHODS
        else comparison["primary"],
    }
    if comparison["reported"] is None:
        return result
    moves = comparison.get("range")
    calculated = comparison["llr"].get(comparison["primary"])
    return result | {
        "lr": comparison.get("value") or ratio(comparison["reported"]["nats"]),
        "log10": log10_ratio(comparison["reported"]["nats"]),
        "calculated": ratio(calculated["nats"]) if calculated else "",
        "range": f"{ratio(moves['low'])} to {ratio(moves['high'])}" if moves else "",
        "range_said": moves["sentence"] if moves else "",
        "lambda_g": signed(comparison["lambda_g"]),
    }


def _before_the_value(comparison: Plain) -> list[tuple[str, str]]:
    """The cautions and what the validation shows, in the order of page one, each with what it is."""
    named = {"label": comparison["label"], "candidate": comparison["candidate"]}
    findings = [(entry["code"], entry["severity"], by_name(entry["message"], **named)) for entry in comparison["audit"]]
    said = validated(comparison)
    shown = [sentence for sentence in comparison.get("before") or () if sentence not in said]
    return [
        (SEVERITY[severity] if severity else words.OF_VALIDATION, sentence)
        for severity, sentence in before_the_number(findings, shown)
    ]


def validated(comparison: Plain) -> str:
    """How the method of a comparison was validated, and what that showed."""
    validation = comparison.get("validation")
    if not validation:
        return words.NOT_VALIDATED
    claim = _claim(comparison)
    if claim is None:
        return words.NO_TRIALS
    sentence = words.VALIDATED.format(
        counted(validation["n_same"], "problem"),
        counted(validation["n_different"], "problem"),
        counted(len(validation["authors"]), "author"),
        f"{validation['q_tokens']:,}",
        f"{validation['k_tokens']:,}",
        cllr_in_words(claim, meaning="0 is perfect, 1 is no better than giving no evidence"),
    )
    return " ".join(filter(None, [sentence, reaches_one(claim)]))


def _claim(comparison: Plain) -> Claim | None:
    """The Cllr that was claimed; runs of before 0.4 have it among their figures alone."""
    if held := comparison.get("claimed"):
        return Claim(_estimate(held["cllr"]), _estimate(held["plain"]), held["controlled"], held.get("because"))
    figures = ((comparison.get("validation") or {}).get("performance") or {}).get(comparison["primary"])
    plain = _estimate(figures["cllr"]) if figures else None
    return None if plain is None or plain.value is None else Claim(plain, plain, controlled=False)


def _estimate(held: Plain) -> Estimate:
    return Estimate(held.get("value"), held.get("low"), held.get("high"), held.get("undefined") or 0)


def _cllr(comparison: Plain) -> str:
    claim = _claim(comparison) if comparison.get("validation") else None
    return "" if claim is None or claim.cllr.value is None else cllr_figure(claim.cllr.value)


def ratios(comparisons: Sequence[Plain], scale: str) -> list[str]:
    """How many times more likely the findings are under one candidate than under another, for every pair of one Q."""
    return [
        between_candidates(
            comparison["llr"][comparison["primary"]]["nats"],
            other["llr"][other["primary"]]["nats"],
            label=comparison["label"],
            candidate=comparison["candidate"],
            other=other["candidate"],
            scale_key=scale,
        )
        for comparison, other in combinations(comparisons, 2)
        if comparison["reported"] and other["reported"] and comparison["label"] == other["label"]
        if comparison["primary"] == other["primary"]
        and all(each["primary"] in each["llr"] for each in (comparison, other))
    ]


def why_cllr_differs(comparisons: Sequence[Plain]) -> str:
    """Why one reference gives several Cllrs, where it does."""
    if len({_cllr(comparison) for comparison in comparisons} - {""}) < 2:
        return ""
    reasons = [
        words.VALIDATED_AT.format(
            name_of(comparison),
            _cllr(comparison) + (" over all problems" if (claim := _claim(comparison)) and claim.because else ""),
            counted(len(comparison["validation"]["authors"]), "author"),
            f"{comparison['validation']['q_tokens']:,}",
            f"{comparison['validation']['k_tokens']:,}",
        )
        for comparison in comparisons
        if _cllr(comparison)
    ]
    return words.CLLR_DIFFERS.format("; ".join(reasons))


def audits(comparisons: Sequence[Plain]) -> list[tuple[str, list[Plain]]]:
    """What the audit found, in its order; what all comparisons have in common stands once, before the others."""
    every = [comparison["audit"] for comparison in comparisons]
    shared = [entry for entry in every[0] if all(entry in audit for audit in every)] if len(every) > 1 else []
    particular = [
        (
            name_of(comparison),
            [entry for entry in comparison["audit"] if entry not in shared],
        )
        for comparison in comparisons
    ]
    return [*([(words.EVERY_COMPARISON, shared)] if shared else []), *particular]


def figures(run: Path, names: Sequence[str]) -> list[tuple[str, list[dict[str, str]]]]:
    """The figures of a run by comparison, in the order in which they are best read, each with its title and caption."""
    order = list(words.FIGURES)
    listed = []
    for name in names:
        of = _OF_COMPARISON.fullmatch(Path(name).stem)
        number, kind = (int(of[1]), of[2]) if of else (0, Path(name).stem)
        kind_number = order.index(kind) if kind in order else len(order)
        title, caption = words.FIGURES.get(kind, (kind.replace("_", " ").capitalize(), ""))
        figure = {"file": name, "kind": kind, "title": title, "caption": caption, "alt": _title(run / name)}
        listed.append((number, kind_number, figure))
    listed.sort(key=lambda entry: (entry[0], entry[1], entry[2]["file"]))
    return [
        (str(number), [entry for *_, entry in group]) for number, group in groupby(listed, key=lambda entry: entry[0])
    ]


def _title(figure: Path) -> str:
    """The words for those who cannot see a figure, which say what is drawn."""
    try:
        with figure.open("rb") as file:
            match = _TITLE.search(file.read(20_000))
    except OSError:
        match = None
    return unescape(match.group(1).decode("utf-8", "replace")).strip() if match else figure.stem


@dataclass(frozen=True)
class Changes:
    """What of a case is no longer as a run read it, a sentence each."""

    said: tuple[str, ...] = ()  # its settings and its texts, which take a new run
    printed: tuple[str, ...] = ()  # its particulars, with which the report can be rendered again


def changes_since(draft: Draft, number: int) -> Changes:
    """What of the case has changed since a run and the latest report of it."""
    run = latest_report(draft.folder, number)
    try:
        refuse_links(run, (CASE, MANIFEST))
        then, entries = case_from(run / CASE, folder=draft.folder), read_manifest(run / MANIFEST)["inputs"]
    except IdiographError:
        return Changes()  # a damaged run is said to be so elsewhere
    changes: list[str] = []
    printed: tuple[str, ...] = ()
    if isinstance(draft.settings, Case):
        other = [
            setting
            for setting in settings_of(Case)
            if getattr(draft.settings, setting.name) != getattr(then, setting.name)
        ]
        tables = [words.TABLES[setting.key] for setting in other if setting.name in PRINTED_ONLY]
        chosen = [
            words.TABLES.get(setting.key, words.label(setting.key))
            for setting in other
            if setting.name not in (*PRINTED_ONLY, *SIDES)
        ]
        chosen += [words.NAMES for side in SIDES[:2] if [*getattr(draft.settings, side)] != [*getattr(then, side)]][:1]
        changes += [words.SETTINGS_CHANGED.format(some(chosen))] if chosen else []
        printed = (words.PARTICULARS_CHANGED.format(some(tables)),) if tables else ()
    else:
        changes.append(words.INCOMPLETE_NOW)
    try:
        return Changes((*changes, *_texts_changed(draft, entries)), printed)
    except (IdiographError, OSError) as error:
        return Changes((*changes, str(error)), printed)


def _texts_changed(draft: Draft, entries: Sequence[Plain]) -> list[str]:
    """Which texts were added, removed or changed; those that lie elsewhere are only looked for by their name."""
    then = {str(draft.folder / entry["path"]): entry["sha256"] for entry in entries}
    there = {str(file.path): file.path for role in roles_of(draft) if role.held for file in files_of(role.path)}
    gone = sorted(path for path in then if not is_there(Path(path)))
    added = sorted(there.keys() - then.keys())
    changed = sorted(path for path in then.keys() & there.keys() if _digest(there[path]) != then[path])
    return [
        sentence.format(counted(len(paths), "text"), some([Path(path).name for path in paths]))
        for paths, sentence in (
            (added, words.TEXTS_ADDED),
            (gone, words.TEXTS_REMOVED),
            (changed, words.TEXTS_OTHER),
        )
        if paths
    ]


def _digest(path: Path) -> str | None:
    status = path.stat()
    return _known_digest(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=50_000)
def _known_digest(path: Path, size: int, time: int) -> str | None:
    """The digest of a file that may be a text, as long as neither its size nor its time changes."""
    return digest_or_none(path, most=LARGEST_FILE)
