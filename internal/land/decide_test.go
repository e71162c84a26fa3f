package land_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// decides carries a decision out, which must succeed.
func (l *landed) decides(d contract.Decision) land.Report {
	l.t.Helper()
	d.Why, d.Who, d.At = "told by the vendor", "ann", noon()
	p := l.next()
	r, err := land.Decide(l.t.Context(), p.source(), p.env(), d)
	if err == nil {
		err = l.check(l.t.Context())
	}
	if err != nil {
		l.t.Fatalf("decide: %v", err)
	}
	return r
}

// A renamed column that landed as two becomes one, in one commit; files under
// either name land in it from then on.
func TestDecideMap(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,order_total,x\na1,1.5,p\n")
	l.lands()
	l.put("b.csv", "id,total_amount,x\nb1,2,q\n")
	l.lands()
	d := contract.Decision{Column: "order_total", Action: contract.Map, To: "total_amount"}
	if r := l.decides(d); len(r.Batches) != 1 || r.Batches[0].RowsRemoved != 0 {
		t.Errorf("found %+v, want one batch that takes no row out", r.Batches)
	}
	l.wants("struct<id:string,x:string,total_amount:double>")
	l.put("c.csv", "order_total,id\n3.5,c1\n")
	l.put("d.csv", "id,total_amount,order_total\nd1,4.5,9\n")
	if r := l.lands(); r.Batches[0].ValuesRescued != 1 {
		t.Errorf("found %+v, want the second value of d1 rescued", r.Batches)
	}
	if got := strings.Join(slices.Sorted(slices.Values(l.values(t, "total_amount"))), " "); got != "1.5 2 3.5 4.5" {
		t.Errorf("found %s", got)
	}
	if r := l.decides(d); len(r.Batches) != 0 || len(r.Notes) == 0 {
		t.Errorf("found %+v, want nothing but a note", r.Batches)
	}
}

// A column takes a new name, where it stands.
func TestDecideRename(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,amt,x\na1,1.5,p\n")
	l.lands()
	l.decides(contract.Decision{Column: "amt", Action: contract.Map, To: "amount"})
	l.wants("struct<id:string,amount:double,x:string>")
	l.put("b.csv", "id,amt\nb1,2.5\n")
	l.put("c.csv", "id,Amount\nc1,3.5\n")
	l.lands()
	if got := strings.Join(slices.Sorted(slices.Values(l.values(t, "amount"))), " "); got != "1.5 2.5 3.5" {
		t.Errorf("found %s", got)
	}
	l.wants("struct<id:string,amount:double,x:string>")
}

// Two columns with other values in one row are none: nothing changes.
func TestDecideOverlap(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,m,n\na1,1,2\n")
	l.lands()
	p := l.next()
	_, err := land.Decide(t.Context(), p.source(), p.env(), contract.Decision{Column: "m", Action: contract.Map, To: "n", Why: "-"})
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != diag.BadDecision || d.At.Record != 1 || d.Path != "n" || d.Hint == "" {
		t.Errorf("found %v", err)
	}
	l.wants("struct<id:string,m:bigint,n:bigint>")
	l.put("b.csv", "id,m,n\nb1,1,1\n")
	l.lands()
}

// What a person drops is counted, and nothing else.
func TestDecideIgnore(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,m\na1,1\n")
	l.lands()
	l.decides(contract.Decision{Column: "junk", Action: contract.Ignore})
	l.put("b.csv", "id,m,junk\nb1,2,zzz\n")
	if r := l.lands(); r.Batches[0].ValuesIgnored != 1 || r.Batches[0].ValuesRescued != 0 {
		t.Errorf("found %+v, want one value ignored", r.Batches)
	}
	l.wants("struct<id:string,m:bigint>")
}

// Rows of another source are none of a decision's business.
func TestDecideBesideOthers(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,b\na1,1\n")
	l.lands()
	l.put("c.csv", "id,c\nc1,2\n")
	l.lands()
	other := l.process("other-")
	src := other.source()
	files := memory.New(nil)
	ok(t, files.Replace(t.Context(), "y.csv", []byte("id,c\ny1,7\n")))
	src.Name, src.Files, src.StateKey = "other", files, "_landfall/other/"
	src.State = state.New(store.Below(l.data, "_landfall/other"))
	_, err := land.Run(t.Context(), src, other.env())
	ok(t, err)
	p := l.next()
	_, err = land.Decide(t.Context(), p.source(), p.env(), contract.Decision{Column: "c", Action: contract.Map, To: "b", Why: "-"})
	if diag.CodeOf(err) != diag.BadDecision {
		t.Errorf("found %v, want %s", err, diag.BadDecision)
	}
	l.wants("struct<id:string,b:bigint,c:bigint>")
}
