package land_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/land"
	"landfall/internal/parquetfile/parquetfiletest"
)

// groupsOf is a Parquet file with a row group for each of some texts of rows.
func groupsOf(t *testing.T, all []form, groups ...string) string {
	t.Helper()
	s := arrow.NewSchema(arrowFields(all), nil)
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(s, &b, nil, pqarrow.DefaultWriterProps())
	ok(t, err)
	for _, rows := range groups {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(rows))
		ok(t, err)
		ok(t, w.Write(rec))
		rec.Release()
	}
	ok(t, w.Close())
	return b.String()
}

// The row groups of a file whose columns are moved come to lie in several data files,
// each of which states its own nulls and bounds.
func TestMovedGroupsApart(t *testing.T) {
	l := afterDays(t, 0, scene{parquet: true, moving: true})
	l.put("a.parquet", groupsOf(t, []form{{name: "id", typ: arrow.BinaryTypes.String}, {name: "n", typ: arrow.PrimitiveTypes.Int64}},
		`[{"id":"a1","n":1},{"id":"a2","n":2}]`, `[{"id":"a3","n":null},{"id":"a4","n":100}]`, `[{"id":"a5","n":null}]`))
	p := l.next()
	src := p.source()
	src.Target = 1
	_, err := land.Run(t.Context(), src, p.env())
	ok(t, err)
	ok(t, l.check(t.Context()))
	want := map[string]bool{"a1 a2 0 1 2": true, "a3 a4 1 100 100": true, "a5 a5 1 <nil> <nil>": true}
	for _, f := range l.snapshot().Files() {
		var stats struct {
			MinValues, MaxValues struct {
				ID string
				N  any
			}
			NullCount struct{ N int }
		}
		ok(t, json.Unmarshal([]byte(f.Stats), &stats))
		low, high := stats.MinValues, stats.MaxValues
		found := fmt.Sprint(low.ID, " ", high.ID, " ", stats.NullCount.N, " ", low.N, " ", high.N)
		if !want[found] {
			t.Errorf("found %s: %s", found, f.Stats)
		}
		delete(want, found)
	}
	if len(want) > 0 {
		t.Errorf("no file has %v", want)
	}
}

// Text that is not UTF-8 is rescued, also where columns are moved, unless the files are
// trusted.
func TestEveryValueRead(t *testing.T) {
	for mode, want := range map[string]struct {
		decodes, trusts bool
		rescued         int64
	}{"decoded": {decodes: true, rescued: 1}, "moved": {rescued: 1}, "trusted": {trusts: true}} {
		l := afterDays(t, 0, scene{parquet: true, moving: true})
		nodes := []pq.Node{textNode(t, "id"), textNode(t, "v")}
		data, err := parquetfiletest.File(nodes, []parquetfiletest.Raw{{Values: parquetfiletest.Texts("a1", "a2")}, {Values: parquetfiletest.Texts("fine", "caf\xe9")}})
		ok(t, err)
		ok(t, l.files.Replace(t.Context(), "a.parquet", data))
		p := l.next()
		src := p.source()
		src.Decodes, src.Trusts = want.decodes, want.trusts
		r, err := land.Run(t.Context(), src, p.env())
		ok(t, err)
		if rescued := r.Batches[0].ValuesRescued; rescued != want.rescued {
			t.Errorf("%s: found %d values rescued, want %d", mode, rescued, want.rescued)
		}
	}
}

// textNode is a column of strings that are all there.
func textNode(t *testing.T, name string) pq.Node {
	n, err := pq.NewPrimitiveNodeLogical(name, parquet.Repetitions.Required, pq.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	ok(t, err)
	return n
}

// Where there is no map, a file whose columns are moved does not make a column hold maps
// and numbers at once: a replay of all ends where landing at once does.
func TestMovedShapes(t *testing.T) {
	key := form{name: "id", typ: arrow.BinaryTypes.String}
	maps := func(of form) form { return form{name: "m", shape: "map", parts: []form{of}} }
	tiny := form{name: "v", typ: arrow.PrimitiveTypes.Int8}
	l := afterDays(t, 0, scene{parquet: true, moving: true})
	l.put("a.parquet", parquetOf(t, []form{key, maps(form{name: "v", shape: "map", parts: []form{tiny}})}, []string{`{"id":"a1","m":[]}`}))
	l.lands()
	l.put("b.parquet", parquetOf(t, []form{key, maps(tiny)}, []string{`{"id":"b1","m":[{"key":"k","value":1}]}`}))
	l.lands()
	p := l.next()
	_, err := land.Replay(t.Context(), p.source(), p.env(), land.Choice{All: true})
	ok(t, err)
	ok(t, l.check(t.Context()))
	if found := l.current().Columns[1].Type; found != "map<string,tinyint>" {
		t.Errorf("found %s, want map<string,tinyint>", found)
	}
}

// Whichever byte of a file is another than its writer wrote: what lands of it is the
// same whether columns are moved or decoded.
func TestDamagedMoves(t *testing.T) {
	all := []form{
		{name: "id", typ: arrow.BinaryTypes.String},
		{name: "n", typ: arrow.PrimitiveTypes.Int64},
		{name: "tags", shape: "list", parts: []form{{name: "element", typ: arrow.BinaryTypes.String}}},
	}
	whole := parquetOf(t, all, []string{
		`{"id":"a1","n":1,"tags":["x","y"]}`, `{"id":"a2","n":null,"tags":[]}`, `{"id":"a3","n":3,"tags":null}`, `{"id":"a4","n":4,"tags":["æ"]}`,
	})
	lands := func(data []byte, decodes bool) string {
		l := afterDays(t, 0, scene{parquet: true, moving: true})
		ok(t, l.files.Replace(t.Context(), "a.parquet", data))
		p := l.next()
		src := p.source()
		src.Decodes = decodes
		r, err := land.Run(t.Context(), src, p.env())
		if err != nil || len(r.Batches) != 1 {
			return fmt.Sprint(err, r.Batches)
		}
		b := r.Batches[0]
		rows := l.rows()
		slices.Sort(rows)
		return fmt.Sprintln(b.RowsLanded, b.RowsQuarantined, b.ValuesRescued, rows)
	}
	footer := int(binary.LittleEndian.Uint32([]byte(whole[len(whole)-8:])))
	differ := map[string]bool{}
	for at := 4; at < len(whole)-8-footer; at += 3 {
		data := []byte(whole)
		data[at] ^= byte(1 + at*37%255)
		moved := lands(data, false)
		if decoded := lands(data, true); moved != decoded {
			t.Errorf("byte %d: moved %swant as decoded %s", at, moved, decoded)
		}
		differ[moved] = true
	}
	if len(differ) < 3 {
		t.Errorf("the damage made only %d outcomes", len(differ))
	}
}
