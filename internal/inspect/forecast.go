package inspect

import (
	"cmp"
	"slices"
	"strings"

	"landfall/internal/definition"
	"landfall/internal/diag"
	"landfall/internal/forecast"
	"landfall/internal/parquetfile/footer"
)

// Forecast is what one way of reading makes of the folder. Of several things that it
// trips over the gravest one stands here.
type Forecast struct {
	Reader  string `json:"reader"`
	Version string `json:"version"`
	// Call is the function with its options.
	Call string `json:"call"`
	// Outcome is works, retyped, wrong values or fails.
	Outcome string `json:"outcome"`
	// How names what is wrong with values; "" where they are right or do not come.
	How string `json:"how,omitempty"`
	// Mild is the outcome if all values are small; it is never worse.
	Mild string `json:"mild"`
	File string `json:"file,omitempty"`
	// Against is the file that set what was expected of File.
	Against string `json:"against,omitempty"`
	Column  string `json:"column,omitempty"`
	Found   string `json:"found,omitempty"`
	Wanted  string `json:"wanted,omitempty"`
	// Files are the first of those that have this trouble, File among them; FilesTotal
	// counts all.
	Files      []string `json:"files,omitempty"`
	FilesTotal int      `json:"files_total,omitempty"`
	// Class is that of the error. Message is what the error looks like, or of wrong
	// values an example.
	Class   string `json:"class,omitempty"`
	Message string `json:"message,omitempty"`
	Fix     string `json:"fix,omitempty"`
	// Measured says that exactly this was executed, and is not concluded by a rule.
	Measured bool `json:"measured"`
	// Also are the other things that this way of reading trips over, the gravest first.
	// A reader that fails tells one of them, which depends on the order in which it reads.
	Also []Forecast `json:"also,omitempty"`
}

// Bounds of what is told of one way of reading; the gravest and the first are.
const (
	mostAlso        = 20
	mostFilesOfKind = 10
)

// forecast says what readers make of a folder of Parquet files.
func (r *Report) forecast(want *definition.Table) error {
	m, err := forecast.Load()
	if err != nil {
		return err
	}
	folder := r.folder()
	if want != nil {
		folder.Schema = map[string]string{}
		for _, w := range want.Columns {
			if len(w.Path) == 1 {
				folder.Schema[w.Path[0]] = w.Type.String()
			}
		}
	}
	r.Predictions = []Forecast{}
	for all := m.Predict(folder); len(all) > 0; {
		n := 1
		for n < len(all) && all[n].Mode == all[0].Mode {
			n++
		}
		r.Predictions = append(r.Predictions, tellMode(all[:n]))
		all = all[n:]
	}
	return nil
}

// tellMode makes one of the predictions of a mode, the worst of which comes first.
func tellMode(all []forecast.Prediction) Forecast {
	out := tell(all[0])
	mild := all[0].Mild
	for i, p := range all[1:] {
		mild = max(mild, p.Mild)
		if i < mostAlso {
			out.Also = append(out.Also, tell(p))
		}
	}
	out.Mild = mild.String()
	return out
}

// tell is a prediction as it is printed.
func tell(p forecast.Prediction) Forecast {
	call := p.Call
	if p.Options != "" {
		call += " " + p.Options
	}
	return Forecast{
		Reader: p.Reader, Version: p.Version, Call: call, Outcome: p.Outcome.String(), How: p.How, Mild: p.Mild.String(),
		File: p.File, Against: p.Against, Column: p.Column, Found: p.Found, Wanted: p.Wanted, Files: p.Files[:min(len(p.Files), mostFilesOfKind)],
		FilesTotal: len(p.Files), Class: p.Class, Message: p.Message, Fix: p.Fix, Measured: p.Measured,
	}
}

// folder describes the files that readers would take.
func (r *Report) folder() forecast.Folder {
	columns := make([][]forecast.Column, len(r.Groups))
	for i, g := range r.Groups {
		t := typer{g.elements, 1}
		columns[i] = t.fields(g.elements[0].Children)
	}
	var out forecast.Folder
	for _, f := range r.Read {
		groups := 1
		if f.Rows == 0 {
			groups = 0
		}
		out.Files = append(out.Files, forecast.File{Path: f.Path, Columns: columns[f.Group-1], Groups: groups})
	}
	for _, u := range r.Unreadable {
		if u.Code == diag.NoPermission {
			continue // others may read it, and what is in it is not known
		}
		out.Files = append(out.Files, forecast.File{Path: u.Path, Condition: u.condition})
	}
	slices.SortFunc(out.Files, func(a, b forecast.File) int { return cmp.Compare(a.Path, b.Path) })
	// Files that were not read as Parquet stand behind: their names alone count, and
	// which file is the first does not depend on them.
	for _, o := range r.Others {
		out.Files = append(out.Files, forecast.File{Path: o.Path, Condition: foreign(o)})
	}
	return out
}

// foreign says what readers meet in a file that is not read as Parquet.
func foreign(o Other) forecast.Condition {
	switch o.Kind {
	case "csv":
		return forecast.TextCSV
	case "json":
		return forecast.TextJSON
	}
	return forecast.Sound
}

// typer makes the columns of a forecast of the nodes of a schema.
type typer struct {
	in []footer.Element
	at int
}

func (t *typer) fields(n int) []forecast.Column {
	out := make([]forecast.Column, 0, n)
	for range n {
		out = append(out, t.column())
	}
	return out
}

func (t *typer) column() forecast.Column {
	e := t.in[t.at]
	t.at++
	c := forecast.Column{Name: e.Name, Type: annotated(e)}
	if e.Children == 0 {
		return c
	}
	c.Type.Fields = t.fields(e.Children)
	if c.Type.Kind == forecast.List || c.Type.Kind == forecast.Map {
		// What repeats stands between a list or map and its parts.
		if inner := c.Type.Fields[0].Type; len(inner.Fields) > 0 {
			c.Type.Fields = inner.Fields
		}
	}
	return c
}

// annotated is the type of a node without what is below it.
func annotated(e footer.Element) forecast.Type {
	l := e.Logical
	out := forecast.Type{Physical: forecast.Physical(e.Physical), Kind: forecast.Kind(l.Kind), Length: int(e.Length)}
	switch {
	case e.Children > 0:
		out.Physical = forecast.Group
		if isList(e) {
			out.Kind = forecast.List
		} else if isMap(e) {
			out.Kind = forecast.Map
		}
		return out
	case l.Kind != 0:
		out.Precision, out.Scale = int(l.Precision), int(l.Scale)
		out.Unit, out.UTC = forecast.Unit(l.Unit), l.UTC
		out.Bits, out.Unsigned = int(l.Bits), l.Kind == footer.Integer && !l.Signed
		return out
	}
	older(&out, e)
	return out
}

// older gives a type the newer annotation that the older one of a leaf stands for.
func older(t *forecast.Type, e footer.Element) {
	switch c := e.Converted; {
	case c == convUTF8:
		t.Kind = forecast.String
	case c == convEnum:
		t.Kind = forecast.Enum
	case c == convJSON:
		t.Kind = forecast.JSON
	case c == convBSON:
		t.Kind = forecast.BSON
	case c == convDecimal:
		t.Kind, t.Precision, t.Scale = forecast.Decimal, int(e.Precision), int(e.Scale)
	case c == convDate:
		t.Kind = forecast.Date
	case c == convTimeMillis, c == convTimeMicros:
		t.Kind, t.UTC, t.Unit = forecast.Time, true, forecast.Millis+forecast.Unit(c-convTimeMillis)
	case c == convMillis, c == convMicros:
		t.Kind, t.UTC, t.Unit = forecast.Timestamp, true, forecast.Millis+forecast.Unit(c-convMillis)
	case c >= convUint8 && c <= convUint64:
		t.Kind, t.Bits, t.Unsigned = forecast.Integer, 8<<(c-convUint8), true
	case c >= convInt8 && c <= convInt64:
		t.Kind, t.Bits = forecast.Integer, 8<<(c-convInt8)
	}
}

// conditionOf says of a file that cannot be read what readers meet.
func conditionOf(message string, size int64) forecast.Condition {
	switch {
	case size == 0:
		return forecast.ZeroBytes
	case size < 12:
		return forecast.Tiny
	case strings.HasPrefix(message, "encrypted"):
		return forecast.EncryptedFooter
	case strings.HasPrefix(message, "broken footer"):
		return forecast.FooterTooLong
	case strings.HasPrefix(message, "truncated"):
		return forecast.Truncated
	case strings.HasSuffix(message, "JSON"):
		return forecast.TextJSON
	case strings.HasSuffix(message, "an ORC file"):
		return forecast.ORC
	case strings.HasSuffix(message, "gzip data"):
		return forecast.Gzip
	}
	return forecast.TextCSV
}
