# make serve   set up and show the site at http://127.0.0.1:8000/ (Chinese) and /en/
# make test    set up and run every test
# make build   set up and write the site into site/
# make outputs | figures | verify   rewrite what is generated
PYTHON ?= python3
PORT ?= 8000
BIN = .venv/bin
export NO_MKDOCS_2_WARNING = 1

serve: .venv/site
	$(BIN)/mkdocs serve --livereload --dev-addr 127.0.0.1:$(PORT)

build: .venv/site
	$(BIN)/mkdocs build --strict

test: .venv/tests
	$(BIN)/pytest -n auto

outputs: .venv/tests
	$(BIN)/pytest -n auto tests/contract/test_outputs.py tests/contract/test_notebooks.py tests/snippets --update

figures: .venv/tests
	for script in figures/*/*.py; do $(BIN)/python $$script || exit 1; done

verify: .venv/tests
	$(BIN)/pytest -n auto tests/snippets --verify

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	  echo "The venv module is missing; on Debian and Ubuntu: apt install python3-venv"; exit 1; }

.venv/site: requirements-site.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --requirement requirements-site.txt
	@touch $@

.venv/tests: requirements.txt requirements-site.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	@touch $@ .venv/site

.PHONY: serve build test outputs figures verify
