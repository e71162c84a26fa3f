package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"landfall/internal/store"
)

// RaceCreate lets several writers create one key at once. It returns an error
// unless exactly one of them wins, the others are told ErrExist, and the
// content is the winner's, whole. The key must be absent.
func RaceCreate(ctx context.Context, s store.Store, key string, writers int) error {
	return race(ctx, s, key, writers, s.Create)
}

// RaceUpload is RaceCreate for uploads.
func RaceUpload(ctx context.Context, s store.Store, key string, writers int) error {
	return race(ctx, s, key, writers, func(ctx context.Context, key string, data []byte) error {
		u, err := s.Upload(ctx, key)
		if err != nil {
			return err
		}
		if _, err := u.Write(data); err != nil {
			return errors.Join(err, u.Abort(ctx))
		}
		_, err = u.Commit(ctx)
		return err
	})
}

func race(ctx context.Context, s store.Store, key string, writers int, write func(ctx context.Context, key string, data []byte) error) error {
	start := make(chan struct{})
	answers := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			<-start
			answers[i] = write(ctx, key, Content(i))
		})
	}
	close(start)
	wg.Wait()
	return Judge(ctx, s, key, answers)
}

// Content returns what writer i of a race writes.
func Content(i int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "writer %02d\n", i), 1000)
}

// Judge decides a race: answers[i] is what writer i, who wrote Content(i), was
// told.
func Judge(ctx context.Context, s store.Store, key string, answers []error) error {
	winner, winners := -1, 0
	for i, err := range answers {
		switch {
		case err == nil:
			winner, winners = i, winners+1
		case !errors.Is(err, store.ErrExist):
			return fmt.Errorf("writer %d: found error %w, wanted %w", i, err, store.ErrExist)
		}
	}
	if winners != 1 {
		return fmt.Errorf("%s: found %d winners, wanted 1", key, winners)
	}
	found, err := store.Read(ctx, s, key)
	if err != nil {
		return fmt.Errorf("read what writer %d created: %w", winner, err)
	}
	if !bytes.Equal(found, Content(winner)) {
		return fmt.Errorf("%s: found %.20q, %d bytes; wanted the content of writer %d", key, found, len(found), winner)
	}
	return nil
}

// testReplaceWhole: a reader sees one content or the other, never a mixture.
func testReplaceWhole(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.Replace(ctx, "k", Content(0)))
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 50 {
			if err := s.Replace(ctx, "k", Content(i%2)); err != nil {
				t.Error(err)
			}
		}
	})
	for range 50 {
		found, err := store.Read(ctx, s, "k")
		if err != nil || !bytes.Equal(found, Content(0)) && !bytes.Equal(found, Content(1)) {
			t.Errorf("found %.20q, %d bytes, %v", found, len(found), err)
		}
	}
	wg.Wait()
}
