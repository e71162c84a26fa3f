package inspect

import (
	"bytes"
	"testing"

	"landfall/internal/parquetfile/footer"
)

// Whatever a footer claims, its schema has as many leaves as nodes say, or fewer.
func FuzzNodes(f *testing.F) {
	for _, ddl := range []string{"a: int", "l: array<struct<x: map<string, date>>>, d: decimal(18,2)"} {
		f.Add(made(f, ddl))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s footer.Scanner
		sum, err := s.Scan(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		leaves := 0
		for _, e := range sum.Schema.Elements {
			if e.Children == 0 {
				leaves++
			}
		}
		nodes := nodesOf(sum.Schema.Elements)
		for _, n := range nodes {
			if n.Stored != "" {
				leaves--
			}
		}
		if leaves < 0 || key(nodes) == "" && len(nodes) > 0 {
			t.Errorf("%d leaves too many in %v", -leaves, nodes)
		}
		_, _ = ancient(bytes.NewReader(data), int64(len(data)), nodes)
		_ = sum.Writer()
	})
}
