"""The figures as files: whole, the same each time, and deaf to what labels hold."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

from PIL import Image

from trope.report.plots import write_plots


def _neighbour() -> ModuleType:
    """The runs that the page's tests make."""
    spec = importlib.util.spec_from_file_location(
        "report_page_tests", Path(__file__).with_name("test_page.py")
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


page = _neighbour()
NAMES = [
    f"{name}.{kind}" for name in ("leaderboard", "differences", "roles") for kind in ("svg", "png")
]


def test_three_figures_each_in_two_forms(tmp_path: Path) -> None:
    made = page.make_benchmark()
    runs = [page.make_run(made, page.perfect, "a"), page.make_run(made, page.noise(1), "b")]
    written = write_plots(runs, tmp_path / "plots")
    assert [path.name for path in written] == NAMES
    for path in written:
        if path.suffix == ".svg":
            assert ElementTree.parse(path).getroot().tag.endswith("svg")
        else:
            with Image.open(path) as image:
                assert image.width > 400


def test_the_same_runs_give_the_same_svg(tmp_path: Path) -> None:
    made = page.make_benchmark()
    runs = [page.make_run(made, page.perfect, "a"), page.make_run(made, page.noise(1), "b")]
    first, second = write_plots(runs, tmp_path / "1"), write_plots(runs, tmp_path / "2")
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
    assert b"<dc:date>" not in first[0].read_bytes()


def test_hostile_labels_are_drawn_as_they_are(tmp_path: Path) -> None:
    made = page.make_benchmark()
    names = [page.HOSTILE, "$\\frac{", "a\nb\x07", page.RTL]
    runs = [page.make_run(made, page.noise(i), name) for i, name in enumerate(names)]
    for path in write_plots(runs, tmp_path):
        if path.suffix == ".svg":
            ElementTree.parse(path)


def test_what_cannot_be_drawn_is_not_written(tmp_path: Path) -> None:
    made, bare = page.make_benchmark(), page.make_benchmark(gold=False)
    alone = write_plots([page.make_run(made, page.perfect)], tmp_path / "one")
    assert {path.stem for path in alone} == {"leaderboard", "roles"}
    assert write_plots([page.make_run(bare, page.noise(1))], tmp_path / "bare") == []


def test_matplotlib_is_loaded_only_to_draw() -> None:
    code = "import sys, trope.report.plots, trope.report.page; print('matplotlib' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
