"""The open_clip scorer against a stand-in for the library: what is asked of it, and how its
refusals are put. The library itself needs torchvision and is run by the last test where it is
installed."""

from __future__ import annotations

import importlib.machinery
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope.errors import InputError
from trope.score import SCORERS, hub, load_scorer
from trope.score.faces import Picture

torch = pytest.importorskip("torch")


class Model(torch.nn.Module):
    """Towers simple enough to know the answer of."""

    def encode_image(self, pixels: Any) -> Any:
        return pixels.mean(dim=(2, 3))

    def encode_text(self, tokens: Any) -> Any:
        return tokens.float()[:, :3]


class Tokenizer:
    context_length = 6

    def __call__(self, texts: list[str], context_length: int | None = None) -> Any:
        length = context_length or self.context_length
        rows = torch.zeros(len(texts), length, dtype=torch.long)
        for row, text in zip(rows, texts, strict=True):
            ids = [*map(ord, text), 1][:length]
            ids[-1] = 1
            row[: len(ids)] = torch.tensor(ids)
        return rows


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the stand-in was asked for."""
    calls: list[Any] = []
    library = types.ModuleType("open_clip")
    library.__spec__ = importlib.machinery.ModuleSpec("open_clip", None)
    library.__path__ = []  # type: ignore[attr-defined]
    pretrained = types.ModuleType("open_clip.pretrained")

    def create(name: str, **options: Any) -> Any:
        calls.append((name, options))
        return Model(), lambda image: torch.from_numpy(
            np.moveaxis(np.asarray(image.resize((4, 4))), -1, 0).astype(np.float32)
        )

    library.create_model_from_pretrained = create  # type: ignore[attr-defined]
    library.get_tokenizer = lambda name: Tokenizer()  # type: ignore[attr-defined]
    library.get_pretrained_cfg = lambda name, tag: {}  # type: ignore[attr-defined]
    library.pretrained = pretrained  # type: ignore[attr-defined]
    pretrained.download_pretrained = lambda config: ""  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "open_clip", library)
    monkeypatch.setitem(sys.modules, "open_clip.pretrained", pretrained)
    monkeypatch.setitem(SCORERS, "open_clip", SCORERS["open_clip"]._replace(needs=()))
    monkeypatch.setattr(hub, "versions", lambda *names: dict.fromkeys(names, "0"))
    return calls


def test_towers_tokenizer_and_transform_are_the_librarys(
    asked: list[Any], photos: list[Path], tmp_path: Path
) -> None:
    file = tmp_path / "weights.pt"
    file.write_bytes(b"weights")
    scorer = load_scorer(f"open_clip:ViT-B-32?pretrained={file}&batch=2&device=cpu")
    facts = scorer.fingerprint()
    assert facts["architecture"] == "ViT-B-32" and facts["weights"] == hub.file_hash(file)
    assert not asked, "a fingerprint loads no model"
    rows = scorer.embed_contents([Picture(path, "0" * 64) for path in photos[:5]])
    assert rows.shape == (5, 3) and np.ptp(rows) > 0
    assert scorer.embed_texts(["abc", "xyz"]).tolist() == [[97, 98, 99], [120, 121, 122]]
    options = {"pretrained": str(file), "precision": "fp32", "device": "cpu"}
    assert asked == [("ViT-B-32", options)]


def test_texts_that_do_not_fit_are_found(asked: list[Any]) -> None:
    scorer = load_scorer("open_clip:hf-hub:someone/clip")
    assert scorer.cut(["ab", "abcde", "abcdef", "abcdefgh"]) == [False, False, True, True]


def test_bad_addresses_get_a_sentence(asked: list[Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names no weights"):
        load_scorer("open_clip:ViT-B-32")
    with pytest.raises(InputError, match="needs a name"):
        load_scorer("open_clip")
    with pytest.raises(InputError, match="open_clip has no 'ViT-B-99' with the weights 'x'"):
        load_scorer("open_clip:ViT-B-99?pretrained=x").fingerprint()
    with pytest.raises(InputError, match="holds no weights that open_clip would take"):
        load_scorer(f"open_clip:local-dir:{tmp_path}").fingerprint()


def test_the_library_itself(photos: list[Path], tmp_path: Path) -> None:
    library = pytest.importorskip("open_clip", reason="open_clip needs torchvision")
    model, _, transform = library.create_model_and_transforms("RN50-quickgelu")
    torch.save(model.state_dict(), tmp_path / "weights.pt")
    scorer = load_scorer(f"open_clip:RN50-quickgelu?pretrained={tmp_path / 'weights.pt'}")
    from PIL import Image

    with torch.no_grad():
        truth = [
            model.eval().encode_image(transform(Image.open(p).convert("RGB"))[None])[0].numpy()
            for p in photos[:2]
        ]
    rows = scorer.embed_contents([Picture(path, "0" * 64) for path in photos[:2]])
    np.testing.assert_allclose(rows, truth, atol=1e-4)
