package evolution_test

import (
	"fmt"
	"testing"

	"landfall/internal/contract"
)

func TestOnlyNamedFoldersAreColumns(t *testing.T) {
	for _, c := range []struct {
		folders []string
		want    string
	}{
		{nil, "x dt/ hour/"},
		{[]string{"HOUR"}, "x dt hour/"},
		{[]string{}, "x dt"},
	} {
		r := evolve(t, contract.Version{}, contract.Policy{Folders: c.folders}, "dt=1/hour=2/a.csv: x,dt")
		check(t, fmt.Sprint(c.folders), columns(r.Version), c.want)
	}
}

// The innermost of equal keys is the column and names it; a reserved one is none.
func TestKeysOfFolders(t *testing.T) {
	r := evolve(t, contract.Version{}, contract.Policy{}, "k=3/d=1/K=4/_Source_file=x/a.csv: x")
	check(t, "columns", columns(r.Version), "x d/ K/")
	check(t, "drift", drift(r), `column_added x k=3/d=1/K=4/_Source_file=x/a.csv >string 1 add evolve
column_added d k=3/d=1/K=4/_Source_file=x/a.csv >string 1 add evolve
column_added K k=3/d=1/K=4/_Source_file=x/a.csv >string 1 add evolve
column_added _Source_file k=3/d=1/K=4/_Source_file=x/a.csv reserved> 1 rescue evolve`)
	b := contract.Bind(r.Version, contract.Policy{Folders: []string{"k", "_source_file", "n"}}, nil,
		[]string{"k", "d", "K", "_Source_file", "n", "N"})
	check(t, "binding", fmt.Sprint(b.Folders),
		"[{k 2 partition true false} {d -1  false false} {K 2  false false} {_Source_file -1 unknown false true} {n -1 unknown true false} {N -1 unknown false false}]")
}
