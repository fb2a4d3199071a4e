"""Tiny checkpoints of real architectures, with random weights and small vocabularies, saved as
their authors save them; and a folder of pictures. Nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

SIDE = 32
LONGEST = 24
VISION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": SIDE,
    "patch_size": 8,
}
TEXT = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": LONGEST,
}


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A checkpoint's folder by its architecture; built once."""
    built: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in built:
            built[kind] = _save(kind, tmp_path_factory.mktemp(kind))
        return built[kind]

    return of


@pytest.fixture(scope="session")
def photos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Nine pictures of different sizes, PNG and JPEG."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("photos")
    rng = np.random.default_rng(5)
    paths = []
    for i in range(9):
        coarse = rng.integers(0, 256, (3 + i % 4, 4 + i % 3, 3), dtype=np.uint8)
        path = folder / f"{i}.{'png' if i % 2 else 'jpg'}"
        Image.fromarray(coarse).resize((40 + 7 * i, 90 - 5 * i), 3).save(path)
        paths.append(path)
    return paths


def _save(kind: str, folder: Path) -> Path:
    import torch
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)  # tiny models lose more to waiting threads than they gain
    torch.manual_seed(7)
    tokenizer = _tokenizer(kind, folder)
    model = _model(kind, len(tokenizer), tokenizer)
    with torch.no_grad():  # spread the embeddings: near-equal scores would prove nothing
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                place = "position_embedding" in name or "class_embedding" in name
                weight.normal_(std=0.1 if place else 1.5 / weight[0].numel() ** 0.5)
    model.save_pretrained(folder)
    if (processor := _image_processor(kind)) is not None:
        processor.save_pretrained(folder)
    return folder


def _model(kind: str, words: int, tokenizer: Any) -> Any:
    import transformers as t

    ids = {
        "vocab_size": words,
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id or 0,
        "eos_token_id": tokenizer.eos_token_id or 0,
    }
    text = {**TEXT, **ids}
    if kind in ("clip", "metaclip_2"):
        config, model = (
            (t.CLIPConfig, t.CLIPModel) if kind == "clip" else (t.MetaClip2Config, t.MetaClip2Model)
        )
        return model(config(text_config=text, vision_config=VISION, projection_dim=16))
    if kind in ("chinese_clip", "altclip"):
        config, model = (
            (t.ChineseCLIPConfig, t.ChineseCLIPModel)
            if kind == "chinese_clip"
            else (t.AltCLIPConfig, t.AltCLIPModel)
        )
        extra = {"project_dim": 32} if kind == "altclip" else {}
        return model(config(text_config={**text, **extra}, vision_config=VISION, projection_dim=16))
    if kind == "siglip":
        return t.SiglipModel(t.SiglipConfig(text_config=text, vision_config=VISION))
    if kind == "siglip2":
        vision = {k: v for k, v in VISION.items() if k != "image_size"} | {"num_patches": 16}
        return t.Siglip2Model(t.Siglip2Config(text_config=text, vision_config=vision))
    if kind == "align":
        vision = {
            "image_size": SIDE,
            "hidden_dim": 24,
            "in_channels": [32, 16],
            "out_channels": [16, 24],
            "kernel_sizes": [3, 3],
            "strides": [1, 2],
            "num_block_repeats": [1, 1],
            "expand_ratios": [1, 2],
            "depthwise_padding": [],
            "width_coefficient": 1.0,
            "depth_coefficient": 1.0,
        }
        config = t.AlignConfig(text_config=text, vision_config=vision, projection_dim=24)
        return t.AlignModel(config)
    if kind == "blip":
        config = t.BlipConfig(
            text_config={**text, "encoder_hidden_size": 32, "projection_dim": 16},
            vision_config=VISION,
            image_text_hidden_size=16,
            projection_dim=16,
        )
        return t.BlipForImageTextRetrieval(config)
    if kind == "bert":
        return t.BertModel(t.BertConfig(**text))
    if kind == "xlm-roberta":
        return t.XLMRobertaModel(t.XLMRobertaConfig(**text))
    raise AssertionError(kind)


def _image_processor(kind: str) -> Any:
    import transformers as t

    side = {"height": SIDE, "width": SIDE}
    if kind in ("clip", "metaclip_2", "altclip"):
        return t.CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size=side)
    if kind == "chinese_clip":
        return t.ChineseCLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size=side)
    if kind == "siglip":
        return t.SiglipImageProcessorPil(size=side)
    if kind == "siglip2":
        return t.Siglip2ImageProcessorPil(patch_size=8, max_num_patches=20)
    if kind == "align":
        return t.EfficientNetImageProcessorPil(
            size={"height": SIDE + 6, "width": SIDE + 6}, do_center_crop=True, crop_size=side
        )
    if kind == "blip":
        return t.BlipImageProcessorPil(size=side)
    return None


def _tokenizer(kind: str, folder: Path) -> Any:
    """One token a character: every text can be written, and few characters make many tokens."""
    import transformers as t

    letters = [chr(c) for c in range(33, 127)]
    if kind == "clip":
        marks = ["<|startoftext|>", "<|endoftext|>"]
        vocab = [*letters, *(f"{c}</w>" for c in letters), *marks]
        tokenizer = t.CLIPTokenizer(vocab={w: i for i, w in enumerate(vocab)}, merges=[])
    elif kind in ("bert", "blip", "align", "chinese_clip"):
        marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        vocab = [*marks, *letters, *(f"##{c}" for c in letters)]
        tokenizer = t.BertTokenizer(vocab={w: i for i, w in enumerate(vocab)})
    else:
        tokenizer = _letters(letters, masked=kind not in ("siglip", "siglip2"))
    tokenizer.model_max_length = LONGEST if kind != "xlm-roberta" else 10**9
    tokenizer.save_pretrained(folder)
    return tokenizer


def _letters(letters: list[str], *, masked: bool) -> Any:
    import tokenizers as tk
    from transformers import PreTrainedTokenizerFast

    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    vocab = {w: i for i, w in enumerate([*marks, "▁", *letters])}
    model = tk.Tokenizer(tk.models.WordLevel(vocab, unk_token="<unk>"))
    model.normalizer = tk.normalizers.Sequence(
        [tk.normalizers.Lowercase(), tk.normalizers.Replace(" ", "▁")]
    )
    model.pre_tokenizer = tk.pre_tokenizers.Split(tk.Regex("."), "isolated")
    single = "<s> $A </s>" if masked else "$A </s>"
    model.post_processor = tk.processors.TemplateProcessing(
        single=single, special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = ["input_ids", "attention_mask"] if masked else ["input_ids"]
    return PreTrainedTokenizerFast(
        tokenizer_object=model,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_input_names=names,
    )
