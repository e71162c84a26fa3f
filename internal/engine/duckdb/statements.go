package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/engine/duckdb/program"
	"landfall/internal/engine/duckdb/textfile"
	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/sparksql/function"
)

var _ engine.Sessions = (*Engine)(nil)

// Session implements engine.Sessions.
func (e *Engine) Session(ctx context.Context, o engine.SessionOptions, use func(engine.Session) error) error {
	folders := make([]string, len(o.Folders))
	for i, folder := range o.Folders {
		var err error
		if folders[i], err = outputFolder(folder); err != nil {
			return err
		}
	}
	return e.lend(ctx, func(s *session) error {
		if err := s.addKernels(function.Kernels()); err != nil {
			return err
		}
		if err := s.exec(ctx, function.Macros()); err != nil {
			return err
		}
		if o.Macros != "" {
			if err := s.exec(ctx, o.Macros); err != nil {
				return fmt.Errorf("define macros: %w", err)
			}
		}
		all := func(string) bool { return true }
		if err := s.addRelations(ctx, all, o.Views, o.Listings); err != nil {
			return err
		}
		s.folders = folders
		s.allowed = append(s.allowed, folders...)
		if err := s.lock(ctx); err != nil {
			return err
		}
		return withNames(use(&statements{s}), o.Views, o.Listings)
	})
}

// outputFolder is the path by which DuckDB writes to a folder.
func outputFolder(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("find the folder to write to: %w", err)
	}
	if isPattern(folder) {
		return "", diag.New(diag.Usage, "folder %s: has one of %s in its name", diag.Quote(folder), patternChars).
			Hinted("write to another folder")
	}
	return folder, nil
}

// statements is a session that runs several statements.
type statements struct{ *session }

// Columns implements engine.Session.
func (s *statements) Columns(ctx context.Context, sql string) (schema.Struct, error) {
	columns, err := s.columns(ctx, sql)
	if err != nil {
		return schema.Struct{}, err
	}
	out := schema.Struct{Fields: make([]schema.Field, len(columns))}
	for i, c := range columns {
		t, err := sparkType(c.info)
		if err != nil {
			return schema.Struct{}, diag.New(diag.QueryFailed, "column %s: %s", diag.Quote(c.Name), err).
				Hinted("cast it to a type that tables have, such as VARCHAR")
		}
		out.Fields[i] = schema.Field{Name: c.Name, Type: t, Nullable: true}
	}
	return out, nil
}

// columns describes a SELECT, and refuses everything else.
func (s *statements) columns(ctx context.Context, sql string) (columns []column, err error) {
	err = s.raw(func(conn *duck.Conn) error {
		stmt, err := s.statement(ctx, conn, sql)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stmt.Close()) }()
		if kind, err := stmt.StatementType(); err != nil || kind != duck.STATEMENT_TYPE_SELECT {
			return errors.Join(notRead(), err)
		}
		columns, err = describe(stmt)
		return err
	})
	return columns, err
}

// Keep implements engine.Session.
func (s *statements) Keep(ctx context.Context, name, sql string) (rows int64, err error) {
	if _, err := s.columns(ctx, sql); err != nil {
		return 0, err
	}
	statement := "CREATE TABLE " + dialect.Name(name) + " AS\n" + sql
	if _, err := s.conn.ExecContext(ctx, statement); err != nil {
		return 0, s.statementFault(ctx, statement, 1, err)
	}
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+dialect.Name(name)).Scan(&rows); err != nil {
		return 0, s.fault(ctx, err)
	}
	return rows, nil
}

// Drop implements engine.Session.
func (s *statements) Drop(ctx context.Context, name string) error {
	return s.exec(ctx, "DROP TABLE "+dialect.Name(name))
}

// Query implements engine.Session.
func (s *statements) Query(ctx context.Context, sql string, use func(engine.Result) error) error {
	return s.query(ctx, sql, use)
}

// Write implements engine.Session.
func (s *statements) Write(ctx context.Context, sql string, as schema.Struct, to engine.Target) ([]engine.Written, error) {
	if to.Format != engine.Parquet {
		return nil, errors.New("write: sessions write Parquet alone")
	}
	var err error
	if to.Folder, err = outputFolder(to.Folder); err != nil {
		return nil, err
	}
	columns, err := s.columns(ctx, sql)
	if err != nil {
		return nil, err
	}
	query, err := fitted(sql, columns, as)
	if err != nil {
		return nil, err
	}
	step := &plan.Step{Name: "write"}
	for _, f := range as.Fields {
		step.Columns = append(step.Columns, plan.Column{Name: f.Name, Type: f.Type})
	}
	files, total, err := s.copyTo(ctx, step, query, to)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		if files, _, err = s.copyTo(ctx, step, program.Nothing(query, program.Gone(to)), program.Single(to)); err != nil {
			return nil, err
		}
	}
	return files, textfile.Finish(ctx, files, total, to)
}

func (s *statements) copyTo(ctx context.Context, step *plan.Step, query string, to engine.Target) ([]engine.Written, int64, error) {
	statement, err := program.Copy(step, query, to)
	if err != nil {
		return nil, 0, err
	}
	return s.copied(ctx, statement, to)
}

// fitted selects the rows of a query as those of other columns.
func fitted(sql string, held []column, as schema.Struct) (string, error) {
	if len(held) != len(as.Fields) {
		return "", diag.New(diag.QueryFailed, "found %d columns, want %d", len(held), len(as.Fields)).
			Hinted("select a value for each column, in their order")
	}
	fit := fitter{plain: exactly, strict: true}
	names, exprs := make([]string, len(held)), make([]string, len(held))
	for i, f := range as.Fields {
		names[i] = fmt.Sprintf("c%d", i)
		if held[i].info == nil {
			return "", misfits(&misfit{f.Name, held[i].Type, f.Type.String()})
		}
		bare := plainNames(f.Type)
		expr, err := fit.value("q."+names[i], held[i].info, bare, f.Name)
		if err != nil {
			return "", misfits(err)
		}
		if !f.Nullable {
			expr = fit.present(expr, f.Name)
		}
		typ, err := typeSQL(bare)
		if err != nil {
			return "", err
		}
		exprs[i] = "CAST(" + expr + " AS " + typ + ") AS " + dialect.Name(f.Name)
	}
	return "SELECT " + strings.Join(exprs, ",\n  ") + "\nFROM (\n" + sql + "\n) AS q(" + strings.Join(names, ", ") + ")", nil
}

func misfits(err error) error {
	var m *misfit
	if !errors.As(err, &m) {
		return err
	}
	d := diag.New(diag.QueryFailed, "column %s: found %s, want %s", diag.Quote(m.path), m.found, m.want).
		Hinted("cast it in the query")
	d.Path = m.path
	return d
}

// plainNames leaves out of a type what tables say of names in data files.
func plainNames(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Array:
		t.Element = plainNames(t.Element)
		return t
	case schema.Map:
		t.Key = plainNames(t.Key)
		t.Value = plainNames(t.Value)
		return t
	case schema.Struct:
		fields := make([]schema.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = schema.Field{Name: f.Name, Nullable: f.Nullable}
			fields[i].Type = plainNames(f.Type)
		}
		return schema.Struct{Fields: fields}
	}
	return t
}

// exactly returns the expression that makes of ref, of type found, the same value of a
// plain type or an error, "" if the types have no value in common.
func exactly(ref string, found duck.TypeInfo, want schema.Type, path string) string {
	from := found.InternalType()
	number := isInteger(from) || from == duck.TYPE_HUGEINT || from == duck.TYPE_UHUGEINT
	_, isDecimal := found.Details().(*duck.DecimalDetails)
	typ, err := typeSQL(want)
	if err != nil {
		return ""
	}
	if _, ok := want.(schema.Decimal); ok && (number || isDecimal) {
		return compared(ref, typ, want, path)
	}
	switch want {
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		if number {
			return compared(ref, typ, want, path)
		}
	case schema.Binary, schema.Timestamp:
		return ""
	case schema.String:
		if from == duck.TYPE_BLOB {
			return ""
		}
	case schema.TimestampNTZ:
		switch from {
		case duck.TYPE_TIMESTAMP_TZ:
			return ""
		case duck.TYPE_TIMESTAMP_NS:
			return compared(ref, typ, want, path)
		}
	}
	return scalar(ref, found, want, path)
}

// compared casts what is the same afterwards.
func compared(ref, typ string, want schema.Type, path string) string {
	cast := "TRY_CAST(" + ref + " AS " + typ + ")"
	return "CASE WHEN " + ref + " IS NULL OR " + cast + " = " + ref + " THEN " + cast +
		" ELSE error(" + dialect.Text(path+": found ") + " || " + ref + " || " + dialect.Text(", want "+want.String()) + ") END"
}

// sparkType is the type of Spark that holds the values of one of DuckDB.
func sparkType(info duck.TypeInfo) (schema.Type, error) {
	if info == nil {
		return nil, errors.New("found VARIANT, want a type that tables have")
	}
	switch d := info.Details().(type) {
	case *duck.DecimalDetails:
		return schema.Decimal{Precision: int(d.Width), Scale: int(d.Scale)}, nil
	case *duck.ListDetails:
		element, err := sparkType(d.Child)
		return schema.Array{Element: element, ContainsNull: true}, err
	case *duck.ArrayDetails:
		element, err := sparkType(d.Child)
		return schema.Array{Element: element, ContainsNull: true}, err
	case *duck.MapDetails:
		key, err := sparkType(d.Key)
		if err != nil {
			return nil, err
		}
		value, err := sparkType(d.Value)
		return schema.Map{Key: key, Value: value, ValueContainsNull: true}, err
	case *duck.StructDetails:
		out := schema.Struct{Fields: make([]schema.Field, len(d.Entries))}
		for i, e := range d.Entries {
			t, err := sparkType(e.Info())
			if err != nil {
				return nil, err
			}
			out.Fields[i] = schema.Field{Name: e.Name(), Type: t, Nullable: true}
		}
		return out, nil
	}
	if t := sparkPlain(info.InternalType()); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("found %s, want a type that tables have", infoSQL(info))
}

// sparkPlain is sparkType for types without parts, nil if there is none.
func sparkPlain(t duck.Type) schema.Type {
	switch t {
	case duck.TYPE_BOOLEAN:
		return schema.Boolean
	case duck.TYPE_TINYINT:
		return schema.Byte
	case duck.TYPE_SMALLINT, duck.TYPE_UTINYINT:
		return schema.Short
	case duck.TYPE_INTEGER, duck.TYPE_USMALLINT:
		return schema.Integer
	case duck.TYPE_BIGINT, duck.TYPE_UINTEGER:
		return schema.Long
	case duck.TYPE_UBIGINT:
		return schema.Decimal{Precision: 20}
	case duck.TYPE_HUGEINT, duck.TYPE_UHUGEINT:
		return schema.Decimal{Precision: 38}
	case duck.TYPE_FLOAT:
		return schema.Float
	case duck.TYPE_DOUBLE:
		return schema.Double
	case duck.TYPE_VARCHAR, duck.TYPE_ENUM, duck.TYPE_UUID:
		return schema.String
	case duck.TYPE_BLOB:
		return schema.Binary
	case duck.TYPE_DATE:
		return schema.Date
	case duck.TYPE_TIMESTAMP, duck.TYPE_TIMESTAMP_S, duck.TYPE_TIMESTAMP_MS, duck.TYPE_TIMESTAMP_NS:
		return schema.TimestampNTZ
	case duck.TYPE_TIMESTAMP_TZ:
		return schema.Timestamp
	case duck.TYPE_SQLNULL:
		return schema.Unknown
	}
	return nil
}
