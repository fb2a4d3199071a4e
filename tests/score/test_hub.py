"""A checkpoint is found, named by its files, and what is wrong with it is said in a sentence."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from trope.address import parse
from trope.errors import InputError, MissingExtra
from trope.score import SCORERS, hub, load_scorer

pytest.importorskip("torch")
pytest.importorskip("transformers")

Folder = Callable[[str], Path]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def copy(checkpoint: Folder, tmp_path: Path) -> Path:
    """A CLIP checkpoint one may break."""
    return Path(shutil.copytree(checkpoint("clip"), tmp_path / "broken"))


def hub_cache(folder: Path, home: Path, name: str = "someone/tiny") -> Path:
    """Lay a checkpoint out as the hub's own cache does: blobs by hash, a snapshot of links."""
    repo = home / f"models--{name.replace('/', '--')}"
    snapshot = repo / "snapshots" / COMMIT
    for place in (repo / "blobs", repo / "refs", snapshot):
        place.mkdir(parents=True)
    (repo / "refs" / "main").write_text(COMMIT)
    for path in folder.iterdir():
        data = path.read_bytes()
        large = path.suffix == ".safetensors"
        blob = hashlib.sha256(data).hexdigest() if large else hashlib.sha1(data).hexdigest()
        (repo / "blobs" / blob).write_bytes(data)
        (snapshot / path.name).symlink_to(Path("../../blobs") / blob)
    return snapshot


def in_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def complaint(folder: Path) -> str:
    """What is said of a checkpoint when it is used."""
    scorer = load_scorer(f"clip:{folder}")
    with pytest.raises(InputError) as caught:
        scorer.fingerprint()
        scorer.embed_texts(["cold feet"])
    text = str(caught.value)
    assert "\n" not in text and "Traceback" not in text
    return text


# -- what a checkpoint is


def test_one_set_of_weights_is_chosen() -> None:
    shards = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    assert (
        hub.weight_files([*shards, "model.safetensors.index.json", "pytorch_model.bin"]) == shards
    )
    pickles = [f"pytorch_model-0000{i}-of-00002.bin" for i in (1, 2)]
    assert hub.weight_files([*pickles, "tf_model.h5", "flax_model.msgpack"]) == pickles
    assert hub.weight_files(["consolidated.safetensors", "model.fp16.safetensors"]) == []


def test_only_what_is_used_is_downloaded() -> None:
    files = """README.md config.json model.safetensors pytorch_model.bin tf_model.h5 onnx/model.onnx
    onnx/config.json tokenizer.json vocab.txt 1_Pooling/config.json 2_Dense/model.safetensors
    2_Dense/config.json openvino/openvino_model.xml .gitattributes chat_template.jinja""".split()
    assert hub.wanted_files(files) == sorted(
        """config.json model.safetensors tokenizer.json vocab.txt 1_Pooling/config.json
        2_Dense/model.safetensors 2_Dense/config.json chat_template.jinja""".split()
    )


def test_the_fingerprint_follows_the_bytes_not_the_place(copy: Path, tmp_path: Path) -> None:
    first = load_scorer(f"clip:{copy}").fingerprint()
    moved = Path(shutil.copytree(copy, tmp_path / "elsewhere"))
    assert load_scorer(f"clip:{moved}").fingerprint() == first
    weights = moved / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    other = load_scorer(f"clip:{moved}").fingerprint()
    assert {k for k in first if first[k] != other[k]} == {"weights"}
    (copy / "tokenizer_config.json").write_text('{"tokenizer_class": "CLIPTokenizer"}')
    assert load_scorer(f"clip:{copy}").fingerprint()["files"] != first["files"]


def test_a_fingerprint_loads_no_model_library(checkpoint: Folder) -> None:
    code = (
        "import sys; from trope.score import load_scorer\n"
        f"load_scorer('clip:{checkpoint('clip')}?device=cpu').fingerprint()\n"
        "print([m for m in ('torch', 'transformers') if m in sys.modules])"
    )
    done = in_process(code)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_device_and_a_number_type_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    address = parse("clip:x")

    def chosen(device: str, config: dict[str, str], dtype: str = "auto") -> tuple[str, str]:
        monkeypatch.setattr(hub, "best_device", lambda: device)
        place = hub.place(address, {"device": "auto", "dtype": dtype}, config=config)
        return place.device, place.dtype

    assert chosen("cpu", {"torch_dtype": "float16"}) == ("cpu", "float32")
    assert chosen("cuda", {"torch_dtype": "float32"}) == ("cuda", "float16")
    assert chosen("cuda", {"dtype": "bfloat16"}) == ("cuda", "bfloat16")
    assert chosen("cuda", {}, "float32") == ("cuda", "float32")
    assert chosen("mps", {}) == ("mps", "float32")


def test_a_device_that_is_absent_is_said(checkpoint: Folder) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with pytest.raises(InputError, match=r"torch finds no cuda:1 here; use \?device=cpu"):
        load_scorer(f"clip:{checkpoint('clip')}?device=cuda:1").fingerprint()


# -- the hub


def test_a_cached_checkpoint_is_used_offline_with_its_commit(
    checkpoint: Folder, tmp_path: Path
) -> None:
    snapshot = hub_cache(checkpoint("clip"), tmp_path)
    code = (
        "import json; from trope.score import load_scorer\n"
        "facts = load_scorer('clip:someone/tiny').fingerprint()\n"
        f"pinned = load_scorer('clip:someone/tiny?revision={COMMIT}').fingerprint()\n"
        "assert pinned == facts\n"
        "print(json.dumps(facts))"
    )
    done = in_process(code, HF_HUB_CACHE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["revision"] == COMMIT
    local = load_scorer(f"clip:{checkpoint('clip')}").fingerprint()
    assert {**facts, "revision": ""} == local
    assert hub.content_hash(snapshot / "model.safetensors") == hub.file_hash(
        checkpoint("clip") / "model.safetensors"
    )


def test_large_files_of_the_cache_are_not_read_for_their_hash(tmp_path: Path) -> None:
    blob = tmp_path / ("a" * 64)
    blob.write_bytes(b"whatever")
    (tmp_path / "model.safetensors").symlink_to(blob)
    assert hub.content_hash(tmp_path / "model.safetensors") == "a" * 64


@pytest.mark.parametrize(
    "environment",
    [{"HF_HUB_OFFLINE": "1"}, {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://127.0.0.1:9"}],
    ids=["offline", "no route"],
)
def test_without_a_network_the_sentence_says_so(
    environment: dict[str, str], tmp_path: Path
) -> None:
    code = (
        "from trope.score import load_scorer; from trope.errors import InputError\n"
        "try: load_scorer('clip:openai/clip-vit-base-patch32').fingerprint()\n"
        "except InputError as error: print(error)"
    )
    done = in_process(code, HF_HUB_CACHE=str(tmp_path), **environment)
    assert "isn't in the local cache and can't be downloaded" in done.stdout, done.stderr
    assert "connect to the network, or give a folder" in done.stdout
    assert done.stdout.count("\n") == 1


def test_what_the_hub_refuses_is_said(tmp_path: Path) -> None:
    refusals = {
        "someone/absent": (404, "RepoNotFound"),
        "someone/gated": (403, "GatedRepo"),
        "someone/pinned": (404, "RevisionNotFound"),
        "someone/ill": (500, ""),
    }

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = next(name for name in refusals if name in self.path)
            status, code = refusals[name]
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    code = (
        "from trope.score import load_scorer; from trope.errors import InputError\n"
        "for name in ('absent', 'gated', 'pinned?revision=v9', 'ill'):\n"
        "    try: load_scorer(f'clip:someone/{name}').fingerprint()\n"
        "    except InputError as error: print(error)"
    )
    environment = {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}"}
    try:
        done = in_process(code, HF_HUB_CACHE=str(tmp_path), **environment)
    finally:
        server.shutdown()
        server.server_close()
    absent, gated, pinned, ill = done.stdout.splitlines()
    assert "There is no checkpoint 'someone/absent' on the hub, nor a folder" in absent
    assert "someone/gated is gated: accept its terms" in gated
    assert "someone/pinned has no revision 'v9'" in pinned
    assert "can't be downloaded" in ill


def test_a_half_downloaded_checkpoint_is_not_taken_for_whole(
    checkpoint: Folder, tmp_path: Path
) -> None:
    snapshot = hub_cache(checkpoint("clip"), tmp_path)
    whole = hub.Checkpoint("someone/tiny", snapshot, COMMIT)
    assert hub._complete(whole, ("tokenizer", "processor"))
    index = {
        "weight_map": {
            "a": "model-00001-of-00002.safetensors",
            "b": "model-00002-of-00002.safetensors",
        }
    }
    (snapshot / "model.safetensors").rename(snapshot / "model-00001-of-00002.safetensors")
    (snapshot / "model.safetensors.index.json").write_text(json.dumps(index))
    assert not hub._complete(whole, ())


# -- bad checkpoints


def test_a_folder_that_is_absent(tmp_path: Path) -> None:
    assert "There is no folder" in complaint(tmp_path / "absent")


def test_a_folder_without_a_config(copy: Path) -> None:
    (copy / "config.json").unlink()
    assert "config.json is absent" in complaint(copy)


def test_a_config_that_is_not_json(copy: Path) -> None:
    (copy / "config.json").write_text("{")
    assert "config.json isn't JSON" in complaint(copy)


def test_a_checkpoint_without_weights(copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    assert "holds no weights" in complaint(copy)


def test_a_checkpoint_without_a_tokenizer(copy: Path) -> None:
    for name in hub.TOKENIZERS:
        (copy / name).unlink(missing_ok=True)
    assert "has no tokenizer" in complaint(copy)


def test_a_checkpoint_without_a_processor(copy: Path) -> None:
    (copy / "preprocessor_config.json").unlink()
    assert "has no processor" in complaint(copy)


def test_a_cut_weight_file(copy: Path) -> None:
    path = copy / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-500])
    assert "The weights of" in (text := complaint(copy)) and "copy the whole checkpoint" in text


def test_a_weight_file_of_noise(copy: Path) -> None:
    (copy / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    assert "can't be loaded" in complaint(copy)


def test_a_pickle_that_runs_code_is_refused(copy: Path, tmp_path: Path) -> None:
    import pickle

    mark = tmp_path / "ran"

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(mark),)

    (copy / "model.safetensors").unlink()
    (copy / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Trap()}, protocol=2))
    assert "can't be loaded" in complaint(copy)
    assert not mark.exists()


def test_weights_that_are_left_out_are_not_left_at_random(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(copy / "model.safetensors")
    del tensors["text_projection.weight"]
    save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    assert "1 absent" in (text := complaint(copy)) and "text_projection.weight" in text


def test_weights_of_another_shape(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    config["projection_dim"] = 8
    (copy / "config.json").write_text(json.dumps(config))
    assert "The weights of" in complaint(copy)


def test_a_broken_tokenizer(copy: Path) -> None:
    (copy / "tokenizer.json").write_text("{}")
    assert "The tokenizer of" in complaint(copy)


def test_an_address_without_a_checkpoint() -> None:
    with pytest.raises(InputError, match="clip needs a checkpoint: clip:OWNER/NAME"):
        load_scorer("clip").fingerprint()


@pytest.mark.parametrize("name", ["clip", "siglip", "align", "blip-itc", "st", "onnx", "open_clip"])
def test_a_missing_extra_names_the_command(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    family = SCORERS[name]._replace(needs=("no_such_library",))
    monkeypatch.setitem(SCORERS, name, family)
    with pytest.raises(MissingExtra, match=rf"pip install 'trope\[{family.extra}\]'"):
        load_scorer(f"{name}:x")
