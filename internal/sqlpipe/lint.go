package sqlpipe

import (
	"slices"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// lint notes what runs and is likely not what was meant.
func (l *loader) lint(d *Dataset, f Flow) {
	sparksql.Walk(f.Query, func(node any) bool {
		switch n := node.(type) {
		case *sparksql.TableCall:
			l.lintFiles(f.File, n)
		case *sparksql.Call:
			l.lintOrder(f.File, n)
			if d.Kind == MaterializedView && clock(n.Name) {
				l.noteClock(f.File, n.At, n.Name)
			}
		case *sparksql.Column:
			if d.Kind == MaterializedView && len(n.Parts) == 1 && clock(n.Parts[0].Name) {
				l.noteClock(f.File, n.At, n.Parts[0].Name)
			}
		}
		return true
	})
}

func (l *loader) noteClock(f *sparksql.File, at sparksql.Pos, name string) {
	l.note(f, at, strings.ToLower(name)+" of a materialized view is the time of the run that computed it: it is computed again when what it reads changes, not when time passes")
}

// clock tells the functions that say the time.
func clock(name string) bool {
	return slices.Contains([]string{"current_timestamp", "now", "current_date", "curdate", "localtimestamp", "unix_timestamp"}, strings.ToLower(name))
}

// lintFiles looks at the options of files that are landed.
func (l *loader) lintFiles(f *sparksql.File, c *sparksql.TableCall) {
	if strings.EqualFold(c.Name.Name, "cloud_files") {
		l.note(f, c.At, "cloud_files is spelt STREAM read_files today: STREAM read_files('landing/orders', format => 'json')")
	}
	for _, a := range c.Args {
		l.lintMode(f, a.Name.Name, a.Expr)
		m, ok := a.Expr.(*sparksql.Call)
		if !ok || m.Name != "map" {
			continue
		}
		for i := 0; i+1 < len(m.Args); i += 2 {
			if k, ok := m.Args[i].Expr.(*sparksql.Literal); ok {
				l.lintMode(f, k.Text, m.Args[i+1].Expr)
			}
		}
	}
}

func (l *loader) lintMode(f *sparksql.File, key string, value sparksql.Expr) {
	v, ok := value.(*sparksql.Literal)
	if !ok || !strings.EqualFold(strings.TrimPrefix(schema.Fold(key), "cloudfiles."), "schemaEvolutionMode") || !strings.EqualFold(v.Text, "rescue") {
		return
	}
	l.note(f, v.At, "schemaEvolutionMode rescue keeps new columns in _rescued_data, where nobody can use them: bronze wants addNewColumns")
}

// lintOrder looks at windows that keep the newest row of each key.
func (l *loader) lintOrder(f *sparksql.File, c *sparksql.Call) {
	if c.Over == nil || len(c.Over.Partition) == 0 || len(c.Over.Order) == 0 || !slices.Contains([]string{"row_number", "rank", "dense_rank", "lead", "lag", "first_value", "last_value"}, c.Name) {
		return
	}
	by := c.Over.Order[0].Expr
	if text := f.Slice(by.Span()); late(text) {
		l.note(f, by.Span().At, text+" is when a row was read: rows that come late would count as newer ones; order by a time of the source")
	}
}

// late tells the usual names of the time at which a row was read.
func late(text string) bool {
	name := strings.ToLower(strings.Trim(text[strings.LastIndex(text, ".")+1:], "`() "))
	switch name {
	case "file_modification_time", "processing_time", "processed_at", "processing_timestamp", "ingest_time", "_ingest_time", "ingested_at", "ingestion_time",
		"ingestion_timestamp", "ingest_timestamp", "_ingested_at", "load_time", "load_ts", "load_timestamp", "loaded_at", "_loaded_at", "inserted_at":
		return true
	}
	return clock(name)
}

// noteLive says once of a file that LIVE is not needed.
func (l *loader) noteLive(f *sparksql.File, s Source) {
	if s.Live && !l.lives[f] {
		l.lives[f] = true
		l.note(f, s.At.At, "LIVE."+s.Last()+" is spelt "+s.Last()+" today")
	}
}
