"""`trope pictures`: fetch the pictures that a benchmark publishes as web addresses. Politely.

One request at a time to a host, a few hosts at a time. Only http and https; a host's address is
looked up once, checked to be public, and that very address is connected to, for each redirect
anew. Bytes are counted while they come. What arrives is checked as a picture and named by its
hash; what doesn't is listed with its reason. A run that is stopped goes on where it was. Proxies
are not used: behind one, the address connected to could not be checked.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from trope import __version__
from trope.errors import InputError
from trope.item import Benchmark
from trope.read import READERS, load
from trope.read.kept import Entry, Kept, NotAPicture

AGENT = f"trope/{__version__} (pictures of a research benchmark)"
TYPES = ("image/", "application/octet-stream", "binary/octet-stream")
"""Content types that may hold a picture; the bytes decide."""
BUSY = (408, 425, 429, 500, 502, 503, 504)
"""Answers that may be other ones another day."""
REDIRECTS = (301, 302, 303, 307, 308)
NOT_FOUND = "the host isn't known"
PRIVATE = "a private address; --allow-private allows it"
_PIECE = 64 * 1024
_FAILS = 3
"""After so many failed connections in a row a host is left alone."""
_OFFLINE = 25
"""After so many, and not one answer from anybody, it is this machine that can't be reached."""
_SAVE_EVERY = 2.0
_ROUNDS = 10
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_SAFE = "/%:@!$&'()*+,;=~-._"

Advance = Callable[[int], None]
Progress = Callable[[str, int], AbstractContextManager[Advance]]


@dataclass(frozen=True)
class Limits:
    """How much trope asks of others, and takes."""

    workers: int = 4
    """Hosts asked at the same time."""
    most_bytes: int = 20 * 1024 * 1024
    """Of one picture."""
    timeout: float = 30.0
    """Seconds for one picture, redirects included."""
    redirects: int = 5
    pause: float = 0.25
    """Seconds between two requests to one host."""
    private: bool = False
    """Whether private and loopback addresses may be asked."""


@dataclass(frozen=True)
class Gathered:
    """What became of a benchmark's web addresses."""

    there: int
    """Pictures that were here already."""
    new: int
    lost: tuple[Entry, ...]
    """Addresses without a picture, each with its reason."""
    folder: Path
    notes: tuple[str, ...]
    """What the benchmark says of itself now."""


class Lost(Exception):
    """No picture, and why."""

    def __init__(self, reason: str, *, passing: bool = False, host: bool = False) -> None:
        super().__init__(reason)
        self.passing = passing
        """Whether the reason may pass."""
        self.host = host
        """Whether the host itself couldn't be reached."""


# -- a benchmark's pictures ------------------------------------------------------------------------


def gather(
    address: str,
    *,
    data: Path | None = None,
    limits: Limits | None = None,
    again: bool = False,
    progress: Progress | None = None,
) -> Gathered:
    """Fetch the pictures a benchmark needs and that aren't here.

    `again` asks dead links once more. Where candidates are drawn from a pool, a dead link is
    replaced by another draw, which may be new: so it goes on until nothing is left to ask.
    """
    limits = limits or Limits()
    keeping = _with_lost(address)
    wanted = _urls(load(keeping, data=data))
    if not wanted:
        raise InputError(f"{address} has no picture at a web address; there is nothing to fetch.")
    kept = Kept()
    there = sum(kept.find(url) is not None for url in wanted)
    asked = list(wanted)
    for _ in range(_ROUNDS):
        todo = [url for url in asked if _worth_asking(kept, url, limits, again=again)]
        if not todo:
            break
        with (progress or _silent)(f"pictures of {address}", len(todo)) as advance:
            fetch(todo, kept, limits, advance=advance)
        again = False
        asked = [u for u in _urls(_reloaded(address, data)) if u not in kept.entries]
        wanted.update(dict.fromkeys(asked))
    lost = tuple(kept.entries[u] for u in wanted if u in kept.entries and not kept.find(u))
    here = sum(kept.find(url) is not None for url in wanted)
    notes = benchmark.notes if (benchmark := _reloaded(address, data)) else ()
    return Gathered(there, here - there, lost, kept.folder, notes)


def _with_lost(address: str) -> str:
    """The address with its dead links kept, where its reader would leave them out."""
    family = READERS.get(address.partition("?")[0].split("/")[0])
    if family is None or "lost" not in family.options or "lost=" in address:
        return address
    return f"{address}{'&' if '?' in address else '?'}lost=keep"


def _reloaded(address: str, data: Path | None) -> Benchmark | None:
    """The benchmark as it is now; None where no item has all its pictures."""
    try:
        return load(address, data=data)
    except InputError:
        return None


def _urls(benchmark: Benchmark | None) -> dict[str, None]:
    items = benchmark.items if benchmark else ()
    return dict.fromkeys(c.url for i in items for c in (*i.candidates, *i.sequence) if c.url)


def _worth_asking(kept: Kept, url: str, limits: Limits, *, again: bool) -> bool:
    entry = kept.entries.get(url)
    allowed = entry is not None and entry.failed == PRIVATE and limits.private
    return kept.find(url) is None and (entry is None or again or allowed or not entry.dead)


@contextmanager
def _silent(label: str, total: int) -> Iterator[Advance]:
    yield lambda done: None


# -- many addresses --------------------------------------------------------------------------------


@dataclass
class _Errand:
    """One call of `fetch`: what its threads share."""

    kept: Kept
    limits: Limits
    advance: Advance
    stop: threading.Event = field(default_factory=threading.Event)
    reached: bool = False
    """Whether any host answered: if none did, this machine is offline rather than they."""
    unreached: list[Entry] = field(default_factory=list)
    """Failures that count only if somebody else was reached."""
    live: set[socket.socket] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def host(self, urls: list[str]) -> None:
        """The addresses of one host, one after the other."""
        fails = 0
        for number, url in enumerate(urls):
            if fails >= _FAILS:
                self._failed(url, Lost("the host doesn't answer", passing=True, host=True))
                continue
            if self.stop.is_set() or (number and self.stop.wait(self.limits.pause)):
                return
            try:
                file = download(url, self.kept, self.limits, self.live)
                self.kept.record(Entry(url, file=file))
                self.reached, fails = True, 0
                self._step()
            except Lost as lost:
                if self.stop.is_set():  # it was cut off, not lost
                    return
                fails = fails + 1 if lost.host else 0
                self._failed(url, lost)

    def _failed(self, url: str, lost: Lost) -> None:
        before = self.kept.entries.get(url)
        tries = (before.tries if before else 0) + 1 if lost.passing else 0
        entry = Entry(url, failed=str(lost), tries=0 if str(lost) == NOT_FOUND else tries)
        if lost.host:
            with self.lock:
                self.unreached.append(entry)
                if not self.reached and len(self.unreached) >= _OFFLINE:
                    self.stop.set()
        else:
            self.reached = True
            self.kept.record(entry)
        self._step()

    def _step(self) -> None:
        with self.lock:
            self.advance(1)

    def end(self) -> None:
        """Stop what is under way."""
        self.stop.set()
        for one in list(self.live):
            _hang_up(one)

    def settle(self) -> None:
        """Write down what is known. A host nobody knows is gone, if others could be reached."""
        if self.reached:
            for entry in self.unreached:
                self.kept.record(entry)
        self.kept.save()


def fetch(
    urls: Iterable[str], kept: Kept, limits: Limits, *, advance: Advance = lambda done: None
) -> None:
    """Ask for each address once and record what became of it."""
    hosts: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        hosts.setdefault(_host_of(url), []).append(url)
    errand = _Errand(kept, limits, advance)
    pool = ThreadPoolExecutor(max(1, limits.workers), thread_name_prefix="trope-pictures")
    calls = {pool.submit(errand.host, own) for own in sorted(hosts.values(), key=len)[::-1]}
    waiting = calls
    try:
        while waiting:
            done, waiting = wait(waiting, timeout=_SAVE_EVERY, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            kept.save()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        while not all(call.done() for call in calls):
            errand.end()
            wait(calls, timeout=0.1)
        errand.settle()
    if not errand.reached and errand.unreached:
        raise InputError(
            f"None of the {len(errand.unreached)} addresses asked could be reached "
            f"({errand.unreached[-1].failed}); check the connection and run it again."
        )


def _host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


# -- one address -----------------------------------------------------------------------------------


def download(url: str, kept: Kept, limits: Limits, live: set[socket.socket] | None = None) -> str:
    """Fetch one picture into the kept ones; its path there. Raises `Lost`."""
    deadline = time.monotonic() + limits.timeout
    where = url
    for _ in range(limits.redirects + 1):
        parts = _checked(where)
        with _connected(parts, limits, deadline, live if live is not None else set()) as line:
            line.request("GET", _target(parts), headers={"User-Agent": AGENT, "Accept": "image/*"})
            with line.getresponse() as response:  # closed, or an answer half read holds the line
                if response.status in REDIRECTS:
                    where = urljoin(where, response.getheader("Location") or "")
                    continue
                data = _received(response, limits, deadline)
        try:
            return kept.keep(data, where=url)
        except NotAPicture as error:
            raise Lost(error.reason) from None
    raise Lost(f"more than {limits.redirects} redirects")


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise Lost("a malformed address") from None
    if parts.scheme not in ("http", "https"):
        raise Lost(f"only http and https are fetched, not {parts.scheme or 'this'}")
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise Lost("a malformed address")
    return parts


def _target(parts: SplitResult) -> str:
    query = f"?{quote(parts.query, safe=_SAFE + '?[]{}|')}" if parts.query else ""
    return quote(parts.path or "/", safe=_SAFE) + query


def public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is one of the public net's, also where it hides in another.

    >>> public(ipaddress.ip_address("::ffff:127.0.0.1"))
    False
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _NAT64:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        hidden = [one for one in inner if one is not None]
        if hidden:
            return all(public(one) for one in hidden)
        if address.is_site_local:
            return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )


def _resolved(parts: SplitResult, *, private: bool) -> list[tuple[str, int]]:
    """Where to connect: looked up once and checked, so that nothing can change in between."""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        name = (parts.hostname or "").encode("idna").decode()
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except socket.gaierror:
        raise Lost(NOT_FOUND, passing=True, host=True) from None
    except (UnicodeError, OSError, OverflowError):
        raise Lost("a malformed address") from None
    places = list(dict.fromkeys(str(place[4][0]) for place in found))
    if not private and not all(public(ipaddress.ip_address(place)) for place in places):
        raise Lost(PRIVATE)
    return [(place, port) for place in places]


@contextmanager
def _connected(
    parts: SplitResult, limits: Limits, deadline: float, live: set[socket.socket]
) -> Iterator[http.client.HTTPConnection]:
    """A connection to the checked address that ends at the deadline, whatever the host does."""
    places = _resolved(parts, private=limits.private)
    host = (parts.hostname or "").encode("idna").decode()
    line = http.client.HTTPConnection(host, places[0][1])
    watch: threading.Timer | None = None
    raw: socket.socket | None = None
    try:
        raw = _first(places, deadline)
        live.add(raw)
        watch = threading.Timer(max(0.0, deadline - time.monotonic()), _hang_up, [raw])
        watch.daemon = True
        watch.start()
        secure = parts.scheme == "https"
        line.sock = _secured(raw, host) if secure else raw
        if secure:  # so that the Host header names no port
            line.default_port = 443
        yield line
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _why(error, limits, deadline) from None
    finally:
        if watch is not None:
            watch.cancel()
        if raw is not None:
            live.discard(raw)
            raw.close()
        line.close()


def _secured(raw: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(raw.dup(), server_hostname=host)


def _first(places: list[tuple[str, int]], deadline: float) -> socket.socket:
    """The first place that takes the call."""
    for place in places[:-1]:
        with suppress(OSError):
            return socket.create_connection(place, timeout=_left(deadline) / 2)
    return socket.create_connection(places[-1], timeout=_left(deadline))


def _left(deadline: float) -> float:
    return max(0.05, deadline - time.monotonic())


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _why(error: Exception, limits: Limits, deadline: float) -> Lost:
    """What a broken connection means to the reader."""
    if time.monotonic() >= deadline - 0.05 or isinstance(error, TimeoutError):
        return Lost(f"not here after {limits.timeout:g} s", passing=True, host=True)
    if isinstance(error, ssl.SSLCertVerificationError):
        return Lost("the host's certificate isn't valid")
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
        return Lost(f"not reached: {reason}", passing=True, host=True)
    return Lost("the answer broke off or isn't HTTP", passing=True)


def _received(response: http.client.HTTPResponse, limits: Limits, deadline: float) -> bytes:
    """The picture's bytes, refused as soon as they can't be one."""
    status = response.status
    if status != 200:
        raise Lost(
            f"{status} {http.client.responses.get(status, '')}".strip(), passing=status in BUSY
        )
    kind = response.headers.get_content_type() if response.getheader("Content-Type") else TYPES[1]
    if not kind.startswith(TYPES):
        raise Lost(f"not a picture but {kind[:40]}")
    if (response.getheader("Content-Encoding") or "identity").lower() != "identity":
        raise Lost("sent compressed, which wasn't asked for")
    too_large = Lost(f"larger than {limits.most_bytes / 2**20:g} MB")
    wanted = response.length
    if wanted is not None and wanted > limits.most_bytes:
        raise too_large
    data = bytearray()
    while piece := response.read1(_PIECE):
        data += piece
        if len(data) > limits.most_bytes:
            raise too_large
    if time.monotonic() >= deadline:
        raise Lost(f"not here after {limits.timeout:g} s", passing=True, host=True)
    if wanted is not None and len(data) < wanted:
        raise Lost(f"cut short: {len(data)} of {wanted} bytes came", passing=True)
    return bytes(data)
