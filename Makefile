# Everything from a bare machine: git, make and Python 3.11, 3.12 or 3.13. `make help` lists the targets.
#
# Programs are run from .venv directly, with exec, so that Ctrl-C reaches them and nothing stands in between.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo docs test lint types bench sbom audit requirements release clean

# Dozens of processes import the same modules here: compiled once, they start in half the time.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
# Two stamps: everything is installed; what the demo needs is. What one of them finds installed, the other does not again.
READY := .venv/.ready
PRODUCT := .venv/.product
# The first Python of a version that the project supports, one that can make environments (python3-venv) if there is one.
SUPPORTED := sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for needs in "sys, ensurepip" "sys"; do \
	for name in python3 python3.13 python3.12 python3.11 python; do \
	$$name -c "import $$needs; $(SUPPORTED)" >/dev/null 2>&1 && echo $$name && exit; done; done)

# Passed on: `make demo KIND=instruction`, `make demo ARGS=--json`, `make test PYTEST_ARGS="tests/unit -k lifecycle"`.
KIND ?=
ARGS ?=
PYTEST_ARGS ?=
ADVISORIES ?=
TAG ?=
# Tests wait for servers as long as they compute: four processes keep two cores busy. `make test WORKERS=0` runs one by one.
WORKERS ?= 4

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## Bring uv and install the locked environment into .venv, with all that tests and checks need

# Installing builds the pages, too.
PAGES := hatch_build.py starter/pages/shell/icons.py starter/pages/frontend/package-lock.json starter/pages/frontend/build.mjs \
	$(filter-out starter/pages/static/%,$(wildcard $(foreach kind,js css svg,starter/pages/*/*.$(kind) starter/pages/*/*/*.$(kind))))

$(READY) $(PRODUCT): bootstrap.py bootstrap.txt pyproject.toml uv.lock $(PAGES)
	@test -n "$(PYTHON)" || { echo "guidesmith needs Python 3.11, 3.12 or 3.13: install it and run make again." >&2; exit 1; }
	@$(PYTHON) bootstrap.py $(if $(filter $(PRODUCT),$@),--product)
	@touch $@ $(PRODUCT)

demo: $(PRODUCT) ## Turn the sample recording into a finished instruction, on the whole local stack
	@exec $(BIN)/guidesmith demo $(KIND) $(ARGS)

test: $(READY) ## Run every test
	@exec $(BIN)/pytest --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder $(PYTEST_ARGS)

lint: $(READY) ## Check style, formatting and the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@exec $(BIN)/lint-imports

types: $(READY) ## Check types, strictly
	@exec $(BIN)/mypy

docs: $(READY) ## Write what the documentation says of the code, and build its site, strictly
	@$(BIN)/python -m docs.generate
	@exec $(BIN)/zensical build --strict

bench: $(READY) ## Measure throughput, latency and speech against their budgets
	@exec $(BIN)/pytest tests/bench -s --timeout=1800 $(PYTEST_ARGS)

sbom: $(READY) ## Write what is in the lock as CycloneDX to build/sbom.cdx.json
	@mkdir -p build
	@.tools/bin/uv export --frozen --quiet --no-dev --all-extras --format cyclonedx1.5 --output-file build/sbom.cdx.json >/dev/null
	@echo build/sbom.cdx.json

audit: $(READY) ## Look up the lock in advisories that you bring: make audit ADVISORIES=all.zip
	@exec $(BIN)/python audit.py $(ADVISORIES)

requirements: $(READY) ## Write the locked requirements of each role from the lock
	@exec $(BIN)/python -m deploy.requirements

release: $(READY) ## Build wheel and chart of a tag (TAG=v0.2.0) or of what is committed, and see that all of it is one version
	@rm -rf build/release && mkdir -p build/release/source
	@git archive --output=build/release/source.tar $(if $(TAG),refs/tags/$(TAG),HEAD)
	@tar --extract --file=build/release/source.tar --directory=build/release/source && rm build/release/source.tar
	@.tools/bin/uv build --quiet --wheel --out-dir build/release build/release/source
	@$(BIN)/python -m deploy.helm build/release/source/deploy/chart build/release
	@$(BIN)/python release.py $(if $(TAG),--tag $(TAG)) --root build/release/source --wheel build/release/*.whl --chart build/release/*.tgz
	@rm -rf build/release/source

clean: ## Remove the environment and the caches; the data of `guidesmith up` stays
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
