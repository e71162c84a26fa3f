package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"landfall/internal/drill"
	"landfall/internal/event"
)

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
