package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sweep lets the process die at each call, and compares the table with that of the files as
// they are.
func (s *sandbox) sweep(ctx context.Context) ([]drillStep, error) {
	base := s.run(ctx)
	if base.err != nil {
		return []drillStep{{Step: "as it is", Outcome: "failed", Found: firstLine(base.err.Error()), Wanted: "the copies land and the pipelines run", Hint: "mend this first; if older files have what lacks, copy more of them: --files 10"}}, nil
	}
	dies, err := s.dies(ctx)
	if err != nil {
		return nil, err
	}
	diff, err := s.diff(ctx)
	return []drillStep{{Step: "as it is", Outcome: "passed", Found: count(base.landed, "row") + " landed"}, dies, diff}, err
}

// diff compares the rows of each copy that landed while processes died with those of the
// file that nothing disturbed: they have to be the same, each as often.
func (s *sandbox) diff(ctx context.Context) (drillStep, error) {
	columns, source, err := s.columns(ctx)
	if err != nil {
		return drillStep{}, err
	}
	st := drillStep{Step: "the table's rows", Outcome: "skipped", Found: "the table does not say which file a row came from"}
	if !source {
		return st, nil
	}
	sql := "SELECT count(*) AS files, count(DISTINCT rows) AS ways, sum(n) AS n FROM (SELECT _source_file, count(*) AS n, " +
		"string_agg(v, chr(10) ORDER BY v) AS rows FROM (SELECT _source_file, concat_ws(chr(31), " + strings.Join(columns, ", ") + ") AS v FROM t) WHERE _source_file LIKE '%-drill%' OR _source_file LIKE '%/" +
		strings.ReplaceAll(filepath.Base(s.newest), "'", "''") + "' GROUP BY _source_file)"
	var row struct{ Files, Ways, N int64 }
	if err := s.ask(ctx, sql, &row); err != nil {
		return st, err
	}
	st.Outcome = "passed"
	st.Found = fmt.Sprintf("%d rows of %s compared with those of a landing that nothing disturbed: no difference", row.N, count(row.Files, "file"))
	if row.Ways != 1 {
		st.Outcome, st.Wanted, st.Hint = "failed", "the same rows of each copy", "this is a bug of landfall: please report it with your project file"
		st.Found = fmt.Sprintf("%s came out in %d ways", count(row.Files, "copy of the file"), row.Ways)
	}
	return st, nil
}

// twice delivers the newest file again, with the same bytes.
func (s *sandbox) twice(ctx context.Context) (drillStep, error) {
	before, err := s.rows(ctx)
	if err != nil {
		return drillStep{}, err
	}
	at := filepath.Join(s.copies, filepath.FromSlash(s.newest))
	if err := os.Chtimes(at, s.now(), s.now()); err != nil {
		return drillStep{}, err
	}
	m := s.run(ctx)
	after, err := s.rows(ctx)
	if err != nil {
		return drillStep{}, err
	}
	if m.err != nil {
		st := failedStep("the run goes on", "look at the policy file_rewritten", "%s", firstLine(m.err.Error()))
		st.Step = "delivered twice"
		return st, nil
	}
	st := passed("the same file again: no row twice")
	if after != before {
		st = failedStep("no row twice", "look at the policy file_rewritten", "the same file again: %d rows became %d", before, after)
	}
	st.Step = "delivered twice"
	return st, nil
}

// dies lets the process die while a file lands, at one call to the stores after the other,
// and lands again.
func (s *sandbox) dies(ctx context.Context) (drillStep, error) {
	whole, err := os.ReadFile(filepath.Join(s.copies, filepath.FromSlash(s.newest)))
	if err != nil {
		return drillStep{}, err
	}
	feeds, err := s.landing(landFlags{}, []string{s.source.Name})
	if err != nil {
		return drillStep{}, err
	}
	each, deaths := int64(-1), 0
	for at := 0; ; at += s.every {
		before, err := s.rows(ctx)
		if err != nil {
			return drillStep{}, err
		}
		if err := os.WriteFile(filepath.Join(s.copies, filepath.FromSlash(s.copyKey())), whole, 0o600); err != nil {
			return drillStep{}, err
		}
		struck := s.crashAt(at)
		s.stdout, s.stderr = &bytes.Buffer{}, &bytes.Buffer{}
		_ = s.landAll(ctx, feeds) // it died; what it left is what counts
		s.wrap = nil
		if err := s.landAll(ctx, feeds); err != nil {
			return drillStep{}, err
		}
		after, err := s.rows(ctx)
		if err != nil {
			return drillStep{}, err
		}
		if each < 0 {
			each = after - before
		}
		if after-before != each || each == 0 {
			st := failedStep("each row once", "this is a bug of landfall: please report it with your project file", "died at call %d: %d rows came of %d", at, after-before, each)
			st.Step = "the process dies"
			return st, nil
		}
		if !struck() {
			st := passed("died at %s, landed again: each row once", count(int64(deaths), "place"))
			st.Step = "the process dies"
			return st, nil
		}
		deaths++
	}
}
