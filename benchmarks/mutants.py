"""Mutation testing of `evidence` and `grammar`: one small thing in the code is made wrong, and a test should notice.

`python -m benchmarks.mutants --mutants 200` first runs the tests once, without compiling (a kernel made wrong is then a
Python function made wrong), and notes which functions each of them calls and how long it takes. Then each mutant meets
the tests that call its function, the quickest first, until one fails. Every module is drawn from, then all of them at
random. What was found is kept in mutants.json; what was done about each that survived is written there by hand, and
stays. `--again` tries those that survived once more, and puts those that a new test notices under `mended`. With
`--folder` a run that was stopped goes on where it was.
"""

import argparse
import ast
import gc
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType
from typing import Any, NoReturn

from idiograph.files import write_whole

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "mutants.json"
PACKAGE = ROOT / "src" / "idiograph"
FOLDERS = ("evidence", "grammar")
TESTS = (
    "tests/evidence", "tests/grammar", "tests/parity", "tests/test_not_a_number.py", "tests/casework/test_wording.py",
    "tests/casework/test_strength.py", "tests/casework/test_audit.py", "tests/casework/test_published.py",
    "tests/casework/test_variants.py", "tests/casework/test_second_opinions.py", "tests/test_leaks.py",
)  # fmt: skip
_LONGEST = 3.0  # seconds of processor time of a test, and of what it needs, that is still taken
_HOPELESS = 6  # tests of a file that take longer, one straight after another: the rest of the file is left out
_TOGETHER = 4.0  # seconds of processor time of all the tests that one mutant meets
_SPARE = 4  # seconds more, after which tests are taken not to end
_EACH = 4  # mutants of every module, before any module has more
_SWAPPED: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
Function = tuple[str, int]  # the file of a function, and the line that it begins in


@dataclass(frozen=True)
class Mutant:
    """A module with one thing made wrong, and the outermost function that it is in, if it is in one."""

    path: Path
    line: int
    was: str
    becomes: str
    tree: ast.Module
    function: Function | None

    @property
    def name(self) -> str:
        """Where it is and what it is, as it is kept."""
        return f"{self.path.parent.name}/{self.path.name}: {self.was} → {self.becomes}"


@dataclass(frozen=True)
class Trace:
    """A test that passes: what it calls, and the seconds of processor time that it takes with all that it needs."""

    name: str
    seconds: float
    calls: frozenset[Function]


def places(path: Path) -> list[int]:
    """Where a module can be made wrong: an operator swapped, a number one larger, a truth turned round."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [number for number, node in enumerate(list(_code(tree))) if _changed(node)]


def mutant_at(path: Path, wanted: int) -> Mutant:
    """The module with one of its places made wrong."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node = next(node for number, node in enumerate(_code(tree)) if number == wanted)
    was, line = ast.unparse(node), node.lineno
    _changed(node)
    was, becomes = (" ".join(code.split())[:80] for code in (was, ast.unparse(node)))
    around = [function for function in _functions(tree) if _first_line(function) <= line <= (function.end_lineno or 0)]
    return Mutant(path, line, was, becomes, tree, (str(path), _first_line(around[0])) if around else None)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes, but none that is inside another."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node)


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


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


def drawn(n: int, seed: int) -> tuple[list[Mutant], int]:
    """So many mutants, some of every module and the rest of all at random, and how many there are."""
    rng = random.Random(seed)
    paths = [path for layer in FOLDERS for path in sorted((PACKAGE / layer).glob("*.py")) if path.stem != "__init__"]
    every = {path: places(path) for path in paths}
    for of_module in every.values():
        rng.shuffle(of_module)
    first = [(path, number) for path, of_module in every.items() for number in of_module[:_EACH]]
    rest = [(path, number) for path, of_module in every.items() for number in of_module[_EACH:]]
    rng.shuffle(first)
    rng.shuffle(rest)
    return [mutant_at(path, number) for path, number in [*first, *rest][:n]], len(first) + len(rest)


class Tests:
    """The tests, collected once: traced, then tried on mutants in forked processes that begin where this one is."""

    def __init__(self, then: Callable[["Tests"], None]) -> None:
        self.then = then
        self.items: dict[str, Any] = {}
        self.failed = False

    def pytest_collection(self) -> None:
        """Before any test is imported: few examples, and none that a mutant failed on is kept."""
        from hypothesis import settings

        settings.register_profile("mutants", settings.get_profile("untimed"), database=None, max_examples=15)
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: Any) -> bool:
        """In place of running the tests."""
        self.items = {item.nodeid: item for item in session.items}
        self.then(self)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Remembers that a test failed, or was not run."""
        self.failed = self.failed or report.outcome != "passed"

    def passes(self, name: str) -> bool:
        """Whether a test passes, with every fixture made for it alone."""
        self.failed = False
        self.items[name].config.hook.pytest_runtest_protocol(item=self.items[name], nextitem=None)
        return not self.failed

    def traced(self) -> list[Trace]:
        """Every test that passes without compiling, in time."""
        files: dict[str, list[str]] = {}
        for name in self.items:
            files.setdefault(name.partition("::")[0], []).append(name)
        traces: list[Trace] = []
        for file, names in files.items():
            hopeless = 0
            while names and hopeless < _HOPELESS:
                lines = _from_child(partial(self._trace, names))
                traces += [Trace(name, seconds, frozenset(map(tuple, calls))) for name, seconds, calls in lines if name]
                names = names[len(lines) + 1 :]  # the test in which it ended is left out, too
                hopeless = 1 if lines else hopeless + 1
            print(f"{file}: {len(traces):,} tests", file=sys.stderr, flush=True)
        return traces

    def _trace(self, names: Sequence[str], told: int) -> None:
        for name in names:
            called: set[CodeType] = set()
            signal.setitimer(signal.ITIMER_PROF, _LONGEST)
            begin = process_time()
            sys.settrace(partial(_noted, called))
            passed = self.passes(name)
            sys.settrace(None)
            seconds = process_time() - begin
            signal.setitimer(signal.ITIMER_PROF, 0)
            calls = {(code.co_filename, code.co_firstlineno) for code in called if _is_ours(code.co_filename)}
            os.write(told, json.dumps([name if passed and calls else "", seconds, sorted(calls)]).encode() + b"\n")

    def notice(self, mutant: Mutant, traces: Sequence[Trace]) -> bool:
        """Whether a test that calls the mutant's function fails, or does not end."""

        def meet(told: int) -> None:
            put_in_place(mutant)
            signal.setitimer(signal.ITIMER_PROF, sum(trace.seconds for trace in traces) + _SPARE)
            if all(self.passes(trace.name) for trace in traces):
                os.write(told, b"0\n")

        return not _from_child(meet)


def _noted(called: set[CodeType], frame: FrameType, event: str, argument: object) -> None:
    """Notes that a function was called; its lines are not asked for."""
    called.add(frame.f_code)


def _is_ours(file: str) -> bool:
    return any(file.startswith(str(PACKAGE / layer)) for layer in FOLDERS)


def _from_child(work: Callable[[int], None]) -> list[Any]:
    """What a forked process tells in lines of JSON before it ends, however it ends."""
    reading, told = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        signal.signal(signal.SIGPROF, _end)
        try:
            work(told)
        finally:
            os._exit(0)
    os.close(told)
    with os.fdopen(reading) as lines:
        records = [json.loads(line) for line in lines if line.endswith("\n")]
    os.waitpid(child, 0)
    return records


def _end(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(1)


def put_in_place(mutant: Mutant) -> None:
    """Gives the function of a mutant its wrong code, or a name of the module its wrong value, wherever it is kept."""
    if mutant.function is None:
        _put_value(mutant)
        return
    changed = compile(ast.fix_missing_locations(mutant.tree), str(mutant.path), "exec")
    wrong = {(code.co_firstlineno, code.co_name): code for code in _codes(changed)}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(mutant.path):
            code = wrong.get((function.__code__.co_firstlineno, function.__code__.co_name))
            if code is not None and code.co_freevars == function.__code__.co_freevars:
                function.__code__ = code


def _put_value(mutant: Mutant) -> None:
    """Assigns what the module assigns there, to it and to whoever imported the name; not what was made of it since."""
    module = next(
        candidate
        for candidate in list(sys.modules.values())
        if getattr(candidate, "__file__", None) == str(mutant.path)
    )
    before = dict(vars(module))
    for statement in mutant.tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.lineno <= mutant.line <= (
            statement.end_lineno or 0
        ):
            exec(
                compile(ast.fix_missing_locations(ast.Module([statement], [])), str(mutant.path), "exec"), vars(module)
            )
    changed = {name: value for name, value in vars(module).items() if before.get(name) is not value}
    for importer in list(sys.modules.values()):
        for name, value in changed.items():
            if getattr(importer, "__dict__", {}).get(name) is before.get(name, importer):
                setattr(importer, name, value)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def notice_outside(mutant: Mutant, traces: Sequence[Trace], folder: Path) -> bool:
    """The same for what a module does when it is imported: a copy of the package, and tests in their own process."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKAGE, folder / "idiograph", ignore=shutil.ignore_patterns("__pycache__"))
    target = folder / "idiograph" / mutant.path.relative_to(PACKAGE)
    target.write_text(ast.unparse(ast.fix_missing_locations(mutant.tree)), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    seconds = round(sum(trace.seconds for trace in traces) + 2 * _SPARE)
    limited = ["sh", "-c", f'ulimit -t {seconds}; exec "$@"', "sh", *command, *(trace.name for trace in traces)]
    done = subprocess.run(limited, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True)
    return done.returncode != 0


def met(mutant: Mutant, traces: Sequence[Trace]) -> list[Trace]:
    """The tests that a mutant meets: those that call its function, else anything of its module, quickest first."""
    if mutant.function is not None:
        calling = [trace for trace in traces if mutant.function in trace.calls]
    else:
        calling = [trace for trace in traces if any(file == str(mutant.path) for file, _ in trace.calls)]
    taken: list[Trace] = []
    left = _TOGETHER if mutant.function is not None else _TOGETHER / 2
    for trace in sorted(calling, key=lambda trace: trace.seconds):
        left -= trace.seconds
        if taken and left < 0:
            break
        taken.append(trace)
    return taken


def main() -> None:
    """Tries mutants, and keeps what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--mutants", type=int, default=200, help="how many are tried")
    parser.add_argument("--seed", type=int, default=1, help="decides which are taken")
    parser.add_argument("--again", action="store_true", help="try those that survived, and no others")
    parser.add_argument("--folder", type=Path, help="for what the tests call and what was tried, to go on after a stop")
    options = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.chdir(ROOT)
    before = json.loads(KEPT.read_text(encoding="utf-8"))

    def then(tests: Tests) -> None:
        traces_file, tried_file = folder / "traces.jsonl", folder / "tried.jsonl"
        traces = [Trace(name, seconds, frozenset(map(tuple, calls))) for name, seconds, calls in _lines(traces_file)]
        if not traces:
            traces = tests.traced()
            lines = [json.dumps([trace.name, trace.seconds, sorted(trace.calls)]) for trace in traces]
            write_whole(traces_file, "\n".join(lines) + "\n")

        def notices(mutant: Mutant) -> bool | None:
            """None where no test is in reach."""
            taken = met(mutant, traces)
            if not taken:
                return None
            outside = partial(notice_outside, mutant, taken, folder / "source")
            return tests.notice(mutant, taken) or (mutant.function is None and outside())

        if options.again:
            keep_again(before, notices)
            return
        mutants, n_all = drawn(options.mutants, options.seed)
        tried = {(name, line): noticed for name, line, noticed in _lines(tried_file)}
        for number, mutant in enumerate(mutants):
            if (mutant.name, mutant.line) not in tried:
                tried[mutant.name, mutant.line] = noticed = notices(mutant)
                with tried_file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([mutant.name, mutant.line, noticed], ensure_ascii=False) + "\n")
                verdict = {True: "noticed", False: "SURVIVED", None: "out of reach"}[noticed]
                print(f"{number + 1} {verdict}: {mutant.name}, line {mutant.line}", file=sys.stderr, flush=True)
        keep(before, {mutant: tried[mutant.name, mutant.line] for mutant in mutants}, n_all, options.seed)

    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        import pytest

        given = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"]
        pytest.main([*given, f"--basetemp={folder / 'tests'}", *TESTS], plugins=[Tests(then)])


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def keep(before: dict[str, Any], tried: dict[Mutant, bool | None], n_all: int, seed: int) -> None:
    """Writes what a sample came to, module by module; what an earlier one left, and what was done about it, stays."""
    met_tests = {mutant: noticed for mutant, noticed in tried.items() if noticed is not None}
    missed = [mutant for mutant, noticed in met_tests.items() if not noticed]
    modules, of_those = Counter(map(_module, met_tests)), Counter(map(_module, missed))
    rows = {row["mutant"]: row for row in before["survived"]}
    rows |= {
        mutant.name: {"mutant": mutant.name, "line": mutant.line, "done": ""}
        for mutant in missed
        if mutant.name not in rows
    }
    record = {
        "seed": seed,
        "tried": len(met_tests),
        "of": n_all,
        "missed": len(missed),
        "out_of_reach": [mutant.name for mutant, noticed in tried.items() if noticed is None],
        "modules": {name: [modules[name], of_those[name]] for name in sorted(modules)},
        "survived": list(rows.values()),
        "mended": before["mended"],
    }
    _write(record)


def keep_again(before: dict[str, Any], notices: Callable[[Mutant], bool | None]) -> None:
    """Tries what survived once more, as it is written now, and keeps apart what is noticed now."""
    still: list[dict[str, Any]] = []
    for row in before["survived"]:
        module = PACKAGE / row["mutant"].partition(":")[0]
        every = (mutant_at(module, number) for number in places(module))
        alike = [mutant for mutant in every if mutant.name == row["mutant"]]
        nearest = min(alike, key=lambda mutant: abs(mutant.line - row["line"]), default=None)
        if nearest is None:
            print(f"no longer in the code: {row['mutant']}", file=sys.stderr, flush=True)
            continue
        noticed = notices(nearest)
        (before["mended"] if noticed else still).append({**row, "line": nearest.line})
        print(
            f"{'noticed' if noticed else 'SURVIVED'}: {nearest.name}, line {nearest.line}", file=sys.stderr, flush=True
        )
    _write({**before, "survived": still})


def _write(record: dict[str, Any]) -> None:
    write_whole(KEPT, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def _module(mutant: Mutant) -> str:
    return f"{mutant.path.parent.name}/{mutant.path.name}"


if __name__ == "__main__":
    main()
