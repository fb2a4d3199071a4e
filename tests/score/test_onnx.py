"""A CLIP exported to ONNX gives transformers' numbers, without torch or transformers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope.engine import execute
from trope.engine.cache import Cache
from trope.errors import InputError
from trope.hashes import file_hash
from trope.item import Benchmark, Candidate, Item
from trope.prompt import get
from trope.score import load_scorer
from trope.score.faces import Picture
from trope.score.preparation import Preparation

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

Folder = Callable[[str], Path]
TEXTS = ["cold feet", "x", "the eager beaver works as ever long into the night", "Red Tape"]
BESIDE = ("tokenizer.json", "tokenizer_config.json", "preprocessor_config.json", "config.json")


class Text(torch.nn.Module):
    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Any, attention_mask: Any = None) -> Any:
        return self.model.get_text_features(
            input_ids=input_ids, attention_mask=attention_mask
        ).pooler_output


class Vision(Text):
    def forward(self, pixel_values: Any) -> Any:
        return self.model.get_image_features(pixel_values=pixel_values).pooler_output


class Joint(Text):
    def forward(self, input_ids: Any, pixel_values: Any, attention_mask: Any) -> Any:
        out = self.model(
            input_ids=input_ids, pixel_values=pixel_values, attention_mask=attention_mask
        )
        return out.logits_per_image, out.logits_per_text, out.text_embeds, out.image_embeds


def export(module: Any, inputs: dict[str, Any], outputs: list[str], to: Path, free: bool) -> None:
    axes: dict[str, dict[int, str]] = {}
    if free:
        for name in inputs:
            rows = "pictures" if name == "pixel_values" else "texts"
            axes[name] = {0: rows} if name == "pixel_values" else {0: rows, 1: "tokens"}
    to.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            tuple(inputs.values()),
            str(to),
            input_names=list(inputs),
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )


@pytest.fixture(scope="module")
def exported(checkpoint: Folder, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A checkpoint's graphs in one of the usual layouts; exported once."""
    built: dict[tuple[str, str], Path] = {}

    def of(layout: str, kind: str = "clip") -> Path:
        if (layout, kind) not in built:
            folder = tmp_path_factory.mktemp(layout)
            built[layout, kind] = _export(checkpoint(kind), kind, layout, folder)
        return built[layout, kind]

    return of


def _export(source: Path, kind: str, layout: str, folder: Path) -> Path:
    from transformers import AutoModel

    model = AutoModel.from_pretrained(source, attn_implementation="eager").eval()
    for name in BESIDE:
        shutil.copy(source / name, folder / name)
    free = layout != "fixed"
    rows, length = (2, 5) if free else (1, 24)
    ids = torch.full((rows, length), 3)
    ids[:, 0], ids[:, -1] = 188, 189
    if kind == "siglip":
        ids = torch.full((rows, 24), 3)
    mask = torch.ones_like(ids)
    pixels = torch.zeros(rows, 3, 32, 32)
    if layout == "joint":
        inputs = {"input_ids": ids, "pixel_values": pixels, "attention_mask": mask}
        names = ["logits_per_image", "logits_per_text", "text_embeds", "image_embeds"]
        export(Joint(model), inputs, names, folder / "model.onnx", free)
        return folder
    below = folder / "onnx" if layout == "subfolder" else folder
    text, vision = ("textual", "visual") if layout == "fixed" else ("text_model", "vision_model")
    words = {"input_ids": ids} | ({} if kind == "siglip" else {"attention_mask": mask})
    outputs = ["pooler_output"] * 2 if kind == "siglip" else ["text_embeds", "image_embeds"]
    export(Text(model), words, outputs[:1], below / f"{text}.onnx", free)
    export(Vision(model), {"pixel_values": pixels}, outputs[1:], below / f"{vision}.onnx", free)
    return folder


def shown(paths: list[Path]) -> list[Picture]:
    return [Picture(path, file_hash(path)) for path in paths]


def units(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("layout", ["flat", "subfolder", "joint", "fixed"])
@pytest.mark.parametrize("batch", [1, 4])
def test_scores_are_those_of_transformers(
    layout: str,
    batch: int,
    exported: Callable[..., Path],
    checkpoint: Folder,
    photos: list[Path],
) -> None:
    plain = load_scorer(f"clip:{checkpoint('clip')}?batch=1")
    scorer = load_scorer(f"onnx:{exported(layout)}?batch={batch}")
    truth = units(plain.embed_texts(TEXTS)) @ units(plain.embed_contents(shown(photos))).T
    assert truth.std() > 0.01
    scores = units(scorer.embed_texts(TEXTS)) @ units(scorer.embed_contents(shown(photos))).T
    np.testing.assert_allclose(scores, truth, atol=1e-4)
    assert scorer.cut(TEXTS) == plain.cut(TEXTS) == [False, False, True, False]


def test_siglip_is_padded_and_pooled_as_it_was_trained(
    exported: Callable[..., Path], checkpoint: Folder, photos: list[Path]
) -> None:
    plain = load_scorer(f"siglip:{checkpoint('siglip')}")
    scorer = load_scorer(f"onnx:{exported('flat', 'siglip')}")
    for given in (TEXTS, shown(photos)):
        name = "embed_texts" if given is TEXTS else "embed_contents"
        np.testing.assert_allclose(
            units(getattr(scorer, name)(given)), units(getattr(plain, name)(given)), atol=1e-4
        )


@pytest.mark.parametrize("kind", ["clip", "siglip", "chinese_clip", "blip"])
def test_pixels_are_the_processors_own_to_the_last_bit(
    kind: str, checkpoint: Folder, photos: list[Path]
) -> None:
    from PIL import Image
    from transformers import AutoImageProcessor

    path = checkpoint(kind) / "preprocessor_config.json"
    ours = Preparation.read(json.loads(path.read_text()), path)
    theirs = AutoImageProcessor.from_pretrained(path.parent, backend="pil")
    for photo in photos:
        image = Image.open(photo).convert("RGB")
        assert np.array_equal(ours(image), theirs(image, return_tensors="np")["pixel_values"][0])


def test_an_older_file_and_a_crop_larger_than_the_picture(photos: list[Path]) -> None:
    from PIL import Image
    from transformers import CLIPImageProcessorPil

    config = {
        "size": 30,
        "crop_size": 41,
        "do_center_crop": True,
        "do_normalize": True,
        "image_mean": [0.4, 0.5, 0.6],
        "image_std": [0.2, 0.3, 0.4],
        "resample": 2,
    }
    ours, theirs = Preparation.read(config, Path("x")), CLIPImageProcessorPil(**config)
    for photo in photos:
        image = Image.open(photo).convert("RGB")
        assert np.array_equal(ours(image), theirs(image, return_tensors="np")["pixel_values"][0])


def test_neither_torch_nor_transformers_is_imported(
    exported: Callable[..., Path], photos: list[Path]
) -> None:
    code = f"""
import sys
from pathlib import Path
from trope.score import load_scorer
from trope.score.faces import Picture
scorer = load_scorer("onnx:{exported("flat")}")
scorer.fingerprint()
scorer.embed_texts(["cold feet"])
scorer.embed_contents([Picture(Path({str(photos[0])!r}), "0" * 64)])
print([name for name in ("torch", "transformers", "onnx") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_through_the_engine(
    exported: Callable[..., Path], photos: list[Path], tmp_path: Path
) -> None:
    for photo in photos:
        shutil.copy(photo, tmp_path / photo.name)
    items = tuple(
        Item(
            id=phrase,
            phrase=phrase,
            language="en",
            candidates=tuple(Candidate(id=p.name, image=p.name) for p in photos[:5]),
        )
        for phrase in TEXTS
    )
    asked = Benchmark(name="small", task="ranking", items=items, root=tmp_path)
    scorer = load_scorer(f"onnx:{exported('joint')}")
    run = execute(asked, scorer, get("phrase"), address="onnx", cache=Cache(tmp_path / "cache"))
    assert run.table.answered.all()
    assert run.meta["counts"]["truncated"] == 1
    assert run.meta["model"]["resolution"] == "32x32"
    assert run.meta["model"]["device"] == "cpu"
    assert run.meta["model"]["tokens"] == "24"


def test_the_fingerprint_follows_the_graphs(exported: Callable[..., Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(exported("flat"), tmp_path / "copy"))
    first = load_scorer(f"onnx:{exported('flat')}").fingerprint()
    assert load_scorer(f"onnx:{folder}").fingerprint() == first
    with (folder / "vision_model.onnx").open("ab") as file:
        file.write(b"\0")
    assert load_scorer(f"onnx:{folder}").fingerprint()["weights"] != first["weights"]


def test_a_variant_is_another_graph(exported: Callable[..., Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(exported("flat"), tmp_path / "copy"))
    with pytest.raises(InputError, match=r"text_model_fp16\.onnx and vision_model_fp16\.onnx"):
        load_scorer(f"onnx:{folder}?variant=fp16").fingerprint()
    for name in ("text_model", "vision_model"):
        (folder / f"{name}.onnx").rename(folder / f"{name}_fp16.onnx")
    assert load_scorer(f"onnx:{folder}?variant=fp16").embed_texts(["a"]).shape == (1, 16)


def test_bad_folders_get_a_sentence(exported: Callable[..., Path], tmp_path: Path) -> None:
    def complaint(**broken: str | None) -> str:
        folder = tmp_path / "broken"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(exported("flat"), folder)
        for stem, content in broken.items():
            (path,) = folder.glob(f"{stem}.*")
            path.unlink()
            if content is not None:
                path.write_text(content)
        with pytest.raises(InputError) as caught:
            scorer = load_scorer(f"onnx:{folder}")
            scorer.fingerprint()
            scorer.embed_texts(["a"])
        return str(caught.value)

    assert "holds no graphs" in complaint(text_model=None)
    assert "text_model.onnx can't be loaded" in complaint(text_model="noise")
    assert "has no tokenizer.json" in complaint(tokenizer=None)
    assert "isn't a tokenizer" in complaint(tokenizer="{}")
    assert "has no preprocessor_config.json" in complaint(preprocessor_config=None)
    assert "asks for crop_pct" in complaint(preprocessor_config='{"crop_pct": 0.9}')
    assert "how pictures are resized" in complaint(preprocessor_config='{"size": {}}')
    with pytest.raises(InputError, match="There is no folder"):
        load_scorer(f"onnx:{tmp_path / 'absent'}").fingerprint()
    with pytest.raises(InputError, match="device must be"):
        load_scorer(f"onnx:{tmp_path}?device=tpu")


def test_towers_without_their_projection_are_refused(
    exported: Callable[..., Path], checkpoint: Folder, photos: list[Path], tmp_path: Path
) -> None:
    from transformers import AutoModel

    folder = Path(shutil.copytree(exported("flat"), tmp_path / "bare"))
    model = AutoModel.from_pretrained(checkpoint("clip"), attn_implementation="eager")

    class Bare(Text):
        def forward(self, pixel_values: Any) -> Any:
            return self.model.vision_model(pixel_values=pixel_values).pooler_output

    pixels = {"pixel_values": torch.zeros(2, 3, 32, 32)}
    export(Bare(model), pixels, ["pooler_output"], folder / "vision_model.onnx", True)
    with pytest.raises(InputError, match="no output image_embeds, only pooler_output"):
        load_scorer(f"onnx:{folder}").embed_contents(shown(photos))
    export(Bare(model), pixels, ["embedding"], folder / "vision_model.onnx", True)
    scorer = load_scorer(f"onnx:{folder}")
    scorer.embed_texts(["a"])
    with pytest.raises(InputError, match="vectors of 16 and 32 numbers"):
        scorer.embed_contents(shown(photos))
