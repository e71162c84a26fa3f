package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/report"
)

// fileLine is a line of `landfall files --json`.
type fileLine struct {
	Source  string `json:"source"`
	Path    string `json:"path"`
	Version string `json:"version"`
	Size    int64  `json:"size"`
	Batch   int64  `json:"batch"`
	Fate    string `json:"fate"`
	Code    string `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Rows    int64  `json:"rows"`
}

// heldLine is a line of `landfall files --quarantined --json`.
type heldLine struct {
	Source string `json:"source"`
	event.Quarantined
	// Text is the kept record as text, beside its bytes in base64.
	Text string `json:"text,omitempty"`
}

func (a *app) filesCommand() *cobra.Command {
	var s selector
	var held, withBytes bool
	c := &cobra.Command{
		Use:   "files [SOURCE…]",
		Short: "List the files that were landed, and what is in quarantine",
		Long: `List every file that a source has settled, with its fate and the batch that
settled it. With --quarantined: what is kept outside the table now, with its
place and the reason; an entry goes when a later version of its file lands.` + exitCodes,
		Example: `  landfall files
  landfall files --table lake/orders --quarantined --bytes`,
		RunE: func(c *cobra.Command, names []string) error {
			if withBytes && !held {
				return diag.New(diag.Usage, "--bytes goes with --quarantined").Hinted("bytes are kept of quarantined records only")
			}
			ts, err := a.targets(c.Context(), s, names)
			if err != nil {
				return err
			}
			if held {
				return a.printHeld(c.Context(), ts, withBytes)
			}
			return a.printFiles(c.Context(), ts)
		},
	}
	s.flags(c)
	c.Flags().BoolVar(&held, "quarantined", false, "only what is in quarantine, records included")
	c.Flags().BoolVar(&withBytes, "bytes", false, "with --quarantined: print the kept bytes too")
	return c
}

func (a *app) printFiles(ctx context.Context, ts []target) error {
	rows := [][]string{}
	for _, t := range ts {
		for e, err := range t.state.Known(ctx) {
			if err != nil {
				return err
			}
			if a.json {
				if err := a.print(fileLine{t.name, e.Path, e.Version, e.Size, e.Batch, string(e.Fate), e.Code, e.Reason, e.Rows}); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, []string{
				t.name, e.Path, report.Bytes(e.Size), strconv.FormatInt(e.Batch, 10), string(e.Fate),
				report.Count(e.Rows), report.Cut(e.Reason, longest),
			})
		}
	}
	if a.json {
		return nil
	}
	return a.table([]string{"source", "file", "size", "batch", "fate", "rows", "reason"}, rows, "no files were settled yet")
}

func (a *app) printHeld(ctx context.Context, ts []target, withBytes bool) error {
	rows := [][]string{}
	for _, t := range ts {
		for q, err := range t.state.Held(ctx) {
			if err != nil {
				return err
			}
			text := string(q.Bytes)
			if !withBytes {
				q.Bytes, text = nil, ""
			}
			if a.json {
				if err := a.print(heldLine{t.name, q, text}); err != nil {
					return err
				}
				continue
			}
			place := ""
			if q.Line > 0 {
				place = fmt.Sprintf("record %d, line %d", q.Record, q.Line)
			}
			row := []string{t.name, q.Path, place, q.Code, report.Cut(q.Reason, longest)}
			switch {
			case withBytes && len(q.Bytes) > 0:
				row = append(row, strconv.Quote(text))
			case withBytes:
				row = append(row, "(not copied: it stays in the source)")
			}
			rows = append(rows, row)
		}
	}
	if a.json {
		return nil
	}
	head := []string{"source", "file", "place", "code", "reason"}
	if withBytes {
		head = append(head, "bytes")
	}
	return a.table(head, rows, "nothing is in quarantine")
}

// table prints rows for people, or one line when there are none.
func (a *app) table(head []string, rows [][]string, none string) error {
	if len(rows) == 0 {
		if a.quiet {
			return nil
		}
		_, err := fmt.Fprintln(a.stdout, none)
		return err
	}
	_, err := fmt.Fprint(a.stdout, report.Table(head, rows, report.Layout{}))
	return err
}
