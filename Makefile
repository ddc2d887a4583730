# `make demo` and `make test` set up everything they need, in .venv.

PYTHON ?= python3
BIN := .venv/bin
EXTRAS := ja,ko,spm,zst,completion,columns,dev

# The engines of tables, in an environment of their own. truebleu is not installed there, so that workers without it can
# be tested; the driver finds it in python/.
ENGINES := .venv-engines/bin
ENGINE_PACKAGES := "pyarrow>=14" "polars>=1.34" "duckdb>=1.1" "pandas>=2.2" "dask[distributed,dataframe]>=2025.1" \
    "ray[data]>=2.40" aiohttp "datasets>=3" "pyspark>=3.5" "numpy>=1.26" "requests>=2.31" "rich>=13" "tabulate[widechars]>=0.9" \
    "urllib3>=2.1" "hypothesis>=6.100" "pytest>=8" "sacrebleu==2.6.0"

# Containers switch it off, and then every process that a test starts compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo report-shots test guards test-full test-pythons pythons wheel test-downstream test-engines test-neural run-neural bench-engines lint format bench build \
    dev clean coverage mutants audit test-lowest changelog fuzz release release-check docs docs-tools docs-shots pictures

demo: build
	$(BIN)/python examples/demo.py
	@$(BIN)/truebleu report -t demo -l en-de -i atlas birch cedar -m bleu chrf ter -o target/demo-report.html -q
	@echo "The same as one page, to be opened in a browser: target/demo-report.html"

# Twelve pictures of reports, to be looked at before a release; needs chromium (see .ci/run).
report-shots: dev
	PYTHONPATH=tools $(BIN)/python bench/report_shots.py target/report-shots

# The documentation site, in site/: open site/index.html. Half a minute, once the package is built.
docs: docs-tools
	$(BIN)/python tools/docs_build.py

# Pictures of its pages, to be looked at; needs chromium (see .ci/run).
docs-shots: dev docs
	$(BIN)/python tools/docs_shots.py target/docs-shots

# The pictures of the documentation, from the commands that they show; needs chromium and fonts-noto-core.
pictures: dev
	$(BIN)/python tools/docs_pictures.py

docs-tools: $(BIN)/maturin
	$(BIN)/maturin develop --release --quiet --extras docs

# The package with what it needs to run, and nothing else.
build: $(BIN)/maturin
	$(BIN)/maturin develop --release --quiet

# The package with all extras and the tools of development. The builder of the site has no wheel for every interpreter.
dev: $(BIN)/maturin
	$(BIN)/maturin develop --release --quiet --extras $(EXTRAS),docs

$(BIN)/maturin:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "maturin>=1.9,<2"

# Whether the answers are right.
test: dev
	cargo test --quiet --package truebleu-core --package truebleu-vector
	$(BIN)/python -m pytest -n auto -m "not guard"

# What it costs to get them, and what is around them: instructions (valgrind), memory, linear time, interrupts, the page in
# browsers, the documentation site, releases. Some take a minute: a process that is done takes over from the other.
guards: dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m guard

# Both, with 20,000 generated cases for each metric and tokenizer, and whole systems; about half an hour.
test-full: dev
	cargo test --quiet --package truebleu-core --package truebleu-vector
	TRUEBLEU_TEST_CASES=20000 $(BIN)/python -m pytest -n auto

# The tests on every interpreter that is found, each with a virtual environment of its own. The wheel is built once: its
# core serves all of them but the free-threaded ones (3.14t), which need a wheel of their own. TESTS chooses a part, as
# TESTS="tests -m interpreter" does; the doctests of the package always run.
PYTHONS ?= 3.11 3.12 3.13 3.14 3.13t 3.14t
TESTS := tests
WHEELS := dist/pythons

test-pythons: pythons
	@for version in $(PYTHONS); do \
	    bin=.venv-$$version/bin; \
	    test -x $$bin/pytest || continue; \
	    echo "Python $$version"; \
	    $$bin/python -m pytest -n auto $(TESTS) || exit 1; \
	    $$bin/python -m pytest --pyargs truebleu \
	        --ignore-glob="*/evaluate/scripts" --ignore-glob="*/runners/scripts" --ignore-glob="*/truebleu/torch.py" || exit 1; \
	done

# Their environments, with the package as it is now.
pythons: wheel
	@for version in $(PYTHONS); do \
	    found=; \
	    for python in python$$version $$HOME/.pyenv/versions/*/bin/python; do \
	        say='import ensurepip, sys; print("%d.%d" % sys.version_info[:2] + "t" * ("t" in sys.abiflags))'; \
	        test "$$($$python -c "$$say" 2>/dev/null)" = $$version && found=$$python; \
	    done; \
	    bin=.venv-$$version/bin; \
	    if [ -z "$$found" ]; then echo "Python $$version: there is none here, so it is not tested"; rm -rf $$bin; continue; fi; \
	    echo "Python $$version: $$found"; \
	    test -x $$bin/python || $$found -m venv .venv-$$version || exit 1; \
	    wheel=$$(echo $(WHEELS)/*.whl); \
	    case $$version in *t) \
	        $(BIN)/maturin build --release --quiet --interpreter $$found --out $(WHEELS)/$$version || exit 1; \
	        wheel=$$(echo $(WHEELS)/$$version/*.whl);; \
	    esac; \
	    $$bin/python -m pip install --quiet --no-compile "$$wheel[$(EXTRAS)]" || exit 1; \
	    $$bin/python -m pip install --quiet --force-reinstall --no-deps "$$wheel" || exit 1; \
	done

wheel: $(BIN)/maturin
	rm -rf $(WHEELS)
	$(BIN)/maturin build --release --quiet --out $(WHEELS)

# Real packages of PyPI on sacreBLEU and on truebleu.sacrebleu; needs a network and 8 GB for an environment of its own,
# which is kept for the next time. Up to 40 minutes the first time.
DOWNSTREAM := target/downstream

test-downstream: $(BIN)/maturin
	rm -rf $(DOWNSTREAM)/wheel
	$(BIN)/maturin build --release --quiet --out $(DOWNSTREAM)/wheel
	PYTHONPATH=tests $(BIN)/python -m dropin.downstream $(DOWNSTREAM)/wheel/*.whl --folder $(DOWNSTREAM)

# Spark, Ray, Dask, DuckDB, Polars and datasets themselves, with workers that are killed; needs a network, 1.4 GB, and Java
# 17 for Spark. Its temporary files are Spark's and Ray's own, and so are most warnings, which are errors elsewhere.
test-engines: build $(ENGINES)/pytest
	PYTHONPATH=$(CURDIR)/python $(ENGINES)/python -m pytest -W default -m engines --durations=5 tests/engines

# The packages of learned metrics on tiny models, in an environment on Debian's torch: half a gigabyte more, and no CUDA.
# TRUEBLEU_TEST_NEURAL=/path/python takes another interpreter that has them.
NEURAL := $(or $(TRUEBLEU_TEST_NEURAL),$(CURDIR)/.venv-neural/bin/python)
test-neural: build
	@if test -x $(NEURAL) || /usr/bin/python3 -c 'import torch' 2> /dev/null; then $(MAKE) -o build run-neural; \
	else echo "test-neural: skipped, there is no torch: apt-get install python3-torch, or set TRUEBLEU_TEST_NEURAL"; fi

# Debian's torch needs a hand on Python 3.11: see tests/neural/site.
run-neural: $(NEURAL)
	@if test -d .venv-neural; then printf '%s\nimport without_sharding; without_sharding.start()\n' $(CURDIR)/tests/neural/site \
	    > "$$(echo .venv-neural/lib/python3.*/site-packages)/truebleu-tests.pth"; fi
	TRUEBLEU_TEST_NEURAL=$(NEURAL) $(BIN)/python -m pytest -m neural --durations=5 tests/neural

$(CURDIR)/.venv-neural/bin/python:
	/usr/bin/python3 -m venv --system-site-packages .venv-neural
	.venv-neural/bin/python -m pip install --quiet --no-compile --no-deps -r tools/neural-requirements.txt || \
	    { rm -rf .venv-neural; exit 1; }

# The bars of the engines, as ratios in one run, with their answers asserted.
bench-engines: build $(ENGINES)/pytest
	PYTHONPATH=$(CURDIR)/python $(ENGINES)/python bench/engines.py

$(ENGINES)/pytest:
	$(PYTHON) -m venv .venv-engines
	$(ENGINES)/python -m pip install --quiet --no-compile $(ENGINE_PACKAGES)

SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema vendor

lint: dev
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets --quiet -- --deny warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python tools/plurals.py
	$(BIN)/mypy
	$(BIN)/stubtest truebleu._core
	@mkdir -p target
	@$(BIN)/python -c "from truebleu.study.page.payload import script; print(script())" > target/report.js
	$(BIN)/oxlint --config .oxlintrc.json --deny-warnings target/report.js
	$(SCHEMA).github-workflows .github/workflows/*.yml
	$(SCHEMA).dependabot .github/dependabot.yml
	$(SCHEMA).github-issue-forms .github/ISSUE_TEMPLATE/[0-9]*.yml
	$(SCHEMA).github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(SCHEMA).citation-file-format --default-filetype yaml CITATION.cff

format: dev
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Fast versions against slow ones, and parsers against bytes that nobody has written, each for some seconds. See
# tools/fuzz.py; Atheris is installed here, because not every Python has a wheel of it.
SECONDS := 30
TARGETS :=

fuzz: dev
	$(BIN)/python -m pip install --quiet "atheris==3.0.0"
	$(BIN)/python tools/fuzz.py --seconds $(SECONDS) $(TARGETS)

# What of Python and Rust the tests run, and a floor for it; see tools/measure_coverage.py. LINES=--lines names the rest.
LINES :=

coverage: dev
	$(BIN)/python tools/measure_coverage.py $(LINES)

# The formulas of the metrics, changed one thing at a time: who lives needs a test, or a reason. See tools/mutants.py.
mutants: dev
	$(BIN)/python tools/mutants.py

# Known weaknesses of what is installed and linked: the lists of both come over the network, and so do the tools.
audit: $(BIN)/maturin
	@echo "make audit asks PyPI's and RustSec's lists, which needs a network"
	$(BIN)/python -m pip install --quiet "pip-audit==2.10.1"
	@mkdir -p target
	$(BIN)/python tools/lowest.py --newest > target/requirements.txt
	$(BIN)/python -m pip_audit --requirement target/requirements.txt
	cargo install --quiet --locked cargo-audit
	cargo audit --deny warnings

# The tests of what depends on other packages, with the lowest versions that pyproject.toml promises, in an environment
# of its own; needs a network. What old packages warn of is not an error here.
LOWEST := .venv-lowest/bin

test-lowest: wheel
	test -x $(LOWEST)/python || $(PYTHON) -m venv .venv-lowest
	$(BIN)/python tools/lowest.py > target/lowest.txt
	$(LOWEST)/python -m pip install --quiet --no-compile --requirement target/lowest.txt $(WHEELS)/*.whl
	$(LOWEST)/python -m pytest -n auto -W default -m "not guard" tests/cli/test_main.py tests/cli/test_tables.py \
	    tests/cli/test_formats.py tests/columns/test_parquet.py tests/plot tests/tokenizers tests/significance

# What the next release will say, from the fragments.
changelog:
	@$(PYTHON) tools/changelog.py

# Sets the version everywhere and assembles CHANGELOG.md: make release VERSION=0.2.0
release:
	@$(PYTHON) tools/release.py $(VERSION)

# The wheel and the source archive, built, looked at, installed into empty environments and used there: ten minutes.
# ARCHIVES names some that are built already.
release-check: $(BIN)/maturin
	@$(BIN)/python tools/release_check.py $(ARCHIVES)

bench: dev
	$(BIN)/python bench/run.py --check

clean:
	cargo clean
	rm -rf .venv .venv-* site
