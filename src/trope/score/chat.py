"""Talks to an OpenAI-compatible server: many requests at once, retries, every reply kept.

A reply is stored before anyone sees it, under a key made of the server, the model and the whole
request, so a run that is killed asks only for what was not answered. The key of an account goes
from the environment into a header and nowhere else: not into a message, a reply or a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import random
import re
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from trope.errors import InputError, TropeError, many, shown
from trope.score.data_url import data_url
from trope.score.faces import Picture, Store

Body = dict[str, Any]
"""A request or a reply as JSON; in a request a picture stands as a `Picture`."""
Test = Callable[[Body, Body], bool]
"""A question about a request and its reply."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the first retry, doubled each time, and at most."""
MOST_PATIENCE = 600.0
"""A server that asks to wait longer than this (Retry-After) is left, with a sentence."""
MOST_BYTES = 64 << 20
"""A reply larger than this is no reply."""
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""Statuses that may pass: rate limits, overload, gateways."""
OPTIONAL = ("response_format", "seed")
"""Parts of a request that a server may not know; they are left out where it says so."""

BLIND = re.compile(
    r"image input is not supported|not a multimodal model|at most 0 image"
    r"|image_url is (only|not) supported|does not support (image|vision)",
    re.IGNORECASE,
)
"""How servers say that a model takes no pictures (llama.cpp, vLLM, the vendors)."""


class Memory:
    """A store for a scorer that is used without the engine."""

    def __init__(self) -> None:
        self._values: dict[bytes, bytes] = {}

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        return {key: self._values[key] for key in keys if key in self._values}

    def put(self, values: dict[bytes, bytes]) -> None:
        self._values.update(values)


class Failed(Exception):
    """One request that got no answer; the message says why, in a few words."""

    def __init__(
        self, why: str, *, passing: bool = False, wait: float = 0.0, unreachable: bool = False
    ) -> None:
        super().__init__(why)
        self.passing = passing
        """Whether it is worth asking again."""
        self.wait = wait
        self.unreachable = unreachable


@dataclass
class Spent:
    """What was asked and what it cost, in tokens."""

    asked: int = 0
    known: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, reply: Body) -> None:
        usage = reply.get("usage")
        if isinstance(usage, dict):
            self.tokens_in += _count(usage.get("prompt_tokens"))
            self.tokens_out += _count(usage.get("completion_tokens"))


@dataclass
class Chat:
    """One model on one server."""

    base_url: str
    model: str
    key_env: str = "OPENAI_API_KEY"
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5
    max_edge: int = 1024
    store: Store = field(default_factory=Memory)
    fresh: bool = False
    spent: Spent = field(default_factory=Spent)
    _left_out: set[str] = field(default_factory=set)
    """Parts of a request that this server doesn't know."""
    _quiet_until: float = 0.0
    """When the server may be asked again, after it said Retry-After."""
    _done: set[bytes] = field(default_factory=set)
    """Keys asked for in this process, which `fresh` needn't ask again."""

    @property
    def server(self) -> str:
        """The address without user name, password and query: all that is ever written."""
        return public(self.base_url)

    def ask(self, bodies: Sequence[Body], whole: Test, parsed: Test) -> list[Body | None]:
        """The reply to each request; None where there is none.

        A reply that isn't `whole` is asked for again at once, as if it hadn't come; one whose
        words can't be `parsed` is given back, and asked for again in a later run. Requests that
        are the same are asked once.
        """
        keys = [self.key(body) for body in bodies]
        wanted = dict(zip(keys, bodies, strict=True))
        replies = self._known(
            wanted, lambda body, reply: whole(body, reply) and parsed(body, reply)
        )
        self.spent.known += len(replies)
        todo = {key: body for key, body in wanted.items() if key not in replies}
        for key, outcome in self._asked(todo, whole):
            if isinstance(outcome, Failed):
                self.spent.failures[str(outcome)] += 1
            else:
                self._done.add(key)
                self.spent.asked += 1
                replies[key] = outcome
        for reply in replies.values():
            self.spent.add(reply)
        return [replies.get(key) for key in keys]

    def key(self, body: Body) -> bytes:
        """Of the server, the model and the whole request, pictures by their hash."""

        def plain(value: object) -> object:
            assert isinstance(value, Picture)
            return {"sha256": value.sha256, "max_edge": self.max_edge}

        parts = ["chat", self.server, self.model, body]
        text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=plain)
        return hashlib.sha256(text.encode()).digest()

    def _known(self, wanted: dict[bytes, Body], settled: Test) -> dict[bytes, Body]:
        stored = self.store.get([k for k in wanted if not self.fresh or k in self._done])
        read = {key: json.loads(zlib.decompress(value)) for key, value in stored.items()}
        return {key: reply for key, reply in read.items() if settled(wanted[key], reply)}

    # -- many at once

    def _asked(self, todo: dict[bytes, Body], whole: Test) -> Iterator[tuple[bytes, Body | Failed]]:
        """Replies as they come. A worker stores its reply before it asks for another, so a kill
        loses no more than what is on its way."""
        waiting: queue.SimpleQueue[tuple[bytes, Body]] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[bytes, Body | Failed | BaseException]] = queue.SimpleQueue()
        stop = threading.Event()
        for entry in todo.items():
            waiting.put(entry)

        def work() -> None:
            while not stop.is_set():
                try:
                    key, body = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    reply = self._patiently(body, whole, stop)
                    self.store.put({key: zlib.compress(json.dumps(reply).encode())})
                    done.put((key, reply))
                except BaseException as error:  # whatever it is, the caller must hear of it
                    done.put((key, error))

        # Daemons: an interrupted run needn't wait for a server that hangs.
        workers = min(self.concurrency, len(todo))
        for _ in range(workers):
            threading.Thread(target=work, daemon=True, name="trope-chat").start()
        try:
            for _ in todo:
                key, outcome = done.get()
                if isinstance(outcome, BaseException) and not isinstance(outcome, Failed):
                    raise outcome
                yield key, outcome
        finally:
            stop.set()

    def _patiently(self, body: Body, whole: Test, stop: threading.Event) -> Body:
        """One reply, with retries; a `Failed` where there is none in the end."""
        failure = Failed("stopped")
        for attempt in range(self.retries + 1):
            self._wait_turn(stop)
            if stop.is_set():
                break
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2**attempt) * (0.5 + random.random() / 2)
            try:
                status, headers, data = self._post(body)
                reply = self._read(status, headers, data, body)
            except Failed as error:
                failure = error
                if not error.passing:
                    raise
                wait = max(wait, error.wait)
            else:
                if whole(body, reply):
                    return reply
                failure = Failed("the reply lacks what was asked for")
            if attempt < self.retries:
                stop.wait(wait)
        if failure.unreachable:
            raise InputError(
                f"Nothing answers at {self.server}; start the server or check base_url. What was "
                "answered before is kept."
            )
        raise failure

    def _wait_turn(self, stop: threading.Event) -> None:
        """One server, one patience: when it asks for quiet, nobody speaks."""
        while (left := self._quiet_until - time.monotonic()) > 0 and not stop.is_set():
            stop.wait(left)

    # -- one request

    @cached_property
    def _client(self) -> Any:
        import httpx

        limits = httpx.Limits(
            max_connections=self.concurrency, max_keepalive_connections=self.concurrency
        )
        timeout = httpx.Timeout(self.timeout, connect=min(self.timeout, 15.0), pool=None)
        return httpx.Client(timeout=timeout, limits=limits)

    @property
    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self.key_env, "").strip()
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _post(self, body: Body) -> tuple[int, Any, bytes]:
        sent = {k: v for k, v in body.items() if k not in self._left_out}
        if "max_tokens" in self._left_out:  # newer models have another word for it
            sent["max_completion_tokens"] = body["max_tokens"]
        text = json.dumps({"model": self.model, **sent}, default=self._url)
        with self._network():
            return self._send("POST", "/chat/completions", text)

    def _send(self, method: str, path: str, text: str | None = None) -> tuple[int, Any, bytes]:
        headers = {**self._headers, "Content-Type": "application/json"}
        deadline = time.monotonic() + self.timeout
        data = bytearray()
        url = self.base_url_for(path)
        with self._client.stream(method, url, content=text, headers=headers) as response:
            for part in response.iter_bytes():
                data += part
                if len(data) > MOST_BYTES:
                    raise Failed("the reply is endless", passing=True)
                if time.monotonic() > deadline:
                    raise Failed(f"no whole reply within {self.timeout:g} s", passing=True)
            return response.status_code, response.headers, self._hushed(bytes(data))

    def base_url_for(self, path: str) -> str:
        """The base URL with a path below it; a query in it stays at its end."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc, parts.path + path, parts.query, ""))

    def _hushed(self, data: bytes) -> bytes:
        """A server that repeats the key doesn't get it written down."""
        key = os.environ.get(self.key_env, "").strip().encode()
        return data.replace(key, b"***") if len(key) >= 6 else data

    def _url(self, value: object) -> str:
        assert isinstance(value, Picture)
        return data_url(value.path, max_edge=self.max_edge)

    @contextmanager
    def _network(self) -> Iterator[None]:
        import httpx

        try:
            yield
        except httpx.ConnectError as error:
            raise Failed("nothing answers", passing=True, unreachable=True) from error
        except httpx.TimeoutException as error:
            raise Failed(f"no reply within {self.timeout:g} s", passing=True) from error
        except httpx.TransportError as error:
            raise Failed("the connection was cut", passing=True) from error
        except (httpx.InvalidURL, httpx.HTTPError) as error:
            raise InputError(f"{self.server} can't be asked ({type(error).__name__}).") from error

    # -- what came back

    def _read(self, status: int, headers: Any, data: bytes, body: Body) -> Body:
        """The reply, or what is wrong with it."""
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        if status == 200:
            if _has_choice(value):
                return dict(value)
            why = "the reply is broken JSON" if value is None else "the reply is no chat"
            raise Failed(why, passing=True)
        said = _message(value, data)
        if status in (401, 403):
            raise self._wrong_key(status)
        if status == 404:
            raise self._not_there()
        if status in (413, 400, 422) and _too_large(status, said, body):
            raise InputError(
                f"{self.server} refuses a picture as too large ({status}); make them smaller with "
                f"?max_edge={max(64, (self.max_edge or 2048) // 2)}."
            )
        if BLIND.search(said):
            raise InputError(
                f"{self.model} on {self.server} takes no pictures ({shown(said, most=160)}); ask "
                "of captions with ?sees=caption."
            )
        if status in (400, 422) and self._learn(said, body):
            raise Failed("the server doesn't know a part of the request", passing=True)
        if status in AGAIN:
            raise Failed(f"status {status}", passing=True, wait=self._quiet(headers))
        if 300 <= status < 400:
            place = public(str(headers.get("location", "")))
            raise InputError(f"{self.server} redirects to {place}; give that as base_url.")
        raise Failed(f"status {status}: {shown(said, most=160)}")

    def _wrong_key(self, status: int) -> InputError:
        if self._headers:
            return InputError(
                f"{self.server} says that the key is wrong or may not do this ({status}); check "
                f"the environment variable {self.key_env}."
            )
        return InputError(
            f"{self.server} wants a key ({status}); put it into the environment variable "
            f"{self.key_env}, or name another with ?key_env=."
        )

    def _not_there(self) -> InputError:
        models = self.models()
        if models is None:
            return InputError(
                f"There is no chat at {self.server}/chat/completions (404); check base_url, which "
                "mostly ends in /v1."
            )
        return InputError(
            f"{self.server} has no model {shown(self.model)} (404); it has {many(models, most=8)}."
        )

    def models(self) -> list[str] | None:
        """The names of the server's models; None where it doesn't say."""
        with suppress(Failed, TropeError, ValueError, KeyError, TypeError), self._network():
            status, _, data = self._send("GET", "/models")
            if status == 200:
                return sorted(str(entry["id"]) for entry in json.loads(data)["data"])
        return None

    def _learn(self, said: str, body: Body) -> bool:
        """Whether the complaint names a part of the request that can be left out or renamed."""
        for part in (*OPTIONAL, "max_tokens"):
            if part in body and part not in self._left_out and part in said:
                self._left_out.add(part)
                return True
        return False

    def _quiet(self, headers: Any) -> float:
        wait = retry_after(headers.get("retry-after"))
        if wait > MOST_PATIENCE:
            raise InputError(
                f"{self.server} asks to wait {wait / 60:.0f} minutes; run the same command again "
                "then, and it goes on where it was."
            )
        self._quiet_until = max(self._quiet_until, time.monotonic() + wait)
        return wait


# -- small things --------------------------------------------------------------------------------


def retry_after(text: str | None) -> float:
    """Seconds to wait, from the header's seconds or date; 0 where it says nothing.

    >>> retry_after("1.5"), retry_after(None), retry_after("soon")
    (1.5, 0.0, 0.0)
    """
    if not text:
        return 0.0
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0


def public(url: str) -> str:
    """A URL without user name, password, query and fragment.

    >>> public("https://me:secret@example.org:8000/v1?token=1")
    'https://example.org:8000/v1'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def content(reply: Body) -> str:
    """What the model wrote."""
    text = reply["choices"][0]["message"].get("content")
    return text if isinstance(text, str) else ""


def _too_large(status: int, said: str, body: Body) -> bool:
    """Whether a complaint is about a picture's size."""
    pictured = "image_url" in json.dumps(body, default=str)
    words = said.casefold()
    large = any(word in words for word in ("large", "size", "exceed", "dimension", "pixel"))
    return pictured and (status == 413 or (large and "image" in words))


def _has_choice(value: object) -> bool:
    try:
        return isinstance(value["choices"][0]["message"], dict)  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return False


def _message(value: object, data: bytes) -> str:
    """The server's own words about an error."""
    for path in (("error", "message"), ("message",), ("error",), ("detail",)):
        found: object = value
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, str):
            return found
    return " ".join(data[:300].decode(errors="replace").split())


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
