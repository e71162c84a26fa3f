//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"landfall/internal/forecast"
)

// unseen are decimals that were not measured: rules alone speak of them.
var unseen = []string{"dec5_1", "dec12_3", "dec12_6", "dec25_5", "dec30_2"}

// measurement is what a reader did with a folder, as the generator writes it.
type measurement struct {
	Case    string `json:"case_id"`
	Kind    string `json:"kind"`
	First   string `json:"t1"`
	Second  string `json:"t2"`
	Values  string `json:"values"`
	Call    string `json:"reader"`
	Version string `json:"version"`
	Options string `json:"options"`
	Outcome string `json:"outcome"`
	Message string `json:"message_pattern"`
}

// TestForecast holds forecasts against the readers themselves: on a sample of folders,
// or on all that the generator knows where LANDFALL_READERS is all, or on as many pairs
// of types as that says. LANDFALL_ENGINES names some of them, such as "pyarrow duckdb".
func TestForecast(t *testing.T) {
	generator, err := generator()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	python(t, "lake", append([]string{filepath.Join("peers", "cells.py"), generator, root}, unseen...)...)
	if t.Failed() {
		return
	}
	choose(t, filepath.Join(root, "manifest.jsonl"), os.Getenv("LANDFALL_READERS"))

	var wait sync.WaitGroup
	peers := chosen()
	out := make([]string, len(peers))
	for i, peer := range peers {
		out[i] = filepath.Join(root, strings.Join(peer[:], "-")+".jsonl")
		wait.Go(func() { python(t, peer[0], generator, "run", "--root", root, "--engine", peer[1], "--out", out[i]) })
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	s := score{t: t, known: load(t)}
	for _, name := range out {
		s.file(name)
	}
	s.judge()
}

// chosen are the environments and their engines that are asked.
func chosen() [][2]string {
	all := [][2]string{{"spark41", "spark"}, {"spark35", "spark"}, {"lake", "pyarrow"}, {"lake", "pandas"}, {"lake", "polars"}, {"lake", "duckdb"}}
	if wanted := strings.Fields(os.Getenv("LANDFALL_ENGINES")); len(wanted) > 0 {
		all = slices.DeleteFunc(all, func(p [2]string) bool { return !slices.Contains(wanted, p[1]) })
	}
	return all
}

// generator is the program that made the reader matrix.
func generator() (string, error) {
	shared := os.Getenv("LANDFALL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	return filepath.Abs(filepath.Join(shared, "reference", "reader-matrix-gen.py"))
}

func load(t *testing.T) *forecast.Matrix {
	t.Helper()
	m, err := forecast.Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// python runs a script in one of the peers' environments; it may be called from
// several goroutines.
func python(t *testing.T, env string, arguments ...string) {
	t.Helper()
	c := exec.Command(filepath.Join(cache(), env, "bin", "python"), append([]string{"-B"}, arguments...)...)
	c.Env = append(os.Environ(), "TZ=UTC")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s %v: %v\n%s", env, arguments, err, out)
	}
}

// choose cuts the list of folders down to a sample, the same in every run: "all", a
// number of pairs of types and as many of each other kind, or "" for a small one.
func choose(t *testing.T, manifest, wanted string) {
	t.Helper()
	all, sizes := wanted == "all", []int{30, 12, 16}
	if n, err := strconv.Atoi(wanted); err == nil {
		sizes = []int{n, n, n}
	}
	data, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var pairs, others, more, kept [][]byte
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var m measurement
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		new := known(m.First) && known(m.Second)
		switch {
		case all && new:
			kept = append(kept, line)
		case m.Kind == "pair" && m.Values == "extreme" && new:
			pairs = append(pairs, line)
		case m.Kind == "pair" && !new && strings.HasPrefix(m.First, "dec") && strings.HasPrefix(m.Second, "dec"):
			more = append(more, line)
		case m.Kind == "layout" && !strings.HasPrefix(m.Case, "duckdb_"):
			others = append(others, line)
		}
	}
	random := rand.New(rand.NewPCG(7, 7))
	for i, from := range [][][]byte{pairs, others, more} {
		random.Shuffle(len(from), func(i, k int) { from[i], from[k] = from[k], from[i] })
		kept = append(kept, from[:min(len(from), sizes[i])]...)
	}
	if err := os.WriteFile(manifest, append(bytes.Join(kept, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// known reports whether the matrix has a type.
func known(name string) bool {
	for _, other := range unseen {
		if name == other {
			return false
		}
	}
	return true
}

// score counts forecasts that came true: of what was measured, and by rules.
type score struct {
	t                              *testing.T
	known                          *forecast.Matrix
	right, all, rightNew, allOfNew int
}

func (s *score) file(name string) {
	s.t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	found := 0
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var m measurement
		if err := json.Unmarshal(line, &m); err != nil {
			s.t.Fatal(err)
		}
		if r, ok := s.said(m); ok {
			found++
			s.note(m, r)
		}
	}
	if found == 0 {
		s.t.Errorf("nothing of %s was forecast", filepath.Base(name))
	}
}

// note compares a forecast with what came.
func (s *score) note(m measurement, r forecast.Result) {
	s.all++
	rule := !known(m.First) || !known(m.Second)
	if rule {
		s.allOfNew++
	}
	was := map[string]string{"error": "fails", "crash": "fails", "ok": "works", "ok_retyped": "works"}[m.Outcome]
	if was == "" {
		was = "wrong values"
	}
	said := r.Outcome.String()
	if r.Outcome == forecast.Retyped {
		said = "works"
	}
	if said == was {
		s.right++
		if rule {
			s.rightNew++
		}
		return
	}
	s.t.Logf("%s, %s %s %q: said %s, was %s (%s)", m.Case, m.Call, m.Version, m.Options, said, m.Outcome, m.Message)
}

// said looks up what is forecast in the version that was measured nearest.
func (s *score) said(m measurement) (forecast.Result, bool) {
	mode := forecast.Mode{Call: m.Call, Options: m.Options, Version: nearest(m)}
	switch name, _, _ := strings.Cut(m.Call, "."); name {
	case "pq", "pyarrow":
		mode.Reader = "PyArrow"
	default:
		mode.Reader = map[string]string{"spark": "Spark", "polars": "Polars", "duckdb": "DuckDB", "pandas": "pandas"}[name]
	}
	first, ok1 := forecast.TypeOf(m.First)
	second, ok2 := forecast.TypeOf(m.Second)
	switch {
	case m.Kind == "pair" && ok1 && ok2:
		r, _, known := s.known.Pair(mode, first, second, m.Values == "plain")
		return r, known
	case m.Kind == "cast" && ok1:
		r, _, known := s.known.Cast(mode, first, m.Second)
		return r, known
	}
	return s.known.Case(mode, m.Case)
}

// nearest is the measured version of a reader with the same numbers of release.
func nearest(m measurement) string {
	version := m.Version
	if _, arrow, ok := strings.Cut(version, "pyarrow "); ok && m.Call == "pandas.read_parquet" {
		version = strings.TrimSuffix(arrow, ")")
	}
	version, _, _ = strings.Cut(version, "(")
	for _, v := range []string{"3.5.7", "4.1.0", "1.5.6", "2.0.1"} {
		if (strings.HasPrefix(m.Call, "spark") || strings.HasPrefix(m.Call, "duckdb")) && strings.HasPrefix(version, v[:4]) {
			return v
		}
	}
	return version
}

func (s *score) judge() {
	s.t.Helper()
	s.t.Logf("%d of %d came true, of types that were not measured %d of %d", s.right, s.all, s.rightNew, s.allOfNew)
	if s.right*100 < s.all*98 {
		s.t.Errorf("found %d of %d forecasts true, wanted 98 %%", s.right, s.all)
	}
	if s.rightNew*100 < s.allOfNew*95 {
		s.t.Errorf("found %d of %d forecasts by rules true, wanted 95 %%", s.rightNew, s.allOfNew)
	}
}
