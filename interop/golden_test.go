//go:build interop

package interop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/table"
)

// refused are the golden tables that Spark reads and we refuse, with the word
// that the refusal must name.
var refused = map[string]string{
	"spark-variant-checkpoint": "variantType",
}

// large are the golden tables of so many rows that they are compared by
// digest.
var large = map[string]bool{
	"parquet-decimal-dictionaries":    true,
	"parquet-decimal-dictionaries-v2": true,
	"parquet-decimal-type":            true,
}

// readable is the number of golden tables that Spark reads.
const readable = 76

// TestGoldenTables compares what Spark and we read of the tables by which
// Delta readers are tested. What Spark reads has the same rows for us or is
// refused by name; what it does not read is refused with a diagnosis.
func TestGoldenTables(t *testing.T) {
	root := filepath.Join(sharedData(t), "delta-golden-tables")
	bySpark := 0
	for _, name := range goldenFolders(t, root) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(root, name)
			wanted, sparkErr := goldenBySpark(t, name, dir)
			found, err := goldenByUs(t, name, dir)
			if sparkErr == nil && !strings.Contains(name, "/") {
				bySpark++
			}
			word, isRefused := refused[name]
			switch {
			case isRefused || sparkErr != nil:
				diagnosed(t, err, word)
				if sparkErr != nil {
					t.Logf("Spark: %.300v", sparkErr)
				}
			case err != nil:
				t.Errorf("Spark reads %d rows, we: %v", len(wanted.Rows), err)
			default:
				same(t, "ours", found, wanted)
			}
		})
	}
	if bySpark != readable {
		t.Errorf("Spark read %d of the tables, wanted %d", bySpark, readable)
	}
}

// diagnosed fails unless err tells a user why a table cannot be read.
func diagnosed(t *testing.T, err error, word string) {
	t.Helper()
	var d *diag.Diagnostic
	switch {
	case errors.Is(err, table.ErrNoTable) && word == "":
	case !errors.As(err, &d):
		t.Errorf("found %v, wanted a diagnosis", err)
	case !strings.Contains(d.Message, word):
		t.Errorf("found %q, wanted it to name %s", d.Message, word)
	default:
		t.Logf("refused: %v", d)
	}
}

// goldenBySpark reads a table with Spark.
func goldenBySpark(t *testing.T, name, dir string) (r rows, err error) {
	t.Helper()
	if large[name] {
		return r, spark(t).try("sql", args{"text": digest("delta.`" + dir + "`")}, &r)
	}
	return r, spark(t).try("read", args{"path": dir}, &r)
}

// goldenByUs reads a table with our log reader and engine.
func goldenByUs(t *testing.T, name, dir string) (rows, error) {
	t.Helper()
	if large[name] {
		return query(t, dir, digest("t"))
	}
	return query(t, dir, "select * from t")
}

// goldenColumns are the columns of the large tables.
var goldenColumns = []string{"id", "col1", "col2", "col3"}

// digest is a statement, in words that both engines know, whose result changes
// with any row: the rows' hashes in 4096 buckets, each with its count and ends.
func digest(from string) string {
	cells := make([]string, len(goldenColumns))
	for i, c := range goldenColumns {
		cells[i] = "coalesce(cast(" + c + " as string), 'null')"
	}
	return "select substr(h, 1, 3) as bucket, count(*) as n, min(h) as low, max(h) as high from " +
		"(select md5(concat_ws('|', " + strings.Join(cells, ", ") + ")) as h from " + from + ") as q group by 1"
}

// goldenFolders lists the folders below root that are tables or stand right
// below it.
func goldenFolders(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || p == root {
			return err
		}
		_, statErr := os.Stat(filepath.Join(p, "_delta_log"))
		if statErr != nil && filepath.Dir(p) != root {
			return nil
		}
		name, err := filepath.Rel(root, p)
		out = append(out, filepath.ToSlash(name))
		if statErr == nil && err == nil {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 100 {
		t.Fatalf("found %d golden tables in %s, wanted at least 100", len(out), root)
	}
	return out
}

// sharedData is the folder of the data that all tests share.
func sharedData(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LANDFALL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("no shared data, set LANDFALL_SHARED: %v", err)
	}
	return dir
}
