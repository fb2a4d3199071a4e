"""`vqa:` against one plain, unbatched call of transformers for each pair.

The models are tiny and random, but of the real architectures, saved and loaded as real ones are.
The oracle never touches trope: it opens the picture, writes the prompt out and reads the logits.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope import run
from trope.errors import InputError
from trope.item import Benchmark, Candidate, Item
from trope.score import load_scorer, sight
from trope.score.faces import Picture
from trope.score.vqa import TELL

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SIDE, PATCH = 28, 14
WORDS = "Yes yes YES No no NO a dog cat picture Does this figure show the meaning of in it? " * 20
TEXTS = [
    "Is it?",
    "Does this figure show the meaning of cold feet in the sentence: He got cold feet? "
    "Please answer yes or no.",
    "a dog",
    "Does it show a cat {braces} or none?",
]
VISION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": SIDE,
    "patch_size": PATCH,
}
LLAMA = {
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
LLAVA_CHAT = (
    "{% for m in messages %}USER: {% for c in m['content'] %}{% if c['type'] == 'image' %}<image>\n"
    "{% else %}{{ c['text'] }}{% endif %}{% endfor %} {% endfor %}ASSISTANT:"
)
QWEN_CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ c['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)
KINDS = [
    "llava",
    "llava-plain",
    "llava_next",
    "qwen2_vl",
    "qwen2_5_vl",
    "instructblip-t5",
    "instructblip-llama",
    "blip-2-t5",
    "vipllava",
]


# -- tiny checkpoints ----------------------------------------------------------------------------


def _tokenizer(*marks: str, **names: Any) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=380,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=list(marks),
        show_progress=False,
    )
    made.train_from_iterator([WORDS, WORDS.replace(" ", "\n")], trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)


def _ends(tokenizer: Any, single: str, mark: str) -> None:
    from tokenizers import processors

    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=single, special_tokens=[(mark, tokenizer.convert_tokens_to_ids(mark))]
    )


def _llava(kind: str, folder: Path) -> Any:
    t = transformers
    marks = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    tokenizer = _tokenizer("<s>", "</s>", "<pad>", "<image>", **marks)
    _ends(tokenizer, "<s> $A", "<s>")
    text = t.LlamaConfig(vocab_size=len(tokenizer), **LLAMA)
    shared = {
        "vision_config": t.CLIPVisionConfig(**VISION),
        "text_config": text,
        "image_token_index": tokenizer.convert_tokens_to_ids("<image>"),
    }
    square = {"height": SIDE, "width": SIDE}
    options = {
        "patch_size": PATCH,
        "vision_feature_select_strategy": "default",
        "num_additional_image_tokens": 1,
        "chat_template": None if kind == "llava-plain" else LLAVA_CHAT,
    }
    if kind == "llava_next":
        pinned = [[SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
        config = t.LlavaNextConfig(image_grid_pinpoints=pinned, **shared)
        images = t.LlavaNextImageProcessorPil(
            size={"shortest_edge": SIDE}, crop_size=square, image_grid_pinpoints=pinned
        )
        t.LlavaNextProcessor(images, tokenizer, **options).save_pretrained(folder)
        return t.LlavaNextForConditionalGeneration(config)
    images = t.CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size=square)
    t.LlavaProcessor(images, tokenizer, **options).save_pretrained(folder)
    if kind == "vipllava":
        config = t.VipLlavaConfig(vision_feature_layers=[-1, -2], **shared)
        return t.VipLlavaForConditionalGeneration(config)
    return t.LlavaForConditionalGeneration(t.LlavaConfig(**shared))


def _qwen(kind: str, folder: Path) -> Any:
    t = transformers
    marks = (
        "<|endoftext|> <|im_start|> <|im_end|> <|vision_start|> <|vision_end|> <|image_pad|> "
        "<|video_pad|>"
    ).split()
    tokenizer = _tokenizer(*marks, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = QWEN_CHAT
    tokenizer.save_pretrained(folder)
    t.Qwen2VLImageProcessorPil(
        size={"shortest_edge": SIDE * SIDE, "longest_edge": 12 * SIDE * SIDE}
    ).save_pretrained(folder)
    ids = tokenizer.convert_tokens_to_ids
    turns = {"rope_type": "default", "mrope_section": [2, 2, 2], "rope_theta": 10000.0}
    text = {**LLAMA, "vocab_size": len(tokenizer), "rope_parameters": turns}
    text |= {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 0}
    vision = {"depth": 2, "num_heads": 4, "patch_size": PATCH}
    shared = {
        "image_token_id": ids("<|image_pad|>"),
        "video_token_id": ids("<|video_pad|>"),
        "vision_start_token_id": ids("<|vision_start|>"),
        "vision_end_token_id": ids("<|vision_end|>"),
    }
    if kind == "qwen2_vl":
        vision |= {"embed_dim": 32, "hidden_size": 48, "mlp_ratio": 2}
        config = t.Qwen2VLConfig(text_config=text, vision_config=vision, **shared)
        return t.Qwen2VLForConditionalGeneration(config)
    vision |= {"hidden_size": 32, "out_hidden_size": 48, "intermediate_size": 48}
    vision |= {"window_size": 2 * SIDE, "fullatt_block_indexes": [1]}
    config = t.Qwen2_5_VLConfig(text_config=text, vision_config=vision, **shared)
    return t.Qwen2_5_VLForConditionalGeneration(config)


def _blip(kind: str, folder: Path) -> Any:
    t = transformers
    marks = {"eos_token": "</s>", "pad_token": "<pad>", "bos_token": "<s>"}
    tokenizer = _tokenizer("<pad>", "</s>", "<s>", "<image>", **marks)
    if kind.endswith("t5"):
        _ends(tokenizer, "$A </s>", "</s>")
        text = {"model_type": "t5", "d_model": 48, "d_kv": 12, "d_ff": 64, "num_layers": 2}
        text |= {"num_heads": 4, "decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu"}
        text |= {"tie_word_embeddings": False, "eos_token_id": 1, "pad_token_id": 0}
    else:
        _ends(tokenizer, "<s> $A", "<s>")
        text = {"model_type": "llama", **LLAMA, "bos_token_id": 2, "eos_token_id": 1}
    text["vocab_size"] = len(tokenizer)
    former = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    former |= {"intermediate_size": 48, "encoder_hidden_size": 32, "cross_attention_frequency": 1}
    vision = dict(VISION)
    mark = tokenizer.convert_tokens_to_ids("<image>")
    shared = {"vision_config": vision, "text_config": text, "num_query_tokens": 4}
    images = t.BlipImageProcessorPil(size={"height": SIDE, "width": SIDE})
    if kind.startswith("blip-2"):
        t.Blip2Processor(images, tokenizer, num_query_tokens=4).save_pretrained(folder)
        config = t.Blip2Config(qformer_config=former, image_token_index=mark, **shared)
        return t.Blip2ForConditionalGeneration(config)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *map(chr, range(33, 127))]
    words += [f"##{chr(c)}" for c in range(33, 127)]
    reader = t.BertTokenizer(vocab={w: i for i, w in enumerate(words)})
    former["vocab_size"] = len(reader)
    t.InstructBlipProcessor(images, tokenizer, reader, num_query_tokens=4).save_pretrained(folder)
    config = t.InstructBlipConfig(qformer_config=former, image_token_index=mark, **shared)
    return t.InstructBlipForConditionalGeneration(config)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A checkpoint's folder by kind; built once."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    folders: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in folders:
            folder = tmp_path_factory.mktemp(kind)
            torch.manual_seed(3)
            make = _qwen if "qwen" in kind else _blip if "blip" in kind else _llava
            model = make(kind, folder)
            with torch.no_grad():  # spread the numbers: near-equal scores would prove nothing
                for name, weight in model.named_parameters():
                    if weight.ndim > 1:
                        soft = "position_embedding" in name or "class_embedding" in name
                        weight.normal_(std=0.2 if soft else 1.3 / weight[0].numel() ** 0.5)
                    if "query_tokens" in name:
                        weight.normal_()
            model.save_pretrained(folder)
            folders[kind] = folder
        return folders[kind]

    return of


# -- the oracle ----------------------------------------------------------------------------------


class Plain:
    """One call of transformers for each pair."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        auto = transformers.AutoModelForImageTextToText
        self.model = auto.from_pretrained(folder, dtype=torch.float32).eval()
        if "qwen" in kind:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
            self.images = transformers.Qwen2VLImageProcessorPil.from_pretrained(folder)
        else:
            self.processor = transformers.AutoProcessor.from_pretrained(folder)
            self.tokenizer = self.processor.tokenizer

    def inputs(self, text: str, path: Path) -> dict[str, Any]:
        from PIL import Image

        image = Image.open(path).convert("RGB")
        if "qwen" in self.kind:
            seen = self.images(images=image, return_tensors="pt")
            count = int(seen["image_grid_thw"].prod()) // 4
            marks = "<|vision_start|>" + "<|image_pad|>" * count + "<|vision_end|>"
            written = f"<|im_start|>user\n{marks}{text}<|im_end|>\n<|im_start|>assistant\n"
            words = self.tokenizer(written, return_tensors="pt")
            pad = self.tokenizer.convert_tokens_to_ids("<|image_pad|>")
            return {**words, **seen, "mm_token_type_ids": (words["input_ids"] == pad).int()}
        written = {
            "blip-2": f"Question: {text} Answer:",
            "instru": text,
        }.get(self.kind[:6], f"USER: <image>\n{text} ASSISTANT:")
        return dict(self.processor(images=image, text=written, return_tensors="pt"))

    def logs(self, text: str, path: Path, answer: list[int]) -> Any:
        """log P over the vocabulary before each token of an answer, and after the last."""
        inputs = self.inputs(text, path)
        with torch.no_grad():
            if self.kind.endswith("t5"):
                decoder = torch.tensor([[0, *answer]])
                logits = self.model(**inputs, decoder_input_ids=decoder).logits[0]
            else:
                logits = self.model(**_longer(inputs, answer)).logits[0]
                logits = logits[len(logits) - len(answer) - 1 :]
        return logits.double().log_softmax(-1)

    def ids(self, word: str) -> list[int]:
        forms = {word, word.capitalize(), word.upper()}
        coded = [
            self.tokenizer(space + form, add_special_tokens=False)["input_ids"]
            for form in forms
            for space in ("", " ")
        ]
        return sorted({ids[0] for ids in coded if len(ids) == 1})


def _longer(inputs: dict[str, Any], answer: list[int]) -> dict[str, Any]:
    extra = {"input_ids": torch.tensor([answer], dtype=torch.long)}
    extra["attention_mask"] = torch.ones(1, len(answer), dtype=torch.long)
    extra["mm_token_type_ids"] = torch.zeros(1, len(answer), dtype=torch.int)
    return {
        name: torch.cat([value, extra[name]], dim=1) if name in extra and answer else value
        for name, value in inputs.items()
    }


@pytest.fixture(scope="module")
def pictures(photos: list[Path]) -> list[Picture]:
    return [Picture(path, hashlib.sha256(path.read_bytes()).hexdigest()) for path in photos[:4]]


@pytest.fixture
def pairs(pictures: list[Picture]) -> list[tuple[str, Picture]]:
    """All texts with the first three pictures, one with the last; in no order."""
    every = [(text, picture) for text in TEXTS for picture in pictures[:3]]
    every.append((TEXTS[1], pictures[3]))
    return [every[i] for i in np.random.default_rng(1).permutation(len(every))]


# -- parity --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_p_yes_and_yes_no_equal_plain_calls_whatever_the_batch_and_the_order(
    kind: str, built: Callable[[str], Path], pairs: list[tuple[str, Picture]]
) -> None:
    plain = Plain(kind, built(kind))
    yes, no = plain.ids("yes"), plain.ids("no")
    assert len(yes) >= 3
    logs = [plain.logs(text, picture.path, [])[0] for text, picture in pairs]
    p_yes = np.array([float(row[yes].exp().sum()) for row in logs])
    yes_no = np.array([float(row[yes].logsumexp(0) - row[no].logsumexp(0)) for row in logs])
    assert yes_no.std() > 0.05  # the pairs differ
    scorer = load_scorer(f"vqa:{built(kind)}?batch=3")
    np.testing.assert_allclose(scorer.judge(pairs), p_yes, atol=1e-4, rtol=1e-4)
    odds = load_scorer(f"vqa:{built(kind)}?batch=1&estimator=yes_no")
    np.testing.assert_allclose(odds.judge(pairs[::-1])[::-1], yes_no, atol=1e-4)
    np.testing.assert_allclose([odds.judge([pair])[0] for pair in pairs[:3]], yes_no[:3], atol=1e-4)


@pytest.mark.parametrize("kind", ["llava", "qwen2_vl", "instructblip-t5", "instructblip-llama"])
def test_likelihood_is_the_sum_over_the_texts_tokens_less_the_texts_own(
    kind: str, built: Callable[[str], Path], pairs: list[tuple[str, Picture]]
) -> None:
    plain = Plain(kind, built(kind))
    answers = [plain.tokenizer(t, add_special_tokens=False)["input_ids"] for t, _ in pairs]
    given = []
    for ids, (_, picture) in zip(answers, pairs, strict=True):
        logs = plain.logs(TELL, picture.path, ids)
        given.append(sum(float(logs[i, token]) for i, token in enumerate(ids)))
    scorer = load_scorer(f"vqa:{built(kind)}?estimator=likelihood&batch=3")
    np.testing.assert_allclose(scorer.judge(pairs), given, rtol=1e-5, atol=1e-4)
    prior = np.array([_prior(plain, ids) for ids in answers])
    corrected = load_scorer(f"vqa:{built(kind)}?estimator=likelihood&alpha=0.7")
    np.testing.assert_allclose(
        corrected.judge(pairs), np.array(given) - 0.7 * prior, rtol=1e-5, atol=1e-4
    )


def _prior(plain: Plain, answer: list[int]) -> float:
    """log P of the text where the language model is asked alone, without a picture."""
    written = {
        "qwen2_": f"<|im_start|>user\n{TELL}<|im_end|>\n<|im_start|>assistant\n",
        "instru": TELL,
    }.get(plain.kind[:6], f"USER: {TELL} ASSISTANT:")
    ids = plain.tokenizer(written, return_tensors="pt")["input_ids"]
    language = getattr(plain.model, "language_model", None)
    with torch.no_grad():
        if plain.kind.endswith("t5"):
            logits = language(
                input_ids=ids, decoder_input_ids=torch.tensor([[0, *answer[:-1]]])
            ).logits[0]
        else:
            whole = torch.cat([ids, torch.tensor([answer])], dim=1)
            model = plain.model if "blip" not in plain.kind else language
            logits = model(input_ids=whole).logits[0, ids.shape[1] - 1 : -1]
    logs = logits.double().log_softmax(-1)
    return sum(float(logs[i, token]) for i, token in enumerate(answer))


# -- once ----------------------------------------------------------------------------------------

TOWERS = {
    "llava": "model.vision_tower",
    "llava_next": "model.vision_tower",
    "qwen2_vl": "model.visual",
    "qwen2_5_vl": "model.visual",
    "instructblip": "vision_model",
    "blip-2": "vision_model",
}


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each pass through a vision tower."""
    counted: list[int] = []
    opened = sight.open_looker

    def counting(found: Any, where: Any) -> Any:
        looker = opened(found, where)
        tower = looker.model.get_submodule(TOWERS[found.kind])
        own = tower.forward
        tower.forward = lambda *args, **kwargs: (counted.append(1), own(*args, **kwargs))[1]
        return looker

    monkeypatch.setattr(sight, "open_looker", counting)
    return counted


@pytest.mark.parametrize(
    "kind", ["llava", "llava_next", "qwen2_vl", "qwen2_5_vl", "instructblip-t5", "blip-2-t5"]
)
def test_the_vision_tower_sees_each_picture_once(
    kind: str,
    built: Callable[[str], Path],
    pairs: list[tuple[str, Picture]],
    passes: list[int],
) -> None:
    scorer = load_scorer(f"vqa:{built(kind)}?batch=2")
    for start in range(0, len(pairs), 5):  # as the engine hands them over
        scorer.judge(pairs[start : start + 5])
    scorer.judge([("Another question?", picture) for _, picture in pairs])
    assert len(passes) == len({picture.sha256 for _, picture in pairs})


def test_a_run_looks_at_each_picture_once_and_a_second_run_at_none(
    built: Callable[[str], Path], photos: list[Path], passes: list[int], tmp_path: Path
) -> None:
    for path in photos[:3]:
        shutil.copy(path, tmp_path / path.name)
    candidates = tuple(Candidate(id=p.name, image=p.name) for p in photos[:3])
    items = tuple(
        Item(id=str(i), phrase=phrase, language="en", candidates=candidates)
        for i, phrase in enumerate(["cold feet", "hot potato", "red tape"])
    )
    benchmark = Benchmark(name="tiny", task="ranking", items=items, root=tmp_path)
    address = f"vqa:{built('llava')}"
    first = run(benchmark, address, "Does it show {phrase}?")[0]
    assert len(passes) == 3
    assert first.meta["model"]["estimator"] == "p_yes"
    assert first.meta["model"]["sees"] == "picture"
    assert first.meta["counts"]["missing"] == 0
    again = run(benchmark, address, "Does it show {phrase}?")[0]
    assert len(passes) == 3
    np.testing.assert_array_equal(first.table.score, again.table.score)


def test_memory_for_what_was_seen_has_a_bound(
    built: Callable[[str], Path], pictures: list[Picture]
) -> None:
    scorer = load_scorer(f"vqa:{built('llava')}")
    scorer.kept.most = 1
    texts = [(TEXTS[0], picture) for picture in pictures]
    small = scorer.judge([*texts, *texts])
    assert len(scorer.kept._held) == 1
    np.testing.assert_allclose(
        small, load_scorer(f"vqa:{built('llava')}").judge([*texts, *texts]), atol=1e-6
    )


# -- what it says of itself ----------------------------------------------------------------------


def test_the_fingerprint_names_estimator_format_and_weights_without_loading_them(
    built: Callable[[str], Path],
) -> None:
    scorer = load_scorer(f"vqa:{built('llava')}?estimator=yes_no&yes=Sim&no=Nao")
    facts = scorer.fingerprint()
    assert facts["estimator"] == "yes_no"
    assert (facts["yes"], facts["no"]) == ("sim", "nao")
    assert facts["format"] == "chat template"
    assert facts["architecture"] == "llava"
    assert len(facts["weights"]) == 64
    assert "looker" not in vars(scorer)
    plain = load_scorer(f"vqa:{built('llava-plain')}").fingerprint()
    assert plain["format"] == "USER: {image}\n{request} ASSISTANT:"
    likelihood = load_scorer(f"vqa:{built('llava')}?estimator=likelihood&alpha=0.5").fingerprint()
    assert likelihood["alpha"] == "0.5"
    assert likelihood["tell"] == TELL == "Describe this picture."


def test_the_architectures_that_share_a_picture_do_and_the_others_are_asked_pair_by_pair(
    built: Callable[[str], Path],
) -> None:
    kinds = {
        kind: type(load_scorer(f"vqa:{built(kind)}").looker)
        for kind in ("llava_next", "qwen2_vl", "blip-2-t5", "vipllava")
    }
    assert kinds["llava_next"] is kinds["qwen2_vl"] is sight.Sharing
    assert kinds["blip-2-t5"] is sight.Bridged
    assert kinds["vipllava"] is sight.Pairwise


def test_it_writes_what_a_plain_greedy_generation_writes(
    built: Callable[[str], Path], pictures: list[Picture]
) -> None:
    for kind in ("llava", "instructblip-t5"):
        plain = Plain(kind, built(kind))
        inputs = plain.inputs("What is shown?", pictures[0].path)
        with torch.no_grad():
            ids = plain.model.generate(**inputs, max_new_tokens=96, do_sample=False)[0]
        if kind == "llava":
            ids = ids[inputs["input_ids"].shape[1] :]
        expected = plain.tokenizer.decode(ids, skip_special_tokens=True).strip()
        made = load_scorer(f"vqa:{built(kind)}").generate([("What is shown?", pictures[0])])
        assert made == [expected or None]
    with pytest.raises(InputError, match="about pictures only"):
        load_scorer(f"vqa:{built('instructblip-t5')}").generate([("Name a dog.", None)])


# -- bad input -----------------------------------------------------------------------------------


def test_a_text_with_the_pictures_mark_in_it_gets_a_sentence(
    built: Callable[[str], Path], pictures: list[Picture]
) -> None:
    with pytest.raises(InputError, match="stands for the picture"):
        load_scorer(f"vqa:{built('llava')}").judge([("Is <image> it?", pictures[0])])


def test_a_caption_instead_of_a_picture_gets_a_sentence(built: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match="looks at pictures"):
        load_scorer(f"vqa:{built('llava')}").judge([("Is it?", "a caption")])


def test_a_word_that_is_no_token_gets_a_sentence(
    built: Callable[[str], Path], pictures: list[Picture]
) -> None:
    with pytest.raises(InputError, match="no single token for 'affirmative'"):
        load_scorer(f"vqa:{built('llava')}?yes=affirmative").judge([("Is it?", pictures[0])])


def test_another_kind_of_model_is_told_what_vqa_runs(
    tmp_path: Path, built: Callable[[str], Path], pictures: list[Picture]
) -> None:
    other = tmp_path / "other"
    shutil.copytree(built("llava"), other)
    (other / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(InputError, match="is a bert checkpoint; vqa runs blip-2, instructblip"):
        load_scorer(f"vqa:{other}").judge([("Is it?", pictures[0])])


@pytest.mark.parametrize("lost", ["tokenizer.json", "processor_config.json", "model.safetensors"])
def test_a_checkpoint_that_lacks_a_part_is_told_which(
    lost: str, tmp_path: Path, built: Callable[[str], Path]
) -> None:
    folder = tmp_path / "cut"
    shutil.copytree(built("llava"), folder)
    (folder / lost).unlink()
    words = {"tokenizer.json": "no tokenizer", "model.safetensors": "no weights"}
    with pytest.raises(InputError, match=words.get(lost, "no processor")):
        load_scorer(f"vqa:{folder}").fingerprint()


def test_damaged_weights_get_a_sentence(
    tmp_path: Path, built: Callable[[str], Path], pictures: list[Picture]
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(built("llava"), folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    with pytest.raises(InputError, match=r"weights of .* can't be loaded"):
        load_scorer(f"vqa:{folder}").judge([("Is it?", pictures[0])])


def test_a_name_that_is_nowhere_and_no_network_get_a_sentence() -> None:
    with pytest.raises(InputError, match=r"isn't in the local cache|no checkpoint"):
        load_scorer("vqa:llava-hf/llava-1.5-7b-hf").fingerprint()
