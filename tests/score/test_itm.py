"""`itm:` against one plain call of BLIP's and ViLT's own classes for each pair."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope import run
from trope.errors import InputError, UnknownName
from trope.item import Benchmark, Candidate, Item
from trope.score import load_scorer
from trope.score.faces import Picture

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SIDE, LONGEST = 32, 24
TEXTS = ["a dog", "cold feet", "he got cold feet", "x"]
SMALL = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A tiny BLIP or ViLT with its matching head, random weights."""
    t = transformers
    folders: dict[str, Path] = {}
    torch.set_num_threads(1)

    def of(kind: str) -> Path:
        if kind in folders:
            return folders[kind]
        folder = tmp_path_factory.mktemp(kind)
        letters = [chr(c) for c in range(33, 127)]
        marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        words = [*marks, *letters, *(f"##{c}" for c in letters)]
        tokenizer = t.BertTokenizer(vocab={w: i for i, w in enumerate(words)})
        tokenizer.model_max_length = LONGEST
        text = {**SMALL, "vocab_size": len(words), "max_position_embeddings": LONGEST}
        vision = {**SMALL, "image_size": SIDE, "patch_size": 8}
        torch.manual_seed(2)
        if kind == "blip":
            config = t.BlipConfig(
                text_config={**text, "encoder_hidden_size": 32},
                vision_config=vision,
                image_text_hidden_size=16,
            )
            model = t.BlipForImageTextRetrieval(config)
            images = t.BlipImageProcessorPil(size={"height": SIDE, "width": SIDE})
        else:
            model = t.ViltForImageAndTextRetrieval(t.ViltConfig(**{**text, **vision}))
            images = t.ViltImageProcessorPil(size={"shortest_edge": SIDE}, size_divisor=8)
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if weight.ndim > 1:
                    soft = "position" in name or "class_embedding" in name or "cls_token" in name
                    weight.normal_(std=0.2 if soft else 1.3 / weight[0].numel() ** 0.5)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        images.save_pretrained(folder)
        folders[kind] = folder
        return folder

    return of


@pytest.fixture(scope="module")
def pairs(photos: list[Path]) -> list[tuple[str, Picture]]:
    seen = [Picture(p, hashlib.sha256(p.read_bytes()).hexdigest()) for p in photos[:4]]
    every = [(text, picture) for text in TEXTS for picture in seen]
    return [every[i] for i in np.random.default_rng(4).permutation(len(every))]


def _plain(kind: str, folder: Path, text: str, path: Path) -> list[float]:
    """The head's logits for one pair."""
    from PIL import Image

    name = {"blip": "BlipForImageTextRetrieval", "vilt": "ViltForImageAndTextRetrieval"}[kind]
    model = getattr(transformers, name).from_pretrained(folder).eval()
    images = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    words = tokenizer(text, return_tensors="pt", truncation=True, max_length=LONGEST)
    prepared = images(Image.open(path).convert("RGB"), return_tensors="pt")
    with torch.no_grad():
        if kind == "vilt":
            return [float(x) for x in model(**words, **prepared).logits[0]]
        ids = {"input_ids": words["input_ids"], "attention_mask": words["attention_mask"]}
        return [float(x) for x in model(**ids, **prepared, use_itm_head=True).itm_score[0]]


@pytest.mark.parametrize("kind", ["blip", "vilt"])
def test_the_heads_answer_is_transformers_own_whatever_the_batch_and_the_order(
    kind: str, built: Callable[[str], Path], pairs: list[tuple[str, Picture]]
) -> None:
    plain = [_plain(kind, built(kind), text, picture.path) for text, picture in pairs]
    logits = np.array([row[-1] - (row[0] if len(row) == 2 else 0) for row in plain])
    assert logits.std() > 0.05
    made = load_scorer(f"itm:{built(kind)}?batch=3").judge(pairs)
    np.testing.assert_allclose(made, logits, atol=1e-4)
    shares = load_scorer(f"itm:{built(kind)}?batch=1&estimator=probability").judge(pairs[::-1])
    expected = [
        math.exp(row[1]) / (math.exp(row[0]) + math.exp(row[1]))
        if len(row) == 2
        else 1 / (1 + math.exp(-row[0]))
        for row in plain
    ]
    np.testing.assert_allclose(shares[::-1], expected, atol=1e-4)


def test_blips_vision_tower_sees_each_picture_once(
    built: Callable[[str], Path], pairs: list[tuple[str, Picture]]
) -> None:
    scorer: Any = load_scorer(f"itm:{built('blip')}?batch=2")
    seen: list[int] = []
    scorer._model.vision_model.register_forward_hook(lambda *_: seen.append(1))
    for start in range(0, len(pairs), 5):
        scorer.judge(pairs[start : start + 5])
    assert len(seen) == 4


def test_texts_longer_than_the_model_reads_are_counted_in_the_run(
    built: Callable[[str], Path], photos: list[Path]
) -> None:
    candidates = tuple(Candidate(id=p.name, image=p.name) for p in photos[:2])
    phrases = ["cold feet", "a very long phrase that goes on and on"]
    items = tuple(
        Item(id=str(i), phrase=phrase, language="en", candidates=candidates)
        for i, phrase in enumerate(phrases)
    )
    benchmark = Benchmark(name="tiny", task="ranking", items=items, root=photos[0].parent)
    made = run(benchmark, f"itm:{built('vilt')}", "phrase")[0]
    assert made.meta["counts"]["truncated"] == 1
    assert made.meta["model"]["estimator"] == "logit"
    assert np.isfinite(made.table.score).all()


def test_what_it_can_not_run_gets_a_sentence(
    built: Callable[[str], Path], checkpoint: Callable[[str], Path]
) -> None:
    with pytest.raises(InputError, match="is a clip checkpoint; itm runs blip, vilt"):
        load_scorer(f"itm:{checkpoint('clip')}").fingerprint()
    with pytest.raises(UnknownName, match="logit"):
        load_scorer(f"itm:{built('blip')}?estimator=logits")
    with pytest.raises(InputError, match="looks at pictures"):
        load_scorer(f"itm:{built('blip')}").judge([("a dog", "a caption")])
