//go:build interop

package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// peer is a process of another reader or writer. It answers one command at a
// time; callers may come from several goroutines.
type peer struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	log    string // where its stderr goes

	mu sync.Mutex
}

// args are the named arguments of a command.
type args map[string]any

// cache is where scripts/peers installed the peers.
func cache() string {
	if dir := os.Getenv("LANDFALL_CACHE"); dir != "" {
		return dir
	}
	return filepath.Join("..", ".cache")
}

// start runs peers/<script> in the Python environment env.
func start(folder, env, script string, more ...string) (*peer, error) {
	python := filepath.Join(cache(), env, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return nil, fmt.Errorf("peer %s is not installed, run scripts/peers: %w", env, err)
	}
	log, err := os.Create(filepath.Join(folder, env+"-"+script+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // the peer writes to its own copy
	p := &peer{name: env, log: log.Name()}
	p.cmd = exec.Command(python, append([]string{"-B", filepath.Join("peers", script)}, more...)...)
	p.cmd.Stderr = log
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdout = bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := p.answer(); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// stop ends the peer: it leaves when its input ends.
func (p *peer) stop() error {
	return errors.Join(p.stdin.Close(), p.cmd.Wait())
}

// answer reads one line of the peer.
func (p *peer) answer() (json.RawMessage, error) {
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		log, _ := os.ReadFile(p.log) // the log only explains the error
		return nil, fmt.Errorf("peer %s died: %w\n%s", p.name, err, log)
	}
	var a struct {
		OK    json.RawMessage
		Error string
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, fmt.Errorf("peer %s: %w: %.200s", p.name, err, line)
	}
	if a.Error != "" {
		return nil, fmt.Errorf("peer %s: %s", p.name, a.Error)
	}
	return a.OK, nil
}

// try runs a command and decodes its result into out, if that is not nil.
func (p *peer) try(op string, a args, out any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	command := args{"op": op}
	for k, v := range a {
		command[k] = v
	}
	line, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if _, err := p.stdin.Write(append(line, '\n')); err != nil {
		return err
	}
	result, err := p.answer()
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(result, out)
}

// do is try for commands that must succeed.
func (p *peer) do(t *testing.T, op string, a args, out any) {
	t.Helper()
	if err := p.try(op, a, out); err != nil {
		t.Fatalf("%s %v: %v", op, a, err)
	}
}

// sql runs a statement of Spark; every % followed by t stands for the table.
func (p *peer) sql(t *testing.T, table, statement string) rows {
	t.Helper()
	var r rows
	p.do(t, "sql", args{"text": strings.ReplaceAll(statement, "%t", "delta.`"+table+"`")}, &r)
	return r
}

// rows is a table as a peer spells it (peers/canon.py).
type rows struct {
	Columns []string            `json:"columns"`
	Rows    [][]json.RawMessage `json:"rows"`
}

// lines returns the rows as sorted text, with the columns in the order of
// their names: two tables are equal if their lines are.
func (r rows) lines() []string {
	order := make([]int, len(r.Columns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(r.Columns[a], r.Columns[b]) })
	out := make([]string, 0, len(r.Rows))
	for _, row := range r.Rows {
		var b strings.Builder
		for _, i := range order {
			fmt.Fprintf(&b, "%s=%s ", r.Columns[i], compact(row[i]))
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

// compact spells a cell in one way whatever encoder wrote it, and sorts the
// entries of maps, which have no order.
func compact(cell json.RawMessage) string {
	var v any
	if err := json.Unmarshal(cell, &v); err != nil {
		return fmt.Sprintf("%s (%v)", cell, err)
	}
	return string(encode(sorted(v)))
}

func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return out
}

// sorted orders the entries of the maps inside a cell.
func sorted(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = sorted(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = sorted(v[key])
		}
		if entries, ok := v["map"].([]any); ok {
			for _, e := range entries {
				spellKey(e)
			}
			slices.SortFunc(entries, func(a, b any) int { return bytes.Compare(encode(a), encode(b)) })
		}
	}
	return v
}

// spellKey turns the key of a map's entry into text if it is an array: our
// engine hands over such keys as text only.
func spellKey(entry any) {
	pair, ok := entry.([]any)
	if !ok || len(pair) != 2 {
		return
	}
	if list, ok := pair[0].([]any); ok {
		pair[0] = strings.ReplaceAll(fmt.Sprint(list), " ", ", ")
	}
}

// same fails unless both hold the same columns and the same rows.
func same(t *testing.T, who string, found, wanted rows) {
	t.Helper()
	f, w := slices.Sorted(slices.Values(found.Columns)), slices.Sorted(slices.Values(wanted.Columns))
	if !slices.Equal(f, w) {
		t.Errorf("%s: found columns %q, wanted %q", who, f, w)
		return
	}
	fl, wl := found.lines(), wanted.lines()
	if slices.Equal(fl, wl) {
		return
	}
	t.Errorf("%s: found %d rows, wanted %d; found only:%s\nwanted only:%s", who, len(fl), len(wl),
		excerpt(without(fl, wl)), excerpt(without(wl, fl)))
}

// without returns the lines of a that b lacks, counted.
func without(a, b []string) []string {
	count := map[string]int{}
	for _, line := range b {
		count[line]++
	}
	var out []string
	for _, line := range a {
		if count[line]--; count[line] < 0 {
			out = append(out, line)
		}
	}
	return out
}

func excerpt(lines []string) string {
	if len(lines) > 5 {
		lines = append(slices.Clone(lines[:5]), fmt.Sprintf("… and %d more", len(lines)-5))
	}
	return "\n\t" + strings.Join(lines, "\n\t")
}
