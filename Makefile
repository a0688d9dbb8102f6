# Set-up is a by-product: `make demo` and `make test` install what they need into .venv, once.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test check bench docs site lock clean

demo: $(STAMP)
	$(BIN)/idiograph demo --force

test: check
	$(BIN)/python -m pytest -n 2 -q

check: $(STAMP)
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/vulture

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	$(BIN)/python docs/build.py

# The documentation as a site that needs no network: docs/_site/index.html.
site: docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning docs docs/_site

$(STAMP): requirements.lock requirements-spanish.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Idiograph needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-spanish.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The Spanish model's metadata ask for spaCy 3.1, so no resolver takes it beside 3.8: it has a lock file of its own.
# The lock holds versions and hashes for all platforms, and no index address.
lock:
	test -x .venv-lock/bin/uv || { $(PYTHON) -m venv .venv-lock && .venv-lock/bin/python -m pip install --quiet uv; }
	.venv-lock/bin/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet --upgrade -o requirements.lock

clean:
	rm -rf .venv .venv-lock build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis demo
