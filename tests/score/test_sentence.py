"""Sentence encoders read by hand give what a plain, unbatched computation gives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope.engine import execute
from trope.engine.cache import Cache
from trope.errors import InputError
from trope.item import Benchmark, Candidate, Item
from trope.prompt import get
from trope.score import load_scorer

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

Folder = Callable[[str], Path]
TEXTS = [
    "cold feet",
    "a",
    "the eager beaver works long",
    "x y",
    "red tape is long and dull to read",
]
FLAG = {
    "mean": "pooling_mode_mean_tokens",
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean_sqrt_len": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}


def laid_out(
    source: Path,
    folder: Path,
    *,
    pooling: list[str],
    dense: bool = False,
    normal: bool = False,
    own: dict[str, Any] | None = None,
) -> Path:
    """A checkpoint in the sentence-transformers layout."""
    shutil.copytree(source, folder)
    kind = "sentence_transformers.models."
    modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
    (folder / "1_Pooling").mkdir()
    config = {
        "word_embedding_dimension": 32,
        **{flag: name in pooling for name, flag in FLAG.items()},
    }
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(config))
    if dense:
        from safetensors.torch import save_file

        modules.append(("2_Dense", "Dense"))
        (folder / "2_Dense").mkdir()
        config = {
            "in_features": 32,
            "out_features": 8,
            "bias": True,
            "activation_function": "torch.nn.modules.activation.Tanh",
        }
        (folder / "2_Dense" / "config.json").write_text(json.dumps(config))
        torch.manual_seed(3)
        layer = torch.nn.Linear(32, 8)
        state = {"linear.weight": layer.weight.data, "linear.bias": layer.bias.data}
        save_file(state, folder / "2_Dense" / "model.safetensors")
    if normal:
        modules.append((f"{len(modules)}_Normalize", "Normalize"))
        (folder / modules[-1][0]).mkdir()
    listed = [
        {"idx": i, "name": str(i), "path": path, "type": kind + name}
        for i, (path, name) in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "sentence_bert_config.json").write_text(json.dumps(own or {}))
    return folder


def tokens_of(folder: Path, text: str, longest: int) -> tuple[Any, Any]:
    """The last layer of one text, unpadded."""
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(
        text, return_tensors="pt", truncation=True, max_length=longest
    )
    with torch.no_grad():
        return AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0].numpy()


def pool(name: str, hidden: np.ndarray) -> np.ndarray:
    weights = np.arange(1, len(hidden) + 1)[:, None]
    return {
        "mean": lambda: hidden.mean(axis=0),
        "cls": lambda: hidden[0],
        "max": lambda: hidden.max(axis=0),
        "mean_sqrt_len": lambda: hidden.sum(axis=0) / np.sqrt(len(hidden)),
        "weightedmean": lambda: (hidden * weights).sum(axis=0) / weights.sum(),
        "lasttoken": lambda: hidden[-1],
    }[name]()


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("batch", [1, 3, 32])
def test_vectors_are_those_of_a_plain_computation(
    kind: str, batch: int, checkpoint: Folder, tmp_path: Path
) -> None:
    longest = 24 if kind == "bert" else 22  # XLM-R's positions start at 2
    folder = laid_out(checkpoint(kind), tmp_path / "st", pooling=["mean"])
    truth = np.stack([pool("mean", tokens_of(folder, text, longest)) for text in TEXTS])
    scorer = load_scorer(f"st:{folder}?batch={batch}")
    assert scorer.limit == longest
    np.testing.assert_allclose(scorer.embed_texts(TEXTS), truth, atol=1e-4)
    backwards = scorer.embed_contents(TEXTS[::-1])[::-1]
    np.testing.assert_allclose(backwards, truth, atol=1e-4)
    assert np.ptp(truth, axis=0).max() > 0.1


@pytest.mark.parametrize("name", FLAG)
def test_every_pooling(name: str, checkpoint: Folder, tmp_path: Path) -> None:
    folder = laid_out(checkpoint("bert"), tmp_path / "st", pooling=[name])
    truth = np.stack([pool(name, tokens_of(folder, text, 24)) for text in TEXTS])
    np.testing.assert_allclose(load_scorer(f"st:{folder}").embed_texts(TEXTS), truth, atol=1e-4)
    plain = load_scorer(f"st:{checkpoint('bert')}?pooling={name}")
    np.testing.assert_allclose(plain.embed_texts(TEXTS), truth, atol=1e-4)


def test_dense_and_normalisation_follow(checkpoint: Folder, tmp_path: Path) -> None:
    folder = laid_out(
        checkpoint("bert"), tmp_path / "st", pooling=["mean"], dense=True, normal=True
    )
    torch.manual_seed(3)
    layer = torch.nn.Linear(32, 8)
    pooled = np.stack([pool("mean", tokens_of(folder, text, 24)) for text in TEXTS])
    truth = np.tanh(pooled @ layer.weight.detach().numpy().T + layer.bias.detach().numpy())
    truth /= np.linalg.norm(truth, axis=1, keepdims=True)
    np.testing.assert_allclose(load_scorer(f"st:{folder}").embed_texts(TEXTS), truth, atol=1e-4)


def test_the_library_itself_agrees(checkpoint: Folder, tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    for i, kind in enumerate(("bert", "xlm-roberta")):
        folder = laid_out(
            checkpoint(kind),
            tmp_path / str(i),
            pooling=["mean", "cls"] if i else ["mean"],
            dense=not i,
            normal=True,
            own={"max_seq_length": 16, "do_lower_case": True},
        )
        theirs = library.SentenceTransformer(str(folder), device="cpu").encode(
            TEXTS, normalize_embeddings=True
        )
        ours = load_scorer(f"st:{folder}").embed_texts(TEXTS)
        ours /= np.linalg.norm(ours, axis=1, keepdims=True)
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_the_folder_says_how_much_is_read(checkpoint: Folder, tmp_path: Path) -> None:
    folder = laid_out(
        checkpoint("bert"), tmp_path / "st", pooling=["mean"], own={"max_seq_length": 8}
    )
    scorer = load_scorer(f"st:{folder}")
    assert scorer.cut(["abcdef", "abcdefg"]) == [False, True]
    vectors = scorer.embed_texts(["abcdefg", "abcdefh"])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)


def test_a_prefix_stands_before_every_text(checkpoint: Folder, tmp_path: Path) -> None:
    bare = load_scorer(f"st:{checkpoint('bert')}")
    asked = load_scorer(f"st:{checkpoint('bert')}?prefix=query: ")
    truth = bare.embed_texts(["query: cold feet"])
    np.testing.assert_allclose(asked.embed_texts(["cold feet"]), truth, atol=1e-6)
    assert bare.fingerprint() != asked.fingerprint()
    folder = laid_out(checkpoint("bert"), tmp_path / "st", pooling=["mean"])
    prompts = {"prompts": {"sts": "query: "}, "default_prompt_name": "sts"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    named = load_scorer(f"st:{folder}")
    assert named.fingerprint()["prefix"] == "query: "
    np.testing.assert_allclose(named.embed_texts(["cold feet"]), truth, atol=1e-6)


def test_captions_longer_than_it_reads_are_counted(checkpoint: Folder, tmp_path: Path) -> None:
    def item(name: str, *captions: str) -> Item:
        return Item(
            id=name,
            phrase="cold feet",
            language="en",
            candidates=tuple(
                Candidate(id=str(i), captions={"en": text}) for i, text in enumerate(captions)
            ),
        )

    items = (item("short", "a b", "c"), item("long", "a b", "b" * 40, "c" * 40))
    asked = Benchmark(name="small", task="ranking", items=items)
    scorer = load_scorer(f"st:{checkpoint('bert')}")
    run = execute(asked, scorer, get("phrase"), address="st", cache=Cache(tmp_path))
    assert run.meta["counts"]["truncated"] == 1
    assert run.meta["model"]["sees"] == "caption"
    assert run.table.answered.all()


def test_bad_folders_get_a_sentence(checkpoint: Folder, tmp_path: Path) -> None:
    def complaint(place: Path) -> str:
        with pytest.raises(InputError) as caught:
            scorer = load_scorer(f"st:{place}")
            scorer.fingerprint()
            scorer.embed_texts(["a"])
        return str(caught.value)

    folder = laid_out(checkpoint("bert"), tmp_path / "a", pooling=["mean"], dense=True)
    (folder / "2_Dense" / "model.safetensors").write_bytes(b"noise")
    assert "dense layer" in complaint(folder)
    (folder / "2_Dense" / "model.safetensors").unlink()
    assert "holds no weights" in complaint(folder)
    folder = laid_out(checkpoint("bert"), tmp_path / "b", pooling=["mean"])
    (folder / "1_Pooling" / "config.json").write_text("{}")
    assert "asks for the pooling none" in complaint(folder)
    (folder / "modules.json").write_text('[{"type": "x.WordEmbeddings", "path": ""}]')
    assert "'WordEmbeddings'; st runs Transformer" in complaint(folder)
    (folder / "modules.json").write_text("[1]")
    assert "doesn't list modules" in complaint(folder)
    with pytest.raises(InputError, match="pooling must be one of"):
        load_scorer(f"st:{folder}?pooling=best")
