package duckdb

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"landfall/internal/engine"
)

// glance is how often the progress of a statement is looked at.
const glance = 200 * time.Millisecond

// watch asks DuckDB to keep account of progress; it comes before lock.
func (s *session) watch(ctx context.Context, job engine.Job) error {
	if job.Progress == nil {
		return nil
	}
	return s.exec(ctx, "SET enable_progress_bar = true", "SET enable_progress_bar_print = false", "SET progress_bar_time = 0")
}

// watched runs a stage up to a step and tells the job meanwhile how far it has come.
func (s *session) watched(job engine.Job, step string, run func() error) error {
	if job.Progress == nil {
		return run()
	}
	connection, err := s.connection()
	if err != nil {
		return err
	}
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(glance)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				now := mapping.QueryProgress(connection)
				percent, rows, total := mapping.QueryProgressTypeMembers(&now)
				job.Progress(engine.Progress{Step: step, Percent: percent, Done: rows, Total: total})
			}
		}
	})
	err = run()
	close(done)
	group.Wait()
	return err
}

// connection is DuckDB's own handle of the session's connection. The driver
// keeps it in a field of its own, and has no other way to ask for progress.
func (s *session) connection() (mapping.Connection, error) {
	var c mapping.Connection
	err := s.raw(func(conn *duck.Conn) error {
		field := reflect.ValueOf(conn).Elem().FieldByName("conn")
		if !field.IsValid() || field.Type() != reflect.TypeFor[mapping.Connection]() {
			return fmt.Errorf("ask for progress: the driver has no connection where it is looked for")
		}
		c.Ptr = field.Field(0).UnsafePointer()
		return nil
	})
	return c, err
}
