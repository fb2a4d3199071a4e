"""`api:` against asking one by one: the same requests, the same server, in one run.

The server is a stand-in that thinks for 20 ms, as a fast remote model would. Three ways: a plain
loop over one connection, `api:` with 32 at once (replies kept on disk), and `api:` again from
what is kept. Ratios, not seconds, are the result.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

REQUESTS = 400
THINKING = 0.02
AT_LEAST = 4.0
"""How many times faster than one by one it must be. Both ends share this machine's cores."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(THINKING)
        tokens = [{"token": "Yes", "logprob": -0.5}, {"token": "No", "logprob": -1.0}]
        logprobs = {"content": [{**tokens[0], "top_logprobs": tokens}]}
        choice = {"message": {"content": "Yes"}, "logprobs": logprobs}
        data = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def timed(work: Any) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def main() -> int:
    import httpx

    from trope.engine.cache import Cache
    from trope.score import load_scorer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    pairs = [(f"Is it {number}?", "A picture.") for number in range(REQUESTS)]

    def one_by_one() -> None:
        with httpx.Client() as client:
            for text, _ in pairs:
                body = {"model": "m", "messages": [{"role": "user", "content": text}]}
                client.post(f"{url}/chat/completions", json=body).json()

    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))

        def ours() -> None:
            scorer: Any = load_scorer(f"api:m?base_url={url}&sees=caption&concurrency=32")
            scorer.remember(cache)
            scorer.judge(pairs)

        plain, many, known = timed(one_by_one), timed(ours), timed(ours)
        cache.close()
    server.shutdown()
    print(f"{REQUESTS} requests, a server that thinks for {THINKING * 1000:.0f} ms")
    print(f"one by one          {plain:6.2f} s   1.0x")
    print(f"api, 32 at once     {many:6.2f} s  {plain / many:4.1f}x")
    print(f"api, all kept       {known:6.2f} s  {plain / known:4.1f}x")
    return 0 if plain / many >= AT_LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
