package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

func (a *app) schemaCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                        "schema",
		SuggestionsMinimumDistance: 2,
		Short:                      "Show the contract of a source, its versions, and change it",
		Long: `The contract of a source is the columns it has and their types. Each change of
it is a version, with its time and cause.` + exitCodes,
		Example: `  landfall schema show orders
  landfall schema history orders
  landfall schema approve orders`,
		Args: unknown,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.schemaShowCommand(), a.schemaHistoryCommand(), a.schemaDiffCommand(), a.schemaApproveCommand(), a.schemaRollbackCommand())
	return c
}

func (a *app) schemaShowCommand() *cobra.Command {
	var s selector
	var format string
	var version int
	c := &cobra.Command{
		Use:   "show [SOURCE…]",
		Short: "Print the columns and types, as text or as code",
		Long: `Print the newest version of the contract, or the one that --version names: as a
table, or with --format as

  ddl      columns in the DDL of Spark
  spark    a StructType of pyspark
  pyarrow  a schema of pyarrow
  json     the schema in the JSON form of Spark and Delta` + exitCodes,
		Example: `  landfall schema show orders
  landfall schema show --table lake/orders --format spark
  landfall schema show orders --version 3 --json`,
		RunE: func(c *cobra.Command, names []string) error {
			if formats := []string{"", "ddl", "spark", "pyarrow", "json"}; !slices.Contains(formats, format) {
				return diag.New(diag.Usage, "found --format %s, want ddl, spark, pyarrow or json", diag.Quote(format))
			}
			ts, err := a.targets(c.Context(), s, names)
			if err != nil {
				return err
			}
			return a.showSchemas(c.Context(), ts, format, version)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&format, "format", "", "ddl, spark, pyarrow or json")
	c.Flags().IntVar(&version, "version", 0, "a version of the contract (default: the newest)")
	return c
}

// agreed is a version of the contract of a source. Its keys are those of
// `landfall schema show --json` and `history --json`.
type agreed struct {
	Source  string          `json:"source"`
	Version int             `json:"version"`
	At      time.Time       `json:"at"`
	Batch   int64           `json:"batch"`
	Reason  string          `json:"reason,omitempty"`
	Who     string          `json:"who,omitempty"`
	Cause   []event.Drift   `json:"cause"`
	Columns []contractField `json:"columns,omitempty"`

	contract contract.Version
}

// contractField is a column of a contract.
type contractField struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Original string `json:"original,omitempty"`
	Hinted   bool   `json:"hinted,omitempty"`
	Retired  bool   `json:"retired,omitempty"`
	File     string `json:"file,omitempty"`
	Record   int64  `json:"record,omitempty"`
}

// versions returns the versions of a source's contract, oldest first.
func (t target) versions(ctx context.Context) ([]agreed, error) {
	var all []agreed
	for v, err := range t.state.Contracts(ctx) {
		if err != nil {
			return nil, err
		}
		c := v.Contract
		cause := append([]event.Drift{}, c.Cause...)
		all = append(all, agreed{Source: t.name, Version: c.Number, At: c.At, Batch: v.Batch, Reason: c.Reason, Who: c.Who, Cause: cause, contract: c})
	}
	if len(all) == 0 {
		return nil, diag.New(diag.TableMissing, "source %s has no contract yet", t.name).
			In(diag.Place{File: t.state.URL()}).Hinted("its first landing makes one: landfall land; landfall preview shows it before")
	}
	return all, nil
}

// version returns one version, the newest for 0.
func (t target) version(ctx context.Context, number int) (agreed, error) {
	all, err := t.versions(ctx)
	if err != nil {
		return agreed{}, err
	}
	last := all[len(all)-1]
	if number == 0 {
		return last, nil
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Version == number {
			return all[i], nil
		}
	}
	return agreed{}, diag.New(diag.Usage, "found version %d, want one from %d to %d", number, all[0].Version, last.Version).
		Hinted("see them all: landfall schema history")
}

// inTableOrder sorts columns as the table has them. A column comes to the table when
// it has a type, so that it may stand there behind others that came later; those
// that the table lacks are last.
func (t target) inTableOrder(ctx context.Context, columns []contract.Column) error {
	snap, err := delta.Open(t.data, delta.Options{}).Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil
	}
	if err != nil {
		return err
	}
	at := make(map[string]int, len(snap.Schema.Fields))
	for i, f := range snap.Schema.Fields {
		at[schema.Fold(f.Name)] = i
	}
	place := func(c contract.Column) int {
		if i, ok := at[schema.Fold(c.Name)]; ok {
			return i
		}
		return len(at)
	}
	slices.SortStableFunc(columns, func(a, b contract.Column) int { return cmp.Compare(place(a), place(b)) })
	return nil
}

// fields lists the columns of the contract.
func (v agreed) fields() []contractField {
	out := make([]contractField, len(v.contract.Columns))
	for i, c := range v.contract.Columns {
		out[i] = contractField{Name: c.Name, Type: c.Type, Hinted: c.Hinted, Retired: c.Retired, File: c.File, Record: c.Record}
		if c.Original != c.Name {
			out[i].Original = c.Original
		}
	}
	return out
}

// schema is the contract as a schema: what has a type and is not retired.
func (v agreed) schema() (schema.Struct, error) {
	var s schema.Struct
	for _, c := range v.contract.Columns {
		t, err := c.SchemaType()
		if err != nil {
			return s, err
		}
		if t, ok := schema.Storable(t); ok && !c.Retired {
			s.Fields = append(s.Fields, schema.Field{Name: c.Name, Type: t, Nullable: true})
		}
	}
	return s, nil
}

func (a *app) showSchemas(ctx context.Context, ts []target, format string, number int) error {
	for _, t := range ts {
		v, err := t.version(ctx, number)
		if err != nil {
			return err
		}
		if err := t.inTableOrder(ctx, v.contract.Columns); err != nil {
			a.warn(err) // the contract is not the table's
		}
		switch {
		case format != "":
			err = a.showCode(v, format)
		case a.json:
			v.Columns = v.fields()
			err = a.print(v)
		default:
			err = a.showTable(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// showCode prints a contract as code.
func (a *app) showCode(v agreed, format string) error {
	s, err := v.schema()
	if err != nil {
		return err
	}
	text := ""
	switch format {
	case "ddl":
		text = schema.DDL(s)
	case "spark":
		text = schema.Spark(s)
	case "pyarrow":
		text = schema.PyArrow(s)
	default:
		data, err := s.JSON()
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", "  "); err != nil {
			return err
		}
		text = b.String()
	}
	_, err = fmt.Fprintln(a.stdout, text)
	return err
}

func (a *app) showTable(v agreed) error {
	rows := make([][]string, len(v.contract.Columns))
	for i, c := range v.contract.Columns {
		typ := c.Type
		if typ == schema.Unknown.String() {
			typ = "none yet: only nulls so far"
		}
		if c.Retired {
			typ = "retired: values are rescued"
		}
		rows[i] = []string{brief(c.Name), report.Cut(typ, longest), origin(c, true)}
	}
	_, err := fmt.Fprintf(a.stdout, "%s: contract v%d of %s, %s\n\n%s", v.Source, v.Version, v.At.UTC().Format("2006-01-02 15:04:05Z"),
		report.Plural(int64(len(rows)), "column"), report.Table([]string{"column", "type", "from"}, rows, report.Layout{Indent: 2}))
	return err
}

func (a *app) schemaHistoryCommand() *cobra.Command {
	var s selector
	c := &cobra.Command{
		Use:     "history [SOURCE…]",
		Short:   "List the versions of the contract: when, why, and who",
		Long:    "List every version of the contract, oldest first, with the drift or the person\nthat it is due to." + exitCodes,
		Example: "  landfall schema history orders\n  landfall schema history --table lake/orders --json",
		RunE: func(c *cobra.Command, names []string) error {
			ts, err := a.targets(c.Context(), s, names)
			if err != nil {
				return err
			}
			return a.schemaHistory(c.Context(), ts)
		},
	}
	s.flags(c)
	return c
}

func (a *app) schemaHistory(ctx context.Context, ts []target) error {
	rows := [][]string{}
	for _, t := range ts {
		all, err := t.versions(ctx)
		if err != nil {
			return err
		}
		for _, v := range all {
			if a.json {
				if err := a.print(v); err != nil {
					return err
				}
				continue
			}
			who := v.Who
			if v.Reason != "" {
				who = strings.TrimPrefix(who+", "+v.Reason, ", ")
			}
			rows = append(rows, []string{
				v.Source, "v" + strconv.Itoa(v.Version), v.At.UTC().Format("2006-01-02 15:04:05Z"), strconv.FormatInt(v.Batch, 10), who, causes(v.Cause),
			})
		}
	}
	if a.json {
		return nil
	}
	return a.table([]string{"source", "version", "time", "batch", "who", "cause"}, rows, "no contract yet")
}

// causes says in a line what led to a version.
func causes(drift []event.Drift) string {
	const most = 3
	var parts []string
	for i, d := range drift {
		if i == most {
			parts = append(parts, fmt.Sprintf("… and %d more", len(drift)-most))
			break
		}
		text := strings.ReplaceAll(string(d.Kind), "_", " ")
		if column := columnOf(d); column != "" {
			text += " " + column
		}
		if text += change(d); d.File != "" {
			text += " in " + place(d.File, d.Line, d.Record)
		}
		parts = append(parts, text)
	}
	return report.Cut(strings.Join(parts, "; "), longest)
}
