"""Counts the house: modules, lines, places that an idea or a run goes through. Run by hand: python -m benchmarks.house.

With folders, such as an unpacked earlier version, it counts the words of their documentation alone, page by page.
Nothing here is timed. A run is traced (`sys.setprofile`), so lambdas, comprehensions and compiled kernels are not seen;
what a module does when it is imported, and the bodies of classes, are no functions that a run enters and not counted.
Imports that only annotations need count where they cut the project's own modules.
"""

import ast
import importlib
import inspect
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import idiograph

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(idiograph.__file__).resolve().parent
DOORS = {"idiograph", "idiograph.cli", "idiograph.errors"}
REFERENCE = {"api", "benchmarks", "cli", "faults", "languages", "licences", "requirements", "terminology"}
FEWEST_WORDS = 300
MARK = "quandary"  # that Q alone has, where others have "and"
_TRIES = 50  # values of a type that are looked into
_WORDS = ("the", "of", "and", "to", "in", "a", "it", "that", "was", "for", "on", "as", "with", "his", "at", "by", "not")


def trees(folder: Path) -> dict[str, ast.Module]:
    """Every module of a folder by its name, the packages' own files left out."""
    paths = (path for path in sorted(folder.rglob("*.py")) if path.stem not in ("__init__", "__main__"))
    return {
        ".".join(path.relative_to(folder).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for path in paths
    }


def imported(tree: ast.AST, modules: dict[str, ast.Module]) -> set[str]:
    """The modules of the project that a module imports, wherever in it."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "idiograph":
            base = (node.module or "").removeprefix("idiograph").removeprefix(".")
            for alias in node.names:
                full = f"{base}.{alias.name}".removeprefix(".")
                names.add(full if full in modules else base)
    return names & set(modules)


def counts() -> Iterator[tuple[str, object]]:
    """What can be counted without a run."""
    modules = trees(SOURCE)
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py"))
    yield "modules / lines of src", f"{len(modules)} / {lines:,}"
    functions = [node for tree in modules.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    once = 0
    for tree in modules.values():
        used = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        private = (node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] == "_")
        once += sum(used[name] == 1 for name in private)
    yield "functions; private ones used once", f"{len(functions):,}; {once}"
    importers = Counter(name for tree in modules.values() for name in imported(tree, modules))
    yield "modules with one importer", sum(n == 1 for n in importers.values())
    names = Counter(name.rpartition(".")[2] for name in modules)
    cuts = sum(any(_cut(node, modules) for node in tree.body) for tree in modules.values())
    most = max(len(imported(tree, modules)) for tree in modules.values())
    twice = sum(n > 1 for n in names.values())
    yield "base names used twice; TYPE_CHECKING cuts; most own imports", f"{twice}; {cuts}; {most}"
    tests = sorted((ROOT / "tests").rglob("*.py"))
    past = {path: [module for module in _modules_named(path) if module not in DOORS] for path in tests}
    inside = [path for path in tests if path.name.startswith("test_") and past[path]]
    n_tests = sum(path.name.startswith("test_") for path in tests)
    n_lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in tests)
    yield "lines of tests; test files, of which reach past the doors", f"{n_lines:,}; {n_tests}, {len(inside)}"
    folders = Counter(path.relative_to(ROOT / "tests").parts[0] for path in inside if path.parent != ROOT / "tests")
    folders["tests"] = len(inside) - folders.total()
    yield "their import lines past the doors, helpers' among them", sum(map(len, past.values()))
    yield "those that do, by folder", ", ".join(f"{folder} {n}" for folder, n in sorted(folders.items()))
    pages = prose(ROOT)
    yield "words of prose outside the reference; pages", f"{sum(pages.values()):,}; {len(pages)}"


def _cut(node: ast.stmt, modules: dict[str, ast.Module]) -> bool:
    """Whether modules of the project are imported for annotations alone."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and bool(imported(node, modules))


def prose(root: Path) -> dict[str, int]:
    """Words of README and documentation outside the reference, page by page: no table, and nothing made from code."""
    words = {}
    for page in (root / "README.md", *sorted((root / "docs").rglob("*.md"))):
        if page.stem not in REFERENCE and not {"_site", "tables"} & set(page.parts):
            text = page.read_text(encoding="utf-8")
            written = re.sub(r"<!-- ([\w ]+):begin -->.*?<!-- \1:end -->", "", text, flags=re.DOTALL).splitlines()
            words[page.relative_to(root).as_posix()] = sum(len(line.split()) for line in written if line[:1] != "|")
    return words


def _modules_named(path: Path) -> list[str]:
    """The modules of the project that a file imports from, a line each."""
    return re.findall(r"(?m)^\s*(?:from|import) (idiograph[\w.]*)", path.read_text(encoding="utf-8"))


def entered(work: Callable[[], object]) -> tuple[int, int, int, int]:
    """Modules and functions of the project that a piece of work enters, its calls, and those of checks.

    To make something `unchecked` is no check.
    """
    calls: Counter[tuple[str, str]] = Counter()

    def trace(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(str(SOURCE)):
            calls[code.co_filename, code.co_qualname] += 1

    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    checks = sum(
        n
        for (file, function), n in calls.items()
        if Path(file).stem in ("checking", "settings") and function != "unchecked"
    )
    return len({file for file, _ in calls}), len(calls), calls.total(), checks


def shapes(work: Callable[[], object]) -> list[str]:
    """The types of the project that hold a text's own words on the way through a piece of work, in order of appearance.

    Seen are the values that functions return; an index, which holds numbers instead of words, is not.
    """
    tried: Counter[type] = Counter()
    holders: dict[type, str] = {}

    def look(value: object) -> None:
        kind = type(value)
        if isinstance(value, tuple | list):
            for item in value[:_TRIES]:
                look(item)
        elif kind.__module__.startswith("idiograph") and kind not in holders and tried[kind] < _TRIES:
            tried[kind] += 1
            if _holds(value, MARK):
                holders[kind] = kind.__name__

    def trace(frame: FrameType, event: str, value: object) -> None:
        if event == "return" and frame.f_code.co_filename.startswith(str(SOURCE)):
            look(value)

    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return list(holders.values())


def _holds(value: object, mark: str) -> bool:
    """Whether a value of the project's own has a word in one of its own fields, however deep in lists and tables."""
    fields = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
    return any(map(partial(_has, mark=mark), (*fields, *getattr(value, "__dict__", {}).values())))


def _has(value: object, mark: str, depth: int = 3) -> bool:
    if isinstance(value, str):
        return mark in value
    if isinstance(value, bytes):
        return mark.encode() in value
    if depth and isinstance(value, tuple | list):
        return any(_has(item, mark, depth - 1) for item in value)
    if depth and isinstance(value, Mapping):
        return any(_has(item, mark, depth - 1) for item in (*value, *value.values()))
    return False


def _text(author: int, number: int, n_words: int = 700) -> str:
    """A text of an author's habits: which of two frequent words follows another."""
    state, words = author * 7919 + number, []
    for _ in range(n_words):
        state = (state * 1103515245 + 12345) % 2**31
        words.append(_WORDS[(state >> 16) % (6 + author % 11)])
    return "".join(" ".join(words[start : start + 12]) + " .\n" for start in range(0, n_words, 12))


def write_texts(folder: Path, n_authors: int = 10) -> None:
    """A questioned text, two known ones and a reference of authors with three texts each, all masked already."""
    for author in range(n_authors):
        for number in range(3):
            path = folder / "reference" / f"author{author}" / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_text(author, number), encoding="utf-8")
    for path, number in ((folder / "q.txt", 1), (folder / "known" / "1.txt", 2), (folder / "known" / "2.txt", 3)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(n_authors, number, FEWEST_WORDS), encoding="utf-8")
    questioned = (folder / "q.txt").read_text(encoding="utf-8")
    (folder / "q.txt").write_text(questioned.replace(" and ", f" {MARK} "), encoding="utf-8")


def runs() -> Iterator[tuple[str, object]]:
    """What a plain case and a study of pairs go through."""
    for name in trees(SOURCE):
        importlib.import_module(f"idiograph.{name}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_texts(folder)
        case = idiograph.Case(
            questioned={"Q": folder / "q.txt"},
            known={"K": folder / "known"},
            reference=folder / "reference",
            population="made-up people",
            masking="masked",
            repetitions=5,
        )
        modules, functions, calls, checks = entered(lambda: idiograph.file_case(case, folder / "case", workers=1))
        yield "verify, 10 authors: modules / functions entered", f"{modules} / {functions}"
        yield "its calls; those of checking and settings", f"{calls:,}; {checks:,}"
        kinds = shapes(lambda: idiograph.file_case(case, folder / "again", workers=1))
        yield "types that hold a text's words in that case", f"{len(kinds)}: {', '.join(kinds)}"
        (folder / "study.toml").write_text(
            'schema = 1\nname = "plain"\n[[corpora]]\nname = "made"\npath = "reference"\nmasking = "masked"\n'
            '[[conditions]]\ndrawing = "random"\nq_tokens = [200]\nk_tokens = [400]\n[lambdag]\nrepetitions = 3\n'
            '[design]\npairs = "all"\n[methods]\nuse = ["hapax", "normalised"]\nbaseline = "hapax"\nresamples = 20\n',
            encoding="utf-8",
        )
        work = lambda: idiograph.study(folder / "study.toml", folder / "results", workers=1)  # noqa: E731
        modules, functions, _, _ = entered(work)
        yield "study in folds: modules / functions entered", f"{modules} / {functions}"


def main() -> None:
    for root in map(Path, sys.argv[1:]):
        pages = prose(root)
        print(f"{root}: {sum(pages.values()):,}; {', '.join(f'{page} {n:,}' for page, n in pages.items())}")
    if not sys.argv[1:]:
        for what, number in (*counts(), *runs()):
            print(f"{what}: {number}")


if __name__ == "__main__":
    main()
