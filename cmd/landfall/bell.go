package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/alert"
	"landfall/internal/diag"
	"landfall/internal/event"
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
	// say prints what went wrong, show what went well.
	say, show func(format string, args ...any)
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
	return &bell{rules: rules, box: alert.New(box), folder: folder, now: a.now, say: a.remark, show: a.aside, down: map[string]bool{}}, nil
}

// bellAtHand returns the bell of the project at hand, nil without one.
func (a *app) bellAtHand() (*bell, error) {
	p, err := a.loadProject()
	if diag.CodeOf(err) == diag.NoProject && a.project == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.openBell(p)
}

// aside prints a line below what a command printed, for people who want to know.
func (a *app) aside(format string, args ...any) {
	if !a.json && !a.quiet {
		_, _ = fmt.Fprintf(a.stdout, format+"\n", args...) // the command's own output tells
	}
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
func (b *bell) ended(ctx context.Context, s land.Source, f feed, batches []event.Batch, failure error) {
	if b == nil || ctx.Err() != nil {
		return
	}
	table := shown(f.to)
	if s.State != nil {
		b.wrong(b.catchUp(ctx, s.State, f.name, table, batches))
	}
	all := failures(failure, f.name, table, "landfall land "+f.name)
	for i := range all {
		if s.Files != nil {
			all[i].File = strings.TrimPrefix(strings.TrimPrefix(all[i].File, s.Files.URL("")), "/")
		}
	}
	b.outcome(ctx, f.name, all...)
}

// catchUp queues the messages of the batches that landed since the cursor. Where that
// could not be written at the beginning, those of the run count.
func (b *bell) catchUp(ctx context.Context, st *state.State, name, table string, batches []event.Batch) error {
	c, known, err := b.box.Cursor(ctx, name)
	if err != nil {
		return err
	}
	if !known {
		if len(batches) == 0 {
			return nil
		}
		c.Batch = batches[0].Batch - 1
	}
	last, err := b.landed(ctx, st, name, table, c.Batch)
	if err != nil || last == c.Batch {
		return err
	}
	c.Batch = last
	return b.box.SetCursor(ctx, name, c)
}

// outcome queues what made a run fail, none if it went well, and delivers. While runs
// of a name fail alike, there is one message: the ids of its messages are completed
// by how often it began to.
func (b *bell) outcome(ctx context.Context, name string, failures ...alert.Message) {
	if b == nil || ctx.Err() != nil {
		return
	}
	b.wrong(b.failing(ctx, name, failures))
	b.deliver(ctx)
}

func (b *bell) failing(ctx context.Context, name string, failures []alert.Message) error {
	c, err := b.box.Streak(ctx, name)
	if err != nil {
		return err
	}
	next := c
	if next.Failing = len(failures) > 0; next.Failing && !c.Failing {
		next.Failures++
	}
	for i := range failures {
		failures[i].Time = b.now().UTC()
		failures[i].ID = alert.ID(failures[i].Kind, name, failures[i].ID, strconv.FormatInt(next.Failures, 10))
	}
	if err := b.queue(ctx, failures...); err != nil || next == c {
		return err
	}
	return b.box.SetStreak(ctx, name, next)
}

// queue makes messages wait whose ids are complete: of a batch, which is told once
// however often it is looked at.
func (b *bell) queue(ctx context.Context, messages ...alert.Message) error {
	return b.box.Queue(ctx, b.rules, messages, b.now())
}

// landed queues the messages of the batches after one, and returns the last of them.
func (b *bell) landed(ctx context.Context, st *state.State, name, table string, after int64) (int64, error) {
	last, ok, err := st.LastMark(ctx)
	if err != nil || !ok || last.Batch == after {
		return after, err
	}
	if last.Batch < after {
		after = 0 // the source began anew
	}
	for n := after + 1; n <= last.Batch; n++ {
		m, ok, err := st.Mark(ctx, n)
		if err != nil {
			return 0, err
		}
		if !ok || m.Kind == state.KindVoid {
			continue
		}
		batch, err := batchOf(ctx, st, m)
		if err != nil {
			return 0, err
		}
		batch.Source, batch.Table = name, table
		if err := b.queue(ctx, batch.Messages()...); err != nil {
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
	b := alert.Batch{Decidable: state.Decidable, Number: m.Batch, Time: m.At, Drift: attempt.Drift, First: m.Contract <= 1}
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

// failures are the messages of an error that ended a run: one, and of policies that
// stopped it one each. Their ids are those of their causes.
func failures(err error, name, table, again string) []alert.Message {
	const most = 20
	if err == nil {
		return nil
	}
	m := alert.Message{
		Kind: alert.RunFailed, Source: name, Table: table, Reason: firstLine(err.Error()),
		Decision: "what stood before stays", Command: again,
	}
	var several diag.List
	var d *diag.Diagnostic
	switch {
	case errors.As(err, &several) && several[0].Code == diag.PolicyFail:
		var all []alert.Message
		for _, d := range several[:min(len(several), most)] {
			all = append(all, diagnosed(m, d))
		}
		return all
	case errors.As(err, &several):
		m = diagnosed(m, several[0])
		m.Count = int64(len(several))
	case errors.As(err, &d):
		m = diagnosed(m, d)
	default:
		m.ID = alert.ID(m.Kind, name, strings.Map(noDigit, m.Reason))
	}
	return []alert.Message{m}
}

// diagnosed completes the message of a failure by its diagnostic.
func diagnosed(m alert.Message, d *diag.Diagnostic) alert.Message {
	m.What, m.Reason, m.Column = string(d.Code), d.Message, d.Path
	m.File, m.Record, m.Line = d.At.File, d.At.Record, d.At.Line
	if d.Code == diag.PolicyFail {
		m.Kind, m.Decision = alert.Held, "fail: nothing of the batch landed"
	}
	if d.Hint != "" {
		m.Command = d.Hint + "; then " + m.Command
	}
	m.ID = alert.ID(m.Kind, m.Source, m.What, m.Column, m.File, strings.Map(noDigit, m.Reason))
	return m
}

// noDigit drops digits: a count that grows is no other cause.
func noDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// deliver sends what waits, and says what could not be sent and what came late.
func (b *bell) deliver(ctx context.Context) {
	all, err := b.deliveries(ctx)
	if ctx.Err() != nil {
		return // what waits goes with the next run
	}
	b.wrong(err)
	for _, d := range all {
		if d.Err != nil {
			b.say("alerts: %s for target %s: %v", waits(d.Waiting), d.Target, d.Err)
		}
		if d.Sent > 0 {
			b.show("  told: %s, %s", d.Target, messagesOf(d.Sent))
		}
		if d.Late > 0 {
			b.say("alerts: %s delivered to target %s after %s", messagesOf(d.Late), d.Target, alert.Span(d.Delay))
		}
	}
}

// deliveries sends what waits, while no other process does. Targets that failed are
// passed over from then on.
func (b *bell) deliveries(ctx context.Context) (all []alert.Delivery, err error) {
	wait, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	err = alone(wait, b.folder, func() error {
		all = b.box.Deliver(ctx, b.up(), b.now())
		for _, d := range all {
			b.down[d.Target] = b.down[d.Target] || d.Err != nil
		}
		late := alert.Delays(all, b.now())
		if len(late) == 0 {
			return nil
		}
		if err := b.queue(ctx, late...); err != nil {
			return err
		}
		all = append(all, slices.DeleteFunc(b.box.Deliver(ctx, b.up(), b.now()), func(d alert.Delivery) bool { return d.Sent == 0 && d.Err == nil })...)
		return nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("another process delivers; what waits goes with the next run")
	}
	return all, err
}

// up are the rules with the targets that have not failed.
func (b *bell) up() []alert.Rule {
	rules := slices.Clone(b.rules)
	for i, r := range rules {
		rules[i].Targets = slices.DeleteFunc(slices.Clone(r.Targets), func(t alert.Target) bool { return b.down[t.Name] })
	}
	return rules
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
