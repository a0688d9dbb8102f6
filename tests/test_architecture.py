"""The layers import one way: the picture in ARCHITECTURE.md, kept true."""

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "idiograph"
LAYERS = ["ground", "texts", "grammar", "evidence", "studies", "casework", "output", "cli"]
GROUND = {
    "arithmetic",
    "checks",
    "compiling",
    "elementary",
    "errors",
    "files",
    "locking",
    "progress",
    "provenance",
    "settings",
}


def layer(module: str) -> str:
    """`idiograph.texts.text` -> texts; the modules every layer may use are the ground."""
    name = module.split(".")[1]
    return "ground" if name in GROUND else name


def test_imports_point_one_way() -> None:
    wrong = []
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        if len(parts) == 2 and parts[1] in {"__init__", "__main__"}:
            continue
        own = layer(".".join(parts))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("idiograph."):
                imported = layer(node.module)
            elif isinstance(node, ast.ImportFrom) and node.module == "idiograph":
                imported = layer(f"idiograph.{node.names[0].name}")
            else:
                continue
            if LAYERS.index(imported) > LAYERS.index(own):
                wrong.append(f"{'.'.join(parts)} imports {imported}")
    assert not wrong
