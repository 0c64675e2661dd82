# Every command of the project. `make help` lists them. Each does its own set-up: a virtual
# environment in .venv, made once; the extension modules, rebuilt when a source or a switch changed.

VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
BUILD := $(RUN) setup.py -q build_ext --inplace
ARGS ?=
BENCH ?=
# What asv's pages load from elsewhere, and here from beside them.
PAGE_SCRIPTS := jquery@3.3.1 flot@0.8.3 flot-orderbars@1.0.0 stupid-table-plugin@1.1.3 \
	blueimp-md5@2.19.0 bootstrap@3.1.1

# The checkout is the package: nothing is installed but what kael needs.
export PYTHONPATH := $(CURDIR)
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' Makefile

train: build $(VENV)/.examples ## train an MLP on real handwritten digits (ARGS="--epochs 3 ...")
	$(RUN) examples/mnist_mlp.py $(ARGS)

test: build $(VENV)/.test $(VENV)/.examples ## the test suite (ARGS="-k matmul ...")
	$(RUN) -m pytest $(ARGS)

reproduce: build ## check the bits of every operation on every instruction set and thread count
	$(RUN) -m kael.reproduce $(ARGS)

bench: build $(VENV)/.bench ## asv on this commit (BENCH=matmul for some of it)
	cd asv_bench && asv machine --yes >/dev/null && asv run --quick --show-stderr \
	    $(if $(BENCH),--bench '$(BENCH)') $(ARGS) HEAD^!

bench-compare: $(VENV)/.bench ## asv on commit BASE and on HEAD; fails where HEAD is 10% slower
	@test -n "$(BASE)" || { echo 'make bench-compare: name a commit: BASE=<commit>' >&2; exit 2; }
	@git rev-parse --quiet --verify '$(BASE)^{commit}' >/dev/null || \
	    { echo 'make bench-compare: no commit $(BASE)' >&2; exit 2; }
	cd asv_bench && asv machine --yes >/dev/null && asv continuous --split --factor 1.1 --interleave-rounds \
	    --bench '$(or $(BENCH),^(?!.*track_rate))' $(ARGS) $(BASE) HEAD

bench-publish: $(VENV)/.bench ## the pages of all results, in asv_bench/.asv/html
	cd asv_bench && asv publish
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix asv_bench/.asv/npm \
	    $(PAGE_SCRIPTS)
	$(RUN) tools/asv_page.py asv_bench/.asv/html --vendor asv_bench/.asv/npm

compare: build $(VENV)/.bench ## kael against NumPy, torch and C libraries (ARGS="matmul ...")
	$(RUN) asv_bench/compare.py $(ARGS)

annotate: $(VENV)/.ready ## Cython's annotated pages, build/cython/index.html; fails on Python inside nogil
	KAEL_ANNOTATE=1 $(BUILD)
	$(RUN) tools/annotate.py build/cython

vec-report: $(VENV)/.ready ## which loops gcc vectorised, and why not (ARGS=rows for one module)
	KAEL_VEC_REPORT=1 $(BUILD)
	$(RUN) tools/vec_report.py build $(ARGS)

profile: $(VENV)/.ready $(VENV)/.examples ## time by line, Python and .pyx (SCRIPT="train.py --epochs 1")
	tools/profile.sh $(RUN) $(SCRIPT)

lab: build $(VENV)/.lab ## measure this machine (ARGS="roofline --out pictures"; also ladder, threads, allocator)
	$(RUN) -m kael.lab $(ARGS)

lint: $(VENV)/.lint ## ruff and cython-lint, changing nothing
	ruff check
	ruff format --check
	cython-lint kael

format: $(VENV)/.lint ## ruff's format and safe fixes
	ruff check --fix
	ruff format

asan: $(VENV)/.test ## tests under AddressSanitizer and UBSan
	tools/sanitize.sh address,undefined $(RUN) $(ARGS)

tsan: $(VENV)/.test ## tests under ThreadSanitizer
	tools/sanitize.sh thread $(RUN) $(ARGS)

arm64: ## cross-build and test on emulated aarch64 (natively where the machine is one)
	tools/arm64.sh $(ARGS)

x86-levels: build $(VENV)/.test ## tests on an emulated CPU without AVX, and one without AVX-512
	tools/x86_levels.sh $(RUN) $(ARGS)

docs: build $(VENV)/.docs ## the documentation as HTML, in build/docs
	$(RUN) -m sphinx -q -W --keep-going docs build/docs $(ARGS)

clean: ## all that was built; not .venv
	rm -rf build dist *.egg-info runs asv_bench/.asv
	find kael -name '*.so' -delete

build: $(VENV)/.ready
	@$(BUILD)

$(VENV)/.ready: tools/venv.sh
	sh tools/venv.sh $(VENV)
	@touch $@

# The requirements of one extra of pyproject.toml.
$(VENV)/.%: $(VENV)/.ready pyproject.toml
	$(PIP) $$($(RUN) tools/requirements.py $*)
	@touch $@

.PHONY: help train test reproduce bench bench-compare bench-publish compare annotate vec-report \
	profile lab lint format asan tsan arm64 x86-levels docs clean build
.SECONDARY:
