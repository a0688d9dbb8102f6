"""Mutation testing of `evidence` and `grammar`: one small thing in the code is made wrong, and a test should notice.

`python -m benchmarks.mutants --minutes 20` takes mutants at random, runs the tests that import their module, without
compiling (a kernel made wrong is then a Python function made wrong), and keeps in mutants.json which survived. What was
done about each is written there by hand, those that a new test notices under `mended`, and stays.
"""

import argparse
import ast
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from idiograph.files import write_whole

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "mutants.json"
FOLDERS = ("evidence", "grammar")
_SECONDS = 30  # of processor time that tests may take, so that what never ends is noticed, too
_SWAPPED: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A module with one thing made wrong."""

    path: Path
    line: int
    was: str
    becomes: str
    source: str

    @property
    def name(self) -> str:
        """Where it is and what it is, as it is kept."""
        return f"{self.path.parent.name}/{self.path.name}: {self.was} → {self.becomes}"


def places(path: Path) -> list[int]:
    """Where a module can be made wrong: an operator swapped, a number one larger, a truth turned round."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [place for place, node in enumerate(list(_code(tree))) if _changed(node)]


def mutant_at(path: Path, place: int) -> Mutant:
    """The module with one of its places made wrong."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node = next(node for number, node in enumerate(_code(tree)) if number == place)
    was, line = ast.unparse(node), node.lineno
    _changed(node)
    was, becomes = (" ".join(said.split())[:80] for said in (was, ast.unparse(node)))
    return Mutant(path, line, was, becomes, ast.unparse(tree))


def _code(tree: ast.AST) -> Iterator[Any]:
    """The expressions of a module that compute something: no annotation, no decorator, no argument's default."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "args") and not isinstance(tree, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, (ast.Import, ast.ImportFrom, ast.Assert)):
                if isinstance(child, ast.expr):
                    yield child
                yield from _code(child)


def _changed(node: Any) -> bool:
    """Makes one thing of a node wrong; False where there is nothing to be made so."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _SWAPPED:
            node.ops = [_SWAPPED[type(operator)]()]
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in _SWAPPED:
            node.op = _SWAPPED[type(operator)]()
        case ast.UnaryOp(op=ast.Not()):
            node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(number) | float(number)):
            node.value = number + 1
        case _:
            return False
    return True


def tests_of(path: Path) -> tuple[list[str], list[str]]:
    """The tests that are called after a module, and all that import it; where there are none, those of its folder."""
    layer, module = path.parent.name, path.stem
    imports = (f"idiograph.{layer}.{module} import", f"from idiograph.{layer} import {module}")
    every = sorted((ROOT / "tests" / layer).rglob("test_*.py"))
    wide = [test for test in every if any(name in test.read_text(encoding="utf-8") for name in imports)] or every
    named = [test for test in wide if test.stem == f"test_{module}"] or wide
    return [str(test) for test in named], [str(test) for test in wide]


def is_noticed(tests: list[str], source: Path, *, endless: bool = True) -> bool:
    """Whether one of the tests fails, or unless `endless` is False does not end, with the package in this folder."""
    child = os.fork()
    if not child:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            os.chdir(ROOT)
            sys.path.insert(0, str(source))
            import pytest

            options = ["-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
            options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of libraries that are loaded already
            code = int(pytest.main([*options, *tests]))
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    return status != 0 and (endless or os.WIFEXITED(status))


def main() -> None:
    """Tries mutants until the time is up, and keeps what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0, help="how long to go on")
    parser.add_argument("--seed", type=int, default=1, help="decides which mutants are taken")
    options = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    _load_libraries()
    package = ROOT / "src" / "idiograph"
    paths = [path for layer in FOLDERS for path in sorted((package / layer).glob("*.py")) if path.stem != "__init__"]
    every = [(path, place) for path in paths for place in places(path)]
    random.Random(options.seed).shuffle(every)
    until = time.monotonic() + 60 * options.minutes
    tried, survived, unfit = 0, list[Mutant](), dict[Path, bool]()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        shutil.copytree(package, source / "idiograph", ignore=shutil.ignore_patterns("__pycache__"))
        for path, place in every:
            if time.monotonic() > until:
                break
            mutant = mutant_at(path, place)
            (named, wide), target = tests_of(mutant.path), source / "idiograph" / mutant.path.relative_to(package)
            if mutant.path not in unfit:  # tests that fail by themselves, or take too long, notice nothing
                unfit[mutant.path] = is_noticed(named, source)
            if unfit[mutant.path]:
                continue
            plain = target.read_text(encoding="utf-8")
            target.write_text(mutant.source, encoding="utf-8")
            noticed = is_noticed(named, source) or (wide != named and is_noticed(wide, source, endless=False))
            target.write_text(plain, encoding="utf-8")
            tried += 1
            survived += [] if noticed else [mutant]
            print(f"{tried} {'noticed' if noticed else 'SURVIVED'} {mutant.name}", file=sys.stderr, flush=True)
    keep(tried, len(every), survived, [path for path, fails in unfit.items() if fails])


def _load_libraries() -> None:
    """What all children need, loaded once; nothing of Idiograph."""
    for name in ("numpy", "numba", "scipy.stats", "hypothesis.strategies", "pytest"):
        __import__(name)
    for name in [name for name in sys.modules if name.split(".")[0] == "idiograph"]:
        del sys.modules[name]


def keep(tried: int, n_all: int, survived: list[Mutant], unfit: list[Path]) -> None:
    """Writes what was found; what had been done about a mutant stays."""
    before = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    known = {row["mutant"]: row["done"] for row in before.get("survived", ())}
    rows = [{"mutant": one.name, "line": one.line, "done": known.get(one.name, "")} for one in survived]
    record = {
        "tried": tried,
        "of": n_all,
        "not_tried": [f"{path.parent.name}/{path.name}" for path in unfit],
        "survived": rows,
        "mended": before.get("mended", []),
    }
    write_whole(KEPT, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
