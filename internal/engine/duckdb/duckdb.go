// Package duckdb answers queries with an embedded DuckDB.
//
// Every query runs in an instance of its own, in memory, with a temporary
// folder that goes when it ends: an internal error of the engine cannot poison
// the next query, and nothing that was cached about a file outlives it. DuckDB's
// extensions are neither needed nor loaded; the list of files, deleted rows and
// column names come from the caller.
//
// A query may only read. Three locks keep it so: one statement, of a kind that
// reads; file access limited to the files of the views; the settings frozen.
// A session of several statements has an instance to itself in the same way, and may
// write to the folders that it was opened with.
package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"landfall/internal/diag"
	"landfall/internal/engine"
)

// Options sets the limits of each query. The zero value is ready.
type Options struct {
	// MemoryLimit as DuckDB writes it ("4GB"); "" is 80 % of the machine's.
	MemoryLimit string
	// TempDir is where queries spill and where files of remote stores are
	// staged; "" is the system's.
	TempDir string
	// Threads limits the workers; 0 is one a core.
	Threads int
}

// Engine runs queries. It is safe for concurrent use.
type Engine struct {
	opts Options
}

var _ engine.Querier = (*Engine)(nil)

// Open checks the options by starting DuckDB once.
func Open(ctx context.Context, opts Options) (*Engine, error) {
	e := &Engine{opts: opts}
	err := e.lend(ctx, func(*session) error { return nil })
	if err != nil {
		return nil, fmt.Errorf("open DuckDB: %w", err)
	}
	return e, nil
}

// Version is that of the embedded DuckDB.
func Version() string { return mapping.LibraryVersion() }

// Query implements engine.Querier.
func (e *Engine) Query(
	ctx context.Context, sql string, views []engine.View, listings []engine.Listing,
	use func(engine.Result) error,
) error {
	return e.lend(ctx, func(s *session) error {
		mentioned := func(name string) bool { return engine.Mentions(sql, name) }
		if err := s.addRelations(ctx, mentioned, views, listings); err != nil {
			return err
		}
		if err := s.lock(ctx); err != nil {
			return err
		}
		return withNames(s.query(ctx, sql, use), views, listings)
	})
}

// addRelations makes the views and listings that are wanted.
func (s *session) addRelations(ctx context.Context, wanted func(string) bool, views []engine.View, listings []engine.Listing) error {
	if err := s.addViews(ctx, wanted, views); err != nil {
		return err
	}
	for i, l := range listings {
		if !wanted(l.Name) {
			continue
		}
		if err := s.addListing(ctx, i, l); err != nil {
			return err
		}
	}
	return nil
}

// lend opens a session for the time that use takes.
func (e *Engine) lend(ctx context.Context, use func(*session) error) (err error) {
	dir, err := tempFolder(e.opts.TempDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := openSession(ctx, e.opts, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return use(s)
}

// tempFolder makes a folder whose path DuckDB does not take for a pattern.
func tempFolder(parent string) (string, error) {
	if parent == "" || isPattern(parent) {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return "", fmt.Errorf("find the temporary folder: %w", err)
	}
	if isPattern(parent) {
		return "", diag.New(diag.Usage, "temporary folder %s: has one of %s in its name", diag.Quote(parent), patternChars).
			Hinted("set TMPDIR to another folder")
	}
	dir, err := os.MkdirTemp(parent, "landfall-query-")
	if err != nil {
		return "", fmt.Errorf("make a temporary folder: %w", err)
	}
	return dir, nil
}

// patternChars are the characters that make a path a pattern to DuckDB.
const patternChars = `*?[\`

func isPattern(path string) bool {
	if filepath.Separator == '\\' {
		return strings.ContainsAny(path, strings.TrimSuffix(patternChars, `\`))
	}
	return strings.ContainsAny(path, patternChars)
}
