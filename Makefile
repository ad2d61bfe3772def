# Everything runs in a virtual environment in this folder; `make` alone lists what there is.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.setup-done
DEMO_SHAPES := square pentagon hexagon mondrian

# One thread a process: the tests and benchmarks already use several processes.
export OMP_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format bench fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv and install sherd with its pinned dependencies

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "sherd needs Python 3.11 or newer, and '$(PYTHON)' is not: try make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,bayesopt,learn,nesting,onnx]'
	@touch $@

demo: setup ## generate puzzles of each shape, assemble them, draw pictures into demo/
	@mkdir -p demo
	@for shape in $(DEMO_SHAPES); do \
		echo "== $$shape" && \
		$(BIN)/sherd generate demo/$$shape.jsonl --shape $$shape --pieces 8 --count 2 --seed 1 && \
		$(BIN)/sherd assemble demo/$$shape.jsonl --out demo/$$shape || exit 1; \
	done
	@echo "The pictures (SVG) and the assemblies (JSON) are in $(CURDIR)/demo:"
	@ls demo/*/*.svg

test: setup ## run all tests and the examples in the docstrings
	$(BIN)/pytest -n 2

check: setup ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: setup ## format the code and sort its imports
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

bench: setup ## run each program in benchmarks/
	@for program in benchmarks/*.py; do echo "== $$program" && $(BIN)/python $$program || exit 1; done

fuzz: setup ## look for files that break the readers, an hour in all; for nightly use, needs atheris
	@for format in svg dxf geojson json wkt csv png; do \
		echo "== $$format" && $(BIN)/python tests/fuzz/fuzz_drawings.py $$format -max_total_time=500 || exit 1; \
	done

clean: ## remove what the other targets made, the virtual environment too
	rm -rf .venv demo build dist .pytest_cache .ruff_cache .hypothesis src/*.egg-info
	find src tests benchmarks -name __pycache__ -type d -exec rm -rf {} +
