package cutover

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// ParseName returns the parts of a table's name as a person writes it: between
// dots, and those with dots of their own in backticks or double quotes.
func ParseName(text string) ([]string, error) {
	wrong := func(found string) error {
		return diag.New(diag.BadOption, "table: found %s in %s, wanted a name such as sales.orders", found, diag.Quote(text)).
			Hinted("write schema.table, and a part with dots of its own in backticks")
	}
	var parts []string
	for rest := text; ; {
		part, behind, ok := cutPart(rest)
		if !ok {
			return nil, wrong("a quote that is not closed")
		}
		if part == "" {
			return nil, wrong("an empty part")
		}
		if parts = append(parts, part); behind == "" {
			break
		}
		if behind[0] != '.' {
			return nil, wrong(diag.Quote(behind) + " behind a quote")
		}
		rest = behind[1:]
	}
	if len(parts) > 3 {
		return nil, wrong(fmt.Sprintf("%d parts", len(parts)))
	}
	return parts, nil
}

// cutPart cuts the first part off a name.
func cutPart(text string) (part, behind string, ok bool) {
	if text == "" || text[0] != '`' && text[0] != '"' {
		end := strings.IndexByte(text, '.')
		if end < 0 {
			end = len(text)
		}
		return strings.TrimSpace(text[:end]), text[end:], true
	}
	quote := text[:1]
	var b strings.Builder
	for rest := text[1:]; ; {
		inside, after, found := strings.Cut(rest, quote)
		b.WriteString(inside)
		if !found {
			return "", "", false
		}
		if !strings.HasPrefix(after, quote) {
			return b.String(), after, true
		}
		b.WriteString(quote)
		rest = after[1:]
	}
}

// check refuses what an engine cannot be told, or not safely.
func check(e Engine, t Table) error {
	if err := consistent(t); err != nil {
		return err
	}
	switch {
	case t.Format == Delta && (e == Hive || e == Glue):
		return diag.New(diag.OptionRefused, "engine %s: found a copy that is a Delta table, which it does not read", e).
			Hinted("repair to a folder of Parquet files, or print the statements for another engine")
	case e == Glue && !(writer{t: t, d: dialectOf(e)}).alike():
		return diag.New(diag.OptionRefused, "engine glue: found a copy that is partitioned by other columns, which a table there does not change").
			Hinted("print the statements for athena: they make the table anew")
	case t.Format == Delta && e == Trino && t.DeltaCatalog == "":
		return diag.New(diag.OptionRefused, "engine trino: found a copy that is a Delta table, wanted the name of the catalog that reads such").
			Hinted("name the catalog whose connector is delta_lake")
	case e == Databricks && len(t.Name) != 3, e == Trino && len(t.Name) != 3:
		return diag.New(diag.BadOption, "engine %s: found the table %s, wanted catalog.schema.table", e, diag.Quote(strings.Join(t.Name, "."))).
			Hinted("write the catalog too: %s", map[Engine]string{Databricks: "hive_metastore is that of before Unity Catalog", Trino: "SHOW CATALOGS lists them"}[e])
	case len(t.Name) == 3 && (e == Hive || e == Glue || e == Athena && !strings.EqualFold(t.Name[0], "AwsDataCatalog")):
		return diag.New(diag.BadOption, "engine %s: found the table %s, wanted database.table: a statement names no catalog there", e, diag.Quote(strings.Join(t.Name, "."))).
			Hinted("leave the catalog out, and run the statements where it is the one in use")
	case (e == Athena || e == Glue) && len(t.Name) < 2:
		return diag.New(diag.BadOption, "engine %s: found the table %s, wanted database.table", e, diag.Quote(t.Name[0])).
			Hinted("write the database too")
	case !strings.Contains(t.New, ":/") || !strings.Contains(t.Old, ":/"):
		return diag.New(diag.BadOption, "found the copy at %s and the old folder at %s, wanted a scheme in front of both, such as file:// or s3://", diag.Quote(t.New), diag.Quote(t.Old)).
			Hinted("give the address under which %s reads the folder", e)
	case (e == Athena || e == Glue) && !strings.HasPrefix(t.New, "s3://"):
		return diag.New(diag.BadOption, "engine %s: found the copy at %s, wanted s3://bucket/folder", e, diag.Quote(t.New)).
			Hinted("copy the folder to S3 and give its address there")
	}
	return speakable(e, t)
}

// consistent finds mistakes of the caller.
func consistent(t Table) error {
	if len(t.Name) == 0 || t.New == "" || t.Old == "" || len(t.Columns) == 0 {
		return fmt.Errorf("cut over: a table needs a name, two locations and columns")
	}
	for _, p := range t.Was {
		if len(p.Values) != len(t.WasBy) {
			return fmt.Errorf("cut over: a partition of the old folder has %d values of %d columns", len(p.Values), len(t.WasBy))
		}
	}
	for _, p := range t.Copy {
		if len(p.Values) != len(t.By) {
			return fmt.Errorf("cut over: a partition of the copy has %d values of %d columns", len(p.Values), len(t.By))
		}
	}
	seen := map[string]bool{}
	for _, f := range slices.Concat(t.Columns, t.By) {
		fold := schema.Fold(f.Name)
		if seen[fold] {
			return diag.New(diag.OptionRefused, "%s: found two columns of this name in any casing, wanted one", diag.Quote(f.Name)).
				Hinted("a catalog knows names in lower case: rename one of them")
		}
		seen[fold] = true
	}
	return nil
}

// plainName is a name that every catalog on Hive's model takes.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// speakable refuses names and values that an engine has no spelling for.
func speakable(e Engine, t Table) error {
	var l diag.List
	refuse := func(what, text, wanted string) {
		l.Add(diag.New(diag.OptionRefused, "%s: found %s, which %s cannot be told; wanted %s", what, diag.Quote(text), e, wanted).
			Hinted("rename it, or print the statements for another engine"))
	}
	for _, part := range t.Name {
		if !plainName.MatchString(part) && (e == Hive || e == Athena || e == Glue) {
			refuse("table", part, "letters, digits and _")
		}
	}
	for _, f := range slices.Concat(t.Columns, t.Defined, t.By, t.WasBy) {
		if bad := strangeField(f.Type); bad != "" && (e == Hive || e == Athena || e == Glue) {
			refuse(f.Name, bad, "a field's name of letters, digits and _")
		}
		if e == Athena && !plainName.MatchString(f.Name) {
			refuse("column", f.Name, "letters, digits and _")
		}
	}
	for what, text := range t.words() {
		switch {
		case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
			refuse(what, text, "UTF-8 without zero bytes")
		case e == Athena && strings.ContainsAny(text, `'\`):
			refuse(what, text, `text without ' and \`)
		case (e == Trino || e == Athena) && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }):
			refuse(what, text, "no control characters")
		}
	}
	for _, name := range t.identifiers() {
		if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) || strings.ContainsAny(name, "$;") {
			refuse("name", name, "a name without control characters, $ and ;")
		}
	}
	return l.Err()
}

// words yields the texts that become literals, with what they are.
func (t Table) words() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !yield("location", t.Old) || !yield("location", t.New) {
			return
		}
		for _, p := range slices.Concat(t.Was, t.Copy) {
			if !yield("folder", p.Folder) {
				return
			}
			for _, v := range p.Values {
				if !yield("partition", v.Text) {
					return
				}
			}
		}
	}
}

// identifiers are the names that become identifiers.
func (t Table) identifiers() []string {
	out := append([]string{t.DeltaCatalog}, t.Name...)
	for _, f := range slices.Concat(t.Columns, t.Defined, t.By, t.WasBy) {
		out = append(out, f.Name)
	}
	return out
}

// strangeField is the first name of a struct's field, however deep, that Hive's
// spelling of types has no quotes for.
func strangeField(t schema.Type) string {
	switch t := t.(type) {
	case schema.Array:
		return strangeField(t.Element)
	case schema.Map:
		if bad := strangeField(t.Key); bad != "" {
			return bad
		}
		return strangeField(t.Value)
	case schema.Struct:
		for _, f := range t.Fields {
			if !plainName.MatchString(f.Name) {
				return f.Name
			}
			if bad := strangeField(f.Type); bad != "" {
				return bad
			}
		}
	}
	return ""
}

func list(words []string) string { return strings.Join(words, ", ") }

func names(fields []schema.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}
