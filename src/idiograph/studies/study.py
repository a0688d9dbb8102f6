"""A study from its file to its trials and how well each method did, in a folder that can be left and taken up again."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from idiograph.arguments import check, checks_arguments
from idiograph.checks import n_workers, parsed_json
from idiograph.errors import InputError, StudyError, cannot_write
from idiograph.files import as_path, scratch_folder, write_whole
from idiograph.provenance import digest, other_versions, signature, versions
from idiograph.studies.chunks import Outlook, map_here, outlook, run_chunks
from idiograph.studies.corpora import StudyCorpus, find_source, open_corpus
from idiograph.studies.methods import Fits, add_llrs, load_own
from idiograph.studies.performance import MethodPerformance, MethodTrials, method_trials, performances
from idiograph.studies.settings import Study, read_study, study_toml
from idiograph.studies.summary import Summary, summarise
from idiograph.studies.trials import TrialTable, read_trials, write_trials

SCHEMA = 1
_MANIFEST = "manifest.json"
_TRIALS = "trials.parquet"
_PARTS = "parts"
_FILE = "study.toml"


@dataclass(frozen=True)
class StudyResult:
    """The trials of a study with their LLRs, how well each method did, what was refused and who was left out."""

    study: Study
    trials: TrialTable
    judged: tuple[MethodTrials, ...]  # the case trials by corpus, condition and method
    performance: tuple[MethodPerformance, ...]  # of each of them
    summary: Summary
    fits: tuple[Fits, ...]
    refused: Mapping[tuple[str, str], str]  # (corpus, condition) -> why
    left_out: Mapping[tuple[str, str], Mapping[str, int]]  # (corpus, condition) -> why -> authors
    masking: Mapping[str, str]  # corpus -> signature of its masking
    signature: str


@checks_arguments
def run_study(
    study: Study | Path | str, out: Path | str | None = None, *, workers: int | None = None, cluster: str | None = None
) -> StudyResult:
    """Runs a study (its settings or its file), or what is left of it, into `out`; a folder of anything else is refused.

    A study's file is put into `out` before anything is scored. Without `out` nothing is kept but the result that
    comes back, and an interrupted study starts again.
    """
    if out is None:
        with scratch_folder() as folder:
            return run_study(study, folder, workers=workers, cluster=cluster)
    out, workers = as_path(out, "The folder of the results"), None if workers is None else n_workers(workers)
    file = None if isinstance(study, Study) else as_path(study, "The study file")
    if not isinstance(study, Study):
        study = read_study(study)
    for entry in study.own:
        code, _, name = entry.partition(":")
        load_own(study.folder, code, name)
    sources = {corpus.name: find_source(study, corpus) for corpus in study.corpora}
    manifest = {
        "schema": SCHEMA,
        "kind": "study",
        "scored": study.scored(),
        "digest": study.digest,
        "inputs": {name: [asdict(file) for file in source.inputs] for name, source in sources.items()},
        "versions": versions(),
    }
    state = _refuse_foreign(out, manifest)
    corpora = {name: open_corpus(study, source, workers=workers or 1) for name, source in sources.items()}
    ahead = outlook(study, corpora)
    manifest |= {
        "signature": study_signature(study, corpora),
        "indexes": {name: corpus.material.index.digest for name, corpus in corpora.items()},
        "refused": [[*key, why] for key, why in ahead.refused.items()],
    }
    trials = _finished_trials(out, state)
    if trials is None:
        refuse_small_disk(out, study, ahead)
        _write_manifest(out, manifest)
    write_whole(out / _FILE, study_toml(study) if file is None else file.read_bytes())
    if trials is None:
        trials = _scored(study, out, corpora, ahead, workers=workers, cluster=cluster)
    trials, fits = add_llrs(study, trials)
    manifest["trials"] = write_trials(trials, out / _TRIALS)
    _write_manifest(out, manifest)
    shutil.rmtree(out / _PARTS, ignore_errors=True)
    judged = tuple(method_trials(trials))
    return StudyResult(
        study=study,
        trials=trials,
        judged=judged,
        performance=performances(judged, resamples=study.resamples),
        summary=summarise(trials, baseline=study.baseline, units=study.compared_units),
        fits=fits,
        refused=ahead.refused,
        left_out=_left_out(ahead),
        masking={name: corpus.material.index.masking or "" for name, corpus in corpora.items()},
        signature=str(manifest["signature"]),
    )


def study_signature(study: Study, corpora: Mapping[str, StudyCorpus]) -> str:
    """The line that tells two studies apart."""
    maskings = sorted({corpus.material.index.masking or "none" for corpus in corpora.values()})
    seeds = study.seeds
    return signature(
        "study", name=study.name, study=study.digest[:12], order=study.order, r=study.repetitions, D=study.discount,
        mask="+".join(maskings), unit=study.unit, seeds=f"{seeds.split},{seeds.texts},{seeds.reference}",
        runs=study.runs,
    )  # fmt: skip


def _scored(
    study: Study,
    out: Path,
    corpora: Mapping[str, StudyCorpus],
    ahead: Outlook,
    *,
    workers: int | None,
    cluster: str | None,
) -> TrialTable:
    if cluster is None:
        return run_chunks(ahead.chunks, map_here(study, corpora, workers=workers), out / _PARTS, ahead.n_problems)
    from idiograph.studies.cluster import map_on

    with map_on(cluster, study, corpora) as mapped:
        return run_chunks(ahead.chunks, mapped, out / _PARTS, ahead.n_problems)


def _left_out(ahead: Outlook) -> dict[tuple[str, str], dict[str, int]]:
    counted: dict[tuple[str, str], dict[str, int]] = {}
    for plan in ahead.plans:
        reasons = list(plan.left_out.values()) + ["no other author differs in the field"] * len(plan.unpaired)
        if reasons:
            counted[plan.corpus, plan.condition.name] = {why: reasons.count(why) for why in sorted(set(reasons))}
    return counted


def refuse_small_disk(out: Path, study: Study, ahead: Outlook) -> None:
    """An error where the trials, twice over while they are joined, would not fit on the disk."""
    each = 400 + 8 * study.repetitions
    for plan in ahead.plans if study.evidence != "none" else ():
        tokens = sum(int(plan.material.index.sentence_lengths[side.q].sum()) for side in plan.sides.values())
        each = max(each, 400 + 8 * study.repetitions + 10 * tokens // max(len(plan.sides), 1))
    needed = 2 * each * ahead.n_problems
    place = next(folder for folder in (out, *out.resolve().parents) if folder.exists())
    free = shutil.disk_usage(place).free
    if free < needed:
        raise StudyError(
            f"The disk of {out} has {free / 1e6:,.0f} MB free, and the study needs about {needed / 1e6:,.0f} MB. "
            "Free some space or name a folder on another disk."
        )


def _refuse_foreign(out: Path, manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest of an earlier run of the same study in `out`; None where the folder is new or empty."""
    if out.is_file():
        raise StudyError(f"{out} is a file. Name a folder for the results.")
    if not out.is_dir() or not any(out.iterdir()):
        return None
    path = out / _MANIFEST
    if not path.is_file():
        raise StudyError(
            f"{out} is not empty and holds no study (there is no {_MANIFEST}). Name another folder for the results."
        )
    try:
        found = parsed_json(path.read_bytes())
        check(found, Mapping[str, Any], "the manifest")
        known = {"schema", "kind", "scored", "digest", "inputs", "versions"} <= found.keys()
        for name in ("scored", "inputs", "versions") if known else ():
            check(found[name], Mapping[str, Any], name)
    except (OSError, ValueError, InputError) as error:
        raise StudyError(
            f"{path} is damaged ({error}), so the study cannot be taken up. Name another folder."
        ) from error
    if not known or found["kind"] != "study" or found["schema"] != SCHEMA:
        raise StudyError(f"{path} is not the manifest of a study that this version reads. Name another folder.")
    if found["digest"] != manifest["digest"]:
        names = sorted(key for key in manifest["scored"] if found["scored"].get(key) != manifest["scored"][key])
        raise StudyError(
            f"{out} holds another study: {', '.join(names) or 'its settings'} differ. Name another folder, or run the "
            "study file that is in it."
        )
    for name, files in manifest["inputs"].items():
        if found["inputs"].get(name) != files:
            raise StudyError(
                f"The files of the corpus {name} have changed since {out} was begun, and trials of two corpora cannot "
                "be mixed. Restore them or name another folder."
            )
    if other := other_versions(found["versions"]):
        was = ", ".join(f"{name} {filed}" for name, (filed, _) in other.items())
        raise StudyError(
            f"{out} was begun with other versions ({was}), which may give other digits. Name another folder, or "
            "install those versions."
        )
    return dict(found)


def _finished_trials(out: Path, state: Mapping[str, Any] | None) -> TrialTable | None:
    """The trials of a study that had come to its end; None where scoring is still to be done."""
    if state is None or "trials" not in state:
        return None
    path = out / _TRIALS
    if not path.is_file() or digest(path.read_bytes()) != state["trials"]:
        raise StudyError(
            f"{path} is damaged or gone: it is not what {_MANIFEST} says. Restore it, or delete the folder and run the "
            "study again."
        )
    return read_trials(path)


def _write_manifest(out: Path, manifest: Mapping[str, Any]) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error) from error
    text = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    write_whole(out / _MANIFEST, text + "\n")
