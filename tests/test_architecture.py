"""The house as ARCHITECTURE.md draws it: layers that import one way, small modules, each with its tests."""

import ast
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src" / "idiograph"
LAYERS = ["ground", "texts", "grammar", "evidence", "studies", "casework", "output", "pages", "cli"]
GROUND = {
    "arguments",
    "arithmetic",
    "checks",
    "compiling",
    "elementary",
    "errors",
    "files",
    "locking",
    "printing",
    "progress",
    "provenance",
    "settings",
    "spreadsheet",
}
MOST_LINES = 350
TREES = {
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
    if path.name != "__init__.py" and path.name != "__main__.py"
}


def layer(module: str) -> str:
    """`idiograph.texts.text` -> texts; the modules every layer may use are the ground."""
    name = module.split(".")[1]
    return "ground" if name in GROUND else name


def imported(tree: ast.AST) -> set[str]:
    """The modules of Idiograph that a module imports, wherever in it, but not those it needs for annotations alone."""
    found = set()
    for_annotations = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in set(ast.walk(tree)) - for_annotations:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "idiograph":
            named = {f"{node.module}.{one.name}" for one in node.names}
            found |= {name if name in TREES else str(node.module) for name in named}
    return found


def test_imports_point_one_way() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, tree in TREES.items()
        for other in imported(tree)
        if other in TREES and LAYERS.index(layer(other)) > LAYERS.index(layer(module))
    ]
    assert len(TREES) > 100
    assert not wrong


def test_the_pages_and_the_command_line_meet_in_one_command() -> None:
    doors = [
        module
        for module, tree in TREES.items()
        if layer(module) == "cli" and any(other.startswith("idiograph.pages") for other in imported(tree))
    ]
    assert doors == ["idiograph.cli.pages"]
    assert not [
        module for module, tree in TREES.items() if layer(module) == "pages" and "idiograph.cli" in str(imported(tree))
    ]


def test_no_modules_import_each_other_in_a_circle() -> None:
    left = {module: imported(tree) & set(TREES) for module, tree in TREES.items()}
    while free := [module for module, others in left.items() if not others & set(left)]:
        for module in free:
            del left[module]
    assert not left


def test_no_two_classes_have_one_name() -> None:
    names = Counter(
        node.name
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_modules_are_short() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py")}
    assert {name: n for name, n in lengths.items() if n > MOST_LINES} == {}


def test_every_module_has_tests_of_its_name() -> None:
    tested = {
        ".".join(("idiograph", *path.relative_to(TESTS).parent.parts, path.stem.removeprefix("test_")))
        for path in TESTS.rglob("test_*.py")
        if "def test_" in path.read_text(encoding="utf-8")
    }
    assert sorted(set(TREES) - tested) == []
