"""Pictures by URL, against a server on this machine: what comes, what doesn't, and why."""

from __future__ import annotations

import csv
import io
import ipaddress
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PIL import Image

from trope.errors import InputError
from trope.hashes import file_hash
from trope.read import fetch as fetching
from trope.read import load
from trope.read.fetch import Limits, Lost, download, fetch, gather, public
from trope.read.kept import Entry, Kept

HERE = Limits(private=True, pause=0.0, timeout=5.0, most_bytes=200_000)


def picture(colour: str = "red", kind: str = "PNG", size: int = 8) -> bytes:
    sink = io.BytesIO()
    Image.new("RGB", (size, size), colour).save(sink, kind)
    return sink.getvalue()


class Host(BaseHTTPRequestHandler):
    """Answers by path, and counts what it was asked."""

    asked: Counter[str]
    gate: threading.Event

    def log_message(self, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1  # type: ignore[attr-defined]
        name = self.path.split("?")[0].strip("/")
        make = getattr(self, f"get_{name.split('/')[0].replace('-', '_')}", None)
        if make is None:
            self.send(404, b"no", "text/plain")
        else:
            make(name.partition("/")[2])

    def send(self, status: int, body: bytes, kind: str = "image/png", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", headers.pop("length", str(len(body))))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def get_ok(self, rest: str) -> None:
        self.send(200, picture(rest or "red"))

    def get_jpeg(self, rest: str) -> None:
        self.send(200, picture("blue", "JPEG"), "application/octet-stream")

    def get_html(self, rest: str) -> None:
        self.send(200, b"<html>sorry</html>", "text/html")

    def get_liar(self, rest: str) -> None:
        self.send(200, b"<html>I am a picture</html>", "image/png")

    def get_large(self, rest: str) -> None:
        self.send(200, b"\x89PNG" + b"0" * 300_000)

    def get_endless(self, rest: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.close_connection = True
        try:
            for _ in range(20_000):
                self.wfile.write(b"0" * 10_000)
        except OSError:
            self.server.cut = True  # type: ignore[attr-defined]

    def get_short(self, rest: str) -> None:
        self.send(200, picture()[:-20], length=str(len(picture())))
        self.close_connection = True

    def get_torn(self, rest: str) -> None:
        self.send(200, picture(size=64)[:-20])

    def get_slow(self, rest: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.close_connection = True
        try:
            for _ in range(100):  # one byte at a time never times out a single read
                self.wfile.write(b"0")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass

    def get_drip(self, rest: str) -> None:
        """Headers that never end."""
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for n in range(60):
                self.wfile.write(f"X-{n}: 1\r\n".encode())
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass
        self.close_connection = True

    def get_to(self, rest: str) -> None:
        self.send(302, b"", Location=f"/{rest}")

    def get_loop(self, rest: str) -> None:
        self.send(301, b"", Location="/loop")

    def get_away(self, rest: str) -> None:
        self.send(302, b"", Location=self.server.away)  # type: ignore[attr-defined]

    def get_busy(self, rest: str) -> None:
        self.send(503, b"later", "text/plain")

    def get_gzip(self, rest: str) -> None:
        self.send(200, picture(), Content_Encoding="gzip")

    def get_wait(self, rest: str) -> None:
        self.server.gate.wait(20)  # type: ignore[attr-defined]
        with suppress(OSError):
            self.send(200, picture("green"))


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    host = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    host.daemon_threads = True
    host.asked, host.gate, host.cut = Counter(), threading.Event(), False  # type: ignore[attr-defined]
    threading.Thread(target=host.serve_forever, args=(0.05,), daemon=True).start()
    yield host
    host.gate.set()  # type: ignore[attr-defined]
    host.shutdown()
    host.server_close()


@pytest.fixture
def base(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}"


def test_a_picture_is_named_by_its_hash(base: str) -> None:
    kept = Kept()
    name = download(f"{base}/ok", kept, HERE)
    assert name.endswith(".png")
    assert file_hash(kept.folder / name) == Path(name).stem
    assert (kept.folder / name).read_bytes() == picture()
    assert download(f"{base}/jpeg", kept, HERE).endswith(".jpg")
    assert not list(kept.folder.rglob(".part-*"))


def test_redirects_are_followed(base: str) -> None:
    kept = Kept()
    assert download(f"{base}/to/to/to/ok", kept, HERE) == download(f"{base}/ok", kept, HERE)


@pytest.mark.parametrize(
    ("path", "reason", "passing"),
    [
        ("nothing", "404 Not Found", False),
        ("busy", "503 Service Unavailable", True),
        ("html", "not a picture but text/html", False),
        ("liar", "no known picture format", False),
        ("large", "larger than", False),
        ("endless", "larger than", False),
        ("short", "cut short", True),
        ("torn", "cut short", False),
        ("loop", "more than 5 redirects", False),
        ("gzip", "compressed", False),
    ],
)
def test_what_is_lost_says_why(base: str, path: str, reason: str, passing: bool) -> None:
    kept = Kept()
    with pytest.raises(Lost, match=reason) as caught:
        download(f"{base}/{path}", kept, HERE)
    assert caught.value.passing is passing
    assert not [p for p in kept.folder.rglob("*") if p.is_file()]


def test_an_endless_answer_is_cut_off(base: str, server: ThreadingHTTPServer) -> None:
    with pytest.raises(Lost, match="larger"):
        download(f"{base}/endless", Kept(), HERE)
    for _ in range(100):
        if server.cut:  # type: ignore[attr-defined]
            break
        time.sleep(0.02)
    assert server.cut  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["slow", "drip", "wait"])
def test_a_slow_host_is_left_in_time(base: str, path: str) -> None:
    limits = Limits(private=True, timeout=0.5)
    start = time.monotonic()
    with pytest.raises(Lost, match=r"not here after 0\.5 s") as caught:
        download(f"{base}/{path}", Kept(), limits)
    assert time.monotonic() - start < 2.0
    assert caught.value.passing


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/a.png",
        "file:///etc/passwd",
        "http://",
        "http://user:word@example.org/a.png",
        "http://example.org:port/a.png",
        "gopher://127.0.0.1/",
        "data:image/png;base64,AAAA",
        "http://[::1/a.png",
    ],
)
def test_only_plain_web_addresses(url: str) -> None:
    with pytest.raises(Lost):
        download(url, Kept(), HERE)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "localhost"],
)
def test_this_machine_is_not_asked(server: ThreadingHTTPServer, host: str) -> None:
    port = server.server_address[1]
    with pytest.raises(Lost, match=r"private address|isn't known"):
        download(f"http://{host}:{port}/ok", Kept(), Limits())
    assert not server.asked  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("address", "is_public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True),
        ("2001:db8::1", False),
    ],
)
def test_which_addresses_are_public(address: str, is_public: bool) -> None:
    assert public(ipaddress.ip_address(address)) is is_public


def test_a_redirect_to_a_private_address_is_refused(
    server: ThreadingHTTPServer, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first host passes for a public one; where it sends us does not."""
    port = server.server_address[1]
    server.away = f"http://127.0.0.1:{port}/ok"  # type: ignore[attr-defined]
    real = socket.getaddrinfo

    def lookup(host: str, *rest: object, **more: object) -> object:
        return real("127.0.0.1" if host == "public.example" else host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    checked = fetching.public
    first = iter([True])
    monkeypatch.setattr(fetching, "public", lambda a: next(first, False) or checked(a))
    with pytest.raises(Lost, match="private address"):
        download(f"http://public.example:{port}/away", Kept(), Limits())
    assert server.asked == {"/away": 1}  # type: ignore[attr-defined]


def test_the_checked_address_is_the_one_connected_to(
    server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers otherwise the second time is never looked up a second time."""
    real, calls = socket.getaddrinfo, []

    def lookup(host: str, *rest: object, **more: object) -> object:
        if host == "turncoat.example":
            calls.append(host)
            host = "127.0.0.1"
        return real(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    port = server.server_address[1]
    download(f"http://turncoat.example:{port}/ok", Kept(), HERE)
    assert calls == ["turncoat.example"]


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for localhost that nobody but itself vouches for."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl isn't on this machine")
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext"
    name, own = tmp_path / "both.pem", tmp_path / "own.pem"
    files = ["-keyout", name, "-out", own]
    subprocess.run(
        ["openssl", *words.split(), "subjectAltName=DNS:localhost", *files],
        check=True,
        capture_output=True,
    )
    name.write_text(name.read_text() + own.read_text())
    return name


def test_https(
    server: ThreadingHTTPServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate is checked against the name, though the address is what was connected to."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    port = server.server_address[1]
    with pytest.raises(Lost, match="certificate isn't valid"):
        download(f"https://localhost:{port}/ok", Kept(), HERE)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.parent / "own.pem"))
    kept = Kept()
    assert (kept.folder / download(f"https://localhost:{port}/ok", kept, HERE)).is_file()
    with pytest.raises(Lost, match="certificate isn't valid"):
        download(f"https://127.0.0.1:{port}/ok", kept, HERE)


def test_what_is_here_is_not_asked_again(base: str, server: ThreadingHTTPServer) -> None:
    kept = Kept()
    urls = [f"{base}/ok/red", f"{base}/ok/blue", f"{base}/nothing", f"{base}/busy"]
    fetch(urls, kept, HERE)
    reread = Kept()
    assert [bool(reread.find(url)) for url in urls] == [True, True, False, False]
    assert reread.lost(urls[2]) == "404 Not Found"
    assert reread.lost(urls[3]) == ""  # it may answer another day
    for _ in range(2):
        fetch([urls[3]], reread, HERE)
    assert reread.lost(urls[3]) == "503 Service Unavailable"  # three times is enough


def test_a_host_that_never_answers_is_left_alone(base: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    kept = Kept()
    urls = [f"http://localhost:{port}/{n}.png" for n in range(6)]
    fetch([*urls, f"{base}/ok"], kept, HERE)
    assert [kept.entries[url].failed for url in urls[3:]] == ["the host doesn't answer"] * 3
    assert not any(kept.lost(url) for url in urls)  # it may answer another day
    for _ in range(2):
        fetch([*urls, f"{base}/ok"], kept, HERE)
    assert all(kept.lost(url) for url in urls)


@pytest.fixture
def unknown_hosts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names that end in .invalid are unknown; the list grows with each look-up of one."""
    real, asked = socket.getaddrinfo, []

    def lookup(host: str, *rest: object, **more: object) -> object:
        if host.endswith(".invalid"):
            asked.append(host)
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return real(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    return asked


def test_unknown_hosts_are_dead_where_others_answer(base: str, unknown_hosts: list[str]) -> None:
    kept = Kept()
    fetch(["http://gone.invalid/a.png", f"{base}/ok"], kept, HERE)
    assert kept.lost("http://gone.invalid/a.png") == "the host isn't known"


def test_offline_is_said_and_nobody_blamed(unknown_hosts: list[str]) -> None:
    kept = Kept()
    for _ in range(4):
        with pytest.raises(InputError, match="check the connection"):
            fetch([f"http://{n}.invalid/a.png" for n in range(200)], kept, HERE)
    assert not kept.entries and not Kept().entries
    assert len(unknown_hosts) < 4 * 60  # it gives up long before the 200th


def test_a_damaged_index_gets_a_sentence() -> None:
    kept = Kept()
    kept.record(Entry("http://a.example/", failed="404 Not Found"))
    kept.save()
    path = kept.folder / "index.jsonl"
    path.write_text(path.read_text() + "{broken\n")
    with pytest.raises(InputError, match="line 2"):
        Kept()
    path.write_text('{"url":"http://a.example/","file":"../../x.png"}\n')
    with pytest.raises(InputError, match="inside the folder"):
        Kept()


def test_two_processes_do_not_undo_each_other() -> None:
    one, two = Kept(), Kept()
    one.record(Entry("http://a.example/1", failed="404 Not Found"))
    two.record(Entry("http://a.example/2", failed="404 Not Found"))
    one.save()
    two.save()
    assert set(Kept().entries) == {"http://a.example/1", "http://a.example/2"}


# -- the command -----------------------------------------------------------------------------------


def write_task(folder: Path, rows: list[list[str]]) -> None:
    """An IRFL detection file: each row's pictures, the answer first."""
    folder.mkdir(exist_ok=True)
    with (folder / "idiom_understanding_task.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["phrase", "answer", "distractors", "images_metadata", "type", "definition"]
        )
        for number, urls in enumerate(rows):
            metas = [
                {
                    "img": url,
                    "uuid": f"{number}-{n}",
                    "category": "Partial Objects" if n else "Figurative",
                    "phrase": f"phrase {number}",
                }
                for n, url in enumerate(urls)
            ]
            writer.writerow(
                [
                    f"phrase {number}",
                    json.dumps(urls[:1]),
                    json.dumps(urls[1:]),
                    json.dumps(metas),
                    "figurative",
                    json.dumps(["what it means"]),
                ]
            )


def test_pictures_then_run(trope, tmp_path: Path, base: str, server: ThreadingHTTPServer) -> None:  # type: ignore[no-untyped-def]
    """Dead links are listed, items that lost a picture are left out and counted."""
    data = tmp_path / "data"
    good = [[f"{base}/ok/{a}", f"{base}/ok/{b}"] for a, b in (("red", "blue"), ("green", "gold"))]
    write_task(data, [*good, [f"{base}/ok/cyan", f"{base}/nothing"]])
    words = ("irfl-detection/idiom", "--data", data)
    assert len(load(words[0], data=data)) == 3

    refused = trope("pictures", *words)
    assert "private address" in refused.stdout and not server.asked  # type: ignore[attr-defined]

    done = trope("pictures", *words, "--allow-private")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"404 Not Found\t{base}/nothing\n"
    assert "5 pictures fetched, 0 were here, 1 lost" in done.stderr
    assert "1 of 3 items lost a picture (dead links: 1) and are left out" in done.stderr
    assert set(server.asked.values()) == {1}  # type: ignore[attr-defined]

    benchmark = load(words[0], data=data)
    assert [item.id for item in benchmark] == ["idiom-000", "idiom-001"]
    places = [benchmark.picture(c) for item in benchmark for c in item.candidates]
    assert all(place is not None and place.is_file() for place in places)
    assert len(load(f"{words[0]}?lost=keep", data=data)) == 3

    once_more = trope("pictures", *words, "--allow-private")
    assert "0 pictures fetched, 5 were here, 1 lost" in once_more.stderr
    assert set(server.asked.values()) == {1}  # type: ignore[attr-defined]

    result = trope("run", *words, "-m", "random?seed=1")
    assert result.returncode == 0, result.stderr
    assert "2 items" in result.stdout


def test_a_dead_draw_is_replaced(tmp_path: Path, base: str, server: ThreadingHTTPServer) -> None:
    """Random candidates step over dead links to others, which are then fetched too."""
    data = tmp_path / "data"
    names = ("red", "blue", "green", "gold", "cyan", "pink")
    write_task(data, [[f"{base}/ok/{name}", f"{base}/gone/{name}"] for name in names])
    address = "irfl-random/idiom?candidates=4&seed=2"
    found = gather(address, data=data, limits=HERE)
    benchmark = load(address, data=data)
    assert len(benchmark) == 6 and all(c.image for i in benchmark for c in i.candidates)
    assert found.lost and all("/gone/" in entry.url for entry in found.lost)
    assert set(server.asked.values()) == {1}  # type: ignore[attr-defined]


def test_interrupted_and_gone_on(
    tmp_path: Path, base: str, server: ThreadingHTTPServer, own_cache: Path
) -> None:
    data = tmp_path / "data"
    held = f"{base.replace('127.0.0.1', 'localhost')}/wait"  # another host, asked at the same time
    write_task(data, [[f"{base}/ok/red", f"{base}/ok/blue", held]])
    words = ["pictures", "irfl-detection/idiom", "--data", data, "--allow-private"]
    process = subprocess.Popen(
        [sys.executable, "-m", "trope", *map(str, words)],
        env={**os.environ},
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(200):
        if server.asked["/wait"] and len(list(own_cache.rglob("*.png"))) == 2:  # type: ignore[attr-defined]
            break
        time.sleep(0.05)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=10)
    assert process.returncode == 130, said
    assert time.monotonic() - start < 5
    assert "goes on where it was" in said
    kept = Kept()
    assert kept.find(f"{base}/ok/red") and kept.find(f"{base}/ok/blue")
    assert held not in kept.entries
    assert not list(kept.folder.rglob(".part-*"))


def test_nothing_to_fetch(trope) -> None:  # type: ignore[no-untyped-def]
    result = trope("pictures", "sample")
    assert result.returncode == 2
    assert "nothing to fetch" in result.stderr and "Traceback" not in result.stderr
