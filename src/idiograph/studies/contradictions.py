"""Settings of a study that cannot stand together, each refused with what to change."""

from pathlib import Path
from typing import TYPE_CHECKING

from idiograph.errors import StudyError, nearest
from idiograph.evidence.comparators.table import COMPARATORS
from idiograph.evidence.constants import NONE
from idiograph.evidence.methods import METHODS
from idiograph.settings.setting import shown

if TYPE_CHECKING:
    from idiograph.studies.settings import Study


def refuse_contradictions(study: "Study") -> None:
    """An error about settings that cannot stand together."""
    if not study.corpora:
        raise StudyError("There are no corpora. A study needs at least one, each under [[corpora]].")
    try:
        known = study.all_methods
    except StudyError as error:
        raise StudyError(f"outside must name a file of scores. {error}") from None
    names = [corpus.name for corpus in study.corpora]
    if len(set(names)) < len(names):
        raise StudyError("Two corpora have one name. Results name corpora, so rename one.")
    if len(set(known)) < len(known):
        raise StudyError(f"Two methods have one name ({', '.join(known)}). Results name methods, so rename your own.")
    if study.baseline not in known:
        raise StudyError(
            f"baseline must be one of the methods in use ({', '.join(known)}), not {shown(study.baseline)}"
            f"{nearest(study.baseline, known)}."
        )
    if study.runs > 1 and not study.vary:
        raise StudyError(f"{study.runs} runs of which no seed varies are one run. Name seeds in vary, or run once.")
    if study.leave_authors_out and study.design.calibration:
        raise StudyError(
            "leave_authors_out calibrates each problem on all others, so no authors are set apart. Leave out "
            "calibration, or leave_authors_out."
        )
    trained = [method for method in study.methods if "training set" in METHODS[method].needs]
    if trained and study.design.calibration == 0 and not study.leave_authors_out and study.design.pairs != "all":
        raise StudyError(
            f"{trained[0]} is trained on calibration authors, but their share is 0. Set a share, set "
            "leave_authors_out, or leave the method out."
        )
    matrix = [method for method in study.methods if "score matrix" in METHODS[method].needs]
    if matrix and study.design.pairs != "all":
        raise StudyError(
            f'{matrix[0]} needs the score of every Q with every K. Set pairs = "all" in [design], or leave the method '
            "out."
        )
    if study.attack.on and study.design.pairs != "all":
        raise StudyError(
            'An attacked problem is judged by the authors outside its fold. Set pairs = "all" in [design], or leave '
            "out [attack]."
        )
    if study.attack.on and study.reads_originals:
        raise StudyError(
            "Phrases are put into masked texts, which have no originals. Leave out typing and original, or [attack]."
        )
    _refuse_odd_scores(study)
    for entry in study.own:
        _refuse_elsewhere(entry, study.folder)
    for corpus in study.corpora:
        if corpus.writers is not None and corpus.kind != "problems":
            raise StudyError(
                f"Corpus {corpus.name} has a file of writers, which only a ready-made set of problems needs. Leave it "
                'out, or set kind = "problems".'
            )
        if corpus.pool is not None and study.design.reference == "case":
            raise StudyError(
                f"Corpus {corpus.name} names a pool, but the reference is made of case authors. "
                'Set reference = "pool" (the pool alone) or "all" (the pool and all other authors).'
            )


def _refuse_odd_scores(study: "Study") -> None:
    """An error about scores that nothing uses, or that cannot be joined or made."""
    if study.fuse and "fusion" not in study.methods:
        raise StudyError(
            "fuse names methods to join, but fusion is not among the methods in use. Add it, or leave out fuse."
        )
    if "fusion" in study.methods:
        may = [*(key for key in study.methods if key == "normalised" or key in COMPARATORS), *study.systems]
        for name in study.fused:
            if name not in may:
                known = ", ".join(may) or "none is in use"
                raise StudyError(
                    f"fusion cannot join {shown(name)}. It joins normalised, comparators and systems of the outside "
                    f"file that are in use ({known}){nearest(name, may)}."
                )
        if len(study.fused) < 2:
            raise StudyError("fusion joins at least two methods. Use a comparator, too, or leave fusion out.")
    if study.original and not study.comparators:
        raise StudyError("original is for comparators, and none is in use. Add one, or leave original out.")
    if study.typing and "normalised" not in study.methods:
        raise StudyError(
            "typing is a score of the method normalised, which is not in use. Add it, or leave typing out."
        )
    if study.constants == NONE and not {"normalised", "guarded"} & set(study.methods):
        raise StudyError(
            "constants are of the methods normalised and guarded, and neither is in use. Add one, or leave constants "
            "out."
        )
    if study.reads_originals:
        for corpus in study.corpora:
            if (corpus.masking or study.masking) == "masked":
                raise StudyError(
                    f"Corpus {corpus.name} came masked, so there are no originals to compare. Leave out typing and "
                    "original, or put the corpus into another study."
                )


def _refuse_elsewhere(entry: str, folder: Path) -> None:
    """An error about an own method that is not a function in a file of the study's folder."""
    file, _, function = entry.partition(":")
    if not file.endswith(".py") or not function.isidentifier():
        raise StudyError(f'own must be a list of methods such as "mine.py:damped", not a list with {shown(entry)}.')
    try:
        inside = (folder / file).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # symbolic links in a circle
        inside = False
    if not inside:
        raise StudyError(
            f"The method {shown(entry)} lies outside the study's folder. It is a program, and a study file runs "
            "none but those beside it: copy the file into the study's folder."
        )
