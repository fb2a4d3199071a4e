"""What trope adds to an encoder's forward passes, and what embedding everything once saves.

    python bench/encoders.py [PICTURES]

A CLIP of the ViT-B/32 configuration with random weights looks at JPEGs of 640 x 480. First:
`trope.engine.execute` from files to scores (decoding, preparing, hashing, the cache) against the
bare forward passes over the same distinct inputs, decoded and prepared beforehand. Then: every
picture and text embedded once against scoring pair by pair, both towers rerun for every pair in a
batch of one, on pictures decoded beforehand. Loading the model is left out of both. Each ratio is
given in wall time and, for a machine that is busy with other things, in processor time.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

os.environ["HF_HUB_OFFLINE"] = "1"

from trope.engine import execute
from trope.engine.cache import Cache
from trope.item import Benchmark, Candidate, Item
from trope.prompt import get
from trope.score import load_scorer

BATCH = 32
ROUNDS = 2
MOST_OVERHEAD = 1.15
LEAST_GAIN = 4.0
Times = NDArray[np.float64]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        checkpoint = save_checkpoint(root / "clip")
        photos = save_photos(root, count)
        address = f"clip:{checkpoint}?device=cpu&batch={BATCH}"
        scorer = load_scorer(address)
        scorer.embed_texts(["warm"])
        overhead = overhead_ratio(scorer, address, root, photos)
        gain = once_ratio(scorer, address, root, photos[: min(100, count)])
    print(
        f"overhead: {overhead[0]:.3f} x the bare passes (processor time {overhead[1]:.3f}); "
        f"wanted: {MOST_OVERHEAD} or less"
    )
    print(
        f"once: {gain[0]:.1f} x as fast as pair by pair (processor time {gain[1]:.1f}); "
        f"wanted: {LEAST_GAIN} or more"
    )


def overhead_ratio(scorer: Any, address: str, root: Path, photos: list[Path]) -> Times:
    bare, scored = np.zeros(2), np.zeros(2)
    share = len(photos) // ROUNDS
    for start in range(0, share * ROUNDS, share):  # in turns: what disturbs one disturbs both
        own = photos[start : start + share]
        asked = benchmark(root, own, texts=len(own) // 5, each=5)
        pixels, tokens = prepared(scorer, asked, own)
        bare += timed(lambda: forward(scorer, pixels, tokens))  # noqa: B023
        scored += timed(lambda: score(asked, scorer, address))  # noqa: B023
    print(
        f"{share * ROUNDS} pictures, {share * ROUNDS // 5} texts: "
        f"bare {bare[0]:.1f} s, scored {scored[0]:.1f} s"
    )
    return scored / bare


def once_ratio(scorer: Any, address: str, root: Path, photos: list[Path]) -> Times:
    """Each of five texts asked about each picture."""
    asked = benchmark(root, photos, texts=5, each=len(photos))
    pixels, _ = prepared(scorer, asked, photos)
    encoded = [scorer.tokenizer(item.phrase, return_tensors="pt") for item in asked.items]

    def pairs() -> None:
        for picture in pixels:
            for tokens in encoded:
                forward(scorer, picture[None], [dict(tokens)])

    once, each = timed(lambda: score(asked, scorer, address)), timed(pairs)
    print(f"{len(photos)} pictures x 5 texts: once {once[0]:.1f} s, pair by pair {each[0]:.1f} s")
    return each / once


def score(asked: Benchmark, scorer: Any, address: str) -> None:
    """From files to scores, with a new cache."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        run = execute(asked, scorer, get("phrase"), address=address, cache=cache)
        cache.close()
    assert run.table.answered.all()


def timed(work: Callable[[], None]) -> Times:
    """Wall time and processor time, in seconds."""
    start = time.perf_counter(), time.process_time()
    work()
    return np.array([time.perf_counter() - start[0], time.process_time() - start[1]])


def forward(scorer: Any, pixels: Any, tokens: list[dict[str, Any]]) -> None:
    """The bare passes, a batch at a time."""
    import torch

    model = scorer._model
    with torch.inference_mode():
        for start in range(0, len(pixels), BATCH):
            model.get_image_features(pixel_values=pixels[start : start + BATCH])
        for part in tokens:
            model.get_text_features(**part)


def prepared(scorer: Any, asked: Benchmark, photos: list[Path]) -> tuple[Any, list[dict[str, Any]]]:
    """What the towers take, made beforehand: pixels, and the texts in padded batches."""
    import torch

    from trope.score.pixels import decode

    arrays = [
        scorer.processor(images=decode(path), return_tensors="np")["pixel_values"][0]
        for path in photos
    ]
    texts = sorted({item.phrase for item in asked.items}, key=len)
    tokens = [
        dict(scorer.tokenizer(texts[i : i + BATCH], padding=True, return_tensors="pt"))
        for i in range(0, len(texts), BATCH)
    ]
    return torch.from_numpy(np.stack(arrays)), tokens


def benchmark(root: Path, photos: list[Path], *, texts: int, each: int) -> Benchmark:
    """`texts` items, each with `each` pictures; all pictures are used."""
    items = []
    for i in range(texts):
        own = [photos[(i * each + k) % len(photos)] for k in range(each)]
        candidates = tuple(Candidate(id=path.name, image=path.name) for path in own)
        phrase = f"phrase number {i} of many"
        items.append(Item(id=str(i), phrase=phrase, language="en", candidates=candidates))
    return Benchmark(name="bench", task="ranking", items=tuple(items), root=root)


def save_photos(root: Path, count: int) -> list[Path]:
    """JPEGs with broad shapes and some grain, as photographs have."""
    from PIL import Image

    rng = np.random.default_rng(1)
    paths = []
    for i in range(count):
        coarse = rng.integers(0, 256, (12, 16, 3), dtype=np.uint8)
        broad = np.asarray(Image.fromarray(coarse).resize((640, 480), 3)).astype(int)
        grain = rng.integers(-12, 13, (480, 640, 1))
        path = root / f"{i}.jpg"
        Image.fromarray((broad + grain).clip(0, 255).astype(np.uint8)).save(path, quality=88)
        paths.append(path)
    return paths


def save_checkpoint(folder: Path) -> Path:
    """ViT-B/32 as OpenAI configured it, with weights at random and one token a character."""
    import torch
    import transformers
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    letters = [chr(c) for c in range(33, 127)]
    words = [*letters, *(f"{c}</w>" for c in letters), "<|startoftext|>", "<|endoftext|>"]
    tokenizer = transformers.CLIPTokenizer(vocab={w: i for i, w in enumerate(words)}, merges=[])
    tokenizer.model_max_length = 77
    ids = {"bos_token_id": len(words) - 2, "eos_token_id": len(words) - 1, "pad_token_id": 0}
    torch.manual_seed(1)
    config = transformers.CLIPConfig(text_config=ids)
    transformers.CLIPModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    transformers.CLIPImageProcessorPil().save_pretrained(folder)
    return folder


if __name__ == "__main__":
    main()
