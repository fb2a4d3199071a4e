"""What looking at each picture once saves a judge: 100 pictures x 5 texts.

    python bench/judges.py [PICTURES]

The model is a LLaVA configuration, small enough for a laptop and with random weights: a CLIP
vision tower (6 layers of 192, 197 tokens) and a Llama (6 layers of 256). Pair by pair means one
call of the model for each pair: a batch of one, the vision tower run again for every text. Its
pictures are prepared beforehand; trope decodes and prepares them within its time. The two take
turns, on one thread, so that a busy machine slows both alike.

Fails where the gain is less than wanted or the scores differ.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from trope.score import load_scorer
from trope.score.faces import Picture

PICTURES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
TURN = 10
LEAST = 2.0
SIDE, PATCH = 224, 16
CHAT = (
    "{% for m in messages %}USER: {% for c in m['content'] %}{% if c['type'] == 'image' %}<image>\n"
    "{% else %}{{ c['text'] }}{% endif %}{% endfor %} {% endfor %}ASSISTANT:"
)
PHRASES = ["cold feet", "a hot potato", "red tape", "the elephant in the room", "an open book"]
QUESTIONS = [
    f"Does this figure show the meaning of {phrase} in the sentence: It was {phrase} again, they "
    "said? Please answer yes or no."
    for phrase in PHRASES
]


def main() -> int:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_model(folder / "model")
        pictures = save_pictures(folder / "pictures")
        pairs = [(text, picture) for picture in pictures for text in QUESTIONS]
        ours, theirs = Ours(folder / "model"), Theirs(folder / "model", pictures)
        turn = TURN * len(QUESTIONS)
        for start in range(0, len(pairs), turn):
            theirs.take(pairs[start : start + turn])
            ours.take(pairs[start : start + turn])
    ratio = theirs.seconds / ours.seconds
    apart = float(np.abs(np.array(theirs.scores) - np.array(ours.scores)).max())
    for name, one in (("pair by pair", theirs), ("trope", ours)):
        print(f"{name:13} {one.seconds:7.1f} s  {len(one.passes)} passes of the vision tower")
    print(f"ratio         {ratio:7.2f} x (wanted: {LEAST:g} or more)")
    print(f"scores apart  {apart:7.0e} at most")
    return int(ratio < LEAST or apart > 1e-4 or len(ours.passes) != PICTURES)


class Turns:
    """Scores, the seconds they took and the passes of the vision tower."""

    def __init__(self, model: Any) -> None:
        self.seconds = 0.0
        self.scores: list[float] = []
        self.passes: list[int] = []
        model.model.vision_tower.register_forward_hook(lambda *_: self.passes.append(1))

    def take(self, pairs: list[Any]) -> None:
        start = time.perf_counter()
        self.scores += self.score(pairs)
        self.seconds += time.perf_counter() - start

    def score(self, pairs: list[Any]) -> list[float]:
        raise NotImplementedError


class Ours(Turns):
    def __init__(self, folder: Path) -> None:
        self.scorer: Any = load_scorer(f"vqa:{folder}?device=cpu&estimator=yes_no")
        super().__init__(self.scorer.looker.model)

    def score(self, pairs: list[Any]) -> list[float]:
        return list(self.scorer.judge(pairs))


class Theirs(Turns):
    def __init__(self, folder: Path, pictures: list[Picture]) -> None:
        self.model = transformers.LlavaForConditionalGeneration.from_pretrained(folder).eval()
        super().__init__(self.model)
        processor = transformers.AutoProcessor.from_pretrained(folder)
        self.tokenizer = processor.tokenizer
        vocabulary = self.tokenizer.get_vocab()
        self.yes, self.no = (
            [i for token, i in vocabulary.items() if token.lstrip("Ġ").lower() == word]
            for word in ("yes", "no")
        )
        self.pixels = {
            picture.sha256: processor.image_processor(
                Image.open(picture.path).convert("RGB"), return_tensors="pt"
            ).pixel_values
            for picture in pictures
        }

    def score(self, pairs: list[Any]) -> list[float]:
        marks = "<image>" * (SIDE // PATCH) ** 2
        scores = []
        for text, picture in pairs:
            words = self.tokenizer(f"USER: {marks}\n{text} ASSISTANT:", return_tensors="pt")
            pixels = self.pixels[picture.sha256]
            with torch.inference_mode():
                out = self.model(**words, pixel_values=pixels, logits_to_keep=1)
            logs = out.logits[0, -1].double().log_softmax(-1)
            scores.append(float(logs[self.yes].logsumexp(0) - logs[self.no].logsumexp(0)))
        return scores


def save_model(folder: Path) -> None:
    marks = ["<s>", "</s>", "<pad>", "<image>"]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    # Learned from the questions themselves: about a token a word, as in a real vocabulary.
    words = [f"Yes yes No no {question}" for question in QUESTIONS] * 20
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        words,
        trainers.BpeTrainer(
            vocab_size=2000, initial_alphabet=alphabet, special_tokens=marks, show_progress=False
        ),
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    vision = transformers.CLIPVisionConfig(
        hidden_size=192,
        intermediate_size=768,
        num_hidden_layers=6,
        num_attention_heads=3,
        image_size=SIDE,
        patch_size=PATCH,
    )
    text = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=256,
        intermediate_size=688,
        num_hidden_layers=6,
        num_attention_heads=4,
    )
    config = transformers.LlavaConfig(
        vision_config=vision, text_config=text, image_token_index=marks.index("<image>")
    )
    transformers.LlavaForConditionalGeneration(config).save_pretrained(folder)
    images = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    )
    transformers.LlavaProcessor(
        images,
        tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=CHAT,
    ).save_pretrained(folder)


def save_pictures(folder: Path) -> list[Picture]:
    folder.mkdir()
    rng = np.random.default_rng(0)
    pictures = []
    for i in range(PICTURES):
        path = folder / f"{i}.jpg"
        coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8))
        coarse.resize((512, 512), Image.Resampling.BICUBIC).save(path)
        pictures.append(Picture(path, hashlib.sha256(path.read_bytes()).hexdigest()))
    return pictures


if __name__ == "__main__":
    sys.exit(main())
