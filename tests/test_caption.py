"""`trope caption` and `trope examples`, against a stand-in server that answers by what it is sent
(a picture's bytes, a phrase), and a real one for what a text model can do."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from trope.caption import CAPTION, caption, examples
from trope.errors import InputError, TropeError
from trope.item import Benchmark
from trope.prompt import get
from trope.read import load
from trope.read.folder import SAMPLE, read_folder
from trope.score.faces import Content, Encoder, Floats


def pixels(file: Path | io.BytesIO) -> str:
    """The hash of a picture's pixels, whatever its format."""
    return hashlib.sha256(Image.open(file).convert("RGB").tobytes()).hexdigest()


class Describer:
    """Says which picture it was sent, by the hash of its pixels; refuses those in `refuses`."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.texts: list[str] = []
        self.refuses: set[str] = set()
        self.list_answer = ""
        self.slow = 0.0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, text = owner.answer(body["messages"][-1]["content"])
                data = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        port = self.server.server_address[1]
        self.model = f"api:m?base_url=http://127.0.0.1:{port}/v1&retries=0&max_edge=0"

    def answer(self, content: Any) -> tuple[int, str]:
        time.sleep(self.slow)
        if isinstance(content, str):
            self.asked[content] += 1
            return 200, self.list_answer
        url = next(part["image_url"]["url"] for part in content if "image_url" in part)
        self.texts.append(next(part["text"] for part in content if "text" in part))
        name = pixels(io.BytesIO(base64.b64decode(url.partition("base64,")[2])))
        self.asked[name] += 1
        return (500, "") if name in self.refuses else (200, f" A picture, {name[:12]}. ")


@pytest.fixture
def describer() -> Iterator[Describer]:
    made = Describer()
    yield made
    made.server.shutdown()
    made.server.server_close()


def want(path: Path) -> str:
    return f"A picture, {pixels(path)[:12]}."


def images(benchmark: Benchmark) -> dict[str, str]:
    """Every picture of a benchmark and its English caption."""
    return {
        c.image: c.captions["en"] for item in benchmark.items for c in item.candidates if c.image
    }


def test_every_picture_of_a_benchmark_is_captioned_once(
    describer: Describer, tmp_path: Path
) -> None:
    made = caption("sample", describer.model, tmp_path / "out")
    back = read_folder(tmp_path / "out")
    assert images(back) == {name: want(SAMPLE / name) for name in images(load("sample"))}
    assert made.made == len(images(back)) == len(describer.asked)
    assert set(describer.asked.values()) == {1}
    assert set(describer.texts) == {CAPTION} == {"What is shown in this image?"}
    assert [item.id for item in back.items] == [item.id for item in load("sample").items]
    assert "captions (en) by api:m" in back.card.source
    assert "retries" not in back.card.source


def test_other_languages_keep_their_captions(describer: Describer, tmp_path: Path) -> None:
    caption("sample", describer.model, tmp_path / "out", language="xx")
    for old, new in zip(load("sample").items, read_folder(tmp_path / "out").items, strict=True):
        for before, after in zip(old.candidates, new.candidates, strict=True):
            assert {**before.captions, "xx": after.captions["xx"]} == after.captions


def test_only_absent_captions_may_be_asked_for(describer: Describer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to caption"):
        caption("sample/en", describer.model, tmp_path / "out", absent=True)
    assert not describer.asked


def test_a_failed_caption_is_missing_and_asked_for_again(
    describer: Describer, tmp_path: Path
) -> None:
    first = next(iter(images(load("sample"))))
    describer.refuses = {pixels(SAMPLE / first)}
    made = caption("sample", describer.model, tmp_path / "out")
    assert made.missing == [first]
    assert images(read_folder(tmp_path / "out"))[first] == images(load("sample"))[first]
    describer.refuses, before = set(), sum(describer.asked.values())
    made = caption("sample", describer.model, tmp_path / "again")
    assert made.missing == []
    assert sum(describer.asked.values()) == before + 1


def test_nothing_is_written_where_nothing_was_captioned(
    describer: Describer, tmp_path: Path
) -> None:
    describer.refuses = {pixels(SAMPLE / name) for name in images(load("sample"))}
    with pytest.raises(InputError, match=r"captioned no picture.*status 500"):
        caption("sample", describer.model, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_of_pictures_gets_a_line_each(describer: Describer, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    (folder / "deep").mkdir(parents=True)
    for name, colour in (("a.png", "red"), ("deep/b.jpg", "blue")):
        Image.new("RGB", (8, 8), colour).save(folder / name)
    (folder / "notes.txt").write_text("no picture")
    caption(folder, describer.model, tmp_path / "out")
    lines = (tmp_path / "out" / "captions.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"image": name, "captions": {"en": want(folder / name)}} for name in ("a.png", "deep/b.jpg")
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no pictures"):
        caption(tmp_path / "empty", describer.model, tmp_path / "out2")


def test_a_kill_in_the_middle_resumes(describer: Describer, tmp_path: Path) -> None:
    describer.slow = 0.03
    words = [sys.executable, "-m", "trope", "caption", "sample", "-m", describer.model, "-o", "out"]
    process = subprocess.Popen(words, cwd=tmp_path, env=os.environ, stderr=subprocess.PIPE)
    while sum(describer.asked.values()) < 20 and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "out").exists(), "a folder is written whole or not at all"
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert sum(count - 1 for count in describer.asked.values()) <= 8, "those that were on their way"
    back = images(read_folder(tmp_path / "out"))
    assert back == {name: want(SAMPLE / name) for name in back}


class OwnWriter(Encoder):
    """A scorer that writes and doesn't keep its replies itself."""

    calls = 0

    def fingerprint(self) -> dict[str, str]:
        return {"name": "own"}

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        raise NotImplementedError

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        raise NotImplementedError

    def generate(self, pairs: Sequence[tuple[str, Content | None]]) -> list[str | None]:
        type(self).calls += len(pairs)
        return ["words" for _ in pairs]


def test_any_scorer_that_writes_will_do_and_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trope.caption.load_scorer", lambda address: OwnWriter())
    for name in ("one", "two"):
        caption("sample", "own", tmp_path / name)
    assert OwnWriter.calls == len(images(load("sample")))


@pytest.mark.parametrize("model", ["wordllama", "random"])
def test_a_model_that_cannot_write_gets_a_sentence(tmp_path: Path, model: str) -> None:
    with pytest.raises(TropeError, match="can't write"):
        caption("sample", model, tmp_path / "out")


# -- examples ------------------------------------------------------------------------------------

FIVE = [f"A scene, number {number}." for number in range(5)]


def test_examples_become_a_prompt(describer: Describer, tmp_path: Path) -> None:
    describer.list_answer = f"Here: {FIVE!r}"
    made = examples("sample/en", describer.model, tmp_path / "e.json")
    items = load("sample/en").items
    assert made.made == len({item.phrase for item in items})
    prompt = get(f"examples:{tmp_path / 'e.json'}")
    texts = prompt.texts(items[0])
    assert len(texts) == 5
    assert texts[0].endswith(f"An example of {items[0].phrase} in an image is {FIVE[0]}")
    asked = next(iter(describer.asked))
    assert re.match(r"Return a list of 5 diverse captions with a .+ in a photo\. ", asked)


def test_a_list_that_cannot_be_read_is_missing(describer: Describer, tmp_path: Path) -> None:
    describer.list_answer = "I would rather not."
    with pytest.raises(InputError, match=r"no list that can be read.*rather not"):
        examples("sample/en", describer.model, tmp_path / "e.json")
    assert not (tmp_path / "e.json").exists()


def test_descriptors_are_written_too(describer: Describer, tmp_path: Path) -> None:
    describer.list_answer = "- two wings\n- feathers"
    examples("sample/en", describer.model, tmp_path / "d.json", kind="descriptors")
    item = load("sample/en").items[0]
    assert get(f"descriptors:{tmp_path / 'd.json'}").texts(item) == (
        f"{item.phrase}, which has two wings",
        f"{item.phrase}, which has feathers",
    )


def test_the_commands_say_what_they_did(describer: Describer, tmp_path: Path, trope: Any) -> None:
    told = trope("caption", "sample", "-m", describer.model, "-o", tmp_path / "out", "--limit", 2)
    assert told.returncode == 0, told.stderr
    assert "written to" in told.stdout
    assert "tokens in" in told.stderr
    describer.list_answer = json.dumps(FIVE)
    told = trope("examples", "sample", "-m", describer.model, "-o", tmp_path / "e.json")
    assert told.returncode == 0, told.stderr
    told = trope("run", "sample", "-m", "wordllama", "--prompt", f"examples:{tmp_path / 'e.json'}")
    assert told.returncode == 0, told.stderr
    bad = trope("examples", "sample", "-m", describer.model, "-o", "x.txt")
    assert (bad.returncode, bad.stdout) == (2, "")
