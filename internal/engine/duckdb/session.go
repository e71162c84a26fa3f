package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/engine/duckdb/dialect"
)

// session is one DuckDB instance with one connection.
type session struct {
	db   *sql.DB
	conn *sql.Conn
	// files is the folder of staged files; queries may read it.
	files string
	// staged counts the names given out in files.
	staged int
	// allowed lists the other files that queries may read.
	allowed []string
	// folders lists the folders that queries may write to.
	folders []string
	// answers counts the answers that became tables.
	answers int
	// keys maps local paths to the names that users know the files by.
	keys map[string]string
}

// own is the schema of the session's helper tables.
const own = `"_landfall"`

func openSession(ctx context.Context, opts Options, dir string) (*session, error) {
	connector, err := duck.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("start DuckDB: %w", err)
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to DuckDB: %w", err), db.Close())
	}
	s := &session{db: db, conn: conn, files: filepath.Join(dir, "files"), keys: map[string]string{}}
	if err := s.prepare(ctx, opts, filepath.Join(dir, "spill")); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *session) prepare(ctx context.Context, opts Options, spill string) error {
	for _, folder := range []string{s.files, spill} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return fmt.Errorf("make a temporary folder: %w", err)
		}
	}
	set := []string{
		// With the cache on, a file that was replaced is read by its old schema.
		"SET enable_external_file_cache = false",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET TimeZone = 'UTC'",
		"SET temp_directory = " + dialect.Quote(spill),
		"CREATE SCHEMA " + own,
		getJSONObject,
	}
	if opts.MemoryLimit != "" {
		set = append(set, "SET memory_limit = "+dialect.Quote(opts.MemoryLimit))
	}
	if opts.Threads > 0 {
		set = append(set, "SET threads = "+strconv.Itoa(opts.Threads))
	}
	return s.exec(ctx, set...)
}

// lock confines what follows to reading the session's own files.
func (s *session) lock(ctx context.Context) error {
	paths := make([]string, len(s.allowed))
	for i, p := range s.allowed {
		paths[i] = dialect.Quote(p)
	}
	return s.exec(ctx,
		"SET allowed_directories = "+dialect.List(append([]string{s.files}, s.folders...)),
		"SET allowed_paths = ["+strings.Join(paths, ", ")+"]",
		"SET enable_external_access = false",
		"SET lock_configuration = true")
}

func (s *session) exec(ctx context.Context, statements ...string) error {
	for _, stmt := range statements {
		if _, err := s.conn.ExecContext(ctx, stmt); err != nil {
			return s.fault(ctx, err)
		}
	}
	return nil
}

func (s *session) close() error {
	return errors.Join(s.conn.Close(), s.db.Close())
}

// raw lends the driver's own connection.
func (s *session) raw(use func(*duck.Conn) error) error {
	return s.conn.Raw(func(c any) error {
		conn, ok := c.(*duck.Conn)
		if !ok {
			return fmt.Errorf("driver connection is a %T", c)
		}
		return use(conn)
	})
}
