"""`gguf:FILE`: a local language model over captions, through llama.cpp. It sees text only.

It is asked about a candidate's caption in words (`ASK`, `TELL`) and answers with the estimators
of `estimators.py`. Log-probabilities come from the raw logits, before any sampling: a token that
isn't among the likeliest is made to be the next one, and llama.cpp says how likely it was.

llama.cpp runs inside this process; its listener takes requests from this machine alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cached_property
from http.client import HTTPConnection, HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from trope.address import Address, whole
from trope.errors import InputError, TropeError, shown
from trope.hashes import file_hash
from trope.score.estimators import OPTIONS, Estimator, estimator, log_sum
from trope.score.faces import Content, Judge

# Snapshot-tested: a changed comma is a changed experiment.
ASK = "Caption: {caption}\nQuestion: {text}\nAnswer yes or no."
"""What a model is asked for p_yes and yes_no."""
TELL = "Caption: {caption}\nSay in other words what the picture shows."
"""What it is asked before the text, for likelihood."""
TELL_BLIND = "Say what a picture shows."
"""The same without the caption, for the text's own likelihood."""

LIKELIEST = 64
"""Tokens whose log-probability is asked for at once; others are asked for one by one."""
CONTEXT = 2048
"""The most tokens of question and caption; what is longer is missing, never cut."""
MOST_WORDS = 96
"""Tokens of a text that is written."""
_ALL = 1_000_000
_FORCE = 1e9
_SEED = 0  # nothing is drawn; llama.cpp wants one
_MAGIC = b"GGUF"


def make(address: Address) -> Gguf:
    options = address.take({**OPTIONS, "context": str(CONTEXT), "threads": "0"})
    if not address.rest:
        raise InputError("gguf needs a file: gguf:FILE.gguf.")
    return Gguf(
        Path(address.rest),
        estimator(address, options),
        context=whole(address, "context", options["context"], least=64),
        threads=whole(address, "threads", options["threads"]),
    )


class Gguf(Judge):
    """A language model in one file, asked about captions."""

    sees = "caption"
    batch = 32

    def __init__(
        self, path: Path, estimator: Estimator, *, context: int = CONTEXT, threads: int = 0
    ) -> None:
        self.path = path
        self.estimator = estimator
        self.asks = estimator.asks
        self.context = context
        self.threads = threads
        self._priors: dict[str, list[float] | None] = {}

    def fingerprint(self) -> dict[str, str]:
        check(self.path)
        words = {"ask": ASK} if self.asks else {"tell": TELL, "blind": TELL_BLIND}
        return {
            "name": "gguf",
            "input": "text only",
            "weights": file_hash(self.path),
            "runtime": f"xllamacpp {version('xllamacpp')}",
            "context": str(self.context),
            **self.estimator.fingerprint(),
            **words,
        }

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        one = self._answer if self.asks else self._likelihood
        return [one(text, str(caption)) for text, caption in pairs]

    def _answer(self, text: str, caption: str) -> float:
        yes, no = self._forms
        prompt = self._model.prompt(ASK.format(caption=caption, text=text))
        logs = self._model.next_logs(prompt, [*yes, *no])
        if logs is None:
            return math.nan
        return self.estimator.answer(
            float(log_sum([logs[token] for token in yes])),
            float(log_sum([logs[token] for token in no])),
        )

    def _likelihood(self, text: str, caption: str) -> float:
        given = self._text_logs(TELL.format(caption=caption), text)
        prior: list[float] | None = []
        if self.estimator.alpha:
            if text not in self._priors:
                self._priors[text] = self._text_logs(TELL_BLIND, text)
            prior = self._priors[text]
        if given is None or prior is None:
            return math.nan
        return self.estimator.likelihood(given, prior)

    def _text_logs(self, request: str, text: str) -> list[float] | None:
        """The log-probability of each token of the text as the answer to a request."""
        prompt, tokens = self._model.prompt(request), self._model.tokens(text)
        logs = []
        for place, token in enumerate(tokens):
            found = self._model.next_logs([*prompt, *tokens[:place]], [token], fresh=place == 0)
            if found is None:
                return None
            logs.append(found[token])
        return logs

    def generate(self, pairs: Sequence[tuple[str, Content | None]]) -> list[str | None]:
        """The model's likeliest words for each request, about a caption where there is one."""
        requests = [
            request if caption is None else f"Caption: {caption}\n{request}"
            for request, caption in pairs
        ]
        return [self._model.write(request) or None for request in requests]

    @cached_property
    def _forms(self) -> tuple[list[int], list[int]]:
        """The tokens that are yes, and those that are no."""
        yes = self._model.forms(self.estimator.yes)
        return yes, self._model.forms(self.estimator.no) if self.estimator.name == "yes_no" else []

    @cached_property
    def _model(self) -> Llama:
        return Llama(self.path, context=self.context, threads=self.threads)


class Llama:
    """llama.cpp with one model; one question at a time."""

    def __init__(self, path: Path, *, context: int, threads: int) -> None:
        import xllamacpp

        check(path)
        self.context = context
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = context
        params.n_parallel = 1
        # Keys and values in float32, and no question's state kept for the next: the number of a
        # pair doesn't hang on the pairs asked before it.
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        flash = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.flash_attn_type = flash  # it rounds to half precision
        params.cache_ram_mib = 0
        params.ui = params.endpoint_slots = params.warmup = False
        params.verbosity = -1
        if threads:
            params.cpuparams.n_threads = threads
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError:
            raise InputError(
                f"llama.cpp can't load {shown(path, most=200)}: it is cut short, damaged, or of "
                "an architecture that it doesn't know; download it again, or update xllamacpp."
            ) from None
        place = urlsplit(self._server.listening_address)
        self._line = HTTPConnection(str(place.hostname), place.port, timeout=3600)

    def prompt(self, request: str) -> list[int]:
        """A request as tokens, in the model's own chat format, up to where the answer begins."""
        messages = [{"role": "user", "content": request}]
        written = self._post("/apply-template", messages=messages)["prompt"]
        return self._ids(written, add_special=True, parse_special=True)

    def tokens(self, text: str) -> list[int]:
        """A text as tokens, nothing added; words that look like marks of the format are words."""
        return self._ids(text, add_special=False, parse_special=False)

    def forms(self, word: str) -> list[int]:
        """The single tokens that are surface forms of a word, each once."""
        written = (word, word.capitalize(), word.upper())
        coded = [self.tokens(space + form) for form in written for space in ("", " ")]
        found = {ids[0] for ids in coded if len(ids) == 1}
        if not found:
            raise InputError(
                f"The model has no single token for {shown(word)}; use estimator=likelihood, or "
                "other words with yes= and no=."
            )
        return sorted(found)

    def next_logs(
        self, prompt: list[int], tokens: list[int], *, fresh: bool = True
    ) -> dict[int, float] | None:
        """log P of each token as the next; None where the prompt is longer than the context.

        `fresh` reads the whole prompt anew; otherwise what was just read is gone on from.
        """
        if len(prompt) >= self.context:
            return None
        logs = self._next(prompt, tokens[0], LIKELIEST if len(tokens) > 1 else 1, fresh=fresh)
        for token in tokens:
            if token not in logs:
                logs.update(self._next(prompt, token, 1, fresh=False))
        return logs

    def write(self, request: str) -> str:
        """The likeliest words, taken one by one; none where the request is too long."""
        prompt = self.prompt(request)
        most = min(MOST_WORDS, self.context - len(prompt))
        if most <= 0:
            return ""
        answer = self._post(
            "/completion", prompt=prompt, n_predict=most, temperature=0, cache_prompt=False
        )
        return str(answer.get("content", "")).strip()

    def _next(
        self, prompt: list[int], token: int, likeliest: int, *, fresh: bool
    ) -> dict[int, float]:
        """log P of a token, which is made to come next, and of the likeliest ones."""
        answer = self._post(
            "/completion",
            prompt=prompt,
            n_predict=1,
            temperature=0,
            seed=_SEED,
            cache_prompt=not fresh,
            n_probs=likeliest,
            logit_bias=[[token, _FORCE]],
        )
        if "error" in answer:
            raise TropeError(f"llama.cpp refused a question: {shown(answer['error'], most=200)}.")
        if "completion_probabilities" in answer:
            said = answer["completion_probabilities"][0]
            return {entry["id"]: entry["logprob"] for entry in [*said["top_logprobs"], said]}
        # llama.cpp says nothing of a token that ends within a character; then a whole one is made
        # to come next, and every token's probability is asked for.
        if likeliest == _ALL:
            raise TropeError("llama.cpp gave no probabilities; update xllamacpp.")
        return self._next(prompt, self._whole, _ALL, fresh=False)

    @cached_property
    def _whole(self) -> int:
        """A token that is a whole character."""
        return self.tokens("a")[0]

    def _ids(self, text: str, **options: bool) -> list[int]:
        ids: list[int] = self._post("/tokenize", content=text, **options)["tokens"]
        return ids

    def _post(self, path: str, **body: Any) -> Any:
        try:
            self._line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            return json.loads(self._line.getresponse().read())
        except (OSError, HTTPException, ValueError) as error:
            self._line.close()
            raise TropeError(f"llama.cpp gave no answer ({error}); run again to go on.") from None


def check(path: Path) -> None:
    """Refuse what isn't a GGUF file, before llama.cpp sees it."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise InputError(
            f"Can't read {shown(path, most=200)}: {error.strerror}; check the path."
        ) from None
    if magic != _MAGIC:
        raise InputError(
            f"{shown(path, most=200)} isn't a GGUF file; gguf: takes a model in llama.cpp's format."
        )
