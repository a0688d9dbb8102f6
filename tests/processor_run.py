"""A small case and a small study, run for their digits: every number and every sentence that a reader would see.

`python tests/processor_run.py renew` stores the digests of the shipped case anew, where a number was meant to move.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "tiny_case"
STORED = DATA / "digests.json"
# What is new in every version, or is not a result.
LEFT_OUT = {"idiograph", "signature", "versions", "case_digest", "inputs", "settings", "schema", "run"}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every number, exactly, and every text of nested values, with where it stands."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}.{number}")
    else:
        yield path, value.hex() if isinstance(value, float) else repr(value)


def words_of(document: Any) -> list[str]:
    """The text of a report without its pictures."""
    from idiograph.output.document import Picture
    from idiograph.output.html import html

    blocks = tuple(block for block in document.blocks if not isinstance(block, Picture))
    page = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]+>", "\n", html(replace(document, blocks=blocks)))
    return [line.strip() for line in page.split("\n") if line.strip()]


def case_of(*, small: bool) -> Any:
    """The shipped case; `small` is a corner of it that interpreted code can score."""
    from idiograph import read_case

    case = read_case(DATA / "case.toml")
    if not small:
        return case
    others = tuple(f"w{number:02}" for number in range(6, 22))
    return replace(case, order=3, repetitions=2, exclude_authors=others)


def numbers_of_the_case(*, small: bool, workers: int) -> tuple[dict[str, Any], list[str]]:
    """What result.json would hold, and the words of the report."""
    from idiograph import verify
    from idiograph.casework.verification import as_result
    from idiograph.output.report import report

    done = verify(case_of(small=small), quick=small, workers=workers)
    kept = {key: value for key, value in as_result(done).items() if key not in LEFT_OUT}
    return kept, words_of(report(done))


def numbers_of_the_study(*, workers: int) -> tuple[dict[str, Any], list[str]]:
    """Trials, performance and tables of a study of the case's reference, and the words of its page."""
    from idiograph import study
    from idiograph.output.study_page import page

    result = study(DATA / "study.toml", workers=workers)
    numbers = {"trials": result.trials.table.to_pydict(), "performance": result.performance, "summary": result.summary}
    return numbers, words_of(page(result))


def numbers_of_metrics() -> dict[str, Any]:
    """Every metric, interval, bound and fit of made-up LLRs of 24 authors."""
    import idiograph

    authors = [f"w{number:02}" for number in range(24)]
    same = [(37 * number % 101) / 16 - 2 for number in range(24)]
    different = [(53 * number % 97) / 16 - 4.5 for number in range(48)]
    pairs = [(authors[number % 24], authors[(number * 7 + 5) % 24]) for number in range(48)]
    trials: dict[str, Any] = {"same": same, "different": different}
    named = trials | {"same_authors": authors, "different_authors": pairs}
    return {
        "intervals": idiograph.intervals(**named, resamples=4),
        "bounds": idiograph.elub(**named),
        "decisions": idiograph.decisions(**trials),
        "pan": idiograph.pan_metrics(**trials),
        "worst": idiograph.worst_share(**trials),
        "laplace": [idiograph.cllr_min(**trials, laplace=True), idiograph.eer(**trials, laplace=True)],
        "exact": idiograph.Calibrator.fit(**trials),
        "pulled": idiograph.Calibrator.fit(same=[2.0, 3.5, 4.0], different=[-1.0, -2.5], shrinkage=1.0),
        "glm": idiograph.Calibrator.fit(same=[2.0, 3.5, 4.0], different=[-1.0, -2.5], mode="glm"),
        "posterior": idiograph.posterior(1.25, 0.3),
    }


def bits_of_tagging() -> dict[str, str]:
    """What a page of English is tagged as by the kernels, and the bits of their products.

    Those of the vectors depend on NumPy's power, which is not the same on every processor: here each product gets the
    same numbers.
    """
    import numpy as np

    from idiograph.texts.masking.fast.layers import maxout, products
    from idiograph.texts.masking.fast.tag import KernelTagger
    from idiograph.texts.masking.fast.ways import PAGE
    from idiograph.texts.masking.models import find_model
    from idiograph.texts.masking.tagger import _tokenizer

    tagger, lines = KernelTagger(find_model().folder, _tokenizer(find_model())), PAGE.splitlines()
    kinds, kind, _, starts, _ = tagger.tag(lines)
    x = (np.arange(40 * 576, dtype=np.int64) * 7919 % 10_007 / 5_003.5 - 1).astype(np.float32)
    outputs = [maxout(x, np.arange(40) * 576, 576, tagger._model.mix.w, tagger._model.mix.b)]
    outputs += [maxout(x, np.arange(70) * 96, 288, layer.w, layer.b) for layer in tagger._model.windows]
    linear = (tagger._model.tag, tagger._model.narrow)
    outputs += [(products(x, np.arange(70) * 96, 96, *layer),) for layer in linear]
    bits = b"".join(array.tobytes() for arrays in outputs for array in arrays)
    tags = [(*kinds[number], start) for number, start in zip(kind.tolist(), starts.tolist(), strict=True)]
    return {"tagging.products": hashlib.sha256(bits).hexdigest(), "tagging.tags": repr(tags)}


def run(size: str, workers: int) -> dict[str, str]:
    """Every leaf of both, by name."""
    numbers, words = numbers_of_the_case(small=size == "small", workers=workers)
    numbers_by_path = dict(leaves(numbers, "case")) | dict(leaves(words, "report"))
    numbers_by_path |= dict(leaves(numbers_of_metrics(), "metrics"))
    if size == "whole":
        numbers, words = numbers_of_the_study(workers=workers)
        numbers_by_path |= dict(leaves(numbers, "study")) | dict(leaves(words, "page")) | bits_of_tagging()
    return numbers_by_path


def digests(numbers_by_path: dict[str, str]) -> dict[str, str]:
    """SHA-256 of the case's numbers by part: score, validation, sensitivity …; sentences are left out."""
    parts: dict[str, list[str]] = {}
    for path, value in numbers_by_path.items():
        if path.startswith("case.") and not value.startswith(("'", '"')):
            parts.setdefault(path.split(".")[1], []).append(f"{path} {value}")
    return {part: hashlib.sha256("\n".join(lines).encode()).hexdigest() for part, lines in sorted(parts.items())}


if __name__ == "__main__":
    if sys.argv[1] == "renew":
        STORED.write_text(json.dumps(digests(run("case", 1)), indent=1) + "\n")
    else:
        size, workers, out = sys.argv[1:]
        Path(out).write_text(json.dumps(run(size, int(workers))), encoding="utf-8")
