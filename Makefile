# `make demo` and `make test` set up everything they need, in .venv.

PYTHON ?= python3
BIN := .venv/bin
EXTRAS := ja,ko,spm,zst,completion,dev

.PHONY: demo test test-full test-pythons test-downstream lint format bench build dev clean

demo: build
	$(BIN)/python examples/demo.py

# The package with what it needs to run, and nothing else.
build: $(BIN)/maturin
	$(BIN)/maturin develop --release --quiet

# The package with all extras and the tools of development.
dev: $(BIN)/maturin
	$(BIN)/maturin develop --release --quiet --extras $(EXTRAS)

$(BIN)/maturin:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "maturin>=1.9,<2"

test: dev
	cargo test --quiet --package truebleu-core
	$(BIN)/python -m pytest -n auto

# 20,000 generated cases for each metric and tokenizer, and whole systems; about a quarter of an hour.
test-full: dev
	cargo test --quiet --package truebleu-core
	TRUEBLEU_TEST_CASES=20000 $(BIN)/python -m pytest -n auto

# The tests on every interpreter that is found, each with a virtual environment of its own and the wheel installed.
PYTHONS := 3.11 3.12 3.13
WHEELS := dist/pythons

test-pythons: $(BIN)/maturin
	rm -rf $(WHEELS)
	$(BIN)/maturin build --release --quiet --out $(WHEELS)
	@for version in $(PYTHONS); do \
	    found=; \
	    for python in python$$version $$HOME/.pyenv/versions/$$version.*/bin/python; do \
	        $$python -c "" 2>/dev/null && found=$$python; \
	    done; \
	    if [ -z "$$found" ]; then echo "Python $$version: there is none here"; continue; fi; \
	    echo "Python $$version: $$found"; \
	    bin=.venv-$$version/bin; \
	    test -x $$bin/python || $$found -m venv .venv-$$version || exit 1; \
	    wheel=$$(echo $(WHEELS)/*.whl); \
	    $$bin/python -m pip install --quiet "$$wheel[$(EXTRAS)]" || exit 1; \
	    $$bin/python -m pip install --quiet --force-reinstall --no-deps "$$wheel" || exit 1; \
	    $$bin/python -m pytest -n auto tests || exit 1; \
	done

# Real packages of PyPI on sacreBLEU and on truebleu.sacrebleu; needs a network and 8 GB for an environment of its own,
# which is kept for the next time. Up to 40 minutes the first time.
DOWNSTREAM := target/downstream

test-downstream: $(BIN)/maturin
	rm -rf $(DOWNSTREAM)/wheel
	$(BIN)/maturin build --release --quiet --out $(DOWNSTREAM)/wheel
	PYTHONPATH=tests $(BIN)/python -m dropin.downstream $(DOWNSTREAM)/wheel/*.whl --folder $(DOWNSTREAM)

lint: dev
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- --deny warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/stubtest truebleu._core

format: dev
	cargo fmt --all
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: dev
	$(BIN)/python bench/run.py --check

clean:
	cargo clean
	rm -rf .venv .venv-*
