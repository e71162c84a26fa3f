package delta

import (
	"iter"
	"maps"
	"slices"

	"landfall/internal/table"
)

// layers maps keys to actions. A clone shares all with the one it was made from but
// its top, which alone is changed: a commit to a table of many files costs what it
// changes, and the logarithm of what there is.
type layers[V any] struct {
	// all are the layers, newest last. A nil value takes out what lower ones have.
	all []map[table.Key]*V
	// size is the number of keys.
	size int
}

func newLayers[V any]() layers[V] {
	return layers[V]{all: []map[table.Key]*V{{}}}
}

// clone returns a copy to be changed. The receiver must not change any more.
func (l layers[V]) clone() layers[V] {
	all := slices.Clone(l.all)
	// Each layer that stays is more than twice the one above it.
	for n := len(all); n > 1 && len(all[n-2]) <= 2*len(all[n-1]); n-- {
		merged := maps.Clone(all[n-2])
		maps.Copy(merged, all[n-1])
		if n == 2 {
			maps.DeleteFunc(merged, func(_ table.Key, v *V) bool { return v == nil })
		}
		all = append(all[:n-2], merged)
	}
	return layers[V]{all: append(all, map[table.Key]*V{}), size: l.size}
}

// get returns the value of a key, nil if it has none.
func (l layers[V]) get(k table.Key) *V {
	for _, layer := range slices.Backward(l.all) {
		if v, ok := layer[k]; ok {
			return v
		}
	}
	return nil
}

// set gives a key a value; nil takes it out.
func (l *layers[V]) set(k table.Key, v *V) {
	was := l.get(k) != nil
	switch {
	case was && v == nil:
		l.size--
	case !was && v != nil:
		l.size++
	case !was:
		return
	}
	top := l.all[len(l.all)-1]
	if v == nil && len(l.all) == 1 {
		delete(top, k)
		return
	}
	top[k] = v
}

// each yields all keys and values, in no order.
func (l layers[V]) each() iter.Seq2[table.Key, *V] {
	return func(yield func(table.Key, *V) bool) {
		for i, layer := range l.all {
			above := layers[V]{all: l.all[i+1:]}
			for k, v := range layer {
				if v != nil && !above.has(k) && !yield(k, v) {
					return
				}
			}
		}
	}
}

// has tells whether a layer says something of the key.
func (l layers[V]) has(k table.Key) bool {
	return slices.ContainsFunc(l.all, func(layer map[table.Key]*V) bool {
		_, ok := layer[k]
		return ok
	})
}

// values are the values in no order.
func (l layers[V]) values() iter.Seq[*V] {
	return func(yield func(*V) bool) {
		for _, v := range l.each() {
			if !yield(v) {
				return
			}
		}
	}
}
