package supply_test

import (
	"os"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
)

func headed(s dataset.Source) dataset.Source {
	s.Format, s.Text = dataset.Delimited, dataset.Text{Delimiter: ",", Quote: `"`, Escape: `\`, Header: true}
	s.Infer = true
	return s
}

func TestFiles(t *testing.T) {
	const one = "a\n1\n"
	f := container(t, map[string]string{
		"top.csv": one, "in/a.csv": one, "in/b.csv": one, "in/c.txt": one, "in/deep/er/d.csv": one,
		"in/_hidden.csv": one, "in/.hidden.csv": one, "in/_tmp/e.csv": one, "_stage/f.csv": one,
		"odd/a b,{c}[d] é*.csv": one, "odd/a.csv/g.csv": one,
		"lists/l.txt": "in/a.csv\r\n\nin/deep/**\n", "lists/lost.txt": "in/a.csv\nin/x.csv\n",
	})
	f.check(os.Symlink(f.path("in/a.csv"), f.path("odd/link.csv")))
	wild := func(patterns ...string) dataset.Source { return dataset.Source{Wildcards: patterns} }
	place := func(folder, file string) dataset.Source {
		return dataset.Source{Location: dataset.Location{Folder: folder, File: file}}
	}
	list := func(file string) dataset.Source {
		s := place("lists", file)
		s.FileList = true
		return s
	}
	tests := map[string]struct {
		source dataset.Source
		want   string
	}{
		"a folder and those in it":      {place("in", ""), "in/a.csv in/b.csv in/c.txt in/deep/er/d.csv"},
		"a file":                        {place("in", "a.csv"), "in/a.csv"},
		"a folder of a hidden name":     {place("_stage", ""), "_stage/f.csv"},
		"a star stays in its folder":    {wild("in/*.csv"), "in/a.csv in/b.csv"},
		"two stars do not":              {wild("in/**/*.csv"), "in/a.csv in/b.csv in/deep/er/d.csv"},
		"two stars at the end":          {wild("in/**"), "in/a.csv in/b.csv in/c.txt in/deep/er/d.csv"},
		"a question mark":               {wild("in/?.csv"), "in/a.csv in/b.csv"},
		"a set":                         {wild("in/[ax].csv"), "in/a.csv"},
		"what is in no set":             {wild("in/[!a].csv"), "in/b.csv"},
		"alternatives":                  {wild("in/{a,c}.{csv,txt}"), "in/a.csv in/c.txt"},
		"alternatives of folders":       {wild("{in/deep,in}/**/{d,a}.csv"), "in/a.csv in/deep/er/d.csv"},
		"several patterns, a file once": {wild("in/a*", "in/*.csv", "none/*"), "in/a.csv in/b.csv"},
		"all that it means is escaped":  {wild(`odd/a b\,\{c\}\[d\] é\*.csv`), "odd/a b,{c}[d] é*.csv"},
		"a folder called like a file":   {wild("odd/a.csv/*"), "odd/a.csv/g.csv"},
		"a list":                        {list("l.txt"), "in/a.csv in/deep/er/d.csv"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := paths(f.must(headed(test.source))); got != test.want {
				t.Errorf("files %s, want %s", got, test.want)
			}
		})
	}
	_, err := f.open(headed(list("lost.txt")))
	fails(t, err, diag.FlowInput, "in/x.csv", "DF-Executor-InvalidPath")
}

func TestTimes(t *testing.T) {
	f := container(t, map[string]string{"a.csv": "a\n1\n", "b.csv": "a\n2\n", "c.csv": "a\n3\n"})
	day := func(n int) time.Time { return time.Date(2026, 10, n, 0, 0, 0, 0, time.UTC) }
	for i, name := range []string{"a.csv", "b.csv", "c.csv"} {
		f.check(os.Chtimes(f.path(name), day(i+1), day(i+1)))
	}
	if got := paths(f.must(headed(dataset.Source{After: day(1), Before: day(3)}))); got != "a.csv b.csv" {
		t.Errorf("from the first and before the third: %s", got)
	}
	_, err := f.open(headed(dataset.Source{After: day(4)}))
	fails(t, err, diag.FlowInput, "modifiedAfter")
}

func TestNoFile(t *testing.T) {
	f := container(t, map[string]string{"in/orders.csv": "a\n1\n"})
	for pattern, word := range map[string]string{
		"in/order.csv": `"in/orders.csv"`, "out/*": `"in/orders.csv"`, "in/[": "never closed", "in/{a": "never closed", `in\`: "nothing behind",
	} {
		_, err := f.open(headed(dataset.Source{Wildcards: []string{pattern}}))
		fails(t, err, diag.FlowInput, word)
	}
	s := f.must(headed(dataset.Source{Wildcards: []string{"out/*"}, NoneOK: true}))
	if len(s.Files) != 0 || len(s.Columns) != 0 {
		t.Errorf("files %v with columns %v, want none", s.Files, s.Columns)
	}
	_, err := container(t, nil).open(headed(dataset.Source{}))
	fails(t, err, diag.FlowInput, "--source In=FOLDER")
}

func TestChangedFile(t *testing.T) {
	for name, change := range map[string]func(f folder){
		"longer": func(f folder) { f.write("in/a.csv", "a\n1\n2\n") },
		"gone":   func(f folder) { f.check(os.Remove(f.path("in/a.csv"))) },
	} {
		t.Run(name, func(t *testing.T) {
			f := container(t, map[string]string{"in/a.csv": "a\n1\n"})
			s := f.must(headed(dataset.Source{MoveFrom: "in", MoveTo: "done"}))
			f.check(s.Same(t.Context()))
			change(f)
			fails(t, s.Same(t.Context()), diag.FlowInput, "in/a.csv")
			fails(t, s.Finish(t.Context()), diag.FlowInput, "in/a.csv")
		})
	}
}

func TestFinish(t *testing.T) {
	files := map[string]string{"in/a.csv": "a\n1\n", "in/deep/b.csv": "a\n1\n", "in/c.txt": "x", "inner/d.csv": "a\n1\n"}
	there := func(f folder, key string) bool {
		_, err := os.Stat(f.path(key))
		return err == nil
	}
	t.Run("moved", func(t *testing.T) {
		f := container(t, files)
		s := f.must(headed(dataset.Source{Wildcards: []string{"in/**/*.csv"}, MoveFrom: "in", MoveTo: "done/today"}))
		for range 2 {
			f.check(s.Finish(t.Context()))
		}
		if there(f, "in/a.csv") || there(f, "in/deep/b.csv") || !there(f, "done/today/a.csv") || !there(f, "done/today/deep/b.csv") || !there(f, "in/c.txt") {
			t.Error("not all files that were read are moved, or others are")
		}
	})
	t.Run("half moved by a run that died", func(t *testing.T) {
		f := container(t, files)
		s := f.must(headed(dataset.Source{Wildcards: []string{"in/a.csv"}, MoveFrom: "in", MoveTo: "done"}))
		f.check(os.Mkdir(f.path("done"), 0o777))
		f.check(os.Link(f.path("in/a.csv"), f.path("done/a.csv")))
		f.check(s.Finish(t.Context()))
		if there(f, "in/a.csv") || !there(f, "done/a.csv") {
			t.Error("the file is not moved")
		}
	})
	t.Run("another file is there", func(t *testing.T) {
		f := container(t, files)
		s := f.must(headed(dataset.Source{Wildcards: []string{"in/a.csv"}, MoveFrom: "in", MoveTo: "done"}))
		f.write("done/a.csv", "other")
		fails(t, s.Finish(t.Context()), diag.NoPermission, "in/a.csv")
		if !there(f, "in/a.csv") {
			t.Error("the file is gone")
		}
		_, err := f.open(headed(dataset.Source{Wildcards: []string{"in/a.csv"}, MoveFrom: "in", MoveTo: "done"}))
		fails(t, err, diag.FlowInput, `"done/a.csv"`)
	})
	t.Run("to where it is", func(t *testing.T) {
		f := container(t, files)
		_, err := f.open(headed(dataset.Source{Wildcards: []string{"in/a.csv"}, MoveFrom: "in", MoveTo: "in"}))
		fails(t, err, diag.FlowInput, "two folders")
		f.check(os.Symlink(f.path("in"), f.path("alias")))
		s := f.must(headed(dataset.Source{Wildcards: []string{"in/deep/b.csv"}, MoveFrom: "in/deep", MoveTo: "alias/other"}))
		f.check(s.Finish(t.Context()))
		if !there(f, "in/other/b.csv") {
			t.Error("the file is not moved through a link")
		}
	})
	t.Run("outside", func(t *testing.T) {
		_, err := container(t, files).open(headed(dataset.Source{Wildcards: []string{"*/*.csv"}, MoveFrom: "in", MoveTo: "done"}))
		fails(t, err, diag.FlowInput, "inner/d.csv")
	})
	t.Run("deleted", func(t *testing.T) {
		f := container(t, files)
		s := f.must(headed(dataset.Source{Wildcards: []string{"in/**/*.csv"}, Purge: true}))
		for range 2 {
			f.check(s.Finish(t.Context()))
		}
		if there(f, "in/a.csv") || !there(f, "in/c.txt") || !there(f, "inner/d.csv") {
			t.Error("not the files that were read are deleted")
		}
	})
}
