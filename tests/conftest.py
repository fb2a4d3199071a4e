"""What the tests share. No test touches the user's own cache, runs or data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("TROPE_TEST_DATA", ROOT.parent / "shared" / "data"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI an oracle that isn't installed is a hole, not a reason to skip."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("TROPE_CI") and any("could not import" in str(s.longrepr) for s in skipped):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for each test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("TROPE_CACHE", str(folder))
    monkeypatch.delenv("TROPE_DATA", raising=False)
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The published benchmark files; tests that read them are skipped where they are absent."""
    if not DATA.is_dir():
        pytest.skip("the published benchmark files are not on this machine (TROPE_TEST_DATA)")
    return DATA


@pytest.fixture(scope="session")
def admire(shared_data: Path) -> Path:
    """The AdMIRe release."""
    return shared_data / "admire1"


Trope = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def trope(tmp_path: Path) -> Trope:
    """Run the command line in a process of its own, in an empty folder."""

    def call(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "trope", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "80", **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


def objects(result: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    """The JSON objects a command printed, one a line."""
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]
