"""The model as the kernels want it: weights, moves and the rules for parts of speech, read from its own files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from idiograph.texts.masking.fast.layers import Floats, packed, packed_maxout
from idiograph.texts.masking.fast.transitions import BREAK, HIDDEN, N_FEATURES

ATTRIBUTES = ("NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE")
"""What a token's first vector depends on, in the order of the hashed tables."""

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Maxout(NamedTuple):
    """A maxout of three pieces and the layer norm behind it."""

    w: Floats
    b: Floats
    gain: Floats
    shift: Floats


class Linear(NamedTuple):
    """W·x + b."""

    w: Floats
    b: Floats

    @classmethod
    def of(cls, layer: Mapping[str, Any]) -> "Linear":
        # A copy of b: what is read may not be written to, which would be another type to the compiler.
        return cls(packed(layer["W"]), np.array(layer["b"]))


@dataclass(frozen=True)
class Model:
    """The network, and what it numbers."""

    tables: tuple[Floats, ...]  # hashed, one per attribute
    mix: Maxout  # from six times 96 numbers to 96
    windows: tuple[Maxout, ...]  # from three times 96 numbers to 96
    tag: Linear
    narrow: Linear  # from 96 numbers to the parser's 64
    lower: Linear  # from 64 to 8 × 128
    pad: Floats  # in place of a feature that is not there
    lower_b: Floats
    upper: Linear  # from 64 to the moves' scores
    moves: Numbers  # which of the five each is
    labels: Numbers  # the label that it gives
    root: int
    plain: Numbers  # by label: prep for prep||dobj
    sought: Numbers  # dobj for prep||dobj, else −1
    ruler: "Ruler"


class UnknownModel(Exception):
    """The files do not hold what the kernels compute."""


_LAYERS = {
    "tok2vec": ["hashembed"] * 6 + ["maxout", "layernorm"] * 5,
    "tagger": ["softmax"],
    "parser": ["precomputable_affine", "linear", "linear"],
}


def read_model(folder: Path) -> Model:
    """The model in a folder of spaCy's; UnknownModel if its network or its rules are not the ones known here."""
    # spaCy's own reader of its files.
    import srsly

    weights: dict[str, list[Any]] = {}
    for component, expected in _LAYERS.items():
        stored = srsly.read_msgpack(folder / component / "model")
        named = zip(stored["nodes"], stored["params"], strict=True)
        layers = [(node["name"], values) for node, values in named if any(v is not None for v in values.values())]
        if [name for name, _ in layers] != expected:
            raise UnknownModel(f"the layers of {component}")
        weights[component] = [values for _, values in layers]
    maxouts = [
        Maxout(packed_maxout(layer["W"]), np.ascontiguousarray(layer["b"].T), norm["G"], norm["b"])
        for layer, norm in zip(weights["tok2vec"][6::2], weights["tok2vec"][7::2], strict=True)
    ]
    lower, upper, narrow = weights["parser"]
    tags = json.loads((folder / "tagger" / "cfg").read_text(encoding="utf-8"))["labels"]
    moves = _moves(json.loads(srsly.read_msgpack(folder / "parser" / "moves")["moves"]))
    if len(moves) != len(upper["b"]) or lower["W"].shape != (N_FEATURES, HIDDEN, 2, HIDDEN):
        raise UnknownModel("the parser's moves or features")
    labels = sorted({part for _, label in moves for part in (label, *label.split("||"))})
    halves = [label.partition("||") for label in labels]
    return Model(
        tables=tuple(layer["E"] for layer in weights["tok2vec"][:6]),
        mix=maxouts[0],
        windows=tuple(maxouts[1:]),
        tag=Linear.of(weights["tagger"][0]),
        narrow=Linear.of(narrow),
        # Piece after piece, so that the larger of two is found without stepping over the other.
        lower=Linear(
            packed(lower["W"].transpose(0, 2, 1, 3).reshape(-1, HIDDEN)),
            np.zeros(N_FEATURES * 2 * HIDDEN, np.float32),
        ),
        pad=lower["pad"][0].transpose(0, 2, 1).ravel(),
        lower_b=lower["b"].T.ravel(),
        upper=Linear.of(upper),
        moves=np.array([move for move, _ in moves]),
        labels=np.array([labels.index(label) for _, label in moves]),
        root=labels.index("ROOT"),
        plain=np.array([labels.index(plain) for plain, _, _ in halves]),
        sought=np.array([labels.index(sought) if sought else -1 for _, _, sought in halves]),
        ruler=Ruler(srsly.read_msgpack(folder / "attribute_ruler" / "patterns"), tags, labels),
    )


def _moves(stored: Mapping[str, Mapping[str, int]]) -> list[tuple[int, str]]:
    """The moves with their labels as spaCy numbers them: by kind, then by how often they were met."""
    moves = []
    for kind, labels in sorted((int(kind), labels) for kind, labels in stored.items()):
        if min(labels.values()) < 0 or kind > BREAK or "subtok" in labels:
            raise UnknownModel("moves that were added later")
        moves += [(kind, label) for _, label in sorted(((n, label) for label, n in labels.items()), reverse=True)]
    return moves


class Ruler:
    """The attribute ruler as a table: the part of speech by tag, lower-cased word and label.

    Of several rules the last counts. spaCy matches all of them before it sets anything, so none sees another's work.
    """

    def __init__(self, stored: Sequence[Mapping[str, Any]], tags: Sequence[str], labels: Sequence[str]) -> None:
        rules = [(n, rule) for n, rule in enumerate(stored) if "POS" in rule["attrs"]]
        patterns = [pattern for _, rule in rules for pattern in rule["patterns"]]
        words = ["", *sorted({word for pattern in patterns for token in pattern for word in _named(token)})]
        self.parts = ["", *sorted({rule["attrs"]["POS"] for _, rule in rules})]
        self.word_classes = {word: n for n, word in enumerate(words) if word}
        self._part = np.zeros((len(tags), len(words), len(labels)), np.int8)
        self._rule = np.full(self._part.shape, -1, np.int16)
        self._pair: tuple[int, int, Flags, Flags] | None = None
        for n, rule in rules:
            part = self.parts.index(rule["attrs"]["POS"])
            for pattern in rule["patterns"]:
                keys = [set(token) for token in pattern]
                if len(keys) == 1 and keys[0] <= {"TAG", "LOWER", "DEP", "IS_SPACE"} and rule["index"] == 0:
                    # White space is left out of what is tagged, so a rule about it has no effect.
                    if not pattern[0].get("IS_SPACE"):
                        names = {"TAG": tags, "LOWER": words, "DEP": labels}
                        where = np.ix_(*(_matching(pattern[0].get(key), known) for key, known in names.items()))
                        self._part[where], self._rule[where] = part, n
                elif keys == [{"DEP"}, {"LOWER"}] and rule["index"] == 1 and self._pair is None:
                    before, word = _matching(pattern[0]["DEP"], labels), _matching(pattern[1]["LOWER"], words)
                    self._pair = n, part, before, word
                else:
                    raise UnknownModel(f"rule {n} for parts of speech")

    def part_of(self, tag: Numbers, word_class: Numbers, label: Numbers, bounds: Numbers) -> Numbers:
        """The number of each token's part of speech; `bounds` are the first tokens of the lines."""
        part = self._part[tag, word_class, label].astype(np.int64)
        if self._pair is not None:
            n, pair_part, before, word = self._pair
            second = np.concatenate([[False], before[label[:-1]]]) & word[word_class]
            second[bounds[:-1]] = False
            part[second & (self._rule[tag, word_class, label] < n)] = pair_part
        return part


def _named(token: Mapping[str, Any]) -> Sequence[str]:
    """The words that a rule names."""
    wanted = token.get("LOWER", {"IN": ()})
    if isinstance(wanted, str):
        return (wanted,)
    if set(wanted) != {"IN"}:
        raise UnknownModel(f"a rule for {wanted}")
    return tuple(wanted["IN"])


def _matching(wanted: Any, names: Sequence[str]) -> Flags:
    """Which names a rule asks for: one of them, some, all but some, or, if it asks for nothing, all."""
    wanted = {"NOT_IN": ()} if wanted is None else {"IN": (wanted,)} if isinstance(wanted, str) else wanted
    if set(wanted) not in ({"IN"}, {"NOT_IN"}):
        raise UnknownModel(f"a rule for {wanted}")
    ((how, listed),) = wanted.items()
    return np.array([(name in listed) == (how == "IN") for name in names])
