//go:build interop

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/table/delta"
)

// TestPipelineBesideSpark has Spark change the tables that a pipeline reads, while files
// land in them: what the pipeline makes of them is always what its query says.
func TestPipelineBesideSpark(t *testing.T) {
	p := &project{dir: t.TempDir(), spark: spark(t)}
	p.write(t, "landfall.yaml", "version: 1\nsources:\n  bronze:\n    path: landing\n    table: lake/bronze\npipelines:\n  p:\n    files: [p.sql]\n    target: lake\n")
	p.write(t, "p.sql", `CREATE OR REFRESH STREAMING TABLE silver (CONSTRAINT known EXPECT (id IS NOT NULL)) AS SELECT id, n FROM STREAM(bronze);
CREATE OR REFRESH STREAMING TABLE gold (CONSTRAINT known EXPECT (id IS NOT NULL)) AS SELECT id, n * 10 AS n FROM STREAM(silver);
`)
	for _, step := range []struct {
		file, text, statement string
		// idle is a step after which no pipeline runs.
		idle bool
	}{
		{file: "a.csv", text: "id,n\na1,1\na2,2\na3,3\n"},
		{file: "b.csv", text: "id,n\nb1,1\nb2,2\nb3,3\n"},
		{statement: "optimize %t"},
		{statement: "delete from %t where id in ('a1', 'b1')"},
		{file: "c.csv", text: "id,n\nc1,1\nc2,2\n"},
		{statement: "alter table %t set tblproperties ('delta.enableDeletionVectors' = 'true')"},
		{statement: "delete from %t where id = 'a2'"},
		{statement: "update %t set n = 20 where id = 'b2'"},
		{statement: "optimize %t"},
		{file: "d.csv", text: "id,n\nd1,1\n"},
		{statement: "merge into %t t using (select 'b3' as id, 30L as n union all select 'x', 7L) s on t.id = s.id when matched then update set n = s.n when not matched then insert (id, n) values (s.id, s.n)"},
		{statement: "reorg table %t apply (purge)"},
		{file: "c.csv", text: "id,n\nc2,22\nc3,3\n"},
		{file: "e.csv", text: "id,n\ne1,1\n", idle: true},
		{statement: "optimize %t", idle: true},
		{statement: "vacuum %t retain 0 hours"},
		{file: "e.csv", text: "id,n\ne1,11\n"},
	} {
		what := step.file
		if step.file != "" {
			p.write(t, "landing/"+step.file, step.text)
		} else {
			what = step.statement
			p.spark.sql(t, filepath.Join(p.dir, "lake/bronze"), step.statement)
		}
		if step.idle {
			p.do(t, what, "land")
			continue
		}
		p.do(t, what, "run")
		wanted := p.read(t, "bronze", "select id, n * 10 as n from %t")
		same(t, "gold after "+what, p.read(t, "gold", "select id, n from %t"), wanted)
	}
	bronze := filepath.Join(p.dir, "lake/bronze")
	newest, err := delta.Open(folder(t, bronze), delta.Options{}).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.spark.sql(t, bronze, fmt.Sprintf("restore table %%t to version as of %d", newest.Version-1))
	if out, err := p.command("run", "--no-land").CombinedOutput(); err == nil || !strings.Contains(string(out), "E1009") || !strings.Contains(string(out), "--full-refresh silver") {
		t.Errorf("after a restore: found %v\n%s", err, out)
	}
}

// project is a project of ours, whose tables Spark reads and changes.
type project struct {
	dir   string
	spark *peer
}

func (p *project) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *project) command(args ...string) *exec.Cmd {
	program, err := shared.binary()
	if err != nil {
		program = err.Error()
	}
	c := exec.Command(program, args...)
	c.Dir = p.dir
	return c
}

func (p *project) do(t *testing.T, after, command string) {
	t.Helper()
	if out, err := p.command(command).CombinedOutput(); err != nil {
		t.Fatalf("after %s: %v\n%s", after, err, out)
	}
}

func (p *project) read(t *testing.T, table, text string) rows {
	t.Helper()
	return p.spark.sql(t, filepath.Join(p.dir, "lake", table), text)
}
