"""The house keeps its order: each room imports only from rooms above it, and none loads a model
before it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import trope

ROOT = Path(trope.__file__).parent
# In the order data walks through them. What stands before the first room belongs to the ground.
ORDER = [
    *("errors", "hashes", "address", "atomic", "places", "item"),
    *("read", "prompt", "score", "engine", "runs", "measure", "audit", "across", "report"),
    *("make", "annotate", "assemble", "learn", "papers", "verbs", "caption", "demo", "cli"),
]
# The engine makes a run, so the table stands before it although it is read after it.
ORDER.remove("runs")
ORDER.insert(ORDER.index("engine"), "runs")
MODEL_LIBRARIES = {
    *("torch", "transformers", "onnxruntime", "open_clip", "wordllama", "xllamacpp"),
    *("tokenizers", "sentence_transformers", "httpx"),
}


def modules() -> list[Path]:
    return sorted(p for p in ROOT.rglob("*.py") if p.parent != ROOT or p.stem[:2] != "__")


def room(path: Path) -> str:
    inside = path.relative_to(ROOT)
    return inside.parts[0].removesuffix(".py")


def imports(path: Path, *, top_only: bool = False) -> set[str]:
    """What a module imports, `if TYPE_CHECKING` blocks left out."""
    found: set[str] = set()

    def visit(nodes: list[ast.stmt]) -> None:
        for node in nodes:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module)
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
            elif not (top_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
                for field in ("body", "orelse", "finalbody", "handlers"):
                    visit(getattr(node, field, []))

    visit(ast.parse(path.read_text(encoding="utf-8")).body)
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_from_rooms_above_it(path: Path) -> None:
    own = room(path)
    assert own in ORDER, f"{own} has no place in the order of rooms"
    for name in imports(path):
        if name.startswith("trope."):
            other = name.split(".")[1]
            if other in ORDER:
                assert ORDER.index(other) <= ORDER.index(own), f"{path} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_after_the_run_no_model_library_is_imported(path: Path) -> None:
    libraries = {name.split(".")[0] for name in imports(path)} & MODEL_LIBRARIES
    if room(path) in ("measure", "audit", "across", "report"):
        assert not libraries
    top = {name.split(".")[0] for name in imports(path, top_only=True)} & MODEL_LIBRARIES
    assert not top, f"{path} imports {top} at its top"


HEAVY = ("numpy", "polars", "scipy", "matplotlib", "msgspec", "PIL", "jinja2", *MODEL_LIBRARIES)


@pytest.mark.parametrize("code", ["import trope", "import trope.cli", "import trope.errors"])
def test_importing_trope_loads_nothing_heavy(code: str) -> None:
    check = f"{code}; import sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from trope.cli import _run; assert _run(['run', '--help'], debug=False) == 0;"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip().endswith("[]")


def test_the_documented_verbs_are_there() -> None:
    for name in trope.__all__:
        assert callable(getattr(trope, name))
        assert name in dir(trope)
    with pytest.raises(AttributeError):
        _ = trope.nothing_of_the_kind
