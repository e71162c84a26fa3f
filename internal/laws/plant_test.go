package laws_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
)

// Laws that hold prove little unless bugs break them: each of these must, and
// without the bug the same case must obey.
func TestPlantedBugs(t *testing.T) {
	for name, plant := range map[string]struct {
		law string
		put func(*parts)
	}{
		"first seen by the order of the work": {
			"law 1", func(p *parts) { p.sorts = func([]*object) {} },
		},
		"agreement over a sample": {
			"law 1", func(p *parts) { p.observes = func(i int) bool { return i == 0 } },
		},
		"rows of a wrong guess kept": {
			"law 1", func(p *parts) {
				p.stale = func(contract.Version, contract.Version, contract.ObjectEvidence, contract.Policy) bool { return false }
			},
		},
		"a duplicate key dropped": {
			"law 2 and 3", func(p *parts) { p.text = rewritten(withoutTwins) },
		},
		"numbers by way of a double": {
			"law 2 and 3", func(p *parts) { p.text = rewritten(roundNumbers) },
		},
		"null-likes taken for null": {
			"law 2 and 3", func(p *parts) { p.options.NullValue = "N/A" },
		},
		"space around text cut": {
			"law 2 and 3", func(p *parts) { p.options.TrimLeft = true },
		},
		"rescued values lost": {
			"law 2 and 3", func(p *parts) { p.row = func(r *row) { r.rescued = "" } },
		},
		"one value of a row lost": {
			"law 2 and 3", func(p *parts) {
				p.row = func(r *row) {
					if len(r.cells) > 2 {
						r.cells[2].v = nil
					}
				}
			},
		},
		"clocks read in the zone of the machine": {
			"law 2 and 3", func(p *parts) {
				p.row = func(r *row) {
					for i, c := range r.cells {
						if v, ok := c.v.(int64); ok && c.typ.String() == "timestamp" {
							r.cells[i].v = v - time.Hour.Microseconds()
						}
					}
				}
			},
		},
		"types found anew with each batch": {
			"law 2, what has landed stands", func(p *parts) {
				p.before = func(v contract.Version) contract.Version { return contract.Version{Number: v.Number} }
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, without := sound(), sound()
			without.text = rewritten(func(*node) {})
			plant.put(&p)
			found := 0
			for i := 0; i < 1000 && found == 0; i++ {
				c := trials().Example(i)
				if err := c.obeys(p); err != nil && strings.HasPrefix(err.Error(), plant.law) && c.obeys(without) == nil {
					found = i + 1
				}
			}
			if found == 0 {
				t.Fatal("the laws hold all the same")
			}
			t.Logf("case %d breaks %s", found, plant.law)
		})
	}
}

// rewritten decodes JSON and writes it again, as a reader does that keeps less
// than was there; text that is no JSON stays.
func rewritten(change func(*node)) func(string) string {
	return func(text string) string {
		all, err := parse(text)
		if err != nil || len(all) == 0 || strings.IndexByte("[{", all[0].kind) < 0 {
			return text
		}
		var b bytes.Buffer
		for _, n := range all {
			change(n)
			n.write(&b)
			b.WriteByte('\n')
		}
		return b.String()
	}
}

// write writes a value as JSON.
func (n *node) write(w *bytes.Buffer) {
	if n.kind != '[' && n.kind != '{' {
		w.WriteString(n.raw)
		return
	}
	w.WriteByte(n.kind)
	for i, x := range n.items {
		if i > 0 {
			w.WriteByte(',')
		}
		if n.kind == '{' {
			w.WriteString(text(n.names[i]) + ":")
		}
		x.write(w)
	}
	w.WriteByte(n.kind + 2) // ] and } are two behind
}

// withoutTwins keeps the last of equal names, as a map does.
func withoutTwins(n *node) {
	for i := len(n.names) - 1; i >= 0; i-- {
		if slices.Contains(n.names[i+1:], n.names[i]) {
			n.names, n.items = slices.Delete(n.names, i, i+1), slices.Delete(n.items, i, i+1)
		}
	}
	for _, x := range n.items {
		withoutTwins(x)
	}
}

// roundNumbers writes numbers as a decoder into float64 has them.
func roundNumbers(n *node) {
	var v float64
	if n.kind == '0' && json.Unmarshal([]byte(n.raw), &v) == nil {
		raw, err := json.Marshal(v)
		if err == nil {
			n.raw = string(raw)
		}
	}
	for _, x := range n.items {
		roundNumbers(x)
	}
}
