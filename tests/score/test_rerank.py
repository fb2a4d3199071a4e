"""`rerank:` against one plain call of a BERT and an XLM-R cross-encoder for each pair."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from trope import run
from trope.errors import InputError
from trope.item import Benchmark, Candidate, Item
from trope.score import load_scorer

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

LONGEST = 64
SMALL = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
PAIRS = [
    ("cold feet", "two feet in snow"),
    ("cold feet", "a bride who runs from the church"),
    ("x", "y"),
    ("he got cold feet before it", "an ice cream"),
    ("cold feet", "snow " * 40),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A tiny cross-encoder: `bert` or `xlm-roberta` with one label, `two` labels, or `three`."""
    t = transformers
    folders: dict[str, Path] = {}
    torch.set_num_threads(1)

    def of(kind: str) -> Path:
        if kind in folders:
            return folders[kind]
        folder = tmp_path_factory.mktemp(kind)
        letters = [chr(c) for c in range(33, 127)]
        marks = ["<s>", "<pad>", "</s>", "<unk>"] if kind == "xlm-roberta" else []
        marks += ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        words = [*marks, *letters, *(f"##{c}" for c in letters)]
        tokenizer = t.BertTokenizer(vocab={w: i for i, w in enumerate(words)})
        labels = {"two": 2, "three": 3}.get(kind, 1)
        shared = {**SMALL, "vocab_size": len(words), "num_labels": labels}
        torch.manual_seed(9)
        if kind == "xlm-roberta":
            pad = tokenizer.pad_token_id
            config = t.XLMRobertaConfig(
                **shared,
                max_position_embeddings=LONGEST + pad + 1,
                pad_token_id=pad,
                type_vocab_size=2,
            )
            model = t.XLMRobertaForSequenceClassification(config)
        else:
            config = t.BertConfig(**shared, max_position_embeddings=LONGEST)
            model = t.BertForSequenceClassification(config)
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if weight.ndim > 1:
                    weight.normal_(std=0.3 if "position" in name else 1.3 / weight.shape[1] ** 0.5)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        folders[kind] = folder
        return folder

    return of


def _plain(folder: Path, text: str, caption: str) -> list[float]:
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    words = tokenizer(text, caption, return_tensors="pt", truncation=True, max_length=LONGEST)
    with torch.no_grad():
        return [float(x) for x in model(**words).logits[0]]


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "two"])
def test_the_logit_is_transformers_own_whatever_the_batch_and_the_order(
    kind: str, built: Callable[[str], Path]
) -> None:
    rows = [_plain(built(kind), text, caption) for text, caption in PAIRS]
    expected = np.array([row[-1] - (row[0] if len(row) == 2 else 0) for row in rows])
    assert expected.std() > 0.05
    scorer = load_scorer(f"rerank:{built(kind)}?batch=3")
    np.testing.assert_allclose(scorer.judge(PAIRS), expected, atol=1e-4)
    one = load_scorer(f"rerank:{built(kind)}?batch=1")
    np.testing.assert_allclose(one.judge(PAIRS[::-1])[::-1], expected, atol=1e-4)


def test_the_prompt_comes_first_and_the_caption_second(built: Callable[[str], Path]) -> None:
    scorer = load_scorer(f"rerank:{built('bert')}")
    there, back = scorer.judge([("cold feet", "warm hands"), ("warm hands", "cold feet")])
    assert abs(there - back) > 1e-3


def test_a_run_reads_captions_and_counts_those_that_were_cut(built: Callable[[str], Path]) -> None:
    def item(name: str, caption: str) -> Item:
        shown = (
            Candidate(id="1", captions={"en": caption}),
            Candidate(id="2", captions={"en": "a"}),
        )
        return Item(id=name, phrase="cold feet", language="en", candidates=shown)

    items = (item("short", "two feet"), item("long", "snow " * 40))
    made = run(Benchmark(name="tiny", task="ranking", items=items), f"rerank:{built('bert')}")[0]
    assert made.meta["counts"]["truncated"] == 1
    assert made.meta["model"]["sees"] == "caption"
    assert made.meta["model"]["estimator"] == "logit"


def test_what_is_no_cross_encoder_gets_a_sentence(
    built: Callable[[str], Path], checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    with pytest.raises(InputError, match="no cross-encoder"):
        load_scorer(f"rerank:{checkpoint('bert')}").fingerprint()
    with pytest.raises(InputError, match="3 classes"):
        load_scorer(f"rerank:{built('three')}").judge(PAIRS)
    headless = tmp_path / "headless"
    shutil.copytree(built("bert"), headless)
    weights = load_file(headless / "model.safetensors")
    body = {name: weight for name, weight in weights.items() if "classifier" not in name}
    save_file(body, headless / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"don't fit its config.json: 2 absent"):
        load_scorer(f"rerank:{headless}").judge(PAIRS)


def test_the_fingerprint_loads_no_weights(built: Callable[[str], Path]) -> None:
    scorer = load_scorer(f"rerank:{built('bert')}")
    assert scorer.fingerprint()["estimator"] == "logit"
    assert "_model" not in vars(scorer)
