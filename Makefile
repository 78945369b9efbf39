# Every target sets up what it needs from a fresh clone; the second time is fast.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OLDEST := .venv-oldest
OLDEST_STAMP := $(OLDEST)/.installed
# The oldest versions that are supported. torchvision 0.21 belongs to torch 2.6.
OLDEST_PACKAGES := torch==2.6.0 torchvision==0.21.0
# Two workers: more only fight over the cores that torch wants.
PYTEST_WORKERS ?= 2

.PHONY: setup demo test lint bench accuracy test-oldest clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --quiet -e '.[dev]'
	@touch $@

demo: $(STAMP)
	$(BIN)/doctorch demo

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --cov --cov-report=term

bench: $(STAMP)
	$(BIN)/python benchmarks/run.py

accuracy: $(STAMP)
	$(BIN)/python benchmarks/accuracy.py

# torch 2.6 in an environment of its own. Where it cannot be installed nothing was tested, and that is said.
test-oldest:
	@if [ ! -e $(OLDEST_STAMP) ] || [ pyproject.toml -nt $(OLDEST_STAMP) ]; then \
	  $(PYTHON) -m venv $(OLDEST) && \
	  $(OLDEST)/bin/python -m pip install --quiet --quiet -e '.[dev]' $(OLDEST_PACKAGES) && touch $(OLDEST_STAMP) || \
	  { echo "unchecked: $(OLDEST_PACKAGES) cannot be installed here; the oldest supported torch was not tested."; exit 1; }; \
	fi
	$(OLDEST)/bin/python -m pytest -n $(PYTEST_WORKERS)

clean:
	rm -rf $(VENV) $(OLDEST) build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .doctorch
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
