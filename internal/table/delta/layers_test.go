package delta

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/table"
)

// Layers are a map, and what is cloned stays as it was.
func TestLayers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type version struct {
			found layers[int]
			want  map[table.Key]int
		}
		versions := []version{{newLayers[int](), map[table.Key]int{}}}
		for range rapid.IntRange(0, 40).Draw(rt, "versions") {
			last := versions[len(versions)-1]
			next := version{last.found.clone(), maps.Clone(last.want)}
			for range rapid.IntRange(0, 6).Draw(rt, "changes") {
				k := table.Key{Path: string(rune('a' + rapid.IntRange(0, 20).Draw(rt, "key")))}
				if v := rapid.IntRange(-9, 9).Draw(rt, "value"); v < 0 {
					next.found.set(k, nil)
					delete(next.want, k)
				} else {
					next.found.set(k, &v)
					next.want[k] = v
				}
			}
			versions = append(versions, next)
		}
		for i, v := range versions {
			found := map[table.Key]int{}
			for k, n := range v.found.each() {
				if _, twice := found[k]; twice || v.found.get(k) != n {
					rt.Fatalf("version %d: %v is there twice, or as another", i, k)
				}
				found[k] = *n
			}
			if !maps.Equal(found, v.want) || v.found.size != len(v.want) {
				rt.Fatalf("version %d: found %v of size %d, want %v", i, found, v.found.size, v.want)
			}
		}
	})
}
