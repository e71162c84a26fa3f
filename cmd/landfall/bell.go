package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"landfall/internal/alert"
	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/project"
	"landfall/internal/state"
)

// alertsFolder is where the outbox of a project is, in the folder of its file.
const alertsFolder = ".landfall/alerts"

// bell tells the people that a project's alerts name. A nil bell tells nobody.
// Nothing of it fails a run: what goes wrong is told beside.
type bell struct {
	rules  []alert.Rule
	box    *alert.Outbox
	folder string
	now    func() time.Time
	say    func(format string, args ...any)
	// down are targets that failed: they are not tried again by this process.
	down map[string]bool
}

// openBell returns the bell of a project, nil if it has no alerts. A variable that is
// not set stops the command: nobody would be told of anything.
func (a *app) openBell(p *project.Project) (*bell, error) {
	if !p.HasAlerts() {
		return nil, nil
	}
	rules, err := p.Alerts(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(filepath.Dir(p.File), filepath.FromSlash(alertsFolder))
	if err := os.MkdirAll(folder, 0o777); err != nil { //nolint:gosec // the umask decides, as for all that is kept
		return nil, diag.New(diag.NoPermission, "the folder of alerts cannot be made: %v", err).In(diag.Place{File: folder}).
			Hinted("give this user the right to write there").Because(err)
	}
	box, err := a.openTable(folder)
	if err != nil {
		return nil, err
	}
	return &bell{rules: rules, box: alert.New(box), folder: folder, now: a.now, say: a.remark, down: map[string]bool{}}, nil
}

// remark prints a line beside the output of a command.
func (a *app) remark(format string, args ...any) {
	if a.json {
		a.warn(fmt.Errorf(format, args...))
		return
	}
	a.tell(fmt.Sprintf(format, args...) + "\n")
}

// begin remembers where a source stands before its first run with alerts: what it
// met before that is not news.
func (b *bell) begin(ctx context.Context, name string, st *state.State) {
	if b == nil {
		return
	}
	_, known, err := b.box.Cursor(ctx, name)
	if known {
		return
	}
	var last state.Mark
	if err == nil {
		last, _, err = st.LastMark(ctx)
	}
	if err == nil {
		err = b.box.SetCursor(ctx, name, alert.Cursor{Batch: last.Batch})
	}
	b.wrong(err)
}

func (b *bell) wrong(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		b.say("alerts: %v", err)
	}
}

// ended queues what a run of a source met, and its failure, then delivers. s is empty
// where the source could not be opened.
func (b *bell) ended(ctx context.Context, s land.Source, f feed, failure error) {
	if b == nil || ctx.Err() != nil {
		return
	}
	b.wrong(b.queue(ctx, s, f.name, shown(f.to), failure))
	b.deliver(ctx)
}

func (b *bell) queue(ctx context.Context, s land.Source, name, table string, failure error) error {
	c, _, err := b.box.Cursor(ctx, name)
	if err != nil {
		return err
	}
	next := c
	if s.State != nil {
		if next.Batch, err = b.landed(ctx, s, name, table, c.Batch); err != nil {
			return err
		}
	}
	if failure != nil && !c.Failing {
		next.Failures++
	}
	if next.Failing = failure != nil; next.Failing {
		m := failed(failure, name, table, next.Failures, b.now())
		if err := b.box.Queue(ctx, b.rules, []alert.Message{m}, b.now()); err != nil {
			return err
		}
	}
	if next == c {
		return nil
	}
	return b.box.SetCursor(ctx, name, next)
}

// landed queues the messages of the batches after one, and returns the last of them.
func (b *bell) landed(ctx context.Context, s land.Source, name, table string, after int64) (int64, error) {
	last, ok, err := s.State.LastMark(ctx)
	if err != nil || !ok || last.Batch == after {
		return after, err
	}
	if last.Batch < after {
		after = 0 // the source began anew
	}
	for n := after + 1; n <= last.Batch; n++ {
		m, ok, err := s.State.Mark(ctx, n)
		if err != nil {
			return 0, err
		}
		if !ok || m.Kind == state.KindVoid {
			continue
		}
		batch, err := batchOf(ctx, s.State, m)
		if err != nil {
			return 0, err
		}
		batch.Source, batch.Table = name, table
		if err := b.box.Queue(ctx, b.rules, batch.Messages(), b.now()); err != nil {
			return 0, err
		}
	}
	return last.Batch, nil
}

// batchOf gathers what a batch met.
func batchOf(ctx context.Context, st *state.State, m state.Mark) (alert.Batch, error) {
	const most = 1000
	attempt, err := st.Attempt(ctx, m.Batch, m.Attempt)
	if err != nil {
		return alert.Batch{}, err
	}
	b := alert.Batch{Number: m.Batch, Time: m.At, Drift: attempt.Drift, First: m.Contract <= 1}
	for q, err := range st.KeptOut(ctx, m) {
		if err != nil {
			return b, err
		}
		if b.Aside = append(b.Aside, q); len(b.Aside) == most {
			break
		}
	}
	versions := make(map[string]string, len(m.Objects))
	for _, o := range m.Objects {
		versions[o.Path] = o.Version
	}
	b.Version = func(file string) string { return versions[file] }
	return b, nil
}

// failed is the message of an error that ended a run. Of an unbroken row of
// failures alike there is one.
func failed(err error, name, table string, failures int64, now time.Time) alert.Message {
	m := alert.Message{
		Kind: alert.RunFailed, Source: name, Table: table, Reason: firstLine(err.Error()), Time: now.UTC(),
		Decision: "nothing of this batch landed; what had landed stays", Command: "landfall land " + name,
	}
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		m.What, m.Reason, m.Column = string(d.Code), d.Message, d.Path
		m.File, m.Record, m.Line = d.At.File, d.At.Record, d.At.Line
		if d.Code == diag.PolicyFail {
			m.Kind, m.Decision = alert.Held, "fail"
		}
		if d.Hint != "" {
			m.Command = d.Hint
		}
	}
	m.ID = alert.ID(m.Kind, name, m.What, m.Column, m.File, fmt.Sprint(failures))
	return m
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// deliver sends what waits, one process at a time.
func (b *bell) deliver(ctx context.Context) {
	rules := make([]alert.Rule, len(b.rules))
	for i, r := range b.rules {
		rules[i] = r
		rules[i].Targets = slices.DeleteFunc(slices.Clone(r.Targets), func(t alert.Target) bool { return b.down[t.Name] })
	}
	wait, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	err := alone(wait, b.folder, func() error {
		for _, d := range b.box.Deliver(ctx, rules, b.now()) {
			if d.Err != nil {
				b.down[d.Target] = true
				b.say("alerts: %s for target %s: %v", waits(d.Waiting), d.Target, d.Err)
			}
			if d.Delay > 0 {
				b.say("alerts: %s delivered to target %s after %s", messagesOf(d.Sent), d.Target, alert.Span(d.Delay))
			}
		}
		return nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("another process delivers; what waits goes with the next run")
	}
	b.wrong(err)
}

// turn is how long a process waits until another has delivered.
const turn = 15 * time.Second

func waits(n int) string {
	if n == 1 {
		return "1 message waits"
	}
	return fmt.Sprintf("%d messages wait", n)
}

func messagesOf(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}
