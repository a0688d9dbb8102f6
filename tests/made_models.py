"""Packages that look like spaCy's models."""

import json
from pathlib import Path


def install(folder: Path, name: str, *, version: str = "3.8.0", language: str = "en") -> Path:
    """A package that looks like a spaCy model; its folder of weights."""
    root = folder / name
    inner = root / f"{name}-{version}"
    for component in ("tok2vec", "tagger", "parser", "ner", "attribute_ruler", "vocab", "lemmatizer"):
        (inner / component).mkdir(parents=True)
        (inner / component / "model").write_bytes(b"weights" + component.encode())
    (root / "__init__.py").write_text("")
    (root / "meta.json").write_text(json.dumps({"lang": language, "name": name[3:], "version": version}))
    (inner / "config.cfg").write_text("[nlp]\n")
    (inner / "README.md").write_text("about")
    (inner / "tokenizer").write_bytes(b"rules")
    return inner
