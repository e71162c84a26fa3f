# make test    is self-contained: Go, a C compiler, nothing else.
# make check   is what CI runs. It installs its peers below .cache and wants the
#              shared data in ../shared, or where LANDFALL_SHARED says.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

CACHE := $(abspath $(or $(LANDFALL_CACHE),.cache))
SHARED := $(abspath $(or $(LANDFALL_SHARED),../shared))
BIN := $(CACHE)/bin
FUZZTIME ?= 20s
LAWS ?= 10000
SEED ?= 1
SCALES ?= medium,full

export LANDFALL_CACHE := $(CACHE)
export LANDFALL_SHARED := $(SHARED)
export TALLY := $(CACHE)/tally

# Under the race detector: all but what links the engine.
RACE = $(shell go list ./internal/... | grep -v '/internal/engine')
# arrow-go turns an empty slice at the end of a page into one of numbers, which the
# pointer checks of the race detector do not let pass.
UNCHECKED := github.com/apache/arrow-go/...=-d=checkptr=0
# Packages with goldens that -update rewrites.
GOLDEN = $(shell grep -rlE --include='*_test.go' 'flag\.Bool\("update"' cmd internal | xargs -rn1 dirname | sort -u | sed 's,^,./,')

.PHONY: help
help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

.PHONY: demo
demo: ## land a small drifting feed, kill it, land on (needs Go and a C compiler)
	go run ./cmd/landfall demo

.PHONY: build
build: ## build bin/landfall
	go build -o bin/landfall ./cmd/landfall

.PHONY: test
test: ## vet and test; self-contained
	go vet ./...
	go test ./...

.PHONY: check
check: begin peers fmt lint shared race laws interop ## all of CI: format, lint, tests, race detector, other readers and writers
	@scripts/gotest --total

.PHONY: begin
begin:
	@[ -d '$(SHARED)/data' ] || { echo 'make check: no shared data in $(SHARED); set LANDFALL_SHARED' >&2; exit 1; }
	@mkdir -p '$(CACHE)' && rm -f '$(TALLY)'

.PHONY: peers
peers: ## install the linter and the other readers and writers
	@scripts/peers

.PHONY: fmt
fmt: ## fail if a file is not formatted
	@scripts/peers tools
	@out=$$('$(BIN)/gofumpt' -l cmd internal interop); [ -z "$$out" ] || { echo "not formatted (gofumpt -w):"; echo "$$out"; exit 1; }

.PHONY: lint
lint: ## run the linters
	@scripts/peers tools
	'$(BIN)/golangci-lint' run ./...

.PHONY: shared
shared: ## all tests, those on the shared data included
	scripts/gotest -tags shared -timeout 20m ./...

.PHONY: race
race: ## the tests again under the race detector
	scripts/gotest -race -gcflags='$(UNCHECKED)' -timeout 30m $(RACE)

.PHONY: laws
laws: ## LAWS (10000) random feeds, against the laws of order, cuts and values
	scripts/gotest -count 1 -timeout 60m -run '^TestLaws$$' ./internal/laws -rapid.checks=$(LAWS) -rapid.seed=$(SEED)

.PHONY: interop
interop: ## other writers and readers on our tables
	@scripts/peers readers
	scripts/gotest -tags interop -timeout 30m ./interop/... ./internal/plan/function ./internal/flow ./internal/sparksql/function ./internal/sparksql/translate

.PHONY: readers
readers: ## forecasts of all folders of the reader matrix, against the readers (hours; ENGINES="pyarrow pandas polars duckdb": minutes)
	@scripts/peers readers
	LANDFALL_READERS=all LANDFALL_ENGINES='$(ENGINES)' scripts/gotest -tags interop -count 1 -timeout 600m -run '^TestForecast$$' ./interop

.PHONY: sweep
sweep: ## the long sweeps: every fault at every call, 300 kills, races
	LANDFALL_KILLS=$${LANDFALL_KILLS:-300} scripts/gotest -tags sweep -timeout 120m ./...

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (20s), and 105,000 random feeds
	scripts/fuzz '$(FUZZTIME)'
	@$(MAKE) laws LAWS=100000 SEED=0
	scripts/gotest -count 1 -timeout 60m -run 'Law$$' ./internal/land -rapid.checks=5000 -rapid.seed=0

.PHONY: bench
bench: build ## compare with other tools at SCALES (medium,full), SLOW=1 with Spark and dlt, measure growth and memory, into docs/performance.md; benchmarks of packages with BENCH=.
	go build -o bin/contender ./bench/contender
	python3 bench/performance.py bin --cache '$(CACHE)' --shared '$(SHARED)' --scales '$(SCALES)' $(if $(SLOW),--slow)
	$(if $(BENCH),go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 120m ./...)

.PHONY: golden
golden: ## rewrite the goldens; read the diff as code
	go test $(or $(GOLDEN),$(error no package has goldens)) -update

.PHONY: clean
clean: ## remove what was built and installed
	rm -rf bin dist '$(CACHE)'
