"""A filed run as its page tells it, from its own record: the value first, how it was validated, its figures in order.

Also what of the case has changed since. Nothing is computed anew; sentences are the report's wherever it has one.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import unescape
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

from idiograph.casework.case import PRINTED_ONLY, SIDES, Case, case_from
from idiograph.casework.case_folder import CASE, MANIFEST, run_folder
from idiograph.casework.replay import is_there, read_manifest
from idiograph.casework.sentences import between_candidates, cllr_in_words, log10_ratio, ratio, reaches_one, signed
from idiograph.casework.verification import Claim
from idiograph.errors import IdiographError, counted, some
from idiograph.evidence.intervals import Estimate
from idiograph.evidence.methods import METHODS
from idiograph.pages import words
from idiograph.pages.cases import files_of, roles_of
from idiograph.pages.drafts import Draft
from idiograph.provenance import digest_or_none
from idiograph.settings import settings_of
from idiograph.texts.reading.decoding import LARGEST_FILE

Plain = Mapping[str, Any]
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.DOTALL)
_OF_COMPARISON = re.compile(r"comparison([0-9]{1,4})_(.*)")


def told(one: Plain) -> dict[str, Any]:
    """What a page says of a comparison; of one without a value nothing that could be taken for one."""
    said: dict[str, Any] = {
        "name": f"{one['label']} and {one['candidate']}",
        "refused": one["reported"] is None,
        "red": [found["message"] for found in one["audit"] if found["severity"] == "red"],
        "validated": validated(one),
        "cllr": _cllr(one),
        "method": METHODS[one["primary"]].name_and_source if one["primary"] in METHODS else one["primary"],
    }
    if one["reported"] is None:
        return said
    moves = one.get("range")
    calculated = one["llr"].get(one["primary"])
    return said | {
        "lr": one.get("value") or ratio(one["reported"]["nats"]),
        "log10": log10_ratio(one["reported"]["nats"]),
        "calculated": ratio(calculated["nats"]) if calculated else "",
        "range": f"{ratio(moves['low'])} to {ratio(moves['high'])}" if moves else "",
        "range_said": moves["sentence"] if moves else "",
        "lambda_g": signed(one["lambda_g"]),
    }


def validated(one: Plain) -> str:
    """How the method of a comparison was validated, and what that showed."""
    made = one.get("validation")
    if not made:
        return words.NOT_VALIDATED
    claim = _claim(one)
    if claim is None:
        return words.NO_TRIALS
    sentence = words.VALIDATED.format(
        counted(made["n_same"], "problem"),
        counted(made["n_different"], "problem"),
        counted(len(made["authors"]), "author"),
        f"{made['q_tokens']:,}",
        f"{made['k_tokens']:,}",
        cllr_in_words(claim, meaning="0 is perfect, 1 is what saying nothing costs"),
    )
    return " ".join(filter(None, [sentence, reaches_one(claim)]))


def _claim(one: Plain) -> Claim | None:
    """The Cllr that was claimed; runs of before 0.4 have it among their figures alone."""
    if held := one.get("claimed"):
        return Claim(_estimate(held["cllr"]), _estimate(held["plain"]), held["controlled"], held.get("because"))
    figures = ((one.get("validation") or {}).get("performance") or {}).get(one["primary"])
    plain = _estimate(figures["cllr"]) if figures else None
    return None if plain is None or plain.value is None else Claim(plain, plain, controlled=False)


def _estimate(held: Plain) -> Estimate:
    return Estimate(held.get("value"), held.get("low"), held.get("high"), held.get("undefined") or 0)


def _cllr(one: Plain) -> str:
    claim = _claim(one) if one.get("validation") else None
    return "" if claim is None or claim.cllr.value is None else f"{claim.cllr.value:.2f}"


def ratios(comparisons: Sequence[Plain], scale: str) -> list[str]:
    """How many times more likely the findings are under one candidate than under another, for every pair of one Q."""
    return [
        between_candidates(
            one["llr"][one["primary"]]["nats"],
            other["llr"][other["primary"]]["nats"],
            label=one["label"],
            candidate=one["candidate"],
            other=other["candidate"],
            scale_key=scale,
        )
        for one, other in combinations(comparisons, 2)
        if one["reported"] and other["reported"] and one["label"] == other["label"]
        if one["primary"] == other["primary"] and all(each["primary"] in each["llr"] for each in (one, other))
    ]


def why_cllr_differs(comparisons: Sequence[Plain]) -> str:
    """Why one reference gives several Cllrs, where it does."""
    if len({_cllr(one) for one in comparisons} - {""}) < 2:
        return ""
    made = [
        words.VALIDATED_AT.format(
            f"{one['label']} and {one['candidate']}",
            _cllr(one),
            counted(len(one["validation"]["authors"]), "author"),
            f"{one['validation']['q_tokens']:,}",
            f"{one['validation']['k_tokens']:,}",
        )
        for one in comparisons
        if _cllr(one)
    ]
    return words.CLLR_DIFFERS.format("; ".join(made))


def figures(run: Path, names: Sequence[str]) -> list[tuple[str, list[dict[str, str]]]]:
    """The figures of a run by comparison, in the order in which they are best read, each with its title and caption."""
    order = list(words.FIGURES)
    found = []
    for name in names:
        of = _OF_COMPARISON.fullmatch(Path(name).stem)
        number, kind = (int(of[1]), of[2]) if of else (0, Path(name).stem)
        place = order.index(kind) if kind in order else len(order)
        title = words.FIGURES.get(kind, kind.replace("_", " ").capitalize())
        found.append((number, place, {"file": name, "kind": kind, "title": title, "caption": _title(run / name)}))
    found.sort(key=lambda one: (one[0], one[1], one[2]["file"]))
    return [(str(number), [one for *_, one in group]) for number, group in groupby(found, key=lambda one: one[0])]


def _title(figure: Path) -> str:
    """The words for those who cannot see a figure, which say what is drawn."""
    try:
        with figure.open("rb") as file:
            found = _TITLE.search(file.read(20_000))
    except OSError:
        found = None
    return unescape(found.group(1).decode("utf-8", "replace")).strip() if found else figure.stem


def changes_since(draft: Draft, number: int) -> list[str]:
    """What of the case is no longer as a run read it, a sentence each: its settings, its particulars, its texts."""
    run = run_folder(draft.folder, number)
    try:
        then, entries = case_from(run / CASE, folder=draft.folder), read_manifest(run / MANIFEST)["inputs"]
    except IdiographError:
        return []  # a damaged run is said to be so elsewhere
    said = []
    if isinstance(draft.settings, Case):
        other = [one for one in settings_of(Case) if getattr(draft.settings, one.name) != getattr(then, one.name)]
        printed = [words.TABLES[one.key] for one in other if one.name in PRINTED_ONLY]
        chosen = [words.label(one.key) for one in other if one.name not in (*PRINTED_ONLY, *SIDES)]
        chosen += [words.NAMES for one in SIDES[:2] if [*getattr(draft.settings, one)] != [*getattr(then, one)]][:1]
        said += [words.SETTINGS_CHANGED.format(some(chosen))] if chosen else []
        said += [words.PARTICULARS_CHANGED.format(some(printed))] if printed else []
    else:
        said.append(words.INCOMPLETE_NOW)
    try:
        return [*said, *_texts_changed(draft, entries)]
    except (IdiographError, OSError) as error:
        return [*said, str(error)]


def _texts_changed(draft: Draft, entries: Sequence[Plain]) -> list[str]:
    """Which texts were added, removed or changed; those that lie elsewhere are only looked for by their name."""
    then = {str(draft.folder / entry["path"]): entry["sha256"] for entry in entries}
    there = {str(path): path for path in _files_of(draft)}
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


def _files_of(draft: Draft) -> list[Path]:
    """Every file that is a text of the case and lies where the pages keep them."""
    return [file.path for role in roles_of(draft) if role.own for file in files_of(role.path)]


def _digest(path: Path) -> str | None:
    status = path.stat()
    return _known_digest(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=50_000)
def _known_digest(path: Path, size: int, time: int) -> str | None:
    """The digest of a file that may be a text, as long as neither its size nor its time changes."""
    return digest_or_none(path, most=LARGEST_FILE)
