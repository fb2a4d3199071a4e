"""`onnx:FOLDER`: CLIP-style exports through onnxruntime, without torch or transformers.

The folder holds a text and a vision graph, or one graph of both, as optimum and transformers.js
lay them out, with `tokenizer.json` and `preprocessor_config.json` beside them. Pictures are
prepared here with numpy and Pillow, bit for bit as transformers' Pillow processors do it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from trope.address import Address
from trope.errors import InputError, shown
from trope.hashes import value_hash
from trope.score import hub, pixels
from trope.score.batches import Batches
from trope.score.faces import Content, Encoder, Floats, Picture
from trope.score.preparation import Preparation

AT_ONCE = 256
TEXT_GRAPHS = ("text_model", "textual", "text", "text_encoder", "textual/model")
VISION_GRAPHS = ("vision_model", "visual", "vision", "image_encoder", "visual/model")
JOINT_GRAPHS = ("model",)
TEXT_OUTPUTS = ("text_embeds", "text_features", "text_embedding")
VISION_OUTPUTS = ("image_embeds", "image_features", "image_embedding")
POSITIONS = 77
"""What CLIP's text tower reads, where no file says otherwise."""
_TYPES = {
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
}


def make(address: Address) -> Onnx:
    options = address.take({"batch": "32", "device": "auto", "variant": "", "decode": "exact"})
    hub.batch_size(address, options)
    pixels.decode_option(address, options["decode"])
    if options["device"] not in ("auto", "cpu", "cuda"):
        raise InputError(
            f"In {shown(address.text)}, device must be auto, cpu or cuda, "
            f"not {shown(options['device'])}."
        )
    if not address.rest:
        raise InputError("onnx needs a folder: onnx:FOLDER.")
    return Onnx(address, options)


class Onnx(Encoder):
    """Two graphs that end in one space, or one graph that holds both."""

    sees = "picture"
    truncates = True

    def __init__(self, address: Address, options: dict[str, str]) -> None:
        self.address = address
        self.options = options
        self.folder = Path(address.rest).expanduser()
        self.batches = Batches(hub.batch_size(address, options))
        self.batch = max(AT_ONCE, self.batches.size)
        self._width = 0

    def fingerprint(self) -> dict[str, str]:
        files = sorted({path for graph in set(self.graphs) for path in _parts(graph)})
        names = [self.folder / name for name in ("config.json", "tokenizer_config.json")]
        small = [self._file("tokenizer.json"), *(path for path in names if path.is_file())]
        return {
            "name": "onnx",
            "weights": value_hash([hub.content_hash(path) for path in files]),
            "files": value_hash([hub.content_hash(path) for path in small]),
            "device": self.providers[0].removesuffix("ExecutionProvider").lower(),
            "similarity": "cosine",
            "resolution": self.preparation.resolution,
            "preparation": json.dumps(self.preparation.facts),
            "tokens": str(self.limit),
            "decode": self.options["decode"],
            **hub.versions("onnxruntime", "tokenizers", "pillow"),
        }

    def recorded(self, address: str) -> str:
        return hub.recorded(address)

    # -- the folder

    @cached_property
    def graphs(self) -> tuple[Path, Path]:
        """The text graph and the vision graph; the same file twice where there is one."""
        if not self.folder.is_dir():
            raise InputError(f"There is no folder {shown(self.folder, most=200)}.")
        text, vision = self._graph(TEXT_GRAPHS), self._graph(VISION_GRAPHS)
        joint = self._graph(JOINT_GRAPHS)
        if text and vision:
            return text, vision
        if joint:
            return joint, joint
        variant = self.options["variant"]
        ending = f"_{variant}.onnx" if variant else ".onnx"
        raise InputError(
            f"{shown(self.folder, most=200)} holds no graphs: text_model{ending} and "
            f"vision_model{ending}, or model{ending}, there or in onnx/; export the model to it."
        )

    def _graph(self, stems: Sequence[str]) -> Path | None:
        variant = self.options["variant"]
        names = [f"{stem}_{variant}.onnx" if variant else f"{stem}.onnx" for stem in stems]
        places = [self.folder / below / name for below in ("", "onnx") for name in names]
        return next((place for place in places if place.is_file()), None)

    def _file(self, name: str) -> Path:
        places = [self.folder, *(graph.parent for graph in self.graphs)]
        for place in places:
            if (place / name).is_file():
                return place / name
        raise InputError(
            f"{shown(self.folder, most=200)} has no {name}; copy it from the checkpoint the graphs "
            "were exported from."
        )

    @cached_property
    def _folder(self) -> hub.Checkpoint:
        return hub.Checkpoint(self.address.rest, self.folder)

    @cached_property
    def preparation(self) -> Preparation:
        path = self._file("preprocessor_config.json")
        return Preparation.read(hub.Checkpoint(self.address.rest, path.parent).preparation, path)

    # -- texts

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows = self.batches.run(self._text_rows, [texts[i] for i in order])
        vectors = np.empty((len(rows), rows[0].shape[0]), dtype=np.float32)
        vectors[order] = rows
        return self._checked(vectors)

    def _text_rows(self, texts: list[str]) -> Floats:
        encoded = self._reader.encode_batch(texts)
        given = {
            "ids": np.array([one.ids for one in encoded]),
            "mask": np.array([one.attention_mask for one in encoded]),
        }
        return self._run(self._sessions[0], given, TEXT_OUTPUTS)

    def cut(self, texts: Sequence[str]) -> list[bool]:
        return [len(one.ids) > self.limit for one in self._ruler.encode_batch(list(texts))]

    @cached_property
    def _ruler(self) -> Any:
        """The tokenizer, measuring: nothing cut, nothing padded."""
        from tokenizers import Tokenizer

        path = self._file("tokenizer.json")
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exceptions
            reason = str(error).split("\n")[0]
            raise InputError(f"{path} isn't a tokenizer ({reason}); copy it again.") from None
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _reader(self) -> Any:
        """The tokenizer, as the model is fed."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._ruler.to_str())
        tokenizer.enable_truncation(self.limit)
        pad = self._pad_token
        number = tokenizer.token_to_id(pad) if pad else None
        whole = self._fixed_length or (self.limit if self._siglip else None)
        tokenizer.enable_padding(pad_id=number or 0, pad_token=pad or "[PAD]", length=whole)
        return tokenizer

    @property
    def _pad_token(self) -> str:
        for name in ("tokenizer_config.json", "special_tokens_map.json"):
            token = self._folder.json(name).get("pad_token")
            token = token.get("content") if isinstance(token, dict) else token
            if token:
                return str(token)
        return ""

    @property
    def _siglip(self) -> bool:
        """SigLIP was trained on texts padded to the tower's length, without a mask."""
        return self._folder.kind.startswith("siglip")

    @cached_property
    def limit(self) -> int:
        """How many tokens are read, the marks of beginning and end among them."""
        config = self._folder.config
        found = [
            (config.get("text_config") or {}).get("max_position_embeddings"),
            config.get("max_position_embeddings"),
            self._folder.json("tokenizer_config.json").get("model_max_length"),
        ]
        known = [int(value) for value in found if isinstance(value, int | float) and value > 0]
        return min([value for value in known if value < 1 << 20], default=POSITIONS)

    @cached_property
    def _fixed_length(self) -> int | None:
        """The number of tokens the graph insists on, where it does."""
        shape = _inputs(self._sessions[0])["ids"].shape
        return int(shape[1]) if len(shape) == 2 and isinstance(shape[1], int) else None

    # -- pictures

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        _ = self._sessions, self.preparation
        prepared = pixels.ahead(self.prepare_picture, contents, depth=2 * self.batches.size)
        return self._checked(np.stack(self.batches.run(self._picture_rows, prepared)))

    def prepare_picture(self, content: Content) -> Floats:
        """What the vision graph is given for one picture."""
        if not isinstance(content, Picture):
            raise InputError(f"onnx looks at pictures, not at {shown(content)}.")
        draft = self.options["decode"] == "draft"
        least = self.preparation.longest_side if draft else 0
        return self.preparation(pixels.decode(content.path, least=least))

    def _picture_rows(self, prepared: list[Floats]) -> Floats:
        return self._run(self._sessions[1], {"pixels": np.stack(prepared)}, VISION_OUTPUTS)

    # -- the graphs

    @cached_property
    def providers(self) -> list[str]:
        import onnxruntime

        there = onnxruntime.get_available_providers()
        wanted = self.options["device"]
        if wanted == "cuda" and "CUDAExecutionProvider" not in there:
            raise InputError(
                f"{shown(self.address.text)}: onnxruntime finds no CUDA here; use ?device=cpu, or "
                "pip install onnxruntime-gpu."
            )
        gpu = wanted != "cpu" and "CUDAExecutionProvider" in there
        return [*(["CUDAExecutionProvider"] if gpu else []), "CPUExecutionProvider"]

    @cached_property
    def _sessions(self) -> tuple[Any, Any]:
        text, vision = self.graphs
        first = self._session(text)
        return first, first if vision == text else self._session(vision)

    def _session(self, graph: Path) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(str(graph), options, providers=self.providers)
        except Exception as error:  # onnxruntime raises a kind of its own for each status
            reason = " ".join(str(error).split())[:120]
            raise InputError(f"{graph} can't be loaded ({reason}); export it again.") from None

    def _run(self, session: Any, given: dict[str, Any], names: Sequence[str]) -> Floats:
        """One graph over one batch, in as many parts as its shape allows."""
        inputs = _inputs(session)
        output = _output(session, names, pooled=self._siglip, graph=str(self.address.rest))
        count = len(next(iter(given.values())))
        step = next((n for role in given if (n := _rows(inputs, role))), count)
        rows = []
        for start in range(0, count, step):
            part = {role: array[start : start + step] for role, array in given.items()}
            real = len(next(iter(part.values())))
            feed = _feed(inputs, {role: _filled(array, step) for role, array in part.items()}, self)
            rows.append(np.asarray(session.run([output], feed)[0])[:real])
        return np.concatenate(rows).astype(np.float32)

    def blank(self, role: str) -> Any:
        """What the other half of a joint graph is given: one empty text, one grey picture."""
        if role == "pixels":
            height, width = (int(n) for n in self.preparation.resolution.split("x"))
            return np.zeros((1, 3, height, width))
        encoded = self._reader.encode("")
        return np.array([encoded.ids if role == "ids" else encoded.attention_mask])

    def _checked(self, vectors: Floats) -> Floats:
        """Refuse towers that don't end in one space."""
        width = vectors.shape[1]
        if vectors.ndim != 2 or self._width not in (0, width):
            raise InputError(
                f"The graphs in {shown(self.folder, most=200)} give vectors of {self._width} and "
                f"{width} numbers, which can't be compared; export them with their projections."
            )
        self._width = width
        return vectors


def _inputs(session: Any) -> dict[str, Any]:
    """A graph's inputs by what they are: ids, mask, types, pixels."""
    roles: dict[str, Any] = {}
    for one in session.get_inputs():
        if len(one.shape) == 4:
            role = "pixels"
        elif "mask" in one.name:
            role = "mask"
        elif "type" in one.name:
            role = "types"
        else:
            role = "ids"
        roles.setdefault(role, one)
    return roles


def _output(session: Any, names: Sequence[str], *, pooled: bool, graph: str) -> str:
    """The name of the embedding among a graph's outputs."""
    there: dict[str, Any] = {str(one.name): one for one in session.get_outputs()}
    for name in (*names, *(["pooler_output"] if pooled else [])):
        if name in there:
            return name
    flat = [n for n, one in there.items() if len(one.shape) == 2 and n != "pooler_output"]
    if len(flat) == 1 and len(there) == 1:
        return flat[0]
    raise InputError(
        f"A graph in {shown(graph, most=200)} has no output {names[0]}, only "
        f"{', '.join(there)}; export the model with its projection."
    )


def _rows(inputs: dict[str, Any], role: str) -> int:
    """The batch a graph insists on; 0 where it takes any."""
    one = inputs.get(role)
    return int(one.shape[0]) if one is not None and isinstance(one.shape[0], int) else 0


def _filled(array: Any, rows: int) -> Any:
    """The array with its last row repeated up to `rows`."""
    short = rows - len(array)
    return np.concatenate([array, np.repeat(array[-1:], short, axis=0)]) if short > 0 else array


def _feed(inputs: dict[str, Any], given: dict[str, Any], scorer: Onnx) -> dict[str, Any]:
    blank: Callable[[str], Any] = scorer.blank
    feed = {}
    for role, one in inputs.items():
        if role in given:
            array = given[role]
        elif role == "types":
            array = np.zeros_like(given["ids"] if "ids" in given else blank("ids"))
        else:
            array = _filled(blank(role), _rows(inputs, role))
        feed[one.name] = array.astype(_TYPES.get(one.type, np.float32))
    return feed


def _parts(graph: Path) -> list[Path]:
    """A graph's file and the files its weights are kept in."""
    return [p for p in graph.parent.iterdir() if p.name.startswith(graph.name) and p.is_file()]
