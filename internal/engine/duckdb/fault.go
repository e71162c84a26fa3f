package duckdb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
)

// fault turns an error of DuckDB into one that a user can act on: the end of
// the context, a data file that cannot be read, or what DuckDB said.
func (s *session) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var d *duck.Error
	if !errors.As(err, &d) {
		return err
	}
	if strings.Contains(d.Msg, syscall.ENOSPC.Error()) || strings.Contains(d.Msg, "No space left on device") {
		return diag.New(diag.StoreFull, "%s", headline(d.Msg)).Because(told{d}).
			Hinted("make room where the output goes and where the engine spills (TMPDIR), and run again")
	}
	if path := s.named(headline(d.Msg)); path != "" {
		said := strings.ReplaceAll(headline(d.Msg), path, s.keys[path])
		return diag.New(diag.FileUnreadable, "%s", said).In(diag.Place{File: s.keys[path]}).Because(told{d})
	}
	if d.Type == duck.ErrorTypeOutOfMemory {
		return diag.New(diag.QueryFailed, "%s", headline(d.Msg)).Because(told{d}).
			Hinted("raise the memory limit, or let the query read fewer rows or columns")
	}
	return diag.New(diag.QueryFailed, "%s", headline(d.Msg)).Because(told{d})
}

// told is an error of DuckDB whose message the diagnostic holds already: its
// headline, its place and what it proposes. It says nothing a second time.
type told struct{ err *duck.Error }

func (told) Error() string { return "" }

func (e told) Unwrap() error { return e.err }

// As makes an engine.Reason of it.
func (e told) As(target any) bool {
	reason, ok := target.(*engine.Reason)
	if ok {
		_, reason.Text, _ = strings.Cut(e.err.Msg, " Error: ")
	}
	return ok
}

// named returns the longest path of a data file that a message names, "" if none.
func (s *session) named(msg string) string {
	var longest string
	for path := range s.keys {
		if len(path) > len(longest) && strings.Contains(msg, path) {
			longest = path
		}
	}
	return longest
}

// statementFault is fault for an error about the user's statement, which says
// where in it. So many lines of sql come before the user's.
func (s *session) statementFault(ctx context.Context, sql string, before int64, err error) error {
	err = s.fault(ctx, err)
	var d *diag.Diagnostic
	var from *duck.Error
	if errors.As(err, &d) && d.Code == diag.QueryFailed && errors.As(d.Cause, &from) {
		if d.At, d.Excerpt = position(sql, from.Msg); d.At.Line > before {
			d.At.Line -= before
		}
		if d.Hint == "" {
			d.Hint = suggestion(from.Msg)
		}
	}
	return err
}

// withNames adds to an error about an unknown table which tables there are;
// DuckDB knows only those that the statement seems to mention.
func withNames(err error, views []engine.View, listings []engine.Listing) error {
	var d *diag.Diagnostic
	var from *duck.Error
	if !errors.As(err, &d) || !errors.As(d.Cause, &from) || from.Type != duck.ErrorTypeCatalog ||
		!strings.HasPrefix(d.Message, "table") {
		return err
	}
	const most = 10
	var names []string
	for _, v := range views {
		names = append(names, v.Name)
	}
	for _, l := range listings {
		names = append(names, l.Name+"()")
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	if len(names) > 0 {
		d.Hint = "there is " + strings.Join(names, ", ")
	}
	return err
}

// headline is DuckDB's message without its class and without what follows the
// first line.
func headline(msg string) string {
	line, _, _ := strings.Cut(msg, "\n")
	class, rest, ok := strings.Cut(line, " Error: ")
	if !ok || len(class) > 30 {
		return line
	}
	if rest == "" {
		return class + " error"
	}
	return strings.ToLower(rest[:1]) + rest[1:]
}

// suggestion is what DuckDB proposes in a line of its message.
func suggestion(msg string) string {
	for line := range strings.Lines(msg) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Did you mean ") {
			return "did you mean" + strings.TrimPrefix(line, "Did you mean")
		}
		if rest, ok := strings.CutPrefix(line, "Candidate bindings: "); ok {
			return "there is " + rest
		}
	}
	if strings.Contains(msg, "No function matches") && strings.Contains(msg, "VARCHAR") {
		return "columns of landed text are strings: write CAST(x AS DOUBLE), or TRY_CAST for NULL where x is no number"
	}
	return ""
}

// position finds the place that DuckDB points at with a line number, a cut-out
// of the line and a caret under it.
func position(sql, msg string) (diag.Place, string) {
	found := regexp.MustCompile(`(?m)^(LINE (\d+): )(.*)\n( *)\^`).FindStringSubmatch(msg)
	if found == nil {
		return diag.Place{}, ""
	}
	n, err := strconv.ParseInt(found[2], 10, 64)
	lines := strings.Split(sql, "\n")
	if err != nil || n < 1 || int(n) > len(lines) {
		return diag.Place{}, ""
	}
	line := lines[n-1]
	place := diag.Place{File: "query", Line: n}
	cut, offset := found[3], len(found[4])-len(found[1])
	if rest, ok := strings.CutPrefix(cut, "..."); ok {
		cut, offset = rest, offset-len("...")
	}
	cut = strings.TrimSuffix(cut, "...")
	// The caret counts characters as a terminal shows them; up to here they are
	// taken for bytes, which only plain text allows.
	at := strings.Index(line, cut)
	if at >= 0 && offset >= 0 && offset <= len(cut) && isASCII(line) {
		place.Column = at + offset + 1
	}
	return place, line
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e })
}
