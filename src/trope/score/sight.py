"""Generative models that look at a picture once and are asked about it many times.

A `Looker` takes a question about a picture in three steps, each done no more often than the
architecture allows: `look` (the vision tower: once a picture), `begin` (what all questions about
a picture share), `answer` (the questions themselves, several at a time). What comes out are raw
logits, the same as one plain call of the model for each pair would give.

Questions of a batch are padded on the right: with causal attention nothing before the padding
sees it, and encoders are given a mask. Nothing here knows an estimator or a benchmark.
"""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

from trope.errors import InputError, shown
from trope.score import hub

CHAT = "chat template"
"""A checkpoint that brings a chat template is asked in it: the picture, then the request."""
PLAIN = {
    "blip-2": "Question: {request} Answer:",
    "instructblip": "{request}",
    "llava": "USER: {image}\n{request} ASSISTANT:",
    "llava_next": "USER: {image}\n{request} ASSISTANT:",
}
"""How the others are asked, as their authors do."""
PLAINEST = "{image}\n{request}\n"
"""How one is asked that is in neither table."""
BRIDGED = ("blip-2", "instructblip")
"""A Q-Former between the vision tower and the language model. InstructBLIP's reads the question
too, so what is kept of a picture is the vision tower's output."""
SHARED = ("llava", "llava_next", "qwen2_vl", "qwen2_5_vl")
"""The picture comes first and attention is causal: all questions go on from the same keys and
values. Held to exactness by the tests; other architectures are asked pair by pair."""


class Ask(NamedTuple):
    """A request, and the tokens of the answer whose likelihood is wanted; none for the first."""

    request: str
    answer: tuple[int, ...] = ()


class Looker(ABC):
    """A loaded model and its processor."""

    def __init__(self, model: Any, processor: Any, where: hub.Place, form: str) -> None:
        self.model = model
        self.processor = processor
        self.where = where
        self.form = form

    @abstractmethod
    def look(self, image: Any) -> Any:
        """What is kept of a picture."""

    def begin(self, seen: Any) -> Any:
        """What all questions about a picture share."""
        return seen

    @abstractmethod
    def answer(self, begun: Any, asks: Sequence[Ask], *, alone: bool) -> list[Any]:
        """For each ask the logits over the vocabulary: a row for each token of its answer, or
        one for the first. `alone`: nothing else is asked about this picture."""

    def blind(self, ask: Ask) -> Any:
        """The same rows where the model is shown no picture."""
        return self._rows(self._inputs(None, ask.request), ask)

    def write(self, image: Any | None, request: str, *, most: int) -> str:
        """The model's likeliest words, taken one by one."""
        import torch

        inputs = self._inputs(image, request)
        with torch.inference_mode():
            ids = self.model.generate(**inputs, max_new_tokens=most, do_sample=False)[0].tolist()
        before = inputs["input_ids"][0].tolist()
        if ids[: len(before)] == before:
            ids = ids[len(before) :]
        return str(self.tokenizer.decode(ids, skip_special_tokens=True)).strip()

    # -- words

    @cached_property
    def tokenizer(self) -> Any:
        return self.processor.tokenizer

    def tokens(self, text: str) -> tuple[int, ...]:
        """A text as it stands in an answer."""
        return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def written(self, request: str, *, shown_picture: bool = True) -> str:
        """The request as the model reads it, up to where its answer begins."""
        if self.image_mark and self.image_mark in request:
            raise InputError(
                f"The prompt {shown(request)} holds {shown(self.image_mark)}, the mark that "
                "stands for the picture; leave it out."
            )
        if self.form == CHAT:
            content = [{"type": "image"}] if shown_picture else []
            messages = [{"role": "user", "content": [*content, {"type": "text", "text": request}]}]
            return str(
                self.processor.apply_chat_template(
                    messages, add_generation_prompt=True, tokenize=False
                )
            )
        form = self.form if shown_picture else self.form.replace("{image}\n", "")
        return form.replace("{image}", self.image_mark).replace("{request}", request)

    @cached_property
    def image_mark(self) -> str:
        return str(getattr(self.processor, "image_token", None) or "")

    def options(self, written: str) -> dict[str, bool]:
        """A format that brings its own mark of beginning gets no second one."""
        first = self.tokenizer.bos_token
        return {"add_special_tokens": False} if first and written.startswith(first) else {}

    # -- the plain way: one call of processor and model

    def _inputs(self, image: Any | None, request: str) -> dict[str, Any]:
        written = self.written(request, shown_picture=image is not None)
        if image is None:
            made = self.tokenizer(written, return_tensors="pt", **self.options(written))
        else:
            options = self.options(written)
            made = self.processor(images=image, text=written, return_tensors="pt", **options)
        return self.moved(dict(made))

    def _rows(self, inputs: dict[str, Any], ask: Ask) -> Any:
        import torch

        ids = inputs["input_ids"]
        with torch.inference_mode():
            if self.start is not None:
                decoder = torch.tensor([[self.start, *ask.answer[:-1]]], device=ids.device)
                return self.model(**inputs, decoder_input_ids=decoder).logits[0]
            before = ids.shape[1]
            longer = {
                name: torch.cat([value, _filled(value, len(ask.answer), name)], dim=1)
                for name, value in inputs.items()
                if value.shape == ids.shape
            }
            if ask.answer:
                longer["input_ids"][0, before:] = torch.tensor(ask.answer)
            logits = self.model(**{**inputs, **longer}).logits[0]
            return logits[before - 1 : before - 1 + max(1, len(ask.answer))]

    @cached_property
    def start(self) -> int | None:
        """The token an encoder-decoder's answer starts after; None for a decoder alone."""
        inner = getattr(self.model, "language_model", None)
        configs: list[Any] = [getattr(inner, "config", None), self.model.config]
        for config in configs:
            if getattr(config, "is_encoder_decoder", False):
                return int(config.decoder_start_token_id)
        return None

    def moved(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """On the model's device; floats as the model's."""
        dtype = self.where.torch_dtype
        return {
            name: value.to(self.where.device, dtype if value.is_floating_point() else None)
            for name, value in inputs.items()
            if hasattr(value, "is_floating_point")
        }


class Pairwise(Looker):
    """Any model: the whole of it for every pair."""

    def look(self, image: Any) -> Any:
        return image

    def answer(self, begun: Any, asks: Sequence[Ask], *, alone: bool) -> list[Any]:
        return [self._rows(self._inputs(begun, ask.request), ask) for ask in asks]


class Seen(NamedTuple):
    """A picture's part of the model's input."""

    tokens: dict[str, Any]
    """By name, what comes before the question: the ids and what goes with each of them."""
    about: dict[str, Any]
    """By name, what the model wants to know of the picture besides its features."""
    features: Any


class Sharing(Looker):
    """A decoder that reads the picture first: its keys and values serve every question."""

    def look(self, image: Any) -> Seen:
        import torch

        inputs = self._inputs(image, "")
        before = self.shared(inputs)
        tokens = {
            name: value[:, :before]
            for name, value in inputs.items()
            if value.shape == inputs["input_ids"].shape
        }
        about = {n: v for n, v in inputs.items() if n not in tokens and n != "pixel_values"}
        wanted = inspect.signature(self._inner.get_image_features).parameters
        with torch.inference_mode():
            made = self._inner.get_image_features(
                inputs["pixel_values"],
                return_dict=True,
                **{name: value for name, value in about.items() if name in wanted},
            )
        return Seen(tokens, about, made.pooler_output)

    def fits(self) -> bool:
        """Whether the processor makes more tokens of the picture's mark, and changes no other."""
        from PIL import Image

        return self.shared(self._inputs(Image.new("RGB", (64, 64), "white"), "")) > 0

    def shared(self, inputs: dict[str, Any]) -> int:
        """How many tokens come before the question; 0 where that can't be told."""
        head, tail = self._around("")
        ids = inputs["input_ids"][0].tolist()
        before = len(ids) - len(tail)
        return before if ids[: len(head)] == head and ids[before:] == tail else 0

    def begin(self, seen: Seen) -> Any:
        import torch

        features = {"image": SimpleNamespace(pooler_output=seen.features)}
        with torch.inference_mode():
            read = self._inner(
                **seen.tokens, **seen.about, mm_encoder_outputs=features, use_cache=True
            )
        return read.past_key_values

    def answer(self, begun: Any, asks: Sequence[Ask], *, alone: bool) -> list[Any]:
        import torch

        tails = [self._around(ask.request)[1] for ask in asks]
        ids = padded([[*t, *ask.answer] for t, ask in zip(tails, asks, strict=True)])
        past = begun if alone else copy.deepcopy(begun)
        if len(asks) > 1:
            past.batch_repeat_interleave(len(asks))
        with torch.inference_mode():
            logits = self.model(
                input_ids=ids.to(self.where.device), past_key_values=past, use_cache=True
            ).logits
        return [
            logits[row, len(t) - 1 : len(t) - 1 + max(1, len(ask.answer))]
            for row, (t, ask) in enumerate(zip(tails, asks, strict=True))
        ]

    def _around(self, request: str) -> tuple[list[int], list[int]]:
        """The tokens before and after the picture's."""
        written = self.written(request)
        ids = self.tokenizer(written, **self.options(written))["input_ids"]
        place = ids.index(self.tokenizer.convert_tokens_to_ids(self.image_mark))
        return ids[:place], ids[place + 1 :]

    @property
    def _inner(self) -> Any:
        """The model without its head."""
        return self.model.model


class Bridged(Looker):
    """A Q-Former model: the vision tower once, the rest for each question."""

    def look(self, image: Any) -> Any:
        import torch

        made = self.processor.image_processor(images=image, return_tensors="pt")
        with torch.inference_mode():
            out = self.model.vision_model(**self.moved({"pixel_values": made["pixel_values"]}))
        return out.last_hidden_state, out.pooler_output

    def answer(self, begun: Any, asks: Sequence[Ask], *, alone: bool) -> list[Any]:
        import torch

        questions = [self._question(ask.request) for ask in asks]
        lengths = [len(q["input_ids"]) for q in questions]
        decoder = {}
        if self.start is None:
            for q, ask in zip(questions, asks, strict=True):
                q["input_ids"] = [*q["input_ids"], *ask.answer]
                q["attention_mask"] = [1] * len(q["input_ids"])
        else:
            starts = [[self.start, *ask.answer[:-1]] for ask in asks]
            decoder = {"decoder_input_ids": padded(starts)}
        inputs = {name: padded([q[name] for q in questions]) for name in questions[0]}
        with torch.inference_mode(), self._shown(begun, len(asks)) as blank:
            logits = self.model(**self.moved({**inputs, **decoder}), pixel_values=blank).logits
        firsts = [0] * len(asks) if decoder else [length - 1 for length in lengths]
        return [
            logits[row, first : first + max(1, len(ask.answer))]
            for row, (first, ask) in enumerate(zip(firsts, asks, strict=True))
        ]

    def blind(self, ask: Ask) -> Any:
        import torch

        language = self.model.language_model
        written = self.written(ask.request, shown_picture=False)
        ids = self.tokenizer(written, return_tensors="pt").input_ids.to(self.where.device)
        with torch.inference_mode():
            if self.start is not None:
                decoder = torch.tensor([[self.start, *ask.answer[:-1]]], device=ids.device)
                return language(input_ids=ids, decoder_input_ids=decoder).logits[0]
            answer = torch.tensor([ask.answer], device=ids.device, dtype=ids.dtype)
            logits = language(input_ids=torch.cat([ids, answer], dim=1)).logits[0]
        return logits[ids.shape[1] - 1 : ids.shape[1] - 1 + max(1, len(ask.answer))]

    def write(self, image: Any | None, request: str, *, most: int) -> str:
        if image is None:
            raise InputError("This model writes about pictures only; give it one.")
        return super().write(image, request, most=most)

    def _question(self, request: str) -> dict[str, list[int]]:
        """The tokens for the language model and for the Q-Former, as the processor gives them."""
        from PIL import Image

        blank = Image.new("RGB", (32, 32), "white")
        made = self.processor(images=blank, text=self.written(request))
        return {
            name: list(value[0] if isinstance(value[0], list) else value)
            for name, value in made.items()
            if name != "pixel_values"
        }

    @contextmanager
    def _shown(self, begun: Any, times: int) -> Iterator[Any]:
        """While it lasts, the vision tower's answer to anything is what it saw before."""
        from transformers.modeling_outputs import BaseModelOutputWithPooling

        states, pooled = (part.expand(times, *part.shape[1:]) for part in begun)
        tower = self.model.vision_model
        own = tower.forward
        tower.forward = lambda *_, **__: BaseModelOutputWithPooling(
            last_hidden_state=states, pooler_output=pooled
        )
        try:
            yield states.new_zeros(times, 3, 1, 1)
        finally:
            tower.forward = own


def open_looker(found: hub.Checkpoint, where: hub.Place) -> Looker:
    """Load a checkpoint behind the most sparing looker it allows."""
    import transformers

    model = hub.load_model(transformers.AutoModelForImageTextToText.from_pretrained, found, where)
    processor = load_processor(found)
    form = form_of(found)
    if found.kind in BRIDGED:
        if getattr(processor, "num_query_tokens", 0) is None:  # as in checkpoints of old
            processor.num_query_tokens = model.config.num_query_tokens
        return Bridged(model, processor, where, form)
    inner = getattr(model, "model", None)
    if found.kind in SHARED and "mm_encoder_outputs" in _parameters(inner):
        sharing = Sharing(model, processor, where, form)
        if sharing.fits():
            return sharing
    return Pairwise(model, processor, where, form)


def form_of(found: hub.Checkpoint) -> str:
    """How a checkpoint is asked, from its files."""
    beside = any((found.folder / f"chat_template.{kind}").is_file() for kind in ("jinja", "json"))
    inside = [found.json(f"{name}_config.json") for name in ("tokenizer", "processor")]
    if beside or any(config.get("chat_template") for config in inside):
        return CHAT
    return PLAIN.get(found.kind, PLAINEST)


def load_processor(found: hub.Checkpoint) -> Any:
    """The checkpoint's processor for pictures and text, on Pillow."""
    from transformers import AutoProcessor

    with hub.complaints(found, "processor"), hub.quiet():
        try:
            processor = AutoProcessor.from_pretrained(found.folder, local_files_only=True)
        except ImportError:  # its processor of videos wants torchvision; no video is shown here
            processor = _without_video(found)
        if not hasattr(processor, "image_processor") or not hasattr(processor, "tokenizer"):
            raise InputError(
                f"The checkpoint {shown(found.name, most=200)} has no processor for pictures and "
                f"text; {found.remedy}."
            )
        processor.image_processor = hub.load_image_processor(found)
    return processor


def _without_video(found: hub.Checkpoint) -> Any:
    """A processor of pictures and text alone."""
    from transformers import AutoConfig
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    kind = PROCESSOR_MAPPING[type(AutoConfig.from_pretrained(found.folder, local_files_only=True))]

    class Still(kind):  # type: ignore[misc, valid-type]
        def check_argument_for_proper_class(self, name: str, argument: Any) -> Any:
            if argument is None:
                return None
            return super().check_argument_for_proper_class(name, argument)

    tokenizer = hub.load_tokenizer(found)
    template = tokenizer.chat_template or found.json("chat_template.json").get("chat_template")
    accepted = _parameters(kind, "__init__")
    settings = {k: v for k, v in found.json("processor_config.json").items() if k in accepted}
    return Still(
        **{
            **settings,
            "image_processor": hub.load_image_processor(found),
            "tokenizer": tokenizer,
            "video_processor": None,
            "chat_template": template,
        }
    )


def padded(rows: Sequence[Sequence[int]]) -> Any:
    """Rows of tokens as one tensor, with zeros on the right; a mask padded so hides them."""
    import torch

    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], dtype=torch.long)


def _filled(value: Any, count: int, name: str) -> Any:
    return value.new_full((value.shape[0], count), 1 if name == "attention_mask" else 0)


def _parameters(thing: Any, method: str = "forward") -> Any:
    function = getattr(thing, method, None)
    return inspect.signature(function).parameters if function is not None else {}
