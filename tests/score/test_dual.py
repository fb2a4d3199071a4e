"""Two-tower encoders give the numbers of a plain, unbatched forward pass of the whole model."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope.engine import Tally, execute
from trope.engine.cache import Cache
from trope.errors import InputError
from trope.hashes import file_hash
from trope.item import Benchmark, Candidate, Item
from trope.prompt import get
from trope.report.table import runs_text, show_text
from trope.score import load_scorer
from trope.score.faces import Picture

pytest.importorskip("torch")
pytest.importorskip("transformers")

Folder = Callable[[str], Path]
FAMILY = {
    "clip": "clip",
    "chinese_clip": "clip",
    "altclip": "clip",
    "metaclip_2": "clip",
    "siglip": "siglip",
    "siglip2": "siglip",
    "align": "align",
    "blip": "blip-itc",
}
TEXTS = [
    "cold feet",
    "a red tape",
    "The eager beaver works, as ever, long into the night.",
    "x",
    "big wig",
]


def shown(paths: list[Path]) -> list[Picture]:
    return [Picture(path, file_hash(path)) for path in paths]


def units(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def plain(kind: str, folder: Path, texts: list[str], paths: list[Path]) -> np.ndarray:
    """The model's own forward pass, one pair at a time, back from its logit to the cosine."""
    import torch
    import transformers as t
    from PIL import Image

    auto = t.BlipForImageTextRetrieval if kind == "blip" else t.AutoModel
    model = auto.from_pretrained(folder).eval()
    tokenizer = t.AutoTokenizer.from_pretrained(folder)
    processor = t.AutoImageProcessor.from_pretrained(folder, backend="pil")
    padding = "max_length" if kind.startswith("siglip") else False
    longest = model.config.text_config.max_position_embeddings
    if kind == "altclip":  # positions start after the padding token's
        longest -= model.config.text_config.pad_token_id + 1
    scores = np.empty((len(texts), len(paths)))
    for i, text in enumerate(texts):
        tokens = tokenizer(
            text, return_tensors="pt", padding=padding, truncation=True, max_length=longest
        )
        tokens.pop("token_type_ids", None)
        for j, path in enumerate(paths):
            pixels = processor(Image.open(path).convert("RGB"), return_tensors="pt")
            with torch.no_grad():
                if kind == "blip":
                    scores[i, j] = model(**tokens, **pixels, use_itm_head=False).itm_score
                    continue
                logit = float(model(**tokens, **pixels).logits_per_image)
            scores[i, j] = _cosine(model, logit)
    return scores


def _cosine(model: Any, logit: float) -> float:
    if hasattr(model, "temperature"):
        return logit * model.temperature.item()
    bias = model.logit_bias.item() if hasattr(model, "logit_bias") else 0.0
    return (logit - bias) / math.exp(model.logit_scale.item())


@pytest.mark.parametrize("kind", FAMILY)
def test_scores_are_those_of_a_plain_forward_pass(
    kind: str, checkpoint: Folder, photos: list[Path]
) -> None:
    folder = checkpoint(kind)
    truth = plain(kind, folder, TEXTS, photos)
    assert truth.std() > 0.01, "a model whose scores are all alike proves nothing"
    for batch in (1, 4, 32):
        scorer = load_scorer(f"{FAMILY[kind]}:{folder}?batch={batch}")
        order = random.Random(batch).sample(range(len(photos)), len(photos))
        pictures = units(scorer.embed_contents(shown([photos[i] for i in order])))
        texts = units(scorer.embed_texts(TEXTS[::-1]))[::-1]
        np.testing.assert_allclose(texts @ pictures.T, truth[:, order], atol=1e-4)


def test_siglip_logits_order_as_the_cosine_does(checkpoint: Folder, photos: list[Path]) -> None:
    import torch
    from PIL import Image
    from transformers import AutoModel, AutoProcessor

    folder = checkpoint("siglip")
    model = AutoModel.from_pretrained(folder).eval()
    processor = AutoProcessor.from_pretrained(folder)
    inputs = processor(
        text=TEXTS[:1],
        images=[Image.open(path).convert("RGB") for path in photos],
        padding="max_length",
        truncation=True,
        return_tensors="pt",
    )
    with torch.no_grad():
        logits = model(**inputs).logits_per_image[:, 0].numpy()
    scorer = load_scorer(f"siglip:{folder}")
    cosines = units(scorer.embed_texts(TEXTS[:1])) @ units(scorer.embed_contents(shown(photos))).T
    assert np.argsort(logits).tolist() == np.argsort(cosines[0]).tolist()


@pytest.mark.parametrize("kind", ["clip", "siglip", "siglip2", "align", "blip"])
def test_pixels_are_the_processors_own_to_the_last_bit(
    kind: str, checkpoint: Folder, photos: list[Path]
) -> None:
    from PIL import Image
    from transformers import AutoImageProcessor

    folder = checkpoint(kind)
    scorer = load_scorer(f"{FAMILY[kind]}:{folder}")
    processor = AutoImageProcessor.from_pretrained(folder, backend="pil")
    theirs = processor([Image.open(path).convert("RGB") for path in photos], return_tensors="np")
    ours = [scorer.prepare_picture(picture) for picture in shown(photos)]
    assert ours[0].keys() == theirs.keys()
    for name in theirs:
        assert np.array_equal(np.stack([one[name] for one in ours]), np.asarray(theirs[name]))


def test_a_run_says_what_the_model_was(checkpoint: Folder) -> None:
    folder = checkpoint("clip")
    facts = load_scorer(f"clip:{folder}?device=cpu").fingerprint()
    assert facts["architecture"] == "clip"
    assert facts["device"] == "cpu"
    assert facts["dtype"] == "float32"
    assert facts["resolution"] == "32x32"
    assert json.loads(facts["preparation"])["image_mean"][0] == pytest.approx(0.48145466)
    assert facts["transformers"] and facts["torch"] and facts["pillow"]
    assert len(facts["weights"]) == 64
    other = load_scorer(f"clip:{folder}?device=cpu&dtype=bfloat16").fingerprint()
    assert other["dtype"] == "bfloat16"
    assert all(isinstance(value, str) for value in facts.values())


def test_half_precision_is_near(checkpoint: Folder, photos: list[Path]) -> None:
    folder = checkpoint("clip")
    whole, half = (
        units(load_scorer(f"clip:{folder}?dtype={kind}").embed_contents(shown(photos)))
        for kind in ("float32", "bfloat16")
    )
    assert not np.array_equal(whole, half)
    np.testing.assert_allclose(whole, half, atol=0.05)


# -- through the engine


def benchmark(root: Path, photos: list[Path]) -> Benchmark:
    """Twelve items that share seven pictures; one picture lies under two names."""
    names = [f"{i}{path.suffix}" for i, path in enumerate(photos[:7])]
    for name, path in zip(names, photos, strict=False):
        (root / name).write_bytes(path.read_bytes())
    (root / "again.jpg").write_bytes(photos[0].read_bytes())
    names.append("again.jpg")
    items = tuple(
        Item(
            id=str(i),
            phrase=["cold feet", "red tape", "big wig", "a phrase that is far too long for it"][
                i % 4
            ],
            language="en",
            candidates=tuple(
                Candidate(id=name, image=name, gain=float(slot == 0))
                for slot, name in enumerate(names[(i + k) % 8] for k in range(5))
            ),
        )
        for i in range(12)
    )
    return Benchmark(name="small", task="ranking", items=items, root=root)


def test_each_distinct_picture_passes_the_vision_tower_once(
    checkpoint: Folder, photos: list[Path], tmp_path: Path
) -> None:
    scorer = load_scorer(f"clip:{checkpoint('clip')}?batch=3")
    rows = {"vision": 0, "text": 0}
    model = scorer._model
    model.vision_model.register_forward_pre_hook(
        lambda module, args, kwargs: rows.__setitem__(
            "vision", rows["vision"] + len(kwargs["pixel_values"])
        ),
        with_kwargs=True,
    )
    model.text_model.register_forward_pre_hook(
        lambda module, args, kwargs: rows.__setitem__(
            "text", rows["text"] + len(kwargs["input_ids"])
        ),
        with_kwargs=True,
    )
    cache = Cache(tmp_path / "cache")
    asked = benchmark(tmp_path, photos)
    for _ in range(2):
        run = execute(asked, scorer, get("phrase"), address="clip", cache=cache)
        assert rows == {"vision": 7, "text": 4}
    same = [row for row, ids in enumerate(run.table.candidates) if {"0.jpg", "again.jpg"} <= {*ids}]
    assert same
    for row in same:
        ids = run.table.candidates[row]
        score = run.table.score[row]
        assert score[ids.index("0.jpg")] == score[ids.index("again.jpg")]


def test_texts_cut_short_are_counted_the_same_cold_and_warm(
    checkpoint: Folder, photos: list[Path], tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    asked = benchmark(tmp_path, photos)
    address = f"clip:{checkpoint('clip')}"
    cold = execute(asked, load_scorer(address), get("phrase"), address=address, cache=cache)
    assert cold.meta["counts"]["truncated"] == 3
    warm_scorer = load_scorer(address)
    tally = Tally()
    warm = execute(asked, warm_scorer, get("phrase"), address=address, cache=cache, tally=tally)
    assert tally.computed == 0
    assert warm.meta == cold.meta
    assert not {"tokenizer", "_model", "processor", "limit"} & warm_scorer.__dict__.keys()
    short = execute(
        asked.head(3), load_scorer(address), get("phrase"), address=address, cache=cache
    )
    assert short.meta["counts"]["truncated"] == 0
    assert "3 of 12 items hold a text longer than it reads" in " ".join(runs_text([cold]).split())
    assert "longer than it reads" not in runs_text([short])
    assert "cut short    3 of 12 items" in show_text(cold)


def test_the_batch_is_no_part_of_the_experiment(
    checkpoint: Folder, photos: list[Path], tmp_path: Path
) -> None:
    asked, folder = benchmark(tmp_path, photos), checkpoint("clip")
    fingerprints = set()
    for options in ("", "?batch=2", "?device=cpu&batch=5"):
        address = f"clip:{folder}{options}"
        cache = Cache(tmp_path / "cache")
        run = execute(asked, load_scorer(address), get("phrase"), address=address, cache=cache)
        fingerprints.add(run.fingerprint)
        assert run.model == f"clip:{folder}"
    assert len(fingerprints) == 1


def test_an_item_of_several_texts_is_counted_once(
    checkpoint: Folder, photos: list[Path], tmp_path: Path
) -> None:
    asked, address = benchmark(tmp_path, photos), f"clip:{checkpoint('clip')}"
    prompt = get("{phrase}||a picture of the well known {phrase}")
    run = execute(
        asked, load_scorer(address), prompt, address=address, cache=Cache(tmp_path / "cache")
    )
    assert run.meta["counts"]["truncated"] == len(asked) == 12


def test_what_is_cut_is_what_the_tokenizer_says(checkpoint: Folder) -> None:
    scorer = load_scorer(f"clip:{checkpoint('clip')}")
    assert scorer.limit == 24
    exactly, over = "a" * 22, "a" * 23  # with the marks of beginning and end: 24 and 25
    assert scorer.cut([exactly, over]) == [False, True]
    vectors = scorer.embed_texts([over, over + "bc", exactly])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)


def test_batches_shrink_when_memory_runs_out_and_go_on(
    checkpoint: Folder, photos: list[Path]
) -> None:
    address = f"clip:{checkpoint('clip')}?batch=8"
    truth = load_scorer(address).embed_contents(shown(photos))
    scorer = load_scorer(address)
    forward, sizes = scorer._forward, []

    def tight(features: Any, inputs: dict[str, Any]) -> Any:
        sizes.append(len(next(iter(inputs.values()))))
        if sizes[-1] > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return forward(features, inputs)

    scorer._forward = tight
    np.testing.assert_allclose(scorer.embed_contents(shown(photos)), truth, atol=1e-5)
    assert sizes == [8, 4, 2, 2, 2, 2, 1]
    scorer.embed_contents(shown(photos[:3]))
    assert sizes[7:] == [2, 1], "the smaller batch is kept"


def test_an_error_that_is_not_about_memory_is_not_hidden(
    checkpoint: Folder, photos: list[Path]
) -> None:
    scorer = load_scorer(f"clip:{checkpoint('clip')}")

    def broken(features: Any, inputs: dict[str, Any]) -> Any:
        raise RuntimeError("shapes cannot be multiplied")

    scorer._forward = broken
    with pytest.raises(RuntimeError, match="shapes"):
        scorer.embed_contents(shown(photos))


# -- bad input


def test_the_wrong_family_is_named(checkpoint: Folder) -> None:
    folder = checkpoint("siglip")
    with pytest.raises(InputError, match=r"is a siglip checkpoint; clip runs .*clip.*siglip:"):
        load_scorer(f"clip:{folder}").fingerprint()


def test_an_unknown_architecture_names_what_is_supported(
    checkpoint: Folder, tmp_path: Path
) -> None:
    for path in checkpoint("clip").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "flamingo"}))
    with pytest.raises(InputError, match="is a flamingo checkpoint; clip runs altclip, chinese"):
        load_scorer(f"clip:{tmp_path}").fingerprint()


def test_a_broken_picture_is_named(checkpoint: Folder, photos: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.jpg"
    data = bytearray(photos[0].read_bytes())
    bad.write_bytes(bytes(data[:100]) + b"\xff\xd9")
    scorer = load_scorer(f"clip:{checkpoint('clip')}")
    with pytest.raises(InputError, match=r"bad\.jpg"):
        scorer.embed_contents([*shown(photos), Picture(bad, "0" * 64)])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ("?batch=0", "batch"),
        ("?device=tpu", "device"),
        ("?dtype=int8", "dtype"),
        ("?decode=fast", "decode"),
        ("?devise=cpu", "devise"),
        ("?revision=main", "folder"),
    ],
)
def test_a_wrong_option_is_named(options: str, word: str, checkpoint: Folder) -> None:
    with pytest.raises(InputError, match=word):
        load_scorer(f"clip:{checkpoint('clip')}{options}").fingerprint()
