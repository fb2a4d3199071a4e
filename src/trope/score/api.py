"""`api:MODEL?base_url=..`: a model behind any OpenAI-compatible server (vLLM, SGLang, llama.cpp,
the vendors), as a Judge or as a Ranker, over pictures or captions.

As a Judge it is asked a question and answers yes or no. Its number is read from the first
answer token's log-probabilities (`p_yes`, `yes_no`), or, where the server gives none, it is the
share of yes among n sampled answers (`sampled`); `auto`, the default, asks the server once which
it can, and the run says which it was. As a Ranker it sees all candidates in one message and
answers with their order, `k` times with the candidates turned round (Borda). A failed or
unparsed answer is missing. Talking, retrying and keeping replies is done in `chat.py`.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from trope.address import Address, parse, whole
from trope.errors import InputError, shown, unknown
from trope.hashes import value_hash
from trope.item import Benchmark, Item, Sense
from trope.score.chat import Body, Chat, content, public
from trope.score.data_url import SENT
from trope.score.estimators import Estimator, estimator, is_form
from trope.score.faces import Content, Judge, Picture, Question, Ranker, Sees, Store
from trope.score.gguf import ASK

OPENAI = "https://api.openai.com/v1"
ESTIMATORS = ("auto", "p_yes", "yes_no", "sampled")
OPTIONS: dict[str, str] = {
    "base_url": "",  # $OPENAI_BASE_URL, else OpenAI's own
    "as": "judge",
    "sees": "picture",
    "estimator": "auto",
    "yes": "yes",
    "no": "no",
    "top_logprobs": "20",
    "n": "10",  # sampled answers a question
    "k": "1",  # orders a list
    "temperature": "",  # 0, and 1 for sampled answers; none leaves it to the server
    "max_tokens": "",
    "max_edge": "1024",
    "key_env": "OPENAI_API_KEY",
    "concurrency": "8",
    "timeout": "120",
    "retries": "5",
    "price_in": "",  # a million tokens
    "price_out": "",
}
SILENT = ("key_env", "concurrency", "timeout", "retries", "price_in", "price_out")
"""Options that change no answer, and so are no part of what a run was."""

# Snapshot-tested: a changed comma is a changed experiment.
RANK = (
    "Expression: {text}\n"
    "Here are {n} candidates, labelled {labels}. Order all of them, from the one that best shows "
    "what the expression means to the one that shows it least."
)
COMPLETE = (
    "Expression: {text}\n"
    "First come the beginnings of a story that shows the expression either in its idiomatic or in "
    "its literal sense; then {n} candidates for its last part, labelled {labels}. Name the sense, "
    "and order all candidates from the one that best completes the story to the one that fits "
    "least."
)
REPLY = 'Answer with JSON only, each label once, best first: {"order": [...]}'
REPLY_SENSE = (
    "Answer with JSON only, each label once, best first: "
    '{"sense": "idiomatic" or "literal", "order": [...]}'
)
PROBE = "Is water wet? Please answer yes or no."
MOST_WORDS = {"judge": 1, "sampled": 8, "ranker": 1024, "generate": 512}
"""The most tokens of an answer, by what is asked, unless max_tokens says otherwise."""


def make(address: Address) -> ApiJudge | ApiRanker:
    options = address.take(OPTIONS)
    if not address.rest:
        raise InputError("api needs a model: api:MODEL?base_url=http://...")
    _one_of(address, "sees", options["sees"], ("picture", "caption"))
    _one_of(address, "as", options["as"], ("judge", "ranker"))
    _one_of(address, "estimator", options["estimator"], ESTIMATORS)
    settings = _settings(address, options)
    return ApiRanker(settings) if options["as"] == "ranker" else ApiJudge(settings)


@dataclass(frozen=True)
class Settings:
    """An address, checked."""

    chat: Chat
    sees: Sees
    estimator: str
    reads: Estimator
    top_logprobs: int
    samples: int
    orders: int
    temperature: float | None
    """None leaves it to the server."""
    told_temperature: bool
    max_tokens: int
    price: tuple[float, float]
    """Of a million tokens in, and out."""

    def request(self, asked: str, messages: list[Body], *, hot: float = 0.0) -> Body:
        """The body of one request."""
        body: Body = {
            "messages": messages,
            "max_tokens": self.max_tokens or MOST_WORDS[asked],
        }
        temperature = self.temperature if self.told_temperature else hot
        return body if temperature is None else {**body, "temperature": temperature}


def _settings(address: Address, options: dict[str, str]) -> Settings:
    name = options["estimator"]
    reads = {**options, "alpha": "", "estimator": "yes_no" if name == "yes_no" else "p_yes"}
    warmth = options["temperature"]
    return Settings(
        chat=Chat(
            base_url=_base_url(address, options["base_url"]),
            model=address.rest,
            key_env=options["key_env"],
            concurrency=whole(address, "concurrency", options["concurrency"], least=1),
            timeout=_number(address, "timeout", options["timeout"], least=0.01),
            retries=whole(address, "retries", options["retries"]),
            max_edge=whole(address, "max_edge", options["max_edge"]),
        ),
        sees="caption" if options["sees"] == "caption" else "picture",
        estimator=name,
        reads=estimator(address, reads),
        top_logprobs=whole(address, "top_logprobs", options["top_logprobs"], least=1),
        samples=whole(address, "n", options["n"], least=1),
        orders=whole(address, "k", options["k"], least=1),
        temperature=None
        if warmth in ("", "none")
        else _number(address, "temperature", warmth, least=0),
        told_temperature=bool(warmth),
        max_tokens=whole(address, "max_tokens", options["max_tokens"] or "0"),
        price=(
            _number(address, "price_in", options["price_in"] or "0", least=0),
            _number(address, "price_out", options["price_out"] or "0", least=0),
        ),
    )


def _base_url(address: Address, text: str) -> str:
    url = (text or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI).rstrip("/")
    place = public(url)
    head, _, rest = place.partition("://")
    if head not in ("http", "https") or not rest.strip("/"):
        raise InputError(
            f"In {shown(address.name)}:{address.rest}, base_url must be a web address such as "
            "http://127.0.0.1:8000/v1."
        )
    return url if "/" in rest else url.replace(rest, f"{rest}/v1", 1)


def _number(address: Address, key: str, value: str, *, least: float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < least:
        raise InputError(f"{address.name}: {key} must be a number of at least {least:g}.")
    return number


def _one_of(address: Address, key: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise unknown(f"{address.name} option {key}=", value, known)


# -- what both faces share -----------------------------------------------------------------------


class _Api:
    """A chat, and what was said in it."""

    prompted = True
    cached = False  # chat.py keeps the replies themselves, so the engine needn't keep numbers
    batch = 2048
    sees: Sees

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.chat = settings.chat
        self.sees = settings.sees
        self._said: list[Body] = []
        self._unparsed = 0
        self._noted = ""
        self._cut = 0

    def remember(self, store: Store, *, fresh: bool = False) -> None:
        self.chat.store, self.chat.fresh = store, fresh

    def prepare(self, benchmark: Benchmark) -> None:
        self._said, self._unparsed, self._cut = [], 0, 0
        self.chat.spent = type(self.chat.spent)()

    def recorded(self, address: str) -> str:
        """Without what changes no answer, and without a password in base_url."""
        parsed = parse(address)
        options = {k: v for k, v in parsed.options.items() if k not in SILENT}
        if "base_url" in options:
            options["base_url"] = self.chat.server
        query = "&".join(f"{key}={value}" for key, value in options.items())
        return f"{parsed.name}:{parsed.rest}" + (f"?{query}" if query else "")

    def fingerprint(self) -> dict[str, str]:
        seen = {"pictures": SENT, "max_edge": str(self.chat.max_edge)}
        return {
            "name": "api",
            "model": self.chat.model,
            "base_url": self.chat.server,
            **(seen if self.sees == "picture" else {"caption": ASK}),
        }

    def remarks(self) -> list[str]:
        spent, model = self.chat.spent, self.chat.model
        price_in, price_out = self.settings.price
        cost = (spent.tokens_in * price_in + spent.tokens_out * price_out) / 1e6
        counted = (
            f"{model}: {spent.asked} replies asked for, {spent.known} known already; "
            f"{spent.tokens_in:,} tokens in, {spent.tokens_out:,} out"
            + (f", cost {cost:.4f}" if price_in or price_out else "")
            + "."
        )
        lines = [counted, *([f"{model}: {self._noted} (?n=)."] if self._noted else [])]
        for why, often in spent.failures.most_common():
            lines.append(f"{model}: {often} answers are missing: {why}.")
        if self._unparsed:
            lines.append(
                f"{model}: {self._unparsed} answers can't be read, and are missing; "
                "answers.jsonl beside the run has them."
            )
        if self._cut:
            lines.append(f"{model}: {self._cut} answers end at max_tokens.")
        return lines

    def answers(self) -> str:
        return "".join(json.dumps(said, ensure_ascii=False) + "\n" for said in self._said)

    def generate(self, pairs: Sequence[tuple[str, Content | None]]) -> list[str | None]:
        """What the model writes on each request, with or without a picture."""
        bodies = [
            self.settings.request("generate", [_user(_parts(text, shown_))])
            for text, shown_ in pairs
        ]
        replies = self.chat.ask(bodies, _any, lambda _, reply: bool(content(reply).strip()))
        texts: list[str | None] = []
        for (text, shown_), reply in zip(pairs, replies, strict=True):
            written = content(reply).strip() if reply else ""
            self._cut += reply is not None and _is_cut(reply)
            self._note(text, shown_, reply, written or None)
            texts.append(written or None)
        return texts

    def _note(self, text: str, about: object, reply: Body | None, read: object) -> None:
        """Keep what was said: of what, the words, what was read from them, and who says so."""
        if reply is not None:
            self._unparsed += read is None
            of = about.sha256 if isinstance(about, Picture) else about
            said = {"text": text, "of": of, "answer": content(reply), "read": read}
            self._said.append({**said, "model": reply.get("model"), "usage": reply.get("usage")})


def _is_cut(reply: Body) -> bool:
    return bool(reply["choices"][0].get("finish_reason") == "length")


def _any(body: Body, reply: Body) -> bool:
    return True


def _user(parts: list[Body] | str) -> Body:
    return {"role": "user", "content": parts}


def _parts(text: str, shown_: Content | None) -> list[Body] | str:
    """A message: words alone, or a picture and words."""
    if isinstance(shown_, Picture):
        return [_picture(shown_), {"type": "text", "text": text}]
    return f"{shown_}\n{text}" if shown_ else text


def _picture(picture: Picture) -> Body:
    return {"type": "image_url", "image_url": {"url": picture}}


# -- the judge -----------------------------------------------------------------------------------


class ApiJudge(_Api, Judge):
    """Answers yes or no to a question about one candidate."""

    asks = True

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.estimator = settings.estimator
        self._settled = self.estimator == "sampled"

    def prepare(self, benchmark: Benchmark) -> None:
        super().prepare(benchmark)
        self._settle()

    def fingerprint(self) -> dict[str, str]:
        settings = self.settings
        if self.estimator == "sampled":
            warmth = settings.temperature if settings.told_temperature else 1.0
            how = {
                "n": str(settings.samples),
                "temperature": str(warmth),
                "yes": settings.reads.yes,
            }
            return {**super().fingerprint(), "estimator": "sampled", **how}
        how = {**settings.reads.fingerprint(), "estimator": self.estimator}
        return {**super().fingerprint(), **how, "top_logprobs": str(settings.top_logprobs)}

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        self._settle()
        return self._sampled(pairs) if self.estimator == "sampled" else self._read(pairs)

    def _settle(self) -> None:
        """Ask the server once whether it gives log-probabilities."""
        if self._settled:
            return
        # Three times: a single reply of a good server may lack them.
        probes = [{**self._logged([_user(PROBE)]), "seed": seed} for seed in range(3)]
        replies = [reply for reply in self.chat.ask(probes, _any, _any) if reply]
        failures = "; ".join(self.chat.spent.failures)
        if any(_first_tokens(reply) for reply in replies):
            self.estimator = "p_yes" if self.estimator == "auto" else self.estimator
        elif not replies and "logprobs" not in failures:
            raise InputError(
                f"{self.chat.model} on {self.chat.server} gives no answer to a first question "
                f"({failures}); mend that, and run again."
            )
        elif self.estimator == "auto":
            self.estimator = "sampled"
            self._noted = "the server gives no log-probabilities, so each question is asked n times"
        else:
            raise InputError(
                f"{self.chat.model} on {self.chat.server} gives no log-probabilities; use "
                "?estimator=sampled."
            )
        self._settled = True

    def _logged(self, messages: list[Body]) -> Body:
        body = self.settings.request("judge", messages)
        return {**body, "logprobs": True, "top_logprobs": self.settings.top_logprobs}

    def _read(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        bodies = [self._logged([_user(_asked(text, shown_))]) for text, shown_ in pairs]
        replies = self.chat.ask(bodies, _has_tokens, lambda _, r: not math.isnan(self._number(r)))
        numbers = [self._number(reply) if reply else math.nan for reply in replies]
        for (text, shown_), reply, number in zip(pairs, replies, numbers, strict=True):
            self._note(text, shown_, reply, None if math.isnan(number) else number)
        return numbers

    def _number(self, reply: Body) -> float:
        return self.settings.reads.from_tokens(_first_tokens(reply))

    def _sampled(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        """The share of yes; what is neither yes nor no is the model's doubt, and stays in it."""
        bodies = []
        for text, shown_ in pairs:
            body = self.settings.request("sampled", [_user(_asked(text, shown_))], hot=1.0)
            bodies += [{**body, "seed": seed} for seed in range(self.settings.samples)]
        replies = iter(self.chat.ask(bodies, _any, _any))
        return [self._share(pair, list(islice(replies, self.settings.samples))) for pair in pairs]

    def _share(self, pair: tuple[str, Content], replies: list[Body | None]) -> float:
        said = [self._word(reply) if reply else "" for reply in replies]
        silent = not any(word in ("yes", "no") for word in said)
        for reply, word in zip(replies, said, strict=True):
            self._note(*pair, reply, None if silent else word)
        if any(reply is None for reply in replies) or silent:
            return math.nan
        return said.count("yes") / len(said)

    def _word(self, reply: Body) -> str:
        """yes, no, or neither."""
        first = re.search(r"[^\W\d_]+", content(reply))
        for name, word in (("yes", self.settings.reads.yes), ("no", self.settings.reads.no)):
            if first and is_form(first.group(), word):
                return name
        return "neither"


def _asked(text: str, shown_: Content) -> list[Body] | str:
    """A question about a picture, or about a caption."""
    if isinstance(shown_, Picture):
        return _parts(text, shown_)
    return ASK.format(caption=shown_, text=text)


def _first_tokens(reply: Body) -> Mapping[str, float]:
    """The likeliest first tokens and their log-probabilities; {} where the server gives none."""
    try:
        first = reply["choices"][0]["logprobs"]["content"][0]
        listed = [*first["top_logprobs"], first]
        # Two tokens may be written alike: their probabilities are added.
        tokens: dict[Any, float] = {}
        for entry in {str(e["token"]) + repr(e["logprob"]): e for e in listed}.values():
            token, log = str(entry["token"]), float(entry["logprob"])
            tokens[token] = math.log(math.exp(log) + math.exp(tokens.get(token, -math.inf)))
    except (KeyError, IndexError, TypeError, ValueError):
        return {}
    return tokens


def _has_tokens(body: Body, reply: Body) -> bool:
    return bool(_first_tokens(reply))


# -- the ranker ----------------------------------------------------------------------------------


class ApiRanker(_Api, Ranker):
    """Orders all candidates of an item in one message."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._senses: dict[str, str] = {}

    def prepare(self, benchmark: Benchmark) -> None:
        super().prepare(benchmark)
        self._senses = {}

    def fingerprint(self) -> dict[str, str]:
        settings = self.settings
        warmth = settings.temperature if settings.told_temperature else 0.0
        return {
            **super().fingerprint(),
            "k": str(settings.orders),
            "temperature": str(warmth),
            "instruction": value_hash([RANK, COMPLETE, REPLY, REPLY_SENSE]),
        }

    def said(self, item: Item) -> str:
        return self._senses.get(item.id, "")

    def rank(self, questions: Sequence[Question]) -> list[list[float]]:
        turns = [turned(len(q.contents), self.settings.orders) for q in questions]
        asked = [(q, turn) for q, those in zip(questions, turns, strict=True) for turn in those]
        bodies = [self._body(question, turn) for question, turn in asked]
        replies = self.chat.ask(bodies, _any, _ordered)
        answered = iter([(turn, r) for (_, turn), r in zip(asked, replies, strict=True)])
        return [self._borda(q, list(islice(answered, self.settings.orders))) for q in questions]

    def _body(self, q: Question, turn: Sequence[int]) -> Body:
        body = self.settings.request("ranker", [_user(_listed(q, turn))])
        return {**body, "response_format": _schema(len(turn), sense=bool(q.before))}

    def _borda(self, q: Question, answered: list[tuple[list[int], Body | None]]) -> list[float]:
        """Mean points over the orders: the best of five gets 4, the last 0. One order that can't
        be read makes the item missing."""
        points = [0.0] * len(q.contents)
        senses = []
        whole_ = True
        for turn, reply in answered:
            order = parse_order(content(reply), len(turn)) if reply else None
            ids = [q.item.candidates[turn[place]].id for place in order or ()]
            self._note(q.text, q.item.id, reply, ids or None)
            whole_ = whole_ and order is not None
            for rank, place in enumerate(order or ()):
                points[turn[place]] += (len(turn) - 1 - rank) / len(answered)
            senses.append(parse_sense(content(reply)) if reply else "")
        named = [sense for sense in senses if sense]
        if q.before and named:
            best = max(Sense, key=lambda sense: named.count(sense.value))
            tied = len(named) == 2 * named.count(best.value)
            self._senses[q.item.id] = "" if tied else best.value
        return points if whole_ else [math.nan] * len(points)


def _ordered(body: Body, reply: Body) -> bool:
    """Whether a reply orders the candidates that were asked of."""
    schema = body["response_format"]["json_schema"]["schema"]
    return parse_order(content(reply), schema["properties"]["order"]["minItems"]) is not None


def labels(count: int) -> list[str]:
    """A, B, C..., or numbers where there are more than letters."""
    if count <= 26:
        return [chr(ord("A") + place) for place in range(count)]
    return [str(place + 1) for place in range(count)]


def turned(count: int, orders: int) -> list[list[int]]:
    """The orders in which candidates are listed: as they come, then turned round by one each
    time, so that over `count` orders each stands once in each place; then shuffled, and so on.

    >>> turned(3, 2)
    [[0, 1, 2], [1, 2, 0]]
    """
    found = []
    for number in range(orders):
        base = list(range(count))
        if number >= count:
            random.Random(number // count).shuffle(base)
        turn = number % count
        found.append(base[turn:] + base[:turn])
    return found


def _listed(q: Question, turn: Sequence[int]) -> list[Body]:
    """The message: what came before, then the candidates under their labels, then the task."""
    names = labels(len(turn))
    template = COMPLETE if q.before else RANK
    words = template.format(text=q.text, n=len(turn), labels=", ".join(names))
    parts: list[Body] = [{"type": "text", "text": words}]
    for number, shown_ in enumerate(q.before, 1):
        parts += _labelled(f"Story, part {number}:", shown_)
    for name, place in zip(names, turn, strict=True):
        parts += _labelled(f"{name}:", q.contents[place])
    parts.append({"type": "text", "text": REPLY_SENSE if q.before else REPLY})
    if not any(part["type"] == "image_url" for part in parts):
        return [{"type": "text", "text": "\n".join(part["text"] for part in parts)}]
    return parts


def _labelled(label: str, shown_: Content | None) -> list[Body]:
    if isinstance(shown_, Picture):
        return [{"type": "text", "text": label}, _picture(shown_)]
    return [{"type": "text", "text": f"{label} {shown_ or ''}".strip()}]


def _schema(count: int, *, sense: bool) -> Body:
    """What a server that constrains its answers is told."""
    order = {
        "type": "array",
        "items": {"type": "string", "enum": labels(count)},
        "minItems": count,
        "maxItems": count,
    }
    properties: Body = {"sense": {"type": "string", "enum": [s.value for s in Sense]}}
    properties = {**(properties if sense else {}), "order": order}
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": "order", "strict": True, "schema": schema},
    }


def parse_order(answer: str, count: int) -> list[int] | None:
    """The order of places an answer gives; None where it isn't one of all candidates.

    >>> parse_order('Sure: {"order": ["B", "A", "C"]}', 3)
    [1, 0, 2]
    >>> parse_order('{"order": ["B", "B", "C"]}', 3)
    """
    places = {name.casefold(): place for place, name in enumerate(labels(count))}
    for value in _json_values(answer):
        listed = value.get("order") if isinstance(value, dict) else value
        if isinstance(listed, list):
            order = [places.get(str(name).strip().rstrip(".").casefold(), -1) for name in listed]
            if sorted(order) == list(range(count)):
                return order
    return None


def parse_sense(answer: str) -> str:
    """The sense an answer names; '' where it names none."""
    for value in _json_values(answer):
        named = value.get("sense") if isinstance(value, dict) else None
        if isinstance(named, str) and named.strip().casefold() in [s.value for s in Sense]:
            return named.strip().casefold()
    return ""


def _json_values(answer: str) -> list[Any]:
    """Every JSON object or list in a text, whatever stands around it."""
    decode = json.JSONDecoder().raw_decode
    values: list[Any] = []
    place = 0
    for _ in range(200):
        found = re.search(r"[\[{]", answer[place:])
        if not found:
            break
        place += found.start()
        try:
            value, end = decode(answer[place:])
        except (ValueError, RecursionError):
            place += 1
            continue
        values.append(value)
        place += end
    return values
