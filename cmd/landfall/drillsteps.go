package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"landfall/internal/drill"
	"landfall/internal/event"
	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// met is what a run in the sandbox did.
type met struct {
	err error
	// drift, landed and rescued are those of the source, held what went to quarantine.
	drift           []event.Drift
	landed, rescued int64
	held            []event.Quarantined
	// broken counts the rows that broke nothing_rescued in all datasets, datasets those that
	// look.
	broken   int64
	datasets int
	alerts   []drillAlert
}

// drillAlert is a message that somebody would have had.
type drillAlert struct {
	Kind, File, Column, What string
}

// run lands the source, and runs the pipelines if there are any.
func (s *sandbox) run(ctx context.Context) met {
	var out bytes.Buffer
	s.stdout = &out
	var m met
	if s.pipelines {
		m.err = s.runPipelines(ctx, nil, runFlags{})
	} else if feeds, err := s.landing(landFlags{}, []string{s.source.Name}); err != nil {
		m.err = err
	} else {
		m.err = s.landAll(ctx, feeds)
	}
	for line := range strings.Lines(out.String()) {
		m.read(line, s.source.Name)
	}
	m.alerts = s.newAlerts()
	return m
}

// read takes what one line of the run's output says.
func (m *met) read(line, source string) {
	var l struct {
		Source      string              `json:"source"`
		Drift       []event.Drift       `json:"drift"`
		Quarantined []event.Quarantined `json:"quarantined"`
		Dataset     string              `json:"dataset"`
		Batches     json.RawMessage     `json:"batches"`
	}
	if json.Unmarshal([]byte(line), &l) != nil {
		return
	}
	if l.Dataset != "" {
		var batches []event.Dataset
		_ = json.Unmarshal(l.Batches, &batches) // a line of ours
		for _, b := range batches {
			for _, x := range b.Expectations {
				if x.Name == "nothing_rescued" {
					m.datasets++
					m.broken += x.False + x.Null
				}
			}
		}
		return
	}
	if l.Source != source {
		return
	}
	var batches []event.Batch
	_ = json.Unmarshal(l.Batches, &batches) // a line of ours
	for _, b := range batches {
		m.landed, m.rescued = m.landed+b.RowsLanded, m.rescued+b.ValuesRescued
	}
	m.drift, m.held = append(m.drift, l.Drift...), append(m.held, l.Quarantined...)
}

// newAlerts are the messages that came since they were read last.
func (s *sandbox) newAlerts() []drillAlert {
	data, err := os.ReadFile(filepath.Join(s.dir, "alerts.ndjson"))
	if err != nil {
		return nil // nobody was told
	}
	var all []drillAlert
	for line := range strings.Lines(string(data)) {
		var a drillAlert
		if json.Unmarshal([]byte(line), &a) == nil {
			all = append(all, a)
		}
	}
	fresh := all[min(s.told, len(all)):]
	s.told = len(all)
	return fresh
}

// kind finds drift of a kind.
func (m met) kind(k event.Kind, column string) (event.Drift, bool) {
	for _, d := range m.drift {
		if d.Kind == k && (column == "" || strings.EqualFold(d.Column, column)) {
			return d, true
		}
	}
	return event.Drift{}, false
}

// steps runs the drill.
func (s *sandbox) steps(ctx context.Context) ([]drillStep, error) {
	var out []drillStep
	base := s.run(ctx)
	if base.err != nil {
		return append(out, drillStep{Step: "as it is", Outcome: "failed", Found: firstLine(base.err.Error()), Wanted: "the copies land and the pipelines run", Hint: "mend this first; if older files have what lacks, copy more of them: --files 10"}), nil
	}
	s.usual = map[string]bool{}
	for _, a := range base.alerts {
		s.usual[a.Kind+" "+a.What] = true
	}
	out = append(out, drillStep{Step: "as it is", Outcome: "passed", Found: count(base.landed, "row") + " landed"})
	for _, step := range []struct {
		how   drill.Break
		check func(m met, file, column string) drillStep
	}{
		{drill.ExtraColumn, s.extra}, {drill.TextInNumber, s.word}, {drill.Recased, s.recased}, {drill.Dropped, s.dropped}, {drill.Cut, s.cut},
	} {
		file, column, err := s.broken(ctx, step.how)
		if nothing(err) {
			out = append(out, drillStep{Step: string(step.how), Outcome: "skipped", Found: "the file has nothing to break in this way"})
			continue
		}
		if err != nil {
			return out, err
		}
		m := s.run(ctx)
		st := step.check(m, file, column)
		st.Step = string(step.how)
		if m.err != nil {
			st = drillStep{Step: string(step.how), Outcome: "failed", Found: firstLine(m.err.Error()), Wanted: "the run goes on", Hint: "a policy fail stops feeds at night: let it rescue, and be told"}
			// What stops this run must not stop those of the steps behind it.
			if err := os.Remove(filepath.Join(s.copies, filepath.FromSlash(file))); err != nil {
				return out, err
			}
		}
		out = append(out, st)
		if err := ctx.Err(); err != nil {
			return out, err
		}
	}
	twice, err := s.twice(ctx)
	if err != nil {
		return out, err
	}
	dies, err := s.dies(ctx)
	return append(out, twice, dies), err
}

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

// columns are those of the sandbox's table as texts, without ours, and whether it has the
// source file of each row.
func (s *sandbox) columns(ctx context.Context) (texts []string, source bool, err error) {
	data, err := openStore(filepath.Join(s.dir, "lake", s.source.Name))
	if err != nil {
		return nil, false, err
	}
	snap, err := s.flowTable(data).Snapshot(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, f := range snap.Schema.Fields {
		source = source || f.Name == "_source_file"
		if !strings.HasPrefix(f.Name, "_") {
			texts = append(texts, `coalesce(CAST("`+strings.ReplaceAll(f.Name, `"`, `""`)+`" AS VARCHAR), '∅')`)
		}
	}
	return texts, source && len(texts) > 0, nil
}

// ask reads the one row of a query on the sandbox's table.
func (s *sandbox) ask(ctx context.Context, sql string, into any) error {
	var out bytes.Buffer
	s.stdout = &out
	in, err := s.queryTables(ctx, []string{filepath.Join(s.dir, "lake", s.source.Name)})
	if err != nil {
		return err
	}
	if err := s.query(ctx, sql, in, 0); err != nil {
		return err
	}
	return json.Unmarshal(out.Bytes(), into)
}

func passed(format string, args ...any) drillStep {
	return drillStep{Outcome: "passed", Found: fmt.Sprintf(format, args...)}
}

func failedStep(wanted, hint, format string, args ...any) drillStep {
	return drillStep{Outcome: "failed", Found: fmt.Sprintf(format, args...), Wanted: wanted, Hint: hint}
}

// extra wants bronze to gain the column, nothing rescued, and nobody alerted.
func (s *sandbox) extra(m met, _, column string) drillStep {
	d, ok := m.kind(event.ColumnAdded, column)
	switch {
	case !ok || d.Decision != "add":
		return failedStep("bronze gains the column", "column_added: add is the landing layer's choice (schemaEvolutionMode addNewColumns): a column in _rescued_data is of use to nobody",
			"bronze did not gain %s (%s)", column, orNone(d.Decision))
	case m.broken > 0:
		return failedStep("nothing_rescued 0", "a column that was added is not rescued: look at the rule", "bronze gained %s; nothing_rescued %d", column, m.broken)
	case s.unusual(m) != "":
		return failedStep("no alert", "an added column is a line of a digest: look at on: of the alerts", "bronze gained %s; an alert of %s came", column, s.unusual(m))
	default:
		return passed("bronze gained %s; nothing_rescued 0; no alert", column)
	}
}

// unusual is the kind of an alert that the files as they are did not bring; "" for none.
func (s *sandbox) unusual(m met) string {
	for _, a := range m.alerts {
		if !s.usual[a.Kind+" "+a.What] {
			return a.Kind
		}
	}
	return ""
}

func orNone(decision string) string {
	if decision == "" {
		return "nothing was told"
	}
	return decision
}

// word wants the text kept, and somebody told which file and which column.
func (s *sandbox) word(m met, file, column string) drillStep {
	for _, k := range []event.Kind{event.TypeConflict, event.ValueMisfit} {
		if d, ok := m.kind(k, column); ok && (d.Decision == "null" || d.Decision == "ignore") {
			return failedStep("the text is in _rescued_data, or in quarantine", "let the policy "+string(k)+" rescue", "the text was dropped: %s is NULL (%s)", column, d.Decision)
		}
	}
	if m.rescued == 0 && len(m.held) == 0 {
		return failedStep("the text is in _rescued_data, or in quarantine", "let the column have a type: cloudFiles.inferColumnTypes true, or schemaHints", "the text landed in %s as if it were one of its values", column)
	}
	what := count(m.rescued, "value") + " rescued"
	if m.rescued == 0 {
		what = count(int64(len(m.held)), "record") + " in quarantine"
	}
	if s.pipelines && m.rescued > 0 && m.datasets > 0 && m.broken == 0 {
		return failedStep("nothing_rescued counts it", "select _rescued_data in silver, or leave the rule to landfall", "%s; nothing_rescued 0", what)
	}
	for _, a := range m.alerts {
		if strings.HasSuffix(a.File, filepath.Base(file)) && strings.Contains(strings.ToLower(a.Column), strings.ToLower(column)) {
			return passed("%s; an alert names %s and %s", what, filepath.Base(file), column)
		}
	}
	hint := "add alerts: [{on: [rescued, quarantined, expectation_failed, run_failed], to: {webhook: \"${ALERT_URL}\"}}] to landfall.yaml"
	if s.alerts {
		hint = "let a rule of the alerts say on: [rescued, quarantined, expectation_failed] for this source"
	}
	return failedStep("an alert that names file and column", hint, "%s; nobody was told", what)
}

// recased wants the same column under its name.
func (s *sandbox) recased(m met, _, column string) drillStep {
	if d, ok := m.kind(event.ColumnAdded, column); ok {
		return failedStep("the column is folded", "leave readerCaseSensitive out", "a second column %s", d.Column)
	}
	if d, ok := m.kind(event.ColumnRecased, column); ok && d.Decision == "fold" {
		return passed("%s folded; no new column", column)
	}
	return failedStep("the column is folded", "leave readerCaseSensitive out", "%s was not folded", column)
}

// dropped wants nulls.
func (s *sandbox) dropped(m met, _, column string) drillStep {
	if d, ok := m.kind(event.ColumnMissing, column); ok {
		return passed("%s is NULL in its rows, and told (%s)", column, d.Decision)
	}
	return failedStep("the column that lacks is told", "look at the policy column_missing", "%s was not missed", column)
}

// cut wants the cut told, and the run to go on.
func (s *sandbox) cut(m met, file, _ string) drillStep {
	for _, q := range m.held {
		if strings.HasSuffix(q.Path, filepath.Base(file)) {
			return passed("in quarantine: %s", q.Reason)
		}
	}
	for _, d := range m.drift {
		switch d.Kind {
		case event.RecordRagged, event.RecordMalformed, event.FileUnreadable, event.DialectChanged:
			if strings.HasSuffix(d.File, filepath.Base(file)) {
				return passed("told: %s, %s", strings.ReplaceAll(string(d.Kind), "_", " "), d.Decision)
			}
		}
	}
	return failedStep("the cut is told", "a text that is cut at the end of a line looks whole: ask for files that end with a line end, or compressed ones", "nothing was told")
}

// rows counts the rows of the sandbox's table.
func (s *sandbox) rows(ctx context.Context) (int64, error) {
	var row struct{ N int64 }
	err := s.ask(ctx, "SELECT count(*) AS n FROM t", &row)
	return row.N, err
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

// crashAt lets the stores of tables crash together at one of their calls, and tells how to
// see whether it came to that.
func (s *sandbox) crashAt(at int) func() bool {
	var mu sync.Mutex
	calls, hit := 0, false
	s.wrap = func(under store.Store) (store.Store, error) {
		return fault.New(under, fault.Plan{Kind: fault.Crash, Times: fault.Forever, Match: func(fault.Call) bool {
			mu.Lock()
			defer mu.Unlock()
			calls++
			hit = hit || calls == at+1
			return hit
		}}), nil
	}
	return func() bool { return hit }
}
