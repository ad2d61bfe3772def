# Everything runs in a virtual environment in this folder; `make` alone lists what there is.
PYTHON ?= python3
BIN := .venv/bin
PLAIN := .venv/.plain-done
STAMP := .venv/.setup-done
DEMO_SHAPES := square pentagon hexagon mondrian

# One thread a process: the tests and benchmarks already use several processes.
export OMP_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help setup setup-browser demo train-demo test nightly check wheel dist site format bench fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv, install sherd with its pinned dependencies, and compile what most puzzles need

# Last of what makes an environment, so that one that was broken off is made again.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "sherd needs Python 3.11 or newer, and '$(PYTHON)' is not: try make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv

$(PLAIN): pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[photo]'
	@touch $@

# All of it at one go, which has what is plain too.
$(STAMP): pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,bayesopt,dask,learn,nesting,onnx,parquet,photo,ray,site,studio]'
	@echo "compiling ahead what most puzzles need, once; it takes about a minute; a first noisy or torn puzzle may take half a minute more"
	$(BIN)/python -m sherd.bench.warm_up
	@touch $(PLAIN) $@

setup-browser: ## install Debian's chromium, which tests of the studio's page need, if none is there
	@.ci/setup-browser

# It needs neither torch nor what tests need. The scan begins at once and compiles what it needs, while exact
# pieces are assembled without compiled code.
demo: $(PLAIN) ## assemble puzzles of each shape and a torn sheet from a scan, draw pictures into demo/
	@mkdir -p demo
	@$(BIN)/sherd assemble examples/sheet/scan.png --target rect:105x148 --time-limit 60 --out demo/sheet \
		> demo/sheet.txt 2>&1 & scan=$$!; \
	for shape in $(DEMO_SHAPES); do \
		echo "== $$shape" && \
		$(BIN)/sherd generate demo/$$shape.jsonl --shape $$shape --pieces 8 --count 2 --seed 1 && \
		$(BIN)/sherd assemble demo/$$shape.jsonl --out demo/$$shape || { kill $$scan; exit 1; }; \
	done; \
	echo "== a torn sheet, from its scan: what it needs is compiled, once"; \
	wait $$scan; ended=$$?; cat demo/sheet.txt; exit $$ended
	@echo "Everything is in $(CURDIR)/demo. Open these first:"
	@ls demo/hexagon/hexagon-0.svg demo/sheet/scan.reassembled.png demo/sheet/scan.plan.pdf

# Seed 900 is none that it was trained on.
train-demo: setup ## train a small network for a minute and a half, score it and draw what it does into demo/
	@rm -rf demo/train demo/trained
	@mkdir -p demo
	$(BIN)/sherd train fan --minutes 1.5 --device cpu --out demo/train
	@$(BIN)/sherd generate demo/trained.jsonl --pieces 4 --count 6 --seed 900
	@$(BIN)/sherd assemble demo/trained.jsonl --solver fan --weights demo/train --out demo/trained
	@$(BIN)/sherd bench --solver random --pieces 4 --count 100 --seed 900
	@$(BIN)/sherd bench --solver fan --weights demo/train --pieces 4 --count 100 --seed 900
	@echo "How it learned: $(CURDIR)/demo/train/curve.svg. What it assembles:"
	@ls demo/trained/*.svg

test: setup ## run all tests and the examples in the docstrings
	$(BIN)/pytest -n 2 --dist loadgroup

nightly: setup ## run all tests with other examples each time, and more of them
	HYPOTHESIS_PROFILE=nightly $(BIN)/pytest -n 2 --dist loadgroup

check: setup ## lint, format, types, layers and the figures of the documentation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python docs/check_figures.py

wheel: setup ## build the wheel and the source archive, check both, and use the wheel beside what .venv has
	rm -rf dist
	$(BIN)/python -m build --quiet --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python packaging/try_wheel.py dist --here

dist: wheel ## the same, and install both in a bare environment, with their dependencies
	$(BIN)/python packaging/try_wheel.py dist

site: setup ## build the site into build/site, and check each of its links
	$(BIN)/python docs/make_leaderboard.py
	$(BIN)/python docs/make_site.py

format: setup ## format the code and sort its imports
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

bench: setup ## run each program in benchmarks/
	@for program in benchmarks/*.py; do echo "== $$program" && $(BIN)/python $$program || exit 1; done

# FUZZ="--inputs 1000000 --workers 16 --seed 2" tries more, and other ones.
fuzz: setup ## look for files that break a reader, 20,000 a run unless FUZZ says otherwise
	$(BIN)/python tests/fuzz/fuzz_readers.py $(FUZZ)

clean: ## remove what the other targets made, the virtual environment too
	rm -rf .venv demo build dist .pytest_cache .ruff_cache .hypothesis src/*.egg-info
	find src tests benchmarks -name __pycache__ -type d -exec rm -rf {} +
