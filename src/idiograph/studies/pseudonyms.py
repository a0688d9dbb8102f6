"""Results without names: authors and texts under pseudonyms that only the holder of a key can trace back.

A pseudonym is a keyed digest (HMAC with SHA-256), so the same name has the same pseudonym wherever the key is used, and
nobody without the key can find out by trying names. The key lies beside the study file and is never given away.
"""

import hmac
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from idiograph.errors import StudyError, cannot_read
from idiograph.files import write_whole
from idiograph.studies.results import Results
from idiograph.studies.settings import CorpusSettings, Study
from idiograph.studies.study import corpus_settings
from idiograph.studies.trials import TrialTable

KEY = "pseudonyms.key"
_BYTES = 32


@dataclass(frozen=True)
class Pseudonyms:
    """Pseudonyms under one key."""

    key: bytes

    def author(self, name: str) -> str:
        return f"author-{self._of('author', name)}"

    def text(self, id_: str) -> str:
        return f"text-{self._of('text', id_)}"

    def _of(self, kind: str, name: str) -> str:
        return hmac.new(self.key, f"{kind}\0{name}".encode(), "sha256").hexdigest()[:12]


def pseudonyms_of(folder: Path) -> Pseudonyms:
    """The pseudonyms of the study in a folder; its key is made on first use."""
    path = folder / KEY
    if not path.exists():
        write_whole(path, secrets.token_hex(_BYTES) + "\n")
        path.chmod(0o600)
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise cannot_read(path, error, StudyError) from error
    except ValueError as error:
        raise StudyError(f"{path} is not a key: it holds {2 * _BYTES} hexadecimal digits. Restore it.") from error
    if len(key) != _BYTES:
        raise StudyError(f"{path} is damaged: a key has {2 * _BYTES} hexadecimal digits. Restore it.")
    return Pseudonyms(key)


def problems_without_names(trials: TrialTable, names: Pseudonyms) -> list[str]:
    """The id of each trial's problem under pseudonyms."""
    problems = []
    for problem, q_id, corpus, condition in zip(
        *(trials.column(name).tolist() for name in ("problem", "q_id", "corpus", "condition")), strict=True
    ):
        start = f"{corpus}/{condition}/"
        label = problem.removeprefix(start).removesuffix(f"/{q_id}")
        problems.append(f"{start}{names.author(label)}/{names.text(q_id)}")
    return problems


def without_names(trials: TrialTable, names: Pseudonyms) -> TrialTable:
    """The trials under pseudonyms; those of a cell in the order of these, which says nothing about the names."""
    columns = {name: trials.column(name).tolist() for name in ("k_author", "q_author", "q_id")}
    problems = problems_without_names(trials, names)
    hidden = trials.with_columns(
        {
            "problem": problems,
            "k_author": [names.author(name) for name in columns["k_author"]],
            "q_author": [names.author(name) for name in columns["q_author"]],
            "q_id": [names.text(id_) for id_ in columns["q_id"]],
        }
    )
    order = [place for _, places in hidden.groups() for place in sorted(places, key=lambda at: problems[at])]
    return hidden.take(np.array(order, np.int64))


def study_without_names(study: Study, names: Pseudonyms) -> Study:
    """The study without the names of excluded authors and without the folders of its files."""

    def last(path: str | None) -> str | None:
        return None if path is None else Path(path).name

    def corpus(one: CorpusSettings) -> CorpusSettings:
        recipe = last(one.recipe) if one.recipe is not None and one.recipe.endswith(".toml") else one.recipe
        return replace(
            one,
            path=Path(one.path).name or one.name,
            pool=last(one.pool),
            writers=last(one.writers),
            word_list=last(one.word_list),
            recipe=recipe,
            exclude_authors=tuple(names.author(name) for name in one.exclude_authors),
            options=replace(one.options, metadata=None),
        )

    return replace(study, corpora=tuple(corpus(one) for one in study.corpora))


def results_without_names(results: Results, study: Study) -> Results:
    """What a results folder holds, for a study without names; digests of files are kept, their names are not."""
    corpora = {
        corpus.name: replace(
            results.corpora[corpus.name],
            settings=corpus_settings(study, corpus),
            inputs=tuple({**file, "name": ""} for file in results.corpora[corpus.name].inputs),
        )
        for corpus in study.corpora
    }
    return replace(results, scored=study.scored(), corpora=corpora)
