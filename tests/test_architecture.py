"""The house as ARCHITECTURE.md draws it: layers that import one way, no circles, and no two modules of one name."""

import ast
import re
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src" / "idiograph"
LAYERS = ["ground", "texts", "grammar", "evidence", "studies", "casework", "output", "laboratory", "pages", "cli"]
GROUND = {
    "arithmetic",
    "checking",
    "compiling",
    "elementary",
    "errors",
    "files",
    "progress",
    "provenance",
    "records",
    "settings",
    "showing",
    "spreadsheet",
    "toml",
}
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
    names = set()
    for_annotations = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in set(ast.walk(tree)) - for_annotations:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "idiograph":
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in TREES else str(node.module) for name in named}
    return names


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
    assert doors == ["idiograph.cli.more"]
    assert not [
        module for module, tree in TREES.items() if layer(module) == "pages" and "idiograph.cli" in str(imported(tree))
    ]


def test_no_modules_import_each_other_in_a_circle() -> None:
    left = {module: imported(tree) & set(TREES) for module, tree in TREES.items()}
    while free := [module for module, others in left.items() if not others & set(left)]:
        for module in free:
            del left[module]
    assert not left


def test_no_two_modules_of_a_layer_have_one_name() -> None:
    names = Counter((layer(module), module.rpartition(".")[2]) for module in TREES)
    assert [name for name, times in names.items() if times > 1] == []


def test_every_folder_lists_what_is_in_it_in_reading_order() -> None:
    folders = [path.parent for path in SOURCE.rglob("__init__.py") if path.parent not in (SOURCE, SOURCE / "cli")]
    assert len(folders) > 8
    for folder in folders:
        there = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
        there |= {path.name for path in folder.iterdir() if (path / "__init__.py").is_file()}
        text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        assert set(re.findall(r"^    (\w+)  ", text, re.MULTILINE)) == there, folder
