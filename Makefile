# `make run` plays, `make test` checks, `make help` lists the rest. Each sets itself up.

PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run test check lint types imports document examples compiled pytest proof bench train tune wheel lock clean

help:
	@echo "make run       start the service on this machine: API, workers, scheduler, embedded Valkey"
	@echo "make test      run every check and every test, as CI does"
	@echo "make check     run the checks without the tests"
	@echo "make examples  regenerate openapi/openapi.json and openapi/examples"
	@echo "make proof     run the long proofs: about two hours"
	@echo "make bench     run the benchmarks, beside other engines"
	@echo "make train     train the searching computers' policy: ARGS='seven --minutes 4'"
	@echo "make tune      tune the weights of the level shrewd: ARGS='--preset classic'"
	@echo "make wheel     build dist/*.whl"
	@echo "make lock      regenerate the lock files from pyproject.toml"
	@echo "make clean     remove what tools left behind; .venv and data stay"

# Ctrl-C reaches make and the service at once: make waits for the service, which stops in order.
run: .setup-requirements
	@$(BIN)/python deploy/compile_simulator.py --aside
	@exec $(BIN)/rummy500 run

# The engine takes as long to compile as the checks take on another core.
test: .setup-requirements-dev
	@$(MAKE) --no-print-directory --jobs 2 compiled check
	@$(MAKE) --no-print-directory pytest

check: lint types imports document

lint: .setup-requirements-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .setup-requirements-dev
	$(BIN)/mypy --strict service workers

imports: .setup-requirements-dev
	$(BIN)/lint-imports

# The committed document must be the one the code describes.
document: .setup-requirements-dev
	$(BIN)/rummy500 openapi --check

# The document contains the examples, so they are written first.
examples: .setup-requirements-dev
	WRITE_EXAMPLES=1 $(BIN)/pytest -q -n auto tests/api/test_examples.py -k answers_what_it_says
	$(BIN)/rummy500 openapi --write

# The tests of the bots run on the compiled engine if there is a C compiler. COMPILED=required makes a compiler
# necessary, as CI does.
compiled: .setup-requirements-dev
	$(BIN)/python deploy/compile_simulator.py $(if $(filter required,$(COMPILED)),--required)

# The rule book's own tests must cover every branch of the rules. Only they run under coverage, which triples the
# time of the laws and the oracle, and would slow the processes that other tests start.
# A file stays on one core, so that what it sets up is set up once; and in the order of files, for the longest hold few
# tests and would be begun last.
PYTEST = $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder
# The other tests wait half of their time for processes that they start, so two of them share a core.
COVERED = tests/rules tests/playthroughs
pytest: .setup-requirements-dev .setup-clients
	$(PYTEST) $(COVERED) --cov --cov-report=term --cov-fail-under=100
	$(subst -n auto,-n $$($(BIN)/python -c 'import os; print(2 * os.cpu_count())'),$(PYTEST)) $(COVERED:%=--ignore=%)

# What `make test` shows in little, at length; CONTRIBUTING.md names each with its time.
proof: .setup-requirements-dev
	$(BIN)/python -m tests.proofs.rules_agree --positions 100000
	$(BIN)/python -m tests.proofs.engine_agrees --games 5000
	SIMULATOR=plain $(BIN)/python -m tests.proofs.engine_builds policies --deals 20000
	$(BIN)/python -m tests.proofs.lawful_play --games 100 --searching-games 10
	HYPOTHESIS_PROFILE=thorough $(PYTEST) tests/laws
	ANY_REQUESTS=200 $(PYTEST) tests/api/test_any_request.py
	$(BIN)/python -m tests.bench.bench_legal_moves --search 10

bench: .setup-requirements-dev .setup-requirements-bench
	$(BIN)/python -m tests.bench.bench_rules
	-$(BIN)/python deploy/compile_simulator.py
	$(BIN)/python -m tests.bench.bench_simulator
	$(BIN)/python -m tests.bench.bench_legal_moves
	$(BIN)/python -m tests.bench.bench_http
	$(BIN)/python -m tests.bench.bench_streams

# Built with the locked hatchling: nothing is downloaded.
wheel: .setup-requirements-dev
	rm -rf dist
	$(BIN)/python -m hatchling build --target wheel

train: .setup-requirements-dev
	$(BIN)/python -m workers.bots.training.policy_weights $(ARGS)

tune: .setup-requirements-dev
	$(BIN)/python -m workers.tools.arena.shrewd_weights $(ARGS)

# A lock knows every platform's wheels by hash, and neither an index nor a folder of this machine.
COMPILE = build/lock/bin/uv --no-config pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links --no-header pyproject.toml
lock:
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet uv
	$(COMPILE) --group build --output-file deploy/locks/requirements.lock
	$(COMPILE) --group build --group dev --constraint deploy/locks/requirements.lock --output-file deploy/locks/requirements-dev.lock
	$(COMPILE) --group build --group bench --constraint deploy/locks/requirements-dev.lock --output-file deploy/locks/requirements-bench.lock
	$(subst pyproject.toml,--group pyproject.toml:compile,$(COMPILE)) --constraint deploy/locks/requirements-dev.lock --output-file deploy/locks/requirements-compile.lock

clean:
	rm -rf build dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# Node comes with .venv; its packages go into an ignored folder of the tests, each by its hash.
.PHONY: .setup-clients
.setup-clients: .setup-requirements-dev
	@$(BIN)/python -m tests.support.node

.PHONY: .setup-requirements .setup-requirements-dev .setup-requirements-bench
.setup-requirements .setup-requirements-dev .setup-requirements-bench: .setup-%:
	@command -v $(PYTHON) >/dev/null || { echo "Rummy 500 needs Python 3.11 or newer, and there is no $(PYTHON)." >&2; exit 1; }
	@$(PYTHON) deploy/make_venv.py $*.lock
