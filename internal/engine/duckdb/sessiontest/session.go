// Package sessiontest opens plain sessions of DuckDB for tests of what it is made to run.
package sessiontest

import (
	"database/sql"
	"database/sql/driver"
	"testing"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/plan/function/kernel"
	"landfall/internal/schema"
)

// Open opens a session in UTC with some kernels, and statements run in it. It ends with the
// test.
func Open(t testing.TB, kernels []kernel.Kernel, statements ...string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, k := range kernels {
		if err := duck.RegisterScalarUDF(conn, k.Name, udf{t, k}); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
	}
	for _, s := range append([]string{"SET TimeZone = 'UTC'"}, statements...) {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%.60s: %v", s, err)
		}
	}
	return conn
}

// udf is a kernel as DuckDB calls it.
type udf struct {
	t testing.TB
	kernel.Kernel
}

// Config implements duck.ScalarFunc.
func (k udf) Config() duck.ScalarFuncConfig {
	c := duck.ScalarFuncConfig{ResultTypeInfo: k.info(k.Result)}
	for _, a := range k.Args {
		c.InputTypeInfos = append(c.InputTypeInfos, k.info(a))
	}
	return c
}

func (k udf) info(typ schema.Type) duck.TypeInfo {
	types := map[schema.Type]duck.Type{
		schema.String: duck.TYPE_VARCHAR, schema.Long: duck.TYPE_BIGINT, schema.Double: duck.TYPE_DOUBLE, schema.Binary: duck.TYPE_BLOB,
	}
	info, err := duck.NewTypeInfo(types[typ])
	if err != nil {
		k.t.Fatalf("%s: type %s: %v", k.Name, typ, err)
	}
	return info
}

// Executor implements duck.ScalarFunc.
func (k udf) Executor() duck.ScalarFuncExecutor {
	return duck.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		args := make([]any, len(values))
		for i, v := range values {
			args[i] = v
		}
		return k.Call(args)
	}}
}
