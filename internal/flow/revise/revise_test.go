package revise_test

import (
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/revise"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

const script = `source(allowSchemaDrift: true,
     validateSchema: false) ~> In /* kept */
In filter(true())   ~> Some
In, Some join(In@id == Some@id) ~> Both
Both sink() ~> Out
`

func parsed(t *testing.T, text string) (*syntax.File, *syntax.Script) {
	t.Helper()
	f := syntax.NewFile("flow.dfs", text)
	s, err := syntax.Parse(f)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	return f, s
}

func columns(t *testing.T, ddl string) []schema.Field {
	t.Helper()
	typ, err := schema.ParseDDL("struct<" + ddl + ">")
	if err != nil {
		t.Fatal(err)
	}
	return typ.(schema.Struct).Fields //nolint:forcetypeassert // a test
}

// The derive stands behind the source, and who took its rows takes those of the derive.
func TestMapDrifted(t *testing.T) {
	f, s := parsed(t, script)
	drifted := columns(t, "id: int, `ship region`: string, total: decimal(18,2), at: timestamp, tags: array<struct<`a b`:bigint>>")
	derive, text, err := revise.MapDrifted(f, s, "In", drifted)
	if err != nil {
		t.Fatal(err)
	}
	want := `In derive(id = toInteger(byName('id')),
	{ship region} = toString(byName('ship region')),
	total = toDecimal(byName('total'), 18, 2),
	at = toTimestamp(byName('at')),
	tags = byName('tags') ? ({a b} as long)[]) ~> MapDrifted1`
	if derive != want {
		t.Errorf("found\n%s\nwant\n%s", derive, want)
	}
	whole := `source(allowSchemaDrift: true,
     validateSchema: false) ~> In
` + want + ` /* kept */
MapDrifted1 filter(true())   ~> Some
MapDrifted1, Some join(In@id == Some@id) ~> Both
Both sink() ~> Out
`
	if text != whole {
		t.Errorf("found\n%s\nwant\n%s", text, whole)
	}
	f, s = parsed(t, text)
	if _, again, err := revise.MapDrifted(f, s, "In", drifted); err != nil {
		t.Error(err)
	} else if _, s := parsed(t, again); len(s.Statements) != 6 {
		t.Errorf("found %d transformations, want 6: a name of its own for the second", len(s.Statements))
	}
}

// A projection takes the place of the old one; what stands around the source stays.
func TestProject(t *testing.T) {
	f, s := parsed(t, script)
	text, err := revise.Project(f, s, "In", columns(t, "id: bigint, `a b`: map<string,date>"))
	if err != nil {
		t.Fatal(err)
	}
	want := `source(output(
		id as long,
		{a b} as [string,date]
	),
	allowSchemaDrift: true,
	validateSchema: false) ~> In /* kept */
In filter(true())   ~> Some
In, Some join(In@id == Some@id) ~> Both
Both sink() ~> Out
`
	if text != want {
		t.Errorf("found\n%s\nwant\n%s", text, want)
	}
	f, s = parsed(t, text)
	again, err := revise.Project(f, s, "In", columns(t, "id: bigint, `a b`: map<string,date>"))
	if err != nil || again != want {
		t.Errorf("found %v and\n%s\nwant the same again", err, again)
	}
}

// A source that there is not is told with the nearest.
func TestMissing(t *testing.T) {
	f, s := parsed(t, script)
	if _, err := revise.Project(f, s, "Inn", nil); diag.CodeOf(err) != diag.Usage {
		t.Errorf("found %v, want %s", err, diag.Usage)
	}
}
