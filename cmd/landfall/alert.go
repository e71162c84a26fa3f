package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/alert"
	"landfall/internal/diag"
	"landfall/internal/report"
)

func (a *app) alertCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "alert",
		Short: "Try, list and send the alerts of a project",
		Long: `Rules under alerts: in landfall.yaml say who is told what runs met: docs/alerts.md.
Runs send by themselves; a message that its target did not take waits for the next run.` + exitCodes,
		Example: `  landfall alert test
  landfall alert list
  landfall alert send`,
		Args: unknown,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.alertTestCommand(), a.alertListCommand(), a.alertSendCommand())
	return c
}

func (a *app) alertTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test",
		Short: "Send a sample message to each target, and say whether it arrived",
		Long: `Send a sample message to each target of the project's alerts now, also of those
whose messages wait for a time of day. One that does not arrive is an error.` + exitCodes,
		Example: "  landfall alert test\n  landfall alert test --json",
		Args:    args(0, 0, "none"),
		RunE:    func(c *cobra.Command, _ []string) error { return a.alertTest(c.Context()) },
	}
}

func (a *app) alertListCommand() *cobra.Command {
	var waiting bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the messages that wait for their targets, and those that were sent",
		Long: `List each message for each target, oldest first, with the time at which the target
got it and how late that was.` + exitCodes,
		Example: "  landfall alert list\n  landfall alert list --waiting --json",
		Args:    args(0, 0, "none"),
		RunE:    func(c *cobra.Command, _ []string) error { return a.alertList(c.Context(), waiting) },
	}
	c.Flags().BoolVar(&waiting, "waiting", false, "only those that wait")
	return c
}

func (a *app) alertSendCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "send",
		Short: "Send the messages that wait and are due, without a run",
		Long: `Send what waits: messages that a target did not take, and digests whose time has
come. Every run in the project does this too. What does not arrive is an error.` + exitCodes,
		Example: "  landfall alert send",
		Args:    args(0, 0, "none"),
		RunE:    func(c *cobra.Command, _ []string) error { return a.alertSend(c.Context()) },
	}
}

// alerting returns the bell of the project at hand, which needs to have one.
func (a *app) alerting() (*bell, error) {
	p, err := a.loadProject()
	if err != nil {
		return nil, err
	}
	b, err := a.openBell(p)
	if err == nil && b == nil {
		err = diag.New(diag.ProjectKey, "the project has no alerts").In(diag.Place{File: p.File}).
			Hinted(`add a rule: alerts: [{on: [rescued, run_failed], to: {webhook: "${ALERT_URL}"}}]`)
	}
	return b, err
}

// tried is what became of a sample message.
type tried struct {
	Target  string  `json:"target"`
	Arrived bool    `json:"arrived"`
	Error   string  `json:"error,omitempty"`
	Seconds float64 `json:"seconds"`
}

func (a *app) alertTest(ctx context.Context) error {
	b, err := a.alerting()
	if err != nil {
		return err
	}
	failed, all := 0, 0
	for _, r := range b.rules {
		for _, t := range r.Targets {
			start := a.now()
			err := t.Sender.Send(ctx, r.Try(a.newID(), start))
			if ctx.Err() != nil {
				return ctx.Err()
			}
			one := tried{Target: t.Name, Arrived: err == nil, Seconds: a.now().Sub(start).Seconds()}
			all++
			if err != nil {
				failed++
				one.Error = err.Error()
			}
			if err := a.printTried(one); err != nil {
				return err
			}
		}
	}
	return undelivered(failed, all)
}

func (a *app) printTried(t tried) error {
	if a.json {
		return a.print(t)
	}
	if a.quiet && t.Arrived {
		return nil
	}
	text := fmt.Sprintf("%s: arrived   %s\n", t.Target, report.Duration(time.Duration(t.Seconds*float64(time.Second))))
	if !t.Arrived {
		text = fmt.Sprintf("%s: did not arrive: %s\n", t.Target, t.Error)
	}
	_, err := fmt.Fprint(a.stdout, text)
	return err
}

// undelivered is the error of targets that did not take what they were sent.
func undelivered(failed, all int) error {
	if failed == 0 {
		return nil
	}
	return diag.New(diag.AlertTarget, "%d of %s did not take a message", failed, report.Plural(int64(all), "target")).
		Hinted("mend its address in landfall.yaml or the environment, then try it: landfall alert test")
}

func (a *app) alertSend(ctx context.Context) error {
	b, err := a.alerting()
	if err != nil {
		return err
	}
	all, err := b.deliveries(ctx)
	if err != nil {
		return err
	}
	failed := 0
	for _, d := range all {
		if d.Err != nil {
			failed++
		}
		if err := a.printDelivery(d); err != nil {
			return err
		}
	}
	return undelivered(failed, len(all))
}

// sending is a delivery as JSON.
type sending struct {
	Target  string `json:"target"`
	Sent    int    `json:"sent"`
	Waiting int    `json:"waiting"`
	Delay   int64  `json:"delay_seconds,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (a *app) printDelivery(d alert.Delivery) error {
	s := sending{Target: d.Target, Sent: d.Sent, Waiting: d.Waiting, Delay: int64(d.Delay / time.Second)}
	if d.Err != nil {
		s.Error = d.Err.Error()
	}
	if a.json {
		return a.print(s)
	}
	if a.quiet && d.Err == nil {
		return nil
	}
	text := fmt.Sprintf("%s: sent %s", s.Target, messagesOf(s.Sent))
	if d.Delay > 0 {
		text += ", delivered after " + alert.Span(d.Delay)
	}
	if s.Waiting > 0 {
		text += ", " + waits(s.Waiting)
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	_, err := fmt.Fprintln(a.stdout, text)
	return err
}

func (a *app) alertList(ctx context.Context, waiting bool) error {
	file, err := a.findProject()
	if err != nil {
		return err
	}
	all := []alert.Entry{}
	folder := filepath.Join(filepath.Dir(file), filepath.FromSlash(alertsFolder))
	if _, err := os.Stat(folder); err == nil {
		s, err := a.openTable(folder)
		if err != nil {
			return err
		}
		if all, err = alert.New(s).Entries(ctx); err != nil {
			return err
		}
	}
	if waiting {
		all = slices.DeleteFunc(all, func(e alert.Entry) bool { return !e.Sent.IsZero() })
	}
	rows := [][]string{}
	for _, e := range all {
		if a.json {
			if err := a.print(e); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, entryRow(e))
	}
	if a.json {
		return nil
	}
	return a.table([]string{"queued", "target", "kind", "source", "where", "state"}, rows, "no messages")
}

// entryRow is a message as a row of text.
func entryRow(e alert.Entry) []string {
	const minute = "2006-01-02 15:04:05Z"
	state := "waits"
	if !e.Sent.IsZero() {
		state = "sent " + e.Sent.UTC().Format(minute)
	}
	if e.Digest != "" {
		state += " in a digest"
	}
	if e.Delay > 0 {
		state += ", delivered after " + alert.Span(time.Duration(e.Delay)*time.Second)
	}
	m := e.Message
	where := place(m.File, m.Line, m.Record)
	if m.Column != "" {
		where = brief(m.Column) + ", " + where
	}
	return []string{e.Queued.UTC().Format(minute), e.Target, string(m.Kind), m.Source, where, state}
}
