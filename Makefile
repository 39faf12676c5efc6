# Everything runs in .venv, which is made from requirements.lock on first use and again whenever that changes.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# Compiled modules are kept, also where the environment says no: every test that starts a process would compile all.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help audit report report-pages test lint lint-at-once suite deep pythons versions browser mutants broken performance lemmas utility lock schema \
	figures site libraries sampled clean

help:
	@echo "make audit   decide the catalogue of claims, of all kinds, but for those that take long, and print the table"
	@echo "make report  decide those as well, measure how much of its noise each needs, and write reports/results/"
	@echo "             with what the gate says of reports/results/baseline.txt, and which code never ran; where the gate does"
	@echo "             not pass it fails, and has written them; make report-pages writes the pages anew from the record"
	@echo "make test    lint, type-check and run the whole test suite"
	@echo "make lint    the first part of that"
	@echo "make deep    run the test suite, the tests marked deep and the claims of depth full too, and the utility"
	@echo "             claims, with many more, and new, random examples;"
	@echo "             of tests/adversary, random mechanisms against an oracle until a thousand of each class are decided,"
	@echo "             and three thousand for all sizes: a table says how many, and what was refused of them, by reason"
	@echo "make pythons run the test suite with Python 3.12 and 3.13, those that are installed: PYTHONS=\"python3.12 …\","
	@echo "             and compare what each says of the catalogue, field by field"
	@echo "make versions"
	@echo "             run the tests of the language and of compositions with these versions, in environments that are kept"
	@echo "make browser look at the report in a headless Chromium, which it needs: nothing cut, all readable, few pages;"
	@echo "             make browser PICTURES=FOLDER keeps the pictures"
	@echo "make mutants put small mistakes into the modules that decide, and print which of them the tests notice"
	@echo "make broken  break the mechanisms of the catalogue in the ways people break them, and print which mutants their"
	@echo "             claims notice: a quarter of an hour; make broken RECORD=FILE.json writes all of it to that file"
	@echo "make performance"
	@echo "             measure three rounds of each row beside its reference, and fail where a row of 20 ms or more takes"
	@echo "             1.25 times what docs/performance-ratios.json says in two of them, by its name;"
	@echo "             make performance ROWS='A_dist*' compares some rows;"
	@echo "             make performance UPDATE=1 writes that file, measures memory and cores as well, and writes"
	@echo "             docs/performance.md with its plots, and docs/gaussian-published.md"
	@echo "make libraries"
	@echo "             make environments with opendp 0.14.1 and 0.16.0 and diffprivlib, audit these by samples, and write"
	@echo "             reports/results/libraries.md, with the date and the versions"
	@echo "make sampled audit published mechanisms by samples, and write docs/sampled-bench.md with its plot"
	@echo "make lemmas  decide the structural lemmas alone"
	@echo "make utility fuzz or decide the utility claims alone"
	@echo "make lock    resolve the dependencies anew into requirements.lock"
	@echo "make schema  write the JSON schema of an audit to reports/audit.schema.json"
	@echo "make figures write the tables and plots of docs/"
	@echo "make site    make a site of the pages, with a reference from the docstrings, in site/"
	@echo "make clean   remove .venv and caches"

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "dpverify needs Python 3.11 or newer: make PYTHON=python3.12 …"; exit 1; }
	@for package in mechanisms verifiers reports; do test -d .src/dpverify/$$package || { \
		echo ".src/dpverify/$$package is no symbolic link: this clone was made without them."; \
		echo "Make it again with: git clone -c core.symlinks=true (on Windows in developer mode, or as administrator)"; \
		exit 1; }; done
	@$(PYTHON) -m venv .venv || { echo "making a virtual environment needs Debian's package python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q mechanisms verifiers reports
	@touch $(READY)

audit: $(READY)
	$(BIN)/dpverify audit --catalogue --no-cache

# The record names the commit at or after which it is made: the one before it, with its date, so that it is reproducible
report: $(READY)
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/dpverify audit --title "Claims of papers" --catalogue --no-cache --depth report --baseline reports/results/baseline.txt \
		--json reports/results/audit.json --markdown reports/results/audit.md --html reports/results/audit.html
	@echo "wrote reports/results/audit.json, .md and .html"

# After lines of the baseline were accepted, so that the pages say what the gate says now: nothing is decided
report-pages: $(READY)
	$(BIN)/python -m tests.browser.report_pages

lint: $(READY)
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# mypy takes as long as half the suite does on one core: side by side, what lint says comes in one piece when it is done
test: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 lint-at-once suite

lint-at-once: $(READY)
	@said=$$($(MAKE) --no-print-directory lint 2>&1); status=$$?; echo "$$said"; exit $$status

suite: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

deep: $(READY)
	$(BIN)/python -m pytest -n 2 -m "deep or not deep" --dp-depth full --hypothesis-profile=deep
	$(BIN)/dpverify utility --catalogue --jobs 2 --profile deep

# Python 3.12 and 3.13 as far as they are found, on the PATH or with pyenv, each in an environment of its own, which is
# kept: make pythons PYTHONS="… …"; a shim of pyenv is found and does not run, unless its version is chosen
PYTHONS ?= python3.12 python3.13
OTHERS := $(PYTHONS:%=.venv-versions/%)

.PHONY: $(OTHERS) $(OTHERS:%=%-whole)
$(OTHERS:%=%/.ready): .venv-versions/%/.ready: requirements.lock pyproject.toml
	@python=; for found in $* $${PYENV_ROOT:-$$HOME/.pyenv}/versions/*/bin/$*; do \
		test -n "$$python" || ! $$found -c "" 2> /dev/null || python=$$found; done; \
		test -n "$$python" || { echo "$* is not installed"; exit 0; }; \
		$$python -m venv --clear $(@D) && \
		$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
		$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . && touch $@

# The tests of a few folders: side by side, what each version says comes in one piece
OF_VERSIONS := tests/mechanisms/language tests/verifiers/all_sizes/compositions

versions: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target $(OTHERS)

$(OTHERS): %: %/.ready
	@test ! -e $< || { $@/bin/python --version && $@/bin/python -m pytest -q -p no:cacheprovider $(OF_VERSIONS); }

# All tests, and the record of the quick audit, which is the same with every version
RECORD_HERE := .venv-versions/record.json

pythons: $(READY)
	@mkdir -p $(dir $(RECORD_HERE))
	$(BIN)/dpverify audit --catalogue --no-cache --quiet --json $(RECORD_HERE)
	@$(MAKE) --no-print-directory --keep-going $(OTHERS:%=%-whole)
	@test -n "$$(ls $(OTHERS:%=%/.ready) 2> /dev/null)"

$(OTHERS:%=%-whole): %-whole: %/.ready
	@test ! -e $< || { $*/bin/python --version && $*/bin/python -m pytest -n 2 --dist worksteal && \
		$*/bin/dpverify audit --catalogue --no-cache --quiet --json $*/record.json && \
		$(BIN)/dpverify compare --identical $(RECORD_HERE) $*/record.json; }

browser: $(READY)
	DPVERIFY_PICTURES="$(PICTURES)" $(BIN)/python -m pytest tests/browser/checks.py -p no:randomly

mutants: $(READY)
	$(BIN)/python -m tests.mutants

broken: $(READY)
	$(BIN)/dpverify mutate --catalogue --limit 2 --timeout 10 $(if $(RECORD),--json $(RECORD))

# UPDATE=1 with ROWS writes the ratios of these rows alone
ROWS ?= *

performance: $(READY)
	$(BIN)/python -m docs.pages.performance.ratios docs --rows '$(ROWS)' $(if $(UPDATE),--update)
ifeq ($(if $(UPDATE),$(ROWS)),*)
	$(BIN)/python -m docs.pages.performance.performance docs
	$(BIN)/python -m docs.pages.performance.gaussian_published docs
endif

lemmas: $(READY)
	$(BIN)/dpverify lemmas --catalogue --no-cache

utility: $(READY)
	$(BIN)/dpverify utility --catalogue --no-cache

lock: $(READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev --extra all --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --quiet --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group site --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --quiet --output-file requirements-site.lock

schema: $(READY)
	$(BIN)/python -c 'import json; from dpverify.reports.audits.json_form import json_schema; \
		print(json.dumps(json_schema(), indent=2, ensure_ascii=False))' > reports/audit.schema.json

figures: $(READY)
	for page in range_dependence range_lower_bound sparse_vector large_margin; do $(BIN)/python docs/figures/$$page.py docs || exit 1; done
	folder=$$(mktemp -d) && $(BIN)/python docs/examples/people.py $$folder/people.csv && \
	$(BIN)/python docs/examples/threshold.py $$folder/people.csv --value age --label bought --seed 1 --compare docs/examples/threshold.svg && \
	$(BIN)/python docs/examples/frequent.py $$folder/people.csv --value city --epsilon 10 --seed 1 --compare docs/examples/frequent.svg && \
	$(BIN)/python docs/examples/cdf.py $$folder/people.csv --value income --seed 1 --compare docs/examples/cdf.svg && \
	$(BIN)/python docs/examples/survey.py $$folder/survey.csv && \
	$(BIN)/python docs/examples/marginals.py $$folder/survey.csv --seed 1 --compare docs/examples/marginals.svg && \
	$(BIN)/python docs/examples/baskets.py $$folder/baskets.txt && \
	$(BIN)/python docs/examples/itemsets.py $$folder/baskets.txt --size 2 --seed 1 --compare docs/examples/itemsets.svg && \
	$(BIN)/python docs/examples/markers.py $$folder/markers.csv && \
	$(BIN)/python docs/examples/membership.py $$folder/markers.csv --seed 1 --compare docs/examples/membership.svg && \
	rm -r $$folder

# Libraries that dpverify draws from as whoever installs them does, each in an environment of its own
LIBRARIES := .venv-libraries/opendp-0.14.1 .venv-libraries/opendp-0.16.0 .venv-libraries/diffprivlib-0.6.6
AND_WITH_diffprivlib-0.6.6 := scikit-learn==1.8.0

libraries: $(READY) $(LIBRARIES:=/.ready)
	$(BIN)/python -m docs.pages.libraries_page reports/results/libraries.md

.venv-libraries/%/.ready:
	@$(PYTHON) -m venv .venv-libraries/$*
	.venv-libraries/$*/bin/python -m pip install --quiet --disable-pip-version-check $(subst -,==,$*) $(AND_WITH_$*)
	@touch $@

sampled: $(READY)
	$(BIN)/python -m docs.pages.sampled.bench docs

# Sphinx in an environment of its own, which nothing else needs; whatever it warns of is an error, as a link to a heading
# that is not there. No page is larger than 100 KB.
site: .venv-site/.ready
	PYTHONPATH=.src .venv-site/bin/python -m sphinx --quiet --fail-on-warning --conf-dir docs/site . site
	@rm -rf site/.doctrees
	@large=$$(find site -name '*.html' -size +100k); test -z "$$large" || \
		{ echo "larger than 100 KB: $$large"; exit 1; }
	@echo "wrote site/docs/site/index.html"

.venv-site/.ready: requirements-site.lock
	@$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-site.lock
	@touch .venv-site/.ready

clean:
	rm -rf .venv .venv-site .venv-libraries .venv-versions site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
