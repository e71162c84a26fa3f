package land_test

import (
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// The disk is full, or the store refuses, for one kind of write.
func TestWritesFail(t *testing.T) {
	places := map[string]string{
		"identity": "identities/", "intent": "batches/", "data file": "part-", "attempt": "attempt.json",
		"quarantine": "quarantine-1.ndjson", "commit": "_delta_log/", "mark": "marks/", "known": "known/",
	}
	for code, fail := range map[diag.Code]error{
		diag.StoreFull: store.ErrFull, diag.NoPermission: store.ErrPermission, diag.StoreUnreachable: store.ErrTransient,
	} {
		for name, part := range places {
			t.Run(fail.Error()+"/"+name, func(t *testing.T) {
				t.Parallel()
				l := afterDays(t, 0, scene{limits: land.Limits{Files: 1}})
				l.put("q.csv", "id,x\nq1,\"a\"b\nq2,ok\n", ids("id\nq2\n"))
				l.day(0)
				p := l.next()
				p.data = fault.New(l.data, fault.Plan{
					Kind: fault.Fail, Times: fault.Forever, Err: fail, Fine: true,
					Match: func(c fault.Call) bool {
						return strings.Contains(c.Key, part) && slices.Contains([]fault.Op{fault.Create, fault.Upload, fault.Write, fault.Commit}, c.Op)
					},
				})
				l.refused(p, code, "memory:")
				l.lands()
			})
		}
	}
}

// The source, or the table, does not let us in.
func TestReadsFail(t *testing.T) {
	for code, fail := range map[diag.Code]error{diag.NoPermission: store.ErrPermission, diag.StoreUnreachable: store.ErrTransient} {
		for name, match := range map[string]func(fault.Call) bool{
			"one file":  func(c fault.Call) bool { return c.Op == fault.Open && c.Key == "d.csv" },
			"its bytes": func(c fault.Call) bool { return c.Op == fault.Read && c.Key == "d.csv" },
			"listing":   func(c fault.Call) bool { return c.Op == fault.List || c.Op == fault.Next },
			"all":       func(fault.Call) bool { return true },
		} {
			plan := fault.Plan{Kind: fault.Fail, Times: fault.Forever, Err: fail, Fine: true, Match: match}
			t.Run(fail.Error()+"/source/"+name, func(t *testing.T) {
				l := afterDays(t, 2, scene{})
				l.day(2)
				p := l.next()
				p.files = fault.New(l.files, plan)
				place := "memory:"
				if strings.Contains(name, "file") || strings.Contains(name, "bytes") {
					place = "d.csv"
				}
				l.refused(p, code, place)
				l.lands()
			})
			if name != "listing" && name != "all" {
				continue
			}
			t.Run(fail.Error()+"/table/"+name, func(t *testing.T) {
				l := afterDays(t, 2, scene{})
				l.day(2)
				p := l.next()
				p.data = fault.New(l.data, plan)
				l.refused(p, code, "memory:")
				l.lands()
			})
		}
	}
}
