package storetest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/local"
	"landfall/internal/store/memory"
	"landfall/internal/store/storetest"
)

func openLocal(t *testing.T) store.Store {
	s, err := local.Open(t.TempDir() + "/made/by the first write")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) store.Store{
		"local":        openLocal,
		"memory":       func(*testing.T) store.Store { return memory.New(nil) },
		"fault":        func(*testing.T) store.Store { return fault.New(memory.New(nil)) },
		"below local":  func(t *testing.T) store.Store { return store.Below(openLocal(t), "a b/c") },
		"below memory": func(*testing.T) store.Store { return store.Below(memory.New(nil), "a b/c") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, open)
		})
	}
}

// hasty creates by looking first and writing then. All its writers look before
// the first one writes, as the processor may order it any day.
type hasty struct {
	store.Store
	looked *sync.WaitGroup
}

func (h hasty) Create(ctx context.Context, key string, data []byte) error {
	_, err := h.Stat(ctx, key)
	h.looked.Done()
	h.looked.Wait()
	if !errors.Is(err, store.ErrNotExist) {
		return store.ErrExist
	}
	return h.Replace(ctx, key, data)
}

// TestRaceFindsHastyStore plants a bug: the race must find it.
func TestRaceFindsHastyStore(t *testing.T) {
	for name, s := range map[string]store.Store{"memory": memory.New(nil), "local": openLocal(t)} {
		h := hasty{s, new(sync.WaitGroup)}
		h.looked.Add(20)
		err := storetest.RaceCreate(t.Context(), h, "k", 20)
		if err == nil || !strings.Contains(err.Error(), "found 20 winners") {
			t.Errorf("%s: found %v, wanted 20 winners", name, err)
		}
	}
}
