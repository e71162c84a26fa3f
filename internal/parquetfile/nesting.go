package parquetfile

import (
	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
)

// nesting is what the levels of a leaf mean.
type nesting struct {
	// floors holds, for each repetition level from 1, the definition level
	// from which the array or map of that level has an element.
	floors []uint8
	// sharedDef and sharedRep are the levels of what surrounds this leaf and
	// the one before it, 0 if that is no part of the same column.
	sharedDef, sharedRep uint8
	// width is the length of values of fixed length.
	width int
}

// nestingsOf returns the nestings of all leaves.
func nestingsOf(sc *pq.Schema) []nesting {
	out := make([]nesting, sc.NumColumns())
	var before []pq.Node
	for i := range out {
		out[i].width = sc.Column(i).TypeLength()
		chain := chainOf(sc.Column(i).SchemaNode())
		var def, rep uint8
		shared := true
		for at, n := range chain {
			shared = shared && at < len(before) && before[at] == n
			switch n.RepetitionType() {
			case parquet.Repetitions.Optional:
				def++
			case parquet.Repetitions.Repeated:
				def++
				rep++
				out[i].floors = append(out[i].floors, def)
			}
			if shared {
				out[i].sharedDef, out[i].sharedRep = def, rep
			}
		}
		before = chain
	}
	return out
}

// chainOf returns the nodes from a top-level column to a leaf.
func chainOf(leaf pq.Node) []pq.Node {
	var out []pq.Node
	for n := leaf; n.Parent() != nil; n = n.Parent() {
		out = append([]pq.Node{n}, out...)
	}
	return out
}
