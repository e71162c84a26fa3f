package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer is a row of the table of packages: what a package of a rank may import
// of ours. The word "lower" stands for every package of a lower rank, "-x"
// takes x out again.
type layer struct {
	rank int
	may  string
}

// layers is the architecture, as in docs/design.md. A subpackage implements its
// parent, and may import it and what it may.
var layers = map[string]layer{
	"diag":        {0, ""},
	"schema":      {1, "diag"},
	"value":       {1, "diag"},
	"store":       {1, "diag"},
	"event":       {1, "diag"},
	"report":      {1, "diag"},
	"column":      {2, "diag schema value"},
	"hint":        {2, "diag schema"},
	"sparksql":    {2, "diag schema"},
	"plan":        {2, "diag schema"},
	"readers":     {2, "diag schema"},
	"failure":     {1, "diag"},
	"forecast":    {2, ""},
	"definition":  {2, "diag schema"},
	"cutover":     {2, "diag schema"},
	"notebook":    {2, "diag"},
	"parquetfile": {3, "diag schema value column"},
	"leaf":        {3, "schema value column"},
	"inference":   {3, "diag schema value column"},
	"recode":      {3, "diag schema value column"},
	"format":      {4, "diag schema value column parquetfile"},
	"datafile":    {4, "diag schema value column recode store parquetfile"},
	"table":       {4, "diag schema store parquetfile"},
	"engine":      {4, "diag schema plan sparksql store parquetfile"},
	"flow":        {4, "diag schema plan"},
	"sqlpipe":     {4, "diag schema plan sparksql"},
	"alert":       {4, "diag event store"},
	"rescue":      {4, "schema value column recode"},
	"contract":    {4, "diag schema column event hint inference"},
	"project":     {5, "diag schema value event hint inference contract alert"},
	"state":       {5, "diag schema column store event contract"},
	"inspect":     {5, "diag schema definition column inference store format parquetfile contract readers forecast report event"},
	"readnow":     {6, "diag schema report inspect"},
	"evolution":   {5, "diag schema column event hint inference contract"},
	"verdict":     {5, "diag schema column event rescue contract"},
	"conform":     {6, "diag schema value column event leaf recode rescue contract verdict"},
	"draft":       {6, "diag notebook project"},
	"laws":        {7, "lower"},
	"lineage":     {6, "state"},
	"reread":      {7, "diag schema value column recode store format rescue contract conform part"},
	"provenance":  {8, "diag schema value column event store table parquetfile rescue contract part state lineage reread"},
	"part":        {6, "schema value column event contract evolution"},
	"audit":       {8, "diag schema value column event store table parquetfile recode contract conform part source state reread"},
	"source":      {6, "diag store table state"},
	"discovery":   {6, "diag store format state"},
	"vacuum":      {7, "store table state source"},
	"position":    {7, "diag store contract discovery source state table"},
	"standing":    {8, "diag schema store parquetfile datafile table state source reclaim"},
	"reclaim":     {7, "diag schema value column store datafile rescue contract conform"},
	"intake":      {7, "diag schema value column event store parquetfile format table datafile contract evolution state conform part verdict"},
	"land":        {9, "lower -draft -inspect -vacuum -flow -sqlpipe -engine -alert"},
	"transform":   {10, "lower"},
	"pipeline":    {10, "lower"},
	"reconcile":   {5, "diag schema value column store parquetfile rescue"},
	"repair":      {10, "lower -draft -vacuum -flow -sqlpipe -engine -alert -transform -inspect -audit"},
	"drill":       {11, "lower"},
	"ui":          {11, "lower"},
}

// open names the subpackages that others than main may import, and who.
var open = map[string]string{"flow/syntax": "flow transform", "flow/resource": "flow transform", "flow/dataset": "flow transform", "flow/lint": "flow transform", "flow/constant": "flow", "flow/expression": "flow", "transform/supply": "transform", "transform/deliver": "transform", "plan/function": "plan flow sqlpipe engine transform", "plan/function/kernel": "plan flow sparksql", "plan/function/kernel/javatime": "plan sparksql", "sparksql/function/kernel": "sparksql", "sparksql/function/typed": "sparksql", "sparksql/function": "sparksql sqlpipe engine transform pipeline", "sparksql/translate": "sqlpipe pipeline drill", "pipeline/feed": "pipeline drill", "pipeline/record": "pipeline", "engine/duckdb/dialect": "engine", "engine/duckdb/program": "engine", "engine/duckdb/textfile": "engine", "parquetfile/leaf": "parquetfile", "parquetfile/logical": "parquetfile", "parquetfile/page": "parquetfile", "parquetfile/proof": "parquetfile", "parquetfile/form": "parquetfile", "parquetfile/element": "parquetfile", "parquetfile/encode": "parquetfile datafile", "parquetfile/assembly": "parquetfile datafile", "parquetfile/footer": "parquetfile inspect transform", "parquetfile/rowgroup": "parquetfile datafile", "parquetfile/thrift": "parquetfile datafile", "parquetfile/verbatim": "parquetfile datafile format intake", "reconcile/datum": "reconcile", "reconcile/exact": "reconcile", "table/delta/vector": "table", "table/delta/action": "table", "table/delta/checkpoint": "table"}

// leaves says where a heavy module of others may be imported.
var leaves = map[string]string{
	"github.com/duckdb/":                     "internal/engine/duckdb",
	"github.com/marcboeker/go-duckdb":        "internal/engine/duckdb",
	"github.com/apache/spark-connect-go":     "internal/engine/spark",
	"github.com/apache/iceberg-go":           "internal/table/iceberg",
	"github.com/apache/arrow-go/v18/parquet": "internal/parquetfile",
	"github.com/DataDog/zstd":                "internal/parquetfile/encode",
	"github.com/Azure/azure-sdk-for-go":      "internal/store/azure",
	"github.com/aws/aws-sdk-go-v2":           "internal/store/s3",
	"cloud.google.com/go/storage":            "internal/store/gcs",
	"github.com/spf13/cobra":                 "cmd/landfall",
	"github.com/vbauerster/mpb/v8":           "cmd/landfall",
	"github.com/rogpeppe/go-internal":        "tests alone",
	"pgregory.net/rapid":                     "tests alone",
	"github.com/johannesboyne/gofakes3":      "tests alone",
	"github.com/itchyny/gojq":                "tests alone",
	"github.com/fsouza/fake-gcs-server":      "tests alone",
}

// pure packages do no I/O and know no clock and no randomness.
var (
	pure   = []string{"schema", "value", "column", "hint", "inference", "leaf", "recode", "contract", "evolution", "part", "rescue", "verdict", "conform", "plan", "readers", "forecast", "failure", "definition", "cutover", "sparksql"}
	impure = []string{"os", "os/exec", "net", "net/http", "math/rand", "math/rand/v2", "crypto/rand", "syscall"}
)

const module = "landfall/"

// allowed lists the packages that a row lets through.
func (l layer) allowed() []string {
	var out []string
	for _, word := range strings.Fields(l.may) {
		switch {
		case word == "lower":
			for name, other := range layers {
				if other.rank < l.rank {
					out = append(out, name)
				}
			}
		case word[0] == '-':
			out = slices.DeleteFunc(out, func(name string) bool { return name == word[1:] })
		default:
			out = append(out, word)
		}
	}
	return out
}

// suite reports whether a package tests implementations of its parent.
func suite(dir string) bool { return strings.HasSuffix(dir, "test") }

// source is a Go file of the module: its folder below the root, slash-separated.
type source struct {
	dir, name string
	file      *ast.File
}

func (s source) imports() []string {
	var out []string
	for _, spec := range s.file.Imports {
		out = append(out, strings.Trim(spec.Path.Value, `"`))
	}
	return out
}

// sources parses the heads of all Go files of the product.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	for _, root := range []string{"../cmd", "../internal"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			name = strings.TrimPrefix(filepath.ToSlash(name), "../")
			out = append(out, source{path.Dir(name), path.Base(name), f})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatal("no Go files found")
	}
	return out
}

func TestLayers(t *testing.T) {
	for _, s := range sources(t) {
		pkg, inside := strings.CutPrefix(s.dir, "internal/")
		if !inside || suite(s.dir) || strings.HasSuffix(s.name, "_test.go") {
			continue // main, suites and tests may import all
		}
		top, _, _ := strings.Cut(pkg, "/")
		row, known := layers[top]
		if !known {
			t.Errorf("%s: package %s is not in the table; say there what it may import", s.dir, top)
			continue
		}
		for _, dep := range s.imports() {
			if why := forbidden(pkg, top, row, dep); why != "" {
				t.Errorf("%s/%s imports %s: %s", s.dir, s.name, dep, why)
			}
		}
	}
}

// forbidden says why a package may not import another, "" if it may.
func forbidden(pkg, top string, row layer, dep string) string {
	ours, ok := strings.CutPrefix(dep, module)
	if !ok {
		if slices.Contains(pure, top) && slices.Contains(impure, dep) {
			return top + " is pure"
		}
		return ""
	}
	ours, ok = strings.CutPrefix(ours, "internal/")
	depTop, _, sub := strings.Cut(ours, "/")
	switch {
	case !ok:
		return "only internal packages are imported"
	case strings.HasPrefix(pkg+"/", ours+"/"):
		return "" // a parent
	case slices.Contains(strings.Fields(open[ours]), top):
		return ""
	case sub:
		return "an implementation is imported by main and tests alone"
	case !slices.Contains(row.allowed(), depTop):
		return top + " may import only: " + row.may
	}
	return ""
}

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		pkg, dep string
		bad      bool
	}{
		{"table/delta", "landfall/internal/table", false},
		{"table/delta", "landfall/internal/store", false},
		{"table/delta", "landfall/internal/store/local", true},
		{"table/delta", "landfall/internal/state", true},
		{"table", "landfall/internal/table/delta", true},
		{"land", "landfall/internal/table", false},
		{"land", "landfall/internal/engine", true},
		{"sqlpipe", "landfall/internal/plan/function", false},
		{"land", "landfall/internal/plan/function", true},
		{"diag", "landfall/cmd/landfall", true},
		{"conform", "os", true},
		{"land", "os", false},
	} {
		top, _, _ := strings.Cut(c.pkg, "/")
		if why := forbidden(c.pkg, top, layers[top], c.dep); (why != "") != c.bad {
			t.Errorf("%s imports %s: found %q, wanted refused=%v", c.pkg, c.dep, why, c.bad)
		}
	}
}

// TestTable checks the table itself: imports point to lower ranks only.
func TestTable(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(layers)) {
		for _, dep := range layers[name].allowed() {
			low, known := layers[dep]
			if !known {
				t.Errorf("%s may import %s, which is no package", name, dep)
			} else if low.rank >= layers[name].rank {
				t.Errorf("%s (rank %d) may import %s (rank %d)", name, layers[name].rank, dep, low.rank)
			}
		}
	}
}

// TestMap checks the table of docs/design.md: a row for every package that there
// is, with the rank that it has here.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	last := 0
	for _, m := range regexp.MustCompile("(?m)^\\| ([0-9]+) \\| `([a-z/]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		rows[m[2]] = m[1]
		if rank, _ := strconv.Atoi(m[1]); rank < last {
			t.Errorf("docs/design.md: the row of %s is not in its place", m[2])
		} else {
			last = rank
		}
	}
	for _, s := range sources(t) {
		pkg, inside := strings.CutPrefix(s.dir, "internal/")
		if _, known := layers[pkg]; !inside || !known {
			continue
		}
		if want := strconv.Itoa(layers[pkg].rank); rows[pkg] != want {
			t.Errorf("docs/design.md: %s has rank %q, want %s", pkg, rows[pkg], want)
		}
	}
}

func TestHeavyModulesStayInTheirLeaf(t *testing.T) {
	for _, s := range sources(t) {
		if suite(s.dir) || strings.HasSuffix(s.name, "_test.go") {
			continue
		}
		for _, dep := range s.imports() {
			for heavy, leaf := range leaves {
				if strings.HasPrefix(dep, heavy) && s.dir != leaf && !strings.HasPrefix(s.dir, leaf+"/") {
					t.Errorf("%s/%s imports %s, which belongs to %s", s.dir, s.name, dep, leaf)
				}
			}
		}
	}
}

func TestPackagesHaveComments(t *testing.T) {
	comment := map[string]string{}
	for _, s := range sources(t) {
		if strings.HasSuffix(s.name, "_test.go") {
			continue
		}
		if s.file.Doc != nil || comment[s.dir] == "" {
			comment[s.dir] += s.file.Doc.Text()
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(comment)) {
		want := "Package " + path.Base(dir) + " "
		if strings.HasPrefix(dir, "cmd/") {
			want = "Command " + path.Base(dir) + " "
		}
		if !strings.HasPrefix(comment[dir], want) {
			t.Errorf("%s: the package comment should begin with %q, found %.40q", dir, want, comment[dir])
		}
	}
}
