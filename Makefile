# Every target sets up what it needs from a fresh clone; the second time is fast.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OLDEST := .venv-oldest
OLDEST_STAMP := $(OLDEST)/.installed
# The oldest versions that are supported. torchvision 0.21 belongs to torch 2.6.
OLDEST_PACKAGES := torch==2.6.0 torchvision==0.21.0
FRAMEWORKS := .venv-frameworks
FRAMEWORKS_STAMP := $(FRAMEWORKS)/.installed
# Two workers: more only fight over the cores that torch wants.
PYTEST_WORKERS ?= 2

.PHONY: setup demo test lint bench accuracy test-oldest test-frameworks clean

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

# Trainings written with Lightning, transformers' Trainer and accelerate. `make test` skips them, and says so: its environment does
# without these packages.
test-frameworks:
	@if [ ! -e $(FRAMEWORKS_STAMP) ] || [ pyproject.toml -nt $(FRAMEWORKS_STAMP) ]; then \
	  $(PYTHON) -m venv $(FRAMEWORKS) && \
	  $(FRAMEWORKS)/bin/python -m pip install --quiet --quiet -e '.[dev,frameworks]' && touch $(FRAMEWORKS_STAMP) || \
	  { echo "unchecked: the frameworks cannot be installed here; trainings written with them were not tested."; exit 1; }; \
	fi
	$(FRAMEWORKS)/bin/python -m pytest -n $(PYTEST_WORKERS) tests/frameworks

clean:
	rm -rf $(VENV) $(OLDEST) $(FRAMEWORKS) build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .doctorch
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
